/*
 * The start of a granular gas: a lattice with vacancies, melted by hard-sphere Monte Carlo; of many
 * particles, copies of a periodic block of them, each displaced and mirrored at random.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "particles/granular_copies.h"
#include "particles/granular_melt.h"
#include "particles/granular_table.h"
#include "particles/pair_granular.h"

/*
 * Sites in layers (rows) across the height: square (in a plane: equidistant) ones, every other
 * layer displaced by half a step.
 */
typedef struct lattice {
    int64_t n[3];    /* steps of a layer along its axes (1 where there is none); layers */
    int64_t basis;   /* sites of a step */
    double step[2];  /* of a layer */
    double low, gap; /* of the layers */
    int64_t sites;
} lattice;

/* The lattice of neighbours a distance d apart, or a little more, that fills the room. */
static lattice lattice_of(const torre_granular *g, const torre_md_problem *p, double d)
{
    const bool plane = g->dimensions == 2;
    const double height = g->size[plane ? 1 : 2];
    lattice l = {.n = {1, 1, 1}, .basis = plane ? 1 : 2};
    /* in-plane neighbours: along the step in a plane, across half of both steps in space */
    for (int a = 0; a < (plane ? 1 : 2); a++) {
        l.n[a] = (int64_t)(g->size[a] / (plane ? d : sqrt(2) * d));
        if (l.n[a] < 1) l.n[a] = 1;
        l.step[a] = g->size[a] / (double)l.n[a];
    }
    /* neighbours in the next layer, and in the one after that, are a diameter apart, too */
    double side = plane ? l.step[0] / 2 : fmin(l.step[0], l.step[1]) / 2;
    double gap = fmax(sqrt(fmax(d * d - side * side, 0)), d / 2);
    if (g->walls) {
        l.n[2] = 1 + (int64_t)fmax(0, (height - g->diameter) / gap);
        l.gap = l.n[2] > 1 ? (height - g->diameter) / (double)(l.n[2] - 1) : 0;
        l.low = p->pair.granular.wall_low + g->diameter / 2;
    } else {
        l.n[2] = (int64_t)(height / gap) / 2 * 2;
        l.gap = height / (double)l.n[2];
    }
    l.sites = l.n[0] * l.n[1] * l.n[2] * l.basis;
    return l;
}

/*
 * The share of sites that is to be taken: randomly filled sites have density fluctuations of a
 * share 1 - c of those of an ideal gas, and a fluid in equilibrium has S(0) of them (Carnahan and
 * Starling; in a plane, scaled particle theory). Long waves would take long to come from moves.
 */
static double share_taken(const torre_granular *g)
{
    double f = fmin(g->filling, 0.5), free = (1 - f) * (1 - f) * (1 - f);
    if (g->dimensions == 2) return 1 - free / (1 + f);
    return 1 - free * (1 - f) / ((1 + 2 * f) * (1 + 2 * f) + f * f * f * (f - 4));
}

/* The widest lattice with enough sites, or the densest one. */
static lattice choose_lattice(const torre_granular *g, const torre_md_problem *p)
{
    const double wanted = (double)p->count / share_taken(g),
                 least = g->diameter * TORRE_GRANULAR_SPREAD;
    double low = least, high = least * 64;
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        lattice l = lattice_of(g, p, middle);
        if ((double)l.sites >= wanted)
            low = middle;
        else
            high = middle;
    }
    return lattice_of(g, p, low);
}

static void site(const lattice *l, const torre_md_problem *p, int64_t s, double r[3])
{
    int64_t b = s % l->basis, j = s / l->basis % l->n[1], i = s / l->basis / l->n[1] % l->n[0];
    int64_t k = s / l->basis / l->n[1] / l->n[0];
    double high = l->low + l->gap * (double)k, half = 0.5 * (double)b;
    r[0] = l->step[0] * ((double)i + half + 0.5 * (double)(k & 1));
    if (r[0] >= p->box[0]) r[0] -= p->box[0];
    r[1] = l->basis == 1 ? high : l->step[1] * ((double)j + half);
    r[2] = l->basis == 1 ? p->box[2] / 2 : high;
}

/* count of the sites in order, each subset as likely as any other (selection sampling). */
static void fill_lattice(const lattice *l, const torre_md_problem *p, uint64_t seed,
                         torre_md_particles *particles)
{
    int64_t chosen = 0;
    for (int64_t s = 0; chosen < particles->count; s++) {
        double left = (double)(l->sites - s), wanted = (double)(particles->count - chosen), r[3];
        if (torre_random_uniform(seed, TORRE_STREAM_SITES, (uint64_t)s) * left >= wanted) continue;
        site(l, p, s, r);
        for (int a = 0; a < 3; a++) particles->position[a][chosen] = r[a];
        chosen++;
    }
}

