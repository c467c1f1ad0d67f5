#include "wave/traces.h"

#include <stdlib.h>

/* Size of the staging buffer where a longer chunk would make it larger. */
static const int64_t staging_bytes = 64 << 20;

static int64_t width_of(const torre_wave_setup *s) { return (int64_t)s->problem->precision; }

int64_t torre_traces_chunk(const torre_wave_setup *s)
{
    if (s->receiver_node_count == 0) return INT64_MAX;
    int64_t chunk = staging_bytes / (s->receiver_node_count * width_of(s));
    if (chunk > s->problem->steps) chunk = s->problem->steps;
    return chunk > 0 ? chunk : 1;
}

int64_t torre_traces_bytes(const torre_wave_setup *s)
{
    const torre_wave_problem *p = s->problem;
    if (p->receiver_count == 0) return 0;
    if (p->steps >= INT64_MAX / 16 / p->receiver_count) return -1;
    return width_of(s) *
           (p->receiver_count * (p->steps + 1) + torre_traces_chunk(s) * s->receiver_node_count);
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

torre_status torre_traces_staging(const torre_wave_setup *s, void **staging)
{
    *staging = NULL;
    if (s->receiver_node_count == 0) return TORRE_OK;
    *staging = malloc((size_t)(torre_traces_chunk(s) * s->receiver_node_count * width_of(s)));
    return *staging ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for traces");
}

void torre_traces_start(const torre_wave_setup *s, const void *now, torre_array *traces)
{
    for (int64_t r = 0; r < s->problem->receiver_count; r++) {
        double sum = 0;
        for (int64_t l = 8 * r; l < 8 * r + 8; l++) {
            int64_t cell = s->receiver_nodes[s->receiver_index[l]].cell;
            sum += s->receiver_weight[l] * torre_value(traces->precision, now, cell);
        }
        torre_value_set(traces->precision, traces->data, r * traces->shape[1], sum);
    }
}

void torre_traces_record(const torre_wave_setup *s, const void *staging, int64_t step,
                         int64_t steps, torre_array *traces)
{
    int64_t nodes = s->receiver_node_count;
#pragma omp parallel for
    for (int64_t r = 0; r < s->problem->receiver_count; r++) {
        for (int64_t n = 0; n < steps; n++) {
            double sum = 0;
            for (int64_t l = 8 * r; l < 8 * r + 8; l++)
                sum += s->receiver_weight[l] *
                       torre_value(traces->precision, staging, n * nodes + s->receiver_index[l]);
            torre_value_set(traces->precision, traces->data, r * traces->shape[1] + step + 1 + n,
                            sum);
        }
    }
}
