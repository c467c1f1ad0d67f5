/*
 * Speed of the cuda backend of md: the Lennard-Jones melt (r_c 2.5, skin 0.3, dt 0.005, energies
 * and virial every 100 steps) over sizes, searches, orderings, boxes, densities and precisions.
 * Rates are atom-steps per second of the time loop, rebuilds, sorts and sums included; phases are
 * per step.
 *
 *     bench_md_cuda [--csv FILE] [--only TEXT] [--quick] [--rebuild-every N] [--skin D]
 *         the table; --only: rows whose name contains TEXT; --quick: no system above 2 M atoms;
 *         --rebuild-every: lists are made every N steps, too late for some pairs, and not when a
 *         particle has moved half the skin
 *     bench_md_cuda --study FILE [--only TEXT]
 *         the orderings of Al-Kharusi and Walker (IJHPCA 33 (2019) 998), section 6, on this GPU:
 *         sizes, lists, blocks and sort intervals for every ordering (md_study.sh draws them);
 *         lists are made every 20 steps, as there; --only: rows like "size 160 half hilbert" that
 *         contain TEXT
 *     bench_md_cuda --search CELLS [f32|f64|mixed] [full|tile|half]
 *         the layouts (bricks, lanes, blocks) tried one by one for CELLS^3 cells of the melt
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend.h"
#include "cuda/particles/md_cuda_solver.h"
#include "particles/md.h"
#include "particles/md_start.h"
#include "particles/pair_lj.h"

extern const torre_md_backend torre_md_cuda;

#define MELT 0.8442 /* density */
#define CUBE(n)                                                                                    \
    {                                                                                              \
        n, n, n                                                                                    \
    }
enum { STUDY_REBUILDS = 20 };

static int64_t rebuild_every; /* 0: when a particle has moved half the skin */
static double skin = 0.3;

typedef struct bench_row {
    const char *name;
    int64_t cells[3];
    double density;
    torre_md_precision precision;
    torre_neighbor neighbor;
    torre_ordering_kind ordering;
    int64_t sort_every; /* TORRE_MD_NEVER: storage by id */
    bool shuffled;      /* ids at random places, so that storage by id has no locality */
    double bin_size;
    int block; /* threads; 0: chosen */
} bench_row;

typedef struct bench_result {
    double seconds, rate, temperature, energy, drift, neighbors;
    int64_t steps;
    double interval; /* steps between two rebuilds */
    torre_md_times times;
    md_layout layout;
} bench_result;

static void shuffle(torre_md_particles *p)
{
    uint64_t state = 88172645463325252ull;
    for (int64_t i = p->count - 1; i > 0; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        int64_t j = (int64_t)(state % (uint64_t)(i + 1));
        for (int a = 0; a < 3; a++) {
            double r = p->position[a][i], v = p->velocity[a][i];
            p->position[a][i] = p->position[a][j], p->velocity[a][i] = p->velocity[a][j];
            p->position[a][j] = r, p->velocity[a][j] = v;
        }
    }
}

static void make_problem(const bench_row *row, const torre_md_particles *particles,
                         torre_md_problem *problem)
{
    memset(problem, 0, sizeof *problem);
    torre_md_problem_set_particles(problem, particles);
    problem->model = TORRE_PAIR_lj;
    problem->pair.lj = (torre_lj_parameters){.epsilon = 1, .sigma = 1};
    problem->cutoff = 2.5;
    problem->dt = 0.005;
    problem->precision = row->precision;
}

