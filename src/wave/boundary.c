#include "wave/boundary.h"

#include <math.h>
#include <string.h>

torre_ghost torre_ghost_find(int64_t i, int64_t n, torre_face low, torre_face high)
{
    torre_ghost g = {i, 1};
    while (g.source < 0 || g.source >= n) {
        bool below = g.source < 0;
        int64_t out = below ? -1 - g.source : g.source - n; /* 0 for the first cell outside */
        torre_face face = below ? low : high;
        int64_t inwards; /* mirror image, counted from the same face */
        if (face == TORRE_PERIODIC) {
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

bool torre_axis_is_damped(const torre_wave_problem *problem, int axis)
{
    return problem->face[axis][0] == TORRE_ABSORBING || problem->face[axis][1] == TORRE_ABSORBING;
}

/* Reflection aimed at for vertical incidence. A smaller one reflects at the layer's own gradient.
 */
static const double target_reflection = 1e-4;

void torre_damping_profile(const torre_wave_problem *problem, int axis, double *values)
{
    int64_t n = problem->size[axis];
    double low, c;
    torre_wave_velocity_range(problem, &low, &c);
    double width = problem->absorbing_width;
    double s_max = 3 * c * log(1 / target_reflection) / (2 * width * problem->spacing[axis]);
    for (int64_t i = 0; i < n; i++) {
        values[i] = 0;
        for (int side = 0; side < 2; side++) {
            double d = side ? (double)(n - 1 - i) : (double)i;
            if (problem->face[axis][side] == TORRE_ABSORBING && d < width) {
                double r = (width - d) / width;
                values[i] += s_max * r * r;
            }
        }
    }
}

static const char *const face_names[] = {"free", "rigid", "absorbing", "periodic"};

const char *torre_face_name(torre_face face) { return face_names[face]; }

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
