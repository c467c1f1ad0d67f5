#!/usr/bin/python3
"""Fail every call of small runs in turn: allocations, threads, and what touches files.

    fault_sweep.py --programs BUILD --shim fault_shim.so [--every K] [CASE...]

One process for each fault, which the preloaded fault_shim.so brings about. Whatever fails, the
program must end in time and without a signal, with the exit code that its --help promises (0 where
it can do without, 3 for files, 4 for memory and threads), say so in one line, and leave nothing
behind: every result is complete or not there, and no temporary file stays that the line does not
name. Logs, which are written as a run goes on, may stop after any line.

--every K fails every K-th call only (of slow programs still fewer), a different set in each case.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

LIMIT_S = 300
MEMORY = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "pthread_create", "fork"}


def npy(path, shape, value):
    """A .npy file of float32 without numpy."""
    count = 1
    for n in shape:
        count *= n
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack("<f", value) * count)


def make_inputs():
    """Input files of all cases, in the present folder."""
    npy("velocity.npy", (12, 8), 2000)
    npy("start.npy", (12, 10, 8), 1)
    with open("points.csv", "w") as f:
        f.write("30,40,20\n50,40,20\n")
    with open("shots.csv", "w") as f:
        f.write("shot,x,y,z,wavelet,receivers\n1,30,40,20,,\n2,50,40,20,wavelet.txt,points.csv\n")
    with open("wavelet.txt", "w") as f:
        f.write("0\n1\n0.5\n")
    with open("run.conf", "w") as f:
        f.write("size = 12x10x8\nsteps = 6\nquiet = yes\n")
    with open("tune.csv", "w") as f:
        f.write("version,order,precision,dts,tower_height,gcells_per_s,device\n")
    atoms = "".join(f"{i + 1} X {i % 4 * 1.5} {i // 4 % 4 * 1.5} {i // 16 * 1.5}\n" for i in range(64))
    with open("atoms.xyz", "w") as f:
        f.write('64\nLattice="6 0 0 0 6 0 0 0 6" Properties=id:I:1:species:S:1:pos:R:3\n' + atoms)
    with open("atoms.data", "w") as f:
        f.write("atoms\n\n64 atoms\n1 atom types\n0 6 xlo xhi\n0 6 ylo yhi\n0 6 zlo zhi\n\nAtoms\n\n"
                + atoms.replace(" X ", " 1 "))
    with open("spheres.csv", "w") as f:
        f.write("".join(f"{i % 8 + 0.5},{i // 8 + 0.5},0\n" for i in range(64)))


def make_checkpoint(wave):
    """begun.state: of a run of SMALL_WAVE with receivers, at step 4; frames.npy: what it has written."""
    words = CASES["wave checkpoint"][0].split()
    subprocess.run([wave, *words[1:]], check=True)
    os.rename("c.state", "begun.state")
    for name in ("c.state.1", "t.npy"):
        os.remove(name)


SMALL_WAVE = "wave --quiet --size 12x10x8 --order 2 --steps 6 "
WAVE_PICTURES = ("wave --quiet --size 60x4x2 --order 4 --steps 4 --dts 2 --tower-height 2 "
                 "--receivers 10,10,10 --traces t.png --snapshot-every 2 --output pictures")
# name: (command, logs among its files). Pictures are flat, since drawing takes most of the time.
CASES = {
    "wave": (SMALL_WAVE + "--velocity velocity.npy --source points.csv --wavelet wavelet.txt --dt 1e-3 "
             "--receivers 10,10,10:60,60,40:4 --traces t.npy,t.sgy,t.su --field u.npy --json run.json "
             "--snapshot-every 0", ()),
    "wave pictures": (WAVE_PICTURES, ()),
    "wave pictures stay": (WAVE_PICTURES, ()),
    "wave page": (SMALL_WAVE + "--receivers 10,10,10:60,60,40:4 --traces t.npy --snapshot-every 0 "
                  "--report run.html", ()),
    "wave config": ("wave --config run.conf --dump-config", ()),
    "wave frames": (SMALL_WAVE + "--field u.npy --field-every 2 --snapshot-every 3 --snapshot-format npy "
                    "--json run.json --output planes", ()),
    "wave snapshots": (SMALL_WAVE + "--snapshot-every 2 --snapshot v.npy,volume --snapshot u_{step}.npy;p.npy,xy@3 "
                       "--snapshot-stride 2", ()),
    "wave hdf5": (SMALL_WAVE + "--snapshot-every 0 --field u.h5 --field-every 3", ()),
    "wave start": (SMALL_WAVE + "--initial start.npy --boundary periodic --engine reference --json - "
                   "--field u.npy --snapshot-every 0", ()),
    "wave dry": ("wave --size 12x14x13 --order 8 --boundary absorbing --absorbing-width 2 --dry-run "
                 "--json run.json", ()),
    "wave survey": (SMALL_WAVE + "--dt 1e-3 --survey shots.csv --receivers 10,10,10:60,60,40:4 --shots-at-once 1 "
                    "--aperture 20 --traces {shot}.npy,all.sgy --json run.json", {"survey.jsonl"}),
    "wave survey page": (SMALL_WAVE + "--dt 1e-3 --survey shots.csv --receivers 10,10,10:60,60,40:4 --shots-at-once 1 "
                         "--traces {shot}.npy --report page.html", {"survey.jsonl"}),
    "wave checkpoint": (SMALL_WAVE + "--receivers 10,10,10:60,60,40:4 --traces t.npy --snapshot-every 0 "
                        "--field frames.npy --field-every 2 --checkpoint c.state --checkpoint-every 2", ()),
    "wave resume": (SMALL_WAVE + "--receivers 10,10,10:60,60,40:4 --traces t.npy --snapshot-every 0 "
                    "--field frames.npy --field-every 2 --resume begun.state", ()),
    "wave stream": ("wave --quiet --size 60x10x8 --order 2 --dts 1 --steps 6 --dt 1e-3 --memory 2150K --scratch . "
                    "--receivers 10,10,10:60,60,40:4 --traces t.npy --snapshot-every 0 --field u.npy", ()),
    "wave inspect": ("wave --inspect velocity.npy", ()),
    "wave help": ("wave --help", ()),
    "md lj": ("md --quiet --cells 5 --steps 6 --thermo 3 --csv thermo.csv --dump run.xyz.gz "
              "--dump-every 3 --write-data start.data --json run.json --output md --rebuild-every 2 "
              "--ordering hilbert --neighbor full", {"thermo.csv"}),
    "md input": ("md --quiet --input atoms.xyz --temperature 1 --steps 4 --precision mixed --dump run.dump "
                 "--neighbor half --picture none --json -", ()),
    "md checkpoint": ("md --quiet --cells 5 --steps 6 --thermo 2 --csv thermo.csv --picture none --checkpoint m.state "
                      "--checkpoint-every 2", {"thermo.csv"}),
    "md data": ("md --quiet --input atoms.data --temperature 1 --steps 4 --backend reference --picture none "
                "--csv thermo.csv", {"thermo.csv"}),
    "md measures": ("md --quiet --cells 5 --steps 8 --picture none --rdf g.csv --rdf-every 4 --msd msd.csv --vacf vacf.csv "
                    "--correlation-every 2 --stress p.csv --viscosity eta.csv --stress-every 2", {"p.csv"}),
    "md tile": ("md --quiet --cells 5 --steps 4 --neighbor tile --picture none", ()),
    "md granular": ("md --quiet --model granular --size 8,8,4 --walls --steps 20 --csv gas.csv "
                    "--profile height.csv --profile-every 5 --dump run.xyz --json run.json --picture none",
                    {"gas.csv"}),
    "md grains": ("md --quiet --model granular --size 8,8,4 --walls --side-walls --friction 0.5 --sizes two --steps 20 "
                  "--neighbor tile --dump run.dump --picture none", ()),
    "md mps": ("md --quiet --model mps --dimensions 2 --spacing 0.02 --steps 4 --thermo 2 --csv run.csv "
               "--gauges 0.05,0 --dump run.xyz --json run.json --output dam", {"run.csv", "dam/front.csv", "dam/gauges.csv"}),
    "locality curve": ("locality curve --ordering hilbert --size 8x8 --csv c.csv --json c.json --plot c.png",
                       ()),
    "locality stencil": ("locality stencil --reach 2 --csv s.csv --json s.json --plot s.png", ()),
    "locality offsets": ("locality offsets --ordering row-major,hilbert --size 8 --csv o.csv --json o.json",
                         ()),
    "locality cache": ("locality cache --ordering row-major,hilbert --size 8 --csv c.csv --json c.json "
                       "--plot c.png --quiet", ()),
    "locality hits": ("locality hits --ordering none,hilbert --size 8x8 --gas elastic --steps 20 --every 10 "
                      "--csv h.csv --json h.json", ()),
    "locality given": ("locality hits --size 8x8 --particles spheres.csv --csv h.csv", ()),
    "locality tower": ("locality tower --view levels --size 12x12 --csv t.csv --json t.json --plot t.png", ()),
    "locality recommend": ("locality recommend --size 8 --cache 2K --csv r.csv --json r.json", ()),
    "roofline": ("roofline --quiet --order 2 --dts 2,3 --tower-height 4 --size 16 --seconds 1 --tune "
                 "--output r --json r.json", {"r/sweep.csv"}),
    "roofline md": ("roofline --quiet --quick --program md --ordering hilbert --output r --json r.json",
                    {"r/md-sweep.csv"}),
    "doctor": ("doctor --no-rates --json d.json", ()),
    "wave zfp": (SMALL_WAVE + "--snapshot-every 3 --snapshot u.h5,zfp=1e-9", ()),
}
# Of these, which take seconds, --every fails so many times fewer calls.
SLOW = {"roofline": 12, "roofline md": 60, "doctor": 16}
TELLS = {"wave survey", "wave survey page"}  # a line of each shot that failed, too
DURABLE = {"wave survey"}  # all results but the last to get its name are on the disk before, and the name after
# libhdf5 1.10 does not survive every allocation that fails
FOREIGN = {"wave hdf5": "HDF5 is not in this build", "wave zfp": "is not in this build"}
STAYS = {"wave pictures stay"}  # once a call has failed, no file can be removed, either


class Sweep:
    """All faults of one case."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.command, self.logs = CASES[name]
        self.calls = []  # name of each, as counted in a run without a fault
        self.good = {}  # its files
        self.events, self.failures = 0, []

    def run(self, at):
        """A run whose call number `at` fails: (result, files left, the call that failed)."""
        with tempfile.TemporaryDirectory(prefix="torre-fault-") as folder:
            inputs = set(os.listdir(self.options.inputs))
            work, log = os.path.join(folder, "work"), os.path.join(folder, "log")
            shutil.copytree(self.options.inputs, work)
            environment = {
                "LD_PRELOAD": self.options.shim, "FAULT_AT": str(at), "FAULT_LOG": log,
                "FAULT_CLOCK": "1000", "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive",
                "PATH": "/nonexistent", "HOME": work, "TORRE_TUNE": os.path.join(work, "tune.csv")}
            if self.name in STAYS:
                environment["FAULT_STAYS"] = "1"
            words = self.command.split()
            words[0] = os.path.join(self.options.programs, words[0])
            try:
                result = subprocess.run(words, cwd=work, env=environment, stdin=subprocess.DEVNULL,
                                        capture_output=True, timeout=LIMIT_S, check=False)
            except subprocess.TimeoutExpired:
                result = None
            files = {}
            for root, _, names in os.walk(work):
                for n in names:
                    path = os.path.join(root, n)
                    short = os.path.relpath(path, work)
                    if short in inputs and short != "tune.csv":
                        continue
                    with open(path, "rb") as f:
                        files[short] = f.read()
            with open(log, encoding="ascii") as f:
                return result, files, f.read().split("\n")[:-1]

    def count(self):
        """The run without a fault."""
        result, self.good, log = self.run(0)
        if result is not None and result.returncode == 77:
            print(result.stderr.decode().strip())
            sys.exit(77)
        if result is not None and self.name in FOREIGN and FOREIGN[self.name].encode() in result.stderr:
            return
        if result is None or result.returncode != 0:
            sys.exit(f"{self.name}: fails without a fault: {result and result.stderr.decode()}")
        self.good_text = result.stdout
        self.calls = [line.split()[1] for line in log]
        if self.name in DURABLE:
            order = [call for call in self.calls if call in ("fsync", "rename")]
            names = [i for i, call in enumerate(order) if call == "rename"]
            if not all(order[i - 1] == order[i + 1] == "fsync" for i in names[:-1]):
                sys.exit(f"{self.name}: a result is not on the disk: {order}")

    def complete(self, name, data):
        """Whether a file is what the run without a fault wrote, up to times and rates."""
        good = self.good.get(name)
        if good is None:
            return False
        if data == good:
            return True
        if name.endswith((".state", ".state.1")):  # any whole one, up to the seconds in it
            return len(data) in map(len, self.good.values())
        if name.endswith((".gp", ".dat")):
            return data.split(b"\n")[-2:] == good.split(b"\n")[-2:]
        if name.endswith(".html"):  # up to the data in it
            begin, end = b'application/json">', b"</script>"
            (before, rest), (good_before, good_rest) = data.split(begin, 1), good.split(begin, 1)
            (data, after), (good, good_after) = rest.split(end, 1), good_rest.split(end, 1)
            if (before, after) != (good_before, good_after):
                return False
            name += ".json"
        if name.endswith(".json"):
            try:
                return json.loads(data).keys() == json.loads(good).keys()
            except ValueError:
                return False
        return name.endswith((".csv", ".jsonl")) and data[-1:] == b"\n" and lines(data) == lines(good)

    def judge(self, at):
        """What is wrong with the run whose call number `at` fails: a list of texts."""
        result, files, log = self.run(at)
        call = log[0].split()[1] if log else "nothing"
        if result is None:
            return call, [f"still runs after {LIMIT_S} s"]
        error = result.stderr.decode(errors="replace")
        said = [line for line in error.split("\n") if line.strip()]
        code, wrong = result.returncode, []
        stays = self.name in STAYS
        failed = {line.split()[1] for line in log}  # one, or one in each process after a fork
        legal = {0} if not log else {0, 3, 4} if stays else {0} | {4 if c in MEMORY else 3 for c in failed}
        if code < 0:
            wrong.append(f"signal {-code}")
        elif code not in legal:
            wrong.append(f"exit code {code}, legal are {sorted(legal)}")
        if code > 0 and not 1 <= len(said) <= 1 + stays + 2 * (self.name in TELLS):
            wrong.append(f"{len(said)} lines on standard error")
        for name, data in files.items():
            if self.complete(name, data):
                continue
            if name in self.good and code != 0 and name in self.logs:
                continue
            if code != 0 and re.fullmatch(r"survey\.shots/\d\.npy", name):
                continue  # traces wait there for the same command again
            if code != 0 and re.fullmatch(r"frames\.npy\.[\d-]+\.part", name) and "c.state" in files:
                continue  # c.state counts on it
            temporary = name not in self.good
            if temporary and (call == "unlink" or stays) and os.path.basename(name) in error:
                continue
            wrong.append(f"{name} is left behind" if temporary else f"{name} is not complete")
        if code == 0:
            wrong += [f"{name} is missing" for name in self.good if name not in files]
            if lines(result.stdout) != lines(self.good_text):
                wrong.append("standard output is not complete")
        return call, [f"{w} ({error.strip()[:300]})" for w in wrong]


