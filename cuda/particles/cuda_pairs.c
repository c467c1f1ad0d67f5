/*
 * The pair models on the cuda backend: velocity Verlet, lists (or swept tiles), thermostats. Work
 * is queued without waiting for the device; one read-back at the end of an advance tells whether
 * all went well. Where a table was too small, the device has stopped at that rebuild (md_control),
 * and the host makes room and continues from there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md_share.h"
#include "particles/grains.h"
#include "particles/md_types.h"

#define DEFAULT_SKIN 0.12 /* of the cutoff */
#define GRAPHS       32   /* recorded sequences that are kept */
#define GRAPH_STEPS  64   /* longest recorded sequence of steps, and of several devices, */
#define SHARED_STEPS 256  /* whose steps are not recorded */
#define SAMPLE_EVERY 16   /* segments between those timed by phase */
#define MOST_AHEAD   0.45 /* of the skin: how far ahead a rebuild expects a particle at most */
#define FIRST_GUESS  8    /* steps that the first lists are for */
#define LATE_FROM    32   /* several devices may do a step too many with lists for so many */

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
    int64_t step, last_build, last_sort;
    int64_t sorts;   /* made before it */
    uint32_t drifts; /* queued before it */
    int x_now, v_now, id_now;
    bool permuted;
} md_build_record;

typedef struct pairs {
    unsigned char pair[MD_PAIR_BYTES];
    bool dissipates; /* the pair model: velocities change buffers with the positions */
    void *rows;      /* device: constants of each pair of types; NULL: one type */
    torre_md_sums sums;

    md_build_record *records; /* since the control block was cleared */
    int record_count, record_room;
    uint32_t drifts;

    /* Where displacements are looked at in every step: */
    uint32_t confirmed;  /* drifts that are known to be done */
    int64_t limit;       /* steps that the present lists are for at most */
    int64_t interval[2]; /* that the last lists, and those before them, were good for */
    bool stopped;        /* lists were ever too old before their limit */
    bool far;            /* they will be behind the next step (MD_SUM_FAR) */
    md_control *looked;  /* [2] host: after a segment */
    cudaEvent_t look[2];

    md_graph graphs[GRAPHS];
    int graph_next;

    /* Time of the sampled segments by phase. */
    double sampled[3]; /* sort, list, steps: seconds */
    int64_t sampled_builds, sampled_steps, segments;
    int timing; /* steps of the segment whose events are still to be read; 0: none */
    cudaEvent_t event[4];
} pairs;

static pairs *own(const md_cuda_solver *s) { return s->own; }

static torre_status plan(md_cuda_program *program)
{
    const torre_md_problem *p = program->base.problem;
    torre_md_plan *plan = &program->base.info.plan;
    if (plan->neighbor == TORRE_NEIGHBOR_AUTO) {
        plan->neighbor = TORRE_NEIGHBOR_FULL;
        torre_md_program_because(&program->base, "full lists: measured fastest");
    }
    if (plan->neighbor == TORRE_NEIGHBOR_HALF && !program->kernels->pair->half)
        return torre_fail(
            TORRE_ERR_USAGE,
            "the cuda backend has no {neighbor} half for {model} %s; use full or tile",
            torre_pair_model_name(p->model));
    if (plan->skin == 0) {
        plan->skin = DEFAULT_SKIN * p->cutoff;
        torre_md_program_because(&program->base, "skin: %g of the cutoff", DEFAULT_SKIN);
    }
    if (plan->bin_stencil == TORRE_STENCIL_AUTO) plan->bin_stencil = TORRE_STENCIL_BLOCK;
    torre_md_program_couple(&program->base);
    return TORRE_OK;
}

/* Constants of each pair of types, to the device. */
static torre_status make_rows(md_cuda_solver *s)
{
    const md_pair_kernels *pair = s->kernels->pair;
    const size_t bytes = pair->rows(s->problem, NULL);
    void *rows = malloc(bytes);
    if (!rows) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the solver");
    pair->rows(s->problem, rows);
    cudaError_t error = cudaMalloc(&own(s)->rows, bytes);
    if (!error) error = cudaMemcpy(own(s)->rows, rows, bytes, cudaMemcpyHostToDevice);
    free(rows);
    TORRE_CUDA_TRY(error, "constants of the types");
    return TORRE_OK;
}

/* Masses over that of the problem. */
static void add_weights(const torre_md_problem *p, double weight[MD_TYPES])
{
    for (int a = 0; p->types && a < p->types->count; a++) weight[a] = p->types->mass[a] / p->mass;
}

static torre_status allocate(md_cuda_solver *s)
{
    const torre_md_problem *p = s->problem;
    pairs *o = s->own = calloc(1, sizeof *o);
    if (!o) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the solver");
    o->dissipates = torre_pair_dissipates(p->model);
    s->kernels->pair->make(p, p->dt / (2 * p->mass), o->pair);
    if (p->types) TORRE_TRY(make_rows(s));
    for (int k = 0; k < 4; k++) TORRE_CUDA_TRY(cudaEventCreate(&o->event[k]), "a timer");
    TORRE_CUDA_TRY(cudaMallocHost((void **)&o->looked, 2 * sizeof *o->looked), "particles");
    for (int k = 0; k < 2; k++)
        TORRE_CUDA_TRY(cudaEventCreateWithFlags(&o->look[k], cudaEventDisableTiming), "an event");
    return TORRE_OK;
}

static torre_neighbor neighbor_of(const md_cuda_solver *s) { return s->plan->neighbor; }

static double list_radius(const md_cuda_solver *s) { return s->problem->cutoff + s->plan->skin; }

/* Whether the device looks at displacements in every step, and stops where one is too large. */
static bool looks_each_step(const md_cuda_solver *s)
{
    return s->plan->rebuild_check && s->plan->rebuild_every == 1;
}

static md_grain_args grain_args(const md_cuda_solver *s)
{
    const torre_md_problem *p = s->problem;
    const torre_granular_parameters *g = &p->pair.granular;
    torre_grain_wall wall[6];
    md_grain_args a = {.spin = s->spin[s->v_now],
                       .spin_out = s->spin[1 - s->v_now],
                       .twist = s->twist,
                       .key = s->contact,
                       .spring = s->spring,
                       .slots = torre_grain_slots(p),
                       .axis = p->dimensions == 2 ? 1 : 2,
                       .amplitude = g->shake_amplitude,
                       .turns = g->shake_frequency * p->dt,
                       .low = g->wall_low,
                       .mass = p->mass};
    torre_grain_walls(p, 0, wall); /* where they are fastest */
    torre_grain_gravity(p, a.gravity);
    for (int k = 0; k < 6; k++) {
        a.wall_side[k] = wall[k].side;
        a.wall_at[k] = wall[k].at;
        a.speed = fmax(a.speed, wall[k].velocity);
    }
    return a;
}

static md_noise noise_args(const torre_md_problem *p)
{
    md_noise n = {.bath = torre_md_bath(p)};
    n.keep = torre_bath_keep(&n.bath);
    n.spread = (1 - n.keep * n.keep) / p->mass;
    return n;
}

