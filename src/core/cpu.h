/* The processor this runs on: name, instruction set, caches, clock. */
#ifndef TORRE_CPU_H
#define TORRE_CPU_H

#include <stdint.h>

/* Instruction sets that kernels are compiled for, worst to best. */
typedef enum torre_isa {
    TORRE_ISA_BASE,  /* whatever the compiler assumes for every machine of the kind */
    TORRE_ISA_AVX2,  /* with FMA */
    TORRE_ISA_AVX512 /* F, VL, BW, DQ */
} torre_isa;

typedef struct torre_cpu {
    char name[96];       /* "AMD EPYC 9654 96-Core Processor"; "CPU" where nobody says */
    int threads;         /* hardware threads this process may run on */
    torre_isa isa;       /* the best one that the processor has */
    int64_t cache[4];    /* bytes of one data cache of level 1, 2, 3; 0: none or unknown */
    int cache_shared[4]; /* hardware threads sharing it, >= 1 */
} torre_cpu;

/* Asked once, then remembered; thread-safe. Sizes that the system does not tell are 0. */
const torre_cpu *torre_cpu_get(void);

/*
 * Parallel regions that the calling thread begins, from here on, have so many threads where they do
 * not say how many themselves. At least 1.
 */
void torre_cpu_use_threads(int threads);

/* "base", "avx2", "avx512" */
const char *torre_isa_name(torre_isa isa);

/*
 * Clock of the calling thread's core right now, GHz, timed over a chain of dependent additions of
 * one cycle each (takes about 10 ms); 0 where this is not known to hold.
 */
double torre_cpu_clock(void);

#endif
