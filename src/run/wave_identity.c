#include "run/wave_identity.h"

#include <inttypes.h>
#include <stdio.h>

#include "io/crc32c.h"
#include "wave/driver.h"

static void add_velocity(const torre_wave_input *in, torre_record *r)
{
    const torre_array *v = in->problem.velocity_cells;
    if (!v) {
        torre_record_add(r, "velocity", "%.17g m/s", in->problem.velocity);
        return;
    }
    const int64_t count = v->shape[0] * v->shape[1] * v->shape[2];
    torre_record_add(r, "velocity", "%.9g to %.9g m/s, checksum %08x", in->time.velocity_min,
                     in->time.velocity_max,
                     torre_crc32c(0, v->data, (size_t)count * (size_t)v->precision));
}

static void add_density(const torre_wave_problem *p, torre_record *r)
{
    const torre_array *d = p->density_cells;
    double low, high;
    if (!d) {
        torre_record_add(r, "density", "the same everywhere");
        return;
    }
    const int64_t count = d->shape[0] * d->shape[1] * d->shape[2];
    torre_density_range(p, &low, &high);
    torre_record_add(r, "density", "%.9g to %.9g kg/m^3, checksum %08x", low, high,
                     torre_crc32c(0, d->data, (size_t)count * (size_t)d->precision));
}

/* Of the steps of perfectly matched layers, which versions choose; in f32, as all machines round
 * them. */
static void add_layers(const torre_wave_run *run, torre_record *r)
{
    const torre_wave_setup *s = run->setup;
    uint32_t sum = 0;
    if (!s->pml_a) return;
    for (int i = 1; i <= s->problem->absorbing_width; i++) {
        const float step[2] = {(float)s->pml_a[i], (float)s->pml_b[i]};
        sum = torre_crc32c(sum, step, sizeof step);
    }
    torre_record_add(r, "layers", "checksum %08x", sum);
}

void torre_wave_identity_model(const torre_wave_input *in, const torre_wave_run *run,
                               torre_record *r)
{
    const torre_wave_problem *p = &in->problem;
    const bool reference = torre_wave_run_info(run)->plan.engine == TORRE_REFERENCE;
    char text[120];
    int n = 0;
    torre_size_text(p->size, torre_wave_is_flat(p, 1), text, sizeof text);
    torre_record_add(r, "grid", "%s", text);
    torre_record_add(r, "spacing", "%.17g,%.17g,%.17g", p->spacing[0], p->spacing[1],
                     p->spacing[2]);
    add_velocity(in, r);
    add_density(p, r);
    torre_record_add(r, "order", "%d", p->order);
    torre_record_add(r, "precision", "f%d", 8 * (int)p->precision);
    torre_record_add(r, "time_step", "%.17g s", p->dt);
    torre_record_add(r, "steps", "%" PRId64, p->steps);
    for (int f = 0; f < 6; f++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", f ? "," : "",
                      torre_face_name(p->face[f / 2][f % 2]));
    torre_record_add(r, "boundary", "%s, %s of width %d", text, torre_absorbing_name(p->absorbing),
                     p->absorbing_width);
    add_layers(run, r);
    torre_record_add(r, "time_dispersion", "%s",
                     p->time_dispersion == TORRE_DISPERSION_CORRECT ? "corrected" : "left");
    torre_record_add(r, "interpolation", "%s",
                     p->interpolation == TORRE_SINC ? "sinc" : "trilinear");
    torre_record_add(r, "backend", "%s%s", torre_wave_run_backend(run),
                     reference ? ", the reference" : "");
}

/* density: on which components depend, of receivers. */
static void add_points(const char *name, const torre_point *point, int64_t count, double density,
                       torre_record *r)
{
    uint32_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const double numbers[4] = {point[i].position[0], point[i].position[1], point[i].position[2],
                                   point[i].amplitude};
        const uint8_t component = (uint8_t)point[i].component;
        sum = torre_crc32c(sum, numbers, sizeof numbers);
        if (component == TORRE_PRESSURE) continue;
        sum = torre_crc32c(sum, &component, 1);
        sum = torre_crc32c(sum, &density, sizeof density);
    }
    torre_record_add(r, name, "%" PRId64 ", checksum %08x", count, sum);
}

void torre_wave_identity_shot(const torre_wave_input *in, torre_record *r)
{
    const torre_wave_problem *p = &in->problem;
    const int64_t samples = p->wavelet ? p->steps : 0;
    if (in->noise)
        torre_record_add(r, "initial", "noise of seed %" PRIu64, in->seed);
    else
        torre_record_add(r, "initial", "%s%s%s", in->initial[0] ? in->initial[0] : "zero",
                         in->initial[1] ? "," : "", in->initial[1] ? in->initial[1] : "");
    add_points("sources", p->sources, p->source_count, 0, r);
    torre_record_add(r, "wavelet", "%" PRId64 " samples, checksum %08x", samples,
                     torre_crc32c(0, p->wavelet, (size_t)samples * sizeof(double)));
    add_points("receivers", p->receivers, p->receiver_count, p->density, r);
}
