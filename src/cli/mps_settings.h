/* What the command line of `md --model mps` says. */
#ifndef TORRE_MPS_SETTINGS_H
#define TORRE_MPS_SETTINGS_H

#include "cli/particle_options.h"
#include "cli/program.h"
#include "run/particle_run.h"

typedef struct mps_settings {
    torre_fluid_spec spec; /* what has rows of its own here; mps_settings_spec completes it */
    int model;             /* always mps */
    int64_t dimensions;
    int size;       /* small, medium, large */
    double spacing; /* 0: as the size says */
    double column[3];
    char water[1024], obstacle[1024]; /* boxes of each */
    int64_t steps;                    /* -1: as the time says */
    int64_t thermo;                   /* -1: auto */
    particle_options common;          /* skin in spacings */
} mps_settings;

enum { MPS_OPTIONS = 64 };

/* Defaults, and the table of options (table[MPS_OPTIONS]) that writes into *settings. */
void mps_settings_init(mps_settings *settings, torre_option *table);

/* The run that they ask for; it points into *settings. TORRE_ERR_USAGE where options exclude each
 * other. */
torre_status mps_settings_spec(mps_settings *settings, const torre_option *table,
                               torre_particle_spec *spec);

extern const torre_program mps_program;

#endif
