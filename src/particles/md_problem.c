#include <float.h>
#include <math.h>
#include <string.h>

#include "core/phase.h"
#include "particles/md.h"
#include "particles/md_reference.h"
#include "particles/md_types.h"
#include "particles/mps.h"
#include "tiling/ordering.h"

static const char *const axis_name[3] = {"x", "y", "z"};

static torre_status check_positive(const char *what, double value)
{
    if (value > 0 && isfinite(value)) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "%s must be a positive number (got %g)", what, value);
}

static torre_status check_particle(const torre_md_problem *p, int a, int64_t i)
{
    const double r = p->position[a][i], v = p->velocity[a][i];
    if (!isfinite(r) || r < 0 || r >= p->box[a])
        return torre_fail(TORRE_ERR_INPUT,
                          "particle %lld: %s = %.17g is outside the box [0, %.17g)",
                          (long long)i + 1, axis_name[a], r, p->box[a]);
    if (!isfinite(v))
        return torre_fail(TORRE_ERR_INPUT, "particle %lld: v%s = %g is not finite",
                          (long long)i + 1, axis_name[a], v);
    return TORRE_OK;
}

/* The first that is wrong along the first axis along which one is. */
static torre_status check_particles(const torre_md_problem *p)
{
    for (int a = 0; a < 3; a++) {
        const double *r = p->position[a], *v = p->velocity[a], edge = p->box[a];
        int64_t first = p->count;
#pragma omp parallel for reduction(min : first) if (p->count > 1 << 16)
        for (int64_t i = 0; i < p->count; i++)
            if (!(r[i] >= 0 && r[i] < edge && isfinite(v[i])) && i < first) first = i;
        if (first < p->count) return check_particle(p, a, first);
    }
    return TORRE_OK;
}

static torre_status check_parameters(const torre_md_problem *p)
{
    static const char *const rule[] = {"above 0", "of at least 0", "above 0 and at most 1"};
    for (const torre_pair_parameter *row = torre_pair_about_model(p->model)->parameters; row->name;
         row++) {
        if (row->kind == TORRE_PARAMETER_FLAG) continue;
        const double value = *(const double *)((const char *)&p->pair + row->offset);
        const bool low = row->kind == TORRE_PARAMETER_NOT_NEGATIVE ? value >= 0 : value > 0;
        if (low && value <= (row->kind == TORRE_PARAMETER_SHARE ? 1 : DBL_MAX)) continue;
        return torre_fail(TORRE_ERR_USAGE, "{%s} must be a number %s (got %g)", row->name,
                          rule[row->kind], value);
    }
    return TORRE_OK;
}

static torre_status check_cutoff(const torre_md_problem *p)
{
    TORRE_TRY(check_positive("cutoff", p->cutoff));
    const torre_pair_lengths l = torre_pair_about_model(p->model)->lengths(&p->pair);
    if (!l.fixed || fabs(p->cutoff - l.cutoff) <= 1e-8 * l.cutoff) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "{cutoff} of model %s must be %.10g, which its parameters mean (got %.10g); "
                      "leave it out",
                      torre_pair_model_name(p->model), l.cutoff, p->cutoff);
}

static torre_status check_target(const torre_md_problem *p, double target)
{
    if (isfinite(target) && target > 0) return TORRE_OK;
    if (p->ensemble == TORRE_NOSE_HOOVER || p->ensemble == TORRE_NPT)
        return torre_fail(TORRE_ERR_USAGE,
                          "the temperature of a thermostat must be above 0, with {ensemble} "
                          "%s (got %g)",
                          torre_md_ensembles[p->ensemble], target);
    if (target == 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "the temperature of a thermostat must be at least 0 (got %g)", target);
}

static bool has_thermostat(const torre_md_problem *p)
{
    return p->ensemble != TORRE_NVE && p->ensemble != TORRE_FIRE;
}

