/* What a run of a granular gas tells: rows of its table, and its profile over the height. */
#ifndef TORRE_GRANULAR_TABLE_H
#define TORRE_GRANULAR_TABLE_H

#include "particles/granular.h"
#include "particles/md_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Volume (area in a plane) of the particles over that of the room they have. */
double torre_granular_filling(const torre_md_problem *problem, double diameter);

/* How long a contact of two particles lasts; 0 where the speed matters, or there is none. */
double torre_granular_duration(const torre_md_problem *problem);

/* Collisions of a particle per time, by the contacts and how long they last; 0 where that is not
 * known. */
double torre_granular_collision_rate(const torre_md_problem *problem, const torre_md_thermo *row);

/* The columns of the table, the step first, and a row of them. run->row[0] must be there. */
enum { TORRE_GRANULAR_COLUMNS = 11 };
extern const char *const torre_granular_column[TORRE_GRANULAR_COLUMNS];
void torre_granular_values(const torre_md_run *run, const torre_md_thermo *row,
                           double value[TORRE_GRANULAR_COLUMNS]);

/* The columns of the height profile, and the row of slice k: means over the samples. */
enum { TORRE_GRANULAR_PROFILE_COLUMNS = 5 };
extern const char *const torre_granular_profile_column[TORRE_GRANULAR_PROFILE_COLUMNS];
void torre_granular_profile_values(const torre_md_problem *problem, int slices, int k,
                                   const torre_granular_slice *slice, int64_t samples,
                                   double value[TORRE_GRANULAR_PROFILE_COLUMNS]);

#ifdef __cplusplus
}
#endif

#endif
