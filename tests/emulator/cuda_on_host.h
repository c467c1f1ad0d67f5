/*
 * CUDA C++ for a C++ compiler of the host, as much as the kernels of the project use: included in
 * front of sources that rewrite.py has made (launches and shared memory look different there).
 *
 * Arithmetic. Products and sums are joined by the compiler (-ffp-contract=fast), as nvcc does, but
 * not the same ones; __fmul_rn and its kin are never joined. Reciprocals, roots and exponentials
 * are exact or those of libm, where a GPU's are off by an ulp or two; f32 keeps subnormals.
 */
#ifndef CUDA_ON_HOST_H
#define CUDA_ON_HOST_H

#include <cuda_runtime.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>
#include <vector_functions.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "tests/emulator/emulator.h"
#include "tests/emulator/registration.h"

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __forceinline__
#undef __noinline__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __device__
#define __host__
#define __shared__      static /* blocks that have some run one by one */
#define __forceinline__ inline
#define __noinline__    __attribute__((noinline))
#define __grid_constant__
#define __launch_bounds__(...)
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_FEAT_SM90_ALL

#define threadIdx (emulator::now->thread)
#define blockIdx  (emulator::now->block)
inline const dim3 &blockDim = emulator::block_size, &gridDim = emulator::grid_size;

/* Launches. */

template <class... P, size_t... I>
void emulator_call(void (*kernel)(P...), void *const *arguments, std::index_sequence<I...>)
{
    kernel(*(std::decay_t<P> *)arguments[I]...);
}
template <class... P> void emulator_unpack(const void *kernel, void *const *arguments)
{
    emulator_call((void (*)(P...))kernel, arguments, std::index_sequence_for<P...>());
}
/* The kernel as the runtime knows it. */
template <class... P> const void *emulator_kernel(const char *name, void (*kernel)(P...))
{
    static const int sizes[] = {(int)sizeof(std::decay_t<P>)..., 0};
    emulator_register((const void *)kernel, name, emulator_unpack<P...>, (int)sizeof...(P), sizes);
    return (const void *)kernel;
}
template <class... P> struct emulator_launcher {
    const void *kernel;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    template <class... A> void operator()(A &&...given) const
    {
        std::tuple<std::decay_t<P>...> values(std::forward<A>(given)...);
        std::apply(
            [&](auto &...value) {
                void *arguments[] = {(void *)&value..., nullptr};
                cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
            },
            values);
    }
};
template <class... P>
emulator_launcher<P...> emulator_launch(const char *name, void (*kernel)(P...), dim3 grid,
                                        dim3 block, size_t shared = 0,
                                        cudaStream_t stream = nullptr)
{
    return {emulator_kernel(name, kernel), grid, block, shared, stream};
}
/* With a lambda that calls the kernel, as it has to be with these arguments. */
template <class L, class... P> void emulator_thunk(P... values) { L()(values...); }
template <class L> struct emulator_deducing_launcher {
    const char *name;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    template <class... A> void operator()(A &&...given) const
    {
        emulator_launch(name, emulator_thunk<L, std::decay_t<A>...>, grid, block, shared,
                        stream)(std::forward<A>(given)...);
    }
};
template <class L>
emulator_deducing_launcher<L> emulator_launch(const char *name, L, dim3 grid, dim3 block,
                                              size_t shared = 0, cudaStream_t stream = nullptr)
{
    return {name, grid, block, shared, stream};
}

/* Barriers and warps. */

