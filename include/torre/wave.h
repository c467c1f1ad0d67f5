/*
 * Acoustic waves: the problem, and running it whatever the backend and engine.
 *
 *     u_tt + 2 s u_t = c^2 lap(u) + q      (SI units)
 *
 * where s is 0 but in layers of a sponge, discretised on cells (i, j, k) at (i hx, j hy, k hz),
 * 0 <= i < nx and so on, as
 *
 *     (1 + s dt) u[n+1] = 2 u[n] - (1 - s dt) u[n-1] + (c dt)^2 Lap u[n] + dt^2 q[n],
 *     Lap = sum over axes of h_axis^-2 (2 C0 u + sum_i C_i (u(+i) + u(-i)))
 *
 * All dense arrays have shape (nx, ny, nz), C order, z fastest.
 *
 * u is pressure. Where density varies it is the solution of p_tt = rho c^2 div(1/rho grad p) + q
 * (the same with damping), whose scheme is in src/wave/NUMERICS.md, "Variable density".
 *
 * A two-dimensional problem is a plane of cells (i, 0, k) with hy infinite: nothing varies along y,
 * whose term of Lap is zero, and so it counts nowhere, least of all in the limit of dt.
 *
 *     torre_wave_run *run;
 *     TORRE_TRY(torre_wave_run_new(&problem, "auto", &plan, &run));    nothing large allocated yet
 *     status = torre_wave_run_start(run, NULL, NULL);                  fields and traces
 *     if (!status) status = torre_wave_run_advance(run, problem.steps, NULL);
 *     ... torre_wave_run_traces(run), torre_wave_run_field(run, 0, cells) ...
 *     torre_wave_run_free(run);
 *
 * A run is used by one thread at a time; it starts threads of its own.
 */
#ifndef TORRE_PUBLIC_WAVE_H
#define TORRE_PUBLIC_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torre/array.h"
#include "torre/ordering.h"
#include "torre/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What lies beyond a face of the grid. Indices count cells from the face inwards. */
typedef enum torre_face {
    TORRE_FREE,      /* u(-1) = 0, u(-1-i) = -u(-1+i): pressure-release surface */
    TORRE_RIGID,     /* u(-i) = u(i-1): wall half a cell outside */
    TORRE_ABSORBING, /* absorbing layer inside the grid in front of the face */
    TORRE_PERIODIC,  /* both faces of the axis together */
    TORRE_CONTINUES  /* no end: the grid goes on in other parts of a problem; refused of a whole */
} torre_face;

/* What absorbs in front of such faces. src/wave/NUMERICS.md, "Absorbing layers". */
typedef enum torre_absorbing {
    TORRE_SPONGE, /* a term that damps */
    TORRE_PML,    /* a perfectly matched layer of the grid's own waves, which reflects none; with
                     the velocity of its first cell all along its normal */
    TORRE_CPML    /* the convolutional one of other programs, to compare */
} torre_absorbing;

/* Cells of an absorbing layer unless told otherwise; of a sponge, and of cpml, two wavelengths at
 * 10 points per wavelength. */
#define TORRE_ABSORBING_WIDTH 20
#define TORRE_PML_WIDTH       8

/*
 * Leapfrog makes waves oscillate a little fast, and so arrive early, the more the longer dt is.
 * Corrected, the wavelet is warped before the run and the traces after it, so that traces are those
 * of dt -> 0; fields and norms are as computed. src/wave/NUMERICS.md, "Time dispersion".
 */
typedef enum torre_time_dispersion {
    TORRE_DISPERSION_CORRECT, /* where there are receivers */
    TORRE_DISPERSION_LEAVE
} torre_time_dispersion;

/* How sources and receivers between cells are; on a node they are that cell. */
typedef enum torre_interpolation {
    TORRE_SINC,     /* 8 nodes an axis, by a windowed sinc: to 0.13 % at 4 points a wavelength. Not
                       between cells closer than 4 cells to a rigid face */
    TORRE_TRILINEAR /* 2 nodes an axis */
} torre_interpolation;

