#!/usr/bin/env python3
"""The equation of state of the Lennard-Jones fluid of Thol, Rutkai, Koester, Lustig, Span and Vrabec.

J. Phys. Chem. Ref. Data 45, 023101 (2016), doi:10.1063/1.4945000: the residual Helmholtz energy a over T is a function
of delta = rho/0.31 and tau = 1.32/T, and the pressure is rho T (1 + delta da/ddelta). It is for the full potential, in
units of sigma and epsilon, for 0.66 < T < 9. The coefficients are those that teqp and thermopack have, two programs
that list them in different orders. As a program it holds them against what others have computed:

    equation.py
"""
import math
import sys

T_CRITICAL, RHO_CRITICAL = 1.32, 0.31

# n, t, d of n tau^t delta^d
POLYNOMIAL = [(0.52080730e-2, 1.000, 4), (0.21862520e+1, 0.320, 1), (-0.21610160e+1, 0.505, 1),
              (0.14527000e+1, 0.672, 2), (-0.20417920e+1, 0.843, 2), (0.18695286e+0, 0.898, 3)]
# n, t, d, l of n tau^t delta^d exp(-delta^l)
EXPONENTIAL = [(-0.90988445e-1, 1.294, 5, 1), (-0.49745610e+0, 2.590, 2, 2), (0.10901431e+0, 1.786, 2, 1),
               (-0.80055922e+0, 2.770, 3, 2), (-0.56883900e+0, 1.786, 1, 2), (-0.62086250e+0, 1.205, 1, 1)]
# n, t, d, eta, beta, gamma, epsilon of n tau^t delta^d exp(-eta (delta - epsilon)^2 - beta (tau - gamma)^2)
GAUSSIAN = [(-0.14667177e+1, 2.830, 1, 2.067, 0.625, 0.710, 0.2053),
            (0.18914690e+1, 2.548, 1, 1.522, 0.638, 0.860, 0.4090),
            (-0.13837010e+0, 4.650, 2, 8.820, 3.910, 1.940, 0.6000),
            (-0.38696450e+0, 1.385, 3, 1.722, 0.156, 1.480, 1.2030),
            (0.12657020e+0, 1.460, 3, 0.679, 0.157, 1.490, 1.8290),
            (0.60578100e+0, 1.351, 2, 1.883, 0.153, 1.945, 1.3970),
            (0.11791890e+1, 0.660, 1, 3.925, 1.160, 3.020, 1.3900),
            (-0.47732679e+0, 1.496, 2, 2.461, 1.730, 1.110, 0.5390),
            (-0.99218575e+1, 1.830, 3, 28.20, 383.0, 1.170, 0.9340),
            (-0.57479320e+0, 1.616, 1, 0.753, 0.112, 1.330, 2.3690),
            (0.37729230e-2, 4.970, 1, 0.820, 0.119, 0.240, 2.4300)]


def slope(rho, temperature):
    """da/ddelta"""
    delta, tau = rho / RHO_CRITICAL, T_CRITICAL / temperature
    total = sum(n * tau ** t * d * delta ** (d - 1) for n, t, d in POLYNOMIAL)
    total += sum(n * tau ** t * math.exp(-delta ** l) * delta ** (d - 1) * (d - l * delta ** l)
                 for n, t, d, l in EXPONENTIAL)
    return total + sum(
        n * tau ** t * math.exp(-eta * (delta - epsilon) ** 2 - beta * (tau - gamma) ** 2)
        * delta ** (d - 1) * (d - 2 * eta * delta * (delta - epsilon))
        for n, t, d, eta, beta, gamma, epsilon in GAUSSIAN)


def pressure(rho, temperature):
    return rho * temperature * (1 + rho / RHO_CRITICAL * slope(rho, temperature))


def stiffness(rho, temperature, power=1):
    """dP/drho, or with power 2 the second derivative, by differences."""
    h = 1e-3 * rho
    below, here, above = (pressure(rho + k * h, temperature) for k in (-1, 0, 1))
    return (above - below) / (2 * h) if power == 1 else (above - 2 * here + below) / h ** 2


def density(wanted, temperature, near):
    """Where the pressure is that, by Newton's rule from a density of the same phase."""
    rho = near
    for _ in range(50):
        step = (wanted - pressure(rho, temperature)) / stiffness(rho, temperature)
        rho += step
        if abs(step) < 1e-12 * rho:
            return rho
    raise ValueError(f"no density of pressure {wanted} and temperature {temperature} near {near}")


# --- What others have computed ---

# Monte Carlo with tails, NIST Standard Reference Simulation Website, LJ fluid, mc.htm: rho, P at T = 0.85 and at 0.9
NIST = [(0.001, 8.4402e-4, 8.9429e-4), (0.003, 2.4965e-3, 2.6485e-3), (0.005, 4.1003e-3, 4.3569e-3),
        (0.007, 5.6565e-3, 6.0193e-3), (0.009, 7.1641e-3, 7.6363e-3), (0.776, 6.7714e-3, 2.4056e-1),
        (0.780, 4.7924e-2, 2.7851e-1), (0.820, 5.5355e-1, 8.2386e-1), (0.860, 1.2660, 1.5781), (0.900, 2.2314, 2.5848)]


def second_virial(temperature):
    """By its integral: -2 pi of e^(-u/T) - 1 over r^2 dr; beyond 20 of its first order, -u/T."""
    n, end = 40000, 20.
    total = 0.
    for i in range(n):
        r = (i + 0.5) / n * end
        u = 4 * (r ** -12 - r ** -6) / temperature
        total += (1 - math.exp(-min(u, 700))) * r * r * end / n
    return 2 * math.pi * (total - 4 / (3 * temperature * end ** 3))


def check():
    """Differences as densities, in per cent; returns the largest of those beside NIST."""
    worst = 0.
    for column, temperature in ((1, 0.85), (2, 0.9)):
        for row in NIST:
            off = (pressure(row[0], temperature) - row[column]) / (row[0] * stiffness(row[0], temperature))
            worst = max(worst, 100 * abs(off))
    print(f"beside Monte Carlo of NIST, T 0.85 and 0.9, gas and liquid: a density differs by {worst:.3f} % at most")
    for temperature in (0.7, 1., 2., 6.):
        exact, of_equation = second_virial(temperature), slope(1e-9, temperature) / RHO_CRITICAL
        print(f"second virial coefficient at T {temperature:3.1f}: {of_equation:8.4f}, exactly {exact:8.4f}")
        if abs(of_equation - exact) > 2e-3 * max(1, abs(exact)):
            worst = math.inf
    flat = [stiffness(RHO_CRITICAL, T_CRITICAL, power) for power in (1, 2)]
    print(f"at the critical point dP/drho and the second derivative are {flat[0]:.1e} and {flat[1]:.1e}")
    if max(map(abs, flat)) > 1e-3:
        worst = math.inf
    return worst


if __name__ == "__main__":
    sys.exit(0 if check() < 0.05 else "equation.py: this is not the equation")
