/* Rows of an option table (options.h) that differ in few words. */
#ifndef TORRE_OPTION_ROWS_H
#define TORRE_OPTION_ROWS_H

#include "cli/config_options.h"
#include "cli/examples_option.h"
#include "cli/page_option.h"
#include "core/options.h"
#include "figure/figure.h"

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
/* More than 0, up to most. */
#define OPTION_UP_TO(option, variable, most, letter, text)                                         \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .low = 0, .above_low = true, \
        .high = most, .metavar = letter, .help = text                                              \
    }
#define OPTION_POSITIVE(option, variable, letter, text)                                            \
    OPTION_UP_TO(option, variable, 1e9, letter, text)
#define OPTION_SHARE(option, variable, letter, text) OPTION_UP_TO(option, variable, 1, letter, text)
/* A positive number up to most, or auto: 0. */
#define OPTION_AUTO_UP_TO(option, variable, most, letter, text)                                    \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .low = 0, .above_low = true, \
        .high = most, .word = "auto", .metavar = letter "|auto", .help = text                      \
    }
#define OPTION_AUTO_POSITIVE(option, variable, letter, text)                                       \
    OPTION_AUTO_UP_TO(option, variable, 1e9, letter, text)
/* More than 0, up to most, in units: core/units.h. */
#define OPTION_QUANTITY(option, variable, in, most, letter, text)                                  \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .unit = in, .low = 0,        \
        .above_low = true, .high = most, .metavar = letter, .help = text                           \
    }
/* The same, or auto: 0. */
#define OPTION_AUTO_QUANTITY(option, variable, in, most, letter, text)                             \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .unit = in, .low = 0,        \
        .above_low = true, .high = most, .word = "auto", .metavar = letter "|auto", .help = text   \
    }
#define OPTION_AUTO_TIME(option, variable, letter, text)                                           \
    OPTION_AUTO_QUANTITY(option, variable, TORRE_UNIT_SECOND, 1e9, letter, text)
/* A count from least to most. */
#define OPTION_NUMBER(option, variable, least, most, letter, text)                                 \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .low = least,             \
        .high = most, .metavar = letter, .help = text                                              \
    }
#define OPTION_INTEGER(option, variable, least, most, text)                                        \
    OPTION_NUMBER(option, variable, least, most, NULL, text)
#define OPTION_COUNT(option, variable, least, text)                                                \
    OPTION_NUMBER(option, variable, least, OPTION_BIG, "N", text)
/* One of a list of numbers. */
#define OPTION_NUMBERS(option, variable, list, text)                                               \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .choices = list,          \
        .help = text                                                                               \
    }
/* A count from least to most, or auto: 0. */
#define OPTION_INTEGER_AUTO(option, variable, least, most, text)                                   \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .low = least,             \
        .high = most, .word = "auto", .help = text                                                 \
    }
/* A count from least to most, or a word: the number instead. */
#define OPTION_COUNT_OR(option, variable, least, most, instead, number, text)                      \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .low = least,             \
        .high = most, .word = instead, .word_value = number, .metavar = "N|" instead, .help = text \
    }
#define OPTION_AUTO_COUNT(option, variable, least, most, number, text)                             \
    OPTION_COUNT_OR(option, variable, least, most, "auto", number, text)
/* usual: the default in --help where the variable does not tell it, "" for none, or NULL. */
#define OPTION_TEXT(option, variable, letter, usual, text)                                         \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_TEXT, .value = variable, .metavar = letter,           \
        .default_text = usual, .help = text                                                        \
    }
/* variable: an array of char; given again its texts are separated by semicolons. */
#define OPTION_TEXTS(option, variable, letter, usual, text)                                        \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_TEXTS, .value = variable, .high = sizeof variable,    \
        .metavar = letter, .default_text = usual, .help = text                                     \
    }
#define OPTION_FLAG(option, variable, text)                                                        \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_FLAG, .value = variable, .help = text                 \
    }
/* numbers: how many there may be, TORRE_COUNT_1 and so on. */
#define OPTION_SIZE(option, variable, most, numbers, letter, usual, text)                          \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_SIZE, .value = variable, .low = 1, .high = most,      \
        .counts = numbers, .metavar = letter, .default_text = usual, .help = text                  \
    }
/* Numbers above 0, up to most, in a unit or TORRE_UNIT_NONE; usual as of OPTION_TEXT. */
#define OPTION_VECTOR(option, variable, in, most, numbers, letter, usual, text)                    \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_VECTOR, .value = variable, .unit = in, .low = 0,      \
        .above_low = true, .high = most, .counts = numbers, .metavar = letter,                     \
        .default_text = usual, .help = text                                                        \
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

/* What all programs have. */
#define OPTION_BACKEND(variable, text) OPTION_TEXT("backend", variable, "auto|cpu|cuda", NULL, text)
#define OPTION_DEVICE(variable)                                                                    \
    OPTION_INTEGER("device", variable, 0, 1023, "number of the GPU; with it auto is cuda")
#define OPTION_THREADS(variable, text) OPTION_INTEGER_AUTO("threads", variable, 1, 4096, text)
#define OPTION_PICTURE_STYLE(variable)                                                             \
    OPTION_CHOICE("picture-style", variable, torre_picture_styles,                                 \
                  "of pictures: with axes, title and colour bar for a screen, the same for a "     \
                  "printed page (300 dots an inch), or the bare raster")
#define OPTION_HELP(variable) OPTION_STOP("help", variable, "show this help")

#endif
