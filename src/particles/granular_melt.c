#include "particles/granular_melt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "particles/bins.h"
#include "particles/pair_granular.h"

/* Sweeps after those asked for until nobody overlaps. */
#define MOST_SWEEPS 2000
#define SAME_GRID   4  /* of those, so many in the same bins */
#define MANY        50 /* more than one of so many that touch: others need not move yet */

/* Parts settle in bins whose middle is no further from a face than that many diameters, and near
 * overlaps no further than that. In less room the last overlaps take long to go: with 2, a thousand
 * sweeps and more in place of 50. */
#define SETTLE_NEAR 3.0
#define LOOSEN_NEAR 5.0

enum { COLOURS = 27, BLOCK = 27 }; /* of bins; bins around one, itself among them */
enum { SLICES = 128 };             /* of the bins, or particles, for threads */

/* A sweep of moves. */
typedef struct sweep {
    torre_md_particles *particles;
    torre_bins *bins;
    double (*place)[3]; /* positions of bins->member, beside each other as scans meet them */
    double step, diameter, low, high, shift[3]; /* low, high: of coordinates along the axis */
    double per_length[3];                       /* bins */
    int axis, dimensions;
    bool pushes;                    /* those that overlap try to get off each other first */
    bool grown;                     /* particles may overlap: moves must not make it worse */
    bool few;                       /* moves are offered to those that touched alone */
    uint64_t seed, stream, numbers; /* numbers: the seed of this sweep's */
    int64_t done;                   /* sweeps so far */
    uint8_t *touches; /* [count]: the particle overlapped when it was last offered a move */
    int32_t *near;    /* ranks of the bins to sweep, colour by colour */
    int64_t near_from[COLOURS + 1]; /* where the bins of a colour begin */
    int64_t slice[SLICES][COLOURS]; /* how many bins of a slice have a colour, or where to go on */
    uint8_t *is_near;               /* [bins] */
    const int64_t *parts; /* of the box, which settle where they meet; NULL: sweeps are of all */
} sweep;

static double wrapped(double r, double edge)
{
    if (r >= edge) r -= edge;
    if (r < 0) r += edge;
    return r < edge ? r : 0;
}

/* Rank of the bin of a position, in the grid as displaced for this sweep: ranks are row-major. */
static int64_t bin_of(const sweep *s, const double r[3])
{
    const torre_bin_grid *grid = &s->bins->grid;
    int64_t rank = 0;
    for (int a = 0; a < 3; a++) {
        const double at = wrapped(r[a] + s->shift[a], grid->box[a]);
        const int64_t cell = (int64_t)(at * s->per_length[a]);
        rank = rank * grid->n[a] + (cell < grid->n[a] ? cell : grid->n[a] - 1);
    }
    return rank;
}

/* Number i of this sweep, in [0, 1). */
static double random_of(const sweep *s, int64_t i)
{
    return torre_random_unit(torre_random_at(s->numbers, (uint64_t)i));
}

/* Members from[k] .. to[k] - 1 of the bins around one, in the order of the bins. */
typedef struct surroundings {
    int64_t from[BLOCK], to[BLOCK];
    int count;
    bool whole; /* the box does not end among them, so that no distance is across its ends */
} surroundings;

/* Whether the bins around one are all of the stencil and lie side by side in the box: none beyond
 * an end of the grid, nor in the first bin, where positions begin anew (or, rounded, the next). */
static bool is_whole(const torre_bins *bins, int64_t rank)
{
    bool whole = bins->offsets == BLOCK;
    for (int a = 0; a < 3; a++) /* of 6 bins half of the box has three */
        whole = whole && bins->cell[rank][a] > 2 && bins->cell[rank][a] < bins->grid.n[a] - 1 &&
                bins->grid.n[a] >= 6;
    return whole;
}

/* Of the bins as they stand in the stencil, the own one first. */
static surroundings around_any_bin(const torre_bins *bins, int64_t rank)
{
    surroundings s = {.count = (int)bins->offsets, .whole = false};
    for (int64_t o = 0; o < bins->offsets; o++) {
        int image[3];
        const int64_t bin = bins->rank[torre_bins_at(bins, rank, o, image)];
        s.from[o] = bins->start[bin];
        s.to[o] = bins->start[bin + 1];
    }
    return s;
}

