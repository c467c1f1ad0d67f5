/* What the plan of ring.h decides. */
#ifndef TORRE_RING_PROGRAM_H
#define TORRE_RING_PROGRAM_H

#include "wave/plane_store.h"
#include "wave/program.h"

/* How windows lie along an axis. */
typedef struct torre_ring_shape {
    int axis;             /* the caller's */
    int64_t planes;       /* of the grid, across it */
    int64_t below, above; /* planes that a window stores beside those it owns */
    int64_t stored;       /* planes that a window stores at most */
    int64_t ends;         /* planes that the lowest window owns at least (end_planes) */
    bool even;            /* all but the highest own as many, so that as much comes and goes beside
                             each */
    int64_t top;          /* then, planes that the highest owns; 0: as many as it has room for */
} torre_ring_shape;

enum { TORRE_RING_HANDS = 2 };

typedef struct torre_ring_program {
    torre_wave_program base;
    int hands; /* windows in memory: with two, one is computed while the other comes and goes */
    const torre_wave_backend *backend; /* computes the windows */
    torre_wave_plan part;              /* of each */
    torre_ring_shape shape;
    torre_plane_layout layout;
    int64_t buffer_planes, model_bytes, layer_bytes; /* of the store */
} torre_ring_program;

/* Windows that it takes to cover the grid. */
int64_t torre_ring_windows(const torre_ring_shape *shape);

/* Window i, counted from low planes: a region of the grid of the setup. */
torre_region torre_ring_window(const torre_ring_shape *shape, const torre_wave_setup *setup,
                               int64_t i);

/* The window that stores most. */
int64_t torre_ring_largest(const torre_ring_shape *shape, const torre_wave_setup *setup);

/* A setup for windows: layers across their x stay in memory. */
torre_wave_setup torre_ring_setup(const torre_wave_setup *setup);

/* adapt and create of programs, and the functions of the solvers. */
extern const torre_wave_backend torre_wave_ring;

#endif
