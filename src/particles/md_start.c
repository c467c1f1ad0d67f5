#include "particles/md_start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/phase.h"
#include "core/random.h"
#include "particles/bins.h"

torre_status torre_md_particles_new(int64_t count, torre_md_particles *p)
{
    char what[48];
    memset(p, 0, sizeof *p);
    if (count < 1)
        return torre_fail(TORRE_ERR_USAGE, "there must be at least one particle (got %lld)",
                          (long long)count);
    const int64_t each = 6 * sizeof(double);
    snprintf(what, sizeof what, "%lld particles", (long long)count);
    TORRE_TRY(torre_memory_check(what, count <= INT64_MAX / each ? count * each : -1));
    p->count = count;
    p->mass = 1;
    for (int a = 0; a < 3; a++) {
        p->position[a] = torre_memory_zero((size_t)count * sizeof(double));
        p->velocity[a] = torre_memory_zero((size_t)count * sizeof(double));
        if (!p->position[a] || !p->velocity[a]) {
            torre_md_particles_free(p);
            return torre_fail(TORRE_ERR_RESOURCE, "no memory for %s", what);
        }
    }
    return TORRE_OK;
}

void torre_md_particles_free(torre_md_particles *p)
{
    for (int a = 0; a < 3; a++) {
        free(p->position[a]);
        free(p->velocity[a]);
        free(p->spin[a]);
    }
    free(p->radius);
    free(p->type);
    memset(p, 0, sizeof *p);
}

torre_status torre_md_particles_add_types(torre_md_particles *p, int types)
{
    p->types = types;
    if (!p->type) p->type = calloc((size_t)p->count, sizeof *p->type);
    if (p->type) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for the types of %lld particles",
                      (long long)p->count);
}

torre_status torre_md_particles_add_grains(torre_md_particles *p, double largest)
{
    bool made = true;
    p->largest = largest;
    if (!p->radius) {
        p->radius = malloc((size_t)p->count * sizeof *p->radius);
        made = p->radius != NULL;
#pragma omp parallel for
        for (int64_t i = 0; i < (made ? p->count : 0); i++) p->radius[i] = largest;
    }
    for (int a = 0; a < 3; a++) {
        if (!p->spin[a]) p->spin[a] = calloc((size_t)p->count, sizeof(double));
        made = made && p->spin[a];
    }
    if (made) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for the spins of %lld particles",
                      (long long)p->count);
}

torre_status torre_md_particles_take_types(torre_md_particles *p, const torre_md_particles *from)
{
    if (from->radius) {
        TORRE_TRY(torre_md_particles_add_grains(p, from->largest));
        memcpy(p->radius, from->radius, (size_t)p->count * sizeof *p->radius);
    }
    if (!from->type) return TORRE_OK;
    TORRE_TRY(torre_md_particles_add_types(p, from->types));
    memcpy(p->type, from->type, (size_t)p->count * sizeof *p->type);
    memcpy(p->type_mass, from->type_mass, sizeof p->type_mass);
    return TORRE_OK;
}

void torre_md_problem_set_particles(torre_md_problem *problem, const torre_md_particles *p)
{
    problem->count = p->count;
    problem->mass = p->mass;
    memcpy(problem->box, p->box, sizeof problem->box);
    for (int a = 0; a < 3; a++) {
        problem->position[a] = p->position[a];
        problem->velocity[a] = p->velocity[a];
        problem->spin[a] = p->spin[a];
    }
    problem->radius = p->radius;
}

torre_status torre_md_start_fcc_size(const int64_t cells[3], double density, int64_t *count,
                                     double box[3], double *mass)
{
    if (!(density > 0) || isinf(density))
        return torre_fail(TORRE_ERR_USAGE, "{density} must be a positive number (got %g)", density);
    *count = 4;
    *mass = 1;
    for (int a = 0; a < 3; a++) {
        if (cells[a] < 1 || *count > INT64_C(1000000000000) / cells[a])
            return torre_fail(TORRE_ERR_USAGE,
                              "{cells} must be at least 1 and give at most 10^12 particles (got "
                              "%lldx%lldx%lld)",
                              (long long)cells[0], (long long)cells[1], (long long)cells[2]);
        *count *= cells[a];
        box[a] = cbrt(4 / density) * (double)cells[a];
    }
    return TORRE_OK;
}

