#include "wave/part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tiling/diamond.h"

torre_region torre_wave_region(const torre_wave_setup *setup)
{
    if (setup->region) return *setup->region;
    torre_region all = torre_region_whole(setup->problem->size);
    for (int a = 0; a < 3; a++) all.periodic[a] = setup->problem->face[a][0] == TORRE_PERIODIC;
    return all;
}

/* Cells of a halo: `fixed` and per_step more for every step of a pass. axis: of the solver. */
typedef struct halo_cost {
    int64_t fixed, per_step;
} halo_cost;

static halo_cost cost_of(torre_engine engine, int order, int64_t dts, int axis, int side)
{
    const int64_t R = order / 2, fixed = torre_tower_halo(R, dts, 0, side);
    if (engine != TORRE_TORRE || axis != 0) return (halo_cost){0, R};
    return (halo_cost){fixed, torre_tower_halo(R, dts, 1, side) - fixed};
}

void torre_wave_halo(const torre_wave_plan *plan, int order, int64_t steps, int64_t halo[3][2])
{
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 2; side++) {
            const halo_cost cost = cost_of(plan->engine, order, plan->dts, a, side);
            halo[plan->axes[0] ? plan->axes[a] - 'x' : a][side] =
                cost.fixed + cost.per_step * steps;
        }
}

/* Cells stored beyond those owned; -1 where no more are needed, as the grid ends there. */
static int64_t halo_of(const torre_region *r, int axis, int side)
{
    if (!torre_region_continues(r, axis, side)) return -1;
    return side ? r->stored.high[axis] - r->owned.high[axis]
                : r->owned.low[axis] - r->stored.low[axis];
}

int64_t torre_wave_pass_limit(const torre_region *region, torre_engine engine, int order,
                              int64_t dts)
{
    int64_t limit = INT64_MAX;
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 2; side++) {
            const halo_cost cost = cost_of(engine, order, dts, a, side);
            const int64_t cells = halo_of(region, a, side), left = cells - cost.fixed;
            if (cells < 0) continue;
            if (left < 0)
                limit = 0;
            else if (cost.per_step > 0 && left / cost.per_step < limit)
                limit = left / cost.per_step;
        }
    return limit;
}

torre_status torre_wave_pass_check(int64_t limit, int64_t steps)
{
    if (steps <= limit) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "cannot advance %" PRId64 " steps at once: a pass of this part has at most "
                      "%" PRId64,
                      steps, limit);
}

torre_status torre_wave_part_named(const torre_wave_setup *setup, const torre_wave_plan *wish)
{
    if (!setup->region || wish->engine == TORRE_REFERENCE || wish->engine == TORRE_STEPWISE ||
        (wish->engine == TORRE_TORRE && wish->dts != 0))
        return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "the plan of a part must name the engine, and dts where that "
                      "is torre: parts of a problem have the same");
}

torre_status torre_wave_part_check(const torre_wave_setup *setup, const torre_wave_plan *plan)
{
    if (!setup->region) return TORRE_OK;
    int64_t need[3][2];
    torre_wave_halo(plan, setup->problem->order, plan->tower_height, need);
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 2; side++) {
            const int64_t cells = halo_of(setup->region, a, side);
            if (cells >= 0 && cells < need[a][side])
                return torre_fail(TORRE_ERR_USAGE,
                                  "the halo at %c%c has %" PRId64 " cells, a pass of %" PRId64
                                  " steps needs %" PRId64,
                                  "xyz"[a], "-+"[side], cells, plan -> tower_height, need[a][side]);
        }
    return TORRE_OK;
}

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a part of the problem");
}

static torre_status check_region(const torre_wave_problem *p, const torre_region *r)
{
    for (int a = 0; a < 3; a++) {
        const bool periodic = p->face[a][0] == TORRE_PERIODIC;
        const int64_t n = p->size[a], most = periodic ? n : 0;
        if (r->global[a] != n || r->periodic[a] != periodic || r->owned.low[a] < 0 ||
            r->owned.high[a] > n || r->owned.low[a] >= r->owned.high[a] ||
            r->stored.low[a] > r->owned.low[a] || r->stored.high[a] < r->owned.high[a] ||
            r->owned.low[a] - r->stored.low[a] > (periodic ? most : r->owned.low[a]) ||
            r->stored.high[a] - r->owned.high[a] > (periodic ? most : n - r->owned.high[a]))
            return torre_fail(TORRE_ERR_USAGE,
                              "a region owns %" PRId64 " to %" PRId64 " and stores %" PRId64
                              " to %" PRId64 " along %c: that is no region of %" PRId64 " cells%s",
                              r->owned.low[a], r->owned.high[a], r->stored.low[a],
                              r->stored.high[a], "xyz"[a], n, periodic ? " around" : "");
    }
    return TORRE_OK;
}

/* The number in the whole grid of stored cell i, counted from the first. */
static int64_t global_of(const torre_region *r, int axis, int64_t i)
{
    return torre_region_cell(r, axis, r->stored.low[axis] + i);
}

