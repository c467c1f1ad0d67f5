#include "run/pair_measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const stress_column[] = {"step", "time", "xx", "yy", "zz", "xy", "xz", "yz"};
enum { STRESS_COLUMNS = sizeof stress_column / sizeof stress_column[0] };

int64_t torre_common_steps(int64_t a, int64_t b)
{
    while (a) {
        int64_t rest = b % a;
        b = a;
        a = rest;
    }
    return b;
}

torre_status torre_measure_wishes_check(const torre_measure_wishes *w)
{
    const struct {
        const char *parameter, *file;
    } list[] = {{"rdf", w->rdf},
                {"msd", w->msd},
                {"vacf", w->vacf},
                {"stress", w->stress},
                {"viscosity", w->viscosity}};
    const torre_sink_format *format;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
        if (list[k].file)
            TORRE_TRY(
                torre_sink_choose(list[k].parameter, list[k].file, TORRE_SINK_ROWS, true, &format));
    if ((w->msd || w->vacf) && w->correlation_window < w->correlation_every)
        return torre_fail(TORRE_ERR_USAGE,
                          "{correlation_window} must be at least {correlation_every}, %" PRId64
                          " (got %" PRId64 ")",
                          w->correlation_every, w->correlation_window);
    if (w->viscosity && w->correlation_window < w->stress_every)
        return torre_fail(TORRE_ERR_USAGE,
                          "{correlation_window} must be at least {stress_every}, %" PRId64
                          " (got %" PRId64 ")",
                          w->stress_every, w->correlation_window);
    return TORRE_OK;
}

/* In the unit of rdf_range. */
static double range_unit(const torre_md_problem *p)
{
    return p->model == TORRE_PAIR_granular ? p->cutoff : 1;
}

static torre_status check_rdf(const torre_measure_wishes *w, const torre_md_problem *p)
{
    const double most = torre_rdf_most(p) / range_unit(p);
    if (!torre_md_periodic(p, torre_md_dimensions(p) - 1))
        return torre_fail(TORRE_ERR_USAGE, "{rdf} needs a periodic box: between {walls} there is "
                                           "no homogeneous gas to compare with");
    if (w->rdf_range > most)
        return torre_fail(TORRE_ERR_USAGE,
                          "{rdf_range} must be at most %.6g, half of the box (got %.6g)", most,
                          w->rdf_range);
    return TORRE_OK;
}

torre_status torre_pair_measures_check(const torre_measure_wishes *w, const torre_md_problem *p)
{
    if (w->viscosity && (torre_md_dimensions(p) != 3 || torre_pair_dissipates(p->model)))
        return torre_fail(TORRE_ERR_USAGE, "{viscosity} is for particles in three dimensions that "
                                           "conserve their energy");
    const char *const changed = p->ensemble != TORRE_NPT ? NULL
                                : w->rdf                 ? "rdf"
                                : w->msd                 ? "msd"
                                : w->vacf                ? "vacf"
                                : w->stress              ? "stress"
                                : w->viscosity           ? "viscosity"
                                                         : NULL;
    if (changed)
        return torre_fail(TORRE_ERR_USAGE,
                          "{%s} needs a box that stays: {ensemble} must not be npt", changed);
    return w->rdf ? check_rdf(w, p) : TORRE_OK;
}

static torre_status open_table(const char *path, int columns, const char *const *name, bool log,
                               torre_sink **sink)
{
    const torre_table_layout table = {.columns = columns, .name = name, .digits = 17, .log = log};
    return torre_particle_table_open(path, &table, sink);
}

static torre_status open_rdf(torre_pair_measures *m, int threads)
{
    const torre_measure_wishes *w = m->wishes;
    const torre_md_problem *p = m->problem;
    const double usual = p->model == TORRE_PAIR_granular ? 5 * p->cutoff : 2 * p->cutoff;
    const double range =
        w->rdf_range > 0 ? w->rdf_range * range_unit(p) : fmin(torre_rdf_most(p), usual);
    TORRE_TRY(torre_rdf_make(p, range, w->rdf_shells, threads, &m->rdf));
    return open_table(w->rdf, m->rdf.columns, m->rdf.column, false, &m->rdf_file);
}

static torre_status open_correlation(torre_pair_measures *m, torre_correlation_kind kind,
                                     int threads)
{
    const torre_measure_wishes *w = m->wishes;
    const bool msd = kind == TORRE_CORRELATION_MSD;
    TORRE_TRY(torre_correlation_make(m->problem, kind, w->correlation_window / w->correlation_every,
                                     w->correlation_origins, threads, msd ? &m->msd : &m->vacf));
    const torre_correlation *c = msd ? &m->msd : &m->vacf;
    return open_table(msd ? w->msd : w->vacf, c->columns, c->column, false,
                      msd ? &m->msd_file : &m->vacf_file);
}

