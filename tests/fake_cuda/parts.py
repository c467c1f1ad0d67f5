#!/usr/bin/env python3
"""Runs of `wave` in parts, on a GPU of less memory, by several GPUs, or by ranks with a GPU each: parts.py BUILD [ranks],
with the program in BUILD/fake, which knows MPI if ranks are named.

Copies copy on the fake GPU and nothing is computed, so whatever parts do, fields end as they end in one piece. What
cannot stream says so in one line, and so does what does not fit.
"""
import array
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WAVE = os.path.join(os.path.abspath(sys.argv[1]), "fake", "wave")
SIZE = ["--size", "600x60x50", "--source", "none", "--snapshot-every", "0", "--quiet"]
GRID = [*SIZE, "--initial", "noise.npy,noise.npy"]  # what a GPU would make of noise is not made here
STREAM = ["--memory", "7M", "--scratch", "."]

# options, and words of the complaint
REFUSED = (
    (["--order", "2", "--memory", "7M", "--scratch", "nowhere"], "nowhere"),
    (["--memory", "200K", "--scratch", "."], "at least"),
    ([*STREAM, "--engine", "stepwise"], "--engine torre"),
    ([*STREAM, "--boundary", "absorbing", "--dts", "3"], "leave --dts open"),
    (["--memory", "2M", "--boundary", "absorbing"], "at least"),
)


# the same of several GPUs, of which there are three
REFUSED_OF_DEVICES = (
    (["--devices", "0,3"], 4, "3 does not exist"),
    (["--devices", "1,1"], 2, "--devices must be all, or numbers of GPUs, each once"),
    (["--devices", "all", "--device", "1"], 2, "--device and --devices exclude each other"),
    (["--devices", "all", "--memory", "7M"], 2, "--memory does not go together with --devices"),
    (["--devices", "all", "--engine", "stepwise"], 2, "--devices share a run by --engine torre alone"),
    (["--devices", "all", "--boundary", "absorbing", "--dts", "3"], 2, "leave --dts open"),
    (["--devices", "all", "--tower-height", "200"], 2, "take fewer GPUs"),
    (["--devices", "all", "--boundary", "absorbing", "--tower-height", "250"], 2, "take fewer GPUs"),
    (["--devices", "all", "--order", "8", "--velocity", "missing.npy"], 3, "missing.npy"),
)


