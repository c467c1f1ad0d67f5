/*
 * What the kernels of the particle solver and their host side share: plain data.
 *
 * Storage. The box is cut into bins (edge at least (cutoff + skin) / reach) and the bins into
 * bricks, boxes of up to brick_max bins: of an axis with n bins and m bricks, brick b covers the
 * bins floor(b n / m) .. floor((b + 1) n / m) - 1, so any n works and bricks differ by at most one
 * bin per axis. Bricks are ranked by the chosen ordering; each owns `slots` consecutive entries of
 * the table `start` (its bins in snake order, unused ones empty). Particles are sorted by bin, in a
 * bin by id:
 *
 *     places start[rank * slots + inner] .. start[rank * slots + inner + 1] - 1: one bin
 *
 * A place is a position in that sequence; the particle there is stored at index `place`, or at
 * perm[place] where the storage itself is not sorted. The fourth number of a position is the type
 * of the particle, or the radius of a rough grain.
 *
 * Tiles. A brick with a halo of `reach` bins around it is staged in shared memory: halo bins in
 * row-major order (axis 2 fastest), coordinates relative to the centre of the brick, in the right
 * periodic image. gather[rank * staged_cap + s] says what stands at s: the storage index in the low
 * MD_INDEX_BITS bits, above them the periodic shift ((sx + 1) 3 + sy + 1) 3 + sz + 1. The last
 * place, staged_cap - 1, is nobody: its coordinates are not numbers, so it interacts with nothing.
 *
 * Lists. A neighbour is the 16-bit byte offset 16 s of a staged particle. T lanes (threads) work
 * for one place of a brick: lane = (place - first) T + sub. The list of a lane is cut into groups
 * of four; group g of lane l is list[(page * group_cap + g) * lane_cap + l], so neighbouring lanes
 * read neighbouring words. The page of a brick is its rank, or its number in a table of those
 * bricks that hold particles.
 */
#ifndef TORRE_MD_DEVICE_H
#define TORRE_MD_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "particles/barostat.h"
#include "particles/bath.h"
#include "particles/fire.h"

#define MD_INDEX_BITS 27   /* at most 2^27 - 1 particles */
#define MD_SHIFTS     27   /* periodic shifts (-1, 0, 1)^3 */
#define MD_STAGED_MAX 4096 /* so that 16 s fits 16 bits */
#define MD_REACH_MAX  6
#define MD_BRICK_MAX  16  /* bins per axis of a brick (5 bits each in home) */
#define MD_PAIR_BYTES 128 /* room for the constants of a pair model */
#define MD_TYPES      8   /* TORRE_MD_TYPES */
#define MD_DEVICES    32  /* that share particles, at most */
#define MD_FIXED_BITS 44  /* binary places of the fixed-point force sums of half lists */

/* Shared memory that the force kernels declare themselves, rounded up. */
#define MD_DECLARED_SHARED 4096

/* Bits of md_control.error. */
enum {
    MD_ERROR_STAGED = 1,     /* a tile holds more than staged_cap - 1 particles: need_staged */
    MD_ERROR_LANES = 2,      /* a brick needs more than lane_cap lanes: need_lanes */
    MD_ERROR_LIST = 4,       /* a list has more than 4 group_cap entries: need_entries */
    MD_ERROR_NOT_FINITE = 8, /* a position is not finite: bad_id */
    MD_ERROR_JUMP = 16,      /* a particle crossed more than a box since the last rebuild: bad_id */
    MD_ERROR_FORCE = 32,     /* a force left the range of the fixed-point sums: bad_id */
    MD_ERROR_CONTACTS = 64,  /* a rough grain has more contacts than slots: bad_id */
    MD_ERROR_GROWTH = 128, /* a barostat changes an edge by more than TORRE_MOST_GROWTH in a step */
    MD_ERROR_BOX = 256     /* the box that a barostat made does not suit the bins any more */
};

#define MD_NO_STOP INT32_MAX
#define MD_FAILED  (-2) /* `last` where a step has set error, which other devices learn of so */

/*
 * One per solver. Once error is set every later kernel returns at once, so the state stays that of
 * drift `done` and the host can repair the cause and go on from there. Of the steps behind `last`,
 * at the end of which a particle had gone too far for the lists, the first only passes on what is
 * there, and the others do nothing.
 */
