#define _GNU_SOURCE /* tdestroy */
#include "survey/shot_list.h"

#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/numbers.h"
#include "io/csv_table.h"
#include "survey/shot_geometry.h"

enum { X, Z, SHOT, Y, AMPLITUDE, COMPONENT, DELAY, WAVELET, RECEIVERS };

/* x, z and shot are needed, y in three dimensions. */
static const char *const columns[] = {"x",         "z",     "shot",    "y",         "amplitude",
                                      "component", "delay", "wavelet", "receivers", NULL};

#define SLACK (1 + 1e-12) /* for rounding: 0.1 * 3 is not 0.3 */

/* What reading needs beside the list. */
typedef struct reader {
    const torre_wave_input *input;
    const char *receivers, *wavelet; /* of shots that name none */
    torre_shot_list *list;
    const char *const *item; /* of the row */
    int64_t line;
} reader;

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the shots of a survey");
}

__attribute__((format(printf, 3, 4))) static torre_status bad(const reader *r, int column,
                                                              const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return torre_fail(TORRE_ERR_INPUT, "%s:%" PRId64 ": column %s %s (got %.60s)", r->list->path,
                      r->line, columns[column], text,
                      r->item[column][0] ? r->item[column] : "nothing");
}

/* A number of the row, `usual` where it is left out. */
static torre_status read_number(const reader *r, int column, double low, double high, double usual,
                                double *value)
{
    *value = usual;
    if (!r->item[column][0] && !isnan(usual)) return TORRE_OK;
    if (torre_parse_real(r->item[column], value) && *value >= low && *value <= high * SLACK)
        return TORRE_OK;
    return bad(r, column, "must be a number from %.12g to %.12g", low, high);
}

static torre_status read_source(const reader *r, torre_shot *shot)
{
    static const int column[3] = {X, Y, Z};
    const torre_wave_problem *p = &r->input->problem;
    for (int a = 0; a < 3; a++) {
        const double usual = torre_wave_is_flat(p, a) ? 0 : NAN;
        TORRE_TRY(read_number(r, column[a], 0, torre_wave_extent(p, a), usual,
                              &shot->source.position[a]));
    }
    TORRE_TRY(read_number(r, AMPLITUDE, -1e30, 1e30, 1, &shot->source.amplitude));
    const char *component = r->item[COMPONENT];
    if (*component && !torre_component_by_name(component, &shot->source.component))
        return bad(r, COMPONENT, "must be p, or x, y or z of a force along that axis");
    return read_number(r, DELAY, -1e6, 1e6, 0, &shot->delay);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static torre_status read_name(const reader *r, torre_shot *shot)
{
    const char *name = r->item[SHOT];
    static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const size_t length = strlen(name);
    if (length == 0 || length > 64 || name[0] == '.' || strspn(name, legal) != length)
        return bad(r, SHOT, "must be a name of 1 to 64 letters, digits, '-', '_' and '.'");
    shot->name = strdup(name);
    return shot->name ? TORRE_OK : no_memory();
}

/* Refuse names that are there twice; shots must have come to rest. */
static torre_status check_names(const reader *r)
{
    torre_shot_list *list = r->list;
    for (int64_t i = 0; i < list->count; i++) {
        torre_shot *const *found = tsearch(&list->shot[i].name, &list->names, compare_texts);
        if (!found) return no_memory();
        const torre_shot *first = (const torre_shot *)*(void *const *)found;
        if (first != &list->shot[i] && list->geometry)
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: trace %" PRId64 ": the traces of shot %s do not follow one "
                              "another: trace %" PRId64 " is the first of some, too",
                              list->path, list->shot[i].line, first->name, first->line);
        if (first != &list->shot[i])
            return torre_fail(TORRE_ERR_INPUT,
                              "%s:%" PRId64 ": column shot must differ from row to row (got %s, "
                              "which line %" PRId64 " is, too)",
                              list->path, list->shot[i].line, first->name, first->line);
    }
    return TORRE_OK;
}

