/* What the command line of `md --model mps` says. */
#ifndef TORRE_MPS_SETTINGS_H
#define TORRE_MPS_SETTINGS_H

#include "cli/particle_options.h"

typedef struct mps_settings {
    int model; /* always mps */
    /* water and tank */
    int64_t dimensions;
    int size;       /* small, medium, large */
    double spacing; /* 0: as the size says */
    double column[3], tank[3];
    bool side_walls;
    double influence;                                         /* in spacings; 0: auto */
    double density, viscosity, gravity, sound_speed, surface; /* sound_speed 0: auto */
    /* time */
    double time;
    int64_t steps; /* -1: as time says */
    double dt;     /* 0: auto */
    /* output */
    int64_t thermo; /* -1: auto */
    const char *front, *gauges;
    int64_t frame_every;
    particle_options common; /* dump_every in rows, skin in spacings */
} mps_settings;

enum { MPS_OPTIONS = 52 };

/* Defaults, and the table of options (table[MPS_OPTIONS]) that writes into *settings. */
void mps_settings_init(mps_settings *settings, torre_option *table);

/* Print --help on stdout; call it before parsing, while the settings are the defaults. */
void mps_help(const torre_option *table);

#endif
