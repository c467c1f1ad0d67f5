/* What `md` does for the pair models. */
#include <inttypes.h>

#include "cli/md_way.h"
#include "core/numbers.h"
#include "particles/granular_table.h"
#include "run/particle_report.h"

static void init(md_job *job)
{
    md_settings_init(&job->pairs.settings, job->table);
    job->common = &job->pairs.settings.common;
    job->checkpoint = &job->pairs.settings.common.checkpoint;
}

static bool is_granular(const torre_md_problem *p) { return p->model == TORRE_PAIR_granular; }

static torre_status read(md_job *job)
{
    md_settings *s = &job->pairs.settings;
    torre_pair_input *in = &job->pairs.input;
    TORRE_TRY(md_settings_spec(s, job->table));
    TORRE_TRY(torre_pair_input_read(&s->spec, in));
    md_settings_pair(s, job->table, true); /* what a file says */
    job->problem = &in->problem;
    job->plan = &in->plan;
    job->steps = s->steps;
    job->row_every = s->thermo;
    return TORRE_OK;
}

static torre_status particles(md_job *job)
{
    return torre_pair_input_particles(&job->pairs.settings.spec, &job->pairs.input);
}

static torre_status open(md_job *job, torre_md_watch *watch)
{
    const torre_pair_input *in = &job->pairs.input;
    const torre_particle_layout layout = {.about = in->about,
                                          .size = torre_pair_size(&in->problem)};
    TORRE_TRY(torre_pair_files_open(&job->common->files, &in->problem, &layout, &in->particles,
                                    &job->pairs.files));
    watch->frame_every = torre_pair_files_every(&job->pairs.files);
    return TORRE_OK;
}

static void extras(md_job *job, torre_particle_extras *x)
{
    torre_pair_files *f = &job->pairs.files;
    *x = (torre_particle_extras){.file = {{"csv", f->csv}, {"dump", f->dump}}, .files = 2};
    if (!f->profile) return;
    const int64_t slices = job->common->files.profile_slices;
    x->block[0] = (struct torre_block){"profile", f->slice, slices * (int64_t)sizeof *f->slice};
    x->block[1] = (struct torre_block){"samples", &f->samples, sizeof f->samples};
    x->blocks = 2;
}

static const torre_md_thermo *last_row(const md_job *job)
{
    return &job->run->row[job->run->rows - 1];
}

static torre_status row(md_job *job)
{
    torre_pair_files_row(&job->pairs.files, job->run, last_row(job));
    return TORRE_OK;
}

static torre_status results(md_job *job, bool failed)
{
    return torre_pair_files_finish(&job->pairs.files, job->run, failed);
}

static void close(md_job *job)
{
    torre_pair_files_close(&job->pairs.files);
    torre_pair_input_free(&job->pairs.input);
}

static void tell_granular_setup(FILE *out, const torre_granular *g, const torre_md_problem *p)
{
    fprintf(out, "# filling %.4g, restitution %.4g, contact time %.4g s, 1/%.0f of it a step\n",
            torre_granular_filling(p, g->diameter),
            g->gas == TORRE_GRANULAR_INELASTIC ? g->restitution : 1, torre_granular_duration(p),
            torre_granular_duration(p) / p->dt);
}

static void tell_setup(FILE *out, const md_job *job)
{
    const md_settings *s = &job->pairs.settings;
    const torre_md_run *run = job->run;
    const torre_md_problem *p = run->problem;
    const torre_md_plan *plan = &run->info->plan;
    double volume = p->box[0] * p->box[1] * p->box[2];
    particle_tell_run(out, &s->common, run);
    fprintf(out, "# %" PRId64 " particles, box %.8g x %.8g x %.8g, density %.6g\n", p->count,
            p->box[0], p->box[1], p->box[2], (double)p->count / volume);
    fprintf(out, "# model %s, cutoff %.6g, dt %.6g, precision %s\n",
            torre_pair_model_name(p->model), p->cutoff, p->dt,
            torre_md_precision_name(p->precision));
    if (is_granular(p)) tell_granular_setup(out, &job->pairs.input.granular, p);
    if (run->info->bins[0] == 0) return;
    fprintf(out,
            "# neighbor %s, skin %.6g, rebuild every %" PRId64 "%s, ordering %s of %" PRId64
            "x%" PRId64 "x%" PRId64 " bins\n",
            torre_neighbor_name(plan->neighbor), plan->skin, plan->rebuild_every,
            plan->rebuild_check ? " if needed" : "", particle_ordering(plan).text,
            run->info->bins[0], run->info->bins[1], run->info->bins[2]);
}

