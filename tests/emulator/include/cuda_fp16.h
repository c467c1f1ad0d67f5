/* Half precision for the emulator: what kernels use of it, by way of f32. */
#ifndef EMULATOR_CUDA_FP16_H
#define EMULATOR_CUDA_FP16_H

#include <immintrin.h>

struct __half {
    unsigned short bits;
};
struct alignas(4) __half2 {
    __half x, y;
};

inline __half __float2half_rn(float a)
{
    return {_cvtss_sh(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
inline float __half2float(__half a) { return _cvtsh_ss(a.bits); }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __float2half2_rn(float a) { return __half2half2(__float2half_rn(a)); }
inline __half2 __hsub2(__half2 a, __half2 b)
{
    return {__float2half_rn(__half2float(a.x) - __half2float(b.x)),
            __float2half_rn(__half2float(a.y) - __half2float(b.y))};
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {__float2half_rn(__half2float(a.x) * __half2float(b.x) + __half2float(c.x)),
            __float2half_rn(__half2float(a.y) * __half2float(b.y) + __half2float(c.y))};
}

#endif
