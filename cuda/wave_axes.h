/*
 * The axes of a problem in another order: towers slide along x and are fastest where z suits their
 * blocks, so the solver may take the caller's axes in the order that suits. All of it sees the
 * turned problem and setup made here; the interface of the solver (wave_solver.c) turns back. Needs
 * nothing of CUDA.
 */
#ifndef TORRE_CUDA_WAVE_AXES_H
#define TORRE_CUDA_WAVE_AXES_H

#include "wave/wave.h"

/* What the solver computes with. Not to be moved: the members point to each other. */
typedef struct torre_turned {
    int axis[3]; /* axis a of the solver is the caller's axis[a] */
    const torre_wave_setup *caller;
    torre_wave_setup setup;     /* nodes in the caller's order (not sorted by turned cells), so that
                                   values and samples need no turning */
    torre_wave_problem problem; /* neither positions of sources and receivers nor velocities */
    bool points;                /* the caller's problem has sources or receivers */
    torre_array velocity; /* the shape alone; 1 along x or y where no velocity depends on it */
} torre_turned;

enum { TORRE_AXIS_ORDERS = 6 };
/* "xyz" first. */
extern const char *const torre_axis_orders[TORRE_AXIS_ORDERS];

/* Whether text names an order, "zxy" for the caller's z as x, x as y, y as z. */
bool torre_axes_known(const char *text);

/* The problem turned, without nodes and damping. */
void torre_turn_problem(const torre_wave_problem *caller, const char *axes, torre_turned *turned);
/* All of it; the setup must outlive it. */
torre_status torre_turn_setup(const torre_wave_setup *caller, const char *axes,
                              torre_turned *turned);
void torre_turned_free(torre_turned *turned);

/* Refuses faces that towers of this dts cannot have, in words of the caller's axes; advice: what to
 * do about it. */
torre_status torre_towers_fit(const torre_turned *turned, int dts, const char *advice);

/* A tower kernel as far as its rate depends on the grid. */
typedef struct torre_tower_room {
    int dts;
    int planes;     /* cells along z that a block has room for */
    int64_t blocks; /* at work at a time */
    bool in_registers;
    bool points; /* with sources or receivers (the turned problem has none) */
} torre_tower_room;

/*
 * Estimates of rates on an H200, Gcells/s: of towers, to compare orders of the axes of one problem
 * (DESIGN.md, "Axes"), and of one step at a time, to compare it with towers ("Engine").
 */
double torre_tower_rate(const torre_wave_problem *turned, const torre_tower_room *room);
double torre_stepwise_rate(const torre_wave_problem *turned, bool points);

/* Whether one step at a time is faster than these towers, by the estimates on a GPU of compute
 * capability `major`.x = 9.x, by a rule on others. */
bool torre_stepwise_pays(const torre_wave_problem *turned, const torre_tower_room *room, int major);

/* What an order of the axes is worth to both engines, which take the same: the rate of the faster
 * one; half of that where there are no towers (room NULL), so that --engine torre is not refused
 * for little. */
double torre_axes_worth(const torre_wave_problem *turned, const torre_tower_room *room,
                        bool points);

#endif
