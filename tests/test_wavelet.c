/* Wavelets: Ricker against its definition, files in both forms, the peak of the spectrum. */
#include "torre/wave.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/npy.h"

static char path[] = "/tmp/torre-test-XXXXXX";
static char npy_path[] = "/tmp/torre-test-XXXXXX.npy";

static int make_files(void **state)
{
    (void)state;
    int a = mkstemp(path), b = mkstemps(npy_path, 4);
    return a < 0 || b < 0 ? -1 : close(a) | close(b);
}

static int remove_files(void **state)
{
    (void)state;
    return unlink(path) | unlink(npy_path);
}

static void test_ricker(void **state)
{
    (void)state;
    double f = 12.5, t0 = 1.2 / f, r = sqrt(0.5) / (M_PI * f), sum = 0;
    assert_true(torre_ricker(f, t0) == 1);              /* top at t0 */
    assert_true(fabs(torre_ricker(f, t0 + r)) < 1e-14); /* zero where a = 1/2 */
    double trough = sqrt(1.5) / (M_PI * f);             /* extreme where a = 3/2 */
    assert_true(fabs(torre_ricker(f, t0 - trough) + 2 * exp(-1.5)) < 1e-14);
    for (int n = 0; n < 3000; n++)
        sum += torre_ricker(f, n * 1e-4); /* no mean: it begins at -2e-5 */
    assert_true(fabs(sum) * 1e-4 * f < 1e-6);
    double *s;
    assert_int_equal(torre_wavelet_ricker(f, -3, 1e-3, 50, &s), TORRE_OK);
    assert_true(s[49] == -3 * torre_ricker(f, 0.049));
    free(s);
    assert_int_equal(torre_wavelet_ricker(f, 1, 1e-3, 0, &s), TORRE_OK);
    free(s);
}

static void test_peak(void **state)
{
    (void)state;
    for (double f = 0.5; f < 300; f *= 3) {
        double *s, dt = 1 / (20 * f);
        assert_int_equal(torre_wavelet_ricker(f, 5, dt, 200, &s), TORRE_OK);
        assert_true(fabs(torre_wavelet_peak(s, 200, dt) / f - 1) < 0.02);
        free(s);
    }
    const double zero[3] = {0, 0, 0};
    assert_true(torre_wavelet_peak(zero, 3, 1) == 0);
    const double step[4] = {0, 1, 1, 1}; /* nothing of it is left out at its end */
    assert_true(torre_wavelet_peak(step, 4, 1) > 0);
}

static void write_text(const char *text)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void test_files(void **state)
{
    (void)state;
    double *s;
    int64_t count;
    write_text("# pulse\n1\n\n -2.5 # second\n3e-1\r\n4");
    assert_int_equal(torre_wavelet_read(path, 2, 6, &s, &count), TORRE_OK);
    const double padded[6] = {2, -5, 0.6, 8, 0, 0};
    assert_int_equal(count, 4);
    assert_memory_equal(s, padded, sizeof padded);
    free(s);
    write_text("\xef\xbb\xbf" /* byte order mark */ "1\r\n-2.5\r\n0.3\r\n4\r\n");
    assert_int_equal(torre_wavelet_read(path, 2, 2, &s, &count), TORRE_OK);
    assert_int_equal(count, 4);
    assert_memory_equal(s, padded, 2 * sizeof(double));
    free(s);
    const float values[3] = {1, -2.5f, 0.25f};
    const double doubled[4] = {2, -5, 0.5, 0};
    assert_int_equal(torre_npy_write(npy_path, TORRE_F32, 1, (const int64_t[]){3}, values),
                     TORRE_OK);
    assert_int_equal(torre_wavelet_read(npy_path, 2, 4, &s, &count), TORRE_OK);
    assert_memory_equal(s, doubled, sizeof doubled);
    free(s);
}

static void assert_refused(const char *file, const char *part)
{
    double *s;
    int64_t count;
    assert_int_equal(torre_wavelet_read(file, 1, 10, &s, &count), TORRE_ERR_INPUT);
    assert_null(s);
    if (!strstr(torre_error_text(), part)) fail_msg("%s: no '%s'", torre_error_text(), part);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "holds no numbers"},       {"# nothing\n", "holds no numbers"},
        {"1\n2 3\n", ":2: expected"},   {"1\nx\n", ":2: expected one number (got x)"},
        {"nan\n", ":1: expected"},      {"1,2\n", ":1: expected"},
        {"1\n1e999\n", ":2: expected"}, {"1\n1e-400\n", ":2: expected"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_text(bad[i][0]);
        assert_refused(path, bad[i][1]);
    }
    assert_refused("/nowhere/w.txt", "cannot read /nowhere/w.txt: No such file");
    assert_refused("/nowhere/w.npy", "cannot read /nowhere/w.npy: No such file");
    const float values[4] = {1, 2, NAN, 4};
    assert_int_equal(torre_npy_write(npy_path, TORRE_F32, 1, (const int64_t[]){4}, values),
                     TORRE_OK);
    assert_refused(npy_path, "value 2 is nan");
    assert_int_equal(torre_npy_write(npy_path, TORRE_F32, 2, (const int64_t[]){2, 2}, values),
                     TORRE_OK);
    assert_refused(npy_path, "has 2 axes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ricker),
        cmocka_unit_test(test_peak),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
