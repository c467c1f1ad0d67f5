#include "cli/md_granular.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "particles/pair_granular.h"

/* Particles of a file that overlap by more than this part of a diameter are a mistake. */
static const double overlap = 0.1;

static torre_granular system_of(const md_settings *s, const torre_option *table)
{
    torre_granular g = {.dimensions = s->size[2] > 0 ? 3 : 2,
                        .diameter = s->diameter,
                        .mass = s->mass,
                        .stiffness = s->stiffness,
                        .hertz = s->contact == 1,
                        .gas = (torre_granular_gas)s->gas,
                        .restitution = s->restitution,
                        .walls = s->walls,
                        .wall_restitution = s->wall_restitution,
                        .shake_amplitude = s->shake_amplitude * s->diameter,
                        .shake_frequency = s->shake_frequency,
                        .gravity = s->gravity,
                        .filling = s->filling,
                        .temperature =
                            torre_options_given(table, "temperature") ? s->temperature : 0.01,
                        .seed = (uint64_t)s->seed,
                        .sweeps = s->start_sweeps};
    for (int a = 0; a < 3; a++) g.size[a] = s->size[a] * s->diameter;
    return g;
}

/* Whether all particles have the same height and stay there. */
static bool is_layer(const torre_md_particles *p)
{
    for (int64_t i = 0; i < p->count; i++)
        if (p->position[2][i] != p->position[2][0] || p->velocity[2][i] != 0) return false;
    return p->count > 1;
}

/* Particles of a file bring their box; walls stand where they would around a start at random. */
static torre_status read_file(md_settings *s, const torre_option *table, md_input *in)
{
    torre_granular *g = &in->granular;
    bool has_velocities;
    static const char *const made[] = {"size", "filling", "start-sweeps"};
    for (int k = 0; k < 3; k++)
        if (torre_options_given(table, made[k]))
            return torre_fail(TORRE_ERR_USAGE, "--%s and --input exclude each other", made[k]);
    TORRE_TRY(
        md_input_read_file(s, table, (const bool[3]){false, false, s->walls}, in, &has_velocities));
    *g = system_of(s, table); /* with the diameter and mass of the file */
    if (has_velocities && !s->walls && is_layer(&in->particles))
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: its particles lie and move in a plane; a layer cannot start from a "
                          "file, only a gas in three dimensions",
                          s->input);
    if (!has_velocities)
        torre_md_start_velocities(&in->particles, g->mass * g->temperature, g->seed);
    in->particles.mass = g->mass;
    g->dimensions = 3;
    for (int a = 0; a < 3; a++) g->size[a] = in->particles.box[a];
    if (g->walls) g->size[2] -= 2 * g->shake_amplitude + g->diameter;
    return TORRE_OK;
}

torre_status md_granular_read(md_settings *s, const torre_option *table, md_input *in)
{
    torre_md_plan *plan = &in->plan;
    in->granular = system_of(s, table);
    TORRE_TRY(torre_granular_check(&in->granular));
    if (s->input) TORRE_TRY(read_file(s, table, in));
    plan->skin *= s->diameter;
    plan->bin_size *= s->diameter;
    in->about.units = "si";
    in->about.diameter = s->diameter;
    in->about.wall[in->granular.dimensions - 1] = s->walls;
    double dt = torre_options_given(table, "dt") ? s->dt : 0;
    TORRE_TRY(torre_granular_problem(&in->granular, plan->skin, dt, &in->problem));
    if (!s->input) return TORRE_OK;
    const torre_md_particles *p = &in->particles;
    if (in->granular.walls && in->problem.box[2] > p->box[2] * (1 + 1e-9))
        return torre_fail(TORRE_ERR_INPUT, "%s: its box of %g along z has no room for --walls",
                          s->input, p->box[2]);
    torre_md_problem_set_particles(&in->problem, p);
    return TORRE_OK;
}

torre_status md_granular_particles(const md_settings *s, md_input *in)
{
    if (!s->input) {
        TORRE_TRY(torre_granular_start(&in->granular, &in->problem, &in->particles));
        torre_md_problem_set_particles(&in->problem, &in->particles);
    }
    TORRE_TRY(torre_md_problem_check(&in->problem));
    if (!s->input || in->granular.gas == TORRE_GRANULAR_IDEAL) return TORRE_OK;
    return torre_md_start_check_overlap(&in->particles, (1 - overlap) * s->diameter);
}

/* Contact time of two particles in the problem, as far as it does not depend on the speed. */
static double contact_time(const torre_md_problem *p)
{
    const torre_granular_parameters *g = &p->pair.granular;
    if (g->ideal || g->hertz) return 0;
    double m = p->mass / 2;
    double damping = torre_granular_dashpot(false, g->stiffness, m, g->restitution) / (2 * m);
    return 3.14159265358979323846 / sqrt(g->stiffness / m - damping * damping);
}