/* density: of the problem, which particle velocity depends on. */
static void describe_receivers(torre_receiver_set *set, double density)
{
    for (int a = 0; a < 3; a++) {
        set->low[a] = INFINITY;
        set->high[a] = -INFINITY;
    }
    set->checksum = (uint32_t)crc32(0, NULL, 0);
    for (int64_t i = 0; i < set->list.count; i++) {
        const double *x = set->list.points[i].position;
        for (int a = 0; a < 3; a++) {
            set->low[a] = fmin(set->low[a], x[a]);
            set->high[a] = fmax(set->high[a], x[a]);
        }
        set->checksum = (uint32_t)crc32(set->checksum, (const unsigned char *)x, 3 * sizeof *x);
        const unsigned char component = (unsigned char)set->list.points[i].component;
        if (component == TORRE_PRESSURE) continue;
        set->checksum = (uint32_t)crc32(set->checksum, &component, 1);
        set->checksum =
            (uint32_t)crc32(set->checksum, (const unsigned char *)&density, sizeof density);
    }
}

static void free_receivers(void *node)
{
    torre_receiver_set *set = node;
    torre_point_list_free(&set->list);
    free(set->text);
    free(set);
}

static void free_wavelet(void *node)
{
    torre_wavelet_set *set = node;
    free(set->values);
    free(set->text);
    free(set);
}

/* The set of a text in a tree: found, or made anew by `make`, which gets `bytes` bytes of zeros
 * with the text in front. */
static torre_status share(void **tree, const char *text, size_t bytes,
                          torre_status (*make)(const reader *, void *), void (*release)(void *),
                          const reader *r, void **result)
{
    void *const *found = tfind(&text, tree, compare_texts);
    if (found) {
        *result = *found;
        return TORRE_OK;
    }
    char **node = calloc(1, bytes);
    if (node) *node = strdup(text);
    if (!node || !*node) {
        free(node);
        return no_memory();
    }
    torre_status status = make(r, node);
    if (!status && !tsearch(node, tree, compare_texts)) status = no_memory();
    if (status) {
        release(node);
        return status;
    }
    *result = node;
    return TORRE_OK;
}

static torre_status make_receivers(const reader *r, void *node)
{
    torre_receiver_set *set = node;
    const torre_point_rule rule = {torre_wave_dimensions(&r->input->problem), false, true};
    set->relative = strncmp(set->text, "rel:", 4) == 0;
    TORRE_TRY(
        torre_point_list_parse("receivers", set->text + (set->relative ? 4 : 0), rule, &set->list));
    describe_receivers(set, r->input->problem.density);
    return TORRE_OK;
}

/* All receivers of a shot lie in the model. */
static torre_status check_receivers(const reader *r, const torre_shot *shot)
{
    const torre_receiver_set *set = shot->receivers;
    for (int a = 0; a < 3; a++) {
        const double origin = set->relative ? shot->source.position[a] : 0;
        const double end = torre_wave_extent(&r->input->problem, a);
        const double most = set->high[a] + origin, least = set->low[a] + origin;
        if (least >= 0 && most <= end * SLACK) continue;
        return torre_fail(TORRE_ERR_INPUT,
                          "%s:%" PRId64 ": column receivers: %c must be 0 to %.12g m (got %.12g, "
                          "%.80s)",
                          r->list->path, r->line, "xyz"[a], end, least < 0 ? least : most,
                          set->text);
    }
    return TORRE_OK;
}

static torre_status read_receivers(const reader *r, torre_shot *shot)
{
    const bool own = r->item[RECEIVERS][0];
    const char *text = own ? r->item[RECEIVERS] : r->receivers;
    void *set = NULL;
    if (!text)
        return bad(
            r, RECEIVERS,
            "must say where traces are recorded, since " TORRE_PARAMETER("receivers") " does not");
    torre_status status = share(&r->list->receiver_sets, text, sizeof(torre_receiver_set),
                                make_receivers, free_receivers, r, &set);
    if (status && own && status != TORRE_ERR_RESOURCE)
        return torre_fail(TORRE_ERR_INPUT, "%s:%" PRId64 ": column receivers: %s", r->list->path,
                          r->line, torre_error_text());
    TORRE_TRY(status);
    shot->receivers = set;
    return check_receivers(r, shot);
}

