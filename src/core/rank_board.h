/*
 * A board in memory of a team (rank_team.h), where its members meet and tell each other a few
 * numbers, faster than by messages. All functions but _free, _pass and _take are called by all of
 * them, in one order.
 */
#ifndef TORRE_RANK_BOARD_H
#define TORRE_RANK_BOARD_H

#include "core/rank_team.h"

enum { TORRE_RANK_LINE = 112 }; /* bytes of a line on it */

typedef struct torre_rank_board {
    torre_rank_team team;
    struct torre_rank_line *line; /* NULL: there is none */
    int64_t turn, passed, taken;  /* how often it was swapped, and lines were passed on */
} torre_rank_board;

/* That of this rank's team. TORRE_ERR_RESOURCE. Free it with _free, also after a failure. */
torre_status torre_rank_board_new(const torre_ranks *ranks, torre_rank_board *board);
void torre_rank_board_free(torre_rank_board *board);

/*
 * The line of each member, as many bytes, to all[member]; 0: they only meet. Back when all have
 * called it: what any of them wrote to memory before, all can read then. What this rank waits is
 * added to waited_s of the team. A failure is that of `look` of the ranks.
 */
torre_status torre_rank_board_swap(torre_rank_board *board, const void *own, int64_t bytes,
                                   void *all);

/* A line to the next member; and that of the one before, once it is there. Of those that a member
 * passes, at most one is between two swaps. */
void torre_rank_board_pass(torre_rank_board *board, const void *own, int64_t bytes);
torre_status torre_rank_board_take(torre_rank_board *board, void *line, int64_t bytes);

#endif
