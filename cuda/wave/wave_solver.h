/*
 * The solver of the cuda backend.
 *
 * plan (wave_plan.c) -> create (wave_solver.c) -> advance: one pass of towers (tower_pass.c) or one
 * step (wave_solver.c) after another. Sources and receivers: wave_points.c. All of it but the
 * interface in wave_solver.c sees the turned problem alone (wave_axes.h).
 */
#ifndef TORRE_CUDA_WAVE_SOLVER_H
#define TORRE_CUDA_WAVE_SOLVER_H

#include "cuda/wave/wave_args.h"
#include "cuda/wave/wave_axes.h"
#include "wave/boundary.h"
#include "wave/program.h"

/* Sources and receivers on the device; what a count of zero makes useless is NULL. */
typedef struct torre_cuda_points {
    double *weight;         /* [source_count] */
    int64_t *source_cell;   /* padded index of each source node */
    int64_t *receiver_cell; /* likewise */
    int *first;             /* by block, see torre_points_args (torre engine only) */
    torre_point_node *node;
    double *wavelet;     /* [rows] of the current launch */
    void *values;        /* real [rows][source_count] */
    void *samples[2];    /* real [rows][receiver_count]; launches take turns */
    int turn;            /* of the current launch */
    int64_t rows;        /* steps that values and samples have room for */
    cudaStream_t copies; /* of samples to the host, while the next launch runs */
    cudaEvent_t before;  /* the current launch */
} torre_cuda_points;

/* The schedule of passes of one height. */
typedef struct torre_tower_schedule {
    torre_tower_launch launch; /* pointers: device memory of the schedule */
    torre_tower_launch
        beside;      /* at the same time on the multiprocessors that clusters leave: groups
                      * with mail that take towers of the same list; or no blocks */
    size_t counters; /* entries of launch.progress, launch.next, taken of both */
} torre_tower_schedule;

/* What the environment asks for (TORRE_CUDA_AXES, TORRE_CUDA_STRIP, TORRE_CUDA_CLUSTER,
 * TORRE_CUDA_PLANES, see DESIGN.md); "", 0: nothing. */
typedef struct torre_cuda_settings {
    char axes[4];
    int64_t strip, cluster, planes;
} torre_cuda_settings;

/* What the cuda backend decides. */
typedef struct torre_cuda_program {
    torre_wave_program base;
    torre_cuda_settings settings;
    int multiprocessors;
    const torre_tower_kernel *kernel; /* engine torre; or NULL */
    torre_tower_shape shape;          /* of its blocks */
    const torre_step_kernel *stepper; /* engine stepwise; or NULL */
} torre_cuda_program;

typedef struct torre_cuda_solver {
    torre_wave_solver base;
    const torre_cuda_program *program;
    torre_turned turned;
    const torre_wave_setup *setup; /* the turned one */
    torre_wave_args args;          /* args.field[1] is u[n], args.field[0] u[n-1] */
    torre_wide_stencil stencil;
    size_t field_bytes;
    int64_t n;
    cudaStream_t stream;
    torre_cuda_points points;
    torre_tower_schedule schedule[2]; /* of full passes, and of the last lower one */
    cudaStream_t beside;              /* of schedule.beside; or NULL */
    cudaEvent_t ready, done;          /* to launch, before and after it */
    torre_step_launch step;           /* of the stepwise engine */
    torre_device_norms *norms;
} torre_cuda_solver;

/*
 * Planes that the kernels compute. Block towers, and from order 4 on those of the stepwise engine
 * with them, go by whole vectors: where nz is no multiple of those, the field, the model, the
 * damping and the sources are continued beyond the last plane by their mirror images (boundary.h).
 * These are computed as other cells are, and stay images up to rounding, since all is symmetric; so
 * no vector is cut by a face. (Not with periodic z faces, where towers need whole vectors.)
 */
static inline int64_t torre_cuda_planes(const torre_cuda_solver *s)
{
    const torre_tower_kernel *kernel = s->program->kernel;
    const int64_t nz = s->setup->problem->size[2], v = 16 / (int64_t)s->setup->problem->precision;
    bool whole = s->setup->problem->order > 2 || (kernel && !kernel->in_registers);
    return whole && !s->args.periodic[2] ? (nz + v - 1) / v * v : nz;
}
/* What plane z is the image of; sign 1 and z itself for a plane of the grid. */
static inline torre_ghost torre_cuda_image(const torre_wave_problem *p, int64_t z)
{
    return torre_ghost_find(z, p->size[2], p->face[2][0], p->face[2][1]);
}

/* Device memory, zeroed; the failure names bytes needed and free. */
torre_status torre_cuda_alloc(void **memory, size_t bytes);

/* plan of the backend: a torre_cuda_program. */
torre_status torre_cuda_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                             torre_wave_program **program);

torre_status torre_cuda_settings_read(torre_cuda_settings *settings);
/* Refuses planes (0: no wish) that are none of those that blocks of the kernels of the problem's
 * order and precision and of dts can have. */
torre_status torre_cuda_planes_check(int64_t planes, const int *known, int count,
                                     const torre_wave_problem *problem, int dts);

/* Values of u between the start of two lines of z. */
int64_t torre_cuda_pitch(int64_t nz, torre_precision precision);
/* Blocks along z that share a tower. */
int64_t torre_cuda_parts(const torre_tower_shape *shape, int64_t nz, torre_precision precision);

torre_status torre_cuda_points_new(torre_cuda_solver *s);
void torre_cuda_points_free(torre_cuda_points *points);
/* Source values of steps n .. n + steps - 1, and room for their samples. */
torre_status torre_cuda_points_prepare(torre_cuda_solver *s, int64_t steps);
/* Copy the samples of the last launch (`ago` 0) or of the one before it (1, while the last one
 * runs) to the host. */
torre_status torre_cuda_points_collect(torre_cuda_solver *s, int ago, int64_t steps, void *samples);

/* One pass of steps <= tower height. */
torre_status torre_cuda_pass(torre_cuda_solver *s, int64_t steps);
void torre_cuda_schedule_free(torre_tower_schedule *schedule);

#endif
