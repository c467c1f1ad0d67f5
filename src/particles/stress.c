#include "particles/stress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_OF(name) torre_stress_pairs_##name,
static torre_stress_pairs *const pairs_of_model[] = {TORRE_PAIR_LIST(PAIRS_OF)};

torre_status torre_stress_make(const torre_md_problem *p, int threads, torre_stress *s)
{
    *s = (torre_stress){.problem = p};
    TORRE_TRY(torre_sorted_make(p, p->cutoff, true, threads, &s->sorted));
    s->part = malloc((size_t)s->sorted.bins.bins * TORRE_STRESS_ELEMENTS * sizeof *s->part);
    if (s->part) return TORRE_OK;
    torre_stress_free(s);
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for a pressure tensor");
}

void torre_stress_free(torre_stress *s)
{
    torre_sorted_free(&s->sorted);
    free(s->part);
    memset(s, 0, sizeof *s);
}

/* m v_a v_b of the particles of a bin. */
static void add_motion(const torre_stress *s, int64_t rank, double sum[TORRE_STRESS_ELEMENTS])
{
    const torre_bins *bins = &s->sorted.bins;
    double *const *v = s->sorted.velocity;
    for (int64_t m = bins->start[rank]; m < bins->start[rank + 1]; m++) {
        const double mass = torre_md_mass(s->problem, bins->member[m]);
        for (int a = 0; a < 3; a++) sum[a] += mass * v[a][m] * v[a][m];
        sum[3] += mass * v[0][m] * v[1][m];
        sum[4] += mass * v[0][m] * v[2][m];
        sum[5] += mass * v[1][m] * v[2][m];
    }
}

void torre_stress_sample(torre_stress *s, const torre_md_particles *particles,
                         double pressure[TORRE_STRESS_ELEMENTS], double *temperature)
{
    const torre_md_problem *p = s->problem;
    const int dimensions = torre_md_dimensions(p);
    const int64_t bins = s->sorted.bins.bins;
    double volume = p->box[0] * p->box[1], motion[TORRE_STRESS_ELEMENTS] = {0};
    if (dimensions == 3) volume *= p->box[2];
    torre_sorted_fill(&s->sorted, particles);
    memset(s->part, 0, (size_t)bins * TORRE_STRESS_ELEMENTS * sizeof *s->part);
#pragma omp parallel for num_threads(s->sorted.bins.threads) schedule(dynamic, 16)
    for (int64_t r = 0; r < bins; r++)
        pairs_of_model[p->model](p, &s->sorted, r, s->part + r * TORRE_STRESS_ELEMENTS);
    for (int64_t r = 0; r < bins; r++) add_motion(s, r, motion);
    for (int k = 0; k < TORRE_STRESS_ELEMENTS; k++) {
        double sum = motion[k];
        for (int64_t r = 0; r < bins; r++) sum += s->part[r * TORRE_STRESS_ELEMENTS + k];
        pressure[k] = sum / volume;
    }
    const double freedom = dimensions * ((double)p->count - 1);
    *temperature = freedom > 0 ? (motion[0] + motion[1] + motion[2]) / freedom : 0;
}

torre_status torre_viscosity_make(int64_t window, torre_viscosity *v)
{
    *v = (torre_viscosity){.window = window};
    v->past = calloc((size_t)window + 1, TORRE_STRESS_ELEMENTS * sizeof *v->past);
    v->sum = calloc((size_t)window + 1, sizeof *v->sum);
    if (v->past && v->sum) return TORRE_OK;
    torre_viscosity_free(v);
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for the correlation of a pressure tensor");
}

void torre_viscosity_free(torre_viscosity *v)
{
    free(v->past);
    free(v->sum);
    memset(v, 0, sizeof *v);
}

void torre_viscosity_sample(torre_viscosity *v, const double pressure[TORRE_STRESS_ELEMENTS],
                            double temperature)
{
    const int64_t n = (int64_t)v->state[0], room = v->window + 1;
    double *now = v->past + n % room * TORRE_STRESS_ELEMENTS;
    const double mean = (pressure[0] + pressure[1] + pressure[2]) / 3;
    for (int k = 0; k < TORRE_STRESS_ELEMENTS; k++) now[k] = pressure[k] - (k < 3 ? mean : 0);
    for (int64_t lag = 0; lag <= v->window && lag <= n; lag++) {
        const double *then = v->past + (n - lag) % room * TORRE_STRESS_ELEMENTS;
        double sum = 0;
        for (int k = 0; k < TORRE_STRESS_ELEMENTS; k++) sum += (k < 3 ? 1 : 2) * now[k] * then[k];
        v->sum[lag] += sum / 10;
    }
    v->state[0]++;
    v->state[1] += temperature;
}

const char *const torre_viscosity_column[TORRE_VISCOSITY_COLUMNS] = {"lag", "time", "correlation",
                                                                     "viscosity", "origins"};

/* C at a lag; there are samples - lag pairs of them. */
static double mean(const torre_viscosity *v, int64_t lag)
{
    return v->sum[lag] / (v->state[0] - (double)lag);
}

static double factor(const torre_viscosity *v, const torre_md_problem *p, double interval)
{
    const double temperature = v->state[1] / v->state[0];
    return p->box[0] * p->box[1] * p->box[2] / temperature * interval;
}

/* The integral of C up to a lag, by trapezoids, over the interval. */
static double integral(const torre_viscosity *v, int64_t lag)
{
    double sum = 0;
    for (int64_t k = 0; k <= lag && lag > 0; k++)
        sum += (k == 0 || k == lag ? 0.5 : 1) * mean(v, k);
    return sum;
}

bool torre_viscosity_row(const torre_viscosity *v, const torre_md_problem *p, int64_t lag,
                         double interval, double row[TORRE_VISCOSITY_COLUMNS])
{
    if (lag > v->window || (double)lag >= v->state[0]) return false;
    row[0] = (double)lag;
    row[1] = (double)lag * interval;
    row[2] = mean(v, lag);
    row[3] = factor(v, p, interval) * integral(v, lag);
    row[4] = v->state[0] - (double)lag;
    return true;
}

double torre_viscosity_of(const torre_viscosity *v, const torre_md_problem *p, double interval)
{
    double sum = 0;
    int64_t last = (int64_t)v->state[0] - 1, terms = 0;
    if (last > v->window) last = v->window;
    if (last < 2) return NAN;
    for (int64_t k = (last + 1) / 2; k <= last; k++, terms++) sum += integral(v, k);
    return factor(v, p, interval) * sum / (double)terms;
}
