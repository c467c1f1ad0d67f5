/*
 * Sweeps of rough grains: a C template included by the generated grain_sweep_*.c, after lanes.h's
 * definitions. Neighbours are tested a vector at a time; the few that touch are taken one by one.
 *
 * Every grain adds up its own contacts, in the order of its list or stage, and nobody else's: bits
 * do not depend on the number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "particles/cpu/cpu_share.h"
#include "particles/cpu/grain_sweeps.h"
#include "particles/cpu/md_packed.h"
#include "particles/cpu/md_stage.h"
#include "particles/md_sum.h"
#include "particles/pair_granular.h"

#include "particles/grain_contact.h"

#define PART 256 /* grains of a part */

typedef TORRE_TYPED(torre_grain) grain_constants;
typedef TORRE_TYPED(torre_touch) grain_touch;
typedef TORRE_TYPED(torre_shove) grain_shove;

/* Constants of a sweep. */
typedef struct sweep {
    torre_grain_field *field;
    grain_constants grain;
    torre_positions positions;
    TORRE_REAL radius_unit; /* of the fourth number of a position as pairs read it */
    torre_quad_state *next; /* where velocities go, since others still read the old ones */
    TORRE_STATE kick;
    torre_grain_wall wall[6];
    double gravity[3];
    uint32_t now;
    bool with_sums;
} sweep;

typedef struct part_sums {
    double potential, virial, contacts;
} part_sums;

TORRE_INLINE void add_sums(part_sums *to, const part_sums *more)
{
    to->potential += more->potential;
    to->virial += more->virial;
    to->contacts += more->contacts;
}

/* A grain, and what it has gathered. */
typedef struct gathered {
    int64_t place, id;
    TORRE_REAL radius, spin[3];
    TORRE_REAL force[3], couple[3]; /* of one contact */
    TORRE_STATE sum[3], twist[3], power;
    part_sums sums;
    bool crowded;
} gathered;

static sweep sweep_make(torre_grain_field *f, double kick, bool with_sums)
{
    const torre_md_problem *p = f->problem;
    const torre_md_store *store = f->store;
    const double half = with_sums ? 0 : kick * p->mass;
    sweep s = {.field = f,
               .grain = TORRE_TYPED(torre_grain_make)(p, half, half > 0 ? p->dt : 0),
               .positions = torre_positions_of(store),
               .radius_unit = TORRE_PACKED ? (TORRE_REAL)(1 / store->turns[3]) : 1,
               .next = store->spare,
               .kick = (TORRE_STATE)kick,
               .now = TORRE_CONTACT_STEP(store->step),
               .with_sums = with_sums};
    torre_grain_walls(p, store->step, s.wall);
    torre_grain_gravity(p, s.gravity);
    return s;
}

static gathered gather_make(const sweep *s, int64_t place)
{
    const torre_md_store *store = s->field->store;
    gathered g = {.place = place, .id = store->id[place]};
    const TORRE_STATE *spin = (const TORRE_STATE *)s->field->spin + 4 * g.id;
    g.radius = (TORRE_REAL)((const TORRE_STATE *)store->position)[4 * place + 3];
    for (int a = 0; a < 3; a++) g.spin[a] = (TORRE_REAL)spin[a];
    return g;
}

