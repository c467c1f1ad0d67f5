/*
 * Loops over pairs for one pair model, one precision and one instruction set: a C template included
 * by the generated md_force_*.c, after lanes.h's and the pair model's definitions.
 *
 * Every sweep works on a fixed partition of the particles (or bins), and sums of a part are added
 * up in the order of the parts: results do not depend on the number of threads.
 */
#include <string.h>

#include "particles/md_sum.h"

#if defined TORRE_PAIR_TYPES && TORRE_PAIR_DISSIPATES
/* Particles that dissipate are of one type. */
const torre_md_force_loops TORRE_TYPED(torre_md_force) = {0};
#else

#include "particles/cpu/md_packed.h"
#include "particles/cpu/md_stage.h"

#define PART 256 /* particles of a part */

#ifdef TORRE_PAIR_TYPES
/* Constants of two types, and those of the pairs in the lanes of a vector. */
typedef struct type_constants {
    TORRE_TYPED(torre_pair) pair;
    TORRE_REAL cutoff_sq, shift;
} type_constants;

typedef struct lane_constants {
    TORRE_TYPED(torre_pair_values) pair;
    torre_lanes cutoff_sq, shift;
} lane_constants;

enum { TYPE_CONSTANTS = sizeof(type_constants) / sizeof(TORRE_REAL) };

/* For each lane those of row[type]. The number of types is small: each is compared with. */
TORRE_INLINE lane_constants choose(const type_constants *row, int types, torre_lanes type)
{
    torre_lanes chosen[TYPE_CONSTANTS];
    lane_constants constants;
    _Static_assert(sizeof chosen == sizeof constants, "constants must be of one type");
    const TORRE_REAL *value = (const TORRE_REAL *)row;
#pragma GCC unroll 16
    for (int k = 0; k < TYPE_CONSTANTS; k++) chosen[k] = value[k] - (torre_lanes){0};
    for (int t = 1; t < types; t++) {
        const torre_mask own = type == (TORRE_REAL)t;
        value += TYPE_CONSTANTS;
#pragma GCC unroll 16
        for (int k = 0; k < TYPE_CONSTANTS; k++) {
            const torre_lanes all = value[k] - (torre_lanes){0};
            chosen[k] = (torre_lanes)(((torre_mask)chosen[k] & ~own) | ((torre_mask)all & own));
        }
    }
    memcpy(&constants, chosen, sizeof constants);
    return constants;
}
#endif

/* Constants of a sweep. */
typedef struct sweep {
#ifdef TORRE_PAIR_TYPES
    int types;
    type_constants table[TORRE_MD_TYPES * TORRE_MD_TYPES]; /* [types][types] */
    TORRE_STATE share[TORRE_MD_TYPES];                     /* mass of the problem over theirs */
#else
    TORRE_TYPED(torre_pair) pair;
    TORRE_REAL cutoff_sq;
#endif
    torre_positions positions;
    TORRE_STATE kick;
#if TORRE_PAIR_DISSIPATES
    const torre_quad_state *velocity;
    torre_quad_state *next; /* where velocities go, since others still read the old ones */
#endif
#if TORRE_PAIR_FIELD
    TORRE_TYPED(torre_pair_walls) walls;
#endif
} sweep;

/* What a sweep is for. */
enum want {
    WANT_FORCES,
    WANT_VIRIAL, /* these, and d . F */
    WANT_AXES,   /* these, and d_a F_a along each axis */
    WANT_SUMS    /* no forces */
};

/* Potential, virial and pairs inside the cutoff, energy of fields, or d_a F_a, of one part. */
typedef struct part_sums {
    double potential, virial, inside, field, shift, axis[3];
} part_sums;

/* What a sweep with forces is for. Forces that dissipate have no barostat. */
static enum want want_virial(const torre_md_problem *problem, const double virial[3])
{
    if (!virial || TORRE_PAIR_DISSIPATES) return WANT_FORCES;
    return problem->pressure_axes == TORRE_PRESSURE_AXES ? WANT_AXES : WANT_VIRIAL;
}

