/*
 * Runs by several threads of a process as ranks (src/wave/rank_run.h, src/core/rank_threads.h)
 * against runs in one piece: the same bits of both levels, traces and norms, with every order,
 * precision, kind of face, order of axes, velocities, densities, layers, sources and receivers,
 * whatever the number of ranks, whether planes go by messages, from solver to solver, or ranks in a
 * row have their memory in common. What goes from solver to solver is of GPUs: here the CPU's
 * solvers are lent what they lack, planes are written into a solver as soon as it is not computing,
 * and every other pass rests before its last towers. Then every call of a rank fails in turn.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/rank_threads.h"
#include "wave/box.h"
#include "wave/driver.h"
#include "wave/initial.h"
#include "wave/part.h"
#include "wave/program.h"
#include "wave/rank_run.h"
#include "wave_random_case.h"

enum { RANKS = 4 };

/* --- Solvers that hand on planes --- */

typedef struct lent {
    torre_wave_solver *solver;
    pthread_mutex_t busy;
    int64_t n, passes;
} lent;

static const torre_wave_backend *cpu;
static torre_wave_backend direct; /* the same, and those functions */
static lent solvers[RANKS + 1];   /* and that of the whole grid */
static atomic_int solver_count, handed;
static int along;             /* the axis that planes lie across, */
static int64_t cells[3];      /* of the grid */
static atomic_int calls_left; /* before one fails; below 0: none does */

static torre_status may_fail(void)
{
    if (atomic_fetch_sub(&calls_left, 1) != 1) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "out of luck");
}

static lent *lent_of(const torre_wave_solver *solver)
{
    int i = 0;
    while (solvers[i].solver != solver) i++;
    return &solvers[i];
}

static torre_status create(torre_wave_program *program, torre_wave_solver **solver)
{
    if (program->setup->region) TORRE_TRY(may_fail());
    TORRE_TRY(cpu->create(program, solver));
    const int i = atomic_fetch_add(&solver_count, 1);
    pthread_mutex_init(&solvers[i].busy, NULL);
    solvers[i].n = solvers[i].passes = 0;
    solvers[i].solver = *solver;
    return TORRE_OK;
}

static torre_status set_step(torre_wave_solver *solver, int64_t n)
{
    lent_of(solver)->n = n;
    return cpu->set_step(solver, n);
}

static torre_status advance_to(torre_wave_solver *solver, int64_t steps, int64_t plane,
                               void *samples)
{
    lent *l = lent_of(solver);
    const struct timespec moment = {.tv_nsec = 4000000};
    if (plane == INT64_MIN && l->passes++ % 2) nanosleep(&moment, NULL);
    TORRE_TRY(may_fail());
    pthread_mutex_lock(&l->busy);
    const torre_status status = cpu->advance_to(solver, steps, plane, samples);
    if (plane == INT64_MIN) l->n += steps;
    pthread_mutex_unlock(&l->busy);
    return status;
}

static void place(const torre_wave_solver *solver, int64_t low, torre_plane_place *p)
{
    (void)low;
    *p = (torre_plane_place){.array = {(char *)lent_of(solver)}};
}

/* What layers remember of the planes. */
static torre_status hand_layers(const lent *from, lent *there, int64_t low, int64_t high)
{
    const torre_wave_program *p = from->solver->program;
    const int64_t bytes = cpu->layer_bytes(p->setup, &p->info.plan, low, high);
    if (bytes == 0) return TORRE_OK;
    void *values = malloc((size_t)bytes);
    torre_status status = cpu->read_layers(from->solver, low, high, 0, values);
    pthread_mutex_lock(&there->busy);
    if (!status) status = cpu->write_layers(there->solver, low, high, 0, values);
    pthread_mutex_unlock(&there->busy);
    free(values);
    return status;
}

