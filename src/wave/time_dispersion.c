/*
 * A warp needs the spectrum of a signal at frequencies that are not evenly spaced: those of a
 * transform of twice the length, interpolated with a Kaiser window of 12 points, after the signal
 * was divided by the window's own transform (relative error about 1e-12).
 */
#include "wave/time_dispersion.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/fourier.h"
#include "core/kaiser.h"

static const double pi = 3.14159265358979323846;

/* Radians a sample: traces fade out between these. */
static const double fade_from = 1.5, fade_to = 1.7;

enum {
    REACH = 12,    /* points that a frequency between others is interpolated from */
    CONTINUED = 32 /* samples that signals are continued by */
};

/* Of the window: best at twice the length, pi sqrt((REACH / 2)^2 (2 - 1/2)^2 - 0.8). */
static const double window_beta = 28.13;

typedef enum direction { WAVELET, TRACE } direction;

/* What signals of one length are warped with; never changed, used by all threads. */
typedef struct warp {
    int64_t samples, before, after; /* of a signal, and how many it is continued by */
    int64_t n, middle;              /* length of the transforms; of the continued signal */
    torre_complex *turn;            /* n / 2 */
    double *even;                   /* [before + samples + after]: 1 / transform of the window */
    /* frequency k = 0 .. n / 2 - 1 of the result: its factor, and where it is in the transform */
    torre_complex *factor;
    int64_t *first;
    double *weight; /* [REACH k ...] */
} warp;

/* Where frequency w of the result is in the signal, and how much of it to take. */
static double frequency_of(direction to, double w, double *share)
{
    if (to == WAVELET) {
        *share = cos(w / 2);
        return 2 * sin(w / 2);
    }
    const double left = (fade_to - w) / (fade_to - fade_from);
    const double kept = left > 1 ? 1 : left * left * (3 - 2 * left);
    *share = left > 0 ? kept / sqrt(1 - w * w / 4) : 0;
    return left > 0 ? 2 * asin(w / 2) : 0;
}

static int64_t continuation(int64_t samples)
{
    return samples - 1 < CONTINUED ? samples - 1 : CONTINUED;
}

/* Sample i of a signal. Beyond its ends it fades out: before the first sample as the even mirror
 * image, which is right for a start at rest, after the last one as the odd one. */
static double continued(const double *signal, int64_t samples, int64_t i)
{
    const int64_t last = samples - 1, beyond = i < 0 ? -i : i - last;
    if (beyond <= 0) return signal[i];
    const double fading = 0.5 + 0.5 * cos(pi * (double)beyond / (CONTINUED + 1));
    return fading * (i < 0 ? signal[beyond] : 2 * signal[last] - signal[last - beyond]);
}

/* Twice what is needed, so that what is stretched over the end of a trace comes not back at its
 * beginning: 1 / cos(w_d / 2) < 2 below fade_to. */
static int64_t transform_length(int64_t samples)
{
    int64_t n = 1;
    if (samples > INT64_MAX / 1024) return -1;
    while (n < 2 * (samples + 2 * CONTINUED)) n *= 2;
    return n;
}

/* Of a warp; 1024 times as much is a number. */
static int64_t warp_bytes(int64_t n, int64_t samples)
{
    return n / 2 * (int64_t)(2 * sizeof(torre_complex) + sizeof(int64_t) + REACH * sizeof(double)) +
           (samples + 2 * CONTINUED) * (int64_t)sizeof(double);
}

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for correcting time dispersion");
}

static void warp_free(warp *w)
{
    free(w->turn);
    free(w->even);
    free(w->factor);
    free(w->first);
    free(w->weight);
}

/* The transform of the window at the distance j from the middle of a signal. */
static double window_transform(const warp *w, int64_t j)
{
    const double x = pi * REACH * (double)j / (double)w->n;
    const double root = sqrt(window_beta * window_beta - x * x);
    return REACH * sinh(root) / root;
}

static void fill_frequency(warp *w, direction to, int64_t k)
{
    const double step = 2 * pi / (double)w->n;
    double share, from = frequency_of(to, step * (double)k, &share);
    const double place = from / step, turned = from * (double)(w->middle - w->before);
    w->factor[k].re = share * cos(turned) / (double)w->n;
    w->factor[k].im = -share * sin(turned) / (double)w->n;
    w->first[k] = (int64_t)ceil(place - REACH / 2.);
    for (int i = 0; i < REACH; i++)
        w->weight[REACH * k + i] =
            torre_kaiser((place - (double)(w->first[k] + i)) / (REACH / 2.), window_beta);
}

