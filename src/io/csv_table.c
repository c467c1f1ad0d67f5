#include "io/csv_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/options.h"
#include "io/text_input.h"

struct torre_csv_table {
    torre_text_input *in;
    int64_t line;
    const char *const *columns;
    int count;                     /* columns of the file */
    int column[TORRE_CSV_COLUMNS]; /* of the file's columns: index of the name in columns */
};

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* An item in quotes, in place; returns what follows it, or NULL where it does not end. */
static char *quoted_item(char *at, char **item)
{
    char *to = *item = at + 1;
    for (at++; *at; *to++ = *at++)
        if (*at == '"' && *++at != '"') {
            *to = 0;
            return at;
        }
    return NULL;
}

/* A plain item, in place, without the blanks around it; returns what follows it. */
static char *plain_item(char *at, char **item)
{
    char *end = at + strcspn(at, ",#"), *last = end;
    *item = at;
    while (last > at && blank(last[-1])) last--;
    char *next = end;
    if (last < end) *last = 0; /* what is cut off is blank */
    return next;
}

/* Cut a line into at most TORRE_CSV_COLUMNS items. Returns their number, one more for too many, -1
 * where quotes are not as they should be. */
static int split(char *line, char **item)
{
    for (int n = 0;;) {
        while (blank(*line)) line++;
        if (n == TORRE_CSV_COLUMNS) return n + 1;
        char *end = *line == '"' ? quoted_item(line, &item[n]) : plain_item(line, &item[n]);
        if (!end) return -1;
        while (blank(*end)) end++;
        const char separator = *end;
        if (separator != ',' && separator != '#' && separator != 0) return -1;
        *end = 0;
        n++;
        if (separator != ',') return n;
        line = end + 1;
    }
}

/* The items of the next line that has any: *count 0 at the end. */
static torre_status next_items(torre_csv_table *t, char **item, int *count)
{
    for (char *line;;) {
        TORRE_TRY(torre_text_input_line(t->in, &line));
        *count = 0;
        t->line++;
        if (!line) return TORRE_OK;
        if (t->line == 1) line = torre_text_begin(line);
        line += strspn(line, " \t\r");
        if (!*line || *line == '#') continue;
        *count = split(line, item);
        if (*count < 0)
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: a quote (\") that does not end, or with something beside it",
                              torre_text_input_where(t->in));
        return TORRE_OK;
    }
}

static int index_of(const char *const *columns, const char *name)
{
    for (int c = 0; columns[c]; c++)
        if (strcmp(columns[c], name) == 0) return c;
    return -1;
}

static torre_status read_names(torre_csv_table *t, const char *path, int needed)
{
    char *item[TORRE_CSV_COLUMNS], list[256];
    bool there[TORRE_CSV_COLUMNS] = {false};
    TORRE_TRY(next_items(t, item, &t->count));
    torre_join_choices(t->columns, list, sizeof list);
    if (t->count == 0)
        return torre_fail(TORRE_ERR_INPUT, "%s is empty; its first line names columns: %s", path,
                          list);
    for (int i = 0; i < t->count && i < TORRE_CSV_COLUMNS; i++) {
        const int c = t->column[i] = index_of(t->columns, item[i]);
        if (c < 0)
            return torre_fail(TORRE_ERR_INPUT, "%s: column %d must be %s (got %.60s)",
                              torre_text_input_where(t->in), i + 1, list,
                              item[i][0] ? item[i] : "nothing");
        if (there[c])
            return torre_fail(TORRE_ERR_INPUT, "%s: two columns are named %s",
                              torre_text_input_where(t->in), item[i]);
        there[c] = true;
    }
    for (int c = 0; c < needed; c++)
        if (!there[c])
            return torre_fail(TORRE_ERR_INPUT, "%s: the column %s is missing",
                              torre_text_input_where(t->in), t->columns[c]);
    return TORRE_OK;
}

torre_status torre_csv_table_open(const char *path, const char *const *columns, int needed,
                                  torre_csv_table **table)
{
    torre_csv_table *t = calloc(1, sizeof *t);
    if (!t) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    t->columns = columns;
    torre_status status = torre_text_input_open(path, &t->in);
    if (!status) status = read_names(t, path, needed);
    if (status) {
        torre_csv_table_close(t);
        return status;
    }
    *table = t;
    return TORRE_OK;
}

torre_status torre_csv_table_row(torre_csv_table *t, const char *item[TORRE_CSV_COLUMNS],
                                 int64_t *line)
{
    char *found[TORRE_CSV_COLUMNS];
    int count;
    TORRE_TRY(next_items(t, found, &count));
    *line = count ? t->line : 0;
    if (count == 0) return TORRE_OK;
    if (count != t->count)
        return torre_fail(TORRE_ERR_INPUT, "%s: %s%d items, the first line names %d columns",
                          torre_text_input_where(t->in),
                          count > TORRE_CSV_COLUMNS ? "at least " : "", count, t->count);
    for (int c = 0; t->columns[c]; c++) item[c] = "";
    for (int i = 0; i < count; i++) item[t->column[i]] = found[i];
    return TORRE_OK;
}

void torre_csv_table_close(torre_csv_table *t)
{
    if (!t) return;
    torre_text_input_close(t->in);
    free(t);
}
