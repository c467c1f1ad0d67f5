/* What the page of a run of waves shows beside its report (report/page.h). */
#ifndef TORRE_WAVE_PAGE_H
#define TORRE_WAVE_PAGE_H

#include "report/page.h"
#include "run/wave_output.h"

/* After torre_wave_output_frame: the picture that it has written, NULL if it has not. */
const char *torre_wave_page_picture(const torre_wave_output *output, const torre_wave_run *run);

/* After torre_wave_output_results: the last picture, sources, receivers, traces. */
torre_status torre_wave_page(torre_page *page, const torre_wave_output *output,
                             const torre_wave_run *run);

#endif
