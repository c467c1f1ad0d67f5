/*
 * Picture of a shot gather, time downwards, receivers from left to right: wiggles with filled peaks
 * for up to 80 traces, grey levels (black positive) for more. Columns keep their amplitudes
 * relative to each other. What is stronger than the 98 % point of all samples (99.8 % for wiggles,
 * which may overlap) is cut; in grey levels weak arrivals are lifted (|u|^0.6).
 */
#ifndef TORRE_SEISMOGRAM_H
#define TORRE_SEISMOGRAM_H

#include "io/gather.h"
#include "io/png_image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the picture of that many traces. */
int64_t torre_seismogram_bytes(int64_t traces);

/* Draw a gather of at least one trace; TORRE_ERR_RESOURCE without memory. */
torre_status torre_seismogram_draw(const torre_gather *gather, torre_image *image);

#ifdef __cplusplus
}
#endif

#endif
