#include "cli/wave_input.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program.h"
#include "core/numbers.h"
#include "io/npy.h"
#include "roofline/tune_file.h"
#include "wave/boundary.h"
#include "wave/wavelet.h"

static const char axis_name[] = "xyz";

__attribute__((format(printf, 2, 3))) static void warn(wave_input *in, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(in->warning[in->warnings++], sizeof in->warning[0], format, args);
    va_end(args);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

/* One item of --boundary: KIND, or FACE=KIND with FACE x-, x+, x (both) and so on. */
static bool set_boundary(torre_wave_problem *p, const char *item, bool first, bool seen[3][2])
{
    const char *equals = strchr(item, '=');
    torre_face face;
    if (!equals) {
        if (!first || !torre_face_by_name(item, &face)) return false;
        for (int a = 0; a < 3; a++) p->face[a][0] = p->face[a][1] = face;
        return true;
    }
    size_t length = (size_t)(equals - item);
    const char *at = item[0] ? strchr(axis_name, item[0]) : NULL;
    if (!at || length > 2 || (length == 2 && item[1] != '-' && item[1] != '+')) return false;
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
            return torre_fail(
                TORRE_ERR_USAGE,
                "--boundary must be free, rigid, absorbing or periodic, or a list "
                "like absorbing,z-=free with each of x-, x+, y-, y+, z-, z+ (or x, y, "
                "z for both) at most once (got %.80s)",
                text);
        if (!item[length]) return TORRE_OK;
        item += length + 1;
    }
}

/* Size from the file where it was not given; the file's shape against the size where it was. */
static torre_status match_size(const wave_settings *s, bool size_given, int dims, wave_input *in)
{
    int64_t *size = in->problem.size, *shape = in->velocity.shape;
    if (dims == 2) {
        shape[2] = shape[1];
        shape[1] = 1;
        if (!size_given)
            return torre_fail(TORRE_ERR_USAGE,
                              "%s has shape (%" PRId64 ", %" PRId64
                              ") without a y axis: say how far it extends, --size %" PRId64
                              "xNYx%" PRId64,
                              s->velocity, shape[0], shape[2], shape[0], shape[2]);
    } else if (dims == 1) {
        return torre_fail(TORRE_ERR_INPUT, "%s has one axis; a velocity model has two or three",
                          s->velocity);
    }
    if (!size_given) memcpy(size, shape, sizeof in->problem.size);
    bool fits = shape[0] == size[0] && shape[2] == size[2] && (dims == 2 || shape[1] == size[1]);
    char ny[24] = "NY";
    if (dims == 3) snprintf(ny, sizeof ny, "%" PRId64, shape[1]);
    if (fits) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "--size %" PRId64 "x%" PRId64 "x%" PRId64
                      " does not match %s, which needs %" PRId64 "x%sx%" PRId64,
                      size[0], size[1], size[2], s->velocity, shape[0], ny, shape[2]);
}

