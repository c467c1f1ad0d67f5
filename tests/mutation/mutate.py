#!/usr/bin/python3
"""Plant small faults (mutants) in single files and see whether the tests notice.

    mutate.py --build BUILD [--sample N] [--seed S] [--jobs J] [--output FILE] [FILE...]

The faults are those of universalmutator (PyPI), rules for C; N of each file are drawn, the same ones
for the same seed and sources. A mutant is compiled with the flags of BUILD, a finished build of the
programs and tests, but -O1, in all sources that BUILD says depend on the file. It is left out where
it does not compile, or where every object is the same, byte by byte, as that of the file as it is
(equivalent). Then the tests of the file (TESTS, quickest first) are linked with these objects in
front of the libraries, and run until one fails: killed; or none does: survived. A test that takes
longer than LIMIT times what it takes without a fault, and ten seconds, is ended, and counts as failed.

Survivors that expected.txt names, with the reason why no test can or should tell them from the file
as it is, are reported as such. Exit code 1: fewer than 95 % of the others were killed.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT = 5
TESTS = {
    "src/wave/stencil.h": "test_line_kernel test_wave_points test_wave_problem test_wave_turned test_wave_energy test_wave_dispersion",
    "src/wave/boundary.c": "test_wave_problem test_wave_run test_wave_absorbing",
    "src/wave/setup.c": "test_wave_problem test_wave_points test_wave_run test_wave_absorbing",
    "src/wave/cpu/padded_field.c": "test_padded_field test_wave_points test_wave_run test_wave_turned",
    "src/wave/cpu/padded_values.h": "test_padded_field test_wave_points test_wave_run test_wave_turned",
    "src/wave/cpu/tower_schedule.c": "test_tower_schedule test_wave_run test_wave_turned test_wave_engines",
    "src/wave/wavelet.c": "test_wavelet",
    "src/wave/interpolation.c": "test_interpolation test_wave_points",
    "src/wave/time_dispersion.c": "test_time_dispersion",
    "src/wave/traces.c": "test_traces test_wave_points test_wave_run",
    "tiling/diamond.h": "test_tower test_wave_run",
    "tiling/traversal.c": "test_tower",
    "src/io/npy.c": "test_npy",
    "src/io/npy_header.c": "test_npy",
    "src/io/output_file.c": "test_output",
    "src/io/png_image.c": "test_picture",
    "src/io/point_list.c": "test_point_list",
    "src/io/csv.c": "test_point_list",
    "src/io/segy.c": "test_segy",
    "src/io/text_input.c": "test_text_input test_particle_file",
    "src/io/lammps_data.c": "test_particle_file",
    "src/io/lammps_dump.c": "test_particle_file",
    "src/io/extxyz.c": "test_particle_file",
    "src/io/particle_rows.c": "test_particle_file",
    "src/particles/pair_lj.h": "test_md_forces test_md_pairs",
    "src/particles/pair_granular.h": "test_md_granular",
}

Unit = collections.namedtuple("Unit", "source command object depends")


def read_units(build):
    """Everything that the build compiles: source, command without -o, object, sources it depends on."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entries = json.load(f)
    units = []
    for e in entries:
        words = shlex.split(e["command"])
        at = words.index("-o")
        obj = os.path.join(e["directory"], words[at + 1])
        if os.path.basename(words[0]) == "ccache":
            words, at = words[1:], at - 1
        command = [w for w in words[:at] + words[at + 2:] if w not in ("-c", e["file"], "-O3", "-O2", "-g")]
        try:
            with open(obj + ".d", encoding="utf-8") as f:
                depends = {os.path.realpath(os.path.join(e["directory"], w))
                           for w in f.read().replace("\\\n", " ").split()}
        except OSError:
            depends = set()
        units.append(Unit(os.path.realpath(e["file"]), command, obj, depends))
    return units


class LinkError(Exception):
    """What the linker says."""


