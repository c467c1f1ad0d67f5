#include "io/seismogram.h"

#include <math.h>

#include "core/array_value.h"
#include "io/percentile.h"

enum { HEIGHT = 900, WIDTH = 900, MAX_WIDTH = 8192, WIGGLE = 24 };
enum { MARGIN = TORRE_SEISMOGRAM_MARGIN, MAX_WIGGLES = TORRE_SEISMOGRAM_WIGGLES };

static double sample(const torre_gather *g, int64_t trace, int64_t n)
{
    return torre_value(g->precision, g->values, trace * g->samples + n);
}

/* Sample at a fractional time index, between two neighbours. */
static double sample_between(const torre_gather *g, int64_t trace, double n)
{
    if (n < 0) n = 0;
    int64_t i = (int64_t)n;
    if (i >= g->samples - 1) return sample(g, trace, g->samples - 1);
    double t = n - (double)i;
    return (1 - t) * sample(g, trace, i) + t * sample(g, trace, i + 1);
}

static void set_grey(const torre_image *image, int x, int y, double ink)
{
    ink = ink > 1 ? 1 : ink > 0 ? ink : 0;
    uint8_t level = (uint8_t)lrint(252 - 240 * ink);
    uint8_t *pixel = torre_image_at(image, x, y);
    if (level < pixel[0]) pixel[0] = pixel[1] = pixel[2] = level;
}

static void clear(const torre_image *image)
{
    for (int64_t i = 0; i < 3 * (int64_t)image->width * image->height; i++) image->rgb[i] = 252;
}

/* Time index of the middle of a pixel row of so many. */
static double row_time(const torre_gather *g, double row, int rows)
{
    return row / (rows - 1) * (double)(g->samples - 1);
}

static int rows_of(const torre_image *image) { return image->height - 2 * MARGIN; }

/* Length of what the intervals lo .. hi and x .. x + 1 share. */
static double overlap(double lo, double hi, double x)
{
    double length = fmin(hi, x + 1) - fmax(lo, x);
    return length > 0 ? length : 0;
}

/* One row of one wiggle around column `centre`: the line from its place half a row up to half a row
 * down, and the area between zero and a positive deflection. */
static void draw_wiggle_row(const torre_gather *g, const torre_image *image, int64_t trace, int row,
                            double centre, double reach, double scale)
{
    double lo = INFINITY, hi = -INFINITY, middle = 0;
    for (int part = -2; part <= 2; part++) {
        double v = sample_between(g, trace, row_time(g, row + part / 4.0, rows_of(image))) / scale;
        double x = centre + reach * fmax(-1, fmin(1, v));
        if (part == 0) middle = x;
        lo = fmin(lo, x);
        hi = fmax(hi, x);
    }
    lo -= 0.6;
    hi += 0.6;
    double fill = fmax(middle, centre);
    int from = (int)floor(fmin(lo, centre)), to = (int)ceil(fmax(hi, fill));
    for (int x = from; x <= to; x++) {
        if (x < 0 || x >= image->width) continue;
        double ink = 0.85 * overlap(lo, hi, x) + overlap(centre, fill, x);
        if (ink > 0) set_grey(image, x, row + MARGIN, ink);
    }
}

static void draw_wiggles(const torre_gather *g, const torre_image *image, double scale)
{
    double pitch = (double)(image->width - 2 * MARGIN) / (double)g->traces;
#pragma omp parallel for
    for (int row = 0; row < rows_of(image); row++)
        for (int64_t t = 0; t < g->traces; t++)
            draw_wiggle_row(g, image, t, row, MARGIN + ((double)t + 0.5) * pitch, 1.5 * pitch,
                            scale);
}

static void draw_levels(const torre_gather *g, const torre_image *image, double scale)
{
    int columns = image->width - 2 * MARGIN;
#pragma omp parallel for
    for (int row = 0; row < rows_of(image); row++) {
        for (int x = 0; x < columns; x++) {
            double at = ((double)x + 0.5) / columns * (double)g->traces - 0.5;
            int64_t left = (int64_t)floor(fmax(0, at));
            int64_t right = left + 1 < g->traces ? left + 1 : left;
            double t = fmax(0, at - (double)left), n = row_time(g, row, rows_of(image));
            double v = (1 - t) * sample_between(g, left, n) + t * sample_between(g, right, n);
            v = copysign(pow(fmin(1, fabs(v) / scale), 0.6), v);
            set_grey(image, x + MARGIN, row + MARGIN, 0.5 + 0.5 * v);
        }
    }
}

/* Pixels between the margins. */
static int inner_width(int64_t traces, int zoom)
{
    const int64_t widest = (int64_t)WIDTH * zoom, each = (int64_t)WIGGLE * zoom;
    if (traces <= MAX_WIGGLES) return (int)(traces * each < widest ? traces * each : widest);
    if (traces <= widest) return (int)widest;
    return traces < MAX_WIDTH ? (int)traces : MAX_WIDTH;
}

void torre_seismogram_pixels(int64_t traces, int rows, int zoom, int pixels[2])
{
    pixels[0] = inner_width(traces, zoom) + 2 * MARGIN;
    pixels[1] = (rows ? rows : HEIGHT) * zoom + 2 * MARGIN;
}

int64_t torre_seismogram_bytes(int64_t traces, int rows, int zoom)
{
    int pixels[2];
    torre_seismogram_pixels(traces, rows, zoom, pixels);
    return (int64_t)3 * pixels[0] * pixels[1];
}

double torre_seismogram_cut(int64_t traces) { return traces <= MAX_WIGGLES ? 0.998 : 0.98; }

torre_status torre_seismogram_scale(const torre_gather *g, double *scale)
{
    return torre_percentile(g->precision, g->values, g->traces * g->samples,
                            torre_seismogram_cut(g->traces), scale);
}

torre_status torre_seismogram_draw(const torre_gather *g, double scale, int rows, int zoom,
                                   torre_image *image)
{
    int pixels[2];
    if (scale <= 0) scale = 1;
    torre_seismogram_pixels(g->traces, rows, zoom, pixels);
    TORRE_TRY(torre_image_new(pixels[0], pixels[1], image));
    clear(image);
    if (g->traces <= MAX_WIGGLES)
        draw_wiggles(g, image, scale);
    else
        draw_levels(g, image, scale);
    return TORRE_OK;
}
