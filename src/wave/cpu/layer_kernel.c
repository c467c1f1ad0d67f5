/* The kernels of perfectly matched layers, once for each instruction set like the line kernel. */
#include "wave/cpu/layer_kernel.h"

#include "wave/cpu/line_vector.h"
#include "wave/cpu/short_vector.h"

/* Rows ahead of the one at hand whose memory is asked for. */
enum { ROWS_LATER = 8 };
/* The same of rows along z, which are many: bytes ahead. */
enum { ROW_AHEAD = 4 * TORRE_BLOCK_BYTES };

#define REAL float
#include "wave/cpu/layer_rows.h"
#define REAL double
#include "wave/cpu/layer_rows.h"

#define FUNCTION(real, order)                                                                      \
    static void layer_##real##_##order(const torre_layer_scheme *scheme,                           \
                                       const torre_layer_line *line)                               \
    {                                                                                              \
        layer_##real(scheme, line, (order) / 2);                                                   \
    }                                                                                              \
    static void stack_##real##_##order(const torre_layer_scheme *scheme,                           \
                                       const torre_layer_stack *stack)                             \
    {                                                                                              \
        stack_##real(scheme, stack, (order) / 2);                                                  \
    }                                                                                              \
    static void end_##real##_##order(const torre_layer_end *end, const torre_layer_ends *rows)     \
    {                                                                                              \
        end_##real(end, rows, (order) / 2);                                                        \
    }
#define FUNCTIONS(order, ...) FUNCTION(float, order) FUNCTION(double, order)
TORRE_STENCIL_TABLE(FUNCTIONS)

#define TABLE__(isa) torre_layer_kernels_##isa
#define TABLE_(isa)  TABLE__(isa)

extern const torre_layer_kernels TABLE_(TORRE_ISA);
const torre_layer_kernels TABLE_(TORRE_ISA) = {
#define ENTRY_FLOAT(order, ...) layer_float_##order,
    .f32 = {TORRE_STENCIL_TABLE(ENTRY_FLOAT)},
#define ENTRY_DOUBLE(order, ...) layer_double_##order,
    .f64 = {TORRE_STENCIL_TABLE(ENTRY_DOUBLE)},
#define STACK_FLOAT(order, ...) stack_float_##order,
    .stack_f32 = {TORRE_STENCIL_TABLE(STACK_FLOAT)},
#define STACK_DOUBLE(order, ...) stack_double_##order,
    .stack_f64 = {TORRE_STENCIL_TABLE(STACK_DOUBLE)},
#define END_FLOAT(order, ...) end_float_##order,
    .end_f32 = {TORRE_STENCIL_TABLE(END_FLOAT)},
#define END_DOUBLE(order, ...) end_double_##order,
    .end_f64 = {TORRE_STENCIL_TABLE(END_DOUBLE)},
};
