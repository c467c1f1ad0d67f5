/*
 * What a program says that it needs is what its solver takes, counted in calls of malloc.
 *
 * The solver itself and what belongs to it alone are structures of some hundred bytes each, below
 * PRIVATE together; every array of the cases is larger than that, so none is forgotten.
 */
#include <stdlib.h>

#include "md_case.h"
#include "particles/mps_tank.h"

#define PRIVATE 4096

static bool counting;
static int64_t taken;

/* The linker puts these in the place of malloc and its like (CMakeLists.txt). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    if (counting) taken += (int64_t)size;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (counting) taken += (int64_t)(count * size);
    return __real_calloc(count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (counting) taken += (int64_t)size;
    return __real_aligned_alloc(alignment, size);
}

static void check(const char *name, const torre_md_problem *problem, const torre_md_plan *plan)
{
    const torre_md_backend *backend;
    torre_md_program *program;
    torre_md_solver *solver;
    CHECK_OK(torre_md_backend_find(name, plan, &backend));
    CHECK_OK(backend->plan(problem, plan, &program));
    const torre_md_info *info = torre_md_program_info(program);
    const int64_t said = info->memory_bytes - info->list_bytes;
    taken = 0;
    counting = true;
    torre_status status = backend->create(program, &solver);
    counting = false;
    CHECK_OK(status);
    CHECK(taken >= said && taken <= said + PRIVATE, "%s, %s, %s: %lld bytes said, %lld taken", name,
          torre_pair_model_name(problem->model), torre_neighbor_name(info->plan.neighbor),
          (long long)said, (long long)taken);
    backend->destroy(solver);
}

/* 4400 particles and some more bins, so that bytes of either are more than PRIVATE. */
static void test_pairs(void **state)
{
    (void)state;
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
        md_case c = md_case_melt(11, 10, 10, (torre_md_precision)precision);
        for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
            const torre_md_plan plan = {
                .neighbor = (torre_neighbor)neighbor, .threads = 3, .bin_size = 0.8};
            check("cpu", &c.problem, &plan);
        }
        if (precision == TORRE_MD_F64) check("reference", &c.problem, &(torre_md_plan){0});
        md_case_free(&c);
    }
}

static void test_fluid(void **state)
{
    (void)state;
    torre_mps_tank tank = {.dims = 3,
                           .spacing = 0.01,
                           .influence = 0.0235,
                           .column = {0.1, 0.2},
                           .size = {0.4, 0.4, 0.08}};
    torre_mps_layout layout;
    CHECK_OK(torre_mps_tank_layout(&tank, &layout));
    torre_md_problem p = {
        .mps = {.density = 1000, .gravity = 9.81, .sound_speed = 20, .surface = 0.97},
        .precision = TORRE_MD_F32,
        .dt = 1e-5};
    torre_mps_tank_problem(&tank, &layout, &p);
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
        p.precision = (torre_md_precision)precision;
        check("cpu", &p, &(torre_md_plan){.threads = 2});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_fluid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
