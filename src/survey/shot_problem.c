#include "survey/shot_problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a shot");
}

torre_status torre_aperture_check(const torre_aperture *aperture, const torre_wave_problem *model)
{
    for (int a = 0; a < 2 && aperture->wanted; a++)
        if (model->face[a][0] == TORRE_PERIODIC)
            return torre_fail(TORRE_ERR_USAGE,
                              "{aperture} cuts the model, which has no ends along %c: {boundary} "
                              "%c=periodic",
                              "xy"[a], "xy"[a]);
    return TORRE_OK;
}

static torre_status copy_points(const torre_shot *shot, torre_shot_problem *s)
{
    const int64_t count = shot->receivers->list.count;
    s->source = shot->source;
    s->receivers = malloc((size_t)count * sizeof *s->receivers);
    if (!s->receivers) return no_memory();
    for (int64_t i = 0; i < count; i++) s->receivers[i] = torre_shot_receiver(shot, i);
    s->problem.sources = &s->source;
    s->problem.source_count = 1;
    s->problem.receivers = s->receivers;
    s->problem.receiver_count = count;
    return TORRE_OK;
}

/* The wavelet begins at the delay, and is zero before it. */
static torre_status make_ricker(double frequency, double amplitude, double delay,
                                torre_shot_problem *s)
{
    const torre_wave_problem *p = &s->problem;
    TORRE_TRY(torre_wavelet_ricker(frequency, amplitude, p->dt, p->steps, &s->wavelet));
    for (int64_t n = 0; n < p->steps && delay != 0; n++) {
        const double t = (double)n * p->dt - delay;
        s->wavelet[n] = t < 0 ? 0 : amplitude * torre_ricker(frequency, t);
    }
    return TORRE_OK;
}

/* The delay is whole steps (shot_list.c). */
static torre_status shift_values(const double *values, double amplitude, double delay,
                                 torre_shot_problem *s)
{
    const torre_wave_problem *p = &s->problem;
    const int64_t steps = p->steps, late = (int64_t)nearbyint(delay / p->dt);
    s->wavelet = calloc((size_t)steps + 1, sizeof *s->wavelet);
    if (!s->wavelet) return no_memory();
    for (int64_t n = late > 0 ? late : 0; n < steps && n - late < steps; n++)
        s->wavelet[n] = amplitude * values[n - late];
    return TORRE_OK;
}

static torre_status make_wavelet(const torre_wave_spec *spec, const torre_wave_input *in,
                                 const torre_shot *shot, torre_shot_problem *s)
{
    const double slowest = in->time.velocity_min / (10 * torre_wave_spacing_max(&in->problem));
    const bool common = strcmp(spec->wavelet, "ricker") == 0;
    if (shot->wavelet)
        TORRE_TRY(shift_values(shot->wavelet->values, spec->amplitude, shot->delay, s));
    else
        TORRE_TRY(
            make_ricker(common ? in->peak_frequency : slowest, spec->amplitude, shot->delay, s));
    s->problem.wavelet = s->wavelet;
    return TORRE_OK;
}

/* The cells of an axis that a shot needs, with a margin in metres: low .. high - 1. */
static void range_of(const torre_shot_problem *s, int axis, double margin, int64_t *low,
                     int64_t *high)
{
    const torre_wave_problem *p = &s->problem;
    const double h = p->spacing[axis];
    double least = s->source.position[axis], most = least;
    for (int64_t i = 0; i < p->receiver_count; i++) {
        least = fmin(least, s->receivers[i].position[axis]);
        most = fmax(most, s->receivers[i].position[axis]);
    }
    const double layer = p->absorbing_width, end = (double)p->size[axis];
    *low = (int64_t)fmax(floor((least - margin) / h) - layer, 0);
    *high = (int64_t)fmin(ceil((most + margin) / h) + layer + 1, end);
}

