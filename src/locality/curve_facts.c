#include "locality/curve_facts.h"

#include <stdlib.h>

void torre_curve_cell(const torre_ordering *o, int64_t index, int64_t cell[3])
{
    for (int a = 2; a >= 0; a--) {
        cell[a] = index % o->size[a];
        index /= o->size[a];
    }
}

int64_t torre_curve_distance(const int64_t a[3], const int64_t b[3])
{
    return llabs(a[0] - b[0]) + llabs(a[1] - b[1]) + llabs(a[2] - b[2]);
}

torre_curve_facts torre_curve_facts_of(const torre_ordering *o, const int64_t *path)
{
    torre_curve_facts f = {.cells = torre_ordering_cells(o)};
    int64_t here[3], next[3];
    torre_curve_cell(o, path[0], f.first);
    torre_curve_cell(o, path[f.cells - 1], f.last);
    for (int64_t r = 1; r < f.cells; r++) {
        torre_curve_cell(o, path[r - 1], here);
        torre_curve_cell(o, path[r], next);
        int64_t d = torre_curve_distance(here, next);
        f.unit_steps += d == 1;
        if (d > f.longest_step) f.longest_step = d;
    }
    f.closed = f.cells > 1 && torre_curve_distance(f.first, f.last) == 1;
    return f;
}
