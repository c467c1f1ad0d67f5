#include "md_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "particles/pair_lj.h"

static const char *backend_name = "cpu";

void md_case_arguments(int argc, char **argv)
{
    if (argc > 1) backend_name = argv[1];
    const torre_md_backend *backend;
    const torre_md_plan plan = {0};
    if (torre_md_backend_find(backend_name, &plan, &backend)) {
        printf("skipped: %s\n", torre_error_text());
        exit(77);
    }
}

md_case md_case_melt(int64_t nx, int64_t ny, int64_t nz, torre_md_precision precision)
{
    md_case c = {.problem = {.model = TORRE_PAIR_lj,
                             .pair.lj = {.epsilon = 1, .sigma = 1},
                             .cutoff = 2.5,
                             .dt = 0.005,
                             .precision = precision}};
    const int64_t cells[3] = {nx, ny, nz};
    CHECK_OK(torre_md_start_fcc(cells, 0.8442, &c.particles));
    torre_md_start_velocities(&c.particles, 1.44, 87287);
    torre_md_problem_set_particles(&c.problem, &c.particles);
    return c;
}

md_case md_case_rough(int64_t nx, int64_t ny, int64_t nz, double amplitude,
                      torre_md_precision precision)
{
    md_case c = md_case_melt(nx, ny, nz, precision);
    for (int64_t i = 0; i < c.particles.count; i++) {
        for (int a = 0; a < 3; a++) {
            double *r = &c.particles.position[a][i], edge = c.particles.box[a];
            *r += amplitude * (2 * torre_random_uniform(7, 1, (uint64_t)(3 * i + a)) - 1);
            *r -= edge * floor(*r / edge);
            if (*r >= edge) *r = 0;
        }
    }
    return c;
}

void md_case_free(md_case *c) { torre_md_particles_free(&c->particles); }

torre_md_solver *md_case_solver_of(const char *name, const md_case *c, const torre_md_plan *plan)
{
    const torre_md_backend *backend;
    torre_md_solver *solver;
    CHECK_OK(torre_md_problem_check(&c->problem));
    CHECK_OK(torre_md_backend_find(name, plan, &backend));
    CHECK_OK(torre_md_solver_new(backend, &c->problem, plan, &solver));
    CHECK_OK(backend->set_particles(solver, (const double *const *)c->particles.position,
                                    (const double *const *)c->particles.velocity));
    return solver;
}

const torre_md_backend *md_case_backend(const torre_md_plan *plan)
{
    const torre_md_backend *backend;
    CHECK_OK(torre_md_backend_find(backend_name, plan, &backend));
    return backend;
}

torre_md_solver *md_case_solver(const md_case *c, const torre_md_plan *plan)
{
    return md_case_solver_of(backend_name, c, plan);
}

torre_md_plan md_case_safe_plan(void)
{
    return (torre_md_plan){.rebuild_every = 1, .rebuild_check = true};
}

torre_md_thermo md_case_thermo(const md_case *c, torre_md_solver *solver, int64_t step)
{
    torre_md_sums sums;
    double box[3];
    CHECK_OK(solver->backend->sums(solver, &sums));
    torre_md_solver_box(solver, &c->problem, box);
    return torre_md_thermo_of(&c->problem, box, step, &sums);
}

torre_md_particles md_case_particles(const md_case *c, torre_md_solver *solver)
{
    torre_md_particles p;
    CHECK_OK(torre_md_particles_new(c->particles.count, &p));
    torre_md_solver_box(solver, &c->problem, p.box);
    CHECK_OK(solver->backend->get_particles(solver, p.position, p.velocity));
    return p;
}

void md_case_cut(const md_case *c, torre_md_particles end[2])
{
    for (int run = 0; run < 2; run++) {
        const torre_md_plan plan = {
            .rebuild_every = 1, .rebuild_check = true, .threads = run ? 3 : 1};
        torre_md_solver *solver = md_case_solver(c, &plan);
        for (int n = 0; n < (run ? 60 : 1); n++)
            CHECK_OK(solver->backend->advance(solver, run ? 1 : 60));
        end[run] = md_case_particles(c, solver);
        solver->backend->destroy(solver);
    }
}

torre_md_particles md_case_forces(const md_case *c, torre_md_solver *solver)
{
    torre_md_particles p;
    CHECK_OK(torre_md_particles_new(c->particles.count, &p));
    CHECK_OK(solver->backend->get_forces(solver, p.velocity));
    return p;
}

double md_case_difference(const torre_md_particles *a, const torre_md_particles *b)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < a->count; i++) {
            double d = a->position[k][i] - b->position[k][i];
            if (a->box[k] > 0) d -= a->box[k] * rint(d / a->box[k]);
            most = fmax(most, fabs(d));
            most = fmax(most, fabs(a->velocity[k][i] - b->velocity[k][i]));
        }
    }
    return most;
}

double md_case_apart(const torre_md_particles *p, int64_t i, int64_t j, double d[3])
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = p->position[a][i] - p->position[a][j];
        d[a] -= p->box[a] * rint(d[a] / p->box[a]);
        square += d[a] * d[a];
    }
    return sqrt(square);
}

torre_md_particles md_case_brute_force(const md_case *c, double *scale, torre_md_sums *sums)
{
    const torre_md_particles *p = &c->particles;
    torre_md_particles out;
    CHECK_OK(torre_md_particles_new(p->count, &out));
    memset(sums, 0, sizeof *sums);
    const double rc = c->problem.cutoff;
    for (int64_t i = 0; i < p->count; i++) {
        scale[i] = 0;
        for (int64_t j = 0; j < p->count; j++) {
            double d[3];
            if (i == j) continue;
            const double r = md_case_apart(p, i, j, d);
            if (r >= rc) continue;
            double force = 48 * pow(r, -13) - 24 * pow(r, -7);
            for (int a = 0; a < 3; a++) out.velocity[a][i] += force * d[a] / r;
            scale[i] += fabs(force);
            sums->potential += 0.5 * (4 * pow(r, -12) - 4 * pow(r, -6));
            sums->potential_shift += 0.5 * (4 * pow(rc, -12) - 4 * pow(rc, -6));
            sums->virial += 0.5 * force * r;
        }
    }
    return out;
}

double md_case_mean(const double *value, int count, int blocks, double *error)
{
    double mean = 0, square = 0;
    const int length = count / blocks;
    for (int b = 0; b < blocks; b++) {
        double part = 0;
        for (int i = b * length; i < (b + 1) * length; i++) part += value[i] / length;
        mean += part / blocks;
        square += part * part / blocks;
    }
    *error = sqrt(fmax(0, square - mean * mean) / (blocks - 1));
    return mean;
}
