/* The update of the wave model in the arithmetic of wave_cell.cuh, for TORRE_VALUE. */
#define TORRE_NUMBER(x)            TORRE_VALUE(x)
#define TORRE_PLUS(a, b)           add(a, b)
#define TORRE_TIMES_PLUS(a, b, c)  multiply_add(a, b, c)
#define TORRE_TIMES_MINUS(a, b, c) multiply_add(a, b, -(c))
#define TORRE_OVER(a, b)           multiply(a, reciprocal(b))
#define TORRE_FUNCTION             __device__ __forceinline__
#include "wave/model_acoustic.h"
