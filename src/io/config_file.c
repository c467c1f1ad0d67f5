#include "io/config_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "io/json_input.h"
#include "io/text_input.h"

static torre_status no_memory(const char *path)
{
    return torre_fail(TORRE_ERR_RESOURCE, "%s: no memory to read it", path);
}

/* Hang an assignment, copied, at the end of the list. */
static torre_status add(torre_config *config, const char *path, const char *name, const char *text,
                        const char *where)
{
    const int n = config->count;
    if ((n & (n - 1)) == 0) { /* full at powers of two */
        torre_assignment *list = realloc(config->list, (n ? 2 * (size_t)n : 1) * sizeof *list);
        if (!list) return no_memory(path);
        config->list = list;
    }
    torre_assignment a = {strdup(name), strdup(text), strdup(where)};
    config->list[config->count++] = a;
    return a.name && a.text && a.where ? TORRE_OK : no_memory(path);
}

/* A value in quotes, taken out of them in place. *rest: what comes after. False: no end. */
static bool take_quoted(char *text, char **rest)
{
    char *to = text, *from = text + 1;
    for (; *from && *from != '"'; from++) {
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (!*from || !strchr("\"\\n", *from)) return false;
        *to++ = *from == 'n' ? '\n' : *from;
    }
    const bool ended = *from == '"';
    *rest = from + ended;
    *to = 0;
    return ended;
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r");
    for (size_t n = strlen(text); n > 0 && strchr(" \t\r", text[n - 1]); n--) text[n - 1] = 0;
    return text;
}

static torre_status read_value(const char *where, char **text)
{
    char *value = *text, *rest;
    if (*value == '"') {
        if (!take_quoted(value, &rest))
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: a value in quotes must end with a quote, and may have \\\", "
                              "\\\\ and \\n in it (got %.80s)",
                              where, value);
        rest += strspn(rest, " \t\r");
        if (*rest && *rest != '#')
            return torre_fail(TORRE_ERR_INPUT, "%s: unexpected %.80s after the quotes", where,
                              rest);
        return TORRE_OK;
    }
    for (char *c = value; (c = strchr(c, '#')); c++) {
        if (c != value && !strchr(" \t", c[-1])) continue;
        *c = 0;
        break;
    }
    *text = trimmed(value);
    return TORRE_OK;
}

static torre_status read_line(torre_config *config, const char *path, const char *where, char *line)
{
    line = trimmed(line);
    if (!*line || *line == '#') return TORRE_OK;
    char *equals = strchr(line, '=');
    if (!equals || equals == line)
        return torre_fail(TORRE_ERR_INPUT, "%s: must be NAME = VALUE (got %.80s)", where, line);
    *equals = 0;
    char *value = equals + 1 + strspn(equals + 1, " \t\r");
    TORRE_TRY(read_value(where, &value));
    return add(config, path, trimmed(line), value, where);
}

typedef struct json_reader {
    torre_config *config;
    const char *path;
} json_reader;

static torre_status on_member(void *context, const char *name, const char *text, const char *where)
{
    const json_reader *r = context;
    return add(r->config, r->path, name, text, where);
}

static torre_status read_lines(torre_text_input *in, const char *path, torre_config *config)
{
    char *line;
    for (bool first = true;; first = false) {
        TORRE_TRY(torre_text_input_line(in, &line));
        if (!line) return TORRE_OK;
        if (first) line = torre_text_begin(line);
        if (first && *line == '{') {
            json_reader reader = {config, path};
            return torre_json_strings(in, line, "config", on_member, &reader);
        }
        TORRE_TRY(read_line(config, path, torre_text_input_where(in), line));
    }
}

torre_status torre_config_read(const char *path, torre_config *config)
{
    torre_text_input *in;
    *config = (torre_config){0};
    TORRE_TRY(torre_text_input_open(path, &in));
    const torre_status status = read_lines(in, path, config);
    torre_text_input_close(in);
    if (status) torre_config_free(config);
    return status;
}

void torre_config_free(torre_config *config)
{
    for (int i = 0; i < config->count; i++) {
        free((char *)config->list[i].name);
        free((char *)config->list[i].text);
        free((char *)config->list[i].where);
    }
    free(config->list);
    *config = (torre_config){0};
}

const char *torre_config_value(const torre_config *config, const char *name)
{
    for (int i = 0; i < config->count; i++)
        if (strcmp(config->list[i].name, name) == 0) return config->list[i].text;
    return NULL;
}

void torre_config_write_value(const char *text, FILE *out)
{
    const size_t length = strlen(text);
    const bool plain =
        length > 0 && !strpbrk(text, "#\n\r\t") && !strchr(" \"", *text) && text[length - 1] != ' ';
    if (plain) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (strchr("\"\\\n", *text)) putc('\\', out);
        putc(*text == '\n' ? 'n' : *text, out);
    }
    putc('"', out);
}
