/*
 * A sheet to draw on: lines, shapes, words, pictures. (FreeType stays inside
 * canvas.c: its letters, and its way to fill outlines smoothly.)
 *
 * Lengths are units, of which a canvas has `scale` pixels each; x to the right, y downwards from
 * the upper left corner. Colours are 0xRRGGBB. Failures are kept for torre_canvas_finish.
 */
#ifndef TORRE_CANVAS_H
#define TORRE_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "io/png_image.h"

typedef struct torre_canvas torre_canvas;

/* Where a text stands beside its point: it begins, has its middle, or ends there. */
typedef enum torre_canvas_side { TORRE_BEGIN, TORRE_MIDDLE, TORRE_END } torre_canvas_side;

typedef struct torre_canvas_words {
    double size; /* of the letters */
    uint32_t color;
    torre_canvas_side side;
    bool bold, upwards; /* upwards: turned, to be read from below */
} torre_canvas_words;

/* A white sheet. TORRE_ERR_RESOURCE. */
torre_status torre_canvas_new(double width, double height, double scale, torre_canvas **canvas);

/* Bytes that a canvas takes, which becomes the picture. */
int64_t torre_canvas_bytes(double width, double height, double scale);

/* A polygon of up to 12 points (x, y, x, y, ...), filled, and with edges where edge > 0. */
void torre_canvas_shape(torre_canvas *canvas, const double *points, int count, uint32_t color,
                        double edge, uint32_t edge_color);

/* A rectangle, filled. */
void torre_canvas_box(torre_canvas *canvas, const double corner[2], const double size[2],
                      uint32_t color);

/* A line of that width around one. */
void torre_canvas_frame(torre_canvas *canvas, const double corner[2], const double size[2],
                        double width, uint32_t color);

/* UTF-8, on a base line through the point. Returns how wide it is. */
double torre_canvas_text(torre_canvas *canvas, double x, double y, const torre_canvas_words *words,
                         const char *text);

/* A picture stretched into a rectangle: the mean of its pixels where there are fewer. */
void torre_canvas_picture(torre_canvas *canvas, const torre_image *picture, const double corner[2],
                          const double size[2]);

/*
 * The picture, where nothing failed (TORRE_ERR_RESOURCE otherwise); frees the canvas in any case.
 * With a status that is not TORRE_OK it only frees and returns that.
 */
torre_status torre_canvas_finish(torre_canvas *canvas, torre_status status, torre_image *image);

#endif
