/*
 * Planes of a grid on their way between solvers of parts and whatever else has them: both arrays of
 * each, one after the other.
 *
 *     plane 0: one array | the other;   plane 1: one array | the other;   ...
 *
 * Planes lie across the axis along which towers slide; within them the two other axes are in the
 * solver's order. One array has the levels of even steps, the other those of odd steps.
 */
#ifndef TORRE_PLANES_H
#define TORRE_PLANES_H

#include "wave/backend.h"
#include "wave/boundary.h"
#include "wave/plane_norms.h"

/* Planes low .. high - 1. */
typedef struct torre_planes {
    int64_t low, high;
} torre_planes;

/* Values that solvers may have beyond the last of a row, images of others. */
enum { TORRE_ROW_IMAGES = 4 };

/* How the planes of a grid lie. */
struct torre_plane_layout {
    torre_precision precision;
    int axis[3];                         /* axis a here is the caller's axis[a]; 0: across planes */
    int64_t n[3];                        /* cells along them */
    int64_t pitch;                       /* values from row to row: n[2] of cells, then */
    int images;                          /* so many images, of cells of the row; zeros */
    torre_ghost image[TORRE_ROW_IMAGES]; /* of which cell each is */
    int64_t tail;                        /* bytes behind the rows of a plane, of layers; 0 */
    int64_t plane_bytes;                 /* of one array of a plane, with them */
    int threads;                         /* that copy */
};

/* For a problem, and axes as of a plan: of boxes, or as the solver of a program has them. */
torre_plane_layout torre_plane_layout_of(const torre_wave_problem *problem, const char *axes,
                                         int threads);
torre_plane_layout torre_plane_layout_in(const torre_wave_backend *backend,
                                         const torre_wave_program *program, int threads);
/* Rows from one to the next: what follows their cells. */
void torre_planes_end_rows(const torre_plane_layout *layout, void *rows, int64_t count);

/* Of both arrays. */
int64_t torre_planes_bytes(const torre_plane_layout *layout, torre_planes planes);

/* The cells of planes. */
torre_box torre_planes_box(const torre_plane_layout *layout, torre_planes planes);

/*
 * Copy planes to (into) the solver of a part, which is at step n, or from it: both arrays, also in
 * the middle of a pass. first: the array that comes first, that of even (0) or of odd (1) steps.
 */
torre_status torre_planes_exchange(const torre_plane_layout *layout, bool into, torre_planes planes,
                                   torre_wave_solver *solver, int64_t n, int first, void *values);

/* Memory of the host for planes, zeros, as the backend likes it; free with the same. NULL is fine.
 * TORRE_ERR_RESOURCE. */
torre_status torre_planes_memory(const torre_wave_backend *backend, int64_t bytes, char **memory);
void torre_planes_memory_free(const torre_wave_backend *backend, int64_t bytes, char *memory);

/* Room for a row of a plane from a multiple of 64 bytes on, bytes. */
int64_t torre_planes_row_bytes(const torre_plane_layout *layout);

/*
 * Sums of an array of a plane, n[1] n[2] values one after the other, in the bits of a solver that
 * holds all of the grid. row: room for one, from a multiple of 64 bytes on.
 */
torre_norm_sums torre_planes_sums(const torre_plane_layout *layout, const void *values, void *row);

/* The first cell that is not finite of those values, of a plane that has one, into first_bad. */
void torre_planes_find_bad(const torre_plane_layout *layout, const void *values, int64_t plane,
                           torre_wave_norms *norms);

#endif