torre_status torre_md_start_fcc(const int64_t cells[3], double density, torre_md_particles *p)
{
    static const double basis[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    int64_t count;
    double box[3], mass;
    TORRE_TRY(torre_md_start_fcc_size(cells, density, &count, box, &mass));
    TORRE_TRY(torre_md_particles_new(count, p));
    double constant = cbrt(4 / density);
    memcpy(p->box, box, sizeof box);
#pragma omp parallel for
    for (int64_t i = 0; i < count; i++) {
        int64_t c = i / 4;
        int64_t cell[3] = {c / cells[2] / cells[1], c / cells[2] % cells[1], c % cells[2]};
        for (int a = 0; a < 3; a++)
            p->position[a][i] = constant * ((double)cell[a] + basis[i % 4][a]);
    }
    return TORRE_OK;
}

static double mass_of_all(const torre_md_particles *p)
{
    double sum = 0;
    for (int64_t i = 0; i < p->count; i++) sum += torre_md_particle_mass(p, i);
    return sum;
}

void torre_md_start_velocities(torre_md_particles *p, double temperature, uint64_t seed)
{
#pragma omp parallel for
    for (int64_t i = 0; i < p->count; i++) {
        double g[3];
        torre_random_normal3(seed, TORRE_STREAM_VELOCITIES, i, g);
        const double spread = p->type ? 1 / sqrt(torre_md_particle_mass(p, i)) : 1;
        for (int a = 0; a < 3; a++) p->velocity[a][i] = spread * g[a];
    }
    const double mass = p->type ? mass_of_all(p) : (double)p->count;
    /* Each sum runs over the ids in order on one thread: the same bits everywhere. */
#pragma omp parallel for
    for (int a = 0; a < 3; a++) {
        double sum = 0;
        for (int64_t i = 0; i < p->count; i++)
            sum += p->type ? torre_md_particle_mass(p, i) * p->velocity[a][i] : p->velocity[a][i];
        for (int64_t i = 0; i < p->count; i++) p->velocity[a][i] -= sum / mass;
    }
    double kinetic = 0;
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < p->count; i++)
            kinetic += 0.5 * torre_md_particle_mass(p, i) * p->velocity[a][i] * p->velocity[a][i];
    double freedom = 3 * (double)p->count - 3;
    double scale = freedom > 0 && kinetic > 0 ? sqrt(temperature * freedom / (2 * kinetic)) : 0;
#pragma omp parallel for
    for (int64_t i = 0; i < p->count; i++)
        for (int a = 0; a < 3; a++) p->velocity[a][i] *= scale;
}

/* How near two particles may be where the largest must be so far apart. */
static double apart(const torre_md_particles *p, int64_t i, int64_t j, double distance)
{
    return p->radius ? distance * (p->radius[i] + p->radius[j]) / (2 * p->largest) : distance;
}

/* The first pair of particles nearer than that among members a of one bin and b of another. */
static bool nearer(const torre_md_particles *p, const torre_bins *bins, int64_t a, int64_t b,
                   double distance, int64_t pair[2], double *found)
{
    for (int64_t m = bins->start[a]; m < bins->start[a + 1]; m++) {
        for (int64_t n = bins->start[b]; n < bins->start[b + 1]; n++) {
            int64_t i = bins->member[m], j = bins->member[n];
            double rsq = 0;
            if (i >= j) continue;
            for (int k = 0; k < 3; k++) {
                double d = p->position[k][i] - p->position[k][j];
                d -= p->box[k] * rint(d / p->box[k]);
                rsq += d * d;
            }
            const double least = apart(p, i, j, distance);
            if (rsq >= least * least) continue;
            *found = sqrt(rsq);
            pair[0] = i;
            pair[1] = j;
            return true;
        }
    }
    return false;
}

/* The first such pair of the particles in a bin with those in the bins around it. */
static bool nearer_around(const torre_md_particles *p, const torre_bins *bins, int64_t rank,
                          double distance, int64_t pair[2], double *found)
{
    for (int64_t o = 0; o < bins->offsets; o++) {
        int image[3];
        const int64_t from = bins->rank[torre_bins_at(bins, rank, o, image)];
        if (nearer(p, bins, rank, from, distance, pair, found)) return true;
    }
    return false;
}

torre_status torre_md_start_check_overlap(const torre_md_particles *p, double distance)
{
    TORRE_PHASE(TORRE_PHASE_CHECK);
    torre_bins bins;
    double least = fmin(p->box[0], fmin(p->box[1], p->box[2])) / 2;
    const torre_bin_grid grid = torre_bins_grid(p->box, distance, p->count);
    TORRE_TRY(torre_bins_make(&grid, fmin(distance, least), TORRE_BIN_BLOCK,
                              &(torre_ordering_spec){.kind = TORRE_ROW_MAJOR}, p->count, &bins));
#pragma omp parallel for
    for (int64_t i = 0; i < p->count; i++) {
        const double at[3] = {p->position[0][i], p->position[1][i], p->position[2][i]};
        torre_bins_put(&bins, i, at);
    }
    torre_bins_sort(&bins);
    int64_t pair[2] = {0, 0}, first = bins.bins; /* bin of an overlap */
    double found = 0;
#pragma omp parallel for schedule(static) firstprivate(pair, found) reduction(min : first)
    for (int64_t r = 0; r < bins.bins; r++)
        if (r < first && nearer_around(p, &bins, r, distance, pair, &found)) first = r;
    if (first < bins.bins) nearer_around(p, &bins, first, distance, pair, &found);
    const bool overlap = first < bins.bins;
    torre_bins_free(&bins);
    if (!overlap) return TORRE_OK;
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "particles %lld and %lld overlap: they are %g apart and must be at least %g",
                      (long long)pair[0] + 1, (long long)pair[1] + 1, found,
                      apart(p, pair[0], pair[1], distance));
}
