/* Ctrl-C, kill and the like: a program stops cleanly, with the results so far. */
#ifndef TORRE_PROGRAM_STOP_H
#define TORRE_PROGRAM_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/*
 * Call it before there are files to remove. From now on the first Ctrl-C, kill, loss of the
 * terminal or of the reader of a pipe (SIGINT, SIGTERM, SIGHUP, SIGPIPE) only makes
 * torre_program_stop true; a second one kills as usual, unless it comes within half a second
 * (timeout(1) sends it to the process and to its group) or is another SIGPIPE (every line for a
 * lost reader brings one).
 */
void torre_program_catch_signals(void);

/* The same after so many seconds, from now on. */
void torre_program_stop_after(double seconds);

/* Whether it is to stop: the `stop` of a run's watch. context is not used. */
bool torre_program_stop(void *context);

/* TORRE_STOPPED with the line that tells of it; checkpoint: the file to go on from, or NULL. */
torre_status torre_program_stopped(int64_t step, int64_t steps, const char *checkpoint);

#endif
