/*
 * Density that varies from cell to cell: p_tt = rho c^2 div(1/rho grad p) with the stencils of
 * constant density. With p = w / s and s = rho^(-1/2) it is
 *
 *     w_tt = c^2 (lap w - q w),     q = (lap s) / s,
 *
 * where q is read at a cell's own place alone. Solvers hold w, and every user has p: sources come
 * in times s, receivers (setup.h), boxes and norms (pressure.h) go out over s.
 *
 *     s = r + sum over axes of (r(-1) - 2 r + r(+1)) / 24,     r = (reference / rho)^(1/2):
 *
 * the mean over a cell of r drawn through the cells, from order 4 on; at order 2, r itself
 * (examples/density has the reasons). lap is that of the scheme, by differences of s, so that a
 * constant p stays as it is, and where density is constant s is 1 and q is 0 to the last bit.
 * Beyond a face lie mirror images of s, even ones, whichever the face. A perfectly matched layer
 * needs a medium that is the same along its normal (pml.h), q as well as c: so its cells and the
 * R + 1 in front of it, which q of its first cell hears of, have the density of the next cell.
 */
#ifndef TORRE_DENSITY_H
#define TORRE_DENSITY_H

#include "tiling/region.h"
#include "wave/problem.h"
#include "wave/stencil.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The densities of a whole grid, along the axes of whoever looks at them. */
typedef struct torre_density {
    const torre_array *cells;   /* NULL: density does not vary; nothing else counts then */
    double reference;           /* kg/m^3 where r is 1: the largest */
    int64_t size[3], stride[3]; /* of the grid in cells, and of the values (0: the same along y) */
    torre_face face[3][2];
    int64_t held[3][2]; /* cells at each end that have the density of the next */
    double spacing[3];
    int order;
} torre_density;

/* Those of a checked problem, which must outlive it. */
torre_density torre_density_of(const torre_wave_problem *problem);

/* The same with axis[a] as axis a. */
torre_density torre_density_turn(const torre_density *density, const int axis[3]);

/* Smallest and largest density of a problem that has an array of them, kg/m^3. */
void torre_density_range(const torre_wave_problem *problem, double *low, double *high);

/* The largest ratio of the densities of two cells next to each other, >= 1. */
double torre_density_contrast(const torre_density *density);

/* s of a cell, (i ny + j) nz + k; 1 where density does not vary. */
double torre_density_scale(const torre_density *density, int64_t cell);

/* The values of a box (as read_box has them, backend.h) times s, or over s. */
typedef enum torre_scaling { TORRE_TIMES_SCALE, TORRE_OVER_SCALE } torre_scaling;
void torre_density_scale_box(const torre_density *density, torre_scaling scaling,
                             torre_precision precision, const torre_box *box,
                             const int64_t stride[3], void *values);

/* s around a plane of a box: of the planes up to order / 2 before and behind it, rows and cells
 * beyond its ends as many. */
typedef struct torre_scales {
    const torre_density *density;
    torre_box box; /* cells of the whole grid, or beyond its faces */
    int reach, threads;
    int64_t row_pitch, plane_bytes, x; /* x: the plane */
    double *memory;
} torre_scales;

/* s of cell (x + dx, y, 0), counted along y and z from the first of the box. Where dx or y are
 * beyond it only cells of the box count. */
static inline const double *torre_scales_row(const torre_scales *s, int dx, int64_t y)
{
    const int64_t planes = 2 * s->reach + 1, at = (s->x + dx) % planes;
    return (const double *)((const char *)s->memory +
                            (at < 0 ? at + planes : at) * s->plane_bytes) +
           (y + s->reach) * s->row_pitch + s->reach;
}

/* hx^2 q of `count` cells of row y of the plane, from z on, counted like y. */
void torre_scales_potential(const torre_scales *scales, int64_t y, int64_t z, int64_t count,
                            double *q);

/* Cells of a row at once, on the stack. */
enum { TORRE_DENSITY_PIECE = 256 };

/* What is done with each plane, by as many threads as the scales say. */
typedef void torre_scales_take(void *context, const torre_scales *scales);

/* The planes of a box, from low x to high x. TORRE_ERR_RESOURCE; torre_density_bytes are taken. */
torre_status torre_density_walk(const torre_density *density, const torre_box *box, int threads,
                                torre_scales_take *take, void *context);
int64_t torre_density_bytes(const torre_density *density);

/*
 * The velocity from which a limit of the time step follows, torre_wave_dt_limit: the largest, or,
 * since q stiffens cells beside heavy ones, that of the largest c^2 (S sum h^-2 + q).
 * TORRE_ERR_RESOURCE.
 */
torre_status torre_density_velocity(const torre_wave_problem *problem, double *velocity);

#ifdef __cplusplus
}
#endif

#endif
