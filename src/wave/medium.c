/* The medium of a problem: velocity of a cell, ranges of arrays, which of their values is none. */
#include <string.h>

#include "wave/pml.h"

static int64_t values_of(const torre_array *v) { return v->shape[0] * v->shape[1] * v->shape[2]; }

double torre_wave_velocity_at(const torre_wave_problem *p, int64_t x, int64_t y, int64_t z)
{
    const torre_array *v = p->velocity_cells;
    if (!v) return p->velocity;
    x = torre_pml_clamp(p, 0, x);
    y = v->shape[1] == 1 ? 0 : torre_pml_clamp(p, 1, y);
    z = torre_pml_clamp(p, 2, z);
    return torre_value(v->precision, v->data, (x * v->shape[1] + y) * v->shape[2] + z);
}

/*
 * Least and largest bits of values, read as whole numbers: an order that vectors have, unlike that
 * of numbers of which some may be none. Numbers above 0 are in their own order; 0 and what is below
 * it have bits of 0 or less, infinity and what is no number have those of infinity or more.
 */
static void bits_f32(const float *values, int64_t n, int32_t *low, int32_t *high)
{
    int32_t least = INT32_MAX, most = INT32_MIN;
#pragma omp parallel for simd reduction(min : least) reduction(max : most)
    for (int64_t i = 0; i < n; i++) {
        int32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        least = bits < least ? bits : least;
        most = bits > most ? bits : most;
    }
    *low = least;
    *high = most;
}

static void bits_f64(const double *values, int64_t n, int64_t *low, int64_t *high)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
#pragma omp parallel for simd reduction(min : least) reduction(max : most)
    for (int64_t i = 0; i < n; i++) {
        int64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        least = bits < least ? bits : least;
        most = bits > most ? bits : most;
    }
    *low = least;
    *high = most;
}

/* Least and largest value by their bits: both are above 0 and finite where all values are. */
void torre_wave_medium_range(const torre_array *v, double *low, double *high)
{
    if (v->precision == TORRE_F32) {
        int32_t bits[2];
        float range[2];
        bits_f32(v->data, values_of(v), &bits[0], &bits[1]);
        memcpy(range, bits, sizeof range);
        *low = (double)range[0];
        *high = (double)range[1];
    } else {
        int64_t bits[2];
        bits_f64(v->data, values_of(v), &bits[0], &bits[1]);
        memcpy(low, &bits[0], sizeof *low);
        memcpy(high, &bits[1], sizeof *high);
    }
}

void torre_wave_velocity_range(const torre_wave_problem *p, double *low, double *high)
{
    *low = *high = p->velocity;
    if (p->velocity_cells) torre_wave_medium_range(p->velocity_cells, low, high);
}

static bool is_medium(double c) { return c > 0 && !isinf(c); }

int64_t torre_wave_medium_bad(const torre_array *v)
{
    double low, high;
    torre_wave_medium_range(v, &low, &high);
    if (is_medium(low) && is_medium(high)) return -1;
    int64_t i = 0;
    while (is_medium(torre_value(v->precision, v->data, i))) i++;
    return i;
}
