/* The tables of loops: those of the widest instruction set this processor has. */
#include "particles/cpu/isa_loops.h"
#include "particles/md_store.h"

#define FORCE_DECLARE(model)                                                                       \
    TORRE_LOOPS_DECLARE(torre_md_force_loops, torre_md_force_##model)                              \
    TORRE_LOOPS_DECLARE(torre_md_force_loops, torre_md_force_##model##_types)
#define FORCE_TABLE(model)                                                                         \
    {TORRE_LOOPS_TABLE(torre_md_force_##model), TORRE_LOOPS_TABLE(torre_md_force_##model##_types)},

TORRE_LOOPS_DECLARE(torre_md_state_loops, torre_md_state)
TORRE_PAIR_LIST(FORCE_DECLARE)

static const torre_md_state_loops *const state_loops[][3] = TORRE_LOOPS_TABLE(torre_md_state);
static const torre_md_force_loops *const force_loops[][2][TORRE_LOOPS_ISAS][3] = {
    TORRE_PAIR_LIST(FORCE_TABLE)};

static torre_isa isa_limit = TORRE_ISA_AVX512;

void torre_md_limit_isa(torre_isa most) { isa_limit = most; }

int torre_md_isa_row(int rows)
{
    int isa = (int)torre_cpu_get()->isa;
    if (isa > (int)isa_limit) isa = (int)isa_limit;
    return isa < rows ? isa : 0;
}

const torre_md_state_loops *torre_md_state_loops_find(torre_md_precision precision)
{
    return state_loops[torre_md_isa_row(TORRE_LOOPS_ISAS)][precision];
}

const torre_md_force_loops *torre_md_force_loops_find(const torre_md_problem *p)
{
    const int types = p->types != NULL, isa = torre_md_isa_row(TORRE_LOOPS_ISAS);
    return force_loops[p->model][types][isa][p->precision];
}