typedef struct md_control {
    uint32_t error;
    uint32_t need_staged, need_lanes, need_entries;
    uint32_t bad_id; /* smallest id concerned; UINT32_MAX: none */
    uint32_t done;   /* drifts completed since the host last cleared it */
    uint32_t built;  /* `done` at the last rebuild, modulo 2^32 where that is longer ago */
    int32_t last;    /* last step of the sequence to be done, counted from 0, or -1 (the drift in
                        front of it was too much); MD_NO_STOP: all of them */
    uint64_t step;   /* step at that time */
    uint64_t clock;  /* step of the positions at the start of a recorded sequence of steps */
    uint32_t moved;  /* largest squared displacement since the last rebuild, bits of a float;
                        up to date after md_state_kernels.moved */
} md_control;

/* Bins, bricks, tiles and lists; pointers are device memory. */
typedef struct md_tiles {
    int bins[3], bricks[3]; /* per axis */
    int brick_max[3];       /* bins of the largest brick, per axis */
    int reach;              /* halo, in bins */
    int slots;              /* table entries per brick: product of brick_max */
    int brick_count;
    int first_brick, own_bricks; /* ranks of the bricks that this device computes, which have the
                                    rows of the tables of tiles and lists: all, of one device */
    int halo_bins;               /* of the largest tile */
    int8_t row_reach[MD_REACH_MAX + 1][MD_REACH_MAX + 1]; /* bins to search along axis 2 in the
                               row (dx, dy) bins away; -1: none */
    const int *brick_rank;                                /* [row-major brick] -> rank */
    const int *brick_of;                                  /* [rank] -> row-major brick */
    int *start;                                           /* [brick_count * slots + 1] */
    uint16_t *home;       /* [place], its bin in the brick: x | y << 5 | z << 10 */
    int *perm;            /* [place] -> storage index; NULL: storage is sorted */
    uint32_t *gather;     /* [rank][staged_cap] */
    int *staged_count;    /* [rank] */
    uint16_t *halo_start; /* [rank][halo_bins + 1], first s of each halo bin */
    int staged_cap;
    uint64_t *list;          /* groups of four offsets, the first in the low bits */
    uint16_t *list_groups;   /* [page][lane_cap] */
    int lane_cap, group_cap; /* group_cap is even: two groups per bank of the builder */
    md_control *control;
} md_tiles;

/* The box in f64; kernels convert to their own precision. */
typedef struct md_box {
    double edge[3], bin_edge[3];
} md_box;

/* How a box suits lists: its edges over those that the lists were made in, and further than the
 * root of limit_sq from x_built, which goes with the box, is too far. */
typedef struct md_slack {
    double hold[3], limit_sq;
} md_slack;

/*
 * What a barostat does to the box, which changes from step to step on the device; one per solver.
 * Bins are fractions of the box: they grow and shrink with it.
 */
typedef struct md_live {
    torre_couplings couplings;
    double taken;         /* torre_couplings_taken */
    md_box box;           /* of the positions */
    double built[3];      /* edges at the last rebuild */
    md_slack slack, next; /* next: of the box that has once more grown by: */
    double grown[3];
    double after[3];   /* velocities are to be multiplied by, after the step ... */
    double keep[3];    /* ... and before the next one, in which */
    double more[3];    /* r += more r + forward v */
    double forward[3]; /* (torre_couplings_grow) */
    int grid[3];       /* of md_list_args, for the box of the rebuild */
    float reach;       /* likewise */
} md_live;

/* Arguments of what fits a rebuild to the box that there is then. */
typedef struct md_fit_args {
    md_live *live;
    md_control *control;
    int bins[3];
    double room[3];   /* the bins suit boxes whose edges are these to MD_ROOM_MOST of them */
    double extent[3]; /* half of the largest tile, in bins */
    double radius;    /* cutoff and skin */
    double skin;
    int sorted; /* whether the sort is done */
} md_fit_args;

#define MD_ROOM_LEAST 1.02 /* a new box over room: to plan anew costs some 20 steps */
#define MD_ROOM_MOST  1.1

