/*
 * The loops behind the GPU ceilings. Results that nobody needs are stored only when a value equals
 * one that never occurs, so that the compiler must compute them.
 */
#ifndef TORRE_CEILINGS_KERNELS_CUH
#define TORRE_CEILINGS_KERNELS_CUH

#include <stdint.h>

enum {
    CEILING_READ,
    CEILING_WRITE,
    CEILING_COPY,
    CEILING_MIX,
    CEILING_THREADS = 256,
    CEILING_CHAINS = 8,   /* of dependent instructions per thread */
    CEILING_SHARED = 2048 /* float4 per block */
};

static __device__ inline float4 half_minus(float4 b, float4 a)
{
    return make_float4(0.5f * b.x - a.x, 0.5f * b.y - a.y, 0.5f * b.z - a.z, 0.5f * b.w - a.w);
}

static __device__ inline void add_to(float4 *s, float4 v)
{
    s->x += v.x;
    s->y += v.y;
    s->z += v.z;
    s->w += v.w;
}

/* n float4 of global memory, `passes` times; what they lie in (DRAM, L2) is a matter of n. */
template <int WHAT>
static __global__ void __launch_bounds__(CEILING_THREADS)
    ceiling_stream_kernel(float4 *a, const float4 *b, int64_t n, int passes, float never)
{
    int64_t step = (int64_t)gridDim.x * CEILING_THREADS;
    float4 s = make_float4(0, 0, 0, 0);
    for (int p = 0; p < passes; p++) {
        for (int64_t i = (int64_t)blockIdx.x * CEILING_THREADS + threadIdx.x; i < n;
             i += 4 * step) {
#pragma unroll
            for (int u = 0; u < 4; u++) {
                int64_t k = i + u * step;
                if (k >= n) break;
                if (WHAT == CEILING_READ) add_to(&s, __ldcg(b + k));
                if (WHAT == CEILING_WRITE) a[k] = make_float4(1.5f, never, 2.5f, 3.5f);
                if (WHAT == CEILING_COPY) a[k] = __ldcg(b + k);
                if (WHAT == CEILING_MIX) a[k] = half_minus(__ldcg(b + k), __ldcg(a + k));
            }
        }
    }
    if (WHAT == CEILING_READ && s.x + s.y + s.z + s.w == never) a[0] = s;
}

/* Shared memory: every thread walks through the block's 32 KiB, lanes side by side. */
template <int WHAT>
static __global__ void __launch_bounds__(CEILING_THREADS)
    ceiling_shared_kernel(float4 *out, int passes, float never)
{
    __shared__ float4 s_a[CEILING_SHARED];
    float4 s = make_float4(0, 0, 0, 0);
    for (int i = threadIdx.x; i < CEILING_SHARED; i += CEILING_THREADS)
        s_a[i] = make_float4(1.5f, 2.5f, 3.5f, never);
    __syncthreads();
    for (int p = 0; p < passes; p++) {
#pragma unroll
        for (int u = 0; u < CEILING_SHARED / CEILING_THREADS / 2; u++) {
            int k = (2 * u * CEILING_THREADS + threadIdx.x + p * 32) % CEILING_SHARED;
            int l = (k + CEILING_THREADS) % CEILING_SHARED;
            if (WHAT == CEILING_READ) {
                add_to(&s, s_a[k]);
                add_to(&s, s_a[l]);
            } else {
                s_a[k] = half_minus(s_a[l], s_a[k]);
            }
        }
        if (WHAT == CEILING_MIX) __syncwarp();
    }
    __syncthreads();
    if (s.x + s.y + s.z + s.w == never || s_a[threadIdx.x].x == never) out[0] = s;
}

static __device__ inline float multiply_add(float x, float a, float b) { return fmaf(x, a, b); }
static __device__ inline double multiply_add(double x, double a, double b) { return fma(x, a, b); }

/* ADDS of the chains add, the others multiply and add; 0 < a < 1 keeps them finite. */
template <typename REAL, int ADDS>
static __global__ void __launch_bounds__(CEILING_THREADS)
    ceiling_chain_kernel(REAL *out, REAL a, int turns, REAL never)
{
    REAL x[CEILING_CHAINS];
#pragma unroll
    for (int c = 0; c < CEILING_CHAINS; c++) x[c] = a * (REAL)(threadIdx.x + c);
    for (int t = 0; t < turns; t++) {
#pragma unroll
        for (int r = 0; r < 8; r++)
#pragma unroll
            for (int c = 0; c < CEILING_CHAINS; c++)
                x[c] = c < ADDS ? x[c] + a : multiply_add(x[c], a, a);
    }
    REAL s = 0;
#pragma unroll
    for (int c = 0; c < CEILING_CHAINS; c++) s += x[c];
    if (s == never) out[0] = s;
}

/* Cycles and nanoseconds of about a millisecond on one multiprocessor. */
static __global__ void ceiling_clock_kernel(long long *out)
{
    unsigned long long start, now;
    long long cycles = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < 2000000ull);
    out[0] = clock64() - cycles;
    out[1] = (long long)(now - start);
}

#endif
