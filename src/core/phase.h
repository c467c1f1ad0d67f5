/*
 * Where the time of a process goes. Each moment of its main thread belongs to one phase, so that
 * the phases add up to the whole:
 *
 *     start    libraries, options, planning, and computing the state that a run starts from
 *     read     files of input
 *     check    whether velocities, particles and fields are numbers that make sense
 *     upload   memory of the engine, on a GPU or not, and the first state into it
 *     loop     the time loop; of programs without one, what they measure or analyse
 *     output   traces, pictures, fields, tables, reports; waiting for them
 *     exit     giving memory back
 *
 * A phase is entered where its work is done:
 *
 *     TORRE_PHASE(TORRE_PHASE_READ);     until the end of the block, then what was before goes on
 *
 * Each thread has a clock of its own, which counts once torre_phase_begin was called in it.
 */
#ifndef TORRE_PHASE_H
#define TORRE_PHASE_H

typedef enum torre_phase {
    TORRE_PHASE_START,
    TORRE_PHASE_READ,
    TORRE_PHASE_CHECK,
    TORRE_PHASE_UPLOAD,
    TORRE_PHASE_LOOP,
    TORRE_PHASE_OUTPUT,
    TORRE_PHASE_EXIT
} torre_phase;

enum { TORRE_PHASES = TORRE_PHASE_EXIT + 1 };

/* Begin in `start`, which is given the processor time that the process has taken so far. */
void torre_phase_begin(void);

/* From now on the time belongs to phase. Returns the phase before. */
torre_phase torre_phase_enter(torre_phase phase);

/* Seconds of each phase until now. Returns their sum. */
double torre_phase_seconds(double seconds[TORRE_PHASES]);

/* "start", "read", ... */
const char *torre_phase_name(torre_phase phase);

static inline void torre_phase_leave(const torre_phase *before) { torre_phase_enter(*before); }

#define TORRE_PHASE(phase)                                                                         \
    __attribute__((cleanup(torre_phase_leave), unused)) const torre_phase torre_phase_before =     \
        torre_phase_enter(phase)

#endif
