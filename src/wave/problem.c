#include <float.h>
#include <math.h>
#include <string.h>

#include "core/options.h"
#include "core/phase.h"
#include "wave/boundary.h"
#include "wave/density.h"
#include "wave/interpolation.h"
#include "wave/particle_velocity.h"
#include "wave/pml.h"
#include "wave/problem.h"
#include "wave/stencil.h"

static const char *const axis_name[3] = {"x", "y", "z"};

double torre_wave_dt_limit(int order, const double spacing[3], double velocity_max)
{
    double sum = 0;
    if (!torre_order_known(order)) return NAN;
    for (int a = 0; a < 3; a++) sum += 1 / (spacing[a] * spacing[a]);
    return 2 / (velocity_max * sqrt(torre_stencil_norm(order / 2) * sum));
}

torre_status torre_wave_problem_dt_limit(const torre_wave_problem *p, double *seconds)
{
    double velocity;
    TORRE_TRY(torre_density_velocity(p, &velocity));
    *seconds = torre_wave_dt_limit(p->order, p->spacing, velocity);
    return TORRE_OK;
}

double torre_wave_source_scale(const torre_wave_problem *p)
{
    double volume = 1;
    for (int a = 0; a < 3; a++)
        if (!torre_wave_is_flat(p, a)) volume *= p->spacing[a];
    return p->dt * p->dt / volume;
}

/* An array of the medium, one value a cell. */
static torre_status check_cells(const torre_wave_problem *p, const char *what, const char *unit,
                                const torre_array *v)
{
    if (!v->data || (v->precision != TORRE_F32 && v->precision != TORRE_F64))
        return torre_fail(TORRE_ERR_USAGE, "%s must be an array of f32 or f64 values", what);
    if (v->shape[0] != p->size[0] || (v->shape[1] != p->size[1] && v->shape[1] != 1) ||
        v->shape[2] != p->size[2])
        return torre_fail(TORRE_ERR_INPUT,
                          "%s has shape (%lld, %lld, %lld), the grid is %lldx%lldx%lld; "
                          "it must be the same, or have 1 along y",
                          what, (long long)v->shape[0], (long long)v->shape[1],
                          (long long)v->shape[2], (long long)p->size[0], (long long)p->size[1],
                          (long long)p->size[2]);
    const int64_t bad = torre_wave_medium_bad(v);
    if (bad >= 0)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s at cell (%lld, %lld, %lld) is %g; it must be a positive number "
                          "of %s everywhere",
                          what, (long long)(bad / v->shape[2] / v->shape[1]),
                          (long long)(bad / v->shape[2] % v->shape[1]),
                          (long long)(bad % v->shape[2]), torre_value(v->precision, v->data, bad),
                          unit);
    return TORRE_OK;
}

static torre_status check_medium(const torre_wave_problem *p)
{
    if (p->density_cells) TORRE_TRY(check_cells(p, "density", "kg/m^3", p->density_cells));
    if (p->velocity_cells) return check_cells(p, "velocity", "m/s", p->velocity_cells);
    if (p->velocity > 0 && !isinf(p->velocity)) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "velocity must be a positive number of m/s (got %g)",
                      p->velocity);
}

static torre_status check_faces(const torre_wave_problem *p)
{
    for (int a = 0; a < 3; a++) {
        const torre_face *f = p->face[a];
        for (int side = 0; side < 2; side++)
            if ((int)f[side] < TORRE_FREE || (int)f[side] > TORRE_PERIODIC)
                return torre_fail(TORRE_ERR_USAGE, "boundary %s%c is of no known kind (%d)",
                                  axis_name[a], "-+"[side], (int)f[side]);
        if ((f[0] == TORRE_PERIODIC) != (f[1] == TORRE_PERIODIC))
            return torre_fail(TORRE_ERR_USAGE,
                              "boundary %s-=%s,%s+=%s: periodic faces come in pairs, make both "
                              "faces of the axis periodic",
                              axis_name[a], torre_face_name(f[0]), axis_name[a],
                              torre_face_name(f[1]));
        if (torre_axis_absorbs(p, a) && p->absorbing_width < 1)
            return torre_fail(TORRE_ERR_USAGE, "absorbing width must be at least 1 cell (got %d)",
                              p->absorbing_width);
    }
    return TORRE_OK;
}

