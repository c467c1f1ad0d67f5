/* Sources and receivers on the device. */
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_check.h"
#include "cuda/wave_solver.h"

static torre_status upload(void **to, const void *from, size_t bytes)
{
    TORRE_TRY(torre_cuda_alloc(to, bytes));
    TORRE_CUDA_TRY(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice));
    return TORRE_OK;
}

/* Block of a node, by the rules of torre_points_args; planes are split as the kernels do. */
static int64_t block_of(const torre_cuda_solver *s, int64_t cell, int *line)
{
    const torre_wave_args *a = &s->args;
    int64_t x = cell / a->n[2] / a->n[1], y = cell / a->n[2] % a->n[1], z = cell % a->n[2];
    int64_t width = s->shape.block_x, v = 16 / (int64_t)s->setup->problem->precision;
    int64_t parts = torre_cuda_parts(&s->shape, a->n[2], s->setup->problem->precision);
    int64_t all = (a->n[2] + v - 1) / v, part = z / v * parts / all;
    while ((part + 1) * all / parts <= z / v) part++;
    while (part * all / parts > z / v) part--;
    *line = (int)(x % width * width + y % width);
    return (x / width * a->points.blocks_y + y / width) * parts + part;
}

/* Fill first (counts turned into starts) and node from the two node lists, sources first. */
static void sort_nodes(const torre_cuda_solver *s, int64_t blocks, int *first, torre_point_node *to)
{
    const torre_wave_setup *setup = s->setup;
    int line;
    for (int pass = 0; pass < 2; pass++) {
        /* pass 0 counts into first[b + 1]; pass 1 places, advancing first[b] to its end */
        for (int64_t i = 0; i < setup->source_node_count + setup->receiver_node_count; i++) {
            bool source = i < setup->source_node_count;
            int64_t k = source ? i : i - setup->source_node_count;
            int64_t cell = source ? setup->source_nodes[k].cell : setup->receiver_nodes[k].cell;
            int64_t b = block_of(s, cell, &line);
            if (pass == 0) {
                first[b + 1]++;
            } else {
                torre_point_node *n = &to[first[b]++];
                n->line = line;
                n->z = (int)(cell % s->args.n[2]);
                n->slot = source ? ~(int)k : (int)k;
            }
        }
        if (pass == 0)
            for (int64_t b = 0; b < blocks; b++) first[b + 1] += first[b];
    }
    for (int64_t b = blocks; b > 0; b--) first[b] = first[b - 1];
    first[0] = 0;
}

static torre_status block_tables(torre_cuda_solver *s)
{
    int64_t width = s->shape.block_x, parts, blocks, count;
    parts = torre_cuda_parts(&s->shape, s->args.n[2], s->setup->problem->precision);
    s->args.points.blocks_y = (int)((s->args.n[1] + width - 1) / width);
    blocks = (s->args.n[0] + width - 1) / width * s->args.points.blocks_y * parts;
    count = s->setup->source_node_count + s->setup->receiver_node_count;
    int *first = calloc((size_t)blocks + 2, sizeof *first);
    torre_point_node *node = malloc((size_t)count * sizeof *node);
    torre_status status = TORRE_OK;
    if (!first || !node) status = torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    if (!status) {
        sort_nodes(s, blocks, first, node);
        for (int64_t b = 0; b < blocks && !status; b++)
            if (first[b + 1] - first[b] > UINT16_MAX) /* see column_list */
                status = torre_fail(TORRE_ERR_USAGE,
                                    "more than %d source and receiver nodes in one "
                                    "column of cells; use --engine stepwise",
                                    UINT16_MAX);
    }
    if (!status) {
        status = upload((void **)&s->points.first, first, ((size_t)blocks + 1) * sizeof *first);
    }
    if (!status) status = upload((void **)&s->points.node, node, (size_t)count * sizeof *node);
    free(first);
    free(node);
    s->args.points.first = s->points.first;
    s->args.points.node = s->points.node;
    return status;
}

