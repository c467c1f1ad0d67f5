/*
 * What a run of a pair model measures on its way, and the files it goes to: g(r), mean square
 * displacement, autocorrelation of velocities, pressure tensor, viscosity. All is computed on the
 * host of states at the steps that are due, so that it is the same for every backend.
 */
#ifndef TORRE_PAIR_MEASURES_H
#define TORRE_PAIR_MEASURES_H

#include "core/report.h"
#include "particles/correlation.h"
#include "particles/rdf.h"
#include "particles/stress.h"
#include "run/particle_checkpoint.h"
#include "run/particle_files.h"

/* Zero before open. */
typedef struct torre_pair_measures {
    const torre_measure_wishes *wishes;
    const torre_md_problem *problem;
    torre_rdf rdf;
    torre_correlation msd, vacf;
    torre_stress stress;
    torre_viscosity viscosity;
    torre_sink *rdf_file, *msd_file, *vacf_file, *stress_file, *viscosity_file;
} torre_pair_measures;

/* Refuse names that stand for no format, and what makes no sense; then what cannot be measured of
 * the problem. TORRE_ERR_USAGE. */
torre_status torre_measure_wishes_check(const torre_measure_wishes *wishes);
torre_status torre_pair_measures_check(const torre_measure_wishes *wishes,
                                       const torre_md_problem *problem);

/* Take memory and open the files, for what has been checked. Wishes and problem must outlive it.
 * threads 0: as many as OpenMP likes. */
torre_status torre_pair_measures_open(const torre_measure_wishes *wishes,
                                      const torre_md_problem *problem, int threads,
                                      torre_pair_measures *measures);

/* At multiples of how many steps there is something to measure; 0: never. */
int64_t torre_pair_measures_every(const torre_pair_measures *measures);

/* Whether at that step. */
bool torre_pair_measures_due(const torre_pair_measures *measures, int64_t step);

/* Measure what is due at that step. */
torre_status torre_pair_measures_sample(torre_pair_measures *measures, int64_t step,
                                        const torre_md_particles *particles);

/* Add what a checkpoint needs. */
void torre_pair_measures_extras(torre_pair_measures *measures, torre_particle_extras *extras);

/* Write what was measured, and complete the files. */
torre_status torre_pair_measures_finish(torre_pair_measures *measures);

/* What came out: lines for people, members of a report. */
void torre_pair_measures_tell(FILE *out, const torre_pair_measures *measures);
void torre_pair_measures_report(torre_report *report, const torre_pair_measures *measures);

/* Close what is open, leaving nothing incomplete behind, and free. */
void torre_pair_measures_close(torre_pair_measures *measures);

/* The largest interval that both are multiples of; 0: never. */
int64_t torre_common_steps(int64_t a, int64_t b);

#endif
