/* SEG-Y and SU files, read back byte by byte as their definitions say. */
#include "io/segy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { TRACES = 3, SAMPLES = 5, TRACE_BYTES = 240 + 4 * SAMPLES };

static float values[TRACES * SAMPLES];
static const torre_point receivers[TRACES] = {{.position = {0, 0, 10}, .amplitude = 1},
                                              {.position = {7.5, 0, 10}, .amplitude = 1},
                                              {.position = {1234.567, 20, 0}, .amplitude = 1}};

static torre_gather gather(void)
{
    for (int i = 0; i < TRACES * SAMPLES; i++) values[i] = (float)(i * i) / 3 - 7;
    return (torre_gather){.traces = TRACES,
                          .samples = SAMPLES,
                          .dt = 0.0005,
                          .precision = TORRE_F32,
                          .values = values,
                          .receivers = receivers,
                          .source = {{100, 20, 12.5}, 1}};
}

static uint32_t number(const unsigned char *at, int bytes, bool big)
{
    uint32_t v = 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | at[big ? i : bytes - 1 - i];
    return v;
}

static void assert_trace(const unsigned char *t, int trace, bool big)
{
    assert_int_equal(number(t + 0, 4, big), trace + 1);
    assert_int_equal(number(t + 28, 2, big), 1);
    assert_int_equal((int32_t)number(t + 40, 4, big), (int)(-receivers[trace].position[2] * 1000));
    assert_int_equal(number(t + 48, 4, big), 12500);
    assert_int_equal((int16_t)number(t + 68, 2, big), -1000);
    assert_int_equal((int16_t)number(t + 70, 2, big), -1000);
    assert_int_equal(number(t + 72, 4, big), 100000);
    assert_int_equal(number(t + 76, 4, big), 20000);
    assert_int_equal(number(t + 80, 4, big), (int)(receivers[trace].position[0] * 1000 + 0.5));
    assert_int_equal(number(t + 84, 4, big), (int)(receivers[trace].position[1] * 1000));
    assert_int_equal(number(t + 114, 2, big), SAMPLES);
    assert_int_equal(number(t + 116, 2, big), 500);
    for (int n = 0; n < SAMPLES; n++) {
        uint32_t bits = number(t + 240 + 4 * n, 4, big);
        float v;
        memcpy(&v, &bits, 4);
        assert_true(v == values[trace * SAMPLES + n]);
    }
}

static void check_file(bool su)
{
    char path[] = "/tmp/torre-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && close(file) == 0);
    torre_gather g = gather();
    torre_output *out;
    assert_int_equal(torre_output_open(path, &out), TORRE_OK);
    if (torre_segy_encode(&g, su, out)) fail_msg("%s", torre_error_text());
    assert_int_equal(torre_output_commit(out), TORRE_OK);
    static unsigned char bytes[5000];
    FILE *f = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    unlink(path);
    size_t start = su ? 0 : 3600;
    assert_int_equal(size, start + TRACES * TRACE_BYTES);
    for (int t = 0; t < TRACES; t++) assert_trace(bytes + start + t * TRACE_BYTES, t, !su);
    if (su) return;
    assert_int_equal(number(bytes + 3200 + 12, 2, true), TRACES);
    assert_int_equal(number(bytes + 3200 + 16, 2, true), 500);
    assert_int_equal(number(bytes + 3200 + 20, 2, true), SAMPLES);
    assert_int_equal(number(bytes + 3200 + 24, 2, true), 5);
    assert_int_equal(number(bytes + 3200 + 300, 2, true), 0x0100);
    assert_int_equal(bytes[0], 0xc3); /* "C" in EBCDIC */
}

static void test_files(void **state)
{
    (void)state;
    if (!torre_segy_is_built()) skip();
    check_file(false);
    check_file(true);
}

static void assert_refused(const torre_gather *g, const char *part)
{
    assert_int_equal(torre_segy_check(g, false), TORRE_ERR_USAGE);
    if (!strstr(torre_error_text(), part)) fail_msg("%s: no '%s'", torre_error_text(), part);
}

static void test_limits(void **state)
{
    (void)state;
    torre_gather g = gather();
    if (!torre_segy_is_built()) {
        assert_refused(&g, "not in this build");
        return;
    }
    assert_int_equal(torre_segy_check(&g, false), TORRE_OK);
    g.samples = 32767;
    assert_int_equal(torre_segy_check(&g, false), TORRE_OK);
    g.samples = 32768;
    assert_refused(&g, "at most 32767 samples");
    g = gather();
    g.dt = 0.00123456;
    assert_refused(&g, "this run has 1234.56; set dt 1234e-6");
    g.dt = 4e-7;
    assert_refused(&g, "this run has 0.4; write .npy"); /* a larger step might be unstable */
    g.dt = 0.04;
    assert_refused(&g, "set dt 32767e-6");
    g.dt = 3 * 0.001; /* rounding of the product is not held against it */
    assert_int_equal(torre_segy_check(&g, false), TORRE_OK);
}

/* Coordinates are 32-bit millimetres: the last one that fits, and the next. */
static void test_coordinates(void **state)
{
    (void)state;
    if (!torre_segy_is_built()) skip();
    torre_gather g = gather();
    torre_point far[TRACES];
    g.receivers = far;
    for (int axis = 0; axis < 3; axis++) {
        memcpy(far, receivers, sizeof far);
        far[2].position[axis] = 2147483.647;
        assert_int_equal(torre_segy_check(&g, false), TORRE_OK);
        far[2].position[axis] = 2147483.648;
        assert_refused(&g, "receiver 2: SEG-Y and SU hold coordinates up to 2147483.647 m");
        far[2].position[axis] = -2147484;
        assert_refused(&g, "= -2147484 m; write .npy");
    }
    g = gather();
    g.source.position[1] = 3e6;
    assert_refused(&g, "source 0: SEG-Y and SU hold coordinates up to 2147483.647 m, this run has "
                       "y = 3000000 m");
}

/* f64 values: what 4-byte floats hold is written, what they do not is refused by place. */
static void test_values(void **state)
{
    (void)state;
    if (!torre_segy_is_built()) skip();
    static const struct {
        double largest;
        torre_status status;
    } cases[] = {{3.4e38, TORRE_OK},  {3.5e38, TORRE_ERR_INPUT},  {-1e39, TORRE_ERR_INPUT},
                 {1.2e-38, TORRE_OK}, {1.1e-38, TORRE_ERR_INPUT}, {-1e-300, TORRE_ERR_INPUT},
                 {0, TORRE_OK}};
    static double wide[TRACES * SAMPLES];
    char path[] = "/tmp/torre-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && close(file) == 0);
    torre_gather g = gather();
    g.precision = TORRE_F64;
    g.values = wide;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        torre_output *out;
        for (int k = 0; k < TRACES * SAMPLES; k++) wide[k] = cases[i].largest / (k + 2);
        wide[SAMPLES + 3] = cases[i].largest;
        assert_int_equal(torre_output_open(path, &out), TORRE_OK);
        assert_int_equal(torre_segy_encode(&g, i % 2, out), cases[i].status);
        torre_output_discard(out);
        if (cases[i].status && !strstr(torre_error_text(), "in sample 3 of trace 1, is none"))
            fail_msg("%s", torre_error_text());
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_coordinates),
                                       cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
