#include "cli/program_stop.h"

#include <signal.h>
#include <time.h>

static volatile sig_atomic_t stop_signal;
static struct timespec stop_time;

static void on_signal(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since = (double)(now.tv_sec - stop_time.tv_sec) + 1e-9 * (double)now.tv_nsec -
                   1e-9 * (double)stop_time.tv_nsec;
    if (stop_signal && since > 0.5) {
        signal(number, SIG_DFL);
        raise(number);
    } else if (!stop_signal) {
        stop_time = now;
        stop_signal = number;
    }
}

void torre_program_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool torre_program_stop(void *context)
{
    (void)context;
    return stop_signal != 0;
}

torre_status torre_program_stopped(int64_t step, int64_t steps)
{
    return torre_fail(
        TORRE_STOPPED, "stopped by %s after step %lld of %lld; the results up to there are written",
        stop_signal == SIGINT ? "SIGINT" : "SIGTERM", (long long)step, (long long)steps);
}