static torre_status check_tolerance(const torre_md_problem *p)
{
    if (isfinite(p->force_tolerance) && p->force_tolerance >= 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{force_tolerance} must be at least 0 (got %g)",
                      p->force_tolerance);
}

/* What does not act in each step is slow against that: chains, and the relaxation of berendsen. */
static torre_status check_coupling(const torre_md_problem *p)
{
    const long long every = (long long)p->couple_every;
    const double most = p->damping_time / (10 * p->dt);
    if (every < 0)
        return torre_fail(TORRE_ERR_USAGE, "{couple_every} must be at least 1 (got %lld)", every);
    if (every <= 1) return TORRE_OK;
    if (!torre_md_couples_all(p->ensemble))
        return torre_fail(TORRE_ERR_USAGE,
                          "{ensemble} %s acts on each particle in each step: {couple_every} must "
                          "be 1 (got %lld)",
                          torre_md_ensembles[p->ensemble], every);
    if (p->ensemble == TORRE_BUSSI || (double)every <= most) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "{couple_every} must be at most a tenth of the damping time, %g steps, with "
                      "{ensemble} %s (got %lld)",
                      floor(most), torre_md_ensembles[p->ensemble], every);
}

static torre_status check_barostat(const torre_md_problem *p)
{
    const int64_t every = torre_md_couple_every(p);
    const double least = 10 * (double)every * p->dt;
    if (!isfinite(p->pressure))
        return torre_fail(TORRE_ERR_USAGE, "{pressure} must be a number (got %g)", p->pressure);
    if (p->pressure_steps && !isfinite(p->pressure_to))
        return torre_fail(TORRE_ERR_USAGE, "{final_pressure} must be a number (got %g)",
                          p->pressure_to);
    if (!(p->pressure_damping >= least && p->pressure_damping <= DBL_MAX))
        return torre_fail(TORRE_ERR_USAGE,
                          "{pressure_damping} must be at least ten %s, %g (got %g)",
                          every > 1 ? "couplings" : "time steps", least, p->pressure_damping);
    if ((unsigned)p->pressure_axes > TORRE_PRESSURE_AXES)
        return torre_fail(TORRE_ERR_USAGE, "{pressure_axes} must be isotropic or axes (got %d)",
                          (int)p->pressure_axes);
    return TORRE_OK;
}

static torre_status check_ensemble(const torre_md_problem *p)
{
    if ((unsigned)p->ensemble > TORRE_NPT)
        return torre_fail(TORRE_ERR_USAGE,
                          "{ensemble} must be nve, langevin, berendsen, baoab, bussi, "
                          "nose-hoover, fire or npt (got %d)",
                          (int)p->ensemble);
    if (p->force_tolerance != 0 && p->ensemble != TORRE_FIRE)
        return torre_fail(TORRE_ERR_USAGE, "{force_tolerance} needs {ensemble} fire (got %s)",
                          torre_md_ensembles[p->ensemble]);
    if (!has_thermostat(p) && p->ramp_steps)
        return torre_fail(TORRE_ERR_USAGE, "{final_temperature} needs a thermostat: {ensemble}");
    if (!has_thermostat(p) && p->couple_every)
        return torre_fail(TORRE_ERR_USAGE, "{couple_every} needs a thermostat: {ensemble}");
    if (p->ensemble != TORRE_NPT && p->pressure_steps)
        return torre_fail(TORRE_ERR_USAGE, "{final_pressure} needs {ensemble} npt");
    if (p->ensemble == TORRE_NVE) return TORRE_OK;
    if (torre_pair_dissipates(p->model))
        return torre_fail(TORRE_ERR_USAGE, "model %s has no thermostat%s: {ensemble} must be nve",
                          torre_pair_model_name(p->model),
                          p->ensemble == TORRE_NPT ? " or barostat" : "");
    if (p->ensemble == TORRE_FIRE) return check_tolerance(p);
    TORRE_TRY(check_positive("damping time", p->damping_time));
    TORRE_TRY(check_target(p, p->temperature));
    if (p->ramp_steps) TORRE_TRY(check_target(p, p->ramp_to));
    TORRE_TRY(check_coupling(p));
    return p->ensemble == TORRE_NPT ? check_barostat(p) : TORRE_OK;
}

