#include "run/wave_input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/orderings.h"
#include "io/source.h"
#include "wave/boundary.h"
#include "wave/time_dispersion.h"

torre_wave_spec torre_wave_spec_default(void)
{
    return (torre_wave_spec){
        .size = {240, 240, 120},
        .spacing = {10, 10, 10},
        .velocity = "2000",
        .order = 8,
        .precision = TORRE_F32,
        .boundary = "free",
        .ordering = "row-major",
        .absorbing = TORRE_PML,
        .steps = 600,
        .wavelet = "ricker",
        .amplitude = 1,
        .seed = 1,
        .backend = "auto",
        .snapshot_every = -1,
        .snapshot_format = "png",
        .snapshot_plane = "xz",
        .picture_style = "figure",
        .output = ".",
    };
}

static bool is_file(const torre_wave_spec *s)
{
    return !s->velocity_cells && torre_source_is_file(s->velocity);
}

static bool has_density_file(const torre_wave_spec *s)
{
    return !s->density_cells && s->density && torre_source_is_file(s->density);
}

void torre_size_text(const int64_t size[3], bool plane, char *buffer, size_t bytes)
{
    if (plane)
        snprintf(buffer, bytes, "%" PRId64 "x%" PRId64, size[0], size[2]);
    else
        snprintf(buffer, bytes, "%" PRId64 "x%" PRId64 "x%" PRId64, size[0], size[1], size[2]);
}

/* One number for all axes, or one for each that there is. */
static torre_status choose_spacing(const torre_wave_spec *s, bool plane, torre_wave_problem *p)
{
    const double *h = s->spacing;
    const bool pair = h[2] == 0, equal = h[0] == h[1] && h[0] == h[2];
    if (pair != plane && !equal)
        return torre_fail(TORRE_ERR_USAGE,
                          "{spacing} of a grid of %d dimensions must be %s (got %d numbers)",
                          plane ? 2 : 3, plane ? "H or HX,HZ" : "H or HX,HY,HZ", pair ? 2 : 3);
    p->spacing[0] = h[0];
    p->spacing[1] = plane ? INFINITY : h[1];
    p->spacing[2] = plane ? h[1] : h[2];
    return TORRE_OK;
}

/* Grid and dimensions: of the file where its size counts, else of the specification. */
static torre_status choose_grid(const torre_wave_spec *s, torre_wave_input *in)
{
    int dims = 0;
    int64_t shape[3];
    if (is_file(s)) TORRE_TRY(torre_source_look(s->velocity, s->axes, &dims, shape));
    const bool of_file = s->size_of_file && dims;
    const int64_t *n = of_file ? shape : s->size;
    const bool cube = !of_file && n[1] == 0;
    const bool plane = of_file ? dims == 2 : n[1] > 0 && n[2] == 0;
    int64_t *size = in->problem.size;
    size[0] = n[0];
    size[1] = cube ? n[0] : plane ? 1 : n[1];
    size[2] = cube ? n[0] : plane ? n[1] : n[2];
    return choose_spacing(s, plane, &in->problem);
}

/* A file's shape against the grid. An array (nx, nz) is a plane, or the same for every y. */
static torre_status match_size(const char *path, int dims, const torre_wave_problem *p,
                               int64_t shape[3])
{
    const int64_t *size = p->size;
    const bool plane = torre_wave_is_flat(p, 1);
    char grid[80], wanted[80];
    if (dims == 2) {
        shape[2] = shape[1];
        shape[1] = 1;
    }
    if (shape[0] == size[0] && shape[2] == size[2] && (dims == 2 || shape[1] == size[1]))
        return TORRE_OK;
    torre_size_text(size, plane, grid, sizeof grid);
    torre_size_text(shape, dims == 2, wanted, sizeof wanted);
    return torre_fail(TORRE_ERR_USAGE, "{size} %s does not match %s, which needs %s%s", grid, path,
                      wanted,
                      dims == 2 ? " (a plane) or a number of cells along y between them" : "");
}

