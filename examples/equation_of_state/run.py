#!/usr/bin/env python3
"""Densities of Lennard-Jones fluids at constant pressure, beside those of the equation of state (equation.py).

    run.py [BUILD] [--check]

Each row is a run of `md --ensemble npt`. Its particles feel forces below the cutoff R only. The full potential adds
P_tail = (16/3) pi rho^2 (2/(3 R^9) - 1/R^3), with as many particles beyond R as rho says: so the run is a state of the
full fluid at the pressure P + P_tail, and its density is compared with that of the equation there. With --check the
runs are small, and the exit code tells whether a density is further off than its bound. Files go to the folder
equation_of_state.
"""
import csv
import math
import os
import subprocess
import sys

import equation

# T, P of the run, cutoff, cells of the lattice, a density near that of the phase, steps
STATES = [(0.8, 0.5, 4.0, 6, 0.83, 300000), (0.8, 0.5, 3.0, 6, 0.82, 300000), (1.2, 0.5, 4.0, 6, 0.66, 300000),
          (2.0, 3.0, 4.0, 6, 0.69, 300000), (2.0, 1.0, 4.0, 6, 0.47, 300000), (1.5, 0.15, 4.0, 8, 0.14, 600000)]
CHECKED = [(0.8, 0.5, 3.0, 5, 0.82, 25000), (1.5, 0.15, 3.0, 6, 0.14, 60000)]

DT = 0.002
BLOCKS = 20
# Velocity Verlet: an oscillator of frequency w whose velocities have T has the positions of T (1 + (w dt)^2/4). In
# dense liquids w^2, the mean curvature of the potential of a particle over its mass, stays below 400.
HOTTER = 400 * DT ** 2 / 4
# Largest difference of the equation from what others have computed (equation.py), of the density.
EQUATION = 0.05e-2


def run(md, name, state):
    """Densities of the run from a tenth of it on, one of each block."""
    temperature, pressure, cutoff, cells, near, steps = state
    table = name + ".csv"
    subprocess.run([md, "--cells", str(cells), "--density", str(near), "--temperature", str(2 * temperature + 1),
                    "--cutoff", str(cutoff), "--precision", "mixed", "--backend", "cpu", "--dt", str(DT),
                    "--ensemble", "npt", "--pressure", str(pressure), "--target-temperature", str(temperature),
                    "--damping", "0.5", "--pressure-damping", "0.5", "--steps", str(steps), "--thermo", "20",
                    "--csv", table, "--picture", "none", "--quiet"], check=True)
    with open(table) as file:
        volume = [float(row["volume"]) for row in csv.DictReader(file)]
    volume = volume[len(volume) // 10:]
    length = len(volume) // BLOCKS
    count = 4 * cells ** 3
    return count, [count * length / sum(volume[b * length:(b + 1) * length]) for b in range(BLOCKS)]


def mean_of(block):
    mean = sum(block) / len(block)
    return mean, math.sqrt(sum((b - mean) ** 2 for b in block) / (len(block) * (len(block) - 1)))


def tail(rho, cutoff):
    return 16 / 3 * math.pi * rho ** 2 * (2 / (3 * cutoff ** 9) - 1 / cutoff ** 3)


def bound(rho, temperature, pressure, count, error):
    """What the density may be off by, of it.

    Four standard errors, the error of the equation, the temperature of the positions, and the size: volumes have the
    weight V^(N-1) exp(-(P V + F(V))/T), as the centre of mass stays, and their mean is off by
    (T / N P') rho P''/2 P' of it, with derivatives by rho.
    """
    first, second = (equation.stiffness(rho, temperature, power) for power in (1, 2))
    size = temperature / (count * first) * rho * second / (2 * first)
    hot = equation.density(pressure, temperature * (1 + HOTTER), rho) / rho - 1
    return 4 * error / rho + EQUATION + abs(hot) + abs(size)


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    check = "--check" in sys.argv
    md = os.path.join(os.path.abspath(words[0] if words else "build"), "md")
    os.makedirs("equation_of_state", exist_ok=True)
    os.chdir("equation_of_state")
    bad = 0
    print("|   T | particles | cutoff | P of the run | its density | P of the full fluid | density by the equation | "
          "difference, % | bound, % |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for state in CHECKED if check else STATES:
        temperature, pressure, cutoff = state[:3]
        count, block = run(md, f"{temperature}_{pressure}_{cutoff}", state)
        rho, error = mean_of(block)
        full = pressure + tail(rho, cutoff)
        expected = equation.density(full, temperature, rho)
        allowed = bound(expected, temperature, full, count, error)
        off = rho / expected - 1
        bad += not abs(off) <= allowed
        print(f"| {temperature} | {count} | {cutoff} | {pressure} | {rho:.5f} ± {error:.5f} | {full:.4f} | "
              f"{expected:.5f} | {100 * off:+.3f} | {100 * allowed:.3f} |", flush=True)
    return f"equation_of_state: {bad} densities are further off than their bounds" if bad else 0


if __name__ == "__main__":
    sys.exit(main())
