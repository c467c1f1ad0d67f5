/*
 * The axes of a problem in another order: a solver may take the caller's axes in the order that
 * suits it. It computes with the turned problem and setup made here, and turns back at its
 * interface.
 */
#ifndef TORRE_WAVE_TURN_H
#define TORRE_WAVE_TURN_H

#include "wave/backend.h"

/* What the solver computes with. Not to be moved: the members point to each other. */
typedef struct torre_turned {
    int axis[3]; /* axis a of the solver is the caller's axis[a] */
    const torre_wave_setup *caller;
    torre_wave_setup setup;     /* nodes in the caller's order (not sorted by turned cells) */
    torre_wave_problem problem; /* neither positions of sources and receivers nor the medium */
    bool points;                /* the caller's problem has sources or receivers */
    torre_region region;        /* where the setup is that of a part */
    torre_array velocity; /* the shape alone; 1 along x or y where no velocity depends on it */
    torre_array density;  /* likewise, but for x; its values are those of the setup's density */
} torre_turned;

enum { TORRE_AXIS_ORDERS = 6 };
/* "xyz" first. */
extern const char *const torre_axis_orders[TORRE_AXIS_ORDERS];

/* Whether text names an order, "zxy" for the caller's z as x, x as y, y as z. */
bool torre_axes_known(const char *text);

/* Refuse axes of a plan that are no order, or would slide towers along a flat axis, by whose
 * spacing kernels would divide. */
torre_status torre_axes_check(const torre_wave_problem *caller, const char *axes);

/* The problem turned, without nodes and damping. */
void torre_turn_problem(const torre_wave_problem *caller, const char *axes, torre_turned *turned);
/* The same of a setup, with its region and layers. */
void torre_turn_region(const torre_wave_setup *caller, const char *axes, torre_turned *turned);
/* All of it; the setup must outlive it. */
torre_status torre_turn_setup(const torre_wave_setup *caller, const char *axes,
                              torre_turned *turned);
void torre_turned_free(torre_turned *turned);
/* Memory of that on the host, bytes. */
int64_t torre_turned_bytes(const torre_wave_setup *caller);

#endif
