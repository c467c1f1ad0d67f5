/*
 * Time dispersion: the warps against sums written from their definition, leapfrog's own
 * oscillations, and traces of runs against exact ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/driver.h"
#include "wave/time_dispersion.h"
#include "wave_case.h"

static double ricker(double f, double t)
{
    const double a = M_PI * f * (t - 1.2 / f);
    return t < 0 ? 0 : (1 - 2 * a * a) * exp(-a * a);
}

/*
 * 1 / (2 pi) integral of share(w) S(from(w)) exp(i w m) dw over +-top, S(w) = sum of s[n] exp(-i w
 * n), by the trapezoidal rule with 4096 points. Of real signals: twice the real part over 0 .. top.
 */
static double definition(bool trace, const double *s, int count, int m)
{
    enum { POINTS = 4096 };
    double sum = 0;
    for (int k = 0; k < POINTS / 2; k++) {
        const double w = 2 * M_PI * k / POINTS;
        double from = 2 * sin(w / 2), share = cos(w / 2), re = 0, im = 0;
        if (trace) {
            const double left = fmin(1, fmax(0, (1.7 - w) / 0.2));
            from = w < 2 ? 2 * asin(w / 2) : 0;
            share = left > 0 ? left * left * (3 - 2 * left) / sqrt(1 - w * w / 4) : 0;
        }
        for (int n = 0; n < count && share > 0; n++) {
            re += s[n] * cos(from * n);
            im -= s[n] * sin(from * n);
        }
        sum += (k == 0 ? 1 : 2) * share * (re * cos(w * m) - im * sin(w * m));
    }
    return sum / POINTS;
}

/*
 * A Ricker wavelet of twelve samples a period at its peak, which is zero (1e-50) at both ends.
 * Sample 0 is no part of that: it has what lies before it, too. Of traces the fade at the top of
 * the spectrum (1e-6 of the signal there) leaves tails, which come around after 512 samples here
 * and 4096 there.
 */
static void warps_are_those_of_the_definition(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    double signal[COUNT], *warped, unchanged = 0;
    double corrected[COUNT];
    torre_array traces = {TORRE_F64, {1, COUNT, 1}, corrected};
    for (int n = 0; n < COUNT; n++) {
        const double a = M_PI * (n - 45) / 12;
        signal[n] = corrected[n] = (1 - 2 * a * a) * exp(-a * a);
    }
    CHECK_OK(torre_dispersion_wavelet(signal, COUNT, &warped));
    CHECK_OK(torre_dispersion_traces(&traces, COUNT));
    for (int m = 1; m < COUNT; m += 3) {
        const double wavelet = definition(false, signal, COUNT, m);
        const double trace = definition(true, signal, COUNT, m);
        CHECK(fabs(warped[m] - wavelet) < 1e-9, "wavelet, sample %d: %.9g, not %.9g", m, warped[m],
              wavelet);
        CHECK(fabs(corrected[m] - trace) < 1e-8, "trace, sample %d: %.9g, not %.9g", m,
              corrected[m], trace);
        unchanged = fmax(unchanged, fabs(wavelet - signal[m]));
    }
    CHECK(unchanged > 0.1, "the warp changes next to nothing: %g", unchanged);
    free(warped);
}

/* Wavelets keep their sum (frequency 0 stays), whatever they begin with; silence stays silent. */
static void wavelets_keep_their_sum(void **state)
{
    (void)state;
    enum { STEPS = 64 };
    for (int kind = 0; kind < 4; kind++) {
        double s[STEPS] = {0}, *warped, before = 0, after = 0;
        if (kind == 1) s[0] = 1;
        for (int n = 0; n < STEPS && kind > 1; n++)
            s[n] = kind == 2 ? (n < 20) : exp(-(n - 25) * (n - 25) / 50.);
        CHECK_OK(torre_dispersion_wavelet(s, STEPS, &warped));
        for (int n = 0; n < STEPS; n++) {
            before += s[n];
            after += warped[n];
        }
        /* the tail of a jump falls off like 1 / n^2 and alternates: 1 / 64^2 is beyond the end */
        CHECK(fabs(after - before) < 1e-3 * fmax(1, before), "kind %d: sum %g, not %g", kind, after,
              before);
        free(warped);
    }
}

/*
 * What should be cos(w n) leapfrog makes cos(w_d n), w_d = 2 asin(w / 2). Corrected it is what it
 * should be, but near the ends, where a trace does not know how it goes on: the fades there, of 32
 * samples, leave 1e-5 elsewhere. An odd number of traces, longer rows than samples; the rest of a
 * row stays.
 */
