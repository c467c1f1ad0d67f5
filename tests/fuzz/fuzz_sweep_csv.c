/* The CSV file of a sweep that is resumed, and the bytes that a profiler counted. */
#include <string.h>

#include "fuzz.h"
#include "roofline/measured_bytes.h"
#include "roofline/sweep_csv.h"
#include "torre/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static torre_machine machine = {.backend = "cpu", .device = "some CPU"};
    const torre_sweep_setting setting = {
        .machine = &machine, .size = {16, 16, 16}, .precision = TORRE_F32};
    torre_sweep_point *points = NULL;
    int count;
    const char *path = fuzz_file("sweep.csv", data, size);
    if (torre_sweep_csv_read(path, &setting, &points, &count) == TORRE_OK) {
        FUZZ_CHECK(count >= 0);
        for (int i = 0; i < count; i++)
            FUZZ_CHECK(memchr(points[i].remark, 0, sizeof points[i].remark));
        free(points);
    }
    torre_sweep_point point = {.order = 4, .plan = {.engine = TORRE_TORRE, .dts = 2}};
    torre_measured_bytes_read(path, &point, 1);
    return 0;
}
