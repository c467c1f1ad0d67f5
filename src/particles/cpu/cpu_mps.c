/*
 * The moving-particle method (mps.h) on the cpu. Ranks tell each other three times a step what they
 * have computed of lent particles: where they are at r' (or a rebuild does), their pressures there,
 * and in the end positions and velocities, with which the next step begins.
 */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "particles/cpu/cpu_tails.h"
#include "particles/cpu/mps_sweeps.h"
#include "particles/md_sum.h"
#include "particles/mps.h"

#define DEFAULT_SKIN 0.3 /* of the spacing */

/* Proc 5 moves particles on from where displacements are checked, by far less than this share of
 * half the skin. */
#define SLACK 0.1

typedef torre_cpu_solver cpu_solver;

typedef struct fluid {
    torre_mps_field field;
    const torre_mps_loops *loops;
    int32_t *place; /* of own fluid, */
    int64_t count;  /* so many, */
    int64_t room;   /* with room for these */
    int64_t builds; /* of the lists that they are of */
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
    const bool mixed = p->precision == TORRE_MD_MIXED;
    return (p->count + 1) * (2 * state_size + (mixed ? 4 * (int64_t)sizeof(float) : 0)) +
           p->mps.gate_count * (int64_t)sizeof(double);
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
                                   .gate = {p->mps.gate, p->mps.gate + p->mps.gate_count},
                                   .constants = torre_mps_constants_of(p)};
    const int64_t bytes = torre_cpu_places(s) * s->state->state_size;
    TORRE_TRY(torre_cpu_array_new(s, bytes, &own->field.pressure));
    TORRE_TRY(torre_cpu_array_new(s, bytes, &own->field.number_density));
    if (s->state->pair_size != s->state->state_size) TORRE_TRY(torre_cpu_spare_packed(s));
    own->field.gate.height = calloc((size_t)p->mps.gate_count + 1, sizeof(double));
    return own->field.gate.height ? TORRE_OK
                                  : torre_fail(TORRE_ERR_RESOURCE, "no memory for a gate");
}

static void mps_release(cpu_solver *s)
{
    fluid *own = s->own;
    if (own) {
        torre_cpu_array_free(s, own->field.pressure);
        torre_cpu_array_free(s, own->field.number_density);
        free(own->place);
        free(own->field.gate.height);
    }
    free(own);
}

/* Where the gate begins, of all its particles: any of them may come to any rank. */
static torre_status find_gate(cpu_solver *s)
{
    const torre_mps_parameters *m = &s->problem->mps;
    double *here = calloc((size_t)m->gate_count + 1, sizeof *here);
    if (!here) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a gate");
    for (int64_t i = 0; i < s->store.count; i++)
        if (torre_mps_is_gate(m, s->store.id[i]))
            here[s->store.id[i] - m->gate] = torre_cpu_number(s, s->store.position, 4 * i + 1);
    torre_md_sum_rows(&s->store, here, 1, (int)m->gate_count, ((fluid *)s->own)->field.gate.height);
    free(here);
    return TORRE_OK;
}

/* Of the lists that there are. */
static torre_status find_places(cpu_solver *s)
{
    fluid *own = s->own;
    const torre_md_store *t = &s->store;
    if (own->builds == s->lists.builds) return TORRE_OK;
    if (t->count > own->room) {
        const int64_t room = t->count + t->count / 8;
        free(own->place);
        own->room = 0;
        own->place = malloc((size_t)room * sizeof *own->place);
        if (!own->place)
            return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)room);
        own->room = room;
    }
    own->count = 0;
    for (int64_t i = 0; i < t->count; i++)
        if (t->id[i] < own->field.fluid) own->place[own->count++] = (int32_t)i;
    own->builds = s->lists.builds;
    return TORRE_OK;
}

/* Before a sweep: ranks meet behind each. */
static torre_status ready(cpu_solver *s)
{
    fluid *own = s->own;
    torre_mps_field *f = &own->field;
    TORRE_TRY(find_places(s));
    TORRE_TRY(torre_cpu_tails_ready(s, &f->tail, &f->tails));
    f->place = own->place;
    f->count = own->count - (f->tails > 0 ? f->tail[0].count : 0);
    return TORRE_OK;
}

static torre_status mps_begin(cpu_solver *s)
{
    fluid *own = s->own;
    if (s->problem->mps.gate_count) TORRE_TRY(find_gate(s));
    own->field.still = false;
    TORRE_TRY(ready(s));
    own->loops->density(&own->field);
    return torre_cpu_share_meet(s);
}

/* The particle with the largest speed, for the message. */
static torre_status report_runaway(cpu_solver *s)
{
    double most = -1;
    int64_t worst = 0;
    for (int64_t i = 0; i < s->store.count && most < INFINITY; i++) {
        double square = 0;
        for (int64_t k = 4 * i; k < 4 * i + 3; k++) {
            double u = torre_cpu_number(s, s->store.velocity, k);
            square += u * u;
        }
        if (!(square <= most)) {
            most = isnan(square) ? INFINITY : square;
            worst = i;
        }
    }
    int32_t id = most < 0 ? 0 : s->store.id[worst];
    if (s->store.share) TORRE_TRY(torre_cpu_share_most(s->store.share, &most, &id));
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: particle %d moves at %.3g m/s, faster than the sound speed %.3g "
                      "m/s; use a smaller {dt} or a larger {sound_speed}",
                      (long long)s->store.step, id + 1, sqrt(most), s->problem->mps.sound_speed);
}

