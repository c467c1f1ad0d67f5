#include "wave/cpu/cpu_wait.h"

#include <time.h>

/* Turns before going to sleep: some 10 microseconds. */
enum { SPIN_TURNS = 300 };

void torre_wait_turn(int *turns)
{
    if ((*turns)++ < SPIN_TURNS) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
        return;
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL); /* the kernel makes it some 50000 */
}

void torre_barrier_wait(torre_barrier *b)
{
    unsigned phase = atomic_load_explicit(&b->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) == b->threads - 1) {
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&b->phase, phase + 1, memory_order_release);
        return;
    }
    for (int turns = 0; atomic_load_explicit(&b->phase, memory_order_acquire) == phase;)
        torre_wait_turn(&turns);
}