typedef enum torre_engine {
    TORRE_AUTO,      /* choose for me: towers, or one step at a time where that is better */
    TORRE_REFERENCE, /* plain and slow: the oracle */
    TORRE_STEPWISE,  /* one step at a time */
    TORRE_TORRE      /* towers of many steps */
} torre_engine;

/* What a source drives and a receiver records. src/wave/NUMERICS.md, "Particle velocity and
 * forces". Others than pressure need TORRE_SINC. */
typedef enum torre_component {
    TORRE_PRESSURE, /* q of the wave equation; u */
    TORRE_ALONG_X,  /* a force along the axis, in N (in two dimensions N/m); particle velocity along
                       it, in m/s, with the traces' end (torre_wave_run_end_traces) */
    TORRE_ALONG_Y,
    TORRE_ALONG_Z
} torre_component;

/* A point source or receiver; positions in metres, inside the grid (0 .. (n-1) h per axis). */
typedef struct torre_point {
    double position[3];
    double amplitude; /* factor on the wavelet; unused for receivers */
    torre_component component;
} torre_point;

/* What is to be computed. Plain data; everything pointed to belongs to the caller. */
typedef struct torre_wave_problem {
    int64_t size[3];                   /* nx, ny, nz >= 1 */
    double spacing[3];                 /* metres > 0; INFINITY along y: two dimensions, where ny is
                                          1 and both y faces are free */
    int order;                         /* of accuracy in space: 2, 4, .. 12 */
    torre_precision precision;         /* of the fields and the arithmetic */
    double dt;                         /* seconds > 0 */
    int64_t steps;                     /* >= 0 */
    double velocity;                   /* m/s, where velocity_cells is NULL */
    const torre_array *velocity_cells; /* NULL, or m/s of shape (nx, ny, nz) or (nx, 1, nz), the
                                          latter meaning the same for every y */
    const torre_array *density_cells;  /* NULL: the same everywhere, and then it does not matter; or
                                          kg/m^3, of shapes as velocity_cells */
    double density;                    /* kg/m^3, where density_cells is NULL: of receivers of
                                          particle velocity alone, which refuse 0 */
    torre_face face[3][2];             /* [axis][low, high] */
    torre_absorbing absorbing;         /* what absorbs in front of absorbing faces */
    int absorbing_width;               /* cells of each absorbing layer, >= 1;
                                          TORRE_ABSORBING_WIDTH or TORRE_PML_WIDTH unless there is
                                          a reason */
    const torre_point *sources;
    int64_t source_count;
    const double *wavelet; /* s(n dt), n = 0 .. steps - 1, finite; NULL without sources or steps */
    const torre_point *receivers;
    int64_t receiver_count;
    torre_time_dispersion time_dispersion; /* of traces; zero: corrected */
    torre_interpolation interpolation;     /* of sources and receivers; zero: sinc */
} torre_wave_problem;

/* How it is to be computed. Zero (or NULL) means: choose for me. */
typedef struct torre_wave_plan {
    torre_engine engine;  /* TORRE_AUTO with dts or tower_height means towers, come what may */
    int dts;              /* diamond tile size in stencil half-widths, >= 1 */
    int64_t tower_height; /* NT, steps a tower climbs, >= 1 */
    torre_ordering_spec ordering; /* of tiles */
    bool measured; /* where towers leave dts or tower_height open: as roofline --tune found best on
                      this device, if it did */
    int threads;   /* cpu backend */
    int device;    /* cuda backend: GPU; above 0, "auto" takes no other backend */
    /* instead of device, GPUs that share the run, each a slab of the grid and a thread of this
     * process: "0,1", or "all"; by towers, with the bits of one GPU. Looked at by
     * torre_wave_run_new. NULL: device alone */
    const char *devices;
    /* the order in which the solver takes the axes, "zxy": z as its x; xyz alone for reference */
    char axes[4];
    /* Bytes that the solver may take; 0: as many as it needs, of a GPU as many as are free. Where
     * it needs more, towers go over the grid window by window, and the fields are in a scratch file
     * meanwhile: with the same bits. Engine torre; on a GPU they are bytes of that, and memory of
     * the host will do */
    int64_t memory;
    const char *scratch; /* directory of that file; outlives the run. NULL: there is none */
} torre_wave_plan;

