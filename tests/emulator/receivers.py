#!/usr/bin/env python3
"""Many receivers between the nodes of an emulated GPU: receivers.py WAVE. In windows and shared by two GPUs, where nodes
of a receiver are computed by several parts, traces have the bits of a run in one piece; also where more receivers lie
across a cut than a GPU keeps room for."""
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
        save_receivers(2500, x=(72, 76))
        options = ["--order", "2", "--tower-height", "15"]
        whole, told = traces(*options)
        there, told = traces(*options, "--devices", "0,1")
        assert there == whole and told["ranks"] == 2, f"a crowd: other bits by two GPUs: {told}"


if __name__ == "__main__":
    main()
