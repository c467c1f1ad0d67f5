/* Sources and receivers on the device. */
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"

static torre_status upload(void **to, const void *from, size_t bytes)
{
    TORRE_TRY(torre_cuda_alloc(to, bytes));
    TORRE_CUDA_TRY(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice),
                   "sending sources and receivers to the device");
    return TORRE_OK;
}

/* A node of a source or receiver. */
typedef struct grid_node {
    int64_t x, y, z;
    double weight; /* of a source */
} grid_node;

/* The part that a plane belongs to; planes are split as the kernels do. */
static int64_t part_of(const torre_cuda_solver *s, int64_t z, int64_t parts)
{
    int64_t v = 16 / (int64_t)s->setup->problem->precision;
    int64_t all = (torre_cuda_planes(s) + v - 1) / v, part = z / v * parts / all;
    while ((part + 1) * all / parts <= z / v) part++;
    while (part * all / parts > z / v) part--;
    return part;
}

/* Blocks of columns, or lines x of strips, by the rules of torre_points_args. */
typedef struct point_blocks {
    int64_t lists, parts, rows; /* rows: of blocks along y, or strips */
} point_blocks;

static point_blocks count_blocks(const torre_cuda_solver *s)
{
    const torre_wave_args *a = &s->args;
    int64_t width = s->program->shape.block_x, D = s->program->base.info.plan.dts;
    point_blocks b;
    b.parts = torre_cuda_parts(&s->program->shape, a->n[2], s->setup->problem->precision);
    b.rows = (a->n[1] + width - 1) / width;
    if (s->program->shape.strips)
        b.rows = a->periodic[1] ? a->n[1] / D : (a->n[1] - 1 + D - 1) / D + 1;
    b.lists = (a->n[0] + width - 1) / width * b.rows * b.parts * 2;
    return b;
}

/* Where a node is listed: number of the list, and line or row in it. Returns in how many. */
typedef struct node_place {
    int64_t list;
    int at;
} node_place;

static int find_places(const torre_cuda_solver *s, const point_blocks *b, const grid_node *at,
                       bool source, node_place place[2])
{
    int64_t x = at->x, y = at->y, part = part_of(s, at->z, b->parts);
    int64_t width = s->program->shape.block_x, D = s->program->base.info.plan.dts;
    int count = 0;
    if (!s->program->shape.strips) {
        place[0].list = 2 * ((x / width * b->rows + y / width) * b->parts + part) + !source;
        place[0].at = (int)(x % width * width + y % width);
        return 1;
    }
    for (int64_t m = y / D; m <= y / D + 1; m++) {
        if (y - D * m <= -D) continue;
        const int64_t strip = m % b->rows + (source ? 0 : b->rows);
        place[count].list = (strip * b->parts + part) * s->args.n[0] + x;
        place[count++].at = (int)(y - D * m);
    }
    return count;
}

/*
 * Fill first (counts turned into starts) and, with `node`, the table of nodes from the two node
 * lists, sources before receivers. Returns the number of entries.
 */
static int64_t sort_nodes(const torre_cuda_solver *s, const point_blocks *b,
                          const grid_node *sources, const grid_node *receivers, int *first,
                          void *node)
{
    const torre_points_args *a = &s->args.points;
    for (int64_t i = 0; i < a->source_count + a->receiver_count; i++) {
        bool source = i < a->source_count;
        int64_t k = source ? i : i - a->source_count;
        const grid_node *at = source ? sources + k : receivers + k;
        int slot = source ? ~(int)k : (int)k;
        node_place place[2];
        for (int j = find_places(s, b, at, source, place) - 1; j >= 0; j--) {
            if (!node) { /* count; the second time first[b] advances to its end */
                first[place[j].list + 1]++;
                continue;
            }
            int to = first[place[j].list]++;
            if (s->program->shape.strips)
                ((torre_strip_node *)node)[to] =
                    (torre_strip_node){(int)at->x, place[j].at, (int)at->z, slot};
            else
                ((torre_point_node *)node)[to] = (torre_point_node){place[j].at, (int)at->z, slot};
        }
    }
    if (node)
        for (int64_t i = b->lists; i > 0; i--) first[i] = first[i - 1];
    else
        for (int64_t i = 0; i < b->lists; i++) first[i + 1] += first[i];
    first[0] = 0;
    return first[b->lists];
}

static torre_status block_tables(torre_cuda_solver *s, const grid_node *sources,
                                 const grid_node *receivers)
{
    const point_blocks b = count_blocks(s);
    size_t bytes = 0;
    void *node = NULL;
    int *first = calloc((size_t)b.lists + 1, sizeof *first);
    torre_status status = TORRE_OK;
    if (first) {
        bytes = (size_t)sort_nodes(s, &b, sources, receivers, first, NULL) *
                (s->program->shape.strips ? sizeof(torre_strip_node) : sizeof(torre_point_node));
        node = malloc(bytes);
    }
    if (!node) status = torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    if (!status) {
        sort_nodes(s, &b, sources, receivers, first, node);
        status = upload((void **)&s->points.first, first, ((size_t)b.lists + 1) * sizeof *first);
    }
    if (!status) status = upload((void **)&s->points.node, node, bytes);
    free(first);
    free(node);
    s->args.points.blocks_y = (int)b.rows;
    s->args.points.first = s->points.first;
    s->args.points.node = s->points.node;
    return status;
}

