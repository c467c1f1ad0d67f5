#include "run/wave_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/checkpoint_file.h"
#include "torre/wave.h"

/* The files that a run writes, but for snapshots, and the options that name them. */
typedef struct output_names {
    const char *name[TORRE_TRACE_FILES + 4], *option[TORRE_TRACE_FILES + 4];
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
    return n;
}

/* Two results must not go to one file: the later would replace the earlier. */
static torre_status check_names(const torre_wave_output *out)
{
    const output_names n = names_of(out);
    for (int i = 0; i < n.count; i++)
        for (int j = 0; j < i; j++)
            if (n.name[i] && n.name[j] && torre_output_same(n.name[i], n.name[j]))
                return torre_fail(TORRE_ERR_USAGE, "{%s} and {%s} both write %s", n.option[j],
                                  n.option[i], n.name[i]);
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
    out->plane_format = torre_sink_by_name(s->snapshot_format);
    if (s->traces) TORRE_TRY(torre_trace_files_parse(s->traces, &out->traces));
    *whole_microseconds = torre_trace_files_whole_microseconds(&out->traces);
    return check_names(out);
}

/* All axes of the grid but `without`, those that there are. */
static torre_field_layout layout_without(const torre_wave_problem *p, int without)
{
    torre_field_layout layout = {.precision = p->precision};
    for (int a = 0; a < 3; a++) {
        if (a == without || torre_wave_is_flat(p, a)) continue;
        layout.shape[layout.dims] = p->size[a];
        layout.axis[layout.dims] = a;
        layout.spacing[layout.dims++] = p->spacing[a];
    }
    return layout;
}

torre_field_layout torre_wave_layout(const torre_wave_problem *p) { return layout_without(p, -1); }

torre_field_layout torre_wave_layout_plane(const torre_wave_problem *p, int axis, int64_t index)
{
    torre_field_layout layout = layout_without(p, axis);
    if (!torre_wave_is_flat(p, axis)) layout.origin[axis] = (double)index * p->spacing[axis];
    return layout;
}

void torre_wave_plane_velocity(const torre_wave_problem *p, int axis, int64_t index,
                               double *velocity)
{
    int64_t low[3] = {0, 0, 0}, high[3] = {p->size[0], p->size[1], p->size[2]}, i = 0;
    low[axis] = index;
    high[axis] = index + 1;
    for (int64_t x = low[0]; x < high[0]; x++)
        for (int64_t y = low[1]; y < high[1]; y++)
            for (int64_t z = low[2]; z < high[2]; z++)
                velocity[i++] = torre_wave_velocity_at(p, x, y, z);
}