/* Contact t with a partner, whose share of energy and power is the grain's. */
static void contact(const sweep *s, const grain_touch *t, int32_t partner, TORRE_REAL arm,
                    TORRE_REAL share, gathered *g)
{
    const torre_grain_field *f = s->field;
    torre_contact_key *key = f->key + g->id * f->slots;
    bool met = false;
    const int k = s->with_sums ? torre_grain_known(key, f->slots, partner, s->now)
                               : torre_grain_slot(key, f->slots, partner, s->now, &met);
    TORRE_REAL kept[TORRE_SPRINGS] = {0};
    TORRE_REAL *spring = (TORRE_REAL *)f->spring + TORRE_SPRINGS * (g->id * f->slots + k);
    g->crowded |= k < 0;
    if (k < 0) return;
    if (!met) memcpy(kept, spring, sizeof kept);
    const grain_shove shove = TORRE_TYPED(torre_grain_contact)(&s->grain, t, met, kept);
    g->sums.potential += (double)(share * shove.energy);
    if (s->with_sums) return;
    memcpy(spring, kept, sizeof kept);
    for (int a = 0; a < 3; a++) g->force[a] = g->couple[a] = 0;
    TORRE_TYPED(torre_shove_add)(t, &shove, arm, g->force, g->couple);
    for (int a = 0; a < 3; a++) {
        g->sum[a] += (TORRE_STATE)g->force[a];
        g->twist[a] += (TORRE_STATE)g->couple[a];
    }
    g->power += (TORRE_STATE)(share * shove.power);
}

/* With the grain in place j, of that radius, d away. */
static void meet(const sweep *s, int64_t j, TORRE_REAL other, const TORRE_REAL d[3], gathered *g)
{
    const torre_md_store *store = s->field->store;
    const TORRE_STATE *v = (const TORRE_STATE *)store->velocity;
    const int32_t partner = store->id[j];
    const TORRE_STATE *their_spin = (const TORRE_STATE *)s->field->spin + 4 * (int64_t)partner;
    TORRE_REAL velocity[3], spin[3];
    grain_touch t;
    for (int a = 0; a < 3; a++) {
        velocity[a] = (TORRE_REAL)(v[4 * g->place + a] - v[4 * j + a]);
        spin[a] = (TORRE_REAL)their_spin[a];
    }
    if (!TORRE_TYPED(torre_touch_grains)(&s->grain, d, g->radius, other, velocity, g->spin, spin,
                                         &t))
        return;
    contact(s, &t, partner, g->radius - t.overlap / 2, (TORRE_REAL)0.5, g);
    if (!s->with_sums) return;
    /* friction is across what separates them */
    TORRE_REAL none[TORRE_SPRINGS] = {0};
    const grain_shove shove = TORRE_TYPED(torre_grain_contact)(&s->grain, &t, true, none);
    g->sums.virial += (double)(shove.normal * (g->radius + other - t.overlap));
    g->sums.contacts++;
}

static void meet_walls(const sweep *s, gathered *g)
{
    const torre_md_store *store = s->field->store;
    const TORRE_STATE *r = (const TORRE_STATE *)store->position + 4 * g->place;
    const TORRE_STATE *v = (const TORRE_STATE *)store->velocity + 4 * g->place;
    for (int k = 0; k < 6; k++) {
        const torre_grain_wall *w = &s->wall[k];
        if (!w->side) continue;
        const TORRE_STATE away = w->side * (r[w->axis] - (TORRE_STATE)w->at);
        const TORRE_REAL overlap = (TORRE_REAL)(r[3] - away);
        if (!(overlap > 0)) continue;
        TORRE_REAL velocity[3];
        grain_touch t;
        for (int a = 0; a < 3; a++)
            velocity[a] = (TORRE_REAL)(v[a] - (a == w->axis ? (TORRE_STATE)w->velocity : 0));
        TORRE_TYPED(torre_touch_wall)
        (&s->grain, w->axis, w->side, overlap, g->radius, velocity, g->spin, &t);
        contact(s, &t, -1 - k, g->radius - overlap, 1, g);
    }
}

