/*
 * The loops of rough grains (particles/grains.h) on the CPU over sorted particles, their neighbour
 * lists or bins (md_store.h), compiled once per precision and instruction set like those of the
 * pair models. The fourth number of a position is the radius.
 *
 * Spins and what turns them lie by id, as quads of the state type; springs are of the type of
 * pairs.
 */
#ifndef TORRE_GRAIN_SWEEPS_H
#define TORRE_GRAIN_SWEEPS_H

#include "particles/grains.h"
#include "particles/md_store.h"

/* Everything a sweep reads or writes. */
typedef struct torre_grain_field {
    torre_md_store *store;
    const torre_md_problem *problem;
    const torre_md_lists *lists; /* NULL: the bins are swept */
    const torre_bins *bins;
    void *spin, *next_spin;
    void *twist; /* dw/dt times the mass of the problem */
    torre_contact_key *key;
    void *spring; /* [id][slots][TORRE_SPRINGS] */
    int slots;
} torre_grain_field;

typedef struct torre_grain_loops {
    /* Forces and what turns grains, then v += kick f and w += kick twist, for velocities that lack
     * that kick; sums not NULL: its potential, virial and contacts of a step that has been swept,
     * and nothing changes. TORRE_ERR_UNSTABLE where a grain has too many contacts. */
    torre_status (*sweep)(torre_grain_field *field, double kick, torre_md_sums *sums);
    /* w += kick twist, v += kick f, r += dt v; returns the largest squared displacement as `moved`
     * of torre_md_state_loops does */
    double (*move)(const torre_grain_field *field, double kick, double dt);
    /* kinetic, rotational, lost, momentum */
    void (*measure)(const torre_grain_field *field, torre_md_sums *sums);
    void (*load)(const torre_grain_field *field);
    void (*unload)(const torre_grain_field *field, double *const spin[3]);
} torre_grain_loops;

/* The loops for this precision and processor. */
const torre_grain_loops *torre_grain_loops_find(torre_md_precision precision);

#endif
