/*
 * What the engines stepwise and torre share: a solver on padded fields, and the update of a run of
 * rows (line kernel, then sources, receivers and ghosts of exactly these rows), from which both are
 * built. The engines differ in the order of these updates, and in nothing else.
 */
#ifndef TORRE_CPU_SOLVER_H
#define TORRE_CPU_SOLVER_H

#include "wave/cpu/cpu_frames.h"
#include "wave/cpu/cpu_shape.h"
#include "wave/cpu/layer_field.h"
#include "wave/cpu/line_kernel.h"
#include "wave/cpu/padded_field.h"
#include "wave/cpu/tower_schedule.h"
#include "wave/program.h"

typedef struct torre_cpu_engine torre_cpu_engine;

/* What the cpu backend decides. */
typedef struct torre_cpu_program {
    torre_wave_program base;
    const torre_cpu_engine *engine;
    torre_cpu_shape shape; /* of engines stepwise and torre */
} torre_cpu_program;

/* An engine: `plan` decides for the setup (the caller's, or with its axes turned) what the program
 * leaves open, `create` makes a solver of that and allocates so many `bytes`. Of turned setups only
 * problem and region are there before create. */
struct torre_cpu_engine {
    torre_status (*plan)(const torre_wave_setup *setup, torre_cpu_program *program);
    int64_t (*bytes)(const torre_wave_setup *setup, const torre_cpu_program *program);
    torre_status (*create)(const torre_wave_setup *setup, const torre_cpu_program *program,
                           torre_wave_solver **solver);
};

/* Flags of a row: what happens in it beside the update. */
enum { TORRE_ROW_SOURCES = 1, TORRE_ROW_RECEIVERS = 2 };

struct torre_cpu_solver {
    torre_wave_solver base;
    const torre_wave_setup *setup;
    torre_region region;
    int64_t pass_limit; /* steps that halos last */
    int threads;
    torre_cpu_shape shape;
    torre_padded_field field;
    torre_line_scheme scheme;
    torre_line_function line;
    int64_t n;                /* current step; level[n & 1] of the field is u[n] */
    unsigned char *row_flags; /* [nx ny], NULL without sources and receivers */
    /* Receiver nodes receiver_first[row] .. receiver_first[row + 1] - 1 lie in a row, at
     * receiver_z; NULL where there are none. in_columns: node i belongs to column i. */
    int64_t *receiver_first;
    uint32_t *receiver_z;
    bool in_columns;
    /* d = s dt per axis in the field's precision, [axis][cell], whole blocks along z; NULL without
     * any damping. Cells damped_low .. damped_high-1 of an axis have none. */
    char *damping[3];
    int64_t damped_low[3], damped_high[3];
    torre_layers layers;            /* level[n & 1] of its faces is that of u[n] */
    char *samples;                  /* of the current advance */
    int64_t samples_start;          /* step at which it started */
    torre_cpu_frames frames;        /* engine torre only */
    torre_ordering_spec ordering;   /* of towers */
    torre_tower_schedule *schedule; /* engine torre only */
    torre_rank_team *team;          /* that climbs together; NULL: none */
    bool in_pass;                   /* some stages of a pass are done, from this one on */
    int64_t stages_done;
    int64_t trials;          /* engine stepwise only: steps that were timed, */
    double trial_seconds[2]; /* and the shortest with and without fetches ahead */
};

/* backend_cpu.c chooses among these. */
extern const torre_cpu_engine torre_cpu_reference, torre_cpu_stepwise, torre_cpu_towers;

/* What serves the solvers of the fast ones. */
extern const torre_wave_backend torre_wave_stepwise;
extern const torre_wave_backend torre_wave_torre;

/* A run of rows: y0 .. y1-1 of the planes x .. x+planes-1, cells z0 .. z1-1. It has all or none of
 * the planes, and rows, that a layer holds together (torre_layers_held). z0 is a multiple of the
 * block of 64 bytes, z1 too or nz. Of these cells only those of z_low .. z_high-1 need to be right.
 * All numbered from the first that is stored. */
struct torre_run {
    int64_t x, y0, y1, z0, z1;
    int planes;
    int64_t z_low, z_high;
};

/* Rows that later runs will read (their addresses at z = 0), for torre_line.fetch. */
typedef struct torre_fetch {
    const char *const *row;
    int64_t count;
} torre_fetch;