/* All contacts with grains are there: walls, gravity, and the second kick of the step. */
static void finish(const sweep *s, gathered *g)
{
    const torre_grain_field *f = s->field;
    const torre_md_store *store = f->store;
    const int axis = f->problem->dimensions == 2 ? 1 : 2;
    const TORRE_STATE share = (TORRE_STATE)TORRE_TYPED(torre_grain_share)(&s->grain, g->radius);
    const TORRE_STATE mass = (TORRE_STATE)f->problem->mass;
    meet_walls(s, g);
    if (s->with_sums) {
        const double height = (double)((const TORRE_STATE *)store->position)[4 * g->place + axis];
        g->sums.potential -= f->problem->mass / (double)share * s->gravity[axis] *
                             (height - f->problem->pair.granular.wall_low);
        return;
    }
    torre_quad_state force = {0}, twist = {0};
    const TORRE_STATE turned = (TORRE_STATE)2.5 * share / (TORRE_STATE)(g->radius * g->radius);
    for (int a = 0; a < 3; a++) {
        force[a] = share * g->sum[a] + mass * (TORRE_STATE)s->gravity[a];
        twist[a] = turned * g->twist[a];
    }
    force[3] = g->power;
    ((torre_quad_state *)store->force)[g->place] = force;
    ((torre_quad_state *)f->twist)[g->id] = twist;
    s->next[g->place] = ((const torre_quad_state *)store->velocity)[g->place] + s->kick * force;
    ((torre_quad_state *)f->next_spin)[g->id] =
        ((const torre_quad_state *)f->spin)[g->id] + s->kick * twist;
}

/* Those of one vector of neighbours, lanes `live` of list, whose spheres overlap. */
TORRE_INLINE void touching(const sweep *s, const int32_t *list, torre_mask live, torre_lanes x,
                           torre_lanes y, torre_lanes z, torre_lanes other, gathered *g)
{
    const torre_lanes reach = g->radius + other, rsq = x * x + y * y + z * z;
    const torre_mask inside = (rsq < reach * reach) & live;
    if (!torre_lanes_any(inside)) return; /* most neighbours do not touch */
    for (int l = 0; l < TORRE_LANES; l++)
        if (inside[l]) meet(s, list[l], other[l], (const TORRE_REAL[3]){x[l], y[l], z[l]}, g);
}

/* One that has too many contacts, or -1. */
static int64_t list_range(const sweep *s, int64_t from, int64_t to, part_sums *sums)
{
    const torre_md_lists *lists = s->field->lists;
    int64_t crowded = -1;
    for (int64_t i = from; i < to; i++) {
        const int32_t *list = lists->start[i], length = lists->length[i];
        gathered g = gather_make(s, i);
        for (int32_t k = 0; k < length; k += TORRE_LANES) {
            torre_lanes x, y, z, w;
            const torre_mask live = torre_separation(&s->positions, i, list + k, length - k,
                                                     lists->wraps[i] ? 7 : 0, &x, &y, &z, &w);
            touching(s, list + k, live, x, y, z, s->radius_unit * w, &g);
        }
        finish(s, &g);
        if (g.crowded) crowded = g.id;
        add_sums(sums, &g.sums);
    }
    return crowded;
}

/* own - others[0 .. TORRE_LANES - 1]; in mixed precision of f64 differences. */
TORRE_INLINE torre_lanes apart(TORRE_STATE own, const TORRE_STATE *others)
{
    torre_sum_lanes there;
    memcpy(&there, others, sizeof there);
    return __builtin_convertvector(own - there, torre_lanes);
}

/* Own grains of a bin with all that are staged. */
static int64_t stage_range(const sweep *s, torre_stage *stage, part_sums *sums)
{
    int64_t crowded = -1;
    for (int64_t i = 0; i < stage->own; i++) {
        gathered g = gather_make(s, stage->member[i]);
        const TORRE_STATE x = stage->x[i], y = stage->y[i], z = stage->z[i];
        stage->x[i] = stage->x[stage->count]; /* out of its own reach */
        for (int64_t k = 0; k < stage->count; k += TORRE_LANES)
            touching(s, stage->member + k, torre_lanes_all(), apart(x, stage->x + k),
                     apart(y, stage->y + k), apart(z, stage->z + k), -apart(0, stage->type + k),
                     &g);
        stage->x[i] = x;
        finish(s, &g);
        if (g.crowded) crowded = g.id;
        add_sums(sums, &g.sums);
    }
    return crowded;
}

