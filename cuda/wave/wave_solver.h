/*
 * The solver of the cuda backend.
 *
 * plan: what computes (wave_plan.c), then what that needs (wave_layout.c): a program -> create
 * takes its memory and fills it (wave_solver.c) -> advance: one pass of towers (wave_pass.c) or
 * one step (wave_solver.c) after another. Sources: wave_points.c, receivers: wave_receivers.c.
 * Copies between host and device: wave_rows.c. All of it but those and the interface in
 * wave_solver.c sees the turned problem alone (wave_axes.h).
 */
#ifndef TORRE_CUDA_WAVE_SOLVER_H
#define TORRE_CUDA_WAVE_SOLVER_H

#include "cuda/wave/wave_args.h"
#include "cuda/wave/wave_axes.h"
#include "wave/boundary.h"
#include "wave/program.h"

/* The pieces of device memory that a solver takes when it is made: all there will be. */
enum { TORRE_LISTS = 8 }; /* of towers that a solver of a part keeps; others have two */

typedef enum torre_cuda_piece {
    TORRE_PIECE_FIELDS,                           /* [2] levels */
    TORRE_PIECE_MODEL = TORRE_PIECE_FIELDS + 2,   /* (c dt)^2 of cells */
    TORRE_PIECE_BINDING,                          /* and that times -q, where density varies */
    TORRE_PIECE_DAMPING,                          /* [3] axes */
    TORRE_PIECE_LAYERS = TORRE_PIECE_DAMPING + 3, /* [2] levels of the memory of layers */
    TORRE_PIECE_LAYER_STEPS = TORRE_PIECE_LAYERS + 2,
    TORRE_PIECE_SHELL,                              /* [2] levels of the shell beside towers */
    TORRE_PIECE_SHELL_SUMS = TORRE_PIECE_SHELL + 2, /* torre_sums of it */
    TORRE_PIECE_SHELL_TAPS,
    TORRE_PIECE_SHELL_NUMBERS,
    TORRE_PIECE_NORMS,
    TORRE_PIECE_STAGING, /* rows on their way to and from the host that lie otherwise there */
    TORRE_PIECE_TILES,   /* of one step at a time */
    TORRE_PIECE_TOWERS,  /* [TORRE_LISTS] lists: of full passes, of lower ones; of parts any */
    TORRE_PIECE_PROGRESS = TORRE_PIECE_TOWERS + TORRE_LISTS,
    TORRE_PIECE_MAIL,
    TORRE_PIECE_WEIGHTS, /* of sources */
    TORRE_PIECE_SOURCE_CELLS,
    TORRE_PIECE_POINT_LISTS, /* torre_points_args.first */
    TORRE_PIECE_POINT_NODES,
    TORRE_PIECE_WAVELET, /* [rows] of the current launch */
    TORRE_PIECE_VALUES,  /* real [rows][sources] */
    TORRE_PIECE_SAMPLES, /* real [rows][units][TORRE_UNIT] of towers, see torre_points_args; of a
                            part whose steps slide [rows][nodes] */
    TORRE_PIECE_NODES,   /* int64_t, of those the cells */
    TORRE_PIECE_MARKED,
    TORRE_PIECE_MARKS,
    TORRE_PIECE_PLACE_LISTS, /* torre_points_args.place_first */
    TORRE_PIECE_PLACE_RUNS,
    TORRE_PIECE_SLOTS, /* torre_sums */
    TORRE_PIECE_SUM_TABLE,
    TORRE_PIECE_SUM_TAPS,
    TORRE_PIECE_SUM_SCALES,
    TORRE_PIECE_PART_COUNT, /* torre_part_room */
    TORRE_PIECE_PART_WHICH,
    TORRE_PIECE_PART_VALUES,
    TORRE_PIECE_SUMS,                          /* [2] real [rows][receivers]; launches take turns */
    TORRE_PIECE_PLANES = TORRE_PIECE_SUMS + 2, /* [2] the same of cells of planes */
    TORRE_PIECES = TORRE_PIECE_PLANES + 2
} torre_cuda_piece;

/* How passes of towers are launched. */
typedef struct torre_pass_plan {
    torre_ordering_spec ordering; /* of the towers, with the width of strips */
    int parts;                    /* blocks along z that share a tower */
    int cluster, blocks;          /* of a cluster (1: none); of the launch */
    int groups; /* of `parts` blocks that take towers together; 0: each takes items */
    int beside; /* groups of a second launch on the multiprocessors that clusters leave */
} torre_pass_plan;

