/*
 * A run of the wave equation, said in full: what the options of `wave` say, as plain data that any
 * caller fills in. From it torre_wave_input_read makes a problem (wave/wave.h) with everything that
 * it points to, read from files, and the plan that torre_wave_run_new takes.
 *
 *     torre_wave_spec spec = torre_wave_spec_default;
 *     torre_wave_input input = {0};
 *     spec.velocity = "model.npy";
 *     spec.size_of_file = true;
 *     TORRE_TRY(torre_wave_input_read(&spec, false, &input));
 *     TORRE_TRY(torre_wave_run_new(&input.problem, spec.backend, &input.plan, &run));
 *     TORRE_TRY(torre_wave_input_start(&input, run));
 *     ...
 *     torre_wave_input_free(&input);
 *
 * Units are SI. Errors name the members of the specification.
 */
#ifndef TORRE_WAVE_SPEC_H
#define TORRE_WAVE_SPEC_H

#include "io/npy.h"
#include "io/point_list.h"
#include "wave/caution.h"
#include "wave/time_step.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Texts belong to the caller and outlive the input that is made from them. */
typedef struct torre_wave_spec {
    /* grid and medium */
    int64_t size[3];      /* cells: {NX, NY, NZ}, {NX, NZ, 0} for a plane, {N, 0, 0} for a cube */
    bool size_of_file;    /* where velocity is a file, its shape is the size */
    double spacing[3];    /* metres: {HX, HY, HZ}, {HX, HZ, 0} of a plane, or three equal ones */
    const char *velocity; /* m/s everywhere, "2000", or FILE.npy of shape (nx, ny, nz), or (nx, nz):
                             a plane, or extended along y */
    const torre_array *velocity_cells; /* not NULL: instead of velocity, an array of the caller's */
    int64_t order;                     /* of accuracy in space (stencil.h) */
    torre_precision precision;
    const char *boundary;    /* faces: torre_boundary_parse */
    int64_t absorbing_width; /* cells of each absorbing layer */
    /* time */
    int64_t steps;
    torre_time_step_wish time;
    /* sources and start */
    const char
        *source; /* points (point_list.h), "none", or NULL: one near the middle, or none where
                           there is an initial field */
    const char *wavelet;   /* "ricker", or a file with a value a step (wavelet.h) */
    double frequency;      /* Hz, of the Ricker wavelet; 0: ten cells per wavelength */
    double amplitude;      /* factor on all sources */
    const char *initial;   /* FILE.npy[,PREVIOUS.npy]: u[0] and u[-1], at rest without the second;
                             "noise"; NULL: zero */
    int64_t seed;          /* of noise */
    const char *receivers; /* points, or NULL */
    /* how to compute */
    const char *backend; /* "auto", "cpu", "cuda" */
    int64_t device;      /* number of the GPU */
    torre_engine engine;
    int64_t dts, tower_height, threads; /* 0: choose */
    const char *ordering;               /* of the tiles, as torre_ordering_parse reads it */
    /* results */
    const char *traces, *field;  /* files, or NULL */
    int64_t field_every;         /* steps between frames of the field; 0: that of the end alone */
    int64_t snapshot_every;      /* steps; 0: no snapshots, -1: one at the end */
    const char *snapshot_format; /* of a sink that takes planes (io/sink.h): "png", "npy" */
    const char *snapshot_plane;  /* "xy", "xz", "yz", "xz@INDEX" */
    double snapshot_scale;       /* pictures: field value in full colour; 0: choose */
    const char *output;          /* directory of the snapshots */
} torre_wave_spec;

/* What `wave` does without options. */
extern const torre_wave_spec torre_wave_spec_default;

/* A problem with everything it points to. Zero before the first use. */
typedef struct torre_wave_input {
    torre_wave_problem problem;
    torre_wave_plan plan;
    torre_time_step time;
    double peak_frequency;        /* Hz; 0 without sources */
    double points_per_wavelength; /* cells, of the slowest wave at the peak frequency; 0: unknown */
    torre_cautions cautions;

    torre_array velocity; /* of a file; data NULL without one */
    torre_npy_map velocity_map;
    torre_point_list sources, receivers;
    double *wavelet;
    char *initial[2]; /* file names of u[0] and u[-1], or NULL */
    bool noise;       /* u[0] is random ... */
    uint64_t seed;

    int plane_axis;      /* of snapshots: the axis across the plane */
    int64_t plane_index; /* cell index on that axis */
} torre_wave_input;

/*
 * Fill *input from all files but those of the initial fields, whose headers are checked. view:
 * leave a velocity file where it is, for looking at models larger than memory. Free the input also
 * after a failure: TORRE_ERR_USAGE, TORRE_ERR_INPUT, TORRE_ERR_RESOURCE.
 */
torre_status torre_wave_input_read(const torre_wave_spec *spec, bool view, torre_wave_input *input);
void torre_wave_input_free(torre_wave_input *input);

/* Whether the run starts from fields that are not zero. */
static inline bool torre_wave_input_has_start(const torre_wave_input *input)
{
    return input->noise || input->initial[0];
}

/* torre_wave_run_start with u[0] and u[-1], which are read or made. TORRE_ERR_INPUT: the files. */
torre_status torre_wave_input_start(const torre_wave_input *input, torre_wave_run *run);

/* Bytes of memory that a run takes, part by part. */
typedef struct torre_wave_memory {
    int64_t solver;      /* fields and tables of the engine */
    int64_t solver_host; /* of these, on the host */
    int64_t velocity, initial, traces, output;
    int64_t host; /* largest sum on the host at any time */
} torre_wave_memory;

/* output: what the results take, beside fields and traces. traces < 0: beyond 64 bits. */
torre_wave_memory torre_wave_memory_count(const torre_wave_input *input, const torre_wave_run *run,
                                          int64_t output);

/* Whether this machine has the memory, beside what was read already; else TORRE_ERR_RESOURCE. */
torre_status torre_wave_memory_check(const torre_wave_input *input, const torre_wave_run *run,
                                     const torre_wave_memory *memory);

/* "801x201" of a plane, "801x40x201" of others. */
void torre_size_text(const int64_t size[3], bool plane, char *buffer, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
