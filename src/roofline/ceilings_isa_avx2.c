/* CPU ceiling loops for AVX2 with FMA (compiled with -mavx2 -mfma). */
#include <immintrin.h>
#define STREAM(address, vector) _mm256_stream_ps((float *)(address), (__m256)(vector))
#define KERNELS                 torre_ceiling_kernels_avx2
#define ISA                     TORRE_ISA_AVX2
#define BYTES                   32
#include "roofline/ceilings_kernels_body.h"
