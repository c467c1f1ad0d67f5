#include "run/wave_checkpoint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/phase.h"
#include "io/sink_mark.h"
#include "run/checkpoint_identity.h"
#include "run/wave_identity.h"
#include "wave/driver.h"

/* Bytes of the planes of a field that are on their way at once, unless one is larger. */
static const int64_t slab_bytes = 16 << 20;

/* What is saved, or restored. */
typedef struct state {
    torre_wave_run *run;
    torre_wave_output *output;
    torre_checkpoint_writer *to;
    torre_checkpoint *from;
} state;

/* Numbers that have no chunk of their own. */
typedef struct counts {
    int64_t step;
    double compute_s;
} counts;

static torre_status save_counts(const char *name, state *s)
{
    const counts now = {s->run->step, s->run->compute_s};
    torre_checkpoint_chunk(s->to, name, &now, sizeof now);
    return TORRE_OK;
}

static torre_status restore_counts(const char *name, state *s)
{
    counts then;
    TORRE_TRY(torre_checkpoint_read(s->from, name, &then, sizeof then));
    return torre_wave_run_continue(s->run, then.step, then.compute_s);
}

/* --- Fields --- */

/* A function for a slab of a level: its values are to be filled in, or taken. */
typedef torre_status on_slab(state *s, const char *name, int level, const torre_box *slab,
                             void *values, int64_t bytes);

/* All of a level, slab after slab along x. */
static torre_status each_slab(state *s, const char *name, int level, on_slab *function)
{
    const torre_wave_problem *p = s->run->problem;
    torre_box slab = torre_box_all(p->size);
    const int64_t plane = p->size[1] * p->size[2] * (int64_t)p->precision;
    const int64_t planes = plane < slab_bytes ? slab_bytes / plane : 1;
    void *values = malloc((size_t)((planes < p->size[0] ? planes : p->size[0]) * plane));
    torre_status status = values ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t x = 0; x < p->size[0] && !status; x = slab.high[0]) {
        slab.low[0] = x;
        slab.high[0] = x + planes < p->size[0] ? x + planes : p->size[0];
        status = function(s, name, level, &slab, values, (slab.high[0] - x) * plane);
    }
    free(values);
    return status;
}

static torre_status save_slab(state *s, const char *name, int level, const torre_box *slab,
                              void *values, int64_t bytes)
{
    int64_t stride[3];
    (void)name;
    torre_box_strides(slab, stride);
    TORRE_TRY(s->run->backend->read_box(s->run->solver, level, slab, stride, values));
    torre_checkpoint_put(s->to, values, bytes);
    return TORRE_OK;
}

static torre_status restore_slab(state *s, const char *name, int level, const torre_box *slab,
                                 void *values, int64_t bytes)
{
    int64_t stride[3];
    torre_box_strides(slab, stride);
    TORRE_TRY(torre_checkpoint_get(s->from, name, values, bytes));
    return s->run->backend->write_box(s->run->solver, level, slab, stride, values);
}

static int64_t field_bytes(const state *s)
{
    return torre_wave_cells(s->run->problem) * (int64_t)s->run->problem->precision;
}

static torre_status save_level(const char *name, state *s, int level)
{
    torre_checkpoint_begin(s->to, name, field_bytes(s));
    return each_slab(s, name, level, save_slab);
}

static torre_status restore_level(const char *name, state *s, int level)
{
    TORRE_TRY(torre_checkpoint_expect(s->from, name, field_bytes(s)));
    return each_slab(s, name, level, restore_slab);
}

static torre_status save_now(const char *name, state *s) { return save_level(name, s, 0); }
static torre_status restore_now(const char *name, state *s) { return restore_level(name, s, 0); }
static torre_status save_previous(const char *name, state *s) { return save_level(name, s, -1); }
static torre_status restore_previous(const char *name, state *s)
{
    return restore_level(name, s, -1);
}

/* --- The memory of perfectly matched layers, slice after slice --- */

/* The cells of a slice, strides of a dense array of them, its bytes. */
static int64_t slice_bytes(const torre_wave_problem *p, const torre_layer_slice *slice,
                           int64_t stride[3])
{
    torre_box plane = torre_box_all(p->size);
    plane.high[slice->axis] = 1;
    torre_box_strides(&plane, stride);
    return torre_wave_cells(p) / p->size[slice->axis] * (int64_t)p->precision;
}

/* Bytes of all slices and of the largest. */
static int64_t layers_bytes(const torre_wave_problem *p, int64_t *largest)
{
    torre_layer_slice slice;
    int64_t all = 0, stride[3];
    *largest = 0;
    for (int64_t i = 0; torre_layer_slice_get(p, i, &slice); i++) {
        const int64_t bytes = slice_bytes(p, &slice, stride);
        all += bytes;
        if (bytes > *largest) *largest = bytes;
    }
    return all;
}

