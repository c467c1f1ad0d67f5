/* Runs of a fluid (particle_run.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/numbers.h"
#include "run/particle_report.h"
#include "run/particle_run.h"

static torre_status read(torre_particle_run *run)
{
    torre_particle_spec *s = &run->spec;
    torre_fluid_input *in = &run->fluid.input;
    TORRE_TRY(torre_fluid_input_read(s->fluid, in));
    run->problem = &in->problem;
    run->plan = &in->plan;
    if (s->steps < 0) s->steps = (int64_t)fmin(ceil(s->fluid->time / in->problem.dt), 1e12);
    return TORRE_OK;
}

static torre_status particles(torre_particle_run *run)
{
    return torre_fluid_input_particles(&run->fluid.input);
}

static torre_status open(torre_particle_run *run)
{
    const torre_fluid_input *in = &run->fluid.input;
    return torre_fluid_files_open(run->spec.files, run->problem, &in->dam, in->gauges,
                                  &run->fluid.files);
}

static void extras(torre_particle_run *run, torre_particle_extras *x)
{
    torre_fluid_files *f = &run->fluid.files;
    *x = (torre_particle_extras){.file = {{"csv", f->csv}, {"dump", f->dump}, {"front", f->front}},
                                 .files = 3,
                                 .block = {{"files", &f->done, sizeof f->done}},
                                 .blocks = 1};
    for (int k = 0; k < TORRE_GAUGE_KINDS; k++)
        x->file[x->files++] =
            (struct torre_growing){torre_gauge_name((torre_gauge_kind)k), f->gauges[k].sink};
}

static torre_status row(torre_particle_run *run)
{
    return torre_fluid_files_row(&run->fluid.files, run->md);
}

static torre_status results(torre_particle_run *run, bool failed)
{
    return torre_fluid_files_finish(&run->fluid.files, run->md, failed);
}

static void close(torre_particle_run *run)
{
    torre_fluid_files_close(&run->fluid.files);
    torre_fluid_input_free(&run->fluid.input);
}

static void tell_setup(FILE *out, const torre_particle_run *run)
{
    const torre_md_run *md = run->md;
    const torre_md_problem *p = run->problem;
    const torre_md_plan *plan = &md->info->plan;
    char bytes[32];
    torre_format_bytes((double)md->info->memory_bytes, bytes, sizeof bytes);
    fprintf(out,
            "# %" PRId64 " particles (%" PRId64 " fluid, %" PRId64
            " wall), spacing %.6g m, r_e %.4g "
            "spacings, %s\n",
            p->count, p->mps.fluid, p->mps.wall, p->mps.spacing, p->cutoff / p->mps.spacing, bytes);
    fprintf(out,
            "# sound speed %.6g m/s, dt %.6g s (limit %.6g s), %" PRId64 " steps, precision %s\n",
            p->mps.sound_speed, p->dt, torre_mps_dt_limit(p), run->spec.steps,
            torre_md_precision_name(p->precision));
    fprintf(out,
            "# ordering %s of %" PRId64 "x%" PRId64 "x%" PRId64 " bins, neighbor %s, skin %.4g m\n",
            torre_particle_ordering(plan).text, md->info->bins[0], md->info->bins[1],
            md->info->bins[2], torre_neighbor_name(plan->neighbor), plan->skin);
}

/* The set-up has told all. */
static void tell_cost(FILE *out, const torre_particle_run *run) { (void)out, (void)run; }

static void tell_head(FILE *out, const torre_particle_run *run)
{
    (void)run;
    fprintf(out,
            "#  Step       t, s   front, m   x/L  t*sqrt(2g/L)  speed, m/s  kinetic, J   energy, J "
            " p max, Pa  n/n0 inside  beyond wall, l0\n");
}

static void tell_row(FILE *out, const torre_particle_run *run)
{
    const torre_mps_dam *dam = &run->fluid.input.dam;
    const torre_mps_row *r = &run->md->fluid->row;
    double x = torre_mps_dam_front(dam, r);
    fprintf(out,
            "%7" PRId64 " %10.5f %10.5f %5.3f %13.4f %11.4f %11.5g %11.5g %10.1f %12.5f %16.3f\n",
            r->step, r->time, x, x / dam->width, torre_mps_dam_time(dam, run->problem, r), r->speed,
            r->kinetic, torre_mps_row_energy(r), r->pressure, r->compression, r->excursion);
}

static void tell_end(FILE *out, const torre_particle_run *run)
{
    const torre_fluid_files *files = &run->fluid.files;
    const torre_md_run *md = run->md;
    torre_md_times t;
    torre_md_counts c;
    char seconds[32], move[48] = ""; /* by itself on a GPU alone */
    torre_md_run_times(md, &t, &c);
    if (t.integrate > 0) snprintf(move, sizeof move, ", move %.3f s", t.integrate);
    torre_format_seconds(md->loop_s, seconds, sizeof seconds);
    if (md->step > 0) {
        fprintf(out, "# %" PRId64 " steps in %s: %.4g million particle-steps/s\n", md->step,
                seconds, 1e-6 * torre_md_run_rate(md));
        fprintf(
            out,
            "# viscosity %.3f s, density %.3f s, gradient %.3f s, neighbor %.3f s, sort %.3f s%s; "
            "%" PRId64 " rebuilds\n",
            t.viscosity, t.density, t.gradient, t.neighbor, t.sort, move, c.builds);
    }
    if (files->front_path[0]) fprintf(out, "# front in %s\n", files->front_path);
    for (int k = 0; k < TORRE_GAUGE_KINDS; k++)
        if (files->gauges[k].path[0])
            fprintf(out, "# %s in %s\n", torre_gauge_name((torre_gauge_kind)k),
                    files->gauges[k].path);
    if (run->spec.files->csv) fprintf(out, "# table in %s\n", run->spec.files->csv);
    if (run->spec.files->dump) fprintf(out, "# trajectory in %s\n", run->spec.files->dump);
    if (files->picture_path[0]) fprintf(out, "# picture in %s\n", files->picture_path);
}

static void report(torre_report *r, const torre_particle_run *run)
{
    torre_report_fluid_run(r, run->md, &run->fluid.input.dam);
}

const torre_particle_kind torre_fluid_runs = {
    .unit = "M particle-steps/s",
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
