/*
 * libtorre, the public interface in one include, from C and from C++.
 *
 *     torre_wave_problem  what to compute               torre/wave.h
 *     torre_wave_run      compute it                    torre/wave.h
 *     torre_md_problem    particles, likewise           particles/md.h
 *     torre_md_run        compute them                  particles/md_run.h
 *     TORRE_PAIR_lj       Lennard-Jones particles       particles/pair_lj.h
 *     torre_granular      a granular gas                particles/granular.h
 *     torre_mps_problem   a fluid of moving particles   particles/mps.h
 *     torre_mps_tank      a tank with a water column    particles/mps_tank.h
 *     torre_mps_run       compute them                  particles/mps_run.h
 *     torre_ordering      orderings of tiles            torre/ordering.h
 *     torre_sink          results in files              io/sink.h
 *     torre_npy_read ...  files in and out              io/
 *
 * Pictures have headers of their own: io/field_picture.h, io/particle_picture.h, io/seismogram.h.
 * Every function that can fail returns a torre_status; torre_error_text() says why (core/status.h).
 */
#ifndef TORRE_H
#define TORRE_H

#include "core/status.h"
#include "io/npy.h"
#include "io/particle_file.h"
#include "io/point_list.h"
#include "io/segy.h"
#include "io/sink.h"
#include "particles/granular.h"
#include "particles/md.h"
#include "particles/md_run.h"
#include "particles/md_start.h"
#include "particles/mps.h"
#include "particles/mps_run.h"
#include "particles/mps_tank.h"
#include "particles/pair_granular.h"
#include "particles/pair_lj.h"
#include "torre/ordering.h"
#include "torre/wave.h"

#endif