/* Make u[n+1] of the run from u[n] and u[n-1], and fetch meanwhile. */
void torre_cpu_update(const torre_cpu_solver *solver, int64_t n, torre_run run, torre_fetch fetch);

/* The same in two: the line kernel, with what it fetches, and all else that goes with these rows,
 * once they were updated, in one run or several. */
void torre_cpu_update_rows(const torre_cpu_solver *solver, int64_t n, torre_run run,
                           torre_fetch fetch);
void torre_cpu_finish_rows(const torre_cpu_solver *solver, int64_t n, torre_run run);

/* Fetch meanwhile what the ends of rows in layers across z remember. */
void torre_cpu_fetch_layers(const torre_cpu_solver *solver, const torre_run *run);

/* The part of that which perfectly matched layers have, after the line kernel. */
void torre_cpu_update_layers(const torre_cpu_solver *solver, int64_t n, const torre_run *run);

/* Row y of plane x of a level. */
static inline char *torre_cpu_row(const torre_cpu_solver *s, int64_t level, int64_t x, int64_t y)
{
    return s->field.level[level & 1] +
           torre_padded_index(&s->field, x, y, 0) * (int64_t)s->field.precision;
}

/* The same of k and of the potential, where they vary. */
static inline char *torre_cpu_factor_row(const torre_cpu_solver *s, int64_t x, int64_t y)
{
    return s->field.factor + (x * s->field.factor_plane_pitch + y * s->field.factor_row_pitch) *
                                 (int64_t)s->field.precision;
}
static inline char *torre_cpu_potential_row(const torre_cpu_solver *s, int64_t x, int64_t y)
{
    return s->field.potential +
           (x * s->field.potential_plane_pitch + y * s->field.potential_row_pitch) *
               (int64_t)s->field.precision;
}

/* The stored cells low .. high-1 of an axis that are computed with `left` steps of a pass to come,
 * counted from the first of them. */
static inline void torre_cpu_legal(const torre_cpu_solver *s, int axis, int64_t left, int64_t *low,
                                   int64_t *high)
{
    torre_region_legal(&s->region, axis, s->field.half_width * left, low, high);
    *low -= s->region.stored.low[axis];
    *high -= s->region.stored.low[axis];
}

/* What a run along z computes so that cells low .. high-1 are: whole blocks. */
static inline void torre_cpu_blocks(const torre_cpu_solver *s, int64_t low, int64_t high,
                                    int64_t *z0, int64_t *z1)
{
    const int64_t block = s->field.block, end = (high + block - 1) / block * block;
    *z0 = low / block * block;
    *z1 = end < s->field.size[2] ? end : s->field.size[2];
}

/* The functions of a backend that do not depend on the engine. */
torre_status torre_cpu_create(const torre_wave_setup *setup, const torre_cpu_program *program,
                              const torre_wave_backend *functions, torre_wave_solver **solver);
torre_status torre_cpu_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                               bool new_medium);
/* Of towers. */
torre_status torre_cpu_move(torre_wave_solver *solver, const torre_wave_setup *setup, int64_t n);
torre_status torre_cpu_set_step(torre_wave_solver *solver, int64_t n);
torre_status torre_cpu_write_box(torre_wave_solver *solver, int level, const torre_box *box,
                                 const int64_t stride[3], const void *values);
torre_status torre_cpu_read_box(torre_wave_solver *solver, int level, const torre_box *box,
                                const int64_t stride[3], void *values);
torre_status torre_cpu_write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                   const int64_t stride[3], const void *values);
torre_status torre_cpu_read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                  const int64_t stride[3], void *values);
/* Of towers. */
torre_status torre_cpu_write_layers(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                    const void *values);
torre_status torre_cpu_read_layers(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                   void *values);
void torre_cpu_lend(const torre_wave_solver *solver, int64_t low, torre_lent_planes *planes);
torre_status torre_cpu_norms(torre_wave_solver *solver, torre_wave_norms *norms);
void torre_cpu_destroy(torre_wave_solver *solver);

/* Device and threads of the info; refuses more bytes than can be counted. */
torre_status torre_cpu_plan(const torre_wave_setup *setup, torre_cpu_program *program);
/* What torre_cpu_create allocates. */
int64_t torre_cpu_bytes(const torre_wave_setup *setup, const torre_cpu_program *program);

#endif
