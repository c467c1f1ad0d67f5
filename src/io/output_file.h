/*
 * Output files that are either complete or not there.
 *
 * Open early, before the work starts: a directory that is missing or read-only shows at once. The
 * bytes go to a temporary name beside the target, and commit renames it; without commit nothing is
 * left. What already exists and is not a regular file (/dev/full, a pipe) is written directly.
 *
 *     torre_output *out;
 *     TORRE_TRY(torre_output_open("u.npy", &out));
 *     ... fwrite(..., torre_output_stream(out)) ...
 *     status = torre_output_commit(out);       or torre_output_discard(out)
 */
#ifndef TORRE_OUTPUT_FILE_H
#define TORRE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_output torre_output;

/*
 * Open path for writing ("-": standard output). On failure torre_fail_errno with the path.
 * *out belongs to the caller until commit or discard.
 */
torre_status torre_output_open(const char *path, torre_output **out);

/* The stream to write to; errors of single writes may be left to commit, which checks them all. */
FILE *torre_output_stream(torre_output *out);

/* Write bytes to the stream; a failure is kept, with its reason, for commit. */
void torre_output_write(torre_output *out, const void *data, size_t bytes);

/*
 * What was written so far reaches the system, or did not: then torre_fail_errno, and commit fails,
 * too. For files that grow for hours, whose failure should not be told at the end alone.
 */
torre_status torre_output_flush(torre_output *out);

/* Flush, and what was written so far is on the disk. */
torre_status torre_output_sync(torre_output *out);

/* Bytes written so far; -1 where the target is no regular file. */
int64_t torre_output_position(torre_output *out);

/* The name that the file has at present: temporary, published or given. */
const char *torre_output_now(const torre_output *out);

/* From now on what was written stays under its temporary name where it is not committed: somebody
 * counts on it. */
void torre_output_keep(torre_output *out);

/*
 * Go on with a file that is there, of which so many bytes are kept, in place of the one that was
 * opened: what a killed process has left under a temporary name, or what it has published. Its name
 * stays until commit, and without one it is kept.
 */
torre_status torre_output_adopt(torre_output *out, const char *file, int64_t bytes);

/* Append the content of a file. TORRE_ERR_INPUT when that cannot be read. */
torre_status torre_output_append_file(torre_output *out, const char *path);

/*
 * Commit is to return once the file and its name are on the disk, where a power failure leaves
 * them: for what later work relies on. Takes some milliseconds of a disk.
 */
void torre_output_make_durable(torre_output *out);

/* The names in the folder of a file reach the disk; else torre_fail_errno. */
torre_status torre_output_sync_folder(const char *path);

/* The path as the user gave it, for messages. */
const char *torre_output_path(const torre_output *out);

/*
 * The name of the temporary file, for libraries that open files themselves; the stream must not be
 * used then. NULL when the target is not a regular file.
 */
const char *torre_output_temporary(const torre_output *out);

/*
 * For logs, which grow during a run: what has been written so far is there under the final name
 * from now on, also if the program is killed. Call it after every whole row. On failure
 * torre_fail_errno.
 */
torre_status torre_output_publish(torre_output *out);

/*
 * Flush, close and rename; frees out in any case. On failure (torre_fail_errno, e.g. no space left)
 * nothing is left under either name, except what stood under the target's name before, what was
 * published, or, where but the folder could not be synced, the complete file.
 */
torre_status torre_output_commit(torre_output *out);

/*
 * Remove the temporary file (what was published stays) and free out; NULL is fine. A file that
 * cannot be removed is named in the text of the failure that brought this about (torre_fail_also).
 */
void torre_output_discard(torre_output *out);

/* Commit if status is TORRE_OK, else discard, and return what it came to; *out becomes NULL. */
torre_status torre_output_finish(torre_output **out, torre_status status);

/* Whether a file can be written there, later; leaves nothing. */
torre_status torre_output_try(const char *path);

/* Remove what processes that were killed have left beside path; nobody else may be writing it. */
void torre_output_remove_stale(const char *path);

/* Remove every temporary file there is; nothing can be committed then. For a process that ends. */
torre_status torre_output_remove_unfinished(void);

/*
 * Whether two paths lead to one regular file, which may not exist yet, however they are spelt (as
 * "u.npy" and "./u.npy", or through a symbolic link). Two devices or pipes count as two files.
 */
bool torre_output_same(const char *a, const char *b);

/*
 * Make sure that the directory exists (created with its parents where missing) and that files can
 * be made in it. TORRE_ERR_INPUT otherwise.
 */
torre_status torre_output_directory(const char *path);

#ifdef __cplusplus
}
#endif

#endif
