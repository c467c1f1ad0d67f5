/* A dam as it is asked for (torre/fluid.h): its tank, its problem, what is measured in the tank. */
#ifndef TORRE_MPS_DAM_H
#define TORRE_MPS_DAM_H

#include "particles/mps_measure.h"
#include "particles/mps_tank.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_mps_dam {
    torre_mps_tank tank; /* with the radius of influence */
    torre_mps_layout layout;
    double width;  /* L of the column, or the first box of water, m */
    double height; /* H of its top, or that of the highest box, over the floor, m */
} torre_mps_dam;

/*
 * What was not asked for is filled in; the problem is complete but for the particles
 * (torre_mps_tank_make). TORRE_ERR_USAGE names the parameter and its legal range.
 */
torre_status torre_mps_dam_make(const torre_fluid_dam *wish, torre_mps_dam *dam,
                                torre_md_problem *problem);

/* The front of a row, from the left wall, and its dimensionless time t sqrt(2 g / L). */
double torre_mps_dam_front(const torre_mps_dam *dam, const torre_mps_row *row);
double torre_mps_dam_time(const torre_mps_dam *dam, const torre_md_problem *problem,
                          const torre_mps_row *row);

/* torre_fluid_height, from the last row, whose state is there; at: x and z. */
double torre_mps_dam_height(const torre_mps_dam *dam, const torre_mps_measure *measure,
                            const double at[2]);
/* What of the state that needs, with some more. */
torre_mps_region torre_mps_dam_height_region(const torre_mps_dam *dam,
                                             const torre_md_problem *problem, const double at[2]);

#ifdef __cplusplus
}
#endif

#endif
