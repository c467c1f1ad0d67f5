#!/usr/bin/env python3
"""What runs of the programs give, as hashes, so that a change of the code that must not change results
can show that it does not.

    golden.py record BUILD FILE [--cuda]     run everything of runs.txt with the programs in BUILD
    golden.py compare BUILD FILE [--cuda]    the same, and say what differs from FILE; exit code 1 if any

Hashes hold for one machine and compiler: the recording comes from a build of the commit before the
change, beside the build after it. Counted are all files that a run leaves (unpacked: a .gz holds the
time of its making), its report without times, rates and memory, its standard output where that has
none of these, and its exit code.
"""
import argparse
import gzip
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# of a report: what differs from run to run, or belongs to the machine
VARIES = re.compile(r"version|warnings|device|.*_s|.*per_s|.*memory.*|.*rate|threads|model_bytes_per_update|kernel|why")
SECONDS = re.compile(rb', "seconds": "[^"]*"')  # of a shot in the manifest of a survey
TIMES = re.compile(rb',\s*"time_s": \{[^}]*\}')  # of a report among other text
OWN = {"dt_s"}  # ends as a time does, and is none


def steady(value):
    """A report without what varies."""
    if isinstance(value, dict):
        return {k: steady(v) for k, v in value.items() if k in OWN or not VARIES.fullmatch(k)}
    if isinstance(value, list):
        return [steady(v) for v in value]
    return value


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def run(build, line, version, cuda):
    """Run one line in an empty folder: exit code and hashes by name."""
    words = shlex.split(line)
    silent = words[0] in ("wave", "md", "roofline") and "--help" not in words
    command = [os.path.join(build, words[0])] + words[1:]
    if words[0] in ("wave", "md") and silent:
        if "--backend" not in words:
            command += ["--backend", "cuda" if cuda else "cpu"]
        command += ["--json", "report.json", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        if "--survey" in words:
            shutil.copy(os.path.join(HERE, "shots.csv"), folder)
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(os.environ, OMP_NUM_THREADS="2", TORRE_TUNE="none"))
        result = {"exit": done.returncode}
        if done.returncode:
            result["stderr"] = done.stderr.decode()
        if not silent:
            result["stdout"] = digest(TIMES.sub(b"", done.stdout.replace(version, b"VERSION")))
        for root, _, files in os.walk(folder):
            for name in files:
                path = os.path.join(root, name)
                with (gzip.open if name.endswith(".gz") else open)(path, "rb") as f:
                    data = TIMES.sub(b"", f.read().replace(version, b"VERSION"))
                if name == "report.json":
                    data = json.dumps(steady(json.loads(data)), sort_keys=True).encode()
                if name.endswith(".jsonl"):
                    data = SECONDS.sub(b"", data)
                result[os.path.relpath(path, folder)] = digest(data)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("build")
    parser.add_argument("file")
    parser.add_argument("--cuda", action="store_true", help="on the GPU where a line names no backend")
    parser.add_argument("--only", default="", help="lines that match this expression")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    said = subprocess.run([os.path.join(build, "wave"), "--version"], stdout=subprocess.PIPE, check=True).stdout
    version = re.search(rb"\d+\.\d+\.\d+( \([^)]*\))?", said).group(0)
    with open(os.path.join(HERE, "runs.txt")) as f:
        lines = [l.strip() for l in f if l.strip() and not l.startswith("#")]
    lines = [l for l in lines if re.search(args.only, l)]
    results = {line: run(build, line, version, args.cuda) for line in lines}
    if args.what == "record":
        with open(args.file, "w") as f:
            json.dump(results, f, indent=1)
        print(f"{len(results)} runs, {sum(r['exit'] != 0 for r in results.values())} end with an error")
        return 0
    with open(args.file) as f:
        recorded = json.load(f)
    differing = 0
    for line, result in results.items():
        before = recorded.get(line)
        if before is None:
            print(f"not recorded: {line}")
        elif before != result:
            differing += 1
            names = [n for n in sorted(set(before) | set(result)) if before.get(n) != result.get(n)]
            print(f"differs ({', '.join(names)}): {line}")
            if "stderr" in names:
                print(f"    {result.get('stderr', '').strip()}")
    print(f"{len(results)} runs, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