/* Points inside the grid, as many as can be indexed; amplitudes matter for sources only. */
static torre_status check_points(const torre_wave_problem *p, const char *what,
                                 const torre_point *points, int64_t count, bool amplitudes)
{
    if (count < 0 || count > INT64_MAX / 1024 || (count > 0 && !points))
        return torre_fail(TORRE_ERR_USAGE, "%s count %lld has no list of that length", what,
                          (long long)count);
    for (int64_t i = 0; i < count; i++) {
        for (int a = 0; a < 3; a++) {
            double x = points[i].position[a], top = torre_wave_extent(p, a);
            /* slack for rounding: 0.1 * 3 is not 0.3 */
            if (!(x >= 0) || !(x <= top * (1 + 1e-12)))
                return torre_fail(TORRE_ERR_USAGE,
                                  "%s %lld: %s = %.12g m lies outside the grid (0 to %.12g m)",
                                  what, (long long)i, axis_name[a], x, top);
        }
        TORRE_TRY(torre_component_check(p, what, i, &points[i]));
        TORRE_TRY(torre_taps_check(p, what, i, &points[i]));
        if (amplitudes && !isfinite(points[i].amplitude))
            return torre_fail(TORRE_ERR_USAGE, "%s %lld: the amplitude must be a finite number",
                              what, (long long)i);
    }
    return TORRE_OK;
}

/* What a source adds to a cell, over A s dt^2 / (hx hy hz): a force c^2 times its taps, 1.4 / h. */
static double source_factor(const torre_wave_problem *p, const torre_point *source)
{
    const int axis = torre_component_axis(source->component);
    double low, high;
    if (axis < 0) return 1;
    torre_wave_velocity_range(p, &low, &high);
    return high * high * 1.4 / p->spacing[axis];
}

torre_status torre_wave_wavelet_check(const torre_wave_problem *p, const double *wavelet)
{
    double strongest = 0, scale = torre_wave_source_scale(p);
    if (p->source_count == 0 || p->steps == 0) return TORRE_OK;
    if (!wavelet) return torre_fail(TORRE_ERR_USAGE, "sources need a wavelet");
    for (int64_t n = 0; n < p->steps; n++) {
        if (!isfinite(wavelet[n]))
            return torre_fail(TORRE_ERR_USAGE, "wavelet sample %lld is %g; it must be finite",
                              (long long)n, wavelet[n]);
        strongest = fmax(strongest, fabs(wavelet[n]));
    }
    const double most = p->precision == TORRE_F32 ? (double)FLT_MAX : DBL_MAX;
    for (int64_t i = 0; i < p->source_count; i++) {
        double added =
            fabs(p->sources[i].amplitude) * strongest * scale * source_factor(p, &p->sources[i]);
        if (!(added <= most))
            return torre_fail(TORRE_ERR_USAGE,
                              "source %lld is too strong: it adds dt^2 s/h^%d = %g to a cell, at "
                              "most %g is a number in %s",
                              (long long)i, torre_wave_dimensions(p), added, most,
                              p->precision == TORRE_F32 ? "f32" : "f64");
    }
    return TORRE_OK;
}

torre_status torre_wave_steps_check(const torre_wave_problem *p, int64_t n, int64_t steps)
{
    if (steps >= 0 && steps <= p->steps - n) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "cannot advance %lld steps from step %lld of %lld",
                      (long long)steps, (long long)n, (long long)p->steps);
}

torre_status torre_wave_points_check(const torre_wave_problem *p)
{
    TORRE_TRY(check_points(p, "source", p->sources, p->source_count, true));
    TORRE_TRY(check_points(p, "receiver", p->receivers, p->receiver_count, false));
    return torre_wave_wavelet_check(p, p->wavelet);
}

/* Spacings whose squares and products, and those of the grid's extent, are ordinary numbers. */
static const double spacing_min = 1e-30, spacing_max = 1e30;

