/* Cases of md_case.h with particles of several types. */
#ifndef TORRE_TEST_MD_CASE_TYPES_H
#define TORRE_TEST_MD_CASE_TYPES_H

#include "md_case.h"
#include "particles/md_types.h"

/*
 * Give the particles of a case so many types, at random, in *table, which must outlive the case:
 * masses 1, 2.5, 0.4; the first parameter of the model grows with both types, the second falls, and
 * so does the cutoff where it is free. Velocities are made anew.
 */
void md_case_add_types(md_case *c, int types, torre_md_types *table);

/* The problem of particles that interact as i and j do. */
torre_md_problem md_case_between(const md_case *c, int64_t i, int64_t j);

#endif
