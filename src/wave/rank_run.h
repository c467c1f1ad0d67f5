/*
 * A run by several processes (core/ranks.h), on this machine or others, or by threads with a GPU
 * each (rank_crew.h).
 *
 *     rank 0       |... owned ...|~ overlap ~|
 *     rank 1                 | R |... owned ...|~ overlap ~|
 *     rank 2                                 | R |... owned ...|       x: first axis of the plan
 *
 * Each has a slab of the grid, a part of the problem (part.h), and its towers. A pass goes through
 * the slabs from high x to low, as towers travel: a rank whose towers have climbed sends what both
 * store to the one below, which lets those of its own that reach there climb first and sends it
 * back. Meanwhile the rank above is in the next pass, but for its lowest towers, which wait for
 * that. So all are busy as long as a slab is twice as thick as what a tower sees,
 * 2 (R NT + 2 D + R); only overlaps travel, once each way a pass, nothing is computed twice, and
 * the bits are those of one process, whatever the number of ranks.
 *
 * Ranks of one machine whose solvers can do it have a slab together (core/rank_team.h): fields in
 * memory of all, whose towers all their threads climb, as those of one process do. The first of
 * them sends and receives planes. In a run on one machine nothing travels and nobody waits.
 *
 * The first rank is as if it were alone: its run has the solver of the whole grid, which asks the
 * others for what it needs; it alone has files and speaks to people. The others read the same
 * input, plan the same, and serve.
 */
#ifndef TORRE_RANK_RUN_H
#define TORRE_RANK_RUN_H

#include "core/ranks.h"
#include "torre/wave.h"

/*
 * Before the start, of every rank: share a planned run with the others. The height of towers, where
 * it was left open, becomes what keeps ranks busy. TORRE_ERR_USAGE: it is not for ranks, or has too
 * few planes for so many; TORRE_ERR_RESOURCE.
 */
torre_status torre_wave_run_share(torre_wave_run *run, const torre_ranks *ranks);

/*
 * Rank 0, with its own status: whether all have come as far; what they failed with, once.
 * TORRE_ERR_USAGE where they plan other towers (GPUs of another kind).
 */
torre_status torre_wave_ranks_gather(torre_wave_run *run, const torre_ranks *ranks,
                                     torre_status status);

/* Rank 0, in the end: the others are done. */
void torre_wave_ranks_dismiss(const torre_ranks *ranks);

/* Any other rank, after what it did to have that run failed or not: do what rank 0 asks for. The
 * status is its own and rank 0 knows it. */
torre_status torre_wave_ranks_serve(torre_wave_run *run, const torre_ranks *ranks,
                                    torre_status status);

/* Characters of a device with its number, "1: NVIDIA H200". */
enum { TORRE_RANK_DEVICE = 144 };

/* What there is to tell about a run and its ranks so far. */
typedef struct torre_ranks_told {
    int ranks;                               /* 1: it is not shared */
    const char *what;                        /* one of them is: "rank", "GPU" */
    const char *transport;                   /* how planes go, */
    const char *transport_why;               /* and why no better way; empty: it is the best */
    const char (*device)[TORRE_RANK_DEVICE]; /* [ranks] what computes; NULL before they gather */
    int64_t linked_bytes;                    /* from one to the next, in all */
    const double *waited_s; /* [ranks] for what neighbours send; NULL before the start */
    int64_t overlap_planes; /* that two ranks have */
    int64_t pass_bytes;     /* that travel in a pass */
} torre_ranks_told;

torre_ranks_told torre_wave_run_ranks(const torre_wave_run *run);

#endif