/* What one particle has gathered. */
typedef struct gathered {
    torre_sum_lanes fx, fy, fz, power;
    torre_wide_lanes potential, virial, inside, shift;
    torre_lanes xx, yy, zz; /* of WANT_VIRIAL, xx is d . F */
} gathered;

/* What one vector of neighbours does to a particle. */
typedef struct push {
    torre_sum_lanes fx, fy, fz, power;
} push;

#ifdef TORRE_PAIR_TYPES
static void add_types(sweep *s, const torre_md_store *store, const torre_md_problem *problem,
                      double kick)
{
    const int types = s->types = problem->types->count;
    for (int k = 0; k < types * types; k++) {
        const torre_md_problem between = torre_md_problem_between(problem, k / types, k % types);
        s->table[k] = (type_constants){
            .pair = TORRE_TYPED(torre_pair_make)(&between, kick),
            .cutoff_sq = (TORRE_REAL)(between.cutoff * between.cutoff),
            .shift = (TORRE_REAL)TORRE_TYPED(torre_pair_shift)(&between),
        };
    }
    for (int a = 0; a < types; a++) s->share[a] = (TORRE_STATE)(1 / store->weight[a]);
}
#endif

/* What a sweep reads and writes is in this store, its own or that of another rank. */
static sweep sweep_in(sweep s, const torre_md_store *store)
{
    s.positions = torre_positions_of(store);
#if TORRE_PAIR_DISSIPATES
    s.velocity = store->velocity;
    s.next = store->spare;
#endif
    return s;
}

static sweep sweep_make(const torre_md_store *store, const torre_md_problem *problem, double kick)
{
    sweep s = sweep_in((sweep){.kick = (TORRE_STATE)kick}, store);
#ifdef TORRE_PAIR_TYPES
    add_types(&s, store, problem, kick);
#else
    s.pair = TORRE_TYPED(torre_pair_make)(problem, kick);
    s.cutoff_sq = (TORRE_REAL)(problem->cutoff * problem->cutoff);
#endif
#if TORRE_PAIR_FIELD
    s.walls = TORRE_TYPED(torre_pair_walls_at)(&s.pair, store->step);
#endif
    return s;
}

/* All velocities are kicked: they become those of the store. */
static void sweep_end(const sweep *s, torre_md_store *store, const torre_md_sums *sums)
{
    (void)s, (void)store, (void)sums;
#if TORRE_PAIR_DISSIPATES
    if (sums) return;
    s->next[store->far] = ((torre_quad_state *)store->velocity)[store->far];
    store->spare = store->velocity;
    store->velocity = s->next;
#endif
}

#if TORRE_PAIR_DISSIPATES
/* d . (v_i - v_j) */
TORRE_INLINE torre_lanes approach(const sweep *s, int64_t i, const int32_t *list, torre_lanes dx,
                                  torre_lanes dy, torre_lanes dz)
{
    torre_lanes u, v, w, unused;
    if (TORRE_PACKED) {
        for (int l = 0; l < TORRE_LANES; l++) {
            const torre_quad_state apart = s->velocity[i] - s->velocity[list[l]];
            u[l] = (TORRE_REAL)apart[0];
            v[l] = (TORRE_REAL)apart[1];
            w[l] = (TORRE_REAL)apart[2];
        }
        return dx * u + dy * v + dz * w;
    }
    const TORRE_REAL *own = (const TORRE_REAL *)&s->velocity[i];
    torre_lanes_gather((const torre_quad *)s->velocity, list, &u, &v, &w, &unused);
    return dx * (own[0] - u) + dy * (own[1] - v) + dz * (own[2] - w);
}
#endif

/* Type of the particle in place i. */
TORRE_INLINE int type_of(const torre_md_store *store, int64_t i)
{
    return (int)((const TORRE_STATE *)store->position)[4 * i + 3];
}

/* Add the forces of one vector of neighbours of these types, lanes `live` of list, on the particle
 * in place i, which is of type `own`. */
