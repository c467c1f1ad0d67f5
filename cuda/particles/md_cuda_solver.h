/*
 * The cuda backend of particles: sorted storage, tiles and neighbour lists of md_device.h, whatever
 * is computed with them. What that is, a method says: cuda_pairs.c for the pair models, cuda_mps.c
 * for the moving-particle method.
 */
#ifndef TORRE_MD_CUDA_SOLVER_H
#define TORRE_MD_CUDA_SOLVER_H

#include "cuda/core/cuda_check.h"
#include "md_launch.h"
#include "md_layout.h"
#include "particles/md_program.h"

typedef struct md_cuda_method md_cuda_method;
typedef struct md_share md_share;

typedef struct md_cuda_program {
    torre_md_program base;
    const md_cuda_method *method;
    const md_kernels *kernels;
    md_limits limits;
    int capability; /* 10 major + minor */
    md_layout_wish wish;
    int64_t filling;  /* particles that the layout is for: more than there are where most of the box
                         is empty */
    md_layout layout; /* to begin with */
    int list_pages;   /* bricks that lists have room for, to begin with */
    const torre_ranks *ranks; /* whose devices share the particles (md_share.h); NULL: one device */
    torre_rank_path *const
        *path;      /* [ranks] to each of the others, NULL: through the host; or NULL */
    int64_t places; /* that arrays of particles have room for, to begin with */
} md_cuda_program;

typedef struct md_cuda_solver {
    torre_md_solver base;
    const md_cuda_program *program;
    void *own;                       /* of the method */
    const torre_md_problem *problem; /* of the program, like plan and kernels */
    const torre_md_plan *plan;
    const md_kernels *kernels;
    md_layout layout; /* with more room than the program's where particles crowd */
    md_crowding crowding;
    cudaStream_t stream;
    md_share *share; /* NULL: one device */

    /* Device memory (md_cuda_memory.c). Positions, velocities and ids are double-buffered. */
    md_tiles tiles; /* perm: the array, whether in use or not */
    void *x[2], *v[2], *f, *x_built;
    int *id[2];
    int list_pages; /* bricks that lists have room for */
    int *active;    /* bricks that hold particles, of sparse methods; how many */
    uint32_t *held;
    int *bin_count, *key, *slot, *order, *order_id, *order_key;
    void *scan_scratch;
    size_t scan_bytes;
    double *partial, *total; /* total: [2][MD_SUMS], of the step and after its thermostat */
    uint64_t *fixed;
    /* of rough grains (md_grain_args); spin goes with v */
    void *spin[2], *twist, *contact, *spring;
    md_bath_state *bath; /* of a thermostat */
    md_live *live;       /* of a barostat; NULL: the box stays */
    torre_fire *fire;    /* of a minimisation */
    md_control *control;
    void *pinned; /* host copy of control and total */

    int64_t places; /* that arrays have room for */
    int64_t count;  /* particles that are here; of several devices those of others around, too; */
    int64_t first_own, own_count; /* places of the device's own, all of one device */
    int64_t received;             /* behind these, of other devices, for the next sort */
    int64_t step;                 /* positions, velocities and forces of this step */
    double box[3];                /* edges at that step; without a barostat those of the problem */
    double room[3];               /* the box that the layout is of; with a barostat a smaller one */
    bool ready;                   /* set_particles was called */
    int x_now, v_now, id_now;
    bool permuted;    /* perm is in use */
    int active_count; /* of active */
    int64_t last_sort, last_build;
    torre_md_counts counts;
    double loop_seconds; /* of all advances */
    int64_t steps_done;
} md_cuda_solver;

struct md_cuda_method {
    /* Lists are made of the bricks that hold particles alone: few of them do. */
    bool sparse;
    /* Device memory that allocate takes, bytes. */
    int64_t own_bytes;
    /* Fill in the choices of the plan that are not the same for all methods, and wish and filling
     * of the program; refuse what it cannot do. */
    torre_status (*plan)(md_cuda_program *program);
    torre_status (*allocate)(md_cuda_solver *solver); /* own */
    void (*release)(md_cuda_solver *solver);
    /* What comes before step 1, with the particles in x[0] and v[0]: bins, lists, forces. */
    torre_status (*begin)(md_cuda_solver *solver);
    /* steps >= 1 */
    torre_status (*advance)(md_cuda_solver *solver, int64_t steps);
    /* What of torre_md_backend's state and resume is the method's own. */
    torre_status (*state)(md_cuda_solver *solver, torre_md_visit *visit, void *context);
    torre_status (*resume)(md_cuda_solver *solver);
    /* As in torre_md_backend; NULL where the method has none. */
    torre_status (*sums)(md_cuda_solver *solver, torre_md_sums *sums);
    torre_status (*get_fields)(md_cuda_solver *solver, const torre_md_fields *fields);
    torre_status (*row)(md_cuda_solver *solver, const struct torre_mps_measure *measure,
                        struct torre_mps_row *row);
    torre_status (*near)(md_cuda_solver *solver, const struct torre_mps_region *regions, int count,
                         struct torre_mps_near *near);
    void (*times)(const md_cuda_solver *solver, torre_md_times *times);
};

extern const md_cuda_method md_cuda_pairs, md_cuda_mps;
extern const torre_md_backend torre_md_cuda;

