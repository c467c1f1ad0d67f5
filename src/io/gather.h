/* Traces of one shot, as seismograms and seismic formats take them. */
#ifndef TORRE_GATHER_H
#define TORRE_GATHER_H

#include "torre/wave.h"

/* One shot. Everything belongs to the caller. */
typedef struct torre_gather {
    int64_t traces, samples;      /* per trace */
    double dt;                    /* seconds between samples */
    torre_precision precision;    /* of values */
    const void *values;           /* shape (traces, samples) */
    const torre_point *receivers; /* [traces] */
    torre_point source;           /* position of the first source */
    int64_t shot;                 /* its number, 1 .. 2^31 - 1; 0: there is only one */
    double delay;                 /* seconds from the first sample to the beginning of the source */
} torre_gather;

#endif
