/*
 * The contract between a run and what computes it.
 *
 * Life of a run:  torre_wave_problem  --torre_wave_setup_new-->  torre_wave_setup (what every
 * engine needs, precomputed)  --backend->plan-->  torre_wave_program (all that was decided)
 * --backend->create-->  torre_wave_solver  --advance-->  fields, samples. torre_wave_run (driver.h)
 * does all of it.
 */
#ifndef TORRE_WAVE_BACKEND_H
#define TORRE_WAVE_BACKEND_H

#include "core/rank_way.h"
#include "tiling/region.h"
#include "wave/part_sums.h"
#include "wave/pml.h"
#include "wave/setup.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_wave_solver torre_wave_solver;
typedef struct torre_plane_layout torre_plane_layout; /* planes.h */

/*
 * A program: all that a backend has decided about a run, for a setup and a wish. Made by plan,
 * never changed afterwards, and the only thing that create looks at. Opaque (program.h); the setup
 * must outlive it.
 */
typedef struct torre_wave_program torre_wave_program;

/* What was asked for and what was chosen, and why; valid as long as the program. */
const torre_wave_info *torre_wave_program_info(const torre_wave_program *program);
/* Whether its solvers sum receivers themselves, by advance_receivers; those of parts whenever they
 * advance (use_sums). */
bool torre_wave_program_sums(const torre_wave_program *program);
/* NULL is fine. Not for a program that create has taken. */
void torre_wave_program_free(torre_wave_program *program);

/* Planes low .. high - 1 of the whole grid, both arrays of each as they lie in a solver (planes.h),
 * and where they are: first is that of even (0) or of odd (1) steps. None: low = high. */
typedef struct torre_moved_planes {
    int64_t low, high;
    int first;
    char *values; /* NULL: zeros */
} torre_moved_planes;

/* Where a solver has planes that others hand on to it. */
typedef struct torre_plane_place {
    char *array[2]; /* the first of them, of even and of odd steps */
    int device;
} torre_plane_place;

/* Planes next to each other where a solver has them, in memory of the host. */
typedef struct torre_lent_planes {
    char *array[2]; /* the first of them, of even and of odd steps */
    int64_t bytes;  /* of each, with what belongs to it */
} torre_lent_planes;

/* What parts cost, in steps of a plane: to stream it there and back, beside computing or not; to
 * move it in memory; to hand it on to another device. How many planes begin and end of a pass are
 * like, how many steps more a tower takes than it climbs, and cells that are computed in a second,
 * as measured or as a guess. */
typedef struct torre_part_cost {
    double stream, move, cross, start, climb, rate;
    bool beside, measured;
} torre_part_cost;

/*
 * A backend: one constant struct of functions (cpu: backend_cpu.c, cuda: cuda/).
 * Levels: the solver holds u[n] and u[n-1] for a current step n that starts at 0.
 */
