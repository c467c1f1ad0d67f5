#!/usr/bin/env python3
"""Many receivers between the nodes of an emulated GPU: receivers.py WAVE. In windows and shared by two GPUs, where nodes
of a receiver are computed by several parts, traces have the bits of a run in one piece; also of shots one after the
other, and where more receivers lie across a cut than a GPU keeps room for."""
import json
import os
import random
import subprocess
import sys
import tempfile

WAVE = os.path.abspath(sys.argv[1])
SIZE = (150, 40, 36)
RUN = ["--backend", "cuda", "--engine", "torre", "--size", "x".join(map(str, SIZE)), "--steps", "30", "--quiet",
       "--snapshot-every", "0", "--source", "703,200,180", "--receivers", "r.csv"]


def save_receivers(count, x=(6, SIZE[0] - 7)):
    random.seed(3)
    with open("r.csv", "w", encoding="utf-8") as file:
        file.write("x,y,z\n")
        for _ in range(count):
            at = [random.uniform(*x), *(random.uniform(6, n - 7) for n in SIZE[1:])]
            file.write(",".join(f"{10 * cells:.3f}" for cells in at) + "\n")


def traces(*options):
    environment = {**os.environ, "FAKE_CUDA_COUNT": "2", "OMP_NUM_THREADS": "1", "TORRE_TUNE": "off"}
    subprocess.run([WAVE, *RUN, *options, "--traces", "t.npy", "--json", "r.json"], env=environment, check=True, timeout=200)
    with open("t.npy", "rb") as t, open("r.json", encoding="utf-8") as r:
        return t.read(), json.load(r)


def memory_that_streams(options):
    """Bytes of a GPU through which a run streams by itself: a little less than it takes, and what the GPU keeps."""
    for memory in range(256 << 20, 2 << 30, 3 << 20):
        environment = {**os.environ, "FAKE_CUDA_MEMORY": str(memory), "TORRE_TUNE": "off"}
        done = subprocess.run([WAVE, *RUN, *options, "--traces", "t.npy", "--dry-run", "--json", "-"], env=environment,
                              check=False, capture_output=True, timeout=60)
        if not done.returncode and "windows" in json.loads(done.stdout):
            return str(memory)
    raise AssertionError("no run streams")


def survey(memory):
    """What all shots record: solvers of windows begin anew for each."""
    environment = {**os.environ, "FAKE_CUDA_MEMORY": memory, "OMP_NUM_THREADS": "1", "TORRE_TUNE": "off"}
    run = RUN[:RUN.index("--snapshot-every")] + ["--receivers", "r.csv", "--order", "2", "--tower-height", "10"]
    subprocess.run([WAVE, *run, "--survey", "shots.csv", "--traces", "{shot}.npy"], env=environment, check=True, timeout=200)
    shots = []
    for shot in "ab":
        with open(f"{shot}.npy", "rb") as t:
            shots.append(t.read())
    return shots


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        save_receivers(40)
        for order, height in (("2", "10"), ("4", "10"), ("8", "4")):
            options = ["--order", order, "--tower-height", height]
            whole, told = traces(*options)
            assert "windows" not in told and "ranks" not in told, told
            there, told = traces(*options, "--memory", "4M")
            assert there == whole and told["windows"] > 1, f"order {order}: other bits in windows: {told}"
            there, told = traces(*options, "--devices", "0,1")
            assert there == whole and told["ranks"] == 2, f"order {order}: other bits by two GPUs: {told}"
        with open("shots.csv", "w", encoding="utf-8") as file:
            file.write("shot,x,y,z\na,703,200,180\nb,403,210,150\n")
        little = memory_that_streams(["--order", "2", "--tower-height", "10"])
        assert survey(little) == survey(str(8 << 30)), "other bits of shots in windows"
        save_receivers(2500, x=(72, 76))
        options = ["--order", "2", "--tower-height", "15"]
        whole, told = traces(*options)
        there, told = traces(*options, "--devices", "0,1")
        assert there == whole and told["ranks"] == 2, f"a crowd: other bits by two GPUs: {told}"


if __name__ == "__main__":
    main()
