#include "core/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"

enum { FIRST = 1000 }; /* getopt_long knows entry i of the table as FIRST + i */

const torre_option *torre_options_find(const torre_option *table, const char *name)
{
    for (; table->name; table++)
        if (table->kind != TORRE_OPTION_GROUP && strcmp(table->name, name) == 0) return table;
    return NULL;
}

bool torre_options_given(const torre_option *table, const char *name)
{
    const torre_option *o = torre_options_find(table, name);
    return o && o->given;
}

void torre_join_choices(const char *const *choices, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = 0;
    for (int i = 0; choices[i] && at < size; i++) {
        const char *glue = i == 0 ? "" : choices[i + 1] ? ", " : " or ";
        at += (size_t)snprintf(buffer + at, size - at, "%s%s", glue, choices[i]);
    }
}

static unsigned counts_of(const torre_option *o) { return o->counts ? o->counts : TORRE_COUNT_3; }

static bool in_range(const torre_option *o, double v)
{
    return (o->above_low ? v > o->low : v >= o->low) && v <= o->high;
}

/* "from 1 to 64", "above 0 and up to 10" */
static void range_text(const torre_option *o, char *buffer, size_t size)
{
    char low[32], high[32];
    torre_format_real(o->low, low, sizeof low);
    torre_format_real(o->high, high, sizeof high);
    if (o->kind == TORRE_OPTION_INTEGER || o->kind == TORRE_OPTION_SIZE) {
        snprintf(low, sizeof low, "%.0f", o->low);
        snprintf(high, sizeof high, "%.0f", o->high);
    }
    const char *in = o->unit ? ", in " : "";
    snprintf(buffer, size, o->above_low ? "above %s, up to %s%s%s" : "from %s to %s%s%s", low, high,
             in, torre_unit_names(o->unit));
}

static const char *shape_of(const torre_option *o)
{
    bool size = o->kind == TORRE_OPTION_SIZE;
    switch (counts_of(o)) {
    case TORRE_COUNT_2:
        return size ? "NxN" : "X,Y";
    case TORRE_COUNT_1 | TORRE_COUNT_2:
        return size ? "N or NxN" : "X or X,Y";
    case TORRE_COUNT_1 | TORRE_COUNT_3:
        return size ? "N or NxNxN" : "X or X,Y,Z";
    case TORRE_COUNT_2 | TORRE_COUNT_3:
        return size ? "NxN or NxNxN" : "X,Y or X,Y,Z";
    case TORRE_COUNT_1 | TORRE_COUNT_2 | TORRE_COUNT_3:
        return size ? "N, NxN or NxNxN" : "X, X,Y or X,Y,Z";
    default:
        return size ? "NxNxN" : "X,Y,Z";
    }
}

void torre_option_rule(const torre_option *o, char *buffer, size_t size)
{
    char range[128];
    const char *word = o->word ? o->word : "", *glue = o->word ? " or " : "";
    range_text(o, range, sizeof range);
    switch (o->kind) {
    case TORRE_OPTION_CHOICE:
    case TORRE_OPTION_INTEGER:
        if (o->choices) {
            torre_join_choices(o->choices, range, sizeof range);
            snprintf(buffer, size, "must be %s%s%s", word, glue, range);
        } else {
            snprintf(buffer, size, "must be %s%sa whole number %s", word, glue, range);
        }
        break;
    case TORRE_OPTION_REAL:
        snprintf(buffer, size, "must be %s%sa number %s", word, glue, range);
        break;
    case TORRE_OPTION_SIZE:
        snprintf(buffer, size, "must be %s, whole numbers %s", shape_of(o), range);
        break;
    case TORRE_OPTION_VECTOR:
        snprintf(buffer, size, "must be %s, numbers %s", shape_of(o), range);
        break;
    case TORRE_OPTION_TEXT:
    case TORRE_OPTION_TEXTS:
        snprintf(buffer, size, "must not be empty");
        break;
    default:
        buffer[0] = 0;
    }
}

static torre_status refuse(const torre_option *o, const char *text)
{
    char rule[400];
    torre_option_rule(o, rule, sizeof rule);
    if (!*text) return torre_fail(TORRE_ERR_USAGE, "--%s %s (got nothing)", o->name, rule);
    return torre_fail(TORRE_ERR_USAGE, "--%s %s (got %.80s)", o->name, rule, text);
}

