#include "particles/md_types.h"

#include <math.h>
#include <string.h>

torre_md_problem torre_md_problem_between(const torre_md_problem *p, int a, int b)
{
    torre_md_problem between = *p;
    if (!p->types) return between;
    between.pair = torre_md_between(p->types, a, b)->pair;
    between.cutoff = torre_md_between(p->types, a, b)->cutoff;
    between.types = NULL;
    return between;
}

double torre_md_type_mass(const torre_md_problem *p, int type)
{
    return p->types ? p->types->mass[type] : p->mass;
}

double torre_md_types_cutoff(const torre_md_types *t)
{
    double most = 0;
    for (int a = 0; a < t->count; a++)
        for (int b = a; b < t->count; b++) most = fmax(most, t->between[a][b].cutoff);
    return most;
}

bool torre_md_types_mix(torre_md_types *t, torre_pair_model model, int a, int b)
{
    const torre_type_pair *one = &t->between[a][a], *other = &t->between[b][b];
    torre_type_pair mixed = *one;
    for (const torre_pair_parameter *row = torre_pair_about_model(model)->parameters; row->name;
         row++) {
        if (row->kind == TORRE_PARAMETER_FLAG) continue;
        const double x = *(const double *)((const char *)&one->pair + row->offset);
        const double y = *(const double *)((const char *)&other->pair + row->offset);
        double *to = (double *)((char *)&mixed.pair + row->offset);
        if (strcmp(row->name, "sigma") == 0)
            *to = (x + y) / 2;
        else if (strcmp(row->name, "epsilon") == 0)
            *to = sqrt(x * y);
        else
            return false;
    }
    mixed.cutoff = (one->cutoff + other->cutoff) / 2;
    t->between[a < b ? a : b][a < b ? b : a] = mixed;
    return true;
}

/* What torre_md_problem_check says of a single pair of types. */
static torre_status check_between(const torre_md_problem *p, int a, int b)
{
    torre_md_problem between = torre_md_problem_between(p, a, b);
    between.position[0] = NULL;
    const torre_status status = torre_md_problem_check(&between);
    if (!status) return TORRE_OK;
    return torre_fail(status, "types %d and %d: %s", a + 1, b + 1, torre_error_text());
}

static torre_status check_of_particles(const torre_md_problem *p)
{
    for (int64_t i = 0; i < p->count; i++)
        if (p->types->type[i] >= p->types->count)
            return torre_fail(TORRE_ERR_INPUT, "particle %lld: its type must be 1 to %d (got %d)",
                              (long long)i + 1, p->types->count, p->types->type[i] + 1);
    return TORRE_OK;
}

torre_status torre_md_types_check(const torre_md_problem *p)
{
    const torre_md_types *t = p->types;
    if (t->count < 1 || t->count > TORRE_MD_TYPES)
        return torre_fail(TORRE_ERR_USAGE, "there must be 1 to %d types of particles (got %d)",
                          TORRE_MD_TYPES, t->count);
    if (torre_pair_dissipates(p->model))
        return torre_fail(TORRE_ERR_USAGE, "particles of model %s must be of one type (got %d)",
                          torre_pair_model_name(p->model), t->count);
    for (int a = 0; a < t->count; a++) {
        if (!(t->mass[a] > 0) || isinf(t->mass[a]))
            return torre_fail(TORRE_ERR_USAGE,
                              "the mass of type %d must be a positive number (got %g)", a + 1,
                              t->mass[a]);
        for (int b = a; b < t->count; b++) TORRE_TRY(check_between(p, a, b));
    }
    const double most = torre_md_types_cutoff(t);
    if (fabs(p->cutoff - most) > 1e-8 * most)
        return torre_fail(TORRE_ERR_USAGE,
                          "{cutoff} must be the largest of all types, %.10g (got %.10g)", most,
                          p->cutoff);
    return p->position[0] ? check_of_particles(p) : TORRE_OK;
}
