/*
 * Files of options: a line for each, "name = value", the name being that of the long option.
 *
 *     # a shot over a layer
 *     order = 8
 *     dt = 0.5ms
 *     field = "u of shot #3.npy"    # a # after a space begins a comment, but not in quotes
 *     quiet = yes
 *
 * In quotes \" \\ and \n stand for themselves and a line break. The report of a run (--json) is
 * taken, too: its member "config".
 */
#ifndef TORRE_CONFIG_FILE_H
#define TORRE_CONFIG_FILE_H

#include <stdio.h>

#include "core/options.h"

/* The assignments of a file, in its order; their texts live as long as this. */
typedef struct torre_config {
    torre_assignment *list;
    int count;
} torre_config;

/* Read a file. TORRE_ERR_INPUT names it and the line; then there is nothing to free. */
torre_status torre_config_read(const char *path, torre_config *config);
void torre_config_free(torre_config *config);

/* The value of a name; NULL where the file does not give it. */
const char *torre_config_value(const torre_config *config, const char *name);

/* Write a value as it is read, in quotes where it needs them. */
void torre_config_write_value(const char *text, FILE *out);

#endif
