"""Programs run by several ranks of MPI, for ranks.py and md_ranks.py."""
import os
import subprocess
import time


def start(program, ranks, *options, limit=60, quiet=True):
    """The process of mpirun, or of the program itself for one rank; a thread each."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMP_NUM_THREADS": "1", "TORRE_RANK_LIMIT": str(limit),
                   "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    words = [program, *([] if "--backend" in options else ["--backend", "cpu"]), *options] + ["--quiet"] * quiet
    return subprocess.Popen(["mpirun", "-n", str(ranks), *words] if ranks > 1 else words, env=environment,
                            stdout=subprocess.DEVNULL if quiet else subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(program, ranks, *options, code=0):
    """What it says on stderr, once it has ended with that exit code."""
    process = start(program, ranks, *options)
    told = process.communicate(timeout=120)[1]
    assert process.returncode == code, f"{ranks} ranks, {options}: exit code {process.returncode}, not {code}: {told}"
    return told


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
