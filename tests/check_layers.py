#!/usr/bin/env python3
"""Dependencies run one way: a room (a folder of src, cuda, tiling, include) includes what is below it alone.

The order of the rooms is the table below; who must include from further up, or between rooms of one line, has a
dependency that should not be.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# from the bottom up; rooms of a line do not know each other
ORDER = """
include/torre
tiling
src/core
src/particles
src/io
src/wave src/figure
src/wave/cpu src/particles/cpu src/io/sinks src/io/sources src/report
src/run
src/survey src/locality src/roofline
src/mpi
src/api
src/cli
cuda/core
cuda/tower
cuda/wave cuda/particles cuda/roofline
"""
# what does not keep to it: files by name, rooms by name
EXCEPTIONS = {
    ("src/wave/engine_reference.c", "src/wave/cpu"): "an engine of the CPU backend, beside the physics it spells out",
    ("src/wave/turned_solver.h", "src/wave/cpu"): "turns the axes of any engine of that backend",
}
LEVEL = {room: n for n, line in enumerate(ORDER.split("\n")) for room in line.split()}


def includes():
    """Every (file, file that it includes) of the rooms, as paths from the root."""
    for top in ("include", "tiling", "src", "cuda"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if not re.search(r"\.(c|h|cu|cuh|in)$", name):
                    continue
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                with open(os.path.join(ROOT, path)) as f:
                    for included in re.findall(r'#include "([^"]+)"', f.read()):
                        for place in (included, "src/" + included, "include/" + included,
                                      os.path.join(os.path.dirname(path), included)):
                            if os.path.isfile(os.path.join(ROOT, place)):
                                yield path, place
                                break


def main():
    wrong = []
    for path, included in includes():
        a, b = os.path.dirname(path), os.path.dirname(included)
        if a in (b, "src") or (a, b) in EXCEPTIONS or (path, b) in EXCEPTIONS:
            continue
        if a not in LEVEL or b not in LEVEL:
            wrong.append(f"{path} includes {included}: the folder {b if a in LEVEL else a} is not in the table")
        elif LEVEL[b] >= LEVEL[a]:
            wrong.append(f"{path} includes {included}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
