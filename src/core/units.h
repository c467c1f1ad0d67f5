/* Numbers with units: times, lengths, frequencies, bytes; from the command line or a file. */
#ifndef TORRE_UNITS_H
#define TORRE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* What a number may be given in; without a unit it is in the first. */
typedef enum torre_unit {
    TORRE_UNIT_NONE,
    TORRE_UNIT_SECOND, /* s, ms, us, ns, min, h */
    TORRE_UNIT_METRE,  /* m, km, cm, mm, um */
    TORRE_UNIT_HERTZ   /* Hz, kHz, MHz, GHz */
} torre_unit;

/*
 * "0.5ms", "1e-3", "2.5 km": a number, plain (numbers.h), and one of the units, in SI. Parts and
 * multiples of ten are read as decimals: 0.7ms is the double that 7e-4 is. False, and *value left
 * alone, for everything else.
 */
bool torre_parse_quantity(const char *text, torre_unit unit, double *value);

/* Several of them, as torre_parse_reals (numbers.h) takes numbers: "2km,500m". */
bool torre_parse_quantities(const char *text, torre_unit unit, char separator, int limit,
                            double *values, int *count);

/* "s, ms, us, ns, min or h"; "" for none. */
const char *torre_unit_names(torre_unit unit);

/* "90s", "10min", "2.5h": a time above 0, in seconds, that has a unit. */
bool torre_parse_seconds(const char *text, double *seconds);

/*
 * Bytes, at least 1 and up to 2^62: "262144"; "48K", "3M", "2G", "1T" of 1024 (as of dd and ls);
 * "20GiB" of 1024, too, and "20GB" of 1000. There may be decimals before a unit, "1.5G"; what is
 * left of a byte is cut off.
 */
bool torre_parse_bytes(const char *text, int64_t *bytes);

/* The rule, for messages: "--memory must be " TORRE_BYTES_RULE. */
#define TORRE_BYTES_RULE                                                                           \
    "a number of bytes, or of K, M, G or T (powers of 1024), kB, MB, GB or TB (powers of 1000)"

#endif
