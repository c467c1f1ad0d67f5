#include "core/fourier.h"

#include <math.h>

void torre_fourier_turns(int64_t n, torre_complex *turn)
{
    for (int64_t k = 0; k < n / 2; k++) {
        const double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;
        turn[k] = (torre_complex){cos(angle), sin(angle)};
    }
}

/* x[j] <-> x[j with its bits in reverse order] */
static void reverse_bits(int64_t n, torre_complex *x)
{
    for (int64_t i = 1, j = 0; i < n; i++) {
        int64_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        const torre_complex kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}

void torre_fourier(int64_t n, const torre_complex *turn, torre_complex *x)
{
    reverse_bits(n, x);
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t start = 0; start < n; start += 2 * half)
            for (int64_t k = 0; k < half; k++) {
                const torre_complex w = turn[k * (n / 2 / half)];
                torre_complex *a = x + start + k, *b = a + half;
                const double re = w.re * b->re - w.im * b->im, im = w.re * b->im + w.im * b->re;
                *b = (torre_complex){a->re - re, a->im - im};
                *a = (torre_complex){a->re + re, a->im + im};
            }
}
