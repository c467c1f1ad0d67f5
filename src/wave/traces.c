#include "wave/traces.h"

#include <stdlib.h>

#include "wave/interpolation.h"

/* Size of the staging buffer where a longer chunk would make it larger. */
static const int64_t staging_bytes = 64 << 20;

static int64_t width_of(const torre_wave_setup *s) { return (int64_t)s->problem->precision; }

/* Values of a step that are staged. */
static int64_t columns_of(const torre_wave_setup *s, bool summed)
{
    return summed ? s->problem->receiver_count : s->receiver_node_count;
}

int64_t torre_traces_chunk(const torre_wave_setup *s, bool summed, int64_t least)
{
    if (s->receiver_node_count == 0) return INT64_MAX;
    int64_t chunk = staging_bytes / (columns_of(s, summed) * width_of(s));
    if (chunk < least) chunk = least;
    if (chunk > s->problem->steps) chunk = s->problem->steps;
    return chunk > 0 ? chunk : 1;
}

int64_t torre_traces_bytes(const torre_wave_setup *s, bool summed, int64_t least)
{
    const torre_wave_problem *p = s->problem;
    if (p->receiver_count == 0) return 0;
    if (p->steps >= INT64_MAX / 16 / p->receiver_count) return -1;
    const int64_t chunk = torre_traces_chunk(s, summed, least), columns = columns_of(s, summed);
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
    *staging = malloc((size_t)(chunk * columns_of(s, summed) * width_of(s)));
    return *staging ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for traces");
}

/*
 * Receiver r from the samples of a step, or with `node` from a dense field. Few nodes are added one
 * after the other (trilinear traces have the bits that they always had), more of them segment by
 * segment, which is several times as fast.
 */
#define RECEIVER(name, real)                                                                       \
    static double name(const torre_wave_setup *s, int64_t r, const real *value,                    \
                       const torre_node *node)                                                     \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (int64_t i = s->receiver_first[r]; i < s->receiver_first[r + 1]; i++) {                \
            const torre_segment *g = &s->segments[i];                                              \
            const double *tap = s->receiver_taps + TORRE_TAPS * r + g->tap;                        \
            const real *at = value + (node ? node[g->column].cell : g->column);                    \
            double part = 0;                                                                       \
            for (int k = 0; k < g->count && g->count <= 2; k++)                                    \
                sum += g->weight * tap[k] * (double)at[k];                                         \
            for (int k = 0; k < g->count && g->count > 2; k++) part += tap[k] * (double)at[k];     \
            sum += g->weight * part;                                                               \
        }                                                                                          \
        return sum;                                                                                \
    }
RECEIVER(value_f32, float)
RECEIVER(value_f64, double)

void torre_traces_start(const torre_wave_setup *s, const void *now, torre_array *traces)
{
    for (int64_t r = 0; r < s->problem->receiver_count; r++)
        torre_value_set(traces->precision, traces->data, r * traces->shape[1],
                        traces->precision == TORRE_F32 ? value_f32(s, r, now, s->receiver_nodes)
                                                       : value_f64(s, r, now, s->receiver_nodes));
}

double torre_traces_value(const torre_wave_setup *s, int64_t r, const double *samples)
{
    return value_f64(s, r, samples, NULL);
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
    const int64_t receivers = traces->shape[0], row = traces->shape[1];
#pragma omp parallel for
    for (int64_t r = 0; r < receivers; r++)
        for (int64_t n = 0; n < steps; n++)
            torre_value_set(traces->precision, traces->data, r * row + step + 1 + n,
                            torre_value(traces->precision, staging, n * receivers + r));
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
        for (int64_t n = 0; n < steps; n++)
            if (traces->precision == TORRE_F32)
                ((float *)traces->data)[r * row + step + 1 + n] =
                    (float)value_f32(s, r, (const float *)staging + n * nodes, NULL);
            else
                ((double *)traces->data)[r * row + step + 1 + n] =
                    value_f64(s, r, (const double *)staging + n * nodes, NULL);
}
