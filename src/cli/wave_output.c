#include "cli/wave_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wave/driver.h"

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
        TORRE_TRY(
            torre_sink_choose("field", s->run.field, TORRE_SINK_FIELD, false, &out->field_format));
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

static torre_sink_data field_data(const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    torre_sink_data data = {.kind = TORRE_SINK_FIELD, .field = {.precision = p->precision}};
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
    const torre_sink_data traces = trace_data(in), field = field_data(in);
    for (int i = 0; i < out->trace_files; i++)
        TORRE_TRY(torre_sink_check(out->trace_format[i], &traces));
    return out->field_format ? torre_sink_check(out->field_format, &field) : TORRE_OK;
}

static bool wants_snapshots(const wave_settings *s) { return s->run.snapshot_every != 0; }

static int64_t plane_cells(const torre_wave_input *in)
{
    const int64_t *n = in->problem.size;
    return n[0] * n[1] * n[2] / n[in->plane_axis];
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t wave_output_bytes(const wave_output *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    int64_t kept = 0, most = 0;
    if (wants_snapshots(out->settings)) {
        const torre_sink_data plane = plane_data(out, in);
        kept = plane_cells(in) * ((int64_t)p->precision + (p->velocity_cells ? 8 : 0));
        most = torre_sink_bytes(torre_sink_by_name("png"), &plane);
    }
    const torre_sink_data traces = trace_data(in);
    for (int i = 0; i < out->trace_files; i++)
        most = larger(most, torre_sink_bytes(out->trace_format[i], &traces));
    if (out->settings->run.field) most = larger(most, torre_wave_cells(p) * (int64_t)p->precision);
    return kept + most;
}

/* Buffers for the snapshot plane; the velocity in it does not change. */
static torre_status prepare_snapshots(wave_output *out)
{
    const torre_wave_input *in = out->input;
    const torre_wave_problem *p = &in->problem;
    out->plane = malloc((size_t)plane_cells(in) * (size_t)p->precision);
    if (p->velocity_cells) out->velocity = malloc((size_t)plane_cells(in) * sizeof(double));
    if (!out->plane || (p->velocity_cells && !out->velocity))
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
    const torre_sink_data field = field_data(in), traces = trace_data(in);
    if (s->run.field)
        TORRE_TRY(torre_sink_open(out->field_format, &field, s->run.field, &out->field));
    for (int i = 0; i < out->trace_files; i++)
        TORRE_TRY(
            torre_sink_open(out->trace_format[i], &traces, out->trace_name[i], &out->trace[i]));
    if (s->json) TORRE_TRY(torre_output_open(s->json, &out->json));
    return TORRE_OK;
}

torre_status wave_output_snapshot(wave_output *out, torre_wave_run *run)
{
    const torre_wave_input *in = out->input;
    const torre_sink_data data = plane_data(out, in);
    const bool here = strcmp(out->settings->run.output, ".") == 0;
    char path[sizeof out->last_snapshot], title[80];
    const torre_frame frame = {.step = torre_wave_run_step(run),
                               .time = (double)torre_wave_run_step(run) *
                                       torre_wave_run_problem(run)->dt,
                               .title = title,
                               .values = out->plane};
    snprintf(path, sizeof path, "%s%ssnapshot_%06" PRId64 ".png",
             here ? "" : out->settings->run.output, here ? "" : "/", torre_wave_run_step(run));
    snprintf(title, sizeof title, "u at step %" PRId64 ", %g s", frame.step, frame.time);
    TORRE_TRY(torre_wave_run_plane(run, in->plane_axis, in->plane_index, out->plane));
    TORRE_TRY(torre_sink_write(torre_sink_by_name("png"), &data, path, &frame));
    memcpy(out->last_snapshot, path, sizeof path);
    out->snapshots++;
    return TORRE_OK;
}

static torre_status write_field(wave_output *out, torre_wave_run *run)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    void *cells = malloc((size_t)torre_wave_cells(p) * (size_t)p->precision);
    torre_status status = cells ? torre_wave_run_field(run, 0, cells)
                                : torre_fail(TORRE_ERR_RESOURCE, "out of memory for --field");
    const torre_frame frame = {.step = torre_wave_run_step(run),
                               .time = (double)torre_wave_run_step(run) * p->dt,
                               .values = cells};
    if (!status) status = torre_sink_frame(out->field, &frame);
    free(cells);
    return torre_sink_finish(&out->field, status);
}

/*
 * A run that was stopped has recorded less than the array holds: close the gaps between the rows.
 */
static void cut_traces(torre_wave_run *run)
{
    torre_array *t = &run->traces;
    size_t width = (size_t)t->precision, kept = (size_t)(torre_wave_run_step(run) + 1) * width;
    size_t row = (size_t)t->shape[1] * width;
    for (int64_t r = 1; r < t->shape[0]; r++)
        memmove((char *)t->data + (size_t)r * kept, (char *)t->data + (size_t)r * row, kept);
    t->shape[1] = torre_wave_run_step(run) + 1;
}

torre_status wave_output_results(wave_output *out, torre_wave_run *run)
{
    if (out->trace_files > 0) cut_traces(run);
    const torre_frame traces = {.title = "shot gather",
                                .values = run->traces.data,
                                .samples = torre_wave_run_step(run) + 1};
    torre_status failed = TORRE_OK; /* what one file cannot hold must not cost the others */
    for (int i = 0; i < out->trace_files; i++) {
        torre_status status =
            torre_sink_finish(&out->trace[i], torre_sink_frame(out->trace[i], &traces));
        if (status) failed = status;
    }
    torre_status status = out->field ? write_field(out, run) : TORRE_OK;
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
    memset(out, 0, sizeof *out);
}