static md_force_args force_args(const md_cuda_solver *s)
{
    const torre_md_problem *p = s->problem;
    const double skin = looks_each_step(s) ? s->plan->skin : 0;
    double radius = list_radius(s);
    md_force_args a = {.tiles = md_cuda_tiles(s),
                       .box = md_cuda_box(s),
                       .live = s->live,
                       .x_in = s->x[s->x_now],
                       .x_out = s->x[1 - s->x_now],
                       .v = s->v[s->v_now],
                       .v_out = s->v[1 - s->v_now],
                       .f = s->f,
                       .bath = s->bath,
                       .partial = s->partial,
                       .fixed = s->fixed,
                       .id = s->id[s->id_now],
                       .count = (int)s->count,
                       .x_built = s->x_built,
                       .limit_sq = 0.25 * skin * skin,
                       .cutoff_sq = p->cutoff * p->cutoff,
                       .list_cutoff_sq = radius * radius,
                       .kick = p->dt / (2 * p->mass),
                       .drift = p->dt,
                       .fixed_scale = ldexp(1, MD_FIXED_BITS),
                       .lanes_per_place = s->layout.lanes_per_place,
                       .block = s->layout.block,
                       .shared_floor = s->layout.shared_floor,
                       .since = 1};
    memcpy(a.pair, own(s)->pair, sizeof a.pair);
    a.rows = own(s)->rows;
    if (torre_md_is_rough(p)) a.grains = grain_args(s);
    if (torre_bath_has_noise(p->ensemble)) a.noise = noise_args(p);
    a.types = p->types ? p->types->count : 0;
    add_weights(p, a.weight);
    return a;
}

static torre_status queue_force(md_cuda_solver *s, const md_force_args *a, md_force_work work,
                                cudaStream_t stream)
{
    cudaError_t error;
    switch (neighbor_of(s)) {
    case TORRE_NEIGHBOR_TILE:
        error = s->kernels->pair->sweep(a, work, stream);
        break;
    case TORRE_NEIGHBOR_HALF:
        error = s->kernels->pair->half(a, work, stream);
        break;
    default:
        error = s->kernels->pair->full(a, work, stream);
        break;
    }
    TORRE_CUDA_TRY(error, "computing forces");
    return TORRE_OK;
}

/* The device's own particles alone, in place of all that are here. */
static void take_own(const md_cuda_solver *s, md_force_args *a)
{
    const int64_t by = 4 * s->first_own * s->kernels->state->state_bytes;
    a->x_in = (const char *)a->x_in + by;
    a->x_out = (char *)a->x_out + by;
    a->v = (char *)a->v + by;
    a->f = (char *)a->f + by;
    a->x_built = (const char *)a->x_built + by;
    a->id += s->first_own;
    a->count = (int)s->own_count;
    if (!a->grains.slots) return;
    a->grains.spin = (const char *)a->grains.spin + by;
    a->grains.twist = (char *)a->grains.twist + by;
}

/* Of several devices: queue that each has particles of others where these say they are. */
static torre_status queue_tell(md_cuda_solver *s, cudaStream_t stream, void *x, void *v, void *spin)
{
    void *const quads[MD_TOLD] = {x, own(s)->dissipates ? v : NULL, spin};
    return md_share_tell(s, stream, quads);
}

/* The same after a move in place. */
static torre_status queue_moved(md_cuda_solver *s)
{
    if (!s->share) return TORRE_OK;
    return queue_tell(s, s->stream, s->x[s->x_now], s->v[s->v_now], s->spin[s->v_now]);
}

static bool has_barostat(const md_cuda_solver *s) { return s->live != NULL; }

static bool relaxes(const md_cuda_solver *s) { return s->problem->ensemble == TORRE_FIRE; }

static bool has_thermostat(const md_cuda_solver *s)
{
    return s->problem->ensemble != TORRE_NVE && !relaxes(s);
}

static bool has_noise(const md_cuda_solver *s)
{
    return torre_bath_has_noise(s->problem->ensemble);
}

/* Whether a thermostat that scales all velocities, or a barostat, acts in some steps alone. */
static bool couples_seldom(const md_cuda_solver *s)
{
    return torre_md_couple_every(s->problem) > 1;
}

/* What they do between the forces of a step and the move to the next one: MD_FACTOR_SUM, ... */
static int coupling_parts(const md_cuda_solver *s, int64_t step)
{
    int parts = 0;
    if (!torre_md_couples_all(s->problem->ensemble)) return 0;
    if (torre_md_couples(s->problem, step))
        parts = MD_FACTOR_SUM | MD_FACTOR_AFTER | MD_FACTOR_BEFORE;
    if (!has_barostat(s)) return parts;
    const torre_barostat b = torre_md_barostat(s->problem);
    return parts || torre_barostat_share(&b, step + 1) > 0 ? parts | MD_FACTOR_GROW : 0;
}

/* Whether that is the box of the next step alone: the force kernel takes positions there. */
static bool stretches(const md_cuda_solver *s, int64_t step)
{
    return neighbor_of(s) != TORRE_NEIGHBOR_HALF && coupling_parts(s, step) == MD_FACTOR_GROW;
}

/* Whether from the forces of a step to the next positions it is a kernel of forces and others
 * behind it, in which positions stay in their buffer. */
static bool in_parts(const md_cuda_solver *s, int64_t step)
{
    if (has_noise(s)) return neighbor_of(s) == TORRE_NEIGHBOR_HALF;
    return relaxes(s) || (coupling_parts(s, step) != 0 && !stretches(s, step));
}

/* What the force kernel of a step does that is not in parts. */
static md_force_work step_work(const md_cuda_solver *s, int64_t step)
{
    if (has_noise(s)) return MD_FORCE_NOISE;
    return stretches(s, step) ? MD_FORCE_STRETCH : MD_FORCE_STEP;
}

/* Rows of partial sums that the force kernels write. */
static int force_rows(const md_cuda_solver *s)
{
    int rows = s->layout.brick_count;
    if (neighbor_of(s) == TORRE_NEIGHBOR_HALF) rows += md_particle_rows((int)s->problem->count);
    return rows;
}

/* Those that have what the thermostat or barostat needs. */
static md_step_sums step_sums(const md_cuda_solver *s)
{
    const bool of_particles = neighbor_of(s) == TORRE_NEIGHBOR_HALF && !has_barostat(s);
    const int first = of_particles ? s->layout.brick_count : 0;
    return (md_step_sums){.partial = s->partial + (int64_t)first * MD_SUMS,
                          .rows = force_rows(s) - first};
}

static md_bath_args bath_args(const md_cuda_solver *s)
{
    return (md_bath_args){.bath = torre_md_bath(s->problem),
                          .mass = s->problem->mass,
                          .state = s->bath,
                          .sums = step_sums(s)};
}

/* How many sums of a step a thermostat or barostat takes. */
static int coupling_sums(const md_cuda_solver *s)
{
    if (!has_barostat(s)) return MD_SPEEDS;
    return torre_md_barostat(s->problem).axes ? MD_STRAINS : MD_PRESSURES;
}

