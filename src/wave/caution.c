#include "wave/caution.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "wave/density.h"

void torre_caution(torre_cautions *c, const char *format, ...)
{
    if (c->count == TORRE_CAUTIONS) return;
    va_list args;
    va_start(args, format);
    torre_text_list(c->text[c->count++], sizeof c->text[0], format, args);
    va_end(args);
}

/* Cells of an axis that no layer takes. */
static int64_t clear_cells(const torre_wave_problem *p, int axis)
{
    int64_t layers = 0;
    for (int side = 0; side < 2; side++) layers += p->face[axis][side] == TORRE_ABSORBING;
    return p->size[axis] - layers * p->absorbing_width;
}

/* Layers that hardly leave anything between them. */
static void warn_of_wide_layers(const torre_wave_problem *p, torre_cautions *cautions)
{
    for (int a = 0; a < 3; a++) {
        const int64_t clear = clear_cells(p, a);
        if (clear == p->size[a] || clear >= p->absorbing_width) continue;
        torre_caution(
            cautions,
            "absorbing layers of %d cells leave %" PRId64 " of the %" PRId64
            " cells along %c undamped; give a larger {size} or a smaller {absorbing_width}",
            p->absorbing_width, clear > 0 ? clear : 0, p->size[a], "xyz"[a]);
    }
}

/* How many cells deep a point lies in the deepest of its layers, and at which face (axis 2, side 1:
 * 5); 0: in none. */
static double depth_of(const torre_wave_problem *p, const torre_point *point, int *face)
{
    double deepest = 0;
    for (int f = 0; f < 6; f++) {
        const int axis = f / 2, side = f % 2;
        if (p->face[axis][side] != TORRE_ABSORBING) continue;
        const double at = point->position[axis] / p->spacing[axis];
        const double distance = side ? (double)(p->size[axis] - 1) - at : at;
        const double depth = (double)p->absorbing_width - distance;
        if (depth <= deepest + 1e-9) continue; /* positions are rounded */
        deepest = depth;
        *face = f;
    }
    return deepest;
}

/* Points whose waves a layer takes away; the deepest is named. */
static void warn_of_points(const torre_wave_problem *p, const char *what, const torre_point *points,
                           int64_t count, torre_cautions *cautions)
{
    int64_t inside = 0, worst = 0;
    double deepest = 0;
    int face = 0;
    for (int64_t i = 0; i < count; i++) {
        int its = 0;
        const double depth = depth_of(p, &points[i], &its);
        inside += depth > 0;
        if (depth <= deepest) continue;
        deepest = depth;
        worst = i;
        face = its;
    }
    if (inside == 0) return;
    torre_caution(cautions,
                  "%" PRId64 " of %" PRId64
                  " %ss in an absorbing layer, which damps what is %s there: "
                  "%s %" PRId64 " lies %.3g of %d cells deep in that of %c%c",
                  inside, count, what, what[0] == 's' ? "sent from" : "recorded", what, worst,
                  deepest, p->absorbing_width, "xyz"[face / 2], "-+"[face % 2]);
}

/* An odd mirror on either side of a single cell takes a term of the size of 2 c^2 / h^2 u from it.
 */
static void warn_of_one_cell(const torre_wave_problem *p, torre_cautions *cautions)
{
    for (int a = 0; a < 3; a++) {
        const bool odd = p->face[a][0] == TORRE_FREE || p->face[a][1] == TORRE_FREE;
        if (p->size[a] > 1 || !odd || torre_wave_is_flat(p, a)) continue;
        torre_caution(
            cautions,
            "%c has one cell, which its free faces pull to zero like a stiff spring; for two "
            "dimensions give {size} NXxNZ",
            "xyz"[a]);
        return;
    }
}

void torre_caution_faces(const torre_wave_problem *p, torre_cautions *cautions)
{
    warn_of_wide_layers(p, cautions);
    warn_of_points(p, "source", p->sources, p->source_count, cautions);
    warn_of_points(p, "receiver", p->receivers, p->receiver_count, cautions);
    warn_of_one_cell(p, cautions);
}

/*
 * Ratios of density between cells side by side up to which the operator of orders 4, 6, .. has no
 * negative eigenvalue in layers and cells at random, alternating and alone (the first seen is at
 * 150, 90, 40, 28, 22); at order 2 it has none whatever the density.
 */
void torre_caution_density(const torre_wave_problem *p, torre_cautions *cautions)
{
    static const double safe[] = {INFINITY, 100, 70, 30, 20, 15};
    const int last = (int)(sizeof safe / sizeof *safe) - 1, R = p->order / 2;
    const double limit = safe[R - 1 < last ? R - 1 : last];
    const torre_density density = torre_density_of(p);
    const double contrast = torre_density_contrast(&density);
    if (contrast <= limit) return;
    torre_caution(cautions,
                  "density changes by a factor of %.3g from one cell to the next, above %g fields "
                  "may grow at order %d: use {order} 2, or a smoother {density}%s",
                  contrast, limit, p->order,
                  contrast > 300 ? " (air is a free face, not a medium)" : "");
}
