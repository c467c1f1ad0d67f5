/*
 * Figures: pictures with axes in units, a title, colour bars and marks, of a plane of a wave, of
 * traces and of particles. Their data are the rasters of io (field_picture.h, seismogram.h,
 * particle_picture.h), whose colours are safe for the colour-blind: a signed field goes through
 * blues and oranges of equal lightness, speeds from dark blue to yellow, lighter and lighter.
 */
#ifndef TORRE_FIGURE_H
#define TORRE_FIGURE_H

#include "io/field_picture.h"
#include "io/figure_about.h"
#include "io/gather.h"
#include "io/png_image.h"
#include "particles/md_start.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The instant of a figure. */
typedef struct torre_figure_time {
    int64_t step;
    double time;
} torre_figure_time;

/* "raw", "figure", "page": the values of the option picture-style. */
extern const char *const torre_picture_styles[];

/*
 * Pixels a unit of a sheet in that style: 1 for a screen, 2 for a page (300 dots an inch over 17
 * cm); 0: bare rasters, also where this build has no FreeType: *lacking then says so, and is NULL
 * otherwise.
 */
double torre_picture_scale(const char *style, const char **lacking);

/* Pixels a metre of paper at that scale; 0: for a screen, which has what size it has. */
int torre_picture_per_metre(double scale);

/*
 * Draw. scale, speed: what is shown in full colour. TORRE_ERR_RESOURCE without memory, and in a
 * build without FreeType.
 */
torre_status torre_figure_plane(const torre_figure_about *about, const torre_plane *plane,
                                double scale, torre_figure_time now, torre_image *image);
torre_status torre_figure_gather(const torre_figure_about *about, const torre_gather *gather,
                                 torre_image *image);
torre_status torre_figure_particles(const torre_figure_about *about,
                                    const torre_md_particles *particles, double diameter,
                                    double speed, torre_figure_time now, torre_image *image);

/* Bytes that drawing takes. */
int64_t torre_figure_plane_bytes(const torre_figure_about *about, const torre_plane *plane);
int64_t torre_figure_gather_bytes(const torre_figure_about *about, int64_t traces);

#ifdef __cplusplus
}
#endif

#endif
