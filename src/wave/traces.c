#include "wave/traces.h"

#include <stdlib.h>
#include <string.h>

#include "wave/interpolation.h"

/* Size of the staging buffer where a longer chunk would make it larger. */
static const int64_t staging_bytes = 64 << 20;

static int64_t width_of(const torre_wave_setup *s) { return (int64_t)s->problem->precision; }

int64_t torre_traces_columns(const torre_wave_setup *s, bool summed)
{
    return summed ? s->problem->receiver_count : s->receiver_node_count;
}

int64_t torre_traces_chunk(const torre_wave_setup *s, bool summed, int64_t least)
{
    if (s->receiver_node_count == 0) return INT64_MAX;
    int64_t chunk = staging_bytes / (torre_traces_columns(s, summed) * width_of(s));
    if (chunk < least) chunk = least;
    if (chunk > s->problem->steps) chunk = s->problem->steps;
    return chunk > 0 ? chunk : 1;
}

int64_t torre_traces_bytes(const torre_wave_setup *s, bool summed, int64_t least)
{
    const torre_wave_problem *p = s->problem;
    if (p->receiver_count == 0) return 0;
    if (p->steps >= INT64_MAX / 16 / p->receiver_count) return -1;
    const int64_t chunk = torre_traces_chunk(s, summed, least),
                  columns = torre_traces_columns(s, summed);
    if (chunk >= INT64_MAX / 16 / columns) return -1;
    return width_of(s) * (p->receiver_count * (p->steps + 1) + chunk * columns);
}

torre_status torre_traces_new(const torre_wave_problem *p, torre_array *traces)
{
    traces->precision = p->precision;
    traces->shape[0] = p->receiver_count;
    traces->shape[1] = p->steps + 1;
    traces->shape[2] = 1;
    if (p->receiver_count == 0) return TORRE_OK;
    traces->data = calloc((size_t)(p->receiver_count * (p->steps + 1)), (size_t)p->precision);
    return traces->data ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for traces");
}

torre_status torre_traces_staging(const torre_wave_setup *s, bool summed, int64_t chunk,
                                  void **staging)
{
    *staging = NULL;
    if (s->receiver_node_count == 0) return TORRE_OK;
    *staging = malloc((size_t)(chunk * torre_traces_columns(s, summed) * width_of(s)));
    return *staging ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for traces");
}

/* Where the values of a receiver's nodes are: in a row of samples, in a dense field, or one after
 * the other. */
typedef enum value_place { IN_SAMPLES, IN_FIELD, IN_ORDER } value_place;

/* The first of a segment. */
#define SEGMENT_VALUES                                                                             \
    (place == IN_ORDER   ? next                                                                    \
     : place == IN_FIELD ? value + s->receiver_nodes[g->column].cell                               \
                         : value + g->column)

/* Sums along y, then x, for each tap along z, which are next to each other; those along z last. */
#define NESTED_SUM(name, real)                                                                     \
    static double name(const torre_wave_setup *s, const torre_sum *q, const real *value,           \
                       value_place place)                                                          \
    {                                                                                              \
        const torre_tap *x = s->taps + q->tap, *y = x + q->count[0], *z = y + q->count[1];         \
        const torre_segment *g = s->segments + q->segment;                                         \
        const real *next = value;                                                                  \
        double all[TORRE_TAPS] = {0}, sum = 0;                                                     \
        for (int i = 0; i < q->count[0]; i++) {                                                    \
            double plane[TORRE_TAPS] = {0};                                                        \
            for (int j = 0; j < q->count[1]; j++)                                                  \
                for (int64_t k = 0; k < q->count[2]; k += g++->count) {                            \
                    const real *at = SEGMENT_VALUES;                                               \
                    next = at + g->count;                                                          \
                    if (g->count ==                                                                \
                        TORRE_TAPS) /* most of them, and the compiler knows how many */            \
                        for (int l = 0; l < TORRE_TAPS; l++)                                       \
                            plane[l] += y[j].weight * (double)at[l];                               \
                    else                                                                           \
                        for (int64_t l = 0; l < g->count; l++)                                     \
                            plane[k + l] += y[j].weight * (double)at[l];                           \
                }                                                                                  \
            for (int k = 0; k < TORRE_TAPS; k++) all[k] += x[i].weight * plane[k];                 \
        }                                                                                          \
        for (int k = 0; k < q->count[2]; k++) sum += z[k].weight * all[k];                         \
        return sum;                                                                                \
    }
NESTED_SUM(nested_f32, float)
NESTED_SUM(nested_f64, double)

