/*
 * Particles: the problem and its solvers, for the pair models and the moving-particle method.
 *
 *     m d2r_i/dt2 = sum over j of F(r_i - r_j),   |r_i - r_j| < r_c, nearest periodic image
 *
 * in a rectangular periodic box [0, Lx) x [0, Ly) x [0, Lz), integrated by velocity Verlet. F may
 * depend on the relative velocity, and a model may have forces on single particles. Units are those
 * of the pair model (Lennard-Jones units for "lj", with k_B = 1; any, say SI, for "granular"). The
 * model "mps" is a fluid, in SI units, with steps of its own (mps.h).
 *
 * Particles are known by their id 0 .. count - 1, their index in the arrays of the problem. Every
 * array is a structure of arrays, f64 at this interface whatever the precision of the solver.
 * Solvers may store particles in any order; what crosses this interface is always by id.
 *
 * Life of a run:  torre_md_problem  --backend->plan-->  torre_md_program (all that was decided)
 * --backend->create-->  torre_md_solver  --set_particles, advance, sums, get_particles-->  results.
 *
 * The step (velocity Verlet, the order of LAMMPS):
 *     v += (dt/2m) F;  r += dt v;  [wrap, sort, rebuild lists when due];  F = F(r);  v += (dt/2m) F
 * and around it a thermostat (bath.h has their definitions), a barostat, which changes the box as
 * well (barostat.h), or what minimises (fire.h). The first two may act once in several steps.
 */
#ifndef TORRE_MD_H
#define TORRE_MD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rank_way.h"
#include "core/status.h"
#include "particles/barostat.h"
#include "particles/bath.h"
#include "particles/fire.h"
#include "particles/mps_parameters.h"
#include "particles/pair_list.h"
#include "torre/particles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TORRE_PAIR_lj, ...: one for each line of pair_list.h. */
#define TORRE_PAIR_ENUM(name) TORRE_PAIR_##name,
typedef enum torre_pair_model {
    TORRE_PAIR_LIST(TORRE_PAIR_ENUM) TORRE_PAIR_MODELS,
    TORRE_MODEL_MPS = TORRE_PAIR_MODELS /* no pair model: the moving-particle method (mps.h) */
} torre_pair_model;

/* The parameters of the pair model: one member for each line of pair_list.h. */
#define TORRE_PAIR_MEMBER(name) torre_##name##_parameters name;
typedef union torre_pair_parameters {
    TORRE_PAIR_LIST(TORRE_PAIR_MEMBER)
} torre_pair_parameters;

/* A parameter that an option sets, as the model's header lists it. */
typedef struct torre_pair_parameter {
    const char *name; /* of the member, "wall_restitution"; NULL ends a table */
    enum {
        TORRE_PARAMETER_POSITIVE,
        TORRE_PARAMETER_NOT_NEGATIVE,
        TORRE_PARAMETER_SHARE, /* above 0, at most 1 */
        TORRE_PARAMETER_FLAG   /* a bool; the others are doubles */
    } kind;
    size_t offset; /* in the struct of the model */
    double usual;  /* what it is where nobody says */
    const char *metavar, *help;
} torre_pair_parameter;

/* Lengths that the parameters of a pair model mean; 0: they mean none. */
typedef struct torre_pair_lengths {
    double cutoff; /* where nobody says another, ... */
    bool fixed;    /* ... or there is no other */
    double size;   /* how near particles come */
} torre_pair_lengths;

/* What there is to know of a pair model beside its forces. */
typedef struct torre_pair_about {
    const char *name;
    const torre_pair_parameter *parameters;
    bool dissipates; /* forces depend on velocities and lose energy */
    torre_pair_lengths (*lengths)(const torre_pair_parameters *parameters);
} torre_pair_about;

struct torre_md_types; /* md_types.h */

