#include "wave/initial.h"

void torre_wave_noise(const torre_region *r, torre_precision precision, uint64_t seed, void *cells)
{
    const int64_t *low = r->stored.low, *high = r->stored.high, *n = r->global;
    int64_t stride[3];
    torre_box_strides(&r->stored, stride);
#pragma omp parallel for
    for (int64_t x = low[0]; x < high[0]; x++)
        for (int64_t y = low[1]; y < high[1]; y++) {
            const int64_t row = torre_region_cell(r, 0, x) * n[1] + torre_region_cell(r, 1, y);
            const int64_t to = (x - low[0]) * stride[0] + (y - low[1]) * stride[1] - low[2];
            for (int64_t z = low[2]; z < high[2]; z++) {
                const int64_t cell = row * n[2] + torre_region_cell(r, 2, z);
                torre_value_set(precision, cells, to + z, torre_wave_noise_at(seed, cell));
            }
        }
}

torre_region torre_wave_slab(const torre_wave_problem *p, int64_t first, int64_t planes)
{
    const int64_t reach = p->order / 2, halo[3][2] = {{reach, reach}, {0, 0}, {0, 0}};
    bool periodic[3];
    torre_box owned = torre_box_all(p->size);
    owned.low[0] = first;
    if (first + planes < owned.high[0]) owned.high[0] = first + planes;
    for (int a = 0; a < 3; a++) periodic[a] = p->face[a][0] == TORRE_PERIODIC;
    return torre_region_make(p->size, periodic, &owned, halo);
}
