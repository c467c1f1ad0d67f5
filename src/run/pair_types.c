#include "run/pair_types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "core/random.h"

enum { WORD = 64 };

torre_status torre_type_shares(const torre_type_words *w, double share[TORRE_MD_TYPES], int *types)
{
    *types = 1;
    if (!w->types) return TORRE_OK;
    bool good = torre_parse_reals(w->types, ':', TORRE_MD_TYPES, share, types) && *types > 1;
    for (int t = 0; good && t < *types; t++) good = share[t] > 0;
    if (good) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "{types} must be 2 to %d shares above 0, as 80:20 (got %.60s)",
                      TORRE_MD_TYPES, w->types);
}

/* Particles of type 0 to t, of count. */
static int64_t up_to(const double share[TORRE_MD_TYPES], int types, int t, int64_t count)
{
    double below = 0, all = 0;
    for (int k = 0; k < types; k++) {
        all += share[k];
        if (k <= t) below += share[k];
    }
    return t == types - 1 ? count : (int64_t)rint((double)count * below / all);
}

torre_status torre_type_deal(const double share[TORRE_MD_TYPES], int types, uint64_t seed,
                             torre_md_particles *p)
{
    TORRE_TRY(torre_md_particles_add_types(p, types));
    int64_t i = 0;
    for (int t = 0; t < types; t++)
        for (const int64_t end = up_to(share, types, t, p->count); i < end; i++)
            p->type[i] = (uint8_t)t;
    for (i = p->count - 1; i > 0; i--) { /* Fisher and Yates */
        const double u = torre_random_uniform(seed, TORRE_STREAM_TYPES, (uint64_t)i);
        const int64_t other = (int64_t)(u * (double)(i + 1));
        const uint8_t type = p->type[i];
        p->type[i] = p->type[other];
        p->type[other] = type;
    }
    return TORRE_OK;
}

/* "epsilon, sigma or cutoff" */
static void names_of(torre_pair_model model, char names[128])
{
    names[0] = 0;
    for (const torre_pair_parameter *p = torre_pair_about_model(model)->parameters; p->name; p++) {
        const size_t used = strlen(names);
        if (p->kind != TORRE_PARAMETER_FLAG)
            snprintf(names + used, 128 - used, "%s%s", used ? ", " : "", p->name);
    }
    const size_t used = strlen(names);
    snprintf(names + used, 128 - used, " or cutoff");
}

/* "epsilon=1.5" into a pair. */
static torre_status read_parameter(const char *word, torre_pair_model model, torre_type_pair *pair)
{
    const char *equals = strchr(word, '=');
    const size_t length = equals ? (size_t)(equals - word) : 0;
    const torre_pair_parameter *p = torre_pair_about_model(model)->parameters;
    double value, *to = NULL;
    char names[128];
    for (; length && p->name && !to; p++)
        if (p->kind != TORRE_PARAMETER_FLAG && strlen(p->name) == length &&
            strncmp(p->name, word, length) == 0)
            to = (double *)((char *)&pair->pair + p->offset);
    if (length == 6 && strncmp(word, "cutoff", 6) == 0) to = &pair->cutoff;
    if (to && torre_parse_real(equals + 1, &value)) {
        *to = value;
        return TORRE_OK;
    }
    names_of(model, names);
    return torre_fail(TORRE_ERR_USAGE, "{pairs}: %.40s is not NAME=NUMBER of %s", word, names);
}

/* What is known of each pair of types. */
typedef struct known {
    const torre_md_problem *problem;
    torre_md_types *table;
    bool given[TORRE_MD_TYPES][TORRE_MD_TYPES]; /* [a][b], a <= b */
} known;

/* "1-2": types from 0, in order. */
static bool read_pair(const char *word, int types, int pair[2])
{
    int64_t number[2];
    int count;
    if (!torre_parse_integers(word, '-', 2, number, &count) || count != 2) return false;
    for (int k = 0; k < 2; k++)
        if (number[k] < 1 || number[k] > types) return false;
    const bool turn = number[0] > number[1];
    pair[0] = (int)number[turn] - 1;
    pair[1] = (int)number[!turn] - 1;
    return true;
}

/* An entry of pairs. */
static torre_status read_entry(char *entry, known *k)
{
    int ab[2];
    char *rest, *word = strtok_r(entry, " \t\n", &rest);
    if (!word) return TORRE_OK;
    if (!read_pair(word, k->table->count, ab))
        return torre_fail(
            TORRE_ERR_USAGE,
            "{pairs}: an entry must begin with two types up to %d, as 1-2 (got %.40s)",
            k->table->count, word);
    if (k->given[ab[0]][ab[1]])
        return torre_fail(TORRE_ERR_USAGE, "{pairs}: types %d-%d are there twice", ab[0] + 1,
                          ab[1] + 1);
    torre_type_pair *pair = &k->table->between[ab[0]][ab[1]];
    *pair = (torre_type_pair){k->problem->pair, 0};
    while ((word = strtok_r(NULL, " \t\n", &rest)))
        TORRE_TRY(read_parameter(word, k->problem->model, pair));
    k->given[ab[0]][ab[1]] = true;
    return TORRE_OK;
}

