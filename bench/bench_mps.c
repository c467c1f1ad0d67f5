/*
 * The study of T. Miyajima, K. Kubota, N. Fujita on a dam break: milliseconds of the neighbour
 * sweep of Proc 1 for their three sizes, in their three thread mappings and in every ordering of
 * the buckets, beside the solvers of this project (sorted, neighbour lists; CPU and GPU). CSV on
 * standard output, one row a measurement; mps_study.sh makes it the table beside the paper's.
 *
 * Usage: bench_mps [mappings|cuda|cpu [SIZE [THREADS]]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program.h"
#include "particles/bins.h"
#include "particles/md_run.h"
#include "particles/mps_tank.h"
#ifdef TORRE_HAVE_CUDA
#include "bench/mps_mappings.h"
#endif

#define REPEATS 15
#define STEPS   200 /* as the paper */

static const char *const size_name[] = {"small", "medium", "large"};
static const double column_cells[] = {19, 45, 105}; /* of 0.1 m */

typedef struct dam {
    torre_md_particles particles;
    torre_md_problem problem;
} dam;

static torre_status make_dam(int size, torre_md_precision precision, dam *d)
{
    const double spacing = 0.1 / column_cells[size];
    const torre_mps_tank tank = {.dims = 3,
                                 .spacing = spacing,
                                 .influence = 2.35 * spacing,
                                 .column = {0.1, 0.2},
                                 .size = {0.4, 0.4, 0.08}};
    torre_mps_layout layout;
    TORRE_TRY(torre_mps_tank_layout(&tank, &layout));
    TORRE_TRY(torre_mps_tank_make(&tank, &d->particles));
    torre_md_problem *p = &d->problem;
    *p = (torre_md_problem){.mps = {.density = 1000,
                                    .viscosity = 1e-6,
                                    .gravity = 9.81,
                                    .sound_speed = 10 * sqrt(2 * 9.81 * 0.2),
                                    .surface = 0.97},
                            .precision = precision};
    torre_mps_tank_problem(&tank, &layout, p);
    torre_md_problem_set_particles(p, &d->particles);
    p->dt = 0.9 * torre_mps_dt_limit(p);
    return TORRE_OK;
}

/* "cuda f32", "cuda f32 rebuilt every 4" */
static void print_name(const char *backend, const torre_md_plan *plan, torre_md_precision precision)
{
    printf("%s %s", backend, torre_md_precision_name(precision));
    if (plan->rebuild_every) printf(" rebuilt every %lld", (long long)plan->rebuild_every);
}

/* A solver's run of steps: a row of the table. */
static torre_status time_solver(int size, const char *backend, const torre_md_plan *plan,
                                torre_md_precision precision, int64_t steps)
{
    dam d;
    torre_md_run *run;
    torre_md_times t;
    torre_md_counts c;
    const double each = 1e3 / (double)steps;
    TORRE_TRY(make_dam(size, precision, &d));
    torre_status status = torre_md_run_new(&d.problem, backend, plan, &run);
    if (!status) {
        status = torre_md_run_start(run, NULL);
        if (!status) status = torre_md_run_advance(run, steps, NULL);
        if (!status) {
            torre_md_run_times(run, &t, &c);
            printf("%s,%lld,%s,", size_name[size], (long long)d.problem.count,
                   plan->sort_every == TORRE_MD_NEVER ? "none"
                                                      : torre_ordering_write(&plan->ordering).text);
            print_name(backend, plan, precision);
            printf(",%.4f,%.4f,%.1f,%.4f,%.4f,%.4f,%lld\n", each * t.viscosity, each * run->loop_s,
                   1e-6 * torre_md_run_rate(run), each * t.density, each * t.gradient,
                   each * (t.sort + t.neighbor), (long long)c.builds);
            fflush(stdout);
        }
        torre_md_run_free(run);
    }
    torre_md_particles_free(&d.particles);
    return status;
}

#ifdef TORRE_HAVE_CUDA
static const char *const mapping_name[] = {"naive", "atomic", "3-D"};

