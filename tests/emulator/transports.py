#!/usr/bin/env python3
"""Runs of `wave` and `md` by ranks of MPI with an emulated GPU each: transports.py WAVE MD FOLDER, where FOLDER has
libnccl.so.2 and libfake_mpi.so (tests/fake_cuda). Whatever way planes and particles go, fields, traces, rows and frames
have the bits of one process."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

WAVE, MD, FAKE = (os.path.abspath(name) for name in sys.argv[1:4])
RUN = ["--backend", "cuda", "--steps", "48", "--quiet", "--snapshot-every", "0", "--source", "300,60,50;500,50,60", "--receivers", "100,100,100:500,50,40:7",
       "--initial", "noise", "--field", "u.npy", "--traces", "t.npy"]
WAYS = (("MPI, through buffers on the host", {"TORRE_TRANSPORT": "host"}), ("copies from GPU to GPU", {}),
        ("MPI, from memory of GPUs", {"TORRE_TRANSPORT": "mpi", "LD_PRELOAD": os.path.join(FAKE, "libfake_mpi.so")}),
        ("NCCL 2.28.9, from memory of GPUs", {"TORRE_TRANSPORT": "nccl", "LD_LIBRARY_PATH": FAKE,
                                              "FAKE_NCCL_FOLDER": "."}))
PARTICLES = ["--backend", "cuda", "--quiet", "--picture", "none", "--steps", "200", "--thermo", "50", "--csv", "rows.csv",
             "--dump", "d.xyz", "--dump-every", "100"]


def launch(ranks, words, **variables):
    environment = {**os.environ, "FAKE_CUDA_COUNT": "3", "OMP_NUM_THREADS": "1", "TORRE_TUNE": "off",
                   "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    by = ["mpirun", "-n", str(ranks), "env", *(f"{k}={v}" for k, v in variables.items())] if ranks > 1 else []
    subprocess.run([*by, *words, "--json", "r.json"], env=environment, check=True, timeout=200)
    with open("r.json", encoding="utf-8") as r:
        return json.load(r)


def wave(ranks, options, **variables):
    told = launch(ranks, [WAVE, *RUN, *options], **variables)
    with open("u.npy", "rb") as u, open("t.npy", "rb") as t:
        return u.read(), t.read(), told


def md(ranks, options, **variables):
    told = launch(ranks, [MD, *PARTICLES, *options], **variables)
    with open("rows.csv", "rb") as rows, open("d.xyz", "rb") as frames:
        return rows.read(), frames.read(), told


def check_md():
    for options in (["--cells", "5", "--temperature", "3", "--precision", "f64"],
                    ["--model", "granular", "--size", "12,10,8", "--filling", "0.3", "--temperature", "1"],
                    ["--model", "granular", "--size", "12,10,8", "--filling", "0.3", "--temperature", "1",
                     "--friction", "0.5", "--rolling-friction", "0.1", "--sizes", "two"]):
        rows, frames, _ = md(1, options)
        for ranks in (2, 3):
            for transport, variables in WAYS:
                there = md(ranks, options, **variables)
                assert there[2]["transport"] == transport, there[2]
                assert there[0] == rows and there[1] == frames, f"{options}: other bits by {transport}"


def main():
    if not shutil.which("mpirun"):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_md()
        for order, size, ranks, more in (("2", "108x20x18", 3, []), ("8", "160x22x20", 2, []),
                                         ("2", "72x24x22", 2, ["--boundary", "absorbing", "--absorbing", "pml",
                                                               "--absorbing-width", "4"])):
            options = ["--order", order, "--size", size, *more]
            u, t, _ = wave(1, options)
            for transport, variables in WAYS:
                there = wave(ranks, options, **variables)
                assert there[2]["transport"] == transport and there[2]["tower_height"] < 25, there[2]
                assert there[0] == u and there[1] == t, f"{options}: other bits by {transport}"


if __name__ == "__main__":
    main()
