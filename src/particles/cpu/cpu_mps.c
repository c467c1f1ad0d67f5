/* The moving-particle method (mps.h) on the cpu. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "particles/cpu/cpu_solver.h"
#include "particles/cpu/mps_sweeps.h"
#include "particles/mps.h"

#define DEFAULT_SKIN 0.3 /* of the spacing */

/* Proc 5 moves particles on from where displacements are checked, by far less than this share of
 * half the skin. */
#define SLACK 0.1

typedef torre_cpu_solver cpu_solver;

typedef struct fluid {
    torre_mps_field field;
    const torre_mps_loops *loops;
    double *gate; /* heights of the gate's particles at the start, in the order of their ids */
} fluid;

static torre_status mps_plan(torre_md_program *program)
{
    torre_md_plan *plan = &program->info.plan;
    if (plan->neighbor && plan->neighbor != TORRE_NEIGHBOR_FULL)
        return torre_fail(TORRE_ERR_USAGE, "{neighbor} %s: the cpu backend has only full for mps",
                          torre_neighbor_name(plan->neighbor));
    plan->neighbor = TORRE_NEIGHBOR_FULL;
    if (plan->skin == 0) {
        plan->skin = DEFAULT_SKIN * program->problem->mps.spacing;
        torre_md_program_because(program, "skin: %g spacings", DEFAULT_SKIN);
    }
    plan->deterministic = true; /* always */
    return TORRE_OK;
}

static torre_status mps_check_memory(const torre_md_problem *p, const torre_md_info *info)
{
    (void)p;
    return torre_memory_check("the fluid", info->memory_bytes);
}

static double mps_neighbors(const torre_md_problem *p, const torre_md_plan *plan)
{
    double near = (p->cutoff + plan->skin) / p->mps.spacing;
    return p->dimensions == 3 ? 4.19 * near * near * near : 3.15 * near * near;
}

static int64_t mps_bytes(const torre_md_problem *p, const torre_md_plan *plan, int state_size)
{
    (void)plan;
    return (2 * p->count + 1) * state_size + p->mps.gate_count * (int64_t)sizeof(double);
}

static torre_status mps_allocate(cpu_solver *s)
{
    const torre_md_problem *p = s->problem;
    fluid *own = s->own = calloc(1, sizeof *own);
    if (!own) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a solver");
    own->loops = torre_mps_loops_find(p->precision);
    own->field = (torre_mps_field){.store = &s->store,
                                   .lists = &s->lists,
                                   .fluid = p->mps.fluid,
                                   .wall = p->mps.wall,
                                   .constants = torre_mps_constants_of(p)};
    own->field.pressure = calloc((size_t)p->count + 1, (size_t)s->state->state_size);
    own->field.number_density = calloc((size_t)p->count, (size_t)s->state->state_size);
    own->gate = calloc((size_t)p->mps.gate_count + 1, sizeof *own->gate);
    if (own->field.pressure && own->field.number_density && own->gate) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)p->count);
}

static void mps_release(cpu_solver *s)
{
    fluid *own = s->own;
    if (own) {
        free(own->field.pressure);
        free(own->field.number_density);
        free(own->gate);
    }
    free(own);
}

static double read_state(const cpu_solver *s, const void *values, int64_t at)
{
    return s->state->state_size == 4 ? (double)((const float *)values)[at]
                                     : ((const double *)values)[at];
}

static void write_state(const cpu_solver *s, void *values, int64_t at, double value)
{
    if (s->state->state_size == 4)
        ((float *)values)[at] = (float)value;
    else
        ((double *)values)[at] = value;
}

static torre_status mps_begin(cpu_solver *s)
{
    fluid *own = s->own;
    const torre_mps_parameters *m = &s->problem->mps;
    for (int64_t i = 0; i < s->store.count && m->gate_count; i++)
        if (torre_mps_is_gate(m, s->store.id[i]))
            own->gate[s->store.id[i] - m->gate] = read_state(s, s->store.position, 4 * i + 1);
    own->loops->density(&own->field);
    return TORRE_OK;
}

