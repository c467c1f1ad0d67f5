#!/usr/bin/env python3
"""A point source below a free surface, against the wave of the source and that of its image.

    half_space.py [BUILD] [--check]

The pressure at a receiver is s(t - r/c) / (4 pi c^2 r) - s(t - r'/c) / (4 pi c^2 r'), where r' is the
distance of the image above the surface. That is u = 0 one cell above the first cells: cell k is (k + 1) h
deep. The run ends before anything returns from the other faces.
"""
import sys

import numpy as np

import analytic as a

C, H = 2000., 10.


def exact(source, receiver, t, frequency):
    """And the sum of 1 / (4 pi c^2 r) over both ways, with which errors are weighed."""
    image = np.array([source[0], source[1], -source[2] - 2 * H])
    r = [np.linalg.norm(np.array(receiver) - s) for s in (source, image)]
    g = [1 / (4 * np.pi * C ** 2 * x) for x in r]
    return sum(sign * gi * a.ricker(t - x / C, frequency) for sign, gi, x in zip((1, -1), g, r)), r, g


def main():
    study = a.Study(__file__)
    n, frequency = (96, 20.) if study.check else (192, 20.)  # ten cells in the wave of the peak frequency
    middle = n // 2 * H
    source = (middle - 0.3 * H, middle + 0.2 * H, n // 8 * H + 0.4 * H)
    receivers = [(middle, middle, n // 5 * H), (middle + 0.07 * n * H + 4.5, middle + 3, n // 5 * H + 4),
                 (middle + n // 7 * H, middle, n // 5 * H), (middle + n // 5 * H, middle, 2 * H)]
    steps = int(0.78 * n / 0.4076)  # a way by another face is 0.8 n H long or more
    traces, t = study.run("traces", size=n, spacing=H, velocity=C, source=a.points([source]), frequency=frequency,
                          receivers=a.points(receivers), steps=steps)
    wanted = []
    for i, receiver in enumerate(receivers):
        trace, r, g = exact(source, receiver, t, frequency)
        between = 3 + 3 * (i == 1)  # axes along which source and receiver are between cells
        bound = sum(gi * (a.stencil_bound(frequency, C, H, x) + a.sinc_bound(between)) for gi, x in zip(g, r))
        peak = np.abs(trace).max()
        wanted.append(trace / peak)
        study.say(f"offset {receiver[0] - source[0]:4.0f} m, {r[0] / C * frequency:4.1f} wavelengths, error of the peak",
                  100 * np.abs(traces[i] - trace).max() / peak, 100 * bound / peak)
        traces[i] /= peak
    if not study.check:
        study.draw_traces(t, traces, wanted, "source and image")
    return study.failed()


if __name__ == "__main__":
    sys.exit(main())
