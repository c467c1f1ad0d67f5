/* What the environment may say about towers on the GPU, and what is refused. Needs no GPU. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cuda/wave/wave_solver.h"

static void wishes(void **state)
{
    (void)state;
    torre_cuda_settings s;
    unsetenv("TORRE_CUDA_AXES");
    unsetenv("TORRE_CUDA_STRIP");
    unsetenv("TORRE_CUDA_CLUSTER");
    unsetenv("TORRE_CUDA_PLANES");
    CHECK(torre_cuda_settings_read(&s) == TORRE_OK, "%s", torre_error_text());
    CHECK(s.strip == 0 && s.cluster == 0 && s.planes == 0 && !s.axes[0],
          "%d, %d, %d, '%s' without a wish", (int)s.strip, (int)s.cluster, (int)s.planes, s.axes);
    setenv("TORRE_CUDA_AXES", "zxy", 1);
    setenv("TORRE_CUDA_STRIP", "1000000", 1);
    setenv("TORRE_CUDA_CLUSTER", "4", 1);
    setenv("TORRE_CUDA_PLANES", "40", 1);
    CHECK(torre_cuda_settings_read(&s) == TORRE_OK, "%s", torre_error_text());
    CHECK(s.strip == 1000000 && s.cluster == 4 && s.planes == 40 && strcmp(s.axes, "zxy") == 0,
          "%d, %d, %d, %s", (int)s.strip, (int)s.cluster, (int)s.planes, s.axes);
}

static void refused(void **state)
{
    (void)state;
    static const char *const values[] = {"",    "0",  "-2",  "9",
                                         "two", "2 ", "2.5", "99999999999999999999"};
    torre_cuda_settings s;
    unsetenv("TORRE_CUDA_STRIP");
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char line[160];
        setenv("TORRE_CUDA_CLUSTER", values[i], 1);
        snprintf(line, sizeof line,
                 "TORRE_CUDA_CLUSTER=%s in the environment must be a whole number from 1 to 8",
                 values[i]);
        CHECK(torre_cuda_settings_read(&s) == TORRE_ERR_USAGE, "'%s' accepted", values[i]);
        CHECK(strcmp(torre_error_text(), line) == 0, "says: %s", torre_error_text());
    }
    unsetenv("TORRE_CUDA_CLUSTER");
    static const char *const axes[] = {"", "xy", "xxy", "zyxx", "ZYX", "321"};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        char line[160];
        setenv("TORRE_CUDA_AXES", axes[i], 1);
        snprintf(line, sizeof line,
                 "TORRE_CUDA_AXES=%s in the environment must be x, y and z in some order, such as "
                 "zxy",
                 axes[i]);
        CHECK(torre_cuda_settings_read(&s) == TORRE_ERR_USAGE, "axes '%s' accepted", axes[i]);
        CHECK(strcmp(torre_error_text(), line) == 0, "says: %s", torre_error_text());
    }
    unsetenv("TORRE_CUDA_AXES");
    setenv("TORRE_CUDA_PLANES", "0", 1);
    CHECK(torre_cuda_settings_read(&s) == TORRE_ERR_USAGE, "blocks of no planes accepted");
    unsetenv("TORRE_CUDA_PLANES");
    setenv("TORRE_CUDA_STRIP", "0", 1);
    CHECK(torre_cuda_settings_read(&s) == TORRE_ERR_USAGE, "a strip of no towers accepted");
}

/* Blocks that no kernel has. */
static void planes(void **state)
{
    (void)state;
    static const int known[] = {256, 128};
    const torre_wave_problem p = {.order = 2, .precision = TORRE_F32};
    CHECK(torre_cuda_planes_check(0, known, 2, &p, 6) == TORRE_OK, "no wish refused");
    CHECK(torre_cuda_planes_check(256, known, 2, &p, 6) == TORRE_OK, "256 refused");
    CHECK(torre_cuda_planes_check(128, known, 2, &p, 6) == TORRE_OK, "128 refused");
    CHECK(torre_cuda_planes_check(100, known, 2, &p, 6) == TORRE_ERR_USAGE, "100 accepted");
    CHECK(strcmp(torre_error_text(),
                 "TORRE_CUDA_PLANES=100 in the environment: blocks of towers have 256 or 128 "
                 "planes here (order 2 dts 6 precision f32)") == 0,
          "says: %s", torre_error_text());
    CHECK(torre_cuda_planes_check(128, known, 1, &p, 6) == TORRE_ERR_USAGE, "128 of 256 accepted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wishes), cmocka_unit_test(refused),
                                       cmocka_unit_test(planes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
