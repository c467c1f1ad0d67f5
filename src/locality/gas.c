#include "locality/gas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lists reach so far beyond a diameter, and are made anew when a sphere has come half as far. */
static const double skin = 0.3;

/* Sweeps of the start: as many as `md` has unless it is told otherwise. */
enum { START_SWEEPS = 40 };

static const double pi = 3.14159265358979323846;

/* The gas in units of diameters and steps. The filling is that of the number of spheres, which md
 * rounds down, and in a plane the share of its area. */
static torre_granular system_of(const torre_gas_plan *plan, int64_t count)
{
    const int dimensions = plan->planar ? 2 : 3;
    const double n = (double)count,
                 l = plan->kind == TORRE_GRANULAR_INELASTIC ? log(plan->restitution) : 0;
    /* of the reduced mass 1/2; a hair longer, so that rounding cannot make the step too long */
    const double contact = TORRE_GAS_CONTACT_STEPS * (1 + 1e-9);
    const double stiffness = (pi * pi + l * l) / (2 * contact * contact);
    torre_granular g = {.dimensions = dimensions,
                        .diameter = 1,
                        .mass = 1,
                        .stiffness = stiffness,
                        .gas = plan->kind,
                        .restitution = plan->restitution,
                        .wall_restitution = 1,
                        .filling = n * pi / (plan->planar ? 4 : 6),
                        .seed = plan->seed,
                        .sweeps = START_SWEEPS};
    for (int a = 0; a < dimensions; a++) {
        g.size[a] = plan->length[a];
        g.filling /= plan->length[a];
    }
    /* without drift there are n - 1 free velocities along each axis */
    if (count > 1) g.temperature = plan->speed * plan->speed * n / (dimensions * (n - 1));
    return g;
}

static void copy_positions(torre_gas *gas)
{
    for (int64_t i = 0; i < gas->count; i++)
        for (int a = 0; a < 3; a++) gas->position[i][a] = gas->particles.position[a][i];
    for (int64_t i = 0; gas->plan.planar && i < gas->count; i++) gas->position[i][2] = 0.5;
}

torre_status torre_gas_new(const torre_gas_plan *plan, torre_gas *gas)
{
    const double volume = plan->length[0] * plan->length[1] * (plan->planar ? 1 : plan->length[2]);
    *gas = (torre_gas){.plan = *plan};
    gas->count = (int64_t)llround(plan->filling * volume * 6 / pi);
    const torre_granular system = system_of(plan, gas->count);
    TORRE_TRY(torre_granular_problem(&system, skin, 1, &gas->problem));
    gas->problem.precision = TORRE_MD_F64;
    TORRE_TRY(torre_granular_start(&system, &gas->problem, &gas->particles));
    torre_md_problem_set_particles(&gas->problem, &gas->particles);
    gas->position = malloc((size_t)gas->count * sizeof *gas->position);
    if (!gas->position) {
        torre_gas_free(gas);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld particles",
                          (long long)gas->count);
    }
    copy_positions(gas);
    return TORRE_OK;
}

void torre_gas_free(torre_gas *gas)
{
    torre_md_run_free(gas->run);
    torre_md_particles_free(&gas->particles);
    free(gas->position);
    *gas = (torre_gas){0};
}

static void fly_straight(torre_gas *gas, int64_t steps)
{
    for (int a = 0; a < 3; a++) {
        double *r = gas->particles.position[a], edge = gas->problem.box[a];
        for (int64_t i = 0; i < gas->count; i++) {
            double x = r[i] + (double)steps * gas->particles.velocity[a][i];
            x -= edge * floor(x / edge);
            r[i] = x < edge ? x : 0;
        }
    }
}

static torre_status start_run(torre_gas *gas)
{
    /* one thread: steps of so few particles are too short to share */
    const torre_md_plan plan = {.skin = skin, .deterministic = true, .threads = 1};
    for (int a = 0; a < (gas->plan.planar ? 2 : 3); a++)
        if (gas->plan.length[a] < 2 * (1 + skin))
            return torre_fail(TORRE_ERR_USAGE,
                              "spheres that collide and move need a box of at least %g diameters "
                              "along every axis, a plane 1 high aside (got %g)",
                              2 * (1 + skin), gas->plan.length[a]);
    TORRE_TRY(torre_md_run_new(&gas->problem, "cpu", &plan, &gas->run));
    return torre_md_run_start(gas->run, NULL);
}

torre_status torre_gas_advance(torre_gas *gas, int64_t steps)
{
    if (gas->plan.kind == TORRE_GRANULAR_IDEAL) {
        fly_straight(gas, steps);
    } else {
        if (!gas->run) TORRE_TRY(start_run(gas));
        TORRE_TRY(torre_md_run_advance(gas->run, steps, NULL));
        TORRE_TRY(torre_md_run_particles(gas->run, &gas->particles));
    }
    copy_positions(gas);
    return TORRE_OK;
}
