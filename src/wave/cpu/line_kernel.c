/*
 * The line kernels of one instruction set. This file is compiled once for each (CMakeLists.txt),
 * with TORRE_ISA naming it; contraction of a * b + c by the compiler is off, so that every variant
 * of a kernel rounds alike.
 */
#include "wave/cpu/line_kernel.h"

#include "wave/cpu/line_vector.h"

#define REAL float
#include "wave/cpu/line_halves.h"
#define REAL double
#include "wave/cpu/line_halves.h"

#define TABLE__(isa) torre_line_kernels_##isa
#define TABLE_(isa)  TABLE__(isa)
#define TEXT__(isa)  #isa
#define TEXT_(isa)   TEXT__(isa)

extern const torre_line_kernels TABLE_(TORRE_ISA);
const torre_line_kernels TABLE_(TORRE_ISA) = {
    .isa = TEXT_(TORRE_ISA),
    .f32 = {line_float_1, line_float_2, line_float_3, line_float_4},
    .f64 = {line_double_1, line_double_2, line_double_3, line_double_4},
};
