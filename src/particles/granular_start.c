/* The start of a granular gas: a lattice with vacancies, melted by hard-sphere Monte Carlo. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "particles/bins.h"
#include "particles/granular.h"
#include "particles/pair_granular.h"

/* Sweeps after those asked for until nobody overlaps. */
#define MOST_SWEEPS 2000
#define SAME_GRID   4 /* of those, so many in the same bins */

/* Lattice neighbours are that much more than a diameter apart, so that rounding cannot make them
 * overlap. */
static const double spread = 1 + 1e-6;

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
    const double wanted = (double)p->count / share_taken(g), least = g->diameter * spread;
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

enum { COLOURS = 27, BLOCK = 27 }; /* of bins; bins around one, itself among them */

/* A sweep of moves. */
typedef struct sweep {
    torre_md_particles *particles;
    torre_bins *bins;
    double (*place)[3]; /* positions of bins->member, beside each other as scans meet them */
    double step, diameter, low, high, shift[3]; /* low, high: of coordinates along the axis */
    int axis, dimensions;
    bool grown; /* particles may overlap: moves must not make it worse */
    uint64_t seed, stream;
    uint8_t *touches; /* [count]: the particle overlapped when it was last offered a move */
    int32_t *near;    /* ranks of the bins to sweep, colour by colour */
    int64_t near_from[COLOURS + 1]; /* where the bins of a colour begin */
    uint8_t *is_near;               /* [bins] */
} sweep;

static double wrapped(double r, double edge)
{
    if (r >= edge) r -= edge;
    if (r < 0) r += edge;
    return r < edge ? r : 0;
}

/* Rank of the bin of a position, in the grid as displaced for this sweep. */
static int32_t bin_of(const sweep *s, const double r[3])
{
    double at[3];
    for (int a = 0; a < 3; a++) at[a] = wrapped(r[a] + s->shift[a], s->bins->grid.box[a]);
    return s->bins->rank[torre_bin_grid_index(&s->bins->grid, at)];
}

/* Members from[k] .. to[k] - 1 of the bins around one, in the order of the bins. */
typedef struct surroundings {
    int64_t from[BLOCK], to[BLOCK];
    int count;
} surroundings;

static void add_members(surroundings *s, int64_t from, int64_t to)
{
    if (s->count > 0 && s->to[s->count - 1] == from) {
        s->to[s->count - 1] = to;
    } else if (from < to) {
        s->from[s->count] = from;
        s->to[s->count++] = to;
    }
}

/* Whether all bins around one lie in the grid, none beyond its end. */
static bool is_inside(const torre_bins *bins, int64_t rank)
{
    bool inside = bins->offsets == BLOCK;
    for (int a = 0; a < 3; a++)
        inside = inside && bins->cell[rank][a] > 0 && bins->cell[rank][a] < bins->grid.n[a] - 1;
    return inside;
}

/* Of the bins as they stand in the stencil, the own one first. */
static surroundings around_any_bin(const torre_bins *bins, int64_t rank)
{
    surroundings s = {.count = 0};
    for (int64_t o = 0; o < bins->offsets; o++) {
        int image[3];
        const int64_t bin = bins->rank[torre_bins_at(bins, rank, o, image)];
        add_members(&s, bins->start[bin], bins->start[bin + 1]);
    }
    return s;
}

/* The same, in the same order: ranks are row-major, so that three bins of a row lie together. */
static surroundings around_bin(const torre_bins *bins, int64_t rank)
{
    const int64_t *start = bins->start, row = bins->grid.n[2], layer = bins->grid.n[1] * row;
    surroundings s = {.count = 0};
    if (!is_inside(bins, rank)) return around_any_bin(bins, rank);
    add_members(&s, start[rank], start[rank + 1]);
    for (int k = 0; k < 9; k++) {
        const int64_t first = rank + (k / 3 - 1) * layer + (k % 3 - 1) * row - 1;
        if (k != 4) {
            add_members(&s, start[first], start[first + 3]);
            continue;
        }
        add_members(&s, start[rank - 1], start[rank]);
        add_members(&s, start[rank + 1], start[rank + 2]);
    }
    return s;
}

/* Sum of the squares of the overlaps of member `self` at r with those around it, or something above
 * `most` where it is above that. */
static double overlap(const sweep *s, const surroundings *around, int64_t self, const double r[3],
                      double most)
{
    const double *box = s->bins->grid.box, square = s->diameter * s->diameter;
    double sum = 0;
    for (int k = 0; k < around->count; k++) {
        for (int64_t m = around->from[k]; m < around->to[k]; m++) {
            double rsq = 0;
            for (int a = 0; a < 3; a++) {
                const double d = fabs(r[a] - s->place[m][a]), other = box[a] - d;
                const double least = other < d ? other : d;
                rsq += least * least;
            }
            if (rsq >= square || m == self) continue;
            sum += (s->diameter - sqrt(rsq)) * (s->diameter - sqrt(rsq));
            if (sum > most) return sum;
        }
    }
    return sum;
}

