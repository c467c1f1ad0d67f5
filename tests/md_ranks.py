#!/usr/bin/env python3
"""Runs of `md` by several ranks of MPI: md_ranks.py MD TEST, where TEST is a function below (test_...). Results are
compared byte by byte with those of one process. 77, skipped, where there is no mpirun."""
import json
import os
import signal
import sys

import mpirun

FILES = ["--csv", "t.csv", "--dump", "d.xyz", "--dump-every", "20", "--write-data", "w.data", "--picture", "p.png"]
MELT = ["--cells", "6x5x8", "--steps", "60", "--thermo", "20"]
GAS = ["--model", "granular", "--size", "12,14,11", "--filling", "0.2", "--walls", "--gravity", "9.81", "--steps", "200",
       "--thermo", "40"]
LONG = ["--cells", "12", "--steps", "20000000", "--csv", "t.csv", "--dump", "d.xyz", "--dump-every", "1000000",
        "--picture", "none"]
DAM = ["--model", "mps", "--spacing", "0.01", "--tank", "0.3,0.2,0.08", "--water", "0,0,0:0.08,0.12,0.08",
       "--water", "0.2,0,0:0.3,0.03,0.08", "--obstacle", "0.14,0,0.02:0.18,0.04,0.06", "--steps", "200",
       "--thermo", "20"]
GATE = ["--gate", "0.1:0.002:2"]
FLUID_FILES = ["--csv", "t.csv", "--dump", "d.xyz", "--dump-every", "40", "--output", ".", "--gauges", "0.04,0.02,0.04",
               "--pressure-probes", "0,0.02,0.04", "--height-gauges", "0.04,0.04;0.15,0.04"]
MEASURES = ["--rdf", "g.csv", "--msd", "m.csv", "--vacf", "v.csv", "--stress", "s.csv", "--stress-every", "10",
            "--rdf-every", "10", "--correlation-every", "5", "--correlation-window", "20"]

program = mpirun.Program(sys.argv[1])
start, md, lines = program.start, program.run, program.lines
results, anew, alike = program.results, program.anew, program.alike


def test_results():
    """All kinds of files; every model, thermostat and barostat; with memory in common, and some by messages."""
    for program.messages, transport in ((True, "MPI, through buffers on the host"), (False, "memory in common")):
        told = alike(3, *MELT, *FILES, *MEASURES)
        assert told["ranks"] == 3 and told["transport"] == transport and told["link_wait_s"] >= 0, told
        assert told.get("transport_why", "").startswith("memory in common") == program.messages, told
    for ensemble in ("langevin", "baoab", "bussi", "nose-hoover", "berendsen", "fire"):
        program.messages = not program.messages
        alike(2, *MELT, *FILES, "--ensemble", ensemble)
    program.messages = False
    alike(3, *MELT, *FILES, "--ensemble", "npt", "--pressure", "2")
    alike(2, *MELT, *FILES, "--types", "70:30", "--pairs", "1-1 epsilon=1; 2-2 epsilon=0.5 sigma=0.9")
    alike(3, *MELT, *FILES, "--model", "wca")
    alike(2, *MELT, *FILES, "--model", "morse", "--neighbor", "tile", "--precision", "mixed")
    alike(3, *GAS, *FILES, "--profile", "h.csv")
    program.messages = True
    alike(2, *GAS, *FILES, "--friction", "0.5", "--sizes", "two", "--size-ratio", "0.7", "--side-walls")
    alike(3, *DAM, *GATE, *FLUID_FILES, "--side-walls")
    program.messages = False
    alike(2, *DAM, *GATE, *FLUID_FILES, "--precision", "f64")


