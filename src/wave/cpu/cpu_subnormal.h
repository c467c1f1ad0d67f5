/*
 * Subnormal numbers. The tail in front of a wave fades through them, and processors take a hundred
 * times as long for each; so the fast engines count them as zero, which changes u by less than the
 * smallest normal number (1.2e-38 in f32) a step.
 */
#ifndef TORRE_CPU_SUBNORMAL_H
#define TORRE_CPU_SUBNORMAL_H

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>

/* Count subnormal operands and results of this thread as zero; returns what to restore. */
static inline unsigned torre_subnormals_off(void)
{
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); /* flush to zero, denormals are zero */
    return before;
}
static inline void torre_subnormals_restore(unsigned before) { _mm_setcsr(before); }
#else
static inline unsigned torre_subnormals_off(void) { return 0; }
static inline void torre_subnormals_restore(unsigned before) { (void)before; }
#endif

#endif
