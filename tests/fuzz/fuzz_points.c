/* Points: CSV files, and what --source and --receivers take. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "io/point_list.h"

enum { MOST = 4096 }; /* of a command line; a few bytes can ask for 10^7 points */

static void check(torre_point_list *list)
{
    FUZZ_CHECK(list->count > 0);
    for (int64_t i = 0; i < list->count; i++) {
        const torre_point *p = &list->points[i];
        FUZZ_CHECK(isfinite(p->amplitude));
        for (int a = 0; a < 3; a++) FUZZ_CHECK(isfinite(p->position[a]));
    }
    torre_point_list_free(list);
}

static void parse_words(const uint8_t *data, size_t size, torre_point_rule rule)
{
    char text[MOST];
    torre_point_list list;
    if (size >= sizeof text) return;
    memcpy(text, data, size);
    text[size] = 0;
    if (strstr(text, ".csv")) return; /* would be read */
    for (const char *at = text; *at; at += strspn(at, "0123456789") + 1) {
        size_t digits = strspn(at, "0123456789");
        if (digits > 3) return; /* lines of at most 999 points */
        if (!at[digits]) break;
    }
    if (torre_point_list_parse("source", text, rule, &list) == TORRE_OK) check(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    torre_point_list list;
    for (int k = 0; k < 4; k++) {
        const torre_point_rule rule = {.dimensions = 2 + k / 2, .amplitudes = k % 2};
        const char *path = fuzz_file("points.csv", data, size);
        if (torre_csv_points_read(path, rule, &list) == TORRE_OK) check(&list);
        parse_words(data, size, rule);
    }
    return 0;
}
