/*
 * Which order of the axes suits the cuda backend, and which engine: towers slide along x and are
 * fastest where z suits their blocks. All of the solver sees the turned problem (wave/turn.h); its
 * interface (wave_solver.c) turns back. Needs nothing of CUDA.
 */
#ifndef TORRE_CUDA_WAVE_AXES_H
#define TORRE_CUDA_WAVE_AXES_H

#include "cuda/wave/gpu_data.h"
#include "wave/turn.h"

/* Refuses faces that towers of this dts cannot have, in words of the caller's axes; advice: what to
 * do about it. */
torre_status torre_towers_fit(const torre_turned *turned, int dts, const char *advice);

/* A tower kernel as far as its rate depends on the grid. */
typedef struct torre_tower_room {
    int dts;
    int planes;     /* cells along z that a block has room for */
    int64_t blocks; /* at work at a time */
    bool in_registers;
    bool points;    /* with sources or receivers (the turned problem has none) */
    int64_t height; /* of passes beside a shell (wave_shell.c); 0: there is none */
} torre_tower_room;

/*
 * Estimates of rates from those of the table (gpu_data.h), Gcells/s: of towers, to compare orders
 * of the axes of one problem (DESIGN.md, "Axes"), and of one step at a time, to compare it with
 * towers ("Engine").
 */
double torre_tower_rate(const torre_gpu_rates *gpu, const torre_wave_problem *turned,
                        const torre_tower_room *room);
double torre_stepwise_rate(const torre_gpu_rates *gpu, const torre_wave_problem *turned,
                           bool points);

/* The latter with the time that perfectly matched layers take after each step: for every cell of a
 * face with one, what it remembers is read and written, and of the layer and of the half-width of
 * the stencil in front of it both levels are read and one written. */
double torre_layered_rate(const torre_gpu_rates *gpu, const torre_wave_problem *turned,
                          bool points);

/* The same of passes of room->height steps beside a shell; what layers themselves take, as they do
 * one step at a time, is left out. And the height of which that is best. */
double torre_shell_rate(const torre_gpu_rates *gpu, const torre_wave_problem *turned,
                        const torre_tower_room *room);
int64_t torre_shell_height(const torre_gpu_rates *gpu, const torre_wave_problem *turned,
                           const torre_tower_room *room);

/* Why, without rates, block towers are not taken. */
extern const char torre_no_block_towers[];

/* Whether one step at a time is faster than these towers, by the estimates; by a rule without rates
 * of the GPU (NULL). why: in words, either way; or unchanged, where the rule is for towers. */
bool torre_stepwise_pays(const torre_gpu_rates *gpu, const torre_wave_problem *turned,
                         const torre_tower_room *room, char *why, size_t why_size);

/* Whether axes are turned for the sake of the rate: small grids leave a GPU idle anyway, but for
 * layers of a few cells. */
bool torre_axes_for_rate(const torre_gpu_data *gpu, const torre_wave_problem *caller);

/* What an order of the axes is worth to both engines, which take the same: the rate of the faster
 * one; half of that where there are no towers (room NULL), so that --engine torre is not refused
 * for little. */
double torre_axes_worth(const torre_gpu_rates *gpu, const torre_wave_problem *turned,
                        const torre_tower_room *room, bool points);

/* The best of the orders of the axes that were offered; but for the first two members, all zero
 * before the first. */
typedef struct torre_axes_choice {
    const torre_gpu_data *gpu;
    bool for_rate; /* the fastest; otherwise the first that suits towers of the most tiles */
    double worth;  /* 0: nothing yet */
    char axes[4];
} torre_axes_choice;

/*
 * Offer an order (those of torre_axis_orders in turn). room: of the tile that the plan would choose
 * by itself, NULL without towers; every_dts: towers of all dts can have the faces. Says whether no
 * later order can be better. Knows of no tile that is wished for, so that no bits depend on one.
 */
bool torre_axes_offer(torre_axes_choice *choice, const char *axes, const torre_turned *turned,
                      const torre_tower_room *room, bool every_dts);

#endif
