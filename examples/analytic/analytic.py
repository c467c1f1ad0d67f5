"""What the comparisons of this folder share: a run of `wave`, exact waves, a bound on the error, a figure."""
import json
import os
import shutil
import subprocess
import sys

import numpy as np

# C0 .. C4 of order 8 (src/wave/NUMERICS.md)
STENCIL = np.array([-205 / 144, 8 / 5, -1 / 5, 8 / 315, -1 / 560])


class Study:
    """SCRIPT [BUILD] [--check]: the full figure, or a smaller run that fails where an error exceeds its bound.

    Files go to a folder of the script's name in the current directory; failed() is the exit code.
    """

    def __init__(self, script):
        words = [w for w in sys.argv[1:] if w != "--check"]
        self.check = "--check" in sys.argv
        self.wave = os.path.join(os.path.abspath(words[0] if words else "build"), "wave")
        self.name = os.path.splitext(os.path.basename(script))[0]
        self.bad = 0
        os.makedirs(self.name, exist_ok=True)
        os.chdir(self.name)

    def run(self, name, **options):
        """Traces (receiver, sample), and the times of samples. x_y="1" is --x-y 1; f64, order 8, no pictures."""
        options = {"order": 8, "precision": "f64", "snapshot_every": 0, "traces": name + ".npy", "json": name + ".json",
                   **options}
        words = [w for key, value in options.items() for w in ("--" + key.replace("_", "-"), str(value))]
        subprocess.run([self.wave, "--quiet", *words], check=True)
        with open(name + ".json") as file:
            dt = json.load(file)["dt_s"]
        traces = np.load(name + ".npy")
        return traces, np.arange(traces.shape[1]) * dt

    def say(self, what, value, bound, unit="%"):
        """A number beside its bound."""
        good = abs(value) <= bound
        self.bad += not good
        print(f"{what}: {value:.3g} {unit}, bound {bound:.3g} {unit}{'' if good else '  EXCEEDED'}")

    def failed(self):
        return f"{self.name}: {self.bad} errors exceed their bounds" if self.bad else 0

    def draw(self, name, columns, header, script):
        """columns as a CSV file, and a figure of it by gnuplot; DATA in the script is the file."""
        np.savetxt(name + ".csv", np.column_stack(columns), delimiter=",", header=header, comments="", fmt="%.8g")
        with open(name + ".gp", "w") as file:
            file.write(f"set datafile separator ','\nset terminal pngcairo size 900,450 font ',10'\nset grid\n"
                       f"set output '{name}.png'\n" + script.replace("DATA", f"'{name}.csv'"))
        drawn = shutil.which("gnuplot")
        if drawn:
            subprocess.run(["gnuplot", name + ".gp"], check=True)
        print(f"{self.name}/{name}.png" if drawn else f"{self.name}/{name}.gp, for gnuplot")

    def draw_traces(self, t, traces, wanted, title):
        """Traces of a peak of 1, one above the other, over what they should be."""
        n = len(traces)
        lines = [f"DATA using 1:(${first + i} + {1.5 * i}) every ::1 with lines {style} title '{'' if i else what}'"
                 for i in range(n) for first, style, what in
                 ((2 + n, "lw 4 lc rgb '#bbbbbb'", title), (2, "lc rgb '#b02020'", "wave"))]
        self.draw("traces", [t, *traces, *wanted], "t_s," + ",".join(f"{k}_{i}" for k in ("wave", "exact") for i in range(n)),
                  "set xlabel 'time, s'\nset ylabel 'of the peak; receivers one above the other'\nset key top left\nplot "
                  + ", ".join(lines) + "\n")


def lag(trace, wanted, dt):
    """By how much a trace is late: where its correlation with another is largest, between samples by a parabola."""
    c = np.correlate(trace, wanted, "full")
    i = int(c.argmax())
    return (i - len(wanted) + 1 + (c[i - 1] - c[i + 1]) / (2 * (c[i - 1] - 2 * c[i] + c[i + 1]))) * dt


def integral(y, x):
    """By trapezia."""
    return ((y[1:] + y[:-1]) * np.diff(x)).sum() / 2


def points(positions):
    """Text of --receivers and --source."""
    return ";".join(",".join(f"{x:.10g}" for x in p) for p in positions)


def ricker(t, frequency):
    """The wavelet of `wave`: its peak is at 1.2 / frequency, it is zero before 0."""
    a = (np.pi * frequency * (t - 1.2 / frequency)) ** 2
    return np.where(t < 0, 0, (1 - 2 * a) * np.exp(-a))


def spectrum(frequency):
    """Frequencies and |ricker| of them, in steps that sum to the peak of the wavelet."""
    f = np.linspace(0, 4 * frequency, 401)[1:]
    s = f ** 2 * np.exp(-(f / frequency) ** 2)
    return f, s / s.sum()


def slowness_error(f, velocity, h):
    """k' / k - 1 of the grid's waves along an axis, where they are slowest: lambda(k' h) = (w h / c)^2."""
    a = np.linspace(0, np.pi, 20001)
    root = np.sqrt(-2 * STENCIL[0] - 2 * sum(c * np.cos(i * a) for i, c in enumerate(STENCIL) if i))
    wanted = 2 * np.pi * f * h / velocity
    return np.where(wanted < root[-1], np.interp(wanted, root, a) / wanted - 1, np.inf)


def stencil_bound(frequency, velocity, h, r):
    """A bound on the error of a trace at the distance r, of its peak: what order 8 does to the waves of a Ricker wavelet.

    With d = k' / k - 1 a phase is off by k r d. d depends on the direction n as sum of n^(2 R + 2), which bends the
    surface of slowness by (2 R + 2) d along each of two axes, and group velocity differs by 2 R d: an amplitude is off
    by (4 R + 2) d at most. No frequency errs by more than 2, and all are added as if they met in one place. Time has no
    error, since traces are corrected for it.
    """
    f, s = spectrum(frequency)
    d = slowness_error(f, velocity, h)
    return (s * np.minimum(2, (2 * np.pi * f / velocity * r + 18) * d)).sum()


def sinc_bound(axes):
    """Of positions between nodes, for each of so many axes (NUMERICS.md: waves of 4 points and more)."""
    return 0.0013 * axes
