/*
 * A run of the wave equation, said in full: what the options of the program `wave` say, as plain
 * data that any caller fills in. From it torre_wave_input_new makes a problem (torre/wave.h) with
 * everything that it points to, read from files, and the plan of the run.
 *
 *     torre_wave_spec spec = torre_wave_spec_default();
 *     torre_wave_input *input;
 *     torre_wave_run *run;
 *     spec.velocity = "model.npy";
 *     spec.size_of_file = true;
 *     TORRE_TRY(torre_wave_input_new(&spec, &input));
 *     const torre_wave_problem *problem = torre_wave_input_problem(input);
 *     TORRE_TRY(torre_wave_run_new(problem, spec.backend, torre_wave_input_plan(input), &run));
 *     TORRE_TRY(torre_wave_input_start(input, run));
 *     TORRE_TRY(torre_wave_run_advance(run, spec.steps, NULL));
 *     ...
 *     torre_wave_run_free(run);
 *     torre_wave_input_free(input);
 *
 * Units are SI. Errors name the members of the specification. Results are the caller's to write:
 * that part of the specification is read by programs.
 */
#ifndef TORRE_PUBLIC_WAVE_SPEC_H
#define TORRE_PUBLIC_WAVE_SPEC_H

#include "torre/wave.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* At most one of dt and courant; 0: neither, which means 0.9 of the largest stable step. */
typedef struct torre_time_step_wish {
    double dt;      /* seconds */
    double courant; /* c dt / h with the largest velocity and the smallest spacing */
    bool force;     /* also above the limit of stability, with a caution */
    /* for formats that keep it so: a step that was not given as dt is rounded down to whole
     * microseconds, where that leaves one at least */
    bool whole_microseconds;
} torre_time_step_wish;

