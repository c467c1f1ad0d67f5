#!/usr/bin/env python3
"""Surveys of `wave`: survey.py WAVE TEST, where TEST is one of the functions below (test_...), with its arguments:
`survey.py build/wave kills 200 50` kills a survey of 200 shots 50 times.

Results are compared byte by byte with those of single shots, or of a survey that nothing disturbed."""
import glob
import hashlib
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import readers  # noqa: E402

WAVE = os.path.abspath(sys.argv[1])
MODEL = ["--size", "40x38x30", "--steps", "60", "--order", "4"]
LINE = "10,10,10:300,300,10:7"
SHOTS = """shot,x,y,z,amplitude,delay,receivers   # a comment
1,100,100,50,,,
2,150,120,50,2,,
a3,200,123.4,60,1,,"rel:-50,0,0:50,0,0:5"
b,210,130,60,,,"10,20,30;40,50,60;1,2,3"
"""


def wave(*options, code=0):
    done = subprocess.run([WAVE, *options, "--backend", "cpu", "--quiet"], capture_output=True, text=True)
    assert done.returncode == code, f"{options}: exit code {done.returncode}, not {code}: {done.stderr}"
    return done.stderr


def survey(traces, *options, code=0, file="s.csv", model=MODEL):
    return wave(*model, "--survey", file, "--receivers", LINE, "--traces", traces, *options, code=code)


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def npy(path):
    """Rows of an f32 array of two axes."""
    data = read(path)
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    shape = eval(data[10:start].decode())["shape"]
    values = struct.unpack(f"<{shape[0] * shape[1]}f", data[start:])
    return [values[r * shape[1]:(r + 1) * shape[1]] for r in range(shape[0])]


def states(path):
    return {line["shot"]: line["state"] for line in map(json.loads, open(path)) if "shot" in line}


def test_bits():
    """A shot of a survey has the bits of the same shot alone: every engine, groups of threads or not."""
    write("s.csv", SHOTS)
    alone = {"1": "100,100,50", "2": "150,120,50,2", "a3": "200,123.4,60", "b": "210,130,60"}
    receivers = {"1": LINE, "2": LINE, "a3": "150,123.4,60:250,123.4,60:5", "b": "10,20,30;40,50,60;1,2,3"}
    for engine in ("torre", "stepwise", "reference"):
        for shot in alone:
            wave(*MODEL, "--engine", engine, "--source", alone[shot], "--receivers", receivers[shot],
                 "--traces", f"{shot}.npy", "--snapshot-every", "0")
        for at_once in ("1", "2"):
            survey(f"{engine}{at_once}/{{shot}}.npy", "--engine", engine, "--shots-at-once", at_once,
                   "--threads", "2")
            for shot in alone:
                assert read(f"{engine}{at_once}/{shot}.npy") == read(f"{shot}.npy"), (engine, at_once, shot)


def test_components():
    """Forces and receivers of particle velocity: the bits of the same shot alone."""
    write("s.csv", "shot,x,y,z,component,receivers\n1,100,120,50,x,\"200,200,100,z;150,150,80\"\n"
                   "2,100,120,50,p,\"100,200,100:200,200,100:3:x\"\n3,100,120,50,,\n4,100,120,50,z,\n")
    model = [*MODEL, "--interpolation", "sinc", "--density", "1000"]
    survey("{shot}.npy", model=model)
    for shot, source, receivers in (("1", "100,120,50,1,x", "200,200,100,z;150,150,80"),
                                    ("2", "100,120,50", "100,200,100:200,200,100:3:x"),
                                    ("3", "100,120,50", LINE), ("4", "100,120,50,z", LINE)):
        wave(*model, "--source", source, "--receivers", receivers, "--traces", "alone.npy", "--snapshot-every", "0")
        assert read("alone.npy") == read(f"{shot}.npy"), shot
    assert read("3.npy") != read("4.npy")
    # the component of a shot is part of what was done
    write("s.csv", read("s.csv").decode().replace("4,100,120,50,z", "4,100,120,50,y"))
    told = survey("{shot}.npy", model=model, code=3)
    assert "component" in told and told.count("\n") == 1, told