torre_status torre_pair_measures_open(const torre_measure_wishes *w, const torre_md_problem *p,
                                      int threads, torre_pair_measures *m)
{
    m->wishes = w;
    m->problem = p;
    if (w->rdf) TORRE_TRY(open_rdf(m, threads));
    if (w->msd) TORRE_TRY(open_correlation(m, TORRE_CORRELATION_MSD, threads));
    if (w->vacf) TORRE_TRY(open_correlation(m, TORRE_CORRELATION_VACF, threads));
    if (w->stress || w->viscosity) TORRE_TRY(torre_stress_make(p, threads, &m->stress));
    if (w->stress)
        TORRE_TRY(open_table(w->stress, STRESS_COLUMNS, stress_column, true, &m->stress_file));
    if (!w->viscosity) return TORRE_OK;
    TORRE_TRY(torre_viscosity_make(w->correlation_window / w->stress_every, &m->viscosity));
    return open_table(w->viscosity, TORRE_VISCOSITY_COLUMNS, torre_viscosity_column, false,
                      &m->viscosity_file);
}

int64_t torre_pair_measures_every(const torre_pair_measures *m)
{
    const torre_measure_wishes *w = m->wishes;
    int64_t every = w->rdf ? w->rdf_every : 0;
    if (w->msd || w->vacf) every = torre_common_steps(every, w->correlation_every);
    if (w->stress || w->viscosity) every = torre_common_steps(every, w->stress_every);
    return every;
}

/* Whether what has a sample every so many steps has one now. */
static bool is_due(const torre_measure_wishes *w, bool wanted, int64_t every, int64_t step)
{
    return wanted && step >= w->from && step % every == 0;
}

bool torre_pair_measures_due(const torre_pair_measures *m, int64_t step)
{
    const torre_measure_wishes *w = m->wishes;
    return is_due(w, w->rdf, w->rdf_every, step) ||
           is_due(w, w->msd || w->vacf, w->correlation_every, step) ||
           is_due(w, w->stress || w->viscosity, w->stress_every, step);
}

static torre_status sample_stress(torre_pair_measures *m, int64_t step,
                                  const torre_md_particles *particles)
{
    double row[STRESS_COLUMNS] = {(double)step, (double)step * m->problem->dt}, temperature;
    torre_stress_sample(&m->stress, particles, row + 2, &temperature);
    if (m->viscosity_file) torre_viscosity_sample(&m->viscosity, row + 2, temperature);
    if (!m->stress_file) return TORRE_OK;
    return torre_sink_frame(m->stress_file, &(torre_frame){.step = step, .row = row});
}

torre_status torre_pair_measures_sample(torre_pair_measures *m, int64_t step,
                                        const torre_md_particles *particles)
{
    const torre_measure_wishes *w = m->wishes;
    if (is_due(w, w->rdf, w->rdf_every, step)) torre_rdf_sample(&m->rdf, particles);
    if (is_due(w, w->msd, w->correlation_every, step))
        TORRE_TRY(torre_correlation_sample(&m->msd, particles, step));
    if (is_due(w, w->vacf, w->correlation_every, step))
        TORRE_TRY(torre_correlation_sample(&m->vacf, particles, step));
    if (is_due(w, w->stress || w->viscosity, w->stress_every, step))
        return sample_stress(m, step, particles);
    return TORRE_OK;
}

static void add_block(torre_particle_extras *x, const char *name, void *data, int64_t bytes)
{
    x->block[x->blocks++] = (struct torre_block){name, data, bytes};
}

static void add_correlation(torre_particle_extras *x, torre_correlation *c,
                            const char *const name[5])
{
    add_block(x, name[0], &c->samples, sizeof c->samples);
    add_block(x, name[1], c->sum, 4 * (c->window + 1) * (int64_t)sizeof *c->sum);
    add_block(x, name[2], c->origin, torre_correlation_bytes(c));
    if (c->followed) add_block(x, name[3], c->followed, torre_correlation_followed_bytes(c));
    if (c->types)
        add_block(x, name[4], c->type_sum, c->types * (c->window + 1) * (int64_t)sizeof(double));
}

void torre_pair_measures_extras(torre_pair_measures *m, torre_particle_extras *x)
{
    static const char *const msd[] = {"msd_samples", "msd_sum", "msd_origins", "msd_now",
                                      "msd_types"};
    static const char *const vacf[] = {"vacf_samples", "vacf_sum", "vacf_origins", NULL,
                                       "vacf_types"};
    const torre_measure_wishes *w = m->wishes;
    const int64_t real = sizeof(double);
    torre_viscosity *v = &m->viscosity;
    if (m->rdf_file) add_block(x, "rdf", m->rdf.pairs, torre_rdf_bytes(&m->rdf));
    if (m->msd_file) add_correlation(x, &m->msd, msd);
    if (m->vacf_file) add_correlation(x, &m->vacf, vacf);
    if (m->stress_file) x->file[x->files++] = (struct torre_growing){"stress", m->stress_file};
    if (m->viscosity_file) {
        add_block(x, "eta_samples", v->state, sizeof v->state);
        add_block(x, "eta_sum", v->sum, (v->window + 1) * real);
        add_block(x, "eta_past", v->past, (v->window + 1) * TORRE_STRESS_ELEMENTS * real);
    }
    if (torre_pair_measures_every(m) == 0) return;
    snprintf(x->measured, sizeof x->measured,
             "from %" PRId64 ", rdf every %" PRId64 " below %.17g, correlations every %" PRId64
             " in %" PRId64 " of %" PRId64 ", stress every %" PRId64,
             w->from, w->rdf ? w->rdf_every : 0, w->rdf ? m->rdf.range : 0,
             w->msd || w->vacf ? w->correlation_every : 0, w->correlation_window,
             w->correlation_origins, w->stress || w->viscosity ? w->stress_every : 0);
}

