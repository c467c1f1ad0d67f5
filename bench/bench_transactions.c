/*
 * Memory transactions of the force computation of Al-Kharusi and Walker (IJHPCA 33 (2019) 998,
 * Figure 24), counted instead of profiled: a transaction is a sector of 32 bytes that a warp of 32
 * threads touches in one access. Thread i computes the force on particle i of the melt, sorted by
 * bins in an ordering. Positions and forces are f64 arrays of x, y, z by particle, types 4 bytes,
 * lists rows of 4-byte indices:
 *
 *     AC   a coordinate of the thread's particle       NI   an index from its list
 *     NC   a coordinate of a neighbour                 NT   the type of a neighbour
 *     FUI  a force component of a neighbour within the cutoff (half lists)
 *     FUO  a force component of the thread's particle
 *
 * CSV on standard output. Usage: bench_transactions [CELLS [EVERY]]: 4 CELLS^3 particles (32
 * cells), every EVERYth warp is counted (all).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program.h"
#include "core/numbers.h"
#include "particles/md_run.h"
#include "particles/md_store.h"
#include "particles/pair_lj.h"

enum { WARP = 32, SECTOR = 32, STEPS = 100 };
enum { AC, NI, NC, NT, FUI, FUO, ACCESSES };
static const char *const access_name[] = {"AC", "NI", "NC", "NT", "FUI", "FUO"};
static const int access_bytes[] = {8, 4, 8, 4, 8, 8};
#define CUTOFF 2.5
#define REACH  2.8 /* with the skin */

typedef struct tally {
    int64_t requests[ACCESSES], sectors[ACCESSES];
} tally;

/* A request of the active lanes of a warp at these byte addresses. */
static void count(tally *t, int access, const int64_t *address, int lanes)
{
    int64_t seen[WARP];
    int sectors = 0;
    for (int l = 0; l < lanes; l++) {
        int k = 0;
        while (k < sectors && seen[k] != address[l] / SECTOR) k++;
        if (k == sectors) seen[sectors++] = address[l] / SECTOR;
    }
    t->requests[access] += lanes > 0;
    t->sectors[access] += sectors;
}

/* The three components of an array of vectors for these particles. */
static void count_vectors(tally *t, int access, const int64_t *particle, int lanes)
{
    int64_t address[WARP];
    for (int a = 0; a < 3; a++) {
        for (int l = 0; l < lanes; l++) address[l] = 24 * particle[l] + 8 * a;
        count(t, access, address, lanes);
    }
}

static bool within_cutoff(const double *x, const double box[3], int64_t i, int64_t j)
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        double d = x[4 * j + a] - x[4 * i + a];
        d -= box[a] * rint(d / box[a]);
        square += d * d;
    }
    return square < CUTOFF * CUTOFF;
}

/* The k-th neighbours of the lanes that have so many. */
static void count_neighbours(tally *t, const torre_md_store *store, const torre_md_lists *lists,
                             const double box[3], int64_t first, int lanes, int64_t row, int k,
                             bool half)
{
    int64_t entry[WARP], particle[WARP], type[WARP], near[WARP];
    int active = 0, updated = 0;
    for (int l = 0; l < lanes; l++) {
        int64_t i = first + l;
        if (k >= lists->length[i]) continue;
        int64_t j = lists->start[i][k];
        entry[active] = 4 * (i * row + k);
        particle[active] = j;
        type[active++] = 4 * j;
        if (half && within_cutoff(store->position, box, i, j)) near[updated++] = j;
    }
    count(t, NI, entry, active);
    count(t, NT, type, active);
    count_vectors(t, NC, particle, active);
    count_vectors(t, FUI, near, updated);
}

static tally count_warps(const torre_md_store *store, const torre_md_lists *lists,
                         const double box[3], int64_t every, bool half)
{
    tally t = {0};
    int64_t row = 0;
    for (int64_t i = 0; i < store->count; i++)
        if (lists->length[i] > row) row = lists->length[i];
    for (int64_t first = 0; first < store->count; first += WARP * every) {
        int64_t own[WARP];
        int lanes = store->count - first < WARP ? (int)(store->count - first) : WARP, most = 0;
        for (int l = 0; l < lanes; l++) {
            own[l] = first + l;
            if (lists->length[first + l] > most) most = lists->length[first + l];
        }
        count_vectors(&t, AC, own, lanes);
        for (int k = 0; k < most; k++)
            count_neighbours(&t, store, lists, box, first, lanes, row, k, half);
        count_vectors(&t, FUO, own, lanes);
    }
    return t;
}

