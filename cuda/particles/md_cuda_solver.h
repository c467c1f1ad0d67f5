/* The cuda backend of the particle solver: its state, shared by md_cuda.c and md_cuda_run.c. */
#ifndef TORRE_MD_CUDA_SOLVER_H
#define TORRE_MD_CUDA_SOLVER_H

#include "cuda/core/cuda_check.h"
#include "md_launch.h"
#include "md_layout.h"
#include "particles/md_program.h"

#define MD_GRAPHS 32

/* A recorded sequence: perhaps a rebuild, then steps. */
typedef struct md_graph {
    bool used;
    bool build, sort;
    int steps;
    int x_now, v_now, id_now; /* buffers in use at its start */
    bool permuted;            /* storage order before it */
    cudaGraphExec_t exec;
} md_graph;

/* State before a rebuild, to come back to when it failed. */
typedef struct md_build_record {
    int64_t step, last_build;
    uint32_t drifts; /* queued before it */
    int x_now, v_now, id_now;
    bool permuted;
} md_build_record;

typedef struct md_cuda_program {
    torre_md_program base;
    const md_kernels *kernels;
    md_limits limits;
    int capability; /* 10 major + minor */
    md_layout_wish wish;
    md_layout layout; /* to begin with */
} md_cuda_program;

typedef struct md_cuda_solver {
    torre_md_solver base;
    const md_cuda_program *program;
    const torre_md_problem *problem; /* of the program, like plan */
    const torre_md_plan *plan;
    const md_kernels *kernels;
    md_layout layout; /* with more room than the program's where particles crowd */
    md_crowding crowding;
    cudaStream_t stream;

    /* Device memory. Positions, velocities and ids are double-buffered. */
    md_tiles tiles; /* perm: the array, whether in use or not */
    void *x[2], *v[2], *f, *x_built;
    int *id[2];
    int list_pages; /* bricks that lists have room for */
    int *bin_count, *key, *slot, *order, *order_id, *order_key;
    void *scan_scratch;
    size_t scan_bytes;
    double *partial, *total; /* total: [2][MD_SUMS], of the step and after its thermostat */
    uint64_t *fixed;
    md_control *control;
    void *pinned; /* host copy of control and total */
    unsigned char pair[MD_PAIR_BYTES];

    int64_t step; /* positions, velocities and forces of this step */
    bool ready;   /* set_particles was called */
    int x_now, v_now, id_now;
    bool permuted;   /* perm is in use */
    bool dissipates; /* the pair model: velocities change buffers with the positions */
    int64_t last_sort, last_build;
    torre_md_sums sums;
    torre_md_counts counts;

    md_build_record *records; /* since the control block was cleared */
    int record_count, record_room;
    uint32_t drifts;

    /* Where displacements are looked at in every step: */
    uint32_t confirmed;  /* drifts that are known to be done */
    int64_t limit;       /* steps that the present lists are for at most */
    int64_t interval[2]; /* that the last lists, and those before them, were good for */
    bool stopped;        /* lists were ever too old before their limit */
    md_control *looked;  /* [2] host: after a segment */
    cudaEvent_t look[2];

    md_graph graphs[MD_GRAPHS];
    int graph_next;

    /* Time: of all advances, and of the sampled segments by phase. */
    double loop_seconds;
    double sampled[3]; /* sort, list, steps: seconds */
    int64_t sampled_builds, sampled_steps, segments, steps_done;
    int timing; /* steps of the segment whose events are still to be read; 0: none */
    cudaEvent_t event[4];
} md_cuda_solver;

/* The functions for mps (mps_cuda.c); solvers of the cuda backend may have either table. */
extern const torre_md_backend torre_mps_cuda;

/* Allocate the tables that depend on the layout, but for lists, and order the bricks; frees older
 * ones and the lists. */
torre_status md_cuda_tables(md_cuda_solver *s);
void md_cuda_tables_free(md_cuda_solver *s);
void md_cuda_graphs_free(md_cuda_solver *s);

/* What other particle methods share. */
/* Choose the device of the plan: limits, capability and name of it. */
torre_status md_cuda_look(md_cuda_program *program);
/* A solver of a program begins with this. */
void md_cuda_begin(const md_cuda_program *program, md_cuda_solver *s);
/* Stream, arrays of particles and tables; release frees what is there, but not s. */
torre_status md_cuda_allocate(md_cuda_solver *s);
void md_cuda_release(md_cuda_solver *s);
/* Particles and ids to x[0], v[0] and id[0], the fourth components 0. */
torre_status md_cuda_upload(md_cuda_solver *s, const double *const position[3],
                            const double *const velocity[3]);
/* An array of 4 reals in storage order to to[component][id], the first 3 or all 4 components; box:
 * wrap into it (NULL: do not). Any of to may be NULL. */
torre_status md_cuda_download(md_cuda_solver *s, const void *from, const double *box,
                              double *const to[], int components);
/* Queue a sort by bin into the other buffers (sort false: only the permutation). half_step: of
 * md_sort_args. */
torre_status md_cuda_queue_sort(md_cuda_solver *s, bool sort, double half_step);
/* Room for the lists, where the plan has any, of that many bricks; frees older ones. */
torre_status md_cuda_lists(md_cuda_solver *s, int pages);
/* Queue the building of lists where the plan has any, of active[count] bricks or (NULL) all. */
torre_status md_cuda_queue_list(md_cuda_solver *s, const int *active, int count);
/* Note in s->crowding how much the device asked for when a table was too small. */
void md_cuda_note_crowding(md_cuda_solver *s, const md_control *control);
/* The tables as kernels take them at present. */
md_tiles md_cuda_tiles(const md_cuda_solver *s);
md_box md_cuda_box(const md_cuda_solver *s);
/* Clear the control block (step: of the last drift; clock: of the positions); read it and the sums,
 * waiting for the device. */
torre_status md_cuda_clear_control(md_cuda_solver *s, int64_t step, int64_t clock);
torre_status md_cuda_read_control(md_cuda_solver *s, md_control *control,
                                  double total[2 * MD_SUMS]);

/* Sort, build lists, compute the forces and sums of the current positions. */
torre_status md_cuda_start(md_cuda_solver *s);
torre_status md_cuda_advance(md_cuda_solver *s, int64_t steps);

/* Text of an instability at the current step; always returns TORRE_ERR_UNSTABLE (or worse). */
torre_status md_cuda_unstable(md_cuda_solver *s, int64_t step);

/* For benchmarks: layouts of solvers planned from now on; NULL: back to the model's choice. */
void md_cuda_wish(const md_layout_wish *wish);

#endif
