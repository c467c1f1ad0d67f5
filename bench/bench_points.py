#!/usr/bin/env python3
"""What sources and receivers between the nodes cost: seconds of the time loop beside a run without any.

    bench_points.py BUILD [--size NXxNYxNZ] [--steps N] [--orders N,N...] [--receivers N] [--sources N] [--backend cpu|cuda]
                    [--repeats N]

BUILD: folder with wave. Points lie anywhere in the grid, the same in every run (--seed). Of each order the runs take turns;
medians are printed as CSV, and the ratio to the run without points.
"""
import argparse
import os
import random
import statistics
import tempfile

from report import report_of

SPACING = 10  # metres, that of wave


def save_points(path, count, size, seed, level=False):
    """Ten cells from all faces at least; level: all at one depth."""
    random.seed(seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write("x,y,z\n")
        for _ in range(count):
            at = [random.uniform(10, n - 11) for n in size]
            file.write(",".join(f"{x * SPACING:.3f}" for x in (at[:2] + [10.4] if level else at)) + "\n")


def loop_seconds(build, words, folder):
    return report_of([os.path.join(os.path.abspath(build), "wave"), "--quiet", "--snapshot-every", "0", "--json",
                      "report.json", *words], folder)["compute_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--size", default="1024x1024x512")
    parser.add_argument("--steps", type=int, default=640)
    parser.add_argument("--orders", default="2,8")
    parser.add_argument("--receivers", type=int, default=10000)
    parser.add_argument("--sources", type=int, default=100)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    size = [int(n) for n in arguments.size.split("x")]
    print("order,points,interpolation,loop_s,ratio")
    with tempfile.TemporaryDirectory() as folder:
        for name, count in (("one", 1), ("sources", arguments.sources), ("receivers", arguments.receivers)):
            save_points(os.path.join(folder, name + ".csv"), count, size, arguments.seed)
        save_points(os.path.join(folder, "level.csv"), arguments.receivers, size, arguments.seed, level=True)
        receivers, level = (["--receivers", name, "--traces", "traces.npy"] for name in ("receivers.csv", "level.csv"))
        points = {"one source": ["--source", "one.csv"],
                  "one source and receivers": ["--source", "one.csv", *receivers],
                  "one source and receivers at one depth": ["--source", "one.csv", *level],
                  "sources and receivers": ["--source", "sources.csv", *receivers]}
        cases = {("none", ""): ["--source", "none"]}
        cases |= {(name, how): [*words, "--interpolation", how] for name, words in points.items()
                  for how in ("sinc", "trilinear")}
        for order in arguments.orders.split(","):
            common = ["--backend", arguments.backend, "--size", arguments.size, "--steps", str(arguments.steps), "--order", order]
            seconds = {case: [] for case in cases}
            for _ in range(arguments.repeats):
                for case, words in cases.items():
                    seconds[case].append(loop_seconds(arguments.build, [*common, *words], folder))
            none = statistics.median(seconds["none", ""])
            for case, each in seconds.items():
                median = statistics.median(each)
                print(f"{order},{case[0]},{case[1]},{median:.3f},{median / none:.3f}", flush=True)


if __name__ == "__main__":
    main()
