/* The level before the first of a field at rest (torre/wave.h), row by row on all cores. */
#include "core/cpu.h"
#include "wave/initial.h"
#include "wave/rest_density.h"
#include "wave/rest_piece.h"

static torre_rest_function *best_function(void)
{
#ifdef TORRE_ISA_X86
    if (torre_cpu_get()->isa == TORRE_ISA_AVX512) return torre_rest_piece_avx512;
    if (torre_cpu_get()->isa == TORRE_ISA_AVX2) return torre_rest_piece_avx2;
#endif
    return torre_rest_piece_base;
}

/* What of a slab can be computed: near faces beyond which the grid continues, nothing. */
static torre_box cells_of(const torre_wave_problem *p, const torre_region *slab)
{
    torre_box box;
    for (int a = 0; a < 3; a++) {
        box.low[a] = p->face[a][0] == TORRE_CONTINUES ? p->order / 2 : 0;
        box.high[a] = p->size[a] - (p->face[a][1] == TORRE_CONTINUES ? p->order / 2 : 0);
    }
    if (box.low[0] < slab->owned.low[0]) box.low[0] = slab->owned.low[0];
    if (box.high[0] > slab->owned.high[0]) box.high[0] = slab->owned.high[0];
    return box;
}

torre_status torre_wave_rest_planes(const torre_wave_problem *p, const torre_region *slab,
                                    const void *now, void *previous)
{
    const int64_t held = slab->stored.low[0], first = slab->owned.low[0];
    const torre_box cells = cells_of(p, slab);
    const int64_t *low = cells.low, *high = cells.high;
    if (p->density_cells) return torre_rest_density(p, slab, &cells, now, previous);
    torre_rest_function *const piece = best_function();
    const int64_t before = (first - held) * p->size[1] * p->size[2];
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t x = low[0]; x < high[0]; x++) {
        for (int64_t y = low[1]; y < high[1]; y++) {
            for (int64_t z = low[2]; z < high[2]; z += TORRE_REST_PIECE) {
                const torre_rest_piece r = {
                    .problem = p,
                    .now = now,
                    .held = {held, slab->stored.high[0]},
                    .at = {x, y, z},
                    .first = ((x - held) * p->size[1] + y) * p->size[2] + z,
                    .stride = {p->size[1] * p->size[2], p->size[2], 1},
                    .count =
                        (int)(high[2] - z < TORRE_REST_PIECE ? high[2] - z : TORRE_REST_PIECE)};
                piece(&r, (char *)previous + (r.first - before) * (int64_t)p->precision);
            }
        }
    }
    return TORRE_OK;
}

torre_status torre_wave_rest_level(const torre_wave_problem *p, const void *now, void *previous)
{
    const torre_region all = torre_region_whole(p->size);
    return torre_wave_rest_planes(p, &all, now, previous);
}