/* Of a file; view: leave it there where that can be. */
static torre_status read_cells(const char *text, const char *axes, bool view,
                               const torre_wave_problem *p, torre_array *cells, torre_npy_map *map)
{
    const bool plane = torre_wave_is_flat(p, 1);
    const int64_t grid[3] = {p->size[0], plane ? p->size[2] : p->size[1], plane ? 1 : p->size[2]};
    int dims;
    TORRE_TRY(torre_source_read(text, axes, plane ? 2 : 3, grid, cells, &dims, view ? map : NULL));
    return match_size(text, dims, p, cells->shape);
}

static torre_status read_velocity(const torre_wave_spec *s, bool view, torre_wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    if (s->velocity_cells) {
        p->velocity_cells = s->velocity_cells;
        return TORRE_OK;
    }
    if (!is_file(s)) {
        if (!torre_parse_real(s->velocity, &p->velocity) || p->velocity <= 0)
            return torre_fail(
                TORRE_ERR_USAGE,
                "{velocity} must be a number of m/s above 0 or a file: %s (got %.80s)",
                torre_source_forms(), s->velocity);
        return TORRE_OK;
    }
    TORRE_TRY(read_cells(s->velocity, s->axes, view, p, &in->velocity, &in->velocity_map));
    p->velocity_cells = &in->velocity;
    return TORRE_OK;
}

static torre_status read_density(const torre_wave_spec *s, bool view, torre_wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    p->density_cells = s->density_cells;
    if (s->density_cells || !s->density) return TORRE_OK;
    if (has_density_file(s)) {
        TORRE_TRY(read_cells(s->density, s->axes, view, p, &in->density, &in->density_map));
        p->density_cells = &in->density;
    } else if (!torre_parse_real(s->density, &p->density) || p->density <= 0) {
        return torre_fail(TORRE_ERR_USAGE,
                          "{density} must be a number of kg/m^3 above 0 or a file .npy (got %.80s)",
                          s->density);
    }
    return TORRE_OK;
}

/* torre_wave_problem_check, which does not know the files. */
static torre_status check_problem(const torre_wave_spec *s, const torre_wave_input *in)
{
    const torre_status status = torre_wave_problem_check(&in->problem);
    if (status != TORRE_ERR_INPUT) return status;
    const bool density = strncmp(torre_error_text(), "density", 7) == 0;
    const char *path = density             ? in->density.data ? s->density : NULL
                       : in->velocity.data ? s->velocity
                                           : NULL;
    return path ? torre_fail(status, "%s: %s", path, torre_error_text()) : status;
}

/* A node a little above the middle, so that the waves do not stay symmetric for ever. */
static torre_status default_source(const torre_wave_problem *p, torre_point_list *list)
{
    torre_point point = {.amplitude = 1};
    const double place[3] = {0.5, 0.5, 0.3};
    for (int a = 0; a < 3; a++)
        if (!torre_wave_is_flat(p, a))
            point.position[a] = floor(place[a] * (double)(p->size[a] - 1)) * p->spacing[a];
    return torre_point_list_add(list, &point);
}

static torre_status copy_points(const torre_point *points, int64_t count, torre_point_list *list)
{
    for (int64_t i = 0; i < count; i++) TORRE_TRY(torre_point_list_add(list, &points[i]));
    return TORRE_OK;
}

static torre_status read_points(const torre_wave_spec *s, torre_wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    const int dimensions = torre_wave_dimensions(p);
    const torre_point_rule receiver = {dimensions, false, true}, source = {dimensions, true, true};
    if (s->source_points)
        TORRE_TRY(copy_points(s->source_points, s->source_count, &in->sources));
    else if (s->source && strcmp(s->source, "none") != 0)
        TORRE_TRY(torre_point_list_parse("source", s->source, source, &in->sources));
    else if (!s->source && !s->initial)
        TORRE_TRY(default_source(p, &in->sources));
    if (s->receiver_points)
        TORRE_TRY(copy_points(s->receiver_points, s->receiver_count, &in->receivers));
    else if (s->receivers)
        TORRE_TRY(torre_point_list_parse("receivers", s->receivers, receiver, &in->receivers));
    p->sources = in->sources.points;
    p->source_count = in->sources.count;
    p->receivers = in->receivers.points;
    p->receiver_count = in->receivers.count;
    return TORRE_OK;
}

