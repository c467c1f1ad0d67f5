/* The run of a fluid, said in full, and what is made of it: tank, particles, problem, plan. */
#ifndef TORRE_FLUID_INPUT_H
#define TORRE_FLUID_INPUT_H

#include "run/fluid_files.h"
#include "run/particle_means.h"

typedef struct torre_fluid_spec {
    torre_fluid_dam dam;                 /* but for the radius of influence */
    double influence;                    /* in spacings; 0: auto */
    const char *water, *obstacle, *gate; /* of the tank, torre_fluid_boxes_read; NULL or "": none */
    const char *gauges[TORRE_GAUGE_KINDS]; /* torre_fluid_gauges_read */
    double time;                           /* seconds to compute, where no steps are said */
    torre_particle_means means;            /* skin in spacings */
} torre_fluid_spec;

typedef struct torre_fluid_input {
    torre_mps_dam dam;
    torre_fluid_gauges gauges[TORRE_GAUGE_KINDS];
    torre_md_particles particles;
    torre_md_problem problem; /* points to the particles, once there are some */
    torre_md_plan plan;
} torre_fluid_input;

/* The problem without particles, and the plan. TORRE_ERR_USAGE. Free also after a failure. */
torre_status torre_fluid_input_read(const torre_fluid_spec *spec, torre_fluid_input *input);

/* Make the particles, and check everything about them. */
torre_status torre_fluid_input_particles(torre_fluid_input *input);

void torre_fluid_input_free(torre_fluid_input *input);

#endif
