#include "run/pair_input.h"

#include <math.h>
#include <string.h>

/* Particles of a file that are nearer than this are a mistake: in sigma, where they push each other
 * with more than 10^12, and in diameters. */
static const double least_sigma = 0.1, least_diameter = 0.9;

double *torre_pair_parameter_of(torre_pair_model model, torre_pair_parameters *pair,
                                const char *name)
{
    const torre_pair_parameter *p = torre_pair_about_model(model)->parameters;
    while (p->name && strcmp(p->name, name) != 0) p++;
    return p->name ? (double *)((char *)pair + p->offset) : NULL;
}

double torre_pair_size(const torre_md_problem *p)
{
    const torre_md_problem own = torre_md_problem_between(p, 0, 0);
    const double size = torre_pair_about_model(p->model)->lengths(&own.pair).size;
    return size > 0 ? size : own.cutoff;
}

/* What the file says counts; something else that was said (to the nine digits of dumps) is a
 * contradiction. */
static torre_status adopt(const torre_pair_spec *s, unsigned bit, const char *parameter,
                          double said, double *value)
{
    if (!value || said == 0 || fabs(*value - said) <= 1e-8 * fabs(said)) return TORRE_OK;
    if (s->said & bit)
        return torre_fail(TORRE_ERR_USAGE, "{%s} %.10g contradicts %s, which says %.10g", parameter,
                          *value, s->input, said);
    *value = said;
    return TORRE_OK;
}

static torre_status adopt_all(torre_pair_spec *s, const torre_particle_source *source, bool several)
{
    const bool granular = s->model == TORRE_PAIR_granular, lj = s->model == TORRE_PAIR_lj;
    const char *units = source->units, *model = torre_pair_model_name(s->model);
    if (units[0] && strcmp(units, "lj") != 0 && !(granular && strcmp(units, "si") == 0))
        return torre_fail(TORRE_ERR_INPUT, "%s: its units are %s, {model} %s takes %s", s->input,
                          units, model, granular ? "si (or lj)" : "lj");
    if (source->has_pair && !lj)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: coefficients of lj/cut are not for {model} %s; leave them out "
                          "(LAMMPS: write_data FILE nocoeff)",
                          s->input, model);
    if (granular && several)
        return torre_fail(TORRE_ERR_INPUT, "%s: particles of {model} granular must be of one type",
                          s->input);
    if (granular) {
        TORRE_TRY(adopt(s, TORRE_SAID_MASS, "mass", source->mass, &s->granular.mass));
        return adopt(s, TORRE_SAID_DIAMETER, "diameter", source->diameter, &s->granular.diameter);
    }
    if (!lj || several) return TORRE_OK;
    const torre_particle_coefficients *c = &source->between[0][0];
    TORRE_TRY(adopt(s, TORRE_SAID_EPSILON, "epsilon", c->epsilon, &s->pair.lj.epsilon));
    TORRE_TRY(adopt(s, TORRE_SAID_SIGMA, "sigma", c->sigma, &s->pair.lj.sigma));
    return adopt(s, TORRE_SAID_CUTOFF, "cutoff", c->cutoff, &s->cutoff);
}

/* For a box with walls across these axes. */
static torre_status read_file(torre_pair_spec *s, const bool wall[3], torre_pair_input *in,
                              torre_particle_source *source)
{
    torre_particle_wish wish = {.frame = s->frame, .grains = s->model == TORRE_PAIR_granular};
    memcpy(wish.wall, wall, sizeof wish.wall);
    TORRE_TRY(torre_particle_file_read(s->input, &wish, &in->particles, source));
    memcpy(in->about.origin, source->origin, sizeof source->origin);
    return adopt_all(s, source, in->particles.type != NULL);
}

/* --- a granular gas --- */

/* With lengths in metres, for the diameter of the spec. */
static torre_granular system_of(const torre_pair_spec *s)
{
    torre_granular g = s->granular;
    g.dimensions = g.size[2] > 0 ? 3 : 2;
    g.seed = s->seed;
    g.shake_amplitude *= g.diameter;
    for (int a = 0; a < 3; a++) g.size[a] *= g.diameter;
    return g;
}

/* Whether all particles have the same height and stay there. */
static bool is_layer(const torre_md_particles *p)
{
    for (int64_t i = 0; i < p->count; i++)
        if (p->position[2][i] != p->position[2][0] || p->velocity[2][i] != 0) return false;
    return p->count > 1;
}

