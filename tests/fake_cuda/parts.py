#!/usr/bin/env python3
"""Runs of `wave` in parts, on a GPU of less memory or by ranks with a GPU each: parts.py BUILD [ranks], with the program
in BUILD/fake, which knows MPI if ranks are named.

Copies copy on the fake GPU and nothing is computed, so whatever parts do, fields end as they end in one piece. What
cannot stream says so in one line, and so does what does not fit.
"""
import array
import json
import os
import shutil
import subprocess
import sys
import tempfile

WAVE = os.path.join(os.path.abspath(sys.argv[1]), "fake", "wave")
GRID = ["--size", "600x60x50", "--steps", "70", "--initial", "noise", "--source", "none", "--snapshot-every", "0"]
STREAM = ["--memory", "7M", "--scratch", "."]

# options, and words of the complaint
REFUSED = (
    (["--order", "2", "--memory", "7M", "--scratch", "nowhere"], "nowhere"),
    (["--memory", "200K", "--scratch", "."], "at least"),
    ([*STREAM, "--engine", "stepwise"], "--engine torre"),
    ([*STREAM, "--boundary", "absorbing", "--absorbing", "pml", "--engine", "torre"], "pml"),
    ([*STREAM, "--order", "8", "--density", "density.npy"], "--density"),
)


def wave(*options, ranks=1):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TORRE_", "FAKE_"))}
    environment.update(FAKE_CUDA_COUNT="2", OMP_NUM_THREADS="1", TORRE_TUNE="off", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_btl_vader_single_copy_mechanism="none")
    words = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    words += [WAVE, "--backend", "cuda", "--quiet", *GRID, *options]
    return subprocess.run(words, env=environment, stderr=subprocess.PIPE, text=True)


def field(*options, ranks=1):
    done = wave(*options, "--field", "u.npy", "--json", "r.json", ranks=ranks)
    assert done.returncode == 0, f"{options}: {done.stderr}"
    with open("u.npy", "rb") as f:
        return f.read()


def report():
    with open("r.json", encoding="utf-8") as f:
        return json.load(f)


def save(name, value):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (600, 60, 50), }"
    header += " " * (117 - len(header)) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        array.array("f", [value] * (600 * 60 * 50)).tofile(f)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        save("density.npy", 1000.0)
        save("velocity.npy", 2000.0)
        for memory, options in (("4M", ["--order", "2"]), ("11M", ["--order", "2"]), ("11M", ["--order", "8"]),
                                ("21M", ["--order", "8"]), ("12M", ["--order", "2", "--engine", "torre", "--velocity",
                                                    "velocity.npy"])):
            whole = field(*options)
            for more in ([], ["--tower-height", "5"], ["--scratch", "."]):
                there = field(*options, "--memory", memory, *more)
                assert there == whole, f"{options}, {more}: other bits in windows"
                assert report()["windows"] > 1, report()
            for ranks in (2, 3) if "ranks" in sys.argv and shutil.which("mpirun") else ():
                there = field(*options, "--tower-height", "5", ranks=ranks)
                assert there == whole, f"{options}: other bits by {ranks} ranks"
                assert [d[:3] for d in report()["devices"]] == ["0: ", "1: ", "0: "][:ranks], report()
        for options, words in REFUSED:
            done = wave(*options)
            assert done.returncode in (2, 3) and done.stderr.count("\n") == 1 and words in done.stderr, \
                f"{options}: {done.returncode}, {done.stderr}"


if __name__ == "__main__":
    main()
