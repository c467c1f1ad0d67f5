#include "run/pair_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "particles/granular_table.h"

static void say_figure(torre_pair_files *out, const torre_md_problem *p,
                       const torre_particle_layout *layout)
{
    const bool granular = p->model == TORRE_PAIR_granular;
    const char *title = granular                    ? "Granular gas"
                        : p->model == TORRE_PAIR_lj ? "Lennard-Jones atoms"
                                                    : "Atoms";
    out->figure = torre_particle_figure(out->wishes->style, title, &layout->about,
                                        granular && p->pair.granular.gravity > 0);
    out->diameter = layout->size;
}

static torre_status open_picture(torre_pair_files *out)
{
    TORRE_TRY(torre_particle_path(out->wishes, "picture", out->wishes->picture, out->picture_path));
    return torre_particle_picture_open(out->picture_path, out->diameter, &out->figure,
                                       &out->picture);
}

static torre_status open_csv(const char *path, const torre_md_run *run, torre_sink **csv)
{
    const bool relaxes = run->problem->ensemble == TORRE_FIRE;
    const char *const lj[] = {"step",    "temp",  "e_pair",    "e_mol",
                              "e_total", "press", "e_shifted", relaxes ? "force" : "e_conserved",
                              "volume",  "lx",    "ly",        "lz"};
    int columns = relaxes || torre_md_run_conserves(run) ? 8 : 7;
    if (run->problem->ensemble == TORRE_NPT) columns = sizeof lj / sizeof lj[0];
    torre_table_layout table = {.columns = columns, .name = lj, .digits = 17, .log = true};
    if (run->problem->model == TORRE_PAIR_granular) {
        table.columns = TORRE_GRANULAR_COLUMNS;
        table.name = torre_granular_column;
    }
    return torre_particle_table_open(path, &table, csv);
}

static torre_status open_profile(torre_pair_files *out)
{
    const torre_table_layout table = {.columns = TORRE_GRANULAR_PROFILE_COLUMNS,
                                      .name = torre_granular_profile_column,
                                      .digits = 9};
    out->slice = calloc((size_t)out->wishes->profile_slices, sizeof *out->slice);
    if (!out->slice) return torre_fail(TORRE_ERR_RESOURCE, "no memory for the height profile");
    return torre_particle_table_open(out->wishes->profile, &table, &out->profile);
}

static torre_status write_start(const char *path, const torre_particle_about *about,
                                const torre_md_particles *start)
{
    const torre_sink_data data = {.kind = TORRE_SINK_PARTICLES, .particles = {.about = *about}};
    const torre_frame frame = {.particles = start};
    return torre_sink_write(torre_sink_by_name("lammps-data"), &data, path, &frame);
}

torre_status torre_pair_files_open(const torre_particle_wishes *w, const torre_md_run *run,
                                   const torre_particle_layout *layout,
                                   const torre_md_particles *start, torre_pair_files *out)
{
    const torre_md_problem *p = run->problem;
    out->wishes = w;
    say_figure(out, p, layout);
    if (torre_particle_wanted(w->picture)) TORRE_TRY(open_picture(out));
    if (w->csv) TORRE_TRY(open_csv(w->csv, run, &out->csv));
    if (w->profile) TORRE_TRY(open_profile(out));
    if (w->dump) TORRE_TRY(torre_particle_dump_open(w->dump, layout, &out->dump));
    if (w->write_data) TORRE_TRY(write_start(w->write_data, &layout->about, start));
    TORRE_TRY(torre_pair_measures_open(&w->measures, p, run->info->plan.threads, &out->measures));
    if (out->dump || out->picture || out->profile || w->frame_every ||
        torre_pair_measures_every(&out->measures))
        TORRE_TRY(torre_md_particles_new(start->count, &out->now));
    if (out->now.count) TORRE_TRY(torre_md_particles_take_types(&out->now, start));
    out->now.mass = p->mass;
    return TORRE_OK;
}

int64_t torre_pair_files_every(const torre_pair_files *out)
{
    const int64_t dump = out->dump ? out->wishes->dump_every : 0;
    const int64_t profile = out->profile ? out->wishes->profile_every : 0;
    return torre_common_steps(torre_common_steps(dump, profile),
                              torre_pair_measures_every(&out->measures));
}

static torre_status add_frame(torre_pair_files *out, const torre_md_run *run)
{
    const torre_frame frame = {
        .step = run->step, .time = (double)run->step * run->problem->dt, .particles = &out->now};
    return torre_sink_frame(out->dump, &frame);
}

torre_status torre_pair_files_frame(torre_pair_files *out, torre_md_run *run)
{
    const torre_particle_wishes *w = out->wishes;
    bool dump = out->dump && w->dump_every && run->step % w->dump_every == 0;
    bool profile = out->profile && run->step % w->profile_every == 0;
    const bool measures = torre_pair_measures_due(&out->measures, run->step);
    if (dump || profile || measures) TORRE_TRY(torre_md_run_particles(run, &out->now));
    if (dump) TORRE_TRY(add_frame(out, run));
    if (profile) {
        torre_granular_profile(run->problem, &out->now, (int)w->profile_slices, out->slice);
        out->samples++;
    }
    return measures ? torre_pair_measures_sample(&out->measures, run->step, &out->now) : TORRE_OK;
}