static torre_status upload_cells(const torre_cuda_solver *s, int64_t **to, const grid_node *node,
                                 int64_t count)
{
    int64_t *cell = malloc((size_t)count * sizeof *cell);
    if (!cell) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++)
        cell[i] = node[i].x * s->args.stride_x + node[i].y * s->args.stride_y + node[i].z;
    torre_status status = upload((void **)to, cell, (size_t)count * sizeof *cell);
    free(cell);
    return status;
}

static torre_status upload_weights(torre_cuda_solver *s, const grid_node *node, int64_t count)
{
    double *weight = malloc((size_t)count * sizeof *weight);
    if (!weight) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++) weight[i] = node[i].weight;
    torre_status status =
        upload((void **)&s->points.weight, weight, (size_t)count * sizeof *weight);
    free(weight);
    return status;
}

/* The nodes as cells of the grid; with `images` followed by those beyond its last plane. Returns
 * how many. `to` has room for one image of each in every plane beyond. */
static int64_t list_nodes(const torre_cuda_solver *s, const torre_node *from, int64_t count,
                          bool images, grid_node *to)
{
    const torre_wave_problem *p = s->setup->problem;
    const int64_t ny = p->size[1], nz = p->size[2];
    int64_t listed = count;
    for (int64_t i = 0; i < count; i++) {
        int64_t cell = from[i].cell;
        to[i] = (grid_node){cell / nz / ny, cell / nz % ny, cell % nz, from[i].weight};
        for (int64_t z = nz; images && z < torre_cuda_planes(s); z++) {
            torre_ghost image = torre_cuda_image(p, z);
            if (image.sign && image.source == to[i].z)
                to[listed++] = (grid_node){to[i].x, to[i].y, z, image.sign * to[i].weight};
        }
    }
    return listed;
}

static torre_status copy_stream(torre_cuda_points *p)
{
    TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&p->copies, cudaStreamNonBlocking), "a stream");
    TORRE_CUDA_TRY(cudaEventCreateWithFlags(&p->before, cudaEventDisableTiming), "an event");
    return TORRE_OK;
}

torre_status torre_cuda_points_new(torre_cuda_solver *s)
{
    const torre_wave_setup *setup = s->setup;
    torre_points_args *a = &s->args.points;
    int64_t most = (1 + torre_cuda_planes(s) - setup->problem->size[2]) * setup->source_node_count;
    grid_node *sources = malloc((size_t)most * sizeof *sources + 1);
    grid_node *receivers = malloc((size_t)setup->receiver_node_count * sizeof *receivers + 1);
    torre_status status = TORRE_OK;
    if (!sources || !receivers) status = torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    if (!status) {
        a->source_count =
            list_nodes(s, setup->source_nodes, setup->source_node_count, true, sources);
        a->receiver_count =
            list_nodes(s, setup->receiver_nodes, setup->receiver_node_count, false, receivers);
    }
    if (!status && a->source_count) status = upload_weights(s, sources, a->source_count);
    if (!status && a->source_count)
        status = upload_cells(s, &s->points.source_cell, sources, a->source_count);
    if (!status && a->receiver_count)
        status = upload_cells(s, &s->points.receiver_cell, receivers, a->receiver_count);
    if (!status && a->receiver_count) status = copy_stream(&s->points);
    if (!status && s->program->kernel && a->source_count + a->receiver_count)
        status = block_tables(s, sources, receivers);
    free(sources);
    free(receivers);
    return status;
}

static void free_rows(torre_cuda_points *points)
{
    cudaFree(points->wavelet);
    cudaFree(points->values);
    cudaFree(points->samples[0]);
    cudaFree(points->samples[1]);
    points->wavelet = NULL;
    points->values = points->samples[0] = points->samples[1] = NULL;
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
    if (points->copies) cudaStreamDestroy(points->copies);
    if (points->before) cudaEventDestroy(points->before);
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
        for (int i = 0; i < 2 && a->receiver_count; i++)
            TORRE_TRY(
                torre_cuda_alloc(&p->samples[i], (size_t)(steps * a->receiver_count) * width));
        p->rows = steps;
    }
    if (a->receiver_count) TORRE_CUDA_TRY(cudaEventRecord(p->before, s->stream), "reading samples");
    p->turn = !p->turn;
    a->source_values = p->values;
    a->samples = p->samples[p->turn];
    if (!a->source_count) return TORRE_OK;
    TORRE_CUDA_TRY(cudaMemcpyAsync(p->wavelet, s->setup->problem->wavelet + s->n,
                                   (size_t)steps * sizeof(double), cudaMemcpyHostToDevice,
                                   s->stream),
                   "sending the wavelet to the device");
    TORRE_CUDA_TRY(torre_source_values((int)width, p->values, p->weight, a->source_count,
                                       p->wavelet, steps, s->stream),
                   "scaling sources");
    return TORRE_OK;
}

torre_status torre_cuda_points_collect(torre_cuda_solver *s, int ago, int64_t steps, void *samples)
{
    const torre_cuda_points *p = &s->points;
    cudaStream_t stream = ago ? p->copies : s->stream;
    if (!s->args.points.receiver_count) return TORRE_OK;
    if (ago) TORRE_CUDA_TRY(cudaStreamWaitEvent(stream, p->before, 0), "reading samples");
    TORRE_CUDA_TRY(cudaMemcpyAsync(samples, p->samples[p->turn ^ ago],
                                   (size_t)(steps * s->args.points.receiver_count) *
                                       (size_t)s->setup->problem->precision,
                                   cudaMemcpyDeviceToHost, stream),
                   "reading samples");
    /* the next launch takes the same place */
    TORRE_CUDA_TRY(cudaStreamSynchronize(stream), "reading samples");
    return TORRE_OK;
}
