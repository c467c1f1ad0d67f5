/*
 * Values of a time level on their way into a solver and out of it: whole fields and planes as uses
 * of read_box and write_box (wave.h), and what every engine needs to offer these.
 */
#ifndef TORRE_WAVE_BOX_H
#define TORRE_WAVE_BOX_H

#include "wave/backend.h"

/* Begin at step 0 with u[0] and u[-1], dense arrays of all cells that the solver of the setup holds
 * (NULL: zero). */
torre_status torre_wave_set_fields(const torre_wave_backend *backend, torre_wave_solver *solver,
                                   const torre_wave_setup *setup, const void *now,
                                   const void *previous);

/* Copy level 0 or -1 to a dense array of all cells that the solver of the setup holds. */
torre_status torre_wave_get_field(const torre_wave_backend *backend, torre_wave_solver *solver,
                                  const torre_wave_setup *setup, int level, void *cells);

/* Refuse what no solver of the setup can copy: levels but 0 and -1, boxes beyond its cells. */
torre_status torre_wave_box_check(const torre_wave_setup *setup, int level, const torre_box *box);

/* The cells that a solver of the setup holds. */
torre_box torre_wave_box_stored(const torre_wave_setup *setup);

/* Copy the values of a box, `width` bytes each, from one array to another (NULL: zeros), given the
 * value of cell box->low and the strides along the axes of each. */
void torre_box_copy(const torre_box *box, size_t width, char *to, const int64_t to_stride[3],
                    const char *from, const int64_t from_stride[3], int threads);

#endif
