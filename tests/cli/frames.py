"""Frames of `wave` as NumPy reads them: each holds the bits that a run of as many steps ends with.

Usage: frames.py WAVE BACKEND. Whole fields (--field-every) and planes (--snapshot-format npy), of all
engines, in both precisions, in two and three dimensions, with towers that do not end where frames do, and of
a run that a signal stops.
"""
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

WAVE, BACKEND = os.path.realpath(sys.argv[1]), sys.argv[2]
STEPS, EVERY, PLANE_EVERY = 23, 5, 7
CUBE = "--size 37x29x23 --order 6 --boundary absorbing,z-=free --absorbing-width 6 --source 100,90,80"
PLANE = "--size 41x33 --order 4 --boundary x=rigid --source 100,80"
NOISE = "--size 20x19x18 --order 2 --initial noise --source none"
os.environ["OMP_WAIT_POLICY"] = "passive"


def run(folder, options):
    subprocess.run([WAVE, "--backend", BACKEND, "--quiet", "--json", "run.json", "--field", "u.npy"]
                   + options.split(), cwd=folder, check=True)
    with open(f"{folder}/run.json", encoding="utf-8") as f:
        return json.load(f)


@functools.cache
def final(options, steps):
    """The field after so many steps, of a run without frames."""
    with tempfile.TemporaryDirectory() as folder:
        run(folder, f"{options} --steps {steps} --snapshot-every 0")
        return np.load(f"{folder}/u.npy")


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def check(options, how):
    """Fields and a plane of them in one run; their intervals have no common divisor."""
    across = 1 if "--size 41x33" in options else 2
    plane = "" if across == 1 else "--snapshot-plane xy@6"
    finals = {n: final(options, n) for n in range(STEPS + 1) if n % EVERY == 0 or n % PLANE_EVERY == 0}
    with tempfile.TemporaryDirectory() as folder:
        report = run(folder, f"{options} {how} --steps {STEPS} --field-every {EVERY} {plane} "
                     f"--snapshot-every {PLANE_EVERY} --snapshot-format npy --output planes")
        u = np.load(f"{folder}/u.npy", mmap_mode="r")
        assert u.flags.c_contiguous and u.shape == (STEPS // EVERY + 1,) + finals[0].shape, u.shape
        assert report["field_frames"] == len(u)
        assert report["field_interval_s"] == EVERY * report["dt_s"]
        for i, frame in enumerate(u):
            assert same(frame, finals[i * EVERY]), (options, how, i)
        assert np.any(u[-1])
        steps = [n for n in range(0 if "noise" in options else 1, STEPS + 1) if n % PLANE_EVERY == 0]
        assert sorted(os.listdir(f"{folder}/planes")) == [f"snapshot_{n:06d}.npy" for n in steps]
        for n in steps:
            wanted = finals[n] if across == 1 else finals[n][:, :, 6]
            assert same(np.load(f"{folder}/planes/snapshot_{n:06d}.npy"), np.ascontiguousarray(wanted)), (options, how, n)


def check_stopped():
    """A signal ends the run: the array has the frames so far, each whole."""
    with tempfile.TemporaryDirectory() as folder:
        command = [WAVE, "--backend", BACKEND, "--quiet", "--json", "run.json", "--field", "u.npy",
                   "--field-every", "3", "--steps", "100000", "--snapshot-every", "0"] + NOISE.split()
        with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) as process:
            while not any(os.path.getsize(f"{folder}/{name}") > 300000 for name in os.listdir(folder)):
                assert process.poll() is None, "ended before any frame"
                time.sleep(0.01)
            assert "u.npy" not in os.listdir(folder), "there before it is complete"
            process.send_signal(signal.SIGTERM)
            assert process.wait() == 75
        assert sorted(os.listdir(folder)) == ["run.json", "u.npy"], os.listdir(folder)
        with open(f"{folder}/run.json", encoding="utf-8") as f:
            report = json.load(f)
        u = np.load(f"{folder}/u.npy")
        assert len(u) == report["field_frames"] == report["steps"] // 3 + 1 < 100000 // 3
        assert os.path.getsize(f"{folder}/u.npy") == u.nbytes + 192
    for i in (0, 1, len(u) // 2, len(u) - 1):
        assert same(u[i], final(NOISE, 3 * i)), i


def main():
    hows = ["stepwise", "torre --dts 1 --tower-height 1", "torre --dts 2 --tower-height 4",
            "torre --dts 3 --tower-height 100 --ordering hilbert"]
    for problem in f"{CUBE} --precision f32", f"{PLANE} --precision f64", f"{NOISE} --precision f64":
        for how in hows:
            check(problem, "--engine " + how)
    check(f"{PLANE} --precision f32", "")
    if BACKEND == "cpu":
        check(f"{NOISE} --engine reference", "")
    check_stopped()


if __name__ == "__main__":
    main()
