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

/* Pixels around the data on all sides; up to so many traces are wiggles. */
enum { TORRE_SEISMOGRAM_MARGIN = 12, TORRE_SEISMOGRAM_WIGGLES = 80 };

/* Width and height of the picture of that many traces, and its bytes. rows: pixels of its height,
 * 0: 900; zoom: a factor on those and on the width. */
void torre_seismogram_pixels(int64_t traces, int rows, int zoom, int pixels[2]);
int64_t torre_seismogram_bytes(int64_t traces, int rows, int zoom);

/* The share of the samples that is not cut, and the value at which the others are; 0: all are 0. */
double torre_seismogram_cut(int64_t traces);
torre_status torre_seismogram_scale(const torre_gather *gather, double *scale);

/* Draw a gather of at least one trace; TORRE_ERR_RESOURCE without memory. */
torre_status torre_seismogram_draw(const torre_gather *gather, double scale, int rows, int zoom,
                                   torre_image *image);

#ifdef __cplusplus
}
#endif

#endif
