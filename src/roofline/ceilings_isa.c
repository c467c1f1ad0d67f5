/*
 * CPU ceiling loops, compiled once per instruction set (TORRE_ISA, cmake/isa.cmake). The compiler
 * sees plain vectors of the GNU C extension; empty asm statements keep it from removing work whose
 * result nobody uses.
 */
#include "roofline/ceilings_kernels.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define RANK_base   0
#define RANK_avx2   1
#define RANK_avx512 2
#define RANK        JOIN(RANK_, TORRE_ISA)

/* BYTES of a vector register, and a store of one past the caches */
#if RANK == 2
#define BYTES                   64
#define STREAM(address, vector) _mm512_stream_ps((float *)(address), (__m512)(vector))
#elif RANK == 1
#define BYTES                   32
#define STREAM(address, vector) _mm256_stream_ps((float *)(address), (__m256)(vector))
#else
#define BYTES 16
#if defined(__x86_64__)
#define STREAM(address, vector) _mm_stream_ps((float *)(address), (__m128)(vector))
#else
#define STREAM(address, vector) (*(address) = (vector))
#endif
#endif

typedef float vf __attribute__((vector_size(BYTES), may_alias));
typedef double vd __attribute__((vector_size(BYTES), may_alias));

enum { LANES = BYTES / 4, UNROLL = 8, STRIDE = LANES * UNROLL };

#define FORGET_MEMORY() __asm__ volatile("" ::: "memory")

/* Four streams at once: one alone leaves the prefetchers of some cores half idle. */
static float read_loop(const float *a, int64_t n, int64_t passes)
{
    const float *b = a + n / 4, *c = a + n / 2, *d = c + n / 4;
    vf s0 = {0}, s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    for (int64_t p = 0; p < passes; p++) {
        for (int64_t i = 0; i < n / 4; i += 2 * LANES) {
            s0 += *(const vf *)(a + i);
            s1 += *(const vf *)(b + i);
            s2 += *(const vf *)(c + i);
            s3 += *(const vf *)(d + i);
            t0 += *(const vf *)(a + i + LANES);
            t1 += *(const vf *)(b + i + LANES);
            t2 += *(const vf *)(c + i + LANES);
            t3 += *(const vf *)(d + i + LANES);
        }
        FORGET_MEMORY();
    }
    s0 += s1 + s2 + s3 + t0 + t1 + t2 + t3;
    float total = 0;
    for (int l = 0; l < LANES; l++) total += s0[l];
    return total;
}

static void write_loop(float *a, int64_t n, int64_t passes)
{
    for (int64_t p = 0; p < passes; p++) {
        vf v = *(const vf *)a + (float)p; /* lines of one value may be stored in cheaper ways */
        for (int64_t i = 0; i < n; i += STRIDE, v += 1.0f)
            for (int u = 0; u < UNROLL; u++) STREAM((vf *)(a + i + u * LANES), v);
        FORGET_MEMORY();
    }
}

static void copy_loop(float *a, const float *b, int64_t n, int64_t passes)
{
    for (int64_t p = 0; p < passes; p++) {
        for (int64_t i = 0; i < n; i += STRIDE)
            for (int u = 0; u < UNROLL; u++)
                STREAM((vf *)(a + i + u * LANES), *(const vf *)(b + i + u * LANES));
        FORGET_MEMORY();
    }
}

static void mix_loop(float *a, const float *b, int64_t n, int64_t passes)
{
    for (int64_t p = 0; p < passes; p++) {
        for (int64_t i = 0; i < n; i += STRIDE)
            for (int u = 0; u < UNROLL; u++) {
                vf *x = (vf *)(a + i + u * LANES);
                *x = *(const vf *)(b + i + u * LANES) * 0.5f - *x;
            }
        FORGET_MEMORY();
    }
}

/*
 * Chains of dependent instructions, enough to hide their latency (two units of latency 4 need 8)
 * and few enough for 16 registers; named one by one, since an array of them ends up in memory.
 * With x <- x a + a, 0 < a < 1, values stay finite.
 */
enum { CHAINS = 14 };
#define SEVEN_X(f) f(x0) f(x1) f(x2) f(x3) f(x4) f(x5) f(x6)
#define SEVEN_Y(f) f(y0) f(y1) f(y2) f(y3) f(y4) f(y5) f(y6)

#if defined(__x86_64__)
#define FORGET_VECTOR(v) __asm__ volatile("" : "+x"(v))
#elif defined(__aarch64__)
#define FORGET_VECTOR(v) __asm__ volatile("" : "+w"(v))
#else
#define FORGET_VECTOR(v) __asm__ volatile("" : "+m"(v))
#endif
#define START(v) v = a;
#define ADD(v)                                                                                     \
    v += a;                                                                                        \
    FORGET_VECTOR(v);
#define FMA(v)                                                                                     \
    v = v * a + a;                                                                                 \
    FORGET_VECTOR(v);

/* adds: how many of the chains add */
#define CHAIN_LOOP(name, type, real, op_x, op_y, adds)                                             \
    static double name(int64_t turns)                                                              \
    {                                                                                              \
        type a = (type){0} + (real)0.25, x0, x1, x2, x3, x4, x5, x6, y0, y1, y2, y3, y4, y5, y6;   \
        FORGET_VECTOR(a);                                                                          \
        SEVEN_X(START)                                                                             \
        SEVEN_Y(START)                                                                             \
        for (int64_t t = 0; t < turns; t++) {                                                      \
            SEVEN_X(op_x)                                                                          \
            SEVEN_Y(op_y)                                                                          \
        }                                                                                          \
        return (double)turns * (2 * CHAINS - (adds)) * (BYTES / (double)sizeof(real));             \
    }

CHAIN_LOOP(fma_f32, vf, float, FMA, FMA, 0)
CHAIN_LOOP(fma_f64, vd, double, FMA, FMA, 0)
CHAIN_LOOP(add_f32, vf, float, ADD, ADD, CHAINS)
CHAIN_LOOP(add_f64, vd, double, ADD, ADD, CHAINS)
CHAIN_LOOP(stencil_f32, vf, float, ADD, FMA, CHAINS / 2)
CHAIN_LOOP(stencil_f64, vd, double, ADD, FMA, CHAINS / 2)

const torre_ceiling_kernels JOIN(torre_ceiling_kernels_, TORRE_ISA) = {
    .isa = (torre_isa)RANK,
    .read = read_loop,
    .write = write_loop,
    .copy = copy_loop,
    .mix = mix_loop,
    .fma = {fma_f32, fma_f64},
    .add = {add_f32, add_f64},
    .stencil = {stencil_f32, stencil_f64},
};
