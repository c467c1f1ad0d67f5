/* Pieces of the JSON in a page (page.h). Errors of the stream are the caller's to look for. */
#ifndef TORRE_PAGE_DATA_H
#define TORRE_PAGE_DATA_H

#include <stdio.h>

#include "io/gather.h"

/* Bytes as base64, in pieces of any length; kept are those that wait for the end of three. */
typedef struct torre_base64 {
    uint8_t kept[3];
    int count;
} torre_base64;

/* Zero before the first piece; ended after the last. */
void torre_page_write_base64(torre_base64 *at, const uint8_t *bytes, size_t count, FILE *out);
void torre_page_end_base64(torre_base64 *at, FILE *out);

/* A JSON string, without what could end a script in HTML. */
void torre_page_write_text(const char *text, FILE *out);

/* The least n for which every n-th of so many are no more than most. */
int64_t torre_page_every(int64_t count, int64_t most);

/* The member of that name, and a comma: so many of the points at most. */
void torre_page_write_list(const char *name, const torre_point *points, int64_t count, int64_t most,
                           FILE *out);

/* The member "traces": rows of values that are `row` apart, so many values of 32 receivers at most,
 * and a picture of so many columns and rows at most. */
torre_status torre_page_write_traces(const torre_gather *traces, int64_t row, int64_t most,
                                     int64_t columns, FILE *out);

#endif