static bool is_ricker(const torre_wave_spec *s)
{
    return !s->wavelet_samples && strcmp(s->wavelet, "ricker") == 0;
}

/* A file has a value for each step, so that a finer grid, with shorter steps, does not help it. */
static void warn_of_coarse(const torre_wave_spec *s, torre_wave_input *in)
{
    const double coarsest = torre_wave_spacing_max(&in->problem);
    char cure[120];
    if (is_ricker(s))
        torre_text(cure, sizeof cure,
                   "{frequency} %.4g, or {spacing} %.4g with as many more cells%s",
                   torre_round_down(in->time.velocity_min / (5 * coarsest)),
                   torre_round_down(in->time.velocity_min / (5 * in->peak_frequency)),
                   s->time.dt > 0 ? " and a shorter " TORRE_PARAMETER("dt") : "");
    else
        snprintf(cure, sizeof cure, "a wavelet of %.4g times as many values a period",
                 torre_round_up(5 / in->points_per_wavelength));
    torre_caution(&in->cautions,
                  "cells per wavelength at %.3g Hz: %.2g, which is coarse, so waves will disperse; "
                  "5 take %s",
                  in->peak_frequency, in->points_per_wavelength, cure);
}

/* The caller's samples, or those of a file; *name: what to call them. */
static torre_status given_wavelet(const torre_wave_spec *s, torre_wave_input *in, const char **name,
                                  int64_t *count)
{
    const int64_t steps = in->problem.steps;
    *name = s->wavelet;
    if (!s->wavelet_samples)
        return torre_wavelet_read(s->wavelet, s->amplitude, steps, &in->wavelet, count);
    *name = "wavelet";
    *count = s->wavelet_count;
    in->wavelet = calloc((size_t)steps + 1, sizeof *in->wavelet);
    if (!in->wavelet) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the wavelet");
    for (int64_t n = 0; n < steps && n < *count; n++)
        in->wavelet[n] = s->amplitude * s->wavelet_samples[n];
    return TORRE_OK;
}

/* What a corrected trace cannot hold, of samples that may be anything. */
static torre_status warn_of_fast(const torre_wave_problem *p, torre_cautions *cautions)
{
    double share;
    if (!torre_dispersion_corrects(p)) return TORRE_OK;
    TORRE_TRY(torre_dispersion_lost(p->wavelet, p->steps, &share));
    if (share > 0.01)
        torre_caution(cautions,
                      "%.2g %% of the wavelet's energy is above %.3g Hz, where traces lose it as "
                      "time dispersion is corrected; keep it with {time_dispersion} leave",
                      100 * share, 1.5 / (2 * 3.14159265358979323846 * p->dt));
    return TORRE_OK;
}

static torre_status read_wavelet(const torre_wave_spec *s, torre_wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    if (p->source_count == 0) return TORRE_OK;
    const double coarsest = torre_wave_spacing_max(p);
    if (is_ricker(s)) {
        in->peak_frequency =
            s->frequency > 0 ? s->frequency : in->time.velocity_min / (10 * coarsest);
        TORRE_TRY(
            torre_wavelet_ricker(in->peak_frequency, s->amplitude, p->dt, p->steps, &in->wavelet));
    } else {
        const char *name;
        int64_t count;
        if (s->frequency > 0)
            return torre_fail(TORRE_ERR_USAGE, "{frequency} belongs to {wavelet} ricker, not to a "
                                               "wavelet file");
        TORRE_TRY(given_wavelet(s, in, &name, &count));
        in->peak_frequency = torre_wavelet_peak(in->wavelet, p->steps, p->dt);
        if (count > p->steps)
            torre_caution(&in->cautions,
                          "%s has %" PRId64 " values, the run uses the first %" PRId64, name, count,
                          p->steps);
    }
    p->wavelet = in->wavelet;
    if (in->peak_frequency > 0)
        in->points_per_wavelength = in->time.velocity_min / (in->peak_frequency * coarsest);
    if (in->points_per_wavelength > 0 && in->points_per_wavelength < 5) warn_of_coarse(s, in);
    return is_ricker(s) ? TORRE_OK : warn_of_fast(p, &in->cautions);
}

