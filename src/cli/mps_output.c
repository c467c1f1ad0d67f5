#include "cli/mps_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Logs, with the digits of an f32. */
static torre_status open_table(const char *path, int columns, const char *const *name,
                               torre_sink **sink)
{
    const torre_sink_data data = {
        .kind = TORRE_SINK_ROWS,
        .table = {.columns = columns, .name = name, .digits = 9, .log = true}};
    return torre_sink_open(torre_sink_by_name("csv"), &data, path, sink);
}

static torre_status add_row(torre_sink *table, const torre_mps_row *r, const double *values)
{
    return torre_sink_frame(table, &(torre_frame){.step = r->step, .time = r->time, .row = values});
}

static torre_status open_front(const mps_settings *s, mps_output *out)
{
    static const char *const name[] = {"t", "x", "x/L", "t*sqrt(2g/L)"};
    TORRE_TRY(particle_output_path(&s->common, "front", s->front, out->front_path,
                                   sizeof out->front_path));
    return open_table(out->front_path, 4, name, &out->front);
}

static torre_status open_gauges(const mps_settings *s, mps_output *out)
{
    out->gauge_column[0] = "t";
    for (int k = 0; k < out->input->gauges; k++) {
        const double *at = out->input->gauge[k];
        snprintf(out->gauge_name[k], sizeof out->gauge_name[k], "p(%g %g %g)", at[0], at[1], at[2]);
        out->gauge_column[1 + k] = out->gauge_name[k];
    }
    TORRE_TRY(particle_output_path(&s->common, "output", "gauges.csv", out->gauges_path,
                                   sizeof out->gauges_path));
    return open_table(out->gauges_path, 1 + out->input->gauges, out->gauge_column, &out->gauges);
}

static const char *const table_column[] = {
    "step",     "t",           "front",   "kinetic",   "potential", "elastic", "energy", "speed",
    "pressure", "compression", "surface", "excursion", "px",        "py",      "pz"};
enum { TABLE_COLUMNS = sizeof table_column / sizeof table_column[0] };

/* In coordinates of the tank, as gauges and front are; the box reaches beyond its walls. */
static torre_status open_dump(mps_output *out)
{
    const mps_input *in = out->input;
    const torre_md_problem *p = &in->problem;
    torre_sink_data data = {
        .kind = TORRE_SINK_PARTICLES,
        .series = true,
        .particles = {.about = {.units = "si",
                                .diameter = p->mps.spacing,
                                .wall = {true, true, in->tank.side_walls}},
                      .kinds = 3,
                      .kind_end = {p->mps.fluid, p->mps.fluid + p->mps.wall, p->count},
                      .columns = 2,
                      .column = {"pressure", "number_density"}}};
    const torre_sink_format *format;
    for (int a = 0; a < 3; a++) data.particles.about.origin[a] = -in->layout.origin[a];
    TORRE_TRY(torre_sink_choose("dump", out->settings->common.dump, data.kind, true, &format));
    return torre_sink_open(format, &data, out->settings->common.dump, &out->dump);
}

static torre_status open_picture(const mps_output *out, const char *path, torre_sink **picture)
{
    const torre_sink_data data = {.kind = TORRE_SINK_PARTICLES,
                                  .particles = {.size = out->input->problem.mps.spacing}};
    return torre_sink_open(torre_sink_by_name("png"), &data, path, picture);
}

torre_status mps_output_open(const mps_settings *s, const mps_input *in, mps_output *out)
{
    const particle_options *o = &s->common;
    out->settings = s;
    out->input = in;
    out->dumped = -1;
    if (particle_output_wanted(o->picture)) {
        TORRE_TRY(particle_output_path(o, "picture", o->picture, out->picture_path,
                                       sizeof out->picture_path));
        TORRE_TRY(open_picture(out, out->picture_path, &out->picture));
    }
    if (o->json) TORRE_TRY(torre_output_open(o->json, &out->json));
    if (o->dump) TORRE_TRY(open_dump(out));
    if (particle_output_wanted(s->front)) TORRE_TRY(open_front(s, out));
    if (s->gauges) TORRE_TRY(open_gauges(s, out));
    return o->csv ? open_table(o->csv, TABLE_COLUMNS, table_column, &out->csv) : TORRE_OK;
}

double mps_output_front(const mps_input *in, const torre_mps_row *row)
{
    return row->front - in->layout.origin[0];
}

double mps_output_time(const mps_input *in, const torre_mps_row *row)
{
    return row->time * sqrt(2 * in->problem.mps.gravity / in->width);
}

/*
 * Picture of the fluid in the tank: the walls are its edges. The colour of the fastest is that of a
 * fall from the top of the column.
 */