static torre_status hand_on(torre_wave_solver *solver, int64_t low, int64_t high, int way,
                            const torre_plane_place *to, void **arrival)
{
    const lent *from = lent_of(solver);
    lent *there = (lent *)to->array[0];
    torre_box box = torre_box_all(cells);
    int64_t stride[3];
    torre_status status = may_fail();
    (void)way;
    box.low[along] = low;
    box.high[along] = high;
    torre_box_strides(&box, stride);
    char *values = malloc((size_t)(stride[0] * (box.high[0] - box.low[0])) * 8);
    for (int array = 0; array < 2 && !status; array++) {
        const int level = (from->n + array) & 1 ? -1 : 0;
        status = cpu->read_box(solver, level, &box, stride, values);
        pthread_mutex_lock(&there->busy);
        if (!status)
            status = cpu->write_box(there->solver, (there->n + array) & 1 ? -1 : 0, &box, stride,
                                    values);
        pthread_mutex_unlock(&there->busy);
    }
    free(values);
    if (!status) status = hand_layers(from, there, low, high);
    atomic_fetch_add(&handed, 1);
    *arrival = NULL;
    return status;
}

static torre_status await(torre_wave_solver *solver, void *arrival)
{
    (void)solver, (void)arrival;
    return may_fail();
}

static void lend(void)
{
    direct = *cpu;
    direct.create = create;
    direct.set_step = set_step;
    direct.advance_to = advance_to;
    direct.place = place;
    direct.hand_on = hand_on;
    direct.await = await;
}

/* --- Runs --- */

typedef struct member {
    const wave_random_case *c;
    const torre_wave_backend *backend;
    const torre_ranks *ranks;
    pthread_t thread;
} member;

static torre_status plan_run(const member *m, torre_wave_run **run)
{
    TORRE_TRY(torre_wave_run_new(&m->c->problem, "cpu", &m->c->plan, run));
    (*run)->backend = m->backend;
    return torre_wave_run_share(*run, m->ranks);
}

static void *serve(void *context)
{
    const member *m = context;
    torre_wave_run *run = NULL;
    const torre_status status = plan_run(m, &run);
    (void)torre_wave_ranks_serve(run, m->ranks, status);
    torre_wave_run_free(run);
    return NULL;
}

/* A run, with noise in its fields. */
static torre_status start_noise(torre_wave_run *run)
{
    const torre_region region = torre_wave_region(run->setup);
    const torre_wave_problem *p = run->problem;
    void *u[2];
    for (int l = 0; l < 2; l++) {
        u[l] = wave_alloc(torre_wave_cells(p), (size_t)p->precision);
        torre_wave_noise(&region, p->precision, (uint64_t)(l + 1), u[l]);
    }
    const torre_status status = torre_wave_run_start(run, u[0], u[1]);
    free(u[0]);
    free(u[1]);
    return status;
}

/* Zeros in some box of either level. */
static torre_status clear_box(torre_wave_run *run, uint64_t *state)
{
    torre_box box;
    int64_t stride[3];
    for (int a = 0; a < 3; a++) {
        box.low[a] = wave_pick(state, 0, run->problem->size[a] - 1);
        box.high[a] = wave_pick(state, box.low[a] + 1, run->problem->size[a]);
    }
    torre_box_strides(&box, stride);
    return run->backend->write_box(run->solver, (int)wave_pick(state, -1, 0), &box, stride, NULL);
}

/* In pieces, and something happens in between. */
static torre_status advance(torre_wave_run *run, uint64_t state)
{
    const torre_wave_problem *p = run->problem;
    while (torre_wave_run_step(run) < p->steps) {
        const int64_t left = p->steps - torre_wave_run_step(run), some = wave_pick(&state, 1, 20);
        TORRE_TRY(torre_wave_run_advance(run, some < left ? some : left, NULL));
        if (wave_pick(&state, 0, 1)) TORRE_TRY(clear_box(run, &state));
    }
    return TORRE_OK;
}

static void compare_layers(const wave_random_case *c, torre_wave_run *a, torre_wave_run *b)
{
    const torre_wave_problem *p = &c->problem;
    torre_layer_slice slice;
    for (int64_t i = 0; torre_layer_slice_get(p, i, &slice); i++) {
        torre_box box = torre_box_all(p->size);
        int64_t stride[3];
        box.high[slice.axis] = 1;
        torre_box_strides(&box, stride);
        const size_t bytes = (size_t)(box.high[0] * stride[0]) * (size_t)p->precision;
        void *u = wave_alloc(1, bytes), *v = wave_alloc(1, bytes);
        CHECK_OK(a->backend->read_layer(a->solver, &slice, stride, u));
        CHECK_OK(b->backend->read_layer(b->solver, &slice, stride, v));
        CHECK(memcmp(u, v, bytes) == 0, "%s: another layer, axis %d, side %d, %s, j %d, i %d",
              c->text, slice.axis, slice.side, slice.outwards ? "outwards" : "inwards", slice.j,
              slice.i);
        free(u);
        free(v);
    }
}

