/* What the command line of `roofline` says. */
#ifndef TORRE_ROOFLINE_SETTINGS_H
#define TORRE_ROOFLINE_SETTINGS_H

#include "cli/program.h"
#include "roofline/sweep_list.h"

typedef struct roofline_settings {
    /* what to sweep */
    int program; /* 0: wave, 1: md */
    torre_sweep_lists lists;
    int64_t size[3]; /* 0: from the caches */
    int precision;   /* 0: f32, 1: f64 */
    double seconds;  /* for all; 0: the default */
    bool ceilings;
    /* how */
    const char *backend;
    int64_t device, threads; /* threads 0: auto */
    /* results */
    const char *output, *json, *measured, *plot;
    bool resume, no_plot, tune;
    /* the program itself */
    bool doctor, dry_run, quiet, help, version;
} roofline_settings;

enum { ROOFLINE_OPTIONS = 40 };

/* Defaults, and the table of options (table[ROOFLINE_OPTIONS]) that writes into *settings. */
void roofline_settings_init(roofline_settings *settings, torre_option *table);

extern const torre_program roofline_program;

/* --plot beside the other options. TORRE_ERR_USAGE. */
torre_status roofline_check_plot(const roofline_settings *settings);

#endif
