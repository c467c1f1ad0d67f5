/* What the lines of one particle have in common in text formats. Nine digits: every f32 reads back
 * as itself. */
#ifndef TORRE_PARTICLE_LINE_H
#define TORRE_PARTICLE_LINE_H

#include "io/sink_format.h"

/* " x y z vx vy vz" of particle i. */
static inline void print_motion(torre_text_output *out, const torre_particle_layout *l,
                                const torre_md_particles *p, int64_t i)
{
    const double *origin = l->about.origin;
    torre_text_output_print(out, " %.9g %.9g %.9g %.9g %.9g %.9g", origin[0] + p->position[0][i],
                            origin[1] + p->position[1][i], origin[2] + p->position[2][i],
                            p->velocity[0][i], p->velocity[1][i], p->velocity[2][i]);
}

/* Whether masses are written. */
static inline bool has_masses(const torre_md_particles *p)
{
    return p->type || p->radius || p->mass != 1;
}

/* " radius mass", each where heads announce it, and three angular velocities. */
static inline void print_radius_and_mass(torre_text_output *out, const torre_particle_layout *l,
                                         const torre_md_particles *p, int64_t i)
{
    const double radius = p->radius ? p->radius[i] : l->about.diameter / 2;
    if (l->about.diameter > 0) torre_text_output_print(out, " %.9g", radius);
    if (has_masses(p)) torre_text_output_print(out, " %.9g", torre_md_particle_mass(p, i));
    if (p->spin[0])
        torre_text_output_print(out, " %.9g %.9g %.9g", p->spin[0][i], p->spin[1][i],
                                p->spin[2][i]);
}

/* The columns of the frame, and the end of the line. */
static inline void print_columns(torre_text_output *out, const torre_particle_layout *l,
                                 const torre_frame *frame, int64_t i)
{
    for (int k = 0; k < l->columns; k++) torre_text_output_print(out, " %.9g", frame->column[k][i]);
    torre_text_output_print(out, "\n");
}

#endif
