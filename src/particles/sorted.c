#include "particles/sorted.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

int torre_md_dimensions(const torre_md_problem *p) { return p->dimensions == 2 ? 2 : 3; }

bool torre_md_periodic(const torre_md_problem *p, int axis)
{
    return p->model != TORRE_PAIR_granular || !p->pair.granular.walls ||
           axis != torre_md_dimensions(p) - 1;
}

torre_status torre_sorted_make(const torre_md_problem *p, double reach, bool velocities,
                               int threads, torre_sorted *s)
{
    const torre_bin_grid grid = torre_bins_grid(p->box, reach / 2, p->count);
    *s = (torre_sorted){.dimensions = torre_md_dimensions(p)};
    TORRE_TRY(torre_bins_make(&grid, reach, TORRE_BIN_SPHERICAL,
                              &(torre_ordering_spec){.kind = TORRE_ROW_MAJOR}, p->count, &s->bins));
    s->bins.threads = threads > 0 ? threads : omp_get_max_threads();
    bool made = true;
    for (int a = 0; a < 3; a++) {
        s->position[a] = malloc((size_t)p->count * sizeof(double));
        if (velocities) s->velocity[a] = malloc((size_t)p->count * sizeof(double));
        made = made && s->position[a] && (!velocities || s->velocity[a]);
    }
    if (made) return TORRE_OK;
    torre_sorted_free(s);
    return torre_fail(TORRE_ERR_RESOURCE, "no memory to sort %lld particles for a measurement",
                      (long long)p->count);
}

void torre_sorted_free(torre_sorted *s)
{
    torre_bins_free(&s->bins);
    for (int a = 0; a < 3; a++) {
        free(s->position[a]);
        free(s->velocity[a]);
    }
    memset(s, 0, sizeof *s);
}

void torre_sorted_fill(torre_sorted *s, const torre_md_particles *p)
{
    torre_bins *bins = &s->bins;
#pragma omp parallel for num_threads(bins->threads)
    for (int64_t i = 0; i < p->count; i++) {
        const double at[3] = {p->position[0][i], p->position[1][i], p->position[2][i]};
        torre_bins_put(bins, i, at);
    }
    torre_bins_sort(bins);
#pragma omp parallel for num_threads(bins->threads)
    for (int64_t m = 0; m < p->count; m++) {
        const int32_t i = bins->member[m];
        for (int a = 0; a < 3; a++) {
            s->position[a][m] = p->position[a][i];
            if (s->velocity[a]) s->velocity[a][m] = p->velocity[a][i];
        }
    }
}

/* Of two opposite offsets the one whose first number that is not 0 is above it, and the own bin. */
static bool is_half(const int32_t offset[3])
{
    for (int a = 0; a < 3; a++)
        if (offset[a]) return offset[a] > 0;
    return true;
}

int64_t torre_sorted_partner(const torre_sorted *s, int64_t rank, int64_t o, double shift[3])
{
    const int32_t *offset = s->bins.offset[o];
    int image[3];
    if (!is_half(offset) || (s->dimensions == 2 && offset[2])) return -1;
    const int64_t index = torre_bins_at(&s->bins, rank, o, image);
    for (int a = 0; a < 3; a++) shift[a] = image[a] * s->bins.grid.box[a];
    return s->bins.rank[index];
}
