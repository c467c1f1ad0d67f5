#include "particles/md_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "particles/md_program.h"
#include "particles/md_reference_grains.h"
#include "particles/md_start.h"
#include "particles/md_types.h"

typedef struct reference_solver {
    torre_md_solver base;
    const torre_md_problem *problem;
    int64_t step;
    torre_md_particles at;
    double *force[3], *power;
    double *lost; /* energy over mass */
    torre_md_sums pair_sums;
    bool rough;
    torre_reference_grains grains; /* where they are */
} reference_solver;

#define PAIRS_OF(name) torre_md_reference_pairs_##name,
static torre_md_reference_pairs *const pairs_of_model[] = {TORRE_PAIR_LIST(PAIRS_OF)};

static torre_status reference_plan(const torre_md_problem *p, const torre_md_plan *wish,
                                   torre_md_program **program)
{
    if (p->model == TORRE_MODEL_MPS)
        return torre_fail(TORRE_ERR_USAGE, "{backend} must be auto, cpu or cuda (got reference)");
    if (p->precision != TORRE_MD_F64)
        return torre_fail(TORRE_ERR_USAGE, "{backend} reference computes in {precision} f64 only");
    if (p->ensemble == TORRE_NPT)
        return torre_fail(TORRE_ERR_USAGE, "{ensemble} npt needs {backend} cpu (got reference)");
    if (p->ensemble != TORRE_NVE)
        return torre_fail(TORRE_ERR_USAGE, "{backend} reference has no thermostat");
    TORRE_TRY(torre_md_program_new(sizeof **program, p, wish, program));
    torre_md_info *info = &(*program)->info;
    info->plan.threads = 1;
    info->memory_bytes = p->count * 11 * (int64_t)sizeof(double);
    if (torre_md_is_rough(p)) info->memory_bytes += torre_reference_grains_bytes(p);
    snprintf(info->device, sizeof info->device, "1 thread, all pairs");
    snprintf(info->kernel, sizeof info->kernel, "the reference");
    return TORRE_OK;
}

static void reference_destroy(torre_md_solver *solver)
{
    reference_solver *s = (reference_solver *)solver;
    if (!s) return;
    torre_md_particles_free(&s->at);
    for (int a = 0; a < 3; a++) free(s->force[a]);
    free(s->power);
    free(s->lost);
    torre_reference_grains_free(&s->grains);
    torre_md_program_free(s->base.program);
    free(s);
}

static torre_status reference_create(torre_md_program *program, torre_md_solver **solver)
{
    const torre_md_problem *p = program->problem;
    reference_solver *s = calloc(1, sizeof *s);
    if (!s) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a solver");
    s->base.backend = &torre_md_reference;
    s->problem = p;
    torre_status status = torre_md_particles_new(p->count, &s->at);
    s->power = calloc((size_t)p->count, sizeof(double));
    s->lost = calloc((size_t)p->count, sizeof(double));
    if (!status && (!s->power || !s->lost))
        status = torre_fail(TORRE_ERR_RESOURCE, "no memory for the forces of %lld particles",
                            (long long)p->count);
    for (int a = 0; a < 3 && !status; a++) {
        s->force[a] = calloc((size_t)p->count, sizeof(double));
        if (!s->force[a])
            status = torre_fail(TORRE_ERR_RESOURCE, "no memory for the forces of %lld particles",
                                (long long)p->count);
    }
    s->rough = torre_md_is_rough(p);
    if (!status && s->rough) status = torre_reference_grains_make(p, &s->grains);
    if (status) {
        reference_destroy(&s->base);
        return status;
    }
    s->base.program = program;
    *solver = &s->base;
    return TORRE_OK;
}

/* kick: what the velocities are still to get of them. */
static torre_status compute_forces(reference_solver *s, double kick)
{
    if (s->rough)
        return torre_reference_grains_forces(s->problem, kick * s->problem->mass, s->step,
                                             s->at.position, s->at.velocity, s->force, s->power,
                                             &s->grains, &s->pair_sums);
    pairs_of_model[s->problem->model](s->problem, kick, s->step, s->at.position, s->at.velocity,
                                      s->force, s->power, &s->pair_sums);
    return TORRE_OK;
}

static torre_status check_finite(const reference_solver *s)
{
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < s->at.count; i++)
            if (!isfinite(s->at.position[a][i]) || !isfinite(s->force[a][i]))
                return torre_fail(TORRE_ERR_UNSTABLE,
                                  "step %lld: particle %lld has no finite position and force",
                                  (long long)s->step, (long long)i + 1);
    return TORRE_OK;
}

static torre_status reference_set_particles(torre_md_solver *solver,
                                            const double *const position[3],
                                            const double *const velocity[3])
{
    reference_solver *s = (reference_solver *)solver;
    for (int a = 0; a < 3; a++) {
        memcpy(s->at.position[a], position[a], (size_t)s->at.count * sizeof(double));
        memcpy(s->at.velocity[a], velocity[a], (size_t)s->at.count * sizeof(double));
    }
    s->step = 0;
    memset(s->lost, 0, (size_t)s->at.count * sizeof(double));
    if (s->rough) torre_reference_grains_load(s->problem, &s->grains);
    TORRE_TRY(compute_forces(s, 0));
    return check_finite(s);
}

/* v += (dt/2m) F */
static void half_kick(reference_solver *s)
{
    for (int64_t i = 0; i < s->at.count; i++) {
        const double half = 0.5 * s->problem->dt / torre_md_mass(s->problem, i);
        for (int a = 0; a < 3; a++) s->at.velocity[a][i] += half * s->force[a][i];
        for (int a = 0; s->rough && a < 3; a++)
            s->grains.spin[a][i] += half * s->grains.twist[a][i];
    }
}

