/* Traces: how much memory they and their staging take, and where there is nothing to record. */
#include <stdlib.h>

#include "wave/traces.h"
#include "wave_case.h"

static torre_point receivers[2] = {
    {.position = {5, 10, 10}, .amplitude = 1},
    {.position = {30, 40, 50}, .amplitude = 1}}; /* the last: a corner */

static torre_wave_setup *setup_with(torre_wave_problem *p, int64_t count, int64_t steps)
{
    torre_wave_setup *s;
    *p = wave_case_problem(4, 5, 6, 2);
    p->steps = steps;
    p->receivers = receivers;
    p->receiver_count = count;
    CHECK_OK(torre_wave_setup_new(p, &s));
    return s;
}

static void nothing_is_recorded_without_receivers(void **state)
{
    (void)state;
    torre_wave_problem p;
    torre_array traces = {TORRE_F32, {9, 9, 9}, NULL};
    void *staging = &p;
    torre_wave_setup *s = setup_with(&p, 0, 7);
    CHECK(torre_traces_chunk(s, false, 1) == INT64_MAX, "chunk %lld",
          (long long)torre_traces_chunk(s, false, 1));
    CHECK(torre_traces_bytes(s, false, 1) == 0, "bytes %lld",
          (long long)torre_traces_bytes(s, false, 1));
    CHECK_OK(torre_traces_staging(s, false, torre_traces_chunk(s, false, 1), &staging));
    CHECK(!staging, "there is staging");
    CHECK_OK(torre_traces_new(&p, &traces));
    CHECK(!traces.data, "there are traces");
    torre_wave_setup_free(s);
}

/* A receiver between two nodes and one on the last corner, where all eight nodes are one. */
static void staging_is_as_long_as_the_run(void **state)
{
    (void)state;
    const int64_t steps = 7;
    torre_wave_problem p;
    torre_wave_setup *s = setup_with(&p, 2, steps);
    int64_t nodes = s->receiver_node_count, width = (int64_t)p.precision;
    CHECK(nodes == 3, "%lld nodes", (long long)nodes);
    CHECK(torre_traces_chunk(s, false, 1) == steps, "chunk %lld",
          (long long)torre_traces_chunk(s, false, 1));
    CHECK(torre_traces_bytes(s, false, 1) == width * (2 * (steps + 1) + steps * nodes),
          "bytes %lld", (long long)torre_traces_bytes(s, false, 1));
    torre_wave_setup_free(s);
}

/* One node alone is recorded, too. */
static void one_node_is_enough(void **state)
{
    (void)state;
    torre_wave_problem p;
    torre_array traces;
    void *staging = NULL;
    torre_point kept = receivers[0];
    receivers[0] = receivers[1];
    torre_wave_setup *s = setup_with(&p, 1, 3);
    CHECK(s->receiver_node_count == 1, "%lld nodes", (long long)s->receiver_node_count);
    CHECK_OK(torre_traces_staging(s, false, torre_traces_chunk(s, false, 1), &staging));
    CHECK(staging, "no staging");
    CHECK_OK(torre_traces_new(&p, &traces));
    for (int n = 0; n < 3; n++) torre_value_set(p.precision, staging, n, 10 + n);
    torre_traces_record(s, false, staging, 0, 3, &traces);
    for (int n = 0; n <= 3; n++) {
        double found = torre_value(p.precision, traces.data, n), expected = n ? 9 + n : 0;
        CHECK(found == expected, "sample %d is %g", n, found);
    }
    free(staging);
    free(traces.data);
    torre_wave_setup_free(s);
    receivers[0] = kept;
}

/* What a backend has summed is taken as it is, a row a step. */
static void sums_are_taken_as_they_are(void **state)
{
    (void)state;
    const int64_t steps = 7;
    torre_wave_problem p;
    torre_array traces;
    void *staging = NULL;
    torre_wave_setup *s = setup_with(&p, 2, steps);
    CHECK(torre_traces_bytes(s, true, 1) == (int64_t)p.precision * (2 * (steps + 1) + steps * 2),
          "bytes %lld", (long long)torre_traces_bytes(s, true, 1));
    CHECK_OK(torre_traces_staging(s, true, 3, &staging));
    CHECK_OK(torre_traces_new(&p, &traces));
    for (int i = 0; i < 6; i++) torre_value_set(p.precision, staging, i, 10 + i);
    torre_traces_record(s, true, staging, 2, 3, &traces);
    for (int r = 0; r < 2; r++)
        for (int n = 0; n <= steps; n++) {
            const double found = torre_value(p.precision, traces.data, r * (steps + 1) + n),
                         expected = n > 2 && n <= 5 ? 10 + 2 * (n - 3) + r : 0;
            CHECK(found == expected, "receiver %d, sample %d is %g", r, n, found);
        }
    free(staging);
    free(traces.data);
    torre_wave_setup_free(s);
}

/* No run is that long, but its bytes must not wrap around. */
static void bytes_do_not_overflow(void **state)
{
    (void)state;
    torre_wave_problem p;
    torre_wave_setup *s = setup_with(&p, 2, 7);
    const int64_t limit = INT64_MAX / 16 / 2;
    p.steps = limit;
    CHECK(torre_traces_bytes(s, false, 1) == -1, "%lld bytes",
          (long long)torre_traces_bytes(s, false, 1));
    p.steps = limit - 1;
    CHECK(torre_traces_bytes(s, false, 1) >= 2 * limit * (int64_t)p.precision, "%lld bytes",
          (long long)torre_traces_bytes(s, false, 1));
    torre_wave_setup_free(s);
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_recorded_without_receivers),
        cmocka_unit_test(staging_is_as_long_as_the_run),
        cmocka_unit_test(one_node_is_enough),
        cmocka_unit_test(sums_are_taken_as_they_are),
        cmocka_unit_test(bytes_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
