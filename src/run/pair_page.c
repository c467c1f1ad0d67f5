#include "run/pair_page.h"

#include <stdlib.h>

/* Rows of columns, as they come. */
typedef struct row_list {
    int columns;
    int64_t rows, room;
    double *values;
} row_list;

/* Room for a further row; NULL without memory. */
static double *next_row(row_list *list)
{
    if (list->rows == list->room) {
        const int64_t room = list->room ? 2 * list->room : 256;
        double *more = realloc(list->values, (size_t)room * (size_t)list->columns * sizeof *more);
        if (!more) return NULL;
        list->values = more;
        list->room = room;
    }
    return list->values + list->rows * list->columns;
}

/* Row k of what is measured; false after the last. */
typedef bool row_function(const torre_pair_measures *m, int64_t k, double *row);

static bool rdf_row(const torre_pair_measures *m, int64_t k, double *row)
{
    if (k >= m->rdf.shells) return false;
    torre_rdf_row(&m->rdf, k, row);
    return true;
}

static double correlation_interval(const torre_pair_measures *m)
{
    return (double)m->wishes->correlation_every * m->problem->dt;
}

static bool msd_row(const torre_pair_measures *m, int64_t k, double *row)
{
    return torre_correlation_row(&m->msd, k, correlation_interval(m), row);
}

static bool vacf_row(const torre_pair_measures *m, int64_t k, double *row)
{
    return torre_correlation_row(&m->vacf, k, correlation_interval(m), row);
}

static bool viscosity_row(const torre_pair_measures *m, int64_t k, double *row)
{
    const double interval = (double)m->wishes->stress_every * m->problem->dt;
    return torre_viscosity_row(&m->viscosity, m->problem, k, interval, row);
}

/* A table of it on the page. */
static torre_status show(torre_page *page, const torre_pair_measures *m, const char *title,
                         int columns, const char *const *name, row_function *row_of)
{
    row_list list = {.columns = columns};
    torre_status status = TORRE_OK;
    for (bool more = true; more && !status;) {
        double *row = next_row(&list);
        if (!row) status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for the page of the run");
        more = row && row_of(m, list.rows, row);
        list.rows += more;
    }
    if (!status) status = torre_page_table(page, title, columns, name, list.rows, list.values);
    free(list.values);
    return status;
}

torre_status torre_pair_page(torre_page *page, const torre_pair_measures *m)
{
    const torre_measure_wishes *w = m->wishes;
    if (!w) return TORRE_OK;
    if (w->rdf)
        TORRE_TRY(show(page, m, "radial distribution", m->rdf.columns, m->rdf.column, rdf_row));
    if (w->msd)
        TORRE_TRY(
            show(page, m, "mean square displacement", m->msd.columns, m->msd.column, msd_row));
    if (w->vacf)
        TORRE_TRY(
            show(page, m, "velocity autocorrelation", m->vacf.columns, m->vacf.column, vacf_row));
    if (w->viscosity)
        TORRE_TRY(show(page, m, "viscosity", TORRE_VISCOSITY_COLUMNS, torre_viscosity_column,
                       viscosity_row));
    return TORRE_OK;
}
