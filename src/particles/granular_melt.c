#include "particles/granular_melt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "particles/bins.h"
#include "particles/granular_bins.h"
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

enum { COLOURS = 27 }; /* of bins */
enum { SLICES = 128 }; /* of the bins, or particles, for threads */

/* A sweep of moves. */
typedef struct sweep {
    torre_granular_bins *bins;
    double step, diameter, low, high; /* low, high: of coordinates along the axis */
    int axis, dimensions;
    bool pushes;                    /* those that overlap try to get off each other first */
    bool grown;                     /* particles may overlap: moves must not make it worse */
    bool few;                       /* moves are offered to those that touched alone */
    uint64_t seed, stream, numbers; /* numbers: the seed of this sweep's */
    int64_t done;                   /* sweeps so far */
    int32_t *near;                  /* ranks of the bins to sweep, colour by colour */
    int64_t near_from[COLOURS + 1]; /* where the bins of a colour begin */
    int64_t slice[SLICES][COLOURS]; /* how many bins of a slice have a colour, or where to go on */
    uint8_t *is_near;               /* [bins] */
    const int64_t *parts; /* of the box, which settle where they meet; NULL: sweeps are of all */
    uint8_t *face[3]; /* [cells of an axis]: FACE_ bits of the distance to the next face there */
} sweep;

/* The middle of a bin is so near a face. */
enum { FACE_SETTLE = 1, FACE_LOOSEN = 2 };

