#include "particles/rdf.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double torre_rdf_most(const torre_md_problem *p)
{
    double least = fmin(p->box[0], p->box[1]);
    if (torre_md_dimensions(p) == 3) least = fmin(least, p->box[2]);
    return least / 2;
}

/* Number of the pair of types a and b, from 0, of so many types. */
static int kind_of(int types, int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    return low * types - low * (low - 1) / 2 + high - low;
}

static void name_columns(torre_rdf *rdf)
{
    static const char *const name[TORRE_RDF_COLUMNS] = {"r", "g", "neighbors", "pairs"};
    const int types = rdf->problem->types ? rdf->problem->types->count : 0;
    memcpy(rdf->column, name, sizeof name);
    rdf->columns = TORRE_RDF_COLUMNS;
    for (int a = 0; a < types; a++) {
        for (int b = a; b < types; b++) {
            snprintf(rdf->kind_name[rdf->kinds], sizeof rdf->kind_name[0], "g_%d-%d", a + 1, b + 1);
            rdf->column[rdf->columns++] = rdf->kind_name[rdf->kinds++];
        }
    }
}

/* Arrays of shells of a sample. */
static int64_t parts_of(const torre_rdf *rdf) { return rdf->kinds ? rdf->kinds : 1; }

int64_t torre_rdf_bytes(const torre_rdf *rdf)
{
    return (rdf->shells + 1 + rdf->kinds * rdf->shells) * (int64_t)sizeof *rdf->pairs;
}

torre_status torre_rdf_make(const torre_md_problem *p, double range, int64_t shells, int threads,
                            torre_rdf *rdf)
{
    *rdf = (torre_rdf){.problem = p, .range = range, .shells = shells};
    TORRE_TRY(torre_sorted_make(p, range, false, threads, &rdf->sorted));
    name_columns(rdf);
    rdf->pairs = calloc(1, (size_t)torre_rdf_bytes(rdf));
    rdf->part =
        malloc((size_t)(shells * rdf->sorted.bins.threads * parts_of(rdf)) * sizeof *rdf->part);
    if (rdf->pairs && rdf->part) return TORRE_OK;
    torre_rdf_free(rdf);
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld shells of g(r)", (long long)shells);
}

void torre_rdf_free(torre_rdf *rdf)
{
    torre_sorted_free(&rdf->sorted);
    free(rdf->pairs);
    free(rdf->part);
    memset(rdf, 0, sizeof *rdf);
}

/* Pairs of particle m with those of places from to end - 1, moved by shift. */
static void count(const torre_rdf *rdf, int64_t m, int64_t from, int64_t end, const double shift[3],
                  int64_t *pairs)
{
    const double *x = rdf->sorted.position[0], *y = rdf->sorted.position[1],
                 *z = rdf->sorted.position[2];
    const double at[3] = {x[m] - shift[0], y[m] - shift[1], z[m] - shift[2]};
    const double most = rdf->range * rdf->range, per = (double)rdf->shells / rdf->range;
    const uint8_t *type = rdf->kinds ? rdf->problem->types->type : NULL;
    const int32_t *id = rdf->sorted.bins.member;
    const int types = type ? rdf->problem->types->count : 1;
    for (int64_t n = from; n < end; n++) {
        const double dx = at[0] - x[n], dy = at[1] - y[n], dz = at[2] - z[n];
        const double rsq = dx * dx + dy * dy + dz * dz;
        if (rsq >= most) continue;
        const int64_t shell = (int64_t)(sqrt(rsq) * per);
        const int64_t row = type ? kind_of(types, type[id[m]], type[id[n]]) * rdf->shells : 0;
        pairs[row + (shell < rdf->shells ? shell : rdf->shells - 1)]++;
    }
}

static void count_bin(const torre_rdf *rdf, int64_t rank, int64_t *pairs)
{
    const torre_bins *bins = &rdf->sorted.bins;
    for (int64_t o = 0; o < bins->offsets; o++) {
        double shift[3];
        const int64_t other = torre_sorted_partner(&rdf->sorted, rank, o, shift);
        if (other < 0) continue;
        for (int64_t m = bins->start[rank]; m < bins->start[rank + 1]; m++)
            count(rdf, m, o ? bins->start[other] : m + 1, bins->start[other + 1], shift, pairs);
    }
}

void torre_rdf_sample(torre_rdf *rdf, const torre_md_particles *particles)
{
    const int threads = rdf->sorted.bins.threads;
    const int64_t shells = rdf->shells, each = shells * parts_of(rdf);
    torre_sorted_fill(&rdf->sorted, particles);
    memset(rdf->part, 0, (size_t)(each * threads) * sizeof *rdf->part);
#pragma omp parallel num_threads(threads)
    {
        int64_t *pairs = rdf->part + omp_get_thread_num() * each;
#pragma omp for schedule(dynamic, 16)
        for (int64_t r = 0; r < rdf->sorted.bins.bins; r++) count_bin(rdf, r, pairs);
    }
    for (int t = 0; t < threads; t++) {
        for (int64_t k = 0; k < each; k++) {
            rdf->pairs[k % shells] += rdf->part[t * each + k];
            if (rdf->kinds) rdf->pairs[shells + 1 + k] += rdf->part[t * each + k];
        }
    }
    rdf->pairs[shells]++;
}

/* g of two types in a shell; ideal: pairs there of particles without interaction, over those in the
 * box. */
static void add_kinds(const torre_rdf *rdf, int64_t shell, double ideal, double *row)
{
    const torre_md_types *types = rdf->problem->types;
    double number[TORRE_MD_TYPES] = {0};
    for (int64_t i = 0; i < rdf->problem->count; i++) number[types->type[i]]++;
    for (int a = 0, kind = 0; a < types->count; a++) {
        for (int b = a; b < types->count; b++, kind++) {
            const double n = a == b ? number[a] * (number[a] - 1) / 2 : number[a] * number[b];
            const int64_t pairs = rdf->pairs[rdf->shells + 1 + kind * rdf->shells + shell];
            row[kind] = n * ideal > 0 ? (double)pairs / (n * ideal) : 0;
        }
    }
}

void torre_rdf_row(const torre_rdf *rdf, int64_t shell, double *row)
{
    const torre_md_problem *p = rdf->problem;
    const double pi = 3.14159265358979323846, n = (double)p->count;
    const double thick = rdf->range / (double)rdf->shells, low = (double)shell * thick;
    const double samples = fmax(1, (double)rdf->pairs[rdf->shells]);
    double share = pi * (2 * low + thick) * thick / (p->box[0] * p->box[1]);
    if (torre_md_dimensions(p) == 3)
        share = pi * 4 / 3 * thick * (3 * low * (low + thick) + thick * thick) /
                (p->box[0] * p->box[1] * p->box[2]);
    const double ideal = samples * n * (n - 1) / 2 * share;
    double within = 0;
    for (int64_t k = 0; k <= shell; k++) within += (double)rdf->pairs[k];
    row[0] = low + thick / 2;
    row[1] = ideal > 0 ? (double)rdf->pairs[shell] / ideal : 0;
    row[2] = 2 * within / (n * samples);
    row[3] = (double)rdf->pairs[shell];
    if (rdf->kinds) add_kinds(rdf, shell, samples * share, row + TORRE_RDF_COLUMNS);
}
