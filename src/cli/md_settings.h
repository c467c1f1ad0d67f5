/* What the command line of `md` says. */
#ifndef TORRE_MD_SETTINGS_H
#define TORRE_MD_SETTINGS_H

#include "cli/particle_options.h"
#include "cli/program.h"
#include "run/particle_run.h"

enum { MD_OPTIONS = 128, MD_PARAMETERS = 16 };

typedef struct md_settings {
    torre_pair_spec spec; /* what has rows of its own here; md_settings_spec completes it */
    int model, ensemble, pressure_axes, contact, gas,
        sizes; /* indices of their names; contact 1: Hertzian */
    int64_t seed;
    /* the parameters of the pair models, one for each name that has no row of its own here */
    struct {
        char name[32]; /* "wall-restitution" */
        double number;
        bool flag;
    } parameter[MD_PARAMETERS];
    int64_t steps;
    int64_t thermo; /* 0: first and last row */
    /* how to compute */
    int neighbor; /* torre_neighbor */
    bool rebuild_check;
    double bin_size; /* 0: auto */
    int stencil;     /* torre_bin_stencil */
    bool deterministic;
    particle_options common; /* skin in sigma or, granular, diameters */
} md_settings;

/* Defaults, and the table of options (table[MD_OPTIONS]) that writes into *settings. */
void md_settings_init(md_settings *settings, torre_option *table);

/* Refuse what does not go together; the run that they ask for, which points into *settings. */
torre_status md_settings_spec(md_settings *settings, const torre_option *table,
                              torre_particle_spec *spec);

/* The parameters of the model from the options to the spec or, after it was read, back. */
void md_settings_pair(md_settings *settings, const torre_option *table, bool back);

extern const torre_program md_program;

#endif