/* Likewise of a barostat and the chains around it. */
static torre_status queue_couple(md_cuda_solver *s, int parts, const md_force_args *a)
{
    const torre_md_problem *p = s->problem;
    const md_couple_args b = {.bath = torre_md_bath(p),
                              .barostat = torre_md_barostat(p),
                              .mass = p->mass,
                              .skin = s->plan->skin,
                              .radius = list_radius(s),
                              .sums = step_sums(s),
                              .live = s->live};
    TORRE_CUDA_TRY(s->kernels->state->couple(a, &b, parts, s->stream), "applying the barostat");
    return TORRE_OK;
}

/* Whether a step in which velocities are scaled leaves them to the force kernel of the next one, or
 * to md_arrive_kernel. */
static bool leaves_behind(const md_cuda_solver *s)
{
    return has_thermostat(s) && !has_noise(s) && !has_barostat(s) &&
           neighbor_of(s) != TORRE_NEIGHBOR_HALF;
}

static bool overlaps(const md_cuda_solver *s) { return s->program->capability >= 90 && !s->share; }

/* Before a move, or what is after a step. */
static torre_status queue_factor(md_cuda_solver *s, int parts, int ahead)
{
    md_force_args a = force_args(s);
    const md_bath_args b = bath_args(s);
    if (has_noise(s)) return TORRE_OK;
    if (s->share && (parts & MD_FACTOR_SUM)) TORRE_TRY(md_share_speeds(s, coupling_sums(s)));
    a.ahead = ahead;
    a.overlap = overlaps(s) && leaves_behind(s);
    if (!leaves_behind(s)) a.limit_sq = 0;
    if (has_barostat(s)) return queue_couple(s, parts, &a);
    TORRE_CUDA_TRY(s->kernels->state->factor(&a, &b, parts, s->stream), "applying the thermostat");
    return TORRE_OK;
}

static md_relax_args relax_args(const md_cuda_solver *s)
{
    return (md_relax_args){.dt = s->problem->dt,
                           .mass = s->problem->mass,
                           .most = TORRE_FIRE_MOST * s->problem->cutoff,
                           .fire = s->fire,
                           .partial = s->partial};
}

/* Sums of a minimisation, of the bricks of all. */
static torre_status queue_relax_rows(md_cuda_solver *s, const md_force_args *a, bool kick)
{
    const md_relax_args b = relax_args(s);
    TORRE_CUDA_TRY(s->kernels->state->relax_sums(a, &b, kick, s->stream), "adding up forces");
    return s->share ? md_share_speeds(s, TORRE_FIRE_SUMS) : TORRE_OK;
}

/* From forces (ahead -1: from whole velocities) to the next positions of a minimisation. */
static torre_status queue_relax(md_cuda_solver *s, int ahead)
{
    static const char what[] = "minimising the energy";
    md_force_args a = force_args(s);
    const md_relax_args b = relax_args(s);
    a.x_out = s->x[s->x_now];
    a.ahead = ahead;
    TORRE_TRY(queue_relax_rows(s, &a, ahead >= 0));
    TORRE_CUDA_TRY(s->kernels->state->relax_decide(&a, &b, NULL, NULL, s->stream), what);
    take_own(s, &a);
    TORRE_CUDA_TRY(s->kernels->state->relax_move(&a, &b, s->stream), what);
    return queue_moved(s);
}

/* Sums at the velocities of the whole step, to which kick leads. */
static torre_status queue_relax_sums(md_cuda_solver *s, bool kick)
{
    static const char what[] = "adding up energies";
    const md_force_args a = force_args(s);
    const md_relax_args b = relax_args(s);
    TORRE_TRY(queue_relax_rows(s, &a, kick));
    TORRE_CUDA_TRY(s->kernels->state->relax_decide(&a, &b, s->total, s->total + MD_SUMS, s->stream),
                   what);
    return TORRE_OK;
}

/* From the forces of a step (ahead -1: from whole velocities) to the next positions, which stay in
 * their buffer. */
static torre_status queue_move(md_cuda_solver *s, int64_t step, int ahead)
{
    const int parts = coupling_parts(s, step);
    md_force_args a = force_args(s);
    const md_bath_args b = bath_args(s);
    a.x_out = s->x[s->x_now];
    a.ahead = ahead;
    a.far = ahead < 0 && own(s)->far;
    take_own(s, &a);
    TORRE_CUDA_TRY(has_noise(s) || (parts && !has_barostat(s))
                       ? s->kernels->state->move(&a, &b, s->stream)
                   : parts ? s->kernels->state->stretch(&a, s->stream)
                           : s->kernels->state->drift(&a, s->stream),
                   "moving particles");
    return queue_moved(s);
}

/* Of what force kernels have left behind of the device's own particles. */
static md_force_args left_args(const md_cuda_solver *s)
{
    md_force_args a = force_args(s);
    a.x_out = s->x[s->x_now];
    take_own(s, &a);
    a.f = (char *)s->f + 2 * s->first_own * s->kernels->state->state_bytes; /* md_rest */
    return a;
}

/* To the next positions from what a force kernel has left behind. */
static torre_status queue_glide(md_cuda_solver *s, int ahead)
{
    md_force_args a = left_args(s);
    a.ahead = ahead;
    TORRE_CUDA_TRY(s->kernels->state->glide(&a, s->stream), "moving particles");
    return queue_moved(s);
}

/* To the velocities behind such steps, the last of which is that one of the sequence. */
static torre_status queue_arrive(md_cuda_solver *s, int ahead)
{
    md_force_args a = left_args(s);
    a.ahead = ahead;
    TORRE_CUDA_TRY(s->kernels->state->arrive(&a, s->stream), "moving particles");
    return TORRE_OK;
}

/* What a thermostat does after a step of whole velocities, if it acts there, and the sums at those
 * that it leaves. */
static torre_status queue_thermostat(md_cuda_solver *s, int64_t step)
{
    const bool acts = torre_md_couples(s->problem, step);
    md_force_args a = force_args(s);
    const md_bath_args b = bath_args(s);
    a.partial = s->partial + (int64_t)s->layout.brick_count * MD_SUMS;
    take_own(s, &a);
    if (!acts) a.limit_sq = 0; /* the drift from here looks where it leads to */
    TORRE_TRY(queue_factor(s, acts ? MD_FACTOR_SUM | MD_FACTOR_AFTER : 0, 0));
    TORRE_CUDA_TRY(has_barostat(s) ? s->kernels->state->coupled(&a, b.mass, s->stream)
                                   : s->kernels->state->thermostat(&a, &b, s->stream),
                   "applying the thermostat");
    TORRE_CUDA_TRY(md_total(a.partial, md_particle_rows(a.count), s->total + MD_SUMS, s->stream),
                   "adding up energies");
    return s->share ? md_share_add(s, has_noise(s)) : TORRE_OK;
}

