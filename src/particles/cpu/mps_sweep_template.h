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
    real influence, reach_sq;
} view;

static view view_of(const torre_mps_field *f)
{
    const double influence = f->constants.influence;
    return (view){.positions = torre_positions_of(f->store),
                  .lists = f->lists,
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

typedef double quad_double __attribute__((vector_size(4 * sizeof(double))));

/* Of the first three numbers; infinite where one is not a number. */
TORRE_INLINE double square_of(torre_quad_state q)
{
    const quad_double d = __builtin_convertvector(q, quad_double);
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return isnan(square) ? INFINITY : square;
}

static inline double larger(double a, double b) { return a > b ? a : b; }

static inline bool is_fluid(const torre_mps_field *f, int64_t i)
{
    return f->store->id[i] < f->fluid;
}

static inline bool moves_with_gate(const torre_mps_field *f, int64_t i)
{
    const int32_t id = f->store->id[i];
    return f->gate.moves && id >= f->gate.first && id < f->gate.end;
}

typedef enum sweep_kind { VISCOSITY, DENSITY, GRADIENT } sweep_kind;

/* A sweep; where it moves particles, the store as it is afterwards, whose arrays take what others
 * still read in those of now, and of those moved so far the largest squares. */
typedef struct move {
    const torre_mps_field *field;
    sweep_kind kind;
    view view;
    torre_md_store next;
    double speed, far;
    bool drifts; /* something that does not move has a velocity */
} move;

static move move_begin(const torre_mps_field *f, sweep_kind kind)
{
    const torre_md_store *now = f->store;
    move m = {.field = f, .kind = kind, .view = view_of(f), .next = *now};
    if (kind == DENSITY) return m;
    m.next.position = now->spare;
    m.next.spare = now->position;
    m.next.packed = TORRE_PACKED ? now->spare_packed : m.next.position;
    if (TORRE_PACKED) m.next.spare_packed = now->packed;
    if (kind == GRADIENT) return m;
    m.next.velocity = now->force;
    m.next.force = now->velocity;
    return m;
}

static void put_position(torre_md_store *next, int64_t i, torre_quad_state r)
{
    ((torre_quad_state *)next->position)[i] = r;
    torre_pack(next, i);
}

static void move_end(move *m)
{
    torre_md_store *store = m->field->store;
    put_position(&m->next, store->far, ((const torre_quad_state *)store->position)[store->far]);
    *store = m->next;
}

/* u += dt a, r += drift u + step a; one of drift and step is 0, but both stand here, so that
 * compilers round all moves alike. The fourth numbers stay. */
TORRE_INLINE void advance(const torre_mps_field *f, torre_quad_state a, double drift, double step,
                          torre_quad_state *r, torre_quad_state *u)
{
    const TORRE_STATE kick = (TORRE_STATE)f->constants.dt, along = (TORRE_STATE)drift,
                      square = (TORRE_STATE)step;
    a[3] = 0;
    *u += kick * a;
    torre_quad_state by = along * *u + square * a;
    by[3] = 0;
    *r += by;
}

/* Accelerations of particles that a thread takes, before it moves them. They lie half a page from
 * where positions do in theirs: processors take a load for one of what has just been stored when
 * the twelve low bits of addresses agree, and wait for that. */
#define PAGE 4096
typedef struct kicks {
    _Alignas(PAGE) char apart[PAGE / 2];
    torre_quad_state a[PART];
} kicks;

/* sum of (u_j - u_i) w and gravity; velocities are of the state type. */
TORRE_INLINE torre_quad_state viscosity_of(const move *m, int64_t i, int64_t number)
{
    const torre_mps_field *f = m->field;
    const TORRE_STATE *velocity = f->store->velocity, *u = velocity + 4 * i;
    const TORRE_STATE factor = (TORRE_STATE)f->constants.viscosity_factor;
    const int32_t *list = f->lists->start[number];
    torre_sum_lanes ax = {0}, ay = {0}, az = {0}, zero = {0};
    for (int32_t k = 0; k < f->lists->length[number]; k += TORRE_LANES) {
        pairs p = pairs_at(&m->view, i, number, k);
        torre_sum_lanes w =
            __builtin_convertvector(weight_of(&p, m->view.influence), torre_sum_lanes);
        torre_sum_lanes ux, uy, uz;
        gather_velocities(velocity, list + k, &ux, &uy, &uz);
        ax += (ux - u[0]) * w;
        ay += (uy - u[1]) * w;
        az += (uz - u[2]) * w;
    }
    torre_quad_state sum = factor * torre_lanes_sums(ax, ay, az, zero);
    sum[1] -= (TORRE_STATE)f->constants.gravity;
    return sum;
}

/* Of a gate: the velocity of this step, and such a place that the move with it ends where the gate
 * is at the end of the step: nothing adds up. */
static void put_gate(const torre_mps_field *f, int64_t i, torre_quad_state *r, torre_quad_state *u)
{
    const torre_mps_gate *g = &f->gate;
    (*u)[1] = (TORRE_STATE)g->velocity;
    (*r)[1] = (TORRE_STATE)(g->height[f->store->id[i] - g->first] + g->lifted - g->step);
}

static inline int64_t number_of(const torre_mps_field *f, int64_t k)
{
    return f->in_turn ? k : f->place[k];
}

/* A new position and velocity, and how far that is. */
TORRE_INLINE void predict_put(move *m, int64_t i, torre_quad_state a, torre_quad_state r,
                              torre_quad_state u)
{
    const torre_mps_field *f = m->field;
    advance(f, a, f->constants.dt, 0, &r, &u);
    m->speed = larger(square_of(u), m->speed);
    m->far = larger(square_of(r - ((const torre_quad_state *)f->store->hold)[i]), m->far);
    put_position(&m->next, i, r);
    ((torre_quad_state *)m->next.velocity)[i] = u;
}

static void predict_fluid(move *m, int64_t low, int64_t high)
{
    const torre_mps_field *f = m->field;
    const torre_quad_state *from = f->store->position, *velocity = f->store->velocity;
    kicks all;
    for (int64_t k = low; k < high; k++)
        all.a[k - low] = viscosity_of(m, f->place[k], number_of(f, k));
    for (int64_t k = low; k < high; k++) {
        const int64_t i = f->place[k];
        predict_put(m, i, all.a[k - low], from[i], velocity[i]);
    }
}

TORRE_INLINE void density_of(const torre_mps_field *f, const view *v, int64_t i, int64_t number)
{
    TORRE_STATE *pressure = f->pressure, *number_density = f->number_density;
    const TORRE_STATE n0 = (TORRE_STATE)f->constants.n0;
    const TORRE_STATE stiffness = (TORRE_STATE)f->constants.stiffness;
    torre_sum_lanes sum = {0}, zero = {0};
    for (int32_t k = 0; k < f->lists->length[number]; k += TORRE_LANES) {
        pairs p = pairs_at(v, i, number, k);
        sum += __builtin_convertvector(weight_of(&p, v->influence), torre_sum_lanes);
    }
    TORRE_STATE n = torre_lanes_sums(sum, zero, zero, zero)[0];
    number_density[i] = n;
    /* a number that is not finite must not be hidden by the comparison */
    pressure[i] = n < n0 ? 0 : stiffness * (n / n0 - 1);
}

static void density_fluid(const move *m, int64_t low, int64_t high)
{
    const torre_mps_field *f = m->field;
    for (int64_t k = low; k < high; k++) density_of(f, &m->view, f->place[k], number_of(f, k));
}

TORRE_INLINE torre_lanes overlap_of(const pairs *p, real distance)
{
    torre_lanes overlap = distance - p->square * p->inverse;
    return torre_lanes_keep(overlap, (overlap > 0) & p->near);
}

/* -(1/rho) grad P and collisions */
TORRE_INLINE torre_quad_state gradient_of(const move *m, int64_t i, int64_t number)
{
    const torre_mps_field *f = m->field;
    const TORRE_STATE *pressure = f->pressure;
    const torre_mps_constants *c = &f->constants;
    const TORRE_STATE factor = (TORRE_STATE)c->gradient_factor;
    const real spring = (real)(c->collision_factor / c->gradient_factor);
    const real distance = (real)c->collision_distance, influence = m->view.influence;
    const int32_t *list = f->lists->start[number];
    torre_sum_lanes ax = {0}, ay = {0}, az = {0}, zero = {0};
    for (int32_t k = 0; k < f->lists->length[number]; k += TORRE_LANES) {
        pairs p = pairs_at(&m->view, i, number, k);
        torre_lanes both = {0};
        for (int l = 0; l < TORRE_LANES; l++) both[l] = (real)(pressure[i] + pressure[list[k + l]]);
        torre_lanes g = (both * p.inverse * TORRE_MPS_GRADIENT_WEIGHT(influence, p.inverse) +
                         spring * overlap_of(&p, distance)) *
                        p.inverse;
        g = torre_lanes_keep(g, p.near);
        ax += __builtin_convertvector(g * p.dx, torre_sum_lanes);
        ay += __builtin_convertvector(g * p.dy, torre_sum_lanes);
        az += __builtin_convertvector(g * p.dz, torre_sum_lanes);
    }
    return factor * torre_lanes_sums(ax, ay, az, zero);
}

static void correct_fluid(move *m, int64_t low, int64_t high)
{
    const torre_mps_field *f = m->field;
    const double dt = f->constants.dt;
    const torre_quad_state *from = f->store->position;
    torre_quad_state *velocity = m->next.velocity, *force = m->next.force;
    kicks all;
    for (int64_t k = low; k < high; k++)
        all.a[k - low] = gradient_of(m, f->place[k], number_of(f, k));
    for (int64_t k = low; k < high; k++) {
        const int64_t i = f->place[k];
        torre_quad_state r = from[i], u = velocity[i];
        advance(f, all.a[k - low], 0, dt * dt, &r, &u);
        m->speed = larger(square_of(u), m->speed);
        velocity[i] = u;
        put_position(&m->next, i, r);
        force[i] = all.a[k - low];
    }
}

static void compute_fluid(move *m, int64_t low, int64_t high)
{
    if (m->kind == VISCOSITY) predict_fluid(m, low, high);
    if (m->kind == DENSITY) density_fluid(m, low, high);
    if (m->kind == GRADIENT) correct_fluid(m, low, high);
}

/* A field as the rank sees it whose tail this is, with that for its fluid. */
static torre_mps_field field_of(const torre_mps_field *f, torre_md_tail *tail)
{
    torre_mps_field there = *f;
    const int64_t by = tail->store.first - f->store->first;
    there.store = &tail->store;
    there.lists = &tail->lists;
    there.place = tail->place;
    there.count = tail->count;
    there.in_turn = true;
    there.pressure = (TORRE_STATE *)f->pressure + by;
    there.number_density = (TORRE_STATE *)f->number_density + by;
    return there;
}

/* Fluid of a tail that nobody has taken yet. */
static void sweep_tail(move *m, torre_md_tail *tail)
{
    const torre_mps_field there = field_of(m->field, tail);
    move of = move_begin(&there, m->kind);
    int64_t low, high;
    while (torre_md_tail_take(tail, PART, &low, &high)) compute_fluid(&of, low, high);
    m->speed = larger(of.speed, m->speed);
    m->far = larger(of.far, m->far);
}

/* By each thread of a sweep. */
static void sweep_fluid(move *m)
{
    const torre_mps_field *f = m->field;
#pragma omp for schedule(dynamic) nowait
    for (int64_t low = 0; low < f->count; low += PART)
        compute_fluid(m, low, low + PART < f->count ? low + PART : f->count);
    for (int t = 0; t < f->tails; t++) sweep_tail(m, &f->tail[t]);
}

/* Of what is no fluid. */
static void predict_other(move *m, int64_t i)
{
    const torre_mps_field *f = m->field;
    torre_quad_state r = ((const torre_quad_state *)f->store->position)[i];
    torre_quad_state u = ((const torre_quad_state *)f->store->velocity)[i];
    if (moves_with_gate(f, i)) {
        put_gate(f, i, &r, &u);
        predict_put(m, i, (torre_quad_state){0}, r, u);
        return;
    }
    m->drifts = m->drifts || square_of(u) > 0;
    put_position(&m->next, i, r);
    ((torre_quad_state *)m->next.velocity)[i] = u;
}

/* Whether a sweep with a move has to write particles that are no fluid. */
static inline bool writes_others(const torre_mps_field *f) { return !f->still || f->gate.moves; }

static double sweep_viscosity(torre_mps_field *f, double *moved)
{
    move all = move_begin(f, VISCOSITY);
    const int64_t others = writes_others(f) ? f->store->count : 0;
    double speed = 0, far = 0;
    bool drifts = false;
#pragma omp parallel num_threads(all.next.threads) reduction(max                                   \
                                                             : speed, far) reduction(||            \
                                                                                     : drifts)
    {
        move m = all;
#pragma omp for schedule(dynamic, PART) nowait
        for (int64_t i = 0; i < others; i++)
            if (!is_fluid(f, i)) predict_other(&m, i);
        sweep_fluid(&m);
        speed = m.speed;
        far = m.far;
        drifts = m.drifts;
    }
    const int64_t last = f->store->far;
    ((torre_quad_state *)all.next.velocity)[last] = ((torre_quad_state *)all.next.force)[last];
    move_end(&all);
    f->still = !drifts;
    *moved = far;
    return sqrt(speed);
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
    const move all = move_begin(f, DENSITY);
    TORRE_STATE *pressure = f->pressure, *number_density = f->number_density;
#pragma omp parallel num_threads(f->store->threads)
    {
        move m = all;
#pragma omp for schedule(dynamic, PART) nowait
        for (int64_t list = 0; list < all_lists(f); list++) {
            const int64_t i = place_of(f, list);
            if (is_dummy(f, i)) pressure[i] = number_density[i] = 0;
            if (!is_fluid(f, i) && !is_left_out(f, list)) density_of(f, &m.view, i, list);
        }
        sweep_fluid(&m);
    }
    pressure[f->store->far] = 0; /* which pads lists */
}

/* Of what is no fluid. */
static void correct_other(move *m, int64_t i)
{
    put_position(&m->next, i, ((const torre_quad_state *)m->field->store->position)[i]);
    ((torre_quad_state *)m->next.force)[i] = (torre_quad_state){0};
}

static double sweep_gradient(const torre_mps_field *f)
{
    move all = move_begin(f, GRADIENT);
    const int64_t others = writes_others(f) ? f->store->count : 0;
    double speed = 0;
#pragma omp parallel num_threads(all.next.threads) reduction(max : speed)
    {
        move m = all;
#pragma omp for schedule(dynamic, PART) nowait
        for (int64_t i = 0; i < others; i++)
            if (!is_fluid(f, i)) correct_other(&m, i);
        sweep_fluid(&m);
        speed = m.speed;
    }
    move_end(&all);
    return sqrt(speed);
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

const torre_mps_loops TORRE_TYPED(torre_mps_loops) = {
    .viscosity = sweep_viscosity,
    .density = sweep_density,
    .gradient = sweep_gradient,
    .collision = sweep_collision,
};
