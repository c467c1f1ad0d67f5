#include "particles/grains.h"

void torre_grain_walls(const torre_md_problem *p, int64_t step, torre_grain_wall wall[6])
{
    const torre_granular_parameters *g = &p->pair.granular;
    const double rate = 6.283185307179586476925 * g->shake_frequency;
    const double turns = g->shake_frequency * p->dt * (double)step;
    const double angle = 6.283185307179586476925 * (turns - floor(turns));
    const int last = p->dimensions == 2 ? 1 : 2;
    memset(wall, 0, 6 * sizeof *wall);
    for (int k = 0; k < 6; k++) {
        const int axis = k / 2;
        const bool stands = axis == last ? g->walls : axis < last && g->side_walls;
        if (!stands) continue;
        wall[k].axis = axis;
        wall[k].side = k % 2 ? -1 : 1;
        if (axis == last) {
            wall[k].at = k % 2 ? g->wall_high : g->wall_low;
            wall[k].at += g->shake_amplitude * sin(angle);
            wall[k].velocity = g->shake_amplitude * rate * cos(angle);
        } else {
            wall[k].at = k % 2 ? g->side_high[axis] : g->side_low;
        }
    }
}

void torre_grain_gravity(const torre_md_problem *p, double g[3])
{
    const torre_granular_parameters *s = &p->pair.granular;
    const double angle = s->incline * (3.14159265358979323846 / 180);
    g[0] = s->gravity * sin(angle);
    g[1] = g[2] = 0;
    g[p->dimensions == 2 ? 1 : 2] = -s->gravity * cos(angle);
}

torre_status torre_grain_crowded(const torre_md_problem *p, int64_t id, int64_t step)
{
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: particle %lld touches more than %d others: they overlap far too "
                      "much; use a larger {stiffness}, or a smaller {dt}",
                      (long long)step, (long long)id + 1, torre_grain_slots(p));
}
