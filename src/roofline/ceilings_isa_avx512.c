/* CPU ceiling loops for AVX-512 (compiled with -mavx512f and its companions). */
#include <immintrin.h>
#define STREAM(address, vector) _mm512_stream_ps((float *)(address), (__m512)(vector))
#define KERNELS                 torre_ceiling_kernels_avx512
#define ISA                     TORRE_ISA_AVX512
#define BYTES                   64
#include "roofline/ceilings_kernels_body.h"