/* How towers find sources and receivers: lists, parts along z, blocks along y or strips, blocks
 * along x or lines of a strip; strips, and places of a diamond in one. */
typedef struct torre_point_plan {
    int64_t lists, parts, columns, lines, strips, places;
    int64_t towers_met; /* of strips, that come to sources or receivers; at most */
} torre_point_plan;

/* What the device is told of receivers, by the pieces of its memory; NULL where there is none. */
typedef struct torre_receiver_tables {
    torre_device_sum *sums;
    torre_device_tap *taps;
    double *scales; /* where density varies */
    int *slots, *marked;
    uint32_t *marks;
    int *first;       /* with strips these go to the device instead of marked and marks: */
    void *nodes;      /* torre_strip_node of units, or torre_strip_run */
    int *place_first; /* of many, and these, too; with blocks these alone */
    torre_place_run *place_runs;
    int64_t count;         /* of a part: receivers of the whole that it records, be it in part, */
    int64_t *number;       /* and which */
    torre_tap *plane_taps; /* of the cells of planes (setup.h): [cells][3] */
    /* of the shell: its receivers, whose numbers these are, and taps of all */
    torre_device_sum *shell_sums;
    torre_device_tap *shell_taps;
    int *shell_number;
} torre_receiver_tables;

/* The shell beside towers (wave_shell.c). */
typedef struct torre_shell_plan {
    bool taken;
    int64_t receivers; /* that it records */
    int64_t reach;     /* cells that these need beyond those that towers lack */
} torre_shell_plan;

/* What the environment asks for (TORRE_CUDA_AXES, TORRE_CUDA_STRIP, TORRE_CUDA_CLUSTER,
 * TORRE_CUDA_PLANES, TORRE_CUDA_RARE, see DESIGN.md); "", 0, of rare -1: nothing. */
typedef struct torre_cuda_settings {
    char axes[4];
    int64_t strip, cluster, planes, rare;
} torre_cuda_settings;

/* What the cuda backend decides. */
typedef struct torre_cuda_program {
    torre_wave_program base;
    torre_cuda_settings settings;
    const torre_gpu_data *gpu;
    int multiprocessors;
    const torre_tower_kernel *kernel; /* engine torre; or NULL */
    torre_tower_shape shape;          /* of its blocks */
    const torre_step_kernel
        *stepper; /* engine stepwise, of a shell, of steps that slide; or NULL */
    bool slides;  /* engine torre by those (wave_slide.c), without a kernel */
    /* what follows from that (torre_cuda_lay_out) */
    torre_turned turned; /* the setup as the solver takes it; of a part with pad planes before it */
    int64_t pad;         /* of a part, so that the first is that of a tower (wave_part.c) */
    int64_t room;        /* planes across x that there is memory for */
    torre_wave_args args; /* all but addresses and damping */
    torre_wide_stencil stencil;
    torre_layer_args layers; /* all but addresses */
    torre_shell_plan shell;
    torre_pass_plan pass;   /* engine torre */
    torre_step_launch step; /* engine stepwise, all but addresses */
    int64_t tiles[3];       /* likewise */
    bool cuts_tiles;        /* each launch takes as long ones as suit it (torre_cuda_step_planes) */
    torre_point_plan points;
    torre_receiver_tables receivers;
    size_t bytes[TORRE_PIECES];
} torre_cuda_program;

/* Where a pass of a part puts what it records (use_sums of wave/backend.h). */
typedef struct torre_part_pass {
    torre_part_sums *sums;
    int64_t first;   /* its first step there */
    int64_t steps;   /* 0: none */
    int turn, count; /* which sums are its, and how many records it has */
} torre_part_pass;

