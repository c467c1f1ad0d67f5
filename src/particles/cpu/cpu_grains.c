/*
 * Rough grains on the cpu: the steps of cpu_pairs.c without thermostats, and spins and contacts
 * that lie by id (particles/grains.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "particles/cpu/cpu_pairs.h"
#include "particles/cpu/cpu_share.h"
#include "particles/cpu/grain_sweeps.h"

typedef torre_cpu_solver cpu_solver;

typedef struct grains {
    torre_grain_field field;
    const torre_grain_loops *loops;
} grains;

static grains *own(const cpu_solver *s) { return s->own; }

static torre_status grains_plan(torre_md_program *program)
{
    TORRE_TRY(torre_cpu_pairs.plan(program));
    if (program->info.plan.neighbor != TORRE_NEIGHBOR_HALF) return TORRE_OK;
    return torre_fail(
        TORRE_ERR_USAGE,
        "{neighbor} half does not go with {friction}: contacts are remembered by both "
        "particles; use full or tile");
}

static int64_t quad_bytes(const torre_md_problem *p, int state_size)
{
    return (4 * p->count * state_size + 63) / 64 * 64;
}

static int64_t slots_of(const torre_md_problem *p) { return p->count * torre_grain_slots(p); }

static int pair_size(const torre_md_problem *p) { return p->precision == TORRE_MD_F64 ? 8 : 4; }

static int64_t grains_bytes(const torre_md_problem *p, const torre_md_plan *plan, int state_size)
{
    (void)plan;
    return 3 * quad_bytes(p, state_size) +
           slots_of(p) * ((int64_t)sizeof(torre_contact_key) + TORRE_SPRINGS * pair_size(p));
}

static torre_status grains_allocate(cpu_solver *s)
{
    const torre_md_problem *p = s->problem;
    grains *g = s->own = calloc(1, sizeof *g);
    if (!g) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a solver");
    const int64_t quads = quad_bytes(p, s->state->state_size), slots = slots_of(p);
    void *key;
    g->loops = torre_grain_loops_find(p->precision);
    g->field = (torre_grain_field){
        .store = &s->store, .problem = p, .bins = &s->bins, .slots = torre_grain_slots(p)};
    if (s->plan->neighbor != TORRE_NEIGHBOR_TILE) g->field.lists = &s->lists;
    TORRE_TRY(torre_cpu_array_new(s, quads, &g->field.spin));
    TORRE_TRY(torre_cpu_array_new(s, quads, &g->field.next_spin));
    TORRE_TRY(torre_cpu_array_new(s, quads, &g->field.twist));
    TORRE_TRY(torre_cpu_array_new(s, slots * (int64_t)sizeof *g->field.key, &key));
    g->field.key = key;
    return torre_cpu_array_new(s, slots * TORRE_SPRINGS * pair_size(p), &g->field.spring);
}

static void grains_release(cpu_solver *s)
{
    grains *g = own(s);
    if (!g) return;
    torre_cpu_array_free(s, g->field.spin);
    torre_cpu_array_free(s, g->field.next_spin);
    torre_cpu_array_free(s, g->field.twist);
    torre_cpu_array_free(s, g->field.key);
    torre_cpu_array_free(s, g->field.spring);
    free(g);
}

static torre_status compute_forces(cpu_solver *s, double kick, torre_md_sums *sums)
{
    if (sums) TORRE_TRY(torre_cpu_pairs_refresh(s));
    double clock = torre_time_now();
    const torre_status status = own(s)->loops->sweep(&own(s)->field, kick, sums);
    s->times.force += torre_cpu_lap(&clock);
    return status;
}

static torre_status grains_begin(cpu_solver *s)
{
    grains *g = own(s);
    const torre_cpu_share *share = s->store.share;
    if (!share || !share->team || share->ranks->rank == 0) {
        memset(g->field.key, 0, (size_t)slots_of(s->problem) * sizeof *g->field.key);
        g->loops->load(&g->field);
    }
    if (share) /* of the problem of rank 0 */
        TORRE_TRY(torre_cpu_share_tell_ids(s, g->field.spin,
                                           4 * s->problem->count * s->state->state_size));
    return compute_forces(s, 0, NULL);
}