static torre_status save_slice(state *s, const torre_layer_slice *slice, void *values)
{
    int64_t stride[3];
    const int64_t bytes = slice_bytes(s->run->problem, slice, stride);
    TORRE_TRY(s->run->backend->read_layer(s->run->solver, slice, stride, values));
    torre_checkpoint_put(s->to, values, bytes);
    return TORRE_OK;
}

static torre_status save_layers(const char *name, state *s)
{
    int64_t largest;
    const int64_t bytes = layers_bytes(s->run->problem, &largest);
    torre_layer_slice slice;
    if (bytes == 0) return TORRE_OK;
    void *values = malloc((size_t)largest);
    if (!values) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    torre_status status = TORRE_OK;
    torre_checkpoint_begin(s->to, name, bytes);
    for (int64_t i = 0; !status && torre_layer_slice_get(s->run->problem, i, &slice); i++)
        status = save_slice(s, &slice, values);
    free(values);
    return status;
}

static torre_status restore_slice(const char *name, state *s, const torre_layer_slice *slice,
                                  void *values)
{
    int64_t stride[3];
    const int64_t bytes = slice_bytes(s->run->problem, slice, stride);
    TORRE_TRY(torre_checkpoint_get(s->from, name, values, bytes));
    return s->run->backend->write_layer(s->run->solver, slice, stride, values);
}

static torre_status restore_layers(const char *name, state *s)
{
    int64_t largest;
    const int64_t bytes = layers_bytes(s->run->problem, &largest);
    torre_layer_slice slice;
    if (bytes == 0) return TORRE_OK;
    TORRE_TRY(torre_checkpoint_expect(s->from, name, bytes));
    void *values = malloc((size_t)largest);
    torre_status status = values ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; !status && torre_layer_slice_get(s->run->problem, i, &slice); i++)
        status = restore_slice(name, s, &slice, values);
    free(values);
    return status;
}

/* --- Traces: of each receiver what was recorded so far --- */

static int64_t trace_bytes(const state *s)
{
    return (s->run->step + 1) * (int64_t)s->run->traces.precision;
}

static char *trace(const state *s, int64_t receiver)
{
    const torre_array *t = &s->run->traces;
    return (char *)t->data + receiver * t->shape[1] * (int64_t)t->precision;
}

static torre_status save_traces(const char *name, state *s)
{
    const int64_t receivers = s->run->problem->receiver_count, bytes = trace_bytes(s);
    torre_checkpoint_begin(s->to, name, receivers * bytes);
    for (int64_t r = 0; r < receivers; r++) torre_checkpoint_put(s->to, trace(s, r), bytes);
    return TORRE_OK;
}

static torre_status restore_traces(const char *name, state *s)
{
    const int64_t receivers = s->run->problem->receiver_count, bytes = trace_bytes(s);
    TORRE_TRY(torre_checkpoint_expect(s->from, name, receivers * bytes));
    for (int64_t r = 0; r < receivers; r++)
        TORRE_TRY(torre_checkpoint_get(s->from, name, trace(s, r), bytes));
    return TORRE_OK;
}

/* --- The file of the frames of the field: how far it was --- */

static bool has_frames(const state *s) { return s->output->field_frames > 0; }

static torre_status save_frames(const char *name, state *s)
{
    torre_sink_mark mark;
    if (!has_frames(s)) return TORRE_OK;
    TORRE_TRY(torre_sink_mark_set(s->output->field, &mark));
    torre_checkpoint_chunk(s->to, name, &mark, sizeof mark);
    return TORRE_OK;
}

static torre_status restore_frames(const char *name, state *s)
{
    torre_sink_mark mark;
    if (s->output->spec->field_every == 0) return TORRE_OK;
    TORRE_TRY(torre_checkpoint_read(s->from, name, &mark, sizeof mark));
    s->output->field_frames = mark.frames;
    return torre_sink_mark_go_on(s->output->field, &mark);
}

/* --- The files of the frames of snapshots, likewise --- */

static int64_t count_snapshots(const torre_snapshots *snapshots)
{
    int64_t count = 0;
    for (int i = 0; i < snapshots->count; i++)
        if (torre_snapshots_are_frames(snapshots, i)) count++;
    return count;
}

