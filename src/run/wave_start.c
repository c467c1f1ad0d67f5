/* The fields that a run starts from, and the memory that it takes. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "run/wave_input.h"
#include "wave/initial.h"

/* A dense field of the problem's precision from a file; refuses values that are not finite. */
static torre_status read_field(const char *path, const torre_wave_problem *p, void **cells)
{
    torre_array a;
    TORRE_TRY(torre_npy_read(path, &a, NULL));
    int64_t count = torre_wave_cells(p);
    bool same = a.precision == p->precision;
    void *to = same ? a.data : malloc((size_t)count * (size_t)p->precision);
    torre_status status =
        to ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    for (int64_t i = 0; i < count && !status; i++) {
        double v = torre_value(a.precision, a.data, i);
        if (!isfinite(v) || (p->precision == TORRE_F32 && !isfinite((float)v)))
            status = torre_fail(TORRE_ERR_INPUT,
                                "%s: value at cell (%" PRId64 ", %" PRId64 ", %" PRId64
                                ") is %g; it must be finite in the chosen precision",
                                path, i / p->size[2] / p->size[1], i / p->size[2] % p->size[1],
                                i % p->size[2], v);
        if (!same) torre_value_set(p->precision, to, i, v);
    }
    if (!same) free(a.data);
    if (status) {
        if (same)
            free(a.data);
        else
            free(to);
        return status;
    }
    *cells = to;
    return TORRE_OK;
}

/* u[0] and u[-1], dense, of the problem's precision: the caller's, also after a failure. */
static torre_status make_fields(const torre_wave_input *in, void **now, void **previous)
{
    const torre_wave_problem *p = &in->problem;
    size_t bytes = (size_t)torre_wave_cells(p) * (size_t)p->precision;
    if (in->noise) {
        *now = malloc(bytes);
        const torre_region all = torre_region_whole(p->size);
        if (*now) torre_wave_noise(&all, p->precision, in->seed, *now);
    } else {
        TORRE_TRY(read_field(in->initial[0], p, now));
    }
    if (in->initial[1]) return read_field(in->initial[1], p, previous);
    *previous = malloc(bytes);
    if (!*now || !*previous)
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the initial field");
    torre_wave_rest_level(p, *now, *previous);
    return TORRE_OK;
}

torre_status torre_wave_input_start(const torre_wave_input *in, torre_wave_run *run)
{
    void *now = NULL, *previous = NULL;
    torre_status status = TORRE_OK;
    if (torre_wave_input_has_start(in)) status = make_fields(in, &now, &previous);
    if (!status) status = torre_wave_run_start(run, now, previous);
    free(now);
    free(previous);
    return status;
}

torre_wave_memory torre_wave_memory_count(const torre_wave_input *in, const torre_wave_run *run,
                                          int64_t output)
{
    const torre_array *v = &in->velocity;
    torre_wave_memory m = {.solver = torre_wave_run_info(run)->memory_bytes,
                           .traces = torre_wave_run_trace_bytes(run),
                           .output = output};
    if (strcmp(torre_wave_run_backend(run), "cpu") == 0) m.solver_host = m.solver;
    if (v->data) m.velocity = v->shape[0] * v->shape[1] * v->shape[2] * (int64_t)v->precision;
    if (torre_wave_input_has_start(in))
        m.initial = 2 * torre_wave_cells(&in->problem) * (int64_t)in->problem.precision;
    /* the initial fields are gone when results are written */
    int64_t passing = m.initial > m.output ? m.initial : m.output;
    m.host = m.solver_host + m.velocity + m.traces + passing;
    return m;
}

torre_status torre_wave_memory_check(const torre_wave_input *in, const torre_wave_run *run,
                                     const torre_wave_memory *m)
{
    const int64_t there = in->velocity_map.start ? 0 : m->velocity; /* it was read already */
    TORRE_TRY(torre_wave_run_check_memory(run));
    return torre_memory_check("the run", m->host - there);
}
