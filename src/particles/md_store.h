/*
 * Particles as the CPU solver holds them, its neighbour lists, and the table of the loops over
 * them, which exist once per precision and instruction set.
 *
 * Arrays of vectors are quads: x, y, z, 0 of particle 0, then of particle 1, ... so that one vector
 * load fetches a neighbour and integration is one loop over a flat array. One quad more than there
 * are particles follows the last: the far particle, which pads lists to whole vectors and is beyond
 * the cutoff of everything. (Of ranks, cpu/cpu_share.h, ghosts, which others move, lie in between,
 * or, in memory in common, cpu/cpu_team.h, the particles of others lie before and behind.) The
 * fourth number of a force is the power that the particle dissipates and that of a velocity,
 * kicked with the others, the energy it has lost over its mass; that of a position is the type of
 * the particle, or of rough grains the radius.
 */
#ifndef TORRE_MD_STORE_H
#define TORRE_MD_STORE_H

#include <stdatomic.h>

#include "core/cpu.h"
#include "particles/bins.h"
#include "particles/fire.h"
#include "particles/md_types.h"

/* Elements of float or double as the precision says ("state": f64 for mixed). */
typedef struct torre_md_store {
    int64_t count;                 /* particles that are moved */
    int64_t far;                   /* place of the far particle: count, and ghosts */
    int64_t room;                  /* places that there is memory for, but for that one */
    int64_t first;                 /* of ranks: particles of those before this one, else 0 */
    struct torre_cpu_share *share; /* of ranks, NULL: all particles are here */
    double *sums;                  /* room of md_sum.h */
    int threads;
    void *position, *velocity, *force; /* quads of the state type */
    void *hold;                        /* where the last rebuild expected the particles */
    void *spare;                       /* for sorting */
    void *packed;                      /* positions as pairs read them (md_packed.h): integers in
                                          mixed precision, otherwise the positions themselves */
    void *spare_packed;                /* of such integers, for who moves particles while others
                                          read them; NULL: none */
    double turns[4];                   /* of these integers: units per length along each axis */
    double box[3];                     /* edges, at the step */
    double reach;                      /* of lists */
    int64_t step;                      /* of the positions */
    int32_t *id;                       /* of the particle in each place */
    int32_t *spare_id;
    bool lent;                     /* quads and ids are memory of another */
    const torre_md_types *types;   /* NULL: one */
    const uint8_t *type;           /* of each that is loaded, where there are types */
    double weight[TORRE_MD_TYPES]; /* mass of a type, over that of the problem */
    double largest;                /* radius of rough grains; 0: particles have types */
    const double *radius;          /* of each that is loaded; NULL: all alike */
} torre_md_store;

/* Blocks of list entries of one thread, kept from one rebuild to the next. */
typedef struct torre_md_arena {
    int32_t **block;
    int64_t *capacity; /* entries of each block */
    int64_t blocks;
    int64_t current, used; /* the block being filled, entries taken */
} torre_md_arena;

/*
 * Neighbour lists, one per place in storage, of which those of particles without one are not there,
 * and behind them those of given particles, which others have (cpu/cpu_team.h). The entries of a
 * list start at a multiple of 64 bytes and are padded with the far particle to a multiple of
 * TORRE_LIST_PAD.
 */
#define TORRE_LIST_PAD 16

typedef struct torre_md_lists {
    int32_t below[2]; /* particles with lists: of ids below the first, */
    int64_t kept;     /* or in the places before this one below the second; at first all */
    int32_t *given;   /* places of given particles, of the second kind, ascending */
    int64_t given_count, given_room;
    int64_t first;  /* place of the first list: 0, but of tails */
    int64_t builds; /* how often they were made */
    const int32_t **start;
    int32_t *length; /* without padding */
    uint8_t *wraps;  /* bit a: a neighbour may be across the box along axis a */
    torre_md_arena *arena;
    int threads;
    int64_t room; /* lists that there is memory for */
    double mean_length;
} torre_md_lists;

/* Lists without entries, for which blocks are taken as they come; bytes that this takes. */
torre_status torre_md_lists_make(int64_t count, int threads, torre_md_lists *lists);
/* Of so many places, and that many given particles behind them, empty. */
torre_status torre_md_lists_grow(torre_md_lists *lists, int64_t count, int64_t given);
void torre_md_lists_free(torre_md_lists *lists);

static inline bool torre_md_has_list(const torre_md_lists *l, int64_t place, int32_t id)
{
    return id < l->below[place < l->kept];
}

int64_t torre_md_lists_bytes(int64_t count, int threads);

/* How many of some particles have been taken; apart from others, which other threads count. */
typedef struct torre_md_taken {
    atomic_llong count;
    char apart[128 - sizeof(atomic_llong)];
} torre_md_taken;

/* The last of the particles of a rank that have lists for all sweeps, of which all ranks take some
 * (cpu/cpu_tails.h). */
typedef struct torre_md_tail {
    torre_md_store store;  /* as that rank has it, */
    torre_md_lists lists;  /* and start, length and wraps of these alone, one after another */
    const int32_t *place;  /* theirs, ascending, */
    int64_t count;         /* so many */
    torre_md_taken *taken; /* in this sweep */
    atomic_llong computed; /* by this rank, in all sweeps */
} torre_md_tail;

