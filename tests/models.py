#!/usr/bin/env python3
"""Velocity models of `wave` in files of several formats: the same model gives the same bits. models.py WAVE"""
import os
import struct
import subprocess
import sys
import tempfile

WAVE = os.path.abspath(sys.argv[1])
NX, NY, NZ = 24, 22, 20
RUN = ["--steps", "30", "--order", "4", "--backend", "cpu", "--quiet", "--snapshot-every", "0"]


def wave(*options, code=0):
    done = subprocess.run([WAVE, *RUN, *options], capture_output=True, text=True)
    assert done.returncode == code, f"{options}: exit code {done.returncode}, not {code}: {done.stderr}"
    return done.stderr


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, *pieces):
    with open(path, "wb") as f:
        f.write(b"".join(pieces))


def speed(x, y, z):
    return 1500 + 20 * z + 3 * x + y


def main():
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({NX}, {NY}, {NZ}), }}"
    head += " " * (-(11 + len(head)) % 64) + "\n"
    speeds = [speed(x, y, z) for x in range(NX) for y in range(NY) for z in range(NZ)]
    turned = [speed(x, y, z) for z in range(NZ) for y in range(NY) for x in range(NX)]
    count = len(speeds)
    write("v.npy", b"\x93NUMPY\x01\x00", struct.pack("<H", len(head)), head.encode(), struct.pack(f"<{count}f", *speeds))
    write("v.bin", struct.pack(f"<{count}f", *speeds))
    write("turned.bin", struct.pack(f">{count}d", *turned))
    rows = [struct.pack(">188x2i18x2h120x", 5 + x, 9 + y, NZ, 1000)[:240] +
            struct.pack(f">{NZ}f", *speeds[(x * NY + y) * NZ:(x * NY + y + 1) * NZ]) for x in range(NX) for y in range(NY)]
    write("v.sgy", bytes(3220), struct.pack(">h2xh", NZ, 5), bytes(3600 - 3226), *rows)
    wave("--velocity", "v.npy", "--field", "u.npy")
    size = ["--size", f"{NX}x{NY}x{NZ}"]
    for options in (["v.bin:f32le", *size], ["turned.bin:f64be", "--axes", "zyx", *size], ["v.sgy"]):
        wave("--velocity", *options, "--field", "v.npy.field.npy")
        assert read("v.npy.field.npy") == read("u.npy"), options
    made = subprocess.run([WAVE, "--backend", "cpu", "--quiet", *size, "--initial", "v.npy", "--steps", "0", "--field", "v.h5",
                           "--snapshot-every", "0"], capture_output=True, text=True)
    if made.returncode == 0:  # ... and HDF5, whose fields have frames in front and x fastest
        wave("--velocity", "v.h5:/VTKHDF/PointData/u", "--axes", "zyx", "--field", "v.npy.field.npy")
        assert read("v.npy.field.npy") == read("u.npy")
    else:
        assert "HDF5" in made.stderr, made.stderr
    for code, options, text in (
            (3, ["--velocity", "v.bin:f32le"], "v.bin has 42240 bytes, a grid of 6912000 cells in f32le needs 27648000"),
            (2, ["--axes", "zyx"], "--axes belongs to a file of --velocity or --density"),
            (2, ["--velocity", "v.npy", "--axes", "zy"], "--axes of a file of 3 axes must be the letters of xyz"),
            (2, ["--velocity", "v.bin"], "--velocity must be a number of m/s above 0 or a file: FILE.npy, "
                                         "FILE.h5:/ARRAY, FILE.sgy or FILE:f32le (got v.bin)"),
            (2, ["--velocity", "v.bin:f32le", *size, "--json", "./v.bin"], "--json would write over v.bin, which"),
            (2, ["--velocity", "v.npy", "--size", "2x3x4"], "--size 2x3x4 does not match v.npy")):
        told = wave(*options, code=code)
        assert text in told and told.count("\n") == 1, (options, told)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
