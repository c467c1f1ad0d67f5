/*
 * Scratch files: bytes that a run keeps on a disk as long as it lasts, at places of its choice.
 *
 * Nobody else sees them: the file has no name (or loses it at once), so that nothing is left
 * however the process ends. Its space is taken at the beginning where the file system can do that:
 * a disk that is too full shows before the work. Threads may read and write at the same time, other
 * places.
 */
#ifndef TORRE_SCRATCH_FILE_H
#define TORRE_SCRATCH_FILE_H

#include <stdint.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_scratch torre_scratch;

/* A file of so many bytes, all zero, in a directory. TORRE_ERR_INPUT: the directory, and why. */
torre_status torre_scratch_new(const char *directory, int64_t bytes, torre_scratch **scratch);

/* NULL is fine. */
void torre_scratch_free(torre_scratch *scratch);

/* Copy bytes from the place `at`, or to it. TORRE_ERR_INPUT: the directory, and why. */
torre_status torre_scratch_read(torre_scratch *scratch, int64_t at, void *to, int64_t bytes);
torre_status torre_scratch_write(torre_scratch *scratch, int64_t at, const void *from,
                                 int64_t bytes);

/* These bytes will be read soon: fetch them meanwhile. */
void torre_scratch_expect(torre_scratch *scratch, int64_t at, int64_t bytes);

/* Wait until the disk has what was written, and let the system forget it where it can. For
 * measuring: a run does not need it. */
torre_status torre_scratch_settle(torre_scratch *scratch);

/* All bytes zero again. */
torre_status torre_scratch_clear(torre_scratch *scratch);

#ifdef __cplusplus
}
#endif

#endif
