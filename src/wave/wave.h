/*
 * The wave problem and its solvers.
 *
 *     u_tt + 2 s u_t = c^2 lap(u) + q      (SI units)
 *
 * discretised on cells (i, j, k) at (i hx, j hy, k hz), 0 <= i < nx and so on, as
 *
 *     (1 + s dt) u[n+1] = 2 u[n] - (1 - s dt) u[n-1] + (c dt)^2 Lap u[n] + dt^2 q[n],
 *     Lap = sum over axes of h_axis^-2 (2 C0 u + sum_i C_i (u(+i) + u(-i)))      (stencil.h)
 *
 * All dense arrays have shape (nx, ny, nz), C order, z fastest.
 *
 * A two-dimensional problem is a plane of cells (i, 0, k) with hy infinite: nothing varies along y,
 * whose term of Lap is zero, and so it counts nowhere, least of all in the limit of dt.
 *
 * Life of a run:  torre_wave_problem  --torre_wave_setup_new-->  torre_wave_setup (what every
 * engine needs, precomputed)  --backend->create-->  torre_wave_solver  --advance-->  fields,
 * samples. torre_wave_run (driver.h) does all of it.
 */
#ifndef TORRE_WAVE_H
#define TORRE_WAVE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "tiling/ordering.h"
#include "tiling/region.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum torre_precision { TORRE_F32 = 4, TORRE_F64 = 8 } torre_precision; /* bytes a value */

/* What lies beyond a face of the grid. Indices count cells from the face inwards. */
typedef enum torre_face {
    TORRE_FREE,      /* u(-1) = 0, u(-1-i) = -u(-1+i): pressure-release surface */
    TORRE_RIGID,     /* u(-i) = u(i-1): wall half a cell outside */
    TORRE_ABSORBING, /* damping layer inside the grid in front of a free face (boundary.h) */
    TORRE_PERIODIC   /* both faces of the axis together */
} torre_face;

typedef enum torre_engine {
    TORRE_AUTO,      /* choose for me: towers, or one step at a time where that is better */
    TORRE_REFERENCE, /* plain and slow: the oracle */
    TORRE_STEPWISE,  /* one step at a time */
    TORRE_TORRE      /* towers of many steps */
} torre_engine;

/* A dense array the caller owns: values of the given precision, shape[0] x shape[1] x shape[2]. */
typedef struct torre_array {
    torre_precision precision;
    int64_t shape[3];
    void *data;
} torre_array;

/* Value i of an array of either precision. */
static inline double torre_value(torre_precision precision, const void *values, int64_t i)
{
    return precision == TORRE_F32 ? (double)((const float *)values)[i]
                                  : ((const double *)values)[i];
}

/* The same to write, rounded to the precision. */
static inline void torre_value_set(torre_precision precision, void *values, int64_t i, double value)
{
    if (precision == TORRE_F32)
        ((float *)values)[i] = (float)value;
    else
        ((double *)values)[i] = value;
}

/* A point source or receiver; positions in metres, inside the grid (0 .. (n-1) h per axis). */
typedef struct torre_point {
    double position[3];
    double amplitude; /* factor on the wavelet; unused for receivers */
} torre_point;

/* What is to be computed. Plain data; everything pointed to belongs to the caller. */
typedef struct torre_wave_problem {
    int64_t size[3];                   /* nx, ny, nz >= 1 */
    double spacing[3];                 /* metres > 0; INFINITY along y: two dimensions, where ny is
                                          1 and both y faces are free */
    int order;                         /* 2, 4, 6, 8 */
    torre_precision precision;         /* of the fields and the arithmetic */
    double dt;                         /* seconds > 0 */
    int64_t steps;                     /* >= 0 */
    double velocity;                   /* m/s, where velocity_cells is NULL */
    const torre_array *velocity_cells; /* NULL, or m/s of shape (nx, ny, nz) or (nx, 1, nz), the
                                          latter meaning the same for every y */
    torre_face face[3][2];             /* [axis][low, high] */
    int absorbing_width;               /* cells of each damping layer, >= 1 */
    const torre_point *sources;
    int64_t source_count;
    const double *wavelet; /* s(n dt), n = 0 .. steps - 1, finite; NULL without sources or steps */
    const torre_point *receivers;
    int64_t receiver_count;
} torre_wave_problem;

