#include "core/report.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/version.h"

/* A position in the JSON tree; the handles form a list that is freed with the root. */
struct torre_report {
    cJSON *json;
    torre_report *root, *next;
    bool failed; /* of the root: memory ran out */
};

static torre_report *handle_new(torre_report *root, cJSON *json)
{
    torre_report *r = json ? calloc(1, sizeof *r) : NULL;
    if (!r) return NULL;
    r->json = json;
    r->root = root ? root : r;
    if (root) {
        r->next = root->next;
        root->next = r;
    }
    return r;
}

/* Hang item (taken over; NULL: out of memory) below at. */
static bool add(torre_report *at, const char *name, cJSON *item)
{
    if (at && item) {
        bool done = name ? cJSON_AddItemToObject(at->json, name, item)
                         : cJSON_AddItemToArray(at->json, item);
        if (done) return true;
    }
    cJSON_Delete(item);
    if (at) at->root->failed = true;
    return false;
}

torre_report *torre_report_new(const char *program)
{
    cJSON *json = cJSON_CreateObject();
    torre_report *r = handle_new(NULL, json);
    if (!r) {
        cJSON_Delete(json);
        return NULL;
    }
    torre_report_text(r, "program", program);
    torre_report_text(r, "version", torre_version_text());
    return r;
}

void torre_report_free(torre_report *report)
{
    if (!report) return;
    cJSON_Delete(report->json);
    while (report) {
        torre_report *next = report->next;
        free(report);
        report = next;
    }
}

static torre_report *add_node(torre_report *parent, const char *name, cJSON *json)
{
    if (!add(parent, name, json)) return NULL;
    torre_report *r = handle_new(parent->root, json);
    if (!r) parent->root->failed = true;
    return r;
}

torre_report *torre_report_object(torre_report *parent, const char *name)
{
    return add_node(parent, name, cJSON_CreateObject());
}

torre_report *torre_report_array(torre_report *parent, const char *name)
{
    return add_node(parent, name, cJSON_CreateArray());
}

void torre_report_text(torre_report *at, const char *name, const char *value)
{
    add(at, name, value ? cJSON_CreateString(value) : cJSON_CreateNull());
}

void torre_report_integer(torre_report *at, const char *name, int64_t value)
{
    char text[32]; /* cJSON numbers are doubles */
    snprintf(text, sizeof text, "%" PRId64, value);
    add(at, name, cJSON_CreateRaw(text));
}

void torre_report_real(torre_report *at, const char *name, double value)
{
    add(at, name, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

void torre_report_bool(torre_report *at, const char *name, bool value)
{
    add(at, name, cJSON_CreateBool(value));
}

void torre_report_integers(torre_report *at, const char *name, const int64_t *values, int count)
{
    torre_report *list = torre_report_array(at, name);
    for (int i = 0; i < count; i++) torre_report_integer(list, NULL, values[i]);
}

void torre_report_reals(torre_report *at, const char *name, const double *values, int count)
{
    torre_report *list = torre_report_array(at, name);
    for (int i = 0; i < count; i++) torre_report_real(list, NULL, values[i]);
}

static int used_entries(const int64_t size[3])
{
    int n = 0;
    while (n < 3 && size[n]) n++;
    return n;
}

void torre_report_options(torre_report *report, const torre_option *table)
{
    torre_report *list = torre_report_object(report, "options");
    for (const torre_option *o = table; o->name; o++) {
        char name[64], text[64];
        if (o->kind == TORRE_OPTION_GROUP || o->stops) continue;
        snprintf(name, sizeof name, "%s", o->name);
        for (char *c = name; *c; c++)
            if (*c == '-') *c = '_';
        torre_option_text(o, text, sizeof text);
        bool is_word = o->word && strcmp(text, o->word) == 0;
        switch (o->kind) {
        case TORRE_OPTION_FLAG:
            torre_report_bool(list, name, *(bool *)o->value);
            break;
        case TORRE_OPTION_TEXT:
            torre_report_text(list, name, *(const char **)o->value);
            break;
        case TORRE_OPTION_CHOICE:
            torre_report_text(list, name, text);
            break;
        case TORRE_OPTION_SIZE:
            torre_report_integers(list, name, o->value, used_entries(o->value));
            break;
        case TORRE_OPTION_VECTOR:
            torre_report_reals(list, name, o->value, 3);
            break;
        case TORRE_OPTION_INTEGER:
            if (is_word)
                torre_report_text(list, name, text);
            else
                torre_report_integer(list, name, *(int64_t *)o->value);
            break;
        case TORRE_OPTION_REAL:
            if (is_word)
                torre_report_text(list, name, text);
            else
                torre_report_real(list, name, *(double *)o->value);
            break;
        case TORRE_OPTION_GROUP:
            break;
        }
    }
}

torre_status torre_report_write(const torre_report *report, FILE *out)
{
    char *text = report && !report->failed ? cJSON_Print(report->json) : NULL;
    if (!text) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the report");
    bool written = fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
    int reason = errno;
    cJSON_free(text);
    if (!written)
        return torre_fail(TORRE_ERR_INPUT, "cannot write the report: %s", strerror(reason));
    return TORRE_OK;
}
