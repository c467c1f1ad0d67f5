#include "bin_stencil.h"

/* Number of k >= 1 with (k - 1)^2 < n: the smallest integer not below sqrt(n); 0 for n <= 0. */
static int64_t ceil_sqrt(int64_t n)
{
    int64_t low = 0, high = TORRE_STENCIL_MAX_REACH;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (middle * middle < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t full_count(const torre_stencil_bins *s)
{
    int64_t g = s->reach, side = 2 * g + 1;
    if (s->shape == TORRE_BIN_BLOCK) return s->dims == 3 ? side * side * side : side * side;
    int64_t plane = 0, octant = 0; /* bins with two, with three positive coordinates */
    for (int64_t i = 0; i < g; i++) {
        int64_t p = ceil_sqrt(g * g - i * i);
        plane += p;
        for (int64_t j = 0; j < p; j++) octant += ceil_sqrt(g * g - i * i - j * j);
    }
    return s->dims == 3 ? 1 + 6 * g + 12 * plane + 8 * octant : 1 + 4 * g + 4 * plane;
}

int64_t torre_stencil_bins_count(const torre_stencil_bins *s)
{
    int64_t full = full_count(s);
    return s->half ? (full + 1) / 2 : full;
}

void torre_stencil_bins_fill(const torre_stencil_bins *s, int32_t (*offset)[3])
{
    int64_t g = s->reach, n = 0, flat = s->dims == 3 ? g : 0;
    for (int64_t i = -g; i <= g; i++)
        for (int64_t j = -g; j <= g; j++)
            for (int64_t k = -flat; k <= flat; k++) {
                if (!torre_stencil_bins_has(s, i, j, k)) continue;
                offset[n][0] = (int32_t)i;
                offset[n][1] = (int32_t)j;
                offset[n++][2] = (int32_t)k;
            }
}

double torre_stencil_bins_deviation(const torre_stencil_bins *s)
{
    const double pi = 3.14159265358979323846;
    double g = (double)s->reach;
    double ball = s->dims == 3 ? 4 * pi / 3 * g * g * g : pi * g * g;
    return 100 * (1 - ball / (double)full_count(s));
}