/* Arguments of the sort by bin. */
typedef struct md_sort_args {
    md_tiles tiles;
    md_box box;
    const md_live *live; /* its box counts instead; NULL: there is none. Likewise below */
    int count;
    int binned; /* of several devices: so many in front are in their bins (md_lend_args) */
    const void *x_in, *v_in, *spin_in; /* [count] of 4 reals; spins NULL where there are none */
    const int *id_in;
    void *x_out, *v_out, *spin_out; /* not the same arrays */
    int *id_out;
    const void *x_was; /* x_built of the last rebuild, at the places of x_in: who is too far from it
                          is reported; NULL: nobody is looked at */
    void *x_built; /* where a rebuild expects the particles half-way to the next one, wrapped into
                      the box; same index as x, whose positions are turned round with it */
    double half_step; /* half the time step: times the steps since the last rebuild, how far ahead
                         that is; 0: x_built is x */
    double most;      /* x_built is no further from x */
    int *bin_count;   /* [brick_count * slots + 1], scratch, zeroed */
    int *key, *slot;  /* [count], scratch; slot -1: of a particle that is not kept */
    int *order, *order_id, *order_key; /* [count], scratch */
    void *scan_scratch;
    size_t scan_bytes;
    const uint32_t *need; /* of several devices: [bin], a bit for each device that needs what is in
                             it; the sort drops particles that this one does not. NULL: of one */
    int self;             /* number of this device */
} md_sort_args;

/* Bricks of several devices: ranks first[d] .. first[d + 1] - 1 are those of device d. */
typedef struct md_cuts {
    int devices;
    int first[MD_DEVICES + 1];
} md_cuts;

/* Which bricks of a device have particles that others need, or need those of others. */
typedef struct md_front_args {
    md_tiles tiles;
    const uint32_t *need; /* of md_sort_args */
    int self;
    int *front; /* [own_bricks] */
} md_front_args;

/* What lends particles to other devices at a rebuild: first it bins them and counts, then they are
 * packed. */
typedef struct md_lend_args {
    md_sort_args sort;     /* of the particles of this one */
    int *lent;             /* [2][MD_DEVICES]: how many each one needs, and of rough grains how
                              many of these are its own from now on */
    int first[MD_DEVICES]; /* where those of each begin in: */
    void *x_out, *v_out, *spin_out;
    int *id_out;
    md_cuts cuts;               /* of rough grains; devices 0: of others */
    int gone_first[MD_DEVICES]; /* likewise of those that change owners, in: */
    int *gone_id;
} md_lend_args;

/* Rows of an array by id, as those of contacts (md_grain_args), for some ids. */
typedef struct md_rows_args {
    void *whole;   /* [id] of rows */
    void *some;    /* [count]: those of these ids, one after another */
    const int *id; /* [count] */
    int count;
    int words; /* of 16 bytes, of a row */
    bool back; /* from some to whole */
} md_rows_args;

/* Which places are lent to a device until the next rebuild. */
typedef struct md_border_args {
    const uint32_t *need;
    const int *key; /* [place], its bin */
    int first, own; /* places of this device's own particles */
    int to;         /* the device */
    int *flag, *at; /* [own + 1], scratch; at[own]: how many they are */
    int *lent;      /* in their order */
    void *scan_scratch;
    size_t scan_bytes;
} md_border_args;

/* What devices tell each other after a step, in this order: positions, of models that dissipate
 * velocities, of rough grains spins. */
enum { MD_TOLD = 3 };

/* What is lent after a step, one after another, and `last` of the control block. */
typedef struct md_tell_args {
    const int *lent;
    int count;
    const void *from[MD_TOLD]; /* quads; NULL: others need none */
    void *to[MD_TOLD];
    int *last_out;
    const md_control *control;
} md_tell_args;

/* What a device takes of others whose memory it reaches: quads to where they belong, and `last`, or
 * at a rebuild ids, which have a place, too. */
typedef struct md_taken {
    const void *from[MD_TOLD]; /* NULL: none */
    void *to[MD_TOLD];
    const int *last, *ids;
    int *id;
    int count;
} md_taken;

typedef struct md_take_args {
    int others, most;    /* most: the largest count */
    md_control *control; /* NULL: at a rebuild */
    md_taken from[MD_DEVICES];
} md_take_args;

/*
 * The grid that lists are searched on, in a box of these edges; extent: half of a tile. Half
 * precision counts whole numbers up to 2048, so a step is 1/2040 of the largest half extent of a
 * tile. Rounding moves each coordinate by half a step, so a distance by at most sqrt(3) steps; the
 * square then takes four roundings of 2^-11.
 */
