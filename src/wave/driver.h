/* What a run (torre/wave.h) holds. */
#ifndef TORRE_DRIVER_H
#define TORRE_DRIVER_H

#include "wave/backend.h"

struct torre_wave_run {
    const torre_wave_problem *problem; /* the caller's; must outlive the run */
    const torre_wave_backend *backend;
    char passed_over[160]; /* why "auto" did not take a better backend: "cuda: ..."; or empty */
    torre_wave_setup *setup;
    torre_wave_program *program; /* all that was decided, */
    const torre_wave_info *info; /* what it says: plan with all choices made, device, memory */
    torre_wave_solver *solver;   /* NULL before start; owns the program from then on */
    /*
     * Samples u(receiver, n dt): shape (receivers, steps + 1, 1) in the problem's precision, filled
     * up to column `step`, zero after it. Column 0 is u[0]. data is NULL without receivers.
     */
    torre_array traces;
    int64_t step;           /* n of the present level u[n] */
    double compute_s;       /* seconds spent in the time loop alone, device synchronised */
    torre_wave_norms norms; /* of u[step], once advance has returned */
    int64_t finite_step;    /* the last step at which the field was seen to be finite */
};

#endif