static torre_status draw(const mps_output *out, const torre_md_run *run, torre_sink *picture)
{
    const mps_input *in = out->input;
    torre_md_particles fluid;
    char title[64];
    TORRE_TRY(torre_md_particles_new(in->problem.mps.fluid, &fluid));
    for (int a = 0; a < 3; a++) {
        fluid.box[a] = (double)in->layout.cells[a] * in->problem.mps.spacing;
        for (int64_t i = 0; i < fluid.count; i++) {
            fluid.position[a][i] = run->fluid->now.position[a][i] - in->layout.origin[a];
            fluid.velocity[a][i] = run->fluid->now.velocity[a][i];
        }
    }
    snprintf(title, sizeof title, "md --model mps, t = %.4f s", run->fluid->row.time);
    const torre_frame frame = {.step = run->step,
                               .time = run->fluid->row.time,
                               .title = title,
                               .particles = &fluid,
                               .speed = sqrt(2 * in->problem.mps.gravity * in->tank.column[1])};
    torre_status status = torre_sink_frame(picture, &frame);
    torre_md_particles_free(&fluid);
    return status;
}

static torre_status write_frame(mps_output *out, const torre_md_run *run)
{
    char name[32], path[4096];
    torre_sink *picture;
    snprintf(name, sizeof name, "frame_%04" PRId64 ".png", out->frames++);
    TORRE_TRY(particle_output_path(&out->settings->common, "output", name, path, sizeof path));
    TORRE_TRY(open_picture(out, path, &picture));
    return torre_sink_finish(&picture, draw(out, run, picture));
}

static torre_status write_dump(mps_output *out, const torre_md_run *run)
{
    const torre_frame frame = {
        .step = run->step,
        .time = run->fluid->row.time,
        .particles = &run->fluid->now,
        .column = (const double *const[]){run->fluid->pressure, run->fluid->number_density}};
    out->dumped = run->step;
    return torre_sink_frame(out->dump, &frame);
}

static torre_status write_front(mps_output *out, const torre_mps_row *r)
{
    double x = mps_output_front(out->input, r);
    return add_row(
        out->front, r,
        (const double[]){r->time, x, x / out->input->width, mps_output_time(out->input, r)});
}

static torre_status write_csv(mps_output *out, const torre_mps_row *r)
{
    const double value[TABLE_COLUMNS] = {(double)r->step,
                                         r->time,
                                         mps_output_front(out->input, r),
                                         r->kinetic,
                                         r->potential,
                                         r->elastic,
                                         torre_mps_row_energy(r),
                                         r->speed,
                                         r->pressure,
                                         r->compression,
                                         (double)r->surface,
                                         r->excursion,
                                         r->momentum[0],
                                         r->momentum[1],
                                         r->momentum[2]};
    return add_row(out->csv, r, value);
}

static torre_status write_gauges(mps_output *out, const torre_md_run *run)
{
    const mps_input *in = out->input;
    double value[1 + MPS_GAUGES] = {run->fluid->row.time};
    for (int k = 0; k < in->gauges; k++) {
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = in->layout.origin[a] + in->gauge[k][a];
        value[1 + k] = torre_mps_gauge(run->fluid, at);
    }
    return add_row(out->gauges, &run->fluid->row, value);
}

torre_status mps_output_row(mps_output *out, const torre_md_run *run)
{
    const mps_settings *s = out->settings;
    if (out->front) TORRE_TRY(write_front(out, &run->fluid->row));
    if (out->gauges) TORRE_TRY(write_gauges(out, run));
    if (out->csv) TORRE_TRY(write_csv(out, &run->fluid->row));
    if (out->dump && s->common.dump_every && out->rows % s->common.dump_every == 0)
        TORRE_TRY(write_dump(out, run));
    if (s->frame_every && out->rows % s->frame_every == 0) TORRE_TRY(write_frame(out, run));
    out->rows++;
    return TORRE_OK;
}

torre_status mps_output_results(mps_output *out, const torre_md_run *run, bool failed)
{
    if (out->dump && !failed && out->dumped != run->step) TORRE_TRY(write_dump(out, run));
    TORRE_TRY(torre_sink_finish(&out->dump, TORRE_OK));
    TORRE_TRY(torre_sink_finish(&out->front, TORRE_OK));
    TORRE_TRY(torre_sink_finish(&out->gauges, TORRE_OK));
    TORRE_TRY(torre_sink_finish(&out->csv, TORRE_OK));
    if (!out->picture || failed) return TORRE_OK;
    return torre_sink_finish(&out->picture, draw(out, run, out->picture));
}

void mps_output_close(mps_output *out)
{
    torre_sink_discard(out->front);
    torre_sink_discard(out->gauges);
    torre_sink_discard(out->csv);
    torre_sink_discard(out->dump);
    torre_sink_discard(out->picture);
    torre_output_discard(out->json);
    memset(out, 0, sizeof *out);
}
