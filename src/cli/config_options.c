#include "cli/config_options.h"

#include "io/config_file.h"
#include "torre/status.h"

struct config_options config_options;

/* The file is read once (it may be a pipe); options point into it until the end of the process. */
static torre_config config;

static torre_status read_once(const char *path)
{
    static bool done;
    if (!done) TORRE_TRY(torre_config_read(path, &config));
    done = true;
    return TORRE_OK;
}

torre_status torre_config_apply(torre_option *table)
{
    if (!config_options.file) return TORRE_OK;
    TORRE_TRY(read_once(config_options.file));
    return torre_options_assign(table, config.list, config.count);
}

torre_status torre_config_choice(const torre_option *table, int argc, char *const *argv,
                                 const char *name, int *choice)
{
    const torre_option *o = torre_options_find(table, name);
    const char *text, *file;
    *choice = *(const int *)o->value;
    if (!torre_options_peek(table, argc, argv, name, &text) ||
        !torre_options_peek(table, argc, argv, "config", &file))
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the options");
    if (!text && file) {
        TORRE_TRY(read_once(file));
        text = torre_config_value(&config, name);
    }
    if (text) *choice = torre_option_choice(o, text);
    return TORRE_OK;
}

static void write_row(const torre_option *o, FILE *out)
{
    char usual[256];
    if (o->given) {
        fprintf(out, "%s = ", o->name);
        torre_config_write_value(o->kind == TORRE_OPTION_FLAG ? "yes" : o->text, out);
    } else {
        torre_option_text(o, usual, sizeof usual);
        fprintf(out, "#%s = %s", o->name, o->default_text ? o->default_text : usual);
    }
    putc('\n', out);
}

void torre_config_dump(const char *program, const torre_option *table, FILE *out)
{
    fprintf(out, "# Options of %s %s; %s --config FILE takes them.\n", program,
            torre_version_text(), program);
    for (const torre_option *o = table; o->name; o++) {
        if (o->kind == TORRE_OPTION_GROUP)
            fprintf(out, "\n# %s\n", o->name);
        else if (!o->stops && !o->about)
            write_row(o, out);
    }
}
