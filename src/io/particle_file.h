/*
 * Files of particles.
 *
 *     LAMMPS data   read and written; orthogonal box, up to TORRE_MD_TYPES atom types
 *     LAMMPS dump   read and written; text, the same
 *     extended XYZ  read and written (as OVITO and ASE do): Lattice and Properties in line 2
 *
 * All of them plain or, with a name in .gz, compressed. particle_rows.h says which columns mean
 * what; a file that holds what md has not (bonds, charges, tilted boxes) is
 * refused.
 */
#ifndef TORRE_PARTICLE_FILE_H
#define TORRE_PARTICLE_FILE_H

#include <stdbool.h>

#include "core/status.h"
#include "particles/md_start.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is wanted of a file; zeros: the first frame, for a box that is periodic along all axes. */
typedef struct torre_particle_wish {
    int64_t frame; /* of a trajectory, from 0; -1: the last */
    bool wall[3];  /* the box has walls across these axes; along the others it is periodic */
    bool grains;   /* of one density, but maybe several sizes, and they may spin */
} torre_particle_wish;

/* Coefficients of lj/cut; zeros: not said. */
typedef struct torre_particle_coefficients {
    double epsilon, sigma, cutoff;
} torre_particle_coefficients;

/* What a file said beside the particles. */
typedef struct torre_particle_source {
    bool has_velocities;
    double origin[3];      /* of the box in the file; positions have been moved by it to [0, L) */
    double mass, diameter; /* of each particle, of grains of the largest; 0: not said, or masses by
                              type (with the particles; 0: not said of that type) */
    char units[16];        /* of LAMMPS, as "lj"; "": not said */
    bool has_pair;         /* it has coefficients of lj/cut: */
    torre_particle_coefficients between[TORRE_MD_TYPES][TORRE_MD_TYPES]; /* [a][b], a <= b */
} torre_particle_source;

/*
 * Read particles (allocated; free with torre_md_particles_free). The format is told by the content:
 * extended XYZ begins with a line that holds one number, a LAMMPS dump with "ITEM:". Ids must be
 * 1 .. N, each once, in any order: id becomes particle id - 1. Positions along periodic axes are
 * put into the box, wherever they are, as LAMMPS does; others must be in it. TORRE_ERR_INPUT, with
 * file, line and the reason, for everything that is missing, not a number, or cannot be honoured.
 *
 * LAMMPS data: what write_data writes for the atom styles atomic, bond, molecular, charge, full,
 * angle and sphere, with the pair style lj/cut or none that has coefficients. Particles have types
 * (torre_md_particles) where there is more than one; grains have radii and spins where these are
 * not all the same and 0 (and radii only if the file has some).
 */
torre_status torre_particle_file_read(const char *path, const torre_particle_wish *wish,
                                      torre_md_particles *particles, torre_particle_source *source);

/* What files say of all particles, for those who write them. */
typedef struct torre_particle_about {
    const char *units; /* of LAMMPS: "lj", "si" */
    double origin[3];  /* of the box in the file: positions there are this much larger */
    bool wall[3];      /* the box is not periodic along these axes */
    double diameter;   /* of each particle; 0: points */
} torre_particle_about;

/*
 * Write a LAMMPS data file with velocities, digits enough to read back the same numbers: atom style
 * atomic, or sphere (diameter, density) where there is a diameter.
 */
torre_status torre_lammps_data_write(const char *path, const torre_particle_about *about,
                                     const torre_md_particles *particles);

/*
 * The readers behind torre_particle_file_read. line: the first of the file or of a frame, which has
 * been read. They leave what they allocated in particles, also when they fail.
 */
struct torre_text_input;
torre_status torre_lammps_data_read(struct torre_text_input *in, char *line,
                                    const torre_particle_wish *wish, torre_md_particles *particles,
                                    torre_particle_source *source);
torre_status torre_lammps_dump_read(struct torre_text_input *in, char *line,
                                    const torre_particle_wish *wish, torre_md_particles *particles,
                                    torre_particle_source *source);
torre_status torre_extxyz_read(struct torre_text_input *in, char *line,
                               const torre_particle_wish *wish, torre_md_particles *particles,
                               torre_particle_source *source);

/* Refuse a box that the file calls closed along an axis where it is wanted periodic. */
torre_status torre_particle_check_periodic(const struct torre_text_input *in,
                                           const torre_particle_wish *wish, const bool periodic[3]);

#ifdef __cplusplus
}
#endif

#endif
