/*
 * What to install or set so that runs go faster here, or can do more.
 *
 * Facts about the surroundings are found first (surroundings.c) and judged apart from that
 * (doctor_advice.c), so that every judgement can be tested on any machine.
 */
#ifndef TORRE_DOCTOR_ADVICE_H
#define TORRE_DOCTOR_ADVICE_H

#include <stdbool.h>

#include "core/status.h"
#include "roofline/cuda_probe.h"

typedef struct torre_surroundings {
    /* the processor */
    int hardware_threads; /* that this process may run on */
    int threads;          /* that a run takes: --threads, else OMP_NUM_THREADS, else all */
    int memory_nodes;     /* parts of memory that are near to some threads; 1 where unknown */
    bool bound;           /* threads stay where they are (OMP_PROC_BIND) */
    bool no_huge_pages;   /* the kernel gives none, even to who asks */
    double load;          /* processes that ran or wanted to in the last minute; 0 where unknown */

    /* this build */
    bool optimised;
    bool no_cuda, no_mpi, no_segyio, no_hdf5, no_freetype;

    /* programs that are run */
    bool no_ffmpeg, no_gnuplot;

    /* the GPU */
    bool on_bus; /* an NVIDIA GPU is plugged in, whatever its driver says */
    bool driver; /* ... which is there */
    torre_cuda_state cuda;

    /* roofline --tune */
    bool tune_off;    /* by TORRE_TUNE */
    const char *tune; /* the backend that wave takes by itself where no tile was timed; or NULL */
} torre_surroundings;

/* Find all but what is said of the GPU's driver and of tiles. threads: 0, or as a plan has them. */
void torre_surroundings_find(int threads, torre_surroundings *around);

/* Look for tiles that were timed on the device that wave takes by itself. TORRE_ERR_RESOURCE. */
torre_status torre_surroundings_tuned(int threads, int device, bool cuda,
                                      torre_surroundings *around);

typedef struct torre_advice {
    bool faster;       /* else: to do more */
    const char *about; /* a word: "threads", "ffmpeg" */
    char text[240];    /* what is so, what that costs, and what to do */
} torre_advice;

enum { TORRE_ADVICE_LIMIT = 16 };

/* What to advise there, the weightiest first of each kind, those about speed first; how many. */
int torre_advise(const torre_surroundings *around, torre_advice advice[TORRE_ADVICE_LIMIT]);

#endif