inline void __syncthreads() { emulator::barrier(0, 0); }
inline void __syncwarp(unsigned mask = ~0u) { emulator::meet(emulator::SYNC, mask, 0, 0, 32); }
template <class T>
T emulator_shuffle(emulator::meeting how, unsigned mask, T value, int argument, int width)
{
    static_assert(sizeof(T) <= 8, "a shuffle of 8 bytes at most");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = emulator::meet(how, mask, bits, argument, width);
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T> T __shfl_sync(unsigned mask, T value, int from, int width = 32)
{
    return emulator_shuffle(emulator::SHUFFLE, mask, value, from, width);
}
template <class T> T __shfl_up_sync(unsigned mask, T value, int by, int width = 32)
{
    return emulator_shuffle(emulator::SHUFFLE_UP, mask, value, by, width);
}
template <class T> T __shfl_down_sync(unsigned mask, T value, int by, int width = 32)
{
    return emulator_shuffle(emulator::SHUFFLE_DOWN, mask, value, by, width);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32)
{
    return emulator_shuffle(emulator::SHUFFLE_XOR, mask, value, with, width);
}
inline unsigned __ballot_sync(unsigned mask, int yes)
{
    return (unsigned)emulator::meet(emulator::BALLOT, mask, yes != 0, 0, 32);
}
inline int __any_sync(unsigned mask, int yes)
{
    return (int)emulator::meet(emulator::ANY, mask, yes != 0, 0, 32);
}
inline int __all_sync(unsigned mask, int yes)
{
    return (int)emulator::meet(emulator::ALL, mask, yes != 0, 0, 32);
}
inline int __reduce_min_sync(unsigned mask, int value)
{
    return (int)emulator::meet(emulator::MIN, mask, (uint32_t)value, 0, 32);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value)
{
    return (unsigned)emulator::meet(emulator::OR, mask, value, 0, 32);
}
inline long long clock64()
{
    static long long ticks; /* goes on when somebody looks */
    return ticks += 64;
}
inline void __nanosleep(unsigned) { emulator::spin(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

/* Memory. One fiber runs at a time, so that all of it is atomic. */

template <class T> T __ldg(const T *from) { return *from; }
template <class T> T __ldcg(const T *from) { return *from; }
template <class T> T __ldcs(const T *from) { return *from; }
template <class T> void __stcg(T *to, T value) { *to = value; }
template <class T> void __stcs(T *to, T value) { *to = value; }
template <class T> T atomicAdd(T *at, std::common_type_t<T> value)
{
    const T old = *at;
    *at = old + value;
    return old;
}
template <class T> T atomicMin(T *at, std::common_type_t<T> value)
{
    const T old = *at;
    if (value < old) *at = value;
    return old;
}
template <class T> T atomicMax(T *at, std::common_type_t<T> value)
{
    const T old = *at;
    if (old < value) *at = value;
    return old;
}
template <class T> T atomicOr(T *at, std::common_type_t<T> value)
{
    const T old = *at;
    *at = old | value;
    return old;
}
template <class T> T atomicExch(T *at, std::common_type_t<T> value)
{
    const T old = *at;
    *at = value;
    return old;
}
template <class T> T atomicCAS(T *at, std::common_type_t<T> expected, std::common_type_t<T> value)
{
    const T old = *at;
    if (old == expected) *at = value;
    return old;
}
inline size_t __cvta_generic_to_shared(const void *p) { return emulator::shared_number(p); }
inline void *__cvta_shared_to_generic(size_t n) { return emulator::shared_place((uint32_t)n); }

/* Numbers. */

template <class A, class B> std::common_type_t<A, B> min(A a, B b)
{
    const std::common_type_t<A, B> x = a, y = b;
    return y < x ? y : x;
}
template <class A, class B> std::common_type_t<A, B> max(A a, B b)
{
    const std::common_type_t<A, B> x = a, y = b;
    return x < y ? y : x;
}
inline float emulator_rounded(float x)
{
    asm("" : "+x"(x)); /* nothing is joined with it */
    return x;
}
inline double emulator_rounded(double x)
{
    asm("" : "+x"(x));
    return x;
}
inline float __fmul_rn(float a, float b) { return emulator_rounded(emulator_rounded(a) * b); }
inline double __dmul_rn(double a, double b) { return emulator_rounded(emulator_rounded(a) * b); }
inline float __fadd_rn(float a, float b) { return emulator_rounded(a) + emulator_rounded(b); }
inline double __dadd_rn(double a, double b) { return emulator_rounded(a) + emulator_rounded(b); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline double __drcp_rn(double a) { return 1 / a; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline float __fdividef(float a, float b) { return a / b; }
inline long long __float2ll_rn(float a) { return llrintf(a); }
inline long long __double2ll_rn(double a) { return llrint(a); }
inline float rsqrtf(float a) { return 1 / sqrtf(a); }
inline double rsqrt(double a) { return 1 / sqrt(a); }
inline float rsqrt(float a) { return 1 / sqrtf(a); }
inline double cospi(double x) { return cos(M_PI * (x - 2 * rint(x / 2))); }
inline double sinpi(double x) { return sin(M_PI * (x - 2 * rint(x / 2))); }
inline float cospi(float x) { return (float)cospi((double)x); }
inline float cospif(float x) { return cospi(x); }
template <class T> void sincospi(T x, T *sine, T *cosine)
{
    *sine = (T)sinpi((double)x);
    *cosine = (T)cospi((double)x);
}
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline unsigned __float_as_uint(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline float __int_as_float(int bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
inline long long __double_as_longlong(double x)
{
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline double __longlong_as_double(long long bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    const uint64_t both = (uint64_t)b << 32 | a;
    unsigned r = 0;
    for (int i = 0; i < 4; i++)
        r |= (unsigned)(both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return r;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
    return c;
}

#endif