torre_status torre_md_problem_check(const torre_md_problem *p)
{
    TORRE_PHASE(TORRE_PHASE_CHECK);
    if (p->model == TORRE_MODEL_MPS) return torre_mps_problem_check(p);
    if (p->count < 1)
        return torre_fail(TORRE_ERR_USAGE, "there must be at least one particle (got %lld)",
                          (long long)p->count);
    TORRE_TRY(check_positive("dt", p->dt));
    TORRE_TRY(check_positive("mass", p->mass));
    if ((unsigned)p->model >= TORRE_PAIR_MODELS)
        return torre_fail(TORRE_ERR_USAGE, "unknown pair model %d", (int)p->model);
    if (p->types)
        TORRE_TRY(torre_md_types_check(p));
    else
        TORRE_TRY(check_parameters(p));
    TORRE_TRY(p->types ? check_positive("cutoff", p->cutoff) : check_cutoff(p));
    for (int a = 0; a < 3; a++) {
        TORRE_TRY(check_positive("box edge", p->box[a]));
        if (p->box[a] < 2 * p->cutoff)
            return torre_fail(
                TORRE_ERR_USAGE,
                "the box is %g along %s: less than twice the cutoff %g; use a smaller "
                "{cutoff} or more particles",
                p->box[a], axis_name[a], p->cutoff);
    }
    if (p->dimensions != 0 && p->dimensions != 2 && p->dimensions != 3)
        return torre_fail(TORRE_ERR_USAGE, "there must be 2 or 3 dimensions (got %d)",
                          p->dimensions);
    if ((unsigned)p->precision > TORRE_MD_MIXED)
        return torre_fail(TORRE_ERR_USAGE, "{precision} must be f32, f64 or mixed (got %d)",
                          (int)p->precision);
    TORRE_TRY(check_ensemble(p));
    return p->position[0] ? check_particles(p) : TORRE_OK;
}

torre_status torre_md_plan_check(const torre_md_problem *p, const torre_md_plan *plan)
{
    if (!(plan->skin >= 0) || isinf(plan->skin))
        return torre_fail(TORRE_ERR_USAGE, "{skin} must be a positive number (got %g)", plan->skin);
    double reach = p->cutoff + plan->skin;
    for (int a = 0; a < 3; a++) {
        if (p->box[a] < 2 * reach)
            return torre_fail(TORRE_ERR_USAGE,
                              "cutoff + skin = %g is more than half the box along %s (%g); use a "
                              "smaller {cutoff} or {skin}, or more particles",
                              reach, axis_name[a], p->box[a]);
    }
    if (plan->rebuild_every < 0)
        return torre_fail(TORRE_ERR_USAGE, "{rebuild_every} must be at least 1 (got %lld)",
                          (long long)plan->rebuild_every);
    if (plan->sort_every < TORRE_MD_MEASURED)
        return torre_fail(TORRE_ERR_USAGE, "{sort_every} must be at least 1 (got %lld)",
                          (long long)plan->sort_every);
    const bool chosen = p->model != TORRE_MODEL_MPS; /* every plan of which is deterministic */
    if (plan->sort_every == TORRE_MD_MEASURED && plan->deterministic && chosen)
        return torre_fail(TORRE_ERR_USAGE, "{sort_every} auto and {deterministic} exclude each "
                                           "other: bits would depend on what is measured");
    if (!(plan->bin_size >= 0) || isinf(plan->bin_size))
        return torre_fail(TORRE_ERR_USAGE, "{bin_size} must be a positive number (got %g)",
                          plan->bin_size);
    if ((unsigned)plan->neighbor > TORRE_NEIGHBOR_TILE)
        return torre_fail(TORRE_ERR_USAGE, "{neighbor} must be full, half or tile (got %d)",
                          (int)plan->neighbor);
    if ((unsigned)plan->bin_stencil > TORRE_STENCIL_SPHERICAL)
        return torre_fail(TORRE_ERR_USAGE, "{stencil} must be block or spherical (got %d)",
                          (int)plan->bin_stencil);
    if (plan->threads < 0)
        return torre_fail(TORRE_ERR_USAGE, "{threads} must be at least 0 (got %d)", plan->threads);
    torre_ordering ordering; /* the number of bins is still unknown */
    const char *why;
    if (!torre_ordering_make_spec(&plan->ordering, 3, (const int64_t[]){1, 1, 1}, &ordering, &why))
        return torre_fail(TORRE_ERR_USAGE, "{ordering} %s: %s",
                          torre_ordering_write(&plan->ordering).text, why);
    return TORRE_OK;
}