static void add_row(surroundings *s, const int64_t *start, int bins)
{
    s->from[s->count] = start[0];
    s->to[s->count++] = start[bins];
}

/* The same, in the same order: ranks are row-major, so that three bins of a row lie together. */
static surroundings around_bin(const torre_bins *bins, int64_t rank)
{
    if (!is_whole(bins, rank)) return around_any_bin(bins, rank);
    const int64_t *own = bins->start + rank;
    const int64_t row = bins->grid.n[2], layer = bins->grid.n[1] * row;
    surroundings s = {.count = 0, .whole = true};
    add_row(&s, own, 1);
    for (int x = -1; x <= 1; x++) {
        for (int y = -1; y <= 1; y++) {
            if (x || y) {
                add_row(&s, own + x * layer + y * row - 1, 3);
            } else {
                add_row(&s, own - 1, 1);
                add_row(&s, own + 1, 1);
            }
        }
    }
    return s;
}

/* Square of the distance of two places, the least of those across the ends of the box. */
static inline double square_apart(const double r[3], const double q[3], const double box[3],
                                  bool whole)
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        const double d = fabs(r[a] - q[a]), other = box[a] - d;
        const double least = !whole && other < d ? other : d;
        square += least * least;
    }
    return square;
}

static inline double sum_overlaps(const sweep *s, const surroundings *around, int64_t self,
                                  const double r[3], double most, bool whole)
{
    const double square = s->diameter * s->diameter;
    double sum = 0;
    for (int k = 0; k < around->count; k++) {
        for (int64_t m = around->from[k]; m < around->to[k]; m++) {
            const double rsq = square_apart(r, s->place[m], s->bins->grid.box, whole);
            if (rsq >= square || m == self) continue;
            sum += (s->diameter - sqrt(rsq)) * (s->diameter - sqrt(rsq));
            if (sum > most) return sum;
        }
    }
    return sum;
}

/* Sum of the squares of the overlaps of member `self` at r with those around it, or something above
 * `most` where it is above that. */
static double overlap(const sweep *s, const surroundings *around, int64_t self, const double r[3],
                      double most)
{
    return around->whole ? sum_overlaps(s, around, self, r, most, true)
                         : sum_overlaps(s, around, self, r, most, false);
}

/* Whether a place is between the walls, and in the bin. */
static bool is_allowed(const sweep *s, int64_t rank, const double r[3])
{
    return r[s->axis] >= s->low && r[s->axis] <= s->high && bin_of(s, r) == rank;
}

/* Where member `self` at r would come to if each of those that it overlaps pushed it off, as far as
 * to the distance apart. */
static void push_off(const sweep *s, const surroundings *around, int64_t self, double apart,
                     double r[3])
{
    const double *box = s->bins->grid.box, square = s->diameter * s->diameter;
    double push[3] = {0};
    for (int k = 0; k < around->count; k++) {
        for (int64_t m = around->from[k]; m < around->to[k]; m++) {
            double d[3], rsq = 0;
            for (int a = 0; a < s->dimensions; a++) {
                d[a] = r[a] - s->place[m][a];
                if (d[a] > box[a] / 2) d[a] -= box[a];
                if (d[a] < -box[a] / 2) d[a] += box[a];
                rsq += d[a] * d[a];
            }
            if (rsq >= square || m == self || rsq == 0) continue;
            const double share = apart / sqrt(rsq) - 1;
            for (int a = 0; a < s->dimensions; a++) push[a] += share * d[a];
        }
    }
    for (int a = 0; a < s->dimensions; a++) r[a] = wrapped(r[a] + push[a], box[a]);
}

/* Move a member that overlaps off the others, by a random gap as moves are wide, so that not all
 * end in touch; false where that is no better. */