/* The particle with the largest speed, for the message. */
static torre_status report_runaway(cpu_solver *s)
{
    double most = -1;
    int64_t worst = 0;
    for (int64_t i = 0; i < s->store.count && most < INFINITY; i++) {
        double square = 0;
        for (int64_t k = 4 * i; k < 4 * i + 3; k++) {
            double u = read_state(s, s->store.velocity, k);
            square += u * u;
        }
        if (!(square <= most)) {
            most = isnan(square) ? INFINITY : square;
            worst = i;
        }
    }
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: particle %d moves at %.3g m/s, faster than the sound speed %.3g "
                      "m/s; use a smaller {dt} or a larger {sound_speed}",
                      (long long)s->store.step, s->store.id[worst] + 1, sqrt(most),
                      s->problem->mps.sound_speed);
}

/* Give the gate the velocity of this step, and such a place that the move with it ends where the
 * gate is at the end of the step: nothing adds up. */
static void move_gate(cpu_solver *s)
{
    const fluid *own = s->own;
    const torre_mps_parameters *m = &s->problem->mps;
    const double dt = s->problem->dt, end = (double)s->store.step * dt;
    const double before = torre_mps_gate_lifted(m, end - dt), now = torre_mps_gate_lifted(m, end);
    if (now == torre_mps_gate_lifted(m, end - 2 * dt)) return; /* and at rest since then */
    const double velocity = m->gate_speed > 0 ? (now - before) / dt : 0;
    for (int64_t i = 0; i < s->store.count; i++) {
        const int32_t id = s->store.id[i];
        if (!torre_mps_is_gate(m, id)) continue;
        const double start = own->gate[id - m->gate];
        write_state(s, s->store.velocity, 4 * i + 1, velocity);
        write_state(s, s->store.position, 4 * i + 1, start + now - dt * velocity);
    }
}

static torre_status mps_step(cpu_solver *s)
{
    fluid *own = s->own;
    const double dt = s->problem->dt, sound = s->problem->mps.sound_speed;
    double clock = torre_time_now();
    own->loops->viscosity(&own->field);
    s->times.viscosity += torre_cpu_lap(&clock);
    if (s->problem->mps.gate_count) move_gate(s);
    double speed = own->loops->move(&own->field, dt, 0);
    s->times.integrate += torre_cpu_lap(&clock);
    if (!(speed < sound)) return report_runaway(s);
    /* at the positions r', before pressures are computed there */
    const torre_cpu_rebuild rebuild = {.moved = -1, .limit = 0.5 * (1 - SLACK) * s->plan->skin};
    TORRE_TRY(torre_cpu_rebuild_when_due(s, &rebuild));
    clock = torre_time_now();
    own->loops->density(&own->field);
    s->times.density += torre_cpu_lap(&clock);
    own->loops->gradient(&own->field);
    s->times.gradient += torre_cpu_lap(&clock);
    speed = own->loops->move(&own->field, 0, dt * dt);
    s->times.integrate += torre_cpu_lap(&clock);
    return speed < sound ? TORRE_OK : report_runaway(s);
}

static void copy_by_id(const cpu_solver *s, const void *values, double *out)
{
    enum { FEW = 1 << 14 }; /* not worth starting threads for */
    if (!out) return;
#pragma omp parallel for num_threads(s->store.threads) if (s->store.count > FEW)
    for (int64_t i = 0; i < s->store.count; i++) out[s->store.id[i]] = read_state(s, values, i);
}

static torre_status mps_get_fields(torre_md_solver *solver, const torre_md_fields *fields)
{
    cpu_solver *s = (cpu_solver *)solver;
    const fluid *own = s->own;
    copy_by_id(s, own->field.pressure, fields->pressure);
    copy_by_id(s, own->field.number_density, fields->number_density);
    if (!fields->collision) return TORRE_OK;
    own->loops->collision(&own->field, s->store.spare);
    copy_by_id(s, s->store.spare, fields->collision);
    return TORRE_OK;
}

static torre_status mps_state(cpu_solver *s, torre_md_visit *visit, void *context)
{
    const fluid *own = s->own;
    const int64_t bytes = s->store.count * s->state->state_size;
    TORRE_TRY(visit(context, "pressure", own->field.pressure, bytes));
    return visit(context, "number_density", own->field.number_density, bytes);
}

const torre_cpu_method torre_cpu_mps = {
    .plan = mps_plan,
    .check_memory = mps_check_memory,
    .neighbors = mps_neighbors,
    .bytes = mps_bytes,
    .allocate = mps_allocate,
    .release = mps_release,
    .begin = mps_begin,
    .step = mps_step,
    .get_fields = mps_get_fields,
    .state = mps_state,
};
