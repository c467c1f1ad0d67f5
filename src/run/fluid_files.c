#include "run/fluid_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/numbers.h"

/* Logs, with the digits of an f32. */
static torre_status open_table(const char *path, int columns, const char *const *name,
                               torre_sink **sink)
{
    return torre_particle_table_open(
        path, &(torre_table_layout){.columns = columns, .name = name, .digits = 9, .log = true},
        sink);
}

static torre_status add_row(torre_sink *table, const torre_mps_row *r, const double *values)
{
    return torre_sink_frame(table, &(torre_frame){.step = r->step, .time = r->time, .row = values});
}

static torre_status open_front(torre_fluid_files *out)
{
    static const char *const name[] = {"t", "x", "x/L", "t*sqrt(2g/L)"};
    TORRE_TRY(torre_particle_path(out->wishes, "front", out->wishes->front, out->front_path));
    return open_table(out->front_path, 4, name, &out->front);
}

const char *const torre_fluid_column[TORRE_FLUID_COLUMNS] = {
    "step",     "t",           "front",   "kinetic",   "potential", "elastic", "energy", "speed",
    "pressure", "compression", "surface", "excursion", "px",        "py",      "pz"};

/* In coordinates of the tank, as gauges and front are; the box reaches beyond its walls. */
torre_particle_layout torre_fluid_layout(const torre_md_problem *p, const torre_mps_dam *dam)
{
    torre_particle_layout layout = {
        .about = {.units = "si",
                  .diameter = p->mps.spacing,
                  .wall = {true, true, dam->tank.side_walls}},
        .kinds = 3,
        .kind_end = {p->mps.fluid, p->mps.fluid + p->mps.wall, p->count},
        .columns = 2,
        .column = {"pressure", "number_density"},
        .size = p->mps.spacing};
    for (int a = 0; a < 3; a++) layout.about.origin[a] = -dam->layout.origin[a];
    return layout;
}

torre_status torre_fluid_frame(const torre_md_run *run, const double *column[2], torre_frame *frame)
{
    TORRE_TRY(torre_mps_measure_fetch(run->fluid));
    column[0] = run->fluid->pressure;
    column[1] = run->fluid->number_density;
    *frame = (torre_frame){.step = run->step,
                           .time = run->fluid->row.time,
                           .particles = &run->fluid->now,
                           .column = column,
                           .speed = run->fluid->row.speed};
    return TORRE_OK;
}

torre_status torre_fluid_files_open(const torre_particle_wishes *w, const torre_md_problem *p,
                                    const torre_mps_dam *dam,
                                    const torre_fluid_gauges gauges[TORRE_GAUGE_KINDS],
                                    torre_fluid_files *out)
{
    const torre_particle_layout layout = torre_fluid_layout(p, dam);
    *out = (torre_fluid_files){.wishes = w, .problem = p, .dam = dam, .done.dumped = -1};
    out->figure =
        torre_particle_figure(w->style, "Dam break", &(torre_particle_about){.units = "si"}, false);
    out->figure.flat = dam->tank.dims == 2;
    if (torre_particle_wanted(w->picture)) {
        TORRE_TRY(torre_particle_path(w, "picture", w->picture, out->picture_path));
        TORRE_TRY(torre_particle_picture_open(out->picture_path, layout.size, &out->figure,
                                              &out->picture));
    }
    if (w->dump) TORRE_TRY(torre_particle_dump_open(w->dump, &layout, &out->dump));
    if (torre_particle_wanted(w->front)) TORRE_TRY(open_front(out));
    for (int k = 0; k < TORRE_GAUGE_KINDS; k++)
        TORRE_TRY(torre_gauge_table_open(w, &gauges[k], &out->gauges[k]));
    return w->csv ? open_table(w->csv, TORRE_FLUID_COLUMNS, torre_fluid_column, &out->csv)
                  : TORRE_OK;
}

/* Of the tank a figure has the lower part, where the water is: one and a half columns, and more as
 * soon as a particle is higher. */
static double seen_height(const torre_fluid_files *out, const torre_md_particles *fluid)
{
    double top = 1.5 * out->dam->height;
    for (int64_t i = 0; i < fluid->count; i++)
        top = fmax(top, fluid->position[1][i] + out->problem->mps.spacing);
    return fmin(top, fluid->box[1]);
}

/*
 * Picture of the fluid in the tank: the walls are its edges. The colour of the fastest is that of a
 * fall from the top of the column.
 */