/* What the gate does in this step. */
static void set_gate(cpu_solver *s)
{
    torre_mps_gate *gate = &((fluid *)s->own)->field.gate;
    const torre_mps_parameters *m = &s->problem->mps;
    const double dt = s->problem->dt, end = (double)s->store.step * dt;
    const double before = torre_mps_gate_lifted(m, end - dt);
    gate->lifted = torre_mps_gate_lifted(m, end);
    gate->moves = gate->lifted != torre_mps_gate_lifted(m, end - 2 * dt); /* or comes to rest */
    gate->velocity = m->gate_speed > 0 ? (gate->lifted - before) / dt : 0;
    gate->step = dt * gate->velocity;
}

/* Of ranks: where ghosts are after a move, and, at the end of a step, how fast. */
static torre_status lend_places(cpu_solver *s, bool velocities, double most[], int numbers)
{
    torre_md_store *t = &s->store;
    const torre_cpu_column of[] = {{&t->packed, 4 * s->state->pair_size, false},
                                   {&t->velocity, 4 * s->state->state_size, false}};
    return t->share ? torre_cpu_share_lend(s, of, 1 + velocities, most, numbers) : TORRE_OK;
}

static torre_status lend_pressures(cpu_solver *s)
{
    const torre_cpu_column of = {&((fluid *)s->own)->field.pressure, s->state->state_size, false};
    return s->store.share ? torre_cpu_share_lend(s, &of, 1, NULL, 0) : TORRE_OK;
}

/* Proc 1 and 2, and lists for r' before pressures are computed there. */
static torre_status predict(cpu_solver *s)
{
    fluid *own = s->own;
    double clock = torre_time_now();
    double most[2];
    TORRE_TRY(ready(s));
    set_gate(s);
    most[0] = own->loops->viscosity(&own->field, &most[1]);
    s->times.viscosity += torre_cpu_lap(&clock);
    TORRE_TRY(lend_places(s, false, most, 2));
    if (!(most[0] < s->problem->mps.sound_speed)) return report_runaway(s);
    const torre_cpu_rebuild rebuild = {
        .moved = most[1], .limit = 0.5 * (1 - SLACK) * s->plan->skin, .told = true};
    TORRE_TRY(torre_cpu_rebuild_when_due(s, &rebuild));
    if (s->built_at == s->store.step) own->field.still = false;
    return TORRE_OK;
}

/* Proc 3 to 5. */
static torre_status correct(cpu_solver *s)
{
    fluid *own = s->own;
    double clock = torre_time_now();
    TORRE_TRY(ready(s));
    own->loops->density(&own->field);
    s->times.density += torre_cpu_lap(&clock);
    TORRE_TRY(lend_pressures(s));
    torre_cpu_lap(&clock);
    TORRE_TRY(ready(s));
    double speed = own->loops->gradient(&own->field);
    s->times.gradient += torre_cpu_lap(&clock);
    TORRE_TRY(lend_places(s, true, &speed, 1));
    return speed < s->problem->mps.sound_speed ? TORRE_OK : report_runaway(s);
}

static torre_status mps_step(cpu_solver *s)
{
    TORRE_TRY(predict(s));
    return correct(s);
}

static void copy_by_id(const cpu_solver *s, const void *values, double *out)
{
    enum { FEW = 1 << 14 }; /* not worth starting threads for */
    if (!out) return;
#pragma omp parallel for num_threads(s->store.threads) if (s->store.count > FEW)
    for (int64_t i = 0; i < s->store.count; i++)
        out[s->store.id[i]] = torre_cpu_number(s, values, i);
}

static torre_status mps_get_fields(torre_md_solver *solver, const torre_md_fields *fields)
{
    cpu_solver *s = (cpu_solver *)solver;
    fluid *own = s->own;
    void *collision = torre_cpu_spare_numbers(s);
    const void *const values[] = {own->field.pressure, own->field.number_density, collision};
    double *const out[] = {fields->pressure, fields->number_density, fields->collision};
    if (fields->collision || s->store.share) own->loops->collision(&own->field, collision);
    own->field.still = false;
    TORRE_TRY(torre_cpu_share_meet(s));
    if (s->store.share) return torre_cpu_share_unload_numbers(s, values, 3, out);
    for (int k = 0; k < 3; k++) copy_by_id(s, values[k], out[k]);
    return TORRE_OK;
}

static torre_status mps_state(cpu_solver *s, torre_md_visit *visit, void *context)
{
    torre_mps_field *f = &((fluid *)s->own)->field;
    const int64_t each = s->state->state_size;
    f->still = false; /* a state may come in */
    TORRE_TRY(torre_cpu_visit_array(s, visit, context, "pressure", f->pressure, each, false));
    return torre_cpu_visit_array(s, visit, context, "number_density", f->number_density, each,
                                 false);
}

/* Walls take part in one of three sweeps, dummies in none. */
static void mps_listed(const cpu_solver *s, int32_t below[2])
{
    const torre_mps_parameters *m = &s->problem->mps;
    below[0] = (int32_t)m->fluid;
    below[1] = (int32_t)(m->fluid + m->wall);
}

/* They have room for all particles, and are computed anew after a rebuild, but not when a run goes
 * on from a state. */
static int mps_columns(cpu_solver *s, bool ghosts, torre_cpu_column of[])
{
    torre_mps_field *f = &((fluid *)s->own)->field;
    if (ghosts) return 0;
    of[0] = (torre_cpu_column){&f->pressure, s->state->state_size, false};
    of[1] = (torre_cpu_column){&f->number_density, s->state->state_size, false};
    return 2;
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
    .listed = mps_listed,
    .takes_tails = true,
    .columns = mps_columns,
};
