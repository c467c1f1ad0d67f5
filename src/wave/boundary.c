#include "wave/boundary.h"

#include <math.h>
#include <string.h>

#include "wave/pml.h"

torre_ghost torre_ghost_find(int64_t i, int64_t n, torre_face low, torre_face high)
{
    torre_ghost g = {i, 1};
    while (g.source < 0 || g.source >= n) {
        bool below = g.source < 0;
        int64_t out = below ? -1 - g.source : g.source - n; /* 0 for the first cell outside */
        torre_face face = below ? low : high;
        int64_t inwards; /* mirror image, counted from the same face */
        if (face == TORRE_CONTINUES) {
            return (torre_ghost){0, 0};
        } else if (face == TORRE_PERIODIC) {
            g.source += below ? n : -n;
            continue;
        } else if (face == TORRE_RIGID) {
            inwards = out;
        } else if (out == 0) {
            return (torre_ghost){0, 0};
        } else {
            inwards = out - 1;
            g.sign = -g.sign;
        }
        g.source = below ? inwards : n - 1 - inwards;
    }
    return g;
}

torre_ghost torre_axis_ghost(const torre_wave_problem *p, int axis, int64_t i)
{
    if (i < 0 ? torre_pml_face(p, axis, 0) : i >= p->size[axis] && torre_pml_face(p, axis, 1))
        return (torre_ghost){0, 0};
    return torre_ghost_find(i, p->size[axis], p->face[axis][0], p->face[axis][1]);
}

const char *torre_absorbing_name(torre_absorbing absorbing)
{
    static const char *const names[] = {"sponge", "pml", "cpml"};
    return names[absorbing];
}

bool torre_axis_absorbs(const torre_wave_problem *problem, int axis)
{
    return problem->face[axis][0] == TORRE_ABSORBING || problem->face[axis][1] == TORRE_ABSORBING;
}

/* Largest velocity among the cells of a face's damping layer. */
static double layer_velocity(const torre_wave_problem *p, int axis, int side)
{
    if (!p->velocity_cells) return p->velocity;
    int64_t low[3] = {0, 0, 0}, high[3] = {p->size[0], p->size[1], p->size[2]};
    if (side == 0 && high[axis] > p->absorbing_width) high[axis] = p->absorbing_width;
    if (side == 1 && high[axis] > p->absorbing_width) low[axis] = high[axis] - p->absorbing_width;
    if (p->velocity_cells->shape[1] == 1) low[1] = high[1] - 1;
    double top = 0;
#pragma omp parallel for reduction(max : top)
    for (int64_t x = low[0]; x < high[0]; x++) {
        for (int64_t y = low[1]; y < high[1]; y++) {
            for (int64_t z = low[2]; z < high[2]; z++) {
                double c = torre_wave_velocity_at(p, x, y, z);
                if (c > top) top = c;
            }
        }
    }
    return top;
}

void torre_damping_profile(const torre_wave_problem *p, int axis, double *values)
{
    int64_t n = p->size[axis];
    double width = p->absorbing_width;
    double q = fmin(fmax(0.5 + width / 40, 0.75), 3);
    for (int64_t i = 0; i < n; i++) values[i] = 0;
    for (int side = 0; side < 2; side++) {
        if (p->face[axis][side] != TORRE_ABSORBING) continue;
        double rate = q * layer_velocity(p, axis, side) / p->spacing[axis];
        for (int64_t d = 0; d < n && d < p->absorbing_width; d++) {
            double from_wall = (double)(d + 1);
            values[side ? n - 1 - d : d] += rate * pow(1 - from_wall / (width + 1), q) / from_wall;
        }
    }
}

static const char *const face_names[] = {"free", "rigid", "absorbing", "periodic"};

const char *torre_face_name(torre_face face)
{
    return (unsigned)face <= TORRE_PERIODIC ? face_names[face] : NULL;
}

bool torre_face_by_name(const char *name, torre_face *face)
{
    for (int f = 0; f < 4; f++) {
        if (strcmp(name, face_names[f]) == 0) {
            *face = (torre_face)f;
            return true;
        }
    }
    return false;
}
