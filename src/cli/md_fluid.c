/* What `md` does for a fluid (--model mps). */
#include <inttypes.h>
#include <stdio.h>

#include "cli/md_way.h"
#include "cli/program.h"
#include "core/numbers.h"
#include "core/report.h"

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
    const mps_input *in = &job->fluid.input;
    const torre_mps_row *r = &job->run->fluid->row;
    double x = mps_output_front(in, r);
    fprintf(out,
            "%7" PRId64 " %10.5f %10.5f %5.3f %13.4f %11.4f %11.5g %11.5g %10.1f %12.5f %16.3f\n",
            r->step, r->time, x, x / in->width, mps_output_time(in, r), r->speed, r->kinetic,
            torre_mps_row_energy(r), r->pressure, r->compression, r->excursion);
}

static void tell_end(FILE *out, const md_job *job)
{
    const mps_output *files = &job->fluid.output;
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
    if (job->common->csv) fprintf(out, "# table in %s\n", job->common->csv);
    if (job->common->dump) fprintf(out, "# trajectory in %s\n", job->common->dump);
    if (files->picture_path[0]) fprintf(out, "# picture in %s\n", files->picture_path);
}

static void report_physics(torre_report *r, const mps_input *in, const torre_md_run *run)
{
    const torre_md_problem *p = run->problem;
    torre_mps_norms n = torre_mps_norms_of(p->dimensions, p->mps.spacing, p->cutoff);
    torre_report_integer(r, "fluid", p->mps.fluid);
    torre_report_integer(r, "wall", p->mps.wall);
    torre_report_real(r, "spacing_m", p->mps.spacing);
    torre_report_real(r, "influence_m", p->cutoff);
    torre_report_real(r, "n0", n.n0);
    torre_report_real(r, "lambda0_m2", n.lambda0);
    torre_report_real(r, "dt_s", p->dt);
    torre_report_real(r, "dt_limit_s", torre_mps_dt_limit(p));
    torre_report_real(r, "sound_speed", p->mps.sound_speed);
    if (!run->solver) return;
    torre_report *last = torre_report_object(r, "last");
    torre_report_real(last, "t", run->fluid->row.time);
    torre_report_real(last, "front", mps_output_front(in, &run->fluid->row));
    torre_report_real(last, "kinetic", run->fluid->row.kinetic);
    torre_report_real(last, "potential", run->fluid->row.potential);
    torre_report_real(last, "elastic", run->fluid->row.elastic);
    torre_report_real(last, "energy", torre_mps_row_energy(&run->fluid->row));
    torre_report_real(last, "excursion", run->fluid->row.excursion);
    torre_report_real(last, "speed", run->fluid->row.speed);
    torre_report_real(last, "pressure", run->fluid->row.pressure);
    torre_report_real(last, "compression", run->fluid->row.compression);
    torre_report_integer(last, "surface", run->fluid->row.surface);
    torre_report_reals(last, "momentum", run->fluid->row.momentum, 3);
}

static void report(md_job *job)
{
    const torre_md_run *run = job->run;
    torre_md_times t;
    torre_md_counts c;
    torre_report *r = particle_report_run(job->common, run);
    torre_md_run_times(run, &t, &c);
    torre_report_reals(r, "box", run->problem->box, 3);
    torre_report_integers(r, "bins", run->info->bins, 3);
    torre_report_integer(r, "memory_bytes", run->info->memory_bytes);
    torre_report_real(r, "loop_s", run->loop_s);
    torre_report_real(r, "atom_steps_per_s", torre_md_run_rate(run));
    torre_report *time = torre_report_object(r, "loop_time_s");
    torre_report_real(time, "viscosity", t.viscosity);
    torre_report_real(time, "density", t.density);
    torre_report_real(time, "gradient", t.gradient);
    torre_report_real(time, "neighbor", t.neighbor);
    torre_report_real(time, "sort", t.sort);
    torre_report_real(time, "move", t.integrate);
    torre_report_integer(r, "builds", c.builds);
    if (c.dangerous_builds >= 0) torre_report_integer(r, "dangerous_builds", c.dangerous_builds);
    report_physics(r, &job->fluid.input, run);
    torre_report_options(r, job->table);
    torre_program_keep_report(r, job->json);
}

static void init(md_job *job)
{
    mps_settings_init(&job->fluid.settings, job->table);
    job->common = &job->fluid.settings.common;
    job->json = &job->fluid.output.json;
}

static torre_status read(md_job *job)
{
    mps_input *in = &job->fluid.input;
    TORRE_TRY(mps_input_read(&job->fluid.settings, in));
    job->problem = &in->problem;
    job->plan = &in->plan;
    job->steps = in->steps;
    job->row_every = in->thermo;
    return TORRE_OK;
}

static torre_status particles(md_job *job) { return mps_input_particles(&job->fluid.input); }

static torre_status open(md_job *job, torre_md_watch *watch)
{
    (void)watch; /* frames are by rows */
    return mps_output_open(&job->fluid.settings, &job->fluid.input, &job->fluid.output);
}

static torre_status row(md_job *job) { return mps_output_row(&job->fluid.output, job->run); }

static torre_status results(md_job *job, bool failed)
{
    return mps_output_results(&job->fluid.output, job->run, failed);
}

static void close(md_job *job) { mps_output_close(&job->fluid.output); }

const md_way md_fluid = {
    .unit = "M particle-steps/s",
    .init = init,
    .help = mps_help,
    .read = read,
    .particles = particles,
    .open = open,
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
