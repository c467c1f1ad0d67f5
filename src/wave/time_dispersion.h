/*
 * Traces without the error of the time step.
 *
 * Leapfrog solves the wave equation exactly in time, but at another frequency: what should
 * oscillate with w does so with w_d, sin(w_d dt / 2) = w dt / 2, for all waves in any medium. So a
 * wavelet is warped before the run, Q(w_d) = S(w), and its traces are warped back after it (Koene,
 * Robertsson, Broggini, Andersson, Geophys. J. Int. 213 (2018) 770):
 *
 *     wavelet:  q(t) = 1 / (2 pi) integral of S(w(w_d)) (d w / d w_d)  exp(i w_d t)  d w_d
 *     trace:    v(t) = 1 / (2 pi) integral of U(w_d(w)) (d w_d / d w)  exp(i w t)    d w
 *
 * The derivatives keep amplitudes, of waves that an initial field sends out, too. In time both are
 * stretchings about t = 0: what has the frequency w and is at t in a trace was recorded at
 * t cos(w_d dt / 2). So no step before the first is needed, and none after the last.
 *
 *  - Wavelets begin with their first sample. What a jump there would need before step 0 goes to
 *    step 0, so that the sum of the samples stays.
 *  - Traces are continued beyond their ends by mirror images: even ones at the start (at rest), odd
 *    ones after the last sample. In its last half period, a trace that ends in the middle of a
 *    signal is that much less exact.
 *  - Of traces, frequencies above 1.5 / dt (4.2 samples a period) are faded out, to nothing at
 *    1.7 / dt: at 2 / dt leapfrog ends. In the limit of stability no wave along an axis of a grid
 *    of two or three dimensions is so fast.
 */
#ifndef TORRE_TIME_DISPERSION_H
#define TORRE_TIME_DISPERSION_H

#include "wave/problem.h"

/* Whether wavelet and traces of a problem are to be warped: where it says so and has receivers. */
bool torre_dispersion_corrects(const torre_wave_problem *problem);

/* The warped wavelet of `steps` samples, in new memory for the caller to free. */
torre_status torre_dispersion_wavelet(const double *wavelet, int64_t steps, double **warped);

/* Warp back the first `samples` samples of every trace, in their place. traces: shape (traces,
 * more, 1). A trace has the same bits whatever the number of threads. */
torre_status torre_dispersion_traces(torre_array *traces, int64_t samples);

/* Bytes that torre_dispersion_traces takes for a while; -1 on overflow. */
int64_t torre_dispersion_bytes(int64_t traces, int64_t samples);

/* The share of a wavelet's energy above 1.5 / dt, of which nothing reaches a trace: 0 .. 1. */
torre_status torre_dispersion_lost(const double *wavelet, int64_t steps, double *share);

#endif
