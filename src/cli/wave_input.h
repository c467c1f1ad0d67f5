/* From settings to a problem: reads all files but the initial fields, chooses the time step. */
#ifndef TORRE_WAVE_INPUT_H
#define TORRE_WAVE_INPUT_H

#include "cli/wave_settings.h"
#include "io/npy.h"
#include "io/point_list.h"
#include "wave/problem.h"

enum { WAVE_WARNINGS = 16 };

/* A problem with everything it points to. */
typedef struct wave_input {
    torre_wave_problem problem;
    torre_wave_plan plan;
    torre_array velocity; /* data NULL in a constant medium */
    torre_npy_map velocity_map;
    torre_point_list sources, receivers;
    double *wavelet;
    char *initial[2];    /* file names of u[0] and u[-1], or NULL */
    bool noise;          /* u[0] is random */
    bool tuned;          /* dts and tower height are what roofline --tune recommends */
    int plane_axis;      /* of snapshots: the axis across the plane */
    int64_t plane_index; /* cell index on that axis */

    double velocity_min, velocity_max;
    double courant, courant_limit, dt_limit;
    double peak_frequency;        /* Hz; 0 without sources */
    double points_per_wavelength; /* cells, of the slowest wave at the peak frequency; 0: unknown */
    char warning[WAVE_WARNINGS][240]; /* one line each */
    int warnings;
} wave_input;

/*
 * Fill *input (zeroed by the caller). TORRE_ERR_USAGE and TORRE_ERR_INPUT name option or file.
 * whole_microseconds: round an automatic time step down, for formats that keep it so.
 */
torre_status wave_input_read(const wave_settings *settings, const torre_option *table,
                             bool whole_microseconds, wave_input *input);

/* "801x201" of a plane, "801x40x201" of others. */
void wave_size_text(const int64_t size[3], bool plane, char *buffer, size_t bytes);

/*
 * Options that mean nothing to what was chosen. Of towers to another engine: a warning. --threads
 * with cuda: see torre_program_idle.
 */
torre_status wave_input_check_choice(const wave_settings *settings, const torre_option *table,
                                     const char *backend, torre_engine engine, wave_input *input);

/* A file of recommendations (roofline --tune) that cannot be taken as it is: a warning. */
void wave_input_check_tune(wave_input *input);

/*
 * Read or make u[0] and u[-1] (dense, of the problem's precision, free both): NULL for a zero one.
 */
torre_status wave_input_initial(const wave_settings *settings, const wave_input *input, void **now,
                                void **previous);

/* Host bytes that wave_input_initial allocates at most. */
int64_t wave_input_initial_bytes(const wave_input *input);

void wave_input_free(wave_input *input);

#endif