typedef struct torre_cuda_solver {
    torre_wave_solver base;
    const torre_cuda_program *program;
    const torre_wave_setup *setup; /* the turned one */
    void *memory[TORRE_PIECES];    /* on the device; NULL where the program has no bytes of it */
    size_t taken[TORRE_PIECES];    /* how much that is: of parts it may be more than they need */
    torre_wave_args args;          /* args.field[1] is u[n], args.field[0] u[n-1] */
    torre_layer_args layers;       /* layers.old is that of u[n] */
    void *shell[2];                /* levels, as those of args */
    int64_t n;
    cudaStream_t stream;
    int turn;             /* of the sums of the current launch */
    int64_t blank_steps;  /* passes of so many leave blank what is; 0: none do */
    cudaStream_t copies;  /* of sums to the host, while the next launch runs */
    cudaEvent_t before;   /* the current launch */
    void *pinned[2];      /* rows on their way (wave_rows.h), each as large as staging */
    cudaEvent_t moved[2]; /* of the last rows of each */
    /* of full passes, and of the last lower one; of parts the last ones */
    torre_tower_launch launch[TORRE_LISTS], beside_launch[TORRE_LISTS];
    int next_launch;            /* that gives way */
    bool in_pass;               /* of a part: some towers have climbed, */
    int64_t stages_done;        /* those of this stage and above */
    torre_part_pass part;       /* of a part: what is recorded of its pass, */
    torre_part_pass kept;       /* and of the one before, if that is still on the device */
    void *records;              /* it, on its way to the host; or NULL */
    int64_t record_bytes;       /* of that */
    cudaStream_t beside;        /* of beside_launch; or NULL */
    torre_cuda_program **again; /* [agains], of parts that it may come back to */
    int64_t agains;
    const char *model;       /* the medium of all planes, in memory of the host; or NULL */
    cudaStream_t lane[2];    /* of planes that leave and come (wave_windows.c), once there are */
    cudaEvent_t left;        /* the last of those that have left */
    cudaEvent_t handed[2];   /* all that went to another solver, each way */
    cudaEvent_t ready, done; /* to launch, before and after it */
    torre_step_launch step;  /* of the stepwise engine */
} torre_cuda_solver;

/*
 * Planes that the kernels compute. Block towers, and from order 4 on those of the stepwise engine
 * with them, go by whole vectors: where nz is no multiple of those, the field, the model, the
 * damping and the sources are continued beyond the last plane by their mirror images (boundary.h).
 * These are computed as other cells are, and stay images up to rounding, since all is symmetric; so
 * no vector is cut by a face. (Not with periodic z faces, where towers need whole vectors.)
 */
static inline int64_t torre_cuda_planes(const torre_cuda_program *program)
{
    const torre_wave_problem *p = &program->turned.problem;
    const int64_t nz = p->size[2], v = 16 / (int64_t)p->precision;
    bool whole = p->order > 2 || (program->kernel && !program->kernel->in_registers);
    return whole && p->face[2][0] != TORRE_PERIODIC ? (nz + v - 1) / v * v : nz;
}

/* What plane z is the image of; sign 1 and z itself for a plane of the grid. */
static inline torre_ghost torre_cuda_image(const torre_wave_problem *p, int64_t z)
{
    return torre_axis_ghost(p, 2, z);
}

/* plan and adapt of the backend: a torre_cuda_program. */
torre_status torre_cuda_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                             torre_wave_program **program);
torre_status torre_cuda_adapt(const torre_wave_program *given, const torre_wave_setup *setup,
                              torre_wave_program **adapted);

/* What follows for the setup from the kernel and the plan that were chosen: tiles, passes,
 * arguments, and how much memory all that takes. */
torre_status torre_cuda_lay_out(torre_cuda_program *program);
/* A launch of the stepwise kernel for planes low .. high - 1 alone. */
void torre_cuda_step_planes(const torre_cuda_program *program, int64_t low, int64_t high,
                            torre_step_launch *step);
/* Device memory of the fields and the model alone, by which axes are chosen, bytes. */
int64_t torre_cuda_field_bytes(const torre_turned *turned);

/* (c dt)^2 */
static inline double torre_cuda_squared_step(const torre_wave_problem *p, double velocity)
{
    return velocity * p->dt * (velocity * p->dt);
}

/* Steps that are launched before samples are fetched: a pass, or so many single ones. */
static inline int64_t torre_cuda_launch_steps(const torre_cuda_program *program)
{
    return program->kernel || program->slides ? program->base.info.plan.tower_height : 64;
}

/* Those of the problem, where it has fewer. */
static inline int64_t torre_cuda_launch_rows(const torre_cuda_program *program)
{
    const int64_t launch = torre_cuda_launch_steps(program), steps = program->turned.problem.steps;
    return launch < steps ? launch : steps;
}