static void compare(const wave_random_case *c, torre_wave_run *a, torre_wave_run *b)
{
    const torre_wave_problem *p = &c->problem;
    const size_t bytes = (size_t)torre_wave_cells(p) * (size_t)p->precision;
    void *u = wave_alloc(1, bytes), *v = wave_alloc(1, bytes);
    for (int level = -1; level <= 0; level++) {
        CHECK_OK(torre_wave_run_field(a, level, u));
        CHECK_OK(torre_wave_run_field(b, level, v));
        CHECK(memcmp(u, v, bytes) == 0, "%s: another field, level %d", c->text, level);
    }
    free(u);
    free(v);
    compare_layers(c, a, b);
    const torre_wave_norms *m = torre_wave_run_norms(a), *n = torre_wave_run_norms(b);
    CHECK(m->max_abs == n->max_abs && m->l2 == n->l2, "%s: norms %.17g, %.17g, not %.17g, %.17g",
          c->text, n->max_abs, n->l2, m->max_abs, m->l2);
    const torre_array *s = torre_wave_run_traces(a), *t = torre_wave_run_traces(b);
    CHECK(p->receiver_count == 0 ||
              memcmp(s->data, t->data,
                     (size_t)(s->shape[0] * s->shape[1]) * (size_t)s->precision) == 0,
          "%s: other traces", c->text);
}

/* The run of the first of so many ranks, and the others beside it: to be ended with end_ranks. */
static torre_status start_ranks(member *all, int count, const int *leader,
                                const wave_random_case *c, const torre_wave_backend *backend,
                                torre_wave_run **run)
{
    static const int number[RANKS] = {3, 1, 4, 5};
    torre_ranks *ranks;
    CHECK_OK(torre_rank_threads_new(count, "GPUs", "GPU", number, &ranks));
    for (int i = 0; i < count; i++) ranks[i].leader = leader;
    atomic_store(&solver_count, 0);
    for (int i = 0; i < count; i++) all[i] = (member){c, backend, &ranks[i], 0};
    for (int i = 1; i < count; i++)
        CHECK(pthread_create(&all[i].thread, NULL, serve, &all[i]) == 0, "a thread");
    return torre_wave_ranks_gather(*run, ranks, plan_run(all, run));
}

static void end_ranks(member *all, int count, torre_wave_run *run)
{
    torre_ranks *ranks = (torre_ranks *)all[0].ranks;
    torre_rank_threads_close(ranks, count - 1);
    for (int i = 1; i < count; i++) pthread_join(all[i].thread, NULL);
    torre_wave_run_free(run);
    torre_rank_threads_free(ranks);
}

/* Whether there are planes enough for so many. */
static bool check_case(wave_random_case *c, int count, const int *leader,
                       const torre_wave_backend *backend)
{
    torre_wave_run *whole, *shared = NULL;
    torre_wave_plan plan = c->plan;
    member all[RANKS];
    plan.engine = TORRE_STEPWISE;
    c->plan.engine = TORRE_TORRE;
    along = c->plan.axes[0] ? c->plan.axes[0] - 'x' : 0;
    memcpy(cells, c->problem.size, sizeof cells);
    const torre_status status = start_ranks(all, count, leader, c, backend, &shared);
    if (status) {
        CHECK(status == TORRE_ERR_USAGE && strstr(torre_error_text(), ": take fewer "), "%s: %s",
              c->text, torre_error_text());
        end_ranks(all, count, shared);
        return false;
    }
    CHECK_OK(torre_wave_run_new(&c->problem, "cpu", &plan, &whole));
    CHECK_OK(start_noise(whole));
    CHECK_OK(start_noise(shared));
    CHECK_OK(advance(whole, (uint64_t)count));
    CHECK_OK(advance(shared, (uint64_t)count));
    compare(c, whole, shared);
    end_ranks(all, count, shared);
    torre_wave_run_free(whole);
    return true;
}

