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

/* Field at fractional cell coordinates; beyond the edge the edge value goes on. */
static double smooth(const torre_plane *p, double x, double y)
{
    double wx[4], wy[4], sum = 0;
    int64_t ix = cubic(x, wx), iy = cubic(y, wy);
    for (int i = 0; i < 4; i++) {
        int64_t row = clamp(ix + i, p->size[0]) * p->size[1];
        for (int j = 0; j < 4; j++)
            sum += wx[i] * wy[j] *
                   torre_value(p->precision, p->cells, row + clamp(iy + j, p->size[1]));
    }
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

torre_status torre_plane_draw(const torre_plane *p, double scale, torre_image *image)
{
    double per_metre = resolution(p);
    int pixels[2];
    torre_plane_pixels(p, pixels);
    torre_color_map *map = malloc(sizeof *map);
    if (!map) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture");
    torre_status status = torre_image_new(pixels[0], pixels[1], image);
    if (status) {
        free(map);
        return status;
    }
    torre_color_map_make(map);
#pragma omp parallel for
    for (int j = 0; j < pixels[1]; j++) {
        for (int i = 0; i < pixels[0]; i++) {
            double x = (i + 0.5) / (p->spacing[0] * per_metre) - 0.5;
            double y = (j + 0.5) / (p->spacing[1] * per_metre) - 0.5;
            double v = scale > 0 ? smooth(p, x, y) / scale : 0;
            v = copysign(pow(fabs(v), TORRE_PLANE_LIFT), v);
            torre_color_map_pixel(map, v, grey(p, x, y), torre_image_at(image, i, j));
        }
    }
    free(map);
    return TORRE_OK;
}
