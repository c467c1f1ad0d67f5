#include "particles/correlation.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "particles/sorted.h"

enum { BLOCK = 1024 }; /* particles whose sum has one order */

static int64_t blocks_of(const torre_correlation *c)
{
    return (c->problem->count + BLOCK - 1) / BLOCK;
}

int64_t torre_correlation_bytes(const torre_correlation *c)
{
    return 3 * c->origins * c->problem->count * (int64_t)sizeof(double);
}

int64_t torre_correlation_followed_bytes(const torre_correlation *c)
{
    return c->kind == TORRE_CORRELATION_MSD ? 3 * c->problem->count * (int64_t)sizeof(double) : 0;
}

static void name_columns(torre_correlation *c)
{
    static const char *const msd[] = {"lag",       "time",    "msd",   "msd_x", "msd_y", "msd_z",
                                      "diffusion", "origins", "msd_1", "msd_2", "msd_3", "msd_4",
                                      "msd_5",     "msd_6",   "msd_7", "msd_8"};
    static const char *const vacf[] = {
        "lag",    "time",   "vacf",   "vacf_x", "vacf_y", "vacf_z", "diffusion", "origins",
        "vacf_1", "vacf_2", "vacf_3", "vacf_4", "vacf_5", "vacf_6", "vacf_7",    "vacf_8"};
    _Static_assert(sizeof msd == sizeof c->column && sizeof vacf == sizeof c->column, "names");
    memcpy(c->column, c->kind == TORRE_CORRELATION_MSD ? msd : vacf, sizeof c->column);
    c->columns = TORRE_CORRELATION_COLUMNS + c->types;
}

torre_status torre_correlation_make(const torre_md_problem *p, torre_correlation_kind kind,
                                    int64_t window, int64_t origins, int threads,
                                    torre_correlation *c)
{
    *c = (torre_correlation){.problem = p,
                             .kind = kind,
                             .window = window,
                             .origins = origins < window ? origins : window,
                             .threads = threads > 0 ? threads : omp_get_max_threads()};
    c->apart = (window + c->origins - 1) / c->origins;
    c->types = p->types ? p->types->count : 0;
    name_columns(c);
    c->sum = calloc(4 * ((size_t)window + 1), sizeof *c->sum);
    c->type_sum =
        calloc((size_t)(c->types + !c->types) * ((size_t)window + 1), sizeof *c->type_sum);
    c->origin = calloc(1, (size_t)torre_correlation_bytes(c));
    c->part = malloc((size_t)(3 + c->types) * (size_t)blocks_of(c) * sizeof *c->part);
    if (kind == TORRE_CORRELATION_MSD)
        c->followed = calloc(1, (size_t)torre_correlation_followed_bytes(c));
    if (c->sum && c->type_sum && c->origin && c->part &&
        (kind != TORRE_CORRELATION_MSD || c->followed))
        return TORRE_OK;
    const double bytes = (double)torre_correlation_bytes(c);
    torre_correlation_free(c);
    return torre_fail(TORRE_ERR_RESOURCE,
                      "no memory for a correlation in time: %.2f GB; use fewer "
                      "{correlation_origins}",
                      1e-9 * bytes);
}

void torre_correlation_free(torre_correlation *c)
{
    free(c->sum);
    free(c->type_sum);
    free(c->origin);
    free(c->followed);
    free(c->part);
    memset(c, 0, sizeof *c);
}

/* Follow the particles to where they are now; the first that went too far, or -1. */
static int64_t follow(torre_correlation *c, const torre_md_particles *p)
{
    int64_t lost = p->count;
    for (int a = 0; a < 3; a++) {
        const double edge = torre_md_periodic(c->problem, a) ? c->problem->box[a] : 0;
        double *at = c->followed + a * p->count;
        const double *now = p->position[a];
#pragma omp parallel for num_threads(c->threads) reduction(min : lost)
        for (int64_t i = 0; i < p->count; i++) {
            const double turns = edge > 0 && c->samples ? rint((at[i] - now[i]) / edge) : 0;
            const double there = now[i] + turns * edge;
            if (edge > 0 && c->samples && !(fabs(there - at[i]) <= edge / 4) && i < lost) lost = i;
            at[i] = there;
        }
    }
    return lost < p->count ? lost : -1;
}

/* Sum the parts of the blocks. */
static void sum_parts(const torre_correlation *c, double sum[3])
{
    for (int64_t b = 0; b < blocks_of(c); b++)
        for (int a = 0; a < 3; a++) sum[a] += c->part[3 * b + a];
}

static void find_centre(torre_correlation *c, const double *const now[3])
{
    const int64_t count = c->problem->count, blocks = blocks_of(c);
    const bool types = c->problem->types;
    double sum[3] = {0};
#pragma omp parallel for num_threads(c->threads)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t end = (b + 1) * BLOCK < count ? (b + 1) * BLOCK : count;
        for (int a = 0; a < 3; a++) {
            double part = 0;
            for (int64_t i = b * BLOCK; i < end; i++)
                part += types ? torre_md_mass(c->problem, i) * now[a][i] : now[a][i];
            c->part[3 * b + a] = part;
        }
    }
    sum_parts(c, sum);
    double mass = 0;
    for (int64_t i = 0; types && i < count; i++) mass += torre_md_mass(c->problem, i);
    for (int a = 0; a < 3; a++) c->centre[a] = sum[a] / (types ? mass : (double)count);
}

