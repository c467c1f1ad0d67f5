/*
 * Sweeps over neighbours for one precision and one instruction set: a C template included by the
 * generated mps_sweep_*.c, after lanes.h. Every particle is computed by one thread in the order of
 * its list, so results do not depend on the number of threads.
 */
#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <math.h>
#include <string.h>

#include "particles/cpu/md_packed.h"
#include "particles/cpu/mps_sweeps.h"

#define PART 256 /* particles a thread takes at a time */

typedef TORRE_REAL real;

/* The pairs of one particle, a vector of neighbours at a time. */
typedef struct pairs {
    torre_lanes dx, dy, dz; /* r_i - r_j */
    torre_lanes square;     /* r^2 */
    torre_lanes inverse;    /* 1/r */
    torre_mask near;        /* closer than r_e */
} pairs;

/* 1 / sqrt(x) of every lane, to 2 units in the last place; gcc takes roots of vectors one by one
 * unless told. */
TORRE_INLINE torre_lanes inverse_root(torre_lanes x)
{
#if defined __AVX512F__ && TORRE_LANES == 16
    torre_lanes y = (torre_lanes)_mm512_rsqrt14_ps((__m512)x); /* and a step of Newton's method */
    return y * ((real)1.5 - (real)0.5 * x * y * y);
#elif defined __AVX512F__ && TORRE_LANES == 8
    return 1 / (torre_lanes)_mm512_sqrt_pd((__m512d)x);
#elif defined __AVX2__ && TORRE_LANES == 8
    return 1 / (torre_lanes)_mm256_sqrt_ps((__m256)x);
#elif defined __AVX2__ && TORRE_LANES == 4
    return 1 / (torre_lanes)_mm256_sqrt_pd((__m256d)x);
#else
    torre_lanes root = {0};
    for (int l = 0; l < TORRE_LANES; l++)
        root[l] = sizeof(real) == 4 ? (real)__builtin_sqrtf((float)x[l])
                                    : (real)__builtin_sqrt((double)x[l]);
    return 1 / root;
#endif
}

/* Velocities of the particles list[0 .. TORRE_LANES - 1]. */
TORRE_INLINE void gather_velocities(const TORRE_STATE *velocity, const int32_t *list,
                                    torre_sum_lanes *x, torre_sum_lanes *y, torre_sum_lanes *z)
{
    if (sizeof(TORRE_STATE) == sizeof(real)) {
        torre_lanes a, b, c, d;
        torre_lanes_gather((const torre_quad *)velocity, list, &a, &b, &c, &d);
        *x = __builtin_convertvector(a, torre_sum_lanes);
        *y = __builtin_convertvector(b, torre_sum_lanes);
        *z = __builtin_convertvector(c, torre_sum_lanes);
        return;
    }
    *x = *y = *z = (torre_sum_lanes){0};
    for (int l = 0; l < TORRE_LANES; l++) {
        const TORRE_STATE *u = velocity + 4 * (int64_t)list[l];
        (*x)[l] = u[0];
        (*y)[l] = u[1];
        (*z)[l] = u[2];
    }
}

/* What all sweeps read. */
typedef struct view {
    torre_positions positions;
    const torre_md_lists *lists;
    TORRE_STATE *force;
    real influence, reach_sq;
} view;

static view view_of(const torre_mps_field *f)
{
    const double influence = f->constants.influence;
    return (view){.positions = torre_positions_of(f->store),
                  .lists = f->lists,
                  .force = f->store->force,
                  .influence = (real)influence,
                  .reach_sq = (real)(influence * influence)};
}

/* Particle i and TORRE_LANES of its neighbours, from entry k of a list, its own. */
TORRE_INLINE pairs pairs_at(const view *v, int64_t i, int64_t list, int32_t k)
{
    pairs p;
    torre_lanes type;
    const torre_mask live =
        torre_separation(&v->positions, i, v->lists->start[list] + k, v->lists->length[list] - k,
                         v->lists->wraps[list] ? 7 : 0, &p.dx, &p.dy, &p.dz, &type);
    p.square = p.dx * p.dx + p.dy * p.dy + p.dz * p.dz;
    p.near = (p.square < v->reach_sq) & live;
    p.inverse = inverse_root(p.square);
    return p;
}

