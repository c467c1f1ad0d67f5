/*
 * Picture of a plane of a wave field: signed colours (color_map.h) over the velocity model in grey
 * (white slow, grey fast), interpolated smoothly between cells, pixels as wide as high in metres.
 */
#ifndef TORRE_FIELD_PICTURE_H
#define TORRE_FIELD_PICTURE_H

#include "io/png_image.h"
#include "torre/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A plane: the first axis goes to the right, the second one downwards. Memory is the caller's. */
typedef struct torre_plane {
    int64_t size[2];
    double spacing[2]; /* metres */
    torre_precision precision;
    const void *cells;        /* field, shape size, C order */
    const double *velocity;   /* m/s, same shape; NULL for a plain background */
    double velocity_range[2]; /* of the whole model, for the same grey in all pictures */
    double per_metre;         /* pixels; 0, and where a cell would have less than one: choose */
} torre_plane;

/* Weaker values are lifted, |u / scale|^TORRE_PLANE_LIFT, so that faint waves can be seen. */
#define TORRE_PLANE_LIFT 0.6

/* Background (color_map.h) of a velocity, 0 the slowest and 1 the fastest of the model. */
static inline double torre_plane_grey(double share) { return 0.06 + 0.94 * share; }

/* The share of values (exact zeros left out) below that in full colour, so that a few strong cells
 * do not hide the rest. */
#define TORRE_PLANE_COLORED 0.995

/* The value in full colour that suits the plane by itself; 0 for a plane of zeros. */
torre_status torre_plane_scale(const torre_plane *plane, double *scale);

/* Width and height of the picture that torre_plane_draw makes, and its bytes (from size, spacing
 * and per_metre alone). */
void torre_plane_pixels(const torre_plane *plane, int pixels[2]);
int64_t torre_plane_picture_bytes(const torre_plane *plane);

/*
 * Draw: 1000 to 2000 pixels along the longer side for small planes, unless per_metre says how many,
 * one pixel a cell for large ones, at most 8192. scale: what is shown in full colour (<= 0: an
 * empty field). TORRE_ERR_RESOURCE without memory.
 */
torre_status torre_plane_draw(const torre_plane *plane, double scale, torre_image *image);

#ifdef __cplusplus
}
#endif

#endif
