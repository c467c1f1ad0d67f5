/* Pictures of curves: two-dimensional ones flat, three-dimensional ones in parallel projection. */
#ifndef TORRE_CURVE_PICTURE_H
#define TORRE_CURVE_PICTURE_H

#include "core/status.h"
#include "tiling/ordering.h"

#define TORRE_CURVE_DRAW_MAX (INT64_C(1) << 20) /* more would be smaller than pixels */

/*
 * Draw the path (path[rank] = row-major index of the cell) from blue over green to red, the first
 * cell with a ring. Steps of more than one cell are thin and grey. Rows of a plane run downwards as
 * in a matrix; in space the first axis runs to the lower left, the second to the lower right, the
 * third upwards, and what is nearer covers what is behind it.
 */
torre_status torre_curve_draw(const torre_ordering *o, const int64_t *path, const char *title,
                              const char *file);

#endif