/* Collisions of a particle per time: contacts last the contact time. */
static double collision_rate(const torre_md_problem *p, const torre_md_thermo *row)
{
    double time = contact_time(p);
    return time > 0 ? 2 * row->contacts / ((double)p->count * time) : 0;
}

void md_granular_setup(FILE *out, const md_settings *s, const torre_md_problem *p)
{
    double volume = 3.14159265358979323846 / 6 * pow(s->diameter, 3) * (double)p->count;
    double room = p->box[0] * p->box[1];
    if (p->dimensions == 2) volume *= 1.5 / s->diameter;
    int axis = p->dimensions == 2 ? 1 : 2;
    double height = p->box[axis];
    if (p->pair.granular.walls) height = p->pair.granular.wall_high - p->pair.granular.wall_low;
    room = axis == 2 ? room * height : p->box[0] * height;
    fprintf(out, "# filling %.4g, restitution %.4g, contact time %.4g s, 1/%.0f of it a step\n",
            volume / room, s->gas == TORRE_GRANULAR_INELASTIC ? s->restitution : 1, contact_time(p),
            contact_time(p) / p->dt);
}

void md_granular_head(FILE *out)
{
    fprintf(out, "# units: steps, s, m^2/s^2, J per particle, contacts, collisions per particle "
                 "and s\n");
    fprintf(out, "#  Step         Time    Temperature         TotEng           Lost   Contacts"
                 "      Rate\n");
}

void md_granular_row(FILE *out, const torre_md_problem *p, const torre_md_thermo *r)
{
    fprintf(out, "%8" PRId64 " %12.6g %14.8g %14.8g %14.8g %10.0f %9.4g\n", r->step,
            (double)r->step * p->dt, torre_granular_temperature(p, r), r->total_energy,
            r->lost / (double)p->count, r->contacts, collision_rate(p, r));
}

const char *const md_granular_column[MD_GRANULAR_COLUMNS] = {
    "step",   "time",    "temperature", "e_kinetic",      "e_potential", "e_total",
    "e_lost", "e_walls", "contacts",    "collision_rate", "press"};

void md_granular_values(const torre_md_run *run, const torre_md_thermo *r,
                        double value[MD_GRANULAR_COLUMNS])
{
    const torre_md_problem *p = run->problem;
    const double lost = r->lost / (double)p->count;
    const double all[MD_GRANULAR_COLUMNS] = {(double)r->step,
                                             (double)r->step * p->dt,
                                             torre_granular_temperature(p, r),
                                             r->total_energy - r->pair_energy,
                                             r->pair_energy,
                                             r->total_energy,
                                             lost,
                                             r->total_energy + lost - run->row[0].total_energy,
                                             r->contacts,
                                             collision_rate(p, r),
                                             r->pressure};
    memcpy(value, all, sizeof all);
}

void md_granular_report_row(torre_report *at, const torre_md_run *run, const torre_md_thermo *r)
{
    double value[MD_GRANULAR_COLUMNS];
    md_granular_values(run, r, value);
    torre_report_integer(at, "step", r->step);
    for (int k = 1; k < MD_GRANULAR_COLUMNS; k++)
        torre_report_real(at, md_granular_column[k], value[k]);
}

const char *const md_granular_profile_column[MD_GRANULAR_PROFILE_COLUMNS] = {
    "height", "number_density", "filling", "velocity", "temperature"};

void md_granular_profile_values(const torre_md_problem *p, int slices, int k,
                                const torre_granular_slice *c, int64_t samples,
                                double value[MD_GRANULAR_PROFILE_COLUMNS])
{
    const int dimensions = p->dimensions == 2 ? 2 : 3, axis = dimensions - 1;
    double one = 3.14159265358979323846 / 4 * p->cutoff * p->cutoff, area = p->box[0];
    if (dimensions == 3) {
        one *= p->cutoff / 1.5;
        area *= p->box[1];
    }
    double thick = p->box[axis] / slices;
    double temperature = 0, count = c->count > 0 ? c->count : 1;
    for (int a = 0; a < dimensions; a++) {
        double mean = c->velocity[a] / count;
        temperature += (c->velocity_sq[a] / count - mean * mean) / dimensions;
    }
    double density = samples ? c->count / ((double)samples * area * thick) : 0;
    value[0] = (k + 0.5) * thick;
    value[1] = density;
    value[2] = density * one;
    value[3] = c->velocity[axis] / count;
    value[4] = temperature;
}
