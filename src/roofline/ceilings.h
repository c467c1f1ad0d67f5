/*
 * Ceilings of a machine, measured on the spot without root or hardware counters.
 *
 * Bandwidths count the bytes that the code asks for (stores of streams bypass the cache where the
 * machine can, so that they cost what is counted). The mix is the wave scheme's own traffic: for
 * every value a = f(b) - a, two reads and one write in place, 3 values of 4 bytes. Rates of
 * arithmetic count operations: a multiply-add is one instruction and two operations. The stencil
 * rate alternates additions and multiply-adds one to one, about what a stencil needs: neither the
 * add nor the multiply-add rate alone bounds it on machines with separate units for the two.
 */
#ifndef TORRE_CEILINGS_H
#define TORRE_CEILINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

typedef enum torre_ceiling_id {
    TORRE_DRAM_READ,
    TORRE_DRAM_WRITE,
    TORRE_DRAM_COPY,
    TORRE_DRAM_MIX,
    TORRE_LLC_READ, /* last-level cache: L3 of a CPU, L2 of a GPU */
    TORRE_LLC_MIX,
    TORRE_MID_READ, /* L2 of a CPU; a GPU has none */
    TORRE_MID_MIX,
    TORRE_NEAR_READ, /* L1 of a CPU, shared memory of a GPU */
    TORRE_NEAR_MIX,
    TORRE_F32_FMA,
    TORRE_F32_ADD,
    TORRE_F32_STENCIL,
    TORRE_F64_FMA,
    TORRE_F64_ADD,
    TORRE_F64_STENCIL,
    TORRE_HOST_TO_DEVICE,
    TORRE_DEVICE_TO_HOST,
    TORRE_CEILING_COUNT
} torre_ceiling_id;

/*
 * One measured ceiling, in GB/s (10^9 bytes) or Gop/s; all zero where the machine has none. What
 * bounds a program is `high`: what the machine has been seen to do.
 */
typedef struct torre_ceiling {
    double median, low, high; /* over the repetitions */
    int repetitions;
} torre_ceiling;

/* A machine as found, and its ceilings. */
typedef struct torre_machine {
    char backend[8];    /* "cpu", "cuda" */
    char device[128];   /* "2 x AMD EPYC (avx512)", "NVIDIA H200" */
    char uuid[48];      /* of a GPU; "" for a CPU */
    char detail[160];   /* driver, compute capability and the like; "" */
    int threads;        /* threads measured with; multiprocessors of a GPU */
    double clock_ghz;   /* as found while measuring; 0: unknown */
    int64_t cache[4];   /* bytes per thread or multiprocessor: [1] near, [2] mid, [3] last level,
                           the last one in total; 0: none or unknown */
    int64_t dram_bytes; /* memory free when the meter was opened */
    torre_ceiling ceiling[TORRE_CEILING_COUNT];
} torre_machine;

/* What a ceiling is called in files ("dram_mix"), and in words ("main memory, wave mix"). */
const char *torre_ceiling_name(torre_ceiling_id id);
const char *torre_ceiling_title(torre_ceiling_id id);

/* Whether it counts bytes (GB/s) rather than operations (Gop/s). */
bool torre_ceiling_is_bandwidth(torre_ceiling_id id);

/* "GB/s" or "Gop/s". */
const char *torre_ceiling_unit(torre_ceiling_id id);

typedef struct torre_meter torre_meter;

/* How a kind of machine is measured (cpu: ceilings_cpu.c, cuda: cuda/roofline/ceilings.cu). */
typedef struct torre_meter_kind {
    const char *backend; /* "cpu", "cuda": the wave backend it belongs to */

    /*
     * Allocate buffers and fill in everything of *machine except the ceilings and the clock.
     * threads: of the cpu, 0 = all; device: of cuda. TORRE_ERR_RESOURCE when that fails.
     */
    torre_status (*open)(int threads, int device, torre_machine *machine, torre_meter **meter);

    /* Whether the machine has this ceiling. */
    bool (*has)(const torre_meter *meter, torre_ceiling_id id);

    /* One repetition, some 10 ms long: *rate in GB/s or Gop/s. */
    torre_status (*sample)(torre_meter *meter, torre_ceiling_id id, double *rate);

    /* The clock now, GHz; 0: unknown. */
    double (*clock)(torre_meter *meter);

    void (*close)(torre_meter *meter);
} torre_meter_kind;

/* Every meter starts with its kind (the rest is private to it). */
struct torre_meter {
    const torre_meter_kind *kind;
};

/* The kind for a wave backend's name; NULL when this build has none. */
const torre_meter_kind *torre_meter_find(const char *backend);

/* Called after each ceiling with what is known so far; return false to stop. */
typedef bool torre_ceilings_progress(const torre_machine *machine, torre_ceiling_id id,
                                     void *context);

/*
 * Measure all ceilings: after one repetition to warm up, `repetitions` (3 .. 101) each. progress
 * may be NULL. TORRE_STOPPED when it returned false; TORRE_ERR_RESOURCE for a rate that is no rate
 * (zero, negative, infinite): nothing may be judged by it.
 */
torre_status torre_ceilings_measure(const torre_meter_kind *kind, int threads, int device,
                                    int repetitions, torre_ceilings_progress *progress,
                                    void *context, torre_machine *machine);

/* The file ceilings.csv in the directory. TORRE_ERR_INPUT. */
torre_status torre_ceilings_write(const char *directory, const torre_machine *machine);

/* Median of values[count], count >= 1; sorts them. */
double torre_median(double *values, int count);

#endif
