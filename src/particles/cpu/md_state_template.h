/*
 * Loops over particles for one precision and one instruction set: a C template included by the
 * generated md_state_*.c, after lanes.h's definitions.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/random.h"
#include "particles/cpu/md_build_template.h"
#include "particles/cpu/md_packed.h"
#include "particles/cpu/normals.h"
#include "particles/md_sum.h"

static void pack(torre_md_store *store)
{
    if (!TORRE_PACKED) return;
#pragma omp parallel for num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) torre_pack(store, i);
    torre_pack(store, store->far);
}

/* The fourth number of the position of a particle that is loaded. */
static TORRE_STATE fourth(const torre_md_store *store, int64_t i)
{
    if (store->largest > 0) return (TORRE_STATE)(store->radius ? store->radius[i] : store->largest);
    return store->types ? (TORRE_STATE)store->type[i] : 0;
}

static void state_load(torre_md_store *store, const double *const position[3],
                       const double *const velocity[3], const double box[3])
{
    TORRE_STATE *r = store->position, *v = store->velocity, *f = store->force;
#pragma omp parallel for num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) {
        store->id[i] = (int32_t)(store->first + i);
        for (int a = 0; a < 3; a++) {
            r[4 * i + a] = (TORRE_STATE)position[a][i];
            v[4 * i + a] = (TORRE_STATE)velocity[a][i];
            f[4 * i + a] = 0;
        }
        r[4 * i + 3] = fourth(store, i);
        v[4 * i + 3] = f[4 * i + 3] = 0;
    }
    /* Far from everything, and still so when moved by a box edge; its square is finite in f32. */
    const int64_t far = store->far;
    for (int a = 0; a < 3; a++) {
        r[4 * far + a] = (TORRE_STATE)(1000 * (box[0] + box[1] + box[2]));
        v[4 * far + a] = f[4 * far + a] = 0;
    }
    r[4 * far + 3] = v[4 * far + 3] = f[4 * far + 3] = 0;
    pack(store);
}

static void state_unload(const torre_md_store *store, const void *quads, const double *box,
                         double *const out[3])
{
    const TORRE_STATE *from = quads;
    for (int a = 0; a < 3; a++) {
        if (!out[a]) continue;
#pragma omp parallel for num_threads(store->threads)
        for (int64_t i = 0; i < store->count; i++) {
            double value = (double)from[4 * i + a];
            if (box) {
                value -= box[a] * floor(value / box[a]);
                if (value >= box[a]) value = 0;
            }
            out[a][store->id[i]] = value;
        }
    }
}

static double state_kick_drift(torre_md_store *store, double kick, double dt)
{
    torre_quad_state *restrict r = store->position, *restrict v = store->velocity;
    const torre_quad_state *restrict f = store->force, *restrict h = store->hold;
    const TORRE_STATE k = (TORRE_STATE)kick, t = (TORRE_STATE)dt;
    double most = 0;
#pragma omp parallel for reduction(max : most) num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) {
        v[i] += k * f[i];
        r[i] += t * v[i];
        torre_pack(store, i);
        const torre_quad_state d = r[i] - h[i];
        const double square = (double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (!(square <= most)) most = isnan(square) ? INFINITY : square;
    }
    return most;
}

static void state_scale(torre_md_store *store, double factor)
{
    TORRE_STATE *v = store->velocity;
#pragma omp parallel for simd num_threads(store->threads)
    for (int64_t i = 0; i < 4 * store->count; i++) v[i] *= (TORRE_STATE)factor;
}

/* The three of them and a last one. */
TORRE_INLINE torre_quad_state quad_of(const double axis[3], TORRE_STATE last)
{
    return (torre_quad_state){(TORRE_STATE)axis[0], (TORRE_STATE)axis[1], (TORRE_STATE)axis[2],
                              last};
}

static void state_scale_axes(torre_md_store *store, const double factor[3])
{
    torre_quad_state *v = store->velocity;
    const torre_quad_state by = quad_of(factor, 1);
#pragma omp parallel for num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) v[i] *= by;
}

static double state_stretch(torre_md_store *store, const torre_md_stretch *by)
{
    torre_quad_state *restrict r = store->position, *restrict v = store->velocity;
    const torre_quad_state *restrict f = store->force, *restrict h = store->hold;
    const torre_quad_state keep = quad_of(by->keep, 1), more = quad_of(by->more, 0);
    const torre_quad_state forward = quad_of(by->forward, 0), held = quad_of(by->hold, 0);
    const TORRE_STATE kick = (TORRE_STATE)by->kick;
    double most = 0;
#pragma omp parallel for reduction(max : most) num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) {
        v[i] = keep * v[i] + kick * f[i];
        r[i] += more * r[i] + forward * v[i];
        torre_pack(store, i);
        const torre_quad_state d = r[i] - held * h[i];
        const double square = (double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (!(square <= most)) most = isnan(square) ? INFINITY : square;
    }
    return most;
}