static torre_status upload_cells(const torre_cuda_solver *s, int64_t **to, const torre_node *node,
                                 int64_t count)
{
    int64_t *cell = malloc((size_t)count * sizeof *cell);
    if (!cell) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++) cell[i] = torre_cuda_padded(s, node[i].cell);
    torre_status status = upload((void **)to, cell, (size_t)count * sizeof *cell);
    free(cell);
    return status;
}

static torre_status upload_weights(torre_cuda_solver *s)
{
    int64_t count = s->setup->source_node_count;
    double *weight = malloc((size_t)count * sizeof *weight);
    if (!weight) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++) weight[i] = s->setup->source_nodes[i].weight;
    torre_status status =
        upload((void **)&s->points.weight, weight, (size_t)count * sizeof *weight);
    free(weight);
    return status;
}

torre_status torre_cuda_points_new(torre_cuda_solver *s)
{
    const torre_wave_setup *setup = s->setup;
    s->args.points.source_count = setup->source_node_count;
    s->args.points.receiver_count = setup->receiver_node_count;
    if (setup->source_node_count) {
        TORRE_TRY(upload_weights(s));
        TORRE_TRY(
            upload_cells(s, &s->points.source_cell, setup->source_nodes, setup->source_node_count));
    }
    if (setup->receiver_node_count)
        TORRE_TRY(upload_cells(s, &s->points.receiver_cell, setup->receiver_nodes,
                               setup->receiver_node_count));
    if (s->kernel && setup->source_node_count + setup->receiver_node_count)
        TORRE_TRY(block_tables(s));
    return TORRE_OK;
}

static void free_rows(torre_cuda_points *points)
{
    cudaFree(points->wavelet);
    cudaFree(points->values);
    cudaFree(points->samples);
    points->wavelet = NULL;
    points->values = points->samples = NULL;
    points->rows = 0;
}

void torre_cuda_points_free(torre_cuda_points *points)
{
    free_rows(points);
    cudaFree(points->weight);
    cudaFree(points->source_cell);
    cudaFree(points->receiver_cell);
    cudaFree(points->first);
    cudaFree(points->node);
    memset(points, 0, sizeof *points);
}

torre_status torre_cuda_points_prepare(torre_cuda_solver *s, int64_t steps)
{
    torre_cuda_points *p = &s->points;
    torre_points_args *a = &s->args.points;
    size_t width = (size_t)s->setup->problem->precision;
    if (!a->source_count && !a->receiver_count) return TORRE_OK;
    if (steps > p->rows) {
        free_rows(p);
        if (a->source_count) {
            TORRE_TRY(torre_cuda_alloc((void **)&p->wavelet, (size_t)steps * sizeof(double)));
            TORRE_TRY(torre_cuda_alloc(&p->values, (size_t)(steps * a->source_count) * width));
        }
        if (a->receiver_count)
            TORRE_TRY(torre_cuda_alloc(&p->samples, (size_t)(steps * a->receiver_count) * width));
        p->rows = steps;
    }
    a->source_values = p->values;
    a->samples = p->samples;
    if (!a->source_count) return TORRE_OK;
    TORRE_CUDA_TRY(cudaMemcpyAsync(p->wavelet, s->setup->problem->wavelet + s->n,
                                   (size_t)steps * sizeof(double), cudaMemcpyHostToDevice,
                                   s->stream));
    TORRE_CUDA_TRY(torre_source_values((int)width, p->values, p->weight, a->source_count,
                                       p->wavelet, steps, s->stream));
    return TORRE_OK;
}

torre_status torre_cuda_points_collect(torre_cuda_solver *s, int64_t steps, void *samples)
{
    if (!s->args.points.receiver_count) return TORRE_OK;
    TORRE_CUDA_TRY(cudaMemcpyAsync(samples, s->points.samples,
                                   (size_t)(steps * s->args.points.receiver_count) *
                                       (size_t)s->setup->problem->precision,
                                   cudaMemcpyDeviceToHost, s->stream));
    return TORRE_OK;
}