def test_checkpoint():
    """A checkpoint goes on with any number of ranks."""
    expected = None
    for first, then in ((1, 3), (2, 1), (3, 2)):
        anew()
        md(first, *MELT, *FILES, "--checkpoint", "c.state", "--checkpoint-every", "40")
        expected = expected or results()
        there = results()
        assert there == expected, [n for n in {*there, *expected} if there.get(n) != expected.get(n)]
        md(then, *MELT, *FILES, "--resume", "c.state")
        there = results()
        assert there == expected, [n for n in {*there, *expected} if there.get(n) != expected.get(n)]
    rough = [*GAS, "--friction", "0.5", "--dump", "d.xyz"]
    md(2, *rough, "--checkpoint", "c.state", "--checkpoint-every", "100")
    expected = results()["d.xyz"]
    md(3, *rough, "--resume", "c.state")
    assert results()["d.xyz"] == expected, "rough grains go on otherwise"
    anew()
    md(3, *DAM, *GATE, *FLUID_FILES, "--checkpoint", "c.state", "--checkpoint-every", "100")
    expected = results()
    md(2, *DAM, *GATE, *FLUID_FILES, "--resume", "c.state")
    there = results()
    assert there == expected, [n for n in {*there, *expected} if there.get(n) != expected.get(n)]


def test_killed():
    """A rank that dies is told by its number; nothing hangs, and nothing is left half-written."""
    for rank, program.messages in ((1, False), (2, True), (0, False)):
        process = start(3, *LONG)
        os.kill(mpirun.process_of(process, rank), signal.SIGKILL)
        told = process.communicate(timeout=60)[1]
        assert process.returncode != 0 and lines(told) == [f"md: rank {rank} has died"], told
        # a table is there row by row; of rank 0 nobody is left to remove what it had begun
        there = [name for name in os.listdir(".") if rank or not name.endswith(".part")]
        assert there == ["t.csv"], os.listdir(".")
        anew()


def test_silent():
    """A rank that neither dies nor says anything."""
    for program.messages in (True, False):
        anew()
        process = start(3, *LONG, limit=5)
        stopped = mpirun.process_of(process, 2)
        os.kill(stopped, signal.SIGSTOP)
        told = process.communicate(timeout=60)[1]
        assert process.returncode == 4 and lines(told) == ["md: rank 2 has said nothing for 5 s"], told
        assert os.listdir(".") == ["t.csv"], os.listdir(".")


def test_stops():
    """A signal to rank 0 leaves complete results up to there."""
    process = start(3, *LONG)
    os.kill(mpirun.process_of(process, 0), signal.SIGTERM)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 75 and lines(told)[0].startswith("md: stopped by SIGTERM after step"), told
    assert sorted(os.listdir(".")) == ["d.xyz", "t.csv"], os.listdir(".")


def test_unstable():
    for options in ([*MELT, "--dt", "0.2"], [*DAM, "--sound-speed", "0.5"]):
        told = [lines(md(ranks, *options, "--picture", "none", code=5)) for ranks in (1, 3)]
        assert len(told[0]) == 1 and told[0] == told[1], told
        anew()


def test_refused():
    for options, code, says in ((["--neighbor", "half"], 2, "--neighbor half does not go with ranks"),
                                (["--sort-every", "40"], 2, "--sort-every"),
                                (["--ordering", "none"], 2, "--sort-every"),
                                (["--bin-size", "9", "--cells", "4"], 2, "take fewer"),
                                (["--backend", "reference"], 2, "--backend reference"),
                                (["--cells", "0"], 2, "--cells"),
                                (["--input", "missing.data"], 3, "missing.data"),
                                (["--csv", "missing/t.csv"], 3, "missing/t.csv")):
        told = lines(md(2, "--steps", "10", "--picture", "none", *options, code=code))
        assert len(told) == 1 and says in told[0], f"{options}: {told}"
    assert os.listdir(".") == [], os.listdir(".")


def test_dry_run():
    md(3, *MELT, *FILES, "--dry-run", "--json", "report.json")
    with open("report.json") as f:
        told = json.load(f)
    assert told["ranks"] == 3 and told["threads"] == 1, told
    assert os.listdir(".") == ["report.json"], os.listdir(".")
    process = start(2, *MELT, "--dry-run", quiet=False)
    told = process.communicate(timeout=120)[0]
    assert "# 2 ranks share the particles" in told, told


if __name__ == "__main__":
    mpirun.main(globals())