/* Number i of this sweep, in [0, 1). */
static double random_of(const sweep *s, int64_t i)
{
    return torre_random_unit(torre_random_at(s->numbers, (uint64_t)i));
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

static inline double sum_overlaps(const sweep *s, const torre_granular_around *around, int64_t self,
                                  const double r[3], double most, bool whole)
{
    const double square = s->diameter * s->diameter;
    double sum = 0;
    for (int k = 0; k < around->count; k++) {
        for (int64_t m = around->from[k]; m < around->to[k]; m++) {
            const double rsq = square_apart(r, s->bins->now.place[m], s->bins->grid.box, whole);
            if (rsq >= square || m == self) continue;
            sum += (s->diameter - sqrt(rsq)) * (s->diameter - sqrt(rsq));
            if (sum > most) return sum;
        }
    }
    return sum;
}

/* Sum of the squares of the overlaps of member `self` at r with those around it, or something above
 * `most` where it is above that. */
static double overlap(const sweep *s, const torre_granular_around *around, int64_t self,
                      const double r[3], double most)
{
    return around->whole ? sum_overlaps(s, around, self, r, most, true)
                         : sum_overlaps(s, around, self, r, most, false);
}

/* Whether a place is between the walls, and in the bin. */
static bool is_allowed(const sweep *s, int64_t rank, const double r[3])
{
    return r[s->axis] >= s->low && r[s->axis] <= s->high &&
           torre_granular_bin_of(s->bins, r) == rank;
}

/* Where member `self` at r would come to if each of those that it overlaps pushed it off, as far as
 * to the distance apart. */
static void push_off(const sweep *s, const torre_granular_around *around, int64_t self,
                     double apart, double r[3])
{
    const double *box = s->bins->grid.box, square = s->diameter * s->diameter;
    double push[3] = {0};
    for (int k = 0; k < around->count; k++) {
        for (int64_t m = around->from[k]; m < around->to[k]; m++) {
            double d[3], rsq = 0;
            for (int a = 0; a < s->dimensions; a++) {
                d[a] = r[a] - s->bins->now.place[m][a];
                if (d[a] > box[a] / 2) d[a] -= box[a];
                if (d[a] < -box[a] / 2) d[a] += box[a];
                rsq += d[a] * d[a];
            }
            if (rsq >= square || m == self || rsq == 0) continue;
            const double share = apart / sqrt(rsq) - 1;
            for (int a = 0; a < s->dimensions; a++) push[a] += share * d[a];
        }
    }
    for (int a = 0; a < s->dimensions; a++) r[a] = torre_granular_wrapped(r[a] + push[a], box[a]);
}

/* Move a member that overlaps off the others, by a random gap as moves are wide, so that not all
 * end in touch; false where that is no better. */
static bool get_off(const sweep *s, const torre_granular_around *around, int64_t rank, int64_t m,
                    double now)
{
    const double gap = s->step * random_of(s, 4 * (int64_t)s->bins->now.number[m] + 3);
    double r[3];
    memcpy(r, s->bins->now.place[m], sizeof r);
    push_off(s, around, m, s->diameter * TORRE_GRANULAR_SPREAD + gap, r);
    if (!is_allowed(s, rank, r) || overlap(s, around, m, r, now) >= now) return false;
    memcpy(s->bins->now.place[m], r, sizeof r);
    return true;
}

/* Offer each particle of a bin a move that stays in the bin. Returns how many overlap before. */
static int64_t move_bin(const sweep *s, int64_t rank)
{
    int64_t overlapping = 0;
    if (s->bins->start[rank] == s->bins->start[rank + 1]) return 0;
    torre_granular_around around;
    torre_granular_bins_around(s->bins, rank, &around);
    for (int64_t m = s->bins->start[rank]; m < s->bins->start[rank + 1]; m++) {
        const int64_t i = s->bins->now.number[m];
        double r[3], now = 0;
        if (s->few && !s->bins->now.touches[m]) continue;
        memcpy(r, s->bins->now.place[m], sizeof r);
        if (s->grown) now = overlap(s, &around, m, r, INFINITY);
        s->bins->now.touches[m] = now > 0;
        overlapping += now > 0;
        if (s->pushes && now > 0 && get_off(s, &around, rank, m, now)) continue;
        for (int a = 0; a < s->dimensions; a++) {
            const double u = random_of(s, 4 * i + a);
            r[a] = torre_granular_wrapped(r[a] + s->step * (2 * u - 1), s->bins->grid.box[a]);
        }
        if (!is_allowed(s, rank, r) || overlap(s, &around, m, r, now) > now) continue;
        memcpy(s->bins->now.place[m], r, sizeof r);
    }
    return overlapping;
}

/* Colour of a bin along an axis: neighbours differ, also around the box. */
static int colour(int64_t cell, int64_t n) { return cell == n - 1 && n % 2 ? 2 : (int)(cell % 2); }

static int colour_of(const torre_granular_bins *bins, int64_t rank)
{
    const int64_t *n = bins->grid.n;
    int64_t cell[3];
    torre_granular_cell(bins, rank, cell);
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
    const torre_granular_bins *bins = s->bins;
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

/* Whether a coordinate is less than so far from a face between parts along an axis. */
static bool is_near_face(const double box[3], const int64_t parts[3], int axis, double r,
                         double distance)
{
    const double edge = box[axis] / (double)parts[axis];
    return parts[axis] > 1 && fabs(r - edge * rint(r / edge)) < distance;
}

/* Where the grid as displaced has its bins beside faces. */
static void look_for_faces(sweep *s)
{
    const torre_bin_grid *grid = &s->bins->grid;
    for (int a = 0; a < 3; a++) {
        for (int64_t c = 0; c < grid->n[a]; c++) {
            const double middle = ((double)c + 0.5) * grid->edge[a] - s->bins->shift[a];
            s->face[a][c] = 0;
            if (is_near_face(grid->box, s->parts, a, middle, SETTLE_NEAR * s->diameter))
                s->face[a][c] |= FACE_SETTLE;
            if (is_near_face(grid->box, s->parts, a, middle, LOOSEN_NEAR * s->diameter))
                s->face[a][c] |= FACE_LOOSEN;
        }
    }
}

/* Displace the grid at random, so that particles get from bin to bin. */
static void displace_grid(sweep *s)
{
    double shift[3];
    for (int a = 0; a < 3; a++) {
        double u = torre_random_uniform(s->seed, TORRE_STREAM_GRID, 4 * s->stream + (uint64_t)a);
        shift[a] = u * s->bins->grid.edge[a];
    }
    torre_granular_bins_displace(s->bins, shift);
    if (s->parts) look_for_faces(s);
}

/* Whether the middle of a bin, in the grid as displaced, is so near a face, or all are swept. */
static bool settles(const sweep *s, const int64_t cell[3], uint8_t face)
{
    if (!s->parts) return true;
    return (s->face[0][cell[0]] | s->face[1][cell[1]] | s->face[2][cell[2]]) & face;
}

/* The bins near faces. */
static void find_faces(sweep *s)
{
    const int64_t *n = s->bins->grid.n;
#pragma omp parallel for collapse(2)
    for (int64_t x = 0; x < n[0]; x++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t z = 0; z < n[2]; z++)
                s->is_near[(x * n[1] + y) * n[2] + z] =
                    settles(s, (const int64_t[]){x, y, z}, FACE_SETTLE);
    sort_colours(s, true);
}

/* Of a member that touched somebody and will not be swept: whether it still does. */
static bool still_touches(const sweep *s, int64_t rank, int64_t m)
{
    torre_granular_around around;
    torre_granular_bins_around(s->bins, rank, &around);
    return overlap(s, &around, m, s->bins->now.place[m], 0) > 0;
}

/* The bins around a cell, or it alone, if they may be swept. */
static void mark_near(sweep *s, const int64_t cell[3])
{
    const torre_granular_bins *bins = s->bins;
    for (int o = 0; o < (s->few ? 1 : TORRE_GRANULAR_BLOCK); o++) {
        int64_t other[3];
        const int64_t rank = torre_granular_around_cell(bins, cell, o, other);
        if (!settles(s, other, FACE_LOOSEN)) continue;
#pragma omp atomic write
        s->is_near[rank] = 1;
    }
}

/* The bins that hold a particle that touched another in the last sweep, and those around them, if
 * they may be swept. Returns how many particles touch another where they may not. */
static int64_t find_near(sweep *s)
{
    const torre_granular_members *members = &s->bins->now;
    int64_t kept = 0;
#pragma omp parallel for
    for (int64_t k = 0; k < s->near_from[COLOURS]; k++) s->is_near[s->near[k]] = 0;
#pragma omp parallel for reduction(+ : kept)
    for (int64_t m = 0; m < s->bins->count; m++) {
        int64_t cell[3];
        if (!members->touches[m]) continue;
        const int64_t own = torre_granular_bin_of(s->bins, members->place[m]);
        torre_granular_cell(s->bins, own, cell);
        if (!settles(s, cell, FACE_LOOSEN)) {
            members->touches[m] = still_touches(s, own, m);
            kept += members->touches[m];
        }
        mark_near(s, cell);
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
    if (displace) displace_grid(s);
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

/* The particles that are swept, in their order: all, or those near faces. */
typedef struct selection {
    torre_md_particles *of;
    double box[3], reach[3];  /* from a face */
    const int64_t *parts;     /* or NULL: all */
    int64_t from[SLICES + 1]; /* where those of a slice of all begin */
} selection;

static bool is_selected(const selection *s, int64_t i)
{
    bool near = !s->parts;
    for (int a = 0; a < 3 && !near; a++)
        near = is_near_face(s->box, s->parts, a, s->of->position[a][i], s->reach[a]);
    return near;
}

/* Those that settle and all that they can meet, whose bins are next to theirs. */
static selection select_near(const torre_granular *g, const torre_bin_grid *grid,
                             const int64_t *parts, torre_md_particles *particles)
{
    selection s = {.of = particles, .parts = parts, .from = {0}};
    for (int a = 0; a < 3; a++) {
        s.box[a] = grid->box[a];
        s.reach[a] = LOOSEN_NEAR * g->diameter + 1.5 * grid->edge[a];
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

/* Positions of the selected ones to places, or back from there. */
static void copy_selected(const selection *s, bool back, double (*place)[3])
{
#pragma omp parallel for
    for (int k = 0; k < SLICES; k++) {
        const int64_t end = s->of->count * (k + 1) / SLICES;
        int64_t at = s->from[k];
        for (int64_t i = s->of->count * k / SLICES; i < end; i++) {
            if (!is_selected(s, i)) continue;
            for (int a = 0; a < 3; a++) {
                if (back)
                    s->of->position[a][i] = place[at][a];
                else
                    place[at][a] = s->of->position[a][i];
            }
            at++;
        }
    }
}

/* Free them with free_tables in any case. */
static torre_status make_tables(sweep *s)
{
    const torre_granular_bins *b = s->bins;
    s->is_near = torre_memory_zero((size_t)b->bins);
    s->near = torre_memory_large((size_t)b->bins * sizeof *s->near);
    bool made = s->is_near && s->near;
    for (int a = 0; a < 3; a++) {
        s->face[a] = calloc((size_t)b->grid.n[a], 1);
        made = made && s->face[a];
    }
    return made ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "no memory for the start");
}

static void free_tables(sweep *s)
{
    free(s->is_near);
    free(s->near);
    for (int a = 0; a < 3; a++) free(s->face[a]);
}

/* Sweep the selected particles. */
static torre_status sweep_selected(const torre_granular *g, const selection *of,
                                   sweeps_function *sweeps, sweep *s)
{
    TORRE_TRY(make_tables(s));
    copy_selected(of, false, s->bins->now.place);
    TORRE_TRY(sweeps(g, s));
    torre_granular_bins_places(s->bins);
    copy_selected(of, true, s->bins->next.place);
    return TORRE_OK;
}

static sweep sweep_of(const torre_granular *g, const torre_md_problem *p, const int64_t *parts,
                      torre_granular_bins *bins)
{
    const int axis = g->dimensions - 1;
    /* half of the mean distance that is left to a neighbour */
    double volume = g->size[0] * g->size[1] * (g->dimensions == 3 ? g->size[2] : 1);
    double apart = pow(volume / (double)p->count, 1.0 / g->dimensions);
    double step =
        fmin(fmax(0.5 * (apart - 0.9 * g->diameter), 0.04 * g->diameter), g->diameter / 2);
    return (sweep){.bins = bins,
                   .step = step,
                   .diameter = g->diameter,
                   .low = g->walls ? p->pair.granular.wall_low + g->diameter / 2 : 0,
                   .high = g->walls ? p->pair.granular.wall_high - g->diameter / 2 : p->box[axis],
                   .axis = axis,
                   .dimensions = g->dimensions,
                   .seed = g->seed,
                   .parts = parts};
}

/* Of all particles of the problem, or, where parts settle, of those that matter there. */
static torre_status make_sweeps(const torre_granular *g, const torre_md_problem *p,
                                const int64_t *parts, sweeps_function *sweeps,
                                torre_md_particles *particles)
{
    /* a hair more than a diameter, so that rounding of the bin never counts */
    const torre_bin_grid grid =
        torre_bins_grid(p->box, g->diameter * TORRE_GRANULAR_SPREAD, p->count);
    const selection of = select_near(g, &grid, parts, particles);
    torre_granular_bins bins = {.count = 0};
    sweep s = sweep_of(g, p, parts, &bins);
    if (!of.from[SLICES]) return TORRE_OK;
    torre_status status = torre_granular_bins_make(&grid, of.from[SLICES], &bins);
    if (!status) status = sweep_selected(g, &of, sweeps, &s);
    free_tables(&s);
    torre_granular_bins_free(&bins);
    return status;
}

torre_status torre_granular_melt(const torre_granular *g, const torre_md_problem *p,
                                 torre_md_particles *particles)
{
    return make_sweeps(g, p, NULL, melt, particles);
}

torre_status torre_granular_settle(const torre_granular *g, const torre_md_problem *p,
                                   const int64_t parts[3], torre_md_particles *particles)
{
    return make_sweeps(g, p, parts, settle, particles);
}
