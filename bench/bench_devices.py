#!/usr/bin/env python3
"""One run by several GPUs of a machine (wave --devices) against one of them.

    bench_devices.py BUILD [--devices 0,1] [--size NXxNYxNZ] [--orders 2,4,..] [--seconds S] [--repeats N] [--velocity]

BUILD: folder with wave. Of each order, in turns: the grid on one GPU; the same grid shared by all of them; one so many
times as long along x, shared. Each makes the steps that one GPU makes in about S seconds (6), f32, a source, velocity the
same everywhere or of each cell. Best rates (time loops alone) are printed as CSV, rates of several divided by that of
one, and the part of the time that GPUs waited for each other.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from bench_stream import save_velocity


def run(build, words, folder):
    subprocess.run([os.path.join(os.path.abspath(build), "wave"), "--backend", "cuda", "--quiet", "--snapshot-every", "0",
                    "--json", "report.json", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--devices", default="0,1")
    parser.add_argument("--size", default="1024x1024x512")
    parser.add_argument("--orders", default="2,4,6,8")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--velocity", action="store_true", help="a velocity for each cell, of a file")
    options = parser.parse_args()
    count = options.devices.count(",") + 1
    size = [int(n) for n in options.size.split("x")]
    print("order,velocity,gpus,size,steps,one_gcells_per_s,same_gcells_per_s,same_ratio,same_height,same_waited_percent,"
          "long_gcells_per_s,long_ratio,long_height,long_waited_percent", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        grids = []
        for times in (1, count):
            grid = [size[0] * times, *size[1:]]
            grids.append(["--size", "x".join(map(str, grid))])
            if options.velocity:
                name = f"velocity{times}.npy"
                save_velocity(os.path.join(folder, name), grid)
                grids[-1] = ["--velocity", name]
        shared = ["--devices", options.devices]
        for order in options.orders.split(","):
            wave = ["--order", order]
            first = run(options.build, [*grids[0], *wave, "--steps", "256"], folder)
            steps = str(round(options.seconds / first["compute_s"] * 256))
            ways = ([*grids[0], *wave], [*grids[0], *wave, *shared], [*grids[1], *wave, *shared])
            turns = [[run(options.build, [*way, "--steps", steps], folder) for way in ways]
                     for _ in range(options.repeats)]
            rates = [max(turn[i]["gcells_per_s"] for turn in turns) for i in range(3)]
            cells = [order, "cells" if options.velocity else "one", str(count), options.size, steps, f"{rates[0]:.0f}"]
            for i in (1, 2):
                told = turns[-1][i]
                waited = 100 * statistics.mean(told["link_wait_s"]) / told["compute_s"]
                cells += [f"{rates[i]:.0f}", f"{rates[i] / rates[0]:.2f}", str(told["tower_height"]), f"{waited:.1f}"]
            print(",".join(cells), flush=True)


if __name__ == "__main__":
    main()
