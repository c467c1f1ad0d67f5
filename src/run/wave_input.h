/* What is made of a specification (torre/wave_spec.h), and the memory that the run takes. */
#ifndef TORRE_WAVE_INPUT_H
#define TORRE_WAVE_INPUT_H

#include "io/npy.h"
#include "io/point_list.h"
#include "torre/wave_spec.h"
#include "wave/caution.h"
#include "wave/time_step.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A problem with everything it points to. Zero before the first use. */
struct torre_wave_input {
    torre_wave_problem problem;
    torre_wave_plan plan;
    torre_time_step time;
    double peak_frequency;        /* Hz; 0 without sources */
    double points_per_wavelength; /* cells, of the slowest wave at the peak frequency; 0: unknown */
    torre_cautions cautions;

    torre_array velocity, density; /* of files; data NULL without one */
    torre_npy_map velocity_map, density_map;
    torre_point_list sources, receivers;
    double *wavelet;
    char *initial[2]; /* file names of u[0] and u[-1], or NULL */
    bool noise;       /* u[0] is random ... */
    uint64_t seed;

    int plane_axis;      /* of snapshots: the axis across the plane; -1: all cells */
    int64_t plane_index; /* cell index on that axis */
};

/* Read what an option says of a snapshot: "xz", through the first source, "xz@12", "volume". */
torre_status torre_wave_part_read(const char *option, const char *text,
                                  const torre_wave_problem *problem, int *axis, int64_t *index);

/*
 * Fill *input from all files but those of the initial fields, whose headers are checked. view:
 * leave files of the medium where they are, for looking at models larger than memory. Clear the
 * input also after a failure: TORRE_ERR_USAGE, TORRE_ERR_INPUT, TORRE_ERR_RESOURCE.
 */
torre_status torre_wave_input_read(const torre_wave_spec *spec, bool view, torre_wave_input *input);
void torre_wave_input_clear(torre_wave_input *input);

/* Whether the run starts from fields that are not zero. */
static inline bool torre_wave_input_has_start(const torre_wave_input *input)
{
    return input->noise || input->initial[0];
}

/* Bytes of memory that a run takes, part by part. */
typedef struct torre_wave_memory {
    int64_t solver;      /* fields and tables of the engine */
    int64_t solver_host; /* of these, on the host */
    int64_t planes;      /* of fields that stream through a GPU from memory of the host */
    int64_t velocity, density, initial, traces, output;
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
