/* --config FILE and --dump-config, which every program has (program.h looks at them). */
#ifndef TORRE_CONFIG_OPTIONS_H
#define TORRE_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "core/options.h"

/* Their variables. */
extern struct config_options {
    const char *file;
    bool dump;
} config_options;

/* Rows of the option table. */
#define CONFIG_ROWS                                                                                \
    {.name = "config",                                                                             \
     .kind = TORRE_OPTION_TEXT,                                                                    \
     .value = &config_options.file,                                                                \
     .metavar = "FILE",                                                                            \
     .about = true,                                                                                \
     .help = "options from a file, a line NAME = VALUE for each (flags: yes), or from the report " \
             "of a run (--json); what is on the command line, too, counts there"},                 \
    {                                                                                              \
        .name = "dump-config", .kind = TORRE_OPTION_FLAG, .value = &config_options.dump,           \
        .about = true,                                                                             \
        .help = "write all options to standard output, as --config takes them, and stop"           \
    }

/* Take the options of --config, if it was given, into the table. */
torre_status torre_config_apply(torre_option *table);

/*
 * Write the options of a table as --config takes them: those that are given as lines, the others as
 * comments with their defaults.
 */
void torre_config_dump(const char *program, const torre_option *table, FILE *out);

/*
 * The index of a CHOICE as the command line or else the file of --config says it, before the table
 * is complete: for a program whose other rows depend on this one.
 */
torre_status torre_config_choice(const torre_option *table, int argc, char *const *argv,
                                 const char *name, int *choice);

#endif