def test_delays():
    """A delay of k steps moves the traces by k samples; a wavelet of a file by whole steps alone."""
    dt = 1e-3
    write("w.txt", "\n".join(str(n % 7 - 3) for n in range(20)))
    write("s.csv", "shot,x,y,z,delay,wavelet\nearly,100,100,50,,w.txt\nlate,100,100,50,0.011,w.txt\n"
                   "ricker,100,100,50,,\ndelayed,100,100,50,0.011,\n")
    survey("{shot}.npy", "--dt", str(dt), "--frequency", "30", "--time-dispersion", "leave")
    for first, second, exact in (("early", "late", True), ("ricker", "delayed", False)):
        for a, b in zip(npy(f"{first}.npy"), npy(f"{second}.npy")):
            top = max(map(abs, a))
            assert top > 0
            # a delayed Ricker wavelet is sampled at (n dt - delay), whose rounding, some 1e-16 s, times the
            # largest slope of the wavelet, below (pi f)^2 2.2 / f of its peak, is far below that of f32
            assert all(abs(x - y) <= (0 if exact else 1e-5 * top) for x, y in zip(a, b[11:]))
            assert not any(b[:11])
    write("s.csv", "shot,x,y,z,delay,wavelet\nodd,100,100,50,0.0115,w.txt\n")
    text = survey("{shot}.npy", "--dt", str(dt), code=3)
    assert "s.csv:2: column delay must be whole time steps of 0.001 s" in text, text


