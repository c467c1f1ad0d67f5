#include "particles/mps_tank.h"

#include <math.h>
#include <string.h>

static torre_status whole_spacings(const torre_mps_tank *t, const char *what, int axis,
                                   double length, int64_t *cells)
{
    double n = rint(length / t->spacing);
    if (!(n >= 1 && n < 1e6))
        return torre_fail(TORRE_ERR_USAGE,
                          "{%s} %c must be 1 to 1000000 spacings of %g m (got %g m, %g spacings)",
                          what, "xyz"[axis], t -> spacing, length, length / t -> spacing);
    *cells = (int64_t)n;
    return TORRE_OK;
}

torre_status torre_mps_tank_layout(const torre_mps_tank *t, torre_mps_layout *l)
{
    if (t->dims != 2 && t->dims != 3)
        return torre_fail(TORRE_ERR_USAGE, "{dimensions} must be 2 or 3 (got %d)", t->dims);
    if (!(t->spacing > 0) || isinf(t->spacing))
        return torre_fail(TORRE_ERR_USAGE, "{spacing} must be a positive number (got %g)",
                          t->spacing);
    TORRE_TRY(torre_mps_influence_check(t->spacing, t->influence));
    memset(l, 0, sizeof *l);
    for (int a = 0; a < t->dims; a++)
        TORRE_TRY(whole_spacings(t, "tank", a, t->size[a], &l->cells[a]));
    for (int a = 0; a < 2; a++)
        TORRE_TRY(whole_spacings(t, "column", a, t->column[a], &l->water[a]));
    for (int a = 0; a < 2; a++)
        if (l->water[a] > l->cells[a])
            return torre_fail(TORRE_ERR_USAGE,
                              "the water is higher or wider than the tank: %g m of "
                              "%g m along %c",
                              t->column[a], t->size[a], "xy"[a]);
    if (t->dims == 2) l->cells[2] = 1;
    l->layers = 1 + (int64_t)ceil(t->influence / t->spacing - 1 - 1e-9);
    /* beyond the outermost layer: so far that images do not meet, whatever the skin */
    const double beyond = t->influence + 2 * t->spacing;
    const double least_across = 2 * t->influence + t->spacing; /* and half a spacing for the skin */
    double all = 1, inner = 1, walls = 1;
    for (int a = 0; a < 3; a++) {
        bool walled = a < 2 || (t->dims == 3 && t->side_walls);
        double n = (double)l->cells[a];
        l->origin[a] = walled ? (double)l->layers * t->spacing + beyond / 2 : 0;
        l->box[a] = n * t->spacing + 2 * l->origin[a];
        all *= walled ? n + 2 * (double)l->layers : n;
        walls *= walled ? n + 2 : n;
        inner *= n;
    }
    if (t->dims == 2) { /* one plane in the middle of an otherwise empty box */
        l->box[2] = 4 * beyond;
        l->origin[2] = 2 * beyond - t->spacing / 2;
    } else if (!t->side_walls && l->box[2] < least_across) {
        return torre_fail(TORRE_ERR_USAGE,
                          "the tank is %g m across, too little to be periodic: use at least %g m "
                          "or {side_walls}",
                          l->box[2], least_across);
    }
    double fluid = (double)l->water[0] * (double)l->water[1] * (double)l->cells[2];
    if (fluid + all - inner > 1e12)
        return torre_fail(TORRE_ERR_USAGE, "more than 10^12 particles: use a larger {spacing}");
    l->fluid = (int64_t)fluid;
    l->wall = (int64_t)(walls - inner);
    l->count = l->fluid + (int64_t)(all - inner);
    return TORRE_OK;
}

/* How many spacings outside the tank a lattice point is: 0 inside. */
static int64_t outside(const torre_mps_layout *l, const int64_t cell[3])
{
    int64_t most = 0;
    for (int a = 0; a < 3; a++) {
        int64_t beyond = cell[a] < 0 ? -cell[a] : cell[a] - l->cells[a] + 1;
        if (beyond > most) most = beyond;
    }
    return most;
}

void torre_mps_tank_problem(const torre_mps_tank *tank, const torre_mps_layout *layout,
                            torre_md_problem *problem)
{
    problem->model = TORRE_MODEL_MPS;
    problem->count = layout->count;
    problem->dimensions = tank->dims;
    problem->cutoff = tank->influence;
    problem->mps.fluid = layout->fluid;
    problem->mps.wall = layout->wall;
    problem->mps.spacing = tank->spacing;
    memcpy(problem->box, layout->box, sizeof problem->box);
}

torre_status torre_mps_tank_make(const torre_mps_tank *t, torre_md_particles *p)
{
    torre_mps_layout l;
    TORRE_TRY(torre_mps_tank_layout(t, &l));
    TORRE_TRY(torre_md_particles_new(l.count, p));
    memcpy(p->box, l.box, sizeof p->box);
    p->mass = pow(t->spacing, t->dims);
    const int64_t sides = t->dims == 3 && t->side_walls ? l.layers : 0;
    int64_t next[3] = {0, l.fluid, l.fluid + l.wall}, cell[3];
    for (cell[0] = -l.layers; cell[0] < l.cells[0] + l.layers; cell[0]++) {
        for (cell[1] = -l.layers; cell[1] < l.cells[1] + l.layers; cell[1]++) {
            for (cell[2] = -sides; cell[2] < l.cells[2] + sides; cell[2]++) {
                int64_t beyond = outside(&l, cell);
                if (!beyond && (cell[0] >= l.water[0] || cell[1] >= l.water[1])) continue;
                int64_t id = next[beyond > 2 ? 2 : beyond]++;
                for (int a = 0; a < 3; a++)
                    p->position[a][id] = l.origin[a] + ((double)cell[a] + 0.5) * t->spacing;
            }
        }
    }
    return TORRE_OK;
}
