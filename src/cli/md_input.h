/* From settings to a problem and a plan. */
#ifndef TORRE_MD_INPUT_H
#define TORRE_MD_INPUT_H

#include "cli/md_settings.h"
#include "io/particle_file.h"
#include "particles/granular.h"
#include "particles/md_run.h"

typedef struct md_input {
    torre_md_particles particles;
    torre_md_problem problem; /* points to the particles, once there are some */
    torre_md_plan plan;
    torre_granular granular;    /* of that model */
    torre_particle_about about; /* for the files that are written */
} md_input;

/*
 * Read the file of --input for a box with walls across these axes. What it says of the particles
 * (mass, diameter) and their interaction goes into the settings, unless an option contradicts.
 */
torre_status md_input_read_file(md_settings *settings, const torre_option *table,
                                const bool wall[3], md_input *input, bool *has_velocities);

/*
 * Particles from the file, or only their number and box where they will be a lattice; the problem
 * without particles, and the plan. The precision "auto" depends on the backend.
 */
torre_status md_input_read(md_settings *settings, const torre_option *table, md_input *input);

/* Make the lattice and velocities, check everything about the particles. */
torre_status md_input_particles(const md_settings *settings, md_input *input);

void md_input_free(md_input *input);

#endif