static void part_problem(const torre_wave_problem *whole, torre_wave_part *part)
{
    torre_wave_problem *p = &part->problem;
    *p = *whole;
    p->sources = p->receivers = NULL;
    p->source_count = p->receiver_count = 0;
    for (int a = 0; a < 3; a++) {
        p->size[a] = part->region.stored.high[a] - part->region.stored.low[a];
        for (int side = 0; side < 2; side++)
            if (torre_region_continues(&part->region, a, side)) p->face[a][side] = TORRE_CONTINUES;
    }
}

/* Whether the cells of a region lie one after the other in an array of the whole. */
static bool is_slab(const torre_region *r)
{
    for (int a = 1; a < 3; a++)
        if (r->stored.low[a] != 0 || r->stored.high[a] != r->global[a]) return false;
    return r->stored.low[0] >= 0 && r->stored.high[0] <= r->global[0];
}

static void part_velocity_shape(const torre_wave_problem *whole, torre_wave_part *part)
{
    const torre_array *v = whole->velocity_cells;
    if (!v) return;
    part->velocity.precision = v->precision;
    memcpy(part->velocity.shape, part->problem.size, sizeof part->velocity.shape);
    if (v->shape[1] == 1) part->velocity.shape[1] = 1;
    part->problem.velocity_cells = &part->velocity;
}

/* Whether a region stores some cells of a layer along x, but not both the first, whose velocities
 * all have, and the face, by which solvers know that. */
static bool ends_in_layer(const torre_wave_setup *whole, const torre_region *r)
{
    const int64_t W = whole->problem->absorbing_width, n = r->global[0];
    const int64_t low = r->stored.low[0], high = r->stored.high[0];
    return (whole->layer[0][0] && low < W && (high < W || low > 0)) ||
           (whole->layer[0][1] && high > n - W && (low > n - W || high < n));
}

bool torre_wave_part_copies(const torre_wave_setup *whole, const torre_region *region)
{
    return !is_slab(region) || ends_in_layer(whole, region);
}

/* Velocities of the stored cells: those of the whole in their place, or else copied. */
static torre_status part_velocity(const torre_wave_setup *setup, torre_wave_part *part)
{
    const torre_wave_problem *whole = setup->problem;
    const torre_array *v = whole->velocity_cells;
    if (!v) return TORRE_OK;
    torre_array *own = &part->velocity;
    const int64_t *n = own->shape, rows = n[0] * n[1];
    if (!torre_wave_part_copies(setup, &part->region)) {
        const int64_t first = part->region.stored.low[0] * n[1] * n[2];
        own->data = (char *)v->data + first * (int64_t)v->precision;
        return TORRE_OK;
    }
    own->data = part->copied = malloc((size_t)(rows * n[2]) * (size_t)v->precision);
    if (!own->data) return no_memory();
#pragma omp parallel for
    for (int64_t row = 0; row < rows; row++)
        for (int64_t z = 0; z < n[2]; z++)
            torre_value_set(own->precision, own->data, row * n[2] + z,
                            torre_wave_velocity_at(whole, global_of(&part->region, 0, row / n[1]),
                                                   global_of(&part->region, 1, row % n[1]),
                                                   global_of(&part->region, 2, z)));
    return TORRE_OK;
}

/* Whether there are any, and their shape; the values are those of the whole. */
static void part_density(const torre_wave_setup *whole, torre_wave_part *part)
{
    const torre_array *from = whole->problem->density_cells;
    part->setup.density = whole->density;
    if (!from) return;
    part->density.precision = from->precision;
    memcpy(part->density.shape, part->problem.size, sizeof part->density.shape);
    if (from->shape[1] == 1) part->density.shape[1] = 1;
    part->problem.density_cells = &part->density;
}

static torre_status part_damping(const torre_wave_setup *whole, torre_wave_part *part)
{
    for (int a = 0; a < 3; a++) {
        if (!whole->damping[a]) continue;
        double *d = part->setup.damping[a] = malloc((size_t)part->problem.size[a] * sizeof *d);
        if (!d) return no_memory();
        for (int64_t i = 0; i < part->problem.size[a]; i++)
            d[i] = whole->damping[a][global_of(&part->region, a, i)];
    }
    return TORRE_OK;
}

/* Planes up to R in front of a layer remember something, too. */
static void part_layers(const torre_wave_setup *whole, torre_wave_part *part)
{
    const torre_box *stored = &part->region.stored;
    const int64_t reach = whole->problem->absorbing_width + (int64_t)whole->problem->order / 2;
    part->setup.pml_a = whole->pml_a;
    part->setup.pml_b = whole->pml_b;
    part->setup.keeps_layers = whole->keeps_layers;
    memcpy(part->setup.layer, whole->layer, sizeof whole->layer);
    if (whole->keeps_layers) return;
    for (int a = 0; a < 3; a++) {
        part->setup.layer[a][0] = whole->layer[a][0] && stored->low[a] < reach;
        part->setup.layer[a][1] =
            whole->layer[a][1] && stored->high[a] > part->region.global[a] - reach;
    }
}

static int compare_cells(const void *a, const void *b)
{
    int64_t x = ((const torre_node *)a)->cell, y = ((const torre_node *)b)->cell;
    return (x > y) - (x < y);
}