static void print_tally(const tally *t, bool half, torre_ordering_kind ordering)
{
    for (int a = 0; a < ACCESSES; a++)
        if (t->requests[a])
            printf("%s,%s,%s,%d,%.3f\n", half ? "half" : "full", torre_ordering_name(ordering),
                   access_name[a], WARP * access_bytes[a] / SECTOR,
                   (double)t->sectors[a] / (double)t->requests[a]);
}

/* Sort the particles in this ordering, list their neighbours, count. */
static torre_status study(const torre_md_particles *p, torre_ordering_kind ordering, int64_t every)
{
    const torre_md_state_loops *loops = torre_md_state_loops_find(TORRE_MD_F64);
    torre_md_store store;
    torre_bins bins;
    const torre_bin_grid grid = torre_bins_grid(p->box, REACH / 2, p->count);
    TORRE_TRY(torre_bins_make(&grid, REACH, TORRE_BIN_SPHERICAL,
                              &(torre_ordering_spec){.kind = ordering}, p->count, &bins));
    torre_status status = torre_md_store_make(p->count, bins.threads, p->box, REACH, loops, &store);
    if (!status) {
        loops->load(&store, (const double *const *)p->position, (const double *const *)p->velocity,
                    p->box);
        status = torre_md_store_bin(&store, loops, &bins, 0, 0, true, 0);
        for (int half = 0; half < 2 && !status; half++) {
            torre_md_lists lists;
            status = torre_md_lists_make(p->count, bins.threads, &lists);
            if (status) break;
            status = loops->build(&store, &bins, half, &lists);
            if (!status) {
                tally t = count_warps(&store, &lists, p->box, every, half);
                print_tally(&t, half, ordering);
            }
            torre_md_lists_free(&lists);
        }
        torre_md_store_free(&store);
    }
    torre_bins_free(&bins);
    return status;
}

/* The melt after its first steps. */
static torre_status melt(int64_t cells, torre_md_particles *p)
{
    const int64_t cube[3] = {cells, cells, cells};
    const torre_md_plan plan = {.skin = REACH - CUTOFF, .rebuild_every = 20};
    torre_md_problem problem = {.model = TORRE_PAIR_lj, .cutoff = CUTOFF, .dt = 0.005};
    torre_md_run *run;
    problem.pair.lj = (torre_lj_parameters){.epsilon = 1, .sigma = 1};
    TORRE_TRY(torre_md_start_fcc(cube, 0.8442, p));
    torre_md_start_velocities(p, 1.44, 87287);
    torre_md_problem_set_particles(&problem, p);
    problem.precision = TORRE_MD_F64;
    TORRE_TRY(torre_md_run_new(&problem, "cpu", &plan, &run));
    torre_status status = torre_md_run_start(run, NULL);
    if (!status) status = torre_md_run_advance(run, STEPS, NULL);
    if (!status) status = torre_md_run_particles(run, p);
    torre_md_run_free(run);
    return status;
}

int main(int argc, char **argv)
{
    static const torre_ordering_kind orderings[] = {TORRE_ROW_MAJOR, TORRE_HILBERT, TORRE_MORTON};
    int64_t number[2] = {32, 1};
    torre_md_particles p = {0};
    torre_status status = TORRE_OK;
    for (int k = 1; k < argc && !status; k++)
        if (k > 2 || !torre_parse_integer(argv[k], &number[k - 1]) || number[k - 1] < 1 ||
            number[0] < 4 || number[0] > 400)
            status = torre_fail(TORRE_ERR_USAGE, "usage: bench_transactions [CELLS [EVERY]], "
                                                 "CELLS from 4 to 400, EVERY from 1");
    if (!status) status = melt(number[0], &p);
    if (!status) printf("neighbor,ordering,access,ideal,transactions\n");
    for (int o = 0; o < 3 && !status; o++) status = study(&p, orderings[o], number[1]);
    torre_md_particles_free(&p);
    return torre_program_end("bench_transactions", status);
}