/* Particles after a number of steps, as quads in the order of order[] (NULL: by id). */
static void pack(const torre_md_run *run, const int32_t *order, float *x, float *v)
{
    for (int64_t k = 0; k < run->problem->count; k++) {
        int64_t i = order ? order[k] : k;
        for (int a = 0; a < 3; a++) {
            x[4 * k + a] = (float)run->fluid->now.position[a][i];
            v[4 * k + a] = (float)run->fluid->now.velocity[a][i];
        }
        x[4 * k + 3] = 0;
        v[4 * k + 3] = i < run->problem->mps.fluid ? 1 : 0;
    }
}

/*
 * Largest error of the sums of some fluid particles against the definition, over the largest sum.
 */
static double check(const mps_buckets *b, const float *acceleration)
{
    double error = 0, most = 1e-30;
    for (int k = 0; k < 40; k++) {
        int i = (int)((int64_t)k * b->count / 40);
        while (i < b->count - 1 && b->velocity[4 * i + 3] == 0) i++;
        double sum[3] = {0};
        for (int j = 0; j < b->count; j++) {
            double d[3], square = 0;
            for (int a = 0; a < 3; a++) {
                d[a] = (double)b->position[4 * j + a] - (double)b->position[4 * i + a];
                d[a] -= (double)b->edge[a] * rint(d[a] / (double)b->edge[a]);
                square += d[a] * d[a];
            }
            double radius = (double)b->influence;
            if (j == i || square >= radius * radius) continue;
            for (int a = 0; a < 3; a++)
                sum[a] += (double)b->factor * (radius / sqrt(square) - 1) *
                          (double)(b->velocity[4 * j + a] - b->velocity[4 * i + a]);
        }
        for (int a = 0; a < 3 && b->velocity[4 * i + 3] != 0; a++) {
            most = fmax(most, fabs(sum[a]));
            error = fmax(error, fabs(sum[a] - (double)acceleration[4 * i + a]));
        }
    }
    return error / most;
}

