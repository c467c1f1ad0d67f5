#!/usr/bin/env python3
"""Whether a change made the time loops slower: rates of two builds, run in turn on one machine.

    compare_builds.py [--backend cpu|cuda] [--runs N] [--only PATTERN] BASE NOW

BASE, NOW: folders with wave and md, of the commit before the change and after it. For each case the median of the
rates that the programs report (gcells_per_s of wave, atom_steps_per_s of md, with output as asked for here), the
ratio of the two, and the ratio of the best of each: other load only slows, so on a busy machine that is the one to
trust. Builds take turns, and every second round the other begins, so that both see the same load. Options are those
that both builds know. Exit code 1 if a run failed.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

SIZES = {"cuda": ("1024x1024x512", 640, "512x512x512", 64, "160,160,60", "medium"),
         "cpu": ("512x320x320", 32, "256x256x256", 20, "24,24,24", "small")}


def cases(backend):
    """Command lines by name."""
    size, steps, small, cells, box, fluid = SIZES[backend]
    result = {}
    for order in (2, 4, 6, 8):
        wave = f"wave --order {order} --size {size}"
        result[f"wave {order}"] = f"{wave} --steps {steps}"
        result[f"wave {order} stepwise"] = f"{wave} --steps {steps // 4} --engine stepwise"
    result["wave 2 layers"] = f"wave --order 2 --size {size} --steps {steps} --boundary absorbing --absorbing sponge"
    result["wave 8 layers"] = f"wave --order 8 --size {size} --steps {steps} --boundary absorbing --absorbing sponge"
    result["wave 8 f64"] = f"wave --order 8 --size {small} --steps {steps // 2} --precision f64"
    result["md lj"] = f"md --cells {cells} --steps 400 --ordering hilbert --picture none"
    result["md granular"] = f"md --model granular --size {box} --walls --gravity 9.81 --steps 400 --picture none"
    result["md mps"] = f"md --model mps --size {fluid} --steps 200 --thermo 200 --picture none"
    return result


def rate(build, line, backend):
    """The rate that one run reports."""
    words = line.split()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(os.path.abspath(build), words[0])] + words[1:] + ["--backend", backend, "--quiet",
                       "--json", "report.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, TORRE_TUNE="none"))
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
            report = json.load(file)
    return report["gcells_per_s" if words[0] == "wave" else "atom_steps_per_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base")
    parser.add_argument("now")
    parser.add_argument("--backend", choices=SIZES, default="cpu")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default=".")
    arguments = parser.parse_args()
    failed = 0
    print(f"{'case':18} {'base':>10} {'now':>10} ratio of best")
    for name, line in cases(arguments.backend).items():
        if not re.search(arguments.only, name):
            continue
        rates = {arguments.base: [], arguments.now: []}
        try:
            for turn in range(arguments.runs):
                for build in sorted(rates, key=list(rates).index, reverse=turn % 2 == 1):
                    rates[build].append(rate(build, line, arguments.backend))
        except (subprocess.CalledProcessError, KeyError) as error:
            print(f"{name:18} FAILED: {error}")
            failed = 1
            continue
        base, now = (statistics.median(rates[build]) for build in (arguments.base, arguments.now))
        best = max(rates[arguments.now]) / max(rates[arguments.base])
        print(f"{name:18} {base:10.4g} {now:10.4g} {now / base:.3f}   {best:.3f}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
