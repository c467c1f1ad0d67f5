#include "cli/wave_input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program.h"
#include "cli/wave_caution.h"
#include "core/numbers.h"
#include "io/npy.h"
#include "roofline/tune_file.h"
#include "torre/wave.h"
#include "wave/boundary.h"

static const char axis_name[] = "xyz";

static bool ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

static double smallest_spacing(const torre_wave_problem *p)
{
    return fmin(p->spacing[0], fmin(p->spacing[1], p->spacing[2]));
}

/* Of the axes along which anything varies. */
static double largest_spacing(const torre_wave_problem *p)
{
    double h = fmax(p->spacing[0], p->spacing[2]);
    return torre_wave_is_flat(p, 1) ? h : fmax(h, p->spacing[1]);
}

/* One item of --boundary: KIND, or FACE=KIND with FACE x-, x+, x (both) and so on. */
static bool set_boundary(torre_wave_problem *p, const char *item, bool first, bool seen[3][2])
{
    const char *equals = strchr(item, '=');
    torre_face face;
    if (!equals) {
        if (!first || !torre_face_by_name(item, &face)) return false;
        for (int a = 0; a < 3; a++)
            if (!torre_wave_is_flat(p, a)) p->face[a][0] = p->face[a][1] = face;
        return true;
    }
    size_t length = (size_t)(equals - item);
    const char *at = item[0] ? strchr(axis_name, item[0]) : NULL;
    if (!at || length > 2 || (length == 2 && item[1] != '-' && item[1] != '+')) return false;
    if (torre_wave_is_flat(p, (int)(at - axis_name))) return false;
    if (!torre_face_by_name(equals + 1, &face)) return false;
    for (int side = 0; side < 2; side++) {
        if (length == 2 && side != (item[1] == '+')) continue;
        if (seen[at - axis_name][side]) return false;
        seen[at - axis_name][side] = true;
        p->face[at - axis_name][side] = face;
    }
    return true;
}

static torre_status read_boundary(const char *text, torre_wave_problem *p)
{
    bool seen[3][2] = {{false}};
    const char *item = text;
    for (int i = 0;; i++) {
        char word[32];
        size_t length = strcspn(item, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, item);
        if (length >= sizeof word || !set_boundary(p, word, i == 0, seen))
            return torre_fail(TORRE_ERR_USAGE,
                              "--boundary must be free, rigid, absorbing or periodic, or a list "
                              "like absorbing,z-=free with each of %s at most once (got %.80s)",
                              torre_wave_is_flat(p, 1)
                                  ? "x-, x+, z-, z+ (or x, z for both; a plane has no y)"
                                  : "x-, x+, y-, y+, z-, z+ (or x, y, z for both)",
                              text);
        if (!item[length]) return TORRE_OK;
        item += length + 1;
    }
}

void wave_size_text(const int64_t size[3], bool plane, char *buffer, size_t bytes)
{
    if (plane)
        snprintf(buffer, bytes, "%" PRId64 "x%" PRId64, size[0], size[2]);
    else
        snprintf(buffer, bytes, "%" PRId64 "x%" PRId64 "x%" PRId64, size[0], size[1], size[2]);
}

static bool names_array(const char *velocity) { return ends_with(velocity, ".npy"); }

/* One number for all axes, or one for each that there is. */
static torre_status choose_spacing(const wave_settings *s, bool plane, torre_wave_problem *p)
{
    const double *h = s->spacing;
    const bool pair = h[2] == 0, equal = h[0] == h[1] && h[0] == h[2];
    if (pair != plane && !equal)
        return torre_fail(TORRE_ERR_USAGE,
                          "--spacing of a grid of %d dimensions must be %s (got %d numbers)",
                          plane ? 2 : 3, plane ? "H or HX,HZ" : "H or HX,HY,HZ", pair ? 2 : 3);
    p->spacing[0] = h[0];
    p->spacing[1] = plane ? INFINITY : h[1];
    p->spacing[2] = plane ? h[1] : h[2];
    return TORRE_OK;
}

