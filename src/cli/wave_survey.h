/* `wave --survey`: a survey from the command line to its results. */
#ifndef TORRE_WAVE_SURVEY_H
#define TORRE_WAVE_SURVEY_H

#include "cli/wave_settings.h"

/* All of it. start: when the program began (core/timer.h). */
torre_status wave_survey(const wave_settings *settings, const torre_option *table, double start);

#endif
