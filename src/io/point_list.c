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

static torre_status bad_point(const char *option, bool with_amplitude, const char *item)
{
    return torre_fail(TORRE_ERR_USAGE,
                      "--%s must be x,y,z%s in metres, several with ';' between them, a line "
                      "x0,y0,z0:x1,y1,z1:N of N points (2 to 10000000), or a file .csv (got %.80s)",
                      option, with_amplitude ? "[,amplitude]" : "", *item ? item : "nothing");
}

/* "a:b:n" of one line; false when it is none. */
static bool parse_line(char *item, double ends[2][3], int64_t *points)
{
    char *second = strchr(item, ':'), *number = second ? strchr(second + 1, ':') : NULL;
    if (!number) return false;
    *second++ = 0;
    *number++ = 0;
    int n;
    return torre_parse_reals(item, ',', 3, ends[0], &n) && n == 3 &&
           torre_parse_reals(second, ',', 3, ends[1], &n) && n == 3 &&
           torre_parse_integer(number, points) && *points >= 2 && *points <= 10000000;
}

static torre_status add_line(torre_point_list *list, double ends[2][3], int64_t points)
{
    for (int64_t i = 0; i < points; i++) {
        torre_point p = {.amplitude = 1};
        double t = (double)i / (double)(points - 1);
        for (int a = 0; a < 3; a++) p.position[a] = ends[0][a] * (1 - t) + ends[1][a] * t;
        TORRE_TRY(torre_point_list_add(list, &p));
    }
    return TORRE_OK;
}

static torre_status add_item(const char *option, char *item, bool with_amplitude,
                             torre_point_list *list)
{
    double v[4] = {0, 0, 0, 1}, ends[2][3];
    int n;
    int64_t points;
    char kept[96];
    snprintf(kept, sizeof kept, "%s", item);
    if (strchr(item, ':')) {
        if (!parse_line(item, ends, &points)) return bad_point(option, with_amplitude, kept);
        return add_line(list, ends, points);
    }
    if (!torre_parse_reals(item, ',', with_amplitude ? 4 : 3, v, &n) || n < 3)
        return bad_point(option, with_amplitude, kept);
    torre_point p = {{v[0], v[1], v[2]}, v[3]};
    return torre_point_list_add(list, &p);
}

torre_status torre_point_list_parse(const char *option, const char *text, bool with_amplitude,
                                    torre_point_list *list)
{
    memset(list, 0, sizeof *list);
    size_t length = strlen(text);
    if (length >= 4 && strcmp(text + length - 4, ".csv") == 0)
        return torre_csv_points_read(text, with_amplitude, list);
    char *copy = strdup(text);
    if (!copy) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    torre_status status = TORRE_OK;
    char *item = copy;
    while (item && !status) {
        char *next = strchr(item, ';');
        if (next) *next++ = 0;
        status = add_item(option, item, with_amplitude, list);
        item = next;
    }
    free(copy);
    if (status) torre_point_list_free(list);
    return status;
}