/* Why TORRE_AUTO takes one step at a time. */
typedef enum torre_stepwise_reason {
    TORRE_NO_REASON,      /* it does not, or the engine was asked for by name */
    TORRE_TOWERS_REFUSED, /* towers cannot do the problem */
    TORRE_TOWERS_SLOWER   /* by an estimate, or since towers never pay on the device */
} torre_stepwise_reason;

/* What was decided about a run. */
typedef struct torre_wave_info {
    torre_wave_plan wish;          /* what was asked for */
    torre_wave_plan plan;          /* with every "choose for me" filled in, the engine too */
    torre_stepwise_reason reason;  /* of TORRE_AUTO, where it takes one step at a time */
    char why[256];                 /* the choice of the engine in words: what towers cannot do, or
                                      the estimates; or empty */
    char kernel[160];              /* what computes, and its shape */
    bool measured;                 /* DTS and tower height are as measured on this device */
    char device[128];              /* "8 x AMD EPYC ... (avx512)", "NVIDIA H200" */
    double model_bytes_per_update; /* main-memory traffic the engine is designed for */
    int64_t memory_bytes;          /* of the solver: fields and tables, on the device of cuda */
    int64_t windows;               /* that the fields stream through; 0: they are in memory */
    int64_t window_planes; /* of cells, across the first axis of the plan, that the largest holds */
    int64_t scratch_bytes; /* of the scratch file; without one, of memory of the host */
    int64_t streamed_bytes; /* out of it and into it in each pass of plan.tower_height steps */
    char lacking[256]; /* where the machine has less than that: what is needed, what there is */
} torre_wave_info;

/* Statistics of the current field. */
typedef struct torre_wave_norms {
    double max_abs;
    double l2; /* sqrt(sum u^2) over cells */
    bool finite;
    int64_t first_bad[3]; /* a cell that is not finite, where finite is false */
} torre_wave_norms;

/* Largest stable dt (seconds) for the largest velocity c: 2 / (c sqrt(S sum h^-2)); NAN for an
 * order that there is not. */
double torre_wave_dt_limit(int order, const double spacing[3], double velocity_max);

/*
 * The same of a problem, for velocity and density of its cells: 2 / sqrt(c^2 (S sum h^-2 + q)) of
 * the cell where that is least; q is 0 where density does not vary. Of the problem only size,
 * spacing, order, faces and medium are looked at; they must be legal. TORRE_ERR_RESOURCE.
 */
torre_status torre_wave_problem_dt_limit(const torre_wave_problem *problem, double *seconds);

/* Smallest and largest velocity of the problem, m/s. */
void torre_wave_velocity_range(const torre_wave_problem *problem, double *low, double *high);

/* Refuse, by name and with the legal range, whatever the definition does not allow. */
torre_status torre_wave_problem_check(const torre_wave_problem *problem);

/* "free", "rigid", "absorbing", "periodic" (NULL for another face); and back. */
const char *torre_face_name(torre_face face);
bool torre_face_by_name(const char *name, torre_face *face);

/* "auto", "reference", "stepwise", "torre" (NULL for another engine); and back (false for an
 * unknown name). */
const char *torre_engine_name(torre_engine engine);
bool torre_engine_by_name(const char *name, torre_engine *engine);

/* A run in progress. */
typedef struct torre_wave_run torre_wave_run;