/* Whether nothing varies along an axis: y in two dimensions (another once axes are turned). */
static inline bool torre_wave_is_flat(const torre_wave_problem *problem, int axis)
{
    return isinf(problem->spacing[axis]);
}

/* 3, or 2. */
static inline int torre_wave_dimensions(const torre_wave_problem *problem)
{
    return torre_wave_is_flat(problem, 1) ? 2 : 3;
}

/* Where the last cell of an axis lies, metres. */
static inline double torre_wave_extent(const torre_wave_problem *problem, int axis)
{
    if (torre_wave_is_flat(problem, axis)) return 0;
    return (double)(problem->size[axis] - 1) * problem->spacing[axis];
}

/* Cells of the grid. */
static inline int64_t torre_wave_cells(const torre_wave_problem *problem)
{
    return problem->size[0] * problem->size[1] * problem->size[2];
}

/* How it is to be computed. Zero (or NULL) means: choose for me. */
typedef struct torre_wave_plan {
    torre_engine engine;  /* TORRE_AUTO with dts or tower_height means towers, come what may */
    int dts;              /* diamond tile size in stencil half-widths, >= 1 */
    int64_t tower_height; /* NT, steps a tower climbs, >= 1 */
    torre_ordering_kind ordering; /* of tiles */
    int threads;                  /* cpu backend */
    int device;                   /* cuda backend: GPU; above 0, "auto" takes no other backend */
    /* the order in which the solver takes the axes, "zxy": z as its x; xyz alone for reference */
    char axes[4];
} torre_wave_plan;

/* A grid node with a weight; cell is (i ny + j) nz + k. */
typedef struct torre_node {
    int64_t cell;
    double weight;
} torre_node;

/*
 * Everything an engine needs beside the fields, computed once and shared by all backends.
 * Sources:   after the update to level n+1, u[n+1](cell) += (real)(weight * wavelet[n]); the weight
 *            is amplitude * dt^2 / (hx hy hz) / (1 + s dt) * trilinear weight (in two dimensions
 *            over hx hz: a line source), summed over the sources that touch the cell. Nodes are
 *            sorted by cell, each cell once.
 * Receivers: the distinct nodes that any receiver interpolates from, sorted by cell (weight
 * unused). Engines record u[n+1] at every one of them; the driver interpolates.
 */
typedef struct torre_wave_setup {
    const torre_wave_problem *problem;
    torre_node *source_nodes;
    int64_t source_node_count;
    torre_node *receiver_nodes;
    int64_t receiver_node_count;
    /* receiver r = sum_{l < 8} receiver_weight[8 r + l] * sample[receiver_index[8 r + l]] */
    int64_t *receiver_index;
    double *receiver_weight;
    /*
     * s(x, y, z) = damping[0][x] + damping[1][y] + damping[2][z], 1/s; NULL where an axis has none
     */
    double *damping[3];
} torre_wave_setup;

/* Build the setup of a checked problem (torre_wave_problem_check). Free with _free. */
torre_status torre_wave_setup_new(const torre_wave_problem *problem, torre_wave_setup **setup);
void torre_wave_setup_free(torre_wave_setup *setup);

/* What a source of unit strength adds to its cell: dt^2 / (hx hy hz), in two dimensions dt^2 / (hx
 * hz). */
double torre_wave_source_scale(const torre_wave_problem *problem);

/* Largest stable dt (seconds) for the largest velocity c: 2 / (c sqrt(S sum h^-2)). */
double torre_wave_dt_limit(int order, const double spacing[3], double velocity_max);

/* Refuse, by name and with the legal range, whatever the definition does not allow. */
torre_status torre_wave_problem_check(const torre_wave_problem *problem);

/* Refuse to go from level n to n + steps where that is backwards or beyond problem->steps (the
 * wavelet ends there). */
torre_status torre_wave_steps_check(const torre_wave_problem *problem, int64_t n, int64_t steps);

/* Velocity of cell (x, y, z), m/s. */
double torre_wave_velocity_at(const torre_wave_problem *problem, int64_t x, int64_t y, int64_t z);

/* Smallest and largest velocity of the problem, m/s. */
void torre_wave_velocity_range(const torre_wave_problem *problem, double *low, double *high);

/* Why TORRE_AUTO takes one step at a time. */
typedef enum torre_stepwise_reason {
    TORRE_NO_REASON,      /* it does not, or the engine was asked for by name */
    TORRE_TOWERS_REFUSED, /* towers cannot do the problem */
    TORRE_TOWERS_SLOWER   /* by an estimate, or since towers never pay on the device */
} torre_stepwise_reason;

