#include "roofline/doctor_rates.h"

#include <stdio.h>
#include <string.h>

#include "core/backend.h"
#include "roofline/sweep_run.h"

enum { REPETITIONS = 3, CHECK_STEPS = 21 };
static const double seconds_a_rate = 0.5;

static bool passed(const torre_diagnosis *d, const char *backend)
{
    int offered = 0;
    for (int i = 0; i < d->checks; i++) {
        const torre_doctor_check *c = &d->check[i];
        if (strcmp(c->backend, backend) != 0 || !c->offered) continue;
        if (!c->passed) return false;
        offered++;
    }
    return offered > 0;
}

static torre_status measure_points(const torre_examination *e, torre_sweep *sweep,
                                   torre_doctor_rates *rates)
{
    for (int order = 2; order <= 8; order += 2)
        for (torre_engine engine = TORRE_STEPWISE; engine <= TORRE_TORRE; engine++) {
            char text[80];
            torre_sweep_point *p = &rates->point[rates->count];
            *p = (torre_sweep_point){.order = order,
                                     .same_bits = -1,
                                     .plan = {.engine = engine,
                                              .measured = true,
                                              .threads = e->threads,
                                              .device = e->device}};
            snprintf(text, sizeof text, "timing %s %s, order %d", rates->backend,
                     torre_engine_name(engine), order);
            if (e->progress) e->progress(text, e->context);
            TORRE_TRY(torre_sweep_measure(sweep, p));
            rates->count++;
        }
    return TORRE_OK;
}

static torre_status measure(const torre_examination *e, const torre_wave_backend *backend,
                            torre_doctor_rates *rates)
{
    torre_machine machine;
    torre_sweep *sweep;
    torre_sweep_setting setting = {.backend = backend,
                                   .machine = &machine,
                                   .precision = rates->precision,
                                   .check_steps = CHECK_STEPS,
                                   .seconds = seconds_a_rate};
    const torre_meter_kind *meter = torre_meter_find(backend->name);
    if (!meter)
        return torre_fail(TORRE_ERR_RESOURCE, "the ceilings of %s cannot be measured",
                          backend->name);
    torre_sweep_usual_size(backend->name, setting.precision, setting.size);
    memcpy(rates->size, setting.size, sizeof rates->size);
    TORRE_TRY(torre_sweep_check_memory(&setting));
    if (e->progress) e->progress("measuring ceilings", e->context);
    TORRE_TRY(
        torre_ceilings_measure(meter, e->threads, e->device, REPETITIONS, NULL, NULL, &machine));
    TORRE_TRY(torre_sweep_new(&setting, &sweep));
    torre_status status = measure_points(e, sweep, rates);
    torre_sweep_free(sweep);
    return status;
}

void torre_doctor_measure(const torre_examination *e, torre_diagnosis *d)
{
    int n = 0;
    for (const torre_backend *b = torre_backends; b->name && n < TORRE_DOCTOR_BACKENDS; b++) {
        if (!b->wave || !passed(d, b->wave->name)) continue;
        torre_doctor_rates *rates = &d->rates[n++];
        snprintf(rates->backend, sizeof rates->backend, "%s", b->wave->name);
        rates->precision = TORRE_F32;
        if (measure(e, b->wave, rates))
            snprintf(rates->missing, sizeof rates->missing, "%s", torre_error_text());
    }
}
