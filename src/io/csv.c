/* Points from CSV files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/phase.h"
#include "core/status.h"
#include "io/point_list.h"

/* Numbers of a line into values[5]; returns how many there were, or minus the bad item. A last item
 * that is a component, where one may be, is none of them. */
static int parse_items(char *line, double values[5], torre_component *component, char **bad)
{
    int n = 0;
    while (line) {
        char *next = strchr(line, ',');
        if (next) *next++ = 0;
        *bad = torre_line_content(line);
        if (component && !next && torre_component_by_name(*bad, component)) return n;
        if (n == 5) return 5;
        if (!torre_parse_real(*bad, &values[n])) return -(n + 1);
        n++;
        line = next;
    }
    return n;
}

/* Whether every item of a line is a word: neither empty nor anything like a number. */
static bool is_header(const char *line)
{
    while (line) {
        char *end;
        line += strspn(line, " \t");
        strtod(line, &end); /* takes nan and inf, too */
        if (end != line || !*line || *line == ',') return false;
        line = strchr(line, ',');
        if (line) line++;
    }
    return true;
}

static torre_status read_line(const char *path, int64_t number, char *line, torre_point_rule rule,
                              torre_point_list *list)
{
    double v[5];
    torre_point p;
    char *bad;
    torre_component component = TORRE_PRESSURE;
    int n = parse_items(line, v, rule.components ? &component : NULL, &bad);
    if (n < 0)
        return torre_fail(TORRE_ERR_INPUT, "%s:%" PRId64 ": column %d is not a number (got %.60s)",
                          path, number, -n, *bad ? bad : "nothing");
    if (!torre_point_make(rule, v, n, &p))
        return torre_fail(TORRE_ERR_INPUT, "%s:%" PRId64 ": expected %s, found %s%d columns", path,
                          number, torre_point_form(rule), n == 5 ? "at least " : "", n);
    p.component = component;
    return torre_point_list_add(list, &p);
}

static torre_status read_lines(FILE *in, const char *path, torre_point_rule rule, char **line,
                               torre_point_list *list)
{
    size_t size = 0;
    ssize_t length;
    bool first = true;
    errno = 0;
    for (int64_t number = 1; (length = getline(line, &size, in)) >= 0; number++) {
        if ((size_t)length != strlen(*line))
            return torre_fail(TORRE_ERR_INPUT, "%s:%" PRId64 ": not a text file", path, number);
        char *text = *line;
        if (number == 1) text = torre_text_begin(text);
        text = torre_line_content(text);
        if (!*text) continue;
        bool names = first && is_header(text);
        first = false;
        if (!names) TORRE_TRY(read_line(path, number, text, rule, list));
    }
    if (!feof(in)) return torre_fail_errno("cannot read %s", path);
    if (list->count == 0) return torre_fail(TORRE_ERR_INPUT, "%s holds no points", path);
    return TORRE_OK;
}

torre_status torre_csv_points_read(const char *path, torre_point_rule rule, torre_point_list *list)
{
    TORRE_PHASE(TORRE_PHASE_READ);
    memset(list, 0, sizeof *list);
    FILE *in = fopen(path, "r");
    if (!in) return torre_fail_errno("cannot read %s", path);
    char *line = NULL;
    torre_status status = read_lines(in, path, rule, &line, list);
    free(line);
    fclose(in);
    if (status) torre_point_list_free(list);
    return status;
}
