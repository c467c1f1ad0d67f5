/*
 * What a survey has done: a text file of JSON objects, one a line, that only grows. The first line
 * says what all shots have in common, each further one what became of a shot:
 *
 *     {"survey": "1", "grid": "801x201", "spacing": "5", ...}
 *     {"shot": "12", "state": "done", "source": "1200,0,20", "receivers": "201 c0ffee11", ...}
 *
 * All members are strings. Of several lines of a shot the last counts; a last line that was not
 * finished, since the program was killed, does not. While it is open, the file is locked.
 */
#ifndef TORRE_MANIFEST_H
#define TORRE_MANIFEST_H

#include "core/status.h"
#include "io/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_manifest torre_manifest;

/*
 * Open a manifest, or begin one with the head. each is called for every line after the first.
 * TORRE_ERR_INPUT: it cannot be read or written, it is none, another process has it open, or its
 * head is that of another survey, of which the text names the first member that differs.
 */
torre_status torre_manifest_open(const char *path, const torre_record *head,
                                 torre_status (*each)(void *context, const torre_record *record),
                                 void *context, torre_manifest **manifest);

/* Append a line, which is on the disk, whole, once this returns TORRE_OK. */
torre_status torre_manifest_add(torre_manifest *manifest, const torre_record *record);

void torre_manifest_close(torre_manifest *manifest); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
