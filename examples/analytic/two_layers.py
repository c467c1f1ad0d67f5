#!/usr/bin/env python3
"""Two layers that differ in velocity and density: reflection against angle, head wave, whole traces.

    two_layers.py [BUILD] [--check]

**Coefficient.** A line source in the upper layer, in a grid that is periodic along x: a Fourier transform along x makes
plane waves of it, one for each wave number. With a frequency w + i a, which damps exp(-a t), the end of the run and
what the far faces return do not count. What comes from below, over the wave of the upper layer alone that has gone as
far, is the reflection coefficient

    (rho2 k1 - rho1 k2) / (rho2 k1 + rho1 k2),    ki^2 = (w / ci)^2 - kx^2

**Traces.** In a grid from whose faces nothing returns, with the exact wave (Cagniard and de Hoop) reflected by half
spaces, over the way `down` in z and `x` along the boundary, r^2 = x^2 + down^2:

    Re R(p) / sqrt(t^2 - (r/c)^2) / (2 pi c1^2) after r/c1,  Im R(p) / sqrt((r/c)^2 - t^2) / (2 pi c1^2) before, from
    the head wave, x / c2 + down sqrt(1/c1^2 - 1/c2^2), on;  t = p x + down sqrt(1/c1^2 - p^2)

**The model.** Values drawn at nodes, c1 c1 c2 c2, are no step to the waves of a grid (examples/density/README.md): to first
order in the contrast they reflect too much, by (b / 2) / sin(b / 2) - 1 where the wave number changes by b / h, up to
2 k. What the equation sees of the velocity is 1 / (rho c^2). Its mean over cells, m + (m(-1) - 2 m + m(+1)) / 24, takes
the largest part of that away, as `wave` does itself with 1 / sqrt(rho).
"""
import sys

import numpy as np

import analytic as a

C1, C2, RHO1, RHO2 = 1500., 2500., 1000., 2000.
F = 12.5  # 12 cells of 10 m in the shorter wave
BELOW = 200.  # of the source to the boundary, less half a cell


def coefficient(k1, k2):
    return (RHO2 * k1 - RHO1 * k2) / (RHO2 * k1 + RHO1 * k2)


def mean(v):
    v = np.pad(v, 1, mode="edge")
    return v[1:-1] + (v[2:] - 2 * v[1:-1] + v[:-2]) / 24


def write_model(nx, nz, upper, drawn):
    """upper: cells of the upper layer. drawn: the step as it is at nodes, else its mean over cells."""
    rho, c = (np.where(np.arange(nz) < upper, *values) for values in ((RHO1, RHO2), (C1, C2)))
    if not drawn:
        c = mean(rho ** -.5) / np.sqrt(mean(1 / (rho * c * c)))
    np.save("velocity.npy", np.tile(c, (nx, 1)))
    np.save("density.npy", np.tile(rho, (nx, 1)))


def model_bound(h, drawn):
    """Of a reflection, at straight incidence, where it is largest."""
    f, s = a.spectrum(F)
    b = np.minimum(4 * np.pi * f * h / C1, np.pi)
    factor = b / 2 / np.sin(b / 2) * (1 if drawn else 1 - (1 - np.cos(b)) / 12)
    return (s * abs(factor - 1)).sum()


def waves(study, h, length, above, under, at, receivers, seconds, drawn, **options):
    """Traces with both layers less those with the upper one alone, the latter, times. Lengths in m, at: of the source."""
    nx, nz, upper = round(length / h), round((above + BELOW + under) / h), round((above + BELOW) / h) + 1
    write_model(nx, nz, upper, drawn)
    dt = 0.9 * 0.55463 * h / C2
    options = dict(options, size=f"{nx}x{nz}", spacing=h, source=f"{at:g},{above:g}", frequency=F, receivers=receivers, dt=f"{dt:.6g}",
                   steps=int(seconds / dt))
    both, t = study.run("layers", velocity="velocity.npy", density="density.npy", **options)
    one, _ = study.run("upper", velocity=C1, **options)
    return both - one, one, t


def reflection(study, h, drawn):
    """Angles in degrees, coefficients, exact ones."""
    length, above, n = 1200., 1600., round(1200 / h)
    deep = above + 2 * BELOW + h  # as far from the source as the way to the boundary and back
    receivers = a.points([(i * h, z) for z in (above, deep) for i in range(n)])
    refl, one, t = waves(study, h, length, above, 1600., 0, receivers, 2, drawn, boundary="absorbing,x=periodic")
    w = 2 * np.pi * F + 5j
    kx = 2 * np.pi / length * np.arange(10)
    along = np.exp(-1j * np.outer(kx, np.arange(n) * h))
    measured = (along @ refl[:n] @ np.exp(1j * w * t)) / (along @ one[n:] @ np.exp(1j * w * t))
    k1, k2 = (np.sqrt((w / c) ** 2 - kx ** 2) for c in (C1, C2))
    return np.degrees(np.arcsin(kx * C1 / w.real)), measured, coefficient(k1, k2)


