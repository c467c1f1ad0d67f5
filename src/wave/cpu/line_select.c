/* Which of the compiled instruction sets this machine can run. */
#include "core/cpu.h"
#include "wave/cpu/layer_kernel.h"

#ifdef TORRE_ISA_X86
extern const torre_line_kernels torre_line_kernels_avx512;
extern const torre_line_kernels torre_line_kernels_avx2;
#endif
extern const torre_line_kernels torre_line_kernels_base;

#ifdef TORRE_ISA_X86
extern const torre_layer_kernels torre_layer_kernels_avx512;
extern const torre_layer_kernels torre_layer_kernels_avx2;
#endif
extern const torre_layer_kernels torre_layer_kernels_base;

const torre_line_kernels *torre_line_kernels_best(void)
{
#ifdef TORRE_ISA_X86
    if (torre_cpu_get()->isa == TORRE_ISA_AVX512) return &torre_line_kernels_avx512;
    if (torre_cpu_get()->isa == TORRE_ISA_AVX2) return &torre_line_kernels_avx2;
#endif
    return &torre_line_kernels_base;
}

const torre_layer_kernels *torre_layer_kernels_best(void)
{
#ifdef TORRE_ISA_X86
    if (torre_cpu_get()->isa == TORRE_ISA_AVX512) return &torre_layer_kernels_avx512;
    if (torre_cpu_get()->isa == TORRE_ISA_AVX2) return &torre_layer_kernels_avx2;
#endif
    return &torre_layer_kernels_base;
}
