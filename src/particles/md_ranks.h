/*
 * A run of particles by several ranks (core/ranks.h), which share one problem: a backend that can
 * (`share` of md.h) splits the particles between them. Bits are those of one process, whatever the
 * number of ranks.
 *
 * The first rank is as if it were alone: its run has the solver of the whole problem, which has all
 * ranks call the same functions of their solvers; it alone has files and speaks to people. The
 * others read the same input, plan the same, and serve.
 */
#ifndef TORRE_MD_RANKS_H
#define TORRE_MD_RANKS_H

#include "core/rank_meet.h"
#include "particles/md_run.h"

/*
 * Before the start, of every rank: share a planned run with the others, which must outlive it.
 * TORRE_ERR_USAGE: it is not for ranks.
 */
torre_status torre_md_run_share(torre_md_run *run, const torre_ranks *ranks);

/* Behind the solver; NULL is fine. */
void torre_md_links_close(torre_md_links *links);

/* Rank 0, with its own status: whether all have come as far; what they failed with, once.
 * TORRE_ERR_USAGE where they have planned otherwise. */
torre_status torre_md_ranks_gather(torre_md_run *run, const torre_ranks *ranks,
                                   torre_status status);

/* Rank 0, in the end: the others are done. */
void torre_md_ranks_dismiss(const torre_ranks *ranks);

/* Any other rank, after what it did to have that run failed or not: do what rank 0 asks for. The
 * status is its own and rank 0 knows it. */
torre_status torre_md_ranks_serve(torre_md_run *run, const torre_ranks *ranks, torre_status status);

/* What there is to tell. */
typedef struct torre_md_ranks_told {
    int ranks;                             /* 1: it is not shared */
    const char *what;                      /* one of them is: "rank" */
    const char *transport, *transport_why; /* why no better way; empty: it is the best */
    const char (*device)[128];             /* GPUs of all ranks; NULL: they have none */
} torre_md_ranks_told;

torre_md_ranks_told torre_md_run_ranks(const torre_md_run *run);

#endif
