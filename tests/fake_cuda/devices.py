#!/usr/bin/env python3
"""A survey over the GPUs of a machine, which the stand-in for CUDA has: devices.py BUILD. Nothing is computed: what is
tested is that every GPU gets shots, that all shots are done, and what is refused."""
import json
import os
import re
import subprocess
import sys
import tempfile

WAVE = os.path.join(os.path.abspath(sys.argv[1]), "fake", "wave")
SHOTS = 24


def wave(*options, count=3, code=0):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TORRE_", "FAKE_"))}
    environment.update(FAKE_CUDA_COUNT=str(count), FAKE_CUDA_TRACE="trace.txt", OMP_NUM_THREADS="1", TORRE_TUNE="off")
    done = subprocess.run([WAVE, "--size", "64x60x50", "--order", "8", "--steps", "60", "--survey", "s.csv", "--receivers",
                           "10,10,10:300,300,10:7", "--traces", "o/{shot}.npy", "--json", "r.json", "--quiet", *options],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == code, f"{options}: exit code {done.returncode}, not {code}: {done.stderr}"
    return done.stderr


def taken():
    """Which GPUs threads have taken, of those but 0."""
    with open("trace.txt", encoding="ascii") as f:
        return {int(n) for n in re.findall(r"the thread takes device (\d+)", f.read())}


def main():
    with open("s.csv", "w", encoding="ascii") as f:
        f.write("shot,x,y,z\n" + "".join(f"{i},{100 + i},120,60\n" for i in range(1, SHOTS + 1)))
    for devices, wanted, others in (("0", [0], set()), ("all", [0, 1, 2], {1, 2}), ("0,2", [0, 2], {2}), ("1", [1], {1})):
        for name in os.listdir("o") if os.path.isdir("o") else []:
            os.remove("o/" + name)
        wave("--devices", devices)
        report = json.load(open("r.json", encoding="utf-8"))["survey"]
        assert report["devices"] == wanted and report["at_once"] == 2 * len(wanted) and report["done_now"] == SHOTS, report
        assert taken() - {0} == others, (devices, taken())
        assert len(os.listdir("o")) == SHOTS + 1
    for options, code, text in ((["--devices", "0,3"], 4, "3 does not exist, this machine has 3 GPUs"),
                                (["--devices", "0,0"], 2, "--devices must be all, or numbers of GPUs, each once"),
                                (["--devices", "one"], 2, "--devices must be all, or numbers of GPUs"),
                                (["--devices", "0", "--device", "1"], 2, "--device and --devices exclude each other"),
                                (["--devices", "0", "--backend", "cpu"], 2, "--devices are GPUs, and --backend is cpu")):
        told = wave(*options, code=code)
        assert text in told and told.count("\n") == 1, (options, told)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