/* Values of the damping of an axis: up to the end of the last vector. */
static inline int64_t torre_cuda_damped(const torre_cuda_program *program, int axis)
{
    return (axis == 0 ? program->room : program->turned.problem.size[axis]) + 3;
}

/* Pieces that the program's tables do not fit in are replaced by larger ones. */
torre_status torre_cuda_make_room(torre_cuda_solver *s);
/* The model, damping and tables of layers, to the device. */
torre_status torre_cuda_send_medium(torre_cuda_solver *s);

/* Copy a whole piece to the device; what: in words, for errors. */
torre_status torre_cuda_fill(torre_cuda_solver *s, torre_cuda_piece piece, const void *from,
                             const char *what);

/* Layers other than sponges (wave_layers.c). Cells at a face that one changes. */
int64_t torre_cuda_layer_cells(const torre_wave_problem *problem);
/* What their memory takes (lay_out), and its tables (create). */
void torre_cuda_layers_plan(torre_cuda_program *program);
torre_status torre_cuda_layers_new(torre_cuda_solver *s);
/* Values of a plane of a level: its rows, and where steps slide what layers remember of it. */
int64_t torre_cuda_plane_values(const torre_cuda_program *program);

torre_status torre_cuda_settings_read(torre_cuda_settings *settings);
/* Refuses planes (0: no wish) that are none of those that blocks of the kernels of the problem's
 * order and precision and of dts can have. */
torre_status torre_cuda_planes_check(int64_t planes, const int *known, int count,
                                     const torre_wave_problem *problem, int dts);

/* Values of u between the start of two lines of z. */
int64_t torre_cuda_pitch(int64_t nz, torre_precision precision);
/* Blocks along z that share a tower. */
int64_t torre_cuda_parts(const torre_tower_shape *shape, int64_t nz, torre_precision precision);

/* Sources and receivers: what they take (lay_out), and filling that in (create). */
torre_status torre_cuda_points_plan(torre_cuda_program *program);
torre_status torre_cuda_points_new(torre_cuda_solver *s);
/* Source values of steps n .. n + steps - 1. */
torre_status torre_cuda_points_prepare(torre_cuda_solver *s, int64_t steps);

/* The same of receivers alone. */
torre_status torre_cuda_receivers_plan(torre_cuda_program *program);
torre_status torre_cuda_receivers_new(torre_cuda_solver *s);
void torre_cuda_receivers_free(torre_receiver_tables *tables);
/* The part that a plane belongs to, and the first plane of a part. */
int64_t torre_cuda_part_of(const torre_cuda_program *program, int64_t z);
int64_t torre_cuda_part_first(const torre_cuda_program *program, int64_t part);
/* A cell of which towers are told, with the weight of a source. */
typedef struct torre_grid_node {
    int64_t x, y, z, part; /* torre_cuda_part_of(z) */
    double weight;
} torre_grid_node;
/* Counts the towers of strips that meet such nodes, in points.towers_met. */
torre_status torre_cuda_count_towers(torre_cuda_program *program, const torre_grid_node *nodes,
                                     int64_t count);
/* Nodes as towers look them up (torre_points_args.first, node): both are the caller's to free,
 * with an error, too. step: from one to the next in a run. */
torre_status torre_cuda_list_nodes(const torre_cuda_program *program, const torre_grid_node *nodes,
                                   int64_t count, int64_t step, int **first, void **to);
size_t torre_cuda_node_bytes(const torre_cuda_program *program, const torre_grid_node *nodes,
                             int64_t count, int64_t step);
/* How many nodes the first run of them has. */
int64_t torre_cuda_run_length(const torre_cuda_program *program, const torre_grid_node *node,
                              int64_t count, int64_t step);
/* What places of diamonds record of units, to the tables of receivers. */
torre_status torre_cuda_list_places(torre_cuda_program *program, const torre_grid_node *units,
                                    int64_t count);
static inline size_t torre_cuda_list_bytes(const torre_cuda_program *program)
{
    return ((size_t)program->points.lists + 1) * sizeof(int);
}
/* Planes that are recorded among so many steps from n on. */
static inline int64_t torre_cuda_frames(const torre_cuda_program *program, int64_t n, int64_t steps)
{
    const int64_t every = program->base.setup->planes.every;
    return program->base.planes ? (n + steps) / every - n / every : 0;
}
/* A launch begins. */
torre_status torre_cuda_receivers_turn(torre_cuda_solver *s);
/* How they are summed: of what is recorded, if anything is. */
torre_sums torre_cuda_sums(const torre_cuda_solver *s);
/* Add up, of a launch, so many steps from `step` on: of the samples of towers from the first, else
 * out of the level that a step has made. */