TORRE_INLINE push interact(const sweep *s, int64_t i, int own, const int32_t *list,
                           torre_lanes type, torre_mask live, torre_lanes dx, torre_lanes dy,
                           torre_lanes dz, enum want want, gathered *g)
{
    push p = {0};
    torre_lanes rsq = dx * dx + dy * dy + dz * dz, rv = {0}, energy, power = {0};
    (void)i, (void)list, (void)own, (void)type;
#ifdef TORRE_PAIR_TYPES
    const lane_constants chosen = choose(s->table + own * s->types, s->types, type), *c = &chosen;
#else
    const sweep *c = s;
#endif
    torre_mask inside = (rsq < c->cutoff_sq) & live;
#if TORRE_PAIR_DISSIPATES
    if (!torre_lanes_any(inside)) return p; /* most neighbours do not touch */
    rv = approach(s, i, list, dx, dy, dz);
#endif
    torre_lanes f = TORRE_TYPED(torre_pair_eval)(&c->pair, rsq, rv, &energy, &power);
    f = torre_lanes_keep(f, inside);
    p.fx = __builtin_convertvector(f * dx, torre_sum_lanes);
    p.fy = __builtin_convertvector(f * dy, torre_sum_lanes);
    p.fz = __builtin_convertvector(f * dz, torre_sum_lanes);
    g->fx += p.fx;
    g->fy += p.fy;
    g->fz += p.fz;
#if TORRE_PAIR_DISSIPATES
    p.power = __builtin_convertvector(torre_lanes_keep(power, inside), torre_sum_lanes);
    g->power += p.power;
#endif
    if (want == WANT_VIRIAL) g->xx += f * rsq;
    if (want == WANT_AXES) {
        g->xx += f * dx * dx;
        g->yy += f * dy * dy;
        g->zz += f * dz * dz;
    }
    if (want == WANT_SUMS) {
        energy = torre_lanes_keep(energy, inside);
        g->potential += __builtin_convertvector(energy, torre_wide_lanes);
        g->virial += __builtin_convertvector(f * rsq, torre_wide_lanes);
        g->inside -= __builtin_convertvector(inside, torre_wide_lanes);
#ifdef TORRE_PAIR_TYPES
        g->shift += __builtin_convertvector(torre_lanes_keep(c->shift, inside), torre_wide_lanes);
#endif
    }
    return p;
}

/* The force on a particle, and its power; what else it has gathered is added to sums. */
TORRE_INLINE torre_quad_state take(const gathered *g, enum want want, part_sums *sums)
{
    torre_sum_lanes last = g->power; /* forces with a virial have none: it takes that place */
    if (want == WANT_VIRIAL) last = __builtin_convertvector(g->xx, torre_sum_lanes);
    torre_quad_state force = torre_lanes_sums(g->fx, g->fy, g->fz, last);
    if (want == WANT_FORCES) return force;
    if (want == WANT_VIRIAL) {
        sums->virial += (double)force[3];
        force[3] = 0;
        return force;
    }
    if (want == WANT_AXES) {
        const torre_quad_state axes =
            torre_lanes_sums(__builtin_convertvector(g->xx, torre_sum_lanes),
                             __builtin_convertvector(g->yy, torre_sum_lanes),
                             __builtin_convertvector(g->zz, torre_sum_lanes), g->power);
        for (int a = 0; a < 3; a++) sums->axis[a] += (double)axes[a];
        return force;
    }
    sums->potential += torre_lanes_total(g->potential);
    sums->virial += torre_lanes_total(g->virial);
    sums->inside += torre_lanes_total(g->inside);
#ifdef TORRE_PAIR_TYPES
    sums->shift += torre_lanes_total(g->shift);
#endif
    return force;
}

/* share: 1 where each pair was met once, 1/2 where it was met from both sides. */
static void tell_sums(const part_sums *all, double share, const torre_md_problem *problem,
                      double virial[3], torre_md_sums *sums)
{
    const bool axes = problem->pressure_axes == TORRE_PRESSURE_AXES;
    for (int a = 0; virial && a < 3; a++) /* of an isotropic barostat means do */
        virial[a] = share * (axes ? all->axis[a] : all->virial / 3);
    if (!sums) return;
    sums->potential = share * all->potential + all->field;
    sums->virial = share * all->virial;
    sums->contacts = share * all->inside;
#ifdef TORRE_PAIR_TYPES
    sums->potential_shift = share * all->shift;
#else
    sums->potential_shift = share * all->inside * TORRE_TYPED(torre_pair_shift)(problem);
#endif
}

