#include "cli/wave_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "torre/wave.h"

/* Two results must not go to one file: the later would replace the earlier. */
static torre_status check_names(const wave_output *out)
{
    const wave_settings *s = out->settings;
    const char *name[WAVE_TRACE_FILES + 2] = {s->run.field, s->json};
    const char *option[WAVE_TRACE_FILES + 2] = {"field", "json"};
    for (int i = 0; i < out->trace_files; i++) {
        name[i + 2] = out->trace_name[i];
        option[i + 2] = "traces";
    }
    for (int i = 0; i < out->trace_files + 2; i++)
        for (int j = 0; j < i; j++)
            if (name[i] && name[j] && torre_output_same(name[i], name[j]))
                return torre_fail(TORRE_ERR_USAGE, "--%s and --%s both write %s", option[j],
                                  option[i], name[i]);
    return TORRE_OK;
}

static torre_status bad_traces(const wave_settings *s)
{
    char list[128];
    torre_sink_endings(TORRE_SINK_TRACES, false, list, sizeof list);
    return torre_fail(TORRE_ERR_USAGE,
                      "--traces must be 1 to %d files that end in %s, separated by commas (got "
                      "%.80s)",
                      WAVE_TRACE_FILES, list, s->run.traces);
}

torre_status wave_output_plan(const wave_settings *s, wave_output *out, bool *whole_microseconds)
{
    out->settings = s;
    *whole_microseconds = false;
    if (s->run.field)
        TORRE_TRY(torre_sink_choose("field", s->run.field, TORRE_SINK_FIELD, s->run.field_every > 0,
                                    &out->field_format));
    out->plane_format = torre_sink_by_name(s->run.snapshot_format);
    if (!s->run.traces) return check_names(out);
    out->trace_names = strdup(s->run.traces);
    if (!out->trace_names) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (char *name = out->trace_names; name;) {
        char *next = strchr(name, ',');
        if (next) *next++ = 0;
        const torre_sink_format *format = torre_sink_by_ending(name, TORRE_SINK_TRACES, false);
        if (!format || out->trace_files == WAVE_TRACE_FILES) return bad_traces(s);
        if (torre_sink_whole_microseconds(format)) *whole_microseconds = true;
        out->trace_name[out->trace_files] = name;
        out->trace_format[out->trace_files++] = format;
        name = next;
    }
    return check_names(out);
}

static torre_sink_data trace_data(const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    torre_sink_data data = {.kind = TORRE_SINK_TRACES,
                            .traces = {.traces = p->receiver_count,
                                       .samples = p->steps + 1,
                                       .dt = p->dt,
                                       .precision = p->precision,
                                       .receivers = p->receivers}};
    if (p->source_count > 0) data.traces.source = p->sources[0];
    return data;
}

static torre_sink_data field_data(const wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    const int64_t every = out->settings->run.field_every;
    torre_sink_data data = {.kind = TORRE_SINK_FIELD,
                            .series = every > 0,
                            .frames = every > 0 ? p->steps / every + 1 : 1,
                            .field = {.precision = p->precision}};
    for (int a = 0; a < 3; a++) {
        if (torre_wave_is_flat(p, a)) continue;
        data.field.shape[data.field.dims] = p->size[a];
        data.field.spacing[data.field.dims++] = p->spacing[a];
    }
    return data;
}

/* The snapshot plane; the velocity in it, for pictures, is out->velocity. */
static torre_sink_data plane_data(const wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    const int across = in->plane_axis, right = across == 0 ? 1 : 0, down = across == 2 ? 1 : 2;
    return (torre_sink_data){
        .kind = TORRE_SINK_PLANE,
        .field = {.precision = p->precision,
                  .dims = 2,
                  .shape = {p->size[right], p->size[down]},
                  .spacing = {p->spacing[right], p->spacing[down]},
                  .velocity = out->velocity,
                  .velocity_range = {in->time.velocity_min, in->time.velocity_max},
                  .scale = out->settings->run.snapshot_scale}};
}

torre_status wave_output_check(const wave_output *out, const torre_wave_input *in)
{
    const torre_sink_data traces = trace_data(in), field = field_data(out, in);
    const torre_sink_data plane = plane_data(out, in);
    TORRE_TRY(torre_sink_check(out->plane_format, &plane));
    for (int i = 0; i < out->trace_files; i++)
        TORRE_TRY(torre_sink_check(out->trace_format[i], &traces));
    return out->field_format ? torre_sink_check(out->field_format, &field) : TORRE_OK;
}

/* Bytes of a dense field. */
static int64_t field_bytes(const torre_wave_problem *p)
{
    return torre_wave_cells(p) * (int64_t)p->precision;
}

static bool wants_snapshots(const wave_settings *s) { return s->run.snapshot_every != 0; }

static int64_t plane_cells(const torre_wave_input *in)
{
    const int64_t *n = in->problem.size;
    return n[0] * n[1] * n[2] / n[in->plane_axis];
}

