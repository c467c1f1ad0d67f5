/* Orderings of a box as an object (torre/ordering.h), over tiling/ordering.h. */
#include <stdlib.h>

#include "core/status.h"
#include "tiling/ordering.h"

torre_status torre_ordering_new(const torre_ordering_spec *spec, int dims, const int64_t *size,
                                torre_ordering **ordering)
{
    const char *why;
    torre_ordering *o = malloc(sizeof *o);
    if (!o) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    if (!torre_ordering_make_spec(spec, dims, size, o, &why)) {
        free(o);
        return torre_fail(TORRE_ERR_USAGE, "{ordering}: %s", why);
    }
    *ordering = o;
    return TORRE_OK;
}

int64_t torre_ordering_rank(const torre_ordering *o, const int64_t *cell)
{
    return torre_ordering_encode(o, cell);
}

void torre_ordering_cell(const torre_ordering *o, int64_t rank, int64_t *cell)
{
    torre_ordering_decode(o, rank, cell);
}

void torre_ordering_free(torre_ordering *o) { free(o); }