static torre_status make_wavelet(const reader *r, void *node)
{
    torre_wavelet_set *set = node;
    int64_t count;
    return torre_wavelet_read(set->text, 1, r->input->problem.steps, &set->values, &count);
}

static torre_status read_wavelet(const reader *r, torre_shot *shot)
{
    const bool own = r->item[WAVELET][0];
    const char *text = own ? r->item[WAVELET] : r->wavelet;
    void *set = NULL;
    if (strcmp(text, "ricker") == 0) return TORRE_OK;
    torre_status status = share(&r->list->wavelet_sets, text, sizeof(torre_wavelet_set),
                                make_wavelet, free_wavelet, r, &set);
    if (status && own && status != TORRE_ERR_RESOURCE)
        return torre_fail(TORRE_ERR_INPUT, "%s:%" PRId64 ": column wavelet: %s", r->list->path,
                          r->line, torre_error_text());
    TORRE_TRY(status);
    shot->wavelet = set;
    const double steps = shot->delay / r->input->problem.dt;
    if (fabs(steps - nearbyint(steps)) > 1e-6 * fmax(1, fabs(steps)))
        return bad(r, DELAY, "must be whole time steps of %.9g s with a wavelet from a file",
                   r->input->problem.dt);
    return TORRE_OK;
}

/* One more shot, of the present line; it is not counted yet. */
static torre_status new_shot(const reader *r, torre_shot **shot)
{
    torre_shot_list *list = r->list;
    if ((list->count & (list->count - 1)) == 0) { /* full: capacities are powers of two */
        const size_t capacity = list->count ? 2 * (size_t)list->count : 1;
        torre_shot *more = realloc(list->shot, capacity * sizeof *more);
        if (!more) return no_memory();
        list->shot = more;
    }
    *shot = &list->shot[list->count];
    **shot = (torre_shot){.line = r->line};
    return TORRE_OK;
}

static void count_receivers(torre_shot_list *list, const torre_shot *shot)
{
    const int64_t n = shot->receivers->list.count;
    if (list->count == 1 || n < list->receivers_least) list->receivers_least = n;
    if (n > list->receivers_most) list->receivers_most = n;
}

static torre_status read_shot(reader *r)
{
    torre_shot *shot = NULL;
    TORRE_TRY(new_shot(r, &shot));
    TORRE_TRY(read_name(r, shot));
    r->list->count++;
    TORRE_TRY(read_source(r, shot));
    TORRE_TRY(read_wavelet(r, shot));
    TORRE_TRY(read_receivers(r, shot));
    count_receivers(r->list, shot);
    return TORRE_OK;
}

static torre_status read_table(reader *r)
{
    const char *item[TORRE_CSV_COLUMNS];
    torre_csv_table *table;
    const int needed = torre_wave_dimensions(&r->input->problem) == 2 ? Y : Y + 1;
    r->item = item;
    TORRE_TRY(torre_csv_table_open(r->list->path, columns, needed, &table));
    torre_status status;
    while (!(status = torre_csv_table_row(table, item, &r->line)) && r->line > 0 &&
           !(status = read_shot(r)))
        continue;
    torre_csv_table_close(table);
    return status;
}

/* --- Of trace headers --- */

/* A position lies in the model. of: the letter of its fields, 's' or 'g'. */
static torre_status check_position(const reader *r, char of, int64_t trace, const double x[3])
{
    const torre_wave_problem *p = &r->input->problem;
    for (int a = 0; a < 3; a++) {
        const double end = torre_wave_is_flat(p, a) ? 0 : torre_wave_extent(p, a);
        if (x[a] >= 0 && x[a] <= end * SLACK) continue;
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: trace %" PRId64 ": the %s must lie at %c = 0 to %.12g m (got %.12g)",
                          r->list->path, trace, of == 's' ? "source" : "receiver", "xyz"[a], end,
                          x[a]);
    }
    return TORRE_OK;
}

