/* The file of recommendations, read, and read again after one was stored. */
#include <string.h>

#include "fuzz.h"
#include "wave/tune_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const torre_tune_entry entry = {8, TORRE_F64, 5, 24, 3.5};
    const char *path = fuzz_file("tune.csv", data, size);
    setenv("TORRE_TUNE", path, 1);
    torre_wave_plan plan = {0};
    torre_tune_check();
    if (torre_tune_lookup("some CPU", 4, TORRE_F32, &plan))
        FUZZ_CHECK(plan.dts >= 1 && plan.tower_height >= 1);
    FUZZ_CHECK(torre_tune_store("another CPU", &entry, 1) == TORRE_OK);
    plan = (torre_wave_plan){0};
    FUZZ_CHECK(torre_tune_lookup("another CPU", 8, TORRE_F64, &plan));
    FUZZ_CHECK(plan.dts == 5 && plan.tower_height == 24);
    FUZZ_CHECK(torre_tune_check() == TORRE_OK); /* what was broken is gone */
    return 0;
}