/* Offer each particle of a bin a move that stays in the bin. Returns how many overlap before. */
static int64_t move_bin(const sweep *s, int64_t rank)
{
    int64_t overlapping = 0;
    if (s->bins->start[rank] == s->bins->start[rank + 1]) return 0;
    const surroundings around = around_bin(s->bins, rank);
    for (int64_t m = s->bins->start[rank]; m < s->bins->start[rank + 1]; m++) {
        const int64_t i = s->bins->member[m];
        double r[3], now = 0;
        memcpy(r, s->place[m], sizeof r);
        if (s->grown) now = overlap(s, &around, m, r, INFINITY);
        s->touches[i] = now > 0;
        overlapping += now > 0;
        for (int a = 0; a < s->dimensions; a++) {
            double u = torre_random_uniform(s->seed, s->stream, (uint64_t)(4 * i + a));
            r[a] = wrapped(r[a] + s->step * (2 * u - 1), s->bins->grid.box[a]);
        }
        if (r[s->axis] < s->low || r[s->axis] > s->high) continue;
        if (bin_of(s, r) != rank || overlap(s, &around, m, r, now) > now) continue;
        memcpy(s->place[m], r, sizeof r);
    }
    return overlapping;
}

/* Colour of a bin along an axis: neighbours differ, also around the box. */
static int colour(int64_t cell, int64_t n) { return cell == n - 1 && n % 2 ? 2 : (int)(cell % 2); }

static int colour_of(const torre_bins *bins, int64_t rank)
{
    const int32_t *cell = bins->cell[rank];
    const int64_t *n = bins->grid.n;
    return colour(cell[0], n[0]) + 3 * colour(cell[1], n[1]) + 9 * colour(cell[2], n[2]);
}

/* The bins to sweep, those that are near or all, by colour. */
static void sort_colours(sweep *s, bool near)
{
    const torre_bins *bins = s->bins;
    int64_t *from = s->near_from;
    memset(from, 0, sizeof s->near_from);
    for (int64_t rank = 0; rank < bins->bins; rank++)
        if (!near || s->is_near[rank]) from[colour_of(bins, rank) + 1]++;
    for (int c = 0; c < COLOURS; c++) from[c + 1] += from[c];
    int64_t next[COLOURS];
    memcpy(next, from, sizeof next);
    for (int64_t rank = 0; rank < bins->bins; rank++)
        if (!near || s->is_near[rank]) s->near[next[colour_of(bins, rank)]++] = (int32_t)rank;
}

/* Positions as the last sweeps left them, back to their particles. */
static void return_places(const sweep *s)
{
#pragma omp parallel for
    for (int64_t m = 0; m < s->bins->count; m++)
        for (int a = 0; a < 3; a++) s->particles->position[a][s->bins->member[m]] = s->place[m][a];
}

/* Displace the grid at random, so that particles get from bin to bin, and sort into it. */
static void displace_grid(sweep *s)
{
    torre_bins *bins = s->bins;
    for (int a = 0; a < 3; a++) {
        double u = torre_random_uniform(s->seed, TORRE_STREAM_GRID, 4 * s->stream + (uint64_t)a);
        s->shift[a] = u * bins->grid.edge[a];
    }
#pragma omp parallel for
    for (int64_t i = 0; i < bins->count; i++) {
        double r[3];
        for (int a = 0; a < 3; a++) r[a] = s->particles->position[a][i];
        bins->rank_of[i] = bin_of(s, r);
    }
    torre_bins_sort(bins);
#pragma omp parallel for
    for (int64_t m = 0; m < bins->count; m++)
        for (int a = 0; a < 3; a++) s->place[m][a] = s->particles->position[a][bins->member[m]];
}

/* The bins that hold a particle that touched another in the last sweep, and those around them. */
static void find_near(sweep *s)
{
    torre_bins *bins = s->bins;
    memset(s->is_near, 0, (size_t)bins->bins);
    for (int64_t i = 0; i < bins->count; i++) {
        if (!s->touches[i]) continue;
        for (int64_t o = 0; o < bins->offsets; o++) {
            int image[3];
            s->is_near[bins->rank[torre_bins_at(bins, bins->rank_of[i], o, image)]] = 1;
        }
    }
    sort_colours(s, true);
    memset(s->touches, 0, (size_t)bins->count);
}

/*
 * Bins of one colour do not touch each other and are at least a diameter apart, so what happens in
 * one does not matter to the others, and they can be swept at the same time.
 */
static int64_t make_sweep(sweep *s)
{
    int64_t overlapping = 0;
    for (int c = 0; c < COLOURS; c++) {
        if (s->near_from[c] == s->near_from[c + 1]) continue;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : overlapping)
        for (int64_t k = s->near_from[c]; k < s->near_from[c + 1]; k++)
            overlapping += move_bin(s, s->near[k]);
    }
    return overlapping;
}

/*
 * The sweeps asked for, and then others until nobody overlaps: of the bins near an overlap alone,
 * since each has a particle that touched when it was last offered a move. (A move that leads into
 * an overlap is taken only by a particle that had one.)
 */
