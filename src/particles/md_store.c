#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "particles/md_store.h"

/* Bytes of quads and the far particle, to whole vectors. */
static int64_t quad_bytes(int64_t count, int size)
{
    return ((count + 1) * 4 * size + 63) / 64 * 64;
}

static void *new_quads(int64_t count, int size)
{
    const size_t bytes = (size_t)quad_bytes(count, size);
    return bytes < TORRE_HUGE_PAGE ? aligned_alloc(64, bytes) : torre_memory_large(bytes);
}

int64_t torre_md_store_bytes(int64_t count, const torre_md_state_loops *state)
{
    const torre_md_store *t = NULL;
    int64_t bytes = 5 * quad_bytes(count, state->state_size) +
                    count * (int64_t)(sizeof *t->id + sizeof *t->spare_id);
    if (state->pair_size != state->state_size) bytes += quad_bytes(count, state->pair_size);
    return bytes;
}

void torre_md_store_set_box(torre_md_store *t, const double box[3])
{
    for (int a = 0; a < 3; a++) { /* md_packed.h says why; 2^16 periods leave room for its trick */
        double periods = fmin(fmax(1, floor(box[a] / (8 * t->reach))), 65536);
        t->turns[a] = 4294967296 * periods / box[a];
        t->box[a] = box[a];
    }
}

torre_status torre_md_store_make(int64_t count, int threads, const double box[3], double reach,
                                 const torre_md_state_loops *state, torre_md_store *t)
{
    const int size = state->state_size;
    *t = (torre_md_store){.count = count, .threads = threads, .reach = reach};
    torre_md_store_set_box(t, box);
    t->turns[3] = 1; /* a type is a number as it is */
    t->position = new_quads(count, size);
    t->velocity = new_quads(count, size);
    t->force = new_quads(count, size);
    t->hold = new_quads(count, size);
    t->spare = new_quads(count, size);
    t->packed = state->pair_size == size ? t->position : new_quads(count, state->pair_size);
    t->id = malloc((size_t)count * sizeof *t->id);
    t->spare_id = malloc((size_t)count * sizeof *t->spare_id);
    if (t->position && t->velocity && t->force && t->hold && t->spare && t->packed && t->id &&
        t->spare_id)
        return TORRE_OK;
    torre_md_store_free(t);
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)count);
}

void torre_md_store_set_types(torre_md_store *t, const torre_md_problem *p)
{
    t->types = p->types;
    for (int a = 0; p->types && a < p->types->count; a++)
        t->weight[a] = p->types->mass[a] / p->mass;
}

void torre_md_store_set_radii(torre_md_store *t, double largest, const double *radius)
{
    t->largest = largest;
    t->radius = radius;
    t->turns[3] = 1073741824 / largest; /* packed, radii have 30 bits */
}

void torre_md_store_free(torre_md_store *t)
{
    if (t->packed != t->position) free(t->packed);
    free(t->position);
    free(t->velocity);
    free(t->force);
    free(t->hold);
    free(t->spare);
    free(t->id);
    free(t->spare_id);
    *t = (torre_md_store){0};
}

torre_status torre_md_store_bin(torre_md_store *t, const torre_md_state_loops *state,
                                torre_bins *bins, double time, double most, bool sort, int64_t step)
{
    state->hold(t, time, most);
    int64_t bad = state->wrap(t, bins->grid.box);
    if (bad >= 0)
        return torre_fail(TORRE_ERR_UNSTABLE,
                          "step %lld: particle %d left the box by more than its size or is not "
                          "finite; use a smaller {dt} or rebuild more often",
                          (long long)step, t->id[bad] + 1);
    state->bin(t, bins);
    torre_bins_sort(bins);
    if (sort) {
        state->permute(t, bins);
        torre_bins_renumber(bins);
    }
    return TORRE_OK;
}
