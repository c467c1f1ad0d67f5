/*
 * libtorre, the public interface in one include.
 *
 *     torre_wave_problem  what to compute          wave/wave.h
 *     torre_wave_run      compute it               wave/driver.h
 *     torre_md_problem    particles, likewise      md/md.h
 *     torre_md_run        compute them             md/md_run.h
 *     torre_ordering      orderings of tiles       tiling/ordering.h
 *
 * Every function that can fail returns a torre_status; torre_error_text() says why (core/status.h).
 */
#ifndef TORRE_H
#define TORRE_H

#include "core/status.h"
#include "md/md.h"
#include "md/md_run.h"
#include "md/md_start.h"
#include "tiling/ordering.h"
#include "tiling/traversal.h"
#include "wave/boundary.h"
#include "wave/driver.h"
#include "wave/wave.h"

#endif