static bool get_off(const sweep *s, const surroundings *around, int64_t rank, int64_t m, double now)
{
    const double gap = s->step * random_of(s, 4 * (int64_t)s->bins->member[m] + 3);
    double r[3];
    memcpy(r, s->place[m], sizeof r);
    push_off(s, around, m, s->diameter * TORRE_GRANULAR_SPREAD + gap, r);
    if (!is_allowed(s, rank, r) || overlap(s, around, m, r, now) >= now) return false;
    memcpy(s->place[m], r, sizeof r);
    return true;
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
        if (s->few && !s->touches[i]) continue;
        memcpy(r, s->place[m], sizeof r);
        if (s->grown) now = overlap(s, &around, m, r, INFINITY);
        s->touches[i] = now > 0;
        overlapping += now > 0;
        if (s->pushes && now > 0 && get_off(s, &around, rank, m, now)) continue;
        for (int a = 0; a < s->dimensions; a++) {
            const double u = random_of(s, 4 * i + a);
            r[a] = wrapped(r[a] + s->step * (2 * u - 1), s->bins->grid.box[a]);
        }
        if (!is_allowed(s, rank, r) || overlap(s, &around, m, r, now) > now) continue;
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

/* Where the bins of a colour begin, and, of each colour, those of every slice of the ranks. */
static void begin_colours(sweep *s)
{
    int64_t at = 0;
    for (int c = 0; c < COLOURS; c++) {
        s->near_from[c] = at;
        for (int k = 0; k < SLICES; k++) {
            const int64_t count = s->slice[k][c];
            s->slice[k][c] = at;
            at += count;
        }
    }
    s->near_from[COLOURS] = at;
}

/* The first bin from a rank on that is near; end: none before that. */
static int64_t next_near(const sweep *s, int64_t rank, int64_t end)
{
    const uint8_t *found = memchr(s->is_near + rank, 1, (size_t)(end - rank));
    return found ? found - s->is_near : end;
}

/* The bins to sweep, those that are near or all, by colour: counted, then listed in the order of
 * their ranks, slice by slice. */
static void sort_colours(sweep *s, bool near)
{
    const torre_bins *bins = s->bins;
    memset(s->slice, 0, sizeof s->slice);
    for (int list = 0; list < 2; list++) {
#pragma omp parallel for
        for (int k = 0; k < SLICES; k++) {
            const int64_t end = bins->bins * (k + 1) / SLICES;
            for (int64_t rank = bins->bins * k / SLICES; rank < end; rank++) {
                if (near) rank = next_near(s, rank, end);
                if (rank == end) break;
                const int64_t at = s->slice[k][colour_of(bins, rank)]++;
                if (list) s->near[at] = (int32_t)rank;
            }
        }
        if (!list) begin_colours(s);
    }
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
        bins->rank_of[i] = (int32_t)bin_of(s, r);
    }
    torre_bins_sort(bins);
#pragma omp parallel for
    for (int64_t m = 0; m < bins->count; m++)
        for (int a = 0; a < 3; a++) s->place[m][a] = s->particles->position[a][bins->member[m]];
}

/* Whether a coordinate is less than so far from a face between parts along an axis. */
static bool is_near_face(const double box[3], const int64_t parts[3], int axis, double r,
                         double distance)
{
    const double edge = box[axis] / (double)parts[axis];
    return parts[axis] > 1 && fabs(r - edge * rint(r / edge)) < distance;
}

/* Whether the middle of a bin, in the grid as displaced, is so many diameters from a face or less,
 * or all are swept. */
static bool settles(const sweep *s, int64_t rank, double diameters)
{
    const torre_bin_grid *grid = &s->bins->grid;
    bool near = !s->parts;
    for (int a = 0; a < 3 && !near; a++) {
        const double middle = (s->bins->cell[rank][a] + 0.5) * grid->edge[a] - s->shift[a];
        near = is_near_face(grid->box, s->parts, a, middle, diameters * s->diameter);
    }
    return near;
}

/* The bins near faces. */
static void find_faces(sweep *s)
{
#pragma omp parallel for
    for (int64_t rank = 0; rank < s->bins->bins; rank++)
        s->is_near[rank] = settles(s, rank, SETTLE_NEAR);
    sort_colours(s, true);
}

/* Of a member that touched somebody and will not be swept: whether it still does. */
static bool still_touches(const sweep *s, int64_t rank, int64_t m)
{
    const surroundings around = around_bin(s->bins, rank);
    return overlap(s, &around, m, s->place[m], 0) > 0;
}

/* The bins that hold a particle that touched another in the last sweep, and those around them, if
 * they may be swept. Returns how many particles touch another where they may not. */
