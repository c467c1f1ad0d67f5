#!/usr/bin/env python3
"""What layers cost on a CPU: core time of a step with layers beside that with free faces.

    bench_layers.py BUILD [--size NXxNYxNZ] [--orders 2,4,..] [--engines torre,stepwise] [--faces FACES ..]
                    [--absorbing pml|cpml|sponge] [--threads N] [--steps N] [--runs N]

Of each engine and order a row: nanoseconds of a core for a cell and step with free faces, and the rates with the
layers of each of `faces` in per cent of that. Core seconds of N steps less those of one count, the least of all runs,
which take turns: on a busy machine they say more than rates. Exit code 1 if a run failed.
"""
import argparse
import math
import os
import subprocess
import sys


def core_seconds(arguments, engine, order, faces, steps):
    """Of one run."""
    line = [os.path.join(arguments.build, "wave"), "--backend", "cpu", "--quiet", "--source", "none",
            "--snapshot-every", "0", "--size", arguments.size, "--order", order, "--engine", engine, "--threads",
            str(arguments.threads), "--steps", str(steps), "--boundary", faces]
    line += ["--absorbing", arguments.absorbing] if "absorbing" in faces else []
    process = subprocess.Popen(line, env=dict(os.environ, TORRE_TUNE="none", OMP_WAIT_POLICY="passive"))
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, line)
    return used.ru_utime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--size", default="512x320x320")
    parser.add_argument("--orders", default="2,4,8")
    parser.add_argument("--engines", default="torre,stepwise")
    parser.add_argument("--faces", nargs="+", default=["absorbing", "x=absorbing", "y=absorbing", "z=absorbing"])
    parser.add_argument("--absorbing", default="pml")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=33)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    updates = math.prod(int(n) for n in arguments.size.split("x")) * (arguments.steps - 1)
    print("engine    order  free, ns " + " ".join(f"{faces:>12}" for faces in arguments.faces))
    for engine in arguments.engines.split(","):
        for order in arguments.orders.split(","):
            least = {(faces, steps): math.inf for faces in ["free"] + arguments.faces for steps in (1, arguments.steps)}
            try:
                for _ in range(arguments.runs):
                    for faces, steps in least:
                        used = core_seconds(arguments, engine, order, faces, steps)
                        least[faces, steps] = min(least[faces, steps], used)
            except subprocess.CalledProcessError as error:
                print(f"{engine} {order} FAILED: {error}")
                return 1
            cost = {faces: least[faces, arguments.steps] - least[faces, 1] for faces, _ in least}
            shares = " ".join(f"{100 * cost['free'] / cost[faces]:10.0f} %" for faces in arguments.faces)
            print(f"{engine:9} {order:>5} {cost['free'] / updates * 1e9:9.3f} {shares}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