/* What forces are computed with in front of other kernels. */
static md_force_work work_in_parts(const md_cuda_solver *s, int parts)
{
    if (!(parts & MD_FACTOR_SUM)) return MD_FORCE_STEP;
    if (has_barostat(s))
        return torre_md_barostat(s->problem).axes ? MD_FORCE_STRAIN : MD_FORCE_PRESSURE;
    return MD_FORCE_SPEED;
}

/* One step in parts. */
static torre_status queue_parts(md_cuda_solver *s, int64_t step, const md_force_args *a)
{
    const int parts = coupling_parts(s, step);
    TORRE_TRY(queue_force(s, a, work_in_parts(s, parts), s->stream));
    if (relaxes(s)) return queue_relax(s, a->ahead);
    if (parts) TORRE_TRY(queue_factor(s, parts, a->ahead));
    if (!leaves_behind(s)) return queue_move(s, step, a->ahead);
    TORRE_TRY(queue_glide(s, a->ahead));
    return couples_seldom(s) ? queue_arrive(s, a->ahead) : TORRE_OK;
}

/* Whether kernels count steps by the clock of the control block. */
static bool has_clock(const md_cuda_solver *s) { return own(s)->dissipates || has_thermostat(s); }

/* Whether several devices do a step too many where one has to stop (md_share.h). The limit of the
 * lists is the same of all. What contacts of rough grains remember of such a step stays. */
static bool stops_late(const md_cuda_solver *s)
{
    return s->share && s->share->splits && own(s)->dissipates && !torre_md_is_rough(s->problem) &&
           own(s)->limit >= LATE_FROM;
}

/* One step of several devices: at the front first, and what others need of that (md_share.h). */
static torre_status queue_shared(md_cuda_solver *s, const md_force_args *whole, md_force_work work)
{
    const md_share *h = s->share;
    md_force_args front = *whole, rest = *whole;
    if (!h->splits) {
        TORRE_TRY(queue_force(s, whole, work, s->stream));
        return queue_tell(s, s->stream, whole->x_out, whole->v_out, whole->grains.spin_out);
    }
    front.some = (const int *)(const void *)h->rows.bytes;
    front.some_count = h->front_count;
    rest.some = front.some + front.some_count;
    rest.some_count = s->tiles.own_bricks - front.some_count;
    rest.beside = 1;
    front.late = rest.late = stops_late(s);
    TORRE_TRY(md_share_fork(s));
    TORRE_TRY(queue_force(s, &front, work, h->ahead));
    if (rest.some_count > 0) TORRE_TRY(queue_force(s, &rest, work, s->stream));
    TORRE_TRY(queue_tell(s, h->ahead, whole->x_out, whole->v_out, whole->grains.spin_out));
    TORRE_TRY(md_share_join(s));
    return stops_late(s) ? TORRE_OK : md_share_agree(s);
}

/* Behind a sequence of steps that are late to stop. */
static torre_status queue_undo(md_cuda_solver *s, int steps)
{
    md_force_args a = force_args(s);
    a.ahead = steps - 1;
    a.x_in = s->x[1 - s->x_now];
    a.x_out = s->x[s->x_now];
    a.v = s->v[1 - s->v_now];
    a.v_out = s->v[s->v_now];
    TORRE_TRY(md_share_agree(s));
    TORRE_CUDA_TRY(s->kernels->state->undo(&a, s->stream), "computing steps");
    return TORRE_OK;
}

/* So many steps from the positions of that one. */
static torre_status queue_steps(md_cuda_solver *s, int64_t step, int steps)
{
    const bool left = leaves_behind(s) && !couples_seldom(s);
    for (int k = 0, changed = -1; k < steps; k++) {
        md_force_args a = force_args(s);
        /* the first one reads tables of the kernels in front of it, one behind a step that
         * stretches reads the box of then, the others only positions */
        a.overlap = k > 0 && overlaps(s) && !stretches(s, step + k - 1);
        a.ahead = k;
        a.behind = k > 0 && left;
        a.forces_only = in_parts(s, step + k);
        if (a.forces_only) {
            TORRE_TRY(queue_parts(s, step + k, &a));
            continue;
        }
        a.since = k - changed;
        changed = k;
        const md_force_work work = step_work(s, step + k);
        TORRE_TRY(s->share ? queue_shared(s, &a, work) : queue_force(s, &a, work, s->stream));
        if (work == MD_FORCE_STRETCH) TORRE_TRY(queue_factor(s, MD_FACTOR_GROW, k));
        s->x_now = 1 - s->x_now;
        if (own(s)->dissipates) s->v_now = 1 - s->v_now;
    }
    if (left && steps) TORRE_TRY(queue_arrive(s, 0));
    if (stops_late(s) && steps) TORRE_TRY(queue_undo(s, steps));
    if (has_clock(s) && steps)
        TORRE_CUDA_TRY(s->kernels->state->clock(s->control, steps, s->stream), "counting steps");
    return TORRE_OK;
}

/* Forces, the second half of a step (kick 0: none), thermostat and sums. */
static torre_status queue_sums(md_cuda_solver *s, int64_t step, double kick)
{
    const size_t quad = 4 * (size_t)s->kernels->state->state_bytes;
    const size_t first = quad * (size_t)s->first_own, bytes = quad * (size_t)s->own_count;
    md_force_args a = force_args(s);
    a.kick = relaxes(s) ? 0 : kick;
    if (a.kick == 0) s->kernels->pair->make(s->problem, 0, a.pair);
    TORRE_TRY(queue_force(s, &a, MD_FORCE_SUMS, s->stream));
    if (own(s)->dissipates)
        TORRE_CUDA_TRY(cudaMemcpyAsync((char *)a.v + first, (const char *)a.v_out + first, bytes,
                                       cudaMemcpyDeviceToDevice, s->stream),
                       "computing forces");
    if (a.grains.slots)
        TORRE_CUDA_TRY(cudaMemcpyAsync((char *)s->spin[s->v_now] + first,
                                       (const char *)a.grains.spin_out + first, bytes,
                                       cudaMemcpyDeviceToDevice, s->stream),
                       "computing forces");
    if (s->share)
        TORRE_TRY(md_share_total(s));
    else
        TORRE_CUDA_TRY(md_total(s->partial, force_rows(s), s->total, s->stream),
                       "adding up energies");
    if (relaxes(s)) return queue_relax_sums(s, kick != 0);
    if (!has_thermostat(s)) return TORRE_OK;
    return kick != 0 ? queue_thermostat(s, step) : queue_factor(s, MD_FACTOR_SUM, 0);
}

/* How far ahead a rebuild expects particles (md_sort_args). */
static double half_step(const md_cuda_solver *s) { return 0.5 * s->problem->dt; }

static double most_ahead(const md_cuda_solver *s) { return MOST_AHEAD * s->plan->skin; }

