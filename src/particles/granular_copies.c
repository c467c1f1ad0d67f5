#include "particles/granular_copies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "particles/pair_granular.h"

/*
 * A block has about so many particles, or one of so many parts of all, and edges of about so many
 * diameters at least: the thicker it is, the less of it is near its faces. Systems of fewer than so
 * many copies are melted as a whole.
 */
enum { PARTICLES = 20000, SHARE = 100, DIAMETERS = 16, COPIES = 8 };

/* Walls stand across the last axis. */
static bool is_cut(const torre_granular *g, int axis)
{
    return axis < g->dimensions && !(g->walls && axis == g->dimensions - 1);
}

static void cut_box(torre_granular_copies *c)
{
    const torre_granular *g = c->system;
    const torre_md_problem *p = c->problem;
    int axes = 0;
    double room = 1; /* of the cut axes */
    for (int a = 0; a < 3; a++) {
        if (is_cut(g, a)) room *= p->box[a];
        axes += is_cut(g, a);
    }
    const double particles = fmax(PARTICLES, (double)p->count / SHARE);
    const double wanted = pow(room * particles / (double)p->count, 1.0 / axes);
    const double edge = fmax(wanted, DIAMETERS * g->diameter);
    c->count = 1;
    for (int a = 0; a < 3; a++) {
        c->parts[a] = is_cut(g, a) ? (int64_t)fmax(1, rint(p->box[a] / edge)) : 1;
        c->edge[a] = p->box[a] / (double)c->parts[a];
        c->count *= c->parts[a];
    }
    if (c->count < COPIES) c->count = 1;
}

/* How many particles each copy has. Returns the most. */
static int64_t share_out(torre_granular_copies *c, double fluctuation)
{
    const double mean = (double)c->problem->count / (double)c->count;
    const double deviation = sqrt(fluctuation * mean);
    int64_t left = c->problem->count, most = 0;
    for (int64_t k = 0; k < c->count; k++) {
        double g[3];
        torre_random_normal3(c->system->seed, TORRE_STREAM_COUNTS, k, g);
        c->first[k + 1] = (int64_t)fmax(0, rint(mean + deviation * g[0]));
        left -= c->first[k + 1];
    }
    /* what is left over or lacking, from all alike */
    int64_t given = 0;
    for (int64_t k = 0; k < c->count; k++) {
        const int64_t until = (int64_t)rint((double)left * (double)(k + 1) / (double)c->count);
        const int64_t particles = c->first[k + 1] + until - given;
        given = until;
        most = particles > most ? particles : most;
        c->first[k + 1] = c->first[k] + particles;
    }
    return most;
}

torre_status torre_granular_copies_plan(const torre_granular *g, const torre_md_problem *p,
                                        double fluctuation, torre_granular_copies *c)
{
    c->system = g;
    c->problem = p;
    cut_box(c);
    if (c->count == 1) return TORRE_OK;
    c->first = calloc((size_t)c->count + 1, sizeof *c->first);
    if (!c->first) return torre_fail(TORRE_ERR_RESOURCE, "no memory for the start");
    const int64_t most = share_out(c, fluctuation);
    c->block_system = *g;
    c->block_problem = *p;
    for (int a = 0; a < 3; a++) {
        if (!is_cut(g, a)) continue;
        c->block_system.size[a] = c->block_problem.box[a] = c->edge[a];
    }
    c->block_problem.count = most;
    c->block_system.filling *= (double)most * (double)c->count / (double)p->count;
    c->block_system.seed = torre_random_bits(g->seed, TORRE_STREAM_BLOCK, 0);
    return TORRE_OK;
}

void torre_granular_copies_free(torre_granular_copies *c)
{
    torre_md_particles_free(&c->block);
    free(c->first);
    memset(c, 0, sizeof *c);
}

/* Top for bottom, and not into a wall by rounding. */
static double mirror_at_walls(const torre_granular_copies *c, double r)
{
    const torre_granular_parameters *walls = &c->problem->pair.granular;
    const double half = c->system->diameter / 2;
    r = walls->wall_low + walls->wall_high - r;
    return fmin(fmax(r, walls->wall_low + half), walls->wall_high - half);
}

/* Coordinate r of the block in a copy that lies in part `part` along an axis. bits: at random. */
static double displaced(const torre_granular_copies *c, int axis, int64_t part, uint64_t bits,
                        double r)
{
    const double edge = c->edge[axis];
    if (axis >= c->system->dimensions) return r;
    if (!is_cut(c->system, axis)) return bits & 1 ? mirror_at_walls(c, r) : r;
    r = (bits & 1 ? edge - r : r) + torre_random_unit(bits) * edge;
    if (r >= edge) r -= edge;
    return fmin(fmax(r + (double)part * edge, 0), nextafter(c->problem->box[axis], 0));
}

static void fill_copy(const torre_granular_copies *c, int64_t copy, torre_md_particles *particles)
{
    const uint64_t seed = c->system->seed;
    const int64_t *parts = c->parts, yz = parts[1] * parts[2];
    const int64_t part[3] = {copy / yz, copy / parts[2] % parts[1], copy % parts[2]};
    uint64_t bits[3];
    for (int a = 0; a < 3; a++)
        bits[a] = torre_random_bits(seed, TORRE_STREAM_COPIES, (uint64_t)(3 * copy + a));
    int64_t chosen = c->first[copy];
    for (int64_t i = 0; chosen < c->first[copy + 1]; i++) { /* selection sampling */
        const double left = (double)(c->block.count - i);
        const double wanted = (double)(c->first[copy + 1] - chosen);
        const uint64_t s = (uint64_t)(copy * c->block.count + i);
        if (torre_random_uniform(seed, TORRE_STREAM_SITES, s) * left >= wanted) continue;
        for (int a = 0; a < 3; a++)
            particles->position[a][chosen] =
                displaced(c, a, part[a], bits[a], c->block.position[a][i]);
        chosen++;
    }
}

void torre_granular_copies_fill(const torre_granular_copies *c, torre_md_particles *particles)
{
#pragma omp parallel for schedule(dynamic)
    for (int64_t copy = 0; copy < c->count; copy++) fill_copy(c, copy, particles);
}