torre_md_thermo torre_md_thermo_of(const torre_md_problem *p, const double box[3], int64_t step,
                                   const torre_md_sums *s)
{
    double n = (double)p->count, freedom = p->dimensions == 2 ? 2 * n - 2 : 3 * n - 3;
    double volume = 3 * box[0] * box[1] * box[2];
    if (p->dimensions == 2) volume = 2 * box[0] * box[1];
    torre_md_thermo row = {
        .step = step,
        .temperature = freedom > 0 ? 2 * s->kinetic / freedom : 0,
        .pair_energy = s->potential / n,
        .total_energy = (s->potential + s->kinetic + s->rotational) / n,
        .shifted_energy = (s->potential - s->potential_shift + s->kinetic) / n,
        .contacts = s->contacts,
        .lost = s->lost,
        .conserved = (s->potential - s->potential_shift + s->kinetic + s->taken) / n,
        .pressure = (2 * s->kinetic + s->virial) / volume,
        .force = sqrt(s->force_square / n),
    };
    memcpy(row.momentum, s->momentum, sizeof row.momentum);
    memcpy(row.box, box, sizeof row.box);
    return row;
}

#define ABOUT_OF(name) &torre_pair_about_##name,
static const torre_pair_about *const about_model[] = {TORRE_PAIR_LIST(ABOUT_OF)};
const char *const torre_md_ensembles[] = {"nve",         "langevin", "berendsen", "baoab", "bussi",
                                          "nose-hoover", "fire",     "npt",       NULL};
const char *const torre_md_pressure_names[] = {"isotropic", "axes", NULL};
static const char *const neighbor_names[] = {"auto", "full", "half", "tile"};
static const char *const precision_names[] = {"f32", "f64", "mixed"};

static int index_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return i;
    return -1;
}

const torre_pair_about *torre_pair_about_model(torre_pair_model model)
{
    return about_model[model];
}

bool torre_pair_dissipates(torre_pair_model model)
{
    return model == TORRE_MODEL_MPS || about_model[model]->dissipates;
}

const char *torre_pair_model_name(torre_pair_model model)
{
    return model == TORRE_MODEL_MPS ? "mps" : about_model[model]->name;
}

bool torre_pair_model_by_name(const char *name, torre_pair_model *model)
{
    for (int m = 0; m < TORRE_PAIR_MODELS; m++) {
        if (strcmp(name, about_model[m]->name) != 0) continue;
        *model = (torre_pair_model)m;
        return true;
    }
    return false;
}

const char *torre_neighbor_name(torre_neighbor neighbor) { return neighbor_names[neighbor]; }

bool torre_neighbor_by_name(const char *name, torre_neighbor *neighbor)
{
    int i = index_of(name, neighbor_names, 4);
    if (i >= 0) *neighbor = (torre_neighbor)i;
    return i >= 0;
}

const char *torre_md_precision_name(torre_md_precision precision)
{
    return precision_names[precision];
}

bool torre_md_precision_by_name(const char *name, torre_md_precision *precision)
{
    int i = index_of(name, precision_names, 3);
    if (i >= 0) *precision = (torre_md_precision)i;
    return i >= 0;
}