/* The same sums of all axes over the particles of each type. */
static void add_types(torre_correlation *c, const double *origin, const double *const now[3],
                      double *sum)
{
    const int64_t count = c->problem->count, blocks = blocks_of(c);
    const bool square = c->kind == TORRE_CORRELATION_MSD;
    const uint8_t *type = c->problem->types->type;
    double *parts = c->part + 3 * blocks;
#pragma omp parallel for num_threads(c->threads)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t end = (b + 1) * BLOCK < count ? (b + 1) * BLOCK : count;
        double part[TORRE_MD_TYPES] = {0};
        for (int a = 0; a < 3; a++) {
            for (int64_t i = b * BLOCK; i < end; i++) {
                const double then = origin[a * count + i], here = now[a][i] - c->centre[a];
                part[type[i]] += square ? (here - then) * (here - then) : here * then;
            }
        }
        memcpy(parts + c->types * b, part, (size_t)c->types * sizeof *part);
    }
    for (int64_t k = 0; k < c->types * blocks; k++) sum[k % c->types] += parts[k];
}

/* Add what an origin and now[axis][id] make at a lag. */
static void add_lag(torre_correlation *c, const double *origin, const double *const now[3],
                    int64_t lag)
{
    const int64_t count = c->problem->count, blocks = blocks_of(c);
    const bool square = c->kind == TORRE_CORRELATION_MSD;
    double *sum = c->sum + 4 * lag;
#pragma omp parallel for num_threads(c->threads)
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t end = (b + 1) * BLOCK < count ? (b + 1) * BLOCK : count;
        for (int a = 0; a < 3; a++) {
            const double *then = origin + a * count, centre = c->centre[a];
            double part = 0;
            for (int64_t i = b * BLOCK; i < end; i++) {
                const double here = now[a][i] - centre, d = here - then[i];
                part += square ? d * d : here * then[i];
            }
            c->part[3 * b + a] = part;
        }
    }
    sum_parts(c, sum);
    sum[3]++;
    if (c->types) add_types(c, origin, now, c->type_sum + c->types * lag);
}

torre_status torre_correlation_sample(torre_correlation *c, const torre_md_particles *p,
                                      int64_t step)
{
    const int64_t n = c->samples, count = p->count, slot = n / c->apart;
    const double *now[3];
    if (c->followed) {
        const int64_t lost = follow(c, p);
        if (lost >= 0)
            return torre_fail(TORRE_ERR_USAGE,
                              "step %lld: particle %lld moved by more than a quarter of the box "
                              "between two samples, so its way is in doubt; use a smaller "
                              "{correlation_every}",
                              (long long)step, (long long)lost + 1);
    }
    for (int a = 0; a < 3; a++) now[a] = c->followed ? c->followed + a * count : p->velocity[a];
    find_centre(c, now);
    double *fresh = c->origin + slot % c->origins * 3 * count;
    for (int64_t k = slot < c->origins ? 0 : slot - c->origins; k <= slot; k++) {
        const int64_t lag = n - k * c->apart;
        if (lag > 0 && lag <= c->window)
            add_lag(c, c->origin + k % c->origins * 3 * count, now, lag);
    }
    if (n % c->apart == 0) {
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < count; i++) fresh[a * count + i] = now[a][i] - c->centre[a];
        add_lag(c, fresh, now, 0);
    }
    c->samples++;
    return TORRE_OK;
}

/* The mean at a lag along each axis. */
static double mean(const torre_correlation *c, int64_t lag, double along[3])
{
    const double *sum = c->sum + 4 * lag;
    for (int a = 0; a < 3; a++) along[a] = sum[a] / (sum[3] * (double)c->problem->count);
    return along[0] + along[1] + along[2];
}

/* vacf integrated up to a lag, by trapezoids. */
static double integral(const torre_correlation *c, int64_t lag, double interval)
{
    double sum = 0, along[3];
    for (int64_t k = 0; k <= lag && lag > 0; k++)
        sum += (k == 0 || k == lag ? 0.5 : 1) * mean(c, k, along);
    return sum * interval;
}

bool torre_correlation_row(const torre_correlation *c, int64_t lag, double interval, double *row)
{
    const double time = (double)lag * interval, d = torre_md_dimensions(c->problem);
    if (lag > c->window || !(c->sum[4 * lag + 3] > 0)) return false;
    row[0] = (double)lag;
    row[1] = time;
    row[2] = mean(c, lag, row + 3);
    if (c->kind == TORRE_CORRELATION_VACF)
        row[6] = integral(c, lag, interval) / d;
    else
        row[6] = lag ? row[2] / (2 * d * time) : 0;
    row[7] = c->sum[4 * lag + 3];
    double number[TORRE_MD_TYPES] = {0};
    for (int64_t i = 0; c->types && i < c->problem->count; i++)
        number[c->problem->types->type[i]]++;
    for (int t = 0; t < c->types; t++)
        row[8 + t] = number[t] > 0 ? c->type_sum[c->types * lag + t] / (row[7] * number[t]) : 0;
    return true;
}

double torre_correlation_diffusion(const torre_correlation *c, double interval)
{
    const double d = torre_md_dimensions(c->problem);
    int64_t last = -1;
    while (last < c->window && c->sum[4 * (last + 1) + 3] > 0) last++;
    if (last < 2) return NAN;
    if (c->kind == TORRE_CORRELATION_VACF) return integral(c, last, interval) / d;
    const int64_t first = (last + 1) / 2;
    const double middle = 0.5 * (double)(first + last);
    double xx = 0, xy = 0, along[3];
    for (int64_t k = first; k <= last; k++) {
        const double x = (double)k - middle;
        xx += x * x;
        xy += x * mean(c, k, along);
    }
    return xx > 0 ? xy / (xx * interval) / (2 * d) : NAN;
}
