#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "particles/md_store.h"
#include "particles/md_sum.h"

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
    int64_t bytes = 5 * quad_bytes(count, state->state_size) + torre_md_sum_bytes(count) +
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

static torre_status no_memory(int64_t particles)
{
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)particles);
}

torre_status torre_md_store_make(int64_t count, int threads, const double box[3], double reach,
                                 const torre_md_state_loops *state, torre_md_store *t)
{
    const int size = state->state_size;
    *t = (torre_md_store){
        .count = count, .far = count, .room = count, .threads = threads, .reach = reach};
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
    t->sums = malloc((size_t)torre_md_sum_bytes(count));
    if (t->position && t->velocity && t->force && t->hold && t->spare && t->packed && t->id &&
        t->spare_id && t->sums)
        return TORRE_OK;
    torre_md_store_free(t);
    return no_memory(count);
}

static void free_arrays(torre_md_store *t)
{
    if (t->lent) return;
    if (t->packed != t->position) free(t->packed);
    free(t->spare_packed);
    free(t->position);
    free(t->velocity);
    free(t->force);
    free(t->hold);
    free(t->spare);
    free(t->id);
    free(t->spare_id);
}

torre_status torre_md_store_lend(int64_t count, const torre_md_lent *lent, torre_md_store *t)
{
    double *sums = malloc((size_t)torre_md_sum_bytes(count));
    if (!sums) return no_memory(count);
    free_arrays(t);
    free(t->sums);
    t->lent = true;
    t->position = lent->position;
    t->velocity = lent->velocity;
    t->force = lent->force;
    t->hold = lent->hold;
    t->spare = lent->spare;
    t->packed = lent->packed ? lent->packed : lent->position;
    t->id = lent->id;
    t->spare_id = lent->spare_id;
    t->sums = sums;
    t->room = count;
    return TORRE_OK;
}

torre_status torre_md_store_spare_packed(torre_md_store *t, const torre_md_state_loops *state)
{
    t->spare_packed = new_quads(t->room, state->pair_size);
    return t->spare_packed ? TORRE_OK : no_memory(t->room);
}

/* An array of so many bytes in place of one with `kept`. */
static bool move_array(void **array, void *larger, int64_t kept)
{
    if (!larger) return false;
    memcpy(larger, *array, (size_t)kept);
    free(*array);
    *array = larger;
    return true;
}

torre_status torre_md_store_grow(torre_md_store *t, const torre_md_state_loops *state,
                                 int64_t places)
{
    if (places <= t->room) return TORRE_OK;
    const int size = state->state_size;
    const int64_t room = places + places / 16 + 64;
    const int64_t ids = t->room * (int64_t)sizeof *t->id;
    const bool one = t->packed == t->position;
    void **const quads[] = {&t->position, &t->velocity, &t->force, &t->hold, &t->spare};
    bool grown = true;
    for (int i = 0; i < 5 && grown; i++)
        grown = move_array(quads[i], new_quads(room, size), quad_bytes(t->room, size));
    if (one) t->packed = t->position;
    if (grown && !one)
        grown = move_array(&t->packed, new_quads(room, state->pair_size),
                           quad_bytes(t->room, state->pair_size));
    if (grown && t->spare_packed)
        grown = move_array(&t->spare_packed, new_quads(room, state->pair_size), 0);
    grown = grown && move_array((void **)&t->id, malloc((size_t)room * sizeof *t->id), ids) &&
            move_array((void **)&t->spare_id, malloc((size_t)room * sizeof *t->id), ids) &&
            move_array((void **)&t->sums, malloc((size_t)torre_md_sum_bytes(room)), 0);
    if (!grown) return no_memory(places);
    t->room = room;
    return TORRE_OK;
}

void torre_md_store_set_types(torre_md_store *t, const torre_md_problem *p)
{
    t->types = p->types;
    t->type = p->types ? p->types->type : NULL;
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
    free_arrays(t);
    free(t->sums);
    *t = (torre_md_store){0};
}

int64_t torre_md_store_place(torre_md_store *t, const torre_md_state_loops *state, torre_bins *bins,
                             double time, double most)
{
    state->hold(t, time, most);
    const int64_t bad = state->wrap(t, bins->grid.box);
    if (bad < 0) state->bin(t, bins);
    return bad;
}

torre_status torre_md_store_lost(int32_t id, int64_t step)
{
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: particle %d left the box by more than its size or is not "
                      "finite; use a smaller {dt} or rebuild more often",
                      (long long)step, id + 1);
}

void torre_md_store_permute(torre_md_store *t, const torre_md_state_loops *state,
                            const torre_bins *bins, int which)
{
    void **const quads[TORRE_MD_PERMUTED] = {&t->position, &t->velocity, &t->force, &t->hold};
    const bool one = t->packed == t->position;
    state->permute(t, bins, quads[which]);
    if (one) t->packed = t->position;
}

void torre_md_store_permuted(torre_md_store *t, const torre_md_state_loops *state,
                             const torre_bins *bins)
{
    int32_t *old = t->id;
    state->pack(t);
#pragma omp parallel for num_threads(t->threads)
    for (int64_t i = 0; i < t->count; i++) t->spare_id[i] = old[bins->member[i]];
    t->id = t->spare_id;
    t->spare_id = old;
}

void torre_md_store_sort(torre_md_store *t, const torre_md_state_loops *state, torre_bins *bins)
{
    torre_bins_sort(bins);
    for (int k = 0; k < TORRE_MD_PERMUTED; k++) torre_md_store_permute(t, state, bins, k);
    torre_md_store_permuted(t, state, bins);
    torre_bins_renumber(bins);
}

torre_status torre_md_store_bin(torre_md_store *t, const torre_md_state_loops *state,
                                torre_bins *bins, double time, double most, bool sort, int64_t step)
{
    const int64_t bad = torre_md_store_place(t, state, bins, time, most);
    if (bad >= 0) return torre_md_store_lost(t->id[bad], step);
    if (sort)
        torre_md_store_sort(t, state, bins);
    else
        torre_bins_sort(bins);
    return TORRE_OK;
}
