#include "run/wave_output.h"

#include <inttypes.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "figure/figure.h"
#include "io/checkpoint_file.h"
#include "io/source.h"
#include "torre/wave.h"

/* The files that a run writes, of snapshots with the step in their names these, and the options
 * that name them. */
typedef struct output_names {
    const char *name[TORRE_TRACE_FILES + TORRE_SNAPSHOTS + 4];
    const char *option[TORRE_TRACE_FILES + TORRE_SNAPSHOTS + 4];
    int count;
} output_names;

static output_names names_of(const torre_wave_output *out)
{
    const torre_wave_spec *s = out->spec;
    output_names n = {
        {s->field, out->beside.report, out->beside.checkpoint, out->checkpoint_before},
        {"field", "json", "checkpoint", "checkpoint"},
        4};
    for (int i = 0; i < out->traces.count; i++) {
        n.name[n.count] = out->traces.name[i];
        n.option[n.count++] = "traces";
    }
    for (int i = 0; i < out->snapshots.count; i++) {
        n.name[n.count] = out->snapshots.item[i].name;
        n.option[n.count++] = "snapshot";
    }
    return n;
}

/* Two results must not go to one file: the later would replace the earlier. A checkpoint and the
 * one before it are one where a run was killed while it wrote the next. */
static torre_status check_names(const torre_wave_output *out)
{
    const output_names n = names_of(out);
    for (int i = 0; i < n.count; i++)
        for (int j = 0; j < i; j++) {
            const bool same = n.name[i] && n.name[j] && torre_output_same(n.name[i], n.name[j]);
            const bool last_two =
                n.name[i] == out->checkpoint_before && n.name[j] == out->beside.checkpoint;
            if (same && !last_two)
                return torre_fail(TORRE_ERR_USAGE, "{%s} and {%s} both write %s", n.option[j],
                                  n.option[i], n.name[i]);
        }
    return TORRE_OK;
}

torre_status torre_wave_output_plan(const torre_wave_spec *s, const torre_wave_beside *beside,
                                    torre_wave_output *out, bool *whole_microseconds)
{
    out->spec = s;
    out->beside = *beside;
    if (beside->checkpoint) {
        out->checkpoint_before = torre_checkpoint_before(beside->checkpoint);
        if (!out->checkpoint_before) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    }
    *whole_microseconds = false;
    if (s->field)
        TORRE_TRY(torre_sink_choose("field", s->field, TORRE_SINK_FIELD, s->field_every > 0,
                                    &out->field_format));
    TORRE_TRY(torre_snapshots_plan(s, &out->snapshots));
    if (s->traces) TORRE_TRY(torre_trace_files_parse(s->traces, &out->traces));
    *whole_microseconds = torre_trace_files_whole_microseconds(&out->traces);
    return check_names(out);
}

static torre_sink_data trace_data(const torre_wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    torre_sink_data data = {.kind = TORRE_SINK_TRACES,
                            .figure = &out->figure,
                            .traces = {.traces = p->receiver_count,
                                       .samples = p->steps + 1,
                                       .dt = p->dt,
                                       .precision = p->precision,
                                       .receivers = p->receivers}};
    if (p->source_count > 0) data.traces.source = p->sources[0];
    return data;
}

static torre_sink_data field_data(const torre_wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    const int64_t every = out->spec->field_every;
    return (torre_sink_data){.kind = TORRE_SINK_FIELD,
                             .series = every > 0,
                             .frames = every > 0 ? p->steps / every + 1 : 1,
                             .field = torre_wave_layout(p)};
}

/* No result replaces what the run goes on from, but for the next of its checkpoints. */
static torre_status check_resume(const torre_wave_output *out)
{
    const output_names n = names_of(out);
    for (int i = 0; i < n.count && out->beside.resume; i++)
        if (n.name[i] && strcmp(n.option[i], "checkpoint") != 0 &&
            torre_output_same(n.name[i], out->beside.resume))
            return torre_fail(TORRE_ERR_USAGE, "{%s} would write over %s, which the run reads",
                              n.option[i], out->beside.resume);
    return TORRE_OK;
}

