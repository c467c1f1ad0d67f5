#include "particles/mps_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Particles that several threads are not worth starting for. */
enum { FEW = 1 << 14 };

double torre_mps_row_energy(const torre_mps_row *row)
{
    return row->kinetic + row->potential + row->elastic;
}

/* Walls in the whole box are a periodic axis of the tank, not its ends; a gate is none of these. */
static void find_faces(torre_mps_measure *m)
{
    const torre_md_problem *p = m->problem;
    for (int a = 0; a < 3; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = p->mps.fluid; i < p->mps.fluid + p->mps.wall; i++) {
            if (torre_mps_is_gate(&p->mps, i)) continue;
            low = fmin(low, p->position[a][i]);
            high = fmax(high, p->position[a][i]);
        }
        bool closed = a < p->dimensions && high - low < p->box[a] - 1.5 * p->mps.spacing;
        m->low[a] = closed && p->mps.wall ? low + p->mps.spacing / 2 : -INFINITY;
        m->high[a] = closed && p->mps.wall ? high - p->mps.spacing / 2 : INFINITY;
    }
}

torre_status torre_mps_measure_new(const torre_md_problem *p, torre_mps_measure **measure)
{
    torre_mps_measure *m = calloc(1, sizeof *m);
    if (!m) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a run");
    m->problem = p;
    torre_status status = torre_md_particles_new(p->count, &m->now);
    m->pressure = calloc((size_t)p->count, sizeof(double));
    m->number_density = calloc((size_t)p->count, sizeof(double));
    m->collision = calloc((size_t)p->count, sizeof(double));
    if (!status && (!m->pressure || !m->number_density || !m->collision))
        status =
            torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)p->count);
    if (status) {
        torre_mps_measure_free(m);
        return status;
    }
    memcpy(m->now.box, p->box, sizeof m->now.box);
    m->norms = torre_mps_norms_of(p->dimensions, p->mps.spacing, p->cutoff);
    find_faces(m);
    *measure = m;
    return TORRE_OK;
}

void torre_mps_measure_free(torre_mps_measure *m)
{
    if (!m) return;
    torre_md_particles_free(&m->now);
    free(m->pressure);
    free(m->number_density);
    free(m->collision);
    free(m->near);
    free(m);
}

/* How far beyond the inner faces particle i is, m; below 0 inside. */
static double beyond_faces(const torre_mps_measure *m, int64_t i)
{
    double most = -INFINITY;
    for (int a = 0; a < 3; a++) {
        double r = m->now.position[a][i];
        most = fmax(most, fmax(m->low[a] - r, r - m->high[a]));
    }
    return most;
}

/* Energy over mass of what particle i, fluid or wall, has stored. */
static double elastic(const torre_mps_measure *m, int64_t i)
{
    const torre_md_problem *p = m->problem;
    const torre_mps_norms *n = &m->norms;
    double excess = fmax(0, m->number_density[i] / n->n0 - 1);
    return p->dimensions * n->n0 / n->n_grad * p->mps.sound_speed * p->mps.sound_speed / 2 *
               excess * excess +
           m->collision[i];
}

/*
 * The sums of a row: each runs over the ids in order on one thread, so that it has the same bits
 * everywhere. Sums of one loop are added at once and take no longer than one.
 */
static void sum_motion(const torre_mps_measure *m, double mass, torre_mps_row *row)
{
    const torre_md_problem *p = m->problem;
    double kinetic = 0, potential = 0, momentum[3] = {0, 0, 0};
    for (int64_t i = 0; i < p->mps.fluid; i++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            const double u = m->now.velocity[a][i];
            square += u * u;
            momentum[a] += mass * u;
        }
        kinetic += 0.5 * mass * square;
        potential += mass * p->mps.gravity * m->now.position[1][i];
    }
    row->kinetic = kinetic;
    row->potential = potential;
    memcpy(row->momentum, momentum, sizeof row->momentum);
}

static void sum_elastic(const torre_mps_measure *m, double mass, torre_mps_row *row)
{
    const torre_md_problem *p = m->problem;
    double sum = 0;
    for (int64_t i = 0; i < p->mps.fluid + p->mps.wall; i++) sum += mass * elastic(m, i);
    row->elastic = sum;
}

static void sum_compression(const torre_mps_measure *m, torre_mps_row *row)
{
    const torre_md_problem *p = m->problem;
    const double surface = p->mps.surface * m->norms.n0;
    double sum = 0;
    int64_t inner = 0;
    for (int64_t i = 0; i < p->mps.fluid; i++) {
        if (m->number_density[i] < surface) continue;
        sum += m->number_density[i] / m->norms.n0;
        inner++;
    }
    row->surface = p->mps.fluid - inner;
    row->compression = inner ? sum / (double)inner : 0;
}

static void add_up(const torre_mps_measure *m, torre_mps_row *row)
{
    const torre_md_problem *p = m->problem;
    const double mass = p->mps.density * pow(p->mps.spacing, p->dimensions);
#pragma omp parallel sections if (p->count > FEW)
    {
#pragma omp section
        sum_motion(m, mass, row);
#pragma omp section
        sum_elastic(m, mass, row);
#pragma omp section
        sum_compression(m, row);
    }
}

