#include "wave/problem.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/numbers.h"
#include "core/phase.h"
#include "io/npy.h"

static const double pi = 3.14159265358979323846;

double torre_ricker(double frequency, double t)
{
    double x = pi * frequency * (t - 1.2 / frequency), a = x * x;
    return (1 - 2 * a) * exp(-a);
}

static torre_status allocate(int64_t steps, double **samples)
{
    if (steps < 0)
        return torre_fail(TORRE_ERR_USAGE, "{steps} must be at least 0 (got %" PRId64 ")", steps);
    TORRE_TRY(torre_memory_check("the wavelet", steps > INT64_MAX / 8 ? -1 : 8 * steps));
    *samples = calloc((size_t)steps + 1, sizeof **samples);
    return *samples ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for the wavelet");
}

torre_status torre_wavelet_ricker(double frequency, double amplitude, double dt, int64_t steps,
                                  double **samples)
{
    TORRE_TRY(allocate(steps, samples));
    for (int64_t n = 0; n < steps; n++)
        (*samples)[n] = amplitude * torre_ricker(frequency, (double)n * dt);
    return TORRE_OK;
}

static torre_status read_npy(const char *path, int64_t steps, double *samples, int64_t *count)
{
    torre_array a;
    int dims;
    TORRE_TRY(torre_npy_read(path, &a, &dims));
    torre_status status = TORRE_OK;
    *count = a.shape[0];
    if (dims != 1)
        status = torre_fail(TORRE_ERR_INPUT, "%s has %d axes; a wavelet has one", path, dims);
    for (int64_t n = 0; n < a.shape[0] && !status; n++) {
        double v = torre_value(a.precision, a.data, n);
        if (!isfinite(v))
            status = torre_fail(TORRE_ERR_INPUT, "%s: value %" PRId64 " is %g; it must be finite",
                                path, n, v);
        if (n < steps) samples[n] = v;
    }
    free(a.data);
    return status;
}

static torre_status read_lines(FILE *in, const char *path, int64_t steps, double *samples,
                               int64_t *count)
{
    char line[256]; /* a longer one is cut into pieces, which are refused as numbers */
    *count = 0;
    errno = 0;
    for (int64_t number = 1; fgets(line, sizeof line, in); number++) {
        double v;
        char *text = torre_line_content(number == 1 ? torre_text_begin(line) : line);
        if (!*text) continue;
        if (!torre_parse_real(text, &v))
            return torre_fail(TORRE_ERR_INPUT, "%s:%" PRId64 ": expected one number (got %.60s)",
                              path, number, text);
        if (*count < steps) samples[*count] = v;
        ++*count;
    }
    if (ferror(in)) return torre_fail_errno("cannot read %s", path);
    if (*count == 0) return torre_fail(TORRE_ERR_INPUT, "%s holds no numbers", path);
    return TORRE_OK;
}

static torre_status read_text(const char *path, int64_t steps, double *samples, int64_t *count)
{
    FILE *in = fopen(path, "r");
    if (!in) return torre_fail_errno("cannot read %s", path);
    torre_status status = read_lines(in, path, steps, samples, count);
    fclose(in);
    return status;
}

torre_status torre_wavelet_read(const char *path, double amplitude, int64_t steps, double **samples,
                                int64_t *count)
{
    TORRE_PHASE(TORRE_PHASE_READ);
    size_t length = strlen(path);
    bool npy = length >= 4 && strcmp(path + length - 4, ".npy") == 0;
    TORRE_TRY(allocate(steps, samples));
    torre_status status =
        npy ? read_npy(path, steps, *samples, count) : read_text(path, steps, *samples, count);
    if (status) {
        free(*samples);
        *samples = NULL;
        return status;
    }
    for (int64_t n = 0; n < steps; n++) (*samples)[n] *= amplitude;
    return TORRE_OK;
}

/* |sum s_n exp(-i w n)|^2 by Goertzel's recurrence. */
static double spectrum(const double *s, int64_t count, double w)
{
    double a = 0, b = 0, k = 2 * cos(w);
    for (int64_t n = 0; n < count; n++) {
        double c = s[n] + k * a - b;
        b = a;
        a = c;
    }
    return a * a + b * b - k * a * b;
}

double torre_wavelet_peak(const double *samples, int64_t count, double dt)
{
    while (count > 0 && samples[count - 1] == 0) count--;
    if (count == 0) return 0;
    /* frequencies in equal ratios between one period in 4 times the record and the Nyquist one */
    enum { POINTS = 500 };
    double low = pi / (2 * (double)count), best = 0, best_w = low;
    for (int i = 0; i < POINTS; i++) {
        double w = low * pow(pi / low, i / (double)(POINTS - 1)), p = spectrum(samples, count, w);
        if (p > best) {
            best = p;
            best_w = w;
        }
    }
    return best_w / (2 * pi * dt);
}
