/*
 * Picture of particles: spheres of the given diameter seen along z from above, nearer ones in
 * front, coloured by speed from slow (dark blue) to fast (yellow), further ones paler.
 */
#ifndef TORRE_PARTICLE_PICTURE_H
#define TORRE_PARTICLE_PICTURE_H

#include "io/png_image.h"
#include "particles/md_start.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Draw; x to the right, y upwards, about 1000 pixels along the longer side. speed: what is shown in
 * the colour of the fastest. TORRE_ERR_RESOURCE without memory.
 */
torre_status torre_particle_picture(const torre_md_particles *particles, double diameter,
                                    double speed, torre_image *image);

#ifdef __cplusplus
}
#endif

#endif