/* Grid and dimensions: of --size, else of the velocity file, else the default. */
static torre_status choose_grid(const wave_settings *s, const torre_option *table, wave_input *in)
{
    torre_npy_header file = {.dims = 0};
    const bool given = torre_options_given(table, "size");
    if (names_array(s->velocity)) TORRE_TRY(torre_npy_header_read(s->velocity, &file));
    if (file.dims == 1)
        return torre_fail(TORRE_ERR_INPUT, "%s has one axis; a velocity model has two or three",
                          s->velocity);
    const int64_t *n = given || !file.dims ? s->size : file.shape;
    const bool cube = given && n[1] == 0;
    const bool plane = given ? n[1] > 0 && n[2] == 0 : file.dims == 2;
    int64_t *size = in->problem.size;
    size[0] = n[0];
    size[1] = cube ? n[0] : plane ? 1 : n[1];
    size[2] = cube ? n[0] : plane ? n[1] : n[2];
    return choose_spacing(s, plane, &in->problem);
}

/* The file's shape against the grid. An array (nx, nz) is a plane, or the same for every y. */
static torre_status match_size(const wave_settings *s, int dims, wave_input *in)
{
    const int64_t *size = in->problem.size;
    int64_t *shape = in->velocity.shape;
    const bool plane = torre_wave_is_flat(&in->problem, 1);
    char grid[80], wanted[80];
    if (dims == 2) {
        shape[2] = shape[1];
        shape[1] = 1;
    }
    if (shape[0] == size[0] && shape[2] == size[2] && (dims == 2 || shape[1] == size[1]))
        return TORRE_OK;
    wave_size_text(size, plane, grid, sizeof grid);
    wave_size_text(shape, dims == 2, wanted, sizeof wanted);
    return torre_fail(TORRE_ERR_USAGE, "--size %s does not match %s, which needs %s%s", grid,
                      s->velocity, wanted,
                      dims == 2 ? " (a plane) or a number of cells along y between them" : "");
}

static torre_status read_velocity(const wave_settings *s, wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    if (!names_array(s->velocity)) {
        if (!torre_parse_real(s->velocity, &p->velocity) || p->velocity <= 0)
            return torre_fail(
                TORRE_ERR_USAGE,
                "--velocity must be a number of m/s above 0 or a file .npy (got %.80s)",
                s->velocity);
        return TORRE_OK;
    }
    int dims;
    if (s->dry_run) /* it may be larger than this machine's memory */
        TORRE_TRY(torre_npy_view(s->velocity, &in->velocity, &dims, &in->velocity_map));
    else
        TORRE_TRY(torre_npy_read(s->velocity, &in->velocity, &dims));
    TORRE_TRY(match_size(s, dims, in));
    p->velocity_cells = &in->velocity;
    return TORRE_OK;
}

/* The largest number of four digits that is not above x, so that printed bounds are safe. */
static double round_down(double x)
{
    double unit = pow(10, floor(log10(x)) - 3);
    return floor(x / unit) * unit;
}

static double round_up(double x)
{
    double unit = pow(10, floor(log10(x)) - 3);
    return ceil(x / unit) * unit;
}

/* With a Courant number neither spacing nor velocity matter, but the order does. */
static torre_status refuse_courant(const wave_settings *s, const wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    const double smallest = smallest_spacing(p);
    char other[32] = "";
    for (int order = p->order - 2; order >= 2 && !other[0]; order -= 2)
        if (in->velocity_max * torre_wave_dt_limit(order, p->spacing, in->velocity_max) >=
            s->courant * smallest)
            snprintf(other, sizeof other, ", or --order %d", order);
    return torre_fail(
        TORRE_ERR_USAGE,
        "--courant %g gives Courant number %.4g, unstable above %.4g at order %d: use "
        "--courant %.4g or less%s (or --force)",
        s->courant, in->courant, in->courant_limit, p->order, round_down(in->courant_limit), other);
}

static torre_status refuse_unstable(const wave_settings *s, const wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    const double excess = p->dt / in->dt_limit, smallest = smallest_spacing(p);
    char spacing[64];
    if (s->courant > 0) return refuse_courant(s, in);
    if (smallest == largest_spacing(p))
        snprintf(spacing, sizeof spacing, "spacing >= %.4g m", round_up(smallest * excess));
    else
        snprintf(spacing, sizeof spacing, "spacings %.4g times as large", round_up(excess));
    return torre_fail(
        TORRE_ERR_USAGE,
        "--dt %g gives Courant number %.4g, unstable above %.4g at order %d: use dt <= "
        "%.4g s, or %s, or velocities <= %.4g m/s (or --force)",
        s->dt, in->courant, in->courant_limit, p->order, round_down(in->dt_limit), spacing,
        round_down(in->velocity_max / excess));
}

