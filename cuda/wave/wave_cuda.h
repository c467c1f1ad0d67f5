/* The cuda backend and its functions (see torre_wave_backend in wave.h for their contracts). */
#ifndef TORRE_WAVE_CUDA_H
#define TORRE_WAVE_CUDA_H

#include "wave/backend.h"

extern const torre_wave_backend torre_wave_cuda;

torre_status torre_cuda_create(torre_wave_program *program, torre_wave_solver **solver);
/* Of a solver of its own: the ring has others (ring.h). */
extern const torre_wave_backend torre_wave_cuda_solver;

torre_status torre_cuda_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                                bool new_medium);
torre_status torre_cuda_move(torre_wave_solver *solver, const torre_wave_setup *setup, int64_t n);
torre_status torre_cuda_renew(torre_wave_solver *solver, const torre_wave_solver *other,
                              const torre_wave_setup *setup, int64_t n,
                              const torre_moved_planes *out, const torre_moved_planes *in);
torre_status torre_cuda_for_parts(torre_wave_program **program);
int64_t torre_cuda_end_planes(const torre_wave_setup *setup, const torre_wave_plan *plan);
torre_status torre_cuda_take_layer(torre_wave_solver *solver, const torre_wave_solver *from,
                                   int side);
torre_layer_place torre_cuda_layer_place(const torre_wave_setup *setup, const torre_wave_plan *plan,
                                         const torre_layer_slice *slice, int level);
int64_t torre_cuda_model_bytes(const torre_wave_program *program);
torre_status torre_cuda_read_model(torre_wave_solver *solver, int64_t low, int64_t high,
                                   void *values);
void torre_cuda_use_model(torre_wave_solver *solver, const void *planes);
void torre_cuda_use_sums(torre_wave_solver *solver, torre_part_sums *sums, int64_t first);
torre_status torre_cuda_settle_sums(torre_wave_solver *solver);
void torre_cuda_place(const torre_wave_solver *solver, int64_t low, torre_plane_place *place);
torre_status torre_cuda_hand_on(torre_wave_solver *solver, int64_t low, int64_t high, int way,
                                const torre_plane_place *to, void **arrival);
torre_status torre_cuda_await(torre_wave_solver *solver, void *arrival);
torre_status torre_cuda_take_host(int64_t bytes, void **memory);
void torre_cuda_free_host(void *memory, int64_t bytes);
torre_part_cost torre_cuda_part_cost(const torre_wave_program *program);
void torre_cuda_plane_rows(const torre_wave_program *program, torre_plane_layout *layout);
torre_status torre_cuda_write_planes(torre_wave_solver *solver, int64_t low, int64_t high,
                                     int first, const void *values);
torre_status torre_cuda_read_planes(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                    void *values);
torre_status torre_cuda_advance_to(torre_wave_solver *solver, int64_t steps, int64_t plane,
                                   void *samples);
torre_status torre_cuda_set_step(torre_wave_solver *solver, int64_t n);
torre_status torre_cuda_write_box(torre_wave_solver *solver, int level, const torre_box *box,
                                  const int64_t stride[3], const void *values);
torre_status torre_cuda_read_box(torre_wave_solver *solver, int level, const torre_box *box,
                                 const int64_t stride[3], void *values);
torre_status torre_cuda_rest(torre_wave_solver *solver, const uint64_t *seed, bool *made);
torre_status torre_cuda_write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                    const int64_t stride[3], const void *values);
torre_status torre_cuda_read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                   const int64_t stride[3], void *values);
torre_status torre_cuda_advance(torre_wave_solver *solver, int64_t steps, void *samples);
torre_status torre_cuda_advance_receivers(torre_wave_solver *solver, int64_t steps, void *samples);
torre_status torre_cuda_advance_planes(torre_wave_solver *solver, int64_t steps, void *samples,
                                       void *planes);
torre_status torre_cuda_norms(torre_wave_solver *solver, torre_wave_norms *norms);
void torre_cuda_destroy(torre_wave_solver *solver);

#endif
