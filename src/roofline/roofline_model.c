#include "roofline/roofline_model.h"

#include <string.h>

double torre_model_operations(int order) { return 9.0 * order / 2 + 2; }

double torre_model_instructions(int order) { return 6.0 * order / 2 + 4; }

static void tighten(torre_model_bound *bound, const torre_machine *machine, torre_ceiling_id id,
                    double per_update)
{
    double rate = machine->ceiling[id].high / per_update;
    if (rate <= 0 || (bound->gcells_per_s > 0 && rate >= bound->gcells_per_s)) return;
    bound->ceiling = id;
    bound->gcells_per_s = rate;
}

/* The innermost cache that holds the towers of all threads; the last level where none does (engines
 * then cut towers into windows along z). */
static torre_ceiling_id holder(const torre_machine *machine, double tower_bytes)
{
    if (tower_bytes <= (double)machine->cache[1]) return TORRE_NEAR_MIX;
    if (tower_bytes <= (double)machine->cache[2]) return TORRE_MID_MIX;
    return TORRE_LLC_MIX;
}

static void bind_towers(const torre_machine *machine, const torre_wave_info *info, int order,
                        double value, int64_t nz, torre_model_bound *bound)
{
    double dts = info->plan.dts, r = order / 2.0, d = dts * r;
    if (strcmp(machine->backend, "cpu") == 0) {
        double cells = (2 * d * d + 4 * d * r + 2 * r * r) * (double)nz;
        tighten(bound, machine, holder(machine, 2 * value * cells), 3 * value);
    } else {
        tighten(bound, machine, TORRE_LLC_READ, value * (2 * r / d + (r / d) * (r / d) + 4 / dts));
    }
}

void torre_model_bind(const torre_machine *machine, const torre_wave_info *info, int order,
                      torre_precision precision, const int64_t size[3], torre_model_bound *bound)
{
    memset(bound, 0, sizeof *bound);
    bound->bytes_per_update = info->model_bytes_per_update;
    bound->operations_per_byte = torre_model_operations(order) / bound->bytes_per_update;
    tighten(bound, machine, TORRE_DRAM_MIX, bound->bytes_per_update);
    /* the stencil ceiling counts 3 operations for every 2 instructions */
    tighten(bound, machine, precision == TORRE_F32 ? TORRE_F32_STENCIL : TORRE_F64_STENCIL,
            1.5 * torre_model_instructions(order));
    if (info->plan.engine == TORRE_TORRE)
        bind_towers(machine, info, order, (double)precision, size[2], bound);
}
