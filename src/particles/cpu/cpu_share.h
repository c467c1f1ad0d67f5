/*
 * Particles of the cpu solver that ranks share (core/ranks.h): each rank has a run of the bins
 * (bin_split.h) and moves the particles in them, in the order that they have in one process. Behind
 * them in storage lie ghosts, the particles of others in bins around, in the order of theirs. So
 * lists, and with them the order in which forces are added up, are those of one process, and so are
 * the bits.
 *
 * Every step each rank tells all others how far its particles have gone, and those around where its
 * lent particles are. At a rebuild particles go to the rank whose bins they are in now. What else
 * they tell each other in a step is for the method to say (cpu_mps.c).
 *
 * Ranks of one machine can do without most of this: with memory in common (cpu_team.h) each finds
 * the particles of others where these have them.
 *
 * Every rank calls the same functions of a solver at the same time. What fails for all alike is
 * TORRE_ERR_UNSTABLE, which all return; another failure is that of one rank.
 */
#ifndef TORRE_CPU_SHARE_H
#define TORRE_CPU_SHARE_H

#include "core/ranks.h"
#include "particles/bin_split.h"
#include "particles/cpu/cpu_solver.h"

/* To a rank, or from it. */
typedef struct torre_cpu_message {
    char *bytes;
    int64_t count, room;
} torre_cpu_message;

/* Places one after another. */
typedef struct torre_cpu_run {
    int64_t place, count;
} torre_cpu_run;

/* Of particles lent to a rank. */
typedef struct torre_cpu_runs {
    torre_cpu_run *run;
    int64_t runs, room, count; /* count: of particles */
} torre_cpu_runs;

typedef struct torre_cpu_share {
    const torre_ranks *ranks;
    torre_status status; /* of what went wrong in a sum */
    torre_bin_split split;
    int64_t bins;                    /* that were cut; 0: none yet */
    bool uneven;                     /* some rank has much more to do than others: cut them anew */
    int64_t *first;                  /* [ranks + 1]: particles of the ranks before */
    int64_t *ghost;                  /* [ranks + 1]: place of the first ghost of each, the end */
    torre_cpu_runs *lent;            /* [ranks]: particles lent to each */
    torre_cpu_message *out, *in;     /* [ranks]; out[rank]: what goes to all */
    struct torre_cpu_team *team;     /* of ranks with memory in common (cpu_team.h), else NULL */
    int64_t rows;                    /* of a sum, that this rank sends */
    char far[4][4 * sizeof(double)]; /* the far particle, in four arrays */
    double waited_s;                 /* for other ranks */
} torre_cpu_share;

/* A rank's share. The solver's first particles: what set_particles gives. TORRE_ERR_RESOURCE. */
torre_status torre_cpu_share_new(const torre_ranks *ranks, torre_cpu_share **share);
void torre_cpu_share_free(torre_cpu_share *share); /* NULL is fine */

/* --- Messages (cpu_share.c) --- */

torre_status torre_cpu_message_room(torre_cpu_message *message, int64_t bytes);
/* out of this rank to each of the others, and in from each, of as many bytes as are said. */
torre_status torre_cpu_share_swap(torre_cpu_share *share);
/* As many bytes of each rank to all, in their order. */
torre_status torre_cpu_share_gather(torre_cpu_share *share, const void *own, int64_t bytes,
                                    void *all);
/* Those of rank 0 to all. */
torre_status torre_cpu_share_tell(torre_cpu_share *share, void *bytes, int64_t count);

/* What md_sum.h needs: parts of a sum, which go on in the next rank; rows of all. A failure is
 * kept in status. */
bool torre_cpu_share_last(const torre_cpu_share *share);
void torre_cpu_share_pass(torre_cpu_share *share, const void *row, int64_t bytes);
void torre_cpu_share_take(torre_cpu_share *share, void *row, int64_t bytes);
void torre_cpu_share_rows(torre_cpu_share *share, const double *rows, int64_t count, int width,
                          double *total);

/* The largest of the values that ranks have, that of the first that has it, and the id that goes
 * with it. */
torre_status torre_cpu_share_most(torre_cpu_share *share, double *value, int32_t *id);

/* The largest of numbers below 2^31. */
torre_status torre_cpu_share_largest(torre_cpu_share *share, int64_t *number);

/* Where ranks have memory in common: back when all have called it, what they wrote before can be
 * read, and what they have read can be written. */