enum { SUMS = sizeof(part_sums) / sizeof(double) };

/* The same of the parts of a sweep; of all ranks. */
static void total_sums(const torre_md_store *store, const part_sums *parts, int64_t count,
                       double share, const torre_md_problem *problem, double virial[3],
                       torre_md_sums *sums)
{
    part_sums all;
    torre_md_sum_rows(store, (const double *)parts, count, SUMS, (double *)&all);
    tell_sums(&all, share, problem, virial, sums);
}

/* The force of the others on a particle is complete: add that of fields, and then the second kick
 * of the step; or, where sums are wanted, only the energy of fields. */
TORRE_INLINE void set_force(const sweep *s, const torre_md_store *store, int64_t i,
                            torre_quad_state force, part_sums *sums)
{
    torre_quad_state *velocity = store->velocity;
#if TORRE_PAIR_FIELD
    TORRE_STATE energy, power;
    const int axis = s->pair.axis;
    force[axis] += TORRE_TYPED(torre_pair_field)(&s->pair, &s->walls,
                                                 ((torre_quad_state *)store->position)[i][axis],
                                                 velocity[i][axis], &energy, &power);
    force[3] += power;
    if (sums) sums->field += (double)energy;
#endif
    if (sums) return;
#ifdef TORRE_PAIR_TYPES
    force *= s->share[type_of(store, i)];
#endif
    ((torre_quad_state *)store->force)[i] = force;
#if TORRE_PAIR_DISSIPATES
    s->next[i] = velocity[i] + s->kick * force;
#else
    velocity[i] += s->kick * force;
#endif
}

/* Particle i with its list; scatter: subtract from the partners' quads too (half lists). */
TORRE_INLINE void list_particle(const sweep *s, const torre_md_store *store,
                                const torre_md_lists *lists, int64_t i, int wraps, enum want want,
                                TORRE_STATE *scatter, gathered *g)
{
    const int64_t number = i - lists->first;
    const int32_t *list = lists->start[number], length = lists->length[number];
    const int own = type_of(store, i);
    for (int32_t k = 0; k < length; k += TORRE_LANES) {
        torre_lanes x, y, z, type;
        const torre_mask live =
            torre_separation(&s->positions, i, list + k, length - k, wraps, &x, &y, &z, &type);
        const push p = interact(s, i, own, list + k, type, live, x, y, z, want, g);
        if (!scatter) continue;
        for (int l = 0; l < TORRE_LANES; l++) {
            TORRE_STATE *to = scatter + 4 * (int64_t)list[k + l];
            to[0] -= p.fx[l];
            to[1] -= p.fy[l];
            to[2] -= p.fz[l];
            if (TORRE_PAIR_DISSIPATES) to[3] += p.power[l];
        }
    }
}

TORRE_INLINE void list_range(const sweep *s, const torre_md_store *store,
                             const torre_md_lists *lists, int64_t from, int64_t to, enum want want,
                             TORRE_STATE *scatter, part_sums *sums)
{
    for (int64_t i = from; i < to; i++) {
        gathered g = {0};
        /* most particles near a face are near one face only */
        switch (lists->wraps[i - lists->first]) {
        case 0:
            list_particle(s, store, lists, i, 0, want, scatter, &g);
            break;
        case 1:
            list_particle(s, store, lists, i, 1, want, scatter, &g);
            break;
        case 2:
            list_particle(s, store, lists, i, 2, want, scatter, &g);
            break;
        case 4:
            list_particle(s, store, lists, i, 4, want, scatter, &g);
            break;
        default:
            list_particle(s, store, lists, i, 7, want, scatter, &g);
        }
        const torre_quad_state force = take(&g, want, sums);
        if (scatter)
            *(torre_quad_state *)(scatter + 4 * i) += force;
        else
            set_force(s, store, i, force, want == WANT_SUMS ? sums : NULL);
    }
}

