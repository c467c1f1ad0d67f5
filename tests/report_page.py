#!/usr/bin/env python3
"""Pages of runs (--report), as files and in a browser (chromium, where there is one):
    report_page.py BUILD
"""
import base64
import glob
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
FAILED = []


def check(good, what):
    """Tell of what does not hold."""
    if not good:
        print("FAILED:", what)
        FAILED.append(what)


def run(program, *arguments, code=0):
    """Run a program; its standard error."""
    done = subprocess.run([f"{BUILD}/{program}", *arguments], capture_output=True, text=True, check=False)
    check(done.returncode == code, f"{program} {' '.join(arguments)}: code {done.returncode}: {done.stderr}")
    return done.stderr


def read(path):
    """The data of a page that is one file, without anything of the network."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    check(len(text.encode()) < 5_000_000, f"{path} has {len(text)} characters")
    outside = [u for u in re.findall(r"https?://[^\"' ]*", text) if "www.w3.org/2000/svg" not in u]
    check(not outside and not re.search(r"(src|href)\s*=\s*[\"'](?!data:)", text), f"{path} wants {outside}")
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S).group(1))


def self_test(path):
    """What the page says of itself in a browser, and what the console says."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        print("no chromium here: pages are not opened")
        return None
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--enable-logging=stderr", f"--user-data-dir={profile}", "--virtual-time-budget=5000", "--dump-dom",
             f"file://{os.path.abspath(path)}#selftest"], capture_output=True, text=True, timeout=200, check=False)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    check(not console, f"{path}: {console}")
    said = re.search(r'<output id="selftest">([^<]*)', done.stdout)
    check(said, f"{path}: no self-test in {done.stdout[-300:]!r}")
    said = said.group(1).split("; ") if said else []
    for word in ("0 bad numbers", "0 pictures without words", "0 controls without words"):
        check(word in said, f"{path}: {said}")
    return said


def wave():
    """Pictures, traces and geometry; a survey; what is refused."""
    field = ["--size", "40x24x20", "--receivers", "50,100,50:350,100,50:70", "--traces", "t.npy", "--quiet"]
    run("wave", *field, "--steps", "60", "--snapshot-every", "20", "--output", "a <b> & c", "--report", "w.html")
    data = read("w.html")
    check(data["command"][1:] == [*field, "--steps", "60", "--snapshot-every", "20", "--output", "a <b> & c",
                                  "--report", "w.html"], "the command is another")
    check([p["step"] for p in data["pictures"]["list"]] == [20, 40, 60], "the pictures are others")
    for p in data["pictures"]["list"]:
        with open(p["title"], "rb") as f:
            check(f.read() == base64.b64decode(p["png"]), f"{p['title']} is another on the page")
    traces = data["traces"]
    check((traces["of"], traces["every"], len(traces["receivers"])) == (70, 3, 24), "not the receivers of the rule")
    values = base64.b64decode(traces["values"])
    with open("t.npy", "rb") as f:
        rows = f.read()[-4 * 70 * 61:]
    expected = b"".join(rows[4 * 61 * r:4 * 61 * (r + 1)] for r in range(0, 70, 3))
    check(values == expected and struct.calcsize("f") == 4, "the traces have other bits")
    check(data["receivers"]["of"] == 70 and data["sources"]["of"] == 1, "points are missing")
    check(set(data["report"]["time_s"]) == {"start", "read", "check", "upload", "loop", "output", "exit"}, "no times")
    said = self_test("w.html")
    if said is not None:
        for word in ("slider moves the picture", "picture is here", "zoom halves the range", "key 0 shows all",
                     "spectrum finds the tone", "6 sections", "times fill their bar"):
            check(word in said, f"w.html: not '{word}' in {said}")
    survey(field)
    model()
    check("must end in .html" in run("wave", *field, "--report", "w.txt", code=2), "an ending")
    check("both write" in run("wave", *field, "--json", "x.html", "--report", "./x.html", code=2), "two in one file")
    run("wave", "--size", "8", "--dry-run", "--quiet", "--report", "dry.html")
    read("dry.html")
    run("wave", "--size", "20", "--dt", "1", "--force", "--engine", "reference", "--quiet",
        "--velocity", "9e9", "--snapshot-every", "0", "--steps", "400", "--report", "unstable.html", code=5)
    check(not glob.glob("*unstable*"), "a page of a run that failed")