static torre_status read_velocity(const wave_settings *s, bool size_given, wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    if (!ends_with(s->velocity, ".npy")) {
        if (!torre_parse_real(s->velocity, &p->velocity) || p->velocity <= 0)
            return torre_fail(
                TORRE_ERR_USAGE,
                "--velocity must be a number of m/s above 0 or a file .npy (got %.80s)",
                s->velocity);
        return TORRE_OK;
    }
    int dims;
    TORRE_TRY(torre_npy_read(s->velocity, &in->velocity, &dims));
    TORRE_TRY(match_size(s, size_given, dims, in));
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

static torre_status refuse_unstable(const wave_settings *s, const wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    double excess = p->dt / in->dt_limit;
    double smallest = fmin(p->spacing[0], fmin(p->spacing[1], p->spacing[2]));
    return torre_fail(TORRE_ERR_USAGE,
                      "%s %g gives Courant number %.4g, unstable above %.4g at order %d: use dt <= "
                      "%.4g s, or spacing >= %.4g m, or velocities <= %.4g m/s (or --force)",
                      s->courant > 0 ? "--courant" : "--dt", s->courant > 0 ? s->courant : s->dt,
                      in->courant, in->courant_limit, p->order, round_down(in->dt_limit),
                      round_up(smallest * excess), round_down(in->velocity_max / excess));
}

static torre_status choose_dt(const wave_settings *s, bool whole_microseconds, wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    double smallest = fmin(p->spacing[0], fmin(p->spacing[1], p->spacing[2]));
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
        warn(in, "Courant number %.4g is above the limit %.4g: expect the field to blow up",
             in->courant, in->courant_limit);
    if (in->velocity_max < 20)
        warn(in, "the largest velocity is %.3g m/s; is the model in km/s?", in->velocity_max);
    return TORRE_OK;
}

/* A node a little above the middle, so that the waves do not stay symmetric for ever. */
static torre_status default_source(const torre_wave_problem *p, torre_point_list *list)
{
    torre_point point = {.amplitude = 1};
    const double place[3] = {0.5, 0.5, 0.3};
    for (int a = 0; a < 3; a++)
        point.position[a] = floor(place[a] * (double)(p->size[a] - 1)) * p->spacing[a];
    return torre_point_list_add(list, &point);
}

static torre_status read_points(const wave_settings *s, wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    if (s->source && strcmp(s->source, "none") != 0)
        TORRE_TRY(torre_point_list_parse("source", s->source, true, &in->sources));
    else if (!s->source && !s->initial)
        TORRE_TRY(default_source(p, &in->sources));
    if (s->receivers)
        TORRE_TRY(torre_point_list_parse("receivers", s->receivers, false, &in->receivers));
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

static torre_status read_wavelet(const wave_settings *s, wave_input *in)
{
    torre_wave_problem *p = &in->problem;
    if (p->source_count == 0) return TORRE_OK;
    double coarsest = fmax(p->spacing[0], fmax(p->spacing[1], p->spacing[2]));
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
            warn(in, "%s has %" PRId64 " values, the run uses the first %" PRId64, s->wavelet,
                 count, p->steps);
    }
    p->wavelet = in->wavelet;
    if (in->peak_frequency > 0)
        in->points_per_wavelength = in->velocity_min / (in->peak_frequency * coarsest);
    if (in->points_per_wavelength > 0 && in->points_per_wavelength < 5)
        warn(in,
             "%.2g cells per wavelength at %.3g Hz is coarse, waves will disperse: 5 are needed, "
             "--frequency %.3g or --spacing %.3g",
             in->points_per_wavelength, in->peak_frequency,
             round_down(in->velocity_min / (5 * coarsest)),
             round_down(in->velocity_min / (5 * in->peak_frequency)));
    return TORRE_OK;
}

static torre_status check_initial_file(const wave_input *in, const char *path)
{
    const int64_t *size = in->problem.size;
    torre_npy_header h;
    TORRE_TRY(torre_npy_header_read(path, &h));
    if (h.dims == 3 && memcmp(h.shape, size, sizeof h.shape) == 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT,
                      "%s has %d axes, shape (%" PRId64 ", %" PRId64 ", %" PRId64
                      "); the grid is %" PRId64 "x%" PRId64 "x%" PRId64,
                      path, h.dims, h.shape[0], h.shape[1], h.shape[2], size[0], size[1], size[2]);
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
    bool size_given = torre_options_given(table, "size");
    for (int a = 0; a < 3; a++) {
        p->size[a] = s->size[1] ? s->size[a] : s->size[0];
        p->spacing[a] = s->spacing[a];
    }
    p->order = (int)s->order;
    p->precision = s->precision ? TORRE_F64 : TORRE_F32;
    p->steps = s->steps;
    p->absorbing_width = (int)s->absorbing_width;
    fill_plan(s, in);
    TORRE_TRY(read_boundary(s->boundary, p));
    TORRE_TRY(read_velocity(s, size_given, in));
    p->dt = 1; /* not known yet: check what it is made from */
    torre_status status = torre_wave_problem_check(p);
    if (status == TORRE_ERR_INPUT)
        return torre_fail(status, "%s: %s", s->velocity, torre_error_text());
    TORRE_TRY(status);
    TORRE_TRY(choose_dt(s, whole_microseconds, in));
    TORRE_TRY(read_points(s, in));
    TORRE_TRY(refuse_idle(s, table, in));
    TORRE_TRY(read_wavelet(s, in));
    if (s->snapshot_every > p->steps)
        warn(in, "--snapshot-every %" PRId64 " makes no picture in %" PRId64 " steps",
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
            warn(in, "--%s means nothing to --engine %s", of_towers[i], torre_engine_name(engine));
    return torre_program_idle("wave", table, "threads", "cpu", s->backend, backend, s->quiet);
}

void wave_input_check_tune(wave_input *in)
{
    if (torre_tune_check()) warn(in, "%s", torre_error_text());
}

void wave_input_free(wave_input *in)
{
    free(in->velocity.data);
    free(in->wavelet);
    free(in->initial[0]);
    free(in->initial[1]);
    torre_point_list_free(&in->sources);
    torre_point_list_free(&in->receivers);
    memset(in, 0, sizeof *in);
}