/* Node after node. */
#define PLAIN_SUM(name, real)                                                                      \
    static double name(const torre_wave_setup *s, const torre_sum *q, const real *value,           \
                       value_place place)                                                          \
    {                                                                                              \
        const torre_tap *x = s->taps + q->tap, *y = x + q->count[0], *z = y + q->count[1];         \
        const torre_segment *g = s->segments + q->segment;                                         \
        const real *next = value;                                                                  \
        double sum = 0;                                                                            \
        for (int i = 0; i < q->count[0]; i++)                                                      \
            for (int j = 0; j < q->count[1]; j++)                                                  \
                for (int64_t k = 0; k < q->count[2]; k += g++->count) {                            \
                    const real *at = SEGMENT_VALUES;                                               \
                    next = at + g->count;                                                          \
                    for (int64_t l = 0; l < g->count; l++)                                         \
                        sum += x[i].weight * y[j].weight * z[k + l].weight * (double)at[l];        \
                }                                                                                  \
        return sum;                                                                                \
    }
PLAIN_SUM(plain_f32, float)
PLAIN_SUM(plain_f64, double)

static double value_of(const torre_wave_setup *s, int64_t r, torre_precision precision,
                       const void *value, value_place place)
{
    const torre_sum *q = &s->sums[r];
    if (torre_traces_plain(s->problem))
        return precision == TORRE_F32 ? plain_f32(s, q, value, place)
                                      : plain_f64(s, q, value, place);
    return precision == TORRE_F32 ? nested_f32(s, q, value, place) : nested_f64(s, q, value, place);
}

void torre_traces_start(const torre_wave_setup *s, const void *now, torre_array *traces)
{
    for (int64_t r = 0; r < s->problem->receiver_count; r++)
        torre_value_set(traces->precision, traces->data, r * traces->shape[1],
                        value_of(s, r, traces->precision, now, IN_FIELD));
}

double torre_traces_value(const torre_wave_setup *s, int64_t r, const double *samples)
{
    return value_of(s, r, TORRE_F64, samples, IN_SAMPLES);
}

double torre_traces_nodes(const torre_wave_setup *s, int64_t r, const void *values)
{
    return value_of(s, r, s->problem->precision, values, IN_ORDER);
}

void torre_traces_blank(const torre_wave_setup *s, bool summed, int64_t steps, void *samples)
{
    const int64_t row = torre_traces_columns(s, summed) * width_of(s);
    if (!samples) return;
#pragma omp parallel for if (steps * row > 1 << 18)
    for (int64_t i = 0; i < steps; i++) memset((char *)samples + i * row, -1, (size_t)row);
}

void torre_traces_weigh(const torre_wave_setup *s, void *staging, int64_t steps)
{
    const int64_t nodes = s->receiver_node_count;
    const torre_precision precision = s->problem->precision;
    if (!s->density.cells) return;
#pragma omp parallel for
    for (int64_t n = 0; n < steps; n++)
        for (int64_t i = n * nodes; i < (n + 1) * nodes; i++)
            torre_value_set(precision, staging, i,
                            torre_value(precision, staging, i) *
                                s->receiver_nodes[i - n * nodes].weight);
}

static void record_sums(const void *staging, int64_t step, int64_t steps, torre_array *traces)
{
    enum { BLOCK = 16 }; /* receivers, of which a line of memory has as many values in f32 */
    const int64_t receivers = traces->shape[0], row = traces->shape[1];
    const size_t width = (size_t)traces->precision;
#pragma omp parallel for if (receivers * steps > 1 << 22)
    for (int64_t block = 0; block < receivers; block += BLOCK)
        for (int64_t n = 0; n < steps; n++)
            for (int64_t r = block; r < block + BLOCK && r < receivers; r++)
                memcpy((char *)traces->data + (size_t)(r * row + step + 1 + n) * width,
                       (const char *)staging + (size_t)(n * receivers + r) * width, width);
}

void torre_traces_record(const torre_wave_setup *s, bool summed, const void *staging, int64_t step,
                         int64_t steps, torre_array *traces)
{
    const int64_t nodes = s->receiver_node_count, row = traces->shape[1];
    if (summed) {
        record_sums(staging, step, steps, traces);
        return;
    }
#pragma omp parallel for
    for (int64_t r = 0; r < s->problem->receiver_count; r++)
        for (int64_t n = 0; n < steps; n++) {
            const char *at = (const char *)staging + n * nodes * width_of(s);
            torre_value_set(traces->precision, traces->data, r * row + step + 1 + n,
                            value_of(s, r, traces->precision, at, IN_SAMPLES));
        }
}