static torre_status grains_step(cpu_solver *s)
{
    const double dt = s->problem->dt, kick = 0.5 * dt / s->problem->mass;
    double clock = torre_time_now();
    const torre_cpu_rebuild rebuild =
        torre_cpu_pairs_rebuild(s, own(s)->loops->move(&own(s)->field, kick, dt));
    s->times.integrate += torre_cpu_lap(&clock);
    TORRE_TRY(torre_cpu_rebuild_when_due(s, &rebuild));
    return compute_forces(s, kick, NULL);
}

static torre_status grains_sums(torre_md_solver *solver, torre_md_sums *sums)
{
    cpu_solver *s = (cpu_solver *)solver;
    memset(sums, 0, sizeof *sums);
    TORRE_TRY(torre_cpu_check_runaway(s));
    TORRE_TRY(compute_forces(s, 0, sums));
    double clock = torre_time_now();
    own(s)->loops->measure(&own(s)->field, sums);
    s->times.other += torre_cpu_lap(&clock);
    sums->neighbors = torre_cpu_pairs_mean(s);
    if (!isfinite(sums->kinetic + sums->rotational) || !isfinite(sums->potential))
        return torre_cpu_not_finite(s);
    return TORRE_OK;
}

static torre_status grains_get_spins(torre_md_solver *solver, double *const spin[3])
{
    cpu_solver *s = (cpu_solver *)solver;
    if (s->store.share)
        TORRE_TRY(
            torre_cpu_share_gather_ids(s, own(s)->field.spin, 4 * (int64_t)s->state->state_size));
    if (s->store.share && s->store.share->ranks->rank > 0) return TORRE_OK;
    own(s)->loops->unload(&own(s)->field, spin);
    return TORRE_OK;
}

/* Bytes of the contacts of a grain. */
static int64_t keys_of(const torre_grain_field *f) { return f->slots * (int64_t)sizeof *f->key; }

static int64_t springs_of(const torre_grain_field *f)
{
    return f->slots * (int64_t)TORRE_SPRINGS * pair_size(f->problem);
}

/* An array by id, of `each` bytes a grain. */
static torre_status visit_ids(cpu_solver *s, torre_md_visit *visit, void *context, const char *name,
                              void *array, int64_t each)
{
    if (s->store.share) return torre_cpu_share_visit_ids(s, visit, context, name, array, each);
    return visit(context, name, array, s->problem->count * each);
}

static torre_status grains_state(cpu_solver *s, torre_md_visit *visit, void *context)
{
    torre_grain_field *f = &own(s)->field;
    const int64_t quad = 4 * s->state->state_size;
    TORRE_TRY(visit_ids(s, visit, context, "spin", f->spin, quad));
    TORRE_TRY(visit_ids(s, visit, context, "twist", f->twist, quad));
    TORRE_TRY(visit_ids(s, visit, context, "contacts", f->key, keys_of(f)));
    return visit_ids(s, visit, context, "springs", f->spring, springs_of(f));
}

static int grains_columns(cpu_solver *s, bool ghosts, torre_cpu_column of[])
{
    torre_grain_field *f = &own(s)->field;
    const int64_t quad = 4 * s->state->state_size;
    of[0] = (torre_cpu_column){&f->spin, quad, true};
    if (ghosts) return 1;
    of[1] = (torre_cpu_column){&f->twist, quad, true};
    of[2] = (torre_cpu_column){(void **)&f->key, keys_of(f), true};
    of[3] = (torre_cpu_column){&f->spring, springs_of(f), true};
    return 4;
}

const torre_cpu_method torre_cpu_grains = {
    .plan = grains_plan,
    .check_memory = torre_cpu_pairs_check_memory,
    .neighbors = torre_cpu_pairs_neighbors,
    .bytes = grains_bytes,
    .allocate = grains_allocate,
    .release = grains_release,
    .begin = grains_begin,
    .step = grains_step,
    .sums = grains_sums,
    .get_spins = grains_get_spins,
    .state = grains_state,
    .columns = grains_columns,
};
