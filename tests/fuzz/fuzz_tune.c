/* The file of recommendations, read, and read again after one was stored. */
#include <string.h>

#include "fuzz.h"
#include "wave/tune_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const torre_tile tile = {8, TORRE_F64, 5, 24, 3.5};
    const char *path = fuzz_file("tune.csv", data, size);
    setenv("TORRE_TUNE", path, 1);
    const torre_wave_plan open = {.measured = true};
    torre_tile found[TORRE_TILES];
    torre_tune_check();
    const int count = torre_tiles_find("some CPU", 4, TORRE_F32, &open, NULL, found);
    for (int i = 0; i < count; i++) FUZZ_CHECK(found[i].dts >= 1 && found[i].tower_height >= 1);
    FUZZ_CHECK(torre_tune_store("another CPU", &tile, 1) == TORRE_OK);
    FUZZ_CHECK(torre_tiles_find("another CPU", 8, TORRE_F64, &open, NULL, found) == 1);
    FUZZ_CHECK(found[0].dts == 5 && found[0].tower_height == 24);
    FUZZ_CHECK(torre_tune_check() == TORRE_OK); /* what was broken is gone */
    return 0;
}
