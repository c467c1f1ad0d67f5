/*
 * Waiting for other threads: a few microseconds in a loop, where the awaited thread most often is
 * done, then asleep. libgomp spins for milliseconds at its barriers; on a machine with more to do
 * than cores that takes the core away from the very thread that is waited for.
 */
#ifndef TORRE_CPU_WAIT_H
#define TORRE_CPU_WAIT_H

#include <stdatomic.h>

/* One turn of a waiting loop; *turns counts them and starts at 0. */
void torre_wait_turn(int *turns);

/* A barrier for `threads` threads; zero the rest. */
typedef struct torre_barrier {
    int threads;
    _Alignas(128) atomic_int arrived;
    _Alignas(128) atomic_uint phase;
} torre_barrier;

/* Return once all threads have called it; what they wrote before is visible then. */
void torre_barrier_wait(torre_barrier *barrier);

#endif
