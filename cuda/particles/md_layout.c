#include <math.h>
#include <string.h>

#include "md_launch.h"
#include "md_layout.h"

#include "particles/bins.h"

/*
 * The model, fitted to steps of 32 k to 2 M particles with bricks of 27 to 512 bins on an H200 (5 %
 * off in the mean), microseconds:
 *
 *     brick = COST_STAGED staged + COST_ENTRY lanes (entries + COST_LANE)
 *     step  = rounds brick (1 + HALF_THREADS / threads) (1 + COST_ALONE / blocks)
 *
 * with the threads at work and the blocks resident on a multiprocessor. Bricks that all fit at once
 * take as many rounds as the fullest multiprocessor has bricks, more of them their number and TAIL
 * of a full load. `pace` times that are steps of each precision.
 *
 * To make full lists takes, where so many bricks fall to a multiprocessor,
 *
 *     lists = bricks (COST_SEARCH lanes / threads + COST_LIST_STAGED staged)
 *
 * with the threads at work there, once in INTERVAL steps (fitted to 1 and 16 M particles with
 * bricks of 27 to 385 bins and blocks of 64 to 352 threads, 5 % off in the mean).
 */
#define COST_STAGED  7.4e-4
#define COST_ENTRY   1.32e-4
#define COST_LANE    13.8
#define HALF_THREADS 277.0
#define COST_ALONE   0.22
#define TAIL         0.25

#define COST_SEARCH      33.0
#define COST_LIST_STAGED 5e-3
#define INTERVAL         10.0 /* of a liquid whose lists are made where they are too old */

static const double pace[] = {
    [TORRE_MD_F32] = 0.74, [TORRE_MD_F64] = 1.17, [TORRE_MD_MIXED] = 0.98};

#define LIST_ALONE 0.9 /* threads of a block that is alone, and waits while it stages */

/* What a block of the list builder takes beside md_list_shared: a table of rows, and what is
 * reserved of each block. */
#define LIST_BESIDE 1792

static torre_status choose_bins(const torre_md_problem *problem, const torre_md_plan *plan,
                                md_layout *l)
{
    const double radius = problem->cutoff + plan->skin;
    const torre_bin_shape shape =
        plan->bin_stencil == TORRE_STENCIL_SPHERICAL ? TORRE_BIN_SPHERICAL : TORRE_BIN_BLOCK;
    /* bins much finer than particles only cost memory */
    l->grid = torre_bin_grid_fit(problem->box, plan->bin_size > 0 ? plan->bin_size : radius / 2,
                                 1.25, 1e6 + 4.0 * (double)problem->count);
    torre_stencil_bins near = torre_stencil_of_grid(shape, &l->grid, radius);
    for (int a = 0; a < 3; a++)
        if (near.reach[a] > l->reach) l->reach = (int)near.reach[a];
    if (l->reach > MD_REACH_MAX)
        return torre_fail(TORRE_ERR_USAGE,
                          "{bin_size} %g is too small for cutoff + skin = %g: the cuda backend "
                          "searches at most %d bins in each direction; use %g or more",
                          plan->bin_size, radius, MD_REACH_MAX, radius / MD_REACH_MAX);
    near.distance_sq *= 1 + 1e-9; /* a tie counts as nearer, whatever the rounding */
    near.reach[0] = near.reach[1] = MD_REACH_MAX;
    near.reach[2] = l->reach;
    for (int dx = 0; dx <= MD_REACH_MAX; dx++)
        for (int dy = 0; dy <= MD_REACH_MAX; dy++)
            l->row_reach[dx][dy] = (int8_t)torre_stencil_bins_row(&near, dx, dy);
    return TORRE_OK;
}

static int round_up(double value, int unit) { return (int)ceil(value / unit) * unit; }

/* Whether the kernels of this search exist for T lanes per place. */
static bool lanes_exist(torre_neighbor neighbor, int lanes)
{
    if (neighbor == TORRE_NEIGHBOR_HALF) return lanes == 1;
    return lanes == 1 || lanes == 4 || (lanes == 2 && neighbor == TORRE_NEIGHBOR_FULL);
}

