/*
 * The line kernel in every instruction set that this machine can run: the formula of line_kernel.h
 * within rounding, and, where none folds the sum along z, the same bits from all that have a fused
 * multiply-add.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "wave/cpu/line_kernel.h"
#include "wave_case.h"

extern const torre_line_kernels torre_line_kernels_base;
#if defined(__x86_64__)
extern const torre_line_kernels torre_line_kernels_avx2, torre_line_kernels_avx512;
#endif

/* Best first. */
static int runnable(const torre_line_kernels *list[3])
{
    int count = 0;
#if defined(__x86_64__)
    if (torre_cpu_get()->isa >= TORRE_ISA_AVX512) list[count++] = &torre_line_kernels_avx512;
    if (torre_cpu_get()->isa >= TORRE_ISA_AVX2) list[count++] = &torre_line_kernels_avx2;
#endif
    list[count++] = &torre_line_kernels_base;
    return count;
}

/* 5 rows of 3 blocks in one to three planes, with what the kernel reads around them; values of both
 * precisions. */
enum { ROWS = 5, BLOCKS = 3, HALO = TORRE_MAX_HALF_WIDTH, PLANES = 2 * HALO + 3 };

typedef struct line_case {
    torre_precision precision;
    int half_width;
    int planes;                                 /* that the kernel updates */
    int64_t block, pitch, plane, values, first; /* first: the first cell of the first of these */
    double *now, *next, *factor, *damping;      /* as doubles, exact in the precision */
    double wy, wz, k;
    bool varying, damped;
    bool bound; /* has a potential, beside k that varies */
} line_case;

static double narrow(const line_case *c, double x)
{
    return c->precision == TORRE_F32 ? (double)(float)x : x;
}

static void line_case_make(line_case *c, torre_precision precision, int half_width, bool varying,
                           bool damped, int planes, uint64_t *seed)
{
    *c = (line_case){.precision = precision, .half_width = half_width, .varying = varying};
    c->planes = planes;
    c->damped = damped;
    c->block = TORRE_BLOCK_BYTES / (int64_t)precision;
    c->pitch = (BLOCKS + 2) * c->block;
    c->plane = (ROWS + 2 * HALO) * c->pitch;
    c->values = PLANES * c->plane;
    c->first = HALO * c->plane + HALO * c->pitch + c->block;
    double **arrays[4] = {&c->now, &c->next, &c->factor, &c->damping};
    for (int a = 0; a < 4; a++) {
        *arrays[a] = wave_alloc(c->values, sizeof(double));
        wave_random_field(seed, *arrays[a], c->values);
    }
    /* (c dt)^2 (hx^-2 + hy^-2 + hz^-2) S <= 4, damping 0 .. 1 */
    c->wy = narrow(c, 0.7);
    c->wz = narrow(c, 1.3);
    c->k = narrow(c, 4 / (torre_stencil_norm(half_width) * 3));
    for (int64_t i = 0; i < c->values; i++) {
        c->now[i] = narrow(c, c->now[i]);
        c->next[i] = narrow(c, c->next[i]);
        c->factor[i] = narrow(c, c->k * (c->factor[i] + 1) / 2);
        c->damping[i] = narrow(c, (c->damping[i] + 1) / 6);
    }
}

static void line_case_free(line_case *c)
{
    free(c->now);
    free(c->next);
    free(c->factor);
    free(c->damping);
}

/* The potential is so many times k, which is a power of 2 and keeps it exact. */
static const double potential_scale = -2;

/*
 * u[n+1] of the cell z of a row by the formula, in double; damping of x, y and z from three places.
 */
static double formula(const line_case *c, int64_t plane, int64_t row, int64_t z)
{
    const double *u = c->now + c->first + plane * c->plane + row * c->pitch + z;
    const int64_t stride[3] = {c->plane, c->pitch, 1};
    const double weight[3] = {1, c->wy, c->wz};
    double lap = 0, old = c->next[u - c->now];
    for (int a = 0; a < 3; a++) {
        double sum = 2 * torre_stencil_weight(c->half_width, 0) * u[0];
        for (int i = 1; i <= c->half_width; i++)
            sum += torre_stencil_weight(c->half_width, i) * (u[-i * stride[a]] + u[i * stride[a]]);
        lap += weight[a] * sum;
    }
    double k = c->varying ? c->factor[u - c->now] : c->k;
    if (c->bound) lap -= potential_scale * c->factor[u - c->now] * u[0];
    double d =
        c->damped ? c->damping[plane] + c->damping[c->block + row] + c->damping[c->first + z] : 0;
    return (2 * u[0] - (1 - d) * old + k * lap) / (1 + d);
}

/* Copy into aligned memory of the precision. */
static void *pack(const line_case *c, const double *values)
{
    void *memory = aligned_alloc(TORRE_BLOCK_BYTES, (size_t)c->values * (size_t)c->precision);
    CHECK(memory, "out of memory");
    for (int64_t i = 0; i < c->values; i++) {
        if (c->precision == TORRE_F32)
            ((float *)memory)[i] = (float)values[i];
        else
            ((double *)memory)[i] = values[i];
    }
    return memory;
}

