/*
 * Tables in CSV files whose first line names the columns, row by row. Items are separated by
 * commas; one in double quotes may hold commas, and a quote as two of them. '#' outside of quotes
 * starts a comment, blank lines are skipped.
 */
#ifndef TORRE_CSV_TABLE_H
#define TORRE_CSV_TABLE_H

#include <stdint.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_CSV_COLUMNS = 32 };

typedef struct torre_csv_table torre_csv_table;

/*
 * Open a file and read the names of its columns. columns[]: the names that there may be, NULL after
 * the last; the first `needed` of them must be there. TORRE_ERR_INPUT "FILE:LINE: ..." for others,
 * missing ones and those named twice.
 */
torre_status torre_csv_table_open(const char *path, const char *const *columns, int needed,
                                  torre_csv_table **table);

/*
 * The next row: item[c] for columns[c], "" where the file has no such column; valid until the next
 * call. *line is its number in the file, 0 after the last. TORRE_ERR_INPUT for rows that have more
 * or fewer items than there are columns.
 */
torre_status torre_csv_table_row(torre_csv_table *table, const char *item[TORRE_CSV_COLUMNS],
                                 int64_t *line);

void torre_csv_table_close(torre_csv_table *table); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
