/* What the command line of `md` says. */
#ifndef TORRE_MD_SETTINGS_H
#define TORRE_MD_SETTINGS_H

#include "cli/particle_options.h"
#include "cli/program.h"

enum { MD_OPTIONS = 80, MD_PARAMETERS = 16 };

typedef struct md_settings {
    /* particles */
    int64_t cells[3];
    double density, temperature;
    const char *input;
    int64_t frame; /* -1: the last */
    int64_t seed;
    /* interaction */
    int model;
    double cutoff;
    double sigma; /* how near particles come, of pictures and overlaps (md_input_read) */
    /* the parameters of the pair models, one for each name that has no row of its own here */
    struct {
        char name[32]; /* "wall-restitution" */
        double number;
        bool flag;
    } parameter[MD_PARAMETERS];
    /* the granular gas; lengths in diameters where it has no option of its own */
    double size[3], filling, diameter, mass, stiffness, restitution, wall_restitution;
    int contact; /* 0 linear, 1 Hertzian */
    int gas;     /* torre_granular_gas */
    bool walls;
    double shake_amplitude, shake_frequency, gravity;
    int64_t start_sweeps;
    /* time */
    int64_t steps;
    double dt;
    int ensemble;              /* index into nve, langevin, berendsen */
    double target_temperature; /* < 0: as --temperature */
    double damping;
    /* output */
    int64_t thermo;
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

/* The option that a parameter of a pair model is, "wall_restitution": --wall-restitution; NULL when
 * there is none. */
const torre_option *md_settings_parameter(const torre_option *table, const char *name);

/* The parameters of the model as the options say. */
void md_settings_pair(const torre_option *table, torre_pair_model model,
                      torre_pair_parameters *pair);

extern const torre_program md_program;

#endif
