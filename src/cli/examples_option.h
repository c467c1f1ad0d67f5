/* --examples: commands to begin with, which every program has (program.h shows them). */
#ifndef TORRE_EXAMPLES_OPTION_H
#define TORRE_EXAMPLES_OPTION_H

#include <stdbool.h>

#include "core/options.h"

/* Its variable. */
extern bool examples_option;

/* Row of the option table. */
#define EXAMPLES_ROW                                                                               \
    {                                                                                              \
        .name = "examples", .kind = TORRE_OPTION_FLAG, .value = &examples_option, .stops = true,   \
        .help = "show commands to begin with, and what they do"                                    \
    }

/* What a command does, in one line, and the command, in several where they end in backslashes. */
typedef struct torre_example {
    const char *about, *command; /* about NULL ends a list */
} torre_example;

/* As --examples shows them: lines for a shell. */
void torre_examples_show(const torre_example *list);

/* The first few of them, as --help shows them. */
void torre_examples_help(const torre_example *list);

#endif