/* Where a run stands, for progress lines. */
typedef struct torre_wave_progress {
    int64_t step, steps;
    double compute_s, gcells_per_s;
} torre_wave_progress;

enum { TORRE_WAVE_INTERVALS = 2 };

/* What the caller wants on the way. Everything optional; zero means no. */
typedef struct torre_wave_watch {
    /* call frame whenever step is a multiple of one of these above 0 (not at step 0) */
    int64_t frame_every[TORRE_WAVE_INTERVALS];
    torre_status (*frame)(void *context, torre_wave_run *run); /* a failure ends the run */
    void (*progress)(void *context, const torre_wave_progress *progress); /* a few times a second */
    bool (*stop)(void *context); /* asked as often; true ends the run cleanly at run->step */
    void *context;
} torre_wave_watch;

/*
 * Check the problem, build the setup, find the backend ("cpu", "cuda"; "auto": the first available
 * one that offers what the plan asks for; with a plan that names a device above 0 as "cuda") and
 * let it plan. Afterwards torre_wave_run_info says what the run will use. Refuses whatever problem
 * check, backend and engine refuse (TORRE_ERR_USAGE), but not what is too large for this machine.
 * The problem and all that it points to stay the caller's and must outlive the run; *run is to be
 * freed with torre_wave_run_free, and is set on success alone.
 */
torre_status torre_wave_run_new(const torre_wave_problem *problem, const char *backend,
                                const torre_wave_plan *plan, torre_wave_run **run);

/* Whether this machine has the memory for solver and traces; else TORRE_ERR_RESOURCE with bytes
 * needed and available. */
torre_status torre_wave_run_check_memory(const torre_wave_run *run);

/*
 * Once: check the memory, allocate the solver and the traces and set u[0] and u[-1] from dense host
 * arrays of the problem's precision (NULL: zero), which are not needed afterwards.
 */
torre_status torre_wave_run_start(torre_wave_run *run, const void *now, const void *previous);

/*
 * Advance by steps (step + steps <= problem->steps), in chunks that are multiples of the tower
 * height. The field is checked for numbers that are not finite now and then (at most about 2 % of
 * the time) and at the end: TORRE_ERR_UNSTABLE names the range of steps and a cell. When watch asks
 * to stop, TORRE_OK with torre_wave_run_step short of the goal.
 */
torre_status torre_wave_run_advance(torre_wave_run *run, int64_t steps,
                                    const torre_wave_watch *watch);

/* What the run was made for, and what it uses: plan with all choices made, device, memory. */
const torre_wave_problem *torre_wave_run_problem(const torre_wave_run *run);
const torre_wave_info *torre_wave_run_info(const torre_wave_run *run);

/* "cpu", "cuda". Static. */
const char *torre_wave_run_backend(const torre_wave_run *run);

/* Why "auto" did not take a better backend, "cuda: ..."; or "". Lives as long as the run. */
const char *torre_wave_run_passed_over(const torre_wave_run *run);

/* n of the present level u[n]; 0 before the first step. */
int64_t torre_wave_run_step(const torre_wave_run *run);

/* Seconds spent in the time loop alone, device synchronised. */
double torre_wave_run_seconds(const torre_wave_run *run);

/* Billions of cell updates a second of the time loop so far; 0 before the first. */
double torre_wave_run_rate(const torre_wave_run *run);

/* Bytes read from the scratch file and written to it since start; 0 without one. */
int64_t torre_wave_run_streamed(const torre_wave_run *run);

/* Norms of the present level, once advance has returned. */
const torre_wave_norms *torre_wave_run_norms(const torre_wave_run *run);

/*
 * Samples u(receiver, n dt): shape (receivers, steps + 1, 1) in the problem's precision, filled up
 * to column torre_wave_run_step, zero after it. Column 0 is u[0]. data is NULL without receivers
 * and before start. The run's, as long as it lives. As computed until they are final (the next
 * function), then with time dispersion corrected, unless the problem says otherwise. Those of
 * particle velocity are the derivative of u along their axis until then.
 */
