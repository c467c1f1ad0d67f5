/*
 * Fields as users have them, which are pressure, on their way into a solver and out of it: what
 * solvers hold (density.h) times 1 / s. Where density does not vary that is the same, and these are
 * write_box, read_box and norms (backend.h). What stays inside, checkpoints and boxes between
 * parts, does not pass here, so that it keeps its bits.
 */
#ifndef TORRE_PRESSURE_H
#define TORRE_PRESSURE_H

#include "wave/backend.h"

/* Where the solver of a setup is, which is of a whole grid. */
typedef struct torre_pressure {
    const torre_wave_backend *backend;
    torre_wave_solver *solver;
    const torre_wave_setup *setup;
} torre_pressure;

/* write_box and read_box; TORRE_ERR_RESOURCE where density varies and there is no memory. */
torre_status torre_pressure_write(const torre_pressure *way, int level, const torre_box *box,
                                  const int64_t stride[3], const void *values);
torre_status torre_pressure_read(const torre_pressure *way, int level, const torre_box *box,
                                 const int64_t stride[3], void *values);

/* Of pressure, over the whole grid. */
torre_status torre_pressure_norms(const torre_pressure *way, torre_wave_norms *norms);

/* Memory that these take at most, for a moment. */
int64_t torre_pressure_bytes(const torre_wave_setup *setup);

#endif
