#!/usr/bin/env python3
"""Run every command line that the documents, the --help texts and the examples show.

    documented.py BUILD [WORDS]      WORDS: only command lines that hold them

Command lines are those of shell blocks and indented blocks in Markdown files, of code spans that
begin with a program and go on, of the examples in --help and --examples, and the scripts of examples/ and bench/.
Each runs in a folder of its own that holds the input files it names, must end with exit code 0
within a time limit, and must leave the files that its options name. What takes long is cut down: whole
lines by RULES, the runs of the programs by brief(), through wrappers that stand in the build folder's
place. What cannot run here is in EXCEPTIONS with the reason. Every rule and exception must still be
needed.
"""
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = ["wave", "md", "locality", "roofline", "doctor"]
OTHERS = r"make_model|hello_wave|basin|bench_\w+|test_\w+|cmake|ctest|gnuplot|apt|apt-get|pkg-config|gcc|g\+\+"
COMMAND = re.compile(r"(?:[A-Z_]+=\S+ +)*(?:[\w.-]+/|\./)*(?:%s|%s|[\w-]+\.sh)(?= |$)" % ("|".join(PROGRAMS), OTHERS))
LIMIT_S = 120

# What stands in a document, and what runs instead.
RULES = [
    (r"^roofline --measured$", "roofline --measured measured.csv"),  # an option by its name
    (r"^locality (\w+)$", r"locality \1 --help"),  # a subcommand by its name
    (r"--steps N --reorder-cost F", "--steps 20 --reorder-cost 2"),
    (r"--size MxN", "--ordering hilbert --size 16x8"),
    (r"(?<=locality hits )--steps", "--ordering hilbert --size 16 --steps"),
    (r"(--backend|-b) (cuda|auto)", r"\1 cpu"),  # alike on all machines
    (r"^wave --size 512x512x512 --dry-run", "wave --size 64x64x64 --dry-run"),
    (r"^wave --size 4000x800x800 --memory 8G", "wave --size 400x40x40 --steps 20 --memory 4M"),
    (r"^bench_mps cpu$", "bench_mps cpu small 2"),
    (r"^bench_wave --start", "bench_wave --size 64x64x64 --repeats 1 --order 8 --start"),
    (r"^bench_gather (.*) --size 128x128x128", r"bench_gather \1 --size 32x32x32 --repeat 1"),
    (r"bench/survey.sh -n 12 -r 3 build --size 128x128x128 --steps 150", "bench/survey.sh -n 3 -r 1 build --size 85x85x40 --steps 10"),
    (r"bench/survey.sh -n 64 -f npy build --backend \w+ --order 8 --size 256x256x256 --steps 500",
     "bench/survey.sh -n 3 -r 1 -f npy build --backend cpu --order 8 --size 85x85x40 --steps 10"), # much for a CPU
    (r"^bench/bench_process.sh -r 3 build", "bench/bench_process.sh -n 24x20x16 -s 4 -r 1 -c '^velocity,noise|^receivers,scattered|^dry-run' build"),
    (r"^bench/bench_process.sh -l -r 1 -b \w+ build", "bench/bench_process.sh -n 24x20x16 -s 4 -r 1 -c ^point build"),
    (r"bench/bench_md.sh", "bench/bench_md.sh -r 1 -n '6 8' -s 20"),
    (r"^bench/seeds_study.sh build-cuda RESULTS$",
     "CELLS=6 THREADS=1 SIZE=small PARTICLES=1000 bench/seeds_study.sh build RESULTS forces processes reorder"),
    (r"bench/sort_every.sh", "bench/sort_every.sh -n 1 -s 20"),
    (r"bench/bench_granular.sh", "bench/bench_granular.sh -n 2000 -l 16 -s 20"),
    (r"^run.sh list", "examples/locality/run.sh list"),
]

EXCEPTIONS = {
    r"^wave .*--devices (all|0,1)": "test fake_cuda_parts, of builds that have the stand-in for CUDA",
    r"^mpirun -n": "tests ranks_* of builds with MPI",
    r"^(\./)?first-run\.sh": "installs packages; .ci/run runs both forms",
    r"^examples/kob_andersen/run.sh build$": "test example_kob_andersen; a run of a few steps measures nothing",
    r"^examples/liquid/run.sh build$": "test example_liquid; a run of a few steps measures nothing",
    r"^examples/spheric2/run.sh build": "test example_spheric2, of a coarse tank",
    r"^examples/seeds/run.sh -b build -o figures$": "test seeds_figures; shorter runs make other numbers",
    r"^cmake --preset": "tests/presets.sh runs every preset",
    r"examples/python/tutorial.py$": "test python_tutorial",
    r"examples/analytic/\w+\.py build$": "tests analytic_half_space, analytic_gradient, analytic_two_layers",
    r"^cmake --install|^pkg-config": "tests/package.sh installs and uses what it gives",
    r"^copies\.sh BUILD$": "test fake_cuda_copies, of builds that have the stand-in for CUDA",
    r"_cuda\b|^test_\w+ cuda": "needs a GPU",
    r"^bench/(gpu_check|gpu_suite|gpu_roofline|md_study|ncu_bytes|mps_study)\.sh": "needs a GPU",
}