/* No result replaces what the run is made from. */
static torre_status check_inputs(const torre_wave_output *out, const torre_wave_input *in)
{
    const torre_wave_spec *s = out->spec;
    char velocity[PATH_MAX], density[PATH_MAX];
    const char *const inputs[] = {torre_source_path(s->velocity, velocity),
                                  s->density ? torre_source_path(s->density, density) : NULL,
                                  s->source,
                                  s->wavelet,
                                  s->receivers,
                                  in->initial[0],
                                  in->initial[1]};
    const output_names n = names_of(out);
    for (size_t k = 0; k < sizeof inputs / sizeof inputs[0]; k++) {
        for (int i = 0; i < n.count && inputs[k]; i++)
            if (n.name[i] && torre_output_same(n.name[i], inputs[k]))
                return torre_fail(TORRE_ERR_USAGE, "{%s} would write over %s, which the run reads",
                                  n.option[i], inputs[k]);
        if (inputs[k] && torre_snapshots_replace(&out->snapshots, in->problem.steps, inputs[k]))
            return torre_fail(TORRE_ERR_USAGE,
                              "a snapshot would be written over %s, which the run reads; give "
                              "{output} DIR",
                              inputs[k]);
    }
    return TORRE_OK;
}

/* "240x240x120 cells, order 8" */
static void say_figures(torre_wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    const char *lacking;
    char size[80];
    torre_size_text(p->size, torre_wave_is_flat(p, 1), size, sizeof size);
    snprintf(out->detail, sizeof out->detail, "%s cells, order %d", size, p->order);
    out->figure =
        (torre_figure_about){.scale = torre_picture_scale(out->spec->picture_style, &lacking),
                             .subject = "Shot gather",
                             .detail = out->detail,
                             .source = p->sources,
                             .source_count = p->source_count,
                             .receiver = p->receivers,
                             .receiver_count = p->receiver_count};
}

torre_status torre_wave_output_check(torre_wave_output *out, const torre_wave_input *in)
{
    TORRE_TRY(check_inputs(out, in));
    TORRE_TRY(check_resume(out));
    say_figures(out, in);
    const torre_sink_data traces = trace_data(out, in), field = field_data(out, in);
    TORRE_TRY(torre_snapshots_check(&out->snapshots, in, &out->figure));
    for (int i = 0; i < out->traces.count; i++)
        TORRE_TRY(torre_sink_check(out->traces.format[i], &traces));
    return out->field_format ? torre_sink_check(out->field_format, &field) : TORRE_OK;
}

/* Bytes of a dense field. */
static int64_t field_bytes(const torre_wave_problem *p)
{
    return torre_wave_cells(p) * (int64_t)p->precision;
}

void torre_wave_output_beside(torre_wave_output *out, const torre_wave_run *run)
{
    /* half of the cores: others compute, or read, write and correct traces and start kernels */
    const int cores = omp_get_max_threads(), half = cores / 2, most = TORRE_SINK_QUEUE_FRAMES;
    const bool computes = strcmp(torre_wave_run_backend(run), "cpu") == 0;
    out->snapshots.writers = half < 1 ? !computes : half < most ? half : most;
    out->snapshots.writer_cores = computes ? out->snapshots.writers : cores;
}