static torre_status complete_dump(torre_pair_files *out, torre_md_run *run, bool failed)
{
    const int64_t every = out->wishes->dump_every;
    if (!failed && (every == 0 || run->step % every != 0)) {
        TORRE_TRY(torre_md_run_particles(run, &out->now));
        TORRE_TRY(add_frame(out, run));
    }
    return torre_sink_finish(&out->dump, TORRE_OK);
}

static void add_row(torre_pair_files *out, const torre_md_run *run, const torre_md_thermo *r)
{
    const double last = run->problem->ensemble == TORRE_FIRE ? r->force : r->conserved;
    const double *box = r->box, volume = box[0] * box[1] * box[2];
    const double lj[] = {
        (double)r->step,   r->temperature, r->pair_energy, 0,      r->total_energy, r->pressure,
        r->shifted_energy, last,           volume,         box[0], box[1],          box[2]};
    double granular[TORRE_GRANULAR_COLUMNS];
    const bool is_granular = run->problem->model == TORRE_PAIR_granular;
    if (!out->csv) return;
    if (is_granular) torre_granular_values(run, r, granular);
    const torre_frame frame = {.step = r->step, .row = is_granular ? granular : lj};
    torre_sink_frame(out->csv, &frame); /* commit tells of what could not be written */
}

/* Of a gas at that temperature: three times the mean square along an axis; few particles are faster
 * than sqrt(8 T). */
static double fast(const torre_md_problem *p, const torre_md_thermo *r)
{
    return sqrt(8 * r->temperature / p->mass);
}

/* The colours of all pictures on the way are those of the first, or of walls that shake: twice as
 * fast as these is what leaves them. */
static double fast_on_the_way(const torre_md_problem *p, const torre_md_thermo *first)
{
    if (p->model != TORRE_PAIR_granular) return fast(p, first);
    const double walls =
        2 * M_PI * p->pair.granular.shake_frequency * p->pair.granular.shake_amplitude;
    return fmax(fast(p, first), 2 * walls);
}

static torre_status draw(torre_pair_files *out, torre_md_run *run, double speed,
                         torre_sink *picture)
{
    char title[64];
    TORRE_TRY(torre_md_run_particles(run, &out->now));
    snprintf(title, sizeof title, "%s, step %" PRId64, out->wishes->title, run->step);
    const torre_frame frame = {.step = run->step,
                               .time = (double)run->step * run->problem->dt,
                               .title = title,
                               .particles = &out->now,
                               .speed = speed};
    return torre_sink_frame(picture, &frame);
}

static torre_status write_frame(torre_pair_files *out, torre_md_run *run)
{
    char path[TORRE_PATH];
    torre_sink *picture;
    TORRE_TRY(torre_particle_frame_path(out->wishes, out->done.frames++, path));
    TORRE_TRY(torre_particle_picture_open(path, out->diameter, &out->figure, &picture));
    return torre_sink_finish(&picture, draw(out, run, out->done.speed, picture));
}

torre_status torre_pair_files_row(torre_pair_files *out, torre_md_run *run,
                                  const torre_md_thermo *r)
{
    const int64_t every = out->wishes->frame_every;
    if (out->done.rows == 0) out->done.speed = fast_on_the_way(run->problem, r);
    add_row(out, run, r);
    return every && out->done.rows++ % every == 0 ? write_frame(out, run) : TORRE_OK;
}

static torre_status complete_profile(torre_pair_files *out, const torre_md_run *run)
{
    for (int k = 0; k < (int)out->wishes->profile_slices; k++) {
        double value[TORRE_GRANULAR_PROFILE_COLUMNS];
        torre_granular_profile_values(run->problem, (int)out->wishes->profile_slices, k,
                                      &out->slice[k], out->samples, value);
        TORRE_TRY(torre_sink_frame(out->profile, &(torre_frame){.row = value}));
    }
    return torre_sink_finish(&out->profile, TORRE_OK);
}

static torre_status complete_picture(torre_pair_files *out, torre_md_run *run)
{
    const double speed =
        out->wishes->frame_every ? out->done.speed : fast(run->problem, &run->row[run->rows - 1]);
    return torre_sink_finish(&out->picture, draw(out, run, speed, out->picture));
}

torre_status torre_pair_files_finish(torre_pair_files *out, torre_md_run *run, bool failed)
{
    if (out->dump) TORRE_TRY(complete_dump(out, run, failed));
    TORRE_TRY(torre_sink_finish(&out->csv, TORRE_OK));
    if (out->profile) TORRE_TRY(complete_profile(out, run));
    if (out->picture && !failed) TORRE_TRY(complete_picture(out, run));
    return torre_pair_measures_finish(&out->measures);
}

void torre_pair_files_close(torre_pair_files *out)
{
    torre_sink_discard(out->dump);
    torre_sink_discard(out->csv);
    torre_sink_discard(out->profile);
    torre_sink_discard(out->picture);
    torre_pair_measures_close(&out->measures);
    free(out->slice);
    torre_md_particles_free(&out->now);
    memset(out, 0, sizeof *out);
}