static double square_moved(const torre_md_store *store, int64_t i)
{
    const TORRE_STATE *r = store->position, *h = store->hold;
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        double d = (double)r[4 * i + a] - (double)h[4 * i + a];
        sum += d * d;
    }
    return isnan(sum) ? INFINITY : sum;
}

static double state_moved(const torre_md_store *store, int64_t *place)
{
    double most = 0;
#pragma omp parallel for reduction(max : most) num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) {
        double square = square_moved(store, i);
        if (square > most) most = square;
    }
    if (place)
        for (*place = 0; square_moved(store, *place) < most;) ++*place;
    return most;
}

#define PART 4096

typedef double quad_double __attribute__((vector_size(4 * sizeof(double))));

/* Weight of the particle in a place. */
TORRE_INLINE double weight_of(const torre_md_store *store, int64_t i)
{
    return store->weight[(int)((const TORRE_STATE *)store->position)[4 * i + 3]];
}

/* What has noise: velocities alone, those in front of a kick and a drift, or in its middle. */
enum noise_place { NOISE_ALONE, NOISE_FIRST, NOISE_MIDDLE };

/* The numbers of a loop over noise. */
typedef struct noise_step {
    enum noise_place place;
    double keep, spread;
    uint64_t numbers; /* torre_random_at(seed, stream) */
    TORRE_STATE kick, dt;
    bool types;
} noise_step;

/* v of place i with deviates added, in f64; *less grows by how much less weight v^2 is. */
TORRE_INLINE torre_quad_state with_noise(const torre_md_store *store, const noise_step *n,
                                         int64_t i, torre_quad_state v, quad_double deviate,
                                         quad_double *less)
{
    const double weight = n->types ? weight_of(store, i) : 1;
    const double spread = n->types ? n->spread / sqrt(weight) : n->spread;
    const quad_double old = __builtin_convertvector(v, quad_double);
    v = __builtin_convertvector(n->keep * old + spread * deviate, torre_quad_state);
    const quad_double now = __builtin_convertvector(v, quad_double);
    *less += n->types ? weight * (old * old - now * now) : old * old - now * now;
    return v;
}

/* Places low to high - 1, whose part of the sum is added to in three numbers; the fourth ones are
 * 0: models that dissipate have no thermostat. Returns the largest square of a distance from hold.
 */
