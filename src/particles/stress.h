/*
 * The pressure tensor of a state, and the shear viscosity that its fluctuations tell:
 *
 *     P_ab = (sum over particles of m v_a v_b + sum over pairs of d_a F_b) / V,   d = r_i - r_j
 *
 * in the order xx, yy, zz, xy, xz, yz. A third of its trace (in a plane, where V is the area, half
 * of it) is the pressure of the thermo row of that step. The stress is -P.
 *
 * Green and Kubo, on all elements of the traceless part Q = P - tr(P)/3 (Daivis and Evans, J. Chem.
 * Phys. 100 (1994) 541):
 *
 *     C(t) = < sum over a, b of Q_ab(s) Q_ab(s + t) > / 10,   eta = V/T integral of C(t) dt
 */
#ifndef TORRE_STRESS_H
#define TORRE_STRESS_H

#include "particles/sorted.h"

enum { TORRE_STRESS_ELEMENTS = 6 };

typedef struct torre_stress {
    const torre_md_problem *problem;
    torre_sorted sorted;
    double *part; /* [bins][elements]: pairs of a bin */
} torre_stress;

/* The problem must outlive it, its arrays of particles need not. threads 0: as many as OpenMP
 * likes. TORRE_ERR_RESOURCE. */
torre_status torre_stress_make(const torre_md_problem *problem, int threads, torre_stress *stress);
void torre_stress_free(torre_stress *stress); /* zero is fine */

/* Of the particles; sums have one order whatever the threads. temperature: as in thermo rows. */
void torre_stress_sample(torre_stress *stress, const torre_md_particles *particles,
                         double pressure[TORRE_STRESS_ELEMENTS], double *temperature);

/* Sums over the pairs of each bin (stress_pairs.c.in): one function per pair model. */
typedef void torre_stress_pairs(const torre_md_problem *problem, const torre_sorted *sorted,
                                int64_t rank, double sum[TORRE_STRESS_ELEMENTS]);
#define TORRE_STRESS_DECLARE(name) torre_stress_pairs torre_stress_pairs_##name;
TORRE_PAIR_LIST(TORRE_STRESS_DECLARE)

/* The integral of Green and Kubo over samples at equal intervals; of three dimensions. */
typedef struct torre_viscosity {
    int64_t window;  /* lags */
    double state[2]; /* samples so far, and the sum of their temperatures */
    double *past;    /* [window + 1][elements]: the last samples, in a ring */
    double *sum;     /* [window + 1]: of C(t) */
} torre_viscosity;

/* window >= 1. TORRE_ERR_RESOURCE. */
torre_status torre_viscosity_make(int64_t window, torre_viscosity *viscosity);
void torre_viscosity_free(torre_viscosity *viscosity); /* zero is fine */

void torre_viscosity_sample(torre_viscosity *viscosity,
                            const double pressure[TORRE_STRESS_ELEMENTS], double temperature);

/*
 * Of a lag: the lag in samples, its time, C, the integral of viscosity up to it, origins. interval:
 * time between samples. False where the run was too short for it.
 */
enum { TORRE_VISCOSITY_COLUMNS = 5 };
extern const char *const torre_viscosity_column[TORRE_VISCOSITY_COLUMNS];
bool torre_viscosity_row(const torre_viscosity *viscosity, const torre_md_problem *problem,
                         int64_t lag, double interval, double row[TORRE_VISCOSITY_COLUMNS]);

/* The mean of the integral over the second half of the lags there are; NaN without lags enough. */
double torre_viscosity_of(const torre_viscosity *viscosity, const torre_md_problem *problem,
                          double interval);

#endif
