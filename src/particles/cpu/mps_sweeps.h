/*
 * The loops of an MPS step on the CPU over sorted particles and their neighbour lists
 * (md_store.h), compiled once per precision and instruction set like those of the pair models.
 *
 * store->force holds accelerations here; pressure and number density have one element of the state
 * type per place. Particles are fluid, wall or dummy by their id.
 */
#ifndef TORRE_MPS_SWEEPS_H
#define TORRE_MPS_SWEEPS_H

#include "particles/md_store.h"
#include "particles/mps_weight.h"

/* Everything a sweep reads or writes. */
typedef struct torre_mps_field {
    torre_md_store *store;
    const torre_md_lists *lists;
    int64_t fluid, wall; /* ids below fluid: fluid; below fluid + wall: wall */
    int64_t gate[2];     /* ids of a gate, which moves though it is none */
    void *pressure, *number_density;
    torre_mps_constants constants;
} torre_mps_field;

typedef struct torre_mps_loops {
    /* force = viscosity and gravity (Proc 1); that of fixed particles stays 0 */
    void (*viscosity)(const torre_mps_field *field);
    /* number density and pressure (Proc 3) of those that are listed, 0 for dummies */
    void (*density)(const torre_mps_field *field);
    /* force = -grad P / rho and collisions (Proc 4) */
    void (*gradient)(const torre_mps_field *field);
    /* energy[place] of the state type: the collision energy of torre_mps_state */
    void (*collision)(const torre_mps_field *field, void *energy);
    /* u += dt force, r += drift u + step force (Proc 2: drift dt; Proc 5: step dt^2), of all but
     * what is fixed; returns the largest speed, infinite where one is not a number. *moved, unless
     * it is NULL, as moved of torre_md_state_loops returns it. */
    double (*move)(const torre_mps_field *field, double drift, double step, double *moved);
} torre_mps_loops;

/* The loops for this precision and processor. */
const torre_mps_loops *torre_mps_loops_find(torre_md_precision precision);

#endif
