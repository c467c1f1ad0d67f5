#!/usr/bin/env python3
"""Runs larger than their memory against the same runs in memory.

    bench_stream.py BUILD [--size NXxNYxNZ] [--steps N] [--share F] [--scratch DIR] [--repeats N] [--velocity]
                    [--backend cpu|cuda] [--orders N,N...] [--boundary FACES] [--points]

BUILD: folder with wave. The limit of memory is the share F (a quarter) of what the run takes in memory; the fields
stream through a file in DIR (with cuda, unless DIR is given, through memory of the host). With --points there are 100
sources and 10,000 receivers anywhere in place of one source. Of each order both runs take turns, and the ratio of their rates (time loops alone) is
formed within each turn; medians are printed as CSV. What the rate of the disk does to it depends on how much of the
file the system keeps in memory: give a model several times as large as that.
"""
import argparse
import array
import os
import statistics
import tempfile

from bench_points import save_points
from report import report_of


def run(build, words, folder):
    return report_of([os.path.join(os.path.abspath(build), "wave"), "--quiet", "--snapshot-every", "0", "--json", "report.json",
                      *words], folder)


def save_velocity(path, size):
    """Layers along z, faster downwards, as float32."""
    nx, ny, nz = size
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }" % (nx, ny, nz)
    header += " " * (117 - len(header)) + "\n"
    column = array.array("f", [1500 + 10 * (k * 100 // nz) for k in range(nz)]).tobytes()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        for _ in range(nx):
            file.write(column * ny)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--size", default="2400x160x160")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--scratch")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--orders", default="2,4,6,8")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--boundary", default="free")
    parser.add_argument("--velocity", action="store_true", help="a velocity for each cell, of a file")
    parser.add_argument("--points", action="store_true", help="100 sources and 10,000 receivers")
    arguments = parser.parse_args()
    scratch = arguments.scratch or ("." if arguments.backend == "cpu" else None)
    through = ["--scratch", os.path.abspath(scratch)] if scratch else []
    print("order,in_memory_gcells_per_s,streaming_gcells_per_s,ratio,tower_height,windows,memory_bytes,streamed_bytes")
    with tempfile.TemporaryDirectory() as folder:
        words = ["--backend", arguments.backend, "--size", arguments.size, "--steps", str(arguments.steps), "--boundary",
                 arguments.boundary]
        size = [int(n) for n in arguments.size.split("x")]
        if arguments.velocity:
            save_velocity(os.path.join(folder, "velocity.npy"), size)
            words += ["--velocity", "velocity.npy"]
        if arguments.points:
            save_points(os.path.join(folder, "sources.csv"), 100, size, 1)
            save_points(os.path.join(folder, "receivers.csv"), 10000, size, 2)
            words += ["--source", "sources.csv", "--receivers", "receivers.csv", "--traces", "traces.npy"]
        for order in arguments.orders.split(","):
            wave = [*words, "--order", order]
            whole = run(arguments.build, [*wave, "--dry-run"], folder)["memory_bytes"]["fields_and_tables"]
            limit = ["--memory", f"{int(arguments.share * whole) >> 10}K", *through]
            turns = [(run(arguments.build, wave, folder), run(arguments.build, [*wave, *limit], folder))
                     for _ in range(arguments.repeats)]
            rates = [[r["gcells_per_s"] for r in turn] for turn in turns]
            told = turns[-1][1]
            print(f"{order},{statistics.median(r[0] for r in rates):.3f},{statistics.median(r[1] for r in rates):.3f},"
                  f"{statistics.median(r[1] / r[0] for r in rates):.3f},{told['tower_height']},{told['windows']},"
                  f"{told['memory_bytes']['fields_and_tables']},{told['streamed_bytes']}", flush=True)


if __name__ == "__main__":
    main()
