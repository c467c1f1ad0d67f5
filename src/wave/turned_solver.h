/*
 * A solver of the cpu backend that computes with turned axes (turn.h): another engine's solver of
 * the turned problem, and this around it, which turns boxes.
 */
#ifndef TORRE_TURNED_SOLVER_H
#define TORRE_TURNED_SOLVER_H

#include "wave/cpu/cpu_solver.h"
#include "wave/turn.h"

/* What turning takes beside the engine: nodes, and velocities for every cell. */
int64_t torre_turned_solver_bytes(const torre_wave_setup *setup);

/* A solver of the program, which has the axes in another order. */
torre_status torre_turned_solver_new(const torre_cpu_program *program, torre_wave_solver **solver);

#endif