/* Texts belong to the caller and outlive the input that is made from them. */
typedef struct torre_wave_spec {
    /* grid and medium */
    int64_t size[3];   /* cells: {NX, NY, NZ}, {NX, NZ, 0} for a plane, {N, 0, 0} for a cube */
    bool size_of_file; /* where velocity is a file, its shape is the size */
    double spacing[3]; /* metres: {HX, HY, HZ}, {HX, HZ, 0} of a plane, or three equal ones */
    /* m/s everywhere, "2000", or a file of shape (nx, ny, nz), or (nx, nz): a plane, or extended
     * along y. "FILE.npy", "FILE.h5:/ARRAY", "FILE.sgy", or bare numbers of the size of the grid,
     * "FILE:f32le" (f32be, f64le, f64be) */
    const char *velocity;
    const char *axes; /* of files: their order there, slowest first, "zyx"; NULL: "xyz" or "xz" */
    const torre_array *velocity_cells; /* not NULL: instead of velocity, an array of the caller's */
    const char *density;              /* kg/m^3: NULL, a number, which only particle velocity needs,
                                          or a file, as velocity */
    const torre_array *density_cells; /* not NULL: instead of density, an array of the caller's */
    int64_t order;                    /* of accuracy in space (torre_wave_problem) */
    torre_precision precision;
    const char *boundary;      /* faces: KIND of all, FACE=KIND, or a list: "absorbing,z-=free",
                                "x=periodic,y+=rigid"; FACE: x-, x+, or x for both */
    torre_absorbing absorbing; /* what absorbs in front of absorbing faces */
    int64_t absorbing_width;   /* cells of each absorbing layer; 0: as many as it is made for
                                  (TORRE_ABSORBING_WIDTH, TORRE_PML_WIDTH) */
    /* time */
    int64_t steps;
    torre_time_step_wish time;
    /* sources and start */
    /* points, metres: "x,y,z[,amplitude][,component];..." or FILE.csv; "none"; or NULL: one near
     * the middle, or none where there is an initial field. component: p, or x, y, z: a force */
    const char *source;
    const char *wavelet; /* "ricker", or a file with a value a step (torre_wavelet_read) */
    double frequency;    /* Hz, of the Ricker wavelet; 0: ten cells per wavelength */
    double amplitude;    /* factor on all sources */
    const torre_point *source_points; /* not NULL: instead of source, so many of the caller's */
    int64_t source_count;
    const double *wavelet_samples; /* not NULL: instead of wavelet, s(n dt) for so many n, then 0 */
    int64_t wavelet_count;
    const char *initial; /* FILE.npy[,PREVIOUS.npy]: u[0] and u[-1], at rest without the second;
                             "noise"; NULL: zero */
    int64_t seed;        /* of noise */
    /* points, "x,y,z[,component];...", "x,y,z:x,y,z:N[:component]" or FILE.csv; or NULL. component:
     * p, or x, y, z for particle velocity */
    const char *receivers;
    const torre_point *receiver_points; /* not NULL: instead of receivers */
    int64_t receiver_count;
    torre_time_dispersion time_dispersion; /* of traces (torre_wave_problem): corrected */
    torre_interpolation interpolation;     /* of sources and receivers: sinc */
    /* how to compute */
    const char *backend; /* "auto", "cpu", "cuda" */
    int64_t device;      /* number of the GPU */
    const char *devices; /* GPUs that share the run, "0,1" or "all" (torre_wave_plan); or NULL */
    torre_engine engine;
    int64_t dts, tower_height, threads; /* 0: choose */
    const char *ordering;               /* of the tiles, as torre_ordering_parse reads it */
    int64_t memory;      /* bytes that the solver may take (torre_wave_plan); 0: what it needs */
    const char *scratch; /* directory of what does not fit, or NULL */
    /* results */
    const char *traces, *field;  /* files, or NULL */
    int64_t field_every;         /* steps between frames of the field; 0: that of the end alone */
    int64_t snapshot_every;      /* steps; 0: no snapshots, -1: one at the end */
    const char *snapshot;        /* files, "u.h5,volume,zfp=1e-6;u_{step}.png;z.npy,xy@0", zfp with
                                    the largest error of a value; NULL: a file each in output, of
                                    snapshot_format */
    const char *snapshot_format; /* "png", "npy", "h5" */
    const char *snapshot_plane;  /* "xy", "xz", "yz", "xz@INDEX", "volume" */
    int64_t snapshot_stride[3];  /* every so many cells: {N, 0, 0} along all axes, or one each as in
                                    size; 0: every cell */
    double snapshot_scale;       /* pictures: field value in full colour; 0: choose */
    const char *picture_style;   /* "figure", with axes and a title, "page" for print, "raw" */
    const char *output;          /* directory of the snapshots */
} torre_wave_spec;

/* What `wave` does without options. */
torre_wave_spec torre_wave_spec_default(void);

/* A problem with everything it points to. */
typedef struct torre_wave_input torre_wave_input;

/*
 * Read all files but those of the initial fields, whose headers are checked, and choose what the
 * specification leaves open. TORRE_ERR_USAGE, TORRE_ERR_INPUT, TORRE_ERR_RESOURCE. *input is to be
 * freed with torre_wave_input_free, and is set on success alone.
 */
torre_status torre_wave_input_new(const torre_wave_spec *spec, torre_wave_input **input);

/* Problem and plan; they live as long as the input. */
const torre_wave_problem *torre_wave_input_problem(const torre_wave_input *input);
const torre_wave_plan *torre_wave_input_plan(const torre_wave_input *input);

/* Line i = 0, 1, ... about what is legal but hardly meant; NULL after the last. The input's. */
const char *torre_wave_input_caution(const torre_wave_input *input, int i);

/* torre_wave_run_start with u[0] and u[-1], which are read or made. TORRE_ERR_INPUT: the files. */
torre_status torre_wave_input_start(const torre_wave_input *input, torre_wave_run *run);

/* NULL is fine. */
void torre_wave_input_free(torre_wave_input *input);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