/* The array `next` after a call of the kernel. */
static void *call(const line_case *c, const torre_line_kernels *kernels)
{
    const int64_t width = (int64_t)c->precision;
    const int R = c->half_width;
    char *now = pack(c, c->now), *next = pack(c, c->next);
    char *factor = pack(c, c->factor), *damping = pack(c, c->damping);
    double *scaled = wave_alloc(c->values, sizeof *scaled);
    for (int64_t i = 0; i < c->values; i++) scaled[i] = potential_scale * c->factor[i];
    char *potential = pack(c, scaled);
    free(scaled);
    const char *fetch[7]; /* more than rows, whatever they point to */
    for (int i = 0; i < 7; i++) fetch[i] = now;
    torre_line_scheme s = {.row_pitch = c->pitch,
                           .plane_pitch = c->plane,
                           .factor_row_pitch = c->pitch,
                           .factor_plane_pitch = c->plane,
                           .potential_row_pitch = c->pitch,
                           .potential_plane_pitch = c->plane};
    torre_line_scheme_set(&s, R, c->wy, c->wz, c->varying ? 0 : c->k);
    torre_line line = {.next = next + c->first * width,
                       .now = now + c->first * width,
                       .factor = c->varying ? factor + c->first * width : NULL,
                       .potential = c->bound ? potential + c->first * width : NULL,
                       .damping_x = c->damped ? damping : NULL,
                       .damping_y = damping + c->block * width,
                       .damping_z = damping + c->first * width,
                       .planes = c->planes,
                       .rows = ROWS,
                       .blocks = BLOCKS,
                       .fetch = fetch,
                       .fetches = 7};
    (width == 4 ? kernels->f32 : kernels->f64)[R - 1](&s, &line);
    free(now);
    free(factor);
    free(potential);
    free(damping);
    return next;
}

static void check_values(const line_case *c, const torre_line_kernels *kernels, const void *next)
{
    /* wave_case.h for one step, and as much again for the rounded weights */
    double bound = 2 * wave_gamma(2 * c->half_width) * wave_eps(c->precision);
    for (int64_t i = 0; i < c->values; i++) {
        double value = c->precision == TORRE_F32 ? (double)((const float *)next)[i]
                                                 : ((const double *)next)[i];
        int64_t from = i - c->first, plane = from / c->plane;
        int64_t row = from % c->plane / c->pitch, z = from % c->pitch;
        bool inside = from >= 0 && plane < c->planes && row < ROWS && z < BLOCKS * c->block;
        double wanted = inside ? formula(c, plane, row, z) : c->next[i];
        CHECK(fabs(value - wanted) <= (inside ? bound : 0),
              "%s, f%d, half-width %d, factor %d, damped %d, value %lld: %g, not %g", kernels->isa,
              8 * (int)c->precision, c->half_width, c->varying, c->damped, (long long)i, value,
              wanted);
    }
}

static void kernels_agree(void **state)
{
    (void)state;
    const torre_line_kernels *list[3];
    int count = runnable(list);
    uint64_t seed = 8;
    for (int variant = 0; variant < 24 * TORRE_MAX_HALF_WIDTH; variant++) {
        const int half_width = 1 + variant / 24, planes = 1 + variant / 8 % 3;
        if (planes > torre_line_planes(half_width)) continue;
        line_case c;
        line_case_make(&c, variant & 1 ? TORRE_F32 : TORRE_F64, half_width, variant & 2,
                       variant & 4, planes, &seed);
        c.bound = c.varying && variant % 3 == 0;
        void *best = call(&c, list[0]);
        for (int i = 0; i < count; i++) {
            void *next = call(&c, list[i]);
            check_values(&c, list[i], next);
            bool alike = list[i] != &torre_line_kernels_base && c.half_width <= 2;
            CHECK(!alike || memcmp(next, best, (size_t)(c.values * (int64_t)c.precision)) == 0,
                  "%s, variant %d: other bits than %s", list[i]->isa, variant, list[0]->isa);
            free(next);
        }
        free(best);
        line_case_free(&c);
    }
}

/* A field that is the same everywhere stays so to the last bit, whatever its value, the spacing and
 * the velocities, in every instruction set: what little rounding leaves of lap is lost beside u. */
static void constants_are_kept(void **state)
{
    (void)state;
    const torre_line_kernels *list[3];
    int count = runnable(list);
    uint64_t seed = 11;
    for (int variant = 0; variant < 200 * TORRE_MAX_HALF_WIDTH; variant++) {
        line_case c;
        const int half_width = 1 + variant % TORRE_MAX_HALF_WIDTH,
                  kind = variant / TORRE_MAX_HALF_WIDTH;
        const torre_precision precision = kind & 1 ? TORRE_F32 : TORRE_F64;
        line_case_make(&c, precision, half_width, kind & 2, false, 1 + kind / 4 % 2, &seed);
        const double value = narrow(&c, (1 + (wave_random(&seed) + 1) / 2) * pow(10, variant % 7));
        c.wy = exp(3 * wave_random(&seed));
        c.wz = exp(3 * wave_random(&seed));
        c.k = 4 / (torre_stencil_norm(half_width) * (1 + c.wy + c.wz)); /* the limit */
        for (int64_t i = 0; i < c.values; i++) {
            c.now[i] = c.next[i] = value;
            c.factor[i] = fmin(c.factor[i], narrow(&c, c.k));
        }
        for (int l = 0; l < count; l++) {
            void *next = call(&c, list[l]);
            for (int64_t i = 0; i < c.values; i++)
                CHECK(torre_value(precision, next, i) == value,
                      "%s, f%d, half-width %d, wy %g, wz %g: %.17g became %.17g", list[l]->isa,
                      8 * (int)precision, half_width, c.wy, c.wz, value,
                      torre_value(precision, next, i));
            free(next);
        }
        line_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(constants_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