/* Perhaps a rebuild, and steps, from the positions of that one. */
static torre_status queue_segment(md_cuda_solver *s, int64_t step, bool build, bool sort, int steps,
                                  bool timed)
{
    if (timed) TORRE_CUDA_TRY(cudaEventRecord(own(s)->event[0], s->stream), "timing");
    if (build && s->share)
        TORRE_TRY(md_share_rebuild(s, half_step(s), most_ahead(s), true,
                                   timed ? own(s)->event[1] : (cudaEvent_t)0));
    else if (build)
        TORRE_TRY(md_cuda_queue_sort(s, sort, half_step(s), most_ahead(s)));
    if (timed && !s->share) TORRE_CUDA_TRY(cudaEventRecord(own(s)->event[1], s->stream), "timing");
    if (build && !s->share) TORRE_TRY(md_cuda_queue_list(s));
    if (timed) TORRE_CUDA_TRY(cudaEventRecord(own(s)->event[2], s->stream), "timing");
    TORRE_TRY(queue_steps(s, step, steps));
    if (timed) TORRE_CUDA_TRY(cudaEventRecord(own(s)->event[3], s->stream), "timing");
    return TORRE_OK;
}

static bool graph_matches(const md_cuda_solver *s, const md_graph *g, bool build, bool sort,
                          int steps)
{
    return g->used && g->build == build && g->sort == sort && g->steps == steps &&
           g->x_now == s->x_now && g->v_now == s->v_now && g->id_now == s->id_now &&
           g->permuted == s->permuted;
}

static void free_graphs(md_cuda_solver *s)
{
    for (int k = 0; k < GRAPHS; k++) {
        if (own(s)->graphs[k].used) cudaGraphExecDestroy(own(s)->graphs[k].exec);
        own(s)->graphs[k].used = false;
    }
}

/* Record a segment, of steps that are all alike, as a graph, without running it; s is as after the
 * segment. */
static torre_status record_graph(md_cuda_solver *s, bool build, bool sort, int steps, md_graph *g)
{
    cudaGraph_t graph;
    TORRE_CUDA_TRY(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal),
                   "recording steps");
    torre_status status = queue_segment(s, 0, build, sort, steps, false);
    cudaError_t error = cudaStreamEndCapture(s->stream, &graph);
    if (status) return status;
    TORRE_CUDA_TRY(error, "recording steps");
    error = cudaGraphInstantiate(&g->exec, graph, 0);
    cudaGraphDestroy(graph);
    TORRE_CUDA_TRY(error, "recording steps");
    g->used = true;
    return TORRE_OK;
}

/* The same as queue_segment, from a recorded graph. */
static torre_status replay_segment(md_cuda_solver *s, bool build, bool sort, int steps)
{
    for (int k = 0; k < GRAPHS; k++) {
        md_graph *g = &own(s)->graphs[k];
        if (!graph_matches(s, g, build, sort, steps)) continue;
        TORRE_CUDA_TRY(cudaGraphLaunch(g->exec, s->stream), "starting steps");
        s->x_now ^= (build ? 1 : 0) ^ (in_parts(s, 0) ? 0 : steps & 1);
        s->v_now ^= (build ? 1 : 0) ^ (own(s)->dissipates ? steps & 1 : 0);
        s->id_now ^= build ? 1 : 0;
        if (build) s->permuted = !sort;
        return TORRE_OK;
    }
    md_graph *g = &own(s)->graphs[own(s)->graph_next];
    own(s)->graph_next = (own(s)->graph_next + 1) % GRAPHS;
    if (g->used) cudaGraphExecDestroy(g->exec);
    *g = (md_graph){.build = build,
                    .sort = sort,
                    .steps = steps,
                    .x_now = s->x_now,
                    .v_now = s->v_now,
                    .id_now = s->id_now,
                    .permuted = s->permuted};
    TORRE_TRY(record_graph(s, build, sort, steps, g));
    TORRE_CUDA_TRY(cudaGraphLaunch(g->exec, s->stream), "starting steps");
    return TORRE_OK;
}

static torre_status note_build(md_cuda_solver *s, int64_t step, bool sort)
{
    if (own(s)->record_count == own(s)->record_room) {
        int room = own(s)->record_room ? 2 * own(s)->record_room : 64;
        void *more = realloc(own(s)->records, (size_t)room * sizeof *own(s)->records);
        if (!more) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %d records", room);
        own(s)->records = more;
        own(s)->record_room = room;
    }
    /* sorting flips all buffers */
    own(s)->records[own(s)->record_count++] = (md_build_record){.step = step,
                                                                .last_build = s->last_build,
                                                                .last_sort = s->last_sort,
                                                                .sorts = s->counts.sorts,
                                                                .drifts = own(s)->drifts,
                                                                .x_now = 1 - s->x_now,
                                                                .v_now = 1 - s->v_now,
                                                                .id_now = 1 - s->id_now,
                                                                .permuted = !sort};
    return TORRE_OK;
}

/* step: of the last drift; clock: of the positions. */
static torre_status clear_control(md_cuda_solver *s, int64_t step, int64_t clock)
{
    own(s)->drifts = own(s)->confirmed = 0;
    own(s)->record_count = 0;
    return md_cuda_clear_control(s, step, clock);
}

/* Of the timed segment, which has ended: so many of its steps were done. */
static torre_status collect_timing(md_cuda_solver *s, int64_t steps)
{
    for (int k = 0; own(s)->timing && k < 3; k++) {
        float ms;
        TORRE_CUDA_TRY(cudaEventElapsedTime(&ms, own(s)->event[k], own(s)->event[k + 1]), "timing");
        own(s)->sampled[k] += 1e-3 * ms;
    }
    own(s)->sampled_builds += own(s)->timing > 0;
    own(s)->sampled_steps += steps;
    own(s)->timing = 0;
    return TORRE_OK;
}

static torre_status read_results(md_cuda_solver *s, md_control *control, double total[2 * MD_SUMS])
{
    TORRE_TRY(s->share ? md_share_read_control(s, control, total)
                       : md_cuda_read_control(s, control, total));
    if (control->error) own(s)->timing = 0; /* what was timed may have stopped at once */
    return collect_timing(s, own(s)->timing);
}

/* Whether the lists are to be rebuilt at the positions of this step; waits in check mode. */
static torre_status is_due(md_cuda_solver *s, int64_t step, bool *due)
{
    const torre_md_plan *plan = s->plan;
    const double limit_sq = plan->skin * plan->skin / 4;
    *due = step % plan->rebuild_every == 0;
    if (!*due || !plan->rebuild_check) return TORRE_OK;
    md_control control;
    double total[2 * MD_SUMS];
    TORRE_CUDA_TRY(s->kernels->state->moved(s->control, (int)s->count, s->x[s->x_now], s->x_built,
                                            s->live, limit_sq, s->stream),
                   "measuring displacements");
    TORRE_TRY(read_results(s, &control, total));
    float moved;
    memcpy(&moved, &control.moved, sizeof moved);
    *due = control.error || !(moved <= limit_sq);
    if (*due && step - s->last_build <= plan->rebuild_every) s->counts.dangerous_builds++;
    return TORRE_OK;
}

