/* Particles in their box. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "figure/figure.h"
#include "figure/frame.h"
#include "io/particle_picture.h"

static void speed_color(const void *context, double t, uint8_t rgb[3])
{
    (void)context;
    torre_particle_color(t, rgb);
}

static void draw_speeds(const torre_figure_frame *f, const torre_figure_about *about, double speed)
{
    torre_figure_bar bar = {.color = speed_color,
                            .label = about->si ? "speed, m/s" : "speed, \317\203/\317\204"};
    if (speed > 0) {
        const double step = torre_frame_round(speed / 4);
        for (double n = 0; n * step <= speed * (1 + 1e-12) && bar.ticks < 9; n++) {
            bar.at[bar.ticks] = n * step / speed;
            snprintf(bar.text[bar.ticks++], sizeof bar.text[0], "%g", n * step);
        }
    }
    torre_frame_bar(f, 0, &bar);
}

torre_status torre_figure_particles(const torre_figure_about *about, const torre_md_particles *p,
                                    double diameter, double speed, torre_figure_time now,
                                    torre_image *image)
{
    static const char *const name[] = {"x", "y", "z"};
    const int axis[2] = {about->right, about->up};
    const double side[2] = {p->box[axis[0]], p->box[axis[1]]};
    const double fit = torre_frame_fit(side[0], side[1]);
    const torre_particle_view view = {
        .right = axis[0], .up = axis[1], .flat = about->flat, .scale = fit * about->scale};
    torre_image raster;
    torre_figure_frame f;
    char detail[256];
    snprintf(detail, sizeof detail, "t = %.4g %s, step %" PRId64 ", %" PRId64 " particles%s%s",
             now.time, about->si ? "s" : "\317\204", now.step, p->count, about->detail ? "; " : "",
             about->detail ? about->detail : "");
    TORRE_TRY(torre_particle_picture(p, diameter, speed, view, &raster));
    const double size[2] = {raster.width / about->scale, raster.height / about->scale};
    torre_status status = torre_frame_begin(size, 1, about->scale, about->subject, detail, &f);
    if (status) {
        torre_image_free(&raster);
        return status;
    }
    torre_canvas_picture(f.canvas, &raster, f.at, f.size);
    torre_image_free(&raster);
    torre_frame_edges(&f);
    for (int a = 0; a < 2; a++) {
        const double low = about->origin[axis[a]], high = low + side[a];
        torre_frame_axis(&f, a,
                         &(torre_figure_axis){.from = a ? high : low,
                                              .to = a ? low : high,
                                              .low = low,
                                              .high = high,
                                              .label = name[axis[a]],
                                              .unit = about->si ? "m" : "\317\203"});
    }
    draw_speeds(&f, about, speed);
    return torre_canvas_finish(f.canvas, TORRE_OK, image);
}
