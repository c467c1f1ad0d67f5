#include "wave/particle_velocity.h"

#include <inttypes.h>
#include <math.h>

torre_status torre_component_check(const torre_wave_problem *p, const char *what, int64_t index,
                                   const torre_point *point)
{
    const int axis = torre_component_axis(point->component);
    const bool receiver = what[0] == 'r';
    if (axis < -1 || axis > 2)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s %" PRId64
                          ": the component must be pressure or along x, y, z (got %d)",
                          what, index, (int)point->component);
    if (axis < 0) return TORRE_OK;
    if (torre_wave_is_flat(p, axis))
        return torre_fail(TORRE_ERR_USAGE,
                          "%s %" PRId64 ": the component must be p, x or z in two dimensions, "
                          "where nothing varies along y",
                          what, index);
    if (p->interpolation != TORRE_SINC)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s %" PRId64 ": components along an axis need {interpolation} sinc",
                          what, index);
    if (receiver && !p->density_cells && !(p->density > 0 && isfinite(p->density)))
        return torre_fail(TORRE_ERR_USAGE,
                          "%s %" PRId64 ": particle velocity needs {density}, a number of kg/m^3 "
                          "above 0 or an array",
                          what, index);
    return TORRE_OK;
}

/* Density that the scheme has in a cell; only ratios count where it does not vary. */
static double density_of_cell(const torre_wave_problem *p, const torre_density *d, int64_t cell)
{
    if (!d->cells) return p->density > 0 ? p->density : 1;
    const double s = torre_density_scale(d, cell);
    return d->reference / (s * s);
}

static double density_at(const torre_wave_problem *p, const torre_density *d,
                         const torre_point *point)
{
    int64_t cell = 0;
    for (int a = 0; a < 3; a++)
        cell = cell * p->size[a] +
               (torre_wave_is_flat(p, a) ? 0 : llround(point->position[a] / p->spacing[a]));
    return density_of_cell(p, d, cell);
}

double torre_force_factor(const torre_wave_problem *p, const torre_density *d,
                          const torre_point *point, int64_t cell)
{
    if (point->component == TORRE_PRESSURE) return 1;
    const int64_t *n = p->size;
    const double c = torre_wave_velocity_at(p, cell / n[2] / n[1], cell / n[2] % n[1], cell % n[2]);
    return c * c * density_of_cell(p, d, cell) / density_at(p, d, point);
}

/* Integral over step n - 1 .. n of g, over dt. */
static double step_integral(const double g[4], bool before, bool after)
{
    if (before && after) return (13 * (g[1] + g[2]) - g[0] - g[3]) / 24;
    if (before) return (5 * g[2] + 8 * g[1] - g[0]) / 12;
    if (after) return (5 * g[1] + 8 * g[2] - g[3]) / 12;
    return (g[1] + g[2]) / 2;
}

static void integrate(torre_precision precision, void *data, int64_t first, int64_t samples,
                      double factor)
{
    double v = 0, g[4] = {0, 0, torre_value(precision, data, first), 0};
    if (samples > 1) g[3] = torre_value(precision, data, first + 1);
    torre_value_set(precision, data, first, 0);
    for (int64_t n = 1; n < samples; n++) {
        for (int i = 0; i < 3; i++) g[i] = g[i + 1];
        g[3] = n + 1 < samples ? torre_value(precision, data, first + n + 1) : 0;
        v += factor * step_integral(g, n > 1, n + 1 < samples);
        torre_value_set(precision, data, first + n, v);
    }
}

void torre_particle_velocity(const torre_wave_problem *p, const torre_density *density,
                             torre_array *traces, int64_t samples)
{
#pragma omp parallel for
    for (int64_t r = 0; r < p->receiver_count; r++)
        if (p->receivers[r].component != TORRE_PRESSURE)
            integrate(traces->precision, traces->data, r * traces->shape[1], samples,
                      -p->dt / density_at(p, density, &p->receivers[r]));
}