static void oscillations_get_their_frequency(void **state)
{
    (void)state;
    enum { TRACES = 5, ROW = 1100, SAMPLES = 1000, END = 100 };
    static const double w[TRACES] = {0.05, 0.2, 0.4, 0.7, 1.0};
    for (int precision = 4; precision <= 8; precision += 4) {
        torre_array t = {(torre_precision)precision, {TRACES, ROW, 1}, NULL};
        t.data = wave_alloc(TRACES * ROW, sizeof(double));
        for (int r = 0; r < TRACES; r++)
            for (int n = 0; n < ROW; n++)
                torre_value_set(t.precision, t.data, r * ROW + n, cos(2 * asin(w[r] / 2) * n));
        CHECK_OK(torre_dispersion_traces(&t, SAMPLES));
        for (int r = 0; r < TRACES; r++) {
            double worst = 0, start = 0;
            for (int n = 0; n < SAMPLES - END; n++) {
                const double error =
                    fabs(torre_value(t.precision, t.data, r * ROW + n) - cos(w[r] * n));
                *(n < 64 ? &start : &worst) = fmax(*(n < 64 ? &start : &worst), error);
            }
            /* f32: rounded once when recorded and once when corrected, the former summed with
             * weights whose squares sum to about 1 */
            const double slack = 1e-5 + 8 * wave_eps(t.precision);
            CHECK(worst < slack && start < 1e-3, "w dt = %g: off by %g, %g at the start", w[r],
                  worst, start);
            CHECK(fabs(torre_value(t.precision, t.data, r * ROW + SAMPLES) -
                       cos(2 * asin(w[r] / 2) * SAMPLES)) <= wave_eps(t.precision),
                  "what was not asked for has changed");
        }
        free(t.data);
    }
}

/* A run of a cube or plane: Ricker wavelet of `frequency`, a receiver at `to`. */
typedef struct shot {
    torre_wave_problem p;
    torre_point source, receiver;
    double *wavelet, frequency;
} shot;

static void shot_make(shot *s, bool plane, double points, int64_t cells)
{
    /* what a wave that a side returns goes longer is more than the wavelet, of 2.5 periods */
    const double behind = 2.5 * points / 2 + 2, half = (double)cells / 2;
    const int64_t margin = (int64_t)behind, length = cells + 2 * margin;
    const int64_t side = (int64_t)sqrt((half + behind) * (half + behind) - half * half) + 1;
    s->p = wave_case_problem(length, plane ? 1 : 2 * side + 1, 2 * side + 1, 8);
    if (plane) wave_case_flatten(&s->p);
    s->source = (torre_point){
        .position = {10. * (double)margin, plane ? 0 : 10. * (double)side, 10. * (double)side},
        .amplitude = 1};
    s->receiver = s->source;
    s->receiver.position[0] += 10. * (double)cells;
    wave_case_courant(&s->p, 0.9);
    s->frequency = s->p.velocity / (10 * points);
    s->p.steps = (int64_t)(((double)cells + 2.5 * points) * 10 / s->p.velocity / s->p.dt);
    CHECK_OK(torre_wavelet_ricker(s->frequency, 1, s->p.dt, s->p.steps, &s->wavelet));
    s->p.wavelet = s->wavelet;
    s->p.time_dispersion = TORRE_DISPERSION_CORRECT;
    s->p.sources = &s->source;
    s->p.receivers = &s->receiver;
    s->p.source_count = s->p.receiver_count = 1;
}

static torre_wave_run *shot_run(const shot *s, int64_t steps)
{
    torre_wave_run *run;
    CHECK_OK(torre_wave_run_new(&s->p, wave_backend->name, &wave_fast_way()->plan, &run));
    CHECK_OK(torre_wave_run_start(run, NULL, NULL));
    CHECK_OK(torre_wave_run_advance(run, steps, NULL));
    return run;
}

static double sample(const torre_wave_run *run, int64_t n)
{
    const torre_array *t = torre_wave_run_traces(run);
    return torre_value(t->precision, t->data, n);
}

/* s(t - r / c) / (4 pi c^2 r); in a plane that of a line (test_wave_point_source.c). */
static double exact(const shot *s, double t)
{
    const double c = s->p.velocity, r = s->receiver.position[0] - s->source.position[0];
    if (!isinf(s->p.spacing[1])) return ricker(s->frequency, t - r / c) / (4 * M_PI * c * c * r);
    enum { PARTS = 400 };
    const double top = c * t / r > 1 ? acosh(c * t / r) : 0;
    double sum = 0;
    for (int i = 0; i <= PARTS; i++)
        sum += (i % PARTS == 0 ? 0.5 : 1) * ricker(s->frequency, t - r / c * cosh(top * i / PARTS));
    return sum * top / PARTS / (2 * M_PI * c * c);
}

/* The largest error of the trace, of its peak. */
static double shot_error(shot *s)
{
    torre_wave_run *run = shot_run(s, s->p.steps);
    double worst = 0, peak = 0;
    for (int64_t n = 0; n <= s->p.steps; n++) {
        const double wanted = exact(s, (double)n * s->p.dt);
        worst = fmax(worst, fabs(sample(run, n) - wanted));
        peak = fmax(peak, fabs(wanted));
    }
    torre_wave_run_free(run);
    return worst / peak;
}