static void threads_give_the_bits_of_one(void **unused)
{
    (void)unused;
    uint64_t state = 24;
    int taken = 0, more = 0, kinds[3] = {0};
    for (int order = 2; order <= 2 * TORRE_MAX_HALF_WIDTH; order += 2)
        for (int i = 0; i < 16; i++) {
            wave_random_case c;
            wave_random_case_make(&state, order, &c);
            const int count = (int)wave_pick(&state, 2, RANKS);
            const bool ran = check_case(&c, count, NULL, i % 4 ? &direct : cpu);
            taken += ran;
            more += ran && count > 2;
            if (wave_random_case_absorbs(&c)) kinds[c.problem.absorbing] += ran;
            wave_random_case_free(&c);
        }
    CHECK(taken > 50 && more > 20, "%d runs were shared, %d by more than two", taken, more);
    CHECK(kinds[TORRE_PML] > 15 && kinds[TORRE_CPML] > 5, "%d runs with pml, %d with cpml",
          kinds[TORRE_PML], kinds[TORRE_CPML]);
    CHECK(atomic_load(&handed) > 200, "planes were handed on %d times", atomic_load(&handed));
}

static void teams_give_the_bits_of_one(void **unused)
{
    static const int leaders[][RANKS] = {{0, 0, 0, 0}, {0, 0, 2, 2}, {0, 1, 1, 1}, {0, 0, 0, 3}};
    (void)unused;
    uint64_t state = 7;
    int taken[4] = {0}, absorbing = 0;
    for (int order = 2; order <= 2 * TORRE_MAX_HALF_WIDTH; order += 2)
        for (int i = 0; i < 12; i++) {
            wave_random_case c;
            wave_random_case_make(&state, order, &c);
            const bool ran = check_case(&c, i % 4 ? RANKS : 2, leaders[i % 4], cpu);
            taken[i % 4] += ran;
            absorbing += ran && wave_random_case_absorbs(&c);
            wave_random_case_free(&c);
        }
    CHECK(taken[0] == 18 && taken[1] > 8 && taken[2] > 8 && taken[3] > 8 && absorbing > 10,
          "runs were shared %d, %d, %d and %d times, %d of them with layers", taken[0], taken[1],
          taken[2], taken[3], absorbing);
}

/* Whatever fails, and wherever: all end, and say which rank it was. */
static void any_call_may_fail(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    wave_random_case c;
    int at = 0;
    torre_status status = TORRE_ERR_RESOURCE;
    wave_random_case_make(&state, 2, &c);
    c.plan.engine = TORRE_TORRE;
    c.plan.tower_height = 3;
    along = c.plan.axes[0] ? c.plan.axes[0] - 'x' : 0;
    memcpy(cells, c.problem.size, sizeof cells);
    while (status) {
        member all[RANKS];
        torre_wave_run *run = NULL;
        atomic_store(&calls_left, ++at);
        status = start_ranks(all, 3, NULL, &c, &direct, &run);
        CHECK(status == TORRE_OK, "%s: %s", c.text, torre_error_text());
        status = start_noise(run);
        if (!status) status = advance(run, 1);
        CHECK(!status ||
                  (status == TORRE_ERR_RESOURCE && strncmp(torre_error_text(), "GPU ", 4) == 0 &&
                   strstr(torre_error_text(), ": out of luck")),
              "call %d: status %d, %s", at, (int)status, torre_error_text());
        end_ranks(all, 3, run);
    }
    wave_random_case_free(&c);
    CHECK(at > 20, "%d calls can fail", at);
}

int main(int argc, char **argv)
{
    (void)argc;
    wave_case_init(1, argv); /* whatever is asked for, the cpu backend */
    cpu = wave_backend;
    lend();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_give_the_bits_of_one),
        cmocka_unit_test(teams_give_the_bits_of_one),
        cmocka_unit_test(any_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
