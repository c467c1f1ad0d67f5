/* What this machine can run, what it cannot and why, and whether what runs is right. */
#ifndef TORRE_DOCTOR_H
#define TORRE_DOCTOR_H

#include "roofline/cuda_probe.h"
#include "roofline/doctor_advice.h"
#include "roofline/sweep.h"

/* One engine of one backend against the reference engine (engine_compare.h). */
typedef struct torre_doctor_check {
    char backend[8];
    torre_engine engine;
    int order;
    torre_precision precision;
    bool offered; /* false: the backend refuses it, see text */
    bool passed;  /* difference <= allowed */
    double difference, allowed;
    char text[200];
} torre_doctor_check;

enum { TORRE_DOCTOR_CHECKS = 64, TORRE_DOCTOR_RATES = 8, TORRE_DOCTOR_BACKENDS = 2 };

/* What a backend reaches on this machine, and what the machine's ceilings let one expect. */
typedef struct torre_doctor_rates {
    char backend[8];
    int64_t size[3]; /* cells that were timed */
    torre_precision precision;
    int count;
    torre_sweep_point point[TORRE_DOCTOR_RATES]; /* orders 2, 4, 6, 8, both engines, own tiles */
    char missing[200];                           /* why there are none; "" */
} torre_doctor_rates;

typedef struct torre_diagnosis {
    char cpu[160];            /* "2 x AMD EPYC (avx512)" */
    int64_t cache[4];         /* bytes, by level */
    int64_t memory_available; /* bytes */
    torre_cuda_probe cuda;
    bool wave_cuda;             /* whether the wave backend takes the GPU ... */
    char wave_cuda_reason[256]; /* ... and if not, its own words */
    bool nccl;                  /* for ranks whose GPUs send to each other: */
    char nccl_text[200];        /* "NCCL 2.28.9", or why there is none; "": nobody asked */
    torre_doctor_check check[TORRE_DOCTOR_CHECKS];
    int checks;
    bool sound;                                      /* every check that was offered passed */
    torre_doctor_rates rates[TORRE_DOCTOR_BACKENDS]; /* of backends that passed; backend "": none */
    torre_advice advice[TORRE_ADVICE_LIMIT];
    int advices;
} torre_diagnosis;

/* What to examine, and whom to tell of it. */
typedef struct torre_examination {
    int threads, device; /* as of a plan */
    bool rates;          /* measure rates, too: some ten seconds for each backend */
    void (*progress)(const char *doing, void *context); /* called before each part; may be NULL */
    void *context;
} torre_examination;

/*
 * Examine the machine: takes a few seconds. Failures to run a check (other than refusals) or to
 * measure a rate are findings, not failures; TORRE_ERR_RESOURCE when even the reference cannot run.
 */
torre_status torre_diagnose(const torre_examination *examination, torre_diagnosis *diagnosis);

#endif
