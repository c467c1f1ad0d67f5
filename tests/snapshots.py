#!/usr/bin/env python3
"""Snapshots of `wave` in files that --snapshot names, against its --field: snapshots.py WAVE TEST, a function below."""
import os
import struct
import subprocess
import sys
import tempfile

WAVE = os.path.abspath(sys.argv[1])
SIZE = (30, 26, 22)
GRID = ["--size", "30x26x22", "--dt", "1e-3", "--steps", "40", "--order", "4", "--backend", "cpu", "--quiet"]
PLANE = ["--size", "30x22", "--dt", "1e-3", "--steps", "40", "--order", "4", "--backend", "cpu", "--quiet"]


def wave(*options, code=0):
    done = subprocess.run([WAVE, *options], capture_output=True, text=True)
    assert done.returncode == code, f"{options}: exit code {done.returncode}, not {code}: {done.stderr}"
    return done.stderr


def npy(path):
    """Shape and values of an f32 array."""
    with open(path, "rb") as f:
        data = f.read()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    shape = eval(data[10:start].decode())["shape"]
    return shape, struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


def cells(field, frames, ranges):
    """Of a field of shape (frames, nx, ny, nz) those cells, x, y and z out of ranges."""
    _, nx, ny, nz = field[0]
    xs, ys, zs = ranges
    return [field[1][((f * nx + x) * ny + y) * nz + z] for f in range(frames) for x in xs for y in ys for z in zs]