static int64_t find_near(sweep *s)
{
    torre_bins *bins = s->bins;
    int64_t kept = 0;
#pragma omp parallel for
    for (int64_t k = 0; k < s->near_from[COLOURS]; k++) s->is_near[s->near[k]] = 0;
#pragma omp parallel for reduction(+ : kept)
    for (int64_t m = 0; m < bins->count; m++) {
        const int64_t i = bins->member[m], own = bins->rank_of[i];
        if (!s->touches[i]) continue;
        if (!settles(s, own, LOOSEN_NEAR)) {
            s->touches[i] = still_touches(s, own, m);
            kept += s->touches[i];
        }
        for (int64_t o = 0; o < (s->few ? 1 : bins->offsets); o++) {
            int image[3];
            const int64_t rank = bins->rank[torre_bins_at(bins, own, o, image)];
            if (!settles(s, rank, LOOSEN_NEAR)) continue;
#pragma omp atomic write
            s->is_near[rank] = 1;
        }
    }
    sort_colours(s, true);
    return kept;
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

static torre_status too_dense(const torre_granular *g, int64_t overlapping, int64_t sweeps)
{
    return torre_fail(TORRE_ERR_USAGE,
                      "{filling} %g is too dense for a start at random (%lld particles "
                      "still overlap after %lld sweeps); 0.55 works, in a plane 0.7",
                      g->filling, (long long)overlapping, (long long)sweeps);
}

/* One sweep more, of all bins (near faces) or of those near an overlap alone. Returns how many
 * overlap. */
static int64_t next_sweep(sweep *s, bool displace, bool near)
{
    int64_t overlapping = 0;
    s->stream = TORRE_STREAM_SWEEPS + (uint64_t)s->done;
    s->numbers = torre_random_at(s->seed, s->stream);
    if (displace) {
        if (s->done > 0) return_places(s);
        displace_grid(s);
    }
    if (near)
        overlapping = find_near(s);
    else if (s->parts)
        find_faces(s);
    s->done++;
    return overlapping + make_sweep(s);
}

/*
 * A sweep, of all particles or of those near faces, and others until nobody overlaps: near an
 * overlap alone, and while there are many mostly of those that touch, since of every two that
 * overlap one touched when it was last offered a move. (A move that leads into an overlap is taken
 * only by a particle that had one.)
 */
static torre_status sweep_until_apart(const torre_granular *g, sweep *s)
{
    s->grown = true;
    int64_t overlapping = next_sweep(s, true, false);
    for (int64_t k = 1; overlapping; k++) {
        if (k > MOST_SWEEPS) return too_dense(g, overlapping, s->done);
        s->few = k % SAME_GRID != 0 && overlapping > s->bins->count / MANY;
        overlapping = next_sweep(s, k % SAME_GRID == 0, true);
    }
    return TORRE_OK;
}

/* The sweeps asked for, of small particles at first, and then others until nobody overlaps. */
static torre_status melt(const torre_granular *g, sweep *s)
{
    /* at that part of the diameter the filling is one at which a lattice soon melts */
    const double slim = pow((g->dimensions == 3 ? 0.25 : 0.4) / g->filling, 1.0 / g->dimensions);
    int64_t overlapping = 1;
    sort_colours(s, false);
    for (int64_t k = 0; k < g->sweeps; k++) {
        s->grown = 2 * k + 1 >= g->sweeps;
        s->diameter = (s->grown ? 1 : fmin(1, slim)) * g->diameter;
        overlapping = next_sweep(s, true, false);
    }
    return overlapping ? sweep_until_apart(g, s) : TORRE_OK;
}

/* Overlaps first; then sweeps in which nobody may overlap. */
static torre_status settle(const torre_granular *g, sweep *s)
{
    s->pushes = true;
    TORRE_TRY(sweep_until_apart(g, s));
    s->grown = s->few = false;
    for (int k = 0; k < TORRE_GRANULAR_SETTLE; k++) next_sweep(s, true, false);
    return TORRE_OK;
}

typedef torre_status sweeps_function(const torre_granular *g, sweep *s);

/* A hair more than a diameter, so that rounding of the bin never counts. */
static torre_bin_grid grid_of(const torre_granular *g, const torre_md_problem *p)
{
    return torre_bins_grid(p->box, g->diameter * TORRE_GRANULAR_SPREAD, p->count);
}

/* particles: those of the problem, or, where parts settle, those that matter there. */
static torre_status make_sweeps(const torre_granular *g, const torre_md_problem *p,
                                const int64_t *parts, sweeps_function *sweeps,
                                torre_md_particles *particles)
{
    torre_bins bins;
    const torre_bin_grid grid = grid_of(g, p);
    TORRE_TRY(torre_bins_make(&grid, g->diameter, TORRE_BIN_BLOCK,
                              &(torre_ordering_spec){.kind = TORRE_ROW_MAJOR}, particles->count,
                              &bins));
    const int axis = g->dimensions - 1;
    /* half of the mean distance that is left to a neighbour */
    double volume = g->size[0] * g->size[1] * (g->dimensions == 3 ? g->size[2] : 1);
    double apart = pow(volume / (double)p->count, 1.0 / g->dimensions);
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
               .seed = g->seed,
               .parts = parts};
    for (int a = 0; a < 3; a++) s.per_length[a] = 1 / grid.edge[a];
    s.touches = calloc((size_t)bins.count, 1);
    s.is_near = calloc((size_t)bins.bins, 1);
    s.near = malloc((size_t)bins.bins * sizeof *s.near);
    s.place = torre_memory_large((size_t)bins.count * sizeof *s.place);
    torre_status status = s.touches && s.is_near && s.near && s.place
                              ? sweeps(g, &s)
                              : torre_fail(TORRE_ERR_RESOURCE, "no memory for the start");
    if (!status) return_places(&s);
    free(s.touches);
    free(s.is_near);
    free(s.near);
    free(s.place);
    torre_bins_free(&bins);
    return status;
}