static torre_status reference_advance(torre_md_solver *solver, int64_t steps)
{
    reference_solver *s = (reference_solver *)solver;
    const double dt = s->problem->dt, half = 0.5 * dt / s->problem->mass;
    for (int64_t n = 0; n < steps; n++) {
        s->step++;
        for (int64_t i = 0; i < s->at.count; i++) s->lost[i] += half * s->power[i];
        half_kick(s);
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < s->at.count; i++)
                s->at.position[a][i] += dt * s->at.velocity[a][i];
        TORRE_TRY(compute_forces(s, half));
        for (int64_t i = 0; i < s->at.count; i++) s->lost[i] += half * s->power[i];
        half_kick(s);
        TORRE_TRY(check_finite(s));
    }
    return TORRE_OK;
}

static torre_status reference_get_particles(torre_md_solver *solver, double *const position[3],
                                            double *const velocity[3])
{
    reference_solver *s = (reference_solver *)solver;
    for (int a = 0; a < 3; a++) {
        double edge = s->problem->box[a];
        if (position && position[a]) {
            for (int64_t i = 0; i < s->at.count; i++) {
                double r = s->at.position[a][i];
                r -= edge * floor(r / edge);
                position[a][i] = r < edge ? r : 0;
            }
        }
        if (velocity && velocity[a])
            memcpy(velocity[a], s->at.velocity[a], (size_t)s->at.count * sizeof(double));
    }
    return TORRE_OK;
}

static torre_status reference_get_spins(torre_md_solver *solver, double *const spin[3])
{
    reference_solver *s = (reference_solver *)solver;
    const size_t bytes = (size_t)s->at.count * sizeof(double);
    for (int a = 0; a < 3; a++) memcpy(spin[a], s->grains.spin[a], bytes);
    return TORRE_OK;
}

/* Mass of a particle, and its energy of rotation is added up. */
static double weigh(const reference_solver *s, int64_t i, double *rotational)
{
    const torre_md_problem *p = s->problem;
    if (!s->rough) return torre_md_mass(p, i);
    const double radius = torre_grain_radius(p, i), ratio = radius / (p->cutoff / 2);
    const double mass = p->mass * ratio * ratio * ratio;
    for (int a = 0; a < 3; a++)
        *rotational += 0.2 * mass * radius * radius * s->grains.spin[a][i] * s->grains.spin[a][i];
    return mass;
}

static torre_status reference_get_forces(torre_md_solver *solver, double *const force[3])
{
    reference_solver *s = (reference_solver *)solver;
    for (int a = 0; a < 3; a++) memcpy(force[a], s->force[a], (size_t)s->at.count * sizeof(double));
    return TORRE_OK;
}

static torre_status reference_sums(torre_md_solver *solver, torre_md_sums *sums)
{
    reference_solver *s = (reference_solver *)solver;
    *sums = s->pair_sums;
    sums->kinetic = sums->rotational = sums->lost = 0;
    for (int64_t i = 0; i < s->at.count; i++) sums->lost += s->problem->mass * s->lost[i];
    sums->neighbors = (double)s->at.count - 1;
    for (int a = 0; a < 3; a++) {
        double spinning = 0;
        sums->momentum[a] = 0;
        for (int64_t i = 0; i < s->at.count; i++) {
            const double v = s->at.velocity[a][i], mass = weigh(s, i, &spinning);
            sums->kinetic += 0.5 * mass * v * v;
            sums->momentum[a] += mass * v;
        }
        sums->rotational = spinning; /* the same for each axis */
    }
    return TORRE_OK;
}

static void reference_times(const torre_md_solver *solver, torre_md_times *times,
                            torre_md_counts *counts)
{
    (void)solver;
    memset(times, 0, sizeof *times);
    *counts = (torre_md_counts){.dangerous_builds = -1};
}

static torre_status reference_state(torre_md_solver *solver, torre_md_visit *visit, void *context)
{
    static const char *const name[3][3] = {{"x", "y", "z"}, {"vx", "vy", "vz"}, {"fx", "fy", "fz"}};
    reference_solver *s = (reference_solver *)solver;
    double *const *const array[3] = {s->at.position, s->at.velocity, s->force};
    const int64_t bytes = s->at.count * (int64_t)sizeof(double);
    TORRE_TRY(visit(context, "clock", &s->step, sizeof s->step));
    for (int k = 0; k < 9; k++)
        TORRE_TRY(visit(context, name[k / 3][k % 3], array[k / 3][k % 3], bytes));
    TORRE_TRY(visit(context, "power", s->power, bytes));
    TORRE_TRY(visit(context, "lost", s->lost, bytes));
    return s->rough ? torre_reference_grains_state(s->problem, &s->grains, visit, context)
                    : TORRE_OK;
}

static torre_status reference_resume(torre_md_solver *solver)
{
    (void)solver;
    return TORRE_OK;
}

const torre_md_backend torre_md_reference = {
    .name = "reference",
    .plan = reference_plan,
    .create = reference_create,
    .set_particles = reference_set_particles,
    .advance = reference_advance,
    .get_particles = reference_get_particles,
    .get_spins = reference_get_spins,
    .get_forces = reference_get_forces,
    .sums = reference_sums,
    .times = reference_times,
    .state = reference_state,
    .resume = reference_resume,
    .destroy = reference_destroy,
};
