/* What the command line of `md --model mps` says. */
#ifndef TORRE_MPS_SETTINGS_H
#define TORRE_MPS_SETTINGS_H

#include "cli/particle_options.h"
#include "cli/program.h"
#include "torre/fluid.h"

typedef struct mps_settings {
    int model; /* always mps */
    /* water and tank */
    int64_t dimensions;
    int size;       /* small, medium, large */
    double spacing; /* 0: as the size says */
    double column[3];
    double influence;    /* in spacings; 0: auto */
    torre_fluid_dam dam; /* the rest, but for spacing and influence */
    /* time */
    double time;
    int64_t steps; /* -1: as time says */
    /* output */
    int64_t thermo; /* -1: auto */
    const char *gauges;
    particle_options common; /* skin in spacings */
} mps_settings;

enum { MPS_OPTIONS = 52 };

/* Defaults, and the table of options (table[MPS_OPTIONS]) that writes into *settings. */
void mps_settings_init(mps_settings *settings, torre_option *table);

extern const torre_program mps_program;

#endif