/* A copy of the loops for each of what may be wanted. */
TORRE_INLINE void list_part(const sweep *s, const torre_md_store *store,
                            const torre_md_lists *lists, int64_t from, int64_t to, enum want want,
                            TORRE_STATE *scatter, part_sums *sums)
{
    if (want == WANT_SUMS)
        list_range(s, store, lists, from, to, WANT_SUMS, scatter, sums);
    else if (want == WANT_AXES && !TORRE_PAIR_DISSIPATES)
        list_range(s, store, lists, from, to, WANT_AXES, scatter, sums);
    else if (want == WANT_VIRIAL && !TORRE_PAIR_DISSIPATES)
        list_range(s, store, lists, from, to, WANT_VIRIAL, scatter, sums);
    else
        list_range(s, store, lists, from, to, WANT_FORCES, scatter, sums);
}

static part_sums *new_parts(int64_t count)
{
    part_sums *parts = calloc((size_t)(count > 0 ? count : 1), sizeof *parts);
    if (!parts)
        torre_fail(TORRE_ERR_RESOURCE, "no memory for the sums of %lld parts", (long long)count);
    return parts;
}

/* A sweep over lists with sums. */
typedef struct summing {
    const sweep *s;
    const torre_md_store *store;
    const torre_md_lists *lists;
    enum want want;
} summing;

static void sum_range(void *context, int64_t low, int64_t high, double *sum)
{
    const summing *c = context;
    list_part(c->s, c->store, c->lists, low, high, c->want, NULL, (part_sums *)sum);
}

/* Forces on particles of a tail that nobody has taken yet: all have lists, so that places of a tail
 * follow each other. */
static void sweep_tail(const sweep *s, torre_md_tail *tail)
{
    const sweep there = sweep_in(*s, &tail->store);
    int64_t low, high;
    while (torre_md_tail_take(tail, PART, &low, &high))
        list_range(&there, &tail->store, &tail->lists, tail->place[low], tail->place[high - 1] + 1,
                   WANT_FORCES, NULL, NULL);
}

static torre_status sweep_full(torre_md_store *store, const torre_md_problem *problem, double kick,
                               const torre_md_lists *lists, torre_md_tail *tail, int tails,
                               double virial[3], torre_md_sums *sums)
{
    const sweep s = sweep_make(store, problem, kick);
    const int64_t count = store->count - (tails > 0 ? tail[0].count : 0);
    const int64_t parts = (count + PART - 1) / PART;
    const enum want want = sums ? WANT_SUMS : want_virial(problem, virial);
    if (want != WANT_FORCES) {
        summing c = {&s, store, lists, want};
        part_sums all;
        torre_md_sum(
            store,
            &(torre_md_sum_of){.places = PART, .width = SUMS, .add = sum_range, .context = &c},
            (double *)&all);
        tell_sums(&all, 0.5, problem, virial, sums);
    } else {
#pragma omp parallel num_threads(store->threads)
        {
#pragma omp for schedule(dynamic, 4) nowait
            for (int64_t p = 0; p < parts; p++) {
                int64_t from = p * PART, to = from + PART < count ? from + PART : count;
                list_range(&s, store, lists, from, to, WANT_FORCES, NULL, NULL);
            }
            for (int t = 0; t < tails; t++) sweep_tail(&s, &tail[t]);
        }
    }
    sweep_end(&s, store, sums);
    return TORRE_OK;
}

static torre_status sweep_half(torre_md_store *store, const torre_md_problem *problem, double kick,
                               const torre_md_lists *lists, int parts, void *parts_force,
                               double virial[3], torre_md_sums *sums)
{
    const sweep s = sweep_make(store, problem, kick);
    const int64_t quads = store->count + 1, each = (store->count + parts - 1) / parts;
    const enum want want = sums ? WANT_SUMS : want_virial(problem, virial);
    part_sums *part = new_parts(parts);
    if (!part) return TORRE_ERR_RESOURCE;
#pragma omp parallel for schedule(dynamic, 1) num_threads(store->threads)
    for (int p = 0; p < parts; p++) {
        int64_t from = p * each, to = from + each < store->count ? from + each : store->count;
        TORRE_STATE *force = (TORRE_STATE *)parts_force + 4 * quads * p;
        memset(force, 0, (size_t)quads * 4 * sizeof *force);
        list_part(&s, store, lists, from, to, want, force, &part[p]);
    }
    const torre_quad_state *of_parts = parts_force;
#pragma omp parallel for num_threads(store->threads)
    for (int q = 0; q < parts; q++) {
        int64_t from = q * each, to = from + each < store->count ? from + each : store->count;
        for (int64_t i = from; i < to; i++) {
            torre_quad_state f = {0};
            for (int p = 0; p < parts; p++) f += of_parts[quads * p + i];
            set_force(&s, store, i, f, sums ? &part[q] : NULL);
        }
    }
    sweep_end(&s, store, sums);
    total_sums(store, part, parts, 1, problem, virial, sums);
    free(part);
    return TORRE_OK;
}

