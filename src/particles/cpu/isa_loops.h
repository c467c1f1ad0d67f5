/*
 * Loops that are compiled once per precision and instruction set: NAME_PRECISION_ISA. The rows of
 * their tables are in the order of torre_isa.
 */
#ifndef TORRE_ISA_LOOPS_H
#define TORRE_ISA_LOOPS_H

#include "core/cpu.h"

#define TORRE_LOOPS_OF(type, name, isa)                                                            \
    extern const type name##_f32_##isa, name##_f64_##isa, name##_mixed_##isa;
#define TORRE_LOOPS_ROW(name, isa) {&name##_f32_##isa, &name##_f64_##isa, &name##_mixed_##isa},

/* TORRE_LOOPS_DECLARE(type, name) declares them all, TORRE_LOOPS_TABLE(name) has their addresses,
 * [isa][precision]. */
#ifdef TORRE_ISA_X86
#define TORRE_LOOPS_ISAS 3
#define TORRE_LOOPS_DECLARE(type, name)                                                            \
    TORRE_LOOPS_OF(type, name, base)                                                               \
    TORRE_LOOPS_OF(type, name, avx2) TORRE_LOOPS_OF(type, name, avx512)
#define TORRE_LOOPS_TABLE(name)                                                                    \
    {                                                                                              \
        TORRE_LOOPS_ROW(name, base) TORRE_LOOPS_ROW(name, avx2) TORRE_LOOPS_ROW(name, avx512)      \
    }
#else
#define TORRE_LOOPS_ISAS                1
#define TORRE_LOOPS_DECLARE(type, name) TORRE_LOOPS_OF(type, name, base)
#define TORRE_LOOPS_TABLE(name)                                                                    \
    {                                                                                              \
        TORRE_LOOPS_ROW(name, base)                                                                \
    }
#endif

#endif