/* What is to be computed. Plain data; everything pointed to belongs to the caller. */
typedef struct torre_md_problem {
    int64_t count;                      /* particles, >= 1 */
    double box[3];                      /* edges > 0; each at least 2 (cutoff + skin); those of
                                           step 0, where a barostat changes them */
    const double *position[3];          /* [axis][id], inside the box: 0 <= r < L */
    const double *velocity[3];          /* [axis][id] */
    const double *radius;               /* [id], of rough grains (grains.h), at most half of the
                                           cutoff; NULL: that */
    const double *spin[3];              /* [axis][id], angular velocities of those; NULL: 0 */
    double mass;                        /* of every particle, > 0; mps takes it from the density */
    const struct torre_md_types *types; /* masses and interactions by type, which count instead of
                                           mass and pair; NULL: particles of one type. Must outlive
                                           what is made of the problem */
    int dimensions; /* 2: particles of one plane, z and its velocity stay; 0 or 3: all
                                  axes move */
    torre_pair_model model;
    union { /* of that model */
        torre_pair_parameters pair;
        torre_mps_parameters mps;
    };
    double cutoff; /* > 0; the largest of the types'; mps: the radius of influence r_e */
    double dt;     /* > 0 */
    torre_md_precision precision;
    torre_md_ensemble ensemble;
    double temperature;      /* target of a thermostat, >= 0 */
    double ramp_to;          /* ... which goes to this one, >= 0, ... */
    int64_t ramp_steps;      /* ... in a straight line until this step; 0: it stays */
    double damping_time;     /* of a thermostat, > 0 */
    int64_t couple_every;    /* steps from one time that barostats, and thermostats that scale all
                                velocities, act to the next; 0: torre_md_couple_every chooses */
    uint64_t seed;           /* of its random numbers */
    double pressure;         /* target of a barostat, TORRE_NPT, any finite number, which ... */
    double pressure_to;      /* ... goes to this one ... */
    int64_t pressure_steps;  /* ... in a straight line until this step; 0: it stays */
    double pressure_damping; /* time of a barostat, at least ten times that it acts */
    torre_md_pressure_axes pressure_axes;
    double force_tolerance; /* of TORRE_FIRE, >= 0: a run ends at the first row whose force is no
                               larger; 0: never */
} torre_md_problem;

/* Whether a thermostat scales all velocities alike, and so needs their sum, or there is a barostat,
 * which needs more: these need not act in each step. */
static inline bool torre_md_couples_all(torre_md_ensemble ensemble)
{
    return ensemble == TORRE_BERENDSEN || ensemble == TORRE_BUSSI ||
           ensemble == TORRE_NOSE_HOOVER || ensemble == TORRE_NPT;
}

/*
 * Steps from one time that these act to the next. Where the problem leaves that open: up to ten, as
 * many as are within a twentieth of the time of a thermostat, as of GROMACS, and a fortieth of that
 * of a barostat, whose box swings faster than that (barostat.h).
 */
static inline int64_t torre_md_couple_every(const torre_md_problem *p)
{
    if (!torre_md_couples_all(p->ensemble)) return 1;
    if (p->couple_every > 0) return p->couple_every;
    const double half = p->pressure_damping / 2;
    const double time = p->ensemble == TORRE_NPT ? fmin(p->damping_time, half) : p->damping_time;
    const double within = time / (20 * p->dt) * (1 + 1e-9); /* 1e-9: of rounding */
    return within >= 10 ? 10 : within >= 1 ? (int64_t)within : 1;
}

/* Whether they act behind a step, and in front of the next one; of other thermostats: always. */
static inline bool torre_md_couples(const torre_md_problem *p, int64_t step)
{
    return step % torre_md_couple_every(p) == 0;
}

/* The thermostat of a problem, whatever its ensemble. */
static inline torre_bath torre_md_bath(const torre_md_problem *p)
{
    return (torre_bath){.ensemble = p->ensemble,
                        .dt = (double)torre_md_couple_every(p) * p->dt,
                        .time = p->damping_time,
                        .temperature = p->temperature,
                        .ramp_to = p->ramp_to,
                        .ramp_steps = p->ramp_steps,
                        .freedom = 3 * (double)p->count - 3,
                        .seed = p->seed};
}

/* The barostat of a problem with TORRE_NPT. */
static inline torre_barostat torre_md_barostat(const torre_md_problem *p)
{
    const double square = p->temperature * p->pressure_damping * p->pressure_damping;
    const int64_t every = torre_md_couple_every(p);
    return (torre_barostat){.dt = (double)every * p->dt,
                            .step = p->dt,
                            .every = every,
                            .pressure = p->pressure,
                            .ramp_to = p->pressure_to,
                            .ramp_steps = p->pressure_steps,
                            .axes = p->pressure_axes == TORRE_PRESSURE_AXES,
                            .particles = (double)p->count,
                            .weight = ((double)p->count + 1) * square,
                            .chain = square};
}

/* "isotropic", "axes", in the order of torre_md_pressure_axes; NULL after the last. */
extern const char *const torre_md_pressure_names[];

/* "nve", "langevin", ... in the order of torre_md_ensemble; NULL after the last. */
extern const char *const torre_md_ensembles[];

