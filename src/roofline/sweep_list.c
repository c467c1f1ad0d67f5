#include "roofline/sweep_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/options.h"
#include "core/orderings.h"
#include "wave/stencil.h"

typedef struct point_list {
    torre_sweep_point *points;
    int count;
    int threads, device;
} point_list;

static void add(point_list *list, int order, torre_engine engine, int dts, int64_t height,
                const torre_ordering_spec *ordering)
{
    torre_sweep_point *p = &list->points[list->count++];
    p->order = order;
    p->same_bits = -1;
    p->plan = (torre_wave_plan){.engine = engine,
                                .dts = dts,
                                .tower_height = height,
                                .ordering = *ordering,
                                .threads = list->threads,
                                .device = list->device};
}

static void add_towers(point_list *list, const torre_sweep_axes *a, int height, int ordering)
{
    for (int d = 0; d < a->dts_count && a->torre; d++)
        for (int o = 0; o < a->orders; o++)
            add(list, a->order[o], TORRE_TORRE, a->dts[d], a->height[height],
                &a->ordering[ordering]);
}

static void add_stepwise(point_list *list, const torre_sweep_axes *a, int ordering)
{
    for (int o = 0; o < a->orders && a->stepwise; o++)
        add(list, a->order[o], TORRE_STEPWISE, 0, 0, &a->ordering[ordering]);
}

torre_status torre_sweep_list(const torre_sweep_axes *a, int threads, int device,
                              torre_sweep_point **points, int *count)
{
    int limit = a->orders * a->orderings * (1 + a->dts_count * a->heights);
    point_list list = {calloc((size_t)limit, sizeof **points), 0, threads, device};
    if (!list.points) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    add_stepwise(&list, a, 0);
    for (int h = 0; h < a->heights; h++) add_towers(&list, a, h, 0);
    for (int s = 1; s < a->orderings; s++) {
        add_stepwise(&list, a, s);
        add_towers(&list, a, 0, s);
    }
    for (int s = 1; s < a->orderings; s++)
        for (int h = 1; h < a->heights; h++) add_towers(&list, a, h, s);
    *points = list.points;
    *count = list.count;
    return TORRE_OK;
}

static torre_status read_numbers(const char *option, const char *text, int64_t low, int64_t high,
                                 int64_t *values, int *count)
{
    bool legal = torre_parse_integers(text, ',', TORRE_LIST_LIMIT, values, count);
    for (int i = 0; legal && i < *count; i++) {
        legal = values[i] >= low && values[i] <= high;
        for (int k = 0; k < i; k++)
            if (values[k] == values[i])
                return torre_fail(TORRE_ERR_USAGE, "{%s} lists %lld twice", option,
                                  (long long)values[i]);
    }
    if (legal) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "{%s} must be whole numbers from %lld to %lld, separated by commas, at most "
                      "%d (got %.80s)",
                      option, (long long)low, (long long)high, TORRE_LIST_LIMIT, text);
}

torre_status torre_axes_read_orders(torre_sweep_axes *a, const char *option, const char *text)
{
    int64_t values[TORRE_LIST_LIMIT];
    TORRE_TRY(read_numbers(option, text, 2, TORRE_MAX_ORDER, values, &a->orders));
    for (int i = 0; i < a->orders; i++) {
        if (!torre_order_known(values[i])) {
            char known[80];
            torre_join_choices(torre_order_names, known, sizeof known);
            return torre_fail(TORRE_ERR_USAGE, "{%s} must be %s (got %.80s)", option, known, text);
        }
        a->order[i] = (int)values[i];
    }
    return TORRE_OK;
}

torre_status torre_axes_read_dts(torre_sweep_axes *a, const char *option, const char *text)
{
    int64_t values[TORRE_LIST_LIMIT];
    TORRE_TRY(read_numbers(option, text, 1, 1024, values, &a->dts_count));
    for (int i = 0; i < a->dts_count; i++) a->dts[i] = (int)values[i];
    return TORRE_OK;
}

torre_status torre_axes_read_heights(torre_sweep_axes *a, const char *option, const char *text)
{
    return read_numbers(option, text, 1, 1000, a->height, &a->heights);
}

/* Take the next name off a comma-separated list; false at its end or where a name is empty. */
static bool next_name(const char **text, char *name, size_t size)
{
    size_t length = strcspn(*text, ",");
    if (length == 0 || length >= size) return false;
    memcpy(name, *text, length);
    name[length] = 0;
    *text += length;
    if (**text == ',') {
        (*text)++;
        return **text != 0;
    }
    return true;
}

torre_status torre_axes_read_orderings(torre_sweep_axes *a, const char *option, const char *text)
{
    return torre_orderings_read(option, text, TORRE_LIST_LIMIT, a->ordering, &a->orderings);
}

torre_status torre_axes_read_engines(torre_sweep_axes *a, const char *option, const char *text)
{
    const char *rest = text;
    char name[32];
    a->stepwise = a->torre = false;
    do {
        torre_engine engine;
        bool *taken = NULL;
        if (next_name(&rest, name, sizeof name) && torre_engine_by_name(name, &engine))
            taken = engine == TORRE_STEPWISE ? &a->stepwise
                    : engine == TORRE_TORRE  ? &a->torre
                                             : NULL;
        if (!taken || *taken)
            return torre_fail(TORRE_ERR_USAGE,
                              "{%s} must be stepwise, torre or stepwise,torre (got %.80s)", option,
                              text);
        *taken = true;
    } while (*rest);
    return TORRE_OK;
}

torre_status torre_axes_read(const torre_sweep_lists *lists, const char *backend,
                             torre_sweep_axes *axes)
{
    const bool cpu = strcmp(backend, "cpu") == 0;
    torre_sweep_lists l = {.order = torre_order_list,
                           .dts = cpu ? "2,4,6,8,12,16" : "1,2,3,4,6,8",
                           .tower_height = cpu ? "64,32,16" : "64,128,32",
                           .ordering = "row-major,morton,hilbert",
                           .engine = "stepwise,torre"};
    if (lists->quick) {
        l.dts = cpu ? "4,8,16" : "2,4,6";
        l.tower_height = cpu ? "16" : "64";
        l.ordering = "row-major";
    }
    if (lists->order) l.order = lists->order;
    if (lists->dts) l.dts = lists->dts;
    if (lists->tower_height) l.tower_height = lists->tower_height;
    if (lists->ordering) l.ordering = lists->ordering;
    if (lists->engine) l.engine = lists->engine;
    memset(axes, 0, sizeof *axes);
    TORRE_TRY(torre_axes_read_orders(axes, "order", l.order));
    TORRE_TRY(torre_axes_read_dts(axes, "dts", l.dts));
    TORRE_TRY(torre_axes_read_heights(axes, "tower-height", l.tower_height));
    TORRE_TRY(torre_axes_read_orderings(axes, "ordering", l.ordering));
    return torre_axes_read_engines(axes, "engine", l.engine);
}

double torre_sweep_usual_seconds(const char *backend, bool quick)
{
    if (quick) return 24;
    return strcmp(backend, "cpu") == 0 ? 240 : 150;
}
