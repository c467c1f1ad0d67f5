/*
 * Files of particles.
 *
 *     LAMMPS data   read and written; one atom type, atom style atomic, orthogonal periodic box
 *     extended XYZ  read and written (as OVITO and ASE do): Lattice and Properties in line 2
 *     LAMMPS dump   written: trajectories, id type x y z vx vy vz
 *
 * All of them plain or, with a name in .gz, compressed.
 */
#ifndef TORRE_PARTICLE_FILE_H
#define TORRE_PARTICLE_FILE_H

#include <stdbool.h>

#include "core/status.h"
#include "md/md_start.h"

/* What a file said beside the particles. */
typedef struct torre_particle_source {
    bool has_velocities;
    double origin[3]; /* of the box in the file; positions have been moved by it to [0, L) */
} torre_particle_source;

/*
 * Read particles (allocated; free with torre_md_particles_free). The format is told by the content:
 * extended XYZ begins with a line that holds one number. Ids in LAMMPS data must be 1 .. N, each
 * once, in any order: atom id becomes particle id - 1. Positions outside the box by no more than a
 * millionth of its edge (rounding) are wrapped; others are refused, naming the particle, as is
 * everything that is missing, superfluous, not a number or not of the kinds above
 * (TORRE_ERR_INPUT, with file and line).
 */
torre_status torre_particle_file_read(const char *path, torre_md_particles *particles,
                                      torre_particle_source *source);

/* Write a LAMMPS data file with velocities, digits enough to read back the same numbers. */
torre_status torre_lammps_data_write(const char *path, const torre_md_particles *particles);

/* A trajectory being written. */
typedef struct torre_trajectory torre_trajectory;

/*
 * Open: extended XYZ where the name ends in .xyz or .extxyz (before .gz), otherwise a LAMMPS dump.
 */
torre_status torre_trajectory_open(const char *path, torre_trajectory **trajectory);

/* Append a frame. */
void torre_trajectory_frame(torre_trajectory *trajectory, int64_t step, double time,
                            const torre_md_particles *particles);

/* Complete the file (commit) or leave nothing (discard; NULL is fine); frees in both cases. */
torre_status torre_trajectory_commit(torre_trajectory *trajectory);
void torre_trajectory_discard(torre_trajectory *trajectory);

/* The readers behind torre_particle_file_read, after the first line has been read. */
struct torre_text_input;
torre_status torre_lammps_data_read(struct torre_text_input *in, torre_md_particles *particles,
                                    torre_particle_source *source);
torre_status torre_extxyz_read(struct torre_text_input *in, int64_t count,
                               torre_md_particles *particles, torre_particle_source *source);

/* Put a position of the file into [0, edge), or refuse it. */
torre_status torre_particle_place(const struct torre_text_input *in, int axis, double origin,
                                  double edge, double value, double *position);

#endif
