/*
 * Runs larger than their memory: towers go over the grid window by window.
 *
 *     store          |  planes of cells, both levels of each                              |
 *     in memory                        | R | ..... owned ..... | R NT + 2 D - 1 |
 *                                        <- the next window    ^ towers of these planes climb
 *
 * A pass of NT steps takes its windows from high x to low, as towers travel (tiling/diamond.h):
 * what a window's towers need beyond its own planes is what the window before has left, and both
 * store it. So a window moves down, its planes that the next one does not store go to the store, a
 * scratch file or memory of the host (plane_store.h), done for this pass, and as many come from
 * there; every plane is read and written once a pass, and nothing is computed twice. x is the first
 * axis of the plan.
 *
 * A window is a part of the problem (part.h), computed by a solver of a backend whose solvers can
 * move (backend.h); this here is a solver around that, which a backend offers where a plan has less
 * memory than the run needs. Where solvers can compute beside copies there are two: while the one
 * has window i in its pass, planes of window i + 1 leave the other and those of window i - 1 come;
 * what i and i - 1 both store the one then hands on to the other.
 *
 * What perfectly matched layers remember streams behind the fields, plane by plane; but what
 * belongs to layers across x is of few planes, and much of each: it stays in memory.
 *
 * The taller the towers, the less streams for each step, and the smaller what a window owns, of
 * whose planes the others must be moved in memory: plan takes the height, and one solver or two, at
 * which both together cost least.
 */
#ifndef TORRE_WAVE_RING_H
#define TORRE_WAVE_RING_H

#include "wave/backend.h"

/*
 * A program for a run that, by the program `whole` of the backend, takes more than wish->memory:
 * engine, dts and axes are those of `whole`, the height of towers, too, if wish has one.
 * TORRE_ERR_USAGE: it does not take towers, there is no scratch directory (nor memory of the host
 * that the backend takes), or no window fits.
 */
torre_status torre_ring_plan(const torre_wave_backend *backend, const torre_wave_program *whole,
                             const torre_wave_setup *setup, const torre_wave_plan *wish,
                             torre_wave_program **program);

#endif