const torre_array *torre_wave_run_traces(const torre_wave_run *run);

/*
 * Make the traces final as they are at the present step. torre_wave_run_advance does it with the
 * last of problem->steps; for a run that ends before. Afterwards it cannot advance
 * (TORRE_ERR_USAGE). Once is enough, more do nothing. TORRE_ERR_RESOURCE: no memory for the
 * correction, the traces are as computed.
 */
torre_status torre_wave_run_end_traces(torre_wave_run *run);

/* Host memory for traces, their staging and their correction, bytes; -1 on overflow. */
int64_t torre_wave_run_trace_bytes(const torre_wave_run *run);

/*
 * Copy u[step] (level 0) or u[step-1] (level -1) into a dense host array of the problem's shape and
 * precision, the caller's. After start.
 */
torre_status torre_wave_run_field(torre_wave_run *run, int level, void *cells);

/*
 * Copy the plane `index` (0 .. n - 1) across axis (0, 1, 2) of u[step] into the caller's array: the
 * two other axes, C order. After start.
 */
torre_status torre_wave_run_plane(torre_wave_run *run, int axis, int64_t index, void *cells);

/* Free everything the run owns. NULL is fine. */
void torre_wave_run_free(torre_wave_run *run);

/*
 * Source wavelets s(t), sampled at the time step.
 *
 * Ricker (second derivative of a Gaussian): s(t) = (1 - 2 a) exp(-a), a = (pi f (t - t0))^2,
 * t0 = 1.2 / f; f is the peak of its spectrum, which has fallen to 3 % at 2.5 f.
 */

/* The Ricker wavelet of peak frequency f (Hz) at time t (s). */
double torre_ricker(double frequency, double t);

/*
 * samples[n] = amplitude * ricker(n dt), n = 0 .. steps - 1 (steps >= 0), in new memory for the
 * caller to free. TORRE_ERR_RESOURCE when there is none.
 */
torre_status torre_wavelet_ricker(double frequency, double amplitude, double dt, int64_t steps,
                                  double **samples);

/*
 * samples[n] = amplitude * the n-th value of a file, n = 0 .. steps - 1; zero after the end of the
 * file; values beyond steps are not used. path: .npy with one axis, or a text file with one number
 * a line ('#' starts a comment, blank lines are skipped). *count: values in the file.
 * TORRE_ERR_INPUT for a file that is not like this. Free *samples with free().
 */
torre_status torre_wavelet_read(const char *path, double amplitude, int64_t steps, double **samples,
                                int64_t *count);

/*
 * The frequency (Hz) at which the amplitude spectrum of the samples is largest, to about 2 %;
 * 0 when all are zero. Meant for wavelets, whose spectra have one wide peak.
 */
double torre_wavelet_peak(const double *samples, int64_t count, double dt);

/*
 * The level before a start at rest: given u[0] = now (dense, of the problem's precision), fill
 *     u[-1] = u[0] + (c dt)^2 / 2 Lap u[0],
 * so that the scheme gives u[1] = u[0] + (c dt)^2 / 2 Lap u[0] whatever the damping s:
 *     (1 + s dt) u[1] = 2 u[0] - (1 - s dt) u[-1] + (c dt)^2 Lap u[0]
 *                     = (1 + s dt) (u[0] + (c dt)^2 / 2 Lap u[0]).
 * Lap with the problem's order, spacings and faces, and where density varies with that; computed in
 * f64, rounded once. previous is the caller's, as large as now; near faces beyond which the grid
 * continues, where the stencil reaches over them, it is left as it is. TORRE_ERR_RESOURCE, where
 * density varies alone.
 */
torre_status torre_wave_rest_level(const torre_wave_problem *problem, const void *now,
                                   void *previous);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
