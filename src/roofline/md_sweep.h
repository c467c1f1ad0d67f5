/*
 * The sweep over particles: every way to find pairs in every ordering, on one backend, for the
 * Lennard-Jones melt. Each is first checked against the plain reference on a small box.
 *
 * The model. A pair that is looked at costs 8 operations (difference and its square), one inside
 * the cutoff 15 more (powers and the two terms, force components and sums); full lists and the tile
 * sweep treat a pair twice, half lists once. Main memory sees position, velocity and force of a
 * particle once in and once out, and 4 bytes per listed neighbour.
 */
#ifndef TORRE_MD_SWEEP_H
#define TORRE_MD_SWEEP_H

#include "particles/md.h"
#include "roofline/ceilings.h"
#include "roofline/sweep.h"

typedef struct torre_md_point {
    torre_md_plan plan; /* in: neighbor, ordering, sort_every (TORRE_MD_NEVER: ids stay in order) */
    torre_point_state state;
    char remark[200];
    double check_difference; /* of forces from the reference, in units of what ... */
    double check_allowed;    /* ... rounding explains per particle: 1 */
    int repetitions;
    int64_t steps;                              /* of one repetition */
    double matom_steps_per_s, low, high;        /* median and range, 10^6 atom-steps per second */
    double neighbors;                           /* mean, of both particles of a pair */
    double operations_per_step, bytes_per_step; /* per particle, counted and modelled */
    torre_ceiling_id ceiling;                   /* the governing one */
    double bound;                               /* 10^6 atom-steps per second that it allows */
} torre_md_point;

typedef struct torre_md_sweep_setting {
    const torre_md_backend *backend;
    const torre_machine *machine;
    int64_t cells; /* of the fcc lattice along each axis: 4 cells^3 particles */
    torre_md_precision precision;
    int threads, device;
    double seconds; /* of the repetitions of one point, about */
} torre_md_sweep_setting;

/* Fill in cells and seconds: 32,000 particles, as the benchmark of LAMMPS has, 256,000, or on a GPU
 * 2 million. */
void torre_md_sweep_usual(torre_md_sweep_setting *setting, bool quick);

/* full, half and tile, unsorted and in each of the orderings; *points is the caller's to free. */
torre_status torre_md_sweep_list(const torre_md_sweep_setting *setting,
                                 const torre_ordering_spec *orderings, int ordering_count,
                                 torre_md_point **points, int *count);

/* Check and time one point; refusals and wrong results are TORRE_OK with the state telling. */
torre_status torre_md_sweep_measure(const torre_md_sweep_setting *setting, torre_md_point *point);

/* "none" for storage that is never sorted, the ordering's name otherwise. */
torre_ordering_words torre_md_point_ordering(const torre_md_point *point);

#endif
