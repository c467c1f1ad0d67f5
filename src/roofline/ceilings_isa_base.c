/* CPU ceiling loops for the instruction set that the compiler assumes anyway. */
#if defined(__x86_64__)
#include <immintrin.h>
#define STREAM(address, vector) _mm_stream_ps((float *)(address), (__m128)(vector))
#else
#define STREAM(address, vector) (*(address) = (vector))
#endif
#define KERNELS torre_ceiling_kernels_base
#define ISA     TORRE_ISA_BASE
#define BYTES   16
#include "roofline/ceilings_kernels_body.h"