TORRE_INLINE torre_lanes weight_of(const pairs *p, real influence)
{
    return torre_lanes_keep(TORRE_MPS_WEIGHT(influence, p->inverse), p->near);
}

/* sum of (u_j - u_i) w; velocities are of the state type. */
static void sweep_viscosity(const torre_mps_field *f)
{
    const view v = view_of(f);
    const TORRE_STATE *velocity = f->store->velocity;
    const TORRE_STATE factor = (TORRE_STATE)f->constants.viscosity_factor;
#pragma omp parallel for schedule(dynamic, PART) num_threads(f->store->threads)
    for (int64_t i = 0; i < f->store->count; i++) {
        if (f->store->id[i] >= f->fluid) continue;
        const int32_t *list = f->lists->start[i];
        const TORRE_STATE *u = velocity + 4 * i;
        torre_sum_lanes ax = {0}, ay = {0}, az = {0}, zero = {0};
        for (int32_t k = 0; k < f->lists->length[i]; k += TORRE_LANES) {
            pairs p = pairs_at(&v, i, i, k);
            torre_sum_lanes w =
                __builtin_convertvector(weight_of(&p, v.influence), torre_sum_lanes);
            torre_sum_lanes ux, uy, uz;
            gather_velocities(velocity, list + k, &ux, &uy, &uz);
            ax += (ux - u[0]) * w;
            ay += (uy - u[1]) * w;
            az += (uz - u[2]) * w;
        }
        torre_quad_state sum = factor * torre_lanes_sums(ax, ay, az, zero);
        sum[1] -= (TORRE_STATE)f->constants.gravity;
        memcpy(v.force + 4 * i, &sum, sizeof sum);
    }
}

/* How many lists a sweep looks at that walls take part in; whose such a list is. */
static inline int64_t all_lists(const torre_mps_field *f)
{
    return f->store->count + f->lists->given_count;
}

static inline int64_t place_of(const torre_mps_field *f, int64_t list)
{
    return list < f->store->count ? list : f->lists->given[list - f->store->count];
}

/* An own particle whose wall is computed by another rank, or a dummy. */
static inline bool is_left_out(const torre_mps_field *f, int64_t list)
{
    return list < f->store->count && !torre_md_has_list(f->lists, list, f->store->id[list]);
}

static inline bool is_dummy(const torre_mps_field *f, int64_t i)
{
    return f->store->id[i] >= f->fluid + f->wall;
}

static void sweep_density(const torre_mps_field *f)
{
    const view v = view_of(f);
    TORRE_STATE *pressure = f->pressure, *number_density = f->number_density;
    const TORRE_STATE n0 = (TORRE_STATE)f->constants.n0;
    const TORRE_STATE stiffness = (TORRE_STATE)f->constants.stiffness;
#pragma omp parallel for schedule(dynamic, PART) num_threads(f->store->threads)
    for (int64_t list = 0; list < all_lists(f); list++) {
        const int64_t i = place_of(f, list);
        if (is_dummy(f, i)) pressure[i] = number_density[i] = 0;
        if (is_left_out(f, list)) continue;
        torre_sum_lanes sum = {0}, zero = {0};
        for (int32_t k = 0; k < f->lists->length[list]; k += TORRE_LANES) {
            pairs p = pairs_at(&v, i, list, k);
            sum += __builtin_convertvector(weight_of(&p, v.influence), torre_sum_lanes);
        }
        TORRE_STATE n = torre_lanes_sums(sum, zero, zero, zero)[0];
        number_density[i] = n;
        /* a number that is not finite must not be hidden by the comparison */
        pressure[i] = n < n0 ? 0 : stiffness * (n / n0 - 1);
    }
    pressure[f->store->far] = 0; /* which pads lists */
}

TORRE_INLINE torre_lanes overlap_of(const pairs *p, real distance)
{
    torre_lanes overlap = distance - p->square * p->inverse;
    return torre_lanes_keep(overlap, (overlap > 0) & p->near);
}

