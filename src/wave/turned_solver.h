/*
 * A solver of the cpu backend that computes with turned axes (turn.h): another engine's solver of
 * the turned problem, and this around it, which turns boxes.
 */
#ifndef TORRE_TURNED_SOLVER_H
#define TORRE_TURNED_SOLVER_H

#include "wave/turn.h"

/* What turning needs beside the engine: velocities for every cell. */
int64_t torre_turned_solver_bytes(const torre_wave_problem *problem);

/* A solver of the engine for the caller's setup with axes in the order of info->plan.axes. */
torre_status torre_turned_solver_new(const torre_wave_backend *engine,
                                     const torre_wave_setup *setup, const torre_wave_info *info,
                                     torre_wave_solver **solver);

#endif
