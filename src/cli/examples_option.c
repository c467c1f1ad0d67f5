#include "cli/examples_option.h"

#include <stdio.h>

enum { IN_HELP = 3 };

bool examples_option;

void torre_examples_show(const torre_example *list)
{
    for (const torre_example *e = list; e->about; e++)
        printf("%s# %s\n%s\n", e == list ? "" : "\n", e->about, e->command);
}

void torre_examples_help(const torre_example *list)
{
    puts("\nExamples (--examples shows more, and what they do):");
    for (int i = 0; i < IN_HELP && list[i].about; i++) {
        fputs("  ", stdout);
        for (const char *c = list[i].command; *c; c++)
            fputs(*c == '\n' ? "\n  " : (char[]){*c, 0}, stdout);
        putchar('\n');
    }
}
