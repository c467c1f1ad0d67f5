/* Rows of an option table (options.h) that differ in few words. */
#ifndef TORRE_OPTION_ROWS_H
#define TORRE_OPTION_ROWS_H

#include "core/options.h"

#define OPTION_BIG 1e12 /* bound of counts, far below what overflows */

/* A heading in --help. */
#define OPTION_GROUP(title)                                                                        \
    {                                                                                              \
        .name = title, .kind = TORRE_OPTION_GROUP                                                  \
    }
/* A number from least to most. */
#define OPTION_REAL(option, variable, least, most, letter, text)                                   \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .low = least, .high = most,  \
        .metavar = letter, .help = text                                                            \
    }
#define OPTION_POSITIVE(option, variable, letter, text)                                            \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .low = 0, .above_low = true, \
        .high = 1e9, .metavar = letter, .help = text                                               \
    }
/* More than 0, at most 1. */
#define OPTION_SHARE(option, variable, letter, text)                                               \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .low = 0, .above_low = true, \
        .high = 1, .metavar = letter, .help = text                                                 \
    }
/* A positive number, or auto: 0. */
#define OPTION_AUTO_POSITIVE(option, variable, letter, text)                                       \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .low = 0, .above_low = true, \
        .high = 1e9, .word = "auto", .metavar = letter "|auto", .help = text                       \
    }
#define OPTION_COUNT(option, variable, least, text)                                                \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .low = least,             \
        .high = OPTION_BIG, .metavar = "N", .help = text                                           \
    }
/* A count from least to most, or auto: the number instead. */
#define OPTION_AUTO_COUNT(option, variable, least, most, instead, text)                            \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .low = least,             \
        .high = most, .word = "auto", .word_value = instead, .metavar = "N|auto", .help = text     \
    }
/* usual: the default in --help where the variable does not tell it, "" for none, or NULL. */
#define OPTION_TEXT(option, variable, letter, usual, text)                                         \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_TEXT, .value = variable, .metavar = letter,           \
        .default_text = usual, .help = text                                                        \
    }
#define OPTION_FLAG(option, variable, text)                                                        \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_FLAG, .value = variable, .help = text                 \
    }
#define OPTION_CHOICE(option, variable, list, text)                                                \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_CHOICE, .value = variable, .choices = list,           \
        .help = text                                                                               \
    }
/* A flag that ends parsing successfully: --help, --version. */
#define OPTION_STOP(option, variable, text)                                                        \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_FLAG, .value = variable, .stops = true, .help = text  \
    }

#endif