torre_status torre_cuda_receivers_sum(torre_cuda_solver *s, const void *level, int64_t step,
                                      int64_t steps);
/* What receivers in a span of that level record in a step that slides; of a part their nodes. */
torre_status torre_cuda_receivers_pick(torre_cuda_solver *s, const void *level,
                                       const torre_span *span, int64_t step);
/* What is not recorded of a pass of a part is all ones. */
torre_status torre_cuda_receivers_blank(torre_cuda_solver *s, int64_t steps);
/* Receivers of a part (wave_part_sums.c): which they are (lay_out), and room for those that it has
 * in part. */
torre_status torre_cuda_part_receivers(torre_cuda_program *program);
void torre_cuda_part_room(torre_cuda_program *program);
/* A pass of so many steps is done: it is summed, and comes to the sums of all parts by the time of
 * _settle, which may run beside the next pass. wanted: it fails where there are none. */
torre_status torre_cuda_part_sum(torre_cuda_solver *s, int64_t steps, bool wanted);
torre_status torre_cuda_part_settle(torre_cuda_solver *s);
/* Forget programs of parts that it might come back to (wave_windows.c), but for its own. */
void torre_cuda_forget(torre_cuda_solver *s);
/* Planes of a pass of so many steps from n on, out of the samples of towers; and so many of them
 * to the host, as receivers_collect. */
torre_status torre_cuda_planes_pick(torre_cuda_solver *s, int64_t n, int64_t steps);
torre_status torre_cuda_planes_collect(torre_cuda_solver *s, int ago, int64_t frames, void *to);
/* Copy what receivers record in the last launch (`ago` 0) or in the one before it (1, while the
 * last one runs) to the host. */
torre_status torre_cuda_receivers_collect(torre_cuda_solver *s, int ago, int64_t steps, void *to);

/* Whether register towers, of which so many are at work at a time, go by stages (gpu_data.h). */
bool torre_cuda_by_stages(const torre_gpu_data *gpu, const torre_wave_problem *turned, int64_t dts,
                          int64_t towers);
/* Refuses more towers than can be counted, and orderings that towers cannot have. */
torre_status torre_cuda_pass_check(const torre_wave_problem *turned, const torre_wave_plan *plan,
                                   int64_t parts);
/* Passes: how they are launched and what they take (lay_out). */
void torre_cuda_pass_plan(torre_cuda_program *program);
/* Streams and events of them (create). */
torre_status torre_cuda_pass_new(torre_cuda_solver *s);
/* Stages low .. high - 1 of a pass, in numbers of the whole grid. */
typedef struct torre_stages {
    int64_t low, high;
} torre_stages;
/* Make what a pass of so many steps and all stages will need. */
torre_status torre_cuda_pass_ready(torre_cuda_solver *s, int64_t steps);
/* One pass of steps <= tower height, of those stages. */
torre_status torre_cuda_pass(torre_cuda_solver *s, int64_t steps, torre_stages stages);

/* Steps that slide (wave_slide.c), in place of towers. The choice, of whose plan the engine and the
 * axes are given; refuse parts that cut a layer (lay_out). */
torre_status torre_cuda_plan_slide(torre_cuda_program *program);
torre_status torre_cuda_slide_check(const torre_cuda_program *program);
/* One pass of steps <= tower height, of planes low .. high - 1 of the whole grid as its stages. */
torre_status torre_cuda_slide(torre_cuda_solver *s, int64_t steps, torre_stages stages);
/* The lowest plane of a pass of so many steps that is begun where those from `plane` on are to be:
 * another one where that would cut a layer. */
int64_t torre_cuda_slide_from(const torre_cuda_program *program, int64_t steps, int64_t plane);
/* Whether the program owns the first (side 0) or last plane of the whole grid. */
bool torre_cuda_ends_at(const torre_cuda_program *program, int side);

/* Parts of a problem (wave_part.c). Refuse those that the backend does not compute. */
torre_status torre_cuda_part_check(const torre_wave_setup *setup, const torre_wave_plan *wish);
/* Lay out the planes of a part. */
void torre_cuda_part_plan(torre_cuda_program *program);
/* The first plane of the whole grid along the solver's x that the arrays have: where the pad
 * begins; 0 of what is no part. */
