/* What is in a SEG-Y or SU file: the range of every header field that is not zero throughout. */
#ifndef TORRE_SEGY_SUMMARY_H
#define TORRE_SEGY_SUMMARY_H

#include "io/segy_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A field of the trace headers. Coordinates, elevations and delays have their scalars applied. */
typedef struct torre_segy_range {
    const char *name; /* as Seismic Unix calls it: "sx" */
    const char *text; /* in words, with the unit */
    double low, high, first, last;
} torre_segy_range;

typedef struct torre_segy_summary {
    const char *kind; /* "SEG-Y revision 1", "SU" */
    int64_t traces, samples;
    double dt;   /* seconds */
    bool floats; /* samples are floats, whose range is: */
    double low, high;
    int64_t not_finite; /* samples */
    torre_segy_range field[TORRE_SEGY_FIELDS];
    int fields;
} torre_segy_summary;

/* Read all of a file; su: Seismic Unix, of either byte order. TORRE_ERR_INPUT: path and reason;
 * TORRE_ERR_USAGE where segyio is not in this build. */
torre_status torre_segy_summarize(const char *path, bool su, torre_segy_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
