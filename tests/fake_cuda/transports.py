#!/usr/bin/env python3
"""How planes go between ranks of `wave` with a GPU each: transports.py BUILD, with the program in BUILD/fake, libnccl.so.2
that stands in for NCCL and libfake_mpi.so for an MPI that takes memory of GPUs (fake_nccl.c, fake_mpi.c).

Whatever way they go, fields end as they end in one piece. What a way lacks is found before the run, which goes another way
and says why; what fails later ends all ranks with code 4 and a line that names one.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FAKE = os.path.join(os.path.abspath(sys.argv[1]), "fake")
WAVE = os.path.join(FAKE, "wave")
SIZE = ["--size", "600x40x30", "--source", "none", "--snapshot-every", "0", "--quiet"]
GRID = [*SIZE, "--initial", "noise.npy,noise.npy", "--tower-height", "5", "--field", "u.npy"]
HOST = "MPI, through buffers on the host"
NCCL = {"TORRE_TRANSPORT": "nccl", "LD_LIBRARY_PATH": FAKE, "FAKE_NCCL_FOLDER": "messages"}
MPI = {"TORRE_TRANSPORT": "mpi", "LD_PRELOAD": os.path.join(FAKE, "libfake_mpi.so")}


def start(ranks, *options, limit=60, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TORRE_", "FAKE_"))}
    environment.update(FAKE_CUDA_COUNT="2", OMP_NUM_THREADS="1", TORRE_TUNE="off", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_btl_vader_single_copy_mechanism="none", TORRE_RANK_LIMIT=str(limit))
    own = [f"{name}={value}" for name, value in variables.items()]  # of the program, not of mpirun
    shutil.rmtree("messages", ignore_errors=True)
    os.mkdir("messages")
    return subprocess.Popen(["mpirun", "-n", str(ranks), "env", *own, WAVE, "--backend", "cuda", *GRID, *options, *([] if "--steps" in options else ["--steps", "70"])],
                            env=environment, stderr=subprocess.PIPE, text=True)


def run(ranks, *options, code=0, **variables):
    process = start(ranks, *options, **variables)
    try:
        told = process.communicate(timeout=100)[1]
    finally:
        process.kill()
    assert process.returncode == code, f"{options}, {variables}: exit code {process.returncode}: {told}"
    return [line for line in told.split("\n") if line.startswith("wave: ")]


def expect(whole, transport, why, ranks, *options, **variables):
    """A run that ends as one piece, by that transport, and the reason that it tells."""
    run(ranks, *options, "--json", "r.json", **variables)
    with open("u.npy", "rb") as f:
        assert f.read() == whole, f"{ranks} ranks, {options}, {variables}: other bits"
    with open("r.json", encoding="utf-8") as f:
        told = json.load(f)
    assert told["transport"].startswith(transport), f"{variables}: {told['transport']}, {told.get('transport_why')}"
    assert why in told.get("transport_why", "") and ("transport_why" in told) == bool(why), \
        f"{variables}: {told.get('transport_why')}"


def check_ways():
    """The bits of one piece by each way, and which is taken unless one is named."""
    for order in ("2", "8"):
        options = ["--order", order]
        subprocess.run([WAVE, "--backend", "cuda", *GRID, *options, *([] if "--steps" in options else ["--steps", "70"])], check=True)
        with open("u.npy", "rb") as f:
            whole = f.read()
        for ranks in (2, 3):
            expect(whole, HOST, "", ranks, *options, TORRE_TRANSPORT="host")
            expect(whole, "copies from GPU to GPU", "", ranks, *options)
            expect(whole, "MPI, from memory of GPUs", "", ranks, *options, **MPI)
            expect(whole, "NCCL 2.28.9, from memory of GPUs", "", ranks, *options, **NCCL)
    apart = {"FAKE_CUDA_APART": "1", "TORRE_TRANSPORT": "auto"}
    expect(whole, "MPI, from", "copies between GPUs: reaching memory", 2, *options, **{**MPI, **apart})
    expect(whole, "NCCL 2.28.9", "MPI: it does not say", 2, *options, **{**NCCL, **apart})
    return whole, options


def check_lacking(whole, options):
    """Ways that are found not to go before the run."""
    os.mkdir("broken")
    with open("broken/libnccl.so.2", "w", encoding="ascii"):
        pass
    for why, variables in (("libnccl.so.2: ", {**NCCL, "LD_LIBRARY_PATH": "broken"}),
                           ("version 2.17.3, 2.18 or a later 2.x is needed", {**NCCL, "FAKE_NCCL_VERSION": "21703"}),
                           ("version 3.1.0", {**NCCL, "FAKE_NCCL_VERSION": "30100"}),
                           ("ranks 0 and 1 have different versions", {**NCCL, "FAKE_NCCL_VERSION": "22800",
                                                                      "FAKE_NCCL_RANK": "1"}),
                           ("meeting rank", {**NCCL, "FAKE_NCCL_FAIL": "INIT", "FAKE_NCCL_RANK": "1"}),
                           ("sending to rank", {**NCCL, "FAKE_NCCL_FAIL": "SEND:1", "FAKE_NCCL_RANK": "0"}),
                           ("bytes come as others", {**NCCL, "FAKE_NCCL_GARBLE": "1"}),
                           ("it does not say that it takes", {"TORRE_TRANSPORT": "mpi"}),
                           ("bytes come as others", {**MPI, "FAKE_MPI": "garble"}),
                           ("MPI: MPI", {**MPI, "FAKE_MPI": "fail"}),
                           ("reaching memory", {"TORRE_TRANSPORT": "peer", "FAKE_CUDA_APART": "1"})):
        expect(whole, HOST, why, 2, *options, **variables)


def check_doctor():
    """Which NCCL there is, or why there is none."""
    def told(**variables):
        run_of = subprocess.run([os.path.join(FAKE, "doctor"), "--no-rates", "--json", "d.json"], capture_output=True, text=True,
                                env={**os.environ, **variables}, check=False)
        with open("d.json", encoding="utf-8") as f:
            return json.load(f)["cuda"]["nccl"], run_of.stdout
    nccl, table = told(LD_LIBRARY_PATH=FAKE)
    assert nccl == "NCCL 2.28.9" and "between ranks: NCCL 2.28.9\n" in table, table
    nccl, table = told(LD_LIBRARY_PATH="broken")
    assert nccl is None and "between ranks: no NCCL: " in table and "libnccl.so.2: " in table, table


def check_failures(options):
    """What fails in the middle of a run, and a rank that dies: code 4 and one line."""
    for variables, words in (({**NCCL, "FAKE_NCCL_FAIL": "SEND:9", "FAKE_NCCL_RANK": "1"}, "rank 1 failed: sending to rank 0 by NCCL"),
                             ({**NCCL, "FAKE_NCCL_FAIL": "RECV:8", "FAKE_NCCL_RANK": "0"}, "receiving from rank 1 by NCCL"),
                             ({**NCCL, "FAKE_NCCL_FAIL": "ASYNC:13"}, "rank"),
                             ({**MPI, "FAKE_MPI": "fail", "FAKE_MPI_FROM": "9"}, "MPI")):
        told = run(2, *options, "--steps", "7000", code=4, **variables)
        assert len(told) == 1 and words in told[0], f"{variables}: {told}"
        assert not os.path.exists("u.npy"), variables
    told = run(2, *options, code=4, **{**MPI, "FAKE_MPI": "die"})
    assert any("set TORRE_TRANSPORT=host" in line for line in told), told
    told = run(2, *options, code=2, TORRE_TRANSPORT="pigeon")
    assert told == ["wave: TORRE_TRANSPORT=pigeon in the environment must be auto, peer, mpi, nccl or host"], told
    for variables in ({}, NCCL, MPI):
        process = start(2, *options, "--steps", "100000000", **variables)
        time.sleep(3)
        mine = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout
        os.kill(int(mine.split()[1]), signal.SIGKILL)
        told = process.communicate(timeout=60)[1]
        assert process.returncode != 0 and "wave: rank 1 has died" in told, f"{variables}: {told}"


def main():
    if not shutil.which("mpirun"):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([WAVE, "--backend", "cpu", *SIZE, "--steps", "0", "--initial", "noise", "--field", "noise.npy"],
                       check=True)
        whole, options = check_ways()
        check_lacking(whole, options)
        check_doctor()
        os.remove("u.npy")
        check_failures(options)


if __name__ == "__main__":
    main()
