/* The fields that a run starts from, and the memory that it takes. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/phase.h"
#include "run/wave_input.h"
#include "wave/driver.h"
#include "wave/initial.h"

/* Bytes of the planes of u[-1] that are computed at once. */
static const int64_t slab_bytes = 16 << 20;

static bool is_number(torre_precision precision, double v)
{
    return isfinite(v) && (precision == TORRE_F64 || isfinite((float)v));
}

/* All values of an array into another of the problem's precision, or the same. TORRE_ERR_INPUT: the
 * first that is no finite number there. */
static torre_status import_field(const char *path, const torre_wave_problem *p,
                                 const torre_array *from, void *to)
{
    TORRE_PHASE(TORRE_PHASE_CHECK);
    const int64_t count = torre_wave_cells(p), *n = p->size;
    int64_t bad = count;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t i = 0; i < count; i++) {
        const double v = torre_value(from->precision, from->data, i);
        if (!is_number(p->precision, v) && i < bad) bad = i;
        if (to != from->data) torre_value_set(p->precision, to, i, v);
    }
    if (bad == count) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT,
                      "%s: value at cell (%" PRId64 ", %" PRId64 ", %" PRId64
                      ") is %g; it must be finite in the chosen precision",
                      path, bad / n[2] / n[1], bad / n[2] % n[1], bad % n[2],
                      torre_value(from->precision, from->data, bad));
}

/* A dense field of the problem's precision from a file; refuses values that are not finite. */
static torre_status read_field(const char *path, const torre_wave_problem *p, void **cells)
{
    torre_array a;
    TORRE_TRY(torre_npy_read(path, &a, NULL));
    const bool same = a.precision == p->precision;
    const size_t bytes = (size_t)torre_wave_cells(p) * (size_t)p->precision;
    *cells = same ? a.data : torre_memory_large(bytes);
    torre_status status = *cells ? import_field(path, p, &a, *cells)
                                 : torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    if (!same) free(a.data);
    return status;
}

/* u[0], dense, of the problem's precision: the caller's, also after a failure. */
static torre_status make_field(const torre_wave_input *in, void **now)
{
    const torre_wave_problem *p = &in->problem;
    if (!in->noise) return read_field(in->initial[0], p, now);
    const torre_region all = torre_region_whole(p->size);
    *now = torre_memory_large((size_t)torre_wave_cells(p) * (size_t)p->precision);
    if (!*now) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the initial field");
    torre_wave_noise(&all, p->precision, in->seed, *now);
    return TORRE_OK;
}

/* Planes of u[-1] that are computed at once. */
static int64_t slab_planes(const torre_wave_problem *p)
{
    const int64_t planes = slab_bytes / (p->size[1] * p->size[2] * (int64_t)p->precision);
    return planes < 1 ? 1 : planes < p->size[0] ? planes : p->size[0];
}

/* u[-1] of a start at rest, slab by slab, so that it takes no memory beside the solver's. */
static torre_status set_rest(const torre_wave_problem *p, const void *now, torre_wave_run *run)
{
    const int64_t planes = slab_planes(p);
    void *slab = torre_memory_large((size_t)(planes * p->size[1] * p->size[2]) * p->precision);
    if (!slab) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the initial field");
    torre_status status = TORRE_OK;
    for (int64_t x = 0; x < p->size[0] && !status; x += planes) {
        torre_box box = {.low = {x, 0, 0}, .high = {x + planes, p->size[1], p->size[2]}};
        int64_t stride[3];
        if (box.high[0] > p->size[0]) box.high[0] = p->size[0];
        torre_wave_rest_planes(p, now, x, box.high[0] - x, slab);
        torre_box_strides(&box, stride);
        TORRE_PHASE(TORRE_PHASE_UPLOAD);
        status = run->backend->write_box(run->solver, -1, &box, stride, slab);
    }
    free(slab);
    return status;
}

torre_status torre_wave_input_start(const torre_wave_input *in, torre_wave_run *run)
{
    void *now = NULL, *previous = NULL;
    torre_status status = TORRE_OK;
    if (torre_wave_input_has_start(in)) status = make_field(in, &now);
    if (!status && in->initial[1]) status = read_field(in->initial[1], &in->problem, &previous);
    if (!status) status = torre_wave_run_start(run, now, previous);
    if (!status && now && !previous) status = set_rest(&in->problem, now, run);
    free(now);
    free(previous);
    return status;
}

/* Host memory that the start of a run takes beside the solver's. */
static int64_t start_bytes(const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    const int64_t field = torre_wave_cells(p) * (int64_t)p->precision;
    if (!torre_wave_input_has_start(in)) return 0;
    return in->initial[1] ? 2 * field : field + slab_planes(p) * (field / p->size[0]);
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
    m.initial = start_bytes(in);
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
