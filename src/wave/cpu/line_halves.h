/* line_rows.h for every half-width, with REAL defined. */
#define HALF 1
#include "wave/cpu/line_rows.h"
#define HALF 2
#include "wave/cpu/line_rows.h"
#define HALF 3
#include "wave/cpu/line_rows.h"
#define HALF 4
#include "wave/cpu/line_rows.h"
#undef REAL