def exact_trace(x, down, t):
    """With y = r / c cosh(b), before r / c1 cos(b), the roots go out of the integrals over the wavelet."""
    r, head = np.hypot(x, down), head_time(x, down)
    out = np.zeros_like(t)

    def integrate(b, y, root, part):
        p = (x * y + down * root) / r ** 2
        k1, k2 = (np.sqrt(1 / c ** 2 - p * p + 0j) for c in (C1, C2))
        return a.integral(part(coefficient(k1, k2)) * a.ricker(now - y, F), b)

    for i, now in enumerate(t):
        s = now * C1 / r
        if s > 1:
            b = np.linspace(0, np.arccosh(s), 801)
            out[i] = integrate(b, r / C1 * np.cosh(b), 1j * r / C1 * np.sinh(b), np.real)
        if now > head and x / r > C1 / C2:
            b = np.linspace(np.arccos(min(1, s)), np.arccos(head * C1 / r), 801)
            out[i] += integrate(b, r / C1 * np.cos(b), -r / C1 * np.sin(b), lambda c: -c.imag)
    return out / (2 * np.pi * C1 ** 2)


def head_time(x, down):
    return x / C2 + down * np.sqrt(C1 ** -2 - C2 ** -2)


def print_angles(study, h, drawn, bound):
    angles, measured, exact = reflection(study, h, drawn)
    for angle, m, e in zip(angles, abs(measured), abs(exact)):
        print(f"  {angle:4.1f} degrees: {m:.4f}, exact {e:.4f}")
    worst = 100 * abs(measured - exact).max()
    if bound:
        study.say("coefficient, modulus and phase, worst of these angles", worst, 100 * bound)
    else:
        print(f"coefficient, modulus and phase, worst of these angles: {worst:.2g} %")
    return angles, measured, exact


def print_traces(study, h, drawn, offsets, bound):
    """And their times, what `wave` has and what is exact, both over the peak."""
    at, above, down = 1800., 1000., 2 * BELOW + h
    traces, _, t = waves(study, h, 4800., above, 1700., at, a.points([(at + x, above) for x in offsets]), 1.62, drawn)
    wanted = np.array([exact_trace(x, down, t) for x in offsets])
    for x, u, w in zip(offsets, traces, wanted):
        way, head, peak = np.hypot(x, down), head_time(x, down), np.abs(w).max()
        error = 100 * np.abs(u - w).max() / peak
        what = f"trace at {x:4.0f} m, error of the peak"
        if bound:
            study.say(what, error, 100 * (bound + a.stencil_bound(F, C1, h, way)))
        else:
            print(f"{what}: {error:.2g} %")
        window = (t > head - 1 / F) & (t < way / C1)
        if way / C1 > head + 2.5 / F:  # the head wave is alone
            late = a.lag(u[window], w[window], t[1])
            print(f"  head wave at {head:.4f} s, in the run at {head + late:.4f} s")
            if bound:  # a wave off by e of its amplitude is late by e / (2 pi f) at most
                off = bound + a.stencil_bound(F, C2, h, x) + a.stencil_bound(F, C1, h, down * 1.25)
                study.say("  late by", 1e3 * late, 1e3 * off / (2 * np.pi * F), "ms")
        u /= peak
        w /= peak
    return t, traces, wanted


def draw(study, angles, traces):
    degrees, drawn, mean_of_cells, exact = angles
    study.draw("coefficient", [degrees, abs(drawn), abs(mean_of_cells), abs(exact)], "degrees,drawn,mean,exact",
               "set xlabel 'angle, degrees'\nset ylabel 'reflected pressure, modulus'\nset key top left\n"
               "plot DATA using 1:4 every ::1 with lines lw 3 lc rgb '#bbbbbb' title 'exact', "
               "DATA using 1:2 every ::1 with points pt 6 ps 1.5 lc rgb '#2050b0' title 'step drawn at nodes', "
               "DATA using 1:3 every ::1 with points pt 2 ps 1.5 lc rgb '#b02020' title 'its mean over cells'\n")
    study.draw_traces(*traces, "half spaces")


def main():
    study = a.Study(__file__)
    offsets = [0., 800., 2000.] if study.check else [0., 400., 800., 1200., 1600., 2000.]
    h, shown = 10., {}
    print("cells of 10 m, 12 in a wave; mean over cells")
    bound = model_bound(h, False)
    degrees, shown["mean"], exact = print_angles(study, h, False, bound)
    traces = print_traces(study, h, False, offsets, bound)
    if not study.check:
        print("cells of 10 m, step drawn at nodes")
        shown["drawn"] = print_angles(study, h, True, model_bound(h, True))[1]
        print_traces(study, h, True, offsets, model_bound(h, True))
        print("cells of 5 m; mean over cells")
        print_angles(study, h / 2, False, None)
        print_traces(study, h / 2, False, offsets, None)
        draw(study, (degrees, shown["drawn"], shown["mean"], exact), traces)
    return study.failed()


if __name__ == "__main__":
    sys.exit(main())