bool torre_wave_output_draws(const torre_wave_output *out)
{
    bool draws = torre_snapshots_draw(&out->snapshots);
    for (int i = 0; i < out->traces.count; i++)
        draws = draws || torre_sink_is_picture(out->traces.format[i]);
    return draws;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t torre_wave_output_bytes(const torre_wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    int64_t kept, most;
    torre_snapshots_bytes(&out->snapshots, &kept, &most);
    const torre_sink_data traces = trace_data(out, in);
    for (int i = 0; i < out->traces.count; i++)
        most = larger(most, torre_sink_bytes(out->traces.format[i], &traces));
    if (out->spec->field_every) return kept + field_bytes(p) + most;
    return kept + larger(most, out->spec->field ? field_bytes(p) : 0);
}

torre_status torre_wave_output_open(const torre_wave_input *in, torre_wave_output *out)
{
    const torre_wave_spec *s = out->spec;
    out->input = in;
    TORRE_TRY(torre_snapshots_open(&out->snapshots));
    const torre_sink_data field = field_data(out, in), traces = trace_data(out, in);
    if (s->field) TORRE_TRY(torre_sink_open(out->field_format, &field, s->field, &out->field));
    for (int i = 0; i < out->traces.count; i++)
        TORRE_TRY(
            torre_sink_open(out->traces.format[i], &traces, out->traces.name[i], &out->trace[i]));
    return TORRE_OK;
}

/* A frame of the present step without anything in it. */
static torre_frame frame_now(const torre_wave_run *run)
{
    const int64_t step = torre_wave_run_step(run);
    return (torre_frame){.step = step, .time = (double)step * torre_wave_run_problem(run)->dt};
}

static torre_status add_field(torre_wave_output *out, torre_wave_run *run)
{
    torre_frame frame = frame_now(run);
    if (!out->cells) out->cells = malloc((size_t)field_bytes(torre_wave_run_problem(run)));
    if (!out->cells) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for {field}");
    frame.values = out->cells;
    TORRE_TRY(torre_wave_run_field(run, 0, out->cells));
    return torre_sink_frame(out->field, &frame);
}

torre_status torre_wave_output_frame(torre_wave_output *out, torre_wave_run *run)
{
    const torre_wave_spec *s = out->spec;
    const int64_t step = torre_wave_run_step(run);
    const bool zero = step == 0 && !torre_wave_input_has_start(out->input);
    if (s->snapshot_every > 0 && step % s->snapshot_every == 0)
        TORRE_TRY(torre_snapshots_write(&out->snapshots, run, zero));
    if (s->field_every == 0 || step % s->field_every != 0) return TORRE_OK;
    TORRE_TRY(add_field(out, run));
    out->field_frames++;
    return TORRE_OK;
}

/*
 * A run that was stopped has recorded less than the array holds: close the gaps between the rows.
 */
static void close_gaps(const torre_wave_run *run)
{
    const torre_array *t = torre_wave_run_traces(run);
    size_t width = (size_t)t->precision, kept = (size_t)(torre_wave_run_step(run) + 1) * width;
    size_t row = (size_t)t->shape[1] * width;
    for (int64_t r = 1; r < t->shape[0]; r++)
        memmove((char *)t->data + (size_t)r * kept, (char *)t->data + (size_t)r * row, kept);
}

torre_status torre_wave_output_results(torre_wave_output *out, torre_wave_run *run)
{
    TORRE_TRY(torre_snapshots_settle(&out->snapshots));
    TORRE_TRY(torre_wave_run_end_traces(run));
    if (out->traces.count > 0) close_gaps(run);
    const torre_frame traces = {.title = "shot gather",
                                .values = torre_wave_run_traces(run)->data,
                                .samples = torre_wave_run_step(run) + 1};
    torre_status failed = TORRE_OK; /* what one file cannot hold must not cost the others */
    for (int i = 0; i < out->traces.count; i++) {
        torre_status status =
            torre_sink_finish(&out->trace[i], torre_sink_frame(out->trace[i], &traces));
        if (status) failed = status;
    }
    torre_status status = torre_snapshots_finish(&out->snapshots);
    if (status) failed = status;
    status = TORRE_OK;
    if (out->field && out->spec->field_every == 0) status = add_field(out, run);
    status = torre_sink_finish(&out->field, status);
    return status ? status : failed;
}

void torre_wave_output_close(torre_wave_output *out)
{
    torre_sink_discard(out->field);
    for (int i = 0; i < out->traces.count; i++) torre_sink_discard(out->trace[i]);
    torre_trace_files_free(&out->traces);
    torre_snapshots_close(&out->snapshots);
    free(out->cells);
    free(out->checkpoint_before);
    memset(out, 0, sizeof *out);
}