# Documents whose command lines build on each other: they run in one folder, in their order.
TUTORIALS = ["examples/tutorial/README.md"]

# Scripts of examples/ and bench/ that no document shows with their arguments.
SCRIPTS = {
    "examples/tiny.sh": "runs the other examples as tests of their own",
    "examples/first_run/run.sh": "test example_first_run",
    "examples/layers/run.sh": "test example_layers",
    "examples/survey/run.sh": "test example_survey",
    "examples/marmousi/run.sh": "test example_marmousi",
    "examples/marmousi/run_3d.sh": "test example_marmousi",
    "examples/dam_break/run.sh": "test example_dam_break",
    "examples/dam_break/convergence.sh": "test example_dam_break",
    "examples/spheric2/run.sh": "test example_spheric2",
    "examples/strip/run.sh": "test example_strip",
}


def write_npy(name, *shape):
    count = 1
    for n in shape:
        count *= n
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (tuple(shape),)
    head = head.ljust(117) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack("<f", 2000.0) * count)


def write_numbers(name, count):
    with open(name, "wb") as f:
        f.write(struct.pack("<f", 2000.0) * count)


def write_text(name, text):
    with open(name, "w") as f:
        f.write(text)


# Input files that lines name: how to make them.
INPUTS = [
    (r"--velocity model\.npy --spacing", lambda: write_npy("model.npy", 801, 201)),
    (r"--velocity model\.bin:f32le --size 801x201", lambda: write_numbers("model.bin", 801 * 201)),
    (r"--survey shots\.csv .*rel:-500", lambda: write_text("shots.csv", "shot,x,y,z\n1,900,900,300\n2,1200,900,300\n")),
    (r"--survey shots\.csv .*rel:-1000", lambda: write_text("shots.csv", "shot,x,z\n1,1600,300\n2,2200,300\n")),
    (r"--input start\.data", lambda: subprocess.run(
        ["md", "--cells", "6", "--steps", "0", "--write-data", "start.data", "--picture", "none", "--quiet"], check=True)),
    (r"--measured measured\.csv", lambda: write_text(
        "measured.csv", "engine,order,dts,tower_height,ordering,measured_bytes_per_update\n")),
    (r"gnuplot roofline\.gp", lambda: shutil.copy(ROOT + "/examples/roofline/xeon/roofline.gp", ".")),
    (r"gnuplot roofline\.gp", lambda: shutil.copy(ROOT + "/examples/roofline/xeon/points.dat", ".")),
]


# --- in the wrappers: short runs of the programs -----------------------------------------------


class Options:
    """The options of a command line, to look at and to change."""

    def __init__(self, arguments):
        self.arguments = arguments

    def get(self, name):
        for i, a in enumerate(self.arguments):
            if a == "--" + name:
                return self.arguments[i + 1] if i + 1 < len(self.arguments) else ""
            if a.startswith("--" + name + "="):
                return a.split("=", 1)[1]
        return None

    def set(self, name, value):
        for i, a in enumerate(self.arguments):
            if a == "--" + name:
                self.arguments[i + 1] = str(value)
                return
        self.arguments += ["--" + name, str(value)]

    def at_most(self, name, most, add=False):
        """Numbers of a list or a size (64x64, 64,64,10) to at most this."""
        value = self.get(name)
        if value is None and add:
            self.set(name, most)
        elif value is not None and re.fullmatch(r"[\dx,]+", value):
            self.set(name, re.sub(r"\d+", lambda m: str(min(int(m.group()), most)), value))


