/*
 * The cpu solver: sorted storage, bins and neighbour lists of md_store.h, whatever is computed with
 * them. What that is, a method says: cpu_pairs.c for the pair models, cpu_grains.c for
 * rough grains, cpu_mps.c for the moving-particle method.
 */
#ifndef TORRE_CPU_SOLVER_H
#define TORRE_CPU_SOLVER_H

#include "core/ranks.h"
#include "core/timer.h"
#include "particles/cpu/sort_tuning.h"
#include "particles/md_program.h"
#include "particles/md_store.h"

typedef struct torre_cpu_method torre_cpu_method;

typedef struct torre_cpu_program {
    torre_md_program base;
    const torre_ranks *ranks; /* that share the particles (cpu_share.h); NULL: one process */
    bool threads_said;        /* by the wish */
    const torre_cpu_method *method;
    const torre_md_state_loops *state;
} torre_cpu_program;

typedef struct torre_cpu_solver {
    torre_md_solver base;
    const torre_cpu_method *method;
    void *own; /* of the method */
    const torre_md_problem *problem;
    const torre_md_plan *plan; /* of the program */
    torre_md_store store;      /* store.step: of positions, velocities and forces */
    torre_bins bins;
    torre_md_lists lists;
    struct torre_cpu_tails *tails; /* NULL: there are none */
    const torre_md_state_loops *state;
    int64_t built_at, sorted_at;
    torre_sort_tuning tuning; /* of TORRE_MD_MEASURED */
    double sort_s;            /* of this step */
    double built_box[3];      /* edges of the box at built_at, which `hold` is in */
    torre_md_times times;
    torre_md_counts counts;
} torre_cpu_solver;

/* A number of the state type, of a place in an array. */
static inline double torre_cpu_number(const torre_cpu_solver *s, const void *numbers, int64_t at)
{
    return s->state->state_size == 4 ? (double)((const float *)numbers)[at]
                                     : ((const double *)numbers)[at];
}

/* An array with as many bytes for each particle, no more than a quad, by place or by id. */
typedef struct torre_cpu_column {
    void **array;
    int64_t each;
    bool by_id;
} torre_cpu_column;

enum { TORRE_CPU_COLUMNS = 4 };

struct torre_cpu_method {
    /* Fill in the choices of the plan that are not the same for all methods, and refuse what it
     * cannot do. */
    torre_status (*plan)(torre_md_program *program);
    /* TORRE_ERR_RESOURCE where these bytes, info->memory_bytes, are not to be had. */
    torre_status (*check_memory)(const torre_md_problem *problem, const torre_md_info *info);
    /* Mean length of the lists, and bytes that allocate takes for arrays of particles. */
    double (*neighbors)(const torre_md_problem *problem, const torre_md_plan *plan);
    int64_t (*bytes)(const torre_md_problem *problem, const torre_md_plan *plan, int state_size);
    torre_status (*allocate)(torre_cpu_solver *solver); /* own */
    void (*release)(torre_cpu_solver *solver);
    /* What a step begins with, of step 0, once lists are made. */
    torre_status (*begin)(torre_cpu_solver *solver);
    /* store.step - 1 -> store.step */
    torre_status (*step)(torre_cpu_solver *solver);
    /* What steps leave to do before somebody looks at the particles; NULL: nothing. */
    void (*finish)(torre_cpu_solver *solver);
    /* As in torre_md_backend; NULL where the method has none. */
    torre_status (*sums)(torre_md_solver *solver, torre_md_sums *sums);
    torre_status (*get_fields)(torre_md_solver *solver, const torre_md_fields *fields);
    torre_status (*get_spins)(torre_md_solver *solver, double *const spin[3]);
    /* Of own, as in torre_md_backend; NULL where the method has none. */
    torre_status (*state)(torre_cpu_solver *solver, torre_md_visit *visit, void *context);
    /* Particles that have lists: ids below below[0] for all sweeps of a step, others below below[1]
     * for some. Ranks wait for each other after each sweep, and share the first evenly.
     * NULL: all have lists for all. */
    void (*listed)(const torre_cpu_solver *solver, int32_t below[2]);
    /* Whether ranks take some of the last particles of each other (cpu_tails.h). */
    bool takes_tails;
    /* What own has of particles that goes along where ranks (cpu_share.h) hand them on, or, of
     * ghosts, what each step needs of it; returns how many columns. NULL: nothing. */
    int (*columns)(torre_cpu_solver *solver, bool ghosts, torre_cpu_column column[]);
};

extern const torre_cpu_method torre_cpu_pairs, torre_cpu_grains, torre_cpu_mps;

static inline void torre_cpu_listed(const torre_cpu_solver *s, int32_t below[2])
{
    below[0] = below[1] = INT32_MAX;
    if (s->method->listed) s->method->listed(s, below);
}

/* When bins and lists are made again. */
typedef struct torre_cpu_rebuild {
    double moved;      /* largest square of a distance from `hold`; below 0: look for it */
    double limit;      /* rebuild when that distance is larger */
    double time, most; /* of torre_md_store_bin */
    bool told;         /* of ranks: `moved` is that of all, and ghosts are where they are now */
} torre_cpu_rebuild;

/* Wrap, bin, sort and make the lists, where the plan says that they are due. */
torre_status torre_cpu_rebuild_when_due(torre_cpu_solver *solver, const torre_cpu_rebuild *rebuild);

/* An array of a state, of `each` bytes a particle, and as many of the far one if `far`. */
torre_status torre_cpu_visit_array(torre_cpu_solver *solver, torre_md_visit *visit, void *context,
                                   const char *name, void *array, int64_t each, bool far);

/* Something of a state that is the same of all ranks, as `visit` of torre_md_backend. */
torre_status torre_cpu_visit(torre_cpu_solver *solver, torre_md_visit *visit, void *context,
                             const char *name, void *data, int64_t bytes);

/* Seconds since *since, which becomes now. */
static inline double torre_cpu_lap(double *since)
{
    double now = torre_time_now(), spent = now - *since;
    *since = now;
    return spent;
}

#endif
