/* From settings to a tank, a problem and a plan. */
#ifndef TORRE_MPS_INPUT_H
#define TORRE_MPS_INPUT_H

#include "cli/mps_settings.h"
#include "particles/md_run.h"
#include "particles/mps_tank.h"

enum { MPS_GAUGES = 64 };

typedef struct mps_input {
    torre_mps_tank tank;
    torre_mps_layout layout;
    torre_md_particles particles;
    torre_md_problem problem; /* points to the particles, once there are some */
    torre_md_plan plan;
    double width;                /* L of the column, m */
    int64_t steps, thermo;       /* steps to take; between rows, 0: first and last only */
    double gauge[MPS_GAUGES][3]; /* in the tank */
    int gauges;
} mps_input;

/* Everything but the particles; positions of the problem stay NULL. */
torre_status mps_input_read(const mps_settings *settings, mps_input *input);

/* Make the particles. */
torre_status mps_input_particles(mps_input *input);

void mps_input_free(mps_input *input);

#endif