TORRE_INLINE double noise_part(torre_md_store *store, const noise_step n, int64_t low, int64_t high,
                               double sum[3])
{
    torre_quad_state *restrict r = store->position, *restrict v = store->velocity;
    const torre_quad_state *restrict f = store->force, *restrict h = store->hold;
    quad_double less = {sum[0], sum[1], sum[2], 0};
    double most = 0;
    for (int64_t i = low; i < high; i += TORRE_NORMALS) {
        const int64_t here = high - i < TORRE_NORMALS ? high - i : TORRE_NORMALS;
        torre_normals g[3];
        int32_t id[TORRE_NORMALS] = {0};
        memcpy(id, store->id + i, (size_t)here * sizeof *id);
        torre_normals_of(n.numbers, id, g);
        for (int64_t k = i; k < i + here; k++) {
            const quad_double deviate = {g[0][k - i], g[1][k - i], g[2][k - i], 0};
            torre_quad_state u = v[k];
            if (n.place != NOISE_MIDDLE) u = with_noise(store, &n, k, u, deviate, &less);
            if (n.place != NOISE_ALONE) {
                u += n.kick * f[k];
                r[k] += n.dt * u;
            }
            if (n.place == NOISE_MIDDLE) {
                u = with_noise(store, &n, k, u, deviate, &less);
                r[k] += n.dt * u;
            }
            v[k] = u;
            if (n.place == NOISE_ALONE) continue;
            torre_pack(store, k);
            const torre_quad_state d = r[k] - h[k];
            const double square = (double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            if (!(square <= most)) most = isnan(square) ? INFINITY : square;
        }
    }
    for (int a = 0; a < 3; a++) sum[a] = less[a];
    return most;
}

/* The same for constants that the compiler knows. */
TORRE_INLINE double noise_part_at(torre_md_store *store, noise_step n, enum noise_place place,
                                  int64_t low, int64_t high, double sum[3])
{
    n.place = place;
    n.types = store->types != NULL;
    if (!n.types) {
        n.types = false;
        return noise_part(store, n, low, high, sum);
    }
    n.types = true;
    return noise_part(store, n, low, high, sum);
}

static double noise_of(torre_md_store *store, noise_step n, int64_t low, int64_t high,
                       double sum[3])
{
    switch (n.place) {
    case NOISE_FIRST:
        return noise_part_at(store, n, NOISE_FIRST, low, high, sum);
    case NOISE_MIDDLE:
        return noise_part_at(store, n, NOISE_MIDDLE, low, high, sum);
    default:
        return noise_part_at(store, n, NOISE_ALONE, low, high, sum);
    }
}

/* What noise is added to, and the largest square of a distance so far. */
typedef struct noise_sum {
    torre_md_store *store;
    noise_step step;
    double most;
} noise_sum;

static void add_noise_part(void *context, int64_t low, int64_t high, double *sum)
{
    noise_sum *s = context;
    const double far = noise_of(s->store, s->step, low, high, sum);
#pragma omp critical(torre_noise)
    if (far > s->most) s->most = far;
}

static void close_noise_part(double *sum)
{
    sum[0] = sum[0] + sum[1] + sum[2];
    sum[1] = sum[2] = 0;
}

static double add_noise(torre_md_store *store, torre_md_noise *noise, noise_step n)
{
    double total[3];
    n.keep = noise->keep;
    n.spread = noise->spread;
    n.numbers = torre_random_at(noise->seed, noise->stream);
    noise_sum sum = {.store = store, .step = n};
    torre_md_sum(store,
                 &(torre_md_sum_of){.places = PART,
                                    .width = 3,
                                    .add = add_noise_part,
                                    .close = close_noise_part,
                                    .context = &sum},
                 total);
    noise->less = total[0];
    return sum.most;
}

static void state_noise(torre_md_store *store, torre_md_noise *noise)
{
    add_noise(store, noise, (noise_step){.place = NOISE_ALONE});
}

static double state_noise_drift(torre_md_store *store, torre_md_noise *noise, bool middle,
                                double kick, double dt)
{
    const noise_step n = {.place = middle ? NOISE_MIDDLE : NOISE_FIRST,
                          .kick = (TORRE_STATE)kick,
                          .dt = (TORRE_STATE)(middle ? 0.5 * dt : dt)};
    return add_noise(store, noise, n);
}

/* Of the four numbers of velocities, of squares. */
TORRE_INLINE void square_part(const torre_md_store *store, int64_t low, int64_t high, bool types,
                              double s[5])
{
    const TORRE_STATE *v = store->velocity;
    for (int64_t i = low; i < high; i++) {
        const double weight = types ? weight_of(store, i) : 1;
        for (int a = 0; a < 3; a++) {
            const double c = (double)v[4 * i + a], momentum = types ? weight * c : c;
            s[a] += momentum;
            s[4] += c * momentum;
        }
        s[3] += (double)v[4 * i + 3];
    }
}

static void square_sums(void *context, int64_t low, int64_t high, double *s)
{
    const torre_md_store *store = context;
    if (store->types)
        square_part(store, low, high, true, s);
    else
        square_part(store, low, high, false, s);
}

/* Of squares along each axis. */
static void axis_part(void *context, int64_t low, int64_t high, double *s)
{
    const torre_md_store *store = context;
    const TORRE_STATE *v = store->velocity;
    for (int64_t i = low; i < high; i++) {
        const double weight = store->types ? weight_of(store, i) : 1;
        for (int a = 0; a < 3; a++) s[a] += weight * (double)v[4 * i + a] * (double)v[4 * i + a];
    }
}

/* Of minimisation. */
static void relax_part(void *context, int64_t low, int64_t high, double *s)
{
    const torre_md_store *store = context;
    const TORRE_STATE *v = store->velocity, *f = store->force;
    for (int64_t i = low; i < high; i++) {
        const double weight = store->types ? weight_of(store, i) : 1;
        double power = 0, push = 0, speed = 0;
        for (int a = 0; a < 3; a++) {
            const double x = (double)f[4 * i + a], y = (double)v[4 * i + a];
            power += x * y;
            push += x * x;
            speed += y * y;
        }
        s[TORRE_FIRE_POWER] += weight * power;
        s[TORRE_FIRE_PUSH] += weight * push;
        s[TORRE_FIRE_SPEED] += weight * speed;
        s[TORRE_FIRE_FORCE] += weight * weight * push;
    }
}

static void add_parts(const torre_md_store *store,
                      void (*add)(void *context, int64_t low, int64_t high, double *sum), int width,
                      double *total)
{
    torre_md_sum(
        store,
        &(torre_md_sum_of){.places = PART, .width = width, .add = add, .context = (void *)store},
        total);
}

static double state_square_sum(const torre_md_store *store, double sum[4])
{
    double total[5];
    add_parts(store, square_sums, 5, total);
    memcpy(sum, total, 4 * sizeof *sum);
    return total[4];
}

static void state_axis_squares(const torre_md_store *store, double sum[3])
{
    add_parts(store, axis_part, 3, sum);
}

static void state_relax_sums(const torre_md_store *store, double sum[TORRE_FIRE_SUMS])
{
    add_parts(store, relax_part, TORRE_FIRE_SUMS, sum);
}

static double state_relax(torre_md_store *store, const torre_fire *fire, double kick, double most)
{
    torre_quad_state *restrict r = store->position, *restrict v = store->velocity;
    const torre_quad_state *restrict f = store->force, *restrict h = store->hold;
    const TORRE_STATE keep = (TORRE_STATE)fire->keep, add = (TORRE_STATE)(fire->add + kick);
    const TORRE_STATE dt = (TORRE_STATE)fire->dt;
    const double fastest = most / fire->dt;
    double far = 0;
#pragma omp parallel for reduction(max : far) num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) {
        torre_quad_state u = keep * v[i] + add * f[i];
        const double x = (double)u[0], y = (double)u[1], z = (double)u[2];
        const double speed = sqrt(x * x + y * y + z * z);
        if (speed > fastest) u *= (TORRE_STATE)(fastest / speed);
        v[i] = u;
        r[i] += dt * u;
        torre_pack(store, i);
        const torre_quad_state d = r[i] - h[i];
        const double square = (double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (!(square <= far)) far = isnan(square) ? INFINITY : square;
    }
    return far;
}

static int64_t state_wrap(torre_md_store *store, const double box[3])
{
    TORRE_STATE *r = store->position, *h = store->hold;
    int64_t bad = INT64_MAX;
#pragma omp parallel for reduction(min : bad) num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) {
        for (int64_t k = 4 * i; k < 4 * i + 3; k++) {
            TORRE_STATE edge = (TORRE_STATE)box[k - 4 * i], x = h[k], turn = 0;
            if (x >= edge) turn = -edge;
            if (x < 0) turn = edge;
            x += turn;
            /* a small negative number can round to the edge itself */
            if (x == edge) x = 0, turn -= edge;
            if (!(x >= 0 && x < edge) && i < bad) bad = i;
            h[k] = x;
            r[k] += turn;
        }
    }
    pack(store);
    return bad == INT64_MAX ? -1 : bad;
}

