/* Runs of the pair models (particle_run.h). */
#include <inttypes.h>

#include "core/numbers.h"
#include "particles/granular_table.h"
#include "run/particle_report.h"
#include "run/particle_run.h"

static bool is_granular(const torre_md_problem *p) { return p->model == TORRE_PAIR_granular; }

static torre_status read(torre_particle_run *run)
{
    torre_pair_input *in = &run->pairs.input;
    TORRE_TRY(torre_pair_input_read(run->spec.pairs, in));
    run->problem = &in->problem;
    run->plan = &in->plan;
    return torre_pair_measures_check(&run->spec.files->measures, run->problem);
}

static torre_status particles(torre_particle_run *run)
{
    return torre_pair_input_particles(run->spec.pairs, &run->pairs.input);
}

static torre_status open(torre_particle_run *run)
{
    const torre_pair_input *in = &run->pairs.input;
    const torre_particle_layout layout = {.about = in->about,
                                          .size = torre_pair_size(&in->problem)};
    TORRE_TRY(torre_pair_files_open(run->spec.files, run->md, &layout, &in->particles,
                                    &run->pairs.files));
    run->frame_every = torre_pair_files_every(&run->pairs.files);
    return TORRE_OK;
}

static void extras(torre_particle_run *run, torre_particle_extras *x)
{
    torre_pair_files *f = &run->pairs.files;
    *x = (torre_particle_extras){.file = {{"csv", f->csv}, {"dump", f->dump}}, .files = 2};
    torre_pair_measures_extras(&f->measures, x);
    if (run->spec.files->frame_every)
        x->block[x->blocks++] = (struct torre_block){"pictures", &f->done, sizeof f->done};
    if (!f->profile) return;
    const int64_t slices = run->spec.files->profile_slices;
    x->block[x->blocks++] =
        (struct torre_block){"profile", f->slice, slices * (int64_t)sizeof *f->slice};
    x->block[x->blocks++] = (struct torre_block){"samples", &f->samples, sizeof f->samples};
}

static const torre_md_thermo *last_row(const torre_particle_run *run)
{
    return &run->md->row[run->md->rows - 1];
}

static torre_status row(torre_particle_run *run)
{
    return torre_pair_files_row(&run->pairs.files, run->md, last_row(run));
}

static torre_status frame(torre_particle_run *run)
{
    return torre_pair_files_frame(&run->pairs.files, run->md);
}

static torre_status results(torre_particle_run *run, bool failed)
{
    return torre_pair_files_finish(&run->pairs.files, run->md, failed);
}

static void close(torre_particle_run *run)
{
    torre_pair_files_close(&run->pairs.files);
    torre_pair_input_free(&run->pairs.input);
}

static void tell_granular_setup(FILE *out, const torre_granular *g, const torre_md_problem *p)
{
    fprintf(out, "# filling %.4g, restitution %.4g, contact time %.4g s, 1/%.0f of it a step\n",
            torre_granular_filling(p, g->diameter),
            g->gas == TORRE_GRANULAR_INELASTIC ? g->restitution : 1, torre_granular_duration(p),
            torre_granular_duration(p) / p->dt);
}

static void tell_between(FILE *out, const torre_md_problem *p, int a, int b)
{
    const torre_type_pair *pair = torre_md_between(p->types, a, b);
    fprintf(out, "# types %d-%d: ", a + 1, b + 1);
    for (const torre_pair_parameter *r = torre_pair_about_model(p->model)->parameters; r->name; r++)
        if (r->kind != TORRE_PARAMETER_FLAG)
            fprintf(out, "%s %.6g, ", r->name,
                    *(const double *)((const char *)&pair->pair + r->offset));
    fprintf(out, "cutoff %.6g\n", pair->cutoff);
}

static void tell_types(FILE *out, const torre_md_problem *p)
{
    const torre_md_types *t = p->types;
    for (int a = 0; a < t->count; a++) {
        int64_t count = 0;
        for (int64_t i = 0; t->type && i < p->count; i++) count += t->type[i] == a;
        fprintf(out, "# type %d: mass %.6g", a + 1, t->mass[a]);
        if (t->type) fprintf(out, ", %" PRId64 " particles", count);
        fprintf(out, "\n");
    }
    for (int a = 0; a < t->count; a++)
        for (int b = a; b < t->count; b++) tell_between(out, p, a, b);
}

static void tell_setup(FILE *out, const torre_particle_run *run)
{
    const torre_md_run *md = run->md;
    const torre_md_problem *p = run->problem;
    const torre_md_plan *plan = &md->info->plan;
    double volume = p->box[0] * p->box[1] * p->box[2];
    fprintf(out, "# %" PRId64 " particles, box %.8g x %.8g x %.8g, density %.6g\n", p->count,
            p->box[0], p->box[1], p->box[2], (double)p->count / volume);
    fprintf(out, "# model %s, cutoff %.6g, dt %.6g, precision %s\n",
            torre_pair_model_name(p->model), p->cutoff, p->dt,
            torre_md_precision_name(p->precision));
    if (p->types) tell_types(out, p);
    if (is_granular(p)) tell_granular_setup(out, &run->pairs.input.granular, p);
    if (md->info->bins[0] == 0) return;
    fprintf(out,
            "# neighbor %s, skin %.6g, rebuild every %" PRId64 "%s, ordering %s of %" PRId64
            "x%" PRId64 "x%" PRId64 " bins\n",
            torre_neighbor_name(plan->neighbor), plan->skin, plan->rebuild_every,
            plan->rebuild_check ? " if needed" : "", torre_particle_ordering(plan).text,
            md->info->bins[0], md->info->bins[1], md->info->bins[2]);
}

