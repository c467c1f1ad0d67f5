#include "cli/wave_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/field_picture.h"
#include "io/file_ending.h"
#include "io/npy.h"
#include "io/segy.h"
#include "io/seismogram.h"
#include "wave/driver.h"

static bool format_of(const char *name, wave_trace_format *format)
{
    static const char *const endings[] = {".npy", ".sgy", ".segy", ".su", ".png", NULL};
    static const wave_trace_format formats[] = {WAVE_NPY, WAVE_SEGY, WAVE_SEGY, WAVE_SU, WAVE_PNG};
    int ending = torre_file_ending(name, endings, false);
    if (ending >= 0) *format = formats[ending];
    return ending >= 0;
}

/* SEG-Y or SU, which keep the time step as whole microseconds. */
static bool is_seismic(wave_trace_format format)
{
    return format == WAVE_SEGY || format == WAVE_SU;
}

/* Two results must not go to one file: the later would replace the earlier. */
static torre_status check_names(const wave_output *out)
{
    const wave_settings *s = out->settings;
    const char *name[WAVE_TRACE_FILES + 2] = {s->field, s->json};
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

torre_status wave_output_plan(const wave_settings *s, wave_output *out, bool *whole_microseconds)
{
    static const char *const arrays[] = {".npy", NULL};
    out->settings = s;
    *whole_microseconds = false;
    if (s->field) TORRE_TRY(torre_file_ending_check("field", s->field, arrays, false));
    if (!s->traces) return check_names(out);
    out->trace_names = strdup(s->traces);
    if (!out->trace_names) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (char *name = out->trace_names; name;) {
        char *next = strchr(name, ',');
        if (next) *next++ = 0;
        int i = out->trace_files;
        if (i == WAVE_TRACE_FILES || !format_of(name, &out->trace_format[i]))
            return torre_fail(
                TORRE_ERR_USAGE,
                "--traces must be 1 to %d files that end in .npy, .sgy, .segy, .su or "
                ".png, separated by commas (got %.80s)",
                WAVE_TRACE_FILES, s->traces);
        if (is_seismic(out->trace_format[i])) *whole_microseconds = true;
        out->trace_name[i] = name;
        out->trace_files++;
        name = next;
    }
    return check_names(out);
}

static torre_gather gather_of(const wave_input *in, int64_t samples, const void *values)
{
    const torre_wave_problem *p = &in->problem;
    torre_gather g = {.traces = p->receiver_count,
                      .samples = samples,
                      .dt = p->dt,
                      .precision = p->precision,
                      .values = values,
                      .receivers = p->receivers};
    if (p->source_count > 0) g.source = p->sources[0];
    return g;
}

torre_status wave_output_check(const wave_output *out, const wave_input *in)
{
    torre_gather g = gather_of(in, in->problem.steps + 1, NULL);
    for (int i = 0; i < out->trace_files; i++)
        if (is_seismic(out->trace_format[i])) TORRE_TRY(torre_segy_check(&g));
    return TORRE_OK;
}

static bool wants_snapshots(const wave_settings *s) { return s->snapshot_every != 0; }

static int64_t plane_cells(const wave_input *in)
{
    const int64_t *n = in->problem.size;
    return n[0] * n[1] * n[2] / n[in->plane_axis];
}

/* Size and spacing of the snapshot plane. */
static torre_plane plane_shape(const wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    int across = in->plane_axis, right = across == 0 ? 1 : 0, down = across == 2 ? 1 : 2;
    return (torre_plane){.size = {p->size[right], p->size[down]},
                         .spacing = {p->spacing[right], p->spacing[down]},
                         .precision = p->precision};
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t wave_output_bytes(const wave_output *out, const wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    int64_t kept = 0, most = 0;
    if (wants_snapshots(out->settings)) {
        torre_plane plane = plane_shape(in);
        kept = plane_cells(in) * ((int64_t)p->precision + (p->velocity_cells ? 8 : 0));
        most = torre_plane_picture_bytes(&plane);
    }
    for (int i = 0; i < out->trace_files; i++)
        if (out->trace_format[i] == WAVE_PNG)
            most = larger(most, torre_seismogram_bytes(p->receiver_count));
    if (out->settings->field) most = larger(most, torre_wave_cells(p) * (int64_t)p->precision);
    return kept + most;
}

/* Buffers for the snapshot plane; the velocity in it does not change. */
static torre_status prepare_snapshots(wave_output *out)
{
    const wave_input *in = out->input;
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

torre_status wave_output_open(const wave_input *in, wave_output *out)
{
    const wave_settings *s = out->settings;
    out->input = in;
    if (wants_snapshots(s)) {
        TORRE_TRY(torre_output_directory(s->output));
        TORRE_TRY(prepare_snapshots(out));
    }
    if (s->field) TORRE_TRY(torre_output_open(s->field, &out->field));
    for (int i = 0; i < out->trace_files; i++) {
        TORRE_TRY(torre_output_open(out->trace_name[i], &out->trace[i]));
        if (is_seismic(out->trace_format[i])) TORRE_TRY(torre_segy_check_output(out->trace[i]));
    }
    if (s->json) TORRE_TRY(torre_output_open(s->json, &out->json));
    return TORRE_OK;
}

torre_status wave_output_snapshot(wave_output *out, torre_wave_run *run)
{
    const wave_input *in = out->input;
    torre_plane plane = plane_shape(in);
    plane.cells = out->plane;
    plane.velocity = out->velocity;
    plane.velocity_range[0] = in->velocity_min;
    plane.velocity_range[1] = in->velocity_max;
    double scale = out->settings->snapshot_scale;
    char path[sizeof out->last_snapshot], title[80];
    bool here = strcmp(out->settings->output, ".") == 0;
    snprintf(path, sizeof path, "%s%ssnapshot_%06" PRId64 ".png", here ? "" : out->settings->output,
             here ? "" : "/", torre_wave_run_step(run));
    snprintf(title, sizeof title, "u at step %" PRId64 ", %g s", torre_wave_run_step(run),
             (double)torre_wave_run_step(run) * torre_wave_run_problem(run)->dt);
    TORRE_TRY(torre_wave_run_plane(run, in->plane_axis, in->plane_index, out->plane));
    if (scale <= 0) TORRE_TRY(torre_plane_scale(&plane, &scale));
    torre_image image;
    TORRE_TRY(torre_plane_draw(&plane, scale, &image));
    torre_status status = torre_png_write(&image, title, path);
    torre_image_free(&image);
    if (status) return status;
    memcpy(out->last_snapshot, path, sizeof path);
    out->snapshots++;
    return TORRE_OK;
}

static torre_status write_traces(wave_output *out, int i, const torre_gather *g)
{
    torre_status status = TORRE_OK;
    torre_image image;
    switch (out->trace_format[i]) {
    case WAVE_NPY:
        torre_npy_encode(out->trace[i], g->precision, 2, (const int64_t[]){g->traces, g->samples},
                         g->values);
        break;
    case WAVE_SEGY:
    case WAVE_SU:
        status = torre_segy_encode(g, out->trace_format[i] == WAVE_SU, out->trace[i]);
        break;
    case WAVE_PNG:
        status = torre_seismogram_draw(g, &image);
        if (status) break;
        status = torre_png_encode(&image, "shot gather", out->trace[i]);
        torre_image_free(&image);
        break;
    }
    return torre_output_finish(&out->trace[i], status);
}

static torre_status write_field(wave_output *out, torre_wave_run *run)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    size_t bytes = (size_t)torre_wave_cells(p) * (size_t)p->precision;
    void *cells = malloc(bytes);
    torre_status status = cells ? torre_wave_run_field(run, 0, cells)
                                : torre_fail(TORRE_ERR_RESOURCE, "out of memory for --field");
    const bool plane = torre_wave_is_flat(p, 1);
    const int64_t shape[3] = {p->size[0], plane ? p->size[2] : p->size[1], p->size[2]};
    if (!status) torre_npy_encode(out->field, p->precision, plane ? 2 : 3, shape, cells);
    free(cells);
    return torre_output_finish(&out->field, status);
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
    torre_gather g = gather_of(out->input, torre_wave_run_step(run) + 1, run->traces.data);
    torre_status failed = TORRE_OK; /* what one file cannot hold must not cost the others */
    for (int i = 0; i < out->trace_files; i++) {
        torre_status status = write_traces(out, i, &g);
        if (status) failed = status;
    }
    torre_status status = out->field ? write_field(out, run) : TORRE_OK;
    return status ? status : failed;
}

void wave_output_close(wave_output *out)
{
    torre_output_discard(out->field);
    torre_output_discard(out->json);
    for (int i = 0; i < out->trace_files; i++) torre_output_discard(out->trace[i]);
    free(out->trace_names);
    free(out->plane);
    free(out->velocity);
    memset(out, 0, sizeof *out);
}