static torre_status store_integer(const torre_option *o, const char *text)
{
    int64_t v;
    if (!torre_parse_integer(text, &v)) return refuse(o, text);
    bool legal = o->choices ? false : in_range(o, (double)v);
    for (int i = 0; o->choices && o->choices[i]; i++)
        if (v == strtoll(o->choices[i], NULL, 10)) legal = true;
    if (!legal) return refuse(o, text);
    *(int64_t *)o->value = v;
    return TORRE_OK;
}

static torre_status store_choice(const torre_option *o, const char *text)
{
    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(text, o->choices[i]) == 0) {
            *(int *)o->value = i;
            return TORRE_OK;
        }
    }
    return refuse(o, text);
}

static torre_status store_size(const torre_option *o, const char *text)
{
    int64_t v[3] = {0, 0, 0};
    int n;
    if (!torre_parse_integers(text, 'x', 3, v, &n) || !(counts_of(o) & (1u << (n - 1))))
        return refuse(o, text);
    for (int i = 0; i < n; i++)
        if (!in_range(o, (double)v[i])) return refuse(o, text);
    memcpy(o->value, v, sizeof v);
    return TORRE_OK;
}

static torre_status store_vector(const torre_option *o, const char *text)
{
    double v[3] = {0, 0, 0};
    int n;
    if (!torre_parse_quantities(text, o->unit, ',', 3, v, &n) || !(counts_of(o) & (1u << (n - 1))))
        return refuse(o, text);
    for (int i = 0; i < n; i++)
        if (!in_range(o, v[i])) return refuse(o, text);
    if (n == 1) v[1] = v[2] = v[0];
    memcpy(o->value, v, sizeof v);
    return TORRE_OK;
}

/* Append to what was given before. */
static torre_status store_more(const torre_option *o, const char *text)
{
    char *all = o->value;
    const size_t length = strlen(all), size = (size_t)o->high;
    if (!*text) return refuse(o, text);
    const int more = snprintf(all + length, size - length, "%s%s", length ? ";" : "", text);
    if (length + (size_t)more < size) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "--%s: its texts must have less than %zu characters",
                      o->name, size);
}

static torre_status store(torre_option *o, const char *text)
{
    if (o->given && o->kind != TORRE_OPTION_TEXTS)
        return torre_fail(TORRE_ERR_USAGE, "--%s is given twice", o->name);
    o->given = true;
    o->text = text;
    bool is_word = text && o->word && strcmp(text, o->word) == 0;
    switch (o->kind) {
    case TORRE_OPTION_FLAG:
        *(bool *)o->value = true;
        break;
    case TORRE_OPTION_TEXT:
        if (!*text) return refuse(o, text);
        *(const char **)o->value = text;
        break;
    case TORRE_OPTION_TEXTS:
        return store_more(o, text);
    case TORRE_OPTION_INTEGER:
        if (!is_word) return store_integer(o, text);
        *(int64_t *)o->value = (int64_t)o->word_value;
        break;
    case TORRE_OPTION_REAL:
        if (is_word) {
            *(double *)o->value = o->word_value;
        } else {
            double v;
            if (!torre_parse_quantity(text, o->unit, &v) || !in_range(o, v)) return refuse(o, text);
            *(double *)o->value = v;
        }
        break;
    case TORRE_OPTION_CHOICE:
        return store_choice(o, text);
    case TORRE_OPTION_SIZE:
        return store_size(o, text);
    case TORRE_OPTION_VECTOR:
        return store_vector(o, text);
    case TORRE_OPTION_GROUP:
        break;
    }
    return TORRE_OK;
}

/* Letters to change, add or leave out between the first `length` of a text and a name. */
static size_t letters_apart(const char *text, size_t length, const char *name)
{
    enum { LONGEST = 40 };
    size_t row[LONGEST + 1];
    const size_t width = strlen(name);
    if (length > LONGEST || width > LONGEST) return LONGEST;
    for (size_t j = 0; j <= width; j++) row[j] = j;
    for (size_t i = 0; i < length; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            const size_t changed = diagonal + (text[i] != name[j]);
            const size_t one_more = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = changed < one_more ? changed : one_more;
        }
    }
    return row[width];
}

