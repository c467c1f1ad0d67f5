/*
 * Seismic traces for other programs: SEG-Y (.sgy, .segy) and Seismic Unix (.su).
 *
 * SEG-Y: revision 1, big-endian, IEEE floats (format 5). SU: the same trace headers without the
 * file header, in the little-endian form that SU on today's machines reads. Trace headers hold
 * numbers of trace, shot (field record, source point) and channel, samples, interval, source and
 * receiver position (in millimetres: scalar -1000; depth z counts downwards), offset, and the delay
 * of recording, which is minus that of the source, in milliseconds (in SEG-Y with a scalar). Both
 * formats keep the interval as whole microseconds and the number of samples in 16 bits, and
 * coordinates reach 2,147,483.647 m: what does not fit is refused, never cut. (segyio stays inside
 * segy.c and segy_reader.c; a build without it refuses by name.)
 */
#ifndef TORRE_SEGY_H
#define TORRE_SEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "io/gather.h"
#include "io/output_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether this build can write SEG-Y and SU. */
bool torre_segy_is_built(void);

/* The refusal of one that cannot: TORRE_ERR_USAGE. */
torre_status torre_segy_not_built(void);

/*
 * Check, before a run, that a gather fits (values is not looked at): TORRE_ERR_USAGE for more than
 * 32767 samples, an interval that is not 1 .. 32767 whole microseconds (to 1e-6 of one), with the
 * nearest interval that fits, a position beyond the range of coordinates, or a delay of more digits
 * than there is room for; also when segyio is not in this build.
 */
torre_status torre_segy_check(const torre_gather *gather, bool su);

/* Check, before a run, that segyio can write there: TORRE_ERR_INPUT unless it is a regular file. */
torre_status torre_segy_check_output(const torre_output *out);

/*
 * Write gathers, one after the other, all of the same samples, into the temporary file of an opened
 * output (a regular file), which stays the caller's to commit or discard. su: Seismic Unix instead
 * of SEG-Y. TORRE_ERR_INPUT when it cannot be written, or when the largest value would overflow
 * 4-byte floats or lose digits near their zero. close frees the writer in any case; NULL is fine.
 */
typedef struct torre_segy_writer torre_segy_writer;
torre_status torre_segy_open(torre_output *out, bool su, torre_segy_writer **writer);
torre_status torre_segy_add(torre_segy_writer *writer, const torre_gather *gather);
torre_status torre_segy_close(torre_segy_writer *writer);

/* All of it for a single gather. */
torre_status torre_segy_encode(const torre_gather *gather, bool su, torre_output *out);

#ifdef __cplusplus
}
#endif

#endif
