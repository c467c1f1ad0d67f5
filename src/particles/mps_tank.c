#include "particles/mps_tank.h"

#include <math.h>
#include <string.h>

#include "particles/mps_boxes.h"

static torre_status whole_spacings(const torre_mps_tank *t, int axis, int64_t *cells)
{
    double n = rint(t->size[axis] / t->spacing);
    if (!(n >= 1 && n < 1e6))
        return torre_fail(TORRE_ERR_USAGE,
                          "{tank} %c must be 1 to 1000000 spacings of %g m (got %g m, %g spacings)",
                          "xyz"[axis], t -> spacing, t -> size[axis],
                          t -> size[axis] / t -> spacing);
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
    for (int a = 0; a < t->dims; a++) TORRE_TRY(whole_spacings(t, a, &l->cells[a]));
    if (t->dims == 2) l->cells[2] = 1;
    l->sides = t->dims == 3 && t->side_walls;
    l->layers = 1 + (int64_t)ceil(t->influence / t->spacing - 1 - 1e-9);
    TORRE_TRY(torre_mps_boxes_place(t, l));
    /* beyond the outermost layer: so far that images do not meet, whatever the skin */
    const double beyond = t->influence + 2 * t->spacing;
    const double least_across = 2 * t->influence + t->spacing; /* and half a spacing for the skin */
    for (int a = 0; a < 3; a++) {
        const bool walled = a < 2 || l->sides;
        l->origin[a] = walled ? (double)l->layers * t->spacing + beyond / 2 : 0;
        l->box[a] = (double)l->cells[a] * t->spacing + 2 * l->origin[a];
    }
    if (l->gated) l->box[1] += (double)l->cells[1] * t->spacing; /* to be lifted to */
    if (t->dims == 2) { /* one plane in the middle of an otherwise empty box */
        l->box[2] = 4 * beyond;
        l->origin[2] = 2 * beyond - t->spacing / 2;
    } else if (!t->side_walls && l->box[2] < least_across) {
        return torre_fail(TORRE_ERR_USAGE,
                          "the tank is %g m across, too little to be periodic: use at least %g m "
                          "or {side_walls}",
                          l->box[2], least_across);
    }
    return torre_mps_boxes_count(l);
}

void torre_mps_tank_problem(const torre_mps_tank *tank, const torre_mps_layout *layout,
                            torre_md_problem *problem)
{
    torre_mps_parameters *mps = &problem->mps;
    problem->model = TORRE_MODEL_MPS;
    problem->count = layout->count;
    problem->dimensions = tank->dims;
    problem->cutoff = tank->influence;
    mps->fluid = layout->fluid;
    mps->wall = layout->wall;
    mps->spacing = tank->spacing;
    memcpy(problem->box, layout->box, sizeof problem->box);
    if (!layout->gated) return;
    mps->gate = layout->fluid + layout->wall - layout->gate_wall;
    mps->gate_count = layout->gate_wall + layout->gate_dummy;
    mps->gate_opens = tank->gate.opens;
    mps->gate_speed = tank->gate.speed;
    mps->gate_lift = (double)layout->cells[1] * tank->spacing;
}

torre_status torre_mps_tank_make(const torre_mps_tank *t, torre_md_particles *p)
{
    torre_mps_layout l;
    TORRE_TRY(torre_mps_tank_layout(t, &l));
    TORRE_TRY(torre_md_particles_new(l.count, p));
    memcpy(p->box, l.box, sizeof p->box);
    p->mass = pow(t->spacing, t->dims);
    const int64_t sides = l.sides ? l.layers : 0, walls = l.fluid + l.wall;
    int64_t next[TORRE_MPS_KINDS] = {[TORRE_MPS_WALL] = l.fluid,
                                     [TORRE_MPS_GATE_WALL] = walls - l.gate_wall,
                                     [TORRE_MPS_GATE_DUMMY] = walls,
                                     [TORRE_MPS_DUMMY] = walls + l.gate_dummy};
    int64_t place[3];
    for (place[0] = -l.layers; place[0] < l.cells[0] + l.layers; place[0]++) {
        for (place[1] = -l.layers; place[1] < l.cells[1] + l.layers; place[1]++) {
            for (place[2] = -sides; place[2] < l.cells[2] + sides; place[2]++) {
                const torre_mps_kind kind = torre_mps_boxes_kind(&l, place);
                if (kind == TORRE_MPS_NOTHING) continue;
                const int64_t id = next[kind]++;
                for (int a = 0; a < 3; a++)
                    p->position[a][id] = l.origin[a] + ((double)place[a] + 0.5) * t->spacing;
            }
        }
    }
    return TORRE_OK;
}
