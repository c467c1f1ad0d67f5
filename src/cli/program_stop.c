#include "cli/program_stop.h"

#include <signal.h>
#include <time.h>

static volatile sig_atomic_t stop_signal;
static struct timespec stop_time;

static const struct {
    int number;
    const char *name;
} stopping[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGPIPE, "SIGPIPE"}};

enum { STOPPING = sizeof stopping / sizeof stopping[0] };

static void on_signal(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since = (double)(now.tv_sec - stop_time.tv_sec) + 1e-9 * (double)now.tv_nsec -
                   1e-9 * (double)stop_time.tv_nsec;
    if (!stop_signal) {
        stop_time = now;
        stop_signal = number;
    } else if (since > 0.5 && number != SIGPIPE) {
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

bool torre_program_stop(void *context)
{
    (void)context;
    return stop_signal != 0;
}

torre_status torre_program_stopped(int64_t step, int64_t steps)
{
    const int number = stop_signal;
    const char *name = "a signal";
    for (int i = 0; i < STOPPING; i++)
        if (number == stopping[i].number) name = stopping[i].name;
    return torre_fail(TORRE_STOPPED,
                      "stopped by %s after step %lld of %lld; the results up to there are written",
                      name, (long long)step, (long long)steps);
}
