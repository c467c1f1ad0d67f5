#!/usr/bin/env python3
"""Runs that are stopped and go on: checkpoint.py PROGRAMS TEST, where TEST is a function below (test_...).

Results are compared byte by byte with those of runs that nothing stopped."""
import glob
import hashlib
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

PROGRAMS = os.path.abspath(sys.argv[1])
RESULTS = (".npy", ".png", ".sgy", ".csv", ".xyz", ".dump", ".data")
WAVE = ["wave", "--size", "60x50x40", "--steps", "240", "--receivers", "10,10,10:300.5,300,190:7",
        "--traces", "t.npy,t.sgy", "--dt", "0.5e-3", "--field", "u.npy", "--snapshot-every", "50"]


MELT = ["md", "--cells", "6", "--steps", "300", "--thermo", "20", "--csv", "melt.csv", "--dump", "melt.xyz",
        "--dump-every", "30", "--seed", "3"]
MEASURES = ["--rdf", "g.csv", "--rdf-every", "20", "--msd", "msd.csv", "--vacf", "vacf.csv", "--correlation-window", "150",
            "--stress", "p.csv", "--viscosity", "eta.csv", "--measure-from", "40"]
TYPES = ["--types", "80:20", "--pairs",
         "1-1 epsilon=1 sigma=1 cutoff=2.5; 1-2 epsilon=1.5 sigma=0.8 cutoff=2; 2-2 epsilon=0.5 sigma=0.88 cutoff=2.2"]
NPT = ["--ensemble", "npt", "--pressure", "8", "--target-temperature", "1.1", "--pressure-damping", "0.3"]
GAS = ["md", "--model", "granular", "--size", "8,8,6", "--walls", "--gravity", "9.81", "--shake-amplitude", "1.8",
       "--shake-frequency", "50", "--steps", "800", "--csv", "gas.csv", "--thermo", "100", "--profile", "height.csv",
       "--profile-every", "50", "--dump", "gas.dump", "--dump-every", "300"]
ROUGH = [*GAS, "--friction", "0.5", "--wall-friction", "0.5", "--rolling-friction", "0.1", "--sizes", "two", "--side-walls"]
DAM = ["md", "--model", "mps", "--dimensions", "2", "--spacing", "0.01", "--steps", "400", "--thermo", "20", "--csv",
       "dam.csv", "--gauges", "0.05,0", "--dump", "dam.xyz", "--dump-every", "2"]


def start(*command, **options):
    words = [os.path.join(PROGRAMS, command[0]), *command[1:], "--quiet"]
    if "--backend" not in words:
        words += ["--backend", "cpu"]
    return subprocess.Popen(words, stderr=subprocess.PIPE, text=True, **options)


def run(*command, code=0, **options):
    process = start(*command, **options)
    told = process.communicate()[1]
    assert process.returncode == code, f"{command}: exit code {process.returncode}, not {code}: {told}"
    return told


def digests(folder="."):
    return {n: hashlib.sha256(open(os.path.join(folder, n), "rb").read()).hexdigest()
            for n in sorted(os.listdir(folder)) if n.endswith(RESULTS)}


def calm(command):
    """The results of a run that nothing stops."""
    os.mkdir("calm")
    run(*command, cwd="calm")
    return digests("calm")


def whole(*state):
    """Whether there is nothing but results and checkpoints."""
    left = [n for n in os.listdir(".") if not n.endswith(RESULTS + (".state", ".state.1")) and n != "calm"]
    assert not left, f"{left} are left behind"


def layers(path, light, heavy):
    """An array (60, 40), light above heavy."""
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (60, 40), }"
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        f.write(struct.pack("<40f", *([light] * 20 + [heavy] * 20)) * 60)


