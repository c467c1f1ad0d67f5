/* What this machine can run, what it cannot and why, and whether what runs is right. */
#ifndef TORRE_DOCTOR_H
#define TORRE_DOCTOR_H

#include "roofline/cuda_probe.h"
#include "torre/wave.h"

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

enum { TORRE_DOCTOR_CHECKS = 64 };

typedef struct torre_diagnosis {
    char cpu[160];            /* "2 x AMD EPYC (avx512)" */
    int64_t cache[4];         /* bytes, by level */
    int64_t memory_available; /* bytes */
    torre_cuda_probe cuda;
    bool wave_cuda;             /* whether the wave backend takes the GPU ... */
    char wave_cuda_reason[256]; /* ... and if not, its own words */
    torre_doctor_check check[TORRE_DOCTOR_CHECKS];
    int checks;
    bool sound; /* every check that was offered passed */
} torre_diagnosis;

/* Called before each check, for progress; may be NULL. */
typedef void torre_doctor_progress(const torre_doctor_check *check, void *context);

/*
 * Examine the machine: takes a few seconds. Failures to run a check (other than refusals) are
 * findings, not failures; TORRE_ERR_RESOURCE when even the reference cannot run.
 */
torre_status torre_diagnose(int threads, int device, torre_doctor_progress *progress, void *context,
                            torre_diagnosis *diagnosis);

#endif