/* 200 steps of melting, then at least min_seconds of the loop in advances of 100. */
static torre_status measure(const torre_md_problem *problem, const bench_row *row,
                            double min_seconds, bench_result *result)
{
    torre_md_plan plan = {.neighbor = row->neighbor,
                          .skin = skin,
                          .rebuild_every = rebuild_every,
                          .ordering = {.kind = row->ordering},
                          .sort_every = row->sort_every,
                          .bin_size = row->bin_size,
                          .block = row->block};
    torre_md_solver *solver = NULL;
    TORRE_TRY(torre_md_solver_new(&torre_md_cuda, problem, &plan, &solver));
    torre_status status = torre_md_cuda.set_particles(solver, problem->position, problem->velocity);
    torre_md_sums first, last;
    memset(result, 0, sizeof *result);
    if (!status) status = torre_md_cuda.sums(solver, &first);
    for (int k = 0; k < 2 && !status; k++) status = torre_md_cuda.advance(solver, 100);
    md_cuda_solver *inside = (md_cuda_solver *)solver;
    double before = inside->loop_seconds, best = INFINITY, previous = before;
    int rounds = 0;
    while (!status && (inside->loop_seconds - before < min_seconds || rounds < 3)) {
        status = torre_md_cuda.advance(solver, 100);
        double took = inside->loop_seconds - previous;
        previous = inside->loop_seconds;
        if (took < best) best = took;
        rounds++;
    }
    if (!status) status = torre_md_cuda.sums(solver, &last);
    if (!status) {
        double n = (double)problem->count;
        torre_md_counts counts;
        torre_md_thermo thermo = torre_md_thermo_of(problem, problem->box, 0, &last);
        torre_md_cuda.times(solver, &result->times, &counts);
        result->interval = (double)inside->steps_done / (double)counts.builds;
        result->steps = 100 * rounds;
        result->seconds = previous - before;
        result->rate = n * (double)result->steps / result->seconds;
        result->temperature = thermo.temperature;
        result->energy = thermo.pair_energy;
        result->neighbors = last.neighbors;
        result->drift = (last.kinetic + last.potential - last.potential_shift - first.kinetic -
                         first.potential + first.potential_shift) /
                        n;
        result->layout = inside->layout;
        double scale = 1e6 / (double)inside->steps_done;
        result->times.sort *= scale;
        result->times.neighbor *= scale;
        result->times.force *= scale;
        result->times.other *= scale;
    }
    torre_md_cuda.destroy(solver);
    return status;
}

static const char *storage_name(const bench_row *row)
{
    if (row->sort_every != TORRE_MD_NEVER) return torre_ordering_name(row->ordering);
    return row->shuffled ? "shuffled" : "none";
}

static void print_result(const bench_row *row, int64_t count, const bench_result *r, FILE *csv)
{
    const md_layout *l = &r->layout;
    const char *ordering = storage_name(row);
    double interval = row->sort_every == TORRE_MD_NEVER ? 0
                      : row->sort_every                 ? (double)row->sort_every
                                                        : r->interval;
    printf("%-26s %9lld %-5s %-4s %-9s %7.3f | %8.2f %7.2f %7.2f %7.2f | %2dx%2dx%2d T%d b%-4d "
           "lb%-3d cap %4d | %6.1f %6.1f %7.4f %8.4f %9.1e\n",
           row->name, (long long)count, torre_md_precision_name(row->precision),
           torre_neighbor_name(row->neighbor), ordering, 1e-9 * r->rate, r->times.force,
           r->times.neighbor, r->times.sort, r->times.other, l->brick_max[0], l->brick_max[1],
           l->brick_max[2], l->lanes_per_place, l->block, l->list_block, l->staged_cap,
           r->neighbors, r->interval, r->temperature, r->energy, r->drift);
    fflush(stdout);
    if (csv)
        fprintf(csv,
                "%s,%lld,%s,%s,%s,%.3g,%.4g,%.4f,%.3f,%.3f,%.3f,%.3f,%d,%d,%d,%d,%d,%d,%.2f,%.6f,"
                "%.6f,%.3e\n",
                row->name, (long long)count, torre_md_precision_name(row->precision),
                torre_neighbor_name(row->neighbor), ordering, interval, r->rate, r->seconds,
                r->times.force, r->times.neighbor, r->times.sort, r->times.other, l->brick_max[0],
                l->brick_max[1], l->brick_max[2], l->lanes_per_place, l->block, l->list_block,
                r->neighbors, r->temperature, r->energy, r->drift);
}

