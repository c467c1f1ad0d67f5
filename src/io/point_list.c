#include "io/point_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"

torre_status torre_point_list_add(torre_point_list *list, const torre_point *point)
{
    if ((list->count & (list->count - 1)) == 0) { /* full: capacities are powers of two */
        size_t capacity = list->count ? 2 * (size_t)list->count : 1;
        torre_point *more = realloc(list->points, capacity * sizeof *more);
        if (!more) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a list of points");
        list->points = more;
    }
    list->points[list->count++] = *point;
    return TORRE_OK;
}

void torre_point_list_free(torre_point_list *list)
{
    free(list->points);
    memset(list, 0, sizeof *list);
}

bool torre_point_make(torre_point_rule rule, const double v[4], int n, torre_point *point)
{
    if (n < rule.dimensions || n > (rule.amplitudes ? 4 : 3)) return false;
    *point = (torre_point){
        {v[0], n > 2 ? v[1] : 0, n > 2 ? v[2] : v[1]}, n > 3 ? v[3] : 1, TORRE_PRESSURE};
    return true;
}

bool torre_component_by_name(const char *name, torre_component *component)
{
    static const char names[] = "pxyz";
    const char *found = *name ? strchr(names, *name) : NULL;
    if (!found || name[1]) return false;
    *component = (torre_component)(TORRE_PRESSURE + (found - names));
    return true;
}

const char *torre_point_form(torre_point_rule rule)
{
    if (!rule.components) return rule.dimensions == 2 ? "x,z or x,0,z" : "x,y,z";
    if (rule.dimensions == 2)
        return rule.amplitudes ? "x,z or x,0,z[,amplitude][,component]"
                               : "x,z or x,0,z[,component]";
    return rule.amplitudes ? "x,y,z[,amplitude][,component]" : "x,y,z[,component]";
}

static torre_status bad_point(const char *option, torre_point_rule rule, const char *item)
{
    return torre_fail(TORRE_ERR_USAGE,
                      "{%s} must be %s in metres, several with ';' between them, a line "
                      "%s:N%s of N points (2 to 10000000), or a file .csv (got %.80s)",
                      option, torre_point_form(rule),
                      rule.dimensions == 2 ? "x0,z0:x1,z1" : "x0,y0,z0:x1,y1,z1",
                      rule.components ? "[:component]" : "", *item ? item : "nothing");
}

/* One end of a line. */
static bool parse_end(const char *text, torre_point_rule rule, torre_point *end)
{
    double v[4];
    int n;
    rule.amplitudes = false;
    return torre_parse_reals(text, ',', 3, v, &n) && torre_point_make(rule, v, n, end);
}

/* "a:b:n[:component]" of one line; false when it is none. The component is that of both ends. */
static bool parse_line(char *item, torre_point_rule rule, torre_point ends[2], int64_t *points)
{
    char *second = strchr(item, ':'), *number = second ? strchr(second + 1, ':') : NULL;
    char *component = number ? strchr(number + 1, ':') : NULL;
    if (!number) return false;
    *second++ = 0;
    *number++ = 0;
    if (component) *component++ = 0;
    torre_component along = TORRE_PRESSURE;
    if (component && !(rule.components && torre_component_by_name(component, &along))) return false;
    if (!parse_end(item, rule, &ends[0]) || !parse_end(second, rule, &ends[1])) return false;
    ends[0].component = ends[1].component = along;
    return torre_parse_integer(number, points) && *points >= 2 && *points <= 10000000;
}

static torre_status add_line(torre_point_list *list, const torre_point ends[2], int64_t points)
{
    for (int64_t i = 0; i < points; i++) {
        torre_point p = {.amplitude = 1, .component = ends[0].component};
        double t = (double)i / (double)(points - 1);
        for (int a = 0; a < 3; a++)
            p.position[a] = ends[0].position[a] * (1 - t) + ends[1].position[a] * t;
        TORRE_TRY(torre_point_list_add(list, &p));
    }
    return TORRE_OK;
}

static torre_status add_item(const char *option, char *item, torre_point_rule rule,
                             torre_point_list *list)
{
    torre_point p, ends[2];
    double v[4];
    int n;
    int64_t points;
    char kept[96];
    snprintf(kept, sizeof kept, "%s", item);
    if (strchr(item, ':')) {
        if (!parse_line(item, rule, ends, &points)) return bad_point(option, rule, kept);
        return add_line(list, ends, points);
    }
    torre_component component = TORRE_PRESSURE;
    char *last = strrchr(item, ',');
    if (rule.components && last && torre_component_by_name(last + 1, &component)) *last = 0;
    if (!torre_parse_reals(item, ',', 4, v, &n) || !torre_point_make(rule, v, n, &p))
        return bad_point(option, rule, kept);
    p.component = component;
    return torre_point_list_add(list, &p);
}

torre_status torre_point_list_parse(const char *option, const char *text, torre_point_rule rule,
                                    torre_point_list *list)
{
    memset(list, 0, sizeof *list);
    size_t length = strlen(text);
    if (length >= 4 && strcmp(text + length - 4, ".csv") == 0)
        return torre_csv_points_read(text, rule, list);
    char *copy = strdup(text);
    if (!copy) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    torre_status status = TORRE_OK;
    char *item = copy;
    while (item && !status) {
        char *next = strchr(item, ';');
        if (next) *next++ = 0;
        status = add_item(option, item, rule, list);
        item = next;
    }
    free(copy);
    if (status) torre_point_list_free(list);
    return status;
}
