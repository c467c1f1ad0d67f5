/* The table of loops: those of the widest instruction set this processor has. */
#include "particles/cpu/mps_sweeps.h"

#include "particles/cpu/isa_loops.h"

TORRE_LOOPS_DECLARE(torre_mps_loops, torre_mps_loops)

static const torre_mps_loops *const loops[][3] = TORRE_LOOPS_TABLE(torre_mps_loops);

const torre_mps_loops *torre_mps_loops_find(torre_md_precision precision)
{
    return loops[torre_md_isa_row(TORRE_LOOPS_ISAS)][precision];
}
