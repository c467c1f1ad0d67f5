/*
 * The state of particles on a fake GPU, where nothing computes: what one solver shows and another
 * takes over, that shows, too, byte by byte, at steps of rebuilds and between them. That a run goes
 * on with the bits of one that nothing stopped is the matter of test_md_cuda.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/md_case.h"

enum { CHUNKS = 24 };

typedef struct state_copy {
    int count, next; /* next: to be read */
    struct {
        char name[16];
        void *data;
        int64_t bytes;
    } chunk[CHUNKS];
} state_copy;

static torre_status keep(void *context, const char *name, void *data, int64_t bytes)
{
    state_copy *c = context;
    CHECK(c->count < CHUNKS && strlen(name) < sizeof c->chunk[0].name, "the chunk %s", name);
    strcpy(c->chunk[c->count].name, name);
    c->chunk[c->count].bytes = bytes;
    c->chunk[c->count].data = malloc((size_t)bytes);
    memcpy(c->chunk[c->count++].data, data, (size_t)bytes);
    return TORRE_OK;
}

static torre_status give(void *context, const char *name, void *data, int64_t bytes)
{
    state_copy *c = context;
    const int i = c->next++;
    CHECK(i < c->count && strcmp(name, c->chunk[i].name) == 0 && bytes == c->chunk[i].bytes,
          "%s is asked for in place of %s", name, c->chunk[i].name);
    memcpy(data, c->chunk[i].data, (size_t)bytes);
    return TORRE_OK;
}

static torre_status refuse(void *context, const char *name, void *data, int64_t bytes)
{
    (void)data, (void)bytes;
    return strcmp(name, context) == 0 ? torre_fail(TORRE_ERR_INPUT, "no %s", name) : TORRE_OK;
}

static void compare(const state_copy *a, const state_copy *b)
{
    CHECK(a->count == b->count, "%d chunks and %d", a->count, b->count);
    for (int i = 0; i < a->count; i++)
        CHECK(memcmp(a->chunk[i].data, b->chunk[i].data, (size_t)a->chunk[i].bytes) == 0,
              "the chunk %s has changed", a->chunk[i].name);
}

static void free_copy(state_copy *c)
{
    for (int i = 0; i < c->count; i++) free(c->chunk[i].data);
}

static void check_state(const md_case *c, const torre_md_plan *plan, int64_t steps)
{
    torre_md_solver *first = md_case_solver_of("cuda", c, plan),
                    *second = md_case_solver_of("cuda", c, plan);
    const torre_md_backend *cuda = first->backend;
    state_copy before = {0}, after = {0};
    CHECK_OK(cuda->advance(first, steps));
    CHECK_OK(cuda->state(first, keep, &before));
    CHECK_OK(cuda->state(second, give, &before));
    CHECK_OK(cuda->resume(second));
    CHECK_OK(cuda->state(second, keep, &after));
    compare(&before, &after);
    CHECK_OK(cuda->advance(second, 10));
    for (int i = 0; i < before.count; i++)
        CHECK(cuda->state(first, refuse, before.chunk[i].name) == TORRE_ERR_INPUT, "%s is lost",
              before.chunk[i].name);
    cuda->destroy(first);
    cuda->destroy(second);
    free_copy(&before);
    free_copy(&after);
}

static void states_come_back(void **state)
{
    static const torre_md_plan plans[] = {
        {.skin = 0.3},
        {.skin = 0.3, .rebuild_every = 10, .sort_every = 30},
        {.skin = 0.3, .rebuild_every = 5, .sort_every = TORRE_MD_NEVER},
        {.skin = 0.3, .neighbor = TORRE_NEIGHBOR_HALF},
        {.skin = 0.3, .neighbor = TORRE_NEIGHBOR_TILE},
    };
    (void)state;
    md_case c = md_case_rough(5, 6, 4, 0.05, TORRE_MD_F32);
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        for (int64_t steps = 0; steps <= 36; steps += 12) check_state(&c, &plans[i], steps);
    for (int e = TORRE_LANGEVIN; e <= TORRE_FIRE; e++) {
        c.problem.ensemble = (torre_md_ensemble)e;
        c.problem.temperature = c.problem.damping_time = 1;
        check_state(&c, &plans[0], 12);
    }
    md_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(states_come_back)};
    setenv("FAKE_CUDA_DEVICE", "h200", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