def test_bits():
    """Stopped at some step and gone on otherwise: other threads, tiles, heights, engines."""
    os.mkdir("model")
    layers("model/density.npy", 1000, 2300)
    for number, options in enumerate((
            [], ["--order", "8", "--precision", "f64", "--boundary", "absorbing,z-=free"],
            ["--boundary", "x=absorbing,y=rigid,z=periodic", "--absorbing", "sponge", "--absorbing-width", "6"],
            ["--density", os.path.abspath("model/density.npy"), "--boundary", "absorbing,z-=rigid"],
            ["--boundary", "absorbing,z-=free", "--absorbing-width", "5"],
            ["--initial", "noise", "--seed", "5", "--source", "none", "--order", "6", "--time-dispersion", "leave"])):
        command = [*WAVE, *options]
        for name in digests():
            os.remove(name)
        shutil.rmtree("calm", ignore_errors=True)
        expected = calm(command)
        run(*command, "--checkpoint", "c.state", "--checkpoint-every", "90", "--threads", "1")
        for state in ("c.state", "c.state.1"):  # of step 180, of step 90
            for other in (["--threads", "2", "--dts", "2", "--tower-height", "7"], ["--engine", "stepwise"],
                          ["--engine", "torre", "--dts", "5", "--threads", "1"]):
                for name in digests():
                    os.remove(name)
                run(*command, *other, "--resume", state)
                found = digests()
                # snapshots before the step of the checkpoint were written before it
                assert len(found) >= 4 and found == {n: expected[n] for n in found}, (number, state, other)
    command = [w if w != "60x50x40" else "32x32x21" for w in WAVE] + ["--engine", "reference"]
    shutil.rmtree("calm")
    expected = calm(command)
    run(*command, "--checkpoint", "c.state", "--checkpoint-every", "100")
    os.remove("u.npy")
    run(*command, "--resume", "c.state")
    assert digests()["u.npy"] == expected["u.npy"] and digests()["t.npy"] == expected["t.npy"]


def fresh(command):
    """The results of a run that nothing stops, and an empty folder."""
    for name in os.listdir("."):
        shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
    return calm(command)


