/* --report FILE.html: the page of a run (report/page.h), which program.h opens and completes. */
#ifndef TORRE_PAGE_OPTION_H
#define TORRE_PAGE_OPTION_H

#include "core/options.h"

/* Its variable; NULL where it is not given. */
extern const char *page_option;

/* Row of the option table; more: what of the run is shown. */
#define PAGE_ROW(more)                                                                             \
    OPTION_TEXT("report", &page_option, "FILE.html", "",                                           \
                "the run on a page for a browser, one file that needs no network: numbers, time, " \
                "the command to repeat it, " more)

#endif
