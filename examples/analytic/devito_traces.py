#!/usr/bin/env python3
"""The same model, source and receivers in `wave` and in Devito, an independent program: traces beside each other.

    devito_traces.py [BUILD] [--check]      in a Python that has Devito: python3 -m venv VENV; VENV/bin/pip install devito

A velocity that grows with depth, in three dimensions, whose exact waves gradient.py has; source and receivers on
nodes, order 8 in space, f64, the same time step. Both solve the same equation by the same leapfrog, so that with
--time-dispersion leave only digits differ: Devito writes the weights of the stencil with nine of them. That is an
error e of at most 5e-9 + 2 (5e-11 + 5e-12) an axis in h^2 Lap, and of 3 e (c / h)^2 in w^2, so that a wave of the time t
is off by 3 e (c / h)^2 t / (2 w). Rounding of f64 is far below that.
"""
import sys

import numpy as np
from devito import Eq, Function, Grid, Operator, SparseTimeFunction, TimeFunction, configuration, solve

import analytic as a
import gradient as g


def devito(c, h, source, receivers, wavelet, dt):
    """Traces (receiver, sample); the wavelet has one value per step."""
    grid = Grid(c.shape, tuple((n - 1) * h for n in c.shape), dtype=np.float64)
    u = TimeFunction(name="u", grid=grid, space_order=8, time_order=2)
    speed = Function(name="c", grid=grid)
    speed.data[:] = c
    src = SparseTimeFunction(name="src", grid=grid, npoint=1, nt=len(wavelet), coordinates=np.array([source]))
    src.data[:, 0] = wavelet
    rec = SparseTimeFunction(name="rec", grid=grid, npoint=len(receivers), nt=len(wavelet), coordinates=np.array(receivers))
    step = Eq(u.forward, solve(u.dt2 - speed ** 2 * u.laplace, u.forward))
    operator = Operator([step] + src.inject(field=u.forward, expr=src * grid.stepping_dim.spacing ** 2 / h ** 3)
                        + rec.interpolate(expr=u))
    operator.apply(time_m=0, time_M=len(wavelet) - 1, dt=dt)
    return np.array(rec.data).T


def main():
    study = a.Study(__file__)
    configuration["log-level"] = "ERROR"
    n, frequency, h = (64, 20., g.H) if study.check else (160, 20., g.H)
    c = g.velocity(np.arange(n) * h)
    np.save("velocity.npy", np.tile(c, (n, 1)))
    source = [n // 2 * h, n // 2 * h, n // 2 * h]
    receivers = [[(n // 2 + i) * h, (n // 2 + j) * h, (n // 2 + k) * h] for i, j, k in
                 ((0, 0, n // 8), (n // 6, 0, 0), (n // 8, n // 8, -n // 8), (n // 5, -n // 8, n // 10))]
    dt = float(f"{0.9 * 0.45286 * h / c[-1]:.3g}")
    steps = int(g.quiet_until(n, source, receivers) / dt)
    options = dict(size=f"{n}x{n}x{n}", spacing=h, velocity="velocity.npy", source=a.points([source]), frequency=frequency,
                   receivers=a.points(receivers), dt=dt, steps=steps)
    left, t = study.run("left", time_dispersion="leave", **options)
    corrected, _ = study.run("corrected", **options)
    theirs = devito(np.broadcast_to(c, (n, n, n)), h, source, receivers, a.ricker(t, frequency), dt)
    exact = np.array([g.exact(source, p, t, frequency) for p in receivers])
    f, spectrum = a.spectrum(frequency)
    digits = 3 * 5.11e-9 * (c[-1] / h) ** 2 * (spectrum / (4 * np.pi * f)).sum()
    for i in range(len(receivers)):
        peak = np.abs(exact[i]).max()
        study.say(f"receiver {i}, wave - Devito, same scheme, of the peak", 100 * np.abs(left[i] - theirs[i]).max() / peak,
                  100 * digits * t[-1])
        print(f"  from the exact wave: Devito {100 * np.abs(theirs[i] - exact[i]).max() / peak:.2g} %, wave as computed "
              f"{100 * np.abs(left[i] - exact[i]).max() / peak:.2g} %, wave {100 * np.abs(corrected[i] - exact[i]).max() / peak:.2g} %")
        for traces in (left, theirs, corrected):
            traces[i] /= peak
    if not study.check:
        study.draw_traces(t, left, theirs, "Devito")
    return study.failed()


if __name__ == "__main__":
    sys.exit(main())