def test_particles():
    """Every kind of run of md: lists, sweeps over tiles, types, thermostats, precisions, grains, a fluid."""
    for command in (
            [*MELT, *MEASURES], [*MELT, "--neighbor", "half", "--deterministic"], [*MELT, "--neighbor", "tile", "--precision", "f32"],
            [*MELT, "--precision", "mixed", "--ordering", "hilbert", "--sort-every", "60"],
            [*MELT, "--ensemble", "langevin", "--temperature", "1.2", "--ordering", "none"],
            [*MELT, "--ensemble", "berendsen", "--temperature", "1.2", "--rebuild-every", "20"],
            [*MELT, "--ensemble", "bussi", "--final-temperature", "0.9"], [*MELT, "--ensemble", "nose-hoover"],
            [*MELT, *MEASURES, *TYPES, "--ensemble", "nose-hoover"], [*MELT, "--ensemble", "fire"],
            [*MELT, *NPT, "--final-pressure", "25"], [*MELT, *NPT, "--precision", "mixed", "--pressure-axes", "axes"],
            [*MELT, *NPT, *TYPES, "--neighbor", "tile", "--precision", "f32"],
            [*MELT, *TYPES, "--neighbor", "half", "--deterministic", "--ordering", "hilbert", "--sort-every", "60"],
            [*MELT, "--cells", "4", "--backend", "reference", "--precision", "f64"], GAS,
            [*GAS, "--precision", "f32"], ROUGH, [*ROUGH, "--neighbor", "tile", "--precision", "mixed"],
            [*ROUGH, "--backend", "reference", "--precision", "f64"], DAM, [*DAM, "--precision", "mixed"]):
        if command.count("--cells") > 1:
            at = command.index("--cells")
            command = command[:at] + command[at + 2:]
        expected = fresh(command)
        steps = int(command[command.index("--steps") + 1])
        one, two = ([] if "reference" in command else ["--threads", n] for n in "12")
        run(*command, *one, "--checkpoint", "c.state", "--checkpoint-every", str(steps * 37 // 100))
        for state in ("c.state.1", "c.state"):
            shutil.copy(state, "d.state")
            run(*command, *two, "--resume", "d.state")
            assert digests() == expected, (command, state)
        whole()


def test_gpu_particles():
    """The same on a GPU (exit code 77: none), where also kills leave whole checkpoints."""
    if subprocess.run([os.path.join(PROGRAMS, "md"), "--backend", "cuda", "--dry-run", "--quiet"],
                      capture_output=True, check=False).returncode:
        sys.exit(77)
    gpu = ["--backend", "cuda", "--precision", "f32"]
    for command in (
            [*MELT, *gpu, *MEASURES], [*MELT, *gpu, *MEASURES, *TYPES], [*MELT, *gpu, "--neighbor", "half"], [*MELT, *gpu, "--neighbor", "tile"],
            [*MELT, *gpu, "--ordering", "hilbert", "--sort-every", "60"],
            [*MELT, *gpu, "--ensemble", "langevin", "--temperature", "1.2", "--ordering", "none"],
            [*MELT, *gpu, "--ensemble", "berendsen", "--temperature", "1.2", "--rebuild-every", "20"],
            [*MELT, *gpu, "--ensemble", "bussi", "--final-temperature", "0.9"],
            [*MELT, *gpu, *TYPES, "--ensemble", "nose-hoover"], [*MELT, *gpu, "--ensemble", "baoab"],
            [*MELT, *gpu, "--ensemble", "fire"], [*GAS, *gpu],
            [*ROUGH, *gpu], [*DAM, *gpu]):
        expected = fresh(command)
        steps = int(command[command.index("--steps") + 1])
        run(*command, "--checkpoint", "c.state", "--checkpoint-every", str(steps * 37 // 100))
        assert digests() == expected, command
        for state in ("c.state.1", "c.state"):
            shutil.copy(state, "d.state")
            run(*command, "--resume", "d.state")
            assert digests() == expected, (command, state)
        whole()
    told = run(*DAM, "--backend", "cpu", "--precision", "f32", "--resume", "c.state", code=3)
    assert "backend: cuda, now it is cpu" in told, told


def test_particle_kills():
    """A dozen kills of each at random, SIGTERM and SIGKILL: the results of no kill."""
    seed = int(os.environ.get("SEED", time.time_ns() % 2**32))
    print("SEED", seed)
    chance = random.Random(seed)
    stopped = 0
    for command in (MELT, GAS, DAM):
        command = [w if w not in ("300", "800", "400") else str(4 * int(w)) for w in command]
        begun = time.monotonic()
        expected = fresh(command)
        longest = time.monotonic() - begun
        for kill in range(12):
            state = ["--resume", "c.state"] if os.path.exists("c.state") else []
            process = start(*command, "--checkpoint", "c.state", "--checkpoint-every", "15", *state)
            number = chance.choice([signal.SIGTERM, signal.SIGKILL])
            time.sleep(chance.uniform(0, longest / 3))
            process.send_signal(number)
            told = process.communicate()[1]
            assert process.returncode in (0, 75, -number), f"{process.returncode}: {told}"
            stopped += process.returncode == 75
        state = ["--resume", "c.state"] if os.path.exists("c.state") else []
        run(*command, *state)
        assert digests() == expected, command
    print(stopped, "stopped by SIGTERM")


def test_particles_refused():
    """Another problem, or another way to add forces up: one line that says what."""
    run(*MELT, "--checkpoint", "c.state", "--checkpoint-every", "100")
    for options, what in ((["--density", "0.8"], "box"), (["--dt", "0.004"], "time_step"), (["--seed", "4"], "start"),
                          (["--neighbor", "half"], "neighbor"), (["--skin", "0.4"], "neighbor"),
                          (["--ordering", "morton"], "ordering"), (["--precision", "f32"], "precision"),
                          (["--temperature", "1"], "start"), (["--dump-every", "60"], "intervals"),
                          (["--model", "granular", "--size", "8,8,6"], "model: lj, now it is granular")):
        words = [*MELT]
        if options[0] in words:
            words[words.index(options[0]) + 1] = options[1]
            options = []
        if "granular" in options:
            words = GAS
            options = []
        told = run(*words, *options, "--resume", "c.state", code=3)
        assert f"c.state is of a run with another {what}" in told and told.count("\n") == 1, (options, told)
    run(*MELT, *TYPES, "--checkpoint", "types.state", "--checkpoint-every", "100")
    for options, now in (([], "none"), (["--types", "70:30", *TYPES[2:]], "2, checksum"), ([*TYPES, "--masses", "1,2"], "2, checksum")):
        told = run(*MELT, *options, "--resume", "types.state", code=3)
        assert "another types: 2, checksum" in told and f"now it is {now}" in told and told.count("\n") == 1, told
    run(*MELT, "--checkpoint", "c.state", "--checkpoint-every", "100")
    told = run(*[w if w != "300" else "100" for w in MELT], "--resume", "c.state", code=2)
    assert "--steps must be at least 200, the step of c.state (got 100)" in told, told
    told = run(*MELT, *MEASURES, "--resume", "c.state", code=3)
    assert "another" in told, told
    told = run(*MELT, "--checkpoint", "melt.csv", code=2)
    assert "melt.csv cannot be a checkpoint and a result" in told, told
    told = run(*[w if w != "melt.xyz" else "melt.xyz.gz" for w in MELT], "--checkpoint", "d.state", code=2)
    assert "cannot go on with melt.xyz.gz: it is compressed" in told, told
    with open("melt.csv", "r+") as f:
        f.seek(80)
        f.write("x")
    told = run(*MELT, "--resume", "c.state", code=3)
    assert "cannot go on with melt.csv" in told and "has changed" in told, told


def test_kills():
    """Two dozen kills at random, SIGTERM and SIGKILL: always a whole checkpoint, and the results of no kill."""
    seed = int(os.environ.get("SEED", time.time_ns() % 2**32))
    print("SEED", seed)
    chance = random.Random(seed)
    command = [w if w != "240" else "2000" for w in WAVE] + ["--field-every", "100"]
    begun = time.monotonic()
    expected = calm(command)
    longest = time.monotonic() - begun
    stopped = killed = 0
    for kill in range(24):
        state = ["--resume", "c.state"] if os.path.exists("c.state") else []
        process = start(*command, "--checkpoint", "c.state", "--checkpoint-every", "25", *state)
        number = chance.choice([signal.SIGTERM, signal.SIGKILL])
        time.sleep(chance.uniform(0, longest / 4))
        process.send_signal(number)
        told = process.communicate()[1]
        if process.returncode == 75:
            stopped += 1
            assert "go on with --resume c.state" in told, told
        elif process.returncode == -signal.SIGKILL:
            killed += 1
        else:
            assert process.returncode in (0, -number), f"{process.returncode}: {told}"
    run(*command, "--checkpoint", "c.state", "--resume", "c.state")
    assert digests() == expected
    for name in glob.glob("*.png.*.part") + glob.glob("[tu].*.part"):
        os.remove(name)  # of results, which no later run looks for
    whole()
    print(f"{stopped} stopped by SIGTERM, {killed} killed")


def test_stops():
    """--max-time and signals: exit code 75, a checkpoint, the results so far, and the step it goes on from."""
    expected = calm(WAVE)
    told = run(*WAVE, "--max-time", "0.001s", "--checkpoint", "c.state", code=75)
    assert "stopped by --max-time after step" in told and "go on with --resume c.state" in told, told
    run(*WAVE, "--resume", "c.state")
    assert digests() == expected
    told = run(*WAVE, "--max-time", "0.001s", code=75)
    assert told.endswith("the results up to there are written\n"), told
    # as after a kill between the two names of a checkpoint
    os.link("c.state", "linked.state")
    os.replace("linked.state", "c.state.1")
    run(*WAVE, "--resume", "c.state", "--checkpoint", "c.state")
    assert digests() == expected
    # by the clock: at every look
    run(*WAVE, "--checkpoint", "d.state", "--checkpoint-every", "1e-6s")
    run(*WAVE, "--resume", "d.state.1")
    assert digests() == expected


def test_refused():
    """Another model or geometry, names that clash, values that are none: one line that says what."""
    layers("density.npy", 1000, 2300)
    layers("other.npy", 1000, 2301)
    for first in ("density.npy", "other.npy"):
        run(*WAVE, "--density", first, "--checkpoint", "d.state", "--checkpoint-every", "100")
        told = run(*WAVE, "--density", "density.npy", "--resume", "d.state", code=0 if first == "density.npy" else 3)
    assert "another density: 1000 to 2301 kg/m^3, checksum" in told, told
    run(*WAVE, "--checkpoint", "c.state", "--checkpoint-every", "100")
    for options, what in ((["--density", "density.npy"], "density: the same everywhere, now it is 1000 to 2300 kg/m^3"),
                          (["--velocity", "1999"], "velocity: 2000 m/s, now it is 1999 m/s"),
                          (["--order", "2"], "order"),
                          (["--boundary", "periodic"], "boundary"), (["--precision", "f64"], "precision: f32"),
                          (["--dt", "0.4e-3"], "time_step"), (["--source", "100,100,100"], "sources"),
                          (["--frequency", "11"], "wavelet"), (["--receivers", "10,10,10:300,300,200:7"], "receivers"),
                          (["--interpolation", "trilinear"], "interpolation"), (["--steps", "241"], "steps"),
                          (["--engine", "reference"], "backend: cpu, now it is cpu, the reference"),
                          (["--initial", "noise"], "initial: zero, now it is noise of seed 1"), (["--size", "60x50x41"], "grid: 60x50x40")):
        name = options[0]
        words = list(WAVE)
        if name in words:
            words[words.index(name) + 1] = options[1]
        else:
            words += options
        if name == "--initial":
            words += ["--source", "150,150,100"]
        told = run(*words, "--resume", "c.state", code=3)
        assert "c.state is of a run with another " in told and what in told, (options, told)
        assert told.count("\n") == 1, told
    for options, code, what in (
            (["--checkpoint-every", "5"], 2, "--checkpoint-every belongs to --checkpoint FILE"),
            (["--checkpoint", "d.state", "--checkpoint-every", "5m"], 2, "such as 30s, 10min or 2h (got 5m)"),
            (["--checkpoint", "d.state", "--checkpoint-every", "0"], 2, "steps above 0"),
            (["--max-time", "10"], 2, "--max-time must be a time such as 90s, 30min or 11.5h (got 10)"),
            (["--checkpoint", "u.npy"], 2, "--field and --checkpoint both write u.npy"),
            (["--resume", "none.state"], 3, "cannot read none.state"),
            (["--resume", "u.npy", "--dry-run"], 2, "--field would write over u.npy, which the run reads"),
            (["--checkpoint", "no/such/folder"], 3, "cannot write no/such/folder"),
            (["--checkpoint", "/dev/full", "--checkpoint-every", "100"], 3, "cannot write /dev/full: No space left"),
            (["--resume", "c.state", "--field-every", "10"], 3, "field_every: 0, now it is 10")):
        told = run(*WAVE, *options, code=code)
        assert what in told and told.count("\n") == 1, (options, told)
    write = [*WAVE]
    write[write.index("t.npy,t.sgy")] = "c.state.1.npy"
    assert run(*write, "--checkpoint", "c.state.1.npy", code=2).count("both write") == 1


def test_damaged():
    """A flipped byte in a file of a run: exit code 3, the chunk by its name, and the one before is still good."""
    expected = calm(WAVE)
    run(*WAVE, "--checkpoint", "c.state", "--checkpoint-every", "90")
    data = bytearray(open("c.state", "rb").read())
    for share, chunk in ((0.3, "u[n]"), (0.7, "u[n-1]"), (0.999, "traces")):
        at = int(share * len(data))
        data[at] ^= 16
        with open("c.state", "wb") as f:
            f.write(data)
        data[at] ^= 16
        told = run(*WAVE, "--resume", "c.state", code=3)
        assert f"the chunk '{chunk}' is damaged" in told and "the one before it is c.state.1" in told, told
    with open("c.state", "wb") as f:
        f.write(data[:-1])
    told = run(*WAVE, "--resume", "c.state", code=3)
    assert f"the file ends too early, after {len(data) - 1} bytes" in told, told
    run(*WAVE, "--resume", "c.state.1")
    assert digests() == expected


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        globals()["test_" + sys.argv[2]]()