class Bench:
    """Compiles and tests one mutant at a time of a file, in a folder of its own."""

    def __init__(self, path, build, units, folder):
        self.path, self.build, self.folder = path, build, folder
        full = os.path.join(ROOT, path)
        self.units = [u for u in units if full == u.source or full in u.depends]
        self.tests = TESTS[path].split()
        mine = [os.path.join("tests", "CMakeFiles", f"{t}.dir") for t in self.tests]
        self.units = [u for u in self.units
                      if "/tests/" not in u.object[len(build):] or any(m in u.object for m in mine)]
        self.units = [u for u in self.units
                      if not any(f"/{part}/" in u.object for part in ("bench", "examples", "cli"))]
        self.original = self.compile(full, "original")
        assert self.original is not None, f"{path} does not compile as it is"
        self.time = {}
        for t in self.tests:
            started = time.monotonic()
            assert self.run(t, self.original, 600), f"{t} fails without a fault"
            self.time[t] = time.monotonic() - started

    def compile(self, text_path, name):
        """{unit's object: file} with the text in place of the source, or None."""
        tree, objects = os.path.join(self.folder, "tree"), {}
        if not os.path.exists(tree):  # includes are found beside the including file: links to all
            for part in ("src", "tiling", "cuda", "tests"):
                shutil.copytree(os.path.join(ROOT, part), os.path.join(tree, part), copy_function=os.symlink)
        place = os.path.join(tree, self.path)
        os.remove(place)
        shutil.copyfile(text_path, place)
        for number, u in enumerate(self.units):
            out = os.path.join(self.folder, f"{name}{number}.o")
            words = ["-I" + self.moved(w[2:], tree) if w.startswith("-I") else w for w in u.command]
            words += ["-O1", "-w", "-c", self.moved(u.source, tree), "-o", out]
            if subprocess.run(words, capture_output=True, cwd=self.folder, check=False).returncode:
                return None
            objects[u.object] = out
        return objects

    def moved(self, path, tree):
        """A path of the sources, in the tree; what the build has made stays where it is."""
        inside = path == ROOT or path.startswith(ROOT + "/")
        return tree + path[len(ROOT):] if inside and not path.startswith(self.build + "/") else path

    def is_equivalent(self, objects):
        """Whether all objects are those of the file as it is."""
        for name, path in objects.items():
            with open(path, "rb") as f, open(self.original[name], "rb") as g:
                if f.read() != g.read():
                    return False
        return True

    def run(self, test, objects, limit):
        """Whether a test linked with these objects passes."""
        place = os.path.join(self.build, "tests")
        with open(os.path.join(place, "CMakeFiles", f"{test}.dir", "link.txt"), encoding="utf-8") as f:
            words = shlex.split(f.read())
        at = words.index("-o")
        program = os.path.join(self.folder, test)
        own = {os.path.realpath(os.path.join(place, w)) for w in words}
        # objects of libraries come before the libraries, which then are not asked for them
        front = [o for name, o in objects.items()
                 if name not in own and not name.startswith(os.path.join(place, ""))]
        words = [objects.get(os.path.realpath(os.path.join(place, w)), w) for w in words]
        link = [w for w in words[:at] if os.path.basename(w) != "ccache"] + ["-o", program] + front
        done = subprocess.run(link + words[at + 2:], cwd=place, capture_output=True, check=False)
        if done.returncode:
            raise LinkError(done.stderr.decode())
        environment = dict(os.environ, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", TORRE_TUNE="off",
                           CMOCKA_TEST_ABORT="1")  # ends with the first check that fails
        try:
            with tempfile.TemporaryDirectory(dir=self.folder) as work:
                return subprocess.run([program], cwd=work, env=environment, timeout=limit,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, check=False).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def judge(self, text_path):
        """What becomes of a mutant: invalid, equivalent, survived, or the test that kills it."""
        objects = self.compile(text_path, "mutant")
        if objects is None:
            return "invalid"
        if self.is_equivalent(objects):
            return "equivalent"
        try:
            for t in self.tests:
                if not self.run(t, objects, 10 + LIMIT * self.time[t]):
                    return t
        except LinkError:
            return "invalid"
        return "survived"


def changed_line(path, mutant):
    """'NUMBER: old -> new' of the one line that differs."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f, open(mutant, encoding="utf-8") as g:
        for number, (old, new) in enumerate(zip(f, g), 1):
            if old != new:
                return number, f"{old.strip()} -> {new.strip()}"
    return 0, "?"


def make_mutants(path, folder):
    """Files with one fault each, in the order of their numbers."""
    os.makedirs(folder)
    subprocess.run(["mutate", os.path.join(ROOT, path), "c", "--noCheck", "--mutantDir", folder],
                   stdout=subprocess.DEVNULL, check=True)
    names = os.listdir(folder)
    return [os.path.join(folder, n)
            for n in sorted(names, key=lambda n: int(re.search(r"mutant\.(\d+)\.", n)[1]))]


def run_file(path, options, units, expected):
    """All drawn mutants of a file: a list of (outcome, text)."""
    results = []
    with tempfile.TemporaryDirectory(prefix="torre-mutants-") as folder:
        mutants = make_mutants(path, os.path.join(folder, "all"))
        bench = Bench(path, options.build, units, folder)
        random.Random(f"{options.seed} {path}").shuffle(mutants)
        for mutant in mutants:
            if sum(o not in ("invalid", "equivalent") for o, _ in results) == options.sample:
                break
            number, text = changed_line(path, mutant)
            outcome = bench.judge(mutant)
            if outcome == "survived" and f"{path}: {text}" in expected:
                outcome = "expected"
            results.append((outcome, f"{path}:{number}: {text}"))
    return results


def main():
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--sample", type=int, default=25, help="mutants of a file that count")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--output", help="write every outcome there")
    parser.add_argument("file", nargs="*")
    options = parser.parse_args()
    options.build = os.path.realpath(options.build)
    units = read_units(options.build)
    with open(os.path.join(os.path.dirname(__file__), "expected.txt"), encoding="utf-8") as f:
        expected = {line.strip() for line in f if line.strip() and not line.startswith(("#", " "))}
    files, total = options.file or list(TESTS), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {path: pool.submit(run_file, path, options, units, expected) for path in files}
        for path, job in jobs.items():
            results = job.result()
            count = collections.Counter(o if o in ("invalid", "equivalent", "survived", "expected")
                                        else "killed" for o, _ in results)
            total += count
            print(f"{path}: " + ", ".join(f"{n} {o}" for o, n in sorted(count.items())), flush=True)
            for outcome, text in results:
                if outcome == "survived":
                    print(f"  {text}", flush=True)
            if options.output:
                with open(options.output, "a", encoding="utf-8") as f:
                    f.writelines(f"{o}\t{t}\n" for o, t in results)
    counted = total["killed"] + total["survived"]
    share = total["killed"] / counted if counted else 0
    print(f"{counted} mutants that are not equivalent, {100 * share:.1f} % killed")
    return 0 if share >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
