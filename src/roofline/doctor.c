#include "roofline/doctor.h"

#include <stdio.h>
#include <string.h>

#include "core/backend.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "core/phase.h"
#include "core/rank_way.h"
#include "roofline/doctor_rates.h"
#include "roofline/engine_compare.h"
#include "wave/cpu/backend_cpu.h"
#include "wave/stencil.h"

enum { STEPS = 21, HEIGHT = 8 }; /* towers that are not all of the same height */

static void look_for_nccl(const torre_wave_backend *cuda, torre_diagnosis *d)
{
    for (const torre_rank_way *const *way = cuda->ways; way && *way; way++)
        if (strcmp((*way)->name, "nccl") == 0) d->nccl = (*way)->here(d->nccl_text);
}

static void describe_machine(int threads, int device, bool ranks, torre_diagnosis *d)
{
    const torre_cpu *cpu = torre_cpu_get();
    snprintf(d->cpu, sizeof d->cpu, "%d x %s (%s)", threads > 0 ? threads : cpu->threads, cpu->name,
             torre_isa_name(cpu->isa));
    memcpy(d->cache, cpu->cache, sizeof d->cache);
    d->memory_available = torre_memory_available();
    torre_cuda_probe_run(device, &d->cuda);
    for (const torre_backend *b = torre_backends; b->name; b++) {
        if (strcmp(b->name, "cuda") != 0) continue;
        d->wave_cuda =
            torre_backend_available(b, device, d->wave_cuda_reason, sizeof d->wave_cuda_reason);
        if (d->wave_cuda && ranks) look_for_nccl(b->wave, d);
    }
}

static void run_check(torre_compare *compare, const torre_wave_backend *backend,
                      const torre_wave_plan *plan, torre_doctor_check *check)
{
    check->allowed = torre_compare_allowed(compare);
    torre_status status = torre_compare_run(compare, backend, plan, &check->difference);
    check->offered = status != TORRE_ERR_USAGE;
    if (status) snprintf(check->text, sizeof check->text, "%s", torre_error_text());
    check->passed = !status && check->difference <= check->allowed;
}

/* Before a check. */
static void tell_check(const torre_examination *e, const torre_doctor_check *check)
{
    char text[80];
    snprintf(text, sizeof text, "checking %s %s, order %d, %s", check->backend,
             torre_engine_name(check->engine), check->order,
             check->precision == TORRE_F32 ? "f32" : "f64");
    if (e->progress) e->progress(text, e->context);
}

static torre_status check_order(const torre_examination *e, int order, torre_precision precision,
                                torre_diagnosis *d)
{
    torre_compare *compare;
    torre_wave_plan oracle = {.engine = TORRE_REFERENCE};
    TORRE_TRY(torre_compare_new(order, precision, STEPS, &torre_wave_cpu, &oracle, &compare));
    for (const torre_backend *b = torre_backends; b->name; b++) {
        const torre_wave_backend *backend = b->wave;
        if (!backend) continue;
        if (strcmp(backend->name, "cuda") == 0 && !d->wave_cuda) continue;
        for (torre_engine engine = TORRE_STEPWISE; engine <= TORRE_TORRE; engine++) {
            torre_doctor_check *check = &d->check[d->checks];
            torre_wave_plan plan = {.engine = engine, .threads = e->threads, .device = e->device};
            if (engine == TORRE_TORRE) plan.tower_height = HEIGHT;
            if (d->checks == TORRE_DOCTOR_CHECKS) break;
            snprintf(check->backend, sizeof check->backend, "%s", backend->name);
            check->engine = engine;
            check->order = order;
            check->precision = precision;
            tell_check(e, check);
            run_check(compare, backend, &plan, check);
            if (check->offered && !check->passed) d->sound = false;
            d->checks++;
        }
    }
    torre_compare_free(compare);
    return TORRE_OK;
}

torre_status torre_diagnose(const torre_examination *e, torre_diagnosis *d)
{
    TORRE_PHASE(TORRE_PHASE_LOOP);
    torre_surroundings around;
    memset(d, 0, sizeof *d);
    d->sound = true;
    torre_surroundings_find(e->threads, &around); /* first: how busy the machine is without this */
    describe_machine(e->threads, e->device, !around.no_mpi, d);
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        TORRE_TRY(check_order(e, order, TORRE_F32, d));
    TORRE_TRY(check_order(e, 2, TORRE_F64, d));
    TORRE_TRY(check_order(e, TORRE_MAX_ORDER, TORRE_F64, d));
    if (e->rates) torre_doctor_measure(e, d);
    around.cuda = d->cuda.state;
    around.driver = d->cuda.here;
    TORRE_TRY(torre_surroundings_tuned(e->threads, e->device, d->wave_cuda, &around));
    d->advices = torre_advise(&around, d->advice);
    return TORRE_OK;
}
