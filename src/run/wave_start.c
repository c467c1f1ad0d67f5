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
#include "wave/rank_run.h"
#include "wave/traces.h"

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

/* Planes whose u[-1] is computed at once: all, where few others would be left. */
static int64_t slab_planes(const torre_wave_problem *p)
{
    const int64_t planes = slab_bytes / (p->size[1] * p->size[2] * (int64_t)p->precision);
    const int64_t some = planes < 1 ? 1 : planes;
    return some + p->order < p->size[0] ? some : p->size[0];
}

/* A start at rest on its way into the solver, slab by slab, so that it takes little memory. */
typedef struct slabs {
    const torre_wave_input *in;
    torre_wave_run *run;
    const void *field; /* u[0], dense, which the solver has; NULL: noise */
    void *now;         /* u[0] of a slab and of what is around it, of noise */
    void *previous;    /* u[-1] of a slab */
} slabs;

/* Bytes of one of the arrays of a slab, which has so many planes more. */
static int64_t slab_size(const torre_wave_problem *p, int64_t more)
{
    const int64_t planes = slab_planes(p), stored = planes < p->size[0] ? planes + more : planes;
    return stored * p->size[1] * p->size[2] * (int64_t)p->precision;
}

static torre_status write_planes(const slabs *s, int level, const torre_region *slab,
                                 const void *values)
{
    TORRE_PHASE(TORRE_PHASE_UPLOAD);
    int64_t stride[3];
    const torre_pressure way = torre_wave_run_pressure(s->run);
    torre_box_strides(&slab->owned, stride);
    return torre_pressure_write(&way, level, &slab->owned, stride, values);
}

/* Noise of a slab, into level 0. */
static torre_status set_noise(const slabs *s, const torre_region *slab)
{
    const torre_wave_problem *p = &s->in->problem;
    const int64_t beyond = slab->owned.low[0] - slab->stored.low[0];
    torre_wave_noise(slab, p->precision, s->in->seed, s->now);
    return write_planes(s, 0, slab,
                        (char *)s->now + beyond * p->size[1] * p->size[2] * (int64_t)p->precision);
}

static torre_status set_slab(const slabs *s, int64_t first)
{
    const torre_wave_problem *p = &s->in->problem;
    torre_region slab = torre_wave_slab(p, first, slab_planes(p));
    if (s->field)
        slab.stored = torre_box_all(p->size);
    else
        TORRE_TRY(set_noise(s, &slab));
    TORRE_TRY(torre_wave_rest_planes(p, &slab, s->field ? s->field : s->now, s->previous));
    return write_planes(s, -1, &slab, s->previous);
}

/* What receivers see of noise. */
static torre_status record_noise(const torre_wave_input *in, torre_wave_run *run)
{
    const torre_wave_setup *setup = run->setup;
    const torre_precision precision = in->problem.precision;
    void *samples;
    TORRE_TRY(torre_traces_staging(setup, false, 1, &samples));
    for (int64_t i = 0; i < setup->receiver_node_count; i++)
        torre_value_set(precision, samples, i,
                        torre_wave_noise_at(in->seed, setup->receiver_nodes[i].cell));
    if (samples) torre_traces_record(setup, false, samples, -1, 1, &run->traces);
    free(samples);
    return TORRE_OK;
}

/* By the solver itself, if it can. */
static torre_status make_rest(const torre_wave_input *in, const void *field, torre_wave_run *run,
                              bool *made)
{
    TORRE_PHASE(TORRE_PHASE_UPLOAD);
    const uint64_t seed = in->seed;
    *made = false;
    if (!run->backend->rest) return TORRE_OK;
    return run->backend->rest(run->solver, field ? NULL : &seed, made);
}

/* Both levels of noise, or u[-1] beside a field that the solver has. */
static torre_status set_rest(const torre_wave_input *in, const void *field, torre_wave_run *run)
{
    const torre_wave_problem *p = &in->problem;
    slabs s = {.in = in, .run = run, .field = field};
    bool made;
    if (!field) TORRE_TRY(record_noise(in, run));
    torre_status status = make_rest(in, field, run, &made);
    if (status || made) return status;
    s.previous = torre_memory_large((size_t)slab_size(p, 0));
    if (!field) s.now = torre_memory_large((size_t)slab_size(p, p->order));
    if (!s.previous || (!field && !s.now))
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for the initial field");
    for (int64_t x = 0; x < p->size[0] && !status; x += slab_planes(p)) status = set_slab(&s, x);
    free(s.now);
    free(s.previous);
    return status;
}

torre_status torre_wave_input_start(const torre_wave_input *in, torre_wave_run *run)
{
    const torre_wave_problem *p = &in->problem;
    void *now = NULL, *previous = NULL;
    torre_status status = TORRE_OK;
    if (in->initial[0]) status = read_field(in->initial[0], p, &now);
    if (!status && in->initial[1]) status = read_field(in->initial[1], p, &previous);
    if (!status) status = torre_wave_run_start(run, now, previous);
    if (!status && torre_wave_input_has_start(in) && !previous) status = set_rest(in, now, run);
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
    if (in->initial[1]) return 2 * field;
    return slab_size(p, 0) + (in->noise ? slab_size(p, p->order) : field);
}

/* Bytes of an array of the medium that a file gave. */
static int64_t file_bytes(const torre_array *v)
{
    return v->data ? v->shape[0] * v->shape[1] * v->shape[2] * (int64_t)v->precision : 0;
}

/* Of density: the file, and what looking at it and scaling by it take for a moment. */
static int64_t density_bytes(const torre_wave_input *in, const torre_wave_run *run, bool parts)
{
    const int64_t cells = in->density_map.start && parts ? 0 : file_bytes(&in->density);
    return cells + torre_density_bytes(&run->setup->density) + torre_pressure_bytes(run->setup);
}

torre_wave_memory torre_wave_memory_count(const torre_wave_input *in, const torre_wave_run *run,
                                          int64_t output)
{
    torre_wave_memory m = {.solver = torre_wave_run_info(run)->memory_bytes,
                           .traces = torre_wave_run_trace_bytes(run),
                           .output = output};
    if (strcmp(torre_wave_run_backend(run), "cpu") == 0) m.solver_host = m.solver;
    /* those of a run in parts stay in their file */
    const bool parts = torre_wave_run_info(run)->windows > 0 || torre_wave_run_ranks(run).ranks > 1;
    const bool stays = in->velocity_map.start && parts;
    m.velocity = stays ? 0 : file_bytes(&in->velocity);
    m.density = density_bytes(in, run, parts);
    m.initial = start_bytes(in);
    /* the initial fields are gone when results are written */
    int64_t passing = m.initial > m.output ? m.initial : m.output;
    if (torre_wave_run_info(run)->windows > 0 && !torre_wave_run_info(run)->plan.scratch)
        m.planes = torre_wave_run_info(run)->scratch_bytes;
    m.host = m.solver_host + m.planes + m.velocity + m.density + m.traces + passing;
    return m;
}

torre_status torre_wave_memory_check(const torre_wave_input *in, const torre_wave_run *run,
                                     const torre_wave_memory *m)
{
    const int64_t there = (in->velocity_map.start ? 0 : m->velocity) + /* read already */
                          (in->density_map.start ? 0 : file_bytes(&in->density));
    TORRE_TRY(torre_wave_run_check_memory(run));
    return torre_memory_check("the run", m->host - there);
}
