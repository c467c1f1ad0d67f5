"""Programs run by several ranks of MPI, for ranks.py and md_ranks.py, and the files that they leave."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


class Program:
    def __init__(self, path, kept=()):
        """kept: files that are no results."""
        self.messages = False
        self.path, self.kept = os.path.abspath(path), {"report.json", *kept}

    def start(self, ranks, *options, limit=60, quiet=True):
        """The process of mpirun, or of the program itself for one rank; a thread each; by messages: with no memory in
        common (of a run on a CPU)."""
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMP_NUM_THREADS": "1", "TORRE_RANK_LIMIT": str(limit),
                       "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                       "TORRE_TRANSPORT": "host" if self.messages else "auto"}
        words = [self.path, *([] if "--backend" in options else ["--backend", "cpu"]), *options] + ["--quiet"] * quiet
        out = subprocess.DEVNULL if quiet else subprocess.PIPE
        return subprocess.Popen(["mpirun", "-n", str(ranks), *words] if ranks > 1 else words, env=environment,
                                stdout=out, stderr=subprocess.PIPE, text=True)

    def run(self, ranks, *options, code=0):
        """What it says on stderr, once it has ended with that exit code."""
        process = self.start(ranks, *options)
        told = process.communicate(timeout=120)[1]
        there = process.returncode
        assert there == code, f"{ranks} ranks, {options}: exit code {there}, not {code}: {told}"
        return told

    def lines(self, told):
        """What the program says, of all that mpirun says."""
        return [line for line in told.split("\n") if line.startswith(os.path.basename(self.path) + ": ")]

    def results(self):
        names = [n for n in sorted(os.listdir(".")) if n not in self.kept and ".state" not in n]
        return {n: open(n, "rb").read() for n in names}

    def anew(self):
        for name in self.results():
            os.remove(name)

    def alike(self, ranks, *options):
        """The same files by one process and by so many ranks; the report of these."""
        self.anew()
        self.run(1, *options)
        expected = self.results()
        self.anew()
        self.run(ranks, *options, "--json", "report.json")
        there = self.results()
        assert there.keys() == expected.keys() and expected, f"{options}: {set(there) ^ set(expected)}"
        for name in expected:
            assert there[name] == expected[name], f"{ranks} ranks, {options}: another {name}"
        with open("report.json") as f:
            return json.load(f)


def process_of(mpirun, rank):
    """The process of a rank, once the first has opened its files and some time has passed."""
    for _ in range(400):
        if not os.listdir("."):
            time.sleep(0.05)
            continue
        mine = subprocess.run(["pgrep", "-P", str(mpirun.pid)], capture_output=True, text=True).stdout.split()
        for process in mine:
            try:
                with open(f"/proc/{process}/environ", "rb") as f:
                    if b"OMPI_COMM_WORLD_RANK=%d\0" % rank in f.read():
                        time.sleep(1)
                        return int(process)
            except OSError:
                pass
        time.sleep(0.05)
    raise AssertionError(f"no process of rank {rank}")


def main(tests):
    """The test that the second argument names, in an empty folder; 77, skipped, where there is no mpirun."""
    if not shutil.which("mpirun"):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        tests["test_" + sys.argv[2]]()
