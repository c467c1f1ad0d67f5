#include "run/particle_report.h"

#include "particles/granular_table.h"
#include "run/fluid_files.h"

static void report_granular_row(torre_report *at, const torre_md_run *run, const torre_md_thermo *r)
{
    double value[TORRE_GRANULAR_COLUMNS];
    torre_granular_values(run, r, value);
    torre_report_integer(at, "step", r->step);
    for (int k = 1; k < TORRE_GRANULAR_COLUMNS; k++)
        torre_report_real(at, torre_granular_column[k], value[k]);
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
        if (run->problem->model == TORRE_PAIR_granular) {
            report_granular_row(at, run, row);
            continue;
        }
        torre_report_integer(at, "step", row->step);
        torre_report_real(at, "temp", row->temperature);
        torre_report_real(at, "e_pair", row->pair_energy);
        torre_report_real(at, "e_total", row->total_energy);
        torre_report_real(at, "press", row->pressure);
        torre_report_real(at, "e_shifted", row->shifted_energy);
        if (torre_md_run_conserves(run)) torre_report_real(at, "e_conserved", row->conserved);
        if (run->problem->ensemble == TORRE_FIRE) torre_report_real(at, "force", row->force);
        if (run->problem->ensemble == TORRE_NPT) torre_report_reals(at, "box", row->box, 3);
        torre_report_reals(at, "momentum", row->momentum, 3);
    }
}

/* Steps between sorts, 0 for never; where they are measured the mean of the run. */
static void report_sorts(torre_report *r, const torre_md_run *run)
{
    torre_md_times t;
    torre_md_counts c;
    int64_t every = run->info->plan.sort_every;
    torre_md_run_times(run, &t, &c);
    if (every == TORRE_MD_MEASURED) every = c.sorts > 0 ? run->step / c.sorts : 0;
    torre_report_integer(r, "sort_every", every == TORRE_MD_NEVER ? 0 : every);
}

void torre_report_pair_run(torre_report *r, const torre_md_run *run)
{
    const torre_md_problem *p = run->problem;
    const torre_md_plan *plan = &run->info->plan;
    torre_report_real(r, "dt", p->dt);
    torre_report_reals(r, "box", p->box, 3);
    if (torre_md_couples_all(p->ensemble))
        torre_report_integer(r, "couple_every", torre_md_couple_every(p));
    torre_report_integers(r, "bins", run->info->bins, 3);
    torre_report_real(r, "skin", plan->skin);
    torre_report_integer(r, "rebuild_every", plan->rebuild_every);
    torre_report_bool(r, "rebuild_check", plan->rebuild_check);
    report_sorts(r, run);
    torre_report_integer(r, "threads", plan->threads);
    torre_report_integer(r, "memory_bytes", run->info->memory_bytes);
    torre_report_real(r, "loop_s", run->loop_s);
    torre_report_real(r, "atom_steps_per_s", torre_md_run_rate(run));
    report_times(r, run);
    torre_report_real(r, "neighbors_per_atom", run->neighbors);
    report_rows(r, run);
    torre_report_real(r, "energy_drift", torre_md_run_drift(run));
}

static void report_physics(torre_report *r, const torre_mps_dam *dam, const torre_md_run *run)
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
    torre_report_real(last, "front", torre_mps_dam_front(dam, &run->fluid->row));
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

void torre_report_fluid_run(torre_report *r, const torre_md_run *run, const torre_mps_dam *dam)
{
    torre_md_times t;
    torre_md_counts c;
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
    report_physics(r, dam, run);
    torre_report *list = torre_report_array(r, "thermo");
    for (int64_t i = 0; i < run->rows; i++) {
        double value[TORRE_FLUID_COLUMNS];
        torre_report *at = torre_report_object(list, NULL);
        torre_fluid_values(dam, &run->fluid_row[i], value);
        torre_report_integer(at, "step", run->fluid_row[i].step);
        for (int k = 1; k < TORRE_FLUID_COLUMNS; k++)
            torre_report_real(at, torre_fluid_column[k], value[k]);
    }
}
