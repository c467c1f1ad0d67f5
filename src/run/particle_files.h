/*
 * The files that a run of particles writes, whatever the model: what is wanted, by the names of
 * options, and how what all models have is opened. pair_files.h and fluid_files.h write them.
 */
#ifndef TORRE_PARTICLE_FILES_H
#define TORRE_PARTICLE_FILES_H

#include "io/sink.h"

enum { TORRE_PATH = 4096 };

/* What is to be measured on the way (pair_measures.h); files NULL: nothing. */
typedef struct torre_measure_wishes {
    const char *rdf, *msd, *vacf, *stress, *viscosity; /* files */
    int64_t from;                                      /* the first step that counts */
    int64_t rdf_every, rdf_shells;
    double rdf_range;           /* granular: in diameters; 0: two cutoffs, or five diameters */
    int64_t correlation_every;  /* steps between samples of msd and vacf */
    int64_t correlation_window; /* steps: the longest lag, of viscosity too */
    int64_t correlation_origins;
    int64_t stress_every; /* steps between samples of stress and viscosity */
} torre_measure_wishes;

/* What is wanted; NULL: nothing. */
typedef struct torre_particle_wishes {
    const char *csv, *dump;
    const char *picture; /* of the last state; "none" */
    const char *title;   /* what the titles of pictures begin with */
    int style;           /* of pictures, of torre_picture_styles */
    const char *output;  /* directory of files whose name is not a path */
    int64_t dump_every;  /* steps between frames, of a fluid rows; 0: the last state only */
    int64_t frame_every; /* rows between pictures on the way; 0: none */
    /* pair models */
    const char *write_data, *profile;
    int64_t profile_every, profile_slices;
    torre_measure_wishes measures;
    /* a fluid */
    const char *front; /* or "none" */
} torre_particle_wishes;

/* Refuse endings of dump and picture that stand for no format. TORRE_ERR_USAGE. */
torre_status torre_particle_wishes_check(const torre_particle_wishes *wishes);

/* Whether a file that may be "none" is wanted. */
bool torre_particle_wanted(const char *name);

/*
 * path: name in the directory of output (made where missing) unless it is a path itself. parameter:
 * what is to blame where it is too long.
 */
torre_status torre_particle_path(const torre_particle_wishes *wishes, const char *parameter,
                                 const char *name, char path[TORRE_PATH]);

/* The same for picture number i on the way, frame_0000.png and so on. */
torre_status torre_particle_frame_path(const torre_particle_wishes *wishes, int64_t i,
                                       char path[TORRE_PATH]);

/* What is drawn around pictures of that style: of a box from the side if upright, whose height is
 * the last axis, else from above. */
torre_figure_about torre_particle_figure(int style, const char *subject,
                                         const torre_particle_about *about, bool upright);

/* Sinks for a picture of spheres of that diameter, for a trajectory (what it holds of particles),
 * and for a table. figure must outlive the sink. */
torre_status torre_particle_picture_open(const char *path, double diameter,
                                         const torre_figure_about *figure, torre_sink **picture);
torre_status torre_particle_dump_open(const char *path, const torre_particle_layout *layout,
                                      torre_sink **dump);
torre_status torre_particle_table_open(const char *path, const torre_table_layout *layout,
                                       torre_sink **table);

#endif