/* A sweep over lists, and the last grain found that has too many contacts. */
typedef struct summing {
    const sweep *s;
    int64_t crowded;
} summing;

static void sum_range(void *context, int64_t low, int64_t high, double *sum)
{
    summing *c = context;
    const int64_t one = list_range(c->s, low, high, (part_sums *)sum);
    if (one < 0) return;
#pragma omp critical(torre_crowded)
    if (one > c->crowded) c->crowded = one;
}

static int64_t sum_lists(const sweep *s, part_sums *all)
{
    summing c = {s, -1};
    torre_md_sum(
        s->field->store,
        &(torre_md_sum_of){
            .places = PART, .width = sizeof *all / sizeof(double), .add = sum_range, .context = &c},
        (double *)all);
    return c.crowded;
}

static int64_t sweep_lists(const sweep *s)
{
    const int64_t count = s->field->store->count, parts = (count + PART - 1) / PART;
    int64_t crowded = -1;
#pragma omp parallel for schedule(dynamic, 4) num_threads(s->field->store->threads)                \
    reduction(max                                                                                  \
              : crowded)
    for (int64_t p = 0; p < parts; p++) {
        const int64_t from = p * PART, to = from + PART < count ? from + PART : count;
        part_sums unused = {0};
        const int64_t one = list_range(s, from, to, &unused);
        if (one > crowded) crowded = one;
    }
    return crowded;
}

/* part: of each of the own bins. -2: no memory. */
static int64_t sweep_bins(const sweep *s, part_sums *part)
{
    const torre_md_store *store = s->field->store;
    const torre_bins *bins = s->field->bins;
    int64_t crowded = -1;
    int failed = 0;
#pragma omp parallel num_threads(store->threads) reduction(| : failed) reduction(max : crowded)
    {
        torre_stage stage;
        const bool ready = torre_stage_make(bins, &stage);
        failed |= !ready;
#pragma omp for schedule(dynamic, 8)
        for (int64_t rank = bins->own[0]; rank < bins->own[1]; rank++) {
            if (!ready || bins->start[rank] == bins->start[rank + 1]) continue;
            torre_stage_fill(store, store->position, bins, rank, &stage);
            const int64_t one = stage_range(s, &stage, &part[rank - bins->own[0]]);
            if (one > crowded) crowded = one;
        }
        if (ready) torre_stage_free(&stage);
    }
    return failed ? -2 : crowded;
}

/* Velocities and spins are kicked: they become those of the store. */
static void end(const sweep *s)
{
    torre_grain_field *f = s->field;
    torre_md_store *store = f->store;
    void *spin = f->spin;
    s->next[store->far] = ((const torre_quad_state *)store->velocity)[store->far];
    store->spare = store->velocity;
    store->velocity = s->next;
    f->spin = f->next_spin;
    f->next_spin = spin;
}

static torre_status grain_sweep(torre_grain_field *f, double kick, torre_md_sums *sums)
{
    const sweep s = sweep_make(f, kick, sums);
    const int64_t bins = f->bins->own[1] - f->bins->own[0];
    part_sums *part = f->lists ? NULL : calloc((size_t)bins + 1, sizeof *part), all = {0};
    if (!part && !f->lists)
        return torre_fail(TORRE_ERR_RESOURCE, "no memory for the sums of a sweep");
    int64_t crowded = !f->lists ? sweep_bins(&s, part)
                      : sums    ? sum_lists(&s, &all)
                                : sweep_lists(&s);
    if (part && sums && crowded != -2)
        torre_md_sum_rows(f->store, (const double *)part, bins, sizeof all / sizeof(double),
                          (double *)&all);
    free(part);
    if (f->store->share && crowded != -2)
        TORRE_TRY(torre_cpu_share_largest(f->store->share, &crowded));
    if (crowded == -2) return torre_fail(TORRE_ERR_RESOURCE, "no memory for the stage of a tile");
    if (crowded >= 0) return torre_grain_crowded(f->problem, crowded, f->store->step);
    if (!sums) {
        end(&s);
        return TORRE_OK;
    }
    sums->potential = all.potential;
    sums->virial = all.virial / 2;
    sums->contacts = all.contacts / 2;
    return TORRE_OK;
}

