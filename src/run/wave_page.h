/* What the page of a run of waves shows beside its report (report/page.h). */
#ifndef TORRE_WAVE_PAGE_H
#define TORRE_WAVE_PAGE_H

#include "report/page.h"
#include "run/wave_output.h"

/* After torre_wave_output_frame: the picture that it has written, NULL if it has not. */
const char *torre_wave_page_picture(const torre_wave_output *output, const torre_wave_run *run);

/* The model of a problem whose velocity varies from low to high, from the side and from above
 * through a point (its first source). */
torre_status torre_wave_page_model(torre_page *page, const torre_wave_problem *problem, double low,
                                   double high, const double through[3]);

/* After torre_wave_output_results: the last picture, sources, receivers, traces. */
torre_status torre_wave_page(torre_page *page, const torre_wave_output *output,
                             const torre_wave_run *run);

#endif
