#include "cli/md_text.h"

#include <inttypes.h>
#include <string.h>

#include "cli/md_granular.h"
#include "cli/program.h"
#include "core/numbers.h"
#include "core/report.h"

static bool is_granular(const torre_md_problem *p) { return p->model == TORRE_PAIR_granular; }

void md_text_setup(FILE *out, const md_settings *s, const torre_md_run *run)
{
    const torre_md_problem *p = run->problem;
    const torre_md_plan *plan = &run->info->plan;
    double volume = p->box[0] * p->box[1] * p->box[2];
    particle_tell_run(out, &s->common, run);
    fprintf(out, "# %" PRId64 " particles, box %.8g x %.8g x %.8g, density %.6g\n", p->count,
            p->box[0], p->box[1], p->box[2], (double)p->count / volume);
    fprintf(out, "# model %s, cutoff %.6g, dt %.6g, precision %s\n",
            torre_pair_model_name(p->model), p->cutoff, p->dt,
            torre_md_precision_name(p->precision));
    if (is_granular(p)) md_granular_setup(out, s, p);
    if (run->info->bins[0] == 0) return;
    fprintf(out,
            "# neighbor %s, skin %.6g, rebuild every %" PRId64 "%s, ordering %s of %" PRId64
            "x%" PRId64 "x%" PRId64 " bins\n",
            torre_neighbor_name(plan->neighbor), plan->skin, plan->rebuild_every,
            plan->rebuild_check ? " if needed" : "", particle_ordering(plan).text,
            run->info->bins[0], run->info->bins[1], run->info->bins[2]);
}

void md_text_head(FILE *out, const torre_md_problem *p)
{
    if (is_granular(p)) {
        md_granular_head(out);
        return;
    }
    fprintf(out, "# units: steps, then Lennard-Jones units; energies per particle\n");
    fprintf(out, "#  Step           Temp         E_pair  E_mol         TotEng          Press\n");
}

void md_text_row(FILE *out, const torre_md_problem *p, const torre_md_thermo *row)
{
    if (is_granular(p)) {
        md_granular_row(out, p, row);
        return;
    }
    fprintf(out, "%8" PRId64 " %14.8g %14.8g %6d %14.8g %14.8g\n", row->step, row->temperature,
            row->pair_energy, 0, row->total_energy, row->pressure);
}

void md_text_cost(FILE *out, const torre_md_run *run)
{
    char bytes[32], particles[32];
    torre_format_bytes((double)run->info->memory_bytes, bytes, sizeof bytes);
    torre_format_bytes(48.0 * (double)run->problem->count, particles, sizeof particles);
    fprintf(out, "# memory: %s for the solver, %s for the particles of the start\n", bytes,
            particles);
}

void md_text_result(FILE *out, const md_settings *s, const torre_md_run *run,
                    const torre_pair_files *files)
{
    torre_md_times t;
    torre_md_counts c;
    char seconds[32];
    const torre_particle_wishes *w = &s->common.files;
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
    particle_warn(&s->common, &c, run->info->plan.rebuild_every == 1);
    if (w->csv) fprintf(out, "# table in %s\n", w->csv);
    if (w->profile) fprintf(out, "# height profile in %s\n", w->profile);
    if (w->dump) fprintf(out, "# trajectory in %s\n", w->dump);
    if (files->picture_path[0]) fprintf(out, "# picture in %s\n", files->picture_path);
}

static void report_times(torre_report *r, const torre_md_run *run)
{
    torre_md_times t;
    torre_md_counts c;
    torre_md_run_times(run, &t, &c);
    torre_report *time = torre_report_object(r, "loop_time_s");
    torre_report_real(time, "force", t.force);
    torre_report_real(time, "neighbor", t.neighbor);
    torre_report_real(time, "sort", t.sort);
    torre_report_real(time, "integrate", t.integrate);
    torre_report_real(time, "other", t.other);
    torre_report_integer(r, "builds", c.builds);
    torre_report_integer(r, "sorts", c.sorts);
    if (c.dangerous_builds >= 0) torre_report_integer(r, "dangerous_builds", c.dangerous_builds);
}

static void report_rows(torre_report *r, const torre_md_run *run)
{
    torre_report *list = torre_report_array(r, "thermo");
    for (int64_t i = 0; i < run->rows; i++) {
        const torre_md_thermo *row = &run->row[i];
        torre_report *at = torre_report_object(list, NULL);
        if (is_granular(run->problem)) {
            md_granular_report_row(at, run, row);
            continue;
        }
        torre_report_integer(at, "step", row->step);
        torre_report_real(at, "temp", row->temperature);
        torre_report_real(at, "e_pair", row->pair_energy);
        torre_report_real(at, "e_total", row->total_energy);
        torre_report_real(at, "press", row->pressure);
        torre_report_real(at, "e_shifted", row->shifted_energy);
        torre_report_reals(at, "momentum", row->momentum, 3);
    }
}

void md_text_report(torre_output **json, const md_settings *s, const torre_option *table,
                    const torre_md_run *run)
{
    const torre_md_problem *p = run->problem;
    const torre_md_plan *plan = &run->info->plan;
    torre_report *r = particle_report_run(&s->common, run);
    torre_report_real(r, "dt", p->dt);
    torre_report_reals(r, "box", p->box, 3);
    torre_report_integers(r, "bins", run->info->bins, 3);
    torre_report_real(r, "skin", plan->skin);
    torre_report_integer(r, "rebuild_every", plan->rebuild_every);
    torre_report_bool(r, "rebuild_check", plan->rebuild_check);
    torre_report_integer(r, "sort_every",
                         plan->sort_every == TORRE_MD_NEVER ? 0 : plan->sort_every);
    torre_report_integer(r, "threads", plan->threads);
    torre_report_integer(r, "memory_bytes", run->info->memory_bytes);
    torre_report_real(r, "loop_s", run->loop_s);
    torre_report_real(r, "atom_steps_per_s", torre_md_run_rate(run));
    report_times(r, run);
    torre_report_real(r, "neighbors_per_atom", run->neighbors);
    report_rows(r, run);
    torre_report_real(r, "energy_drift", torre_md_run_drift(run));
    torre_report_options(r, table);
    torre_program_keep_report(r, json);
}