/* Sums over the particles at the current step, all accumulated in f64. */
typedef struct torre_md_sums {
    double kinetic;         /* sum m v^2 / 2 */
    double rotational;      /* sum I w^2 / 2 of rough grains */
    double potential;       /* sum over pairs of V(r), and of particles in fields and walls */
    double potential_shift; /* sum over pairs inside the cutoff of the model's torre_pair_shift:
                               potential - potential_shift is continuous at the cutoff, and the
                               energy whose drift is judged */
    double virial;          /* sum over pairs of d . F */
    double contacts;        /* pairs inside the cutoff */
    double lost;            /* energy dissipated since the particles were set */
    double taken;           /* energy that a thermostat has taken since then, and what a barostat
                               has, work on the box and its own energy */
    double momentum[3];     /* sum m v */
    double force_square;    /* sum F^2, of TORRE_FIRE alone */
    double neighbors;       /* mean length of the lists, each pair counted for both particles;
                               for the tile sweep the pairs tested instead */
} torre_md_sums;

/* Seconds spent in advance and sums; other is what belongs to no phase. */
typedef struct torre_md_times {
    double force, neighbor, sort, integrate, other;
    double viscosity, density, gradient; /* of mps (Proc 1, 3 and 4), in place of force; on a CPU
                                            Proc 2 and 5 with them, and integrate is 0 */
    double waited;                       /* for other ranks; part of the above */
} torre_md_times;

/* What particles of mps have beside positions and velocities, by id; NULL: not wanted. Pressure and
 * number density are those of the last step's r' (of the initial positions at step 0). All are 0
 * for dummies. */
typedef struct torre_md_fields {
    double *pressure, *number_density;
    double *collision; /* half of the energy of a particle's collisions, over m; m^2/s^2 */
} torre_md_fields;

/* Counts since creation. */
typedef struct torre_md_counts {
    int64_t builds, sorts;
    int64_t dangerous_builds; /* builds by displacement that came due at the first step they were
                                 looked for (LAMMPS's definition); -1: not checked */
} torre_md_counts;

typedef struct torre_md_solver torre_md_solver;
struct torre_mps_measure;
struct torre_mps_row;
struct torre_mps_region;
struct torre_mps_near;

/*
 * A program: all that a backend has decided about a run, for a problem and a wish. Made by plan,
 * never changed afterwards, and the only thing that create looks at. Opaque (md_program.h); the
 * problem must outlive it, its particle arrays need not.
 */
typedef struct torre_md_program torre_md_program;

/* What was chosen; valid as long as the program. */
const torre_md_info *torre_md_program_info(const torre_md_program *program);
/* NULL is fine. Not for a program that create has taken. */
void torre_md_program_free(torre_md_program *program);

/* A function for an array of a state; names are literals, of at most 15 characters. */
typedef torre_status torre_md_visit(void *context, const char *name, void *data, int64_t bytes);

/*
 * A backend: one constant struct of functions (the CUDA one lives in cuda/). A solver is at step n,
 * which starts at 0, with positions, velocities and forces of that step. Not finite values and
 * particles that crossed more than a box in one step are reported as TORRE_ERR_UNSTABLE with step
 * and particle, at the latest at the next rebuild or sum. (Texts count particles from 1, as files
 * do.)
 */
