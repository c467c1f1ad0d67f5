/* A dam break by moving particles: libtorre from C, without the program md. */
#include <stdio.h>

#include "torre.h"

static torre_status solve(void)
{
    const torre_mps_tank tank = {
        .dims = 2, .spacing = 0.01, .influence = 0.021, .column = {0.1, 0.2}, .size = {0.4, 0.3}};
    torre_mps_layout layout;
    torre_md_particles particles = {0};
    torre_mps_run *run = NULL;
    torre_md_plan plan = {.threads = 1};
    TORRE_TRY(torre_mps_tank_layout(&tank, &layout));
    TORRE_TRY(torre_mps_tank_make(&tank, &particles));
    torre_mps_problem problem = {.count = layout.count,
                                 .fluid = layout.fluid,
                                 .wall = layout.wall,
                                 .dims = 2,
                                 .spacing = tank.spacing,
                                 .influence = tank.influence,
                                 .density = 1000,
                                 .viscosity = 1e-6,
                                 .gravity = 9.81,
                                 .sound_speed = 20,
                                 .surface = 0.95,
                                 .precision = TORRE_MD_F64};
    for (int a = 0; a < 3; a++) {
        problem.box[a] = layout.box[a];
        problem.position[a] = particles.position[a];
        problem.velocity[a] = particles.velocity[a];
    }
    problem.dt = 0.9 * torre_mps_dt_limit(&problem);
    torre_status status = torre_mps_run_new(&problem, "cpu", &plan, &run);
    if (!status) status = torre_mps_run_start(run, NULL);
    double start = status ? 0 : run->row.front;
    if (!status) status = torre_mps_run_advance(run, 200, NULL);
    if (!status && !(run->row.front > start && run->row.momentum[0] > 0))
        status = torre_fail(TORRE_ERR_UNSTABLE, "the front does not advance: %g m, then %g m",
                            start, run->row.front);
    torre_mps_run_free(run);
    torre_md_particles_free(&particles);
    return status;
}

int main(void)
{
    torre_status status = solve();
    if (status) fprintf(stderr, "fluid: %s\n", torre_error_text());
    return (int)status;
}
