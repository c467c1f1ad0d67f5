/*
 * Source wavelets s(t), sampled at the time step.
 *
 * Ricker (second derivative of a Gaussian): s(t) = (1 - 2 a) exp(-a), a = (pi f (t - t0))^2,
 * t0 = 1.2 / f; f is the peak of its spectrum, which has fallen to 3 % at 2.5 f.
 */
#ifndef TORRE_WAVELET_H
#define TORRE_WAVELET_H

#include <stdint.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The Ricker wavelet of peak frequency f (Hz) at time t (s). */
double torre_ricker(double frequency, double t);

/*
 * samples[n] = amplitude * ricker(n dt), n = 0 .. steps - 1 (steps >= 0), in new memory for the
 * caller to free. TORRE_ERR_RESOURCE when there is none.
 */
torre_status torre_wavelet_ricker(double frequency, double amplitude, double dt, int64_t steps,
                                  double **samples);

/*
 * samples[n] = amplitude * the n-th value of a file, n = 0 .. steps - 1; zero after the end of the
 * file; values beyond steps are not used. path: .npy with one axis, or a text file with one number
 * a line ('#' starts a comment, blank lines are skipped). *count: values in the file.
 * TORRE_ERR_INPUT for a file that is not like this. Free *samples with free().
 */
torre_status torre_wavelet_read(const char *path, double amplitude, int64_t steps, double **samples,
                                int64_t *count);

/*
 * The frequency (Hz) at which the amplitude spectrum of the samples is largest, to about 2 %;
 * 0 when all are zero. Meant for wavelets, whose spectra have one wide peak.
 */
double torre_wavelet_peak(const double *samples, int64_t count, double dt);

#ifdef __cplusplus
}
#endif

#endif