static void tell_cost(FILE *out, const md_job *job)
{
    const torre_md_run *run = job->run;
    char bytes[32], particles[32];
    torre_format_bytes((double)run->info->memory_bytes, bytes, sizeof bytes);
    torre_format_bytes(48.0 * (double)run->problem->count, particles, sizeof particles);
    fprintf(out, "# memory: %s for the solver, %s for the particles of the start\n", bytes,
            particles);
}

static void tell_head(FILE *out, const md_job *job)
{
    if (is_granular(job->problem)) {
        fprintf(out,
                "# units: steps, s, m^2/s^2, J per particle, contacts, collisions per particle "
                "and s\n");
        fprintf(out, "#  Step         Time    Temperature         TotEng           Lost   Contacts"
                     "      Rate\n");
        return;
    }
    fprintf(out, "# units: steps, then Lennard-Jones units; energies per particle\n");
    fprintf(out, "#  Step           Temp         E_pair  E_mol         TotEng          Press\n");
}

static void tell_row(FILE *out, const md_job *job)
{
    const torre_md_problem *p = job->problem;
    const torre_md_thermo *row = last_row(job);
    if (is_granular(p)) {
        fprintf(out, "%8" PRId64 " %12.6g %14.8g %14.8g %14.8g %10.0f %9.4g\n", row->step,
                (double)row->step * p->dt, torre_granular_temperature(p, row), row->total_energy,
                row->lost / (double)p->count, row->contacts, torre_granular_collision_rate(p, row));
        return;
    }
    fprintf(out, "%8" PRId64 " %14.8g %14.8g %6d %14.8g %14.8g\n", row->step, row->temperature,
            row->pair_energy, 0, row->total_energy, row->pressure);
}

static void tell_end(FILE *out, const md_job *job)
{
    const torre_md_run *run = job->run;
    torre_md_times t;
    torre_md_counts c;
    char seconds[32];
    const torre_particle_wishes *w = &job->common->files;
    torre_md_run_times(run, &t, &c);
    torre_format_seconds(run->loop_s, seconds, sizeof seconds);
    if (run->step > 0) {
        fprintf(out, "# %" PRId64 " steps in %s: %.4g million atom-steps/s\n", run->step, seconds,
                torre_md_run_rate(run) * 1e-6);
        fprintf(out,
                "# force %.3f s, neighbor %.3f s, sort %.3f s, integrate %.3f s, other %.3f s\n",
                t.force, t.neighbor, t.sort, t.integrate, t.other);
        fprintf(out, "# %.4g neighbors per particle, %" PRId64 " rebuilds, %" PRId64 " sorts, ",
                run->neighbors, c.builds, c.sorts);
        if (c.dangerous_builds < 0)
            fprintf(out, "dangerous builds not checked\n");
        else
            fprintf(out, "%" PRId64 " dangerous builds\n", c.dangerous_builds);
        if (!is_granular(run->problem))
            fprintf(out,
                    "# energy drift %.3g per particle and 10^4 steps (continuous at the cutoff)\n",
                    torre_md_run_drift(run));
    }
    particle_warn(job->common, &c, run->info->plan.rebuild_every == 1);
    if (w->csv) fprintf(out, "# table in %s\n", w->csv);
    if (w->profile) fprintf(out, "# height profile in %s\n", w->profile);
    if (w->dump) fprintf(out, "# trajectory in %s\n", w->dump);
    if (job->pairs.files.picture_path[0])
        fprintf(out, "# picture in %s\n", job->pairs.files.picture_path);
}

static void report(md_job *job)
{
    torre_report *r = particle_report_run(job->common, job->run);
    torre_report_pair_run(r, job->run);
    torre_report_options(r, job->table);
    torre_program_keep_report(r, &job->json);
}

const md_way md_pairs = {
    .unit = "M atom-steps/s",
    .init = init,
    .program = &md_program,
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