def test_aperture():
    """The model around a shot gives the traces of the whole model until waves come back from the cut."""
    write("s.csv", "shot,x,y,z\n1,500,520,60\n2,700,510,60\n3,900,500,60\n")
    model = ["--size", "151x101x40", "--order", "2", "--spacing", "10", "--steps", "110",
             "--time-dispersion", "leave"]  # causal
    options = dict(model=model)
    survey("whole/{shot}.npy", **options)
    survey("all/{shot}.npy", "--aperture", "1e9", **options)
    wide, near = 300, "rel:-50,0,0:50,0,0:5"
    for name, aperture in (("cut", ["--aperture", f"{wide},250"]), ("whole_near", [])):
        wave(*model, "--survey", "s.csv", "--receivers", near, "--traces", f"{name}/{{shot}}.npy",
             "--absorbing-width", "10", "--boundary", "free,z+=absorbing", *aperture)
    for shot in "123":
        assert read(f"whole/{shot}.npy") == read(f"all/{shot}.npy"), "an aperture beyond the model"
        # at order 2 values travel a cell a step: 25 cells to the layer along y, 20 more back to the nearest
        for a, b in zip(npy(f"cut/{shot}.npy"), npy(f"whole_near/{shot}.npy")):
            assert a[:50] == b[:50] and any(a[:50]), shot
    differs = any(a != b for a, b in zip(npy("cut/1.npy"), npy("whole_near/1.npy")))
    assert differs, "nothing was cut"
    survey("thin/{shot}.npy", "--aperture", "100", "--absorbing-width", "10", **options)
    # density is cut, too, and scaled anew, which rounds otherwise
    rho = b"".join(struct.pack("<f", 1000 + 900 * (z > 12) + x) for x in range(151) for z in range(40))
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (151, 40), }"
    header += b" " * (127 - 10 - len(header)) + b"\n"
    with open("density.npy", "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + rho)
    for name, aperture in (("dense_cut", ["--aperture", f"{wide},250"]), ("dense", [])):
        wave(*model, "--survey", "s.csv", "--receivers", near, "--traces", f"{name}/{{shot}}.npy", "--absorbing-width",
             "10", "--boundary", "free,z+=absorbing", "--density", "density.npy", "--dt", "1.5e-3", *aperture)
    for shot in "123":
        for a, b in zip(npy(f"dense_cut/{shot}.npy"), npy(f"dense/{shot}.npy")):
            top = max(map(abs, b[:50]))
            assert top > 0 and all(abs(x - y) < 1e-5 * top for x, y in zip(a[:50], b[:50])), shot
        assert read(f"dense/{shot}.npy") != read(f"whole_near/{shot}.npy"), "density makes no difference"
    text = survey("p/{shot}.npy", "--aperture", "100", "--boundary", "x=periodic", code=2, **options)
    assert "--aperture cuts the model, which has no ends along x" in text, text


def test_resume():
    """What is missing is done; another model or geometry is refused; failed shots stop no others."""
    write("s.csv", SHOTS)
    survey("{shot}.npy")
    before = {path: os.stat(path).st_mtime_ns for path in glob.glob("*.npy")}
    os.remove("2.npy")
    survey("{shot}.npy")
    for path in before:
        assert (os.stat(path).st_mtime_ns != before[path]) == (path == "2.npy"), path
    write("s.csv", SHOTS + "last,30,40,50,,,\n")
    survey("{shot}.npy")
    assert states("survey.jsonl")["last"] == "done"
    for options, what in ((["--velocity", "1999"], "velocity: 2000 m/s, now it is 1999 m/s"),
                          (["--boundary", "periodic"], "boundary"), (["--precision", "f64"], "precision: f32"),
                          (["--dt", "1e-3"], "time_step"), (["--aperture", "100"], "aperture"),
                          (["--engine", "reference"], "backend: cpu, now it is cpu, the reference")):
        text = survey("{shot}.npy", *options, code=3)
        assert "is of a survey with another " + what in text, text
    write("s.csv", SHOTS.replace("2,150", "2,151"))
    text = survey("{shot}.npy", code=3)
    assert "s.csv:3: shot 2 was done with another source: 150,120,50, now it is 151,120,50" in text, text
    # one shot overflows, the folder of another is a file
    write("f.csv", SHOTS.replace("2,150,120,50,2", "2,150,120,50,1e30"))
    os.makedirs("f/b.npy")
    # 1e30 x 6e16 is 3e38 a step: the next ones are beyond f32
    text = survey("f/{shot}.npy", "--amplitude", "6e16", code=5, file="f.csv")
    assert "shot 2 (f.csv:3) failed: the field is not finite" in text, text
    assert "shot b (f.csv:5) failed: cannot write f/b.npy" in text, text
    assert "2 of 4 shots failed" in text, text
    assert states("f/survey.jsonl") == {"1": "done", "2": "failed", "a3": "done", "b": "failed"}
    os.rmdir("f/b.npy")
    write("f.csv", SHOTS)
    survey("f/{shot}.npy", "--amplitude", "6e16", file="f.csv")
    assert set(states("f/survey.jsonl").values()) == {"done"}
    # half a line at the end, as kill -9 may leave it
    with open("f/survey.jsonl", "a") as f:
        f.write('{"shot": "1", "sta')
    survey("f/{shot}.npy", "--amplitude", "6e16", file="f.csv")
    assert read("f/survey.jsonl").endswith(b'}\n')


def test_geometry():
    """Trace headers of SEG-Y or SU as the list of shots: the bits of the survey that they came from."""
    write("s.csv", "shot,x,y,z,delay,receivers\n1,100,100,50,,\n7,150.125,120,40,0.012,"
                   '"10,20,30;40,50,60;1.5,2,3"\n12,210,130,0,,\n')
    line = ["--receivers", "10,10,10:310,310,10:7"]
    wave(*MODEL, "--dt", "1e-3", "--survey", "s.csv", *line, "--traces", "{shot}.npy,all.sgy,all.su")
    for geometry in ("all.sgy", "all.su"):
        folder = geometry[4:]
        wave(*MODEL, "--dt", "1e-3", "--survey", geometry, "--traces", f"{folder}/{{shot}}.npy,{folder}/again.sgy")
        for shot in ("1", "7", "12"):
            assert read(f"{folder}/{shot}.npy") == read(f"{shot}.npy"), (geometry, shot)
        assert read(f"{folder}/again.sgy") == read("all.sgy")
    whole = read("all.sgy")
    traces = [whole[3600 + i * 484:3600 + (i + 1) * 484] for i in range(17)]
    assert len(whole) == 3600 + 17 * 484

    def number(trace, at, value, form=">i"):
        return trace[:at] + struct.pack(form, value) + trace[at + struct.calcsize(form):]

    bad = [(traces + [traces[0]], "trace 18: the traces of shot 1 do not follow one another: trace 1"),
           ([number(traces[0], 8, 0)[:16] + bytes(4) + traces[0][20:]], "trace 1: it names no shot"),
           ([number(traces[0], 88, 2, ">h")], "trace 1: its coordinates are no lengths"),
           ([traces[0], number(traces[1], 72, 5)], "trace 2: its source lies elsewhere"),
           ([number(traces[0], 72, 391000)], "trace 1: the source must lie at x = 0 to 390 m (got 391)"),
           ([traces[0], number(traces[1], 84, -1000)], "trace 2: the receiver must lie at y = 0 to 370 m (got -1)"),
           ([traces[0][:300]], "it does not consist of traces of the length"),
           ([], "holds no shots")]
    for rows, text in bad:
        with open("bad.sgy", "wb") as f:
            f.write(whole[:3600] + b"".join(rows))
        told = wave(*MODEL, "--survey", "bad.sgy", "--traces", "o/{shot}.npy", code=3)
        assert "bad.sgy" in told and text in told and told.count("\n") == 1, (text, told)
    with open("bad.sgy", "wb") as f:
        f.write(whole[:3254] + b"\x00\x02" + whole[3256:])
    told = wave(*MODEL, "--survey", "bad.sgy", "--traces", "o/{shot}.npy", code=3)
    assert "bad.sgy: its coordinates are feet" in told, told
    told = wave(*MODEL, "--survey", "all.sgy", *line, "--traces", "o/{shot}.npy", code=2)
    assert "--receivers of a survey of all.sgy are in its trace headers" in told, told
    told = wave(*MODEL, "--dt", "1e-3", "--survey", "all.sgy", "--traces", "all.sgy", code=2)
    assert "--traces would write over all.sgy, which the survey reads" in told, told
    told = wave("--size", "40x30", "--steps", "5", "--survey", "all.sgy", "--traces", "o/{shot}.npy", code=3)
    assert "trace 1: the source must lie at y = 0 to 0 m (got 100)" in told, told
    assert not os.path.exists("o")


def test_inspect():
    """--inspect says what is in files of traces; the ranges of headers as surange has them."""
    write("s.csv", "shot,x,y,z\n11,100,100,50\n12,150,120,40\n")
    survey("all.sgy,all.su,{shot}.npy", "--dt", "1e-3")
    for name, kind in (("all.sgy", "SEG-Y revision 1"), ("all.su", "SU")):
        told = subprocess.run([WAVE, "--inspect", name], capture_output=True, text=True, check=True).stdout
        rows = {line.split()[0]: line.split()[1:] for line in told.splitlines()}
        assert told.startswith(f"file       {name}, {kind}\ntraces     14 of 61 samples, 0.001 s apart: 0.06 s\n"), told
        assert rows["fldr"][:3] == ["11", "to", "12"] and rows["sx"][:5] == ["100", "to", "150", "(100", "-"], told
        assert rows["gx"][:3] == ["10", "to", "300"] and rows["sdepth"][:3] == ["40", "to", "50"], told
        assert rows["gelev"][0] == "-10" and rows["dt"][0] == "1000" and rows["ns"][0] == "61", told
        values = [v for shot in ("11", "12") for row in npy(f"{shot}.npy") for v in row]
        assert abs(float(rows["values"][0]) - min(values)) < -1e-5 * min(values), told
    told = subprocess.run([WAVE, "--inspect", "11.npy"], capture_output=True, text=True, check=True).stdout
    assert told.startswith("file       11.npy, NumPy array of f32\nshape      7 x 61\nvalues     "), told
    write("cut.su", "no traces")
    assert "cut.su: " in wave("--inspect", "cut.su", code=3)
    assert "cannot read none.sgy" in wave("--inspect", "none.sgy", code=3)
    assert "--inspect must be a file that ends in .sgy" in wave("--inspect", "u.png", code=2)


def test_first_failure():
    """Where shots fail, the exit code is that of the first of the list, whichever failed first."""
    write("s.csv", 'shot,x,y,z,amplitude,receivers\nlarge,100,100,100,1e30,"10,10,10:1900,500,500:3"\n'
                   'small,100,100,50,1,"100,100,60"\n')
    os.makedirs("small.npy")
    text = wave("--size", "200x60x60", "--order", "2", "--steps", "200", "--amplitude", "5e16", "--aperture", "0",
                "--threads", "2", "--shots-at-once", "2", "--survey", "s.csv", "--traces", "{shot}.npy", code=5)
    assert text.index("shot small") < text.index("shot large"), text
    assert "2 of 2 shots failed, the first with: the field is not finite" in text, text


def test_folders():
    """Folders of traces and of the manifest are made, also where {shot} is the folder."""
    write("s.csv", SHOTS)
    survey("lines/{shot}/traces.npy")
    survey("o/{shot}.npy", "--manifest", "done/list.jsonl")
    for shot in ("1", "2", "a3", "b"):
        assert read(f"lines/{shot}/traces.npy") == read(f"o/{shot}.npy")
    assert states("lines/survey/traces.jsonl") == states("done/list.jsonl")


def test_report():
    """The report has what was asked for and what was done."""
    write("s.csv", SHOTS)
    survey("{shot}.npy", "--json", "r.json")
    report = json.load(open("r.json"))
    assert report["options"]["receivers"] == LINE and report["options"]["traces"] == "{shot}.npy", report
    assert (report["survey"]["done_now"], report["survey"]["failed"]) == (4, 0), report


def test_dry_run():
    """--dry-run checks all shots and says what they take together; nothing is written."""
    write("s.csv", "shot,x,y,z\n1,100,100,50\n2,300,300,50\n")
    line = [WAVE, *MODEL, "--backend", "cpu", "--survey", "s.csv", "--receivers", "rel:0,0,0:10,10,0:2", "--traces",
            "o/{shot}.npy", "--dry-run", "--json", "r.json", "--absorbing-width", "3", "--aperture"]
    for aperture, cells in (("1e9", 2 * 40 * 38 * 30), ("50,60", (18 * 20 + 18 * 17) * 30)):
        told = subprocess.run([*line, aperture], capture_output=True, text=True, check=True).stdout
        assert f"cost       {cells * 60e-9:.4g} Gcell updates, all shots" in told and "one shot after" in told, told
        assert json.load(open("r.json"))["survey"]["cell_updates"] == cells * 60
    assert sorted(os.listdir(".")) == ["r.json", "s.csv"]


def test_write_failures():
    """Three files in a row that cannot be written end the survey, and the same command goes on; two do not."""
    write("s.csv", "shot,x,y,z\n" + "".join(f"{i},{100 + i},120,60\n" for i in range(1, 31)))
    survey("calm/{shot}.npy")
    for folder, blocked in (("two", (2, 3, 5, 6)), ("three", (2, 3, 4))):
        for shot in blocked:
            os.makedirs(f"{folder}/{shot}.npy")
        text = survey(f"{folder}/{{shot}}.npy", "--shots-at-once", "1", code=3)
        became = states(f"{folder}/survey.jsonl")
        failed = [shot for shot in became if became[shot] == "failed"]
        assert failed == [str(shot) for shot in blocked], became
        assert not glob.glob(f"{folder}/*.part")
        if folder == "two":
            assert "4 of 30 shots failed" in text and len(became) == 30, text
        else:
            left = 30 - list(became.values()).count("done")
            # one shot may be computed, two wait in each list of the queue, and one be prepared
            assert len(became) <= 4 + 6, became
            assert f"cannot write three/4.npy: Is a directory; the survey ends with {left} of 30 shots to do, the " \
                   "same command goes on" in text, text
        for shot in blocked:
            os.rmdir(f"{folder}/{shot}.npy")
        survey(f"{folder}/{{shot}}.npy")
        assert digests(folder) == digests("calm")


def test_joined():
    """One file for all shots, with the traces of each."""
    write("s.csv", SHOTS)
    survey("{shot}.npy,all.sgy,all.su")
    assert not os.path.exists("survey.shots"), "traces are left waiting"
    sgy, su = read("all.sgy"), read("all.su")
    size, at, count = 240 + 4 * 61, 0, 0
    assert len(sgy) == 3600 + len(su)
    for i, shot in enumerate(("1", "2", "a3", "b")):
        for channel, samples in enumerate(npy(f"{shot}.npy")):
            number = 2 if shot == "2" else i + 1
            for data, start, order in ((sgy, 3600, ">"), (su, 0, "<")):
                head = data[start + at:start + at + size]
                count_, _, record, original, point = struct.unpack_from(order + "5i", head)
                assert (count_, record, original, point) == (count + 1, number, channel + 1, number)
                assert struct.unpack_from(f"{order}61f", head, 240) == samples
            at += size
            count += 1
    assert at == len(su)
    # a lost file of one shot is made anew alone; of all shots, by all of them
    os.remove("1.npy")
    survey("{shot}.npy,all.sgy,all.su")
    os.remove("all.sgy")
    survey("{shot}.npy,all.sgy,all.su")
    assert read("all.sgy") == sgy
    text = survey("x.npy", code=2)
    assert ".npy holds gathers of equal numbers of traces" in text, text
    text = survey("x.png", code=2)
    assert "files do not hold many frames of traces" in text, text


def test_refused():
    """Bad input is named with file, line, column and legal range before anything is computed."""
    cases = [
        ("shot,x,y\n1,2,3\n", "s.csv:1: the column z is missing"),
        ("shot,x,y,z,speed\n", "s.csv:1: column 5 must be x, z, shot, y"),
        ("shot,x,x,y,z\n", "s.csv:1: two columns are named x"),
        ("", "s.csv is empty"),
        ("shot,x,y,z\n", "s.csv holds no shots"),
        ("shot,x,y,z\n1,2,3\n", "s.csv:2: 3 items, the first line names 4 columns"),
        ("shot,x,y,z\n1,nan,3,4\n", "s.csv:2: column x must be a number from 0 to 390 (got nan)"),
        ("shot,x,y,z\n1,2,,4\n", "s.csv:2: column y must be a number from 0 to 370 (got nothing)"),
        ("shot,x,y,z\n1,2,3,290.1\n", "s.csv:2: column z must be a number from 0 to 290"),
        ("shot,x,y,z\n1,2,3,4\n\n# x\n1,2,3,5\n", "s.csv:5: column shot must differ from row to row (got 1, "
                                              "which line 2 is, too)"),
        ("shot,x,y,z\na/b,2,3,4\n", "s.csv:2: column shot must be a name of 1 to 64 letters"),
        ("shot,x,y,z,receivers\n1,2,3,4,no.csv\n", "s.csv:2: column receivers: cannot read no.csv"),
        ("shot,x,y,z,receivers\n1,2,3,4,\"1,2\"\n", "s.csv:2: column receivers: "),
        ("shot,x,y,z,receivers\n1,2,3,4,\"1,2,3\n", "s.csv:2: a quote (\") that does not end"),
        ("shot,x,y,z,receivers\n1,2,3,4,\"rel:-9,0,0:9,0,0:3\"\n", "s.csv:2: column receivers: x must be 0 to "
                                                                "390 m (got -7"),
        ("shot,x,y,z,component\n1,2,3,4,q\n", "s.csv:2: column component must be p, or x, y or z of a force along "
                                              "that axis (got q)"),
        ("shot,x,y,z,wavelet\n1,2,3,4,no.txt\n", "s.csv:2: column wavelet: cannot read no.txt"),
        ("shot,x,y,z,amplitude\n1,2,3,4,inf\n", "s.csv:2: column amplitude must be a number from -1e+30"),
    ]
    for text, message in cases:
        write("s.csv", text)
        told = survey("o/{shot}.npy", code=3)
        assert message in told, f"{told}\nnot: {message}"
        assert told.count("\n") == 1, told
        assert not os.path.exists("o"), "something was written"
    # one shot too strong for f32, one that the sinc of the model's rigid face refuses: neither begins anything
    write("f.csv", SHOTS.replace("2,150,120,50,2", "2,150,120,50,1e30"))
    told = survey("o/{shot}.npy", "--amplitude", "1e17", code=3, file="f.csv")
    assert "f.csv:3: column amplitude: source 0 is too strong: it adds dt^2 s/h^3 = " in told, told
    assert "at most 3.40282e+38 is a number in f32" in told, told
    write("f.csv", SHOTS.replace("b,210,130,60", "b,15,130,60"))
    told = survey("o/{shot}.npy", "--interpolation", "sinc", "--boundary", "rigid", code=3, file="f.csv")
    assert "f.csv:5: source 0 at x = 15 m is between cells and closer than" in told, told
    assert not os.path.exists("o"), "something was written"
    write("s.csv", SHOTS)
    told = wave(*MODEL, "--survey", "s.csv", "--traces", "o/{shot}.npy", code=3)
    assert "s.csv:2: column receivers must say where traces are recorded, since --receivers does not" in told
    assert "--survey needs --traces" in wave(*MODEL, "--survey", "s.csv", code=2)
    told = survey("o/{shot}.npy", "--aperture", "1,2,3", code=2)
    assert "--aperture must be X or X,Y, numbers from 0 to 1e+09" in told and "(got 1,2,3)" in told, told
    assert "--aperture belongs to --survey" in wave(*MODEL, "--aperture", "3", code=2)
    assert "--devices are GPUs, and --backend is cpu" in survey("{shot}.npy", "--devices", "all", code=2)
    assert "--source belongs to a run of one shot" in survey("{shot}.npy", "--source", "1,2,3", code=2)
    write("s.csv", SHOTS.replace("2,150,120,50,2,", "2,150,120,50,2,0.0123456"))
    told = survey("{shot}.su", "--dt", "1e-3", code=2)
    assert "{shot}.su, shot 2: SU holds delays of up to 32.767 s in whole milliseconds" in told, told


def test_inputs():
    """No input is written over, whatever its name."""
    write("s.csv", SHOTS)
    survey("model.npy", file="s.csv", code=2)
    wave("--size", "30x30", "--steps", "0", "--initial", "noise", "--field", "noise.npy")
    data = bytearray(read("noise.npy"))
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    data[start:] = struct.pack("<f", 2000) * 900
    for name in ("model.npy", "7.npy"):
        with open(name, "wb") as f:
            f.write(data)
    write("plane.csv", "shot,x,z\n7,100,100\n")
    kept = bytes(data)
    for model, traces in (("7.npy", "{shot}.npy"), ("model.npy", "./model.npy")):
        told = wave("--velocity", model, "--steps", "5", "--survey", "plane.csv", "--receivers", "10,10",
                    "--traces", traces, code=2)
        assert f"--traces would write over {model}" in told, told
    plane = ["--velocity", "model.npy", "--steps", "5", "--survey", "plane.csv", "--receivers", "10,10"]
    for option in ("--manifest", "--json"):
        for name in ("model.npy", "./plane.csv"):
            told = wave(*plane, "--traces", "o/{shot}.npy", option, name, code=2)
            assert f"{option} would write over {os.path.basename(name)}, which the survey reads" in told, told
        for name in ("o/7.npy", "o/all.sgy"):
            told = wave(*plane, "--dt", "1e-3", "--traces", "o/{shot}.npy,o/all.sgy", option, name, code=2)
            assert f"{option} and --traces both write {name}" in told, told
    told = wave(*plane, "--traces", "{shot}.npy", "--json", "survey.jsonl", code=2)
    assert "--json and --manifest both write survey.jsonl" in told, told
    assert read("plane.csv") == b"shot,x,z\n7,100,100\n"
    single = ["--velocity", "model.npy", "--steps", "5"]
    told = wave(*single, "--field", "model.npy", code=2)
    assert "--field would write over model.npy, which the run reads" in told, told
    write("r.csv", "10,10\n")
    told = wave(*single, "--receivers", "r.csv", "--traces", "x.npy", "--json", "./r.csv", code=2)
    assert "--json would write over r.csv" in told, told
    os.link("noise.npy", "snapshot_000004.npy")
    told = wave(*single, "--initial", "snapshot_000004.npy", "--snapshot-every", "2", "--snapshot-format", "npy",
                code=2)
    assert "a snapshot would be written over snapshot_000004.npy" in told, told
    assert read("model.npy") == kept and read("7.npy") == kept and read("r.csv") == b"10,10\n"


def digests(folder):
    names = sorted(n for n in os.listdir(folder) if n.endswith((".npy", ".sgy")))
    return {n: hashlib.sha256(read(os.path.join(folder, n))).hexdigest() for n in names}


def write_layers(path, shape=(60, 50, 40)):
    """Five layers of 1500 to 3500 m/s, whose ends lie a little deeper from column to column."""
    nx, ny, nz = shape
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({nx}, {ny}, {nz}), }}"
    head += " " * (-(11 + len(head)) % 64) + "\n"
    speeds = (1500 + 500 * min(4, (5 * z + x // 10 + y // 20) // nz)
              for x in range(nx) for y in range(ny) for z in range(nz))
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack(f"<{nx * ny * nz}f", *speeds))


def wait_for_lines(process, path, count):
    """Wait until a file has so many lines more, or the process is gone."""
    def lines():
        return read(path).count(b"\n") if os.path.exists(path) else 0
    before = lines()
    while lines() < before + count and process.poll() is None:
        time.sleep(0.001)


def test_kills(shots="60", kills="12"):
    """Kills at random, SIGTERM and SIGKILL: never a partial file, and the results of no kill."""
    seed = int(os.environ.get("SEED", time.time_ns() % 2**32))
    print("SEED", seed, flush=True)
    chance = random.Random(seed)
    shots, kills = int(shots), int(kills)
    write_layers("layers.npy")
    write("s.csv", "shot,x,y,z\n" + "".join(f"{i},{100 + i},120,{20 + i % 7}\n" for i in range(shots)))
    options = ["--velocity", "layers.npy", "--steps", "300", "--order", "4", "--survey", "s.csv", "--receivers", LINE]
    start = time.monotonic()
    wave(*options, "--traces", "calm/{shot}.npy,calm/all.sgy")
    seconds = (time.monotonic() - start) / shots
    calm = digests("calm")
    assert len(calm) == shots + 1
    command = [WAVE, *options, "--traces", "o/{shot}.npy,o/all.sgy", "--backend", "cpu", "--quiet"]
    stopped = killed = 0
    for kill in range(kills):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        number = chance.choice([signal.SIGTERM, signal.SIGKILL])
        wait_for_lines(process, "o/survey.jsonl", chance.randint(0, int(1.6 * shots / kills)))
        time.sleep(chance.uniform(0, 2 * seconds))
        process.send_signal(number)
        told = process.communicate()[1]
        if process.returncode == 75:
            stopped += 1
            assert "shots to do; the same command goes on" in told, told
        elif process.returncode == -number:
            killed += 1
        else:
            assert process.returncode == 0, f"{process.returncode}: {told}"
        found = digests("o") if os.path.isdir("o") else {}
        for name in found:
            assert found[name] == calm[name], f"{name} is not whole after kill {kill}"
    wave(*command[1:-3])
    assert digests("o") == calm
    left = glob.glob("o/*.part") + glob.glob("o/*.shots*")
    assert not left, f"{left} are left behind"
    print(f"{shots} shots: {stopped} times stopped by SIGTERM with shots to do, {killed} times killed")
    assert stopped + killed > kills / 2, "most found nothing to do"


def ranks(count, *options, code=0, wait=True):
    """The same command by so many processes of MPI; 77, skipped, where there is no mpirun."""
    if not shutil.which("mpirun"):
        sys.exit(77)
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMP_NUM_THREADS": "1",
                   "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    command = ["mpirun", "-n", str(count), WAVE, *options, "--backend", "cpu", "--quiet"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if not wait:
        return process
    told = process.communicate()[1]
    assert process.returncode == code, f"{options}: exit code {process.returncode}, not {code}: {told}"
    return told


def test_ranks():
    """Three ranks of MPI have the bits of one process, also after some of them were killed."""
    write_layers("layers.npy")
    near = ['"rel:0,0,10:90,0,10:5"', "", ""]
    write("s.csv", "shot,x,y,z,receivers\n" +
          "".join(f"{i},{100 + i},120,{20 + i % 7},{near[i % 3]}\n" for i in range(1, 41)))
    options = ["--velocity", "layers.npy", "--steps", "300", "--order", "4", "--survey", "s.csv", "--receivers", LINE]
    wave(*options, "--traces", "calm/{shot}.npy,calm/all.sgy")
    ranks(3, *options, "--traces", "o/{shot}.npy,o/all.sgy", "--json", "r.json")
    assert digests("o") == digests("calm")
    report = json.load(open("r.json"))["survey"]
    assert (report["done_now"], report["at_once"]) == (40, 3), report
    # kill the processes that one mpirun has started, in turn
    for kill in range(4):
        process = ranks(3, *options, "--traces", "k/{shot}.npy,k/all.sgy", wait=False)
        wait_for_lines(process, "k/survey.jsonl", 4)
        mine = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
        if mine:
            os.kill(int(mine[kill % len(mine)]), signal.SIGKILL if kill % 2 else signal.SIGTERM)
        process.communicate()
        for name, digest in digests("k").items():
            assert digest == digests("calm")[name], name
    ranks(3, *options, "--traces", "k/{shot}.npy,k/all.sgy")
    assert digests("k") == digests("calm")
    # what is wrong is told once, by one rank or by all
    told = ranks(3, *options, "--traces", "x/{shot}.npy", "--shots-at-once", "2", code=2)
    assert told.count("--shots-at-once belongs to one process") == 1, told
    write("b.csv", "shot,x,y,z\n1,2,3,4000\n")
    told = ranks(3, *options[:-3], "b.csv", *options[-2:], "--traces", "x/{shot}.npy", code=3)
    assert told.count("b.csv:2: column z must be a number") == 1, told
    write("f.csv", "shot,x,y,z,amplitude\n1,100,100,50,1\n2,110,100,50,1e30\n3,120,100,50,1\n")
    told = ranks(3, *MODEL, "--amplitude", "6e16", "--survey", "f.csv", "--receivers", LINE, "--traces", "f/{shot}.npy",
                 code=5)
    assert "shot 2 (f.csv:3) failed: the field is not finite" in told and "1 of 3 shots failed" in told, told
    assert states("f/survey.jsonl") == {"1": "done", "2": "failed", "3": "done"}


def test_readers(module=None):
    """segyio and ObsPy read what was written, with the headers that it should have."""
    if not module:
        write("s.csv", "shot,x,y,z,delay\n11,100,100,50,\n12,150.5,120,40,0.0125\n")
        survey("{shot}.npy,all.sgy", "--dt", "1e-3")
        readers.read_by(("segyio", "obspy"), __file__, WAVE, "readers")
        return
    traces = npy("11.npy") + npy("12.npy")
    receivers = [(10 + 290 * i / 6, 10 + 290 * i / 6, 10) for i in range(7)]
    expected = [(shot, i + 1, source, delay, receivers[i])
                for shot, source, delay in ((11, (100, 100, 50), 0), (12, (150.5, 120, 40), -125))
                for i in range(7)]
    globals()["read_" + module](expected, traces)


def read_segyio(expected, traces):
    import segyio
    with segyio.open("all.sgy", ignore_geometry=True) as f:
        assert f.tracecount == 14 and segyio.tools.dt(f) == 1000
        assert f.bin[segyio.BinField.MeasurementSystem] == 1 and f.bin[segyio.BinField.SEGYRevision] in (1, 256)
        for t, (shot, channel, source, delay, receiver) in enumerate(expected):
            h = f.header[t]
            assert h[9] == h[17] == shot and h[13] == channel and h[1] == h[5] == t + 1
            assert (h[73], h[77], h[49]) == tuple(round(1000 * v) for v in source)
            assert (h[81], h[85], -h[41]) == tuple(round(1000 * v) for v in receiver)
            assert h[69] == h[71] == -1000 and h[89] == 1 and h[115] == 61 and h[117] == 1000
            assert h[37] == round(((source[0] - receiver[0])**2 + (source[1] - receiver[1])**2)**0.5)
            assert h[109] == delay and h[215] == (-10 if delay else 0)
            assert tuple(f.trace[t]) == traces[t]


def read_obspy(expected, traces):
    from obspy.io.segy.segy import _read_segy
    stream = _read_segy("all.sgy")
    assert len(stream.traces) == 14
    for t, (shot, channel, source, delay, receiver) in enumerate(expected):
        h = stream.traces[t].header
        assert h.original_field_record_number == shot
        assert h.trace_number_within_the_original_field_record == channel
        assert h.source_coordinate_x == round(1000 * source[0])
        assert h.group_coordinate_y == round(1000 * receiver[1])
        assert h.delay_recording_time == delay
        assert h.sample_interval_in_ms_for_this_trace == 1000
        assert tuple(stream.traces[t].data) == traces[t]


if __name__ == "__main__":
    if sys.argv[2] == "readers" and len(sys.argv) > 3:  # in the folder of the test, by another Python
        test_readers(sys.argv[3])
    else:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            globals()["test_" + sys.argv[2]](*sys.argv[3:])
