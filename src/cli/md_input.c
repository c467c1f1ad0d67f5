#include "cli/md_input.h"

#include <math.h>
#include <string.h>

#include "cli/md_granular.h"
#include "particles/pair_lj.h"

/* Two particles nearer than this (in sigma) push each other with more than 10^12: a mistake. */
static const double overlap = 0.1;

/* --cells with one number makes a cube. */
static void cells_of(const md_settings *s, int64_t cells[3])
{
    for (int a = 0; a < 3; a++) cells[a] = s->cells[a] ? s->cells[a] : s->cells[0];
}

static torre_status only_without_input(const torre_option *table)
{
    static const char *const names[] = {"cells", "density"};
    for (int k = 0; k < 2; k++)
        if (torre_options_given(table, names[k]))
            return torre_fail(TORRE_ERR_USAGE, "--%s and --input exclude each other", names[k]);
    return TORRE_OK;
}

static const torre_pair_parameter *parameter_of(int model, const char *name)
{
    const torre_pair_parameter *p = torre_pair_about_model((torre_pair_model)model)->parameters;
    while (p->name && strcmp(p->name, name) != 0) p++;
    return p->name ? p : NULL;
}

/* Parameters of other pair models. */
static torre_status only_its_parameters(const md_settings *s, const torre_option *table)
{
    for (int m = 0; m < TORRE_PAIR_MODELS; m++) {
        const torre_pair_about *about = torre_pair_about_model((torre_pair_model)m);
        for (const torre_pair_parameter *p = about->parameters; p->name; p++) {
            const torre_option *o = md_settings_parameter(table, p->name);
            if (o->given && !parameter_of(s->model, p->name))
                return torre_fail(TORRE_ERR_USAGE, "--%s is for --model %s", o->name, about->name);
        }
    }
    return TORRE_OK;
}

/* Options that mean nothing to the model. */
static torre_status only_of_the_model(const md_settings *s, const torre_option *table)
{
    static const char *const lj[] = {"cells", "density", "cutoff", NULL};
    static const char *const granular[] = {
        "size",      "filling",          "diameter",     "mass",
        "stiffness", "contact",          "restitution",  "gas",
        "walls",     "wall-restitution", "gravity",      "shake-amplitude",
        "profile",   "shake-frequency",  "start-sweeps", NULL};
    for (int model = 0; model < 2; model++) {
        const char *const *names = model ? granular : lj;
        if (model == (s->model == TORRE_PAIR_granular)) continue;
        for (; *names; names++)
            if (torre_options_given(table, *names))
                return torre_fail(TORRE_ERR_USAGE, "--%s is for --model %s", *names,
                                  model ? "granular" : "lj");
    }
    return only_its_parameters(s, table);
}

/* What the file says counts; an option that says something else (to the nine digits of dumps) is a
 * contradiction. */
static torre_status adopt(const md_settings *s, const torre_option *table, const char *option,
                          double said, double *value)
{
    if (said == 0 || fabs(*value - said) <= 1e-8 * fabs(said)) return TORRE_OK;
    if (torre_options_given(table, option))
        return torre_fail(TORRE_ERR_USAGE, "--%s %.10g contradicts %s, which says %.10g", option,
                          *value, s->input, said);
    *value = said;
    return TORRE_OK;
}

static torre_status adopt_all(md_settings *s, const torre_option *table,
                              const torre_particle_source *source)
{
    const bool granular = s->model == TORRE_PAIR_granular;
    const char *units = source->units;
    if (units[0] && strcmp(units, "lj") != 0 && !(granular && strcmp(units, "si") == 0))
        return torre_fail(TORRE_ERR_INPUT, "%s: its units are %s, --model %s takes %s", s->input,
                          units, granular ? "granular" : "lj", granular ? "si (or lj)" : "lj");
    if (granular) {
        if (source->has_pair)
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: coefficients of lj/cut are not for --model granular; leave them "
                              "out (LAMMPS: write_data FILE nocoeff)",
                              s->input);
        TORRE_TRY(adopt(s, table, "mass", source->mass, &s->mass));
        return adopt(s, table, "diameter", source->diameter, &s->diameter);
    }
    TORRE_TRY(adopt(s, table, "epsilon", source->epsilon,
                    md_settings_parameter(table, "epsilon")->value));
    TORRE_TRY(
        adopt(s, table, "sigma", source->sigma, md_settings_parameter(table, "sigma")->value));
    return adopt(s, table, "cutoff", source->cutoff, &s->cutoff);
}

