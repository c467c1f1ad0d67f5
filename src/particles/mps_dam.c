#include "particles/mps_dam.h"

#include <math.h>

static double or_else(double value, double usual) { return value == 0 ? usual : value; }

static double height_of(const torre_mps_tank *tank)
{
    double top = tank->waters ? 0 : tank->column[1];
    for (int k = 0; k < tank->waters; k++) top = fmax(top, tank->water[k].high[1]);
    return top;
}

torre_status torre_mps_dam_make(const torre_fluid_dam *wish, torre_mps_dam *dam,
                                torre_md_problem *p)
{
    torre_mps_tank *tank = &dam->tank;
    const double usual = (wish->tank.dims == 2 ? 2.1 : 2.35) * wish->tank.spacing;
    *tank = wish->tank;
    tank->influence = or_else(tank->influence, usual);
    TORRE_TRY(torre_mps_influence_check(tank->spacing, tank->influence));
    if (!(wish->gravity >= 0)) /* of which the speed of sound is made */
        return torre_fail(TORRE_ERR_USAGE, "{gravity} must be at least 0 (got %g)", wish->gravity);
    TORRE_TRY(torre_mps_tank_layout(tank, &dam->layout));
    dam->height = height_of(tank);
    *p = (torre_md_problem){
        .mps = {.density = or_else(wish->density, 1000),
                .viscosity = wish->viscosity,
                .gravity = wish->gravity,
                .sound_speed =
                    or_else(wish->sound_speed, 10 * sqrt(2 * wish->gravity * dam->height)),
                .surface = or_else(wish->surface, 0.97)},
        .precision = wish->precision};
    if (p->mps.sound_speed == 0)
        return torre_fail(TORRE_ERR_USAGE, "{sound_speed} must be given where {gravity} is 0");
    torre_mps_tank_problem(tank, &dam->layout, p);
    p->dt = or_else(wish->dt, 0.9 * torre_mps_dt_limit(p));
    const torre_mps_places *first = &dam->layout.water[0];
    dam->width = (double)(first->high[0] - first->low[0]) * tank->spacing;
    return TORRE_OK;
}

double torre_mps_dam_front(const torre_mps_dam *dam, const torre_mps_row *row)
{
    return row->front - dam->layout.origin[0];
}

double torre_mps_dam_time(const torre_mps_dam *dam, const torre_md_problem *p,
                          const torre_mps_row *row)
{
    return row->time * sqrt(2 * p->mps.gravity / dam->width);
}

/* How much of the length of a particle's cube around r, which walls push inside, is in a patch. */
static double share(double r, double spacing, const double patch[2])
{
    return fmax(0, fmin(r + spacing / 2, patch[1]) - fmax(r - spacing / 2, patch[0]));
}

double torre_mps_dam_height(const torre_mps_dam *dam, const torre_mps_measure *m,
                            const double at[2])
{
    enum { AXES = 2 };
    const torre_md_problem *p = m->problem;
    const torre_mps_layout *l = &dam->layout;
    const double spacing = p->mps.spacing, half = 2 * spacing;
    const int axes = p->dimensions - 1;
    double patch[AXES][2], length[AXES], area = 1, volume = 0;
    for (int k = 0; k < axes; k++) {
        const bool walled = k == 0 || l->sides;
        length[k] = (double)l->cells[2 * k] * spacing;
        patch[k][0] = walled ? fmax(at[k] - half, 0) : -half;
        patch[k][1] = walled ? fmin(at[k] + half, length[k]) : half;
        area *= patch[k][1] - patch[k][0];
    }
    for (int64_t n = 0; n < torre_mps_there_fluid(m); n++) {
        const int64_t i = torre_mps_there_id(m, n);
        double part = spacing;
        for (int k = 0; k < axes && part > 0; k++) {
            double r = m->now.position[2 * k][i] - l->origin[2 * k];
            if (k == 0 || l->sides) {
                r = fmin(fmax(r, spacing / 2), length[k] - spacing / 2);
            } else { /* the nearest of its images */
                r -= at[k];
                r -= length[k] * rint(r / length[k]);
            }
            part *= share(r, spacing, patch[k]);
        }
        volume += part;
    }
    return volume / area;
}

torre_mps_region torre_mps_dam_height_region(const torre_mps_dam *dam, const torre_md_problem *p,
                                             const double at[2])
{
    /* half a patch, half a cube, and as far as particles come into walls */
    const double half = (2 + 0.5 + 0.5 + 0.5) * p->mps.spacing;
    const torre_mps_layout *l = &dam->layout;
    const bool deep = p->dimensions == 3 && l->sides;
    return (torre_mps_region){.centre = {l->origin[0] + at[0], 0, deep ? l->origin[2] + at[1] : 0},
                              .half = {half, INFINITY, deep ? half : INFINITY}};
}