def survey(field):
    """Of a survey some shots are on the page with their traces, those done before, too, where they can be read."""
    with open("shots.csv", "w", encoding="ascii") as f:
        f.write("shot,x,y,z\n" + "".join(f"s{i},{100 + 10 * i},100,100\n" for i in range(20)))
    command = [*field[:4], "--survey", "shots.csv", "--steps", "50", "--quiet"]
    run("wave", *command, "--traces", "{shot}.npy,all.npy", "--report", "survey.html")
    data = read("survey.html")
    check(data["sources"]["of"] == 20 and data["receivers"]["of"] == 70, "not the points of the survey")
    check(data["grid"] == {"size": [40, 24, 20], "spacing": [10, 10, 10]}, f"another grid: {data['grid']}")
    shots = sorted(data["shots"], key=lambda s: s["index"])
    check([s["name"] for s in shots] == [f"s{i}" for i in range(0, 20, 2)], "other shots")
    for shot in shots:
        check(shot["sources"]["list"] == [[100 + 10 * shot["index"], 100, 100]], "another source")
        with open(f"{shot['name']}.npy", "rb") as f:
            rows = struct.unpack(f"<{70 * 51}f", f.read()[-4 * 70 * 51:])
        kept = struct.unpack(f"<{24 * 51}f", base64.b64decode(shot["traces"]["values"]))
        check(kept == sum((rows[51 * r:51 * (r + 1)] for r in range(0, 70, 3)), ()), "the traces have other bits")
        gather = shot["traces"]["gather"]
        pixels = base64.b64decode(gather["values"])
        check(gather["shape"] == [70, 51] and all(
            abs(p - 127 - 127 * max(-1, min(1, rows[51 * (i % 70) + i // 70] / gather["scale"]))) <= .51
            for i, p in enumerate(pixels)), "another picture of the traces")
    said = self_test("survey.html")
    if said is not None:
        for word in ("another shot is shown", "a click picks the trace", "zoom halves the range", "5 sections"):
            check(word in said, f"survey.html: not '{word}' in {said}")
    run("wave", *command, "--traces", "{shot}.npy,all.npy", "--report", "again.html")
    again = sorted(read("again.html")["shots"], key=lambda s: s["index"])
    check(again == shots, "what was done before is not on the page")
    for name in ("first", "second"):  # in files that are not read back
        run("wave", *command, "--traces", "{shot}.sgy", "--manifest", "m.jsonl", "--report", f"{name}.html")
    check("shots" not in read("second.html"), "shots without traces")
    self_test("second.html")


def model():
    """A model that varies is on the page: in a plane, from the side and from above."""
    for shape, planes in ((40, 30), [[40, 30]]), ((12, 8, 500), [[12, 400], [12, 8]]):
        values = [1500 + 10 * (i % shape[-1]) for i in range(math.prod(shape))]
        with open("m.npy", "wb") as f:
            head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
            f.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}f", *values))
        run("wave", "--velocity", "m.npy", "--steps", "4", "--quiet", "--report", "v.html")
        at = read("v.html")["model"]
        check([p["shape"] for p in at["planes"]] == planes, f"planes of {[p['shape'] for p in at['planes']]}")
        side = base64.b64decode(at["planes"][0]["values"])
        rows = planes[0][1]
        cells = [(2 * j + 1) * shape[-1] // (2 * rows) for j in range(rows)]
        check([side[j * shape[0]] for j in range(rows)] == [round(255 * k / (shape[-1] - 1)) for k in cells], "another model")
        self_test("v.html")


def others():
    """Particles and the roofline."""
    run("md", "--cells", "5", "--steps", "40", "--thermo", "10", "--quiet", "--report", "m.html")
    data = read("m.html")
    check(len(data["report"]["thermo"]) == 5 and len(data["pictures"]["list"]) == 1, "no table or picture of md")
    self_test("m.html")
    run("md", "--cells", "4", "--steps", "200", "--rdf", "g.csv", "--rdf-every", "50", "--msd", "d.csv", "--vacf", "v.csv",
        "--viscosity", "e.csv", "--correlation-window", "100", "--quiet", "--report", "t.html")
    tables = read("t.html")["tables"]
    check([t["title"] for t in tables] == ["radial distribution", "mean square displacement", "velocity autocorrelation",
                                           "viscosity"], "other tables")
    for t, name in zip(tables, "gdve"):
        with open(f"{name}.csv", encoding="ascii") as f:
            lines = [line.strip().split(",") for line in f if line[0] != "#"]
        check(len(t["rows"]) == len(lines) - 1 and all(
            list(row) == lines[0] and all(math.isclose(v, float(w), rel_tol=1e-8, abs_tol=1e-30)
                                          for v, w in zip(row.values(), line))
            for row, line in zip(t["rows"], lines[1:])), f"{t['title']} is another than in {name}.csv")
    said = self_test("t.html")
    check(said is None or "9 sections" in said, f"t.html: {said}")
    run("md", "--model", "mps", "--dimensions", "2", "--spacing", "1cm", "--steps", "40", "--thermo", "10",
        "--frame-every", "1", "--output", "dam", "--quiet", "--report", "d.html")
    data = read("d.html")
    steps = [p["step"] for p in data["pictures"]["list"]]
    check([row["step"] for row in data["report"]["thermo"]] == [0, 10, 20, 30, 40], "no table of the fluid")
    check(steps == [0, 10, 20, 30, 40, 40], f"frames at {steps}")
    said = self_test("d.html")
    check(said is None or "slider moves the picture" in said, f"d.html: {said}")
    run("roofline", "--quick", "--seconds", "2", "--size", "32", "--no-plot", "--output", "r", "--quiet",
        "--report", "r.html")
    check(read("r.html")["report"]["ceilings"], "no ceilings")
    self_test("r.html")


def main():
    """All of them, in a folder that goes."""
    os.environ.update(OMP_NUM_THREADS="2", TORRE_TUNE="off")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        wave()
        others()
        os.chdir("/")
    sys.exit(len(FAILED) > 0)


if __name__ == "__main__":
    main()
