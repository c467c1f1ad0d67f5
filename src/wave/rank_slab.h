/*
 * The slab of a rank, or of several together (core/rank_team.h), each of which has a solver of it;
 * and what goes to and from the slabs below and above.
 */
#ifndef TORRE_RANK_SLAB_H
#define TORRE_RANK_SLAB_H

#include "wave/rank_program.h"

/* What this slab and a neighbour both store. */
typedef struct torre_rank_link {
    int rank;              /* the first one of the neighbour, -1: there is none */
    torre_rank_path *path; /* past the host, NULL: there is none */
    torre_planes planes;
    int64_t bytes;                 /* of messages: */
    char *out, *in;                /* of what is not sent from the solver; or hand_on: */
    torre_plane_place here, there; /* of the planes, in this solver and in the neighbour's */
    void *gone;                    /* what it is to await */
} torre_rank_link;

typedef struct torre_rank_slab {
    const torre_rank_program *program;
    torre_wave_solver *solver;
    torre_rank_team team;    /* whose slab it is, where its solver is of teams */
    bool leads;              /* this rank sends and receives planes for it */
    int64_t n;               /* its step */
    torre_rank_link link[2]; /* to the slab below, above */
    bool owed;               /* what went below has not come back */
    int64_t columns;         /* of samples that this rank computes some of, */
    int64_t *column;         /* and which */
    torre_part_sums *sums;   /* where those go, if the program sums: */
    torre_part_sums *shared; /* those of all, which are rank 0's; NULL: its own */
    torre_rank_advanced told;
} torre_rank_slab;

/* Whether planes go from solver to solver, not by messages. */
static inline bool torre_rank_hands_on(const torre_rank_program *program)
{
    return program->ranks->one_process && program->backend->hand_on;
}

/* Bytes of the cells of planes on their way, with what layers remember of them. */
int64_t torre_rank_planes_bytes(const torre_rank_program *program, torre_planes planes);

/* Memory of a slab beside its solver. */
int64_t torre_rank_slab_bytes(const torre_rank_program *program);

/* shared: of rank 0 in this process, or NULL. Free with _free in any case. */
torre_status torre_rank_slab_start(torre_rank_program *program, torre_part_sums *shared,
                                   torre_rank_slab *slab);
void torre_rank_slab_free(torre_rank_slab *slab);

/* Samples from which on all cores of a rank copy them. */
enum { TORRE_RANK_MANY = 1 << 16 };

/* As advance of a backend, while all others do the same. What nobody here computes of the samples
 * stays as it is. sums: where they go in place of that, if the program sums; or NULL. */
torre_status torre_rank_slab_advance(torre_rank_slab *slab, int64_t steps, void *samples,
                                     torre_part_sums *sums);

torre_status torre_rank_slab_set_step(torre_rank_slab *slab, int64_t n);

/* Sums of each plane that is this rank's own (torre_rank_planes), of u[n]. bad: its first cell that
 * is not finite, or finite. */
torre_status torre_rank_slab_norms(torre_rank_slab *slab, torre_norm_sums *sums,
                                   torre_wave_norms *bad);

#endif
