#!/usr/bin/env python3
"""What the host code of the GPU does in runs on fake GPUs (fake_cuda.h), so that a change of it that must not change
anything can show that it does not.

    traces.py record BUILD FOLDER     run everything of runs.txt with the programs in BUILD/fake
    traces.py compare BUILD FOLDER    the same, and say what differs; exit code 1 if any

A recording has a file for each run: exit code, standard error, report, and every allocation, copy (with a hash of what
goes to the GPU), launch (with a hash of its arguments, where addresses count as allocation and offset) and wait. Kernels
do not run: whether numbers are right is not tested here.
"""
import argparse
import concurrent.futures
import difflib
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
VARIES = re.compile(r'"(version|wall_s|warnings)"|load|cores|cpu|host_|peak_memory', re.I)

TIMES = re.compile(r',\s*"(loop_)?time_s": \{[^}]*\}')


def npy(path, shape):
    """Velocities of float32, 2000 m/s and faster, without numpy."""
    count = shape[0] * shape[1] * shape[2]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack(f"<{count}f", *(2000 + i % 97 for i in range(count))))


def lines():
    """The lines of runs.txt."""
    with open(os.path.join(HERE, "runs.txt"), encoding="utf-8") as f:
        return [l.strip() for l in f if l.strip() and not l.startswith("#")]


def run_in(folder, build, line, *more, gpu_bytes=None):
    """Run one line in an empty folder, which gets report.json and trace.txt. gpu_bytes: how much the GPU has."""
    device, *words = shlex.split(line)
    words[0] = os.path.join(build, "fake", words[0])
    if words[0].endswith(("wave", "md")):
        words += [] if "--backend" in words else ["--backend", "cuda"]
        words += ["--json", "report.json", "--quiet"]
        pictures = words[0].endswith("wave") and not {"--snapshot-every", "--survey"} & set(words)
        words += ["--snapshot-every", "0"] if pictures else []
        words += ["--picture", "none"] if words[0].endswith("md") else []
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TORRE_", "FAKE_"))}
    environment.update(FAKE_CUDA_DEVICE=device, FAKE_CUDA_TRACE="trace.txt", OMP_NUM_THREADS="2", TORRE_TUNE="off")
    if gpu_bytes:
        environment["FAKE_CUDA_MEMORY"] = str(gpu_bytes)
    npy(os.path.join(folder, "model.npy"), (64, 60, 50))
    return subprocess.run(words + list(more), cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)


def run(build, line):
    """Run one line; all that it says and does, as text."""
    with tempfile.TemporaryDirectory() as folder:
        done = run_in(folder, build, line)
        text = [line, f"exit {done.returncode}"] + done.stderr.splitlines()
        for name in ("report.json", "trace.txt"):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as f:
                    text += [t for t in TIMES.sub("", f.read()).splitlines() if name != "report.json" or not VARIES.search(t)]
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--only", default="", help="lines that match this expression")
    args = parser.parse_args()
    chosen = [l for l in lines() if re.search(args.only, l)]
    os.makedirs(args.folder, exist_ok=True)
    differing = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line, text in zip(chosen, pool.map(lambda l: run(os.path.abspath(args.build), l), chosen)):
            path = os.path.join(args.folder, re.sub(r"[^A-Za-z0-9.,=-]+", "_", line)[:200])
            if args.what == "record":
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                continue
            if not os.path.exists(path):
                print(f"not recorded: {line}")
                continue
            with open(path, encoding="utf-8") as f:
                before = f.read()
            if before != text:
                differing += 1
                print(f"differs: {line}")
                changes = difflib.unified_diff(before.splitlines(), text.splitlines(), "before", "now", "", "", 0)
                print("\n".join("    " + c for c in list(changes)[2:12]))
    print(f"{len(chosen)} runs, {differing} differ" if args.what == "compare" else f"{len(chosen)} runs")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
