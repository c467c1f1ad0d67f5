#include "cli/mps_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/particle_picture.h"

static torre_status open_tables(mps_output *out)
{
    const mps_settings *s = out->settings;
    if (particle_output_wanted(s->front)) {
        TORRE_TRY(particle_output_path(&s->common, "front", s->front, out->front_path,
                                       sizeof out->front_path));
        TORRE_TRY(torre_text_output_open(out->front_path, &out->front));
        torre_text_output_print(out->front, "t,x,x/L,t*sqrt(2g/L)\n");
    }
    if (s->gauges) {
        TORRE_TRY(particle_output_path(&s->common, "output", "gauges.csv", out->gauges_path,
                                       sizeof out->gauges_path));
        TORRE_TRY(torre_text_output_open(out->gauges_path, &out->gauges));
        torre_text_output_print(out->gauges, "t");
        for (int k = 0; k < out->input->gauges; k++) {
            const double *at = out->input->gauge[k];
            torre_text_output_print(out->gauges, ",p(%g %g %g)", at[0], at[1], at[2]);
        }
        torre_text_output_print(out->gauges, "\n");
    }
    if (s->common.csv) {
        TORRE_TRY(torre_text_output_open(s->common.csv, &out->csv));
        torre_text_output_print(out->csv, "step,t,front,kinetic,potential,elastic,energy,"
                                          "speed,pressure,compression,surface,excursion,px,py,pz"
                                          "\n");
    }
    return TORRE_OK;
}

/* In coordinates of the tank, as gauges and front are; the box reaches beyond its walls. */
static torre_status open_dump(mps_output *out)
{
    const mps_input *in = out->input;
    const torre_mps_problem *p = &in->problem;
    torre_trajectory_layout layout = {
        .about = {.units = "si", .diameter = p->spacing, .wall = {true, true, in->tank.side_walls}},
        .kinds = 3,
        .kind_end = {p->fluid, p->fluid + p->wall, p->count},
        .columns = 2,
        .column = {"pressure", "number_density"}};
    for (int a = 0; a < 3; a++) layout.about.origin[a] = -in->layout.origin[a];
    return torre_trajectory_open(out->settings->common.dump, &layout, &out->dump);
}

torre_status mps_output_open(const mps_settings *s, const mps_input *in, mps_output *out)
{
    out->settings = s;
    out->input = in;
    out->dumped = -1;
    if (particle_output_wanted(s->common.picture)) {
        TORRE_TRY(particle_output_path(&s->common, "picture", s->common.picture, out->picture_path,
                                       sizeof out->picture_path));
        TORRE_TRY(torre_output_open(out->picture_path, &out->picture));
    }
    if (s->common.json) TORRE_TRY(torre_output_open(s->common.json, &out->json));
    if (s->common.dump) TORRE_TRY(open_dump(out));
    return open_tables(out);
}

double mps_output_front(const mps_input *in, const torre_mps_row *row)
{
    return row->front - in->layout.origin[0];
}

double mps_output_time(const mps_input *in, const torre_mps_row *row)
{
    return row->time * sqrt(2 * in->problem.gravity / in->width);
}

/*
 * Picture of the fluid in the tank: the walls are its edges. The colour of the fastest is that of a
 * fall from the top of the column.
 */
static torre_status draw(const mps_output *out, const torre_mps_run *run, torre_image *image)
{
    const mps_input *in = out->input;
    torre_md_particles fluid;
    TORRE_TRY(torre_md_particles_new(in->problem.fluid, &fluid));
    for (int a = 0; a < 3; a++) {
        fluid.box[a] = (double)in->layout.cells[a] * in->problem.spacing;
        for (int64_t i = 0; i < fluid.count; i++) {
            fluid.position[a][i] = run->now.position[a][i] - in->layout.origin[a];
            fluid.velocity[a][i] = run->now.velocity[a][i];
        }
    }
    double speed = sqrt(2 * in->problem.gravity * in->tank.column[1]);
    torre_status status = torre_particle_picture(&fluid, in->problem.spacing, speed, image);
    torre_md_particles_free(&fluid);
    return status;
}