static torre_status warp_new(direction to, int64_t samples, int64_t before, int64_t after, warp *w)
{
    memset(w, 0, sizeof *w);
    w->samples = samples;
    w->before = before;
    w->after = after;
    w->n = transform_length(samples);
    const int64_t all = w->before + samples + w->after, half = w->n / 2;
    w->middle = all / 2;
    w->turn = malloc((size_t)half * sizeof *w->turn);
    w->even = malloc((size_t)all * sizeof *w->even);
    w->factor = malloc((size_t)half * sizeof *w->factor);
    w->first = malloc((size_t)half * sizeof *w->first);
    w->weight = malloc((size_t)(REACH * half) * sizeof *w->weight);
    if (!w->turn || !w->even || !w->factor || !w->first || !w->weight) return no_memory();
    torre_fourier_turns(w->n, w->turn);
    for (int64_t j = 0; j < all; j++) w->even[j] = 1 / window_transform(w, j - w->middle);
#pragma omp parallel for
    for (int64_t k = 0; k < half; k++) fill_frequency(w, to, k);
    return TORRE_OK;
}

/* Share of the transform x that frequency k of the result takes; side -1: frequency -k. */
static torre_complex interpolated(const warp *w, const torre_complex *x, int64_t k, int side)
{
    torre_complex sum = {0, 0};
    for (int i = 0; i < REACH; i++) {
        const torre_complex *at = x + ((side * (w->first[k] + i)) & (w->n - 1));
        sum.re += w->weight[REACH * k + i] * at->re;
        sum.im += w->weight[REACH * k + i] * at->im;
    }
    const double re = w->factor[k].re, im = side * w->factor[k].im;
    return (torre_complex){re * sum.re - im * sum.im, re * sum.im + im * sum.re};
}

/*
 * Warp two signals at once, as real and imaginary part. x, y: room for n numbers each. Afterwards
 * y[i] holds sample i of both, and y[n - i] sample -i.
 */
static void warp_pair(const warp *w, const double *a, const double *b, torre_complex *x,
                      torre_complex *y)
{
    const int64_t n = w->n, all = w->before + w->samples + w->after;
    memset(x, 0, (size_t)n * sizeof *x);
    memset(y, 0, (size_t)n * sizeof *y);
    for (int64_t j = 0; j < all; j++)
        x[(j - w->middle) & (n - 1)] =
            (torre_complex){w->even[j] * continued(a, w->samples, j - w->before),
                            w->even[j] * continued(b, w->samples, j - w->before)};
    torre_fourier(n, w->turn, x);
    for (int64_t k = 0; k < n / 2; k++) {
        if (w->factor[k].re == 0 && w->factor[k].im == 0) continue;
        y[k] = interpolated(w, x, k, -1); /* back: with k and n - k exchanged */
        if (k > 0) y[n - k] = interpolated(w, x, k, 1);
    }
    torre_fourier(n, w->turn, y);
}

bool torre_dispersion_corrects(const torre_wave_problem *p)
{
    return p->time_dispersion == TORRE_DISPERSION_CORRECT && p->receiver_count > 0;
}

/* A wavelet up to the last sample that counts: tails that die out take no room. As long as the run,
 * nobody knows how it would go on, and it is continued as traces are. */
static int64_t length_of(const double *wavelet, int64_t steps)
{
    double most = 0;
    for (int64_t n = 0; n < steps; n++) most = fmax(most, fabs(wavelet[n]));
    while (steps > 0 && fabs(wavelet[steps - 1]) <= 1e-17 * most) steps--;
    return steps;
}