/* own - others[0 .. TORRE_LANES - 1]; in mixed precision of f64 differences. */
TORRE_INLINE torre_lanes apart(TORRE_STATE own, const TORRE_STATE *others)
{
    torre_sum_lanes there;
    memcpy(&there, others, sizeof there);
    return __builtin_convertvector(own - there, torre_lanes);
}

/* All pairs of one staged bin's own particles with the stage. */
TORRE_INLINE void stage_sweep(const sweep *s, const torre_md_store *store, torre_stage *stage,
                              enum want want, part_sums *sums)
{
    for (int64_t i = 0; i < stage->own; i++) {
        gathered g = {0};
        const TORRE_STATE x = stage->x[i], y = stage->y[i], z = stage->z[i];
        const int own = type_of(store, stage->member[i]);
        stage->x[i] = stage->x[stage->count]; /* out of its own reach */
        for (int64_t k = 0; k < stage->count; k += TORRE_LANES) {
            torre_lanes type = {0};
#ifdef TORRE_PAIR_TYPES
            type = -apart(0, stage->type + k);
#endif
            interact(s, stage->member[i], own, stage->member + k, type, torre_lanes_all(),
                     apart(x, stage->x + k), apart(y, stage->y + k), apart(z, stage->z + k), want,
                     &g);
        }
        stage->x[i] = x;
        set_force(s, store, stage->member[i], take(&g, want, sums),
                  want == WANT_SUMS ? sums : NULL);
    }
}

static torre_status sweep_tile(torre_md_store *store, const torre_md_problem *problem, double kick,
                               const torre_bins *bins, double virial[3], torre_md_sums *sums)
{
    const sweep s = sweep_make(store, problem, kick);
    const int64_t first = bins->own[0], parts = bins->own[1] - first;
    const enum want want = sums ? WANT_SUMS : want_virial(problem, virial);
    part_sums *part = want != WANT_FORCES ? new_parts(parts) : NULL;
    if (want != WANT_FORCES && !part) return TORRE_ERR_RESOURCE;
    int failed = 0;
#pragma omp parallel num_threads(store->threads) reduction(| : failed)
    {
        torre_stage stage;
        const bool ready = torre_stage_make(bins, &stage);
        failed |= !ready;
#pragma omp for schedule(dynamic, 8)
        for (int64_t rank = first; rank < bins->own[1]; rank++) {
            if (!ready || bins->start[rank] == bins->start[rank + 1]) continue;
            torre_stage_fill(store, store->position, bins, rank, &stage);
            part_sums *to = part ? &part[rank - first] : NULL;
            if (want == WANT_SUMS)
                stage_sweep(&s, store, &stage, WANT_SUMS, to);
            else if (want == WANT_AXES && !TORRE_PAIR_DISSIPATES)
                stage_sweep(&s, store, &stage, WANT_AXES, to);
            else if (want == WANT_VIRIAL && !TORRE_PAIR_DISSIPATES)
                stage_sweep(&s, store, &stage, WANT_VIRIAL, to);
            else
                stage_sweep(&s, store, &stage, WANT_FORCES, to);
        }
        if (ready) torre_stage_free(&stage);
    }
    sweep_end(&s, store, sums);
    if (part) total_sums(store, part, parts, 0.5, problem, virial, sums);
    free(part);
    if (failed) return torre_fail(TORRE_ERR_RESOURCE, "no memory for the stage of a tile");
    return TORRE_OK;
}

const torre_md_force_loops TORRE_TYPED(torre_md_force) = {sweep_full, sweep_half, sweep_tile};
#endif