/* For benchmarks: layouts of solvers planned from now on; NULL: back to the model's choice. */
void md_cuda_wish(const md_layout_wish *wish);

/* The box that a layout is to be of where the box is that; and the layout of a program for
 * particles as crowded as that. */
void md_cuda_room(const torre_md_problem *problem, const double box[3], double room[3]);
torre_status md_cuda_layout(const md_cuda_program *program, const md_crowding *crowding,
                            const double room[3], md_layout *layout);

/* md_cuda_memory.c */
/* Bytes of device memory that a solver takes when it is made. */
torre_status md_cuda_bytes(const md_cuda_program *program, int64_t *bytes);
/* Of a rough grain: keys of its contacts, and what these remember. */
int64_t md_cuda_keys(const torre_md_problem *problem);
int64_t md_cuda_springs(const torre_md_problem *problem);
/* Take it, and order the bricks. _free gives back what there is. */
torre_status md_cuda_allocate(md_cuda_solver *s);
void md_cuda_free(md_cuda_solver *s);
/* What the device asked for when a table was too small, or bins did not suit the box of a step;
 * then md_cuda_make_room. TORRE_ERR_UNSTABLE: nothing suits that box. */
torre_status md_cuda_enlarge(md_cuda_solver *s, const md_control *control, int64_t step);
/* Tables and lists anew, with room for s->crowding. */
torre_status md_cuda_make_room(md_cuda_solver *s);
/* Rows of the tables for these bricks, of several devices: tables and lists anew. */
torre_status md_cuda_take_bricks(md_cuda_solver *s, int first, int count);
/* Room for so many particles, of which own ones, and those received, stay. */
torre_status md_cuda_grow(md_cuda_solver *s, int64_t places);
/* Room for the lists, where the plan has any, of that many bricks; frees older ones. */
torre_status md_cuda_lists(md_cuda_solver *s, int pages);

/* md_cuda_store.c */
/* Convert some particles at a time. */
#define MD_CHUNK (1 << 20)
/* n of them: [axis][id] of f64 to quads; the fourth number is that of positions of the problem, or
 * 0 where that is NULL. */
void md_cuda_pack(int state_bytes, const double *const from[3], const torre_md_problem *problem,
                  const int *ids, int64_t n, void *to);
/* Particles and ids to x[0], v[0], id[0] and of rough grains spin[0], the fourth components 0. */
torre_status md_cuda_upload(md_cuda_solver *s, const double *const position[3],
                            const double *const velocity[3]);
/* A coordinate in [0, edge). */
double md_cuda_wrapped(double r, double edge);
/* An array of 4 reals in storage order to to[component][id], the first 3 or all 4 components; box:
 * wrap into it (NULL: do not). Any of to may be NULL. */
torre_status md_cuda_download(md_cuda_solver *s, const void *from, const double *box,
                              double *const to[], int components);
/* Whether the grains of a problem spin at its start. */
bool md_cuda_has_spins(const torre_md_problem *problem);
/* Whether the storage is to be sorted in a rebuild at that step. */
bool md_cuda_sort_is_due(const md_cuda_solver *s, int64_t step);
/* The sort by bin from the present buffers into the others. half_step, most: of md_sort_args. */
md_sort_args md_cuda_sort_args(const md_cuda_solver *s, double half_step, double most);
/* What a rebuild does about the box of a barostat, if any, before its sort and behind it. */
torre_status md_cuda_queue_fit(md_cuda_solver *s, bool sorted);
/* Queue the sort (sort false: only the permutation). */
torre_status md_cuda_queue_sort(md_cuda_solver *s, bool sort, double half_step, double most);
/* Queue the building of lists where the plan has any; of sparse methods it waits for the device. */
torre_status md_cuda_queue_list(md_cuda_solver *s);
/* Change to the other buffers: those of before a sort hold what they did. */
void md_cuda_other_buffers(md_cuda_solver *s);
/* The tables as kernels take them at present. */
md_tiles md_cuda_tiles(const md_cuda_solver *s);
md_box md_cuda_box(const md_cuda_solver *s);
/* Clear the control block (step: of the last drift; clock: of the positions); read it, the sums and
 * s->box, waiting for the device. */
torre_status md_cuda_clear_control(md_cuda_solver *s, int64_t step, int64_t clock);
torre_status md_cuda_read_control(md_cuda_solver *s, md_control *control,
                                  double total[2 * MD_SUMS]);
/* The same in two parts, between which the caller waits for the device; total may be NULL. */
torre_status md_cuda_queue_control(md_cuda_solver *s);
void md_cuda_take_control(md_cuda_solver *s, md_control *control, double total[2 * MD_SUMS]);

/* md_cuda_state.c: as in torre_md_backend; and show an array of the device, and take over what the
 * visitor makes of it. */
torre_status md_cuda_visit_array(torre_md_visit *visit, void *context, const char *name,
                                 void *array, size_t bytes);
torre_status md_cuda_state(torre_md_solver *solver, torre_md_visit *visit, void *context);
torre_status md_cuda_resume(torre_md_solver *solver);
/* Edges of the box at the last rebuild. */
torre_status md_cuda_box_built(const md_cuda_solver *s, double built[3]);

#endif