/* -(1/rho) grad P and collisions */
static void sweep_gradient(const torre_mps_field *f)
{
    const view v = view_of(f);
    const TORRE_STATE *pressure = f->pressure;
    const torre_mps_constants *c = &f->constants;
    const TORRE_STATE factor = (TORRE_STATE)c->gradient_factor;
    const real spring = (real)(c->collision_factor / c->gradient_factor);
    const real distance = (real)c->collision_distance;
#pragma omp parallel for schedule(dynamic, PART) num_threads(f->store->threads)
    for (int64_t i = 0; i < f->store->count; i++) {
        if (f->store->id[i] >= f->fluid) continue;
        const int32_t *list = f->lists->start[i];
        torre_sum_lanes ax = {0}, ay = {0}, az = {0}, zero = {0};
        for (int32_t k = 0; k < f->lists->length[i]; k += TORRE_LANES) {
            pairs p = pairs_at(&v, i, i, k);
            torre_lanes both = {0};
            for (int l = 0; l < TORRE_LANES; l++)
                both[l] = (real)(pressure[i] + pressure[list[k + l]]);
            torre_lanes g = (both * p.inverse * TORRE_MPS_GRADIENT_WEIGHT(v.influence, p.inverse) +
                             spring * overlap_of(&p, distance)) *
                            p.inverse;
            g = torre_lanes_keep(g, p.near);
            ax += __builtin_convertvector(g * p.dx, torre_sum_lanes);
            ay += __builtin_convertvector(g * p.dy, torre_sum_lanes);
            az += __builtin_convertvector(g * p.dz, torre_sum_lanes);
        }
        torre_quad_state sum = factor * torre_lanes_sums(ax, ay, az, zero);
        memcpy(v.force + 4 * i, &sum, sizeof sum);
    }
}

static void sweep_collision(const torre_mps_field *f, void *energy)
{
    const view v = view_of(f);
    TORRE_STATE *out = energy;
    const TORRE_STATE factor = (TORRE_STATE)(f->constants.collision_factor / 4);
    const real distance = (real)f->constants.collision_distance;
#pragma omp parallel for schedule(dynamic, PART) num_threads(f->store->threads)
    for (int64_t list = 0; list < all_lists(f); list++) {
        const int64_t i = place_of(f, list);
        if (is_dummy(f, i)) out[i] = 0;
        if (is_left_out(f, list)) continue;
        torre_sum_lanes sum = {0}, zero = {0};
        for (int32_t k = 0; k < f->lists->length[list]; k += TORRE_LANES) {
            pairs p = pairs_at(&v, i, list, k);
            torre_lanes overlap = overlap_of(&p, distance);
            sum += __builtin_convertvector(overlap * overlap, torre_sum_lanes);
        }
        out[i] = factor * torre_lanes_sums(sum, zero, zero, zero)[0];
    }
}

static inline bool is_fixed(const torre_mps_field *f, int64_t i)
{
    const int32_t id = f->store->id[i];
    return id >= f->fluid && (id < f->gate[0] || id >= f->gate[1]);
}

static double sweep_move(const torre_mps_field *f, double drift, double step, double *moved)
{
    torre_md_store *store = f->store;
    TORRE_STATE *r = store->position, *u = store->velocity;
    const TORRE_STATE *a = store->force, *h = store->hold;
    const TORRE_STATE kick = (TORRE_STATE)f->constants.dt, along = (TORRE_STATE)drift,
                      square = (TORRE_STATE)step;
    double most = 0, gone_most = 0;
#pragma omp parallel for schedule(dynamic, PART) num_threads(store->threads) reduction(max         \
                                                                                       : most)     \
    reduction(max                                                                                  \
              : gone_most)
    for (int64_t i = 0; i < store->count; i++) {
        double speed = 0, gone = 0;
        if (is_fixed(f, i)) continue;
        for (int k = 0; k < 3; k++) {
            int64_t at = 4 * i + k;
            u[at] += kick * a[at];
            r[at] += along * u[at] + square * a[at];
            speed += (double)u[at] * (double)u[at];
            const double from = moved ? (double)r[at] - (double)h[at] : 0;
            gone += from * from;
        }
        torre_pack(store, i);
        if (!(speed <= most)) most = isnan(speed) ? INFINITY : speed;
        if (!(gone <= gone_most)) gone_most = isnan(gone) ? INFINITY : gone;
    }
    if (moved) *moved = gone_most;
    return sqrt(most);
}

const torre_mps_loops TORRE_TYPED(torre_mps_loops) = {
    .viscosity = sweep_viscosity,
    .density = sweep_density,
    .gradient = sweep_gradient,
    .collision = sweep_collision,
    .move = sweep_move,
};
