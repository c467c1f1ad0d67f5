/* The cuda backend and its functions (see torre_wave_backend in wave.h for their contracts). */
#ifndef TORRE_WAVE_CUDA_H
#define TORRE_WAVE_CUDA_H

#include "wave/wave.h"

extern const torre_wave_backend torre_wave_cuda;

torre_status torre_cuda_create(const torre_wave_setup *setup, const torre_wave_info *info,
                               torre_wave_solver **solver);
torre_status torre_cuda_set_fields(torre_wave_solver *solver, const void *now,
                                   const void *previous);
torre_status torre_cuda_advance(torre_wave_solver *solver, int64_t steps, void *samples);
torre_status torre_cuda_get_field(torre_wave_solver *solver, int level, void *cells);
torre_status torre_cuda_get_plane(torre_wave_solver *solver, int axis, int64_t index, void *cells);
torre_status torre_cuda_norms(torre_wave_solver *solver, torre_wave_norms *norms);
void torre_cuda_destroy(torre_wave_solver *solver);

#endif