static torre_status read_entries(const char *text, known *k)
{
    char *copy = strdup(text), *rest, *entry;
    if (!copy) return torre_fail(TORRE_ERR_RESOURCE, "no memory for {pairs}");
    torre_status status = TORRE_OK;
    for (entry = strtok_r(copy, ";", &rest); entry && !status; entry = strtok_r(NULL, ";", &rest))
        status = read_entry(entry, k);
    free(copy);
    return status;
}

/* Coefficients of lj/cut. */
static void take_file(const torre_particle_source *source, known *k)
{
    for (int a = 0; a < k->table->count; a++) {
        for (int b = a; b < k->table->count; b++) {
            const torre_particle_coefficients *c = &source->between[a][b];
            if (c->epsilon == 0) continue;
            torre_type_pair *pair = &k->table->between[a][b];
            *pair = (torre_type_pair){k->problem->pair, c->cutoff};
            pair->pair.lj.epsilon = c->epsilon;
            pair->pair.lj.sigma = c->sigma;
            k->given[a][b] = true;
        }
    }
}

/* A cutoff that was not said is what the parameters mean, or that of all. */
static void add_cutoffs(known *k)
{
    const torre_pair_about *about = torre_pair_about_model(k->problem->model);
    for (int a = 0; a < k->table->count; a++) {
        for (int b = a; b < k->table->count; b++) {
            torre_type_pair *pair = &k->table->between[a][b];
            const double meant = about->lengths(&pair->pair).cutoff;
            if (k->given[a][b] && pair->cutoff == 0)
                pair->cutoff = meant > 0 ? meant : k->problem->cutoff;
        }
    }
}

static torre_status complete_pairs(known *k)
{
    const int types = k->table->count;
    add_cutoffs(k);
    for (int a = 0; a < types; a++) {
        for (int b = 0; b <= a; b++) { /* of each with itself before those that are mixed of them */
            const bool own = k->given[a][a] && k->given[b][b];
            if (k->given[b][a] || (own && torre_md_types_mix(k->table, k->problem->model, b, a)))
                continue;
            return torre_fail(TORRE_ERR_USAGE,
                              "coefficients of types %d and %d are missing: {pairs} \"%d-%d "
                              "NAME=NUMBER ...\", entries separated by ;",
                              b + 1, a + 1, b + 1, a + 1);
        }
    }
    return TORRE_OK;
}

static torre_status read_masses(const torre_type_words *w, const double file[TORRE_MD_TYPES],
                                torre_md_types *t)
{
    int count = t->count;
    memcpy(t->mass, file, sizeof t->mass);
    if (w->masses &&
        (!torre_parse_reals(w->masses, ',', TORRE_MD_TYPES, t->mass, &count) || count != t->count))
        return torre_fail(TORRE_ERR_USAGE,
                          "{masses} must be %d numbers above 0, as 1,2 (got %.60s)", t->count,
                          w->masses);
    for (int a = 0; a < t->count; a++) {
        if (t->mass[a] > 0) continue;
        if (t->mass[a] == 0 && !w->masses)
            return torre_fail(TORRE_ERR_INPUT,
                              "type %d has no mass: {masses} M1,M2,... of all %d types", a + 1,
                              t->count);
        return torre_fail(TORRE_ERR_USAGE, "{masses} must be above 0 (got %g of type %d)",
                          t->mass[a], a + 1);
    }
    return TORRE_OK;
}

torre_status torre_type_table(const torre_type_words *w, int count,
                              const torre_particle_source *source,
                              const double mass[TORRE_MD_TYPES], torre_md_problem *p,
                              torre_md_types *t)
{
    known k = {.problem = p, .table = t};
    *t = (torre_md_types){.count = count};
    TORRE_TRY(read_masses(w, mass, t));
    if (source && source->has_pair && w->pairs)
        return torre_fail(TORRE_ERR_USAGE,
                          "{pairs} and coefficients of a file exclude each other; leave these out "
                          "(LAMMPS: write_data FILE nocoeff)");
    if (source && source->has_pair) take_file(source, &k);
    if (w->pairs) TORRE_TRY(read_entries(w->pairs, &k));
    TORRE_TRY(complete_pairs(&k));
    p->types = t;
    p->mass = t->mass[0];
    p->cutoff = torre_md_types_cutoff(t);
    return TORRE_OK;
}
