#!/usr/bin/env python3
"""Ensembles of the Lennard-Jones melt beside constant energy.

    bench_ensembles.py BUILD [--backend cuda] [--cells 63] [--steps 1000] [--precisions f32,mixed,f64]
                       [--ensembles langevin,baoab,bussi,nose-hoover,npt] [--repeats 3] [--couple-every auto]
                       [--pressure 0.7]

BUILD: folder with md. 4 N^3 atoms take so many steps in each ensemble, in turns, with no row but the first and the
last; --couple-every goes to those that need not act in each step, --pressure to npt, whose melt is 6 % denser at 0.7
than it begins, and 2 % at 0.2. Printed as CSV: the median rate of the time loops, million steps of an atom a second,
and that over the median of constant energy.
"""
import argparse
import os
import statistics
import tempfile

from report import report_of


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--cells", type=int, default=63)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--precisions", default="f32,mixed,f64")
    parser.add_argument("--ensembles", default="langevin,baoab,bussi,nose-hoover,npt")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--couple-every", default="auto")
    parser.add_argument("--pressure", default="0.7")
    options = parser.parse_args()
    md = [os.path.join(os.path.abspath(options.build), "md"), "--backend", options.backend, "--quiet", "--picture",
          "none", "--json", "report.json", "--thermo", "0", "--cells", str(options.cells), "--steps", str(options.steps)]
    names = ["nve", *options.ensembles.split(",")]
    print("precision,ensemble,atoms,steps,msteps_per_s,share", flush=True)
    for precision in options.precisions.split(","):
        rates = {name: [] for name in names}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(options.repeats):
                for name in names:
                    words = [*md, "--precision", precision, "--ensemble", name]
                    if name != "nve":
                        words += ["--target-temperature", "0.75"]
                    if name in ("berendsen", "bussi", "nose-hoover", "npt"):
                        words += ["--couple-every", options.couple_every]
                    if name == "npt":
                        words += ["--pressure", options.pressure]
                    rates[name].append(report_of(words, folder)["atom_steps_per_s"])
        first = statistics.median(rates["nve"])
        for name in names:
            middle = statistics.median(rates[name])
            print(f"{precision},{name},{4 * options.cells ** 3},{options.steps},{1e-6 * middle:.0f},{middle / first:.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
