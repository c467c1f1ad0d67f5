/*
 * Trajectories being written, frame after frame, for OVITO, ASE, MDAnalysis, LAMMPS and --input:
 *
 *     .xyz, .extxyz        extended XYZ: species pos velo id, with Lattice, Origin and pbc; every
 *                          particle is of the species X, the unknown atom
 *     .dump, .lammpstrj    LAMMPS dump: id type x y z vx vy vz, with bounds and boundaries
 *
 * each also with .gz. A diameter adds the column radius, a mass other than 1 mass; kinds of
 * particles add kind (0, 1, ...; the type of a LAMMPS dump is one more).
 */
#ifndef TORRE_TRAJECTORY_H
#define TORRE_TRAJECTORY_H

#include "io/particle_file.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_TRAJECTORY_KINDS = 4, TORRE_TRAJECTORY_COLUMNS = 4 };

/* What all frames have in common. Memory is the caller's and must live as long. */
typedef struct torre_trajectory_layout {
    torre_particle_about about;
    int kinds; /* of particles, kind k has the ids below kind_end[k]; 0 or 1: all are alike */
    int64_t kind_end[TORRE_TRAJECTORY_KINDS];
    int columns; /* further ones, of numbers */
    const char *column[TORRE_TRAJECTORY_COLUMNS];
} torre_trajectory_layout;

typedef struct torre_trajectory torre_trajectory;

/* Refuse names with another ending, as torre_file_ending_check does. */
torre_status torre_trajectory_check(const char *option, const char *path);

/* Open; the format is that of the ending, a LAMMPS dump for what is no regular file. */
torre_status torre_trajectory_open(const char *path, const torre_trajectory_layout *layout,
                                   torre_trajectory **trajectory);

/* Append a frame; values[column][id] are the further columns (NULL where there are none). */
void torre_trajectory_frame(torre_trajectory *trajectory, int64_t step, double time,
                            const torre_md_particles *particles, const double *const *values);

/* Complete the file (commit) or leave nothing (discard; NULL is fine); frees in both cases. */
torre_status torre_trajectory_commit(torre_trajectory *trajectory);
void torre_trajectory_discard(torre_trajectory *trajectory);

#ifdef __cplusplus
}
#endif

#endif