static inline TORRE_HD void md_search_grid(const double box[3], const double extent[3],
                                           double radius, int grid[3], float *reach)
{
    const double most = fmax(0.0, fmax(extent[0], fmax(extent[1], extent[2])));
    double step = INFINITY;
    for (int a = 0; a < 3; a++) {
        grid[a] = (int)floor(box[a] * 2040 / most);
        step = fmin(step, box[a] / grid[a]);
    }
    const double steps = (radius / step + sqrt(3.0)) / 512;
    *reach = (float)(steps * steps * (1 + 5.0 / 2048));
}

/* Arguments of the list builder. */
typedef struct md_list_args {
    md_tiles tiles;
    md_box box;
    const md_live *live;
    const void *x_built;
    int grid[3];         /* steps of the grid of md_staged_half along the box */
    float reach;         /* square of the radius searched, in (512 steps)^2 */
    int lanes_per_place; /* T */
    int half;            /* keep a pair in the list of the earlier storage index only */
    const int *active; /* [pages] ranks of the bricks that want lists; NULL: all, pages are ranks */
    int pages, block;
} md_list_args;

/* What a force kernel does with forces. */
typedef enum md_force_work {
    MD_FORCE_STEP,     /* two half kicks and a drift, or nothing: md_force_args.forces_only */
    MD_FORCE_NOISE,    /* a step with noise, */
    MD_FORCE_STRETCH,  /* and one into the next box of a barostat, which is set behind it */
    MD_FORCE_SUMS,     /* half a kick, and all sums at the new velocities */
    MD_FORCE_SPEED,    /* the sum of thermostats at these velocities, which are not stored */
    MD_FORCE_PRESSURE, /* those of a barostat that changes all edges alike, */
    MD_FORCE_STRAIN    /* and of one that changes each edge by itself */
} md_force_work;

/* What a block adds up for torre_md_sums; at first what thermostats and barostats need. */
enum {
    MD_SUM_SPEED_SQ,
    MD_SPEEDS,
    MD_SUM_VIRIAL = MD_SPEEDS, /* twice it for full lists */
    MD_PRESSURES,
    MD_SUM_SPEED_X = MD_PRESSURES, /* what x and y have of the squares, */
    MD_SUM_SPEED_Y,
    MD_SUM_VIRIAL_X, /* and of the virial */
    MD_SUM_VIRIAL_Y,
    MD_STRAINS,
    MD_SUM_POTENTIAL = MD_STRAINS, /* twice the pair energy for full lists */
    MD_SUM_INSIDE,                 /* particles inside the cutoff, likewise */
    MD_SUM_FAR = MD_SUM_INSIDE,    /* in its place after a thermostat: who may be too far next */
    MD_SUM_TESTED,                 /* likewise: inside the list radius, or tested by the sweep */
    MD_SUM_VX,
    MD_SUM_VY,
    MD_SUM_VZ,
    MD_SUM_LOST,                /* energy over mass (the fourth number of a velocity) */
    MD_SUM_TAKEN = MD_SUM_LOST, /* in its place after a thermostat: energy over mass that it took */
    MD_SUM_FORCE_SQ = MD_SUM_LOST, /* ... in a minimisation */
    MD_SUM_SHIFT, /* of particles of several types: likewise of pairs, their energy at the cutoff;
                     of rough grains 5 times their energy of rotation over m / 2 */
    MD_SUMS
};

/* What a thermostat that scales velocities remembers; one per solver. */
typedef struct md_bath_state {
    double taken;             /* energy, since the start */
    double rate[TORRE_CHAIN]; /* of a chain */
    double kinetic;           /* of the particles, as they are now */
    double after, before;     /* velocities are to be multiplied by: after the step, and before the
                                 next one */
} md_bath_state;

/* A force kernel stops a sequence behind its step where a particle would be too far if velocities
 * were multiplied by 1 - this or by 1 + this, so that nobody need look once they are. The
 * thermostat stops it where it multiplies by something further from 1. */
#define MD_FACTOR_REACH 0.0625

/* What md_state_kernels.factor and couple do; GROW, of a barostat: the box of the next step. */
enum { MD_FACTOR_SUM = 1, MD_FACTOR_AFTER = 2, MD_FACTOR_BEFORE = 4, MD_FACTOR_GROW = 8 };

