/*
 * Correlation in time of a vector that every particle has, over many origins: the mean square
 * displacement of positions, and the autocorrelation of velocities,
 *
 *     msd(t)  = < |r_i(s + t) - r_i(s)|^2 >,      vacf(t) = < v_i(s + t) . v_i(s) >,
 *
 * means over the particles i and the origins s. Samples come at equal intervals; t is a number of
 * them, a lag. An origin begins every `apart` samples and is kept for `window` lags, so that there
 * are `origins` of them at a time, in whose memory the next ones go.
 *
 * Positions are unwrapped: a particle is followed through the box, which is right as long as it
 * moves less than half an edge from sample to sample (less than a quarter is demanded). Positions
 * and velocities are those relative to the centre of mass. Sums have one order whatever the
 * threads.
 */
#ifndef TORRE_CORRELATION_H
#define TORRE_CORRELATION_H

#include "particles/md_start.h"

enum { TORRE_CORRELATION_COLUMNS = 8 };

typedef enum torre_correlation_kind {
    TORRE_CORRELATION_MSD,
    TORRE_CORRELATION_VACF
} torre_correlation_kind;

typedef struct torre_correlation {
    const torre_md_problem *problem;
    torre_correlation_kind kind;
    int64_t window, origins, apart; /* lags, origins at a time, samples between them */
    int threads;
    int64_t samples;  /* so far */
    double *sum;      /* [window + 1][4]: of x, y, z over particles and origins; origins */
    int types;        /* of particles; 0: one */
    double *type_sum; /* [window + 1][types]: of all axes, over the particles of a type */
    double *origin;   /* [origins][axis][id] */
    double *followed; /* msd: [axis][id], positions as if there were no box */
    double centre[3]; /* of mass: its position or velocity at the last sample */
    double *part;     /* [blocks][axis], [blocks][types]: sums over blocks of particles */
    int columns;      /* of a row, and their names */
    const char *column[TORRE_CORRELATION_COLUMNS + TORRE_MD_TYPES];
} torre_correlation;

/* The problem must outlive it, its arrays of particles need not. window, origins >= 1. threads 0:
 * as many as OpenMP likes. TORRE_ERR_RESOURCE with the bytes needed. */
torre_status torre_correlation_make(const torre_md_problem *problem, torre_correlation_kind kind,
                                    int64_t window, int64_t origins, int threads,
                                    torre_correlation *correlation);
void torre_correlation_free(torre_correlation *correlation); /* zero is fine */

/* Bytes of origin and of followed: parts of the state, with samples and sum. */
int64_t torre_correlation_bytes(const torre_correlation *correlation);
int64_t torre_correlation_followed_bytes(const torre_correlation *correlation);

/* TORRE_ERR_USAGE where a particle moved too far since the last sample, said of `step`. */
torre_status torre_correlation_sample(torre_correlation *correlation,
                                      const torre_md_particles *particles, int64_t step);

/*
 * Of a lag: the lag in samples, its time, mean, that along x, y and z, diffusion, origins, and the
 * mean over particles of each type where there are several; correlation->columns of them.
 * interval: time between samples. In d dimensions diffusion is msd / (2 d t), or vacf integrated up
 * to t over d. False where the run was too short for it.
 */
bool torre_correlation_row(const torre_correlation *correlation, int64_t lag, double interval,
                           double *row);

/*
 * The diffusion coefficient: of msd the slope of the least-squares line through the second half of
 * the lags there are over 2 d, of vacf the whole integral over d. NaN without lags enough.
 */
double torre_correlation_diffusion(const torre_correlation *correlation, double interval);

#endif
