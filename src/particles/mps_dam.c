#include "particles/mps_dam.h"

#include <math.h>

static double or_else(double value, double usual) { return value == 0 ? usual : value; }

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
    *p = (torre_md_problem){
        .mps = {.density = or_else(wish->density, 1000),
                .viscosity = wish->viscosity,
                .gravity = wish->gravity,
                .sound_speed =
                    or_else(wish->sound_speed, 10 * sqrt(2 * wish->gravity * tank->column[1])),
                .surface = or_else(wish->surface, 0.97)},
        .precision = wish->precision};
    if (p->mps.sound_speed == 0)
        return torre_fail(TORRE_ERR_USAGE, "{sound_speed} must be given where {gravity} is 0");
    TORRE_TRY(torre_mps_tank_layout(tank, &dam->layout));
    torre_mps_tank_problem(tank, &dam->layout, p);
    p->dt = or_else(wish->dt, 0.9 * torre_mps_dt_limit(p));
    dam->width = (double)dam->layout.water[0] * tank->spacing;
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
