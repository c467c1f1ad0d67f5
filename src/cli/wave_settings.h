/* What the command line of `wave` says. */
#ifndef TORRE_WAVE_SETTINGS_H
#define TORRE_WAVE_SETTINGS_H

#include "cli/program.h"

typedef struct wave_settings {
    /* grid and medium */
    int64_t size[3];
    double spacing[3];
    const char *velocity;
    int64_t order;
    int precision; /* 0: f32, 1: f64 */
    const char *boundary;
    int64_t absorbing_width;
    /* time */
    int64_t steps;
    double dt;      /* 0: auto */
    double courant; /* 0: auto */
    bool force;
    /* sources and start */
    const char *source, *wavelet;
    double frequency; /* 0: auto */
    double amplitude;
    const char *initial;
    int64_t seed;
    /* output */
    const char *receivers, *traces, *field;
    int64_t snapshot_every; /* -1: at the end only */
    const char *snapshot_plane;
    double snapshot_scale; /* 0: auto */
    const char *output;
    /* how to compute */
    const char *backend;
    int64_t device;
    int engine;                         /* index into wave_engines */
    int64_t dts, tower_height, threads; /* 0: auto */
    int ordering;
    /* the program itself */
    bool dry_run, quiet, help, version;
    const char *json;
} wave_settings;

enum { WAVE_OPTIONS = 48 };

/* "auto", "torre", "stepwise", "reference": what settings.engine counts. */
extern const char *const wave_engines[];

/* Defaults, and the table of options (table[WAVE_OPTIONS]) that writes into *settings. */
void wave_settings_init(wave_settings *settings, torre_option *table);

extern const torre_program wave_program;

#endif
