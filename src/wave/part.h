/*
 * A part of a problem: what the solver of one region (tiling/region.h) computes with.
 *
 *     problem --torre_wave_setup_new--> its setup --torre_wave_part_new--> setups of regions
 *
 * Each part is planned and created like a whole problem, all with the same engine, dts and axes.
 * Sources, receivers, velocities and damping are those of the whole; cells keep their numbers.
 * Together parts give the bits of one solver, if values go from part to part, as boxes at both
 * levels, before and after each pass of some steps:
 *
 *     stepwise, reference; towers along the solver's y and z: before the pass each halo is written,
 *         from the parts that own its cells (around a periodic axis, too).
 *     towers along the solver's x (the first of plan.axes): the part above makes its pass, then all
 *         that both store goes to the part below, which makes its pass and gives it back. In
 *         between each cell is at the step at which towers have left it, so arrays go over as they
 *         are, those of even steps to those of even steps. (A ring of parts, each a pass ahead of
 *         the next, keeps all of them busy.)
 *
 * What perfectly matched layers remember goes with the cells (read_layers, write_layers of
 * backend.h), between parts that are cut across the solver's x alone.
 *
 * Halos have torre_wave_halo cells for a pass of so many steps; a solver refuses longer passes.
 * Samples have a column for each receiver node of the whole problem: a solver writes those that it
 * computes and leaves the others as they are, so that parts can share an array.
 */
#ifndef TORRE_WAVE_PART_H
#define TORRE_WAVE_PART_H

#include "tiling/region.h"
#include "wave/setup.h"

typedef struct torre_wave_part {
    torre_region region;
    torre_wave_setup setup;     /* region: the above. problem: below */
    torre_wave_problem problem; /* of the stored cells; no positions of sources and receivers */
    torre_array velocity;       /* of the stored cells: those of the whole where they lie together
                                   there, and it does not end within a layer, else */
    void *copied;               /* a copy */
    torre_array density;        /* the shape alone; the values are the whole's */
} torre_wave_part;

/*
 * The part of a whole problem that is a region of its grid (torre_region_make with the problem's
 * size; halos no larger than that around a periodic axis). The setup of the whole, with the
 * velocities of its problem, must outlive it. TORRE_ERR_USAGE for regions that are none,
 * TORRE_ERR_RESOURCE.
 */
torre_status torre_wave_part_new(const torre_wave_setup *whole, const torre_region *region,
                                 torre_wave_part **part);
/* The same with no velocities of cells but their shape. */
torre_status torre_wave_part_bare(const torre_wave_setup *whole, const torre_region *region,
                                  torre_wave_part **part);
void torre_wave_part_free(torre_wave_part *part);

/* Whether it takes a copy of the velocities, if there are any of cells. */
bool torre_wave_part_copies(const torre_wave_setup *whole, const torre_region *region);

/* The region of a setup: all of the grid, unless it is that of a part. */
torre_region torre_wave_region(const torre_wave_setup *setup);

/* Cells that parts need to hold beyond the low and high ends of those that they own, along each of
 * the caller's axes, for a pass of so many steps with a plan that names engine, dts and axes. */
void torre_wave_halo(const torre_wave_plan *plan, int order, int64_t steps, int64_t halo[3][2]);

/* The most steps that a pass of an engine with tiles of dts can have, by the halos of a region. */
int64_t torre_wave_pass_limit(const torre_region *region, torre_engine engine, int order,
                              int64_t dts);

/* Refuse to advance by more steps than that. */
torre_status torre_wave_pass_check(int64_t limit, int64_t steps);

/* Refuse a wish for a part that leaves the engine, or dts of towers, to the solver. */
torre_status torre_wave_part_named(const torre_wave_setup *setup, const torre_wave_plan *wish);

/* Refuse a plan for the passes of which, of plan->tower_height steps, the halos are too small. */
torre_status torre_wave_part_check(const torre_wave_setup *setup, const torre_wave_plan *plan);

#endif