static torre_status draw(const torre_fluid_files *out, const torre_md_run *run, torre_sink *picture)
{
    const torre_md_problem *p = out->problem;
    const torre_mps_layout *layout = &out->dam->layout;
    torre_md_particles fluid;
    char title[64];
    TORRE_TRY(torre_mps_measure_fetch(run->fluid));
    TORRE_TRY(torre_md_particles_new(p->mps.fluid, &fluid));
    for (int a = 0; a < 3; a++) {
        fluid.box[a] = (double)layout->cells[a] * p->mps.spacing;
        for (int64_t i = 0; i < fluid.count; i++) {
            fluid.position[a][i] = run->fluid->now.position[a][i] - layout->origin[a];
            fluid.velocity[a][i] = run->fluid->now.velocity[a][i];
        }
    }
    const bool many = out->wishes->frame_every > 0; /* pictures, all of one size then */
    if (out->figure.scale > 0 && !many) fluid.box[1] = seen_height(out, &fluid);
    snprintf(title, sizeof title, "%s, t = %.4f s", out->wishes->title, run->fluid->row.time);
    const torre_frame frame = {.step = run->step,
                               .time = run->fluid->row.time,
                               .title = title,
                               .particles = &fluid,
                               .speed = sqrt(2 * p->mps.gravity * out->dam->height)};
    torre_status status = torre_sink_frame(picture, &frame);
    torre_md_particles_free(&fluid);
    return status;
}

static torre_status write_frame(torre_fluid_files *out, const torre_md_run *run)
{
    char path[TORRE_PATH];
    torre_sink *picture;
    TORRE_TRY(torre_particle_frame_path(out->wishes, out->done.frames++, path));
    TORRE_TRY(torre_particle_picture_open(path, out->problem->mps.spacing, &out->figure, &picture));
    return torre_sink_finish(&picture, draw(out, run, picture));
}

static torre_status write_dump(torre_fluid_files *out, const torre_md_run *run)
{
    const double *column[2];
    torre_frame frame;
    TORRE_TRY(torre_fluid_frame(run, column, &frame));
    out->done.dumped = run->step;
    return torre_sink_frame(out->dump, &frame);
}

static torre_status write_front(torre_fluid_files *out, const torre_mps_row *r)
{
    double x = torre_mps_dam_front(out->dam, r);
    return add_row(out->front, r,
                   (const double[]){r->time, x, x / out->dam->width,
                                    torre_mps_dam_time(out->dam, out->problem, r)});
}

void torre_fluid_values(const torre_mps_dam *dam, const torre_mps_row *r,
                        double value[TORRE_FLUID_COLUMNS])
{
    const double all[TORRE_FLUID_COLUMNS] = {(double)r->step,
                                             r->time,
                                             torre_mps_dam_front(dam, r),
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
    memcpy(value, all, sizeof all);
}

static torre_status write_csv(torre_fluid_files *out, const torre_mps_row *r)
{
    double value[TORRE_FLUID_COLUMNS];
    torre_fluid_values(out->dam, r, value);
    return add_row(out->csv, r, value);
}

torre_status torre_fluid_files_row(torre_fluid_files *out, const torre_md_run *run)
{
    const torre_particle_wishes *w = out->wishes;
    if (out->front) TORRE_TRY(write_front(out, &run->fluid->row));
    TORRE_TRY(torre_gauges_fetch(out->gauges, out->dam, run));
    for (int k = 0; k < TORRE_GAUGE_KINDS; k++)
        TORRE_TRY(torre_gauge_table_row(&out->gauges[k], out->dam, run));
    if (out->csv) TORRE_TRY(write_csv(out, &run->fluid->row));
    if (out->dump && w->dump_every && out->done.rows % w->dump_every == 0)
        TORRE_TRY(write_dump(out, run));
    if (w->frame_every && out->done.rows % w->frame_every == 0) TORRE_TRY(write_frame(out, run));
    out->done.rows++;
    return TORRE_OK;
}

torre_status torre_fluid_files_finish(torre_fluid_files *out, const torre_md_run *run, bool failed)
{
    if (out->dump && !failed && out->done.dumped != run->step) TORRE_TRY(write_dump(out, run));
    TORRE_TRY(torre_sink_finish(&out->dump, TORRE_OK));
    TORRE_TRY(torre_sink_finish(&out->front, TORRE_OK));
    for (int k = 0; k < TORRE_GAUGE_KINDS; k++)
        TORRE_TRY(torre_sink_finish(&out->gauges[k].sink, TORRE_OK));
    TORRE_TRY(torre_sink_finish(&out->csv, TORRE_OK));
    if (!out->picture || failed) return TORRE_OK;
    return torre_sink_finish(&out->picture, draw(out, run, out->picture));
}

void torre_fluid_files_close(torre_fluid_files *out)
{
    torre_sink_discard(out->front);
    for (int k = 0; k < TORRE_GAUGE_KINDS; k++) torre_sink_discard(out->gauges[k].sink);
    torre_sink_discard(out->csv);
    torre_sink_discard(out->dump);
    torre_sink_discard(out->picture);
    memset(out, 0, sizeof *out);
}