/* What a solver reports about itself once created. */
typedef struct torre_wave_info {
    torre_wave_plan plan;          /* with every "choose for me" filled in, the engine too */
    torre_stepwise_reason reason;  /* of TORRE_AUTO, where it takes one step at a time */
    char device[128];              /* "8 x AMD EPYC ... (avx512)", "NVIDIA H200" */
    double model_bytes_per_update; /* main-memory traffic the engine is designed for */
    int64_t memory_bytes;          /* of fields and tables */
    char lacking[256]; /* where the machine has less than that: what is needed, what there is */
} torre_wave_info;

/* Statistics of the current field. */
typedef struct torre_wave_norms {
    double max_abs;
    double l2; /* sqrt(sum u^2) over cells */
    bool finite;
    int64_t first_bad[3]; /* a cell that is not finite, where finite is false */
} torre_wave_norms;

typedef struct torre_wave_solver torre_wave_solver;

/*
 * A backend: one constant struct of functions (cpu: backend_cpu.c, cuda: cuda/).
 * Levels: the solver holds u[n] and u[n-1] for a current step n that starts at 0.
 */
typedef struct torre_wave_backend {
    const char *name;

    /* Whether this backend can run here; otherwise false with a one-line reason. */
    bool (*available)(const torre_wave_plan *plan, char *why, size_t why_size);

    /*
     * Fill in every "choose for me" of the plan and say what the run will need, allocating nothing
     * large. Refuses by name what the combination cannot do (TORRE_ERR_USAGE); what this machine
     * has no memory for is planned all the same, and info->lacking says so.
     */
    torre_status (*plan)(const torre_wave_setup *setup, const torre_wave_plan *wish,
                         torre_wave_info *info);

    /* Allocate; fields are zero, n = 0. The setup must outlive the solver. TORRE_ERR_RESOURCE
     * with info->lacking, or where memory has gone since. */
    torre_status (*create)(const torre_wave_setup *setup, const torre_wave_info *info,
                           torre_wave_solver **solver);

    /* From now on the levels that the solver holds are u[n] and u[n-1], whichever they were. */
    torre_status (*set_step)(torre_wave_solver *solver, int64_t n);

    /*
     * Copy a box of u[n] (level 0) or u[n-1] (level -1) from or to a host array of the problem's
     * precision: `values` is its value of cell box->low, stride[a] values lie between neighbours
     * along axis a (torre_box_strides: a dense array of the box). Writing NULL writes zeros.
     * TORRE_ERR_USAGE for other levels and for boxes beyond the cells that the solver holds.
     */
    torre_status (*write_box)(torre_wave_solver *solver, int level, const torre_box *box,
                              const int64_t stride[3], const void *values);
    torre_status (*read_box)(torre_wave_solver *solver, int level, const torre_box *box,
                             const int64_t stride[3], void *values);

    /*
     * Advance steps levels, n -> n + steps <= problem->steps (torre_wave_steps_check). samples:
     * host array of shape (steps, receiver_node_count) in the problem's precision, receives u[n+1]
     * .. u[n+steps] at the receiver nodes (NULL when there are none). Returns when all is computed
     * (device synchronised).
     */
    torre_status (*advance)(torre_wave_solver *solver, int64_t steps, void *samples);

    /* Of u[n]. */
    torre_status (*norms)(torre_wave_solver *solver, torre_wave_norms *norms);

    void (*destroy)(torre_wave_solver *solver);
} torre_wave_backend;

/* Every solver starts with its backend (the rest is private to it). */
struct torre_wave_solver {
    const torre_wave_backend *backend;
};

/*
 * The backends of this build, best first; NULL-terminated. backend_list.c is the only place where
 * the rest of the code meets the CUDA backend.
 */
extern const torre_wave_backend *const torre_wave_backends[];

/*
 * Find a backend by name; "auto" takes the first available one. Unknown, not built and not
 * available are told apart in the message.
 */
torre_status torre_wave_backend_find(const char *name, const torre_wave_plan *plan,
                                     const torre_wave_backend **backend);

/* "auto", "reference", "stepwise", "torre"; and back (false for an unknown name). */
const char *torre_engine_name(torre_engine engine);
bool torre_engine_by_name(const char *name, torre_engine *engine);

#ifdef __cplusplus
}
#endif

#endif
