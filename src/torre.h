/*
 * libtorre, the public interface in one include, from C and from C++.
 *
 *     torre_wave_problem  what to compute               wave/wave.h
 *     torre_wave_run      compute it                    wave/driver.h
 *     torre_md_problem    particles, likewise           md/md.h
 *     torre_md_run        compute them                  md/md_run.h
 *     TORRE_PAIR_lj       Lennard-Jones particles       md/pair_lj.h
 *     torre_granular      a granular gas                md/granular.h
 *     torre_mps_problem   a fluid of moving particles   md/mps.h
 *     torre_mps_tank      a tank with a water column    md/mps_tank.h
 *     torre_mps_run       compute them                  md/mps_run.h
 *     torre_ordering      orderings of tiles            tiling/ordering.h
 *     torre_npy_read ...  files in and out              io/
 *
 * Pictures have headers of their own: io/field_picture.h, io/particle_picture.h, io/seismogram.h.
 * Every function that can fail returns a torre_status; torre_error_text() says why (core/status.h).
 */
#ifndef TORRE_H
#define TORRE_H

#include "core/status.h"
#include "core/version.h"
#include "io/npy.h"
#include "io/particle_file.h"
#include "io/point_list.h"
#include "io/segy.h"
#include "io/trajectory.h"
#include "md/granular.h"
#include "md/md.h"
#include "md/md_run.h"
#include "md/md_start.h"
#include "md/mps.h"
#include "md/mps_run.h"
#include "md/mps_tank.h"
#include "md/pair_granular.h"
#include "md/pair_lj.h"
#include "tiling/ordering.h"
#include "tiling/traversal.h"
#include "wave/boundary.h"
#include "wave/driver.h"
#include "wave/initial.h"
#include "wave/wave.h"
#include "wave/wavelet.h"

#endif
