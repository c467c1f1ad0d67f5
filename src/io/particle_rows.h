/*
 * Rows of particles in text files: a line for each particle, whose columns have the names of LAMMPS
 * dumps (the readers of other formats translate theirs):
 *
 *     id                          1 .. N, each once, in any order; without it: that of the file
 *     type                        1 .. TORRE_MD_TYPES where it is not the same in all rows
 *     element species             names of types, in the order in which they come, without column
 *                                 type
 *     x y z, xu yu zu             positions; xs ys zs, xsu ysu zsu: as fractions of the box
 *     vx vy vz, px py pz          velocities, or momenta, which need mass
 *     mass                        must be the same in all rows of a type
 *     radius diameter density     must be the same in all rows; of grains radius and diameter need
 *                                 not be, but mass goes as their cube
 *     omegax omegay omegaz        angular velocities: must be zero but for grains
 *     q, mux .., angmomx ..       charges, dipoles, angular momenta: must be zero
 *     anything else               what the particles feel or had felt (fx, c_pe): computed anew
 *
 * Positions along periodic axes are put into the box, wherever they are; along the others they must
 * be in it.
 */
#ifndef TORRE_PARTICLE_ROWS_H
#define TORRE_PARTICLE_ROWS_H

#include "io/particle_file.h"
#include "io/text_input.h"

enum { TORRE_ROW_COLUMNS = 64 };

typedef enum torre_column_kind {
    TORRE_COLUMN_RESULT, /* 0: what the others are not */
    TORRE_COLUMN_ID,
    TORRE_COLUMN_TYPE,
    TORRE_COLUMN_NAME,
    TORRE_COLUMN_POSITION,
    TORRE_COLUMN_FRACTION,
    TORRE_COLUMN_VELOCITY,
    TORRE_COLUMN_MOMENTUM,
    TORRE_COLUMN_MASS,
    TORRE_COLUMN_RADIUS,
    TORRE_COLUMN_DIAMETER,
    TORRE_COLUMN_DENSITY,
    TORRE_COLUMN_SPIN,
    TORRE_COLUMN_ZERO
} torre_column_kind;

typedef struct torre_particle_column {
    char name[32];
    torre_column_kind kind;
    int axis;
    char first[48]; /* the word of the first row, where all must be the same */
} torre_particle_column;

typedef struct torre_particle_rows {
    torre_text_input *in;
    torre_md_particles *particles; /* with their box */
    const double *low;             /* [3], of the box in the file */
    const torre_particle_wish *wish;
    bool blank_lines; /* are skipped */
    bool image_flags; /* three more columns may follow */
    torre_particle_column column[TORRE_ROW_COLUMNS];
    int columns;
    bool has_velocities, has_momenta;
    double mass, diameter, density; /* 0: not said */
    int types;                      /* that there may be, where the file says how many; else 0 */
    char type_name[TORRE_MD_TYPES][48];
    double type_mass[TORRE_MD_TYPES];
    int row_type;                /* of the last row */
    double row_mass, row_radius; /* 0: not said */
    double cube_mass;            /* of grains: mass over the cube of their radius */
    bool *seen;                  /* [count] ids */
} torre_particle_rows;

/*
 * Take the names of the columns, with spaces between them. TORRE_ERR_INPUT where there are too
 * many, one is there twice, positions are wanted and an axis has none, some axes have velocities
 * and others not, or momenta have no mass.
 */
torre_status torre_particle_rows_columns(torre_particle_rows *rows, const char *names,
                                         bool positions);

/*
 * Room for count particles. TORRE_ERR_INPUT where the file is too short for so many rows,
 * TORRE_ERR_RESOURCE.
 */
torre_status torre_particle_rows_room(torre_particle_rows *rows, int64_t count);

/* Read particles->count rows. TORRE_ERR_INPUT with file and line, TORRE_ERR_RESOURCE. */
torre_status torre_particle_rows_read(torre_particle_rows *rows);

/* Mass, diameter and velocities as the rows said; call it after the last of them. */
void torre_particle_rows_finish(torre_particle_rows *rows, torre_particle_source *source);

void torre_particle_rows_free(torre_particle_rows *rows);

#endif
