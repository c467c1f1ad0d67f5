#!/usr/bin/env python3
"""Runs by ranks of MPI, a thread each, against one process of as many threads, on the CPU of one machine.

    bench_ranks.py BUILD [--ranks N] [--size NXxNYxNZ] [--steps N] [--repeats N] [--orders 2,4,..]

BUILD: folder with wave. Of each order both take turns, and the ratio of their rates (time loops alone) is formed within
each turn; medians are printed as CSV, and the share of the time that ranks waited for each other.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile


def run(words, folder):
    environment = {**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--size", default="768x256x256")
    parser.add_argument("--steps", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--orders", default="2,4,6,8")
    options = parser.parse_args()
    print("order,ranks,threads_gcells_per_s,ranks_gcells_per_s,ratio,waited_percent", flush=True)
    for order in options.orders.split(","):
        wave = [os.path.join(os.path.abspath(options.build), "wave"), "--backend", "cpu", "--quiet", "--snapshot-every",
                "0", "--json", "report.json", "--size", options.size, "--steps", str(options.steps), "--order", order,
                "--source", "none", "--initial", "noise"]
        ranks = ["mpirun", "-n", str(options.ranks), *wave, "--threads", "1"]
        rates, ratios, waits = ([], []), [], []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(options.repeats):
                alone = run([*wave, "--threads", str(options.ranks)], folder)
                shared = run(ranks, folder)
                rates[0].append(alone["gcells_per_s"])
                rates[1].append(shared["gcells_per_s"])
                ratios.append(shared["gcells_per_s"] / alone["gcells_per_s"])
                waits.append(100 * statistics.mean(shared["link_wait_s"]) / shared["compute_s"])
        middle = [statistics.median(v) for v in (*rates, ratios, waits)]
        print(f"{order},{options.ranks},{middle[0]:.4g},{middle[1]:.4g},{middle[2]:.3f},{middle[3]:.1f}", flush=True)


if __name__ == "__main__":
    main()
