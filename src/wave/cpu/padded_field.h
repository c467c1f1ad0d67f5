/*
 * Storage of the engines stepwise and torre: two time levels, each with ghost cells on all sides.
 *
 *     plane x    row y    values along z
 *     -R ..      -R ..    [ ... R ghosts | nz cells, from a 64-byte boundary | R ghosts ... ]
 *      0 ..       0 ..     the gap between two rows holds the high ghosts of the one and the low
 *     nx+R-1     ny+R-1    ghosts of the next
 *
 * Rows are an odd number of 64-byte blocks apart and so are planes: neighbouring rows fall into
 * different cache sets. Ghost values are sign * u(source) (boundary.h); whoever updates a row calls
 * torre_padded_refresh for it, so that ghosts never lag behind their source. Corner ghosts (outside
 * along two axes) do not exist: cross stencils do not read them. The last vector of a row takes in
 * ghosts of the next row, in lanes that it does not use: another thread may be writing them.
 *
 * Along a flat axis (wave.h) nothing lies beyond the one cell, and all of it has the weight 0: its
 * ghosts stay 0, and along y there are none. What stands in the place of row y + i is then row y of
 * plane x + i, which the stencil reads anyway.
 *
 * Beside the levels: k = (c dt / hx)^2 per cell in rows without ghosts, where the velocity varies,
 * and hx^2 q (density.h), where the density does. Then k of a constant velocity is a row for all.
 */
#ifndef TORRE_PADDED_FIELD_H
#define TORRE_PADDED_FIELD_H

#include "core/rank_team.h"
#include "wave/setup.h"
#include "wave/stencil.h"

/*
 * One ghost of an axis: index = sign * source; sign is -1 or 1 (ghosts that stay 0 are not listed).
 */
typedef struct torre_ghost_link {
    int64_t index, source;
    int sign;
} torre_ghost_link;

typedef struct torre_padded_field {
    int64_t size[3];
    int64_t half_width;
    int64_t ghost_rows; /* on either side along y: the half-width, or 0 where that is flat */
    torre_precision precision;
    int64_t block;                  /* values in 64 bytes */
    int64_t tail;                   /* values between the last cell of a row and a whole block */
    int64_t row_pitch, plane_pitch; /* values */
    int64_t factor_row_pitch;       /* values; 0: the same for every y */
    int64_t factor_plane_pitch;     /* 0: and for every x */
    int64_t potential_row_pitch, potential_plane_pitch; /* likewise */
    int64_t level_bytes;                                /* from one level to the next */
    int64_t bytes; /* of everything; -1, and nothing else that counts, above 1e18 */
    torre_ghost_link ghost[3][2 * TORRE_MAX_HALF_WIDTH];
    int ghosts[3];
    char *level[2];  /* cell (0, 0, 0) of each level */
    char *factor;    /* NULL: k is the same everywhere, and there is no potential */
    char *potential; /* NULL: density does not vary */
    void *memory;
    torre_rank_team *team; /* whose memory it is, together; NULL: of this process alone */
} torre_padded_field;

/* Compute everything but the pointers (no allocation). The problem must have been checked. */
void torre_padded_layout(const torre_wave_problem *problem, torre_padded_field *field);

/*
 * Allocate a laid out field and touch it with `threads` threads: levels zero, k and potential from
 * the setup. Of a team (NULL: none) all members call it. TORRE_ERR_RESOURCE when there is no
 * memory. Free with _free (which accepts a zeroed struct).
 */
torre_status torre_padded_alloc(const torre_wave_setup *setup, torre_rank_team *team, int threads,
                                torre_padded_field *field);
void torre_padded_free(torre_padded_field *field);

/* Both levels zero, and k and potential from a setup of the same grid, as alloc leaves them. */
void torre_padded_clear(torre_padded_field *field, int threads);
torre_status torre_padded_set_medium(torre_padded_field *field, const torre_wave_setup *setup,
                                     int threads);

/*
 * Make an allocated field that of another part, of as many cells along x as the one it was
 * allocated for, or fewer, and the same along y and z. Cell x of it is cell x + shift of the field
 * as it was: cells of both keep their levels, k and potential, the others get k and potential
 * alone. TORRE_ERR_RESOURCE.
 */
torre_status torre_padded_move(torre_padded_field *field, const torre_wave_setup *setup,
                               int64_t shift, int threads);

/* Index of a cell or ghost relative to level[l], in values. */
static inline int64_t torre_padded_index(const torre_padded_field *f, int64_t x, int64_t y,
                                         int64_t z)
{
    return x * f->plane_pitch + y * f->row_pitch + z;
}

/*
 * Write every ghost whose source lies in rows y0 .. y1-1 of plane x, cells z0 .. z1-1 of the level,
 * and zero behind the last cell of a row. z0 is a multiple of the block, z1 likewise or nz. Of
 * several runs in a row the last cells come first, since periodic ghosts lie behind them.
 */
void torre_padded_refresh(const torre_padded_field *field, int level, int64_t x, int64_t y0,
                          int64_t y1, int64_t z0, int64_t z1);

/* Copy a box of a level from or to an array, as write_box and read_box (wave.h) have it; ghosts
 * follow what is written. */
void torre_padded_write(torre_padded_field *field, int level, const torre_box *box,
                        const int64_t stride[3], const void *values, int threads);
void torre_padded_read(const torre_padded_field *field, int level, const torre_box *box,
                       const int64_t stride[3], void *values, int threads);

#endif