static torre_status check_initial_file(const torre_wave_input *in, const char *path)
{
    const int64_t *size = in->problem.size;
    const bool plane = torre_wave_is_flat(&in->problem, 1);
    char grid[80];
    torre_npy_header h;
    TORRE_TRY(torre_npy_header_read(path, &h));
    if (h.dims == 3 && memcmp(h.shape, size, sizeof h.shape) == 0) return TORRE_OK;
    if (plane && h.dims == 2 && h.shape[0] == size[0] && h.shape[1] == size[2]) return TORRE_OK;
    torre_size_text(size, plane, grid, sizeof grid);
    return torre_fail(TORRE_ERR_INPUT,
                      "%s has %d axes, shape (%" PRId64 ", %" PRId64 ", %" PRId64
                      "); the grid is %s",
                      path, h.dims, h.shape[0], h.shape[1], h.shape[2], grid);
}

static torre_status check_initial(const torre_wave_spec *s, torre_wave_input *in)
{
    in->seed = (uint64_t)s->seed;
    in->noise = s->initial && strcmp(s->initial, "noise") == 0;
    if (!s->initial || in->noise) return TORRE_OK;
    const char *comma = strchr(s->initial, ',');
    size_t length = comma ? (size_t)(comma - s->initial) : strlen(s->initial);
    if (length == 0 || (comma && !comma[1]))
        return torre_fail(TORRE_ERR_USAGE,
                          "{initial} must be noise or one or two file names, FILE[,PREVIOUS] (got "
                          "%.80s)",
                          s->initial);
    in->initial[0] = strndup(s->initial, length);
    in->initial[1] = comma ? strdup(comma + 1) : NULL;
    if (!in->initial[0] || (comma && !in->initial[1]))
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    TORRE_TRY(check_initial_file(in, in->initial[0]));
    return comma ? check_initial_file(in, in->initial[1]) : TORRE_OK;
}

torre_status torre_wave_part_read(const char *option, const char *text, const torre_wave_problem *p,
                                  int *axis, int64_t *index)
{
    static const char *const names[3] = {"yz", "xz", "xy"}; /* by the axis across */
    *axis = -1;
    *index = 0;
    if (strcmp(text, "volume") == 0) return TORRE_OK;
    for (int a = 0; a < 3; a++)
        if (strncmp(text, names[a], 2) == 0) *axis = a;
    if (*axis < 0 || (text[2] != 0 && text[2] != '@'))
        return torre_fail(TORRE_ERR_USAGE,
                          "{%s} must be xy, xz or yz, alone or with @INDEX, or volume (got %.40s)",
                          option, text);
    if (torre_wave_is_flat(p, 1) && *axis != 1)
        return torre_fail(TORRE_ERR_USAGE,
                          "{%s} must be xz in a plane, which has no other (got %.40s)", option,
                          text);
    const int64_t top = p->size[*axis] - 1;
    if (text[2] == '@' && (!torre_parse_integer(text + 3, index) || *index < 0 || *index > top))
        return torre_fail(TORRE_ERR_USAGE,
                          "{%s} %.2s@INDEX must have an INDEX from 0 to %" PRId64 " (got %.40s)",
                          option, text, top, text);
    if (text[2] == 0)
        *index = p->source_count == 0
                     ? top / 2
                     : (int64_t)nearbyint(p->sources[0].position[*axis] / p->spacing[*axis]);
    return TORRE_OK;
}

