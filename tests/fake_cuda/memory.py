#!/usr/bin/env python3
"""Whether a run of waves takes the memory of the GPU that its plan announces, to the byte, and all of it once.

    memory.py BUILD     every line of runs.txt that runs wave, with the program in BUILD/fake

The sum of what is allocated on a fake GPU (fake_cuda.h) is compared with memory_bytes of the run's report and with that
of --dry-run, which allocates nothing.
"""
import concurrent.futures
import json
import os
import re
import sys
import tempfile

import traces


def memory(build, line, *more):
    """Exit code, what the report says, what was allocated."""
    with tempfile.TemporaryDirectory() as folder:
        done = traces.run_in(folder, build, line, *more)
        if done.returncode:
            return done.returncode, 0, 0
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as f:
            said = json.load(f)["memory_bytes"]["fields_and_tables"]
        with open(os.path.join(folder, "trace.txt"), encoding="utf-8") as f:
            taken = re.findall(r"^malloc #\d+ of (\d+)$", f.read(), re.M)
    return 0, said, sum(int(t) for t in taken)


def complaint(build, line):
    """What is wrong with a line; None where it does not run."""
    code, said, taken = memory(build, line)
    if code:
        return None
    announced = memory(build, line, "--dry-run")
    if said == taken and announced == (0, said, 0):
        return ""
    return f"{line}\n    {taken} bytes are taken, {said} reported; --dry-run: {announced}"


def main():
    lines = [l for l in traces.lines() if l.split()[1] == "wave" and "--dry-run" not in l]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda l: complaint(os.path.abspath(sys.argv[1]), l), lines))
    ran = [f for f in found if f is not None]
    for text in filter(None, ran):
        print(text)
    print(f"{len(ran)} runs, {sum(f != '' for f in ran)} complaints")
    return 1 if any(ran) or len(ran) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