static torre_status run_segment(md_cuda_solver *s, int64_t step, bool build, int steps)
{
    bool sort = build && md_cuda_sort_is_due(s, step);
    if (build) {
        TORRE_TRY(note_build(s, step, sort));
        s->last_build = step;
        if (sort) s->last_sort = step;
        s->counts.builds++;
        s->counts.sorts += sort;
    }
    bool timed = build && steps && !own(s)->timing && own(s)->segments++ % SAMPLE_EVERY == 1;
    if (timed) own(s)->timing = steps;
    if (timed || s->share || couples_seldom(s) || (!build && steps < 2))
        TORRE_TRY(queue_segment(s, step, build, sort, steps, timed));
    else
        TORRE_TRY(replay_segment(s, build, sort, steps));
    own(s)->drifts += (uint32_t)steps;
    return TORRE_OK;
}

static torre_status unstable(md_cuda_solver *s, int64_t step)
{
    int64_t count = s->problem->count;
    md_control control;
    double total[2 * MD_SUMS];
    TORRE_TRY(read_results(s, &control, total));
    if (control.error & MD_ERROR_GROWTH) return torre_md_box_too_fast(step + 1);
    const char *what = control.error & MD_ERROR_FORCE      ? "feels a force out of all range"
                       : control.error & MD_ERROR_CONTACTS ? "touches more others than can be"
                       : control.error & MD_ERROR_JUMP     ? "crossed the box between two rebuilds"
                                                           : "has a position that is not finite";
    long long id = control.bad_id == UINT32_MAX ? -1 : (long long)control.bad_id;
    if (id < 0) { /* the sums were not finite: look for a particle that is not */
        double *v[3] = {calloc((size_t)count, 8), calloc((size_t)count, 8),
                        calloc((size_t)count, 8)};
        if (v[0] && v[1] && v[2] && !s->base.backend->get_particles(&s->base, NULL, v)) {
            for (int64_t i = 0; i < count && id < 0; i++)
                if (!isfinite(v[0][i] + v[1][i] + v[2][i])) id = i;
        }
        for (int a = 0; a < 3; a++) free(v[a]);
        what = "has a velocity that is not finite";
    }
    if (id < 0)
        return torre_fail(TORRE_ERR_UNSTABLE,
                          "step %lld: the energy is not finite; use a smaller {dt}",
                          (long long)step);
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: particle %lld %s; use a smaller {dt}, or check for overlapping "
                      "particles",
                      (long long)step, id + 1, what);
}

/* Make room for what the device asked for, and go back to the rebuild that failed. */
static torre_status repair(md_cuda_solver *s, const md_control *control, int64_t *step)
{
    if (control->error & (MD_ERROR_NOT_FINITE | MD_ERROR_JUMP | MD_ERROR_FORCE | MD_ERROR_CONTACTS |
                          MD_ERROR_GROWTH))
        return unstable(s, *step - (int64_t)(own(s)->drifts - control->done));
    int r = own(s)->record_count - 1;
    while (r > 0 && own(s)->records[r].drifts != control->done) r--;
    if (r < 0)
        return torre_fail(TORRE_ERR_RESOURCE, "the cuda backend lost track of its steps (error %u)",
                          control->error);
    md_build_record back = own(s)->records[r];
    s->x_now = back.x_now;
    s->v_now = back.v_now;
    s->id_now = back.id_now;
    s->permuted = back.permuted;
    s->last_build = back.last_build;
    s->last_sort = back.last_sort; /* not one behind it, which was queued and never made */
    s->counts.sorts = back.sorts;
    s->counts.builds -= own(s)->record_count - r;
    *step = back.step;
    free_graphs(s);
    TORRE_TRY(md_cuda_enlarge(s, control, *step));
    /* the sort in front has found nobody too far, and has left x_built in an order of its own */
    if (control->error & (MD_ERROR_STAGED | MD_ERROR_LANES | MD_ERROR_LIST | MD_ERROR_BOX))
        TORRE_CUDA_TRY(
            cudaMemcpyAsync(s->x_built, s->x[s->x_now],
                            4 * (size_t)s->kernels->state->state_bytes * (size_t)s->count,
                            cudaMemcpyDeviceToDevice, s->stream),
            "particles");
    return clear_control(s, *step, *step);
}

/*
 * Where displacements are looked at in every step, the device stops behind the step after which the
 * lists are too old, and the host learns of it later. Lists are given a number of steps that the
 * last ones suggest, and made anew behind them in any case: so the next lists and their steps can
 * be queued while these are still under way, and the device need not wait. When they are made
 * depends on the particles alone, not on what is known when.
 */

/* Steps that were queued and are not yet known to be done. */
typedef struct segment {
    int steps;     /* 0: nothing was queued, but there may have been a drift */
    bool queued;   /* whether this is one */
    bool whole;    /* to the end of its lists */
    bool timed;    /* its events are to be read */
    int slot;      /* of own(s)->looked */
    int64_t built; /* step of its lists */
    int64_t limit; /* and how many steps these are for at most */
} segment;

static int64_t limit_after(int64_t interval) { return interval ? interval + 1 : FIRST_GUESS; }

/* Queue steps from `step` on, to the end of the lists or to target; build: with new lists for
 * `limit` steps. */
static torre_status queue_look(md_cuda_solver *s, int64_t step, int64_t target, bool build,
                               int64_t limit, int slot, segment *g)
{
    int64_t end = (build ? step : s->last_build) + limit;
    const int64_t most = step + (s->share ? SHARED_STEPS : GRAPH_STEPS);
    if (end > most) end = most;
    if (end > target) end = target;
    const bool untimed = !own(s)->timing;
    *g = (segment){.steps = (int)(end - step), .queued = true, .slot = slot, .limit = limit};
    if (build || g->steps) TORRE_TRY(run_segment(s, step, build, g->steps));
    g->timed = untimed && own(s)->timing;
    g->built = s->last_build;
    g->whole = end == g->built + limit;
    TORRE_CUDA_TRY(cudaMemcpyAsync(&own(s)->looked[slot], s->control, sizeof *own(s)->looked,
                                   cudaMemcpyDeviceToHost, s->stream),
                   "reading results");
    TORRE_CUDA_TRY(cudaEventRecord(own(s)->look[slot], s->stream), "reading results");
    return TORRE_OK;
}

/* Lists that were made at g->built are too old at `step`. */
static void end_lists(md_cuda_solver *s, const segment *g, int64_t step, bool stopped)
{
    int64_t age = step - g->built;
    if (stopped && age == 1) s->counts.dangerous_builds++;
    own(s)->stopped |= stopped;
    own(s)->interval[1] = own(s)->interval[0];
    own(s)->interval[0] = stopped           ? age
                          : own(s)->stopped ? age + 2
                                            : 2 * age; /* good for more than age */
}

/*
 * Wait for g: *step becomes the one that it came to, *due whether its lists are too old there.
 * next: what was queued behind it, which began there.
 */
