"""Files of `wave` through NumPy and a scheme written from its definition alone.

Usage: independent.py WAVE. A velocity model, an initial field and a source go in as NumPy files;
the field and the traces that come out are compared with a few lines of NumPy (order 2, f64).
"""
import json
import subprocess
import sys
import tempfile

import numpy as np

wave = sys.argv[1]
rng = np.random.default_rng(1)
shape, h, dt, steps, frequency = (11, 9, 13), 10.0, 1e-3, 25, 18.0


def step(now, before, c, q):
    """One time step with u = 0 one cell outside the grid."""
    lap = -6 * now
    for axis in range(3):
        for shift in (1, -1):
            moved = np.roll(now, shift, axis)
            edge = [slice(None)] * 3
            edge[axis] = 0 if shift == 1 else -1
            moved[tuple(edge)] = 0
            lap += moved
    return 2 * now - before + (c * dt / h) ** 2 * lap + dt**2 * q


def ricker(t):
    a = (np.pi * frequency * (t - 1.2 / frequency)) ** 2
    return (1 - 2 * a) * np.exp(-a)


def run(engine, folder, velocity, initial, c, u0, u1=None):
    subprocess.run(
        [wave, "--backend", "cpu", "--engine", engine, "--precision", "f64", "--order", "2", "--dt", str(dt),
         "--size", "x".join(map(str, shape)), "--steps", str(steps), "--velocity", velocity,
         "--initial", initial, "--source", "40,30,50,3e6", "--frequency", str(frequency),
         "--receivers", "70,20,20;33,47,61", "--time-dispersion", "leave",
         "--interpolation", "trilinear", "--traces", "t.npy", "--field", "u.npy",
         "--snapshot-every", "0", "--json", "run.json", "--quiet"], cwd=folder, check=True)
    if u1 is None:  # at rest
        before = u0 + (step(u0, np.zeros(shape), c, 0) - 2 * u0) / 2
    else:
        before = u1
    now, node, between = u0, [u0[7, 2, 2]], []
    weights = [(3, 0.7), (4, 0.3)], [(4, 0.3), (5, 0.7)], [(6, 0.9), (7, 0.1)]

    def interpolate(u):
        return sum(wx * wy * wz * u[i, j, k] for i, wx in weights[0] for j, wy in weights[1]
                   for k, wz in weights[2])

    between.append(interpolate(u0))
    for n in range(steps):
        q = np.zeros(shape)
        q[4, 3, 5] = 3e6 * ricker(n * dt) / h**3
        now, before = step(now, before, c, q), now
        node.append(now[7, 2, 2])
        between.append(interpolate(now))
    field, traces = np.load(f"{folder}/u.npy"), np.load(f"{folder}/t.npy")
    assert field.shape == shape and field.dtype == np.float64
    assert traces.shape == (2, steps + 1)
    scale = np.abs(now).max()
    # 25 steps of some twenty roundings each, growing at most linearly: 25^2 * 20 * 1.1e-16
    bound = 1.4e-12 * max(scale, np.abs(u0).max())
    assert np.abs(field - now).max() < bound, np.abs(field - now).max() / scale
    assert np.abs(traces - np.array([node, between])).max() < bound
    with open(f"{folder}/run.json") as f:
        report = json.load(f)
    assert report["steps"] == steps and report["options"]["amplitude"] == 1
    assert abs(report["max_abs"] - np.abs(field).max()) < bound
    assert abs(report["l2_norm"] / np.sqrt((field**2).sum()) - 1) < 1e-12


with tempfile.TemporaryDirectory() as folder:
    c3 = 1000 + 1500 * rng.random(shape)
    c2 = c3[:, 0, :]
    u0, u1 = rng.standard_normal(shape), rng.standard_normal(shape)
    np.save(f"{folder}/c3.npy", c3)
    np.save(f"{folder}/c2.npy", np.asfortranarray(c2.astype(">f8")))
    np.save(f"{folder}/u0.npy", np.asfortranarray(u0))
    np.save(f"{folder}/u1.npy", u1)
    for engine in "reference", "stepwise", "torre":
        run(engine, folder, "c3.npy", "u0.npy", c3, u0)
        run(engine, folder, "c3.npy", "u0.npy,u1.npy", c3, u0, u1)
        run(engine, folder, "c2.npy", "u0.npy", np.repeat(c2[:, None, :], shape[1], axis=1), u0)
