/*
 * The interval between sorts on made-up costs: what a step costs with the interval that is found
 * is within 2 % of what it costs with the best fixed one, whatever the costs, noise or not.
 */
#include <math.h>

#include "check.h"
#include "core/random.h"
#include "particles/cpu/sort_tuning.h"

/* Seconds of a step: 1 and growth (a/100) or, with saturation, growth (1 - exp(-a/saturation)). */
typedef struct costs {
    double growth, saturation;
    double sort, other; /* of a rebuild */
    int64_t rebuild;    /* steps between rebuilds */
    double noise; /* share of a step, normal; one step in a hundred takes five times as long */
} costs;

static double step_cost(const costs *c, int64_t age)
{
    const double a = (double)age;
    return 1 + c->growth * (c->saturation > 0 ? 1 - exp(-a / c->saturation) : a / 100);
}

/* Mean cost of a step with sorts every n steps, rounded up to rebuilds. */
static double mean_cost(const costs *c, int64_t n)
{
    const int64_t cycle = (n + c->rebuild - 1) / c->rebuild * c->rebuild;
    double sum = c->sort - c->other;
    for (int64_t a = 0; a < cycle; a++) sum += step_cost(c, a);
    return sum / (double)cycle + c->other / (double)c->rebuild;
}

static double least_cost(const costs *c)
{
    double least = INFINITY;
    for (double n = 1; n <= TORRE_SORT_MOST; n *= 1.1) {
        const double cost = mean_cost(c, (int64_t)ceil(n));
        if (cost < least) least = cost;
    }
    return least;
}

/* What a run of so many steps with them chooses; the mean over its last fifth. */
static double found_cost(const costs *c, int64_t steps)
{
    torre_sort_tuning t = torre_sort_tuning_start();
    double sum = 0, count = 0;
    int64_t sorted_at = 0;
    for (int64_t n = 1; n <= steps; n++) {
        if (n % c->rebuild == 0) {
            const bool sort = n - sorted_at >= t.interval;
            torre_sort_tuning_rebuild(&t, sort, sort ? c->sort : c->other);
            if (sort) sorted_at = n;
        }
        double g[3], seconds = step_cost(c, n - sorted_at);
        torre_random_normal3(7, 1, n, g);
        seconds *= fmax(0.1, 1 + c->noise * g[0]);
        if (c->noise > 0 && g[1] > 2.326) seconds *= 5;
        torre_sort_tuning_step(&t, n - sorted_at, seconds);
        if (n <= steps - steps / 5) continue;
        sum += mean_cost(c, t.interval);
        count++;
    }
    return sum / count;
}

static void test_finds_the_best(void **state)
{
    (void)state;
    static const costs list[] = {
        {0.02, 0, 0.5, 0.1, 10, 0},      /* a melt: sorts are cheap */
        {0.02, 0, 0.5, 0.1, 10, 0.1},    /* with noise */
        {0.5, 0, 0.3, 0.1, 1, 0.1},      /* storage goes stale at once */
        {0.001, 0, 3, 0.2, 20, 0.05},    /* hardly ever */
        {0, 0, 1, 0.2, 10, 0.1},         /* never */
        {0.3, 400, 2, 0.2, 10, 0.05},    /* growth that ends, ... */
        {0.3, 5000, 0.5, 0.1, 10, 0.05}, /* ... late, */
        {0.1, 60, 0.5, 0.1, 10, 0.05},   /* ... soon */
    };
    for (unsigned k = 0; k < sizeof list / sizeof list[0]; k++) {
        const double least = least_cost(&list[k]), found = found_cost(&list[k], 400000);
        CHECK(found < 1.02 * least, "costs %u: %.6g, best %.6g, %.2f %% more", k, found, least,
              100 * (found / least - 1));
    }
}

/* From a wrong interval, as costs change: within some cycles it is where it belongs. */
static void test_follows(void **state)
{
    (void)state;
    torre_sort_tuning t = torre_sort_tuning_start();
    costs c = {0.02, 0, 0.5, 0.1, 10, 0.05};
    int64_t sorted_at = 0;
    for (int64_t n = 1; n <= 40000; n++) {
        if (n == 20000) c.growth = 0.5;
        if (n % c.rebuild == 0) {
            const bool sort = n - sorted_at >= t.interval;
            torre_sort_tuning_rebuild(&t, sort, sort ? c.sort : c.other);
            if (sort) sorted_at = n;
        }
        double g[3];
        torre_random_normal3(7, 1, n, g);
        torre_sort_tuning_step(&t, n - sorted_at,
                               step_cost(&c, n - sorted_at) * (1 + c.noise * g[0]));
        if (n == 19999 || n == 40000) {
            const double found = mean_cost(&c, t.interval), least = least_cost(&c);
            CHECK(found < 1.02 * least, "step %lld: %.6g, best %.6g", (long long)n, found, least);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_finds_the_best),
                                       cmocka_unit_test(test_follows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
