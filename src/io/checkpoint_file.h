/*
 * Checkpoints: files of named chunks, complete or not there, in which no damage goes unnoticed.
 *
 *     16 bytes      "TORRE STATE 001\n"
 *     chunks        name (20 bytes, zeros after it), CRC-32C of name and size, size (8 bytes);
 *                   so many bytes; their CRC-32C
 *     the last one  "end": the number of chunks before it
 *
 * Numbers are those of the machine, little-endian.
 *
 * A file is written beside its place and put on the disk before it is renamed; the one that it
 * replaces keeps its content under another name, FILE.1. So there is a whole one at every moment,
 * also if the power fails.
 */
#ifndef TORRE_CHECKPOINT_FILE_H
#define TORRE_CHECKPOINT_FILE_H

#include <stdint.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_CHUNK_NAME = 20 };

typedef struct torre_checkpoint_writer torre_checkpoint_writer;

/* "FILE.1", in new memory; NULL without any. */
char *torre_checkpoint_before(const char *path);

/* Before the work begins: whether files can be written there. A file belongs to one run: what
 * killed ones have left beside it is removed. */
torre_status torre_checkpoint_try(const char *path);

torre_status torre_checkpoint_create(const char *path, torre_checkpoint_writer **writer);

/* Begin a chunk of so many bytes, which _put then writes, in as many pieces as is convenient. Names
 * are literals, each once in a file, at most 19 characters. */
void torre_checkpoint_begin(torre_checkpoint_writer *writer, const char *name, int64_t bytes);
void torre_checkpoint_put(torre_checkpoint_writer *writer, const void *data, int64_t bytes);

/* Both at once. */
void torre_checkpoint_chunk(torre_checkpoint_writer *writer, const char *name, const void *data,
                            int64_t bytes);

/*
 * Where status is TORRE_OK, complete the file, keep the one before as FILE.1 and return once both
 * are on the disk; else leave all as it was. Returns what it came to, with the text of any write
 * that failed. Frees the writer.
 */
torre_status torre_checkpoint_finish(torre_checkpoint_writer *writer, torre_status status);

typedef struct torre_checkpoint torre_checkpoint;

/*
 * Open a file and look at every byte of it. TORRE_ERR_INPUT names the chunk that is damaged, and
 * whether there is a file FILE.1.
 */
torre_status torre_checkpoint_open(const char *path, torre_checkpoint **checkpoint);
void torre_checkpoint_close(torre_checkpoint *checkpoint); /* NULL is fine */

/* Bytes of the chunk of that name; -1: there is none. */
int64_t torre_checkpoint_bytes(const torre_checkpoint *checkpoint, const char *name);

/* The next bytes of a chunk, from its beginning on. TORRE_ERR_INPUT where there are not so many. */
torre_status torre_checkpoint_get(torre_checkpoint *checkpoint, const char *name, void *data,
                                  int64_t bytes);

/* TORRE_ERR_INPUT unless the chunk is there and has so many bytes. */
torre_status torre_checkpoint_expect(const torre_checkpoint *checkpoint, const char *name,
                                     int64_t bytes);

/* A whole chunk. */
torre_status torre_checkpoint_read(torre_checkpoint *checkpoint, const char *name, void *data,
                                   int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
