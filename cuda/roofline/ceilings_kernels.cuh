/*
 * The loops behind the GPU ceilings. Results that nobody needs are stored only when a value equals
 * one that never occurs, so that the compiler must compute them.
 */
#ifndef TORRE_CEILINGS_KERNELS_CUH
#define TORRE_CEILINGS_KERNELS_CUH

#include <stdint.h>

#include "cuda/core/ptx.cuh"

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

/* One element of a stream: what is stored, and where a read goes. */
template <int WHAT>
static __device__ inline void touch(float4 *a, float4 before, float4 b, int64_t k, float4 *s)
{
    if (WHAT == CEILING_READ) add_to(s, b);
    if (WHAT == CEILING_WRITE) a[k] = make_float4((float)k, 1.5f, (float)k + 0.5f, 2.5f);
    if (WHAT == CEILING_COPY) a[k] = b;
    if (WHAT == CEILING_MIX) a[k] = half_minus(b, before);
}

/* n float4 of global memory, `passes` times; what they lie in (DRAM, L2) is a matter of n. */
template <int WHAT>
static __global__ void __launch_bounds__(CEILING_THREADS)
    ceiling_stream_kernel(float4 *a, const float4 *b, int64_t n, int passes, float never)
{
    const bool reads = WHAT != CEILING_WRITE, updates = WHAT == CEILING_MIX;
    const int64_t step = (int64_t)gridDim.x * CEILING_THREADS;
    const int64_t first = (int64_t)blockIdx.x * CEILING_THREADS + threadIdx.x;
    const float4 none = make_float4(0, 0, 0, 0);
    float4 s = none;
#pragma unroll 1
    for (int p = 0; p < passes; p++) {
        int64_t i = first;
        for (; i + 3 * step < n; i += 4 * step) { /* loads of four elements on their way at once */
            float4 from[4], before[4];
#pragma unroll
            for (int u = 0; u < 4; u++) {
                from[u] = reads ? __ldcg(b + i + u * step) : none;
                before[u] = updates ? __ldcg(a + i + u * step) : none;
            }
#pragma unroll
            for (int u = 0; u < 4; u++) touch<WHAT>(a, before[u], from[u], i + u * step, &s);
        }
        for (; i < n; i += step)
            touch<WHAT>(a, updates ? __ldcg(a + i) : none, reads ? __ldcg(b + i) : none, i, &s);
    }
    if (WHAT == CEILING_READ && s.x + s.y + s.z + s.w == never) a[0] = s;
}

/*
 * Shared memory: every warp walks through its own eighth of the block's 32 KiB, eight rows of one
 * float4 a lane. Where it starts depends on the pass, so that nothing can stay in registers.
 */
template <int WHAT>
static __global__ void __launch_bounds__(CEILING_THREADS)
    ceiling_shared_kernel(float4 *out, const float4 *in, int passes, float never)
{
    enum { ROWS = CEILING_SHARED / CEILING_THREADS };
    __shared__ float4 s_a[CEILING_SHARED];
    float4 *own = s_a + threadIdx.x / 32 * (32 * ROWS) + threadIdx.x % 32;
    float4 s = make_float4(0, 0, 0, 0);
    for (int r = 0; r < ROWS; r++) own[32 * r] = in[threadIdx.x + r * CEILING_THREADS];
#pragma unroll 1
    for (int p = 0; p < passes; p++) {
#pragma unroll
        for (int u = 0; u < ROWS; u += 2) {
            float4 *x = own + 32 * ((u + p) % ROWS), *y = own + 32 * ((u + p + 1) % ROWS);
            if (WHAT == CEILING_READ) {
                add_to(&s, *x);
                add_to(&s, *y);
            } else {
                *x = half_minus(*y, *x);
            }
        }
    }
    for (int r = 0; WHAT == CEILING_MIX && r < ROWS; r++) add_to(&s, own[32 * r]);
    if (s.x + s.y + s.z + s.w == never) out[0] = s;
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
    const long long cycles = clock64();
    const uint64_t start = nanoseconds();
    uint64_t now;
    do {
        now = nanoseconds();
    } while (now - start < 2000000);
    out[0] = clock64() - cycles;
    out[1] = (long long)(now - start);
}

#endif