/* The option with the name nearest to what was typed; more than a third of it is not near. */
static const torre_option *nearest(const torre_option *table, const char *text, size_t length)
{
    const torre_option *best = NULL;
    size_t least = (length + 1) / 3 + 1;
    for (const torre_option *o = table; o->name; o++) {
        if (o->kind == TORRE_OPTION_GROUP) continue;
        const size_t apart = letters_apart(text, length, o->name);
        if (apart < least) {
            least = apart;
            best = o;
        }
    }
    return best;
}

/* What getopt_long did not like about a long option. */
static torre_status explain(const torre_option *table, const char *token)
{
    size_t length = strcspn(token + 2, "=");
    const torre_option *first = NULL;
    for (const torre_option *o = table; o->name; o++) {
        if (o->kind == TORRE_OPTION_GROUP || strncmp(o->name, token + 2, length) != 0) continue;
        if (o->kind == TORRE_OPTION_FLAG && token[2 + length] == '=')
            return torre_fail(TORRE_ERR_USAGE, "--%s takes no value (got %.80s)", o->name,
                              token + 2 + length + 1);
        if (first)
            return torre_fail(TORRE_ERR_USAGE, "%.80s is ambiguous: --%s or --%s", token,
                              first->name, o->name);
        first = o;
    }
    const torre_option *meant = nearest(table, token + 2, length);
    if (meant)
        return torre_fail(TORRE_ERR_USAGE,
                          "unknown option %.80s; did you mean --%s? --help lists them", token,
                          meant->name);
    return torre_fail(TORRE_ERR_USAGE, "unknown option %.80s; --help lists them", token);
}

static torre_status refuse_missing(const torre_option *o)
{
    char rule[400];
    torre_option_rule(o, rule, sizeof rule);
    if (o->kind == TORRE_OPTION_TEXT || o->kind == TORRE_OPTION_TEXTS)
        return torre_fail(TORRE_ERR_USAGE, "--%s needs a value: %s", o->name,
                          o->metavar ? o->metavar : "TEXT");
    return torre_fail(TORRE_ERR_USAGE, "--%s needs a value: it %s", o->name, rule);
}

static torre_status parse(torre_option *table, const struct option *known, int argc, char **argv,
                          const char **arguments, int limit, int *count)
{
    enum { ARGUMENT = 1 };
    optind = 0; /* start afresh */
    opterr = 0;
    int code;
    while ((code = getopt_long(argc, argv, "-:h", known, NULL)) != -1) {
        torre_option *o = code >= FIRST ? &table[code - FIRST] : NULL;
        if (code == 'h') o = (torre_option *)torre_options_find(table, "help");
        if (o) {
            TORRE_TRY(store(o, optarg));
            if (o->stops) return TORRE_OK;
        } else if (code == ':') {
            return refuse_missing(&table[optopt - FIRST]);
        } else if (code != ARGUMENT && optopt > 0 && optopt < FIRST) {
            return torre_fail(TORRE_ERR_USAGE, "unknown option -%c; --help lists them", optopt);
        } else if (code != ARGUMENT) {
            return explain(table, argv[optind - 1]);
        } else if (*count == limit) {
            return torre_fail(TORRE_ERR_USAGE,
                              "unexpected argument %.80s; --help lists the options", optarg);
        } else {
            arguments[(*count)++] = optarg;
        }
    }
    for (; optind < argc; optind++) { /* what follows "--" */
        if (*count == limit)
            return torre_fail(TORRE_ERR_USAGE,
                              "unexpected argument %.80s; --help lists the options", argv[optind]);
        arguments[(*count)++] = argv[optind];
    }
    return TORRE_OK;
}

/* The rows as getopt_long takes them; NULL out of memory. */
static struct option *known_options(const torre_option *table)
{
    int entries = 0, used = 0;
    while (table[entries].name) entries++;
    struct option *known = calloc((size_t)entries + 1, sizeof *known);
    for (int i = 0; known && i < entries; i++) {
        if (table[i].kind == TORRE_OPTION_GROUP) continue;
        int has = table[i].kind == TORRE_OPTION_FLAG ? no_argument : required_argument;
        known[used++] = (struct option){table[i].name, has, NULL, FIRST + i};
    }
    return known;
}