static void print_header(FILE *csv)
{
    printf("%-26s %9s %-5s %-4s %-9s %7s | %8s %7s %7s %7s | layout | %6s %6s %7s %8s %9s\n",
           "name", "atoms", "real", "list", "ordering", "G/s", "force us", "list", "sort", "other",
           "neigh", "every", "T", "E_pair", "drift");
    if (csv)
        fprintf(
            csv,
            "name,atoms,precision,neighbor,ordering,sort_every,atom_steps_per_s,seconds,force_us,"
            "list_us,sort_us,other_us,brick_x,brick_y,brick_z,lanes_per_place,"
            "block,list_block,neighbors,temperature,pair_energy,drift\n");
}

static torre_status start(const int64_t cells[3], double density, torre_md_particles *particles)
{
    TORRE_TRY(torre_md_start_fcc(cells, density, particles));
    torre_md_start_velocities(particles, 1.44, 87287);
    return TORRE_OK;
}

/* Measure a row from given particles; a row that fails is a line of text. */
static torre_status run_with(const bench_row *row, const torre_md_particles *particles,
                             double min_seconds, FILE *csv)
{
    torre_md_problem problem;
    bench_result result;
    make_problem(row, particles, &problem);
    torre_status status = measure(&problem, row, min_seconds, &result);
    if (status)
        printf("%-26s %s\n", row->name, torre_error_text());
    else
        print_result(row, particles->count, &result, csv);
    if (csv) fflush(csv);
    return status;
}

/* A row of the table, where zero means full lists, the density of the melt, row-major. */
static torre_status run_row(bench_row row, double min_seconds, FILE *csv)
{
    torre_md_particles particles;
    if (row.density == 0) row.density = MELT;
    if (row.neighbor == TORRE_NEIGHBOR_AUTO) row.neighbor = TORRE_NEIGHBOR_FULL;
    TORRE_TRY(start(row.cells, row.density, &particles));
    torre_status status = run_with(&row, &particles, min_seconds, csv);
    torre_md_particles_free(&particles);
    return status;
}

/* Every shape of brick that could do, for a size. */
static torre_status search(int64_t cells, torre_md_precision precision, torre_neighbor neighbor)
{
    static const int shapes[][3] = {{2, 4, 4}, {3, 3, 3}, {3, 4, 4}, {4, 4, 4}, {3, 4, 6},
                                    {4, 4, 6}, {4, 4, 8}, {4, 5, 6}, {4, 6, 6}, {5, 5, 5},
                                    {5, 6, 6}, {6, 6, 6}, {4, 6, 8}, {4, 8, 8}, {6, 6, 8},
                                    {5, 8, 8}, {6, 8, 8}, {8, 8, 8}};
    static const int lanes[] = {1, 2, 4};
    static const int blocks[] = {128, 192, 256, 320, 384, 512};
    bench_row row = {.name = "search",
                     .cells = CUBE(cells),
                     .density = MELT,
                     .precision = precision,
                     .neighbor = neighbor};
    torre_md_particles particles;
    torre_md_problem problem;
    TORRE_TRY(start(row.cells, row.density, &particles));
    make_problem(&row, &particles, &problem);
    print_header(NULL);
    double threads = (double)particles.count / 270000; /* T = 1 on 132 processors */
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (unsigned l = 0; l < sizeof lanes / sizeof *lanes; l++) {
            double fill = threads * lanes[l];
            if (neighbor != TORRE_NEIGHBOR_FULL && lanes[l] == 2) continue;
            if (fill > 1.5 && lanes[l] > 1) continue;
            if (fill < 0.1) continue;
            int volume = shapes[s][0] * shapes[s][1] * shapes[s][2];
            double mean = 2.3 * volume * lanes[l];
            for (unsigned b = 0; b < sizeof blocks / sizeof *blocks; b++) {
                if (blocks[b] > 1.35 * mean || (blocks[b] < 0.45 * mean && b < 7)) continue;
                md_layout_wish wish = {
                    {shapes[s][0], shapes[s][1], shapes[s][2]}, lanes[l], blocks[b], 0};
                bench_result result;
                md_cuda_wish(&wish);
                if (measure(&problem, &row, 0.02, &result))
                    printf("%s\n", torre_error_text());
                else
                    print_result(&row, particles.count, &result, NULL);
            }
        }
    }
    torre_md_particles_free(&particles);
    return TORRE_OK;
}