def brief(program, arguments):
    """The arguments of a run that is over soon."""
    o = Options(arguments)
    if any(a in ("--help", "--examples", "--version") for a in arguments):
        return arguments
    if program == "wave":
        o.at_most("steps", 20, add=True)
        o.at_most("snapshot-every", 10)
        o.at_most("field-every", 10)
        o.at_most("checkpoint-every", 10)
        if o.get("velocity") is None and o.get("source") in (None, "none") and o.get("survey") is None:
            o.at_most("size", 64)
            if o.get("size") is None:
                o.set("size", "48x48x24")
    elif program == "md":
        mps = o.get("model") == "mps"
        o.at_most("steps", 5 if mps else 40, add=True)
        for every in ("dump-every", "frame-every", "profile-every"):
            o.at_most(every, 2 if mps else 20)
        if mps and o.get("size"):
            o.set("size", "small")
        elif o.get("model") == "granular":
            o.at_most("size", 16)
        elif not mps and o.get("input") is None:
            o.at_most("cells", 8, add=True)
    elif program == "locality":
        o.at_most("steps", 40)
        o.at_most("every", 10)
        if arguments[0] in ("cache", "recommend"):
            o.at_most("size", 16)
        elif arguments[0] == "hits":
            o.at_most("size", 32)
    elif program == "doctor":
        return arguments if "--no-rates" in arguments else arguments + ["--no-rates"]
    elif program == "roofline":
        if o.get("program") == "md":
            if o.get("ordering") is None:
                o.set("ordering", "hilbert")
            return arguments if "--quick" in arguments else arguments + ["--quick"]
        o.set("size", 16)
        o.set("seconds", 1)
    return arguments


def run_brief(program, arguments):
    name = os.path.basename(program)
    os.execv(program, [name] + brief(name, arguments))


# --- the command lines -------------------------------------------------------------------------


def files_of_the_project(ending):
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(d for d in folders if not d.startswith((".", "build")))
        found += [os.path.relpath(os.path.join(folder, n), ROOT) for n in sorted(names) if n.endswith(ending)]
    return found


def joined(lines):
    """Lines that end in a backslash, with what follows."""
    text = "\n".join(lines)
    return re.sub(r" *\\\n\s*", " ", text).split("\n")


def lines_of_markdown(path):
    text = open(os.path.join(ROOT, path)).read()
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        for line in joined(block.split("\n")):
            line = line.strip()
            if line and not line.startswith("#") and (language == "sh" or COMMAND.match(line)):
                yield line
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for line in joined(text.split("\n")):
        if line.startswith("    ") and COMMAND.match(line.strip()):
            yield line.strip()
    for span in re.findall(r"`([^`]+)`", text):
        span = " ".join(span.split())
        if " " in span and COMMAND.match(span):
            yield span


def lines_of_help(build):
    asked = [[p, "--help"] for p in PROGRAMS] + [["md", "--model", "mps", "--help"]]
    first = subprocess.run([build + "/locality", "--help"], capture_output=True, text=True, check=True).stdout
    asked += [["locality", s, "--help"] for s in sorted(set(re.findall(r"^ +locality (\w+) --", first, re.M)))]
    for command in asked:
        text = subprocess.run([build + "/" + command[0]] + command[1:], capture_output=True, text=True, check=True).stdout
        for line in joined(text.split("\n")):
            if re.match(r" +(%s)( -| [a-z]+ -|$)" % "|".join(PROGRAMS), line) and "[default" not in line:
                yield " ".join(command), line.strip()
    for command in [[p, "--examples"] for p in PROGRAMS] + [["md", "--model", "mps", "--examples"]]:
        text = subprocess.run([build + "/" + command[0]] + command[1:], capture_output=True, text=True, check=True).stdout
        for line in joined(text.split("\n")):
            if line and not line.startswith("#"):
                yield " ".join(command), line


def all_lines(build):
    """(where, line), each line once."""
    seen = {}
    for path in files_of_the_project(".md"):
        for line in lines_of_markdown(path):
            seen.setdefault(re.sub(r"\s+#.*", "", line), path)
    for where, line in lines_of_help(build):
        seen.setdefault(line, where)
    return [(where, line) for line, where in seen.items()]


# --- running -----------------------------------------------------------------------------------


def expected_files(line):
    """What the options of a line say that it writes."""
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    o = Options(words)
    names = []
    if "--dry-run" in words:
        return names
    for option in ("traces", "csv", "plot", "json", "dump", "field", "picture", "profile", "write-data", "map", "report", "output"):
        value = o.get(option)
        if value and value not in ("-", "none"):
            names += value.replace("{shot}", "1").split(",")
    if "-o" in words:
        names.append(words[words.index("-o") + 1])
    if not shutil.which("gnuplot"):  # the programs say so, and leave the scripts
        names = [n for n in names if n != o.get("plot")]
    return names


