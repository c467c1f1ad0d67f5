/* Settings for experiments from the environment: those of wave_solver.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "cuda/wave/wave_solver.h"

static torre_status read_setting(const char *name, int64_t least, int64_t most, int64_t *value)
{
    const char *text = getenv(name);
    *value = least - 1;
    if (!text) return TORRE_OK;
    if (!torre_parse_integer(text, value) || *value < least || *value > most)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s=%s in the environment must be a whole number from %d to %lld", name,
                          text, (int)least, (long long)most);
    return TORRE_OK;
}

torre_status torre_cuda_settings_read(torre_cuda_settings *settings)
{
    const char *axes = getenv("TORRE_CUDA_AXES");
    if (axes && !torre_axes_known(axes))
        return torre_fail(TORRE_ERR_USAGE,
                          "TORRE_CUDA_AXES=%s in the environment must be x, y and z in some order, "
                          "such as zxy",
                          axes);
    strcpy(settings->axes, axes ? axes : "");
    TORRE_TRY(read_setting("TORRE_CUDA_STRIP", 1, INT32_MAX, &settings->strip));
    TORRE_TRY(read_setting("TORRE_CUDA_PLANES", 1, INT32_MAX, &settings->planes));
    TORRE_TRY(read_setting("TORRE_CUDA_RARE", 0, 1, &settings->rare));
    return read_setting("TORRE_CUDA_CLUSTER", 1, TORRE_CLUSTER_MOST, &settings->cluster);
}

torre_status torre_cuda_planes_check(int64_t planes, const int *known, int count,
                                     const torre_wave_problem *p, int dts)
{
    char list[64] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(list);
        if (planes == known[i]) return TORRE_OK;
        snprintf(list + used, sizeof list - used, "%s%d", i == 0 ? "" : " or ", known[i]);
    }
    if (planes <= 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "TORRE_CUDA_PLANES=%lld in the environment: blocks of towers have %s planes "
                      "here ({order} %d {dts} %d {precision} %s)",
                      (long long)planes, list, p->order, dts,
                      p->precision == TORRE_F32 ? "f32" : "f64");
}