/*
 * Where i comes in a random order of 0 .. count - 1: by a Feistel network over as many bits as
 * count has, whose halves take turns in changing the other one by random bits; again while that is
 * count or more (Black and Rogaway, CT-RSA 2002). So any thread knows the place of any i.
 */
static int64_t random_place(uint64_t seed, int64_t count, int64_t i)
{
    enum { ROUNDS = 6 };
    int bits = 1;
    while (count > INT64_C(1) << bits) bits++;
    const int low_bits = bits / 2;
    const uint64_t low_mask = (UINT64_C(1) << low_bits) - 1;
    const uint64_t high_mask = (UINT64_C(1) << (bits - low_bits)) - 1;
    uint64_t place = (uint64_t)i;
    do {
        uint64_t low = place & low_mask, high = place >> low_bits;
        for (uint64_t k = 0; k < ROUNDS; k += 2) {
            high ^= torre_random_bits(seed, TORRE_STREAM_IDS, k << 32 | low) & high_mask;
            low ^= torre_random_bits(seed, TORRE_STREAM_IDS, (k + 1) << 32 | high) & low_mask;
        }
        place = high << low_bits | low;
    } while (place >= (uint64_t)count);
    return (int64_t)place;
}

/* Ids in random order. The velocities, which come later, lend two axes of memory. */
static torre_status deal_ids(uint64_t seed, torre_md_particles *p)
{
    double *dealt[3] = {p->velocity[0], p->velocity[1],
                        torre_memory_large((size_t)p->count * sizeof(double))};
    if (!dealt[2]) return torre_fail(TORRE_ERR_RESOURCE, "no memory for the start");
#pragma omp parallel for
    for (int64_t i = 0; i < p->count; i++) {
        const int64_t id = random_place(seed, p->count, i);
        for (int a = 0; a < 3; a++) dealt[a][id] = p->position[a][i];
    }
    p->velocity[0] = p->position[0];
    p->velocity[1] = p->position[1];
    free(p->position[2]);
    memcpy(p->position, dealt, sizeof dealt);
    return TORRE_OK;
}

static void start_anywhere(const torre_granular *g, const torre_md_problem *p,
                           torre_md_particles *particles)
{
    const int axis = g->dimensions - 1;
    double low[3] = {0}, room[3] = {p->box[0], p->box[1], p->box[2]};
    if (g->walls) {
        low[axis] = p->pair.granular.wall_low + g->diameter / 2;
        room[axis] = g->size[axis] - g->diameter;
    }
#pragma omp parallel for
    for (int64_t i = 0; i < particles->count; i++) {
        for (int a = 0; a < 3; a++) {
            double u = torre_random_uniform(g->seed, TORRE_STREAM_IDEAL, (uint64_t)(4 * i + a));
            particles->position[a][i] = fmin(low[a] + u * room[a], nextafter(p->box[a], 0));
        }
        if (g->dimensions == 2) particles->position[2][i] = p->box[2] / 2;
    }
}

static void start_velocities(const torre_granular *g, torre_md_particles *p)
{
    torre_md_start_velocities(p, g->mass * g->temperature, g->seed);
    if (g->dimensions == 3) return;
    double square = 0, n = (double)p->count;
    memset(p->velocity[2], 0, (size_t)p->count * sizeof *p->velocity[2]);
    for (int64_t i = 0; i < p->count; i++)
        square += p->velocity[0][i] * p->velocity[0][i] + p->velocity[1][i] * p->velocity[1][i];
    double scale = square > 0 ? sqrt(g->temperature * (2 * n - 2) / square) : 0;
    for (int a = 0; a < 2; a++)
        for (int64_t i = 0; i < p->count; i++) p->velocity[a][i] *= scale;
}

static torre_status new_particles(const torre_md_problem *p, torre_md_particles *particles)
{
    TORRE_TRY(torre_md_particles_new(p->count, particles));
    memcpy(particles->box, p->box, sizeof particles->box);
    particles->mass = p->mass;
    return TORRE_OK;
}

/* From the lattice on. */
static torre_status start_from_lattice(const torre_granular *g, const torre_md_problem *p,
                                       torre_md_particles *particles)
{
    const lattice l = choose_lattice(g, p);
    if (l.sites < p->count)
        return torre_fail(
            TORRE_ERR_USAGE,
            "{filling} must be at most %.4f in this {size}, whose densest lattice has "
            "%lld sites (got %g, %lld particles)",
            g->filling * (double)l.sites / (double)p->count, (long long)l.sites, g->filling,
            (long long)p->count);
    TORRE_TRY(new_particles(p, particles));
    fill_lattice(&l, p, g->seed, particles);
    return torre_granular_melt(g, p, particles);
}

