/* What all programs begin with (torre_wave_program in backend.h); for those who make them. */
#ifndef TORRE_WAVE_PROGRAM_H
#define TORRE_WAVE_PROGRAM_H

#include "core/rank_team.h"
#include "wave/backend.h"

struct torre_wave_program {
    const torre_wave_setup *setup; /* the caller's */
    torre_wave_info info;
    bool sums;                                  /* torre_wave_program_sums */
    double chunk_s;                             /* that a chunk of steps takes at least; 0: as
                                                   usual */
    double drain;                               /* passes of towers that its end costs */
    int64_t room;                               /* torre_wave_run_room */
    int64_t planes;                             /* cells of the setup's planes, which
                                                   advance_planes records; 0: it does not */
    int64_t first_steps;                        /* of the first chunk; 0: a pass */
    const torre_wave_backend *maker;            /* whose adapt and create it is for, in place of
                                                   those of the backend that planned it; or NULL */
    torre_rank_team *team;                      /* of the solver, which all its members make and
                                                   advance together (teams of backend.h), or NULL */
    void (*clear)(torre_wave_program *program); /* frees what else it owns; or NULL */
};

/* A program of `bytes` bytes, of which those after the beginning are zero: plan is the wish, and
 * everything else is open. */
torre_status torre_wave_program_new(size_t bytes, const torre_wave_setup *setup,
                                    const torre_wave_plan *wish, torre_wave_program **program);

#endif