typedef struct torre_wave_backend {
    const char *name;
    /*
     * Whether a program can have a team (program.h). Its solvers, one of each member, have the same
     * fields: create and set_step are called by all members, advance and advance_to by all of them
     * at the same time, who share the work and write the samples that they compute; other functions
     * by any of them, in between.
     */
    bool teams;

    /*
     * Decide everything that the wish leaves open and say what the run will need, allocating
     * nothing large. Refuses by name what the combination cannot do (TORRE_ERR_USAGE); what this
     * machine has no memory for is planned all the same, and info->lacking says so.
     */
    torre_status (*plan)(const torre_wave_setup *setup, const torre_wave_plan *wish,
                         torre_wave_program **program);

    /*
     * The same program for another setup: whatever was chosen stays (engine, axes, kernel, tile),
     * what follows from the grid is that of the setup's. For a slab of the program's grid, of the
     * same order and precision; an axis that was cut is not periodic.
     */
    torre_status (*adapt)(const torre_wave_program *program, const torre_wave_setup *setup,
                          torre_wave_program **adapted);

    /*
     * In place of the program of a whole grid one that parts can be made of (part.h), to the same
     * bits, where this one is none; it stays where there is none either. NULL: all are.
     * end_planes: planes that parts by a plan must own at least where they end with the grid along
     * the solver's x, and at its high end R more for each step of a pass. NULL: 1.
     */
    torre_status (*for_parts)(torre_wave_program **program);
    int64_t (*end_planes)(const torre_wave_setup *setup, const torre_wave_plan *plan);

    /*
     * Allocate what the program says, info->memory_bytes to the byte; fields are zero, n = 0. The
     * solver owns the program from then on, and destroy frees it. TORRE_ERR_RESOURCE with
     * info->lacking, or where memory has gone since: the program stays the caller's.
     */
    torre_status (*create)(torre_wave_program *program, torre_wave_solver **solver);

    /*
     * Begin anew with another setup, which must outlive the solver, in place of that of the
     * program: fields zero and n = 0, as create leaves them. Its problem may differ from the one
     * before in sources, wavelet and receivers, and where new_medium says so in the values of
     * velocity_cells and density_cells; not in anything else (torre_wave_same_grid). After a
     * failure the solver can only be destroyed. NULL: the backend has none, and a new solver does
     * as well.
     */
    torre_status (*restart)(torre_wave_solver *solver, const torre_wave_setup *setup,
                            bool new_medium);

    /*
     * Of a part (part.h): become the solver of another part of the same whole, whose setup must
     * outlive the solver, at step n. It stores no more cells along the solver's x than that of the
     * program did, and the same along the others. Cells that both store keep their values, in
     * arrays of even and of odd steps as they are, and what layers remember of them; others have
     * none until they are written. After a failure the solver can only be destroyed. NULL: the
     * backend has none.
     */
    torre_status (*move)(torre_wave_solver *solver, const torre_wave_setup *setup, int64_t n);

    /* From now on the levels that the solver holds are u[n] and u[n-1], whichever they were. */
    torre_status (*set_step)(torre_wave_solver *solver, int64_t n);

    /*
     * Copy a box of u[n] (level 0) or u[n-1] (level -1) from or to a host array of the problem's
     * precision: `values` is its value of cell box->low, stride[a] values lie between neighbours
     * along axis a (torre_box_strides: a dense array of the box). Writing NULL writes zeros.
     * TORRE_ERR_USAGE for other levels and for boxes beyond the cells that the solver holds.
     */
    torre_status (*write_box)(torre_wave_solver *solver, int level, const torre_box *box,
                              const int64_t stride[3], const void *values);
    torre_status (*read_box)(torre_wave_solver *solver, int level, const torre_box *box,
                             const int64_t stride[3], void *values);

    /*
     * Both levels of a field at rest, made where they are kept, to the same bits: u[0] of the noise
     * of a seed (torre_wave_noise), or with NULL what the solver has, and u[-1] of that
     * (torre_wave_rest_planes). made: whether; a solver that cannot leaves all as it is. NULL: the
     * backend has none.
     */
    torre_status (*rest)(torre_wave_solver *solver, const uint64_t *seed, bool *made);

    /*
     * Of towers along the solver's x: planes low .. high - 1 across it, numbered as in the whole
     * grid, as they lie in the solver, both arrays of each one after the other, first that of even
     * (0) or of odd (1) steps; also in the middle of a pass. plane_rows says how rows of a solver
     * of the program lie, in a layout that is complete but for that. NULL, all of them: as boxes
     * do.
     */
    void (*plane_rows)(const torre_wave_program *program, torre_plane_layout *layout);
    torre_status (*write_planes)(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                 const void *values);
    torre_status (*read_planes)(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                void *values);

    /*
     * Of two solvers of parts of the same whole that compute in turn; may run beside advance of the
     * other one. As move, but nothing is kept; planes out->low .. high - 1 of the part before go to
     * out->values, and in->low .. high - 1 of the next come from in->values, both ways at once.
     * NULL: the backend has none, and one solver moves.
     */
    torre_status (*renew)(torre_wave_solver *solver, const torre_wave_solver *other,
                          const torre_wave_setup *setup, int64_t n, const torre_moved_planes *out,
                          const torre_moved_planes *in);
    /*
     * What solvers of parts make of velocities of cells, as it lies across their x: bytes of a
     * plane, 0 where there is none or all have the same. read_model copies it of planes low ..
     * high - 1 of the whole grid. After use_model move and renew take it from memory of the host
     * (take_host), where it lies so plane by plane from plane 0 on, and what renew finds in the
     * other solver from there; of setups they need velocities no more, but the shape. NULL: of
     * velocities again. NULL all: the backend has none.
     */
    int64_t (*model_bytes)(const torre_wave_program *program);
    torre_status (*read_model)(torre_wave_solver *solver, int64_t low, int64_t high, void *values);
    void (*use_model)(torre_wave_solver *solver, const void *planes);
    /*
     * Of parts whose programs sum, before each pass: what it records goes to `sums` in place of
     * samples, the first step of the pass as number `first`; NULL: nowhere. All of it is there
     * after settle_sums, or when the solver has moved. NULL, both: parts give nodes.
     */
    void (*use_sums)(torre_wave_solver *solver, torre_part_sums *sums, int64_t first);
    torre_status (*settle_sums)(torre_wave_solver *solver);
    /*
     * Planes from one solver of a part to another of the same whole and process, as they are, with
     * what layers remember of them, while both compute elsewhere. place: where the other has those
     * from `low` on, until it moves or is set to a step. hand_on sets off with planes low .. high -
     * 1, down (0) or up (1); nobody may look at them there or change them here until await of the
     * other, with the arrival that this gives, is back. transport: how they go between those
     * devices, in words.
     * NULL all: the backend has none. ways: how they can go to other processes from where they are
     * (place), the best first, NULL at the end; NULL: in messages alone.
     */
    void (*place)(const torre_wave_solver *solver, int64_t low, torre_plane_place *place);
    torre_status (*hand_on)(torre_wave_solver *solver, int64_t low, int64_t high, int way,
                            const torre_plane_place *to, void **arrival);
    torre_status (*await)(torre_wave_solver *solver, void *arrival);
    const char *(*transport)(const int *device, int count);
    const torre_rank_way *const *ways;
    /*
     * Planes of a part from `low` on where they lie in the solver, which every solver of the same
     * whole has alike: messages can be sent from there and received there, without layers. They
     * stay there until the solver moves. NULL: the backend has none.
     */
    void (*lend)(const torre_wave_solver *solver, int64_t low, torre_lent_planes *planes);
    /* Memory of the host, zeros, that planes go to and come from faster than others. NULL: any. */
    torre_status (*take_host)(int64_t bytes, void **memory);
    void (*free_host)(void *memory, int64_t bytes);
    /* Of windows (ring.h) and slabs of ranks of a program like that; rate 0: not known. */
    torre_part_cost (*part_cost)(const torre_wave_program *program);

    /*
     * The same of a slice (pml.h) of the memory that perfectly matched layers have at step n, of
     * the cells of a plane across its axis: `values` is that of the cell with the coordinates 0.
     * Writing the slice NULL makes all of it zero.
     * What a value is is the engines' own, of which the reference keeps others. Of a part, which
     * is cut along the solver's x: of the cells that it stores are written, that it owns are read,
     * the first of which take the place of 0; where the part has no such layer nothing is done.
     */
    torre_status (*write_layer)(torre_wave_solver *solver, const torre_layer_slice *slice,
                                const int64_t stride[3], const void *values);
    torre_status (*read_layer)(torre_wave_solver *solver, const torre_layer_slice *slice,
                               const int64_t stride[3], void *values);

    /*
     * Of towers along the solver's x: all that these layers remember of planes low .. high - 1
     * across it, as it lies in the solver, first what belongs to even (0) or to odd (1) steps; also
     * in the middle of a pass. layer_bytes: how much that is, of a setup of the whole or of a part
     * that stores the planes, and a plan that names axes. NULL, these three: it lies in the planes
     * themselves, behind their rows (tail of planes.h). layer_place: where a slice that lies
     * along planes is there, of what comes first (0) or then. NULL, all of them: parts have no
     * layers. take_layer: what the layer across x at a face remembers, from another solver of the
     * same whole that keeps such layers, too (setup.h). NULL: one window is in memory at a time.
     */
    int64_t (*layer_bytes)(const torre_wave_setup *setup, const torre_wave_plan *plan, int64_t low,
                           int64_t high);
    torre_layer_place (*layer_place)(const torre_wave_setup *setup, const torre_wave_plan *plan,
                                     const torre_layer_slice *slice, int level);
    torre_status (*write_layers)(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                 const void *values);
    torre_status (*read_layers)(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                void *values);
    torre_status (*take_layer)(torre_wave_solver *solver, const torre_wave_solver *from, int side);

    /*
     * Advance steps levels, n -> n + steps <= problem->steps (torre_wave_steps_check). samples:
     * host array of shape (steps, sample_columns) in the problem's precision, receives u[n+1] ..
     * u[n+steps] at the receiver nodes (NULL when there are none, and where programs sum, which
     * give them to advance_receivers alone). Returns when all is computed (device synchronised). Of
     * a part (part.h) one pass at most, TORRE_ERR_USAGE where its halo does not last so long.
     */
    torre_status (*advance)(torre_wave_solver *solver, int64_t steps, void *samples);

    /*
     * The same pass bit by bit, as towers along the solver's x go from high planes to low ones (no
     * more steps than a tower climbs): those that stand on the plane or above it when they begin
     * and have not climbed yet do it now. INT64_MIN completes the pass, and n is n + steps; before
     * that boxes give and take arrays as they are, level 0 being that of n. NULL: the backend has
     * none.
     */
    torre_status (*advance_to)(torre_wave_solver *solver, int64_t steps, int64_t plane,
                               void *samples);

    /*
     * The same with samples of shape (steps, receivers): what traces hold (traces.h), in the bits
     * of its own sums of the nodes. For programs that say so (torre_wave_program_sums); or NULL.
     */
    torre_status (*advance_receivers)(torre_wave_solver *solver, int64_t steps, void *samples);

    /*
     * The same, and the setup's planes at each of these steps that is a multiple of planes.every,
     * one such step after the other, each plane dense, to `planes`; without a stop at these steps.
     * For programs that say so (program.h); or NULL.
     */
    torre_status (*advance_planes)(torre_wave_solver *solver, int64_t steps, void *samples,
                                   void *planes);

    /* Of u[n], over the cells that the solver owns. */
    torre_status (*norms)(torre_wave_solver *solver, torre_wave_norms *norms);

    void (*destroy)(torre_wave_solver *solver);
} torre_wave_backend;

/* Every solver starts with its backend (the rest is private to it). */
struct torre_wave_solver {
    const torre_wave_backend *backend;
    torre_wave_program *program; /* of a solver that create of a backend has made */
    int64_t streamed;            /* torre_wave_run_streamed */
};

/* Find a backend by name; core/backend.h says how "auto" is read. */
torre_status torre_wave_backend_find(const char *name, const torre_wave_plan *plan,
                                     const torre_wave_backend **backend);

#ifdef __cplusplus
}
#endif

#endif