def present(name):
    return os.path.isdir(name) and os.listdir(name) or os.path.isfile(name) and os.path.getsize(name) > 0


def run_line(line):
    """Run in the present folder; None, or what was wrong."""
    for pattern, make in INPUTS:
        if re.search(pattern, line):
            make()
    try:
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "still running after %d s" % LIMIT_S
    if done.returncode:
        return "exit code %d: %s" % (done.returncode, done.stderr.strip()[-500:])
    missing = [n for n in expected_files(line) if not present(n)]
    return "left no %s" % ", ".join(missing) if missing else None


def make_wrappers(folder, build):
    os.mkdir(folder)
    for name in os.listdir(build):
        program = os.path.join(build, name)
        if not (os.path.isfile(program) and os.access(program, os.X_OK)):
            continue
        if name in PROGRAMS:
            wrapper = os.path.join(folder, name)
            write_text(wrapper, "#!/bin/sh\nexec %s -S -E %s --brief %s \"$@\"\n" % (
                shlex.quote(sys.executable), shlex.quote(os.path.abspath(__file__)), shlex.quote(program)))
            os.chmod(wrapper, 0o755)
        else:
            os.symlink(program, os.path.join(folder, name))


def reduced(line, used):
    line = re.sub(r"^((?:[A-Z_]+=\S+ +)*)(?:\./|build(?:-\w+)?/)(?=\w)", r"\1", line)
    for pattern, instead in RULES:
        changed = re.sub(pattern, instead, line)
        if changed != line:
            used.add(pattern)
        line = changed
    return line


def check_scripts(lines, failures):
    """No script of the examples and benchmarks is left without a run or a reason."""
    shown = " ".join(line for _, line in lines)
    for path in files_of_the_project(".sh"):
        if not path.startswith(("examples/", "bench/")):
            continue
        known = path in shown or path in SCRIPTS or any(re.search(p, path) for p in EXCEPTIONS)
        if not known:
            failures.append("%s: no document shows how to run it, and no test does" % path)
    tests = open(ROOT + "/examples/CMakeLists.txt").read()
    for path, reason in SCRIPTS.items():
        example = reason.startswith("test example_") and reason[len("test example_"):]
        if not os.path.exists(os.path.join(ROOT, path)) or example and example not in tests:
            failures.append("SCRIPTS: %s (%s) is not there any more" % (path, reason))


def main():
    build = os.path.abspath(sys.argv[1])
    words = " ".join(sys.argv[2:])
    work = tempfile.mkdtemp()
    make_wrappers(work + "/programs", build)
    os.environ.update(PATH=work + "/programs:" + os.environ["PATH"], XDG_CACHE_HOME=work + "/cache",
                      OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="", LC_ALL="C")
    os.environ.pop("TORRE_TUNE", None)
    failures, used, count = [], set(), 0
    if not shutil.which("gnuplot"):
        EXCEPTIONS[r"^gnuplot "] = "gnuplot is not installed here"
    if not shutil.which("ffmpeg"):
        EXCEPTIONS[r"--movie "] = "ffmpeg is not installed here"
    lines = all_lines(build)
    for where, line in lines:
        excuse = [p for p in EXCEPTIONS if re.search(p, re.sub(r"^(build(-\w+)?/)", "", line))]
        used.update(excuse)
        if excuse or words not in line:
            continue
        short = reduced(line, used)
        folder = "%s/%d" % (work, TUTORIALS.index(where) - len(TUTORIALS) if where in TUTORIALS else count)
        if not os.path.isdir(folder):
            os.mkdir(folder)
            os.symlink(work + "/programs", folder + "/build")
            for name in ("examples", "bench"):
                os.symlink(os.path.join(ROOT, name), folder + "/" + name)
        os.chdir(folder)
        start = time.time()
        wrong = run_line(short)
        count += 1
        if wrong:
            failures.append("%s: %s\n    ran as: %s\n    %s" % (where, line, short, wrong))
        print("%5.1f s  %s  %s" % (time.time() - start, "FAILED" if wrong else "ok    ", line), flush=True)
    os.chdir("/")
    shutil.rmtree(work)
    if not words:
        check_scripts(lines, failures)
        for pattern in [p for p, _ in RULES] + list(EXCEPTIONS):
            if pattern not in used:
                failures.append("no command line needs this any more: %s" % pattern)
    for failure in failures:
        print("FAILED  " + failure)
    print("%d command lines run, %d failures" % (count, len(failures)))
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    if sys.argv[1] == "--brief":
        run_brief(sys.argv[2], sys.argv[3:])
    sys.exit(main())
