#include "wave/pml.h"

#include <inttypes.h>
#include <math.h>

/* Of the profile, by trials (NUMERICS.md). */
static const double strength = 11.5, power = 1.3, shift = 0.19;

/* c dt / h of the fastest cells, h the root of the harmonic mean of squares. */
static double courant_number(const torre_wave_problem *p, double fast)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) sum += 1 / (p->spacing[axis] * p->spacing[axis]);
    return fast * p->dt * sqrt(sum / torre_wave_dimensions(p));
}

void torre_pml_steps(const torre_wave_problem *p, double *a, double *b)
{
    double slow, fast;
    torre_wave_velocity_range(p, &slow, &fast);
    const double courant = courant_number(p, fast), alpha_dt = shift * courant * slow / fast;
    a[0] = b[0] = 0;
    for (int i = 1; i <= p->absorbing_width; i++) {
        const double s = strength * courant * pow((double)i / p->absorbing_width, power);
        a[i] = exp(-(s / 2 + alpha_dt));
        b[i] = s / (s + 2 * alpha_dt) * (1 - a[i]);
    }
}

torre_status torre_pml_check(const torre_wave_problem *p)
{
    for (int a = 0; a < 3; a++) {
        const int layers = (int)torre_pml_face(p, a, 0) + (int)torre_pml_face(p, a, 1);
        const int64_t least = p->density_cells
                                  ? layers * torre_pml_held(p) + 1
                                  : layers * (p->absorbing_width + (int64_t)p->order / 2);
        if (layers == 0 || p->size[a] >= least) continue;
        return torre_fail(TORRE_ERR_USAGE,
                          "absorbing layers of %d cells need at least %" PRId64
                          " cells along %c at order %d%s (got %" PRId64
                          "); give a larger {size} or a smaller {absorbing_width}",
                          p->absorbing_width, least, "xyz"[a], p -> order,
                          p -> density_cells ? " with " TORRE_PARAMETER("density") " of cells" : "",
                          p->size[a]);
    }
    return TORRE_OK;
}

bool torre_layer_slice_get(const torre_wave_problem *p, int64_t number, torre_layer_slice *slice)
{
    const int64_t W = p->absorbing_width, R = p->absorbing == TORRE_CPML ? 2 : p->order / 2;
    const int64_t all = p->absorbing == TORRE_CPML ? R * W : R * (2 * W - 1);
    for (int f = 0; f < 6; f++) {
        if (!torre_pml_face(p, f / 2, f % 2)) continue;
        if (number < all) {
            const bool outwards = number < R * W;
            const int64_t steps = outwards ? W : W - 1;
            const int64_t at = outwards ? number : number - R * W;
            *slice = (torre_layer_slice){.axis = f / 2,
                                         .side = f % 2,
                                         .outwards = outwards,
                                         .j = (int)(at / steps + 1),
                                         .i = (int)(at % steps + 1)};
            return true;
        }
        number -= all;
    }
    return false;
}

int64_t torre_layer_slice_cell(const torre_wave_problem *p, const torre_layer_slice *s)
{
    const int64_t W = p->absorbing_width, outermost = W - 1;
    int64_t r = s->outwards ? s->i + s->j - 1 : s->i - s->j; /* counted outwards */
    if (p->absorbing == TORRE_CPML) r = s->i - 1;
    if (r > outermost) r = outermost; /* which has those of the places beyond, too */
    return s->side ? p->size[s->axis] - W + r : outermost - r;
}