/* Grains of a file that spin or have several sizes. */
static torre_status adopt_grains(const torre_pair_spec *s, const torre_md_particles *p,
                                 torre_granular *g)
{
    double least = p->largest;
    if (!p->spin[0]) return TORRE_OK;
    for (int64_t i = 0; p->radius && i < p->count; i++) least = fmin(least, p->radius[i]);
    if (least < 0.25 * p->largest)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: its smallest grain has a diameter of %g; it must be at least a "
                          "quarter of that of the largest, %g",
                          s->input, 2 * least, 2 * p->largest);
    if (least < p->largest) {
        g->sizes = TORRE_GRANULAR_UNIFORM_SIZES; /* between the two */
        g->size_ratio = least / p->largest;
    }
    if (torre_granular_is_rough(g)) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "%s: its grains spin, as rough ones do: give {friction}, {wall_friction}, "
                      "{rolling_friction} or {side_walls}",
                      s->input);
}

/* Particles of a file bring their box; walls stand where they would around a start at random. */
static torre_status read_granular_file(torre_pair_spec *s, torre_pair_input *in)
{
    torre_granular *g = &in->granular;
    const bool walls = s->granular.walls;
    torre_particle_source source;
    if (s->granular.sizes != TORRE_GRANULAR_ONE_SIZE)
        return torre_fail(TORRE_ERR_USAGE, "{sizes} and {input} exclude each other: particles of a "
                                           "file have their own");
    const bool sides = s->granular.side_walls;
    TORRE_TRY(read_file(s, (const bool[3]){sides, sides, walls}, in, &source));
    *g = system_of(s); /* with the diameter and mass of the file */
    TORRE_TRY(adopt_grains(s, &in->particles, g));
    if (source.has_velocities && !walls && is_layer(&in->particles))
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: its particles lie and move in a plane; a layer cannot start from a "
                          "file, only a gas in three dimensions",
                          s->input);
    if (!source.has_velocities)
        torre_md_start_velocities(&in->particles, g->mass * g->temperature, g->seed);
    in->particles.mass = g->mass;
    g->dimensions = 3;
    for (int a = 0; a < 3; a++) g->size[a] = in->particles.box[a];
    if (g->walls) g->size[2] -= 2 * g->shake_amplitude + g->diameter;
    for (int a = 0; g->side_walls && a < 2; a++) g->size[a] -= g->diameter;
    return torre_granular_is_rough(g)
               ? torre_md_particles_add_grains(&in->particles, g->diameter / 2)
               : TORRE_OK;
}

static torre_status read_granular(torre_pair_spec *s, torre_pair_input *in)
{
    in->granular = system_of(s);
    TORRE_TRY(torre_granular_check(&in->granular));
    if (s->input) TORRE_TRY(read_granular_file(s, in));
    in->plan.skin *= s->granular.diameter;
    in->plan.bin_size *= s->granular.diameter;
    in->about.units = "si";
    in->about.diameter = s->granular.diameter;
    in->about.wall[in->granular.dimensions - 1] = s->granular.walls;
    for (int a = 0; a < in->granular.dimensions - 1; a++)
        in->about.wall[a] = s->granular.side_walls;
    TORRE_TRY(torre_granular_problem(&in->granular, in->plan.skin,
                                     s->said & TORRE_SAID_DT ? s->dt : 0, &in->problem));
    if (!s->input) return TORRE_OK;
    const torre_md_particles *p = &in->particles;
    if (in->granular.walls && in->problem.box[2] > p->box[2] * (1 + 1e-9))
        return torre_fail(TORRE_ERR_INPUT, "%s: its box of %g along z has no room for {walls}",
                          s->input, p->box[2]);
    torre_md_problem_set_particles(&in->problem, p);
    return TORRE_OK;
}

/* --- the others: a lattice, unless a file has them --- */

static void cells_of(const torre_pair_spec *s, int64_t cells[3])
{
    for (int a = 0; a < 3; a++) cells[a] = s->cells[a] ? s->cells[a] : s->cells[0];
}

/* Masses and interactions of types, where there are some. source NULL: of a lattice. */
static torre_status make_types(const torre_pair_spec *s, const torre_particle_source *source,
                               int count, torre_pair_input *in)
{
    static const double one[TORRE_MD_TYPES] = {1, 1, 1, 1, 1, 1, 1, 1};
    torre_md_problem like = {.model = s->model, .pair = s->pair, .cutoff = s->cutoff};
    if (count == 1) {
        if (!s->types.masses && !s->types.pairs) return TORRE_OK;
        return torre_fail(
            TORRE_ERR_USAGE,
            "{%s} is for particles of several types: {types}, or a file that has them",
            s->types.pairs ? "pairs" : "masses");
    }
    TORRE_TRY(torre_type_table(&s->types, count, source, source ? in->particles.type_mass : one,
                               &like, &in->types));
    memcpy(in->particles.type_mass, in->types.mass, sizeof in->types.mass);
    in->particles.mass = in->types.mass[0];
    return TORRE_OK;
}

