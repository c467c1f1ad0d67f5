#!/usr/bin/env python3
"""Whether a run of waves takes the memory of the GPU that its plan announces, to the byte, and all of it once.

    memory.py BUILD     every line of runs.txt that runs wave, with the program in BUILD/fake

The sum of what is allocated on a fake GPU (fake_cuda.h) is compared with memory_bytes of the run's report and with that
of --dry-run, which allocates nothing. A survey is given a GPU with room for one solver and a half,
then for two and a half.
"""
import concurrent.futures
import json
import os
import re
import sys
import tempfile

import traces

# of a GPU: what the stand-in has for its driver (fake_cuda.c), and what plans leave free (gpu_data.c)
KEPT = (512 + 256) << 20


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


def survey(build):
    """A survey fits where one of its shots does: the solver of a shot makes room for that of the next. Two shots are
    computed at once where both fit."""
    line = "h200 wave --size 256x256x128 --steps 10 --survey shots.csv --receivers rel:-100,0,0:100,0,0:5 --traces {shot}.npy"
    solver = memory(build, line.split(" --survey")[0])[1]
    for halves, at_once in (3, 1), (5, 2):
        gpu_bytes = KEPT + solver * halves // 2
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "shots.csv"), "w", encoding="utf-8") as f:
                f.write("shot,x,y,z\n1,1000,1000,500\n2,1100,1000,500\n")
            done = traces.run_in(folder, build, line, gpu_bytes=gpu_bytes)
            if done.returncode:
                return f"a survey in {gpu_bytes} bytes: {done.stderr}"
            with open(os.path.join(folder, "report.json"), encoding="utf-8") as f:
                if json.load(f)["survey"]["at_once"] != at_once:
                    return f"a survey in {gpu_bytes} bytes does not compute {at_once} shots at once"
            done = traces.run_in(folder, build, line, "--shots-at-once", "3", gpu_bytes=gpu_bytes)
            if done.returncode != 4 or "--shots-at-once 3 take 0.2" not in done.stderr:
                return f"three shots at once in {gpu_bytes} bytes: {done.returncode}, {done.stderr}"
    return ""


def main():
    lines = [l for l in traces.lines() if l.split()[1] == "wave" and "--dry-run" not in l]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda l: complaint(os.path.abspath(sys.argv[1]), l), lines))
    ran = [f for f in found if f is not None] + [survey(os.path.abspath(sys.argv[1]))]
    for text in filter(None, ran):
        print(text)
    print(f"{len(ran)} runs, {sum(f != '' for f in ran)} complaints")
    return 1 if any(ran) or len(ran) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