static torre_status write_picture(const mps_output *out, const torre_mps_run *run,
                                  torre_output *file)
{
    torre_image image;
    char title[64];
    TORRE_TRY(draw(out, run, &image));
    snprintf(title, sizeof title, "md --model mps, t = %.4f s", run->row.time);
    torre_status status = torre_png_encode(&image, title, file);
    torre_image_free(&image);
    return status;
}

static torre_status write_frame(mps_output *out, const torre_mps_run *run)
{
    char name[32], path[4096];
    torre_output *file;
    snprintf(name, sizeof name, "frame_%04" PRId64 ".png", out->frames++);
    TORRE_TRY(particle_output_path(&out->settings->common, "output", name, path, sizeof path));
    TORRE_TRY(torre_output_open(path, &file));
    return torre_output_finish(&file, write_picture(out, run, file));
}

static void write_dump(mps_output *out, const torre_mps_run *run)
{
    const double *const values[] = {run->pressure, run->number_density};
    torre_trajectory_frame(out->dump, run->step, run->row.time, &run->now, values);
    out->dumped = run->step;
}

static torre_status write_front(mps_output *out, const torre_mps_row *r)
{
    double x = mps_output_front(out->input, r);
    torre_text_output_print(out->front, "%.9g,%.9g,%.9g,%.9g\n", r->time, x, x / out->input->width,
                            mps_output_time(out->input, r));
    return torre_text_output_publish(out->front);
}

static torre_status write_csv(mps_output *out, const torre_mps_row *r)
{
    torre_text_output_print(out->csv,
                            "%" PRId64 ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%" PRId64
                            ",%.9g,%.9g,%.9g,%.9g\n",
                            r->step, r->time, mps_output_front(out->input, r), r->kinetic,
                            r->potential, r->elastic, torre_mps_row_energy(r), r->speed,
                            r->pressure, r->compression, r->surface, r->excursion, r->momentum[0],
                            r->momentum[1], r->momentum[2]);
    return torre_text_output_publish(out->csv);
}

static torre_status write_gauges(mps_output *out, const torre_mps_run *run)
{
    const mps_input *in = out->input;
    torre_text_output_print(out->gauges, "%.9g", run->row.time);
    for (int k = 0; k < in->gauges; k++) {
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = in->layout.origin[a] + in->gauge[k][a];
        torre_text_output_print(out->gauges, ",%.9g", torre_mps_run_gauge(run, at));
    }
    torre_text_output_print(out->gauges, "\n");
    return torre_text_output_publish(out->gauges);
}

torre_status mps_output_row(mps_output *out, const torre_mps_run *run)
{
    const mps_settings *s = out->settings;
    if (out->front) TORRE_TRY(write_front(out, &run->row));
    if (out->gauges) TORRE_TRY(write_gauges(out, run));
    if (out->csv) TORRE_TRY(write_csv(out, &run->row));
    if (out->dump && s->common.dump_every && out->rows % s->common.dump_every == 0)
        write_dump(out, run);
    if (s->frame_every && out->rows % s->frame_every == 0) TORRE_TRY(write_frame(out, run));
    out->rows++;
    return TORRE_OK;
}

static torre_status commit(torre_text_output **file)
{
    torre_text_output *out = *file;
    *file = NULL;
    return out ? torre_text_output_commit(out) : TORRE_OK;
}

torre_status mps_output_results(mps_output *out, const torre_mps_run *run, bool failed)
{
    if (out->dump && !failed && out->dumped != run->step) write_dump(out, run);
    if (out->dump) {
        torre_trajectory *dump = out->dump;
        out->dump = NULL;
        TORRE_TRY(torre_trajectory_commit(dump));
    }
    TORRE_TRY(commit(&out->front));
    TORRE_TRY(commit(&out->gauges));
    TORRE_TRY(commit(&out->csv));
    if (!out->picture || failed) return TORRE_OK;
    return torre_output_finish(&out->picture, write_picture(out, run, out->picture));
}

void mps_output_close(mps_output *out)
{
    torre_text_output_discard(out->front);
    torre_text_output_discard(out->gauges);
    torre_text_output_discard(out->csv);
    torre_trajectory_discard(out->dump);
    torre_output_discard(out->json);
    torre_output_discard(out->picture);
    memset(out, 0, sizeof *out);
}