def test_several():
    """A volume, planes and pictures at once, whole and with every so manieth cell."""
    wave(*GRID, "--field", "u.npy", "--field-every", "8", "--snapshot-every", "0")
    u = npy("u.npy")
    assert u[0] == (6, *SIZE) and any(u[1])
    for stride, words in (((1, 1, 1), []), ((3, 3, 3), ["--snapshot-stride", "3"]),
                          ((2, 1, 5), ["--snapshot-stride", "2x1x5"])):
        wave(*GRID, "--snapshot-every", "8", "--snapshot", "v.npy,volume", "--snapshot", "planes.npy,xz@3;yz.npy,yz",
             "--snapshot=pictures/u_{step}.png", "--snapshot", "each/{step}.npy,xy@21", *words)
        x, y, z = (range(0, n, s) for n, s in zip(SIZE, stride))
        for name, wanted in (("v.npy", (x, y, z)), ("planes.npy", (x, [3], z)), ("yz.npy", ([14], y, z))):
            shape, values = npy(name)
            assert shape == (6, *(len(r) for r in wanted if len(r) > 1)), (name, shape)
            assert list(values) == cells(u, 6, wanted), (name, stride)
        steps = [f"{n:06d}" for n in range(8, 41, 8)]
        assert sorted(os.listdir("pictures")) == [f"u_{n}.png" for n in steps]
        assert sorted(os.listdir("each")) == [f"{n}.npy" for n in steps]
        for i, n in enumerate(steps):
            frame = (u[0], u[1][(i + 1) * len(u[1]) // 6:])
            assert list(npy(f"each/{n}.npy")[1]) == cells(frame, 1, (x, y, [21]))


def test_end():
    """Without --snapshot-every there is one, of the last step, under the name that was given."""
    wave(*PLANE, "--field", "u.npy", "--snapshot", "p.npy", "--snapshot", "p.png", "--snapshot-stride", "2x3")
    shape, values = npy("u.npy")
    thin = npy("p.npy")
    assert thin[0] == (15, 8)
    assert list(thin[1]) == [values[x * 22 + z] for x in range(0, 30, 2) for z in range(0, 22, 3)]
    assert sorted(os.listdir(".")) == ["p.npy", "p.png", "u.npy"]


def test_refused():
    """What cannot be is refused before anything is written."""
    for options, text in (
            (["--snapshot", "u.png", "--snapshot-every", "9"], "--snapshot u.png would hold one step alone: put {step} "
                                                               "in its name"),
            (["--snapshot", "u_{step}.png,volume"], "--snapshot must be a file that ends in .npy"),
            (["--snapshot", "u.npy,zx"], "--snapshot must be xy, xz or yz, alone or with @INDEX, or volume (got zx)"),
            (["--snapshot", "u.npy,xz@99"], "--snapshot xz@INDEX must have an INDEX from 0 to 25"),
            (["--snapshot", "u.jpg"], "--snapshot must be a file that ends in"),
            (["--snapshot", "u.npy;;v.npy"], "--snapshot must be 1 to 8 files"),
            (["--snapshot", "u.npy", "--snapshot", "./u.npy"], "--snapshot and --snapshot both write ./u.npy"),
            (["--snapshot", "u.npy", "--field", "u.npy"], "--field and --snapshot both write u.npy"),
            (["--snapshot", "u.npy", "--snapshot-every", "0"], "--snapshot belongs to pictures"),
            (["--snapshot", "u.npy", "--output", "d"], "--output belongs to snapshots that --snapshot does not name"),
            (["--snapshot", "u.npy", "--snapshot-scale", "2"], "--snapshot-scale belongs to pictures, and --snapshot"),
            (["--snapshot-plane", "volume"], ".png files do not hold fields"),
            (["--snapshot-stride", "31"], "--snapshot-stride along x must be 1 to 30"),
            (["--snapshot-stride", "2x2"], "--snapshot-stride in 3 dimensions must be"),
            (["--snapshot", "u.npy", "--survey", "s.csv"], "--snapshot belongs to a run of one shot")):
        told = wave(*GRID, *options, code=2)
        assert text in told and told.count("\n") == 1, (options, told)
        assert not os.listdir("."), options
    os.mkdir("inputs")
    wave(*GRID, "--field", "inputs/u_000009.npy", "--snapshot-every", "0")
    told = wave(*GRID, "--initial", "inputs/u_000009.npy", "--snapshot", "inputs/u_{step}.npy,volume",
                "--snapshot-every", "3", code=2)
    assert "a snapshot would be written over inputs/u_000009.npy" in told, told


def test_resume():
    """A run that goes on from a checkpoint has the frames of one that nothing stopped."""
    snapshots = ["--snapshot-every", "8", "--snapshot", "v.npy,volume", "--snapshot", "p.npy,xz@3", "--snapshot",
                 "u_{step}.png"]
    wave(*GRID, *snapshots)
    calm = {name: open(name, "rb").read() for name in os.listdir(".")}
    for name in calm:
        os.remove(name)
    wave(*GRID, *snapshots, "--checkpoint", "c.state", "--checkpoint-every", "13")
    for state in ("c.state", "c.state.1"):
        wave(*GRID, *snapshots, "--resume", state)
        for name in ("v.npy", "p.npy"):
            assert open(name, "rb").read() == calm[name], (state, name)
    told = wave(*GRID, "--snapshot-every", "8", "--snapshot", "v.npy,volume", "--resume", "c.state", code=3)
    assert "another snapshots" in told, told
    told = wave(*GRID, "--snapshot-every", "8", "--snapshot", "v.h5,volume", "--checkpoint", "d.state", code=2)
    assert "v.h5: " in told or "HDF5 is not in this build" in told, told


def test_gpu():
    """Frames that towers record as they pass have the bits of those at which each step stops (exit code 77: no GPU)."""
    if subprocess.run([WAVE, "--backend", "cuda", "--dry-run", "--quiet"], capture_output=True, check=False).returncode:
        sys.exit(77)
    grid = ["--size", "100x90x80", "--steps", "133", "--backend", "cuda", "--quiet", "--snapshot-every", "7"]
    for order in ("2", "4", "8"):
        if subprocess.run([WAVE, *grid, "--order", order, "--engine", "torre", "--dry-run"], capture_output=True,
                          check=False).returncode:
            continue  # not in this build
        for more in ([], ["--receivers", "100,100,100:800,700,600:20", "--traces", "t.npy"], ["--field-every", "21"],
                     ["--checkpoint", "c.state", "--checkpoint-every", "20"]):
            files = {}
            for engine in ("torre", "stepwise"):
                wave(*grid, "--order", order, "--engine", engine, "--snapshot", "a.npy,xz;b.npy,yz@30",
                     "--snapshot", "each_{step}.npy,xz", "--field", "u.npy", *more)
                files[engine] = {n: open(n, "rb").read() for n in os.listdir(".") if n.endswith(".npy")}
            assert len(files["torre"]) > 20 and files["torre"] == files["stepwise"], (order, more)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        globals()["test_" + sys.argv[2]]()
