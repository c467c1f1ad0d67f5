#include "cli/md_granular.h"

#include <inttypes.h>
#include <string.h>

#include "particles/granular_table.h"

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

void md_granular_setup(FILE *out, const md_settings *s, const torre_md_problem *p)
{
    fprintf(out, "# filling %.4g, restitution %.4g, contact time %.4g s, 1/%.0f of it a step\n",
            torre_granular_filling(p, s->diameter),
            s->gas == TORRE_GRANULAR_INELASTIC ? s->restitution : 1, torre_granular_duration(p),
            torre_granular_duration(p) / p->dt);
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
            r->lost / (double)p->count, r->contacts, torre_granular_collision_rate(p, r));
}

void md_granular_report_row(torre_report *at, const torre_md_run *run, const torre_md_thermo *r)
{
    double value[TORRE_GRANULAR_COLUMNS];
    torre_granular_values(run, r, value);
    torre_report_integer(at, "step", r->step);
    for (int k = 1; k < TORRE_GRANULAR_COLUMNS; k++)
        torre_report_real(at, torre_granular_column[k], value[k]);
}
