#include "locality/reuse.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS (INT64_C(1) << 30)

struct torre_reuse {
    int64_t blocks;
    int64_t accesses, first;
    int64_t slots;      /* time slots, 1 .. slots */
    int64_t now;        /* slots used so far */
    int64_t last_block; /* of the previous access; -1 before any */
    int64_t *count;     /* [blocks] accesses of each distance */
    uint32_t *slot;     /* [blocks] slot of the last access; 0: never */
    uint32_t *block;    /* [slots + 1] 1 + block whose last access this is; 0: none */
    uint32_t *tree;     /* [slots + 1] Fenwick tree over the marked slots */
};

torre_reuse *torre_reuse_new(int64_t blocks)
{
    if (blocks < 1 || blocks > MAX_BLOCKS) return NULL;
    torre_reuse *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->blocks = blocks;
    r->slots = 2 * blocks;
    r->last_block = -1;
    r->count = calloc((size_t)blocks, sizeof *r->count);
    r->slot = calloc((size_t)blocks, sizeof *r->slot);
    r->block = calloc((size_t)r->slots + 1, sizeof *r->block);
    r->tree = calloc((size_t)r->slots + 1, sizeof *r->tree);
    if (r->count && r->slot && r->block && r->tree) return r;
    torre_reuse_free(r);
    return NULL;
}

void torre_reuse_free(torre_reuse *r)
{
    if (!r) return;
    free(r->count);
    free(r->slot);
    free(r->block);
    free(r->tree);
    free(r);
}

static void tree_add(torre_reuse *r, int64_t slot, uint32_t change)
{
    for (; slot <= r->slots; slot += slot & -slot) r->tree[slot] += change;
}

/* Marks in the slots 1 .. slot. */
static int64_t tree_sum(const torre_reuse *r, int64_t slot)
{
    int64_t sum = 0;
    for (; slot > 0; slot -= slot & -slot) sum += r->tree[slot];
    return sum;
}

/* Move the marks to the first slots, keeping their order; their number is r->first. */
static void renumber(torre_reuse *r)
{
    int64_t used = 0;
    for (int64_t t = 1; t <= r->slots; t++) {
        if (!r->block[t]) continue;
        r->block[++used] = r->block[t];
        r->slot[r->block[used] - 1] = (uint32_t)used;
    }
    memset(r->block + used + 1, 0, (size_t)(r->slots - used) * sizeof *r->block);
    /* a node of the tree covers the last (t & -t) slots up to t */
    for (int64_t t = 1; t <= r->slots; t++) {
        int64_t below = t - (t & -t), high = t < used ? t : used;
        r->tree[t] = (uint32_t)(high > below ? high - below : 0);
    }
    r->now = used;
}

void torre_reuse_touch(torre_reuse *r, int64_t block)
{
    r->accesses++;
    if (block == r->last_block) {
        r->count[0]++;
        return;
    }
    r->last_block = block;
    if (r->now == r->slots) renumber(r);
    int64_t before = r->slot[block];
    if (before) {
        r->count[r->first - tree_sum(r, before)]++;
        r->block[before] = 0;
        tree_add(r, before, UINT32_MAX); /* minus one */
    } else {
        r->first++;
    }
    int64_t now = ++r->now;
    r->slot[block] = (uint32_t)now;
    r->block[now] = (uint32_t)block + 1;
    tree_add(r, now, 1);
}

int64_t torre_reuse_accesses(const torre_reuse *r) { return r->accesses; }

int64_t torre_reuse_first(const torre_reuse *r) { return r->first; }

void torre_reuse_misses(const torre_reuse *r, int64_t *misses)
{
    misses[r->blocks] = r->first;
    for (int64_t c = r->blocks - 1; c >= 0; c--) misses[c] = misses[c + 1] + r->count[c];
}