/*
 * Order 8 at 0.9 of the limit, along an axis, 8 points in the shortest wave of the wavelet, 2.5
 * times its peak frequency, where its spectrum is 3 % of its largest: after 10 such waves in three
 * dimensions, after 50 in a plane.
 *
 * Phase errors at the distance L of so many of the shortest waves, k L = 63 and 314. There k h = 2
 * pi / 8 = 0.785 and w dt = 0.9 * 0.453 (plane: 0.555) times that, 0.32 (0.39): leapfrog k L (w
 * dt)^2 / 24 = 0.27 and 2.0; the stencil k L (k h)^8 / 6300 = 0.0014 and 0.0072. At the peak, 2.5
 * times as slow, leapfrog 2.5^-3 of that, 0.017 and 0.13; the stencil 2.5^-9, nothing. Corrected,
 * the error of a trace is that of the shortest waves, 3 % of 0.0014 and 0.0072, and what lies
 * between them and the peak: 1e-3 at most. At 0.5 %, a 5th of what leapfrog does is left.
 */
static void traces_are_exact_in_time(void **state)
{
    (void)state;
    for (int plane = 0; plane < 2; plane++) {
        double error[2];
        shot s;
        for (int leave = 0; leave < 2; leave++) {
            shot_make(&s, plane, 20, plane ? 400 : 80);
            s.p.time_dispersion = leave ? TORRE_DISPERSION_LEAVE : TORRE_DISPERSION_CORRECT;
            error[leave] = shot_error(&s);
            free(s.wavelet);
        }
        printf("%d waves of 8 points: error %.5f, uncorrected %.4f\n", plane ? 50 : 10, error[0],
               error[1]);
        CHECK(error[0] < 0.005 && error[1] > 0.02, "dimensions %d: error %g, uncorrected %g",
              3 - plane, error[0], error[1]);
    }
}

/*
 * A run that ends before its last step has the trace of the whole one, but for the last half period
 * before it ends: half of 20 points at 0.3 to 0.5 points a step. It does not go on afterwards.
 */
static void runs_may_end_early(void **state)
{
    (void)state;
    shot s;
    shot_make(&s, true, 20, 80);
    const int64_t steps = s.p.steps - 60, half_period = 25;
    torre_wave_run *whole = shot_run(&s, s.p.steps), *cut = shot_run(&s, steps);
    double peak = 0, last = 0, rest = 0;
    CHECK_OK(torre_wave_run_end_traces(cut));
    for (int64_t n = 0; n <= steps; n++) {
        const double difference = fabs(sample(whole, n) - sample(cut, n));
        double *worst = n < steps - half_period ? &rest : &last;
        *worst = fmax(*worst, difference);
        peak = fmax(peak, fabs(sample(whole, n)));
    }
    printf("ended in a signal: %.2g of the peak off, %.2g at the end\n", rest / peak, last / peak);
    CHECK(rest < 1e-3 * peak && last < 0.1 * peak, "off by %g and %g of %g", rest, last, peak);
    const double kept = sample(cut, steps / 2);
    CHECK_OK(torre_wave_run_end_traces(cut));
    CHECK(sample(cut, steps / 2) == kept, "corrected twice");
    CHECK(torre_wave_run_advance(cut, 1, NULL) == TORRE_ERR_USAGE &&
              strstr(torre_error_text(), "final"),
          "%s", torre_error_text());
    torre_wave_run_free(whole);
    torre_wave_run_free(cut);
    free(s.wavelet);
}

/* Left as computed, traces are what the solver samples, bit for bit. */
static void left_traces_are_the_samples(void **state)
{
    (void)state;
    shot s;
    wave_sim sim;
    shot_make(&s, true, 10, 30);
    s.p.time_dispersion = TORRE_DISPERSION_LEAVE;
    torre_wave_run *run = shot_run(&s, s.p.steps);
    CHECK(wave_sim_open(&sim, &s.p, wave_fast_way()), "refused");
    wave_sim_advance(&sim, s.p.steps);
    for (int64_t n = 1; n <= s.p.steps; n++)
        CHECK(sample(run, n) == sim.samples[n - 1], "step %d", (int)n);
    wave_sim_close(&sim);
    torre_wave_run_free(run);
    free(s.wavelet);
}

/* Of an impulse three quarters and more lie above 1.5 of pi; of a wavelet of 20 points next to
 * nothing does. */
static void what_is_too_fast_is_known(void **state)
{
    (void)state;
    double wavelet[60], share;
    for (int n = 0; n < 60; n++) wavelet[n] = ricker(1 / 20., n);
    CHECK_OK(torre_dispersion_lost(wavelet, 60, &share));
    CHECK(share < 1e-6, "share %g", share);
    for (int n = 0; n < 60; n++) wavelet[n] = n == 7;
    CHECK_OK(torre_dispersion_lost(wavelet, 60, &share));
    /* 1 - 1.5 / pi, to a frequency of 128 */
    CHECK(fabs(share - (1 - 1.5 / M_PI)) < 0.02, "share %g", share);
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_are_those_of_the_definition),
        cmocka_unit_test(wavelets_keep_their_sum),
        cmocka_unit_test(oscillations_get_their_frequency),
        cmocka_unit_test(traces_are_exact_in_time),
        cmocka_unit_test(runs_may_end_early),
        cmocka_unit_test(left_traces_are_the_samples),
        cmocka_unit_test(what_is_too_fast_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
