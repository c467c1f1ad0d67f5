#include "io/field_picture.h"

#include <math.h>
#include <stdlib.h>

#include "core/array_value.h"
#include "io/color_map.h"
#include "io/percentile.h"

enum { COMFORTABLE = 1000, LARGEST = 8192 };

torre_status torre_plane_scale(const torre_plane *p, double *scale)
{
    return torre_percentile(p->precision, p->cells, p->size[0] * p->size[1], TORRE_PLANE_COLORED,
                            scale);
}

/* Catmull-Rom weights of the four cells around a position, and the first of them. */
static int64_t cubic(double x, double w[4])
{
    double whole = floor(x), t = x - whole;
    w[0] = t * (-0.5 + t * (1 - 0.5 * t));
    w[1] = 1 + t * t * (-2.5 + 1.5 * t);
    w[2] = t * (0.5 + t * (2 - 1.5 * t));
    w[3] = t * t * (-0.5 + 0.5 * t);
    return (int64_t)whole - 1;
}

static int64_t clamp(int64_t i, int64_t n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* The four cells along an axis around the middle of a pixel, beyond the edge that of the edge. */
typedef struct nearby {
    double weight[4];
    int64_t cell[4];
} nearby;

/* Cell coordinate of the middle of pixel i along an axis. */
static double middle(const torre_plane *p, int axis, double per_metre, int i)
{
    return (i + 0.5) / (p->spacing[axis] * per_metre) - 0.5;
}

static void cells_near(const torre_plane *p, int axis, double x, nearby *near)
{
    const int64_t first = cubic(x, near->weight);
    for (int i = 0; i < 4; i++) near->cell[i] = clamp(first + i, p->size[axis]);
}

/* Field there. */
static inline double smooth(const torre_plane *p, torre_precision precision, const nearby *x,
                            const nearby *y)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum += x->weight[i] * y->weight[j] *
                   torre_value(precision, p->cells, x->cell[i] * p->size[1] + y->cell[j]);
    return sum;
}

/* Velocity between the four cells around a position. */
static double velocity_at(const torre_plane *p, double x, double y)
{
    int64_t i = (int64_t)floor(x), j = (int64_t)floor(y), n = p->size[1];
    double s = x - floor(x), t = y - floor(y);
    const double *low = p->velocity + clamp(i, p->size[0]) * n;
    const double *high = p->velocity + clamp(i + 1, p->size[0]) * n;
    int64_t left = clamp(j, n), right = clamp(j + 1, n);
    return (1 - s) * ((1 - t) * low[left] + t * low[right]) +
           s * ((1 - t) * high[left] + t * high[right]);
}

/* Grey of the velocity at a position; 0 in constant media. */
static double grey(const torre_plane *p, double x, double y)
{
    double low = p->velocity_range[0], high = p->velocity_range[1];
    if (!p->velocity || !(high > low)) return 0;
    return torre_plane_grey((velocity_at(p, x, y) - low) / (high - low));
}

/* Pixels a metre, so that the picture is neither tiny nor huge, or, where they are enough for its
 * cells, as many as are wished. */
static double resolution(const torre_plane *p)
{
    double finest = fmin(p->spacing[0], p->spacing[1]), longest = 0;
    for (int a = 0; a < 2; a++) longest = fmax(longest, (double)p->size[a] * p->spacing[a]);
    double per_cell = p->per_metre > 0 ? fmax(1, p->per_metre * finest)
                                       : fmax(1, ceil(COMFORTABLE / (longest / finest)));
    return fmin(per_cell / finest, LARGEST / longest);
}

void torre_plane_pixels(const torre_plane *p, int pixels[2])
{
    const double per_metre = resolution(p);
    for (int a = 0; a < 2; a++)
        pixels[a] = (int)fmax(1, round((double)p->size[a] * p->spacing[a] * per_metre));
}

int64_t torre_plane_picture_bytes(const torre_plane *p)
{
    int pixels[2];
    torre_plane_pixels(p, pixels);
    return (int64_t)3 * pixels[0] * pixels[1];
}

/* Row j of the pixels. column: the cells near each of it. */
static void draw_row(const torre_plane *p, double scale, double per_metre,
                     const torre_color_map *map, const nearby *column, int j, torre_image *image)
{
    const double y = middle(p, 1, per_metre, j);
    nearby row;
    cells_near(p, 1, y, &row);
    for (int i = 0; i < image->width; i++) {
        double v = 0;
        if (scale > 0)
            v = (p->precision == TORRE_F32 ? smooth(p, TORRE_F32, &column[i], &row)
                                           : smooth(p, TORRE_F64, &column[i], &row)) /
                scale;
        v = copysign(pow(fabs(v), TORRE_PLANE_LIFT), v);
        torre_color_map_pixel(map, v, grey(p, middle(p, 0, per_metre, i), y),
                              torre_image_at(image, i, j));
    }
}

torre_status torre_plane_draw(const torre_plane *p, double scale, torre_image *image)
{
    const double per_metre = resolution(p);
    int pixels[2];
    torre_plane_pixels(p, pixels);
    torre_color_map *map = malloc(sizeof *map);
    nearby *column = malloc((size_t)pixels[0] * sizeof *column);
    torre_status status = map && column
                              ? torre_image_new(pixels[0], pixels[1], image)
                              : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture");
    if (!status) {
        torre_color_map_make(map);
        for (int i = 0; i < pixels[0]; i++)
            cells_near(p, 0, middle(p, 0, per_metre, i), &column[i]);
#pragma omp parallel for
        for (int j = 0; j < pixels[1]; j++) draw_row(p, scale, per_metre, map, column, j, image);
    }
    free(column);
    free(map);
    return status;
}
