/*
 * What computes a problem is no business of its bits: random problems, many of them with periodic
 * faces (for which a solver may have to turn the axes), on every engine and tile. What a backend
 * cannot do on the axes of the problem it refuses.
 */
#include <stdlib.h>
#include <string.h>

#include "wave_case.h"

enum { PROBLEMS = 120, STEPS = 9 };

static int64_t pick(uint64_t *seed, int64_t low, int64_t high)
{
    return low +
           (int64_t)((wave_random(seed) + 1) / 2 * (double)(high - low + 1)) % (high - low + 1);
}

/* Sizes that are often a multiple of some tiles and not of others. */
static torre_wave_problem random_problem(uint64_t *seed)
{
    torre_wave_problem p = wave_case_problem(1, 1, 1, 2 * (int)pick(seed, 1, TORRE_MAX_HALF_WIDTH));
    static const int64_t unit[] = {1, 4, 8, 12, 16, 24};
    for (int a = 0; a < 3; a++) {
        int64_t u = unit[pick(seed, 0, 5)];
        p.size[a] = u * pick(seed, 1, 64 / u);
        p.spacing[a] = 8 + (double)pick(seed, 0, 2);
        for (int side = 0; side < 2; side++)
            p.face[a][side] = pick(seed, 0, 1) ? TORRE_RIGID : TORRE_FREE;
        if (pick(seed, 0, 1)) p.face[a][0] = p.face[a][1] = TORRE_PERIODIC;
    }
    p.precision = pick(seed, 0, 1) ? TORRE_F32 : TORRE_F64;
    p.steps = STEPS;
    wave_case_courant(&p, 0.8);
    return p;
}

/* The fields after STEPS steps, and the axes; false where the plan is refused. */
static bool compute(const torre_wave_problem *p, const torre_wave_plan *wish, const double *start,
                    double *end, char axes[4])
{
    wave_sim sim;
    torre_wave_program *program;
    wave_sim_prepare(&sim, p);
    torre_status status = wave_backend->plan(sim.setup, wish, &program);
    CHECK(!status || status == TORRE_ERR_USAGE, "%s", torre_error_text());
    if (!status) {
        strcpy(axes, torre_wave_program_info(program)->plan.axes);
        CHECK_OK(wave_backend->create(program, &sim.solver));
        sim.raw = wave_alloc(sim.cells, (size_t)p->precision);
        wave_sim_set(&sim, start, NULL);
        wave_sim_advance(&sim, STEPS);
        wave_sim_get(&sim, 0, end);
    }
    wave_sim_close(&sim);
    return !status;
}

static void tiles_and_engines_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t seed = 19;
    int problems = 0, towers = 0, turned = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        torre_wave_problem p = random_problem(&seed);
        if (i == 0) { /* a periodic axis that is a multiple of one tile and not of the next */
            p = wave_case_problem(24, 52, 48, 8);
            p.face[0][0] = p.face[0][1] = TORRE_PERIODIC;
            p.precision = TORRE_F32;
        }
        const int64_t cells = torre_wave_cells(&p);
        double *start = wave_alloc(cells, sizeof *start), *end = wave_alloc(cells, sizeof *end);
        double *first = wave_alloc(cells, sizeof *first);
        char text[160], axes[4] = "", its[4];
        wave_random_field(&seed, start, cells);
        torre_wave_plan wish = {.engine = TORRE_STEPWISE, .threads = 1};
        const bool built = compute(&p, &wish, start, first, axes);
        CHECK(built || strcmp(wave_backend->name, "cpu") != 0, "%s", torre_error_text());
        problems += built;
        turned += axes[0] && strcmp(axes, "xyz") != 0;
        for (int w = 0; w < 12 && built; w++) { /* stepwise and auto, with dts as well; towers */
            wish.engine = w < 2 ? TORRE_STEPWISE : w < 4 ? TORRE_AUTO : TORRE_TORRE;
            wish.dts = w < 4 ? w % 2 * 3 : (int[]){0, 0, 1, 2, 3, 4, 6, 8}[w - 4];
            wish.tower_height = w < 5 ? 0 : pick(&seed, 1, STEPS);
            if (!compute(&p, &wish, start, end, its)) continue;
            towers += wish.engine == TORRE_TORRE;
            snprintf(text, sizeof text, "%dx%dx%d, order %d, f%d, faces %d %d %d, %s, dts %d",
                     (int)p.size[0], (int)p.size[1], (int)p.size[2], p.order, 8 * (int)p.precision,
                     p.face[0][0], p.face[1][0], p.face[2][0], torre_engine_name(wish.engine),
                     wish.dts);
            CHECK(strcmp(axes, its) == 0, "%s: axes %s, not %s", text, its, axes);
            CHECK(memcmp(first, end, (size_t)cells * sizeof *end) == 0, "%s: other bits", text);
        }
        free(start);
        free(end);
        free(first);
    }
    printf("%d problems, %d of them turned; %d tower runs\n", problems, turned, towers);
    CHECK(towers >= problems, "towers refuse nearly everything");
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_and_engines_give_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