/* Whether the velocity in the plane is to be kept, too. */
static bool wants_velocity(const wave_output *out, const torre_wave_input *in)
{
    return in->problem.velocity_cells && torre_sink_is_picture(out->plane_format);
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t wave_output_bytes(const wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    int64_t kept = 0, most = 0;
    if (wants_snapshots(out->settings)) {
        const torre_sink_data plane = plane_data(out, in);
        kept = plane_cells(in) * ((int64_t)p->precision + (wants_velocity(out, in) ? 8 : 0));
        most = torre_sink_bytes(out->plane_format, &plane);
    }
    const torre_sink_data traces = trace_data(in);
    for (int i = 0; i < out->trace_files; i++)
        most = larger(most, torre_sink_bytes(out->trace_format[i], &traces));
    if (out->settings->run.field_every) return kept + field_bytes(p) + most;
    return kept + larger(most, out->settings->run.field ? field_bytes(p) : 0);
}

/* Buffers for the snapshot plane; the velocity in it does not change. */
static torre_status prepare_snapshots(wave_output *out)
{
    const torre_wave_input *in = out->input;
    const torre_wave_problem *p = &in->problem;
    out->plane = malloc((size_t)plane_cells(in) * (size_t)p->precision);
    if (wants_velocity(out, in)) out->velocity = malloc((size_t)plane_cells(in) * sizeof(double));
    if (!out->plane || (wants_velocity(out, in) && !out->velocity))
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the snapshots");
    if (!out->velocity) return TORRE_OK;
    int64_t low[3] = {0, 0, 0}, high[3], i = 0;
    memcpy(high, p->size, sizeof high);
    low[in->plane_axis] = in->plane_index;
    high[in->plane_axis] = in->plane_index + 1;
    for (int64_t x = low[0]; x < high[0]; x++)
        for (int64_t y = low[1]; y < high[1]; y++)
            for (int64_t z = low[2]; z < high[2]; z++)
                out->velocity[i++] = torre_wave_velocity_at(p, x, y, z);
    return TORRE_OK;
}

torre_status wave_output_open(const torre_wave_input *in, wave_output *out)
{
    const wave_settings *s = out->settings;
    out->input = in;
    if (wants_snapshots(s)) {
        TORRE_TRY(torre_output_directory(s->run.output));
        TORRE_TRY(prepare_snapshots(out));
    }
    const torre_sink_data field = field_data(out, in), traces = trace_data(in);
    if (s->run.field)
        TORRE_TRY(torre_sink_open(out->field_format, &field, s->run.field, &out->field));
    for (int i = 0; i < out->trace_files; i++)
        TORRE_TRY(
            torre_sink_open(out->trace_format[i], &traces, out->trace_name[i], &out->trace[i]));
    if (s->json) TORRE_TRY(torre_output_open(s->json, &out->json));
    return TORRE_OK;
}

/* A frame of the present step without anything in it. */
static torre_frame frame_now(const torre_wave_run *run)
{
    const int64_t step = torre_wave_run_step(run);
    return (torre_frame){.step = step, .time = (double)step * torre_wave_run_problem(run)->dt};
}

torre_status wave_output_snapshot(wave_output *out, torre_wave_run *run)
{
    const torre_wave_input *in = out->input;
    const torre_sink_data data = plane_data(out, in);
    const bool here = strcmp(out->settings->run.output, ".") == 0;
    char path[sizeof out->last_snapshot], title[80];
    torre_frame frame = frame_now(run);
    frame.title = title;
    frame.values = out->plane;
    snprintf(path, sizeof path, "%s%ssnapshot_%06" PRId64 "%s",
             here ? "" : out->settings->run.output, here ? "" : "/", frame.step,
             torre_sink_ending(out->plane_format));
    snprintf(title, sizeof title, "u at step %" PRId64 ", %g s", frame.step, frame.time);
    TORRE_TRY(torre_wave_run_plane(run, in->plane_axis, in->plane_index, out->plane));
    TORRE_TRY(torre_sink_write(out->plane_format, &data, path, &frame));
    memcpy(out->last_snapshot, path, sizeof path);
    out->snapshots++;
    return TORRE_OK;
}

static torre_status add_field(wave_output *out, torre_wave_run *run)
{
    torre_frame frame = frame_now(run);
    if (!out->cells) out->cells = malloc((size_t)field_bytes(torre_wave_run_problem(run)));
    if (!out->cells) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for --field");
    frame.values = out->cells;
    TORRE_TRY(torre_wave_run_field(run, 0, out->cells));
    return torre_sink_frame(out->field, &frame);
}

torre_status wave_output_frame(wave_output *out, torre_wave_run *run)
{
    const wave_settings *s = out->settings;
    const int64_t step = torre_wave_run_step(run);
    const bool zero = step == 0 && !torre_wave_input_has_start(out->input);
    if (s->run.snapshot_every > 0 && step % s->run.snapshot_every == 0 && !zero)
        TORRE_TRY(wave_output_snapshot(out, run));
    if (s->run.field_every == 0 || step % s->run.field_every != 0) return TORRE_OK;
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

torre_status wave_output_results(wave_output *out, torre_wave_run *run)
{
    TORRE_TRY(torre_wave_run_end_traces(run));
    if (out->trace_files > 0) close_gaps(run);
    const torre_frame traces = {.title = "shot gather",
                                .values = torre_wave_run_traces(run)->data,
                                .samples = torre_wave_run_step(run) + 1};
    torre_status failed = TORRE_OK; /* what one file cannot hold must not cost the others */
    for (int i = 0; i < out->trace_files; i++) {
        torre_status status =
            torre_sink_finish(&out->trace[i], torre_sink_frame(out->trace[i], &traces));
        if (status) failed = status;
    }
    torre_status status = TORRE_OK;
    if (out->field && out->settings->run.field_every == 0) status = add_field(out, run);
    status = torre_sink_finish(&out->field, status);
    return status ? status : failed;
}

void wave_output_close(wave_output *out)
{
    torre_sink_discard(out->field);
    torre_output_discard(out->json);
    for (int i = 0; i < out->trace_files; i++) torre_sink_discard(out->trace[i]);
    free(out->trace_names);
    free(out->plane);
    free(out->velocity);
    free(out->cells);
    memset(out, 0, sizeof *out);
}
