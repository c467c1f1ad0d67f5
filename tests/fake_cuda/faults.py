#!/usr/bin/env python3
"""Runs on a fake GPU (fake_cuda.h): is all memory given back, does every copy and launch lie in bounds, is the memory
that a plan announces what is taken, and does a program end well whichever call to CUDA fails?

    faults.py PROGRAMS [--every K]     every K-th call only

A run whose N-th call fails may go on without (exit code 0) or ends with code 4 and one line of words; it gives all
memory back and leaves no file that is not complete. What kernels compute is not tested: they do not run.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

# name: device, command. "-" stands where the run is to refuse for lack of memory.
RUNS = {
    "towers": ("h200", "wave --size 40x44x48 --order 2 --dts 3 --steps 20 --field u.npy --receivers 10,10,10 "
               "--traces t.npy"),
    "towers of parts": ("h200", "wave --size 64x60x1500 --order 2 --dts 3 --steps 4 --field u.npy"),
    "block towers": ("h200", "wave --size 40x44x50 --order 8 --dts 3 --steps 20 --boundary absorbing "
                     "--absorbing sponge --absorbing-width 4 --field u.npy"),
    "towers without TMA": ("a100", "wave --size 40x44x48 --order 2 --dts 3 --steps 20 --field u.npy"),
    "stepwise": ("h200", "wave --size 40x44x48 --order 8 --engine stepwise --steps 4 --field u.npy --receivers "
                 "10,10,10 --traces t.npy"),
    "receivers between nodes": ("h200", "wave --size 40x44x48 --order 8 --engine stepwise --steps 70 --receivers "
                                "103,104,105;207,208,209 --traces t.npy"),
    "turned axes": ("h200", "wave --size 8x9x1200 --steps 10 --initial noise --field u.npy"),
    "full lists": ("h200", "md --cells 6 --steps 40 --neighbor full --precision f32 --write-data d.data"),
    "half lists": ("h200", "md --cells 6 --steps 40 --neighbor half --precision f32 --write-data d.data"),
    "tiles": ("t4", "md --cells 6 --steps 40 --neighbor tile --precision f32 --write-data d.data"),
    "granular": ("a100", "md --model granular --size 20,20,10 --walls --steps 40 --precision f32 --dump d.xyz"),
    "grains": ("h200", "md --model granular --size 20,20,10 --walls --side-walls --friction 0.5 --steps 40 --precision f32 "
               "--write-data d.data --checkpoint c.state --checkpoint-every 20"),
    "checkpoints": ("h200", "md --cells 6 --steps 40 --precision f32 --write-data d.data --checkpoint c.state "
                    "--checkpoint-every 20"),
    "checkpoints of mps": ("h200", "md --model mps --steps 20 --precision f32 --checkpoint c.state --checkpoint-every 10"),
    "mps": ("h200", "md --model mps --steps 20 --precision f32 --dump d.xyz"),
    "mps in an empty tank": ("h200", "md --model mps --steps 4 --precision f32 --tank 1,1,0.08"),
}
LOGS = ("d.xyz", "front.csv", "c.state", "c.state.1")  # written as a run goes on


def run(programs, name, **fake):
    """A run: result, files, trace."""
    device, command = RUNS[name]
    words = shlex.split(command)
    words[0] = os.path.join(programs, words[0])
    words += ["--backend", "cuda", "--quiet", "--json", "r.json"]
    words += ["--snapshot-every", "0"] if words[0].endswith("wave") else ["--picture", "none"]
    environment = {"FAKE_CUDA_DEVICE": device, "OMP_NUM_THREADS": "1", "TORRE_TUNE": "off"}
    environment.update({"FAKE_CUDA_" + k: str(v) for k, v in fake.items()})
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        os.mkdir(os.path.join(folder, "work"))
        environment["FAKE_CUDA_TRACE"] = trace
        done = subprocess.run(words, cwd=os.path.join(folder, "work"), env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        files = {}
        for n in os.listdir(os.path.join(folder, "work")):
            with open(os.path.join(folder, "work", n), "rb") as f:
                files[n] = f.read()
        with open(trace, encoding="utf-8") as f:
            return done, files, f.read()


def peak(trace):
    """The most device memory that was taken at a time."""
    size, now, most = {}, 0, 0
    for line in trace.splitlines():
        made = re.match(r"malloc (#\d+) of (\d+)", line)
        freed = re.match(r"free (#\d+)", line)
        if made:
            size[made[1]] = int(made[2])
            now += size[made[1]]
            most = max(most, now)
        elif freed:
            now -= size[freed[1]]
    return most


def whole(name, good):
    """What is wrong with a run that no call fails."""
    done, files, trace = good
    wrong = [] if done.returncode == 0 else [f"exit code {done.returncode}: {done.stderr.strip()}"]
    wrong += [line for line in trace.splitlines() if "out of bounds" in line or "of what is none" in line]
    wrong += [] if trace.endswith(" 0 allocations are left\n") else [trace.splitlines()[-1]]
    if not wrong and name != "mps in an empty tank":  # whose lists grow: on a fake GPU a quarter of the box is full
        said, taken = json.loads(files["r.json"])["memory_bytes"], peak(trace)
        said = said["fields_and_tables"] if isinstance(said, dict) else said  # of wave
        if taken != said:
            wrong.append(f"{taken} bytes are taken, {said} announced")
    return wrong


def failing(programs, name, at, good):
    """What is wrong with a run whose call number `at` fails."""
    done, files, trace = run(programs, name, FAIL=at)
    call = re.search(r"(.*) fails\n", trace)
    wrong = [] if done.returncode in (0, 4) else [f"exit code {done.returncode}"]
    if done.returncode == 4 and len(done.stderr.strip().splitlines()) != 1:
        wrong.append("not one line on standard error")
    if re.search(r"cuda[A-Z]\w*\(|->", done.stderr):
        wrong.append("code instead of words")
    if done.returncode >= 0 and not trace.endswith(" 0 allocations are left\n"):
        wrong.append(trace.splitlines()[-1])
    for n, data in files.items():
        if n not in good or (done.returncode and n not in LOGS and len(data) != len(good[n])):
            wrong.append(f"{n} is left behind")
    said = done.stderr.strip()
    return [f"{name}: call {at}, {call and call[1]}: {w} ({said[:200]})" for w in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs")
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    programs, complaints = os.path.abspath(args.programs), []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, name in enumerate(RUNS):
            good = run(programs, name)
            wrong = [f"{name}: {w}" for w in whole(name, good)]
            calls = int(re.search(r"end: (\d+) calls", good[2])[1])
            at = range(1 + number % args.every, calls + 1, args.every)
            for texts in pool.map(lambda n: failing(programs, name, n, good[1]), at):
                wrong += texts
            little, _, _ = run(programs, name, MEMORY=(512 << 20) + (64 << 10))
            if little.returncode != 4 or len(little.stderr.strip().splitlines()) != 1:
                wrong.append(f"{name}: little memory: exit code {little.returncode}: {little.stderr.strip()[:200]}")
            print(f"{name}: {len(at)} of {calls} calls failed in turn, {len(wrong)} complaints", flush=True)
            complaints += wrong
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
