/* How options look as text: their values, and the list in --help. */
#include <string.h>

#include "core/numbers.h"
#include "core/options.h"

static void join_reals(const torre_option *o, char *buffer, size_t size)
{
    const double *v = o->value;
    char part[3][32];
    for (int i = 0; i < 3; i++) torre_format_real(v[i], part[i], sizeof part[i]);
    if ((o->counts & TORRE_COUNT_1) && v[1] == v[0] && v[2] == v[0])
        snprintf(buffer, size, "%s", part[0]);
    else
        snprintf(buffer, size, "%s,%s,%s", part[0], part[1], part[2]);
}

static void join_integers(const int64_t v[3], char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = 0;
    for (int i = 0; i < 3 && v[i] != 0 && at < size; i++)
        at += (size_t)snprintf(buffer + at, size - at, "%s%lld", i ? "x" : "", (long long)v[i]);
}

void torre_option_text(const torre_option *o, char *buffer, size_t size)
{
    buffer[0] = 0;
    switch (o->kind) {
    case TORRE_OPTION_GROUP:
        break;
    case TORRE_OPTION_FLAG:
        snprintf(buffer, size, "%s", *(bool *)o->value ? "yes" : "no");
        break;
    case TORRE_OPTION_TEXT:
        if (*(const char **)o->value) snprintf(buffer, size, "%s", *(const char **)o->value);
        break;
    case TORRE_OPTION_TEXTS:
        snprintf(buffer, size, "%s", (const char *)o->value);
        break;
    case TORRE_OPTION_INTEGER:
        if (o->word && *(int64_t *)o->value == (int64_t)o->word_value)
            snprintf(buffer, size, "%s", o->word);
        else
            snprintf(buffer, size, "%lld", (long long)*(int64_t *)o->value);
        break;
    case TORRE_OPTION_REAL:
        if (o->word && *(double *)o->value == o->word_value)
            snprintf(buffer, size, "%s", o->word);
        else
            torre_format_real(*(double *)o->value, buffer, size);
        break;
    case TORRE_OPTION_CHOICE:
        snprintf(buffer, size, "%s", o->choices[*(int *)o->value]);
        break;
    case TORRE_OPTION_SIZE:
        join_integers(o->value, buffer, size);
        break;
    case TORRE_OPTION_VECTOR:
        join_reals(o, buffer, size);
        break;
    }
}

static void metavar_text(const torre_option *o, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = 0;
    if (o->metavar) {
        snprintf(buffer, size, "%s", o->metavar);
        return;
    }
    switch (o->kind) {
    case TORRE_OPTION_CHOICE:
    case TORRE_OPTION_INTEGER:
        if (!o->choices) {
            snprintf(buffer, size, "%s%sN", o->word ? o->word : "", o->word ? "|" : "");
            break;
        }
        for (int i = 0; o->choices[i] && at < size; i++)
            at += (size_t)snprintf(buffer + at, size - at, "%s%s", i ? "|" : "", o->choices[i]);
        break;
    case TORRE_OPTION_REAL:
        snprintf(buffer, size, "%s%sX", o->word ? o->word : "", o->word ? "|" : "");
        break;
    case TORRE_OPTION_SIZE:
        snprintf(buffer, size, "NxNxN");
        break;
    case TORRE_OPTION_VECTOR:
        snprintf(buffer, size, "X,Y,Z");
        break;
    case TORRE_OPTION_TEXT:
    case TORRE_OPTION_TEXTS:
        snprintf(buffer, size, "TEXT");
        break;
    default:
        break;
    }
}

/* The legal range where the metavar does not show it, and the default: " (above 0; default 10)". */
static void remark_text(const torre_option *o, char *buffer, size_t size)
{
    char range[200] = "", standard[200];
    torre_option_text(o, standard, sizeof standard);
    if (o->default_text) snprintf(standard, sizeof standard, "%s", o->default_text);
    if (o->kind == TORRE_OPTION_FLAG) standard[0] = 0;
    bool numeric = o->kind == TORRE_OPTION_INTEGER || o->kind == TORRE_OPTION_REAL ||
                   o->kind == TORRE_OPTION_SIZE || o->kind == TORRE_OPTION_VECTOR;
    if (numeric && !o->choices) {
        char low[32], high[32];
        torre_format_real(o->low, low, sizeof low);
        torre_format_real(o->high, high, sizeof high);
        if (o->high >= 1e9) { /* bounds that nobody meets are left to the error message */
            if (o->low > -1e9)
                snprintf(range, sizeof range, "%s %s", o->above_low ? "above" : "at least", low);
        } else {
            snprintf(range, sizeof range, "%s%s to %s", o->above_low ? "above " : "", low, high);
        }
    }
    if (o->choices && o->metavar) torre_join_choices(o->choices, range, sizeof range);
    if (range[0] && standard[0])
        snprintf(buffer, size, " [%s; default %s]", range, standard);
    else if (range[0])
        snprintf(buffer, size, " [%s]", range);
    else if (standard[0])
        snprintf(buffer, size, " [default %s]", standard);
    else
        buffer[0] = 0;
}

/* Print text from column `column` on, wrapped at 80, later lines indented by `indent`. */
static void print_wrapped(const char *text, int column, int indent, FILE *out)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column + length >= 80 && column > indent) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length;
        if (*text == ' ') {
            text++;
            if (column + 1 + (int)strcspn(text, " ") < 80) {
                fputc(' ', out);
                column++;
            } else {
                fprintf(out, "\n%*s", indent, "");
                column = indent;
            }
        }
    }
    fputc('\n', out);
}

void torre_options_help(const torre_option *table, FILE *out)
{
    enum { INDENT = 28 };
    for (const torre_option *o = table; o->name; o++) {
        if (o->kind == TORRE_OPTION_GROUP) {
            fprintf(out, "\n%s:\n", o->name);
            continue;
        }
        char metavar[200], remark[500], text[1500];
        metavar_text(o, metavar, sizeof metavar);
        remark_text(o, remark, sizeof remark);
        int column = fprintf(out, "  --%s%s%s", o->name, metavar[0] ? " " : "", metavar);
        snprintf(text, sizeof text, "%s%s", o->help ? o->help : "", remark);
        if (column >= INDENT - 1) {
            fputc('\n', out);
            column = 0;
        }
        fprintf(out, "%*s", INDENT - column, "");
        print_wrapped(text, INDENT, INDENT, out);
    }
}
