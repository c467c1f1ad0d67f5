/* The tables of loops: those of the widest instruction set this processor has. */
#include "particles/md_store.h"

#define STATE_DECLARE(isa)                                                                         \
    extern const torre_md_state_loops torre_md_state_f32_##isa;                                    \
    extern const torre_md_state_loops torre_md_state_f64_##isa;                                    \
    extern const torre_md_state_loops torre_md_state_mixed_##isa;
#define FORCE_DECLARE(model, isa)                                                                  \
    extern const torre_md_force_loops torre_md_force_##model##_f32_##isa;                          \
    extern const torre_md_force_loops torre_md_force_##model##_f64_##isa;                          \
    extern const torre_md_force_loops torre_md_force_##model##_mixed_##isa;
#define STATE_ROW(isa)                                                                             \
    {&torre_md_state_f32_##isa, &torre_md_state_f64_##isa, &torre_md_state_mixed_##isa},
#define FORCE_ROW(model, isa)                                                                      \
    {&torre_md_force_##model##_f32_##isa, &torre_md_force_##model##_f64_##isa,                     \
     &torre_md_force_##model##_mixed_##isa},

#define BASE_DECLARE(model) FORCE_DECLARE(model, base)
#define BASE_ROW(model)     FORCE_ROW(model, base)
STATE_DECLARE(base)
TORRE_PAIR_LIST(BASE_DECLARE)

#ifdef TORRE_ISA_X86
#define AVX2_DECLARE(model)   FORCE_DECLARE(model, avx2)
#define AVX2_ROW(model)       FORCE_ROW(model, avx2)
#define AVX512_DECLARE(model) FORCE_DECLARE(model, avx512)
#define AVX512_ROW(model)     FORCE_ROW(model, avx512)
STATE_DECLARE(avx2)
STATE_DECLARE(avx512)
TORRE_PAIR_LIST(AVX2_DECLARE)
TORRE_PAIR_LIST(AVX512_DECLARE)
#endif

static const torre_md_state_loops *const state_loops[][3] = {STATE_ROW(base)
#ifdef TORRE_ISA_X86
                                                                 STATE_ROW(avx2) STATE_ROW(avx512)
#endif
};

static const torre_md_force_loops *const force_loops[][TORRE_PAIR_MODELS][3] = {
    {TORRE_PAIR_LIST(BASE_ROW)},
#ifdef TORRE_ISA_X86
    {TORRE_PAIR_LIST(AVX2_ROW)},
    {TORRE_PAIR_LIST(AVX512_ROW)},
#endif
};

static torre_isa isa_limit = TORRE_ISA_AVX512;

void torre_md_limit_isa(torre_isa most) { isa_limit = most; }

int torre_md_isa_row(int rows)
{
    int isa = (int)torre_cpu_get()->isa;
    if (isa > (int)isa_limit) isa = (int)isa_limit;
    return isa < rows ? isa : 0;
}

#define ROWS ((int)(sizeof state_loops / sizeof state_loops[0]))

const torre_md_state_loops *torre_md_state_loops_find(torre_md_precision precision)
{
    return state_loops[torre_md_isa_row(ROWS)][precision];
}

const torre_md_force_loops *torre_md_force_loops_find(torre_pair_model model,
                                                      torre_md_precision precision)
{
    return force_loops[torre_md_isa_row(ROWS)][model][precision];
}
