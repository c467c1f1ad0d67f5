/* Device memory of the cuda backend that depends on the layout. */
#include <stdlib.h>

#include "md_cuda_solver.h"

static void free_lists(md_cuda_solver *s)
{
    cudaFree(s->tiles.list);
    cudaFree(s->tiles.list_groups);
    s->tiles.list = NULL;
    s->tiles.list_groups = NULL;
    s->list_pages = 0;
}

torre_status md_cuda_lists(md_cuda_solver *s, int pages)
{
    const md_layout *l = &s->layout;
    const size_t lanes = (size_t)pages * (size_t)l->lane_cap;
    free_lists(s);
    if (s->plan->neighbor == TORRE_NEIGHBOR_TILE) return TORRE_OK;
    TORRE_CUDA_TRY(
        cudaMalloc((void **)&s->tiles.list, sizeof(uint64_t) * lanes * (size_t)l->group_cap),
        "neighbour lists");
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->tiles.list_groups, sizeof(uint16_t) * lanes),
                   "neighbour lists");
    s->list_pages = pages;
    return TORRE_OK;
}

void md_cuda_tables_free(md_cuda_solver *s)
{
    md_tiles *t = &s->tiles;
    cudaFree((void *)t->brick_rank);
    cudaFree((void *)t->brick_of);
    cudaFree(t->start);
    cudaFree(s->bin_count);
    cudaFree(s->scan_scratch);
    cudaFree(t->gather);
    cudaFree(t->staged_count);
    cudaFree(t->halo_start);
    cudaFree(s->partial);
    free_lists(s);
    t->brick_rank = t->brick_of = NULL;
    t->start = s->bin_count = t->staged_count = NULL;
    t->gather = NULL;
    t->halo_start = NULL;
    s->scan_scratch = NULL;
    s->partial = NULL;
}

static torre_status upload_order(md_cuda_solver *s, int *rank_of, int *brick_of)
{
    TORRE_TRY(md_layout_order(&s->layout, &s->plan->ordering, rank_of, brick_of));
    size_t bytes = sizeof(int) * (size_t)s->layout.brick_count;
    int *d_rank = NULL, *d_brick = NULL;
    cudaError_t error = cudaMalloc((void **)&d_rank, bytes);
    s->tiles.brick_rank = d_rank;
    if (!error) error = cudaMalloc((void **)&d_brick, bytes);
    s->tiles.brick_of = d_brick;
    if (!error) error = cudaMemcpy(d_rank, rank_of, bytes, cudaMemcpyHostToDevice);
    if (!error) error = cudaMemcpy(d_brick, brick_of, bytes, cudaMemcpyHostToDevice);
    return torre_cuda_status(error, "the order of bricks");
}

torre_status md_cuda_tables(md_cuda_solver *s)
{
    const md_layout *l = &s->layout;
    md_tiles *t = &s->tiles;
    md_cuda_tables_free(s);
    for (int a = 0; a < 3; a++) {
        t->bins[a] = (int)l->grid.n[a];
        t->bricks[a] = l->bricks[a];
        t->brick_max[a] = l->brick_max[a];
    }
    t->reach = l->reach;
    t->slots = l->slots;
    t->brick_count = l->brick_count;
    t->halo_bins = l->halo_bins;
    for (int x = 0; x <= MD_REACH_MAX; x++)
        for (int y = 0; y <= MD_REACH_MAX; y++) t->row_reach[x][y] = l->row_reach[x][y];
    t->staged_cap = l->staged_cap;
    t->lane_cap = l->lane_cap;
    t->group_cap = l->group_cap;

    int *rank_of = malloc(sizeof(int) * (size_t)l->brick_count);
    int *brick_of = malloc(sizeof(int) * (size_t)l->brick_count);
    torre_status status = rank_of && brick_of
                              ? upload_order(s, rank_of, brick_of)
                              : torre_fail(TORRE_ERR_RESOURCE, "out of memory for the order of "
                                                               "bricks");
    free(rank_of);
    free(brick_of);
    if (status) return status;

    size_t bricks = (size_t)l->brick_count, bins = bricks * (size_t)l->slots + 1;
    if (bins > INT32_MAX)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "%.2g bins are more than the cuda backend can index; use a larger "
                          "{bin_size}",
                          (double)bins);
    TORRE_CUDA_TRY(cudaMalloc((void **)&t->start, sizeof(int) * bins), "the table of bins");
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->bin_count, sizeof(int) * bins), "the table of bins");
    TORRE_CUDA_TRY(md_scan_bytes((int)bins, &s->scan_bytes), "the table of bins");
    TORRE_CUDA_TRY(cudaMalloc(&s->scan_scratch, s->scan_bytes + 16), "the table of bins");
    TORRE_CUDA_TRY(
        cudaMalloc((void **)&t->gather, sizeof(uint32_t) * bricks * (size_t)l->staged_cap),
        "the table of tiles");
    TORRE_CUDA_TRY(cudaMalloc((void **)&t->staged_count, sizeof(int) * bricks),
                   "the table of tiles");
    TORRE_CUDA_TRY(
        cudaMalloc((void **)&t->halo_start, sizeof(uint16_t) * bricks * (size_t)(l->halo_bins + 1)),
        "the table of tiles");
    size_t rows = bricks + (size_t)md_particle_rows((int)s->problem->count);
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->partial, sizeof(double) * MD_SUMS * rows),
                   "partial sums");
    return TORRE_OK;
}
