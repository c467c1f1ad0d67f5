#include "ordering.h"

#include <stddef.h>
#include <string.h>

static const char *const names[] = {
#define NAME(kind, name, motif2, motif3, text) name,
    TORRE_ORDERING_TABLE(NAME)
#undef NAME
};

const char *torre_ordering_name(torre_ordering_kind kind)
{
    return (unsigned)kind < TORRE_ORDERING_KINDS ? names[kind] : NULL;
}

bool torre_ordering_by_name(const char *name, torre_ordering_kind *kind)
{
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++) {
        if (strcmp(name, names[k]) == 0) {
            *kind = (torre_ordering_kind)k;
            return true;
        }
    }
    return false;
}

const char *torre_ordering_names(void)
{
    static const char all[] =
#define LISTED(kind, name, motif2, motif3, text) ", " name
        TORRE_ORDERING_TABLE(LISTED)
#undef LISTED
        ;
    return all + 2; /* past the first comma */
}

static bool refuse(const char **why, const char *text)
{
    if (why) *why = text;
    return false;
}

bool torre_ordering_make(torre_ordering_kind kind, int dims, const int64_t *size, torre_ordering *o,
                         const char **why)
{
    if ((unsigned)kind >= TORRE_ORDERING_KINDS) return refuse(why, "unknown ordering");
    if (dims != 2 && dims != 3) return refuse(why, "orderings have 2 or 3 dimensions");
    const torre_motif *motif = torre_motif_of(kind, dims);
    if (kind != TORRE_ROW_MAJOR && motif->dims == 0)
        return refuse(why, "this ordering does not exist in that number of dimensions");
    int64_t largest = 1;
    torre_ordering made = {kind, dims, {1, 1, 1}, 0};
    for (int a = 0; a < dims; a++) {
        if (size[a] < 1 || size[a] > TORRE_ORDERING_MAX_SIZE)
            return refuse(why, "sizes must be in 1 .. 1048576");
        made.size[a] = size[a];
        if (size[a] > largest) largest = size[a];
    }
    if (kind != TORRE_ROW_MAJOR)
        for (int64_t side = 1; side < largest; side *= motif->base) made.levels++;
    *o = made;
    return true;
}
