/*
 * Options of a program: one table drives parsing, --help and the options{} of the report.
 *
 *     struct { int64_t order; double dt; bool quiet, help; } s = {.order = 8};
 *     torre_option table[] = {
 *         {.name = "Numerics", .kind = TORRE_OPTION_GROUP},
 *         {.name = "order", .kind = TORRE_OPTION_INTEGER, .value = &s.order,
 *          .choices = (const char *const[]){"2", "4", "6", "8", NULL},
 *          .help = "order of accuracy"},
 *         {.name = "dt", .kind = TORRE_OPTION_REAL, .value = &s.dt, .low = 0, .above_low = true,
 *          .high = 1e6, .word = "auto", .word_value = 0, .metavar = "S", .help = "time step"},
 *         {.name = "help", .kind = TORRE_OPTION_FLAG, .value = &s.help, .stops = true,
 *          .help = "show this help"},
 *         {0}};
 *     TORRE_TRY(torre_options_parse(table, argc, argv, NULL, 0, NULL));
 *
 * The value a variable has before parsing is its default: it is what --help shows. Syntax: GNU long
 * options, `--name value` or `--name=value`, unambiguous abbreviations, -h for --help, `--` ends
 * the options. Everything else is refused with one line that names the option, its legal range and
 * what was given: unknown and repeated options (but TEXTS), missing or superfluous values, numbers
 * that are not plain (numbers.h) or out of range.
 */
#ifndef TORRE_OPTIONS_H
#define TORRE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"
#include "core/units.h"

typedef enum torre_option_kind {
    TORRE_OPTION_GROUP = 1, /* not an option: a heading in --help */
    TORRE_OPTION_FLAG,      /* bool; takes no value */
    TORRE_OPTION_TEXT,      /* const char *, points into argv; not empty */
    TORRE_OPTION_TEXTS,     /* char[high], ""; may be given often: "one;two", none of them empty */
    TORRE_OPTION_INTEGER,   /* int64_t in low .. high, or one of choices where given */
    TORRE_OPTION_REAL,      /* double in low .. high */
    TORRE_OPTION_CHOICE,    /* int, index into choices */
    TORRE_OPTION_SIZE,      /* int64_t[3], "NxNxN", each in low .. high; counts says how many */
    TORRE_OPTION_VECTOR     /* double[3], "a,b,c", each in low .. high; counts says how many;
                               one number stands for three equal ones */
} torre_option_kind;

/* Bits for torre_option.counts: how many numbers a size or vector may have. Missing sizes are 0. */
enum { TORRE_COUNT_1 = 1, TORRE_COUNT_2 = 2, TORRE_COUNT_3 = 4 };

typedef struct torre_option {
    const char *name; /* without the dashes; NULL ends the table */
    torre_option_kind kind;
    void *value;                /* the variable, of the type that the kind says; not NULL */
    const char *metavar;        /* the value in --help: N, FILE; NULL: made up from the kind */
    const char *help;           /* one or two sentences without a full stop at the end */
    double low, high;           /* legal range of numbers; give both */
    bool above_low;             /* low itself is not legal */
    const char *const *choices; /* NULL-terminated, for CHOICE, and INTEGER where few are legal */
    const char *word;           /* REAL, INTEGER: this word is legal, too ("auto") ... */
    double word_value;          /* ... and stores this number */
    unsigned counts;            /* SIZE, VECTOR: 0 means three */
    const char *default_text;   /* default in --help where the variable does not tell it; "" none */
    torre_unit unit;            /* REAL, VECTOR: what numbers may be given in, "0.5ms" */
    bool stops;                 /* FLAG: end parsing here, successfully (--help, --version) */
    bool about;                 /* about the command line itself (--config): not part of a run */
    bool given;                 /* out: it was on the command line, or assigned */
    const char *text;           /* out: its value as it was given; NULL of a flag */
} torre_option;

/*
 * Parse argv[1 ..] into the variables of the table. Arguments that are not options go to
 * arguments[limit] (caller's, may be NULL when limit is 0), their number to *count (may be NULL
 * when limit is 0); more than limit are refused. argv is left as it is and must outlive the
 * variables. TORRE_ERR_USAGE on anything illegal; the variables may have been changed by then. Not
 * thread-safe (getopt_long). After an option that stops (--help) the other variables hold their
 * defaults again.
 */
torre_status torre_options_parse(torre_option *table, int argc, char *const *argv,
                                 const char **arguments, int limit, int *count);

/*
 * What the command line says of an option of the table that takes a value: *text points into argv,
 * NULL where it says nothing. Stores nothing and refuses nothing: for what is to be known before
 * the table is complete. False without memory.
 */
bool torre_options_peek(const torre_option *table, int argc, char *const *argv, const char *name,
                        const char **text);

/* The index of a text among the choices of a CHOICE; its present value where it is none of them. */
int torre_option_choice(const torre_option *option, const char *text);

/* An option that a file gives: its name without dashes, its value, and the place, "run.conf:3". */
typedef struct torre_assignment {
    const char *name, *text, *where;
} torre_assignment;

/*
 * Store what a file gives, after the command line: an option that is given already keeps its value.
 * Names are in full; flags are "yes" or "no", and "no" is as if there were no line. Texts must
 * outlive the variables. TORRE_ERR_INPUT, with the place, on what the command line would not take,
 * on a name given twice, and on options that stop or are about the command line.
 */
torre_status torre_options_assign(torre_option *table, const torre_assignment *list, int count);

/* The entry of that name; NULL when there is none. */
const torre_option *torre_options_find(const torre_option *table, const char *name);

/* Whether the option of that name (which must exist) was on the command line. */
bool torre_options_given(const torre_option *table, const char *name);

/* Its present value as text, as one would write it on the command line; "" for a NULL text. */
void torre_option_text(const torre_option *option, char *buffer, size_t size);

/*
 * "must be 2, 4, 6 or 8", "must be a number above 0": the rule of the option, for messages about
 * combinations that the table cannot know.
 */
void torre_option_rule(const torre_option *option, char *buffer, size_t size);

/* "2, 4, 6 or 8" from a NULL-terminated list. */
void torre_join_choices(const char *const *choices, char *buffer, size_t size);

/*
 * The options part of --help, grouped and wrapped at 80 columns, with legal values and defaults
 * (call it before parsing, or after an option that stops).
 */
void torre_options_help(const torre_option *table, FILE *out);

#endif
