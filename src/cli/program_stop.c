#include "cli/program_stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "core/timer.h"

/* Atomic, since any thread may get the signal, and many ask. */
static atomic_int stop_signal;
static atomic_llong stop_time; /* of the first signal, nanoseconds */

static double deadline; /* torre_time_now() of --max-time; 0: none */

static const struct {
    int number;
    const char *name;
} stopping[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGPIPE, "SIGPIPE"}};

enum { STOPPING = sizeof stopping / sizeof stopping[0] };

static void on_signal(int number)
{
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    const long long now = clock.tv_sec * 1000000000LL + clock.tv_nsec;
    long long first = 0;
    if (atomic_compare_exchange_strong(&stop_time, &first, now)) {
        atomic_store(&stop_signal, number);
    } else if (now - first > 500000000 && number != SIGPIPE) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void torre_program_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    for (int i = 0; i < STOPPING; i++) {
        int number = stopping[i].number;
        if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
            sigaction(number, &action, NULL);
    }
}

void torre_program_stop_after(double seconds) { deadline = torre_time_now() + seconds; }

bool torre_program_stop(void *context)
{
    (void)context;
    return atomic_load(&stop_signal) != 0 || (deadline > 0 && torre_time_now() >= deadline);
}

torre_status torre_program_stopped(int64_t step, int64_t steps, const char *checkpoint)
{
    const int number = atomic_load(&stop_signal);
    const char *name = number ? "a signal" : TORRE_PARAMETER("max_time");
    for (int i = 0; i < STOPPING; i++)
        if (number == stopping[i].number) name = stopping[i].name;
    return torre_fail(TORRE_STOPPED,
                      "stopped by %s after step %lld of %lld; the results up to there are "
                      "written%s%s",
                      name, (long long)step, (long long)steps,
                      checkpoint ? ", go on with " TORRE_PARAMETER("resume") " " : "",
                      checkpoint ? checkpoint : "");
}