/* Tables and capacities of the brick shape brick_max; false where it does not fit the device. */
static bool fit_bricks(const torre_md_problem *problem, const torre_md_plan *plan,
                       const md_limits *limits, const md_crowding *crowding, md_layout *l)
{
    double density = (double)problem->count, staged = 1, places = 1, volume = 1;
    l->slots = l->brick_count = l->halo_bins = 1;
    for (int a = 0; a < 3; a++) {
        const int bins = (int)l->grid.n[a];
        l->bricks[a] = (bins + l->brick_max[a] - 1) / l->brick_max[a];
        l->brick_max[a] = (bins + l->bricks[a] - 1) / l->bricks[a];
        l->slots *= l->brick_max[a];
        l->brick_count *= l->bricks[a];
        l->halo_bins *= l->brick_max[a] + 2 * l->reach;
        staged *= (l->brick_max[a] + 2 * l->reach) * l->grid.edge[a];
        places *= l->brick_max[a] * l->grid.edge[a];
        density /= problem->box[a];
        volume *= problem->cutoff + plan->skin;
    }
    l->staged_mean = staged * density;
    l->lanes_mean = places * density * l->lanes_per_place;
    l->entries_mean = density * 4.18879 * volume / l->lanes_per_place;
    if (plan->neighbor == TORRE_NEIGHBOR_HALF) l->entries_mean *= 0.75; /* edges of bricks */
    double cap = l->staged_mean * crowding->staged * 1.06 + 5 * sqrt(l->staged_mean) + 8;
    if (cap > (double)problem->count * 27 + 8) cap = (double)problem->count * 27 + 8;
    if (cap > MD_STAGED_MAX) return false;
    l->staged_cap = round_up(cap, 4);
    l->lane_cap = round_up(l->lanes_mean * crowding->lanes * 1.1 +
                               5 * sqrt(l->lanes_mean * l->lanes_per_place) + 8,
                           32);
    l->group_cap = 2 * round_up((l->entries_mean * crowding->entries * 1.27 + 10) / 8, 1);
    md_tiles tiles = {
        .staged_cap = l->staged_cap, .halo_bins = l->halo_bins, .group_cap = l->group_cap};
    if (l->halo_bins > 65535) return false;
    if (md_force_shared(&tiles, plan->neighbor, limits->staged_bytes) + MD_DECLARED_SHARED >
        limits->shared_per_block)
        return false;
    return plan->neighbor == TORRE_NEIGHBOR_TILE ||
           md_list_shared(&tiles, 32) + 1024 <= limits->shared_per_block;
}

/* Modelled time of a step with this brick shape, and the block that suits it. */
static double step_cost(const torre_md_plan *plan, const md_limits *limits,
                        const md_layout_wish *wish, md_layout *l)
{
    md_tiles tiles = {.staged_cap = l->staged_cap, .halo_bins = l->halo_bins};
    double shared = (double)md_force_shared(&tiles, plan->neighbor, limits->staged_bytes) + 1024;
    double entries = l->entries_mean * (plan->neighbor == TORRE_NEIGHBOR_TILE ? 3 : 1);
    double brick =
        COST_STAGED * l->staged_mean + COST_ENTRY * l->lanes_mean * (entries + COST_LANE);
    double per_processor = (double)l->brick_count / limits->multiprocessors;
    double best = INFINITY;
    int wanted = wish->block ? wish->block : plan->block;
    for (int block = 64; block <= limits->block_max; block += 32) {
        if (wanted ? block != wanted : block > 64 && block > l->lanes_mean * 1.1 + 32) continue;
        /* registers: 64K words, about 40 per thread in f32, twice that in f64 */
        double resident = floor((double)limits->shared_per_multiprocessor / shared);
        double by_threads = floor(3.0 * limits->block_max / block);
        if (by_threads < resident) resident = by_threads;
        if (resident < 1) continue;
        double present = fmin(resident, ceil(per_processor));
        double passes = ceil(l->lanes_mean * 1.02 / block);
        double threads = present * fmin(block, l->lanes_mean / passes);
        double rounds =
            per_processor <= resident ? ceil(per_processor) : per_processor + TAIL * resident;
        double cost = rounds * brick * (1 + HALF_THREADS / threads) * (1 + COST_ALONE / present);
        if (cost < best) {
            best = cost;
            l->block = block;
        }
    }
    return best;
}

/* The list builder needs more shared memory a thread: the block that has most of them at work on a
 * multiprocessor, who are returned. */
static double choose_list_block(const md_limits *limits, md_layout *l)
{
    md_tiles tiles = {
        .staged_cap = l->staged_cap, .halo_bins = l->halo_bins, .group_cap = l->group_cap};
    int lanes = round_up(l->lanes_mean * 1.02, 32);
    double most = 0;
    l->list_block = 32;
    for (int block = 32; block <= 512; block += 32) {
        size_t shared = md_list_shared(&tiles, block) + LIST_BESIDE;
        if (shared > limits->shared_per_block) break;
        int resident = (int)(limits->shared_per_multiprocessor / shared);
        int passes = (lanes + block - 1) / block;
        double threads = (double)(resident * lanes) / passes * (resident == 1 ? LIST_ALONE : 1);
        if (threads > most) {
            most = threads;
            l->list_block = block;
        }
    }
    return most;
}

/* Modelled time that full lists take of a step. */
static double list_cost(const torre_md_plan *plan, const md_limits *limits, md_layout *l)
{
    const double interval = plan->rebuild_every > 1 ? (double)plan->rebuild_every : INTERVAL;
    const double bricks = (double)l->brick_count / limits->multiprocessors;
    const double search = COST_SEARCH * l->lanes_mean / choose_list_block(limits, l);
    return bricks * (search + COST_LIST_STAGED * l->staged_mean) / interval;
}

