#include "cli/md_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/md_granular.h"
#include "io/particle_picture.h"

torre_status md_output_open(const md_settings *s, const md_input *in, md_output *out)
{
    out->settings = s;
    const particle_options *o = &s->common;
    if (particle_output_wanted(o->picture)) {
        TORRE_TRY(particle_output_path(o, "picture", o->picture, out->picture_path,
                                       sizeof out->picture_path));
        TORRE_TRY(torre_output_open(out->picture_path, &out->picture));
    }
    if (s->common.json) TORRE_TRY(torre_output_open(s->common.json, &out->json));
    if (s->common.csv) TORRE_TRY(torre_text_output_open(s->common.csv, &out->csv));
    if (s->profile) {
        TORRE_TRY(torre_text_output_open(s->profile, &out->profile));
        out->slice = calloc((size_t)s->profile_slices, sizeof *out->slice);
        if (!out->slice) return torre_fail(TORRE_ERR_RESOURCE, "no memory for the height profile");
    }
    torre_trajectory_layout layout = {.about = in->about};
    if (s->common.dump) TORRE_TRY(torre_trajectory_open(s->common.dump, &layout, &out->dump));
    if (s->write_data)
        TORRE_TRY(torre_lammps_data_write(s->write_data, &in->about, &in->particles));
    if (out->dump || out->picture || out->profile)
        TORRE_TRY(torre_md_particles_new(in->particles.count, &out->now));
    out->now.mass = in->problem.mass;
    return TORRE_OK;
}

static void add_frame(md_output *out, const torre_md_run *run)
{
    torre_trajectory_frame(out->dump, run->step, (double)run->step * run->problem->dt, &out->now,
                           NULL);
}

torre_status md_output_frame(md_output *out, torre_md_run *run)
{
    const md_settings *s = out->settings;
    bool dump = out->dump && s->common.dump_every && run->step % s->common.dump_every == 0;
    bool profile = out->profile && run->step % s->profile_every == 0;
    if (dump || profile) TORRE_TRY(torre_md_run_particles(run, &out->now));
    if (dump) add_frame(out, run);
    if (profile) {
        torre_granular_profile(run->problem, &out->now, (int)s->profile_slices, out->slice);
        out->samples++;
    }
    return TORRE_OK;
}

static torre_status complete_dump(md_output *out, torre_md_run *run, bool failed)
{
    bool last =
        out->settings->common.dump_every == 0 || run->step % out->settings->common.dump_every != 0;
    if (last && !failed) {
        TORRE_TRY(torre_md_run_particles(run, &out->now));
        add_frame(out, run);
    }
    torre_trajectory *dump = out->dump;
    out->dump = NULL;
    return torre_trajectory_commit(dump);
}

static void lj_csv_row(torre_text_output *csv, const torre_md_thermo *r)
{
    torre_text_output_print(csv, "%" PRId64 ",%.17g,%.17g,0,%.17g,%.17g,%.17g\n", r->step,
                            r->temperature, r->pair_energy, r->total_energy, r->pressure,
                            r->shifted_energy);
}

void md_output_row(md_output *out, const torre_md_run *run, const torre_md_thermo *row)
{
    const bool granular = run->problem->model == TORRE_PAIR_granular;
    if (!out->csv) return;
    if (row == run->row) { /* the first */
        if (granular)
            md_granular_csv_head(out->csv);
        else
            torre_text_output_print(out->csv, "step,temp,e_pair,e_mol,e_total,press,e_shifted\n");
    }
    if (granular)
        md_granular_csv_row(out->csv, run, row);
    else
        lj_csv_row(out->csv, row);
    torre_text_output_publish(out->csv); /* commit tells of what could not be written */
}

static torre_status complete_csv(md_output *out)
{
    torre_text_output *csv = out->csv;
    out->csv = NULL;
    return torre_text_output_commit(csv);
}

static torre_status complete_profile(md_output *out, const torre_md_run *run)
{
    torre_text_output *csv = out->profile;
    md_granular_profile_csv(csv, run->problem, (int)out->settings->profile_slices, out->slice,
                            out->samples);
    out->profile = NULL;
    return torre_text_output_commit(csv);
}

static torre_status complete_picture(md_output *out, torre_md_run *run)
{
    torre_image image;
    char title[64];
    TORRE_TRY(torre_md_run_particles(run, &out->now));
    /* three times the mean square along an axis: few particles are faster than sqrt(8 T) */
    double speed = sqrt(8 * run->row[run->rows - 1].temperature / run->problem->mass);
    const bool granular = run->problem->model == TORRE_PAIR_granular;
    double size = granular ? run->problem->cutoff : out->settings->sigma;
    TORRE_TRY(torre_particle_picture(&out->now, size, speed, &image));
    snprintf(title, sizeof title, "md, step %" PRId64, run->step);
    torre_status status = torre_png_encode(&image, title, out->picture);
    torre_image_free(&image);
    return torre_output_finish(&out->picture, status);
}

torre_status md_output_results(md_output *out, torre_md_run *run, bool failed)
{
    if (out->dump) TORRE_TRY(complete_dump(out, run, failed));
    if (out->csv) TORRE_TRY(complete_csv(out));
    if (out->profile) TORRE_TRY(complete_profile(out, run));
    if (out->picture && !failed) TORRE_TRY(complete_picture(out, run));
    return TORRE_OK;
}

void md_output_close(md_output *out)
{
    torre_trajectory_discard(out->dump);
    torre_text_output_discard(out->csv);
    torre_text_output_discard(out->profile);
    free(out->slice);
    torre_output_discard(out->json);
    torre_output_discard(out->picture);
    torre_md_particles_free(&out->now);
    memset(out, 0, sizeof *out);
}
