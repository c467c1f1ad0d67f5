#!/usr/bin/env python3
"""One run by several GPUs of a machine against one of them: by one process (wave --devices) or a rank of MPI for each.

    bench_devices.py BUILD [--devices 0,1] [--size NXxNYxNZ] [--orders 2,4,..] [--seconds S] [--repeats N] [--velocity]
                     [--boundary FACES] [--absorbing KIND] [--points] [--transports devices,peer,mpi,nccl,host]

BUILD: folder with wave. Of each order: the grid on each GPU alone; the same grid shared by all of them; one so many
times as long along x, shared. Each makes the steps that one GPU makes in about S seconds (6), f32, a source, velocity the
same everywhere or of each cell (--velocity), free faces or others, with --points 100 sources and 10,000 receivers
anywhere in each grid in place of the one source. Best rates (time loops alone) are printed as CSV, rates of several divided
by the mean of those of one, and the part of the time that GPUs waited for each other. --transports compares ways between
GPUs: "devices" is one process, the others are what TORRE_TRANSPORT takes; where a report says that planes went another
way, it says why.
"""
import argparse
import os
import statistics
import tempfile

from bench_points import save_points
from bench_stream import save_velocity
from report import report_of


# what reports say of them
SAYS = {"devices": "copies ", "peer": "copies ", "mpi": "MPI, from memory", "nccl": "NCCL", "host": "MPI, through"}


def run(build, words, folder, launch=(), transport="auto"):
    return report_of([*launch, os.path.join(os.path.abspath(build), "wave"), "--backend", "cuda", "--quiet",
                      "--snapshot-every", "0", "--json", "report.json", *words], folder,
                     {**os.environ, "TORRE_TRANSPORT": transport})


def compare(options, folder, grids, order, alone, steps, transport):
    """A line of how the GPUs do by that transport; alone: the rate of each of them."""
    count = options.devices.count(",") + 1
    shared, launch = ["--devices", options.devices], []
    if transport != "devices":
        shared, launch = [], ["mpirun", "-n", str(count)]
    one = statistics.mean(alone)
    cells = [order, "cells" if options.velocity else "one", str(count), transport, options.size, steps,
             " ".join(f"{rate:.0f}" for rate in alone)]
    for grid in grids:
        told = [run(options.build, [*grid, "--order", order, *shared, "--steps", steps], folder, launch,
                    "auto" if transport == "devices" else transport) for _ in range(options.repeats)]
        if not told[-1]["transport"].startswith(SAYS[transport]):
            print(f"# order {order}: {transport}: {told[-1].get('transport_why', told[-1]['transport'])}", flush=True)
            return
        rate = max(t["gcells_per_s"] for t in told)
        waited = 100 * statistics.mean(told[-1]["link_wait_s"]) / told[-1]["compute_s"]
        cells += [f"{rate:.0f}", f"{rate / one:.2f}", str(told[-1]["tower_height"]), f"{waited:.1f}"]
    print(",".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--devices", default="0,1")
    parser.add_argument("--size", default="1024x1024x512")
    parser.add_argument("--orders", default="2,4,6,8")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--velocity", action="store_true", help="a velocity for each cell, of a file")
    parser.add_argument("--boundary", default="free")
    parser.add_argument("--absorbing", default="pml", help="what --boundary absorbing does: pml, cpml, sponge")
    parser.add_argument("--points", action="store_true", help="100 sources and 10,000 receivers")
    parser.add_argument("--transports", default="devices")
    options = parser.parse_args()
    count = options.devices.count(",") + 1
    size = [int(n) for n in options.size.split("x")]
    print("order,velocity,gpus,transport,size,steps,one_gcells_per_s,same_gcells_per_s,same_ratio,same_height,same_waited_percent,"
          "long_gcells_per_s,long_ratio,long_height,long_waited_percent", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        grids = []
        for times in (1, count):
            grid = [size[0] * times, *size[1:]]
            grids.append(["--size", "x".join(map(str, grid)), "--boundary", options.boundary])
            if "absorbing" in options.boundary:
                grids[-1] += ["--absorbing", options.absorbing]
            if options.points:
                save_points(os.path.join(folder, f"sources{times}.csv"), 100, grid, 1)
                save_points(os.path.join(folder, f"receivers{times}.csv"), 10000, grid, 2)
                grids[-1] += ["--source", f"sources{times}.csv", "--receivers", f"receivers{times}.csv", "--traces", "traces.npy"]
            if options.velocity:
                name = f"velocity{times}.npy"
                save_velocity(os.path.join(folder, name), grid)
                grids[-1] += ["--velocity", name]
        for order in options.orders.split(","):
            wave = ["--order", order]
            first = run(options.build, [*grids[0], *wave, "--steps", "256"], folder)
            steps = str(round(options.seconds / first["compute_s"] * 256))
            alone = [max(run(options.build, [*grids[0], *wave, "--device", device, "--steps", steps], folder)["gcells_per_s"]
                         for _ in range(options.repeats)) for device in options.devices.split(",")]
            for transport in options.transports.split(","):
                compare(options, folder, grids, order, alone, steps, transport)


if __name__ == "__main__":
    main()
