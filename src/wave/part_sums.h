/*
 * Receivers that lie in several parts of a whole (part.h). Solvers of parts whose programs sum
 * (torre_wave_program_sums) add up those of which they have recorded all nodes in a step; of others
 * they hand over the nodes. Here these come together with those of other parts, and where all are
 * there they are added up as traces.h says, to the same bits.
 */
#ifndef TORRE_PART_SUMS_H
#define TORRE_PART_SUMS_H

#include "wave/setup.h"

/* A receiver of the whole, and a step, counted from those of torre_part_sums_begin. */
typedef struct torre_part_record {
    int32_t receiver, step;
} torre_part_record;

/* Records: values of nodes of a receiver at a step in the problem's precision, row-major by its
 * taps along x, y and z, as pressure; all ones are of other parts. Values of a record are row_bytes
 * after those of the one before. */
typedef struct torre_part_records {
    int64_t count, row_bytes;
    const torre_part_record *which;
    const void *values;
} torre_part_records;

typedef struct torre_part_sums torre_part_sums;

/* Of a whole with receivers, which must outlive it. Free with _free; NULL is fine. */
torre_status torre_part_sums_new(const torre_wave_setup *whole, torre_part_sums **sums);
void torre_part_sums_free(torre_part_sums *sums);

/* Other steps begin, whose sums are to go to samples of shape (steps, receivers). NULL: nowhere;
 * records are kept as they are, for torre_part_sums_records. */
void torre_part_sums_begin(torre_part_sums *sums, void *samples);

/* From any thread; each of one receiver and step. TORRE_ERR_RESOURCE without memory. */
torre_status torre_part_sums_add(torre_part_sums *sums, const torre_part_records *records);

/* Nothing more comes: those that still lack some are added up as they are (a value may be all
 * ones). */
void torre_part_sums_finish(torre_part_sums *sums);

/* What has been added since begin without samples; valid until more is. */
torre_part_records torre_part_sums_records(const torre_part_sums *sums);

/* Receivers of the whole of which a part stores some node, in ascending order: *count of them, free
 * *numbers, with an error, too. */
torre_status torre_part_receivers(const torre_wave_setup *part, int64_t *count, int64_t **numbers);

#endif