static torre_status confirm(md_cuda_solver *s, const segment *g, segment *next, int64_t *step,
                            bool *due, bool *failed)
{
    TORRE_CUDA_TRY(cudaEventSynchronize(own(s)->look[g->slot]), "computing steps");
    const md_control *control = &own(s)->looked[g->slot];
    *failed = control->error || control->last == MD_FAILED;
    if (*failed) {
        own(s)->timing = 0;
        *step += (int64_t)(own(s)->drifts - own(s)->confirmed);
        return TORRE_OK;
    }
    const int done = (int)(control->done - own(s)->confirmed), undone = g->steps - done;
    const bool stopped = control->last != MD_NO_STOP;
    own(s)->confirmed = control->done;
    own(s)->drifts -= (uint32_t)undone;
    *step += done;
    *due = stopped || *step >= g->built + g->limit;
    if (*due) end_lists(s, g, *step, stopped);
    if (next->queued) {
        own(s)->records[own(s)->record_count - 1].step = *step;
        own(s)->records[own(s)->record_count - 1].drifts = control->done;
        if (s->last_sort == s->last_build) s->last_sort = *step;
        s->last_build = next->built = *step;
        own(s)->limit = next->limit;
    }
    return g->timed ? collect_timing(s, done) : TORRE_OK;
}

/* Queue the steps from *step to target, rebuilding where due, and at target where that is due, too.
 * failed: the device stopped in a rebuild. */
static torre_status look_to(md_cuda_solver *s, int64_t *step, int64_t target, bool due,
                            bool *failed)
{
    const int64_t sort_every = s->plan->sort_every;
    /* the same sorts whatever the steps, or never, and steps that are all alike; several devices
     * wait for each other there */
    const bool foresee = sort_every <= 1 && !s->share && !couples_seldom(s);
    segment now = {0}, next = {0};
    bool known = due;
    *failed = false;
    while (!*failed && (*step < target || !known)) {
        if (!now.queued) {
            if (due) own(s)->limit = limit_after(own(s)->interval[1]);
            TORRE_TRY(queue_look(s, *step, target, due, own(s)->limit, 0, &now));
            if (s->share && now.whole && *step + now.steps < target)
                TORRE_TRY(md_share_foresee(s, half_step(s), most_ahead(s)));
        }
        if (now.whole && foresee && *step + now.steps < target)
            TORRE_TRY(queue_look(s, *step + now.steps, target, true,
                                 limit_after(own(s)->interval[0]), 1 - now.slot, &next));
        TORRE_TRY(confirm(s, &now, &next, step, &due, failed));
        if (s->share && *failed) s->share->counted = false;
        known = true;
        now = next;
        next = (segment){0};
    }
    if (*failed || !due) return TORRE_OK;
    own(s)->limit = limit_after(own(s)->interval[1]);
    return run_segment(s, *step, true, 0);
}

/* The same where lists are made or checked every rebuild_every steps. */
static torre_status queue_to(md_cuda_solver *s, int64_t *step, int64_t target, bool due)
{
    const int64_t every = s->plan->rebuild_every;
    while (*step < target) {
        if (!due) TORRE_TRY(is_due(s, *step, &due));
        int64_t until = *step + every - *step % every;
        if (until > target) until = target;
        if (until > *step + GRAPH_STEPS) until = *step + GRAPH_STEPS;
        TORRE_TRY(run_segment(s, *step, due, (int)(until - *step)));
        *step = until;
        due = false;
    }
    if (!due) TORRE_TRY(is_due(s, *step, &due));
    return due ? run_segment(s, *step, true, 0) : TORRE_OK;
}

static void keep_sums(md_cuda_solver *s, const double total[2 * MD_SUMS], bool thermostat)
{
    const torre_md_problem *p = s->problem;
    double inside = total[MD_SUM_INSIDE] / 2, tested = total[MD_SUM_TESTED];
    const double *after = thermostat || relaxes(s) ? total + MD_SUMS : total;
    own(s)->far = leaves_behind(s) && thermostat && after[MD_SUM_FAR] > 0;
    own(s)->sums = (torre_md_sums){
        .kinetic = 0.5 * p->mass * after[MD_SUM_SPEED_SQ],
        .potential = 0.5 * total[MD_SUM_POTENTIAL],
        .potential_shift =
            p->types ? 0.5 * total[MD_SUM_SHIFT] : s->kernels->pair->shift(p) * inside,
        .virial = 0.5 * total[MD_SUM_VIRIAL],
        .rotational = torre_md_is_rough(p) ? 0.2 * p->mass * total[MD_SUM_SHIFT] : 0,
        .contacts = inside,
        .lost = p->mass * total[MD_SUM_LOST],
        .taken = thermostat ? 0.5 * p->mass * after[MD_SUM_TAKEN] : 0,
        .force_square = relaxes(s) ? after[MD_SUM_FORCE_SQ] : 0,
        .momentum = {p->mass * after[MD_SUM_VX], p->mass * after[MD_SUM_VY],
                     p->mass * after[MD_SUM_VZ]},
        .neighbors = tested / (double)p->count,
    };
}

/* Steps between `step`, whose positions are there, and the forces of `target`. */
static torre_status run_to(md_cuda_solver *s, int64_t step, int64_t target, bool build_first,
                           double last_kick)
{
    for (;;) {
        bool failed = false;
        md_control control;
        double total[2 * MD_SUMS];
        if (looks_each_step(s))
            TORRE_TRY(look_to(s, &step, target, build_first, &failed));
        else
            TORRE_TRY(queue_to(s, &step, target, build_first));
        if (!failed) TORRE_TRY(queue_sums(s, target, last_kick));
        TORRE_TRY(read_results(s, &control, total));
        if (control.error) {
            TORRE_TRY(repair(s, &control, &step));
            build_first = true;
            continue;
        }
        keep_sums(s, total, has_thermostat(s) && last_kick != 0);
        s->step = target;
        if (!isfinite(own(s)->sums.kinetic + own(s)->sums.potential + own(s)->sums.virial))
            return unstable(s, target);
        return TORRE_OK;
    }
}

static torre_status begin_at_rest(md_cuda_solver *s)
{
    const torre_fire fire = torre_fire_start(s->problem->dt);
    const size_t bytes = 4 * (size_t)s->kernels->state->state_bytes * (size_t)s->places;
    TORRE_CUDA_TRY(cudaMemcpy(s->fire, &fire, sizeof fire, cudaMemcpyHostToDevice), "particles");
    TORRE_CUDA_TRY(cudaMemset(s->v[0], 0, bytes), "particles");
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "particles");
    return TORRE_OK;
}

static torre_status begin_live(md_cuda_solver *s)
{
    const md_live live = {.box = md_cuda_box(s), .grown = {1, 1, 1}};
    memcpy(s->box, s->problem->box, sizeof s->box);
    TORRE_CUDA_TRY(cudaMemcpy(s->live, &live, sizeof live, cudaMemcpyHostToDevice), "particles");
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "particles");
    return TORRE_OK;
}

