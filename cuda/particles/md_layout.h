/*
 * Bins, bricks and capacities of a run (md_device.h says what they are), chosen on the host.
 *
 * The choice minimises a small model of the time of a step (md_layout.c) over all brick shapes
 * whose tile fits shared memory.
 */
#ifndef TORRE_MD_LAYOUT_H
#define TORRE_MD_LAYOUT_H

#include <stddef.h>

#include "md_device.h"
#include "particles/md.h"
#include "tiling/bins.h"

/* What the layout must know of the device. */
typedef struct md_limits {
    int multiprocessors;
    int threads_per_multiprocessor;
    size_t shared_per_block, shared_per_multiprocessor; /* bytes */
    int staged_bytes, block_max;                        /* of the kernels (md_kernels) */
} md_limits;

/* Choices that are not left to the model; zero: choose. For benchmarks. */
typedef struct md_layout_wish {
    int brick[3];        /* bins */
    int lanes_per_place; /* T */
    int block, list_block;
} md_layout_wish;

typedef struct md_layout {
    torre_bin_grid grid;
    int bricks[3], brick_max[3];
    int reach, slots, brick_count, halo_bins;
    int8_t row_reach[MD_REACH_MAX + 1][MD_REACH_MAX + 1];
    int lanes_per_place;   /* T */
    int block, list_block; /* threads */
    int staged_cap, lane_cap, group_cap;
    int steps[3]; /* md_list_args.grid */
    float reach_sq;
    int shared_floor;                             /* of md_force_args */
    double staged_mean, lanes_mean, entries_mean; /* what the capacities were made of */
} md_layout;

/* How much more crowded than the mean the fullest tile, brick and list are; all >= 1. */
typedef struct md_crowding {
    double staged, lanes, entries;
} md_crowding;

/*
 * Choose the layout of a checked problem and plan (skin and neighbor filled in).
 * TORRE_ERR_USAGE for a bin size that does not work;
 * TORRE_ERR_RESOURCE where even the smallest bricks do not fit the device.
 */
torre_status md_layout_choose(const torre_md_problem *problem, const torre_md_plan *plan,
                              const md_limits *limits, const md_layout_wish *wish,
                              const md_crowding *crowding, md_layout *layout);

/*
 * Ranks of the bricks in an ordering: rank_of[row-major brick], brick_of[rank], both of
 * brick_count entries. TORRE_ERR_USAGE for an ordering without a three-dimensional form.
 */
torre_status md_layout_order(const md_layout *layout, const torre_ordering_spec *spec, int *rank_of,
                             int *brick_of);

#endif
