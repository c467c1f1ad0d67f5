/* Where particles of a rank come from: the problem of rank 0; and the far one, behind them. */
#include <stdlib.h>
#include <string.h>

#include "particles/cpu/cpu_team.h"

typedef torre_cpu_solver cpu_solver;
typedef torre_cpu_share share;
typedef torre_cpu_column column;

/* Arrays that have it; returns how many. */
static int far_columns(cpu_solver *s, column of[4])
{
    torre_md_store *t = &s->store;
    const int64_t quad = 4 * s->state->state_size;
    of[0] = (column){&t->position, quad, false};
    of[1] = (column){&t->velocity, quad, false};
    of[2] = (column){&t->force, quad, false};
    of[3] = (column){&t->packed, 4 * s->state->pair_size, false};
    return t->packed == t->position ? 3 : 4;
}

void torre_cpu_share_keep_far(cpu_solver *s)
{
    column of[4];
    const int count = far_columns(s, of);
    for (int i = 0; i < count; i++)
        memcpy(s->store.share->far[i], (char *)*of[i].array + s->store.far * of[i].each,
               (size_t)of[i].each);
}

void torre_cpu_share_set_far(cpu_solver *s, int64_t place)
{
    column of[4];
    const int count = far_columns(s, of);
    s->store.far = place;
    for (int i = 0; i < count; i++)
        memcpy((char *)*of[i].array + place * of[i].each, s->store.share->far[i],
               (size_t)of[i].each);
}

/* What a rank begins with: particles of some ids, as they are in the problem. */
typedef struct slice {
    int64_t low, count;
    double *position[3], *velocity[3], *radius;
    uint8_t *type;
    void *memory;
} slice;

static torre_status slice_make(slice *p, bool radii)
{
    double *at = p->memory = malloc((size_t)(p->count + 1) * (6 + radii + 1) * sizeof *at);
    if (!at) return torre_cpu_share_no_memory();
    for (int a = 0; a < 3; a++, at += p->count) p->position[a] = at;
    for (int a = 0; a < 3; a++, at += p->count) p->velocity[a] = at;
    if (radii) p->radius = at, at += p->count;
    p->type = (uint8_t *)at;
    return TORRE_OK;
}

static int64_t slice_low(const cpu_solver *s, int rank)
{
    const int64_t n = s->problem->count, ranks = s->store.share->ranks->count;
    return n / ranks * rank + n % ranks * rank / ranks;
}

/* Arrays from rank 0, with `types` a byte each. */
static torre_status slice_receive(const cpu_solver *s, slice *p)
{
    const torre_ranks *ranks = s->store.share->ranks;
    const int64_t bytes = p->count * (int64_t)sizeof(double);
    for (int a = 0; a < 3; a++) TORRE_TRY(torre_rank_receive(ranks, 0, p->position[a], bytes));
    for (int a = 0; a < 3; a++) TORRE_TRY(torre_rank_receive(ranks, 0, p->velocity[a], bytes));
    if (s->store.types) TORRE_TRY(torre_rank_receive(ranks, 0, p->type, p->count));
    if (p->radius) TORRE_TRY(torre_rank_receive(ranks, 0, p->radius, bytes));
    return TORRE_OK;
}

static torre_status slice_send(const cpu_solver *s, int rank, const double *const position[3],
                               const double *const velocity[3])
{
    const torre_ranks *ranks = s->store.share->ranks;
    const torre_md_problem *p = s->problem;
    const int64_t low = slice_low(s, rank), count = slice_low(s, rank + 1) - low;
    const int64_t bytes = count * (int64_t)sizeof(double);
    for (int a = 0; a < 3; a++) TORRE_TRY(torre_rank_send(ranks, rank, position[a] + low, bytes));
    for (int a = 0; a < 3; a++) TORRE_TRY(torre_rank_send(ranks, rank, velocity[a] + low, bytes));
    if (p->types) TORRE_TRY(torre_rank_send(ranks, rank, p->types->type + low, count));
    if (p->radius) TORRE_TRY(torre_rank_send(ranks, rank, p->radius + low, bytes));
    return TORRE_OK;
}

static void load(cpu_solver *s, int64_t low, int64_t count, const double *const position[3],
                 const double *const velocity[3])
{
    if (s->store.share->team) {
        torre_cpu_team_place(s, low, count);
    } else {
        s->store.first = low;
        s->store.count = s->store.far = count;
    }
    s->state->load(&s->store, position, velocity, s->problem->box);
    if (!s->store.share->team) torre_cpu_share_keep_far(s);
}

torre_status torre_cpu_share_load(cpu_solver *s, const double *const position[3],
                                  const double *const velocity[3])
{
    torre_md_store *t = &s->store;
    const torre_ranks *ranks = t->share->ranks;
    slice p = {.low = slice_low(s, ranks->rank)};
    p.count = slice_low(s, ranks->rank + 1) - p.low;
    bool radii = s->problem->radius != NULL; /* of rank 0 */
    t->share->bins = 0;
    TORRE_TRY(torre_md_store_grow(t, s->state, p.count));
    TORRE_TRY(torre_cpu_share_tell(t->share, &radii, sizeof radii));
    if (ranks->rank == 0) {
        for (int r = 1; r < ranks->count; r++) TORRE_TRY(slice_send(s, r, position, velocity));
        load(s, 0, p.count, position, velocity);
        return TORRE_OK;
    }
    TORRE_TRY(slice_make(&p, radii));
    const torre_status status = slice_receive(s, &p);
    if (!status) {
        t->type = p.type;
        t->radius = p.radius;
        load(s, p.low, p.count, (const double *const *)p.position,
             (const double *const *)p.velocity);
        t->type = NULL;
        t->radius = NULL;
    }
    free(p.memory);
    return status;
}
