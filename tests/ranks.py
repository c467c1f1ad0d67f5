#!/usr/bin/env python3
"""Runs of `wave` by several ranks of MPI: ranks.py WAVE TEST, where TEST is a function below (test_...). Results are
compared byte by byte with those of one process. 77, skipped, where there is no mpirun."""
import array
import json
import os
import random
import signal
import sys
import time

import mpirun

FACES = ["--boundary", "absorbing,z-=free,y=rigid", "--absorbing-width", "8"]
SIZE = ["--size", "230x30x48"]
RUN = ["--order", "4", "--dt", "1e-3", "--steps", "60", *FACES, "--receivers", "100,100,100:2200.5,200,190:7"]
PLANES = ["--snapshot-every", "25", "--snapshot-format", "npy"]
FILES = ["--traces", "t.npy", "--field", "u.npy"]
LONG = ["--size", "400x64x64", "--order", "4", "--steps", "20000000", "--snapshot-every", "0", "--field", "u.npy",
        "--traces", "t.npy", "--receivers", "100,100,100"]


MODELS = ("velocity.npy", "density.npy")

program = mpirun.Program(sys.argv[1], MODELS)
start, wave, lines = program.start, program.run, program.lines
results, anew, alike = program.results, program.anew, program.alike


def save_layers(name, size):
    layers = array.array("f")
    for _ in range(size[0] * size[1]):
        layers.extend([2000.0] * (size[2] // 2) + [2500.0] * (size[2] - size[2] // 2))
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }" % tuple(size)
    header += " " * (117 - len(header)) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + layers.tobytes())


def some_run(order, rng):
    """Options of some run at that order, and ranks for it."""
    ranks, dts = rng.choice((2, 3, 4)), rng.choice((1, 2))
    height = rng.choice((None, 1, 3, 6))
    half = order // 2
    least = half * (height or 4) + 2 * dts * half + half
    absorbing, width = rng.choice(("sponge", "pml", "pml", "cpml")), rng.randint(2, 5)
    room = 0 if absorbing == "sponge" else 2 * (width + half + 1) + 1  # for two layers
    size = [ranks * (least + rng.randint(1, 40)), max(room, rng.randint(12, 20)), max(room, rng.randint(18, 24))]
    boundary = ",".join(face + "=" + rng.choice(("free", "rigid", "absorbing")) for face in ("x-", "x+", "z-"))
    boundary += ",z+=absorbing,y=" + rng.choice(("free", "rigid", "absorbing"))
    if size[1] % (order * dts) == 0 and rng.random() < 0.7:
        boundary = boundary.rsplit("=", 1)[0] + "=periodic"
    sinc = rng.random() < 0.5  # which does not reach over rigid faces
    at = [5 * (n - 1) + 3.3 for n in size]
    line = f"0,0,0:{10 * (size[0] - 1)},{10 * (size[1] - 1)},{10 * (size[2] - 1)}:9"
    nodes = ";".join(f"{10 * int(i * (size[0] - 1) / 8)},20,{30 + 10 * (i % 2)}" for i in range(9))
    options = ["--size", "x".join(map(str, size)), "--order", str(order), "--dts", str(dts), "--courant", "0.4",
               "--boundary", boundary, "--absorbing", absorbing, "--absorbing-width", str(width),
               "--precision", rng.choice(("f32", "f64")), "--steps", str(rng.randint(10, 50)),
               "--threads", rng.choice(("1", "2")), "--interpolation", "sinc" if sinc else "trilinear",
               "--source", f"{at[0]},{at[1]},{at[2]};10,20,30" + ("" if sinc else ";7.7,8,9"),
               "--receivers", (nodes if sinc else line) + f";{at[0] - 40},{at[1]},{at[2]}",
               *FILES, "--snapshot-every", "17", "--snapshot-format", "npy"]
    if height:
        options += ["--tower-height", str(height)]
    if rng.random() < 0.5:
        save_layers(MODELS[0], size)
        options += ["--velocity", MODELS[0]]
    if rng.random() < 0.4:
        save_layers(MODELS[1], size)
        options += ["--density", MODELS[1]]
    if rng.random() < 0.4:
        options += ["--initial", "noise"]
    return ranks, options


def bits(orders):
    rng = random.Random(24)
    for order in orders:
        for _ in range(6):
            ranks, options = some_run(order, rng)
            program.messages = rng.random() < 0.5
            told = alike(ranks, *options)
            assert told["ranks"] == ranks and len(told["link_wait_s"]) == ranks, told
            assert (told["linked_bytes"] > 0) == program.messages, told


def test_bits_low():
    bits((2, 4, 6))


def test_bits_high():
    bits((8, 10, 12))


def test_axes():
    """Where towers slide along another axis than x, and in two dimensions."""
    told = alike(2, *RUN[:6], *PLANES, *FILES, "--size", "230x300x12", "--receivers", "100,100,10:2200.5,200,90:7")
    assert told["ranks"] == 2 and told["axes"] == "xzy", told
    told = alike(3, *RUN[:6], *PLANES, *FILES, "--size", "300x60", "--receivers", "0,0:2990,590:11")
    assert told["ranks"] == 3, told


