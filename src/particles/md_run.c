#include "particles/md_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/phase.h"
#include "particles/md_crew.h"
#include "particles/md_pace.h"
#include "particles/md_ranks.h"

torre_status torre_md_run_new(const torre_md_problem *problem, const char *backend,
                              const torre_md_plan *plan, torre_md_run **run)
{
    if (plan->devices) return torre_md_crew_run(problem, backend, plan, run);
    torre_md_run *r = calloc(1, sizeof *r);
    if (!r) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a run");
    r->problem = problem;
    r->row_step = -1;
    torre_status status = torre_md_problem_check(problem);
    if (!status) status = torre_md_backend_find(backend, plan, &r->backend);
    if (!status) status = r->backend->plan(problem, plan, &r->program);
    if (status) {
        torre_md_run_free(r);
        return status;
    }
    r->info = torre_md_program_info(r->program);
    *run = r;
    return TORRE_OK;
}

void torre_md_run_free(torre_md_run *run)
{
    if (!run) return;
    torre_md_crew_end(run->crew);
    if (run->solver) run->solver->backend->destroy(run->solver);
    torre_md_program_free(run->program);
    torre_md_links_close(run->links);
    torre_md_crew_free(run->crew);
    torre_mps_measure_free(run->fluid);
    free(run->row);
    free(run->fluid_row);
    free(run);
}

static bool is_fluid(const torre_md_run *run) { return run->problem->model == TORRE_MODEL_MPS; }

static void *rows_of(const torre_md_run *run)
{
    return is_fluid(run) ? (void *)run->fluid_row : (void *)run->row;
}

static size_t row_bytes(const torre_md_run *run)
{
    return is_fluid(run) ? sizeof *run->fluid_row : sizeof *run->row;
}

/* Room for so many rows. */
static torre_status make_rows(torre_md_run *run, int64_t rows)
{
    if (rows <= run->row_limit) return TORRE_OK;
    int64_t limit = 2 * run->row_limit > rows ? 2 * run->row_limit : rows + 15;
    void *row = realloc(rows_of(run), (size_t)limit * row_bytes(run));
    if (!row) return torre_fail(TORRE_ERR_RESOURCE, "no memory for the thermo table");
    if (is_fluid(run))
        run->fluid_row = row;
    else
        run->row = row;
    run->row_limit = limit;
    return TORRE_OK;
}

static torre_status add_fluid_row(torre_md_run *run)
{
    TORRE_TRY(torre_mps_measure_take(run->fluid, run->solver, run->step));
    run->fluid_row[run->rows++] = run->fluid->row;
    return TORRE_OK;
}

static bool is_relaxed(const torre_md_problem *p, const torre_md_thermo *row)
{
    return p->force_tolerance > 0 && row->force <= p->force_tolerance;
}

static torre_status add_thermo(torre_md_run *run)
{
    torre_md_sums sums;
    double box[3];
    TORRE_TRY(run->solver->backend->sums(run->solver, &sums));
    torre_md_solver_box(run->solver, run->problem, box);
    run->row[run->rows] = torre_md_thermo_of(run->problem, box, run->step, &sums);
    run->neighbors = sums.neighbors;
    run->relaxed = is_relaxed(run->problem, &run->row[run->rows]);
    run->rows++;
    return TORRE_OK;
}

/* What a row takes is part of the time loop, but for that of the start. */
static torre_status add_row(torre_md_run *run)
{
    TORRE_PHASE(run->step ? TORRE_PHASE_LOOP : TORRE_PHASE_UPLOAD);
    const double clock = torre_time_now();
    run->row_step = run->step;
    TORRE_TRY(make_rows(run, run->rows + 1));
    TORRE_TRY(run->fluid ? add_fluid_row(run) : add_thermo(run));
    if (run->step) run->loop_s += torre_time_now() - clock;
    return TORRE_OK;
}

/* Row and frame where this step has one; last: the end of the run. */
static torre_status report_step(torre_md_run *run, const torre_md_watch *watch, bool last)
{
    bool due = watch && watch->row_every && run->step % watch->row_every == 0;
    if ((due || last) && run->row_step != run->step) {
        TORRE_TRY(add_row(run));
        if (watch && watch->row) TORRE_TRY(watch->row(watch->context, run));
    }
    if (watch && watch->frame && watch->frame_every && run->step % watch->frame_every == 0)
        return watch->frame(watch->context, run);
    return TORRE_OK;
}

/* A solver with the particles of the problem. */
static torre_status make_solver(torre_md_run *run)
{
    const torre_md_problem *p = run->problem;
    if (p->model == TORRE_MODEL_MPS) TORRE_TRY(torre_mps_measure_new(p, &run->fluid));
    TORRE_TRY(run->backend->create(run->program, &run->solver));
    run->program = NULL;
    return run->backend->set_particles(run->solver, p->position, p->velocity);
}

static void begin_times(torre_md_run *run)
{
    torre_md_counts counts;
    run->solver->backend->times(run->solver, &run->before_start, &counts);
}

torre_status torre_md_run_start(torre_md_run *run, const torre_md_watch *watch)
{
    TORRE_PHASE(TORRE_PHASE_UPLOAD);
    TORRE_TRY(make_solver(run));
    TORRE_TRY(report_step(run, watch, true));
    begin_times(run);
    return TORRE_OK;
}