def wave(*options, ranks=1, stop_after=None, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TORRE_", "FAKE_"))}
    environment.update(variables, FAKE_CUDA_COUNT="3" if "--devices" in options else "2", OMP_NUM_THREADS="1", TORRE_TUNE="off", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_btl_vader_single_copy_mechanism="none")
    words = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    words += [WAVE, "--backend", "cuda", *GRID, *([] if "--steps" in options else ["--steps", "70"]), *options]
    process = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
    if stop_after:
        time.sleep(stop_after)
        process.send_signal(signal.SIGTERM)
    try:
        told = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    return subprocess.CompletedProcess(words, process.returncode, stderr=told)


def field(*options, **more):
    done = wave(*options, "--field", "u.npy", "--json", "r.json", **more)
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


def check_devices(numbers):
    """What the report says, and that planes went from GPU to GPU, both ways."""
    told = report()
    with open("trace.txt", encoding="ascii") as f:
        trace = f.read()
    if not numbers:
        assert "ranks" not in told and "from device" not in trace and "takes device 2" in trace, told
        return
    assert told["ranks"] == len(numbers) and told["transport"] == "copies from GPU to GPU", told
    assert [d[:3] for d in told["devices"]] == [f"{n}: " for n in numbers] and told["linked_bytes"] > 0, told
    for a, b in zip(numbers, numbers[1:]):
        assert f"from device {a} to {b} " in trace and f"from device {b} to {a} " in trace, (a, b)


def check_failures():
    """Whatever call fails, on whichever GPU, all end, with one line, which names the GPU after the plan."""
    options = ["--order", "8", "--tower-height", "9", "--devices", "all", "--field", "f.npy"]
    field(*options[:4], FAKE_CUDA_APART="1", *options[4:6])
    assert report()["transport"] == "copies between GPUs by way of the host", report()
    named = 0
    for call in range(1, 1200, 23):
        done = wave(*options, FAKE_CUDA_FAIL=str(call))
        if done.returncode == 0:  # the plan went another way, or that is not called
            os.remove("f.npy")
            continue
        assert done.returncode in (2, 4) and done.stderr.count("\n") == 1, (call, done.returncode, done.stderr)
        assert not os.path.exists("f.npy"), call
        named += done.returncode == 4 and done.stderr.startswith("wave: GPU ")
    assert named > 10, named


def check_resume():
    """A checkpoint of any number of GPUs is that of one, and any number goes on from it."""
    run = ["--order", "8", "--tower-height", "9"]
    whole, kept = field(*run), None
    for devices in ("1", "all", "0,2"):
        there = field(*run, "--devices", devices, "--checkpoint", "c.state", "--checkpoint-every", "27")
        assert there == whole, f"checkpoints by GPUs {devices}: other bits"
        with open("c.state", "rb") as f:
            state = f.read()
        kept = kept or len(state)
        assert len(state) == kept, devices
        for others in ("all", "0"):
            there = field(*run, "--devices", others, "--resume", "c.state")
            assert there == whole, f"GPUs {devices}, then {others}: other bits"
    os.remove("c.state")


def check_stops():
    """A signal leaves complete results up to there, and a state from which others go on."""
    options = ["--order", "2", "--tower-height", "5", "--devices", "all", "--steps", "100000000"]
    done = wave(*options, "--field", "f.npy", "--checkpoint", "c.state", stop_after=2)
    assert done.returncode == 75 and done.stderr.startswith("wave: stopped by SIGTERM after step"), done
    assert done.stderr.count("\n") == 1 and os.path.getsize("f.npy") > 600 * 60 * 50 * 4, done.stderr
    options[options.index("all")] = "0,1"
    done = wave(*options, "--resume", "c.state", "--max-time", "2s")
    assert done.returncode == 75 and "stopped by --max-time after step" in done.stderr, done
    os.remove("c.state")


def check_little_memory(options, whole):
    """What a GPU has no room for streams by itself; several that have it between them share it."""
    least = (512 + 256) << 20  # the driver's, and what a run leaves free on an H200
    needs = report()["memory_bytes"]["fields_and_tables"]  # of the windows before
    there = field(*options, FAKE_CUDA_MEMORY=str(least + needs))
    assert there == whole and report()["windows"] > 1, f"{options}: {report()}"
    shared = [*options, "--tower-height", "5", "--devices", "all"]
    field(*shared)
    needs = report()["memory_bytes"]["fields_and_tables"] * 5 // 4  # of the first GPU; others have more
    there = field(*shared, FAKE_CUDA_MEMORY=str(least + needs))
    assert there == whole and report()["ranks"] == 3 and "windows" not in report(), f"{options}: {report()}"


def check_too_large():
    """More than the host holds is said as before, and what would help; a dry run warns."""
    words = [WAVE, "--backend", "cuda", "--order", "8", "--size", "20000x20000x8000", "--steps", "10", "--snapshot-every", "0"]
    for more, code in (["--quiet"], 4), (["--dry-run"], 0):
        done = subprocess.run([*words, *more], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code and done.stderr.count("\n") == 1, done
        assert "on the GPU" in done.stderr and "--scratch DIR" in done.stderr, done


def planned(*options):
    """The report of a run that does not run, on GPUs whose rates are known."""
    words = [WAVE, "--backend", "cuda", "--engine", "torre", "--snapshot-every", "0", "--quiet", "--dry-run", "--json",
             "r.json", *options]
    environment = {**os.environ, "FAKE_CUDA_DEVICE": "h200-few", "FAKE_CUDA_COUNT": "2", "TORRE_TUNE": "off"}
    subprocess.run(words, env=environment, check=True, timeout=60)
    return report()


def check_plans():
    """Of three windows none may have so many planes that the others wait until it has come or gone: 1847 have room. Where
    there are many the highest has all that it has room for. Towers of 56 steps have 512 planes of a GPU busy, but for the
    time that planes take to the other one and back."""
    large = ["--size", "4096x1024x1024", "--order", "2", "--steps", "1336", "--memory"]
    plan = planned(*large, "31200M")
    assert plan["windows"] == 3 and 4096 / 3 < plan["window_planes"] < 1700, plan
    plan = planned(*large, "8600M")
    assert plan["windows"] > 10 and plan["memory_bytes"]["fields_and_tables"] > 0.95 * (8600 << 20), plan
    plan = planned("--size", "1024x1024x224", "--order", "8", "--steps", "5000", "--devices", "0,1")
    assert 40 < plan["tower_height"] < 52, plan


def check_watch():
    """A value that is no number is found on whichever GPU it is, and told by its cell."""
    for device in range(3):
        for launch in (1, 2):
            done = wave("--order", "2", "--tower-height", "35", "--devices", "all", "--field", "g.npy",
                        FAKE_CUDA_NAN=f"{device}:{launch}")
            found = re.search(r"not finite at cell \((\d+), 30, 25\)", done.stderr)
            assert done.returncode == 5 and found, done
            assert int(found[1]) // 200 == device, f"GPU {device}: {done.stderr}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        save("density.npy", 1000.0)
        save("velocity.npy", 2000.0)
        subprocess.run([WAVE, "--backend", "cpu", *SIZE, "--steps", "0", "--initial", "noise", "--field", "noise.npy"],
                       check=True)
        for memory, options in (("4M", ["--order", "2"]), ("11M", ["--order", "2"]), ("11M", ["--order", "8"]),
                                ("21M", ["--order", "8"]), ("12M", ["--order", "2", "--engine", "torre", "--velocity",
                                                    "velocity.npy"]),
                                ("21M", ["--order", "8", "--engine", "torre", "--density", "density.npy"]),
                                ("12M", ["--order", "2", "--boundary", "absorbing"]),
                                ("40M", ["--order", "8", "--boundary", "absorbing", "--density", "density.npy",
                                         "--velocity", "velocity.npy"])):
            whole = field(*options)
            for more in ([], ["--tower-height", "5"], ["--scratch", "."]):
                there = field(*options, "--memory", memory, *more)
                assert there == whole, f"{options}, {more}: other bits in windows"
                assert report()["windows"] > 1, report()
            check_little_memory(options, whole)
            for devices, numbers in (("0,2", [0, 2]), ("all", [0, 1, 2]), ("2", None)):
                there = field(*options, "--tower-height", "5", "--devices", devices, FAKE_CUDA_TRACE="trace.txt")
                assert there == whole, f"{options}: other bits by GPUs {devices}"
                check_devices(numbers)
            for ranks in (2, 3) if "ranks" in sys.argv and shutil.which("mpirun") else ():
                there = field(*options, "--tower-height", "5", ranks=ranks)
                assert there == whole, f"{options}: other bits by {ranks} ranks"
                assert [d[:3] for d in report()["devices"]] == ["0: ", "1: ", "0: "][:ranks], report()
        check_failures()
        check_resume()
        check_stops()
        check_watch()
        check_too_large()
        check_plans()
        done = wave("--order", "2", "--devices", "2,0", FAKE_CUDA_MEMORY="5000000")
        assert done.returncode == 4 and done.stderr.startswith("wave: GPU 2: ") and done.stderr.count("\n") == 1, done
        for options, code, words in REFUSED_OF_DEVICES:
            done = wave(*options, *([] if "--order" in options else ["--order", "2"]))
            assert done.returncode == code and done.stderr.count("\n") == 1 and words in done.stderr, \
                f"{options}: {done.returncode}, {done.stderr}"
        for options, words in REFUSED:
            done = wave(*options)
            assert done.returncode in (2, 3) and done.stderr.count("\n") == 1 and words in done.stderr, \
                f"{options}: {done.returncode}, {done.stderr}"


if __name__ == "__main__":
    main()