static void find_extremes(const torre_mps_measure *m, torre_mps_row *row)
{
    const torre_md_problem *p = m->problem;
    double speed = 0, pressure = 0, front = 0, excursion = -INFINITY;
#pragma omp parallel for if (p->count > FEW) reduction(max : speed, pressure, front, excursion)
    for (int64_t i = 0; i < p->mps.fluid; i++) {
        double square = 0;
        for (int a = 0; a < 3; a++) square += m->now.velocity[a][i] * m->now.velocity[a][i];
        speed = fmax(speed, sqrt(square));
        pressure = fmax(pressure, m->pressure[i]);
        front = fmax(front, m->now.position[0][i] + p->mps.spacing / 2);
        excursion = fmax(excursion, beyond_faces(m, i) / p->mps.spacing);
    }
    row->speed = speed;
    row->pressure = pressure;
    row->front = front;
    row->excursion = excursion;
}

/* A particle among those of a wall does not come back: it has left the tank. */
static torre_status check_inside(torre_mps_measure *m)
{
    const torre_md_problem *p = m->problem;
    if (m->row.excursion <= 0.5) return TORRE_OK;
    TORRE_TRY(torre_mps_measure_fetch(m));
    int64_t i = 0;
    while (i < p->mps.fluid - 1 && beyond_faces(m, i) <= 0.5 * p->mps.spacing) i++;
    return torre_fail(
        TORRE_ERR_UNSTABLE,
        "step %lld: particle %lld went through a wall, to (%.4g, %.4g, %.4g) m; use a "
        "smaller {dt} or a larger {sound_speed}",
        (long long)m->row.step, (long long)i + 1, m->now.position[0][i], m->now.position[1][i],
        m->now.position[2][i]);
}

static void forget_near(torre_mps_measure *m)
{
    free(m->near);
    m->near = NULL;
    m->near_count = m->near_fluid = 0;
}

torre_status torre_mps_measure_fetch(torre_mps_measure *m)
{
    torre_md_solver *solver = m->solver;
    const torre_md_fields fields = {m->pressure, m->number_density, m->collision};
    if (m->gone) return torre_fail(TORRE_ERR_USAGE, "the run has gone on since its last row");
    if (!solver) return TORRE_OK;
    forget_near(m);
    TORRE_TRY(solver->backend->get_particles(solver, m->now.position, m->now.velocity));
    TORRE_TRY(solver->backend->get_fields(solver, &fields));
    m->solver = NULL;
    return TORRE_OK;
}

static int by_number(const void *a, const void *b)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    return (i > j) - (i < j);
}

torre_status torre_mps_measure_fetch_near(torre_mps_measure *m, const torre_mps_region *regions,
                                          int count)
{
    const torre_md_problem *p = m->problem;
    torre_md_solver *solver = m->solver;
    if (!solver || !solver->backend->near) return torre_mps_measure_fetch(m);
    forget_near(m);
    torre_mps_near near = {.position = {m->now.position[0], m->now.position[1], m->now.position[2]},
                           .pressure = m->pressure,
                           .id = malloc((size_t)p->count * sizeof *near.id)};
    if (!near.id) return torre_fail(TORRE_ERR_RESOURCE, "no memory for particles near gauges");
    m->near = near.id;
    TORRE_TRY(solver->backend->near(solver, regions, count, &near));
    qsort(near.id, (size_t)near.count, sizeof *near.id, by_number); /* sums are in this order */
    m->near_count = near.count;
    m->near_fluid = 0;
    while (m->near_fluid < near.count && near.id[m->near_fluid] < p->mps.fluid) m->near_fluid++;
    return TORRE_OK;
}

void torre_mps_measure_leave(torre_mps_measure *m)
{
    m->gone = m->gone || m->solver;
    m->solver = NULL;
}

torre_status torre_mps_measure_take(torre_mps_measure *m, torre_md_solver *solver, int64_t step)
{
    const torre_md_problem *p = m->problem;
    torre_mps_row row = {.step = step, .time = (double)step * p->dt};
    m->solver = solver;
    m->gone = false;
    forget_near(m);
    if (solver->backend->row) {
        TORRE_TRY(solver->backend->row(solver, m, &row));
    } else {
        TORRE_TRY(torre_mps_measure_fetch(m));
        add_up(m, &row);
        find_extremes(m, &row);
    }
    m->row = row;
    return check_inside(m);
}

double torre_mps_gauge(const torre_mps_measure *m, const double point[3])
{
    const torre_md_problem *p = m->problem;
    double sum = 0, weight = 0;
    for (int64_t k = 0; k < torre_mps_there_fluid(m); k++) {
        const int64_t i = torre_mps_there_id(m, k);
        double square = 0;
        for (int a = 0; a < p->dimensions; a++) {
            double d = m->now.position[a][i] - point[a];
            d -= p->box[a] * rint(d / p->box[a]);
            square += d * d;
        }
        if (square >= p->cutoff * p->cutoff) continue;
        double w = 1 - sqrt(square) / p->cutoff;
        sum += w * m->pressure[i];
        weight += w;
    }
    return weight > 0 ? sum / weight : 0;
}

torre_mps_region torre_mps_gauge_region(const torre_md_problem *p, const double point[3])
{
    torre_mps_region r;
    for (int a = 0; a < 3; a++) {
        r.centre[a] = point[a];
        r.half[a] = a < p->dimensions ? p->cutoff + p->mps.spacing / 2 : INFINITY;
    }
    return r;
}
