/*
 * A fluid of moving particles (MPS, explicit and weakly compressible) with a free surface: the
 * collapse of a water column in a closed tank. SI units, x along the tank, y up, z across it.
 *
 *      +--------------------------+ y = size[1]
 *      |                          |
 *      |-------- column[1]        |
 *      | water  |                 |
 *      +--------+-----------------+ size[0]
 *             column[0]
 *
 * Particles stand on one cubic (2-D: square) lattice of the given spacing, fluid ones half a
 * spacing off the walls; every length is rounded to whole spacings. Behind each wall stand one
 * layer of wall particles and as many of dummies as the radius of influence reaches. Across the
 * tank (z) it is periodic, or has walls there, too.
 *     torre_fluid_dam dam = {.tank = {.dims = 2, .spacing = 0.002, .column = {0.1, 0.2},
 *                                     .size = {0.4, 0.4}}, .gravity = 9.81};
 *     torre_fluid *water;
 *     TORRE_TRY(torre_fluid_new(&dam, &water));
 *     status = torre_fluid_start(water, "auto", NULL);
 *     if (!status) status = torre_fluid_advance(water, 1000, NULL);
 *     ... torre_fluid_row(water)->front, torre_fluid_gauge(water, point) ...
 *     torre_fluid_free(water);
 *
 * Method and units of the results: T. Miyajima, K. Kubota, N. Fujita, "A porting and optimization
 * of search for neighbour-particle in MPS method for GPU by using OpenACC" (JAXA). An object is
 * used by one thread at a time; it starts threads of its own.
 */
#ifndef TORRE_PUBLIC_FLUID_H
#define TORRE_PUBLIC_FLUID_H

#include "torre/particles.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A box of the tank, m from its inner corner; z is not used in 2-D. */
typedef struct torre_mps_box {
    double low[3], high[3];
} torre_mps_box;

/* A wall across the whole tank, which holds the water back until it goes up through a slot in the
 * ceiling, which it closes then. It takes the spacings from x on that walls are thick. */
typedef struct torre_mps_gate {
    double x;     /* of its side to the left, m from the inner corner, > 0; 0: there is no gate */
    double opens; /* when, s, >= 0 */
    double speed; /* m/s, below that of sound; 0: it is up at once */
} torre_mps_gate;

enum { TORRE_MPS_BOXES = 16 }; /* most of a kind */

/* Tank and column; lengths in metres, rounded to whole spacings. Boxes do not overlap. */
typedef struct torre_mps_tank {
    int dims;
    double spacing,
        influence;    /* of the particles, > 0; radius r_e of influence, 1.5 to 4 spacings */
    double column[2]; /* width (x) and height (y) of the water */
    double size[3];   /* of the tank, inside; size[2] is not used in 2-D */
    bool side_walls;  /* at both ends of z; 3-D only */
    torre_mps_box water[TORRE_MPS_BOXES];    /* instead of the column, ... */
    int waters;                              /* ... where there are some */
    torre_mps_box obstacle[TORRE_MPS_BOXES]; /* solid, as walls are */
    int obstacles;
    torre_mps_gate gate;
} torre_mps_tank;

/* What is to be computed. Zero means what stands in brackets. */
typedef struct torre_fluid_dam {
    torre_mps_tank tank; /* influence [2.1 spacings in two dimensions, 2.35 in three] */
    double density;      /* kg/m^3, > 0 [1000] */
    double viscosity;    /* kinematic, m^2/s, >= 0 */
    double gravity;      /* m/s^2 along -y, >= 0 */
    double sound_speed;  /* m/s, > 0 [ten times sqrt(2 g H), H the height of the water's top] */
    double surface;      /* particles with less than this part of the number density are free
                             surface, above 0 to 1 [0.97] */
    double dt;           /* s, > 0, no more than the largest stable one [0.9 of it] */
    torre_md_precision precision;
} torre_fluid_dam;

/* What the fluid does at one step. */
typedef struct torre_mps_row {
    int64_t step;
    double time;        /* s */
    double front;       /* outer edge of the fluid particle with the largest x, m from the box */
    double kinetic;     /* sum of m u^2 / 2, J (2-D: per metre across) */
    double potential;   /* sum of m g y, J, y from the bottom of the box */
    double elastic;     /* of pressure and collisions, J (mps.h) */
    double momentum[3]; /* sum of m u */
    double speed;       /* the largest, m/s */
    double pressure;    /* the largest, Pa */
    double compression; /* mean n/n0 of fluid that is not surface; 0 where all of it is */
    int64_t surface;    /* fluid particles of the free surface */
    /* how far the centre of a fluid particle is beyond the walls' inner faces, spacings: the
     * furthest, below 0 inside; -infinite without walls */
    double excursion;
} torre_mps_row;

