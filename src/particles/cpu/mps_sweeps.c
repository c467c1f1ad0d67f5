/* The tables of loops: those of the widest instruction set this processor has. */
#include "particles/cpu/mps_sweeps.h"

#define DECLARE(isa)                                                                               \
    extern const torre_mps_loops torre_mps_loops_f32_##isa, torre_mps_loops_f64_##isa,             \
        torre_mps_loops_mixed_##isa;
#define ROW(isa)                                                                                   \
    {&torre_mps_loops_f32_##isa, &torre_mps_loops_f64_##isa, &torre_mps_loops_mixed_##isa},

DECLARE(base)
#ifdef TORRE_ISA_X86
DECLARE(avx2)
DECLARE(avx512)
#endif

static const torre_mps_loops *const loops[][3] = {ROW(base)
#ifdef TORRE_ISA_X86
                                                      ROW(avx2) ROW(avx512)
#endif
};

const torre_mps_loops *torre_mps_loops_find(torre_md_precision precision)
{
    return loops[torre_md_isa_row(sizeof loops / sizeof loops[0])][precision];
}