static torre_sink_data trace_data(const torre_wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    torre_sink_data data = {.kind = TORRE_SINK_TRACES,
                            .figure = &out->figure.traces,
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

/* The snapshot plane; the velocity in it, for pictures, is out->velocity. */
static torre_sink_data plane_data(const torre_wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    torre_sink_data data = {.kind = TORRE_SINK_PLANE,
                            .figure = &out->figure.plane,
                            .field = torre_wave_layout_plane(p, in->plane_axis, in->plane_index)};
    data.field.velocity = out->velocity;
    data.field.velocity_range[0] = in->time.velocity_min;
    data.field.velocity_range[1] = in->time.velocity_max;
    data.field.scale = out->spec->snapshot_scale;
    return data;
}

/* The path of the snapshot of a step. */
static void snapshot_path(const torre_wave_output *out, int64_t step, char *path, size_t size)
{
    const bool here = strcmp(out->spec->output, ".") == 0;
    snprintf(path, size, "%s%ssnapshot_%06" PRId64 "%s", here ? "" : out->spec->output,
             here ? "" : "/", step, torre_sink_ending(out->plane_format));
}

/* Whether a snapshot would be written over a file, which has then the name of one. */
static bool snapshot_replaces(const torre_wave_output *out, const torre_wave_input *in,
                              const char *file)
{
    char path[sizeof out->last_snapshot];
    const char *slash = strrchr(file, '/');
    const int64_t every = out->spec->snapshot_every, steps = in->problem.steps;
    int64_t step;
    if (sscanf(slash ? slash + 1 : file, "snapshot_%" SCNd64, &step) != 1) return false;
    if (every == 0 || step < 0 || step > steps || (every > 0 ? step % every : steps - step) != 0)
        return false;
    snapshot_path(out, step, path, sizeof path);
    return torre_output_same(path, file);
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
    const char *const inputs[] = {s->velocity,  s->source,      s->wavelet,
                                  s->receivers, in->initial[0], in->initial[1]};
    const output_names n = names_of(out);
    for (size_t k = 0; k < sizeof inputs / sizeof inputs[0]; k++) {
        for (int i = 0; i < n.count && inputs[k]; i++)
            if (n.name[i] && torre_output_same(n.name[i], inputs[k]))
                return torre_fail(TORRE_ERR_USAGE, "{%s} would write over %s, which the run reads",
                                  n.option[i], inputs[k]);
        if (inputs[k] && snapshot_replaces(out, in, inputs[k]))
            return torre_fail(TORRE_ERR_USAGE,
                              "a snapshot would be written over %s, which the run reads; give "
                              "{output} DIR",
                              inputs[k]);
    }
    return TORRE_OK;
}

/* "240x240x120 cells, order 8", and where the plane is. */
static void say_figures(torre_wave_output *out, const torre_wave_input *in)
{
    static const char *const plane[] = {"y-z", "x-z", "x-y"};
    const torre_wave_problem *p = &in->problem;
    const int across = in->plane_axis;
    const double where = (double)in->plane_index * p->spacing[across];
    const char *lacking;
    char size[80];
    torre_size_text(p->size, torre_wave_is_flat(p, 1), size, sizeof size);
    snprintf(out->figure.detail, sizeof out->figure.detail, "%s cells, order %d", size, p->order);
    if (torre_wave_is_flat(p, across))
        snprintf(out->figure.plane_subject, sizeof out->figure.plane_subject, "Wave field u");
    else
        snprintf(out->figure.plane_subject, sizeof out->figure.plane_subject,
                 "Wave field u in the %s plane at %c = %g m", plane[across], "xyz"[across], where);
    out->figure.plane =
        (torre_figure_about){.scale = torre_picture_scale(out->spec->picture_style, &lacking),
                             .subject = out->figure.plane_subject,
                             .detail = out->figure.detail,
                             .across = across,
                             .source = p->sources,
                             .source_count = p->source_count,
                             .receiver = p->receivers,
                             .receiver_count = p->receiver_count};
    out->figure.traces = out->figure.plane;
    out->figure.traces.subject = "Shot gather";
}

torre_status torre_wave_output_check(torre_wave_output *out, const torre_wave_input *in)
{
    TORRE_TRY(check_inputs(out, in));
    TORRE_TRY(check_resume(out));
    say_figures(out, in);
    const torre_sink_data traces = trace_data(out, in), field = field_data(out, in);
    const torre_sink_data plane = plane_data(out, in);
    TORRE_TRY(torre_sink_check(out->plane_format, &plane));
    for (int i = 0; i < out->traces.count; i++)
        TORRE_TRY(torre_sink_check(out->traces.format[i], &traces));
    return out->field_format ? torre_sink_check(out->field_format, &field) : TORRE_OK;
}

/* Bytes of a dense field. */
static int64_t field_bytes(const torre_wave_problem *p)
{
    return torre_wave_cells(p) * (int64_t)p->precision;
}

static bool wants_snapshots(const torre_wave_spec *s) { return s->snapshot_every != 0; }

bool torre_wave_output_draws(const torre_wave_output *out)
{
    bool draws = wants_snapshots(out->spec) && torre_sink_is_picture(out->plane_format);
    for (int i = 0; i < out->traces.count; i++)
        draws = draws || torre_sink_is_picture(out->traces.format[i]);
    return draws;
}

static int64_t plane_cells(const torre_wave_input *in)
{
    const int64_t *n = in->problem.size;
    return n[0] * n[1] * n[2] / n[in->plane_axis];
}

/* Whether the velocity in the plane is to be kept, too. */
static bool wants_velocity(const torre_wave_output *out, const torre_wave_input *in)
{
    return in->problem.velocity_cells && torre_sink_is_picture(out->plane_format);
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t torre_wave_output_bytes(const torre_wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    int64_t kept = 0, most = 0;
    if (wants_snapshots(out->spec)) {
        const torre_sink_data plane = plane_data(out, in);
        kept = plane_cells(in) * ((int64_t)p->precision + (wants_velocity(out, in) ? 8 : 0));
        most = torre_sink_bytes(out->plane_format, &plane);
    }
    const torre_sink_data traces = trace_data(out, in);
    for (int i = 0; i < out->traces.count; i++)
        most = larger(most, torre_sink_bytes(out->traces.format[i], &traces));
    if (out->spec->field_every) return kept + field_bytes(p) + most;
    return kept + larger(most, out->spec->field ? field_bytes(p) : 0);
}

/* Buffers for the snapshot plane; the velocity in it does not change. */
static torre_status prepare_snapshots(torre_wave_output *out)
{
    const torre_wave_input *in = out->input;
    const torre_wave_problem *p = &in->problem;
    out->plane = malloc((size_t)plane_cells(in) * (size_t)p->precision);
    if (wants_velocity(out, in)) out->velocity = malloc((size_t)plane_cells(in) * sizeof(double));
    if (!out->plane || (wants_velocity(out, in) && !out->velocity))
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the snapshots");
    if (!out->velocity) return TORRE_OK;
    torre_wave_plane_velocity(p, in->plane_axis, in->plane_index, out->velocity);
    return TORRE_OK;
}

torre_status torre_wave_output_open(const torre_wave_input *in, torre_wave_output *out)
{
    const torre_wave_spec *s = out->spec;
    out->input = in;
    if (wants_snapshots(s)) {
        TORRE_TRY(torre_output_directory(s->output));
        TORRE_TRY(prepare_snapshots(out));
    }
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

torre_status torre_wave_output_snapshot(torre_wave_output *out, torre_wave_run *run)
{
    const torre_wave_input *in = out->input;
    const torre_sink_data data = plane_data(out, in);
    char path[sizeof out->last_snapshot], title[80];
    torre_frame frame = frame_now(run);
    frame.title = title;
    frame.values = out->plane;
    snapshot_path(out, frame.step, path, sizeof path);
    snprintf(title, sizeof title, "u at step %" PRId64 ", %g s", frame.step, frame.time);
    TORRE_TRY(torre_wave_run_plane(run, in->plane_axis, in->plane_index, out->plane));
    TORRE_TRY(torre_sink_write(out->plane_format, &data, path, &frame));
    memcpy(out->last_snapshot, path, sizeof path);
    out->snapshots++;
    return TORRE_OK;
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
    if (s->snapshot_every > 0 && step % s->snapshot_every == 0 && !zero)
        TORRE_TRY(torre_wave_output_snapshot(out, run));
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
    torre_status status = TORRE_OK;
    if (out->field && out->spec->field_every == 0) status = add_field(out, run);
    status = torre_sink_finish(&out->field, status);
    return status ? status : failed;
}

void torre_wave_output_close(torre_wave_output *out)
{
    torre_sink_discard(out->field);
    for (int i = 0; i < out->traces.count; i++) torre_sink_discard(out->trace[i]);
    torre_trace_files_free(&out->traces);
    free(out->plane);
    free(out->velocity);
    free(out->cells);
    free(out->checkpoint_before);
    memset(out, 0, sizeof *out);
}