static torre_status save_snapshots(const char *name, state *s)
{
    const torre_snapshots *list = &s->output->snapshots;
    const int64_t count = count_snapshots(list);
    torre_sink_mark mark;
    if (count == 0) return TORRE_OK;
    torre_checkpoint_begin(s->to, name, count * (int64_t)sizeof mark);
    for (int i = 0; i < list->count; i++) {
        if (!torre_snapshots_are_frames(list, i)) continue;
        TORRE_TRY(torre_sink_mark_set(list->item[i].sink, &mark));
        torre_checkpoint_put(s->to, &mark, sizeof mark);
    }
    return TORRE_OK;
}

static torre_status restore_snapshots(const char *name, state *s)
{
    torre_snapshots *list = &s->output->snapshots;
    const int64_t count = count_snapshots(list);
    torre_sink_mark mark;
    if (count == 0) return TORRE_OK;
    TORRE_TRY(torre_checkpoint_expect(s->from, name, count * (int64_t)sizeof mark));
    for (int i = 0; i < list->count; i++) {
        if (!torre_snapshots_are_frames(list, i)) continue;
        TORRE_TRY(torre_checkpoint_get(s->from, name, &mark, sizeof mark));
        list->item[i].written = mark.frames;
        TORRE_TRY(torre_sink_mark_go_on(list->item[i].sink, &mark));
    }
    return TORRE_OK;
}

/*
 * What is in a checkpoint, beside what it is of: a line for each chunk. They are restored in this
 * order; counts come first, which set the step that the others are at.
 */
static const struct {
    const char *name;
    torre_status (*save)(const char *name, state *state);
    torre_status (*restore)(const char *name, state *state);
} chunks[] = {
    {"counts", save_counts, restore_counts},          {"u[n]", save_now, restore_now},
    {"u[n-1]", save_previous, restore_previous},      {"layers", save_layers, restore_layers},
    {"traces", save_traces, restore_traces},          {"frames", save_frames, restore_frames},
    {"snapshots", save_snapshots, restore_snapshots},
};

enum { CHUNKS = sizeof chunks / sizeof chunks[0] };

static void identity(const torre_wave_output *output, const torre_wave_input *input,
                     const torre_wave_run *run, torre_record *r)
{
    memset(r, 0, sizeof *r);
    torre_record_add(r, "program", "wave");
    torre_wave_identity_model(input, run, r);
    torre_wave_identity_shot(input, r);
    const torre_wave_spec *spec = output->spec;
    torre_record_add(r, "field_every", "%" PRId64, spec->field_every);
    if (count_snapshots(&output->snapshots) > 0)
        torre_record_add(r, "snapshots", "%.400s every %" PRId64 ", %s", spec->snapshot,
                         spec->snapshot_every, spec->snapshot_plane);
}

torre_status torre_wave_checkpoint_write(const char *path, torre_wave_output *output,
                                         torre_wave_run *run)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    torre_record record;
    state s = {.run = run, .output = output};
    TORRE_TRY(torre_snapshots_settle(&output->snapshots)); /* who goes on does not write them */
    TORRE_TRY(torre_checkpoint_create(path, &s.to));
    identity(output, output->input, run, &record);
    torre_checkpoint_identity_write(s.to, &record);
    torre_status status = TORRE_OK;
    for (int i = 0; i < CHUNKS && !status; i++) status = chunks[i].save(chunks[i].name, &s);
    TORRE_TRY(torre_checkpoint_finish(s.to, status));
    if (has_frames(&s)) torre_sink_mark_keep(output->field);
    for (int i = 0; i < output->snapshots.count; i++)
        if (torre_snapshots_are_frames(&output->snapshots, i))
            torre_sink_mark_keep(output->snapshots.item[i].sink);
    return TORRE_OK;
}

torre_status torre_wave_checkpoint_open(const char *path, const torre_wave_output *output,
                                        const torre_wave_input *input, const torre_wave_run *run,
                                        torre_checkpoint **checkpoint)
{
    TORRE_PHASE(TORRE_PHASE_READ);
    torre_record wanted;
    TORRE_TRY(torre_checkpoint_open(path, checkpoint));
    identity(output, input, run, &wanted);
    return torre_checkpoint_identity_check(*checkpoint, path, &wanted);
}

torre_status torre_wave_checkpoint_start(torre_checkpoint *checkpoint, torre_wave_output *output,
                                         torre_wave_run *run)
{
    TORRE_PHASE(TORRE_PHASE_UPLOAD);
    state s = {.run = run, .output = output, .from = checkpoint};
    TORRE_TRY(torre_wave_run_start(run, NULL, NULL));
    for (int i = 0; i < CHUNKS; i++) TORRE_TRY(chunks[i].restore(chunks[i].name, &s));
    return TORRE_OK;
}
