/* Parameters of the moving-particle method (mps.h), the member mps of torre_md_problem. */
#ifndef TORRE_MPS_PARAMETERS_H
#define TORRE_MPS_PARAMETERS_H

#include <stdint.h>

typedef struct torre_mps_parameters {
    int64_t fluid, wall; /* particles of the first two kinds; all others are dummies */
    double spacing;      /* l0 of the initial lattice, > 0 */
    double density;      /* rho, > 0 */
    double viscosity;    /* nu, kinematic, >= 0 */
    double gravity;      /* g along -y, >= 0 */
    double sound_speed;  /* c, > 0 */
    double surface;      /* of the free-surface criterion, 0 < beta <= 1 */
    /* Of a gate: particles gate .. gate + gate_count - 1, the last of the walls and the first of
     * the dummies, are lifted from gate_opens on. */
    int64_t gate, gate_count; /* 0: there is none */
    double gate_opens;        /* s, >= 0 */
    double gate_speed;        /* m/s, >= 0, below c; 0: lifted at once */
    double gate_lift;         /* how far, m, >= 0 */
} torre_mps_parameters;

#endif
