#!/usr/bin/env python3
"""Runs by ranks of MPI against one process of as many threads as all of them have, on the CPU of one machine.

    bench_ranks.py BUILD [--ranks N] [--threads T] [--size NXxNYxNZ] [--steps N] [--repeats N] [--orders 2,4,..]
    bench_ranks.py BUILD --particles [--ranks N] [--threads T] [--cells N,..] [--steps N] [--repeats N]

BUILD: folder with wave and md; T: threads of a rank (1). Of each order of wave, or of each size of the melt of md
(--cells, 4 N^3 atoms), a granular gas and a collapsing column of water, both take turns, and the ratio of their rates
(time loops alone) is formed within each turn, and that of the CPU seconds of the whole programs, which tell more where
others use the machine, too; medians are printed as CSV, and the share of the time that ranks waited for each other.
"""
import argparse
import os
import resource
import statistics
import tempfile

from report import report_of


def run(words, folder):
    environment = {"OMP_WAIT_POLICY": "passive", **os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = report_of(words, folder, environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report["cpu_s"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return report


def compare(label, words, options, rate, waited):
    """A line of medians; rate and waited: of a report, the latter in percent."""
    bind = ["--bind-to", "none"] if options.threads > 1 else []
    ranks = ["mpirun", "-n", str(options.ranks), *bind, *words, "--threads", str(options.threads)]
    rates, ratios, cpu, waits = ([], []), [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.repeats):
            alone = run([*words, "--threads", str(options.ranks * options.threads)], folder)
            shared = run(ranks, folder)
            rates[0].append(rate(alone))
            rates[1].append(rate(shared))
            ratios.append(rate(shared) / rate(alone))
            cpu.append(alone["cpu_s"] / shared["cpu_s"])
            waits.append(waited(shared))
    middle = [statistics.median(v) for v in (*rates, ratios, cpu, waits)]
    print(f"{label},{options.ranks},{options.threads},{middle[0]:.4g},{middle[1]:.4g},{middle[2]:.3f},{middle[3]:.3f},"
          f"{middle[4]:.1f}", flush=True)


def waves(options):
    print("order,ranks,threads,process_gcells_per_s,ranks_gcells_per_s,ratio,cpu_ratio,waited_percent", flush=True)
    for order in options.orders.split(","):
        words = [os.path.join(os.path.abspath(options.build), "wave"), "--backend", "cpu", "--quiet", "--snapshot-every",
                 "0", "--json", "report.json", "--size", options.size, "--steps", str(options.steps), "--order", order,
                 "--source", "none", "--initial", "noise"]
        compare(order, words, options, lambda r: r["gcells_per_s"],
                lambda r: 100 * statistics.mean(r["link_wait_s"]) / r["compute_s"])


def particles(options):
    print("particles,ranks,threads,process_msteps_per_s,ranks_msteps_per_s,ratio,cpu_ratio,waited_percent", flush=True)
    md = [os.path.join(os.path.abspath(options.build), "md"), "--backend", "cpu", "--quiet", "--picture", "none",
          "--thermo", "0", "--json", "report.json", "--steps", str(options.steps), "--ordering", "hilbert"]
    cases = [(f"melt {4 * int(n) ** 3}", ["--cells", n]) for n in options.cells.split(",")]
    cases.append(("gas", ["--model", "granular", "--size", "70,70,70", "--filling", "0.4", "--temperature", "0.04"]))
    cases.append(("dam", ["--model", "mps", "--size", "medium"]))
    for label, words in cases:
        compare(label, [*md, *words], options, lambda r: 1e-6 * r["atom_steps_per_s"],
                lambda r: 100 * r.get("link_wait_s", 0) / r["loop_s"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--particles", action="store_true")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--size", default="768x256x256")
    parser.add_argument("--cells", default="20,40")
    parser.add_argument("--steps", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--orders", default="2,4,6,8")
    options = parser.parse_args()
    particles(options) if options.particles else waves(options)


if __name__ == "__main__":
    main()
