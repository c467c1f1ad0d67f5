#include "wave/interpolation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/kaiser.h"
#include "wave/boundary.h"
#include "wave/slope.h"

/* Half the width of the sinc, and its window: the one that Hicks found best for waves of 3 points
 * and more. */
enum { HALF = TORRE_TAPS / 2 };
static const double sinc_beta = 6.31;

/* The node at or below a position, in cells, and how far above it that is, 0 <= fraction < 1. */
static int64_t node_below(const torre_wave_problem *p, int axis, double position, double *fraction)
{
    double x = position / p->spacing[axis];
    const double whole = nearbyint(x);
    if (fabs(x - whole) < 1e-9) x = whole; /* a node up to the rounding of k * h / h */
    int64_t cell = (int64_t)floor(x);
    if (cell > p->size[axis] - 1) cell = p->size[axis] - 1;
    *fraction = x - (double)cell;
    if (*fraction < 0 || cell == p->size[axis] - 1) *fraction = 0;
    return cell;
}

static double windowed_sinc(double d)
{
    const double x = 3.14159265358979323846 * d;
    return sin(x) / x * torre_kaiser(d / HALF, sinc_beta) / torre_kaiser(0, sinc_beta);
}

/* Add to the weight of a cell, which stays in its place. */
static void add_tap(torre_taps *t, int64_t cell, double weight)
{
    int at = 0;
    while (at < t->count && t->cell[at] < cell) at++;
    if (at < t->count && t->cell[at] == cell) {
        t->weight[at] += weight;
        return;
    }
    for (int i = t->count++; i > at; i--) {
        t->cell[i] = t->cell[i - 1];
        t->weight[i] = t->weight[i - 1];
    }
    t->cell[at] = cell;
    t->weight[at] = weight;
}

/* Cells 1 - HALF .. HALF beside one, of which some are mirrored. */
static void fold_taps(const torre_wave_problem *p, int axis, int64_t cell,
                      const double weight[TORRE_TAPS], torre_taps *t)
{
    for (int i = 0; i < TORRE_TAPS; i++) {
        const torre_ghost g = torre_ghost_find(cell + i + 1 - HALF, p->size[axis], p->face[axis][0],
                                               p->face[axis][1]);
        if (g.sign && weight[i] != 0) add_tap(t, g.source, g.sign * weight[i]);
    }
    if (t->count == 0) add_tap(t, 0, 0);
}

static void sinc_weights(double fraction, double weight[TORRE_TAPS])
{
    for (int i = 0; i < TORRE_TAPS; i++) weight[i] = windowed_sinc(i + 1 - HALF - fraction);
}

static void slope_taps(const torre_wave_problem *p, int axis, int64_t cell, double fraction,
                       torre_taps *t)
{
    double weight[TORRE_TAPS];
    torre_slope_weights(fraction, weight);
    for (int i = 0; i < TORRE_TAPS; i++) weight[i] /= p->spacing[axis];
    fold_taps(p, axis, cell, weight, t);
}

void torre_taps_find(const torre_wave_problem *p, const torre_point *point, torre_taps taps[3])
{
    for (int a = 0; a < 3; a++) {
        double fraction, weight[TORRE_TAPS];
        const int64_t cell = node_below(p, a, point->position[a], &fraction);
        taps[a].count = 0;
        if (torre_component_axis(point->component) == a) {
            slope_taps(p, a, cell, fraction, &taps[a]);
            continue;
        }
        if (fraction > 0 && p->interpolation == TORRE_SINC) {
            sinc_weights(fraction, weight);
            fold_taps(p, a, cell, weight, &taps[a]);
            continue;
        }
        add_tap(&taps[a], cell, 1 - fraction);
        if (fraction > 0) add_tap(&taps[a], cell + 1, fraction);
    }
}

torre_status torre_taps_check(const torre_wave_problem *p, const char *what, int64_t index,
                              const torre_point *point)
{
    const double *position = point->position;
    for (int a = 0; a < 3 && p->interpolation == TORRE_SINC; a++) {
        double fraction;
        const int64_t cell = node_below(p, a, position[a], &fraction), n = p->size[a];
        const bool low = cell < HALF - 1 && p->face[a][0] == TORRE_RIGID;
        const bool high = cell > n - 1 - HALF && p->face[a][1] == TORRE_RIGID;
        const double h = p->spacing[a];
        const double from = p->face[a][0] == TORRE_RIGID ? (HALF - 1) * h : 0;
        const double to = (double)(p->face[a][1] == TORRE_RIGID ? n - HALF : n - 1) * h;
        char range[80] = "", other[80];
        const bool slope = torre_component_axis(point->component) == a;
        if ((fraction == 0 && !slope) || (!low && !high)) continue;
        if (from <= to)
            snprintf(range, sizeof range, "%c from %.12g to %.12g m, ", "xyz"[a], from, to);
        snprintf(other, sizeof other,
                 slope ? "pressure"
                       : "a multiple of %.12g m, or " TORRE_PARAMETER("interpolation") " trilinear",
                 h);
        return torre_fail(TORRE_ERR_USAGE,
                          "%s %" PRId64 " at %c = %.12g m is %s and closer than %d cells to "
                          "the rigid face %c%c, over which its sinc would reach; legal are %s%s",
                          what, index, "xyz"[a], position[a],
                          slope ? "of a component along it" : "between cells", HALF, "xyz"[a],
                          low ? '-' : '+', range, other);
    }
    return TORRE_OK;
}
