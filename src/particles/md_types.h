/*
 * Particles of several types: a mass for each, and for each pair of types the parameters of the
 * pair model and a cutoff.
 *
 * Solvers keep forces and velocities as those of particles of one mass m, that of the problem:
 *
 *     m dv_i/dt = (m / m_i) F_i,
 *
 * so that forces are multiplied by m / m_i, and all that integrates knows no types.
 */
#ifndef TORRE_MD_TYPES_H
#define TORRE_MD_TYPES_H

#include "particles/md.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_MD_TYPES = 8 }; /* at most */

/* How two types interact. */
typedef struct torre_type_pair {
    torre_pair_parameters pair; /* of the model */
    double cutoff;              /* > 0 */
} torre_type_pair;

typedef struct torre_md_types {
    int count;                                               /* 1 to TORRE_MD_TYPES */
    const uint8_t *type;                                     /* [id], 0 to count - 1 */
    double mass[TORRE_MD_TYPES];                             /* of a particle of each, > 0 */
    torre_type_pair between[TORRE_MD_TYPES][TORRE_MD_TYPES]; /* [a][b], a <= b */
} torre_md_types;

static inline const torre_type_pair *torre_md_between(const torre_md_types *types, int a, int b)
{
    return a < b ? &types->between[a][b] : &types->between[b][a];
}

/* The problem of particles that interact as these two types do. */
torre_md_problem torre_md_problem_between(const torre_md_problem *problem, int a, int b);

/* Mass of a type, of particle id; with one type that of the problem. */
double torre_md_type_mass(const torre_md_problem *problem, int type);
static inline double torre_md_mass(const torre_md_problem *p, int64_t id)
{
    return p->types ? p->types->mass[p->types->type[id]] : p->mass;
}

/* The largest cutoff. */
double torre_md_types_cutoff(const torre_md_types *types);

/*
 * Lorentz and Berthelot: between[a][b] of those of a and of b with themselves, sigma and cutoff
 * their means, epsilon the root of their product. False for models with other parameters.
 */
bool torre_md_types_mix(torre_md_types *types, torre_pair_model model, int a, int b);

/* Refuse by name what the definition does not allow; looks at the types of particles where there
 * are positions. Called by torre_md_problem_check. */
torre_status torre_md_types_check(const torre_md_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
