/* A run of a pair model, said in full, and what is made of it: particles, problem, plan. */
#ifndef TORRE_PAIR_INPUT_H
#define TORRE_PAIR_INPUT_H

#include "io/particle_file.h"
#include "particles/granular.h"
#include "particles/md.h"
#include "run/pair_types.h"

/* What was said, and is no default: bits of torre_pair_spec.said. A file may not contradict it. */
enum {
    TORRE_SAID_MASS = 1,
    TORRE_SAID_DIAMETER = 2,
    TORRE_SAID_EPSILON = 4,
    TORRE_SAID_SIGMA = 8,
    TORRE_SAID_CUTOFF = 16,
    TORRE_SAID_TEMPERATURE = 32,
    TORRE_SAID_DT = 64
};

typedef struct torre_pair_spec {
    torre_pair_model model;
    torre_pair_parameters pair; /* of the model; those of a granular gas are in granular */
    const char *input;          /* particles from this file; NULL: they are made */
    int64_t frame;              /* of the file; -1: the last */
    torre_type_words types;     /* of particles of several */
    unsigned said;
    double cutoff, temperature; /* but of a granular gas */
    double dt;                  /* granular, unless said: a fiftieth of the contact time */
    uint64_t seed;
    int64_t cells[3]; /* of a face-centred cubic lattice; with one number, {n, 0, 0}, a cube */
    double density;   /* of the lattice */
    torre_granular granular; /* with size and amplitude in diameters; dimensions by size[2] */
    torre_md_ensemble ensemble;
    double target_temperature; /* of the thermostat; < 0: temperature */
    double final_temperature;  /* at the end of ramp_steps; < 0: the same */
    int64_t ramp_steps;
    double damping_time;
    int64_t couple_every;  /* 0: torre_md_couple_every chooses */
    double pressure;       /* of the barostat of TORRE_NPT */
    double final_pressure; /* at the end of ramp_steps; NAN: the same */
    double pressure_damping;
    torre_md_pressure_axes pressure_axes;
    double force_tolerance; /* of TORRE_FIRE */
    torre_md_precision precision;
    torre_md_plan plan; /* of a granular gas with lengths in diameters */
} torre_pair_spec;

typedef struct torre_pair_input {
    torre_md_particles particles;
    torre_md_problem problem; /* points to the particles, once there are some, and to types */
    torre_md_types types;
    double share[TORRE_MD_TYPES]; /* of types, in a lattice */
    torre_md_plan plan;
    torre_granular granular;    /* of that model, lengths in metres */
    torre_particle_about about; /* for the files that are written */
} torre_pair_input;

/*
 * Particles from the file, or only their number and box where they will be made; the problem
 * without particles, and the plan. What the file says of the particles (mass, diameter) and their
 * interaction goes into the spec. TORRE_ERR_USAGE, TORRE_ERR_INPUT. Free also after a failure.
 */
torre_status torre_pair_input_read(torre_pair_spec *spec, torre_pair_input *input);

/* Make the particles where no file has them, and check everything about them. */
torre_status torre_pair_input_particles(const torre_pair_spec *spec, torre_pair_input *input);

void torre_pair_input_free(torre_pair_input *input);

/* A parameter of the model by its name, in the parameters of a problem; NULL: it has none such. */
double *torre_pair_parameter_of(torre_pair_model model, torre_pair_parameters *pair,
                                const char *name);

/* How near particles come: their size in pictures. */
double torre_pair_size(const torre_md_problem *problem);

#endif
