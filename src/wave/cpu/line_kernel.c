/*
 * The line kernels of one instruction set. This file is compiled once for each (CMakeLists.txt),
 * with TORRE_ISA naming it; contraction of a * b + c by the compiler is off, so that every variant
 * of a kernel rounds alike.
 */
#include "wave/cpu/line_kernel.h"

#include "wave/cpu/line_vector.h"

/* Whether the sum along z is folded. */
ALWAYS_INLINE bool folded(const int R) { return VECTOR_SHIFTS && (R == 3 || R == 4); }

/* PLANES_MOST: that a call can update. FETCH_BYTES: fetched at a time, so that the loop over cells
 * has nothing else to do; with more in one go stepwise waits for memory longer (512: 10 %). */
enum { PLANES_MOST = 3, FETCH_BYTES = 2 * TORRE_BLOCK_BYTES };

/* Fetches some bytes into the second level cache. */
ALWAYS_INLINE void fetch_ahead(const char *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += TORRE_BLOCK_BYTES) __builtin_prefetch(from + i, 0, 2);
}

#define REAL float
#include "wave/cpu/line_rows.h"
#define REAL double
#include "wave/cpu/line_rows.h"

#define FUNCTION(real, order)                                                                      \
    static void line_##real##_##order(const torre_line_scheme *scheme, const torre_line *line)     \
    {                                                                                              \
        lines_##real(scheme, line, (order) / 2);                                                   \
    }
#define FUNCTIONS(order, ...) FUNCTION(float, order) FUNCTION(double, order)
TORRE_STENCIL_TABLE(FUNCTIONS)

#define TABLE__(isa) torre_line_kernels_##isa
#define TABLE_(isa)  TABLE__(isa)
#define TEXT__(isa)  #isa
#define TEXT_(isa)   TEXT__(isa)

extern const torre_line_kernels TABLE_(TORRE_ISA);
const torre_line_kernels TABLE_(TORRE_ISA) = {
    .isa = TEXT_(TORRE_ISA),
#define ENTRY_FLOAT(order, ...) line_float_##order,
    .f32 = {TORRE_STENCIL_TABLE(ENTRY_FLOAT)},
#define ENTRY_DOUBLE(order, ...) line_double_##order,
    .f64 = {TORRE_STENCIL_TABLE(ENTRY_DOUBLE)},
};
