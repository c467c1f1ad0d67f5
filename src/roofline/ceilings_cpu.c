/*
 * The CPU meter. Every thread works on its own slice (main memory) or its own small buffer
 * (caches: half of what is the thread's share of the level), placed by first touch.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/memory.h"
#include "core/timer.h"
#include "roofline/ceilings.h"
#include "roofline/ceilings_kernels.h"
#include "roofline/engine_compare.h"

enum { GRAIN = 1024 }; /* floats; what the loops want n to be a multiple of */

typedef struct cpu_meter {
    torre_meter base;
    const torre_ceiling_kernels *kernels;
    int threads;
    int64_t slice;    /* floats of each array that belong to one thread */
    int64_t small[4]; /* floats of both arrays together, per thread, for cache level 1 .. 3 */
    float *array[2];  /* threads * slice floats each */
    volatile float sink;
} cpu_meter;

static const torre_ceiling_kernels *best_kernels(torre_isa isa)
{
#ifdef TORRE_ISA_X86
    if (isa == TORRE_ISA_AVX512) return &torre_ceiling_kernels_avx512;
    if (isa == TORRE_ISA_AVX2) return &torre_ceiling_kernels_avx2;
#endif
    (void)isa;
    return &torre_ceiling_kernels_base;
}

static int64_t round_down(int64_t floats)
{
    int64_t n = floats / GRAIN * GRAIN;
    return n > GRAIN ? n : GRAIN;
}

static void cpu_close(torre_meter *meter)
{
    cpu_meter *m = (cpu_meter *)meter;
    for (int i = 0; i < 2; i++) free(m->array[i]);
    free(m);
}

/* Bytes of the last-level cache that one thread can count on. */
static int64_t cache_share(const torre_cpu *cpu, int level, int threads)
{
    int sharing = cpu->cache_shared[level] < threads ? cpu->cache_shared[level] : threads;
    return cpu->cache[level] / (sharing > 0 ? sharing : 1);
}

static void describe(const torre_cpu *cpu, const cpu_meter *m, torre_machine *machine)
{
    snprintf(machine->backend, sizeof machine->backend, "cpu");
    snprintf(machine->device, sizeof machine->device, "%d x %s (%s)", m->threads, cpu->name,
             torre_isa_name(m->kernels->isa));
    machine->threads = m->threads;
    for (int level = 1; level <= 3; level++) machine->cache[level] = cpu->cache[level];
    machine->dram_bytes = torre_memory_available();
}

static torre_status cpu_open(int threads, int device, torre_machine *machine, torre_meter **meter)
{
    extern const torre_meter_kind torre_meter_cpu;
    const torre_cpu *cpu = torre_cpu_get();
    cpu_meter *m = calloc(1, sizeof *m);
    (void)device;
    if (!m) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    m->base.kind = &torre_meter_cpu;
    m->kernels = best_kernels(cpu->isa);
    m->threads = threads > 0 ? threads : omp_get_max_threads();
    describe(cpu, m, machine);

    /* Four times the last-level caches that the threads fill, within an eighth of what is free. */
    int64_t bytes = 4 * cache_share(cpu, 3, m->threads) * m->threads;
    if (bytes < INT64_C(128) << 20) bytes = INT64_C(128) << 20;
    if (bytes > machine->dram_bytes / 8) bytes = machine->dram_bytes / 8;
    m->slice = round_down(bytes / 4 / m->threads);
    for (int level = 1; level <= 3; level++)
        m->small[level] = round_down(cache_share(cpu, level, m->threads) / 2 / 4);
    for (int i = 0; i < 2; i++) {
        size_t size = (size_t)m->slice * (size_t)m->threads * sizeof(float);
        m->array[i] = torre_memory_large(size);
        if (!m->array[i]) {
            cpu_close(&m->base);
            return torre_fail(TORRE_ERR_RESOURCE, "out of memory: %lld bytes for the ceilings",
                              (long long)(2 * size));
        }
#pragma omp parallel num_threads(m->threads)
        {
            /* random: lines of zeros or of one value may be moved more cheaply */
            torre_random_fill(m->array[i] + omp_get_thread_num() * m->slice, m->slice, TORRE_F32);
        }
    }
    *meter = &m->base;
    return TORRE_OK;
}