torre_status torre_wave_input_read(const torre_wave_spec *s, bool view, torre_wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    if (!(s->frequency >= 0) || isinf(s->frequency))
        return torre_fail(TORRE_ERR_USAGE, "{frequency} must be at least 0 Hz (got %g)",
                          s->frequency);
    if (!isfinite(s->amplitude))
        return torre_fail(TORRE_ERR_USAGE, "{amplitude} must be a finite number");
    p->order = (int)s->order;
    p->precision = s->precision;
    p->steps = s->steps;
    p->absorbing = s->absorbing;
    p->absorbing_width = (int)s->absorbing_width;
    if (s->absorbing_width == 0)
        p->absorbing_width = s->absorbing == TORRE_PML ? TORRE_PML_WIDTH : TORRE_ABSORBING_WIDTH;
    p->time_dispersion = s->time_dispersion;
    p->interpolation = s->interpolation;
    in->plan = (torre_wave_plan){.engine = s->engine,
                                 .measured = true,
                                 .dts = (int)s->dts,
                                 .tower_height = s->tower_height,
                                 .threads = (int)s->threads,
                                 .device = (int)s->device,
                                 .devices = s->devices,
                                 .memory = s->memory,
                                 .scratch = s->scratch};
    TORRE_TRY(torre_ordering_read("ordering", s->ordering, &in->plan.ordering));
    if (s->axes && !is_file(s) && !has_density_file(s))
        return torre_fail(TORRE_ERR_USAGE, "{axes} belongs to a file of {velocity} or {density}");
    TORRE_TRY(choose_grid(s, in));
    TORRE_TRY(torre_boundary_parse(s->boundary, p));
    TORRE_TRY(read_velocity(s, view, in));
    TORRE_TRY(read_density(s, view, in));
    p->dt = 1; /* not known yet: check what it is made from */
    TORRE_TRY(check_problem(s, in));
    TORRE_TRY(torre_time_step_choose(p, &s->time, &in->cautions, &in->time));
    p->dt = in->time.dt;
    TORRE_TRY(read_points(s, in));
    torre_caution_faces(p, &in->cautions);
    torre_caution_density(p, &in->cautions);
    TORRE_TRY(read_wavelet(s, in));
    if (s->snapshot_every > p->steps)
        torre_caution(&in->cautions,
                      "{snapshot_every} %" PRId64 " makes no picture in %" PRId64 " steps",
                      s->snapshot_every, p->steps);
    if (s->field_every > p->steps)
        torre_caution(&in->cautions,
                      "{field_every} %" PRId64 " leaves the field at step 0 alone in %" PRId64
                      " steps",
                      s->field_every, p->steps);
    TORRE_TRY(check_initial(s, in));
    return torre_wave_part_read("snapshot_plane", s->snapshot_plane, p, &in->plane_axis,
                                &in->plane_index);
}

void torre_wave_input_clear(torre_wave_input *in)
{
    torre_npy_unmap(&in->velocity, &in->velocity_map);
    torre_npy_unmap(&in->density, &in->density_map);
    free(in->wavelet);
    free(in->initial[0]);
    free(in->initial[1]);
    torre_point_list_free(&in->sources);
    torre_point_list_free(&in->receivers);
    memset(in, 0, sizeof *in);
}

torre_status torre_wave_input_new(const torre_wave_spec *spec, torre_wave_input **input)
{
    torre_wave_input *in = calloc(1, sizeof *in);
    if (!in) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    torre_status status = torre_wave_input_read(spec, false, in);
    if (status)
        torre_wave_input_free(in);
    else
        *input = in;
    return status;
}

const torre_wave_problem *torre_wave_input_problem(const torre_wave_input *in)
{
    return &in->problem;
}

const torre_wave_plan *torre_wave_input_plan(const torre_wave_input *in) { return &in->plan; }

const char *torre_wave_input_caution(const torre_wave_input *in, int i)
{
    return i >= 0 && i < in->cautions.count ? in->cautions.text[i] : NULL;
}

void torre_wave_input_free(torre_wave_input *in)
{
    if (in) torre_wave_input_clear(in);
    free(in);
}