/* The values of the cells from low on, as many as the problem has, in the place of *cells. */
static torre_status cut_cells(const int64_t low[3], const torre_shot_problem *s,
                              const torre_array **cells, torre_array *to)
{
    const torre_array *from = *cells;
    if (!from) return TORRE_OK;
    *to = *from;
    to->data = NULL;
    memcpy(to->shape, s->problem.size, sizeof to->shape);
    const bool same = from->shape[1] == 1; /* for every y */
    if (same) to->shape[1] = 1;
    const size_t row = (size_t)to->shape[2] * (size_t)to->precision;
    to->data = malloc((size_t)(to->shape[0] * to->shape[1]) * row);
    if (!to->data) return no_memory();
    for (int64_t x = 0; x < to->shape[0]; x++)
        for (int64_t y = 0; y < to->shape[1]; y++) {
            const int64_t there = (x + low[0]) * from->shape[1] + (same ? 0 : y + low[1]);
            memcpy((char *)to->data + (size_t)(x * to->shape[1] + y) * row,
                   (const char *)from->data + (size_t)there * row, row);
        }
    *cells = to;
    return TORRE_OK;
}

static torre_status cut_medium(const int64_t low[3], torre_shot_problem *s)
{
    TORRE_TRY(cut_cells(low, s, &s->problem.velocity_cells, &s->velocity));
    return cut_cells(low, s, &s->problem.density_cells, &s->density);
}

/* Cut the grid; low: the cells of the model that are its first. */
static void cut_grid(const torre_aperture *aperture, int64_t low[3], torre_shot_problem *s)
{
    torre_wave_problem *p = &s->problem;
    const double margin[2] = {aperture->x, aperture->y};
    int64_t high[3];
    memcpy(high, p->size, sizeof high);
    for (int a = 0; a < 2; a++) {
        if (torre_wave_is_flat(p, a)) continue;
        range_of(s, a, margin[a], &low[a], &high[a]);
        if (low[a] > 0) p->face[a][0] = TORRE_ABSORBING;
        if (high[a] < p->size[a]) p->face[a][1] = TORRE_ABSORBING;
        p->size[a] = high[a] - low[a];
        const double origin = (double)low[a] * p->spacing[a];
        s->source.position[a] -= origin;
        for (int64_t i = 0; i < p->receiver_count; i++) s->receivers[i].position[a] -= origin;
    }
}

/* All but the medium and the setup. */
static torre_status place(const torre_wave_spec *spec, const torre_wave_input *in,
                          const torre_aperture *aperture, const torre_shot *shot, int64_t low[3],
                          torre_shot_problem **problem)
{
    torre_shot_problem *s = *problem = calloc(1, sizeof *s);
    if (!s) return no_memory();
    s->problem = in->problem;
    TORRE_TRY(copy_points(shot, s));
    TORRE_TRY(make_wavelet(spec, in, shot, s));
    memset(low, 0, 3 * sizeof *low);
    if (aperture->wanted) cut_grid(aperture, low, s);
    return TORRE_OK;
}

torre_status torre_shot_problem_check(const torre_wave_spec *spec, const torre_wave_input *in,
                                      const torre_aperture *aperture, const char *path,
                                      const torre_shot *shot, int64_t *cells)
{
    int64_t low[3];
    torre_shot_problem *s;
    torre_status status = place(spec, in, aperture, shot, low, &s);
    if (!status) {
        *cells = torre_wave_cells(&s->problem);
        const char *column = "column amplitude: ";
        status = torre_wave_wavelet_check(&s->problem, s->wavelet);
        if (!status) {
            column = ""; /* the text says source or receiver, and x, y or z */
            status = torre_wave_points_check(&s->problem);
        }
        if (status)
            status = torre_fail(TORRE_ERR_INPUT, "%s:%" PRId64 ": %s%s", path, shot->line, column,
                                torre_error_text());
    }
    torre_shot_problem_free(s);
    return status;
}

torre_status torre_shot_problem_new(const torre_wave_spec *spec, const torre_wave_input *in,
                                    const torre_aperture *aperture, const torre_shot *shot,
                                    torre_shot_problem **problem)
{
    int64_t low[3];
    torre_shot_problem *s;
    torre_status status = place(spec, in, aperture, shot, low, &s);
    if (!status && aperture->wanted) status = cut_medium(low, s);
    if (!status) status = torre_wave_setup_new(&s->problem, &s->setup);
    if (status) {
        torre_shot_problem_free(s);
        return status;
    }
    *problem = s;
    return TORRE_OK;
}

void torre_shot_problem_free(torre_shot_problem *s)
{
    if (!s) return;
    torre_wave_setup_free(s->setup);
    free(s->receivers);
    free(s->wavelet);
    free(s->velocity.data);
    free(s->density.data);
    free(s);
}
