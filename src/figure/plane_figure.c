/* A plane of a wave over the model, with its sources and receivers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure/figure.h"
#include "figure/frame.h"
#include "io/color_map.h"

/* The plane as it is drawn: with its resolution, and the room it takes on the sheet. */
typedef struct laid_out {
    torre_plane plane;
    double size[2];
    int bars;
} laid_out;

static bool has_model(const torre_plane *p)
{
    return p->velocity && p->velocity_range[1] > p->velocity_range[0];
}

static laid_out lay_out(const torre_figure_about *about, const torre_plane *plane)
{
    laid_out l = {.plane = *plane, .bars = has_model(plane) ? 2 : 1};
    double metres[2];
    int pixels[2];
    for (int a = 0; a < 2; a++) metres[a] = (double)plane->size[a] * plane->spacing[a];
    const double fit = torre_frame_fit(metres[0], metres[1]);
    l.plane.per_metre = fit * about->scale;
    torre_plane_pixels(&l.plane, pixels);
    /* to the pixel, unless there are more cells than pixels */
    for (int a = 0; a < 2; a++)
        l.size[a] = fmax(1, round(metres[a] * fit * about->scale)) / about->scale;
    return l;
}

int64_t torre_figure_plane_bytes(const torre_figure_about *about, const torre_plane *plane)
{
    const laid_out l = lay_out(about, plane);
    double sheet[2];
    torre_frame_sheet(l.size, l.bars, sheet);
    return torre_plane_picture_bytes(&l.plane) +
           torre_canvas_bytes(sheet[0], sheet[1], about->scale);
}

static void field_color(const void *context, double t, uint8_t rgb[3])
{
    torre_color_map_pixel(context, 2 * t - 1, 0, rgb);
}

static void model_color(const void *context, double t, uint8_t rgb[3])
{
    torre_color_map_pixel(context, 0, torre_plane_grey(t), rgb);
}

/* Zero, and a round value below the full colour and a tenth of it on both sides. */
static void field_bar(torre_figure_bar *bar, double scale)
{
    const double most = torre_frame_round(scale);
    const double value[] = {-most, -most / 10, 0, most / 10, most};
    for (int k = 0; k < 5; k++) {
        const double lifted = pow(fabs(value[k]) / scale, TORRE_PLANE_LIFT);
        bar->at[k] = 0.5 + 0.5 * copysign(lifted, value[k]);
        snprintf(bar->text[k], sizeof bar->text[k], "%.3g", value[k]);
    }
    bar->ticks = 5;
}

static void model_bar(torre_figure_bar *bar, const double range[2])
{
    const double step = torre_frame_round((range[1] - range[0]) / 3);
    for (double n = ceil(range[0] / step - 1e-9); n * step <= range[1] * (1 + 1e-12); n++) {
        if (bar->ticks == 9) break;
        bar->at[bar->ticks] = (n * step - range[0]) / (range[1] - range[0]);
        snprintf(bar->text[bar->ticks], sizeof bar->text[0], "%g", n * step);
        bar->ticks++;
    }
}

static torre_status draw_bars(const torre_figure_frame *f, const torre_plane *p, double scale)
{
    torre_color_map *map = malloc(sizeof *map);
    if (!map) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture");
    torre_color_map_make(map);
    torre_figure_bar field = {.color = field_color, .context = map, .label = "u"};
    torre_figure_bar model = {.color = model_color, .context = map, .label = "velocity, m/s"};
    if (scale > 0) field_bar(&field, scale);
    torre_frame_bar(f, 0, &field);
    if (has_model(p)) {
        model_bar(&model, p->velocity_range);
        torre_frame_bar(f, 1, &model);
    }
    free(map);
    return TORRE_OK;
}

/* Cell (i, j) of the plane is a square around its position, so that x = 0 is half a cell inside. */
static void draw_axes(const torre_figure_frame *f, const torre_plane *p, int across)
{
    static const char *const name[] = {"x", "y", "z"};
    const int axis[2] = {across == 0 ? 1 : 0, across == 2 ? 1 : 2};
    for (int a = 0; a < 2; a++) {
        const double n = (double)p->size[a], h = p->spacing[a];
        torre_frame_axis(f, a,
                         &(torre_figure_axis){.from = -0.5 * h,
                                              .to = (n - 0.5) * h,
                                              .high = (n - 1) * h,
                                              .label = name[axis[a]],
                                              .unit = "m"});
    }
}

/* Those points of a list that lie on the plane as it is seen across, apart enough to be told. */
static bool draw_points(const torre_figure_frame *f, const torre_plane *p, int across,
                        torre_figure_mark mark, const torre_point *point, int64_t count)
{
    const double apart = 11;
    double before[2] = {-1e30, -1e30};
    for (int64_t i = 0; i < count; i++) {
        const double *at = point[i].position;
        const double seen[2] = {at[across == 0 ? 1 : 0], at[across == 2 ? 1 : 2]};
        double share[2], moved = 0;
        for (int a = 0; a < 2; a++) {
            share[a] = (seen[a] / p->spacing[a] + 0.5) / (double)p->size[a];
            moved = fmax(moved, fabs(share[a] - before[a]) * f->size[a]);
        }
        if (moved < apart || share[0] < 0 || share[0] > 1 || share[1] < 0 || share[1] > 1) continue;
        torre_frame_mark(f, mark, share[0], share[1]);
        for (int a = 0; a < 2; a++) before[a] = share[a];
    }
    return before[0] > -1e30;
}

torre_status torre_figure_plane(const torre_figure_about *about, const torre_plane *plane,
                                double scale, torre_figure_time now, torre_image *image)
{
    const laid_out l = lay_out(about, plane);
    torre_figure_frame f;
    torre_image raster;
    char detail[256], unit[16];
    const double ms = torre_frame_unit("s", now.time, unit, sizeof unit);
    snprintf(detail, sizeof detail, "t = %.4g %s, step %" PRId64 "%s%s", now.time / ms, unit,
             now.step, about->detail ? "; " : "", about->detail ? about->detail : "");
    TORRE_TRY(torre_plane_draw(&l.plane, scale, &raster));
    torre_status status =
        torre_frame_begin(l.size, l.bars, about->scale, about->subject, detail, &f);
    if (status) {
        torre_image_free(&raster);
        return status;
    }
    torre_canvas_picture(f.canvas, &raster, f.at, f.size);
    torre_image_free(&raster);
    unsigned marks = 0;
    if (draw_points(&f, plane, about->across, TORRE_MARK_RECEIVER, about->receiver,
                    about->receiver_count))
        marks |= 1u << TORRE_MARK_RECEIVER;
    if (draw_points(&f, plane, about->across, TORRE_MARK_SOURCE, about->source,
                    about->source_count))
        marks |= 1u << TORRE_MARK_SOURCE;
    torre_frame_edges(&f);
    draw_axes(&f, plane, about->across);
    torre_frame_legend(&f, marks);
    return torre_canvas_finish(f.canvas, draw_bars(&f, plane, scale), image);
}
