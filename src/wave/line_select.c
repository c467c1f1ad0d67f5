/* Which of the compiled instruction sets this machine can run. */
#include "wave/line_kernel.h"

#ifdef TORRE_ISA_X86
extern const torre_line_kernels torre_line_kernels_avx512;
extern const torre_line_kernels torre_line_kernels_avx2;
#endif
extern const torre_line_kernels torre_line_kernels_baseline;

const torre_line_kernels *torre_line_kernels_best(void)
{
#ifdef TORRE_ISA_X86
    /* what -march=x86-64-v4 and -v3 may use beside the vectors of that width */
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &torre_line_kernels_avx512;
    if (v3) return &torre_line_kernels_avx2;
#endif
    return &torre_line_kernels_baseline;
}