static double correlation_interval(const torre_pair_measures *m)
{
    return (double)m->wishes->correlation_every * m->problem->dt;
}

static double stress_interval(const torre_pair_measures *m)
{
    return (double)m->wishes->stress_every * m->problem->dt;
}

static torre_status write_rdf(torre_pair_measures *m)
{
    double row[TORRE_RDF_COLUMNS + TORRE_RDF_KINDS];
    for (int64_t k = 0; k < m->rdf.shells; k++) {
        torre_rdf_row(&m->rdf, k, row);
        TORRE_TRY(torre_sink_frame(m->rdf_file, &(torre_frame){.row = row}));
    }
    return TORRE_OK;
}

static torre_status write_correlation(torre_pair_measures *m, const torre_correlation *c,
                                      torre_sink *file)
{
    double row[TORRE_CORRELATION_COLUMNS + TORRE_MD_TYPES];
    for (int64_t k = 0; torre_correlation_row(c, k, correlation_interval(m), row); k++)
        TORRE_TRY(torre_sink_frame(file, &(torre_frame){.row = row}));
    return TORRE_OK;
}

static torre_status write_viscosity(torre_pair_measures *m)
{
    double row[TORRE_VISCOSITY_COLUMNS];
    for (int64_t k = 0; torre_viscosity_row(&m->viscosity, m->problem, k, stress_interval(m), row);
         k++)
        TORRE_TRY(torre_sink_frame(m->viscosity_file, &(torre_frame){.row = row}));
    return TORRE_OK;
}

torre_status torre_pair_measures_finish(torre_pair_measures *m)
{
    if (m->rdf_file) TORRE_TRY(torre_sink_finish(&m->rdf_file, write_rdf(m)));
    if (m->msd_file)
        TORRE_TRY(torre_sink_finish(&m->msd_file, write_correlation(m, &m->msd, m->msd_file)));
    if (m->vacf_file)
        TORRE_TRY(torre_sink_finish(&m->vacf_file, write_correlation(m, &m->vacf, m->vacf_file)));
    if (m->viscosity_file) TORRE_TRY(torre_sink_finish(&m->viscosity_file, write_viscosity(m)));
    return torre_sink_finish(&m->stress_file, TORRE_OK);
}

/* What a file told, where it is a number. */
static void tell(FILE *out, const char *what, const char *file, double value)
{
    if (!file) return;
    if (isfinite(value))
        fprintf(out, "# %s %.5g, %s\n", what, value, file);
    else
        fprintf(out, "# %s in %s\n", what, file);
}

void torre_pair_measures_tell(FILE *out, const torre_pair_measures *m)
{
    const torre_measure_wishes *w = m->wishes;
    tell(out, "g(r)", w->rdf, NAN);
    if (w->msd)
        tell(out, "diffusion by displacements", w->msd,
             torre_correlation_diffusion(&m->msd, correlation_interval(m)));
    if (w->vacf)
        tell(out, "diffusion by velocities", w->vacf,
             torre_correlation_diffusion(&m->vacf, correlation_interval(m)));
    tell(out, "pressure tensor", w->stress, NAN);
    if (w->viscosity)
        tell(out, "viscosity", w->viscosity,
             torre_viscosity_of(&m->viscosity, m->problem, stress_interval(m)));
}

void torre_pair_measures_report(torre_report *r, const torre_pair_measures *m)
{
    const torre_measure_wishes *w = m->wishes;
    if (!w) return;
    if (w->msd)
        torre_report_real(r, "diffusion_msd",
                          torre_correlation_diffusion(&m->msd, correlation_interval(m)));
    if (w->vacf)
        torre_report_real(r, "diffusion_vacf",
                          torre_correlation_diffusion(&m->vacf, correlation_interval(m)));
    if (w->viscosity)
        torre_report_real(r, "viscosity",
                          torre_viscosity_of(&m->viscosity, m->problem, stress_interval(m)));
}

void torre_pair_measures_close(torre_pair_measures *m)
{
    torre_sink *const file[] = {m->rdf_file, m->msd_file, m->vacf_file, m->stress_file,
                                m->viscosity_file};
    for (size_t k = 0; k < sizeof file / sizeof file[0]; k++) torre_sink_discard(file[k]);
    torre_rdf_free(&m->rdf);
    torre_correlation_free(&m->msd);
    torre_correlation_free(&m->vacf);
    torre_stress_free(&m->stress);
    torre_viscosity_free(&m->viscosity);
    memset(m, 0, sizeof *m);
}
