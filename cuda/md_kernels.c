#include "md_launch.h"

#define DECLARE(name)                                                                              \
    extern const md_kernels md_kernels_##name##_f32, md_kernels_##name##_f64,                      \
        md_kernels_##name##_mixed;
TORRE_PAIR_LIST(DECLARE)

#define ROW(name) {&md_kernels_##name##_f32, &md_kernels_##name##_f64, &md_kernels_##name##_mixed},
static const md_kernels *const table[TORRE_PAIR_MODELS][3] = {TORRE_PAIR_LIST(ROW)};

const md_kernels *md_kernels_find(torre_pair_model model, torre_md_precision precision)
{
    if ((unsigned)model >= TORRE_PAIR_MODELS || (unsigned)precision >= 3) return NULL;
    return table[model][precision];
}