def lines(data):
    """How many lines a text has, but for what doctor advises of a machine that is busy at the moment."""
    return re.sub(rb"\n  load  .*(\n {12}.*)*", b"", data).count(b"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    options.programs, options.shim = map(os.path.abspath, (options.programs, options.shim))
    bad = faults = 0
    with tempfile.TemporaryDirectory(prefix="torre-fault-") as options.inputs, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        here = os.getcwd()
        os.chdir(options.inputs)
        make_inputs()
        make_checkpoint(os.path.join(options.programs, "wave"))
        os.chdir(here)
        for number, name in enumerate(options.case or CASES):
            sweep = Sweep(name, options)
            sweep.count()
            every = options.every * SLOW.get(name, 1) if options.every > 1 else 1
            calls = [i + 1 for i, call in enumerate(sweep.calls) if call not in MEMORY or name not in FOREIGN]
            wanted = calls[7 * number % every::every]
            failures = []
            for at, (call, wrong) in zip(wanted, pool.map(sweep.judge, wanted)):
                failures += [f"{name}: call {at}, {call}: {text}" for text in wrong]
            print(f"{name}: {len(wanted)} of {len(calls)} calls failed in turn, "
                  f"{len(failures)} complaints")
            print("\n".join(failures), end="\n" if failures else "", flush=True)
            bad, faults = bad + len(failures), faults + len(wanted)
    print(f"{faults} faults, {bad} complaints")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