torre_status torre_cpu_share_meet(torre_cpu_solver *solver);

/* An array of all particles, zero: the same memory for all ranks where they have it in common.
 * All ranks call it. TORRE_ERR_RESOURCE. (cpu_team.c) */
torre_status torre_cpu_array_new(torre_cpu_solver *solver, int64_t bytes, void **array);
void torre_cpu_array_free(const torre_cpu_solver *solver, void *array);
/* `spare` of the store as an array of numbers by place. (cpu_team.c) */
void *torre_cpu_spare_numbers(const torre_cpu_solver *solver);
/* `spare_packed` of the store. All ranks call it. TORRE_ERR_RESOURCE. (cpu_team.c) */
torre_status torre_cpu_spare_packed(torre_cpu_solver *solver);
/* Places of an array by place, with far particles. */
int64_t torre_cpu_places(const torre_cpu_solver *solver);

/* --- Particles --- */

static inline torre_status torre_cpu_share_no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the particles of a rank");
}

/* Bytes of a quad of the state. */
static inline int64_t torre_cpu_quad(const torre_cpu_solver *s)
{
    return 4 * (int64_t)s->state->state_size;
}

/* Columns of the method, if any. */
static inline int torre_cpu_own_columns(torre_cpu_solver *s, bool ghosts, torre_cpu_column of[])
{
    return s->method->columns ? s->method->columns(s, ghosts, of) : 0;
}

/* Where a column has what belongs to a place. */
static inline char *torre_cpu_at_place(const torre_cpu_solver *s, const torre_cpu_column *of,
                                       int64_t place)
{
    return (char *)*of->array + (of->by_id ? s->store.id[place] : place) * of->each;
}

/* Keep what was loaded as the far particle; put it there, behind ghosts (cpu_share_start.c). */
void torre_cpu_share_keep_far(torre_cpu_solver *solver);
void torre_cpu_share_set_far(torre_cpu_solver *solver, int64_t place);

/* Ghosts anew, after a rebuild has sorted the particles of all ranks (cpu_share_ghosts.c). */
torre_status torre_cpu_share_fetch(torre_cpu_solver *solver);

/* Of the arrays of rank 0, [axis][id], which others do not look at: to all, as they are before the
 * first rebuild. */
torre_status torre_cpu_share_load(torre_cpu_solver *solver, const double *const position[3],
                                  const double *const velocity[3]);
/* A rebuild but for the lists, as torre_md_store_bin makes it; holds: those there are stay. */
torre_status torre_cpu_share_rebuild(torre_cpu_solver *solver, double time, double most,
                                     bool holds);
/* Columns of ghosts as those who have them say; each of some numbers becomes the largest of all. */
enum { TORRE_CPU_NUMBERS = 2 };
torre_status torre_cpu_share_lend(torre_cpu_solver *solver, const torre_cpu_column column[],
                                  int columns, double most[], int numbers);
/* Ghosts where they are now; *moved becomes that of all. */
torre_status torre_cpu_share_step(torre_cpu_solver *solver, double *moved);
/* Quads of all ranks to arrays of rank 0 as `unload` does; others do not look at out. */
torre_status torre_cpu_share_unload(torre_cpu_solver *solver, const void *quads, const double *box,
                                    double *const out[3]);
/* Numbers of the state type by place, of all ranks, to arrays by id of rank 0, any of which may be
 * NULL; others do not look at out. */
torre_status torre_cpu_share_unload_numbers(torre_cpu_solver *solver, const void *const number[],
                                            int count, double *const out[]);
/* An array of torre_cpu_array_new, as rank 0 has it, to all. */
torre_status torre_cpu_share_tell_ids(torre_cpu_solver *solver, void *array, int64_t bytes);
/* An array by id, which every rank has: rank 0 gets what others have of theirs. */
torre_status torre_cpu_share_gather_ids(torre_cpu_solver *solver, void *array, int64_t each);
/* An array by id of a state, as below. */
torre_status torre_cpu_share_visit_ids(torre_cpu_solver *solver, torre_md_visit *visit,
                                       void *context, const char *name, void *array, int64_t each);
/* An array of a state, `each` bytes a particle and as many of the far one if `far`, shown to rank
 * 0's visit as that of one process. */
torre_status torre_cpu_share_visit(torre_cpu_solver *solver, torre_md_visit *visit, void *context,
                                   const char *name, void *array, int64_t each, bool far);

#endif