/* Some that nobody has taken yet in this sweep, `most` or what is left; false: there are none. */
static inline bool torre_md_tail_take(torre_md_tail *tail, int64_t most, int64_t *low,
                                      int64_t *high)
{
    *low = atomic_fetch_add_explicit(&tail->taken->count, most, memory_order_relaxed);
    *high = *low + most < tail->count ? *low + most : tail->count;
    if (*low >= *high) return false;
    atomic_fetch_add_explicit(&tail->computed, *high - *low, memory_order_relaxed);
    return true;
}

/* Start filling from the first block again. */
void torre_md_arena_rewind(torre_md_arena *arena);

/* Room for entries more, 64-byte aligned; NULL out of memory. _take keeps the first of them,
 * rounded up to a multiple of TORRE_LIST_PAD; what lies beyond is overwritten by the next list. */
int32_t *torre_md_arena_room(torre_md_arena *arena, int64_t entries);
void torre_md_arena_take(torre_md_arena *arena, int64_t entries);

/* Noise of a thermostat. */
typedef struct torre_md_noise {
    double keep, spread;
    uint64_t seed, stream;
    double less; /* by how much less the sum of weight v^2 is afterwards */
} torre_md_noise;

/* A step of a barostat, along each axis. */
typedef struct torre_md_stretch {
    double keep[3];             /* share of the velocity, then kicked ... */
    double kick;                /* ... by so much of the force */
    double more[3], forward[3]; /* r += more r + forward v */
    double hold[3];             /* edge of the box over that of the last rebuild */
} torre_md_stretch;

/* Loops that do not depend on the pair model (md_state.c.in). */
typedef struct torre_md_state_loops {
    const char *isa;           /* "avx512", "avx2", "base" */
    int state_size, pair_size; /* bytes of an element */

    /* Fill places 0 .. count - 1 with particles from id `first` on; the far particle; forces 0. */
    void (*load)(torre_md_store *store, const double *const position[3],
                 const double *const velocity[3], const double box[3]);
    /* Copy an array of quads to out[axis][id]; box: wrap into it (NULL: do not). */
    void (*unload)(const torre_md_store *store, const void *quads, const double *box,
                   double *const out[3]);
    /* v += kick f, r += dt v; returns the largest squared displacement as moved does. */
    double (*kick_drift)(torre_md_store *store, double kick, double dt);
    /* v *= factor */
    void (*scale)(torre_md_store *store, double factor);
    /* v *= factor along each axis */
    void (*scale_axes)(torre_md_store *store, const double factor[3]);
    /* A drift in a box that changes, which the store has already; the displacements are those from
     * hold where the box has taken it. */
    double (*stretch)(torre_md_store *store, const torre_md_stretch *stretch);
    /* Sums of minimisation (fire.h), in a fixed order; weights for masses. */
    void (*relax_sums)(const torre_md_store *store, double sum[TORRE_FIRE_SUMS]);
    /* v = keep v + (add + kick) f, at most most / dt; r += dt v; returns as moved does. */
    double (*relax)(torre_md_store *store, const torre_fire *fire, double kick, double most);
    /* v = keep v + spread g / sqrt(weight), g normal deviates of (seed, stream, id) */
    void (*noise)(torre_md_store *store, torre_md_noise *noise);
    /* The same in front of v += kick f, r += dt v, or in the middle of this drift; returns as
     * moved does. */
    double (*noise_drift)(torre_md_store *store, torre_md_noise *noise, bool middle, double kick,
                          double dt);
    /* Largest square of a distance from hold, infinite where there is a number that is not finite;
     * place (may be NULL): of the first particle that is as far from it. */
    double (*moved)(const torre_md_store *store, int64_t *place);
    /* Sum of v^2, and of the four numbers of velocities, each times its weight; a fixed order of
     * summation. */
    double (*square_sum)(const torre_md_store *store, double sum[4]);
    /* Sums of weight v^2 along each axis, in a fixed order. */
    void (*axis_squares)(const torre_md_store *store, double sum[3]);
    /* hold = where a particle of the present velocity is after a time, but no further than most
     * from where it is now. */
    void (*hold)(torre_md_store *store, double time, double most);
    /* Positions as pairs read them, after a change of the box. */
    void (*pack)(torre_md_store *store);
    /* Wrap hold into the box, and positions with it; returns the place of a particle whose hold is
     * not within one box of it (or not finite), -1 for none. */
    int64_t (*wrap)(torre_md_store *store, const double box[3]);
    /* rank_of of every particle: the bin of its hold */
    void (*bin)(const torre_md_store *store, torre_bins *bins);
    /* Put an array of quads of the store into the order of bins->member; it and `spare` change
     * places. */
    void (*permute)(torre_md_store *store, const torre_bins *bins, void **quads);
    /* Lists of all whose holds are within bins->reach (and few beyond, by rounding), for
     * those that have lists; half: of those in later places only. */
    torre_status (*build)(const torre_md_store *store, const torre_bins *bins, bool half,
                          torre_md_lists *lists);
} torre_md_state_loops;

