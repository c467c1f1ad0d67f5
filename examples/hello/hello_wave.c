/*
 * Waves on libtorre: a point source, one receiver, and what theory says.
 *
 *     cc hello_wave.c $(pkg-config --cflags --libs torre) -lm -o hello_wave
 *
 * In a homogeneous medium u(r, t) = s(t - r/c) / (4 pi c^2 r) until the first reflection arrives.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <torre/torre.h>

/* Largest difference from theory over the record, relative to the largest value. */
static double compare(const torre_wave_run *run, double frequency, double r)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    const float *trace = torre_wave_run_traces(run)->data; /* one receiver: steps + 1 samples */
    double worst = 0, largest = 0;
    for (int64_t n = 0; n <= p->steps; n++) {
        double u = torre_ricker(frequency, fmax((double)n * p->dt - r / p->velocity, 0));
        u /= 4 * 3.14159265358979 * p->velocity * p->velocity * r;
        worst = fmax(worst, fabs(trace[n] - u));
        largest = fmax(largest, fabs(u));
    }
    return worst / largest;
}

int main(void)
{
    const double frequency = 20;
    torre_point source = {.position = {300, 300, 300}, .amplitude = 1};
    torre_point receiver = {.position = {300, 450, 300}};
    torre_wave_problem problem = {.size = {61, 61, 61}, /* free faces */
                                  .spacing = {10, 10, 10},
                                  .order = 8,
                                  .precision = TORRE_F32,
                                  .dt = 1e-3,
                                  .steps = 200,
                                  .velocity = 2000,
                                  .sources = &source,
                                  .receivers = &receiver,
                                  .source_count = 1,
                                  .receiver_count = 1};
    const torre_wave_plan plan = {0}; /* choose for me */
    torre_wave_run *run = NULL;
    double *wavelet = NULL;
    torre_status status = torre_wavelet_ricker(frequency, 1, problem.dt, problem.steps, &wavelet);
    problem.wavelet = wavelet;
    if (!status) status = torre_wave_run_new(&problem, "auto", &plan, &run);
    if (!status) status = torre_wave_run_start(run, NULL, NULL);
    if (!status) status = torre_wave_run_advance(run, problem.steps, NULL);
    if (!status)
        printf("%s: differs from theory by %.2g of the largest value\n",
               torre_wave_run_info(run)->device, compare(run, frequency, 150));
    if (status) fprintf(stderr, "hello_wave: %s\n", torre_error_text());
    torre_wave_run_free(run);
    free(wavelet);
    return (int)status;
}
