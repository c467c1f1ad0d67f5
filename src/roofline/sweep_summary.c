#include "roofline/sweep_summary.h"

const torre_sweep_point *torre_sweep_best(const torre_sweep_point *points, int count, int order,
                                          torre_engine engine, int dts)
{
    const torre_sweep_point *best = NULL;
    for (int i = 0; i < count; i++) {
        const torre_sweep_point *p = &points[i];
        if (p->state != TORRE_POINT_TIMED || p->repetitions == 0 || p->order != order ||
            p->plan.engine != engine || (dts && p->plan.dts != dts))
            continue;
        if (!best || p->gcells_per_s > best->gcells_per_s) best = p;
    }
    return best;
}

int torre_sweep_dts_values(const torre_sweep_point *points, int count, int order, int *values,
                           int limit)
{
    int n = 0, last = 0;
    while (n < limit) {
        int next = 0;
        for (int i = 0; i < count; i++) {
            int dts = points[i].plan.dts;
            if (points[i].plan.engine != TORRE_TORRE || dts <= last || (next && dts >= next) ||
                !torre_sweep_best(points, count, order, TORRE_TORRE, dts))
                continue;
            next = dts;
        }
        if (!next) break;
        values[n++] = last = next;
    }
    return n;
}

torre_sweep_tally torre_sweep_count(const torre_sweep_results *r)
{
    torre_sweep_tally t = {0};
    for (int i = 0; i < r->count; i++) {
        t.timed += r->points[i].state == TORRE_POINT_TIMED;
        t.refused += r->points[i].state == TORRE_POINT_REFUSED;
        t.wrong += r->points[i].state == TORRE_POINT_WRONG;
        t.above += r->points[i].fraction > 1.05;
    }
    return t;
}

static bool is_timed_tower(const torre_sweep_point *p, const torre_ordering_spec *ordering)
{
    return p->plan.engine == TORRE_TORRE && p->repetitions > 0 &&
           torre_ordering_same(&p->plan.ordering, ordering);
}

static torre_sweep_gain gain_of(const torre_sweep_results *r, const torre_ordering_spec *ordering)
{
    enum { MANY = 1024 };
    const torre_ordering_spec against = {.kind = TORRE_ROW_MAJOR};
    double ratio[MANY];
    int n = 0;
    for (int i = 0; i < r->count; i++) {
        const torre_sweep_point *p = &r->points[i];
        for (int k = 0; is_timed_tower(p, ordering) && k < r->count && n < MANY; k++) {
            const torre_sweep_point *other = &r->points[k];
            if (is_timed_tower(other, &against) && other->order == p->order &&
                other->plan.dts == p->plan.dts && other->plan.tower_height == p->plan.tower_height)
                ratio[n++] = p->gcells_per_s / other->gcells_per_s;
        }
    }
    return (torre_sweep_gain){*ordering, n ? torre_median(ratio, n) : 0, n};
}

/* Whether this is the first point in its ordering, and that is not row-major. */
static bool is_first_of_ordering(const torre_sweep_results *r, int point)
{
    const torre_ordering_spec row_major = {.kind = TORRE_ROW_MAJOR},
                              *its = &r->points[point].plan.ordering;
    bool first = !torre_ordering_same(its, &row_major);
    for (int i = 0; i < point && first; i++)
        first = !torre_ordering_same(its, &r->points[i].plan.ordering);
    return first;
}

int torre_sweep_gains(const torre_sweep_results *r, torre_sweep_gain gain[TORRE_LIST_LIMIT])
{
    int n = 0;
    for (int i = 0; i < r->count && n < TORRE_LIST_LIMIT; i++) {
        if (!is_first_of_ordering(r, i)) continue;
        gain[n] = gain_of(r, &r->points[i].plan.ordering);
        n += gain[n].tiles > 0;
    }
    return n;
}