static double grain_move(const torre_grain_field *f, double kick, double dt)
{
    torre_md_store *store = f->store;
    torre_quad_state *restrict r = store->position, *restrict v = store->velocity;
    torre_quad_state *restrict spin = f->spin;
    const torre_quad_state *restrict force = store->force, *restrict h = store->hold;
    const torre_quad_state *restrict twist = f->twist;
    const TORRE_STATE k = (TORRE_STATE)kick, t = (TORRE_STATE)dt;
    double most = 0;
#pragma omp parallel for reduction(max : most) num_threads(store->threads)
    for (int64_t i = 0; i < store->count; i++) {
        const int64_t id = store->share ? store->id[i] : i; /* of all, each once */
        spin[id] += k * twist[id];
        v[i] += k * force[i];
        torre_quad_state way = t * v[i];
        way[3] = 0; /* the radius stays */
        r[i] += way;
        torre_pack(store, i);
        const torre_quad_state d = r[i] - h[i];
        const double square = (double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (!(square <= most)) most = isnan(square) ? INFINITY : square;
    }
    return most;
}

/* Of places low to high - 1: m v^2, m v along each axis, lost, I w^2 5/2, masses over that of the
 * problem. */
static void measure_part(void *context, int64_t low, int64_t high, double *s)
{
    const torre_grain_field *f = context;
    const torre_md_store *store = f->store;
    const double largest = f->problem->cutoff / 2;
    for (int64_t i = low; i < high; i++) {
        const TORRE_STATE *v = (const TORRE_STATE *)store->velocity + 4 * i;
        const TORRE_STATE *spin = (const TORRE_STATE *)f->spin + 4 * (int64_t)store->id[i];
        const double radius = (double)((const TORRE_STATE *)store->position)[4 * i + 3];
        const double ratio = radius / largest, weight = ratio * ratio * ratio;
        for (int a = 0; a < 3; a++) {
            const double c = (double)v[a], w = (double)spin[a];
            s[0] += weight * c * c;
            s[1 + a] += weight * c;
            s[5] += weight * radius * radius * w * w;
        }
        s[4] += (double)v[3];
    }
}

static void grain_measure(const torre_grain_field *f, torre_md_sums *sums)
{
    enum { EACH = 4096 };
    const double mass = f->problem->mass;
    double total[6];
    torre_md_sum(
        f->store,
        &(torre_md_sum_of){.places = EACH, .width = 6, .add = measure_part, .context = (void *)f},
        total);
    sums->kinetic = mass / 2 * total[0];
    for (int a = 0; a < 3; a++) sums->momentum[a] = mass * total[1 + a];
    sums->lost = mass * total[4];
    sums->rotational = mass / 5 * total[5];
}

static void grain_load(const torre_grain_field *f)
{
    TORRE_STATE *spin = f->spin;
    for (int64_t i = 0; i < f->problem->count; i++) {
        for (int a = 0; a < 3; a++)
            spin[4 * i + a] = (TORRE_STATE)torre_grain_spin(f->problem, a, i);
        spin[4 * i + 3] = 0;
    }
}

static void grain_unload(const torre_grain_field *f, double *const spin[3])
{
    const TORRE_STATE *from = f->spin;
    for (int64_t i = 0; i < f->problem->count; i++)
        for (int a = 0; a < 3; a++) spin[a][i] = (double)from[4 * i + a];
}

const torre_grain_loops TORRE_TYPED(torre_grain_loops) = {grain_sweep, grain_move, grain_measure,
                                                          grain_load, grain_unload};