/* Sums of the step by blocks, which a thermostat or barostat adds up. */
typedef struct md_step_sums {
    const double *partial; /* [rows][MD_SUMS] */
    int rows;
} md_step_sums;

/* What the kernels of thermostats take beside md_force_args. */
typedef struct md_bath_args {
    torre_bath bath;
    double mass;
    md_bath_state *state;
    md_step_sums sums;
} md_bath_args;

/* A thermostat that adds noise. */
typedef struct md_noise {
    torre_bath bath;
    double keep, spread; /* c, and (1 - c^2) / mass */
} md_noise;

/* What the kernels of the barostat take beside md_force_args. */
typedef struct md_couple_args {
    torre_bath bath;
    torre_barostat barostat;
    double mass, skin, radius; /* radius: cutoff and skin */
    md_step_sums sums;
    md_live *live;
} md_couple_args;

/* What the kernels of minimisation take beside md_force_args. */
typedef struct md_relax_args {
    double dt, mass; /* of the problem */
    double most;     /* that a particle moves in a step */
    torre_fire *fire;
    double *partial; /* [bricks][MD_SUMS], of which TORRE_FIRE_SUMS are taken */
} md_relax_args;

/* What rough grains (particles/grains.h) have beside positions and velocities; slots 0: grains are
 * not rough. */
typedef struct md_grain_args {
    const void *spin; /* quads, as velocities */
    void *spin_out;   /* others still read spin */
    void *twist;      /* likewise, dw/dt times the mass of the problem */
    void *key;        /* torre_contact_key [id][slots] */
    void *spring;     /* [id][slots][TORRE_SPRINGS] of the type of pairs */
    int slots;
    int axis;         /* of gravity, and along which walls move */
    int wall_side[6]; /* of torre_grain_wall; 0: there is none */
    double wall_at[6];
    double amplitude, turns, speed; /* of those that move: turns per step, largest speed */
    double gravity[3], low;         /* low: where a height is 0 */
    double mass;                    /* of the problem */
} md_grain_args;

/* Arguments of the force kernels. */
typedef struct md_force_args {
    md_tiles tiles;
    md_box box;
    const md_live *live;
    const void *x_in;
    void *x_out; /* drift only */
    void *v;
    void *v_out; /* of models that dissipate: others still read v */
    int ahead;   /* number of the step in its sequence, from 0: steps of x_in after
                    control->clock; -1: a drift in front of one */
    const void *x_built;
    double limit_sq; /* further from x_built after a drift (squared) stops the sequence; 0: never */
    void *f;         /* not for drift */
    int behind;      /* v and f have what the step in front left behind (md_left), from which its
                   thermostat has yet to make velocities: */
    const md_bath_state *bath;
    int far;         /* of a drift in front of a sequence: the lists are too old behind it */
    double *partial; /* [brick_count][MD_SUMS], not for drift */
    uint64_t *fixed; /* [3][count] zeroed sums of half lists */
    const int *id;
    int count;
    unsigned char pair[MD_PAIR_BYTES];
    const void *rows; /* of several types: [types][types], of md_pair_kernels.rows */
    int types;
    double weight[MD_TYPES]; /* mass of a type over that of the problem */
    double cutoff_sq, list_cutoff_sq;
    double kick;        /* dt / (2 m) */
    double drift;       /* dt */
    double fixed_scale; /* fixed-point units per unit of force */
    int lanes_per_place;
    int block;
    int shared_floor; /* bytes of shared memory to take at least, to spread blocks evenly */
    int overlap;      /* may start before the kernel in front has ended (it is a drift too) */
    const int *some;  /* rows of the tables: bricks that this kernel computes; NULL: all of them */
    int some_count;
    int since;       /* steps from the last one of the sequence that changed buffers, or from its
                        start, to this one */
    int beside;      /* another kernel of the same step passes on what one behind a stop leaves */
    int late;        /* of models that dissipate: steps that are done behind a stop, 1 where other
                        devices learn of it later */
    int forces_only; /* into f, without a step; of MD_FORCE_SUMS: velocities are not stored */
    md_noise noise;  /* of MD_FORCE_NOISE, and where noise is added in parts */
    md_grain_args grains;
} md_force_args;

#endif