/* One cell and nothing beyond it along y, where that does not vary. */
static torre_status check_spacing(const torre_wave_problem *p, int axis)
{
    const bool flat = axis == 1 && p->spacing[axis] == INFINITY;
    if (!flat && (!(p->spacing[axis] >= spacing_min) || !(p->spacing[axis] <= spacing_max)))
        return torre_fail(TORRE_ERR_USAGE, "spacing along %s must be %g to %g m (got %g)",
                          axis_name[axis], spacing_min, spacing_max, p->spacing[axis]);
    if (flat && p->size[axis] != 1)
        return torre_fail(TORRE_ERR_USAGE,
                          "size along y must be 1 in two dimensions, where spacing along y is "
                          "infinite (got %lld)",
                          (long long)p->size[axis]);
    if (flat && (p->face[axis][0] != TORRE_FREE || p->face[axis][1] != TORRE_FREE))
        return torre_fail(TORRE_ERR_USAGE, "y faces must be left free in two dimensions, where "
                                           "spacing along y is infinite");
    return TORRE_OK;
}

static torre_status check_order(int order)
{
    char known[80];
    if (torre_order_known(order)) return TORRE_OK;
    torre_join_choices(torre_order_names, known, sizeof known);
    return torre_fail(TORRE_ERR_USAGE, "order must be %s (got %d)", known, order);
}

torre_status torre_wave_problem_check(const torre_wave_problem *p)
{
    TORRE_PHASE(TORRE_PHASE_CHECK);
    TORRE_TRY(check_order(p->order));
    if (p->precision != TORRE_F32 && p->precision != TORRE_F64)
        return torre_fail(TORRE_ERR_USAGE, "precision must be f32 or f64");
    int64_t cells = 1;
    for (int a = 0; a < 3; a++) {
        if (p->size[a] < 1)
            return torre_fail(TORRE_ERR_USAGE, "size along %s must be at least 1 (got %lld)",
                              axis_name[a], (long long)p->size[a]);
        if (p->size[a] > INT64_MAX / 64 / cells)
            return torre_fail(TORRE_ERR_USAGE, "size %lldx%lldx%lld overflows a 64-bit byte count",
                              (long long)p->size[0], (long long)p->size[1], (long long)p->size[2]);
        cells *= p->size[a];
        TORRE_TRY(check_spacing(p, a));
    }
    if (!(p->dt > 0) || isinf(p->dt))
        return torre_fail(TORRE_ERR_USAGE, "dt must be a positive number of seconds (got %g)",
                          p->dt);
    if (p->steps < 0)
        return torre_fail(TORRE_ERR_USAGE, "steps must not be negative (got %lld)",
                          (long long)p->steps);
    TORRE_TRY(check_medium(p));
    if ((int)p->absorbing < 0 || (int)p->absorbing > TORRE_CPML)
        return torre_fail(TORRE_ERR_USAGE, "absorbing must be sponge, pml or cpml (got %d)",
                          (int)p->absorbing);
    TORRE_TRY(check_faces(p));
    TORRE_TRY(torre_pml_check(p));
    if ((int)p->interpolation < 0 || (int)p->interpolation > TORRE_TRILINEAR)
        return torre_fail(TORRE_ERR_USAGE, "interpolation must be sinc or trilinear (got %d)",
                          (int)p->interpolation);
    if ((int)p->time_dispersion < 0 || (int)p->time_dispersion > TORRE_DISPERSION_LEAVE)
        return torre_fail(TORRE_ERR_USAGE, "time dispersion must be corrected or left (got %d)",
                          (int)p->time_dispersion);
    return torre_wave_points_check(p);
}

static bool same_kind(const torre_array *v, const torre_array *w)
{
    if (!v || !w) return !v && !w;
    return v->precision == w->precision && memcmp(v->shape, w->shape, sizeof v->shape) == 0;
}

/* But for the values of arrays. */
static bool same_medium(const torre_wave_problem *a, const torre_wave_problem *b)
{
    return same_kind(a->velocity_cells, b->velocity_cells) &&
           same_kind(a->density_cells, b->density_cells) &&
           (a->velocity_cells || a->velocity == b->velocity);
}

bool torre_wave_same_grid(const torre_wave_problem *a, const torre_wave_problem *b)
{
    return memcmp(a->size, b->size, sizeof a->size) == 0 &&
           a->time_dispersion == b->time_dispersion &&
           memcmp(a->spacing, b->spacing, sizeof a->spacing) == 0 &&
           memcmp(a->face, b->face, sizeof a->face) == 0 && a->order == b->order &&
           a->precision == b->precision && a->dt == b->dt && a->steps == b->steps &&
           a->absorbing == b->absorbing && a->absorbing_width == b->absorbing_width &&
           same_medium(a, b);
}
