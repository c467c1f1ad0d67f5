/*
 * What all programs begin with (torre_md_program in md.h); for those who make them. A program owns
 * no memory but itself.
 */
#ifndef TORRE_MD_PROGRAM_H
#define TORRE_MD_PROGRAM_H

#include "particles/md.h"

#ifdef __cplusplus
extern "C" {
#endif

struct torre_md_program {
    const torre_md_problem *problem; /* the caller's */
    torre_md_info info;
};

/* A program of `bytes` bytes, of which those after the beginning are zero: plan is the wish, and
 * everything else is open. */
torre_status torre_md_program_new(size_t bytes, const torre_md_problem *problem,
                                  const torre_md_plan *wish, torre_md_program **program);

/* Add to info->why: what was chosen, and the reason for it. */
__attribute__((format(printf, 2, 3))) void torre_md_program_because(torre_md_program *program,
                                                                    const char *format, ...);

/* The same of how often thermostat and barostat act, where they need not in each step and the
 * problem leaves it open. */
void torre_md_program_couple(torre_md_program *program);

/* What a barostat ends a run with (TORRE_ERR_UNSTABLE): an edge changes too fast on the way to a
 * step (barostat.h); a box is less than twice the reach of lists, the cutoff and skin. */
torre_status torre_md_box_too_fast(int64_t step);
torre_status torre_md_box_check(const double box[3], double reach, int64_t step);

#ifdef __cplusplus
}
#endif

#endif