torre_status torre_granular_melt(const torre_granular *g, const torre_md_problem *p,
                                 torre_md_particles *particles)
{
    return make_sweeps(g, p, NULL, melt, particles);
}

/* The particles near faces, in their order. */
typedef struct selection {
    torre_md_particles *of;
    double box[3], reach[3]; /* from a face */
    const int64_t *parts;
    int64_t from[SLICES + 1]; /* where those of a slice of all begin */
} selection;

static bool is_selected(const selection *s, int64_t i)
{
    bool near = false;
    for (int a = 0; a < 3; a++)
        near = near || is_near_face(s->box, s->parts, a, s->of->position[a][i], s->reach[a]);
    return near;
}

/* Those that settle and all that they can meet, whose bins are next to theirs. */
static selection select_near(const torre_granular *g, const torre_md_problem *p,
                             const int64_t parts[3], torre_md_particles *particles)
{
    const torre_bin_grid grid = grid_of(g, p);
    selection s = {.of = particles, .parts = parts, .from = {0}};
    for (int a = 0; a < 3; a++) {
        s.box[a] = grid.box[a];
        s.reach[a] = LOOSEN_NEAR * g->diameter + 1.5 * grid.edge[a];
    }
#pragma omp parallel for
    for (int k = 0; k < SLICES; k++) {
        const int64_t end = particles->count * (k + 1) / SLICES;
        for (int64_t i = particles->count * k / SLICES; i < end; i++)
            s.from[k + 1] += is_selected(&s, i);
    }
    for (int k = 0; k < SLICES; k++) s.from[k + 1] += s.from[k];
    return s;
}

/* Positions of the selected ones to others, or back from them. */
static void copy_selected(const selection *s, bool back, torre_md_particles *to)
{
#pragma omp parallel for
    for (int k = 0; k < SLICES; k++) {
        const int64_t end = s->of->count * (k + 1) / SLICES;
        int64_t at = s->from[k];
        for (int64_t i = s->of->count * k / SLICES; i < end; i++) {
            if (!is_selected(s, i)) continue;
            for (int a = 0; a < 3; a++) {
                if (back)
                    s->of->position[a][i] = to->position[a][at];
                else
                    to->position[a][at] = s->of->position[a][i];
            }
            at++;
        }
    }
}

torre_status torre_granular_settle(const torre_granular *g, const torre_md_problem *p,
                                   const int64_t parts[3], torre_md_particles *particles)
{
    const selection near = select_near(g, p, parts, particles);
    torre_md_particles some;
    if (!near.from[SLICES]) return TORRE_OK;
    TORRE_TRY(torre_md_particles_new(near.from[SLICES], &some));
    copy_selected(&near, false, &some);
    const torre_status status = make_sweeps(g, p, parts, settle, &some);
    if (!status) copy_selected(&near, true, &some);
    torre_md_particles_free(&some);
    return status;
}