static void state_bin(const torre_md_store *store, torre_bins *bins)
{
    const TORRE_STATE *r = store->hold;
#pragma omp parallel for num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) {
        const double at[3] = {(double)r[4 * i], (double)r[4 * i + 1], (double)r[4 * i + 2]};
        torre_bins_put(bins, i, at);
    }
}

static void state_permute(torre_md_store *store, const torre_bins *bins, void **quads)
{
    const torre_quad_state *from = *quads;
    torre_quad_state *to = store->spare;
#pragma omp parallel for num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) to[i] = from[bins->member[i]];
    to[store->far] = from[store->far];
    store->spare = *quads;
    *quads = to;
}

static void state_hold(torre_md_store *store, double ahead, double most)
{
    const TORRE_STATE *r = store->position, *v = store->velocity;
    TORRE_STATE *h = store->hold;
#pragma omp parallel for num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) {
        double square = 0, share = ahead;
        for (int64_t k = 4 * i; k < 4 * i + 3; k++) square += (double)v[k] * (double)v[k];
        if (ahead * ahead * square > most * most) share = most / sqrt(square);
        for (int64_t k = 4 * i; k < 4 * i + 3; k++) h[k] = r[k] + (TORRE_STATE)share * v[k];
        h[4 * i + 3] = 0; /* which nobody reads, but checkpoints show */
    }
}

const torre_md_state_loops TORRE_TYPED(torre_md_state) = {
    .isa = TORRE_ISA,
    .state_size = sizeof(TORRE_STATE),
    .pair_size = sizeof(TORRE_REAL),
    .load = state_load,
    .unload = state_unload,
    .kick_drift = state_kick_drift,
    .scale = state_scale,
    .scale_axes = state_scale_axes,
    .stretch = state_stretch,
    .relax_sums = state_relax_sums,
    .relax = state_relax,
    .noise = state_noise,
    .noise_drift = state_noise_drift,
    .moved = state_moved,
    .square_sum = state_square_sum,
    .axis_squares = state_axis_squares,
    .pack = pack,
    .wrap = state_wrap,
    .bin = state_bin,
    .permute = state_permute,
    .hold = state_hold,
    .build = state_build,
};