static torre_status sweep_until_apart(const torre_granular *g, sweep *s)
{
    const double diameter = g->diameter;
    /* at that part of the diameter the filling is one at which a lattice soon melts */
    double slim = pow((g->dimensions == 3 ? 0.25 : 0.4) / g->filling, 1.0 / g->dimensions);
    int64_t overlapping = 1;
    sort_colours(s, false);
    for (int64_t k = 0; k < g->sweeps || overlapping; k++) {
        if (k > g->sweeps + MOST_SWEEPS)
            return torre_fail(TORRE_ERR_USAGE,
                              "{filling} %g is too dense for a start at random (%lld particles "
                              "still overlap after %lld sweeps); 0.55 works, in a plane 0.7",
                              g->filling, (long long)overlapping, (long long)k);
        const bool further = k > g->sweeps;
        s->stream = TORRE_STREAM_SWEEPS + (uint64_t)k;
        s->grown = 2 * k + 1 >= g->sweeps;
        s->diameter = s->grown ? diameter : fmin(1, slim) * diameter;
        if (!further || (k - g->sweeps) % SAME_GRID == 0) {
            if (k > 0) return_places(s);
            displace_grid(s);
        }
        if (further) find_near(s);
        overlapping = make_sweep(s);
    }
    return_places(s);
    return TORRE_OK;
}

static torre_status melt(const torre_granular *g, const torre_md_problem *p,
                         torre_md_particles *particles)
{
    torre_bins bins;
    /* a hair more than a diameter, so that rounding of the bin never counts */
    const torre_bin_grid grid = torre_bins_grid(p->box, g->diameter * spread, particles->count);
    TORRE_TRY(torre_bins_make(&grid, g->diameter, TORRE_BIN_BLOCK,
                              &(torre_ordering_spec){.kind = TORRE_ROW_MAJOR}, particles->count,
                              &bins));
    const int axis = g->dimensions - 1;
    /* half of the mean distance that is left to a neighbour */
    double volume = g->size[0] * g->size[1] * (g->dimensions == 3 ? g->size[2] : 1);
    double apart = pow(volume / (double)particles->count, 1.0 / g->dimensions);
    double step =
        fmin(fmax(0.5 * (apart - 0.9 * g->diameter), 0.04 * g->diameter), g->diameter / 2);
    sweep s = {.particles = particles,
               .bins = &bins,
               .step = step,
               .diameter = g->diameter,
               .low = g->walls ? p->pair.granular.wall_low + g->diameter / 2 : 0,
               .high = g->walls ? p->pair.granular.wall_high - g->diameter / 2 : p->box[axis],
               .axis = axis,
               .dimensions = g->dimensions,
               .seed = g->seed};
    s.touches = calloc((size_t)bins.count, 1);
    s.is_near = malloc((size_t)bins.bins);
    s.near = malloc((size_t)bins.bins * sizeof *s.near);
    s.place = torre_memory_large((size_t)bins.count * sizeof *s.place);
    torre_status status = s.touches && s.is_near && s.near && s.place
                              ? sweep_until_apart(g, &s)
                              : torre_fail(TORRE_ERR_RESOURCE, "no memory for the start");
    free(s.touches);
    free(s.is_near);
    free(s.near);
    free(s.place);
    torre_bins_free(&bins);
    return status;
}

/* Whom particle i changes places with. */
static int64_t partner_of(uint64_t seed, int64_t i)
{
    return (int64_t)(torre_random_uniform(seed, TORRE_STREAM_IDS, (uint64_t)i) * (double)(i + 1));
}

/* Ids in random order (Fisher and Yates). Partners are asked for ahead: each is somewhere else. */
static void deal_ids(uint64_t seed, torre_md_particles *p)
{
    enum { AHEAD = 16 };
    for (int64_t i = p->count - 1; i > 0; i--) {
        const int64_t j = partner_of(seed, i), later = i > AHEAD ? partner_of(seed, i - AHEAD) : 0;
        for (int a = 0; a < 3; a++) __builtin_prefetch(&p->position[a][later], 1);
        for (int a = 0; a < 3; a++) {
            double kept = p->position[a][i];
            p->position[a][i] = p->position[a][j];
            p->position[a][j] = kept;
        }
    }
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

torre_status torre_granular_start(const torre_granular *g, const torre_md_problem *p,
                                  torre_md_particles *particles)
{
    const bool collide = g->gas != TORRE_GRANULAR_IDEAL;
    const lattice l = choose_lattice(g, p);
    if (collide && l.sites < p->count)
        return torre_fail(
            TORRE_ERR_USAGE,
            "{filling} must be at most %.4f in this {size}, whose densest lattice has "
            "%lld sites (got %g, %lld particles)",
            g->filling * (double)l.sites / (double)p->count, (long long)l.sites, g->filling,
            (long long)p->count);
    TORRE_TRY(torre_md_particles_new(p->count, particles));
    memcpy(particles->box, p->box, sizeof particles->box);
    particles->mass = p->mass;
    torre_status status = TORRE_OK;
    if (collide) {
        fill_lattice(&l, p, g->seed, particles);
        status = melt(g, p, particles);
        deal_ids(g->seed, particles);
    } else {
        start_anywhere(g, p, particles);
    }
    start_velocities(g, particles);
    if (status) torre_md_particles_free(particles);
    return status;
}
