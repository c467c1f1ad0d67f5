/* What every engine needs of a problem beside the fields, precomputed. */
#ifndef TORRE_WAVE_SETUP_H
#define TORRE_WAVE_SETUP_H

#include "tiling/region.h"
#include "wave/density.h"

/* A grid node with a weight; cell is (i ny + j) nz + k. column: of the samples, for receivers. */
typedef struct torre_node {
    int64_t cell, column;
    double weight;
} torre_node;

/* A cell of an axis, with its weight. */
typedef struct torre_tap {
    int64_t cell;
    double weight;
} torre_tap;

/* How a receiver is summed: its taps along x, then those along y and z; and its segments. */
typedef struct torre_sum {
    int64_t tap, segment; /* the first of them */
    int count[3];         /* taps of each axis */
} torre_sum;

/* Nodes next to each other along z that a receiver takes. */
typedef struct torre_segment {
    int64_t column; /* of the first of them */
    int64_t count;
} torre_segment;

/* Planes of cells of which frames are made, at each step that is a multiple of `every`. */
typedef struct torre_plane_at {
    int axis;
    int64_t index;
} torre_plane_at;

typedef struct torre_frame_planes {
    const torre_plane_at *at; /* the caller's */
    int count;
    int64_t every;
} torre_frame_planes;

/*
 * Everything an engine needs beside the fields, computed once and shared by all backends.
 * Sources:   after the update to level n+1, u[n+1](cell) += (real)(weight * wavelet[n]), with the
 *            wavelet of the setup (where time dispersion is corrected not that of the problem); the
 *            weight is amplitude * dt^2 / (hx hy hz) / (1 + s dt) * weight of the node (in two
 *            dimensions over hx hz: a line source), summed over the sources that touch the cell,
 *            times the scale of its density. Nodes are sorted by cell, each cell once.
 * Receivers: the distinct nodes that any receiver interpolates from, sorted by cell, in columns
 *            0, 1, .. of the samples. Engines record u[n+1] at every one of them; the driver
 *            multiplies by the weight, which makes pressure of it (1 where density does not vary),
 *            and interpolates (traces.h), or the backend does both.
 * Where density varies, u is what solvers hold for pressure (density.h).
 */
typedef struct torre_wave_setup {
    const torre_wave_problem *problem;
    torre_node *source_nodes;
    int64_t source_node_count;
    const double *wavelet; /* the problem's, or the one that is warped: */
    double *warped;        /* or NULL (time_dispersion.h) */
    torre_node *receiver_nodes;
    int64_t receiver_node_count, sample_columns; /* the same, but for parts (part.h) */
    /* receiver r is summed as traces.h says; of each of its taps along x and y there are segments
     * with all taps along z, one or, around a periodic axis, two */
    torre_sum *sums;
    torre_tap *taps;
    torre_segment *segments;
    /*
     * s(x, y, z) = damping[0][x] + damping[1][y] + damping[2][z], 1/s; NULL where an axis has none
     */
    double *damping[3];
    torre_density density;      /* of the whole grid */
    double *pml_a, *pml_b;      /* of the steps in perfectly matched layers (pml.h), or of the
                                   cells (cpml.h); NULL: no face of the whole grid has any */
    bool layer[3][2];           /* faces with such a layer, of a part those whose layer it reaches
                                   into, be it short of the face */
    bool keeps_layers;          /* of windows (ring.h): all layers across the solver's x are there
                                   and stay where planes come and go */
    torre_frame_planes planes;  /* that engines record in passing, if they can; count 0: none */
    const torre_region *region; /* NULL, or whose part this is (part.h), in cells of the whole */
    const struct torre_wave_setup *whole; /* of a part: which has all its receivers; or NULL */
    bool
        stays; /* of a part: it is there as long as the solvers that it was given to, which may come
                   back to it and keep what they make of it */
} torre_wave_setup;

/* Build the setup of a checked problem (torre_wave_problem_check). Free with _free. */
torre_status torre_wave_setup_new(const torre_wave_problem *problem, torre_wave_setup **setup);
void torre_wave_setup_free(torre_wave_setup *setup);

/* What a source of unit strength adds to its cell: dt^2 / (hx hy hz), in two dimensions dt^2 / (hx
 * hz). */
double torre_wave_source_scale(const torre_wave_problem *problem);

#endif
