#include "mpi/rank_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/numbers.h"

torre_waking torre_waking_start(double now) { return (torre_waking){.last = now}; }

double torre_waking_seconds(torre_waking *clock, double now)
{
    const double most = 0.5, passed = now - clock->last;
    clock->seconds += passed < most ? passed : most;
    clock->last = now;
    return clock->seconds;
}

bool torre_ranks_speak(int a, int b) { return a == 0 || b == 0 || a == b + 1 || b == a + 1; }

bool torre_rank_watch_start(torre_rank_watch *w, int rank, int count)
{
    const char *limit = getenv("TORRE_RANK_LIMIT");
    int64_t seconds;
    *w = (torre_rank_watch){.rank = rank, .count = count, .limit = 60};
    if (limit && torre_parse_integer(limit, &seconds) && seconds > 0 && seconds < 1 << 30)
        w->limit = (int)seconds;
    w->of = calloc((size_t)count, sizeof *w->of);
    return w->of != NULL;
}

void torre_rank_watch_end(torre_rank_watch *w)
{
    free(w->of);
    w->of = NULL;
}

/* Whether there is a process. */
static bool lives(int64_t process) { return kill((pid_t)process, 0) == 0 || errno == EPERM; }

void torre_rank_watch_process(torre_rank_watch *w, int rank, int64_t process)
{
    if (rank != w->rank && lives(process)) w->of[rank].process = process;
}

void torre_rank_watch_failed(torre_rank_watch *w, int rank, torre_status status, const char *text)
{
    if (w->status) return;
    w->status = status;
    w->lost = rank;
    if (rank < 0)
        snprintf(w->text, sizeof w->text, "%s", text);
    else
        snprintf(w->text, sizeof w->text, "rank %d %s", rank, text);
}

void torre_rank_watch_look(torre_rank_watch *w)
{
    for (int i = 0; i < w->count; i++)
        if (w->of[i].process && !lives(w->of[i].process))
            torre_rank_watch_failed(w, i, TORRE_ERR_RESOURCE, "has died");
}

void torre_rank_watch_second(torre_rank_watch *w)
{
    char text[64];
    for (int i = 0; i < w->count; i++) {
        if (!torre_ranks_speak(i, w->rank) || i == w->rank || ++w->of[i].silent <= w->limit)
            continue;
        snprintf(text, sizeof text, "has said nothing for %d s", w->limit);
        torre_rank_watch_failed(w, i, TORRE_ERR_RESOURCE, text);
    }
}