torre_status md_input_read_file(md_settings *s, const torre_option *table, const bool wall[3],
                                md_input *in, bool *has_velocities)
{
    torre_particle_source source;
    torre_particle_wish wish = {.frame = s->frame};
    memcpy(wish.wall, wall, sizeof wish.wall);
    TORRE_TRY(torre_particle_file_read(s->input, &wish, &in->particles, &source));
    TORRE_TRY(adopt_all(s, table, &source));
    memcpy(in->about.origin, source.origin, sizeof source.origin);
    *has_velocities = source.has_velocities;
    return TORRE_OK;
}

static torre_status read_lj_file(md_settings *s, const torre_option *table, md_input *in)
{
    bool has_velocities;
    TORRE_TRY(only_without_input(table));
    TORRE_TRY(md_input_read_file(s, table, (const bool[3]){false}, in, &has_velocities));
    if (has_velocities && torre_options_given(table, "temperature") && s->ensemble == TORRE_NVE)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s gives velocities; leave out --temperature, which would make others",
                          s->input);
    if (!has_velocities)
        torre_md_start_velocities(&in->particles, s->temperature, (uint64_t)s->seed);
    return TORRE_OK;
}

torre_status md_input_read(md_settings *s, const torre_option *table, md_input *in)
{
    TORRE_TRY(only_of_the_model(s, table));
    TORRE_TRY(torre_particle_wishes_check(&s->common.files));
    if (torre_options_given(table, "frame") && !s->input)
        return torre_fail(TORRE_ERR_USAGE, "--frame is for --input");
    in->about.units = "lj";
    if (s->input && s->model != TORRE_PAIR_granular) TORRE_TRY(read_lj_file(s, table, in));
    torre_md_problem *p = &in->problem;
    *p = (torre_md_problem){.model = (torre_pair_model)s->model,
                            .cutoff = s->cutoff,
                            .dt = s->dt,
                            .ensemble = (torre_md_ensemble)s->ensemble,
                            .temperature =
                                s->target_temperature < 0 ? s->temperature : s->target_temperature,
                            .damping_time = s->damping,
                            .seed = (uint64_t)s->seed};
    md_settings_pair(table, p->model, &p->pair);
    s->sigma = *(const double *)md_settings_parameter(table, "sigma")->value;
    TORRE_TRY(particle_plan(&s->common, &in->plan));
    in->plan.neighbor = (torre_neighbor)s->neighbor;
    in->plan.rebuild_check = s->rebuild_check;
    in->plan.bin_size = s->bin_size;
    in->plan.bin_stencil = (torre_bin_stencil)s->stencil;
    in->plan.deterministic = s->deterministic;
    const torre_md_backend *backend;
    TORRE_TRY(torre_md_backend_find(s->common.backend, &in->plan, &backend));
    p->precision = particle_precision(&s->common, backend->name);
    if (s->model == TORRE_PAIR_granular) return md_granular_read(s, table, in);
    if (!s->input) {
        int64_t cells[3];
        cells_of(s, cells);
        return torre_md_start_fcc_size(cells, s->density, &p->count, p->box, &p->mass);
    }
    torre_md_problem_set_particles(p, &in->particles);
    return TORRE_OK;
}

torre_status md_input_particles(const md_settings *s, md_input *in)
{
    if (s->model == TORRE_PAIR_granular) return md_granular_particles(s, in);
    if (!s->input) {
        int64_t cells[3];
        cells_of(s, cells);
        TORRE_TRY(torre_md_start_fcc(cells, s->density, &in->particles));
        torre_md_start_velocities(&in->particles, s->temperature, (uint64_t)s->seed);
        torre_md_problem_set_particles(&in->problem, &in->particles);
    }
    TORRE_TRY(torre_md_problem_check(&in->problem));
    return torre_md_start_check_overlap(&in->particles, overlap * s->sigma);
}

void md_input_free(md_input *in) { torre_md_particles_free(&in->particles); }
