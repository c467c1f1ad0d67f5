/*
 * The loops of an MPS step on the CPU over sorted particles and their neighbour lists
 * (md_store.h), compiled once per precision and instruction set like those of the pair models.
 *
 * store->force holds accelerations here; pressure and number density have one element of the state
 * type per place. Particles are fluid, wall or dummy by their id.
 *
 * A sweep moves particles while neighbours of others are read where they were: it writes arrays
 * that nobody reads, which then change places with those of the store, of all particles.
 *
 *     viscosity   reads position, velocity    writes spare, force   which become these, and these
 *                                                                   spare and force
 *     gradient    reads position, pressure    writes spare, force, its own velocities
 */
#ifndef TORRE_MPS_SWEEPS_H
#define TORRE_MPS_SWEEPS_H

#include "particles/md_store.h"
#include "particles/mps_weight.h"

/* A gate in a step. */
typedef struct torre_mps_gate {
    int64_t first, end;    /* its ids */
    double *height;        /* of its particles at the start, in the order of their ids */
    bool moves;            /* else it is where it was, at rest */
    double velocity, step; /* in the mean of the step; how far that takes it */
    double lifted;         /* at the end */
} torre_mps_gate;

/* Everything a sweep reads or writes. */
typedef struct torre_mps_field {
    torre_md_store *store;
    const torre_md_lists *lists;
    int64_t fluid, wall;  /* ids below fluid: fluid; below fluid + wall: wall */
    const int32_t *place; /* of own fluid but for the tail, */
    int64_t count;        /* so many; */
    bool in_turn;         /* lists are of these in turn, else each has the number of its place */
    torre_md_tail *tail;  /* the own one first, then those of others (cpu_tails.h) */
    int tails;
    torre_mps_gate gate;
    bool still; /* what does not move is the same in arrays that change places, and at rest */
    void *pressure, *number_density;
    torre_mps_constants constants;
} torre_mps_field;

typedef struct torre_mps_loops {
    /* Proc 1 and 2, with a of viscosity and gravity, and of a gate: u += dt a, r += dt u. Returns
     * the largest speed, infinite where one is not a number; *moved as moved of
     * torre_md_state_loops returns it. */
    double (*viscosity)(torre_mps_field *field, double *moved);
    /* number density and pressure (Proc 3) of those that are listed, 0 for dummies */
    void (*density)(const torre_mps_field *field);
    /* Proc 4 and 5: force = -grad P / rho and collisions, u += dt force, r += dt^2 force; that of
     * fixed particles is 0. Returns the largest speed of the fluid likewise. */
    double (*gradient)(const torre_mps_field *field);
    /* energy[place] of the state type: the collision energy of torre_mps_state */
    void (*collision)(const torre_mps_field *field, void *energy);
} torre_mps_loops;

/* The loops for this precision and processor. */
const torre_mps_loops *torre_mps_loops_find(torre_md_precision precision);

#endif
