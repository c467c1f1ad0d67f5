/*
 * Records: names and values, all of them texts, and the same as a line of JSON,
 *
 *     {"grid": "801x201", "spacing": "5", "order": "8"}
 */
#ifndef TORRE_RECORD_H
#define TORRE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_RECORD_MEMBERS = 24, TORRE_RECORD_BYTES = 4096 };

/* Room for any record as a line. */
enum { TORRE_RECORD_LINE = 6 * TORRE_RECORD_BYTES + 64 * TORRE_RECORD_MEMBERS };

/* Zero is empty. */
typedef struct torre_record {
    int count;
    const char *name[TORRE_RECORD_MEMBERS]; /* literals, or in bytes */
    const char *value[TORRE_RECORD_MEMBERS];
    char bytes[TORRE_RECORD_BYTES];
    int used;
} torre_record;

/* Add a member; name is a literal. What is too much for a record is cut. */
__attribute__((format(printf, 3, 4))) void torre_record_add(torre_record *record, const char *name,
                                                            const char *format, ...);

/* The value of a member; NULL: there is none. */
const char *torre_record_get(const torre_record *record, const char *name);

/* The first member of `wanted` that `found` has otherwise, or not at all; NULL: none. */
const char *torre_record_differs(const torre_record *wanted, const torre_record *found);

/* The line of a record, with its end but no 0 after that; returns its length. */
size_t torre_record_encode(const torre_record *record, char line[TORRE_RECORD_LINE]);

/* A line, without its end, as a record; false where it is none. */
bool torre_record_decode(const char *line, torre_record *record);

#ifdef __cplusplus
}
#endif

#endif