torre_status torre_dispersion_wavelet(const double *wavelet, int64_t steps, double **warped)
{
    const int64_t length = length_of(wavelet, steps);
    *warped = calloc((size_t)steps + 1, sizeof **warped);
    if (!*warped) return no_memory();
    if (length == 0) return TORRE_OK;
    warp w;
    torre_status status =
        warp_new(WAVELET, length, 0, length < steps ? 0 : continuation(length), &w);
    torre_complex *x = malloc((size_t)(2 * w.n) * sizeof *x), *y = x + w.n;
    if (!status && !x) status = no_memory();
    if (!status) {
        warp_pair(&w, wavelet, wavelet, x, y);
        for (int64_t n = 0; n < steps && n < w.n / 2; n++) (*warped)[n] = y[n].re;
        for (int64_t n = w.n / 2; n < w.n; n++) (*warped)[0] += y[n].re; /* before step 0 */
    } else {
        free(*warped);
        *warped = NULL;
    }
    free(x);
    warp_free(&w);
    return status;
}

/* Traces r and r + 1, if there is one. room: 2 n complex and 2 `samples` real numbers. */
static void correct_pair(const warp *w, torre_array *t, int64_t r, torre_complex *room)
{
    torre_complex *x = room, *y = x + w->n;
    double *a = (double *)(y + w->n), *b = a + w->samples;
    const bool both = r + 1 < t->shape[0];
    for (int64_t n = 0; n < w->samples; n++) {
        a[n] = torre_value(t->precision, t->data, r * t->shape[1] + n);
        b[n] = both ? torre_value(t->precision, t->data, (r + 1) * t->shape[1] + n) : 0;
    }
    warp_pair(w, a, b, x, y);
    for (int64_t n = 0; n < w->samples; n++) {
        torre_value_set(t->precision, t->data, r * t->shape[1] + n, y[n].re);
        if (both) torre_value_set(t->precision, t->data, (r + 1) * t->shape[1] + n, y[n].im);
    }
}

/* Of correct_pair. */
static int64_t room_bytes(int64_t n, int64_t samples)
{
    return 2 * n * (int64_t)sizeof(torre_complex) + 2 * samples * (int64_t)sizeof(double);
}

/* Threads that have a pair of traces each. */
static int64_t threads_for(int64_t traces)
{
    const int64_t pairs = (traces + 1) / 2, most = omp_get_max_threads();
    return pairs < most ? pairs : most;
}

int64_t torre_dispersion_bytes(int64_t traces, int64_t samples)
{
    const int64_t n = transform_length(samples), threads = threads_for(traces);
    if (traces == 0 || samples < 2) return 0;
    if (n < 0 || room_bytes(n, samples) > INT64_MAX / 2 / threads) return -1;
    return warp_bytes(n, samples) + threads * room_bytes(n, samples);
}

torre_status torre_dispersion_traces(torre_array *traces, int64_t samples)
{
    if (traces->shape[0] == 0 || samples < 2) return TORRE_OK;
    warp w;
    torre_status status =
        warp_new(TRACE, samples, continuation(samples), continuation(samples), &w);
    const int64_t threads = threads_for(traces->shape[0]), room = room_bytes(w.n, samples);
    char *rooms = malloc((size_t)(threads * room));
    if (!status && !rooms) status = no_memory();
    if (!status) {
#pragma omp parallel for num_threads((int)threads)
        for (int64_t r = 0; r < traces->shape[0]; r += 2)
            correct_pair(&w, traces, r, (torre_complex *)(rooms + omp_get_thread_num() * room));
    }
    free(rooms);
    warp_free(&w);
    return status;
}

torre_status torre_dispersion_lost(const double *wavelet, int64_t steps, double *share)
{
    const int64_t length = length_of(wavelet, steps), n = transform_length(length);
    *share = 0;
    if (length == 0) return TORRE_OK;
    const int64_t after = length < steps ? 0 : continuation(length);
    double lost = 0, all = 0;
    torre_complex *turn = malloc((size_t)(n / 2) * sizeof *turn), *x = calloc((size_t)n, sizeof *x);
    torre_status status = turn && x ? TORRE_OK : no_memory();
    if (!status) {
        torre_fourier_turns(n, turn);
        for (int64_t i = 0; i < length + after; i++) x[i].re = continued(wavelet, length, i);
        torre_fourier(n, turn, x);
        for (int64_t k = 0; k < n / 2; k++) {
            const double energy = x[k].re * x[k].re + x[k].im * x[k].im;
            all += energy;
            if (2 * pi * (double)k / (double)n > fade_from) lost += energy;
        }
        *share = lost / all;
    }
    free(turn);
    free(x);
    return status;
}
