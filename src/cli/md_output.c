#include "cli/md_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/md_granular.h"

static torre_status open_picture(const md_settings *s, const md_input *in, md_output *out)
{
    const bool granular = in->problem.model == TORRE_PAIR_granular;
    torre_sink_data data = {.kind = TORRE_SINK_PARTICLES};
    data.particles.size = granular ? in->problem.cutoff : s->sigma;
    TORRE_TRY(particle_output_path(&s->common, "picture", s->common.picture, out->picture_path,
                                   sizeof out->picture_path));
    return torre_sink_open(torre_sink_by_name("png"), &data, out->picture_path, &out->picture);
}

static torre_status open_csv(const md_settings *s, const md_input *in, md_output *out)
{
    static const char *const lj[] = {"step",    "temp",  "e_pair",   "e_mol",
                                     "e_total", "press", "e_shifted"};
    torre_table_layout table = {
        .columns = sizeof lj / sizeof lj[0], .name = lj, .digits = 17, .log = true};
    if (in->problem.model == TORRE_PAIR_granular) {
        table.columns = MD_GRANULAR_COLUMNS;
        table.name = md_granular_column;
    }
    const torre_sink_data data = {.kind = TORRE_SINK_ROWS, .table = table};
    return torre_sink_open(torre_sink_by_name("csv"), &data, s->common.csv, &out->csv);
}

static torre_status open_profile(const md_settings *s, md_output *out)
{
    const torre_sink_data data = {.kind = TORRE_SINK_ROWS,
                                  .table = {.columns = MD_GRANULAR_PROFILE_COLUMNS,
                                            .name = md_granular_profile_column,
                                            .digits = 9}};
    out->slice = calloc((size_t)s->profile_slices, sizeof *out->slice);
    if (!out->slice) return torre_fail(TORRE_ERR_RESOURCE, "no memory for the height profile");
    return torre_sink_open(torre_sink_by_name("csv"), &data, s->profile, &out->profile);
}

static torre_status open_dump(const md_settings *s, const md_input *in, md_output *out)
{
    const torre_sink_data data = {
        .kind = TORRE_SINK_PARTICLES, .series = true, .particles = {.about = in->about}};
    const torre_sink_format *format;
    TORRE_TRY(torre_sink_choose("dump", s->common.dump, data.kind, true, &format));
    return torre_sink_open(format, &data, s->common.dump, &out->dump);
}

static torre_status write_start(const md_settings *s, const md_input *in)
{
    const torre_sink_data data = {.kind = TORRE_SINK_PARTICLES, .particles = {.about = in->about}};
    const torre_frame frame = {.particles = &in->particles};
    return torre_sink_write(torre_sink_by_name("lammps-data"), &data, s->write_data, &frame);
}

torre_status md_output_open(const md_settings *s, const md_input *in, md_output *out)
{
    out->settings = s;
    const particle_options *o = &s->common;
    if (particle_output_wanted(o->picture)) TORRE_TRY(open_picture(s, in, out));
    if (o->json) TORRE_TRY(torre_output_open(o->json, &out->json));
    if (o->csv) TORRE_TRY(open_csv(s, in, out));
    if (s->profile) TORRE_TRY(open_profile(s, out));
    if (o->dump) TORRE_TRY(open_dump(s, in, out));
    if (s->write_data) TORRE_TRY(write_start(s, in));
    if (out->dump || out->picture || out->profile)
        TORRE_TRY(torre_md_particles_new(in->particles.count, &out->now));
    out->now.mass = in->problem.mass;
    return TORRE_OK;
}

static torre_status add_frame(md_output *out, const torre_md_run *run)
{
    const torre_frame frame = {
        .step = run->step, .time = (double)run->step * run->problem->dt, .particles = &out->now};
    return torre_sink_frame(out->dump, &frame);
}

torre_status md_output_frame(md_output *out, torre_md_run *run)
{
    const md_settings *s = out->settings;
    bool dump = out->dump && s->common.dump_every && run->step % s->common.dump_every == 0;
    bool profile = out->profile && run->step % s->profile_every == 0;
    if (dump || profile) TORRE_TRY(torre_md_run_particles(run, &out->now));
    if (dump) TORRE_TRY(add_frame(out, run));
    if (profile) {
        torre_granular_profile(run->problem, &out->now, (int)s->profile_slices, out->slice);
        out->samples++;
    }
    return TORRE_OK;
}

static torre_status complete_dump(md_output *out, torre_md_run *run, bool failed)
{
    const int64_t every = out->settings->common.dump_every;
    if (!failed && (every == 0 || run->step % every != 0)) {
        TORRE_TRY(torre_md_run_particles(run, &out->now));
        TORRE_TRY(add_frame(out, run));
    }
    return torre_sink_finish(&out->dump, TORRE_OK);
}

void md_output_row(md_output *out, const torre_md_run *run, const torre_md_thermo *r)
{
    const double lj[] = {(double)r->step, r->temperature, r->pair_energy,   0,
                         r->total_energy, r->pressure,    r->shifted_energy};
    double granular[MD_GRANULAR_COLUMNS];
    const bool is_granular = run->problem->model == TORRE_PAIR_granular;
    if (!out->csv) return;
    if (is_granular) md_granular_values(run, r, granular);
    const torre_frame frame = {.step = r->step, .row = is_granular ? granular : lj};
    torre_sink_frame(out->csv, &frame); /* commit tells of what could not be written */
}

static torre_status complete_profile(md_output *out, const torre_md_run *run)
{
    for (int k = 0; k < (int)out->settings->profile_slices; k++) {
        double value[MD_GRANULAR_PROFILE_COLUMNS];
        md_granular_profile_values(run->problem, (int)out->settings->profile_slices, k,
                                   &out->slice[k], out->samples, value);
        TORRE_TRY(torre_sink_frame(out->profile, &(torre_frame){.row = value}));
    }
    return torre_sink_finish(&out->profile, TORRE_OK);
}

static torre_status complete_picture(md_output *out, torre_md_run *run)
{
    char title[64];
    TORRE_TRY(torre_md_run_particles(run, &out->now));
    snprintf(title, sizeof title, "md, step %" PRId64, run->step);
    const torre_frame frame = {
        .step = run->step,
        .title = title,
        .particles = &out->now,
        /* three times the mean square along an axis: few particles are faster than sqrt(8 T) */
        .speed = sqrt(8 * run->row[run->rows - 1].temperature / run->problem->mass)};
    return torre_sink_finish(&out->picture, torre_sink_frame(out->picture, &frame));
}

torre_status md_output_results(md_output *out, torre_md_run *run, bool failed)
{
    if (out->dump) TORRE_TRY(complete_dump(out, run, failed));
    TORRE_TRY(torre_sink_finish(&out->csv, TORRE_OK));
    if (out->profile) TORRE_TRY(complete_profile(out, run));
    if (out->picture && !failed) TORRE_TRY(complete_picture(out, run));
    return TORRE_OK;
}

void md_output_close(md_output *out)
{
    torre_sink_discard(out->dump);
    torre_sink_discard(out->csv);
    torre_sink_discard(out->profile);
    torre_sink_discard(out->picture);
    torre_output_discard(out->json);
    free(out->slice);
    torre_md_particles_free(&out->now);
    memset(out, 0, sizeof *out);
}
