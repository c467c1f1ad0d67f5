#include "wave/plane_norms.h"

#include <math.h>

void torre_norms_add_row(torre_norm_sums *sums, torre_precision precision, const void *row,
                         int64_t cells)
{
    const float *u32 = row;
    const double *u64 = row;
    const bool single = precision == TORRE_F32;
    double t = sums->top, q = sums->squares;
#pragma omp simd reduction(max : t) reduction(+ : q)
    for (int64_t z = 0; z < cells; z++) {
        double v = single ? (double)u32[z] : u64[z];
        t = fabs(v) > t ? fabs(v) : t;
        q += v * v;
    }
    sums->top = t;
    sums->squares = q;
}

torre_wave_norms torre_norms_of_planes(const torre_norm_sums *plane, int64_t planes)
{
    double top = 0, squares = 0;
    for (int64_t x = 0; x < planes; x++) {
        if (plane[x].top > top) top = plane[x].top;
        squares += plane[x].squares;
    }
    return (torre_wave_norms){.max_abs = top, .l2 = sqrt(squares), .finite = isfinite(squares)};
}