bool torre_options_peek(const torre_option *table, int argc, char *const *argv, const char *name,
                        const char **text)
{
    const torre_option *o = torre_options_find(table, name);
    int code;
    struct option *known = known_options(table);
    char **order = calloc((size_t)argc + 1, sizeof *order); /* getopt_long may permute it */
    const bool memory = known && order;
    *text = NULL;
    if (order) memcpy(order, argv, (size_t)argc * sizeof *order);
    optind = 0; /* start afresh */
    opterr = 0;
    while (memory && !*text && (code = getopt_long(argc, order, "-:h", known, NULL)) != -1)
        if (code == FIRST + (int)(o - table)) *text = optarg;
    free(known);
    free(order);
    return memory;
}

int torre_option_choice(const torre_option *o, const char *text)
{
    for (int i = 0; o->choices[i]; i++)
        if (strcmp(text, o->choices[i]) == 0) return i;
    return *(const int *)o->value;
}

static torre_status assign(torre_option *table, const torre_assignment *a)
{
    torre_option *o = (torre_option *)torre_options_find(table, a->name);
    if (!o) {
        const torre_option *meant = nearest(table, a->name, strlen(a->name));
        if (meant)
            return torre_fail(TORRE_ERR_INPUT, "unknown option %.80s; did you mean %s?", a->name,
                              meant->name);
        return torre_fail(TORRE_ERR_INPUT, "unknown option %.80s; --help lists them", a->name);
    }
    if (o->stops || o->about)
        return torre_fail(TORRE_ERR_INPUT, "%s is for the command line alone", o->name);
    if (o->given) return TORRE_OK;
    if (o->kind != TORRE_OPTION_FLAG) return store(o, a->text);
    if (strcmp(a->text, "no") == 0) return TORRE_OK;
    if (strcmp(a->text, "yes") == 0) return store(o, NULL);
    return torre_fail(TORRE_ERR_INPUT, "%s must be yes or no (got %.80s)", o->name, a->text);
}

/* Whether an assignment of the list is the first of its option. */
static bool is_first(const torre_assignment *list, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(list[k].name, list[i].name) == 0) return false;
    return true;
}

torre_status torre_options_assign(torre_option *table, const torre_assignment *list, int count)
{
    for (int i = 0; i < count; i++) {
        const torre_assignment *a = &list[i];
        const torre_status status =
            is_first(list, i) ? assign(table, a)
                              : torre_fail(TORRE_ERR_INPUT, "%.80s is given twice", a->name);
        if (status) return torre_fail(TORRE_ERR_INPUT, "%s: %s", a->where, torre_error_text());
    }
    return TORRE_OK;
}

enum { VALUE = 3 * sizeof(double) }; /* bytes of the largest variable */

static size_t value_size(const torre_option *o)
{
    switch (o->kind) {
    case TORRE_OPTION_FLAG:
        return sizeof(bool);
    case TORRE_OPTION_TEXT:
        return sizeof(char *);
    case TORRE_OPTION_TEXTS: /* no text before parsing: its end */
        return 1;
    case TORRE_OPTION_CHOICE:
        return sizeof(int);
    case TORRE_OPTION_INTEGER:
    case TORRE_OPTION_REAL:
        return sizeof(double);
    case TORRE_OPTION_SIZE:
    case TORRE_OPTION_VECTOR:
        return VALUE;
    default:
        return 0;
    }
}

torre_status torre_options_parse(torre_option *table, int argc, char *const *argv,
                                 const char **arguments, int limit, int *count)
{
    int entries = 0, no_count = 0;
    while (table[entries].name) entries++;
    struct option *known = known_options(table);
    char **order = calloc((size_t)argc + 1, sizeof *order); /* getopt_long may permute it */
    char(*standard)[VALUE] = malloc((size_t)(entries + 1) * VALUE);
    if (!known || !order || !standard) {
        free(known);
        free(order);
        free(standard);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    }
    memcpy(order, argv, (size_t)argc * sizeof *order);
    for (int i = 0; i < entries; i++) {
        if (table[i].kind == TORRE_OPTION_GROUP) continue;
        memcpy(standard[i], table[i].value, value_size(&table[i]));
    }
    if (!count) count = &no_count;
    *count = 0;
    torre_status status = parse(table, known, argc, order, arguments, limit, count);
    bool stopped = false;
    for (int i = 0; i < entries; i++) stopped |= table[i].stops && table[i].given;
    for (int i = 0; i < entries && stopped; i++)
        if (table[i].kind != TORRE_OPTION_GROUP && !table[i].stops)
            memcpy(table[i].value, standard[i], value_size(&table[i]));
    free(known);
    free(order);
    free(standard);
    return status;
}
