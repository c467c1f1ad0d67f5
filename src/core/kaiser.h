/* The window of Kaiser: nearly the one that keeps most of its energy in a given band. */
#ifndef TORRE_KAISER_H
#define TORRE_KAISER_H

#include <math.h>

/* I0(beta sqrt(1 - x^2)) for |x| <= 1, zero beyond; I0(beta) at x = 0. I0: modified Bessel function
 * of order zero, by its power series, which has positive terms alone. */
static inline double torre_kaiser(double x, double beta)
{
    const double inside = 1 - x * x;
    if (inside < 0) return 0;
    const double quarter = beta * beta * inside / 4;
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= quarter / ((double)k * k);
        sum += term;
    }
    return sum;
}

#endif
