/* Traces over time and offset: wiggles of a few, grey levels of many. */
#include <math.h>
#include <stdio.h>

#include "figure/figure.h"
#include "figure/frame.h"
#include "io/seismogram.h"

enum { ROWS = 600 };

static void lay_out(const torre_figure_about *about, int64_t traces, double size[2])
{
    int pixels[2];
    const int zoom = (int)about->scale;
    torre_seismogram_pixels(traces, ROWS, zoom, pixels);
    for (int a = 0; a < 2; a++) size[a] = pixels[a] / about->scale;
    size[0] = fmin(size[0], TORRE_FRAME_WIDTH + 2 * TORRE_SEISMOGRAM_MARGIN / about->scale);
}

int64_t torre_figure_gather_bytes(const torre_figure_about *about, int64_t traces)
{
    double size[2], sheet[2];
    lay_out(about, traces, size);
    torre_frame_sheet(size, 0, sheet);
    return torre_seismogram_bytes(traces, ROWS, (int)about->scale) +
           torre_canvas_bytes(sheet[0], sheet[1], about->scale);
}

static double product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double distance(const torre_point *a, const torre_point *b)
{
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = a->position[k] - b->position[k];
    return sqrt(product(d, d));
}

/* Where a point is along the line from the first receiver to the last, up to a factor. */
static double along(const torre_gather *g, const torre_point *p)
{
    double line[3];
    for (int k = 0; k < 3; k++)
        line[k] = g->receivers[g->traces - 1].position[k] - g->receivers[0].position[k];
    return product(line, p->position);
}

/* Metres from the source, negative before it on the line of the receivers; without a source from
 * the first receiver. */
static double offset_of(const torre_gather *g, bool source, int64_t i)
{
    const torre_point *p = &g->receivers[i];
    if (!source) return distance(p, &g->receivers[0]);
    return copysign(distance(p, &g->source), along(g, p) - along(g, &g->source));
}

/* Whether offsets grow evenly, so that an axis has them; else traces are counted. */
static bool evenly(const torre_gather *g, bool source, double *first, double *step)
{
    *first = offset_of(g, source, 0);
    *step = g->traces > 1 ? (offset_of(g, source, g->traces - 1) - *first) / (double)(g->traces - 1)
                          : 0;
    for (int64_t i = 0; i < g->traces; i++) {
        const double line = *first + (double)i * *step;
        if (fabs(offset_of(g, source, i) - line) > fabs(*step) / 2) return false;
    }
    return *step != 0;
}

static torre_figure_axis trace_axis(const torre_gather *g, bool source, double width, double margin)
{
    torre_figure_axis a = {.label = "trace"};
    double first = 1, step = 1;
    if (evenly(g, source, &first, &step)) {
        a.label = source ? "offset from the source" : "distance from the first receiver";
        a.unit = "m";
    } else {
        first = step = 1;
    }
    const double pitch = (width - 2 * margin) / (double)g->traces; /* trace i at (i + 0.5) pitch */
    a.low = first;
    a.high = first + (double)(g->traces - 1) * step;
    a.from = first - (0.5 + margin / pitch) * step;
    a.to = a.high + (0.5 + margin / pitch) * step;
    return a;
}

torre_status torre_figure_gather(const torre_figure_about *about, const torre_gather *g,
                                 torre_image *image)
{
    double size[2], scale;
    char gain[160];
    torre_image raster;
    torre_figure_frame f;
    lay_out(about, g->traces, size);
    TORRE_TRY(torre_seismogram_scale(g, &scale));
    const bool wiggles = g->traces <= TORRE_SEISMOGRAM_WIGGLES;
    snprintf(gain, sizeof gain, "%s; true relative amplitudes, cut at \302\261%.3g (%.3g %% point)",
             wiggles ? "wiggles, positive filled" : "density \342\210\235 |u|^0.6, positive black",
             scale, 100 * torre_seismogram_cut(g->traces));
    TORRE_TRY(torre_seismogram_draw(g, scale, ROWS, (int)about->scale, &raster));
    torre_status status = torre_frame_begin(size, 0, about->scale, about->subject, gain, &f);
    if (status) {
        torre_image_free(&raster);
        return status;
    }
    torre_canvas_picture(f.canvas, &raster, f.at, f.size);
    double margin[2] = {TORRE_SEISMOGRAM_MARGIN * f.size[0] / raster.width,
                        TORRE_SEISMOGRAM_MARGIN * f.size[1] / raster.height};
    torre_image_free(&raster);
    const torre_figure_axis traces = trace_axis(g, about->source_count > 0, f.size[0], margin[0]);
    const double last = (double)(g->samples - 1) * g->dt;
    const double beyond = margin[1] / (f.size[1] - 2 * margin[1]) * last;
    torre_frame_edges(&f);
    torre_frame_axis(&f, 0, &traces);
    torre_frame_axis(
        &f, 1,
        &(torre_figure_axis){
            .from = -beyond, .to = last + beyond, .high = last, .label = "time", .unit = "s"});
    return torre_canvas_finish(f.canvas, TORRE_OK, image);
}
