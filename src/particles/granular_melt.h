/*
 * Sweeps of hard-sphere Monte Carlo moves: each particle in turn is offered a random displacement
 * and takes it unless it then overlaps somebody. Positions are the same bits whatever the threads.
 */
#ifndef TORRE_GRANULAR_MELT_H
#define TORRE_GRANULAR_MELT_H

#include "particles/granular.h"

/* Lattice neighbours are that much more than a diameter apart, so that rounding cannot make them
 * overlap. */
#define TORRE_GRANULAR_SPREAD (1 + 1e-6)

/* Sweeps after overlaps are gone. */
enum { TORRE_GRANULAR_SETTLE = 4 };

/*
 * Melt a lattice: system->sweeps of them. In the first half the spheres are smaller where they are
 * many (filling 0.25, in a plane 0.4, so that the lattice melts soon); then they have their size,
 * moves must not make overlaps worse, and go on near overlaps after the last sweep asked for until
 * there are none. TORRE_ERR_USAGE where overlaps remain.
 */
torre_status torre_granular_melt(const torre_granular *system, const torre_md_problem *problem,
                                 torre_md_particles *particles);

/* Take the overlaps out of a fluid that was put together of so many equal parts along each axis:
 * sweeps near them until there are none, then TORRE_GRANULAR_SETTLE of all that is near the faces
 * where parts meet. What is further away stays. */
torre_status torre_granular_settle(const torre_granular *system, const torre_md_problem *problem,
                                   const int64_t parts[3], torre_md_particles *particles);

#endif