int64_t torre_cuda_first_plane(const torre_cuda_program *program);
/* A plane of a level, and the array of even (0) or odd (1) steps. */
static inline int64_t torre_cuda_plane_bytes(const torre_cuda_solver *s)
{
    return s->args.stride_x * (int64_t)s->setup->problem->precision;
}
static inline char *torre_cuda_array_of(const torre_cuda_solver *s, int array)
{
    return s->args.field[((s->n + array) & 1) == 0];
}
/* Whether it computes a part. */
static inline bool torre_cuda_is_part(const torre_cuda_program *program)
{
    return program->base.setup->region != NULL;
}
/* Receivers that it records. */
static inline int64_t torre_cuda_recorded(const torre_cuda_program *program)
{
    const torre_wave_setup *setup = program->base.setup;
    return setup->region ? program->receivers.count : setup->problem->receiver_count;
}
/* The setup that knows how they are summed. */
static inline const torre_wave_setup *torre_cuda_summed(const torre_cuda_program *program)
{
    return program->base.setup->whole ? program->base.setup->whole : program->base.setup;
}
/* Steps of a part. Its samples are there when the last stages of a pass are done. */
torre_status torre_cuda_part_advance(torre_cuda_solver *s, int64_t steps, torre_stages stages,
                                     void *samples);

/* The levels change places: of some arguments; of the solver. */
static inline void torre_cuda_exchange(void *pair[2])
{
    void *first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
}
static inline void torre_cuda_exchange_args(torre_wave_args *args, torre_layer_args *layers)
{
    torre_cuda_exchange(args->field);
    void *made = layers->made;
    layers->made = (void *)layers->old;
    layers->old = made;
}
static inline void torre_cuda_exchange_levels(torre_cuda_solver *s)
{
    torre_cuda_exchange_args(&s->args, &s->layers);
    torre_cuda_exchange(s->shell);
}
/* What layers and sources add to step `row` of a launch, in these levels; only enqueued. Sources in
 * a span alone; planes of a level that are images of others, of so many across x. */
torre_status torre_cuda_add_sources(torre_cuda_solver *s, const torre_wave_args *args,
                                    const torre_span *span, int64_t row);
torre_status torre_cuda_make_images(torre_cuda_solver *s, void *level, int64_t planes);
torre_status torre_cuda_finish_step(torre_cuda_solver *s, const torre_wave_args *args,
                                    const torre_layer_args *layers, int64_t row);

/* The shell beside towers (wave_shell.c). Whether there can be one beside those of a kernel. */
torre_status torre_cuda_shell_check(const torre_turned *turned, const torre_tower_kernel *kernel);
/* What it takes (lay_out); its tables (create). */
torre_status torre_cuda_shell_plan(torre_cuda_program *program);
torre_status torre_cuda_shell_new(torre_cuda_solver *s);
/* From the field to the shell what passes need; and back what they do not hand over. */
torre_status torre_cuda_shell_load(torre_cuda_solver *s);
torre_status torre_cuda_shell_store(torre_cuda_solver *s);
/* The steps of a pass in the shell, and what its receivers record; then, when the levels have
 * changed places, what it and the field give each other. */
torre_status torre_cuda_shell_steps(torre_cuda_solver *s, int64_t steps);
torre_status torre_cuda_shell_exchange(torre_cuda_solver *s);
/* The images of the planes of a box (along the solver's x) of a level. */
torre_status torre_cuda_continue_box(torre_cuda_solver *s, int level, const torre_box *box);
/* Device memory, zeroed; the failure names bytes needed and free. */
torre_status torre_cuda_allocate(void **memory, size_t bytes);
/* (c dt)^2 of planes `low` to `high` - 1 along x, to the device, and that times -q; damping and its
 * boxes. */
torre_status torre_cuda_upload_model(torre_cuda_solver *s, int64_t low, int64_t high);
torre_status torre_cuda_upload_binding(torre_cuda_solver *s, int64_t low, int64_t high);
torre_status torre_cuda_upload_damping(torre_cuda_solver *s);
/* The tiles of the program's steps. */
torre_status torre_cuda_upload_tiles(torre_cuda_solver *s);

#endif