/* The receivers of a shot, which no other has. */
static torre_status take_receivers(const reader *r, torre_shot_geometry *g, torre_shot *shot)
{
    for (int64_t i = 0; i < g->receivers.count; i++)
        TORRE_TRY(check_position(r, 'g', g->trace + i, g->receivers.points[i].position));
    torre_receiver_set *set = calloc(1, sizeof *set);
    char text[64];
    snprintf(text, sizeof text, "trace %" PRId64 " and on", g->trace);
    if (set) set->text = strdup(text);
    if (!set || !set->text || !tsearch(set, &r->list->receiver_sets, compare_texts)) {
        free(set ? set->text : NULL);
        free(set);
        return no_memory();
    }
    set->list = g->receivers;
    memset(&g->receivers, 0, sizeof g->receivers);
    describe_receivers(set, r->input->problem.density);
    shot->receivers = set;
    return TORRE_OK;
}

static torre_status take_shot(reader *r, torre_shot_geometry *g)
{
    static const char *const nothing[] = {"", "", "", "", "", "", "", "", ""};
    char name[24];
    torre_shot *shot = NULL;
    r->line = g->trace;
    r->item = nothing;
    TORRE_TRY(new_shot(r, &shot));
    snprintf(name, sizeof name, "%" PRId64, g->number);
    shot->name = strdup(name);
    if (!shot->name) return no_memory();
    r->list->count++;
    shot->source = g->source;
    shot->delay = g->delay;
    TORRE_TRY(check_position(r, 's', g->trace, g->source.position));
    TORRE_TRY(read_wavelet(r, shot));
    TORRE_TRY(take_receivers(r, g, shot));
    count_receivers(r->list, shot);
    return TORRE_OK;
}

static torre_status read_geometry(reader *r)
{
    torre_shot_geometry g;
    bool more = true;
    if (r->receivers)
        return torre_fail(TORRE_ERR_USAGE, "{receivers} of a survey of %s are in its trace headers",
                          r->list->path);
    r->list->geometry = true;
    torre_status status = torre_shot_geometry_open(r->list->path, &g);
    while (!status && !(status = torre_shot_geometry_next(&g, &more)) && more)
        status = take_shot(r, &g);
    torre_shot_geometry_close(&g);
    return status;
}

torre_status torre_shot_list_read(const char *path, const torre_wave_input *input,
                                  const char *receivers, const char *wavelet, torre_shot_list *list)
{
    reader r = {.input = input, .receivers = receivers, .wavelet = wavelet, .list = list};
    memset(list, 0, sizeof *list);
    list->path = path;
    torre_status status = torre_shot_geometry_is(path) ? read_geometry(&r) : read_table(&r);
    if (!status && list->count == 0)
        status = torre_fail(TORRE_ERR_INPUT, "%s holds no shots", path);
    return status ? status : check_names(&r);
}

static void forget(void *node) { (void)node; }

void torre_shot_list_free(torre_shot_list *list)
{
    tdestroy(list->names, forget);
    tdestroy(list->receiver_sets, free_receivers);
    tdestroy(list->wavelet_sets, free_wavelet);
    for (int64_t i = 0; i < list->count; i++) free(list->shot[i].name);
    free(list->shot);
    memset(list, 0, sizeof *list);
}

torre_point torre_shot_receiver(const torre_shot *shot, int64_t i)
{
    torre_point point = shot->receivers->list.points[i];
    for (int a = 0; a < 3 && shot->receivers->relative; a++)
        point.position[a] += shot->source.position[a];
    return point;
}

int64_t torre_shot_number(const torre_shot_list *list, int64_t shot)
{
    int64_t number;
    if (torre_parse_integer(list->shot[shot].name, &number) && number >= 1 && number <= INT32_MAX)
        return number;
    return shot + 1;
}