/* A fluid and its run. */
typedef struct torre_fluid torre_fluid;

/*
 * Put the particles of tank and water in place. The dam is copied. *fluid is to be freed with
 * torre_fluid_free, and is set on success alone. TORRE_ERR_USAGE names the parameter and its legal
 * range, TORRE_ERR_RESOURCE for no memory.
 */
torre_status torre_fluid_new(const torre_fluid_dam *dam, torre_fluid **fluid);

/* Particles: all, and those of the fluid, whose ids come first. */
int64_t torre_fluid_count(const torre_fluid *fluid);
int64_t torre_fluid_moving(const torre_fluid *fluid);

/* The time step, seconds. */
double torre_fluid_dt(const torre_fluid *fluid);

/*
 * Find the backend ("auto", "cpu", "cuda", "reference"), plan (NULL: everything is chosen; a skin
 * in metres), allocate, and compute the row of step 0. Once.
 */
torre_status torre_fluid_start(torre_fluid *fluid, const char *backend, const torre_md_plan *plan);

/* What the caller wants on the way. Everything optional; zero means no. */
typedef struct torre_fluid_watch {
    int64_t every; /* compute a row, and call frame, whenever step is a multiple of this */
    torre_status (*frame)(void *context, torre_fluid *fluid); /* a failure ends the run */
    bool (*stop)(void *context); /* asked now and then; true ends the run cleanly */
    void *context;
} torre_fluid_watch;

/*
 * Advance by steps (>= 0), after start. TORRE_ERR_UNSTABLE where a particle is faster than sound,
 * not finite, or beyond a wall. When watch (may be NULL) asks to stop, TORRE_OK with
 * torre_fluid_row(fluid)->step short.
 */
torre_status torre_fluid_advance(torre_fluid *fluid, int64_t steps, const torre_fluid_watch *watch);

/* The last row; NULL before start. front, and the other lengths, count from the box, whose corner
 * lies torre_fluid_origin outside the tank's. Valid until the next call of advance. */
const torre_mps_row *torre_fluid_row(const torre_fluid *fluid);

/* The tank's inner corner in the box, m. */
void torre_fluid_origin(const torre_fluid *fluid, double origin[3]);

/*
 * Copy the state of the last row into the caller's arrays, by id, those that are not NULL:
 * positions (m, in the box) and velocities (m/s), [axis][id]; pressures (Pa) and number densities
 * (sums of weights). After start; on a GPU not after a failure of advance (TORRE_ERR_USAGE).
 */
torre_status torre_fluid_get(const torre_fluid *fluid, double *const position[3],
                             double *const velocity[3], double *pressure, double *number_density);

/*
 * Pressure (Pa) at a point of the tank, m from its inner corner, from the last row: a weighted mean
 * over the fluid particles nearer than the radius of influence, 0 where there are none. After
 * start; not a number where torre_fluid_get fails.
 */
double torre_fluid_gauge(const torre_fluid *fluid, const double point[3]);

/*
 * The same on a wall or an obstacle: the force with which it pushes the water off a patch of its
 * face, 4 spacings wide, over the area; not a number either where no face is within a spacing.
 */
double torre_fluid_probe(const torre_fluid *fluid, const double point[3]);

/*
 * Height of the water (m) at a place of the floor, m from the inner corner (2-D: z is not used),
 * from the last row: the volume of fluid above a patch of 4 spacings, over the area of as much of
 * the patch as is inside the tank. After start; not a number where torre_fluid_get fails.
 */
double torre_fluid_height(const torre_fluid *fluid, double x, double z);

/* Particles times steps per second of the time loop so far; 0 before the first. */
double torre_fluid_rate(const torre_fluid *fluid);

/*
 * Write the state of the last row, by the ending of path, as torre_particles_save does, with
 * pressure and number density as further columns where the format has them.
 */
torre_status torre_fluid_save(torre_fluid *fluid, const char *path);

/* Free everything. NULL is fine. */
void torre_fluid_free(torre_fluid *fluid);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
