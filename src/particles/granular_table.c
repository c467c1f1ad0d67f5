#include "particles/granular_table.h"

#include <math.h>
#include <string.h>

#include "particles/pair_granular.h"

static const double pi = 3.14159265358979323846;

/* Of rough grains, over that of the largest. */
static double mean_volume(const torre_md_problem *p)
{
    double sum = 0;
    for (int64_t i = 0; i < p->count; i++)
        sum += pow(2 * p->radius[i] / p->cutoff, p->dimensions == 2 ? 2 : 3);
    return sum / (double)p->count;
}

double torre_granular_filling(const torre_md_problem *p, double diameter)
{
    const torre_granular_parameters *g = &p->pair.granular;
    double volume = pi / 6 * pow(diameter, 3) * (double)p->count;
    if (p->dimensions == 2) volume *= 1.5 / diameter;
    if (p->radius) volume *= mean_volume(p);
    int axis = p->dimensions == 2 ? 1 : 2;
    double edge[2] = {p->box[0], p->box[1]};
    for (int a = 0; g->side_walls && a < axis; a++) edge[a] = g->side_high[a] - g->side_low;
    double room = edge[0] * edge[1];
    double height = p->box[axis];
    if (g->walls) height = g->wall_high - g->wall_low;
    room = axis == 2 ? room * height : edge[0] * height;
    return volume / room;
}

double torre_granular_duration(const torre_md_problem *p)
{
    const torre_granular_parameters *g = &p->pair.granular;
    if (g->ideal || g->hertz) return 0;
    double m = p->mass / 2;
    double damping = torre_granular_dashpot(false, g->stiffness, m, g->restitution) / (2 * m);
    return pi / sqrt(g->stiffness / m - damping * damping);
}

double torre_granular_collision_rate(const torre_md_problem *p, const torre_md_thermo *row)
{
    double time = torre_granular_duration(p);
    return time > 0 ? 2 * row->contacts / ((double)p->count * time) : 0;
}

const char *const torre_granular_column[TORRE_GRANULAR_COLUMNS] = {
    "step",   "time",    "temperature", "e_kinetic",      "e_potential", "e_total",
    "e_lost", "e_walls", "contacts",    "collision_rate", "press"};

void torre_granular_values(const torre_md_run *run, const torre_md_thermo *r,
                           double value[TORRE_GRANULAR_COLUMNS])
{
    const torre_md_problem *p = run->problem;
    const double lost = r->lost / (double)p->count;
    const double all[TORRE_GRANULAR_COLUMNS] = {(double)r->step,
                                                (double)r->step * p->dt,
                                                torre_granular_temperature(p, r),
                                                r->total_energy - r->pair_energy,
                                                r->pair_energy,
                                                r->total_energy,
                                                lost,
                                                r->total_energy + lost - run->row[0].total_energy,
                                                r->contacts,
                                                torre_granular_collision_rate(p, r),
                                                r->pressure};
    memcpy(value, all, sizeof all);
}

const char *const torre_granular_profile_column[TORRE_GRANULAR_PROFILE_COLUMNS] = {
    "height", "number_density", "filling", "velocity", "temperature"};

void torre_granular_profile_values(const torre_md_problem *p, int slices, int k,
                                   const torre_granular_slice *c, int64_t samples,
                                   double value[TORRE_GRANULAR_PROFILE_COLUMNS])
{
    const int dimensions = p->dimensions == 2 ? 2 : 3, axis = dimensions - 1;
    double one = pi / 4 * p->cutoff * p->cutoff, area = p->box[0];
    if (dimensions == 3) {
        one *= p->cutoff / 1.5;
        area *= p->box[1];
    }
    double thick = p->box[axis] / slices;
    double temperature = 0, count = c->count > 0 ? c->count : 1;
    for (int a = 0; a < dimensions; a++) {
        double mean = c->velocity[a] / count;
        temperature += (c->velocity_sq[a] / count - mean * mean) / dimensions;
    }
    double density = samples ? c->count / ((double)samples * area * thick) : 0;
    value[0] = (k + 0.5) * thick;
    value[1] = density;
    value[2] = density * one;
    value[3] = c->velocity[axis] / count;
    value[4] = temperature;
}
