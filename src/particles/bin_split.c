#include "particles/bin_split.h"

#include <stdlib.h>

torre_status torre_bin_split_new(int ranks, int self, torre_bin_split *s)
{
    *s = (torre_bin_split){.ranks = ranks, .self = self};
    s->cut = calloc((size_t)ranks + 1, sizeof *s->cut);
    s->lent = calloc((size_t)ranks, sizeof *s->lent);
    s->lent_by = calloc((size_t)ranks, sizeof *s->lent_by);
    if (s->cut && s->lent && s->lent_by) return TORRE_OK;
    torre_bin_split_free(s);
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the bins of ranks");
}

void torre_bin_split_free(torre_bin_split *s)
{
    for (int r = 0; r < s->ranks; r++) {
        if (s->lent) free(s->lent[r].bin);
        if (s->lent_by) free(s->lent_by[r].bin);
    }
    free(s->cut);
    free(s->lent);
    free(s->lent_by);
    *s = (torre_bin_split){0};
}

void torre_bin_split_cut(torre_bin_split *s, const int64_t *work, int64_t bins)
{
    int64_t all = 0, before = 0, b = 0;
    for (int64_t i = 0; i < bins; i++) all += work[i];
    for (int r = 0; r <= s->ranks; r++) {
        const double goal = (double)all * r / s->ranks;
        /* a bin belongs to whoever has its middle */
        while (b < bins && (double)before + 0.5 * (double)work[b] < goal) before += work[b++];
        s->cut[r] = r == 0 ? 0 : r == s->ranks ? bins : b;
    }
}

int torre_bin_split_owner(const torre_bin_split *s, int64_t bin)
{
    int low = 0, high = s->ranks; /* cut[low] <= bin < cut[high] */
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (s->cut[middle] <= bin)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool append(torre_bin_list *l, int64_t bin)
{
    if (l->count > 0 && l->bin[l->count - 1] == bin) return true;
    if (l->count == l->room) {
        const int64_t room = 2 * l->room + 64;
        int32_t *larger = realloc(l->bin, (size_t)room * sizeof *larger);
        if (!larger) return false;
        l->bin = larger;
        l->room = room;
    }
    l->bin[l->count++] = (int32_t)bin;
    return true;
}

/* Bins of others around an own one: it is lent to them, and they are marked. */
static bool look_around(torre_bin_split *s, const torre_bins *bins, int64_t own, char *needed)
{
    bool there = true;
    for (int64_t o = 1; o < bins->offsets && there; o++) {
        int image[3];
        const int64_t bin = bins->rank[torre_bins_at(bins, own, o, image)];
        if (bin >= s->cut[s->self] && bin < s->cut[s->self + 1]) continue;
        needed[bin] = 1;
        there = append(&s->lent[torre_bin_split_owner(s, bin)], own);
    }
    return there;
}

torre_status torre_bin_split_borders(torre_bin_split *s, const torre_bins *bins)
{
    char *needed = calloc((size_t)bins->bins, 1);
    bool there = needed != NULL;
    for (int r = 0; r < s->ranks; r++) s->lent[r].count = s->lent_by[r].count = 0;
    for (int64_t b = s->cut[s->self]; b < s->cut[s->self + 1] && there; b++)
        there = look_around(s, bins, b, needed);
    for (int r = 0; r < s->ranks && there; r++)
        for (int64_t b = s->cut[r]; b < s->cut[r + 1] && there; b++)
            if (needed[b]) there = append(&s->lent_by[r], b);
    free(needed);
    if (there) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the bins of ranks");
}
