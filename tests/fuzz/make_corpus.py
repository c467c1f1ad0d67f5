#!/usr/bin/python3
"""Write the inputs that the fuzz targets start from: make_corpus.py FOLDER."""
import gzip
import os
import struct
import sys


def npy(shape, values, descr="<f4", order=False, version=1):
    """A .npy file."""
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    header += " " * (63 - (10 + 2 * (version > 1) + len(header)) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    kind = descr[0].replace("=", "<") + ("f" if descr[-1] == "4" else "d")
    return (b"\x93NUMPY" + bytes([version, 0]) + length + header.encode()
            + b"".join(struct.pack(kind, v) for v in values))


LAMMPS = """LAMMPS data file

3 atoms
1 atom types

0 4 xlo xhi
-1 3 ylo yhi
0 4.5 zlo zhi

Masses

1 1.5

Pair Coeffs # lj/cut

1 1 1

Atoms # atomic

1 1 0.5 0.5 0.5 0 0 0
3 1 1.5 2.5 3.5
2 1 2.5 0.25 1e-1

Velocities

2 0.1 0.2 -0.3
1 0 0 0
3 1 1 1
"""
XYZ = """2
Lattice="4 0 0 0 4 0 0 0 5" Properties=id:I:1:species:S:1:pos:R:3:velo:R:3 Time=0.5 pbc="T T T"
1 Ar 0.5 1 2 0 0 0.25
2 Ar 3.5 1 2 0 -1 0.25
"""
DUMP = """ITEM: TIMESTEP
10
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS pp pp pp
0 4
0 4
-1 3
ITEM: ATOMS id type x y z vx vy vz
1 1 0.5 0.5 0.5 0 0 0
2 1 2.5 2.5 -0.5 1 0 0
"""
TUNE = """version,order,precision,dts,tower_height,gcells_per_s,device
0.1.0,4,f32,3,32,6.25,some CPU
0.1.0,2,f64,8,16,2.5,2 x CPU, of a kind (avx512)
"""
MEASURED = """order,engine,dts,tower_height,ordering,bytes_per_update
4,torre,2,0,row-major,3.5
"""
SWEEP = """# torre 0, some CPU, no uuid
# size 16x16x16, f32, constant velocity
# rates are medians; modelled bytes are of main memory and come from the engine's design
order,engine,dts,tower_height,ordering,precision,state,gcells_per_s,low,high,seconds,repetitions,\
steps,modelled_bytes_per_update,measured_bytes_per_update,operations_per_update,\
operations_per_byte,governing_ceiling,bound_gcells_per_s,fraction,check_difference,check_allowed,\
same_bits,remark
4,torre,2,32,row-major,f32,timed,1.5,1.4,1.6,0.1,3,64,8,0,21,2.6,dram_mix,2,0.75,1e-7,2e-6,1,
2,stepwise,0,0,row-major,f32,refused,0,0,0,0,0,0,12,0,15,1.2,dram_mix,1,0,0,0,-1,not here
"""
OPTIONS = [
    "wave --size 24x20x16 --spacing 5,7.5,6 --order 8 --boundary absorbing,z-=free --dts auto",
    "wave --velocity 1500 --dt 1e-3 --courant auto --snapshot-every end --traces a.npy,b.sgy --json -",
    "md --cells 5x5x5 --density 0.8442 --neighbor half --rebuild-every auto --ordering hilbert",
    "md --model granular --size 8,8 --walls --gravity 9.81 --restitution 0.8 --dump-every=5",
    "md --model mps --dimensions 2 --spacing 0.02 --tank 0.4,0.4 --gauges 0.1,0 --side-walls",
    "locality curve --ordering hilbert:kji --size 8x8 --csv - --plot a.png",
    "locality cache --block 8 --capacity 1,2,4 --stencil spherical --reach 2 --half",
    "locality hits --gas elastic --steps 100 --filling 0.3 --size 8x8",
    "locality offsets --within 9,99 --exact",
    "locality recommend --cache 48K --bin-bytes 128 --tolerance 3",
    "roofline --quick --order 2,8 --dts 2,4 --seconds 1 --program md --no-plot",
    "doctor --backend cpu --threads 2 --device 0 --quiet -- --json",
]
POINTS = ["10,20,30", "x,y,z,amplitude\n1,2,3,-1\n4,5,6 # last\n", "0,0,0:9,0,0:5;1,2,3,0.5", "\ufeff1, 2, 3\r\n"]
SEGY = struct.pack("<7d4B16f", 1e-3, 10, 20, 5, 100, 200, 5, 0, 0, 3, 15, *range(16))


def traces(numbers, samples=3, head=True):
    """SEG-Y behind its text, or SU: traces of these in-line and cross-line numbers."""
    data = struct.pack(">16xhxxhxxh374x", 1000, samples, 5) if head else b""
    for at, (iline, xline) in enumerate(numbers):
        data += struct.pack(">i110xhh70xii44x", at + 1, samples, 1000, iline, xline)
        data += struct.pack(f">{samples}f", *(1500 + at + z for z in range(samples)))
    return data


VOLUME = [(5 + x, 7 + y) for x in range(3) for y in range(2)]


def packed(text):
    """The text as gzip, the same bytes every time."""
    return gzip.compress(text.encode(), mtime=0)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xffffffff)


