#!/usr/bin/env python3
"""A point source in a velocity that grows with depth, v = v0 + g z, against the exact wave.

    gradient.py [BUILD] [--check]

Waves travel along circles; the wave of a source where the velocity is v1 reaches a point where it is v2 at the time
t = d / g, cosh d = 1 + g^2 r^2 / (2 v1 v2). There is more: with v = g z the operator c^2 lap is that of hyperbolic
space, u = z^(-1/2) w with w_tt = g^2 (Lap + 1 - 1/4) w, and in a space of three dimensions w sinh d obeys the equation
of a string with a mass of 1/2. So the whole wave is known, amplitude and all:

    u(t) = g / (4 pi v1^(5/2) v2^(1/2) sinh d) (s(t - d/g) - integral over y from d to g t of
           s(t - y/g) (d / 2) J1(q / 2) / q dy),    q^2 = y^2 - d^2

With g to 0 it is s(t - r/c) / (4 pi c^2 r).
"""
import math
import sys

import numpy as np

import analytic as a

V0, G, H = 1500., 1.5, 10.


def velocity(z):
    return V0 + G * z


def distance(source, receiver):
    r2 = sum((x - y) ** 2 for x, y in zip(source, receiver))
    return math.acosh(1 + G ** 2 * r2 / (2 * velocity(source[2]) * velocity(receiver[2])))


def j1_over(x):
    """J1(x) / x, by its power series: x is below 2 here."""
    return sum((-1) ** k * (x / 2) ** (2 * k) / (2 * math.factorial(k) * math.factorial(k + 1)) for k in range(12))


def exact(source, receiver, t, frequency):
    v1, v2, d = velocity(source[2]), velocity(receiver[2]), distance(source, receiver)
    scale = G / (4 * math.pi * v1 ** 2.5 * v2 ** .5 * math.sinh(d))
    tail = np.zeros_like(t)
    for i, now in enumerate(t):
        if G * now > d:
            y = np.linspace(d, G * now, 401)
            tail[i] = a.integral(a.ricker(now - y / G, frequency) * d / 4 * j1_over(np.sqrt(np.maximum(y * y - d * d, 0)) / 2), y)
    return scale * (a.ricker(t - d / G, frequency) - tail)


def quiet_until(n, source, receivers):
    """When the first wave returns from a face: the quickest way by any of 31 x 31 places on each."""
    end, best = (n - 1) * H, math.inf
    line = np.linspace(0, end, 31)
    for axis in range(3):
        for side in (-H, end + H):
            for p in line:
                for q in line:
                    place = [p, q]
                    place.insert(axis, side)
                    best = min(best, distance(source, place) + min(distance(place, r) for r in receivers))
    return best / G


def late_bound(frequency, v, h, seconds):
    """Of the lag, which weighs frequencies by the energy of the trace's slope: a stencil's, v the least velocity.

    Near a source waves have not found their phase yet, which is worth a radian.
    """
    f, s = a.spectrum(frequency)
    weight = (s * f) ** 2
    return (weight * (seconds + 1 / (2 * np.pi * f)) * np.minimum(1, a.slowness_error(f, v, h))).sum() / weight.sum()


def main():
    study = a.Study(__file__)
    n, frequency = (80, 20.) if study.check else (160, 20.)
    np.save("velocity.npy", np.tile(velocity(np.arange(n) * H), (n, 1)))
    middle = n // 2 * H
    source = (middle, middle, 0.45 * n * H)
    receivers = [(middle + x * n * H, middle + y * n * H, (0.45 + z) * n * H) for x, y, z in
                 ((0, 0, .1), (.15, 0, 0), (.1, -.1, -.1), (0, .1, -.2), (-.2, .1, 0), (.1, .1, .2))]
    dt = float(f"{0.9 * 0.45286 * H / velocity(n * H):.3g}")
    traces, t = study.run("traces", size=f"{n}x{n}x{n}", spacing=H, velocity="velocity.npy", source=a.points([source]),
                          frequency=frequency, receivers=a.points(receivers), dt=dt,
                          steps=int(quiet_until(n, source, receivers) / dt))
    wanted = []
    for u, p in zip(traces, receivers):
        w = exact(source, p, t, frequency)
        arrival, slowest, peak = distance(source, p) / G, velocity(min(source[2], p[2])), np.abs(w).max()
        late = a.lag(u, w, t[1])
        print(f"arrival {arrival:.4f} s, in the run {arrival + late:.4f} s")
        study.say("  late by", 1e3 * late, 1e3 * late_bound(frequency, slowest, H, arrival), "ms")
        study.say("  error of the peak", 100 * np.abs(u - w).max() / peak,
                  100 * a.stencil_bound(frequency, slowest, H, slowest * arrival))
        u /= peak
        wanted.append(w / peak)
    if not study.check:
        study.draw_traces(t, traces, wanted, "exact")
    return study.failed()


if __name__ == "__main__":
    sys.exit(main())
