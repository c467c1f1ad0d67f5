/* Discrete Fourier transforms of lengths that are powers of two. */
#ifndef TORRE_FOURIER_H
#define TORRE_FOURIER_H

#include <stdint.h>

typedef struct torre_complex {
    double re, im;
} torre_complex;

/* turn[k] = exp(-2 pi i k / n), k = 0 .. n/2 - 1: what transforms of length n take. */
void torre_fourier_turns(int64_t n, torre_complex *turn);

/*
 * x[k] = sum over j of x[j] exp(-2 pi i j k / n), in place; n a power of two. The inverse, but for
 * the factor 1 / n, is the transform with k and n - k exchanged.
 */
void torre_fourier(int64_t n, const torre_complex *turn, torre_complex *x);

#endif