typedef struct torre_md_backend {
    const char *name;

    /*
     * Decide everything that the wish leaves open and say what the run will need, allocating
     * nothing large. Refuses by name what it cannot do (TORRE_ERR_USAGE) and what does not fit
     * (TORRE_ERR_RESOURCE: bytes needed and available). The problem has passed
     * torre_md_problem_check; positions and velocities may still be NULL.
     */
    torre_status (*plan)(const torre_md_problem *problem, const torre_md_plan *wish,
                         torre_md_program **program);

    /*
     * Several ranks share the particles, and each has planned the same; NULL: this backend does not
     * do that. Of every solver made of such programs all ranks call the same functions at the same
     * time; arrays of particles are those of rank 0, which gets and visits all, and others give
     * NULL, or arrays that are not looked at. TORRE_ERR_USAGE: it is not for ranks, and why.
     * Afterwards the same TORRE_ERR_UNSTABLE comes to all; another failure is one rank's own.
     * path: [ranks] past the host, of `ways`, which are opened before create and closed after
     * destroy; NULL: there is none.
     */
    torre_status (*share)(torre_md_program *program, const torre_ranks *ranks,
                          torre_rank_path *const *path);
    bool teams; /* those of one machine do so by memory in common (core/rank_team.h), if they can */
    const torre_rank_way *const *ways; /* that it can take, the last one NULL; NULL: none */

    /* How particles of ranks that are devices of this process go from one to another, in words;
     * NULL: as messages do. */
    const char *(*transport)(const int *device, int count);

    /*
     * Allocate what the program says. The solver owns the program from then on, and destroy frees
     * it. TORRE_ERR_RESOURCE where memory has gone since: the program stays the caller's.
     */
    torre_status (*create)(torre_md_program *program, torre_md_solver **solver);

    /*
     * Take particles ([axis][id], as in the problem), build lists, compute forces. Resets the step
     * to 0 and restarts times and counts.
     */
    torre_status (*set_particles)(torre_md_solver *solver, const double *const position[3],
                                  const double *const velocity[3]);

    /*
     * Advance steps steps, n -> n + steps. Splitting a run into several calls does not change the
     * results. Returns when all is computed (device synchronised).
     */
    torre_status (*advance)(torre_md_solver *solver, int64_t steps);

    /* Edges of the box at step n. NULL: those of the problem, always. */
    void (*box)(const torre_md_solver *solver, double box[3]);

    /* Copy particles of step n to host arrays [axis][id]; positions wrapped into the box. Any of
     * the six may be NULL. */
    torre_status (*get_particles)(torre_md_solver *solver, double *const position[3],
                                  double *const velocity[3]);

    /* Angular velocities of step n, [axis][id]; for rough grains (grains.h) alone. */
    torre_status (*get_spins)(torre_md_solver *solver, double *const spin[3]);

    /* Forces of step n, [axis][id]; not for mps. */
    torre_status (*get_forces)(torre_md_solver *solver, double *const force[3]);

    /* For mps alone. */
    torre_status (*get_fields)(torre_md_solver *solver, const torre_md_fields *fields);

    /* For mps alone: the row of step n (mps_measure.h) but for step and time. NULL: the caller adds
     * it up from what the functions above give. */
    torre_status (*row)(torre_md_solver *solver, const struct torre_mps_measure *measure,
                        struct torre_mps_row *row);

    /* For mps alone: of particles within regions the places and pressures, to `position` and
     * `pressure` at their ids, and the ids, `near` of them in any order (mps_measure.h). NULL: the
     * caller asks for all particles. */
    torre_status (*near)(torre_md_solver *solver, const struct torre_mps_region *regions, int count,
                         struct torre_mps_near *near);

    /* Not for mps. */
    torre_status (*sums)(torre_md_solver *solver, torre_md_sums *sums);

    void (*times)(const torre_md_solver *solver, torre_md_times *times, torre_md_counts *counts);

    /*
     * For runs that go on in another process: visit all that decides, bit for bit, how step n goes
     * on, to be copied; or, of a solver of the same program that has particles, to be overwritten,
     * after which resume makes what follows from it.
     */
    torre_status (*state)(torre_md_solver *solver, torre_md_visit *visit, void *context);
    torre_status (*resume)(torre_md_solver *solver);

    void (*destroy)(torre_md_solver *solver);
} torre_md_backend;

/* Every solver starts with its backend (the rest is private to it). */
struct torre_md_solver {
    const torre_md_backend *backend;
    torre_md_program *program;
};

/* Plan and create at once. */
torre_status torre_md_solver_new(const torre_md_backend *backend, const torre_md_problem *problem,
                                 const torre_md_plan *plan, torre_md_solver **solver);

/* Find a backend by name; core/backend.h says how "auto" is read. */
torre_status torre_md_backend_find(const char *name, const torre_md_plan *plan,
                                   const torre_md_backend **backend);

/*
 * Refuse, by name and with the legal range, whatever the definition does not allow. Looks at the
 * particles too where position is not NULL.
 */
torre_status torre_md_problem_check(const torre_md_problem *problem);

/* Refuse a plan that is not legal for the problem (skin against box, intervals, bin size). */
torre_status torre_md_plan_check(const torre_md_problem *problem, const torre_md_plan *plan);

/* Edges of the box of a solver at its step. */
void torre_md_solver_box(const torre_md_solver *solver, const torre_md_problem *problem,
                         double box[3]);

/* Row from sums, in a box of these edges. LAMMPS: temperature 0 for a single particle (no degree of
 * freedom left). */
torre_md_thermo torre_md_thermo_of(const torre_md_problem *problem, const double box[3],
                                   int64_t step, const torre_md_sums *sums);

const torre_pair_about *torre_pair_about_model(torre_pair_model model);

/* Whether the forces of a model depend on velocities and lose energy. */
bool torre_pair_dissipates(torre_pair_model model);

/* "lj"; "full", "half", "tile"; "f32", "f64", "mixed"; and back (false for an unknown name). */
const char *torre_pair_model_name(torre_pair_model model);
bool torre_pair_model_by_name(const char *name, torre_pair_model *model);
const char *torre_neighbor_name(torre_neighbor neighbor);
bool torre_neighbor_by_name(const char *name, torre_neighbor *neighbor);
const char *torre_md_precision_name(torre_md_precision precision);
bool torre_md_precision_by_name(const char *name, torre_md_precision *precision);

#ifdef __cplusplus
}
#endif

#endif