/*
 * Forces, each followed by v += kick f (the second kick of a step; 0 for none); where virial is not
 * NULL also its sums of d_a F_a over pairs along each axis, of models that do not dissipate (for an
 * isotropic barostat a third of the sum of d . F each); where sums is not NULL its potential,
 * potential_shift, virial and contacts instead: forces and velocities stay.
 */
typedef struct torre_md_force_loops {
    /* tails: so many, the own one first, where neither a virial nor sums are wanted; or none */
    torre_status (*full)(torre_md_store *store, const torre_md_problem *problem, double kick,
                         const torre_md_lists *lists, torre_md_tail *tail, int tails,
                         double virial[3], torre_md_sums *sums);
    /* parts: force arrays that are summed in the end, one per thread or a fixed number; spare
     * quads for all of them in parts_force. */
    torre_status (*half)(torre_md_store *store, const torre_md_problem *problem, double kick,
                         const torre_md_lists *lists, int parts, void *parts_force,
                         double virial[3], torre_md_sums *sums);
    torre_status (*tile)(torre_md_store *store, const torre_md_problem *problem, double kick,
                         const torre_bins *bins, double virial[3], torre_md_sums *sums);
} torre_md_force_loops;

/* Allocate the arrays of count particles in a box for these loops; reach: of lists, at most half
 * the box. TORRE_ERR_RESOURCE without memory. */
torre_status torre_md_store_make(int64_t count, int threads, const double box[3], double reach,
                                 const torre_md_state_loops *state, torre_md_store *store);
/* The same with memory of another for so many places and far particles, of which the store has
 * `sums` alone; a packed array that is NULL: there is none. */
typedef struct torre_md_lent {
    void *position, *velocity, *force, *hold, *spare, *packed;
    int32_t *id, *spare_id;
} torre_md_lent;
torre_status torre_md_store_lend(int64_t count, const torre_md_lent *lent, torre_md_store *store);
/* Room for `spare_packed`. TORRE_ERR_RESOURCE. */
torre_status torre_md_store_spare_packed(torre_md_store *store, const torre_md_state_loops *state);
/* Change the edges of the box; positions are to be packed again. */
void torre_md_store_set_box(torre_md_store *store, const double box[3]);
/* Before particles are loaded, where they have types. */
void torre_md_store_set_types(torre_md_store *store, const torre_md_problem *problem);
/* Likewise of rough grains; radius, at most the largest, may be NULL. */
void torre_md_store_set_radii(torre_md_store *store, double largest, const double *radius);
void torre_md_store_free(torre_md_store *store);
/* Room for so many places at least; what is in those that there are stays. */
torre_status torre_md_store_grow(torre_md_store *store, const torre_md_state_loops *state,
                                 int64_t places);
/* Bytes that it takes. */
int64_t torre_md_store_bytes(int64_t count, const torre_md_state_loops *state);

/*
 * The first part of a rebuild: wrap particles into the box and put them into bins; sort: put
 * storage into their order, too.
 *
 * Lists stay complete as long as no particle is further than half the skin from where it was when
 * they were made. That holds for any point nearby as well as for where it was, and it holds for
 * longest if the point is half-way to where the particle will be: `hold` is where it is after
 * `time`, half of the time until the next rebuild, if it goes on as now, but within `most`, less
 * than half the skin. Bins and lists are made of these points. (With time 0 they are the
 * positions.)
 *
 * TORRE_ERR_UNSTABLE with the step where a position is not finite or far outside.
 */
torre_status torre_md_store_bin(torre_md_store *store, const torre_md_state_loops *state,
                                torre_bins *bins, double time, double most, bool sort,
                                int64_t step);
/* The same but for the sort: returns the place of a particle that fails, -1 for none; how. */
int64_t torre_md_store_place(torre_md_store *store, const torre_md_state_loops *state,
                             torre_bins *bins, double time, double most);
torre_status torre_md_store_lost(int32_t id, int64_t step);
/* Bins of all, and storage in their order. */
void torre_md_store_sort(torre_md_store *store, const torre_md_state_loops *state,
                         torre_bins *bins);
/* Storage in the order of bins->member, an array of quads after the other, then the rest. */
enum { TORRE_MD_PERMUTED = 4 };
void torre_md_store_permute(torre_md_store *store, const torre_md_state_loops *state,
                            const torre_bins *bins, int which);
void torre_md_store_permuted(torre_md_store *store, const torre_md_state_loops *state,
                             const torre_bins *bins);

/* The loops for this precision and processor. */
const torre_md_state_loops *torre_md_state_loops_find(torre_md_precision precision);
const torre_md_force_loops *torre_md_force_loops_find(const torre_md_problem *problem);

/* Row of a table of loops with that many rows, base, avx2, avx512: the best that is allowed and
 * that this processor has. */
int torre_md_isa_row(int rows);

/* Use no better instruction set than this from now on, in solvers planned later: for tests and
 * comparisons. Not thread-safe. */
void torre_md_limit_isa(torre_isa most);

#endif