def state(chunks):
    """A checkpoint of these chunks, (name, bytes) each."""
    data = b"TORRE STATE 001\n"
    for name, content in (*chunks, (b"end", struct.pack("<q", len(chunks)))):
        name, size = name.ljust(20, b"\0"), struct.pack("<q", len(content))
        data += name + crc32c(name + size) + size + content + crc32c(content)
    return data


CONFIG = ['# all\norder = 8\n dt=0.5ms # half\nfield = "u #3 \\" \\\\ \\n.npy" # quoted\r\nquiet = yes\nempty =\n',
          '{"program": "wave", "list": [1, -2e3, {"a": null}, [true]],\n "config": {"order": "8",\n '
          '"field": "\\u0041\\u00e9\\u20ac\\n"}}\n', '\ufefforder = "8\n', "order 8\n", '{"config": {}}']

CORPUS = {
    "npy": [npy((2, 3), range(6)), npy((4,), range(4), ">f8"), npy((2, 2, 2), range(8), "=f4", True),
            npy((1, 2), range(2), "<f8", version=2)],
    "points": [p.encode() for p in POINTS],
    "wavelet": [b"0\n1 # peak\n-0.5e-1\n\n", npy((3,), (0, 1, -1)), npy((2,), (0, 1), "<f8")],
    "text": [LAMMPS.encode(), packed(XYZ), packed("a b # c\r\n\td\n"), packed(LAMMPS)[:-6]],
    "particles": [LAMMPS.encode(), XYZ.encode(), DUMP.encode(), packed(XYZ), XYZ.encode() * 2,
                  XYZ.replace("velo", "momenta").encode()],
    "tune": [TUNE.encode(), b"garbage\n\0\n", b""],
    "sweep_csv": [SWEEP.encode(), MEASURED.encode()],
    "segy": [SEGY, b"\0\0\0\0\0\0\0\0" + SEGY[8:], SEGY[:56] + b"\1\1" + SEGY[58:]],
    "models": [b"\0\0\1\0\1" + struct.pack("<4f", *range(4)), b"\1\x0d\1\2\0" + struct.pack(">6f", *range(6)),
               b"\2\2\1\0\0" + struct.pack("<2d", 1, 2), b"\3\0\0\0\0" + struct.pack(">d", 1),
               b"\4\0\0\0\0" + traces(VOLUME), b"\4\3\0\0\0" + traces([(y, x) for x, y in VOLUME]),
               b"\4\4\0\0\0" + traces([(0, 0)] * 4), b"\4\0\0\0\0" + traces(VOLUME[:-1]),
               b"\5\0\0\0\0" + traces(VOLUME), b"\6\0\0\0\0" + traces(VOLUME, head=False)],
    "checkpoint": [state(()), state(((b"text", b"words"), (b"nothing", b""))), state(((b"text", b"w"),))[:-1],
                   state(((b"u" * 20, b"12"),))],
    "config": [text.encode() for text in CONFIG],
    "options": [line.replace(" ", "\n").encode() for line in OPTIONS],
}


def main():
    """Write all of them."""
    for target, inputs in CORPUS.items():
        folder = os.path.join(sys.argv[1], target)
        os.makedirs(folder, exist_ok=True)
        for number, data in enumerate(inputs):
            with open(os.path.join(folder, f"{number:02}"), "wb") as f:
                f.write(data)


if __name__ == "__main__":
    main()
