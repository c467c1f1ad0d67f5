#include "core/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "torre/status.h"

/*
 * A node of the JSON tree. Only writing is needed, so that the programs stay free of a JSON library
 * (GPU machines often lack one, and a program that misses it would not even start).
 */
struct torre_report {
    char *name;                 /* NULL inside an array and at the root */
    char *text;                 /* a scalar, as it is printed; NULL for objects and arrays */
    char brackets[2];           /* "{}" or "[]" */
    torre_report *first, *last; /* children */
    torre_report *next;         /* sibling */
    torre_report *root;
    bool failed; /* of the root: memory ran out */
};

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy) strcpy(copy, text);
    return copy;
}

/* The text as a JSON string, quotes included; NULL when out of memory. */
static char *quoted(const char *text)
{
    char *out = malloc(6 * strlen(text) + 3), *at = out;
    if (!out) return NULL;
    *at++ = '"';
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            *at++ = '\\';
            *at++ = (char)c;
        } else if (c < 0x20) {
            at += sprintf(at, "\\u%04x", c);
        } else {
            *at++ = (char)c;
        }
    }
    strcpy(at, "\"");
    return out;
}

/* Hang a new node below at; text (taken over) is NULL for objects and arrays. */
static torre_report *add_node(torre_report *at, const char *name, char *text, const char *brackets)
{
    torre_report *r = at ? calloc(1, sizeof *r) : NULL;
    char *kept = r && name ? quoted(name) : NULL;
    if (!r || (name && !kept)) {
        free(r);
        free(text);
        if (at) at->root->failed = true;
        return NULL;
    }
    r->name = kept;
    r->text = text;
    memcpy(r->brackets, brackets, 2);
    r->root = at->root;
    *(at->last ? &at->last->next : &at->first) = r;
    at->last = r;
    return r;
}

static void add_scalar(torre_report *at, const char *name, char *text)
{
    if (text)
        add_node(at, name, text, "  ");
    else if (at)
        at->root->failed = true;
}

torre_report *torre_report_new(const char *program)
{
    torre_report *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->root = r;
    memcpy(r->brackets, "{}", 2);
    torre_report_text(r, "program", program);
    torre_report_text(r, "version", torre_version_text());
    return r;
}

void torre_report_free(torre_report *report)
{
    while (report) {
        torre_report *next = report->next;
        torre_report_free(report->first);
        free(report->name);
        free(report->text);
        free(report);
        report = next;
    }
}

torre_report *torre_report_object(torre_report *parent, const char *name)
{
    return add_node(parent, name, NULL, "{}");
}

torre_report *torre_report_array(torre_report *parent, const char *name)
{
    return add_node(parent, name, NULL, "[]");
}

/* A node and all below it. */
static void repeat_node(torre_report *at, const torre_report *node)
{
    char *text = node->text ? copy_text(node->text) : NULL;
    if (node->text && !text) {
        at->root->failed = true;
        return;
    }
    torre_report *copy = add_node(at, NULL, text, node->brackets);
    if (copy && node->name && !(copy->name = copy_text(node->name))) at->root->failed = true;
    if (copy) torre_report_repeat(copy, node);
}

void torre_report_repeat(torre_report *at, const torre_report *from)
{
    if (!at || !from) return;
    for (const torre_report *member = from->first; member; member = member->next)
        repeat_node(at, member);
}

void torre_report_text(torre_report *at, const char *name, const char *value)
{
    add_scalar(at, name, value ? quoted(value) : copy_text("null"));
}

void torre_report_integer(torre_report *at, const char *name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    add_scalar(at, name, copy_text(text));
}

void torre_report_real(torre_report *at, const char *name, double value)
{
    char text[32] = "null";
    if (isfinite(value)) snprintf(text, sizeof text, "%.15g", value);
    if (isfinite(value) && strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
    add_scalar(at, name, copy_text(text));
}

void torre_report_bool(torre_report *at, const char *name, bool value)
{
    add_scalar(at, name, copy_text(value ? "true" : "false"));
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
        if (o->kind == TORRE_OPTION_GROUP || o->stops || o->about) continue;
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
        case TORRE_OPTION_TEXTS:
            torre_report_text(list, name, *(const char *)o->value ? o->value : NULL);
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
    torre_report *given = torre_report_object(report, "config");
    for (const torre_option *o = table; o->name; o++)
        if (o->given && !o->stops && !o->about)
            torre_report_text(given, o->name, o->kind == TORRE_OPTION_FLAG ? "yes" : o->text);
}

static bool has_nodes(const torre_report *r)
{
    for (const torre_report *child = r->first; child; child = child->next)
        if (!child->text) return true;
    return false;
}

/* Write node and children; an array of scalars stays on one line. Errors show in ferror. */
static void write_node(const torre_report *r, int indent, FILE *out)
{
    if (r->name) fprintf(out, "%s: ", r->name);
    if (r->text) {
        fputs(r->text, out);
        return;
    }
    bool one_line = !r->first || (r->brackets[0] == '[' && !has_nodes(r));
    fputc(r->brackets[0], out);
    for (const torre_report *child = r->first; child; child = child->next) {
        if (!one_line) fprintf(out, "\n%*s", indent + 2, "");
        write_node(child, indent + 2, out);
        if (child->next) fputs(one_line ? ", " : ",", out);
    }
    if (!one_line) fprintf(out, "\n%*s", indent, "");
    fputc(r->brackets[1], out);
}

torre_status torre_report_write(const torre_report *report, FILE *out)
{
    if (!report || report->failed)
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the report");
    write_node(report, 0, out);
    fputc('\n', out);
    if (fflush(out) || ferror(out)) return torre_fail_errno("cannot write the report");
    return TORRE_OK;
}
