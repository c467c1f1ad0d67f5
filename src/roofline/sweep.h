/*
 * The sweep: how fast every choice of order, tile size, tower height, ordering and engine is on
 * one backend, each first checked against the reference engine.
 *
 * Life of a sweep:  torre_sweep_new  --torre_sweep_measure per point-->  points  --free
 */
#ifndef TORRE_SWEEP_H
#define TORRE_SWEEP_H

#include "roofline/ceilings.h"
#include "roofline/roofline_model.h"
#include "wave/backend.h"

typedef enum torre_point_state {
    TORRE_POINT_TIMED,
    TORRE_POINT_REFUSED, /* the backend cannot do it: see remark */
    TORRE_POINT_WRONG    /* it differs from the reference by more than rounding: not timed */
} torre_point_state;

/* One choice, and what came out. */
typedef struct torre_sweep_point {
    int order;            /* in */
    torre_wave_plan plan; /* in: the wish; out: as it ran */
    torre_point_state state;
    char remark[200];        /* why it was refused or is wrong; "" */
    double check_difference; /* from the reference (engine_compare.h) ... */
    double check_allowed;    /* ... and what rounding explains */
    int same_bits;           /* as stepwise of this backend: 1 yes, 0 no, -1 not known */
    int repetitions;
    int64_t steps;           /* of one repetition, a multiple of the tower height */
    double seconds;          /* median of the repetitions */
    double gcells_per_s;     /* 10^9 updates per second: median ... */
    double low, high;        /* ... and range over the repetitions */
    torre_model_bound bound; /* which ceiling governs, and the rate that it allows */
    double fraction;         /* gcells_per_s / bound.gcells_per_s */
    double measured_bytes;   /* main-memory bytes per update by a profiler; 0: not known */
} torre_sweep_point;

/* What is the same for all points. */
typedef struct torre_sweep_setting {
    const torre_wave_backend *backend;
    const torre_machine *machine;
    int64_t size[3];
    torre_precision precision;
    int64_t check_steps; /* of the comparison: the largest tower height and a bit more */
    double seconds;      /* to spend on the repetitions of one point, about */
} torre_sweep_setting;

typedef struct torre_sweep torre_sweep;

/* Allocate what the points share. The setting is copied; what it points to must outlive this. */
torre_status torre_sweep_new(const torre_sweep_setting *setting, torre_sweep **sweep);
void torre_sweep_free(torre_sweep *sweep);

/* Change the time to spend on each of the points to come. */
void torre_sweep_set_seconds(torre_sweep *sweep, double seconds);

/*
 * Check and time one point. A point that the backend refuses (TORRE_ERR_USAGE) or that is wrong is
 * TORRE_OK with its state telling; other failures are failures.
 */
torre_status torre_sweep_measure(torre_sweep *sweep, torre_sweep_point *point);

/* The device as the backend itself calls it (torre_wave_info.device), which wave looks up. */
torre_status torre_sweep_device(const torre_sweep_setting *setting, const torre_wave_plan *plan,
                                char *device, size_t size);

/* "timed", "refused", "wrong" */
const char *torre_point_state_name(torre_point_state state);

#endif
