/*
 * The shots of a survey as the trace headers of a SEG-Y or SU file have them: a shot is a row of
 * traces with the same number (fldr, or ep where that is 0), each with the source (sx, sy, depth
 * sdepth below elevation selev) and a receiver (gx, gy, elevation gelev). z counts downwards from
 * elevation 0. The delay of recording, delrt, is minus that of the source.
 */
#ifndef TORRE_SHOT_GEOMETRY_H
#define TORRE_SHOT_GEOMETRY_H

#include "io/point_list.h"
#include "io/segy_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a file is one of trace headers, by its ending: .sgy, .segy, .su. */
bool torre_shot_geometry_is(const char *path);

typedef struct torre_shot_geometry {
    torre_segy_reader reader;
    int64_t next;                   /* trace */
    double head[TORRE_SEGY_FIELDS]; /* of it */
    /* the shot that was read last: */
    int64_t number, trace; /* its first trace, from 1 on */
    torre_point source;
    double delay;               /* seconds */
    torre_point_list receivers; /* whoever takes them leaves it zero */
} torre_shot_geometry;

/* TORRE_ERR_INPUT: path and reason, as of the next one; TORRE_ERR_USAGE without segyio. Close in
 * any case. */
torre_status torre_shot_geometry_open(const char *path, torre_shot_geometry *geometry);

/* Read the next shot; *more is false after the last. */
torre_status torre_shot_geometry_next(torre_shot_geometry *geometry, bool *more);

void torre_shot_geometry_close(torre_shot_geometry *geometry);

#ifdef __cplusplus
}
#endif

#endif
