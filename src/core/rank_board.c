#include "core/rank_board.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "core/timer.h"

/* What a member has written, and in which turn. */
typedef struct torre_rank_line {
    _Alignas(128) atomic_llong turn;
    char bytes[TORRE_RANK_LINE];
} torre_rank_line;

/* Lines of a member: those of even and odd turns, since a member may be in the next turn while
 * others still read, but no further; and the one that it passes on. */
enum { PASSED = 2, LINES };

static torre_rank_line *line_of(const torre_rank_board *b, int member, int which)
{
    return &b->line[(int64_t)member * LINES + which];
}

static int self(const torre_rank_board *b) { return b->team.ranks->rank - b->team.leader; }

static int64_t board_bytes(const torre_rank_board *b)
{
    return b->team.members * LINES * (int64_t)sizeof *b->line;
}

torre_status torre_rank_board_new(const torre_ranks *ranks, torre_rank_board *b)
{
    char *memory;
    *b = (torre_rank_board){.team = torre_rank_team_of(ranks)};
    TORRE_TRY(torre_rank_team_memory(&b->team, board_bytes(b), 1, &memory));
    b->line = (torre_rank_line *)(void *)memory;
    return TORRE_OK;
}

void torre_rank_board_free(torre_rank_board *b)
{
    torre_rank_team_free((char *)b->line, board_bytes(b));
    b->line = NULL;
}

/* A short rest, longer when this rank has waited for long: its processor may be the one that the
 * awaited rank needs. */
static void rest(int64_t rests)
{
    enum { SPINS = 1000, YIELDS = 10000 };
    if (rests < SPINS) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    } else if (rests < YIELDS) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
}

static torre_status wait_for(const torre_rank_board *b, const torre_rank_line *line, int64_t turn)
{
    enum { LOOK_EVERY = 64 };
    const torre_ranks *ranks = b->team.ranks;
    for (int64_t rests = 0; atomic_load_explicit(&line->turn, memory_order_acquire) < turn;) {
        rest(rests);
        if (++rests % LOOK_EVERY == 0) TORRE_TRY(ranks->look(ranks));
    }
    return TORRE_OK;
}

static void write_line(torre_rank_line *line, int64_t turn, const void *own, int64_t bytes)
{
    if (bytes > 0) memcpy(line->bytes, own, (size_t)bytes);
    atomic_store_explicit(&line->turn, turn, memory_order_release);
}

torre_status torre_rank_board_swap(torre_rank_board *b, const void *own, int64_t bytes, void *all)
{
    const double start = torre_time_now();
    const int which = (int)(++b->turn % 2);
    write_line(line_of(b, self(b), which), b->turn, own, bytes);
    for (int i = 0; i < b->team.members; i++) {
        const torre_rank_line *line = line_of(b, i, which);
        TORRE_TRY(wait_for(b, line, b->turn));
        if (bytes > 0) memcpy((char *)all + i * bytes, line->bytes, (size_t)bytes);
    }
    b->team.waited_s += torre_time_now() - start;
    return TORRE_OK;
}

void torre_rank_board_pass(torre_rank_board *b, const void *own, int64_t bytes)
{
    write_line(line_of(b, self(b), PASSED), ++b->passed, own, bytes);
}

torre_status torre_rank_board_take(torre_rank_board *b, void *own, int64_t bytes)
{
    const torre_rank_line *line = line_of(b, self(b) - 1, PASSED);
    TORRE_TRY(wait_for(b, line, ++b->taken));
    memcpy(own, line->bytes, (size_t)bytes);
    return TORRE_OK;
}