/* The storage of one row of the study: an ordering, or none (by id, sorted never). */
typedef struct study_storage {
    torre_ordering_kind ordering;
    int64_t sort_every;
} study_storage;

static const study_storage storages[] = {
    {TORRE_ROW_MAJOR, 0}, {TORRE_MORTON, 0}, {TORRE_HILBERT, 0}, {TORRE_ROW_MAJOR, TORRE_MD_NEVER}};
enum { STORAGES = 4 };
static const torre_neighbor both[2] = {TORRE_NEIGHBOR_FULL, TORRE_NEIGHBOR_HALF};

/* Where the rows of a study go, and which are wanted (NULL: all). */
typedef struct study_output {
    FILE *csv;
    const char *only;
} study_output;

/* A row of the study, unless it is not wanted: 1 when it failed. */
static int study_row(const bench_row *row, const torre_md_particles *particles, double least,
                     const study_output *out)
{
    char label[96];
    snprintf(label, sizeof label, "%s %lld %s %s", row->name, (long long)row->cells[0],
             torre_neighbor_name(row->neighbor), storage_name(row));
    if (out->only && !strstr(label, out->only)) return 0;
    return run_with(row, particles, least, out->csv) != TORRE_OK;
}

/* Everything that the study asks of one size; most of it at the size of the paper's Table 4. */
static int study_size(int64_t n, bool detail, const study_output *out)
{
    static const int blocks[] = {64, 128, 192, 256, 320, 384, 448, 512}; /* 512: the most */
    static const int64_t intervals[] = {20, 40, 100, 200, 500, 1000, TORRE_MD_NEVER};
    const double least = n > 100 ? 0.02 : 0.1; /* seconds; three advances in any case */
    torre_md_particles particles;
    bench_row row = {.name = "size",
                     .cells = CUBE(n),
                     .density = MELT,
                     .precision = TORRE_MD_F32,
                     .neighbor = TORRE_NEIGHBOR_FULL};
    int failed = 0;
    if (start(row.cells, row.density, &particles)) {
        printf("%s\n", torre_error_text());
        return 1;
    }
    for (int k = 0; k < 2; k++) {
        for (int o = 0; o < STORAGES; o++) {
            row.neighbor = both[k];
            row.ordering = storages[o].ordering;
            row.sort_every = storages[o].sort_every;
            failed += study_row(&row, &particles, least, out);
        }
    }
    row.ordering = TORRE_ROW_MAJOR;
    row.sort_every = 0;
    row.name = "block";
    for (unsigned b = 0; detail && b < 2 * sizeof blocks / sizeof *blocks; b++) {
        row.neighbor = both[b % 2];
        row.block = blocks[b / 2];
        failed += study_row(&row, &particles, least, out);
    }
    row.neighbor = TORRE_NEIGHBOR_FULL;
    row.block = 0;
    row.name = "interval";
    for (unsigned i = 0; detail && i < 2 * sizeof intervals / sizeof *intervals; i++) {
        row.ordering = i % 2 ? TORRE_HILBERT : TORRE_ROW_MAJOR;
        row.sort_every = intervals[i / 2];
        /* 1500 steps: long enough for particles to leave their bins between two sorts */
        failed += study_row(&row, &particles, 0.5, out);
    }
    shuffle(&particles);
    row.name = "size";
    row.shuffled = true;
    row.sort_every = TORRE_MD_NEVER;
    for (int k = 0; k < 2; k++) {
        row.neighbor = both[k];
        failed += study_row(&row, &particles, least, out);
    }
    torre_md_particles_free(&particles);
    return failed;
}

/* The paper's sizes, 32^3 to 92^3 cells, and 16 million particles. */
static int study(FILE *csv, const char *only)
{
    static const int64_t sizes[] = {32, 42, 52, 62, 72, 82, 92, 160};
    const study_output out = {csv, only};
    int failed = 0;
    print_header(csv);
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
        failed += study_size(sizes[s], sizes[s] == 92, &out);
    return failed;
}

