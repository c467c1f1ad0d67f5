#include <stdlib.h>
#include <string.h>

#include "particles/md_store.h"

#define BLOCK_ENTRIES (1 << 18)

static torre_status no_memory(int64_t count)
{
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for the lists of %lld particles",
                      (long long)count);
}

torre_status torre_md_lists_make(int64_t count, int threads, torre_md_lists *l)
{
    memset(l, 0, sizeof *l);
    l->threads = threads;
    l->room = count;
    l->below[0] = l->below[1] = INT32_MAX;
    l->start = calloc((size_t)count, sizeof *l->start);
    l->length = calloc((size_t)count, sizeof *l->length);
    l->wraps = calloc((size_t)count, sizeof *l->wraps);
    l->arena = calloc((size_t)threads, sizeof *l->arena);
    if (l->start && l->length && l->wraps && l->arena) return TORRE_OK;
    torre_md_lists_free(l);
    return no_memory(count);
}

static torre_status given_room(torre_md_lists *l, int64_t given)
{
    if (given <= l->given_room) return TORRE_OK;
    const int64_t room = given + given / 16 + 64;
    free(l->given);
    l->given_room = 0;
    l->given = malloc((size_t)room * sizeof *l->given);
    if (!l->given) return no_memory(given);
    l->given_room = room;
    return TORRE_OK;
}

torre_status torre_md_lists_grow(torre_md_lists *l, int64_t count, int64_t given)
{
    const int64_t all = count + given;
    torre_md_lists grown;
    if (all > l->room) {
        TORRE_TRY(torre_md_lists_make(all + all / 16 + 64, l->threads, &grown));
        grown.builds = l->builds;
        torre_md_lists_free(l);
        *l = grown;
    }
    l->given_count = given;
    return given_room(l, given);
}

void torre_md_lists_free(torre_md_lists *l)
{
    for (int t = 0; l->arena && t < l->threads; t++) {
        for (int64_t b = 0; b < l->arena[t].blocks; b++) free(l->arena[t].block[b]);
        free(l->arena[t].block);
        free(l->arena[t].capacity);
    }
    free(l->arena);
    free(l->given);
    free(l->start);
    free(l->length);
    free(l->wraps);
    memset(l, 0, sizeof *l);
}

int64_t torre_md_lists_bytes(int64_t count, int threads)
{
    const torre_md_lists *l = NULL;
    return count * (int64_t)(sizeof *l->start + sizeof *l->length + sizeof *l->wraps) +
           threads * (int64_t)sizeof *l->arena;
}

void torre_md_arena_rewind(torre_md_arena *arena) { arena->current = arena->used = 0; }

int32_t *torre_md_arena_room(torre_md_arena *a, int64_t entries)
{
    while (a->current < a->blocks) {
        if (a->used + entries <= a->capacity[a->current]) return a->block[a->current] + a->used;
        a->current++;
        a->used = 0;
    }
    int32_t **block = realloc(a->block, ((size_t)a->blocks + 1) * sizeof *block);
    if (block) a->block = block;
    int64_t *capacity = realloc(a->capacity, ((size_t)a->blocks + 1) * sizeof *capacity);
    if (capacity) a->capacity = capacity;
    int64_t size = entries > BLOCK_ENTRIES ? (entries + 15) / 16 * 16 : BLOCK_ENTRIES;
    int32_t *memory = aligned_alloc(64, (size_t)size * sizeof *memory);
    if (!block || !capacity || !memory) {
        free(memory);
        return NULL;
    }
    a->block[a->blocks] = memory;
    a->capacity[a->blocks++] = size;
    a->used = 0;
    return memory;
}

void torre_md_arena_take(torre_md_arena *a, int64_t entries)
{
    a->used += (entries + TORRE_LIST_PAD - 1) / TORRE_LIST_PAD * TORRE_LIST_PAD;
}
