/* A build without FreeType, whose torre_picture_scale asks for nothing of this. */
#include "figure/figure.h"

static torre_status lacking(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "this build has no FreeType, and draws no figures");
}

torre_status torre_figure_plane(const torre_figure_about *about, const torre_plane *plane,
                                double scale, torre_figure_time now, torre_image *image)
{
    (void)about, (void)plane, (void)scale, (void)now, (void)image;
    return lacking();
}

torre_status torre_figure_gather(const torre_figure_about *about, const torre_gather *gather,
                                 torre_image *image)
{
    (void)about, (void)gather, (void)image;
    return lacking();
}

torre_status torre_figure_particles(const torre_figure_about *about, const torre_md_particles *p,
                                    double diameter, double speed, torre_figure_time now,
                                    torre_image *image)
{
    (void)about, (void)p, (void)diameter, (void)speed, (void)now, (void)image;
    return lacking();
}

int64_t torre_figure_plane_bytes(const torre_figure_about *about, const torre_plane *plane)
{
    (void)about, (void)plane;
    return 0;
}

int64_t torre_figure_gather_bytes(const torre_figure_about *about, int64_t traces)
{
    (void)about, (void)traces;
    return 0;
}
