#!/usr/bin/env python3
"""Runs of `wave` that stream through less memory than their fields take: stream.py WAVE TEST, where TEST is a function
below (test_...). Results are compared byte by byte with those of runs in memory."""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile

WAVE = os.path.abspath(sys.argv[1])
RUN = ["--size", "300x40x48", "--order", "4", "--steps", "60", "--dt", "1e-3", "--boundary", "absorbing,z-=free,y=rigid",
       "--absorbing-width", "8", "--receivers", "100,100,100:2900.5,300,190:7", "--traces", "t.npy",
       "--snapshot-every", "25", "--snapshot-format", "npy", "--field", "u.npy"]
STREAM = ["--memory", "5M", "--scratch", "."]


def wave(*options, code=0, before=None):
    words = [WAVE, "--quiet", "--backend", "cpu", *options]
    process = subprocess.run(words, stderr=subprocess.PIPE, text=True, preexec_fn=before)
    assert process.returncode == code, f"{words}: exit code {process.returncode}, not {code}: {process.stderr}"
    assert process.stderr.count("\n") <= 1, process.stderr
    return process.stderr


def results():
    return {n: open(n, "rb").read() for n in sorted(os.listdir(".")) if n.endswith(".npy")}


def anew():
    for name in os.listdir("."):
        os.remove(name)


def report(*options):
    wave(*options, "--json", "report.json")
    with open("report.json") as f:
        return json.load(f)


def save_velocity():
    """2000 above 2500, in m/s or kg/m^3, as an array of the grid in f32."""
    import array
    cells = array.array("f", ([2000.0] * 20 + [2500.0] * 28) * (300 * 40))
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (300, 40, 48), }"
    header += " " * (117 - len(header)) + "\n"
    with open("velocity.model", "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + cells.tobytes())
    os.rename("velocity.model", "velocity.npy")


def test_bits():
    """Snapshots, traces, the field and checkpoints, which go on in memory and in windows."""
    for options in ([], ["--velocity", "velocity.npy"], ["--density", "velocity.npy"], ["--absorbing", "cpml"],
                    ["--initial", "noise", "--source", "none", "--absorbing", "sponge"]):
        anew()
        save_velocity()
        wave(*RUN, *options)
        expected = results()
        for name in expected:
            os.remove(name)
        save_velocity()
        told = report(*RUN, *options, *STREAM, "--checkpoint", "c.state", "--checkpoint-every", "40")
        assert told["windows"] > 2 and told["streamed_bytes"] > told["scratch_bytes"], told
        assert results() == expected, f"{options}: other results in windows"
        for way in (["--threads", "1"], [*STREAM, "--tower-height", "3"]):
            for name in expected:
                if name != "velocity.npy" and os.path.exists(name):
                    os.remove(name)
            wave(*RUN, *options, *way, "--resume", "c.state")
            there = results()  # snapshots of steps after the checkpoint alone
            assert all(there[n] == expected[n] for n in there) and "u.npy" in there, f"{options} {way}: other results"


def test_memory():
    """A run takes what it was given, beside what the smallest run takes."""
    def peak(*options):
        return report("--snapshot-every", "0", "--steps", "20", *options)["peak_memory_bytes"]

    least = peak("--size", "8x8x8")
    for limit, *options in ((12,), (40,), (40, "--order", "4", "--boundary", "absorbing")):
        streams = peak("--size", "700x128x128", "--memory", f"{limit}M", "--scratch", ".", *options)
        assert streams <= least + (limit << 20), f"{streams} bytes, {least} for the smallest run, limit {limit} MiB"
    assert peak("--size", "700x128x128") > least + (60 << 20)


def test_dry_run():
    told = report(*RUN, *STREAM, "--dry-run")
    passes = -(-60 // told["tower_height"])
    assert told["windows"] > 2 and told["streamed_bytes"] == 2 * passes * told["scratch_bytes"], told
    assert os.listdir(".") == ["report.json"]
    words = [WAVE, "--backend", "cpu", *RUN, *STREAM, "--dry-run"]
    told = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "through it in all" in told and "none of the file in memory" in told and "in short trials of both" in told, told
    assert os.listdir(".") == ["report.json"]


def test_full():
    """No room for the scratch file, from the beginning or all of a sudden: a line, and nothing is left."""
    def files_up_to(size):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return limit

    told = wave(*RUN, *STREAM, code=3, before=files_up_to(1 << 20))
    assert "scratch space in ." in told and "File too large" in told, told
    assert os.listdir(".") == [], os.listdir(".")
    told = wave(*RUN, "--memory", "5M", "--scratch", "missing", code=3)
    assert "scratch file in missing" in told, told
    assert os.listdir(".") == [], os.listdir(".")


def test_refused():
    save_velocity()
    for options, says in ((["--memory", "5M"], "--scratch DIR"), (["--scratch", "."], "--memory SIZE"),
                          (["--memory", "5X", "--scratch", "."], "--memory must be"),
                          (["--memory", "1M", "--scratch", "."], "at least"),
                          ([*STREAM, "--engine", "stepwise"], "--engine torre"),
                          ([*STREAM, "--boundary", "x=periodic"], "periodic faces along x"),
                          ([*STREAM, "--survey", "shots.csv"], "not to --survey")):
        run = [o for o in RUN if o != "--boundary" and "absorbing" not in o and o != "8"]
        told = wave(*run, *options, code=2)
        assert says in told, f"{options}: {told}"
    assert os.listdir(".") == ["velocity.npy"], os.listdir(".")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        globals()["test_" + sys.argv[2]]()
