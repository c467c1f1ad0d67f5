/*
 * Receivers of a whole that is computed in parts (part.h). Solvers of parts whose programs sum
 * (torre_wave_program_sums) add up those of which they have recorded all nodes in a step; of others
 * they hand over the nodes. Here all of that comes together: where all nodes are there they are
 * added up as traces.h says, to the same bits.
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

/* Sums of some receivers of the whole, or values of some nodes, at steps from `first` on, of shape
 * (steps, count); all ones are of other parts. */
typedef struct torre_part_rows {
    int64_t first, steps, count;
    const int64_t *number; /* of the receiver or node, [count] */
    const void *values;
} torre_part_rows;

/* To an array of shape (steps, all) that begins at step 0, in elements of so many bytes. */
void torre_part_rows_scatter(const torre_part_rows *rows, int64_t all, int width, void *array);

typedef struct torre_part_sums torre_part_sums;

/* Of a whole with receivers, which must outlive it. Free with _free; NULL is fine. */
torre_status torre_part_sums_new(const torre_wave_setup *whole, torre_part_sums **sums);
void torre_part_sums_free(torre_part_sums *sums);

/* Other steps begin, whose sums are to go to samples of shape (steps, receivers). NULL: nowhere;
 * what comes is kept as it is, for torre_part_sums_kept. */
void torre_part_sums_begin(torre_part_sums *sums, void *samples);

/* From any thread; each record of one receiver and step. TORRE_ERR_RESOURCE without memory. */
torre_status torre_part_sums_put(torre_part_sums *sums, const torre_part_rows *rows);
torre_status torre_part_sums_add(torre_part_sums *sums, const torre_part_records *records);

/* Nothing more comes: those that still lack some are added up as they are (a value may be all
 * ones). */
void torre_part_sums_finish(torre_part_sums *sums);

/* What has come since begin without samples, of steps after one another; valid until more does. */
typedef struct torre_part_kept {
    torre_part_rows rows; /* without their numbers */
    torre_part_records records;
} torre_part_kept;
torre_part_kept torre_part_sums_kept(const torre_part_sums *sums);

/* What else is to be done with that, if anything, which a solver of a part calls once in each pass,
 * after the pass before has come, while its device computes. */
typedef torre_status torre_part_beside(void *context);
void torre_part_sums_beside(torre_part_sums *sums, torre_part_beside *beside, void *context);
torre_status torre_part_sums_go_beside(const torre_part_sums *sums);

/* Receivers of the whole of which a part stores some node, in ascending order: *count of them, free
 * *numbers, with an error, too. */
torre_status torre_part_receivers(const torre_wave_setup *part, int64_t *count, int64_t **numbers);

#endif
