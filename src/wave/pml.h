/*
 * The reflectionless discrete perfectly matched layer of absorbing faces (A. Chern, J. Comput.
 * Phys. 381 (2019) 91, at any order of accuracy). It continues the grid's own waves, so that none
 * of them is reflected where it begins; what comes back went through the layer twice.
 *
 * One axis, h = 1, cells l = 0 .. n - 1, u = 0 beyond the face, R = order / 2. Each cell sees its
 * neighbours through two chains of values
 *
 *     F(0)_l = u_l,  F(j)_l = F(j-1)_(l+1) + phi(j)_l
 *     B(0)_l = u_l,  B(j)_l = B(j-1)_(l-1) + chi(j)_l
 *     second difference at l = 2 C0 u_l + sum_m C_m (F(m)_l + B(m)_l)
 *
 * which are u_(l+m) and u_(l-m) where phi and chi, the memory of the layer, are zero. With values
 * of the old time level on the right sides, j = 1 .. R,
 *
 *     phi(j)_l <- a_l     phi(j)_l - b_l     (F(j)_(l+1) - F(j-1)_l)
 *     chi(j)_l <- a_(l-1) chi(j)_l + b_(l-1) (B(j-1)_l - B(j)_(l-1))
 *
 * a_l and b_l belong to the step from cell l to l + 1. Steps i = 1 .. W, counted outwards, lead
 * from the first cell of a layer of W cells, n - W, to the face; all others have phi = chi = 0:
 *
 *     s_i dt = 11.5 C (i / W)^1.3,  alpha dt = 0.19 C c_min / c_max
 *     a_i = exp(-(s_i / 2 + alpha) dt),  b_i = s_i / (s_i + 2 alpha) (1 - a_i)
 *
 * with C = c dt / h the Courant number. Any numbers would do for the interface, which reflects
 * nothing whatever the velocity, spacing and order; they are chosen for what goes through the
 * layer, and alpha > 0 so that what does not oscillate leaves, too. A step multiplies waves that
 * are long beside a cell, at an angle t to the normal, by
 *
 *     (1 - x) / (1 + x),  x = (1 - a_i) cos t / C,
 *
 * once outwards and once, but for the last, on the way back: nothing is left at cos t = C / (1 -
 * a_i), and since a_i > 0 that is never closer to grazing than cos t = C, 59 degrees at order 2 and
 * 66 at order 8. So beyond it every step should be strong, and layers absorb less where the time
 * step, in cells, is longer. The limit of stability stays. Axes add up, in edges and corners, too.
 * But it is waves of a medium that is the same along the normal that a layer continues, and where
 * velocities vary along it fields may grow: so the velocity of a layer is that of its first cell
 * (torre_pml_clamp); of density see density.h.
 */
#ifndef TORRE_WAVE_PML_H
#define TORRE_WAVE_PML_H

#include "wave/boundary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a face has such a layer, or that of cpml.h, which is laid out alike; whether any has. */
static inline bool torre_pml_face(const torre_wave_problem *p, int axis, int side)
{
    return p->face[axis][side] == TORRE_ABSORBING && p->absorbing != TORRE_SPONGE;
}
static inline bool torre_pml_any(const torre_wave_problem *p)
{
    for (int f = 0; f < 6; f++)
        if (torre_pml_face(p, f / 2, f % 2)) return true;
    return false;
}

/* a and b of the steps i = 1 .. W, at [i]: W + 1 values of the caller's memory each; [0] is 0.
 * Engines have them from the setup. */
void torre_pml_steps(const torre_wave_problem *problem, double *a, double *b);

/* Refuse layers for which an axis has too few cells. */
torre_status torre_pml_check(const torre_wave_problem *problem);

/* The cell along an axis whose velocity is taken at cell i. Of a part that ends within a layer any
 * of it, which has the velocities of the first (part.c). */
static inline int64_t torre_pml_clamp(const torre_wave_problem *p, int axis, int64_t i)
{
    const int64_t n = p->size[axis], W = p->absorbing_width < n ? p->absorbing_width : n;
    if (torre_pml_face(p, axis, 0) && i < W) i = W - 1;
    if (torre_pml_face(p, axis, 1) && i >= n - W) i = n - W;
    return i;
}

/* Cells at such a face that have the density of the next one (density.h). */
static inline int64_t torre_pml_held(const torre_wave_problem *p)
{
    return p->absorbing_width + (int64_t)p->order / 2 + 1;
}

/*
 * Which values phi(j) or chi(j) are named by: those of an axis and side, of step i. outwards: the
 * chain that looks out of the grid, at the cell that step i begins at (phi at a high face, chi at a
 * low one); else the other chain, at the cell where step i ends, which there is for i < W. Of
 * cpml.h all are outwards: j = 1 is psi, j = 2 zeta of cell r = i - 1.
 */
typedef struct torre_layer_slice {
    int axis, side;
    bool outwards;
    int j, i;
} torre_layer_slice;

/* Slice `number` = 0, 1, .. of a problem; false after the last. */
bool torre_layer_slice_get(const torre_wave_problem *problem, int64_t number,
                           torre_layer_slice *slice);

/* The cell along its axis that a slice goes with where parts are cut across that: the values lie
 * with its own in solvers of parts. */
int64_t torre_layer_slice_cell(const torre_wave_problem *problem, const torre_layer_slice *slice);

/* Where the values of a slice lie in what layers remember of a plane: bytes from its beginning to
 * the first of them, from each to the next; and how often all are repeated, so far on each time. */
typedef struct torre_layer_place {
    int64_t at, step, copies, next;
} torre_layer_place;

#ifdef __cplusplus
}
#endif

#endif