def test_results():
    """All kinds of files, and a checkpoint that goes on with any number of ranks."""
    options = [*SIZE, *RUN, "--traces", "t.npy,t.su", "--field", "u.npy", "--snapshot-plane", "yz@3", "--snapshot-every", "20"]
    for program.messages, transport in ((True, "MPI, through buffers on the host"), (False, "memory in common")):
        told = alike(3, *options)
        assert told["ranks"] == 3 and told["transport"] == transport, told
        assert told.get("transport_why", "").startswith("memory in common") == program.messages, told
    expected = results()
    for first, then in ((2, 1), (1, 3), (3, 2)):
        program.messages = not program.messages
        anew()
        wave(first, *options, "--checkpoint", "c.state", "--checkpoint-every", "40")
        there = results()
        assert there == expected, [n for n in {*there, *expected} if there.get(n) != expected.get(n)]
        anew()
        wave(then, *options, "--resume", "c.state")
        there = results()  # snapshots of steps after the checkpoint alone
        assert all(there[n] == expected[n] for n in there) and "u.npy" in there, f"{first} ranks, then {then}"


def test_killed():
    """A rank that dies is told by its number; nothing hangs, and nothing is left half-written."""
    for rank, program.messages in ((1, False), (2, True), (0, False), (0, True)):
        process = start(3, *LONG)
        os.kill(mpirun.process_of(process, rank), signal.SIGKILL)
        told = process.communicate(timeout=60)[1]
        assert process.returncode != 0 and lines(told) == [f"wave: rank {rank} has died"], told
        if rank:
            assert os.listdir(".") == [], os.listdir(".")
        else:  # nobody is left to remove what it had begun
            for name in os.listdir("."):
                assert name.endswith(".part"), os.listdir(".")
                os.remove(name)


def test_silent():
    """A rank that neither dies nor says anything."""
    for program.messages in (True, False):
        process = start(3, *LONG, limit=5)
        stopped = mpirun.process_of(process, 2)
        os.kill(stopped, signal.SIGSTOP)
        told = process.communicate(timeout=60)[1]
        assert process.returncode == 4 and lines(told) == ["wave: rank 2 has said nothing for 5 s"], told
        assert os.listdir(".") == [], os.listdir(".")


def test_paused():
    """Ranks that were all stopped for longer than the limit go on as if nothing had been."""
    process = start(2, *LONG, limit=2)
    ranks = [mpirun.process_of(process, rank) for rank in (0, 1)]
    for code in (signal.SIGSTOP, signal.SIGCONT):
        for rank in ranks:
            os.kill(rank, code)
        time.sleep(5 if code == signal.SIGSTOP else 1)
    os.kill(ranks[0], signal.SIGTERM)
    told = process.communicate(timeout=120)[1]
    assert process.returncode == 75 and lines(told)[0].startswith("wave: stopped by SIGTERM after step"), told


def test_stops():
    """A signal to rank 0, or the end of the time, leaves complete results up to there."""
    process = start(3, *LONG)
    os.kill(mpirun.process_of(process, 0), signal.SIGTERM)
    told = process.communicate(timeout=120)[1]
    assert process.returncode == 75 and lines(told)[0].startswith("wave: stopped by SIGTERM after step"), told
    assert sorted(os.listdir(".")) == ["t.npy", "u.npy"], os.listdir(".")


def test_unstable():
    told = wave(2, *SIZE, *RUN[:2], "--dt", "2e-2", "--force", "--steps", "400", code=5)
    assert len(lines(told)) >= 1 and "the field is not finite at cell" in lines(told)[-1], told


def test_refused():
    program.messages = True
    for options, code, says in ((["--engine", "stepwise"], 2, "--engine torre alone"),
                                (["--boundary", "x=periodic"], 2, "periodic faces along x"),
                                (["--tower-height", "100"], 2, "--tower-height 100 need"),
                                (["--memory", "1M", "--scratch", "."], 2, "--memory"),
                                (["--size", "20x30x48"], 2, "take fewer ranks"),
                                (["--velocity", "missing.npy"], 3, "missing.npy"),
                                (["--density", "missing.npy"], 3, "missing.npy"),
                                (["--field", "missing/u.npy"], 3, "missing/u.npy")):
        size = [] if "--size" in options else SIZE
        told = lines(wave(2, *size, *RUN[:6], *options, code=code))
        assert len(told) == 1 and says in told[0], f"{options}: {told}"
    assert os.listdir(".") == [], os.listdir(".")


def test_dry_run():
    program.messages = True
    wave(3, *SIZE, *RUN, "--absorbing", "sponge", "--traces", "t.npy", "--dry-run", "--json", "report.json")
    with open("report.json") as f:
        told = json.load(f)
    assert told["ranks"] == 3 and told["linked_bytes_a_pass"] == 4 * (2 * told["overlap_planes"] - 2) * 30 * 48 * 4, told
    assert os.listdir(".") == ["report.json"], os.listdir(".")
    process = start(2, *SIZE, *RUN[:6], "--dry-run", quiet=False)
    told = process.communicate(timeout=120)[0]
    assert "if all 2 ranks are as fast" in told and "carries" in told, told
    program.messages = False
    told = start(2, *SIZE, *RUN[:6], "--dry-run", quiet=False).communicate(timeout=120)[0]
    assert "with memory in common" in told and "carries" not in told, told


if __name__ == "__main__":
    mpirun.main(globals())