static int by_value(const void *a, const void *b)
{
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

/* The three mappings over these buckets. */
static torre_status time_mappings(int size, const char *ordering, const mps_buckets *b)
{
    float *acceleration = malloc(16 * (size_t)b->count), ms[REPEATS];
    if (!acceleration) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the sums");
    for (int m = 0; m < MPS_MAPPINGS; m++) {
        const char *wrong = mps_mapping_run(b, (mps_mapping)m, REPEATS, acceleration, ms);
        double error = wrong ? 0 : check(b, acceleration);
        if (wrong || error > 1e-4) {
            free(acceleration);
            return torre_fail(TORRE_ERR_RESOURCE, "%s: %s (error %g)", mapping_name[m],
                              wrong ? wrong : "wrong sums", error);
        }
        qsort(ms, REPEATS, sizeof *ms, by_value);
        printf("%s,%d,%s,%s,%.4f,,,,,,\n", size_name[size], b->count, ordering, mapping_name[m],
               (double)ms[REPEATS / 2]);
        fflush(stdout);
    }
    free(acceleration);
    return TORRE_OK;
}

/* Buckets in this ordering; storage in their order (sorted) or by id. */
static torre_status study_ordering(int size, const torre_md_run *run, torre_ordering_kind kind,
                                   bool sorted, float *x, float *v)
{
    const torre_md_problem *p = run->problem;
    torre_bins bins;
    const torre_bin_grid grid = torre_bins_grid(p->box, p->cutoff, p->count);
    TORRE_TRY(torre_bins_make(&grid, p->cutoff, TORRE_BIN_BLOCK,
                              &(torre_ordering_spec){.kind = kind}, p->count, &bins));
    for (int64_t i = 0; i < p->count; i++) {
        const double at[3] = {run->fluid->now.position[0][i], run->fluid->now.position[1][i],
                              run->fluid->now.position[2][i]};
        torre_bins_put(&bins, i, at);
    }
    torre_bins_sort(&bins);
    pack(run, sorted ? bins.member : NULL, x, v);
    mps_buckets b = {.count = (int)p->count,
                     .buckets = (int)bins.bins,
                     .position = x,
                     .velocity = v,
                     .rank = bins.rank,
                     .member = sorted ? NULL : bins.member,
                     .influence = (float)p->cutoff,
                     .factor = (float)torre_mps_constants_of(p).viscosity_factor};
    int32_t *first = malloc(4 * ((size_t)bins.bins + 1));
    for (int64_t r = 0; first && r <= bins.bins; r++) first[r] = (int32_t)bins.start[r];
    b.start = first;
    for (int a = 0; a < 3; a++) {
        b.n[a] = (int)grid.n[a];
        b.edge[a] = (float)grid.box[a];
        b.bin_edge[a] = (float)grid.edge[a];
    }
    torre_status status = first
                              ? time_mappings(size, sorted ? torre_ordering_name(kind) : "none", &b)
                              : torre_fail(TORRE_ERR_RESOURCE, "out of memory for the buckets");
    free(first);
    torre_bins_free(&bins);
    return status;
}

static torre_status study_mappings(int size)
{
    dam d;
    torre_md_run *run;
    const torre_md_plan plan = {0};
    TORRE_TRY(make_dam(size, TORRE_MD_F32, &d));
    TORRE_TRY(torre_md_run_new(&d.problem, "cuda", &plan, &run));
    TORRE_TRY(torre_md_run_start(run, NULL));
    TORRE_TRY(torre_md_run_advance(run, STEPS, NULL));
    float *x = malloc(16 * (size_t)d.problem.count), *v = malloc(16 * (size_t)d.problem.count);
    torre_status status =
        x && v ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for particles");
    if (!status) status = study_ordering(size, run, TORRE_ROW_MAJOR, false, x, v);
    for (int k = 0; !status && k < TORRE_ORDERING_KINDS; k++)
        status = study_ordering(size, run, (torre_ordering_kind)k, true, x, v);
    free(x);
    free(v);
    torre_md_run_free(run);
    torre_md_particles_free(&d.particles);
    return status;
}

static torre_status study_cuda(int size)
{
    torre_md_plan plan = {0};
    for (int k = -1; k < TORRE_ORDERING_KINDS; k++) {
        plan.sort_every = k < 0 ? TORRE_MD_NEVER : 0;
        plan.ordering.kind = k < 0 ? TORRE_ROW_MAJOR : (torre_ordering_kind)k;
        TORRE_TRY(time_solver(size, "cuda", &plan, TORRE_MD_F32, STEPS));
    }
    /* a flow that has come to speed is rebuilt every four to eight steps */
    plan = (torre_md_plan){.ordering = {.kind = TORRE_ROW_MAJOR}, .rebuild_every = 4};
    TORRE_TRY(time_solver(size, "cuda", &plan, TORRE_MD_F32, STEPS));
    plan = (torre_md_plan){.ordering = {.kind = TORRE_ROW_MAJOR}};
    return time_solver(size, "cuda", &plan, TORRE_MD_F64, STEPS);
}
#endif

static torre_status study(const char *what, int size, int threads)
{
    const torre_md_plan plan = {.threads = threads};
    if (strcmp(what, "cpu") == 0)
        return time_solver(size, "cpu", &plan, TORRE_MD_F32, size == 2 ? 5 : 40);
#ifdef TORRE_HAVE_CUDA
    if (strcmp(what, "mappings") == 0) return study_mappings(size);
    if (strcmp(what, "cuda") == 0) return study_cuda(size);
#endif
    return torre_fail(TORRE_ERR_USAGE, "usage: bench_mps [mappings|cuda|cpu [SIZE [THREADS]]]");
}

int main(int argc, char **argv)
{
    static const char *const all[] = {"mappings", "cuda", "cpu"};
    torre_status status = TORRE_OK;
    printf("size,particles,ordering,mapping,sweep_ms,step_ms,million_particle_steps_per_s,"
           "density_ms,gradient_ms,sort_ms,rebuilds\n");
    for (int w = 0; w < 3 && !status; w++) {
        if (argc > 1 && strcmp(argv[1], all[w]) != 0) continue;
        for (int size = 0; size < 3 && !status; size++)
            if (argc < 3 || strcmp(argv[2], size_name[size]) == 0)
                status = study(all[w], size, argc > 3 ? atoi(argv[3]) : 0);
    }
    return torre_program_end("bench_mps", status);
}
