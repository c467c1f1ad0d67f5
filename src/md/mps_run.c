#include "md/mps_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md/md_pace.h"

torre_status torre_mps_run_new(const torre_mps_problem *problem, const char *backend,
                               const torre_md_plan *plan, torre_mps_run **run)
{
    torre_mps_run *r = calloc(1, sizeof *r);
    if (!r) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a run");
    r->problem = problem;
    torre_status status = torre_mps_problem_check(problem);
    if (!status) status = torre_mps_backend_find(backend, plan, &r->backend);
    if (!status) status = r->backend->plan(problem, plan, &r->info);
    if (status) {
        torre_mps_run_free(r);
        return status;
    }
    r->n0 = torre_mps_norms_of(problem->dims, problem->spacing, problem->influence).n0;
    *run = r;
    return TORRE_OK;
}

void torre_mps_run_free(torre_mps_run *run)
{
    if (!run) return;
    if (run->solver) run->backend->destroy(run->solver);
    torre_md_particles_free(&run->now);
    free(run->pressure);
    free(run->number_density);
    free(run);
}

/* Add particle i to the row. */
static void measure(torre_mps_run *run, int64_t i, torre_mps_row *row)
{
    const torre_mps_problem *p = run->problem;
    const double mass = p->density * pow(p->spacing, p->dims);
    double square = 0;
    for (int a = 0; a < 3; a++) {
        double u = run->now.velocity[a][i];
        square += u * u;
        row->momentum[a] += mass * u;
    }
    row->kinetic += 0.5 * mass * square;
    row->potential += mass * p->gravity * run->now.position[1][i];
    row->speed = fmax(row->speed, sqrt(square));
    row->pressure = fmax(row->pressure, run->pressure[i]);
    row->front = fmax(row->front, run->now.position[0][i] + p->spacing / 2);
    if (run->number_density[i] < p->surface * run->n0)
        row->surface++;
    else
        row->compression += run->number_density[i] / run->n0;
}

/* The fluid must stay inside the outermost layer of dummies. */
static torre_status check_inside(const torre_mps_run *run)
{
    const torre_mps_problem *p = run->problem;
    double low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
        for (int64_t i = p->fluid; i < p->count; i++) {
            low[a] = fmin(low[a], run->now.position[a][i]);
            high[a] = fmax(high[a], run->now.position[a][i]);
        }
    }
    for (int64_t i = 0; i < p->fluid && p->fluid < p->count; i++)
        for (int a = 0; a < 2; a++)
            if (!(run->now.position[a][i] >= low[a] && run->now.position[a][i] <= high[a]))
                return torre_fail(TORRE_ERR_UNSTABLE,
                                  "step %lld: particle %lld went through a wall, to (%.4g, %.4g, "
                                  "%.4g) m; use a smaller --dt or a larger --sound-speed",
                                  (long long)run->step, (long long)i + 1, run->now.position[0][i],
                                  run->now.position[1][i], run->now.position[2][i]);
    return TORRE_OK;
}

static torre_status make_row(torre_mps_run *run)
{
    torre_mps_state state = {.pressure = run->pressure, .number_density = run->number_density};
    memcpy(state.position, run->now.position, sizeof state.position);
    memcpy(state.velocity, run->now.velocity, sizeof state.velocity);
    TORRE_TRY(run->backend->get_state(run->solver, &state));
    torre_mps_row row = {.step = run->step, .time = (double)run->step * run->problem->dt};
    for (int64_t i = 0; i < run->problem->fluid; i++) measure(run, i, &row);
    int64_t inner = run->problem->fluid - row.surface;
    if (inner) row.compression /= (double)inner;
    run->row = row;
    return check_inside(run);
}

torre_status torre_mps_run_start(torre_mps_run *run, const torre_mps_watch *watch)
{
    const torre_mps_problem *p = run->problem;
    TORRE_TRY(torre_md_particles_new(p->count, &run->now));
    memcpy(run->now.box, p->box, sizeof run->now.box);
    run->pressure = calloc((size_t)p->count, sizeof(double));
    run->number_density = calloc((size_t)p->count, sizeof(double));
    if (!run->pressure || !run->number_density)
        return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)p->count);
    TORRE_TRY(run->backend->create(p, &run->info, &run->solver));
    TORRE_TRY(run->backend->set_particles(run->solver));
    TORRE_TRY(make_row(run));
    return watch && watch->row ? watch->row(watch->context, run) : TORRE_OK;
}

torre_status torre_mps_run_advance(torre_mps_run *run, int64_t steps, const torre_mps_watch *watch)
{
    const int64_t goal = run->step + steps;
    const int64_t every = watch ? watch->every : 0;
    torre_md_pace pace = {.looked = torre_time_now()};
    while (run->step < goal) {
        int64_t chunk = torre_md_pace_until(run->step, every, goal - run->step);
        if (watch && (watch->progress || watch->stop)) chunk = torre_md_pace_chunk(&pace, chunk);
        double clock = torre_time_now();
        TORRE_TRY(run->backend->advance(run->solver, chunk));
        double spent = torre_time_now() - clock;
        run->loop_s += spent;
        run->step += chunk;
        torre_md_pace_took(&pace, chunk, spent);
        if (run->step == goal || (every && run->step % every == 0)) {
            TORRE_TRY(make_row(run));
            if (watch && watch->row) TORRE_TRY(watch->row(watch->context, run));
        }
        if (!watch || !torre_md_pace_due(&pace, run->step == goal)) continue;
        if (watch->progress) watch->progress(watch->context, run, goal);
        if (watch->stop && run->step < goal && watch->stop(watch->context)) return make_row(run);
    }
    return TORRE_OK;
}

double torre_mps_run_gauge(const torre_mps_run *run, const double point[3])
{
    const torre_mps_problem *p = run->problem;
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < p->fluid; i++) {
        double square = 0;
        for (int a = 0; a < p->dims; a++) {
            double d = run->now.position[a][i] - point[a];
            d -= p->box[a] * rint(d / p->box[a]);
            square += d * d;
        }
        if (square >= p->influence * p->influence) continue;
        double w = 1 - sqrt(square) / p->influence;
        sum += w * run->pressure[i];
        weight += w;
    }
    return weight > 0 ? sum / weight : 0;
}

double torre_mps_run_rate(const torre_mps_run *run)
{
    if (!(run->loop_s > 0)) return 0;
    return (double)run->problem->count * (double)run->step / run->loop_s;
}
