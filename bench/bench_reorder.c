/*
 * Sorting particles into the order of their bins along a Hilbert curve (figure 5.1 of the thesis on
 * space-filling curves for granular gases): one thread and several, particles at random places of
 * memory and particles that are in order already.
 *
 * CSV on standard output; milliseconds are the best of several sorts. Usage:
 * bench_reorder [THREADS [PARTICLES]]: threads beside one (all), the largest number (4,000,000).
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/program.h"
#include "core/numbers.h"
#include "core/random.h"
#include "core/timer.h"
#include "particles/md_start.h"
#include "particles/md_store.h"

enum { REPEATS = 5 };
#define FILLING 0.25 /* of the volume, by spheres of diameter one */

static torre_status scatter(int64_t count, torre_md_particles *p)
{
    double edge = cbrt((double)count * acos(-1.0) / 6 / FILLING);
    TORRE_TRY(torre_md_particles_new(count, p));
    for (int a = 0; a < 3; a++) {
        p->box[a] = edge;
        for (int64_t i = 0; i < count; i++)
            p->position[a][i] = edge * torre_random_uniform(1, (uint64_t)a, (uint64_t)i);
    }
    return TORRE_OK;
}

static torre_status time_sort(const torre_md_particles *p, int threads)
{
    const torre_md_state_loops *loops = torre_md_state_loops_find(TORRE_MD_F64);
    double best[2] = {INFINITY, INFINITY}; /* at random, in order */
    torre_md_store store;
    torre_bins bins;
    const torre_bin_grid grid = torre_bins_grid(p->box, 1, p->count);
    TORRE_TRY(torre_bins_make(&grid, 1, TORRE_BIN_BLOCK,
                              &(torre_ordering_spec){.kind = TORRE_HILBERT}, p->count, &bins));
    bins.threads = threads;
    torre_status status = torre_md_store_make(p->count, threads, p->box, 1, loops, &store);
    for (int r = 0; r < REPEATS && !status; r++) {
        loops->load(&store, (const double *const *)p->position, (const double *const *)p->velocity,
                    p->box);
        for (int k = 0; k < 2 && !status; k++) {
            double start = torre_time_now();
            status = torre_md_store_bin(&store, loops, &bins, 0, 0, true, 0);
            best[k] = fmin(best[k], torre_time_now() - start);
        }
    }
    for (int k = 0; k < 2 && !status; k++)
        printf("%lld,%d,%s,%.4f,%.3f\n", (long long)p->count, threads, k ? "ordered" : "random",
               1e3 * best[k], 1e9 * best[k] / (double)p->count);
    torre_md_store_free(&store);
    torre_bins_free(&bins);
    return status;
}

int main(int argc, char **argv)
{
    int64_t number[2] = {omp_get_max_threads(), 4000000};
    torre_status status = TORRE_OK;
    for (int k = 1; k < argc && !status; k++)
        if (k > 2 || !torre_parse_integer(argv[k], &number[k - 1]) || number[k - 1] < 1 ||
            number[0] > 4096 || number[1] > 1000000000)
            status = torre_fail(TORRE_ERR_USAGE, "usage: bench_reorder [THREADS [PARTICLES]]");
    if (!status) printf("particles,threads,state,ms,ns_per_particle\n");
    for (int64_t count = 4000; count <= number[1] && !status; count *= 10) {
        torre_md_particles p;
        status = scatter(count, &p);
        if (status) break;
        status = time_sort(&p, 1);
        if (!status && number[0] > 1) status = time_sort(&p, (int)number[0]);
        torre_md_particles_free(&p);
    }
    return torre_program_end("bench_reorder", status);
}
