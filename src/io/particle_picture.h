/*
 * Picture of particles: spheres of the given diameter seen along an axis, nearer ones in front,
 * coloured by speed from slow (dark blue) to fast (yellow), further ones paler.
 */
#ifndef TORRE_PARTICLE_PICTURE_H
#define TORRE_PARTICLE_PICTURE_H

#include <stdbool.h>

#include "io/png_image.h"
#include "particles/md_start.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How particles are looked at. */
typedef struct torre_particle_view {
    int right, up; /* axes; the third leads to the eye, or away from it, as the right hand says */
    bool flat;     /* one layer: none is paler than others */
    double scale;  /* pixels a unit of length; 0: about 1000 along the longer side */
} torre_particle_view;

/* From above: x to the right, y upwards, z to the eye. */
static inline torre_particle_view torre_particle_view_above(void)
{
    return (torre_particle_view){.right = 0, .up = 1};
}

/*
 * Draw. speed: what is shown in the colour of the fastest. TORRE_ERR_RESOURCE without memory.
 */
torre_status torre_particle_picture(const torre_md_particles *particles, double diameter,
                                    double speed, torre_particle_view view, torre_image *image);

/* The colour of a share of that speed, 0 .. 1, in full light. */
void torre_particle_color(double share, uint8_t rgb[3]);

#ifdef __cplusplus
}
#endif

#endif