/* Every image of a node that the region stores; as many as that, in nodes[] unless it is NULL. */
static int64_t stored_images(const torre_region *r, const torre_node *node, torre_node *images)
{
    const int64_t *n = r->global, cell = node->cell;
    const int64_t at[3] = {cell / n[2] / n[1], cell / n[2] % n[1], cell % n[2]};
    int64_t count = 0, low[3], high[3]; /* turns that may lead into it */
    for (int a = 0; a < 3; a++) {
        low[a] = r->periodic[a] && r->stored.low[a] < 0 ? -1 : 0;
        high[a] = r->periodic[a] && r->stored.high[a] > n[a] ? 1 : 0;
    }
    for (int64_t x = low[0]; x <= high[0]; x++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t z = low[2]; z <= high[2]; z++) {
                const int64_t turn[3] = {x, y, z};
                int64_t place = 0;
                bool stored = true;
                for (int a = 0; a < 3; a++) {
                    const int64_t i = at[a] + turn[a] * n[a];
                    stored &= i >= r->stored.low[a] && i < r->stored.high[a];
                    place = place * (r->stored.high[a] - r->stored.low[a]) + i - r->stored.low[a];
                }
                if (!stored) continue;
                if (images) {
                    images[count] = *node;
                    images[count].cell = place;
                }
                count++;
            }
    return count;
}

/* The first of nodes sorted by cell that is not before the cell. */
static int64_t first_from(const torre_node *nodes, int64_t count, int64_t cell)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (nodes[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What the region stores of nodes, by all threads: of ten thousand receivers there are millions. */
static torre_status part_nodes(const torre_region *r, const torre_node *from, int64_t count,
                               torre_node **to, int64_t *to_count)
{
    enum { PIECES = 256 };
    if (!r->periodic[0]) { /* others lie in planes that are not stored */
        const int64_t plane = r->global[1] * r->global[2],
                      low = first_from(from, count, r->stored.low[0] * plane);
        count = first_from(from, count, r->stored.high[0] * plane) - low;
        from += low;
    }
    int64_t first[PIECES + 1] = {0}; /* of the images of a piece of the nodes */
    bool sorted = true;
#pragma omp parallel for if (count > 1 << 14)
    for (int i = 0; i < PIECES; i++)
        for (int64_t k = count * i / PIECES; k < count * (i + 1) / PIECES; k++)
            first[i + 1] += stored_images(r, &from[k], NULL);
    for (int i = 0; i < PIECES; i++) first[i + 1] += first[i];
    const int64_t all = *to_count = first[PIECES];
    torre_node *node = *to = malloc((size_t)(all + 1) * sizeof *node);
    if (!node) return no_memory();
#pragma omp parallel for if (count > 1 << 14)
    for (int i = 0; i < PIECES; i++) {
        int64_t next = first[i];
        for (int64_t k = count * i / PIECES; k < count * (i + 1) / PIECES; k++)
            next += stored_images(r, &from[k], node + next);
    }
    for (int64_t i = 1; i < all && sorted; i++) sorted = node[i - 1].cell < node[i].cell;
    if (!sorted) qsort(node, (size_t)all, sizeof *node, compare_cells);
    return TORRE_OK;
}

torre_status torre_wave_part_bare(const torre_wave_setup *whole, const torre_region *region,
                                  torre_wave_part **result)
{
    TORRE_TRY(check_region(whole->problem, region));
    torre_wave_part *part = calloc(1, sizeof *part);
    if (!part) return no_memory();
    torre_wave_setup *s = &part->setup;
    part->region = *region;
    part_problem(whole->problem, part);
    s->problem = &part->problem;
    s->region = &part->region;
    s->whole = whole;
    s->sample_columns = whole->sample_columns;
    s->wavelet = whole->wavelet;
    part_density(whole, part);
    part_layers(whole, part);
    part_velocity_shape(whole->problem, part);
    torre_status status = part_damping(whole, part);
    if (!status)
        status = part_nodes(region, whole->source_nodes, whole->source_node_count, &s->source_nodes,
                            &s->source_node_count);
    if (!status)
        status = part_nodes(region, whole->receiver_nodes, whole->receiver_node_count,
                            &s->receiver_nodes, &s->receiver_node_count);
    if (status) {
        torre_wave_part_free(part);
        return status;
    }
    *result = part;
    return TORRE_OK;
}

torre_status torre_wave_part_new(const torre_wave_setup *whole, const torre_region *region,
                                 torre_wave_part **result)
{
    torre_wave_part *part;
    TORRE_TRY(torre_wave_part_bare(whole, region, &part));
    const torre_status status = part_velocity(whole, part);
    if (status) {
        torre_wave_part_free(part);
        return status;
    }
    *result = part;
    return TORRE_OK;
}

void torre_wave_part_free(torre_wave_part *part)
{
    if (!part) return;
    for (int a = 0; a < 3; a++) free(part->setup.damping[a]);
    free(part->setup.source_nodes);
    free(part->setup.receiver_nodes);
    free(part->copied);
    free(part);
}
