/* The table of loops: those of the widest instruction set this processor has. */
#include "particles/cpu/grain_sweeps.h"

#include "particles/cpu/isa_loops.h"

TORRE_LOOPS_DECLARE(torre_grain_loops, torre_grain_loops)

static const torre_grain_loops *const loops[][3] = TORRE_LOOPS_TABLE(torre_grain_loops);

const torre_grain_loops *torre_grain_loops_find(torre_md_precision precision)
{
    return loops[torre_md_isa_row(TORRE_LOOPS_ISAS)][precision];
}