static void choose_grid(const torre_md_problem *problem, const torre_md_plan *plan, md_layout *l)
{
    double extent[3];
    for (int a = 0; a < 3; a++) extent[a] = (0.5 * l->brick_max[a] + l->reach) * l->grid.edge[a];
    md_search_grid(problem->box, extent, problem->cutoff + plan->skin, l->steps, &l->reach_sq);
}

/*
 * Where all bricks fit the device at once, shared memory is asked for so that no multiprocessor
 * takes more than its share: uneven, the step would last as long as the fullest one.
 */
static int shared_floor(const md_layout *l, const md_limits *limits)
{
    int share = (l->brick_count + limits->multiprocessors - 1) / limits->multiprocessors;
    if (share > 4) return 0;
    size_t bytes = limits->shared_per_multiprocessor / (size_t)share - MD_DECLARED_SHARED;
    if (bytes > limits->shared_per_block - MD_DECLARED_SHARED)
        bytes = limits->shared_per_block - MD_DECLARED_SHARED;
    return (int)(bytes / 128 * 128);
}

/* The bricks whose step takes the least time by the model, with its lists or without them, on these
 * bins; false where none fit the device. */
static bool choose_bricks(const torre_md_problem *problem, const torre_md_plan *plan,
                          const md_limits *limits, const md_layout_wish *wish,
                          const md_crowding *crowding, bool lists, const md_layout *bins,
                          md_layout *layout)
{
    double least = INFINITY;
    const int shapes = MD_BRICK_MAX * MD_BRICK_MAX * MD_BRICK_MAX;
    for (int k = 0; k < 3 * shapes; k++) {
        int lanes = 1 << k / shapes, shape = k % shapes;
        int brick[3] = {shape / (MD_BRICK_MAX * MD_BRICK_MAX) + 1,
                        shape / MD_BRICK_MAX % MD_BRICK_MAX + 1, shape % MD_BRICK_MAX + 1};
        if (!lanes_exist(plan->neighbor, lanes)) continue;
        if (wish->lanes_per_place && lanes != wish->lanes_per_place) continue;
        md_layout tried = *bins;
        tried.lanes_per_place = lanes;
        bool legal = true;
        for (int a = 0; a < 3; a++) {
            legal &= brick[a] <= bins->grid.n[a] && (!wish->brick[a] || brick[a] == wish->brick[a]);
            tried.brick_max[a] = brick[a];
        }
        if (!legal || !fit_bricks(problem, plan, limits, crowding, &tried)) continue;
        double cost = step_cost(plan, limits, wish, &tried);
        if (lists) cost = pace[problem->precision] * cost + list_cost(plan, limits, &tried);
        if (cost < least) {
            least = cost;
            *layout = tried;
        }
    }
    return !isinf(least);
}

torre_status md_layout_choose(const torre_md_problem *problem, const torre_md_plan *plan,
                              const md_limits *limits, const md_layout_wish *wish,
                              const md_crowding *crowding, md_layout *layout)
{
    md_layout l;
    md_layout_wish of_one = *wish;
    memset(&l, 0, sizeof l);
    TORRE_TRY(choose_bins(problem, plan, &l));
    if (!choose_bricks(problem, plan, limits, wish, crowding, false, &l, layout))
        return torre_fail(TORRE_ERR_RESOURCE,
                          "the particles are too dense for the shared memory of this device: a bin "
                          "and its neighbours within cutoff + skin = %g hold more than %d of them; "
                          "use {backend} cpu",
                          problem->cutoff + plan->skin, MD_STAGED_MAX);
    /* few particles take several lanes each, whose lists are not modelled; those of models that
     * dissipate last for long */
    of_one.lanes_per_place = 1;
    if (plan->neighbor == TORRE_NEIGHBOR_FULL && layout->lanes_per_place == 1 &&
        !torre_pair_dissipates(problem->model))
        choose_bricks(problem, plan, limits, &of_one, crowding, true, &l, layout);
    choose_grid(problem, plan, layout);
    layout->shared_floor = shared_floor(layout, limits);
    choose_list_block(limits, layout);
    if (wish->list_block) layout->list_block = wish->list_block;
    return TORRE_OK;
}

torre_status md_layout_order(const md_layout *l, const torre_ordering_spec *spec, int *rank_of,
                             int *brick_of)
{
    const int64_t bricks[3] = {l->bricks[0], l->bricks[1], l->bricks[2]};
    TORRE_TRY(torre_bins_rank(spec, bricks, "bricks of bins", rank_of, NULL));
    for (int brick = 0; brick < l->brick_count; brick++) brick_of[rank_of[brick]] = brick;
    return TORRE_OK;
}