static torre_status begin(md_cuda_solver *s)
{
    pairs *o = own(s);
    o->limit = o->interval[0] = o->interval[1] = 0;
    o->stopped = false;
    if (torre_md_is_rough(s->problem)) {
        const size_t count = (size_t)s->problem->count;
        const size_t keys = (size_t)md_cuda_keys(s->problem);
        const size_t springs = (size_t)md_cuda_springs(s->problem);
        TORRE_CUDA_TRY(cudaMemset(s->contact, 0, count * keys), "contacts");
        TORRE_CUDA_TRY(cudaMemset(s->spring, 0, count * springs), "contacts");
        TORRE_CUDA_TRY(cudaDeviceSynchronize(), "contacts");
    }
    if (relaxes(s)) TORRE_TRY(begin_at_rest(s));
    if (has_barostat(s)) TORRE_TRY(begin_live(s));
    if (s->bath)
        TORRE_CUDA_TRY(cudaMemsetAsync(s->bath, 0, sizeof *s->bath, s->stream), "particles");
    TORRE_TRY(clear_control(s, 0, 0));
    TORRE_TRY(run_to(s, 0, 0, true, 0));
    memset(o->sampled, 0, sizeof o->sampled);
    o->sampled_builds = o->sampled_steps = o->segments = 0;
    return TORRE_OK;
}

/*
 * Particles that begin as a lattice crowd in bricks of some shapes, until it has melted. So bricks
 * are chosen anew after some steps, as if nobody crowded; where they still do, a rebuild makes room
 * again. These steps do not depend on how a run is cut.
 */
enum { SETTLED = 128 }; /* and twice that, .. */

static int64_t next_settled(int64_t step)
{
    int64_t at = SETTLED;
    while (at <= step) at *= 2;
    return at;
}

static bool is_crowded(const md_cuda_solver *s)
{
    return s->crowding.staged > 1 || s->crowding.lanes > 1 || s->crowding.entries > 1;
}

/* The next rebuild has the bricks of particles that do not crowd. */
static torre_status settle(md_cuda_solver *s)
{
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "computing steps");
    free_graphs(s);
    s->crowding = (md_crowding){1, 1, 1};
    if (s->share) s->share->counted = false;
    return md_cuda_make_room(s);
}

static torre_status advance_by(md_cuda_solver *s, int64_t steps)
{
    const bool settles = is_crowded(s) && next_settled(s->step - 1) == s->step;
    TORRE_TRY(clear_control(s, s->step, s->step + 1));
    if (relaxes(s)) {
        TORRE_TRY(queue_relax(s, -1));
    } else {
        const int parts = coupling_parts(s, s->step) & (MD_FACTOR_BEFORE | MD_FACTOR_GROW);
        if (parts) TORRE_TRY(queue_factor(s, parts, -1));
        TORRE_TRY(queue_move(s, s->step, -1));
    }
    own(s)->drifts++;
    own(s)->confirmed++;
    if (settles) TORRE_TRY(settle(s));
    return run_to(s, s->step + 1, s->step + steps, settles,
                  s->problem->dt / (2 * s->problem->mass));
}

static torre_status advance(md_cuda_solver *s, int64_t steps)
{
    const int64_t target = s->step + steps;
    while (s->step < target) {
        const int64_t settled = next_settled(s->step);
        TORRE_TRY(advance_by(s, (settled < target ? settled : target) - s->step));
    }
    return TORRE_OK;
}

static torre_status grains_state(md_cuda_solver *s, torre_md_visit *visit, void *context)
{
    const torre_md_problem *p = s->problem;
    const int64_t keys = md_cuda_keys(p), springs = md_cuda_springs(p);
    const size_t count = (size_t)p->count, quad = 4 * (size_t)s->kernels->state->state_bytes;
    void *const spin = s->spin[s->v_now];
    if (s->share) { /* of which `visit` is md_share_visit */
        TORRE_TRY(md_share_visit_quads(s, context, "spins", spin));
        TORRE_TRY(md_share_visit_quads(s, context, "twists", s->twist));
        TORRE_TRY(md_contacts_visit(s, context, "contacts", s->contact, keys));
        return md_contacts_visit(s, context, "springs", s->spring, springs);
    }
    TORRE_TRY(md_cuda_visit_array(visit, context, "spins", spin, count * quad));
    TORRE_TRY(md_cuda_visit_array(visit, context, "twists", s->twist, count * quad));
    TORRE_TRY(md_cuda_visit_array(visit, context, "contacts", s->contact, count * (size_t)keys));
    return md_cuda_visit_array(visit, context, "springs", s->spring, count * (size_t)springs);
}

static torre_status state(md_cuda_solver *s, torre_md_visit *visit, void *context)
{
    pairs *o = own(s);
    int64_t pace[] = {o->limit, o->interval[0], o->interval[1], o->stopped, o->far};
    TORRE_TRY(visit(context, "pace", pace, sizeof pace));
    o->limit = pace[0];
    o->interval[0] = pace[1];
    o->interval[1] = pace[2];
    o->stopped = pace[3];
    o->far = pace[4];
    if (torre_md_is_rough(s->problem)) TORRE_TRY(grains_state(s, visit, context));
    if (s->bath)
        TORRE_TRY(md_cuda_visit_array(visit, context, "thermostat", s->bath, sizeof *s->bath));
    if (relaxes(s))
        TORRE_TRY(md_cuda_visit_array(visit, context, "minimisation", s->fire, sizeof *s->fire));
    return visit(context, "sums", &o->sums, sizeof o->sums);
}

static torre_status resume(md_cuda_solver *s)
{
    free_graphs(s); /* they have the tables of before */
    return TORRE_OK;
}

static void release(md_cuda_solver *s)
{
    pairs *o = s->own;
    if (!o) return;
    free_graphs(s);
    cudaFreeHost(o->looked);
    cudaFree(o->rows);
    for (int k = 0; k < 4; k++)
        if (o->event[k]) cudaEventDestroy(o->event[k]);
    for (int k = 0; k < 2; k++)
        if (o->look[k]) cudaEventDestroy(o->look[k]);
    free(o->records);
    free(o);
}

static torre_status sums(md_cuda_solver *s, torre_md_sums *sums)
{
    *sums = own(s)->sums;
    return TORRE_OK;
}

/* Phases are sampled; their means times the counts, cut to what the loop took. */
static void times(const md_cuda_solver *s, torre_md_times *times)
{
    memset(times, 0, sizeof *times);
    times->other = s->loop_seconds;
    if (!own(s)->sampled_builds || !own(s)->sampled_steps) return;
    double builds = (double)s->counts.builds / (double)own(s)->sampled_builds;
    times->sort = own(s)->sampled[0] * builds;
    times->neighbor = own(s)->sampled[1] * builds;
    times->force = own(s)->sampled[2] * (double)s->steps_done / (double)own(s)->sampled_steps;
    double sum = times->sort + times->neighbor + times->force;
    double scale = sum > s->loop_seconds ? s->loop_seconds / sum : 1;
    times->sort *= scale;
    times->neighbor *= scale;
    times->force *= scale;
    times->other = s->loop_seconds - scale * sum;
}

const md_cuda_method md_cuda_pairs = {
    .plan = plan,
    .allocate = allocate,
    .release = release,
    .begin = begin,
    .advance = advance,
    .state = state,
    .resume = resume,
    .sums = sums,
    .times = times,
};
