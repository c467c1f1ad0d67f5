// Each part of libtorre from C++, with its files: what comes back is what was written.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <torre/torre.h>
#include <vector>

static torre_status wrong(const char *what)
{
    return torre_fail(TORRE_ERR_UNSTABLE, "%s is not what it should be", what);
}

// A granular gas cools, and starts and ends as files say.
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
    torre_particles *p = nullptr;
    if (torre_particles_granular(&gas, 1, TORRE_MD_F64, &p) != TORRE_ERR_UNSTABLE)
        return wrong("a time step of a second");
    torre_status status = torre_particles_granular(&gas, 0, TORRE_MD_F64, &p);
    if (!status && torre_particles_advance(p, 1, nullptr) != TORRE_ERR_USAGE)
        status = wrong("advance before start");
    if (!status) status = torre_particles_start(p, "cpu", nullptr);
    const double start = status ? 0 : torre_particles_row(p)->total_energy;
    if (!status) status = torre_particles_advance(p, 200, nullptr);
    if (!status && !(torre_particles_step(p) == 200 && torre_particles_row(p)->total_energy < start))
        status = wrong("the energy of a cooling gas");
    for (const char *path : {"gas.data", "gas.xyz", "gas.dump", "gas.png"})
        if (!status) status = torre_particles_save(p, path);
    if (!status && torre_particles_save(p, "gas.txt") != TORRE_ERR_USAGE) status = wrong("gas.txt");
    torre_particles_free(p);
    return status;
}

// Lennard-Jones particles go on from a file where those in memory go on.
static torre_status melt()
{
    torre_lj lj{};
    lj.cells[0] = lj.cells[1] = lj.cells[2] = 5;
    lj.temperature = 1.44;
    lj.precision = TORRE_MD_F64;
    torre_md_plan plan{};
    plan.threads = 1;
    plan.deterministic = true;
    double energy[2] = {0, 1};
    torre_status status = TORRE_OK;
    for (int from_file = 0; !status && from_file < 2; from_file++) {
        torre_particles *p = nullptr;
        if (from_file) lj.input = "melt.data";
        status = torre_particles_lj(&lj, &p);
        if (!status && !from_file) status = torre_particles_save(p, "melt.data");
        if (!status) status = torre_particles_start(p, "cpu", &plan);
        if (!status) status = torre_particles_advance(p, 20, nullptr);
        if (!status) energy[from_file] = torre_particles_row(p)->pair_energy;
        std::vector<double> x(status ? 0 : std::size_t(torre_particles_count(p)));
        double *const position[3] = {x.data(), nullptr, nullptr};
        if (!status) status = torre_particles_get(p, position, nullptr);
        double box[3];
        if (!status) torre_particles_box(p, box);
        for (double at : x)
            if (!(at >= 0 && at < box[0])) status = wrong("a position");
        torre_particles_free(p);
    }
    // the same bits at the start (files have all digits) and the same order of every sum
    return status || energy[0] == energy[1] ? status : wrong("the energy of particles from a file");
}

// Particles go on from the arrays of others, to the same bits; arrays that make no sense are refused.
static torre_status copies()
{
    torre_lj lj{}, same{};
    torre_md_plan plan{};
    plan.threads = 1;
    plan.deterministic = true;
    lj.cells[0] = lj.cells[1] = lj.cells[2] = 5;
    lj.temperature = 1.44;
    lj.precision = same.precision = TORRE_MD_F64;
    torre_particles *p = nullptr, *q = nullptr;
    TORRE_TRY(torre_particles_lj(&lj, &p));
    const size_t n = size_t(torre_particles_count(p));
    std::vector<double> start(6 * n), end(6 * n), other(6 * n);
    const auto get = [n](torre_particles *from, std::vector<double> &to) {
        double *const r[3] = {&to[0], &to[n], &to[2 * n]}, *const v[3] = {&to[3 * n], &to[4 * n],
                                                                          &to[5 * n]};
        return torre_particles_get(from, r, v);
    };
    torre_status status = get(p, start);
    same.count = int64_t(n);
    torre_particles_box(p, same.box);
    for (int a = 0; a < 3; a++) {
        same.position[a] = &start[a * n];
        same.velocity[a] = &start[(3 + a) * n];
    }
    if (!status) status = torre_particles_lj(&same, &q);
    for (torre_particles *one : {p, q}) {
        if (!status) status = torre_particles_start(one, "cpu", &plan);
        if (!status) status = torre_particles_advance(one, 20, nullptr);
        if (!status) status = get(one, one == p ? end : other);
    }
    if (!status && (end != other || end == start))
        status = wrong("the way of particles from arrays");
    torre_particles_free(p);
    torre_particles_free(q);
    start[7] = start[8];
    start[n + 7] = start[n + 8];
    start[2 * n + 7] = start[2 * n + 8];
    if (!status && torre_particles_lj(&same, &p) != TORRE_ERR_UNSTABLE)
        status = wrong("two particles in one place");
    start[7] = -1;
    if (!status && torre_particles_lj(&same, &p) != TORRE_ERR_INPUT)
        status = wrong("a particle outside");
    same.velocity[1] = nullptr;
    if (!status && torre_particles_lj(&same, &p) != TORRE_ERR_USAGE)
        status = wrong("two of three velocities");
    return status;
}

