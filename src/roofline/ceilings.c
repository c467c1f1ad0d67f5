#include "roofline/ceilings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/phase.h"
#include "io/output_file.h"
#include "torre/status.h"

extern const torre_meter_kind torre_meter_cpu;
#ifdef TORRE_HAVE_CUDA
extern const torre_meter_kind torre_meter_cuda;
#endif

static const torre_meter_kind *const kinds[] = {
#ifdef TORRE_HAVE_CUDA
    &torre_meter_cuda,
#endif
    &torre_meter_cpu,
    NULL,
};

static const struct {
    const char *name, *title;
} words[TORRE_CEILING_COUNT] = {
    [TORRE_DRAM_READ] = {"dram_read", "main memory, read"},
    [TORRE_DRAM_WRITE] = {"dram_write", "main memory, write"},
    [TORRE_DRAM_COPY] = {"dram_copy", "main memory, copy"},
    [TORRE_DRAM_MIX] = {"dram_mix", "main memory, wave mix"},
    [TORRE_LLC_READ] = {"llc_read", "last-level cache, read"},
    [TORRE_LLC_MIX] = {"llc_mix", "last-level cache, wave mix"},
    [TORRE_MID_READ] = {"mid_read", "middle cache, read"},
    [TORRE_MID_MIX] = {"mid_mix", "middle cache, wave mix"},
    [TORRE_NEAR_READ] = {"near_read", "L1 or shared memory, read"},
    [TORRE_NEAR_MIX] = {"near_mix", "L1 or shared memory, wave mix"},
    [TORRE_F32_FMA] = {"f32_fma", "f32 multiply-add"},
    [TORRE_F32_ADD] = {"f32_add", "f32 add"},
    [TORRE_F32_STENCIL] = {"f32_stencil", "f32 add and multiply-add, 1:1"},
    [TORRE_F64_FMA] = {"f64_fma", "f64 multiply-add"},
    [TORRE_F64_ADD] = {"f64_add", "f64 add"},
    [TORRE_F64_STENCIL] = {"f64_stencil", "f64 add and multiply-add, 1:1"},
    [TORRE_HOST_TO_DEVICE] = {"host_to_device", "host to device, pinned"},
    [TORRE_DEVICE_TO_HOST] = {"device_to_host", "device to host, pinned"},
};

const char *torre_ceiling_name(torre_ceiling_id id) { return words[id].name; }

const char *torre_ceiling_title(torre_ceiling_id id) { return words[id].title; }

bool torre_ceiling_is_bandwidth(torre_ceiling_id id)
{
    return id < TORRE_F32_FMA || id > TORRE_F64_STENCIL;
}

const char *torre_ceiling_unit(torre_ceiling_id id)
{
    return torre_ceiling_is_bandwidth(id) ? "GB/s" : "Gop/s";
}

const torre_meter_kind *torre_meter_find(const char *backend)
{
    for (int i = 0; kinds[i]; i++)
        if (strcmp(kinds[i]->backend, backend) == 0) return kinds[i];
    return NULL;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double torre_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

enum { MAX_REPETITIONS = 101 };

/* A clock that stands still or jumps must not become a roof. */
static torre_status sample(torre_meter *meter, torre_ceiling_id id, double *rate)
{
    const double absurd = 1e9; /* 10^18 bytes or operations per second */
    TORRE_TRY(meter->kind->sample(meter, id, rate));
    if (*rate > 0 && *rate < absurd) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE,
                      "%s came out as %g %s, which no machine does: is its clock right?",
                      torre_ceiling_title(id), *rate, torre_ceiling_unit(id));
}

static torre_status measure_one(torre_meter *meter, torre_ceiling_id id, int repetitions,
                                torre_ceiling *out)
{
    double rate[MAX_REPETITIONS], warm_up;
    TORRE_TRY(sample(meter, id, &warm_up));
    for (int i = 0; i < repetitions; i++) TORRE_TRY(sample(meter, id, &rate[i]));
    out->repetitions = repetitions;
    out->median = torre_median(rate, repetitions);
    out->low = rate[0];
    out->high = rate[repetitions - 1];
    return TORRE_OK;
}

torre_status torre_ceilings_measure(const torre_meter_kind *kind, int threads, int device,
                                    int repetitions, torre_ceilings_progress *progress,
                                    void *context, torre_machine *machine)
{
    TORRE_PHASE(TORRE_PHASE_LOOP);
    torre_meter *meter;
    torre_status status = TORRE_OK;
    if (repetitions < 3 || repetitions > MAX_REPETITIONS)
        return torre_fail(TORRE_ERR_USAGE, "repetitions of a ceiling must be from 3 to %d (got %d)",
                          MAX_REPETITIONS, repetitions);
    memset(machine, 0, sizeof *machine);
    TORRE_TRY(kind->open(threads, device, machine, &meter));
    for (int id = 0; id < TORRE_CEILING_COUNT && !status; id++) {
        if (!kind->has(meter, (torre_ceiling_id)id)) continue;
        status = measure_one(meter, (torre_ceiling_id)id, repetitions, &machine->ceiling[id]);
        if (id == TORRE_F32_STENCIL) machine->clock_ghz = kind->clock(meter);
        if (!status && progress && !progress(machine, (torre_ceiling_id)id, context))
            status = torre_fail(TORRE_STOPPED, "stopped while measuring the ceilings");
    }
    kind->close(meter);
    return status;
}

torre_status torre_ceilings_write(const char *directory, const torre_machine *m)
{
    char path[4096];
    torre_output *out;
    snprintf(path, sizeof path, "%s/ceilings.csv", directory);
    TORRE_TRY(torre_output_open(path, &out));
    FILE *f = torre_output_stream(out);
    fprintf(f, "# torre %s, %s, %s\nname,median,lowest,highest,unit,repetitions,title\n",
            torre_version_text(), m->device, m->uuid[0] ? m->uuid : "no uuid");
    for (int id = 0; id < TORRE_CEILING_COUNT; id++) {
        const torre_ceiling *c = &m->ceiling[id];
        if (c->repetitions)
            fprintf(f, "%s,%.6g,%.6g,%.6g,%s,%d,\"%s\"\n", torre_ceiling_name((torre_ceiling_id)id),
                    c->median, c->low, c->high, torre_ceiling_unit((torre_ceiling_id)id),
                    c->repetitions, torre_ceiling_title((torre_ceiling_id)id));
    }
    return torre_output_commit(out);
}
