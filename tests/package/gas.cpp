// A granular gas, a melt and a wave: libtorre from C++, with files of all kinds.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "torre.h"

// Particles of any problem of pair models, advanced.
static torre_status advance(const torre_md_problem &problem, double skin, int64_t steps,
                            torre_md_particles &now)
{
    torre_md_plan plan{};
    plan.threads = 1;
    plan.skin = skin;
    torre_md_run *run = nullptr;
    torre_status status = torre_md_run_new(&problem, "cpu", &plan, &run);
    if (!status) status = torre_md_run_start(run, nullptr);
    if (!status) status = torre_md_run_advance(run, steps, nullptr);
    if (!status) status = torre_md_run_particles(run, &now);
    if (!status && run->step != steps)
        status = torre_fail(TORRE_ERR_UNSTABLE, "%d steps wanted", int(steps));
    torre_md_run_free(run);
    return status;
}

static torre_status cool()
{
    torre_granular gas{};
    gas.dimensions = 3;
    gas.size[0] = gas.size[1] = gas.size[2] = 0.012;
    gas.diameter = 1e-3;
    gas.mass = 1.3e-6;
    gas.stiffness = 1000;
    gas.restitution = gas.wall_restitution = 0.8;
    gas.filling = 0.2;
    gas.temperature = 0.01;
    gas.sweeps = 10;
    torre_md_problem problem{};
    torre_md_particles particles{};
    TORRE_TRY(torre_granular_check(&gas));
    TORRE_TRY(torre_granular_problem(&gas, 0.1 * gas.diameter, 0, &problem));
    TORRE_TRY(torre_granular_start(&gas, &problem, &particles));
    torre_md_problem_set_particles(&problem, &particles);
    torre_status status = advance(problem, 0.1 * gas.diameter, 100, particles);
    torre_md_particles_free(&particles);
    return status;
}

static torre_status melt()
{
    const int64_t cells[3] = {5, 5, 5};
    torre_md_problem problem{};
    torre_md_particles particles{};
    TORRE_TRY(torre_md_start_fcc(cells, 0.8442, &particles));
    torre_md_start_velocities(&particles, 1.44, 1);
    problem.model = TORRE_PAIR_lj;
    problem.parameter[TORRE_LJ_EPSILON] = problem.parameter[TORRE_LJ_SIGMA] = 1;
    problem.cutoff = 2.5;
    problem.dt = 0.005;
    problem.precision = TORRE_MD_F64;
    torre_md_problem_set_particles(&problem, &particles);
    torre_status status = advance(problem, 0.3, 20, particles);
    const torre_particle_about about{"lj", {0, 0, 0}, {false, false, false}, 0};
    if (!status) status = torre_lammps_data_write("melt.data", &about, &particles);
    torre_md_particles_free(&particles);
    return status;
}

// A standing wave in a closed box, its field in a file and back again.
static torre_status hum()
{
    const int64_t n = 24;
    torre_wave_problem problem{};
    torre_wave_plan plan{};
    torre_wave_run *run = nullptr;
    torre_array back{};
    std::vector<double> u(n * n * n), later(u.size());
    for (size_t i = 0; i < u.size(); i++) u[i] = std::cos(M_PI * (double(i % n) + 0.5) / double(n));
    for (int a = 0; a < 3; a++) {
        problem.size[a] = n;
        problem.spacing[a] = 1;
        problem.face[a][0] = problem.face[a][1] = TORRE_RIGID;
    }
    problem.order = 4;
    problem.precision = TORRE_F64;
    problem.velocity = 1;
    problem.steps = 16;
    problem.dt = 0.9 * torre_wave_dt_limit(problem.order, problem.spacing, 1);
    torre_status status = torre_wave_run_new(&problem, "auto", &plan, &run);
    if (!status) status = torre_wave_run_start(run, u.data(), u.data());
    if (!status) status = torre_wave_run_advance(run, problem.steps, nullptr);
    if (!status) status = torre_wave_run_field(run, 0, later.data());
    if (!status) status = torre_npy_write("hum.npy", TORRE_F64, 3, problem.size, later.data());
    torre_wave_run_free(run);
    if (!status) status = torre_npy_read("hum.npy", &back, nullptr);
    for (size_t i = 0; !status && i < u.size(); i++)
        if (static_cast<double *>(back.data)[i] != later[i] || std::abs(later[i]) > 1)
            status = torre_fail(TORRE_ERR_INPUT, "hum.npy: value %d is not the one", int(i));
    std::free(back.data);
    return status;
}

int main()
{
    torre_status status = cool();
    if (!status) status = melt();
    if (!status) status = hum();
    if (status) std::fprintf(stderr, "gas: %s\n", torre_error_text());
    return int(status);
}