static const bench_row table[] = {
    {.name = "melt f32", .cells = CUBE(20)},
    {.name = "melt f32", .cells = CUBE(40)},
    {.name = "melt f32", .cells = CUBE(80)},
    {.name = "melt f32", .cells = CUBE(160)},
    {.name = "non-cubic 1:2:4", .cells = {50, 100, 200}},
    {.name = "non-cubic 37x61x229", .cells = {37, 61, 229}},
    {.name = "density 0.4", .cells = CUBE(80), .density = 0.4},
    {.name = "density 0.4", .cells = CUBE(20), .density = 0.4},
    {.name = "odd 41x37x43", .cells = {41, 37, 43}},
    {.name = "melt f64", .cells = CUBE(20), .precision = TORRE_MD_F64},
    {.name = "melt f64", .cells = CUBE(40), .precision = TORRE_MD_F64},
    {.name = "melt f64", .cells = CUBE(80), .precision = TORRE_MD_F64},
    {.name = "melt mixed", .cells = CUBE(40), .precision = TORRE_MD_MIXED},
    {.name = "melt mixed", .cells = CUBE(80), .precision = TORRE_MD_MIXED},
    {.name = "melt half", .cells = CUBE(40), .neighbor = TORRE_NEIGHBOR_HALF},
    {.name = "melt half", .cells = CUBE(80), .neighbor = TORRE_NEIGHBOR_HALF},
    {.name = "melt tile", .cells = CUBE(40), .neighbor = TORRE_NEIGHBOR_TILE},
    {.name = "melt tile", .cells = CUBE(80), .neighbor = TORRE_NEIGHBOR_TILE},
    {.name = "bins 2.8", .cells = CUBE(80), .bin_size = 2.8},
    {.name = "bins 0.94", .cells = CUBE(80), .bin_size = 0.94},
};

int main(int argc, char **argv)
{
    const char *only = NULL, *csv_path = NULL;
    bool quick = false, studied = false;
    char why[256];
    torre_md_plan plan = {0};
    if (!torre_cuda_available(plan.device, why, sizeof why)) {
        fprintf(stderr, "bench_md_cuda: %s\n", why);
        return 77;
    }
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "--search") && k + 1 < argc) {
            torre_md_precision precision = TORRE_MD_F32;
            torre_neighbor neighbor = TORRE_NEIGHBOR_FULL;
            if (k + 2 < argc) torre_md_precision_by_name(argv[k + 2], &precision);
            if (k + 3 < argc) torre_neighbor_by_name(argv[k + 3], &neighbor);
            return search(atoll(argv[k + 1]), precision, neighbor);
        }
        if (!strcmp(argv[k], "--quick"))
            quick = true;
        else if (!strcmp(argv[k], "--rebuild-every") && k + 1 < argc)
            rebuild_every = atoll(argv[++k]);
        else if (!strcmp(argv[k], "--skin") && k + 1 < argc)
            skin = atof(argv[++k]);
        else if (!strcmp(argv[k], "--only") && k + 1 < argc)
            only = argv[++k];
        else if ((!strcmp(argv[k], "--csv") || !strcmp(argv[k], "--study")) && k + 1 < argc) {
            studied = argv[k][2] == 's';
            csv_path = argv[++k];
        } else {
            fprintf(stderr, "bench_md_cuda: unknown argument %s\n", argv[k]);
            return 2;
        }
    }
    FILE *csv = csv_path ? fopen(csv_path, "w") : NULL;
    if (csv_path && !csv) {
        fprintf(stderr, "bench_md_cuda: cannot write %s\n", csv_path);
        return 3;
    }
    int failed = 0;
    if (studied) {
        rebuild_every = STUDY_REBUILDS;
        failed = study(csv, only);
    } else {
        print_header(csv);
    }
    for (unsigned k = 0; !studied && k < sizeof table / sizeof *table; k++) {
        const bench_row *row = &table[k];
        if (only && !strstr(row->name, only)) continue;
        if (quick && row->cells[0] * row->cells[1] * row->cells[2] > 600000) continue;
        failed += run_row(*row, 0.2, csv) != TORRE_OK;
    }
    if (csv && fclose(csv)) {
        fprintf(stderr, "bench_md_cuda: cannot write %s\n", csv_path);
        return 3;
    }
    return failed ? 1 : 0;
}