torre_status torre_md_run_state(torre_md_run *run, torre_md_visit *visit, void *context)
{
    int64_t place[] = {run->step, run->rows, run->row_step};
    double *seconds = &run->loop_s;
    TORRE_TRY(visit(context, "run", place, sizeof place));
    TORRE_TRY(visit(context, "seconds", seconds, sizeof *seconds));
    run->step = place[0];
    run->row_step = place[2];
    TORRE_TRY(make_rows(run, place[1]));
    run->rows = place[1];
    TORRE_TRY(visit(context, "rows", rows_of(run), run->rows * (int64_t)row_bytes(run)));
    return run->backend->state(run->solver, visit, context);
}

torre_status torre_md_run_start_from(torre_md_run *run, torre_md_visit *visit, void *context)
{
    TORRE_PHASE(TORRE_PHASE_UPLOAD);
    TORRE_TRY(make_solver(run));
    TORRE_TRY(torre_md_run_state(run, visit, context));
    TORRE_TRY(run->backend->resume(run->solver));
    begin_times(run);
    return TORRE_OK;
}

bool torre_md_run_conserves(const torre_md_run *run)
{
    return run->problem->ensemble != TORRE_NVE && run->problem->ensemble != TORRE_FIRE;
}

void torre_md_run_times(const torre_md_run *run, torre_md_times *times, torre_md_counts *counts)
{
    memset(times, 0, sizeof *times);
    *counts = (torre_md_counts){.dangerous_builds = -1};
    if (!run->solver) return;
    run->solver->backend->times(run->solver, times, counts);
    times->viscosity -= run->before_start.viscosity;
    times->density -= run->before_start.density;
    times->gradient -= run->before_start.gradient;
    times->force -= run->before_start.force;
    times->neighbor -= run->before_start.neighbor;
    times->sort -= run->before_start.sort;
    times->integrate -= run->before_start.integrate;
    times->other -= run->before_start.other;
    times->waited -= run->before_start.waited;
}

static torre_status advance_solver(torre_md_run *run, int64_t steps)
{
    TORRE_PHASE(TORRE_PHASE_LOOP);
    if (run->fluid) torre_mps_measure_leave(run->fluid);
    return run->solver->backend->advance(run->solver, steps);
}

torre_status torre_md_run_advance(torre_md_run *run, int64_t steps, const torre_md_watch *watch)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    const int64_t goal = run->step + steps;
    torre_md_pace pace = {.looked = torre_time_now()};
    while (run->step < goal && !run->relaxed) {
        int64_t chunk = goal - run->step;
        if (watch) {
            chunk = torre_md_pace_until(run->step, watch->row_every, chunk);
            if (watch->frame) chunk = torre_md_pace_until(run->step, watch->frame_every, chunk);
            if (watch->save) chunk = torre_md_pace_until(run->step, watch->save_every, chunk);
            if (watch->progress || watch->stop) chunk = torre_md_pace_chunk(&pace, chunk);
        }
        double clock = torre_time_now();
        TORRE_TRY(advance_solver(run, chunk));
        double spent = torre_time_now() - clock;
        run->loop_s += spent;
        run->step += chunk;
        torre_md_pace_took(&pace, chunk, spent);
        TORRE_TRY(report_step(run, watch, run->step == goal));
        const bool saves = watch && watch->save && run->step < goal;
        const bool save = saves && watch->save_every && run->step % watch->save_every == 0;
        if (save) TORRE_TRY(watch->save(watch->context, run));
        if (!watch || !torre_md_pace_due(&pace, run->step == goal)) continue;
        if (watch->progress) {
            const torre_md_progress now = {run->step, goal, run->loop_s};
            watch->progress(watch->context, &now);
        }
        const bool stop = watch->stop && run->step < goal && watch->stop(watch->context);
        if (saves && !save && (stop || (watch->save_due && watch->save_due(watch->context, run))))
            TORRE_TRY(watch->save(watch->context, run));
        if (stop) return report_step(run, watch, true);
    }
    return TORRE_OK;
}

torre_status torre_md_run_particles(torre_md_run *run, torre_md_particles *particles)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    torre_md_solver_box(run->solver, run->problem, particles->box);
    particles->mass = torre_md_type_mass(run->problem, 0);
    if (particles->spin[0])
        TORRE_TRY(run->solver->backend->get_spins(run->solver, particles->spin));
    return run->solver->backend->get_particles(run->solver, particles->position,
                                               particles->velocity);
}

double torre_md_run_rate(const torre_md_run *run)
{
    if (!(run->loop_s > 0)) return 0;
    return (double)run->problem->count * (double)run->step / run->loop_s;
}

double torre_md_run_drift(const torre_md_run *run)
{
    double n = (double)run->rows, x = 0, y = 0, xx = 0, xy = 0;
    for (int64_t i = 0; i < run->rows; i++) {
        x += (double)run->row[i].step / n;
        y += run->row[i].conserved / n;
    }
    for (int64_t i = 0; i < run->rows; i++) {
        double dx = (double)run->row[i].step - x;
        xx += dx * dx;
        xy += dx * (run->row[i].conserved - y);
    }
    return xx > 0 ? 1e4 * xy / xx : 0;
}