static void tell_cost(FILE *out, const torre_particle_run *run)
{
    const torre_md_run *md = run->md;
    char bytes[32], particles[32];
    torre_format_bytes((double)md->info->memory_bytes, bytes, sizeof bytes);
    torre_format_bytes(48.0 * (double)run->problem->count, particles, sizeof particles);
    fprintf(out, "# memory: %s for the solver, %s for the particles of the start\n", bytes,
            particles);
}

static void tell_head(FILE *out, const torre_particle_run *run)
{
    if (is_granular(run->problem)) {
        fprintf(out,
                "# units: steps, s, m^2/s^2, J per particle, contacts, collisions per particle "
                "and s\n");
        fprintf(out, "#  Step         Time    Temperature         TotEng           Lost   Contacts"
                     "      Rate\n");
        return;
    }
    fprintf(out, "# units: steps, then %s; energies per particle\n",
            run->problem->model == TORRE_PAIR_lj ? "Lennard-Jones units"
                                                 : "those of the pair model, k_B = 1");
    const torre_md_ensemble ensemble = run->problem->ensemble;
    fprintf(out, "#  Step           Temp         E_pair  E_mol         TotEng          Press%s\n",
            ensemble == TORRE_NPT             ? "      Conserved         Volume"
            : torre_md_run_conserves(run->md) ? "      Conserved"
            : ensemble == TORRE_FIRE          ? "          Force"
                                              : "");
}

static void tell_row(FILE *out, const torre_particle_run *run)
{
    const torre_md_problem *p = run->problem;
    const torre_md_thermo *row = last_row(run);
    if (is_granular(p)) {
        fprintf(out, "%8" PRId64 " %12.6g %14.8g %14.8g %14.8g %10.0f %9.4g\n", row->step,
                (double)row->step * p->dt, torre_granular_temperature(p, row), row->total_energy,
                row->lost / (double)p->count, row->contacts, torre_granular_collision_rate(p, row));
        return;
    }
    fprintf(out, "%8" PRId64 " %14.8g %14.8g %6d %14.8g %14.8g", row->step, row->temperature,
            row->pair_energy, 0, row->total_energy, row->pressure);
    if (torre_md_run_conserves(run->md)) fprintf(out, " %14.8g", row->conserved);
    if (p->ensemble == TORRE_FIRE) fprintf(out, " %14.8g", row->force);
    if (p->ensemble == TORRE_NPT) fprintf(out, " %14.8g", row->box[0] * row->box[1] * row->box[2]);
    fprintf(out, "\n");
}

static void tell_end(FILE *out, const torre_particle_run *run)
{
    const torre_md_run *md = run->md;
    torre_md_times t;
    torre_md_counts c;
    char seconds[32];
    const torre_particle_wishes *w = run->spec.files;
    torre_md_run_times(md, &t, &c);
    torre_format_seconds(md->loop_s, seconds, sizeof seconds);
    if (md->step > 0) {
        fprintf(out, "# %" PRId64 " steps in %s: %.4g million atom-steps/s\n", md->step, seconds,
                torre_md_run_rate(md) * 1e-6);
        fprintf(out,
                "# force %.3f s, neighbor %.3f s, sort %.3f s, integrate %.3f s, other %.3f s\n",
                t.force, t.neighbor, t.sort, t.integrate, t.other);
        fprintf(out, "# %.4g neighbors per particle, %" PRId64 " rebuilds, %" PRId64 " sorts, ",
                md->neighbors, c.builds, c.sorts);
        if (c.dangerous_builds < 0)
            fprintf(out, "dangerous builds not checked\n");
        else
            fprintf(out, "%" PRId64 " dangerous builds\n", c.dangerous_builds);
        if (!is_granular(run->problem) && run->problem->ensemble != TORRE_FIRE)
            fprintf(out, "# %s drift %.3g per particle and 10^4 steps (continuous at the cutoff)\n",
                    torre_md_run_conserves(md) ? "conserved" : "energy", torre_md_run_drift(md));
    }
    if (w->csv) fprintf(out, "# table in %s\n", w->csv);
    if (w->profile) fprintf(out, "# height profile in %s\n", w->profile);
    if (w->dump) fprintf(out, "# trajectory in %s\n", w->dump);
    torre_pair_measures_tell(out, &run->pairs.files.measures);
    if (run->pairs.files.picture_path[0])
        fprintf(out, "# picture in %s\n", run->pairs.files.picture_path);
}

static void report(torre_report *r, const torre_particle_run *run)
{
    torre_report_pair_run(r, run->md);
    torre_pair_measures_report(r, &run->pairs.files.measures);
}

const torre_particle_kind torre_pair_runs = {
    .unit = "M atom-steps/s",
    .read = read,
    .particles = particles,
    .open = open,
    .extras = extras,
    .row = row,
    .frame = frame,
    .results = results,
    .close = close,
    .tell_setup = tell_setup,
    .tell_cost = tell_cost,
    .tell_head = tell_head,
    .tell_row = tell_row,
    .tell_end = tell_end,
    .report = report,
};
