/* What `md` does for a fluid (--model mps). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/md_way.h"
#include "cli/program.h"
#include "core/numbers.h"
#include "run/particle_report.h"

static void tell_setup(FILE *out, const md_job *job)
{
    const torre_md_run *run = job->run;
    const torre_md_problem *p = run->problem;
    const torre_md_plan *plan = &run->info->plan;
    char bytes[32];
    torre_format_bytes((double)run->info->memory_bytes, bytes, sizeof bytes);
    particle_tell_run(out, job->common, run);
    fprintf(out,
            "# %" PRId64 " particles (%" PRId64 " fluid, %" PRId64
            " wall), spacing %.6g m, r_e %.4g "
            "spacings, %s\n",
            p->count, p->mps.fluid, p->mps.wall, p->mps.spacing, p->cutoff / p->mps.spacing, bytes);
    fprintf(out,
            "# sound speed %.6g m/s, dt %.6g s (limit %.6g s), %" PRId64 " steps, precision %s\n",
            p->mps.sound_speed, p->dt, torre_mps_dt_limit(p), job->steps,
            torre_md_precision_name(p->precision));
    fprintf(out,
            "# ordering %s of %" PRId64 "x%" PRId64 "x%" PRId64 " bins, neighbor %s, skin %.4g m\n",
            particle_ordering(plan).text, run->info->bins[0], run->info->bins[1],
            run->info->bins[2], torre_neighbor_name(plan->neighbor), plan->skin);
}

/* The set-up has told all. */
static void tell_cost(FILE *out, const md_job *job) { (void)out, (void)job; }

static void tell_head(FILE *out, const md_job *job)
{
    (void)job;
    fprintf(out,
            "#  Step       t, s   front, m   x/L  t*sqrt(2g/L)  speed, m/s  kinetic, J   energy, J "
            " p max, Pa  n/n0 inside  beyond wall, l0\n");
}

static void tell_row(FILE *out, const md_job *job)
{
    const torre_mps_dam *dam = &job->fluid.dam;
    const torre_mps_row *r = &job->run->fluid->row;
    double x = torre_mps_dam_front(dam, r);
    fprintf(out,
            "%7" PRId64 " %10.5f %10.5f %5.3f %13.4f %11.4f %11.5g %11.5g %10.1f %12.5f %16.3f\n",
            r->step, r->time, x, x / dam->width, torre_mps_dam_time(dam, job->problem, r), r->speed,
            r->kinetic, torre_mps_row_energy(r), r->pressure, r->compression, r->excursion);
}

static void tell_end(FILE *out, const md_job *job)
{
    const torre_fluid_files *files = &job->fluid.files;
    const torre_md_run *run = job->run;
    torre_md_times t;
    torre_md_counts c;
    char seconds[32];
    torre_md_run_times(run, &t, &c);
    torre_format_seconds(run->loop_s, seconds, sizeof seconds);
    if (run->step > 0) {
        fprintf(out, "# %" PRId64 " steps in %s: %.4g million particle-steps/s\n", run->step,
                seconds, 1e-6 * torre_md_run_rate(run));
        fprintf(
            out,
            "# viscosity %.3f s, density %.3f s, gradient %.3f s, neighbor %.3f s, sort %.3f s, "
            "move %.3f s; %" PRId64 " rebuilds\n",
            t.viscosity, t.density, t.gradient, t.neighbor, t.sort, t.integrate, c.builds);
    }
    particle_warn(job->common, &c, false);
    if (files->front_path[0]) fprintf(out, "# front in %s\n", files->front_path);
    if (files->gauges_path[0]) fprintf(out, "# gauges in %s\n", files->gauges_path);
    if (job->common->files.csv) fprintf(out, "# table in %s\n", job->common->files.csv);
    if (job->common->files.dump) fprintf(out, "# trajectory in %s\n", job->common->files.dump);
    if (files->picture_path[0]) fprintf(out, "# picture in %s\n", files->picture_path);
}