// Water in a tank: what its arrays say is what its row says.
static torre_status water()
{
    torre_fluid_dam dam{};
    dam.tank.dims = 2;
    dam.tank.spacing = 0.01;
    dam.tank.column[0] = 0.1;
    dam.tank.column[1] = 0.2;
    dam.tank.size[0] = dam.tank.size[1] = 0.4;
    dam.gravity = 9.81;
    torre_fluid *f = nullptr;
    TORRE_TRY(torre_fluid_new(&dam, &f));
    const size_t n = size_t(torre_fluid_count(f)), moving = size_t(torre_fluid_moving(f));
    std::vector<double> x(n), y(n), z(n), pressure(n), density(n);
    double *const r[3] = {x.data(), y.data(), z.data()};
    torre_status status = TORRE_OK;
    if (torre_fluid_get(f, r, nullptr, nullptr, nullptr) != TORRE_ERR_USAGE)
        status = wrong("a fluid before start");
    if (!status) status = torre_fluid_start(f, "cpu", nullptr);
    if (!status) status = torre_fluid_advance(f, 50, nullptr);
    if (!status) status = torre_fluid_get(f, r, nullptr, pressure.data(), density.data());
    double front = 0, most = 0;
    for (size_t i = 0; i < moving; i++) {
        front = std::fmax(front, x[i] + dam.tank.spacing / 2);
        most = std::fmax(most, pressure[i]);
        if (!status && !(density[i] > 0)) status = wrong("a number density");
    }
    if (!status && !(std::fabs(torre_fluid_row(f)->front - front) < 1e-12))
        status = wrong("the front");
    if (!status && !(torre_fluid_row(f)->pressure == most && most > 0))
        status = wrong("the largest pressure");
    torre_fluid_free(f);
    return status;
}

// A standing wave in a closed box: its field, a plane and traces, in memory and in files.
static torre_status hum()
{
    const int64_t n = 24;
    torre_point receiver{{3, 4, 5}, 0, TORRE_PRESSURE};
    torre_wave_problem problem{};
    torre_wave_plan plan{};
    torre_wave_run *run = nullptr;
    torre_array field{}, plane{}, traces{};
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
    problem.time_dispersion = TORRE_DISPERSION_LEAVE; // samples of the field, bit for bit
    problem.dt = 0.9 * torre_wave_dt_limit(problem.order, problem.spacing, 1);
    problem.receivers = &receiver;
    problem.receiver_count = 1;
    torre_status status = torre_wave_run_new(&problem, "auto", &plan, &run);
    if (!status) status = torre_wave_run_start(run, u.data(), u.data());
    if (!status) status = torre_wave_run_advance(run, problem.steps, nullptr);
    if (!status) status = torre_wave_run_field(run, 0, later.data());
    if (!status) status = torre_wave_run_save_field(run, "hum.npy");
    if (!status) status = torre_wave_run_save_plane(run, 1, 4, "plane.npy");
    if (!status) status = torre_wave_run_save_plane(run, 1, 4, "plane.png");
    if (!status) status = torre_wave_run_save_traces(run, "traces.npy");
    if (!status && torre_wave_run_save_plane(run, 1, n, "no.npy") != TORRE_ERR_USAGE)
        status = wrong("a plane outside");
    if (!status) status = torre_npy_read("hum.npy", &field, nullptr);
    if (!status) status = torre_npy_read("plane.npy", &plane, nullptr);
    if (!status) status = torre_npy_read("traces.npy", &traces, nullptr);
    for (size_t i = 0; !status && i < u.size(); i++)
        if (static_cast<double *>(field.data)[i] != later[i]) status = wrong("hum.npy");
    for (int64_t x = 0; !status && x < n; x++)
        for (int64_t z = 0; z < n; z++)
            if (static_cast<double *>(plane.data)[x * n + z] != later[size_t((x * n + 4) * n + z)])
                status = wrong("plane.npy");
    if (!status && !(traces.shape[1] == 17 &&
                     static_cast<double *>(traces.data)[16] == later[size_t((3 * n + 4) * n + 5)]))
        status = wrong("traces.npy");
    torre_wave_run_free(run);
    std::free(field.data);
    std::free(plane.data);
    std::free(traces.data);
    return status;
}

// Ranks and cells of an ordering are each other's inverse, and its path lists them.
static torre_status order()
{
    const int64_t size[3] = {5, 3, 4};
    torre_ordering_spec spec{};
    torre_ordering *o = nullptr;
    int64_t path[60], cell[3];
    if (!torre_ordering_parse("hilbert", &spec, nullptr)) return wrong("hilbert");
    TORRE_TRY(torre_ordering_new(&spec, 3, size, &o));
    torre_status status = torre_ordering_cells(o) == 60 ? TORRE_OK : wrong("a number of cells");
    torre_ordering_path(o, path);
    for (int64_t rank = 0; !status && rank < 60; rank++) {
        torre_ordering_cell(o, rank, cell);
        if (torre_ordering_rank(o, cell) != rank ||
            path[rank] != (cell[0] * 3 + cell[1]) * 4 + cell[2])
            status = wrong("a rank");
    }
    torre_ordering_free(o);
    return status;
}

int main()
{
    torre_status status = cool();
    if (!status) status = melt();
    if (!status) status = copies();
    if (!status) status = water();
    if (!status) status = hum();
    if (!status) status = order();
    if (status) std::fprintf(stderr, "everything: %s\n", torre_error_text());
    return int(status);
}