static torre_status read_lattice_file(torre_pair_spec *s, torre_pair_input *in)
{
    torre_particle_source source;
    if (s->types.types)
        return torre_fail(TORRE_ERR_USAGE, "{types} and {input} exclude each other");
    TORRE_TRY(read_file(s, (const bool[3]){false}, in, &source));
    TORRE_TRY(make_types(s, &source, in->particles.type ? in->particles.types : 1, in));
    const bool has_velocities = source.has_velocities;
    if (has_velocities && (s->said & TORRE_SAID_TEMPERATURE) && s->ensemble == TORRE_NVE)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s gives velocities; leave out {temperature}, which would make others",
                          s->input);
    if (!has_velocities) torre_md_start_velocities(&in->particles, s->temperature, s->seed);
    return TORRE_OK;
}

/* The problem gets the types, and these the particles, once there are some. */
static void add_types(torre_pair_input *in)
{
    in->types.type = in->particles.type;
    in->problem.types = &in->types;
    in->problem.mass = in->types.mass[0];
    in->problem.cutoff = torre_md_types_cutoff(&in->types);
}

torre_status torre_pair_input_read(torre_pair_spec *s, torre_pair_input *in)
{
    const bool granular = s->model == TORRE_PAIR_granular;
    torre_md_problem *p = &in->problem;
    in->about.units = "lj";
    const torre_pair_lengths lengths = torre_pair_about_model(s->model)->lengths(&s->pair);
    if (lengths.cutoff > 0 && !(s->said & TORRE_SAID_CUTOFF)) s->cutoff = lengths.cutoff;
    if (!granular) {
        int types;
        TORRE_TRY(torre_type_shares(&s->types, in->share, &types));
        TORRE_TRY(s->input ? read_lattice_file(s, in) : make_types(s, NULL, types, in));
    }
    *p = (torre_md_problem){
        .model = s->model,
        .pair = s->pair,
        .cutoff = s->cutoff,
        .dt = s->dt,
        .precision = s->precision,
        .ensemble = s->ensemble,
        .temperature = s->target_temperature < 0 ? s->temperature : s->target_temperature,
        .ramp_to = s->final_temperature,
        .ramp_steps = s->final_temperature < 0 ? 0 : s->ramp_steps,
        .damping_time = s->damping_time,
        .couple_every = s->couple_every,
        .seed = s->seed,
        .pressure = s->pressure,
        .pressure_to = s->final_pressure,
        .pressure_steps = s->ensemble != TORRE_NPT || isnan(s->final_pressure) ? 0 : s->ramp_steps,
        .pressure_damping = s->pressure_damping,
        .pressure_axes = s->pressure_axes,
        .force_tolerance = s->force_tolerance};
    in->plan = s->plan;
    if (granular) return read_granular(s, in);
    if (!s->input) {
        int64_t cells[3];
        cells_of(s, cells);
        TORRE_TRY(torre_md_start_fcc_size(cells, s->density, &p->count, p->box, &p->mass));
    } else {
        torre_md_problem_set_particles(p, &in->particles);
    }
    if (in->types.count) add_types(in);
    return TORRE_OK;
}

static torre_status make_particles(const torre_pair_spec *s, torre_pair_input *in)
{
    int64_t cells[3];
    if (s->model == TORRE_PAIR_granular)
        return torre_granular_start(&in->granular, &in->problem, &in->particles);
    cells_of(s, cells);
    TORRE_TRY(torre_md_start_fcc(cells, s->density, &in->particles));
    if (in->types.count)
        TORRE_TRY(torre_type_deal(in->share, in->types.count, s->seed, &in->particles));
    memcpy(in->particles.type_mass, in->types.mass, sizeof in->types.mass);
    if (in->types.count) in->particles.mass = in->types.mass[0];
    torre_md_start_velocities(&in->particles, s->temperature, s->seed);
    return TORRE_OK;
}

/* Whether the lattice that particles start on keeps neighbours so far apart by itself. */
static bool lattice_is_wide(const torre_pair_spec *s, double distance)
{
    return !s->input && cbrt(4 / s->density) / sqrt(2) > distance * (1 + 1e-9);
}

torre_status torre_pair_input_particles(const torre_pair_spec *s, torre_pair_input *in)
{
    if (!s->input) {
        TORRE_TRY(make_particles(s, in));
        torre_md_problem_set_particles(&in->problem, &in->particles);
        if (in->types.count) add_types(in);
    }
    TORRE_TRY(torre_md_problem_check(&in->problem));
    if (s->model != TORRE_PAIR_granular) {
        const double distance = least_sigma * torre_pair_size(&in->problem);
        if (lattice_is_wide(s, distance)) return TORRE_OK;
        return torre_md_start_check_overlap(&in->particles, distance);
    }
    if (!s->input || in->granular.gas == TORRE_GRANULAR_IDEAL) return TORRE_OK;
    return torre_md_start_check_overlap(&in->particles, least_diameter * in->granular.diameter);
}

void torre_pair_input_free(torre_pair_input *in) { torre_md_particles_free(&in->particles); }
