/* What the page of a run of a pair model shows beside its report (report/page.h). */
#ifndef TORRE_PAIR_PAGE_H
#define TORRE_PAIR_PAGE_H

#include "report/page.h"
#include "run/pair_measures.h"

/* Once the measures are finished: g(r), displacements, correlations, viscosity, as far as they were
 * asked for. */
torre_status torre_pair_page(torre_page *page, const torre_pair_measures *measures);

#endif
