#include "particles/mps_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "particles/md_pace.h"

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
    r->norms = torre_mps_norms_of(problem->dims, problem->spacing, problem->influence);
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
    free(run->collision);
    free(run);
}

double torre_mps_row_energy(const torre_mps_row *row)
{
    return row->kinetic + row->potential + row->elastic;
}

/* Walls in the whole box are a periodic axis of the tank, not its ends. */
static void find_faces(torre_mps_run *run)
{
    const torre_mps_problem *p = run->problem;
    for (int a = 0; a < 3; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = p->fluid; i < p->fluid + p->wall; i++) {
            low = fmin(low, p->position[a][i]);
            high = fmax(high, p->position[a][i]);
        }
        bool closed = a < p->dims && high - low < p->box[a] - 1.5 * p->spacing;
        run->low[a] = closed && p->wall ? low + p->spacing / 2 : -INFINITY;
        run->high[a] = closed && p->wall ? high - p->spacing / 2 : INFINITY;
    }
}

/* How far beyond the inner faces particle i is, m; below 0 inside. */
static double beyond_faces(const torre_mps_run *run, int64_t i)
{
    double most = -INFINITY;
    for (int a = 0; a < 3; a++) {
        double r = run->now.position[a][i];
        most = fmax(most, fmax(run->low[a] - r, r - run->high[a]));
    }
    return most;
}

/* Energy over mass of what particle i, fluid or wall, has stored. */
static double elastic(const torre_mps_run *run, int64_t i)
{
    const torre_mps_problem *p = run->problem;
    const torre_mps_norms *n = &run->norms;
    double excess = fmax(0, run->number_density[i] / n->n0 - 1);
    return p->dims * n->n0 / n->n_grad * p->sound_speed * p->sound_speed / 2 * excess * excess +
           run->collision[i];
}

/* Add particle i to the row. */
static void measure(torre_mps_run *run, int64_t i, double mass, torre_mps_row *row)
{
    const torre_mps_problem *p = run->problem;
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
    row->excursion = fmax(row->excursion, beyond_faces(run, i) / p->spacing);
    if (run->number_density[i] < p->surface * run->norms.n0)
        row->surface++;
    else
        row->compression += run->number_density[i] / run->norms.n0;
}

/* A particle among those of a wall does not come back: it has left the tank. */
static torre_status check_inside(const torre_mps_run *run)
{
    const torre_mps_problem *p = run->problem;
    if (run->row.excursion <= 0.5) return TORRE_OK;
    int64_t i = 0;
    while (beyond_faces(run, i) <= 0.5 * p->spacing) i++;
    return torre_fail(
        TORRE_ERR_UNSTABLE,
        "step %lld: particle %lld went through a wall, to (%.4g, %.4g, %.4g) m; use a "
        "smaller {dt} or a larger {sound_speed}",
        (long long)run->step, (long long)i + 1, run->now.position[0][i], run->now.position[1][i],
        run->now.position[2][i]);
}

static torre_status make_row(torre_mps_run *run)
{
    const torre_mps_problem *p = run->problem;
    const double mass = p->density * pow(p->spacing, p->dims);
    torre_mps_state state = {.pressure = run->pressure,
                             .number_density = run->number_density,
                             .collision = run->collision};
    memcpy(state.position, run->now.position, sizeof state.position);
    memcpy(state.velocity, run->now.velocity, sizeof state.velocity);
    TORRE_TRY(run->backend->get_state(run->solver, &state));
    torre_mps_row row = {
        .step = run->step, .time = (double)run->step * p->dt, .excursion = -INFINITY};
    for (int64_t i = 0; i < p->fluid; i++) measure(run, i, mass, &row);
    for (int64_t i = 0; i < p->fluid + p->wall; i++) row.elastic += mass * elastic(run, i);
    int64_t inner = p->fluid - row.surface;
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
    run->collision = calloc((size_t)p->count, sizeof(double));
    if (!run->pressure || !run->number_density || !run->collision)
        return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)p->count);
    find_faces(run);
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