static torre_status choose_dt(const wave_settings *s, bool whole_microseconds, wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    const double smallest = smallest_spacing(p);
    torre_wave_velocity_range(p, &in->velocity_min, &in->velocity_max);
    in->dt_limit = torre_wave_dt_limit(p->order, p->spacing, in->velocity_max);
    if (s->dt > 0 && s->courant > 0)
        return torre_fail(TORRE_ERR_USAGE, "--dt and --courant exclude each other; give one");
    if (s->dt > 0)
        p->dt = s->dt;
    else if (s->courant > 0)
        p->dt = s->courant * smallest / in->velocity_max;
    else
        p->dt = 0.9 * in->dt_limit;
    if (whole_microseconds && s->dt == 0 && p->dt >= 1e-6) p->dt = floor(p->dt * 1e6) / 1e6;
    in->courant = in->velocity_max * p->dt / smallest;
    in->courant_limit = in->velocity_max * in->dt_limit / smallest;
    bool unstable = p->dt > in->dt_limit * (1 + 1e-9); /* the limit itself, once printed, is fine */
    if (unstable && !s->force) return refuse_unstable(s, in);
    if (unstable)
        wave_warn(in, "Courant number %.4g is above the limit %.4g: expect the field to blow up",
                  in->courant, in->courant_limit);
    if (in->velocity_max < 20)
        wave_warn(in, "the largest velocity is %.3g m/s; is the model in km/s?", in->velocity_max);
    return TORRE_OK;
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

static torre_status read_points(const wave_settings *s, wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    const torre_point_rule receiver = {.dimensions = torre_wave_dimensions(p)};
    const torre_point_rule source = {.dimensions = receiver.dimensions, .amplitudes = true};
    if (s->source && strcmp(s->source, "none") != 0)
        TORRE_TRY(torre_point_list_parse("source", s->source, source, &in->sources));
    else if (!s->source && !s->initial)
        TORRE_TRY(default_source(p, &in->sources));
    if (s->receivers)
        TORRE_TRY(torre_point_list_parse("receivers", s->receivers, receiver, &in->receivers));
    if (s->receivers && !s->traces)
        return torre_fail(TORRE_ERR_USAGE, "--receivers needs --traces FILE to write them to");
    if (s->traces && !s->receivers)
        return torre_fail(TORRE_ERR_USAGE, "--traces needs --receivers to record at");
    p->sources = in->sources.points;
    p->source_count = in->sources.count;
    p->receivers = in->receivers.points;
    p->receiver_count = in->receivers.count;
    return TORRE_OK;
}

/* Options that nothing in the run would look at. */
static torre_status refuse_idle(const wave_settings *s, const torre_option *table,
                                const wave_input *in)
{
    static const char *const of_sources[] = {"wavelet", "frequency", "amplitude"};
    static const char *const of_pictures[] = {"snapshot-plane", "snapshot-scale"};
    bool absorbing = false;
    for (int a = 0; a < 6; a++) absorbing |= in->problem.face[a / 2][a % 2] == TORRE_ABSORBING;
    for (int i = 0; i < 3; i++)
        if (in->problem.source_count == 0 && torre_options_given(table, of_sources[i]))
            return torre_fail(
                TORRE_ERR_USAGE, "--%s belongs to sources, and %s; give --source", of_sources[i],
                s->source ? "--source none leaves none" : "--initial without --source has none");
    for (int i = 0; i < 2; i++)
        if (s->snapshot_every == 0 && torre_options_given(table, of_pictures[i]))
            return torre_fail(TORRE_ERR_USAGE,
                              "--%s belongs to pictures, and --snapshot-every 0 makes none",
                              of_pictures[i]);
    if (!absorbing && torre_options_given(table, "absorbing-width"))
        return torre_fail(TORRE_ERR_USAGE, "--absorbing-width belongs to --boundary absorbing; no "
                                           "face is absorbing");
    return TORRE_OK;
}

/* A file has a value for each step, so that a finer grid, with shorter steps, does not help it. */
static void warn_of_coarse(const wave_settings *s, wave_input *in)
{
    const double coarsest = largest_spacing(&in->problem);
    char cure[120];
    if (strcmp(s->wavelet, "ricker") == 0)
        snprintf(cure, sizeof cure, "--frequency %.4g, or --spacing %.4g with as many more cells%s",
                 round_down(in->velocity_min / (5 * coarsest)),
                 round_down(in->velocity_min / (5 * in->peak_frequency)),
                 s->dt > 0 ? " and a shorter --dt" : "");
    else
        snprintf(cure, sizeof cure, "a wavelet of %.4g times as many values a period",
                 round_up(5 / in->points_per_wavelength));
    wave_warn(in, "%.2g cells per wavelength at %.3g Hz is coarse, waves will disperse: 5 take %s",
              in->points_per_wavelength, in->peak_frequency, cure);
}

static torre_status read_wavelet(const wave_settings *s, wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    if (p->source_count == 0) return TORRE_OK;
    const double coarsest = largest_spacing(p);
    if (strcmp(s->wavelet, "ricker") == 0) {
        in->peak_frequency = s->frequency > 0 ? s->frequency : in->velocity_min / (10 * coarsest);
        TORRE_TRY(
            torre_wavelet_ricker(in->peak_frequency, s->amplitude, p->dt, p->steps, &in->wavelet));
    } else {
        int64_t count;
        if (s->frequency > 0)
            return torre_fail(TORRE_ERR_USAGE, "--frequency belongs to --wavelet ricker, not to a "
                                               "wavelet file");
        TORRE_TRY(torre_wavelet_read(s->wavelet, s->amplitude, p->steps, &in->wavelet, &count));
        in->peak_frequency = torre_wavelet_peak(in->wavelet, p->steps, p->dt);
        if (count > p->steps)
            wave_warn(in, "%s has %" PRId64 " values, the run uses the first %" PRId64, s->wavelet,
                      count, p->steps);
    }
    p->wavelet = in->wavelet;
    if (in->peak_frequency > 0)
        in->points_per_wavelength = in->velocity_min / (in->peak_frequency * coarsest);
    if (in->points_per_wavelength > 0 && in->points_per_wavelength < 5) warn_of_coarse(s, in);
    return TORRE_OK;
}

static torre_status check_initial_file(const wave_input *in, const char *path)
{
    const int64_t *size = in->problem.size;
    const bool plane = torre_wave_is_flat(&in->problem, 1);
    char grid[80];
    torre_npy_header h;
    TORRE_TRY(torre_npy_header_read(path, &h));
    if (h.dims == 3 && memcmp(h.shape, size, sizeof h.shape) == 0) return TORRE_OK;
    if (plane && h.dims == 2 && h.shape[0] == size[0] && h.shape[1] == size[2]) return TORRE_OK;
    wave_size_text(size, plane, grid, sizeof grid);
    return torre_fail(TORRE_ERR_INPUT,
                      "%s has %d axes, shape (%" PRId64 ", %" PRId64 ", %" PRId64
                      "); the grid is %s",
                      path, h.dims, h.shape[0], h.shape[1], h.shape[2], grid);
}

static torre_status check_initial(const wave_settings *s, bool seed_given, wave_input *in)
{
    in->noise = s->initial && strcmp(s->initial, "noise") == 0;
    if (seed_given && !in->noise)
        return torre_fail(TORRE_ERR_USAGE, "--seed belongs to --initial noise; nothing else is "
                                           "random");
    if (!s->initial || in->noise) return TORRE_OK;
    const char *comma = strchr(s->initial, ',');
    size_t length = comma ? (size_t)(comma - s->initial) : strlen(s->initial);
    if (length == 0 || (comma && !comma[1]))
        return torre_fail(TORRE_ERR_USAGE,
                          "--initial must be noise or one or two file names, FILE[,PREVIOUS] (got "
                          "%.80s)",
                          s->initial);
    in->initial[0] = strndup(s->initial, length);
    in->initial[1] = comma ? strdup(comma + 1) : NULL;
    if (!in->initial[0] || (comma && !in->initial[1]))
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    TORRE_TRY(check_initial_file(in, in->initial[0]));
    return comma ? check_initial_file(in, in->initial[1]) : TORRE_OK;
}

/* "xz" or "xz@12" */
static torre_status read_plane(const wave_settings *s, wave_input *in)
{
    static const char *const names[3] = {"yz", "xz", "xy"}; /* by the axis across */
    const torre_wave_problem *p = &in->problem;
    const char *text = s->snapshot_plane;
    in->plane_axis = -1;
    for (int a = 0; a < 3; a++)
        if (strncmp(text, names[a], 2) == 0) in->plane_axis = a;
    if (in->plane_axis < 0 || (text[2] != 0 && text[2] != '@'))
        return torre_fail(TORRE_ERR_USAGE,
                          "--snapshot-plane must be xy, xz or yz, alone or with @INDEX (got %.40s)",
                          text);
    if (torre_wave_is_flat(p, 1) && in->plane_axis != 1)
        return torre_fail(TORRE_ERR_USAGE,
                          "--snapshot-plane must be xz in a plane, which has no other (got %.40s)",
                          text);
    int64_t top = p->size[in->plane_axis] - 1;
    if (text[2] == '@' && (!torre_parse_integer(text + 3, &in->plane_index) ||
                           in->plane_index < 0 || in->plane_index > top))
        return torre_fail(TORRE_ERR_USAGE,
                          "--snapshot-plane %.2s@INDEX must have an INDEX from 0 to %" PRId64
                          " (got %.40s)",
                          text, top, text);
    if (text[2] == 0)
        in->plane_index = p->source_count == 0
                              ? top / 2
                              : (int64_t)nearbyint(p->sources[0].position[in->plane_axis] /
                                                   p->spacing[in->plane_axis]);
    return TORRE_OK;
}

static void fill_plan(const wave_settings *s, wave_input *in)
{
    torre_engine_by_name(wave_engines[s->engine], &in->plan.engine);
    in->plan.dts = (int)s->dts;
    in->plan.tower_height = s->tower_height;
    in->plan.ordering = (torre_ordering_kind)s->ordering;
    in->plan.threads = (int)s->threads;
    in->plan.device = (int)s->device;
}

torre_status wave_input_read(const wave_settings *s, const torre_option *table,
                             bool whole_microseconds, wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    p->order = (int)s->order;
    p->precision = s->precision ? TORRE_F64 : TORRE_F32;
    p->steps = s->steps;
    p->absorbing_width = (int)s->absorbing_width;
    fill_plan(s, in);
    TORRE_TRY(choose_grid(s, table, in));
    TORRE_TRY(read_boundary(s->boundary, p));
    TORRE_TRY(read_velocity(s, in));
    p->dt = 1; /* not known yet: check what it is made from */
    torre_status status = torre_wave_problem_check(p);
    if (status == TORRE_ERR_INPUT)
        return torre_fail(status, "%s: %s", s->velocity, torre_error_text());
    TORRE_TRY(status);
    TORRE_TRY(choose_dt(s, whole_microseconds, in));
    TORRE_TRY(read_points(s, in));
    TORRE_TRY(refuse_idle(s, table, in));
    wave_warn_of_faces(in);
    TORRE_TRY(read_wavelet(s, in));
    if (s->snapshot_every > p->steps)
        wave_warn(in, "--snapshot-every %" PRId64 " makes no picture in %" PRId64 " steps",
                  s->snapshot_every, p->steps);
    TORRE_TRY(check_initial(s, torre_options_given(table, "seed"), in));
    return read_plane(s, in);
}

torre_status wave_input_check_choice(const wave_settings *s, const torre_option *table,
                                     const char *backend, torre_engine engine, wave_input *in)
{
    static const char *const of_towers[] = {"dts", "tower-height", "ordering"};
    const bool cuda = strcmp(backend, "cuda") == 0;
    const int idle_options = cuda ? 2 : 3; /* on a GPU one step at a time is ordered, too */
    for (int i = 0; i < idle_options && engine != TORRE_TORRE; i++)
        if (torre_options_given(table, of_towers[i]))
            wave_warn(in, "--%s means nothing to --engine %s", of_towers[i],
                      torre_engine_name(engine));
    return torre_program_idle("wave", table, "threads", "cpu", s->backend, backend, s->quiet);
}

void wave_input_check_tune(wave_input *in)
{
    if (torre_tune_check()) wave_warn(in, "%s", torre_error_text());
}

void wave_input_free(wave_input *in)
{
    torre_npy_unmap(&in->velocity, &in->velocity_map);
    free(in->wavelet);
    free(in->initial[0]);
    free(in->initial[1]);
    torre_point_list_free(&in->sources);
    torre_point_list_free(&in->receivers);
    memset(in, 0, sizeof *in);
}
