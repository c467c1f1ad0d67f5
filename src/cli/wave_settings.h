/* What the command line of `wave` says. */
#ifndef TORRE_WAVE_SETTINGS_H
#define TORRE_WAVE_SETTINGS_H

#include "cli/checkpoint_options.h"
#include "cli/program.h"
#include "survey/survey.h"

typedef struct wave_settings {
    torre_wave_spec run;
    /* indices of their names; wave_settings_parse fills in those of run */
    int precision, engine, snapshot_format, picture_style, time_dispersion, interpolation;
    char snapshot[4096]; /* names, one after the other */
    int absorbing;
    torre_survey_wish survey; /* path NULL: a single shot */
    double aperture[3];
    torre_checkpoint_options checkpoint;
    const char *json, *inspect, *memory, *movie;
    bool dry_run, quiet, help, version;
} wave_settings;

enum { WAVE_OPTIONS = 80 };

/*
 * Parse the command line into *settings by a table of options, which is filled in
 * (table[WAVE_OPTIONS]). *done: it was --help or --version.
 */
torre_status wave_settings_parse(wave_settings *settings, torre_option *table, int argc,
                                 char **argv, bool *done);

/* Options that nothing in the run would look at: TORRE_ERR_USAGE. */
torre_status wave_settings_check(const wave_settings *settings, const torre_option *table,
                                 const torre_wave_problem *problem);

/*
 * Options that mean nothing to what was chosen. Of towers to another engine: a caution. --threads
 * with cuda: see torre_program_idle.
 */
torre_status wave_settings_check_choice(const wave_settings *settings, const torre_option *table,
                                        const torre_wave_run *run, torre_cautions *cautions);

#endif