static void report(md_job *job)
{
    torre_report *r = particle_report_run(job->common, job->run);
    torre_report_fluid_run(r, job->run, &job->fluid.dam);
    torre_report_options(r, job->table);
    torre_program_keep_report(r, &job->json);
}

static void init(md_job *job)
{
    mps_settings_init(&job->fluid.settings, job->table);
    job->common = &job->fluid.settings.common;
    job->checkpoint = &job->fluid.settings.common.checkpoint;
}

static torre_status read(md_job *job)
{
    static const double column_cells[] = {19, 45, 105}; /* of 0.1 m: small, medium, large */
    const mps_settings *s = &job->fluid.settings;
    torre_md_problem *p = &job->fluid.problem;
    torre_md_plan *plan = &job->fluid.plan;
    torre_fluid_dam dam = s->dam;
    const torre_md_backend *backend;
    TORRE_TRY(torre_particle_wishes_check(&s->common.files));
    dam.tank.dims = (int)s->dimensions;
    dam.tank.spacing = s->spacing > 0 ? s->spacing : 0.1 / column_cells[s->size];
    dam.tank.influence = s->influence * dam.tank.spacing;
    for (int a = 0; a < 2; a++) dam.tank.column[a] = s->column[a];
    TORRE_TRY(torre_mps_dam_make(&dam, &job->fluid.dam, p));
    TORRE_TRY(torre_fluid_gauges_read(s->gauges, &job->fluid.dam.tank, &job->fluid.gauges));
    TORRE_TRY(particle_plan(&s->common, plan));
    plan->skin *= dam.tank.spacing;
    TORRE_TRY(torre_md_backend_find(s->common.backend, plan, &backend));
    p->precision = particle_precision(&s->common, backend->name);
    job->problem = p;
    job->plan = plan;
    job->steps = s->steps >= 0 ? s->steps : (int64_t)fmin(ceil(s->time / p->dt), 1e12);
    job->row_every = s->thermo >= 0 ? s->thermo : (job->steps + 99) / 100;
    return TORRE_OK;
}

static torre_status particles(md_job *job)
{
    TORRE_TRY(torre_mps_tank_make(&job->fluid.dam.tank, &job->fluid.particles));
    torre_md_problem_set_particles(&job->fluid.problem, &job->fluid.particles);
    return torre_md_problem_check(&job->fluid.problem);
}

static torre_status open(md_job *job, torre_md_watch *watch)
{
    (void)watch; /* frames are by rows */
    return torre_fluid_files_open(&job->common->files, job->problem, &job->fluid.dam,
                                  &job->fluid.gauges, &job->fluid.files);
}

static void extras(md_job *job, torre_particle_extras *x)
{
    torre_fluid_files *f = &job->fluid.files;
    *x = (torre_particle_extras){
        .file = {{"csv", f->csv}, {"dump", f->dump}, {"front", f->front}, {"gauges", f->gauges}},
        .files = 4,
        .block = {{"files", &f->done, sizeof f->done}},
        .blocks = 1};
}

static torre_status row(md_job *job) { return torre_fluid_files_row(&job->fluid.files, job->run); }

static torre_status results(md_job *job, bool failed)
{
    return torre_fluid_files_finish(&job->fluid.files, job->run, failed);
}

static void close(md_job *job)
{
    torre_fluid_files_close(&job->fluid.files);
    torre_md_particles_free(&job->fluid.particles);
}

const md_way md_fluid = {
    .unit = "M particle-steps/s",
    .init = init,
    .program = &mps_program,
    .read = read,
    .particles = particles,
    .open = open,
    .extras = extras,
    .row = row,
    .results = results,
    .close = close,
    .tell_setup = tell_setup,
    .tell_cost = tell_cost,
    .tell_head = tell_head,
    .tell_row = tell_row,
    .tell_end = tell_end,
    .report = report,
};
