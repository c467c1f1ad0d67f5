#!/usr/bin/env python3
"""Particles shared by several GPUs of a machine (md --devices) against one of them.

    bench_md_devices.py BUILD [--devices 0,1] [--cases melt,npt,gas,rough] [--cells N] [--gas EDGE] [--steps N]
                        [--repeats N] [--processes] [--ensembles nve,bussi,..]

BUILD: folder with md. The Lennard-Jones melt (4 N^3 atoms), the same with a barostat, a granular gas (40 % of EDGE^3
diameters) and the same with friction, f32: so many steps on one GPU and shared by all, in turns; with --processes by a
rank of MPI for each GPU, too; with --ensembles the melt alone, in each of these. Best rates (time loops alone) are
printed as CSV, those of several divided by that of one, and the part of the time that the first GPU's host waited for
others. Rows of all must be the same, byte for byte (with thermostats the last digit may differ, in which sums are
rounded: to 9 digits).
"""
import argparse
import json
import os
import subprocess
import tempfile


def melt(options, ensemble="nve"):
    """Words of the melt in an ensemble."""
    words = ["--cells", str(options.cells)]
    if ensemble != "nve":
        words += ["--ensemble", ensemble, "--target-temperature", "0.75"]
    return words + (["--pressure", "0.7"] if ensemble == "npt" else [])


def gas(options):
    """Words of the granular gas."""
    return ["--model", "granular", "--size", f"{options.gas},{options.gas},{options.gas}", "--filling", "0.4",
            "--temperature", "0.04"]


CASES = {"melt": melt,
         "npt": lambda options: melt(options, "npt"),
         "gas": gas,
         "rough": lambda options: [*gas(options), "--friction", "0.5"]}


def same(rows):
    """Whether tables agree, to rounding of sums over the particles of each GPU."""
    first, *others = [[line.split(",") for line in text.splitlines() if not line.startswith("#")] for text in rows]
    for other in others:
        for a, b in zip(first[1:], other[1:], strict=True):
            if any(abs(float(p) - float(q)) > 1e-9 * max(1, abs(float(p))) for p, q in zip(a, b, strict=True)):
                return False
    return True


def turns(ways, words, repeats):
    """Reports of each way, and all rows that there were."""
    told, rows = {way: [] for way in ways}, set()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            for way, command in ways.items():
                subprocess.run([*command, *words], cwd=folder, check=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)
                with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
                    told[way].append(json.load(file))
                with open(os.path.join(folder, "rows.csv"), encoding="utf-8") as file:
                    rows.add(file.read())
    return told, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--devices", default="0,1")
    parser.add_argument("--cases", default="melt,gas")
    parser.add_argument("--cells", type=int, default=160)
    parser.add_argument("--gas", type=int, default=236)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--processes", action="store_true")
    parser.add_argument("--ensembles", default="")
    options = parser.parse_args()
    count = options.devices.count(",") + 1
    steps = str(options.steps)
    md = [os.path.join(os.path.abspath(options.build), "md"), "--backend", "cuda", "--quiet", "--picture", "none",
          "--precision", "f32", "--json", "report.json", "--csv", "rows.csv", "--steps", steps, "--thermo", steps]
    ways = {"one": md, "devices": [*md, "--devices", options.devices]}
    if options.processes:
        ways["processes"] = ["mpirun", "-n", str(count), *md]
    print("particles,count,gpus,steps,way,msteps_per_s,ratio,waited_percent", flush=True)
    cases = [(case, CASES[case](options)) for case in options.cases.split(",")]
    if options.ensembles:
        cases = [(f"melt {ensemble}", melt(options, ensemble)) for ensemble in options.ensembles.split(",")]
    for label, words in cases:
        told, rows = turns(ways, words, options.repeats)
        if len(rows) > 1 and not ("--ensemble" in words and same(rows)):
            raise SystemExit(f"{label}: rows differ:\n" + "\n".join(rows))
        first = max(r["atom_steps_per_s"] for r in told["one"])
        for way, reports in told.items():
            best = max(reports, key=lambda r: r["atom_steps_per_s"])
            print(f"{label},{best['atoms']},{1 if way == 'one' else count},{steps},{way},"
                  f"{1e-6 * best['atom_steps_per_s']:.0f},{best['atom_steps_per_s'] / first:.2f},"
                  f"{100 * best.get('link_wait_s', 0) / best['loop_s']:.1f}", flush=True)


if __name__ == "__main__":
    main()
