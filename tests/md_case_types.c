#include "md_case_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

static torre_type_pair scaled(const torre_md_problem *p, int a, int b)
{
    torre_type_pair pair = {.pair = p->pair, .cutoff = p->cutoff * (1 - 0.06 * (a + b))};
    const torre_pair_about *about = torre_pair_about_model(p->model);
    const double factor[] = {1 + 0.3 * (a + b), 1 - 0.02 * abs(a - b) - 0.03 * (a < b ? a : b)};
    for (int k = 0; k < 2; k++)
        *(double *)((char *)&pair.pair + about->parameters[k].offset) *= factor[k];
    const torre_pair_lengths lengths = about->lengths(&pair.pair);
    if (lengths.fixed) pair.cutoff = lengths.cutoff;
    return pair;
}

void md_case_add_types(md_case *c, int types, torre_md_types *table)
{
    static const double mass[] = {1, 2.5, 0.4};
    torre_md_particles *p = &c->particles;
    *table = (torre_md_types){.count = types};
    CHECK_OK(torre_md_particles_add_types(p, types));
    for (int64_t i = 0; i < p->count; i++)
        p->type[i] = (uint8_t)(types * torre_random_uniform(11, 3, (uint64_t)i));
    for (int a = 0; a < types; a++) {
        table->mass[a] = p->type_mass[a] = mass[a];
        for (int b = a; b < types; b++) table->between[a][b] = scaled(&c->problem, a, b);
    }
    table->type = p->type;
    torre_md_start_velocities(p, 1.44, 87287);
    c->problem.types = table;
    c->problem.cutoff = torre_md_types_cutoff(table);
}

torre_md_problem md_case_between(const md_case *c, int64_t i, int64_t j)
{
    const torre_md_types *t = c->problem.types;
    return torre_md_problem_between(&c->problem, t ? t->type[i] : 0, t ? t->type[j] : 0);
}
