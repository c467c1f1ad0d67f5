/* Of which run a checkpoint is: a record (io/record.h), the chunk "problem". */
#ifndef TORRE_CHECKPOINT_IDENTITY_H
#define TORRE_CHECKPOINT_IDENTITY_H

#include "io/checkpoint_file.h"
#include "io/record.h"

void torre_checkpoint_identity_write(torre_checkpoint_writer *writer, const torre_record *record);

/* TORRE_ERR_INPUT: that of another run, of which the text names the first member that differs. */
torre_status torre_checkpoint_identity_check(torre_checkpoint *checkpoint, const char *path,
                                             const torre_record *wanted);

#endif