static torre_status start_from_copies(torre_granular_copies *c, torre_md_particles *particles)
{
    TORRE_TRY(start_from_lattice(&c->block_system, &c->block_problem, &c->block));
    TORRE_TRY(new_particles(c->problem, particles));
    torre_granular_copies_fill(c, particles);
    return torre_granular_settle(c->system, c->problem, c->parts, particles);
}

/* Copies in dense systems would overlap too much. */
static torre_status start_apart(const torre_granular *g, const torre_md_problem *p,
                                torre_md_particles *particles)
{
    torre_granular_copies copies = {.count = 1};
    if (g->filling > (g->dimensions == 3 ? 0.5 : 0.65)) return start_from_lattice(g, p, particles);
    torre_status status = torre_granular_copies_plan(g, p, 1 - share_taken(g), &copies);
    if (!status)
        status = copies.count == 1 ? start_from_lattice(g, p, particles)
                                   : start_from_copies(&copies, particles);
    torre_granular_copies_free(&copies);
    return status;
}

/* A system of as many particles of the largest size, and without walls at the sides, in whose place
 * it is narrower, and its problem. */
static torre_status smooth_system(const torre_granular *g, const torre_md_problem *p,
                                  torre_granular *smooth, torre_md_problem *problem)
{
    const double room = p->box[2] / 2.001 - g->diameter; /* of a plane */
    *smooth = *g;
    smooth->friction = smooth->wall_friction = smooth->rolling_friction = smooth->incline = 0;
    smooth->sizes = TORRE_GRANULAR_ONE_SIZE;
    smooth->side_walls = false;
    for (int a = 0; g->side_walls && a < g->dimensions - 1; a++) smooth->size[a] -= g->diameter;
    smooth->filling = 1e-9 * TORRE_GRANULAR_PACKING_3D; /* any that is legal */
    *problem = *p;
    TORRE_TRY(torre_granular_problem(smooth, room, 0, problem));
    problem->count = p->count;
    smooth->filling = torre_granular_filling(problem, g->diameter);
    return TORRE_OK;
}

static torre_status start_smooth(const torre_granular *g, const torre_md_problem *p,
                                 torre_md_particles *particles);

/* Where smooth grains would be; then they get their sizes and walls. */
static torre_status start_rough(const torre_granular *g, const torre_md_problem *p,
                                torre_md_particles *particles)
{
    torre_granular smooth;
    torre_md_problem problem;
    TORRE_TRY(smooth_system(g, p, &smooth, &problem));
    torre_status status = start_smooth(&smooth, &problem, particles);
    if (status == TORRE_ERR_USAGE)
        return torre_fail(TORRE_ERR_USAGE,
                          "{filling} %g is too much for this {size}: particles start where as many "
                          "of the largest {diameter} would, which fill %.4f",
                          g->filling, smooth.filling);
    if (!status) status = torre_md_particles_add_grains(particles, g->diameter / 2);
    if (status) {
        torre_md_particles_free(particles);
        return status;
    }
    memcpy(particles->box, p->box, sizeof particles->box);
#pragma omp parallel for
    for (int64_t i = 0; i < particles->count; i++) {
        particles->radius[i] *= torre_granular_size(g, i);
        for (int a = 0; g->side_walls && a < g->dimensions - 1; a++)
            particles->position[a][i] += g->diameter; /* from the wall half of one away */
    }
    return TORRE_OK;
}

torre_status torre_granular_start(const torre_granular *g, const torre_md_problem *p,
                                  torre_md_particles *particles)
{
    return torre_granular_is_rough(g) ? start_rough(g, p, particles)
                                      : start_smooth(g, p, particles);
}

static torre_status start_smooth(const torre_granular *g, const torre_md_problem *p,
                                 torre_md_particles *particles)
{
    torre_status status;
    memset(particles, 0, sizeof *particles);
    if (g->gas != TORRE_GRANULAR_IDEAL) {
        status = start_apart(g, p, particles);
        if (!status) status = deal_ids(g->seed, particles);
    } else {
        status = new_particles(p, particles);
        if (!status) start_anywhere(g, p, particles);
    }
    if (status)
        torre_md_particles_free(particles);
    else
        start_velocities(g, particles);
    return status;
}