static bool cpu_has(const torre_meter *meter, torre_ceiling_id id)
{
    (void)meter;
    const torre_cpu *cpu = torre_cpu_get();
    switch (id) {
    case TORRE_LLC_READ:
    case TORRE_LLC_MIX:
        return cpu->cache[3] > cpu->cache[2];
    case TORRE_MID_READ:
    case TORRE_MID_MIX:
        return cpu->cache[2] > 0;
    case TORRE_NEAR_READ:
    case TORRE_NEAR_MIX:
        return cpu->cache[1] > 0;
    case TORRE_HOST_TO_DEVICE:
    case TORRE_DEVICE_TO_HOST:
        return false;
    default:
        return true;
    }
}

/* Run one memory loop over n floats per array and thread; GB/s over all threads. */
static double stream(cpu_meter *m, torre_ceiling_id id, int64_t n, int64_t passes)
{
    static const int values[] = {1, 1, 2, 3, 1, 3, 1, 3, 1, 3}; /* moved per element */
    const torre_ceiling_kernels *k = m->kernels;
    int64_t threads = m->threads;
    double start = 0, end = 0;
#pragma omp parallel num_threads(m->threads)
    {
        float *a = m->array[0] + omp_get_thread_num() * m->slice;
        const float *b = m->array[1] + omp_get_thread_num() * m->slice;
#pragma omp barrier
#pragma omp master
        start = torre_time_now();
        switch (values[id] * 10 + (id == TORRE_DRAM_WRITE)) {
        case 10:
            m->sink = k->read(a, n, passes);
            break;
        case 11:
            k->write(a, n, passes);
            break;
        case 20:
            k->copy(a, b, n, passes);
            break;
        default:
            k->mix(a, b, n, passes);
        }
#pragma omp barrier
#pragma omp master
        end = torre_time_now();
    }
    return 4.0 * values[id] * (double)(n * passes * threads) / (end - start) / 1e9;
}

static double arithmetic(const cpu_meter *m, double (*loop)(int64_t), int64_t turns)
{
    double operations = 0, start = 0, end = 0;
#pragma omp parallel num_threads(m->threads) reduction(+ : operations)
    {
#pragma omp barrier
#pragma omp master
        start = torre_time_now();
        operations += loop(turns);
#pragma omp barrier
#pragma omp master
        end = torre_time_now();
    }
    return operations / (end - start) / 1e9;
}

static torre_status cpu_sample(torre_meter *meter, torre_ceiling_id id, double *rate)
{
    cpu_meter *m = (cpu_meter *)meter;
    const double target = 0.02; /* seconds of a repetition */
    if (id < TORRE_LLC_READ) {
        double bytes = 8.0 * (double)m->slice * m->threads; /* 30 GB/s: not far off anywhere */
        *rate = stream(m, id, m->slice, (int64_t)(target * 30e9 / bytes) + 1);
    } else if (id < TORRE_F32_FMA) {
        int level = id < TORRE_MID_READ ? 3 : id < TORRE_NEAR_READ ? 2 : 1;
        bool mix = id == TORRE_LLC_MIX || id == TORRE_MID_MIX || id == TORRE_NEAR_MIX;
        int64_t n = round_down(m->small[level] / (mix ? 2 : 1));
        if (n > m->slice) n = m->slice;
        /* the first pass fills the cache; about 20 GB/s per thread at least, so 20 ms or less */
        int64_t passes = (int64_t)(target * 20e9 / (4.0 * (double)n)) + 1;
        stream(m, id, n, 1);
        *rate = stream(m, id, n, passes);
    } else {
        const torre_ceiling_kernels *k = m->kernels;
        bool f64 = id >= TORRE_F64_FMA;
        int which = (int)id - (int)(f64 ? TORRE_F64_FMA : TORRE_F32_FMA);
        double (*const loop[3])(int64_t) = {k->fma[f64], k->add[f64], k->stencil[f64]};
        /* a turn takes 7 to 28 cycles on the processors of today */
        *rate = arithmetic(m, loop[which], 5000000);
    }
    return TORRE_OK;
}

static double cpu_clock(torre_meter *meter)
{
    (void)meter;
    return torre_cpu_clock();
}

const torre_meter_kind torre_meter_cpu = {
    .backend = "cpu",
    .open = cpu_open,
    .has = cpu_has,
    .sample = cpu_sample,
    .clock = cpu_clock,
    .close = cpu_close,
};
