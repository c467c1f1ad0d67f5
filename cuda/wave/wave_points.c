/* Sources and receivers on the device. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"
#include "wave/interpolation.h"

/* A node of a source or receiver. */
typedef struct grid_node {
    int64_t x, y, z;
    double weight; /* of a source */
} grid_node;

/* The part that a plane belongs to; planes are split as the kernels do. */
static int64_t part_of(const torre_cuda_program *program, int64_t z)
{
    const int64_t v = 16 / (int64_t)program->turned.problem.precision,
                  parts = program->points.parts;
    int64_t all = (torre_cuda_planes(program) + v - 1) / v, part = z / v * parts / all;
    while ((part + 1) * all / parts <= z / v) part++;
    while (part * all / parts > z / v) part--;
    return part;
}

/* Blocks of columns, or lines x of strips, by the rules of torre_points_args. */
static void count_lists(torre_cuda_program *program)
{
    const torre_wave_args *a = &program->args;
    const int64_t width = program->shape.block_x, D = program->base.info.plan.dts;
    torre_point_plan *b = &program->points;
    b->parts = program->pass.parts;
    b->columns = (a->n[1] + width - 1) / width;
    if (program->shape.strips)
        b->columns = a->periodic[1] ? a->n[1] / D : (a->n[1] - 1 + D - 1) / D + 1;
    b->lists = (a->n[0] + width - 1) / width * b->columns * b->parts * 2;
}

/* Where a node is listed: number of the list, and line or row in it. Returns in how many. */
typedef struct node_place {
    int64_t list;
    int at;
} node_place;

static int find_places(const torre_cuda_program *program, const grid_node *at, bool source,
                       node_place place[2])
{
    const torre_point_plan *b = &program->points;
    const int64_t x = at->x, y = at->y, part = part_of(program, at->z);
    const int64_t width = program->shape.block_x, D = program->base.info.plan.dts;
    int count = 0;
    if (!program->shape.strips) {
        place[0].list = 2 * ((x / width * b->columns + y / width) * b->parts + part) + !source;
        place[0].at = (int)(x % width * width + y % width);
        return 1;
    }
    for (int64_t m = y / D; m <= y / D + 1; m++) {
        if (y - D * m <= -D) continue;
        const int64_t strip = m % b->columns + (source ? 0 : b->columns);
        place[count].list = (strip * b->parts + part) * program->args.n[0] + x;
        place[count++].at = (int)(y - D * m);
    }
    return count;
}

/* Sources and receivers as cells of the grid; the caller's to free. */
typedef struct grid_nodes {
    grid_node *source, *receiver;
} grid_nodes;

/*
 * Fill first (counts turned into starts) and, with `node`, the table of nodes from the two node
 * lists, sources before receivers.
 */
static void sort_nodes(const torre_cuda_program *program, const grid_nodes *nodes, int *first,
                       void *node)
{
    const torre_points_args *a = &program->args.points;
    const int64_t lists = program->points.lists;
    for (int64_t i = 0; i < a->source_count + a->receiver_count; i++) {
        bool source = i < a->source_count;
        int64_t k = source ? i : i - a->source_count;
        const grid_node *at = source ? nodes->source + k : nodes->receiver + k;
        int slot = source ? ~(int)k : (int)k;
        node_place place[2];
        for (int j = find_places(program, at, source, place) - 1; j >= 0; j--) {
            if (!node) { /* count; the second time first[b] advances to its end */
                first[place[j].list + 1]++;
                continue;
            }
            int to = first[place[j].list]++;
            if (program->shape.strips)
                ((torre_strip_node *)node)[to] =
                    (torre_strip_node){(int)at->x, place[j].at, (int)at->z, slot};
            else
                ((torre_point_node *)node)[to] = (torre_point_node){place[j].at, (int)at->z, slot};
        }
    }
    if (node)
        for (int64_t i = lists; i > 0; i--) first[i] = first[i - 1];
    else
        for (int64_t i = 0; i < lists; i++) first[i + 1] += first[i];
    first[0] = 0;
}

static const char what[] = "sending sources and receivers to the device";

static torre_status block_tables(torre_cuda_solver *s, const grid_nodes *nodes)
{
    int *first = calloc((size_t)s->program->points.lists + 1, sizeof *first);
    void *node = malloc(s->program->bytes[TORRE_PIECE_POINT_NODES]);
    torre_status status = TORRE_OK;
    if (!first || !node) status = torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    if (!status) {
        sort_nodes(s->program, nodes, first, NULL);
        sort_nodes(s->program, nodes, first, node);
        status = torre_cuda_fill(s, TORRE_PIECE_POINT_LISTS, first, what);
    }
    if (!status) status = torre_cuda_fill(s, TORRE_PIECE_POINT_NODES, node, what);
    free(first);
    free(node);
    s->args.points.first = s->memory[TORRE_PIECE_POINT_LISTS];
    s->args.points.node = s->memory[TORRE_PIECE_POINT_NODES];
    return status;
}

static torre_status upload_cells(torre_cuda_solver *s, torre_cuda_piece piece,
                                 const grid_node *node, int64_t count)
{
    int64_t *cell = malloc((size_t)count * sizeof *cell);
    if (!cell) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++)
        cell[i] = node[i].x * s->args.stride_x + node[i].y * s->args.stride_y + node[i].z;
    torre_status status = torre_cuda_fill(s, piece, cell, what);
    free(cell);
    return status;
}

static torre_status upload_weights(torre_cuda_solver *s, const grid_node *node, int64_t count)
{
    double *weight = malloc((size_t)count * sizeof *weight);
    if (!weight) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++) weight[i] = node[i].weight;
    torre_status status = torre_cuda_fill(s, TORRE_PIECE_WEIGHTS, weight, what);
    free(weight);
    return status;
}

/* The nodes as cells of the grid; with `images` followed by those beyond its last plane. Returns
 * how many. `to` has room for one image of each in every plane beyond. */
static int64_t list_nodes(const torre_cuda_program *program, const torre_node *from, int64_t count,
                          bool images, grid_node *to)
{
    const torre_wave_problem *p = &program->turned.problem;
    const int64_t ny = p->size[1], nz = p->size[2];
    int64_t listed = count;
    for (int64_t i = 0; i < count; i++) {
        int64_t cell = from[i].cell;
        to[i] = (grid_node){cell / nz / ny, cell / nz % ny, cell % nz, from[i].weight};
        for (int64_t z = nz; images && z < torre_cuda_planes(program); z++) {
            torre_ghost image = torre_cuda_image(p, z);
            if (image.sign && image.source == to[i].z)
                to[listed++] = (grid_node){to[i].x, to[i].y, z, image.sign * to[i].weight};
        }
    }
    return listed;
}

/* All nodes; how many there are goes to *count. */
static torre_status list_all(const torre_cuda_program *program, grid_nodes *nodes,
                             torre_points_args *count)
{
    const torre_wave_setup *setup = &program->turned.setup;
    const int64_t most =
        (1 + torre_cuda_planes(program) - setup->problem->size[2]) * setup->source_node_count;
    nodes->source = malloc((size_t)most * sizeof *nodes->source + 1);
    nodes->receiver = malloc((size_t)setup->receiver_node_count * sizeof *nodes->receiver + 1);
    if (!nodes->source || !nodes->receiver) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    count->source_count =
        list_nodes(program, setup->source_nodes, setup->source_node_count, true, nodes->source);
    count->receiver_count = list_nodes(program, setup->receiver_nodes, setup->receiver_node_count,
                                       false, nodes->receiver);
    return TORRE_OK;
}

static void free_nodes(grid_nodes *nodes)
{
    free(nodes->source);
    free(nodes->receiver);
}

/* Entries of the lists that towers have, in all of them. */
static int64_t count_entries(const torre_cuda_program *program, const grid_nodes *nodes)
{
    const torre_points_args *a = &program->args.points;
    node_place place[2];
    int64_t entries = 0;
    for (int64_t i = 0; i < a->source_count; i++)
        entries += find_places(program, nodes->source + i, true, place);
    for (int64_t i = 0; i < a->receiver_count; i++)
        entries += find_places(program, nodes->receiver + i, false, place);
    return entries;
}

/* Samples of so many steps. Receivers between nodes are summed on the device: nodes are many. */
static void plan_samples(torre_cuda_program *program, size_t rows)
{
    const torre_wave_setup *caller = program->turned.caller;
    const int64_t receivers = caller->problem->receiver_count;
    const size_t width = (size_t)caller->problem->precision;
    size_t *bytes = program->bytes;
    const bool sums = program->base.sums = caller->receiver_node_count > receivers;
    for (int i = 0; i < 2; i++) {
        if (!sums || i == 0)
            bytes[TORRE_PIECE_SAMPLES + i] = rows * (size_t)caller->receiver_node_count * width;
        if (sums) bytes[TORRE_PIECE_SUMS + i] = rows * (size_t)receivers * width;
    }
    if (!sums) return;
    bytes[TORRE_PIECE_SUM_FIRST] = (size_t)(receivers + 1) * sizeof *caller->receiver_first;
    bytes[TORRE_PIECE_SUM_RUNS] =
        (size_t)caller->receiver_first[receivers] * sizeof *caller->segments;
    bytes[TORRE_PIECE_SUM_TAPS] = (size_t)(TORRE_TAPS * receivers) * sizeof *caller->receiver_taps;
}

torre_status torre_cuda_points_plan(torre_cuda_program *program)
{
    const torre_wave_problem *p = &program->turned.problem;
    torre_points_args *a = &program->args.points;
    size_t *bytes = program->bytes;
    grid_nodes nodes;
    torre_status status = list_all(program, &nodes, a);
    const int64_t all = a->source_count + a->receiver_count;
    if (!status && program->kernel && all) {
        count_lists(program);
        const int64_t entries = count_entries(program, &nodes);
        a->blocks_y = (int)program->points.columns;
        bytes[TORRE_PIECE_POINT_LISTS] = ((size_t)program->points.lists + 1) * sizeof(int);
        bytes[TORRE_PIECE_POINT_NODES] =
            (size_t)entries *
            (program->shape.strips ? sizeof(torre_strip_node) : sizeof(torre_point_node));
        if (entries > INT32_MAX)
            status = torre_fail(TORRE_ERR_USAGE,
                                "sources and receivers touch %" PRId64 " cells, at most 2^31 - 1 "
                                "on a GPU: take fewer, or {interpolation} trilinear",
                                entries);
    }
    free_nodes(&nodes);
    TORRE_TRY(status);
    const int64_t launch = torre_cuda_launch_steps(program);
    const size_t rows = (size_t)(launch < p->steps ? launch : p->steps),
                 width = (size_t)p->precision, sources = (size_t)a->source_count,
                 receivers = (size_t)a->receiver_count;
    bytes[TORRE_PIECE_WEIGHTS] = sources * sizeof(double);
    bytes[TORRE_PIECE_SOURCE_CELLS] = sources * sizeof(int64_t);
    bytes[TORRE_PIECE_RECEIVER_CELLS] = receivers * sizeof(int64_t);
    if (sources) bytes[TORRE_PIECE_WAVELET] = rows * sizeof(double);
    bytes[TORRE_PIECE_VALUES] = rows * sources * width;
    plan_samples(program, rows);
    return TORRE_OK;
}

static torre_status copy_stream(torre_cuda_solver *s)
{
    TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&s->copies, cudaStreamNonBlocking), "a stream");
    TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->before, cudaEventDisableTiming), "an event");
    return TORRE_OK;
}

/* How receivers are summed from the nodes, whose columns are the caller's. */
static torre_status upload_sums(torre_cuda_solver *s)
{
    const torre_wave_setup *caller = s->program->turned.caller;
    if (!s->program->base.sums) return TORRE_OK;
    TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_SUM_FIRST, caller->receiver_first, what));
    TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_SUM_RUNS, caller->segments, what));
    return torre_cuda_fill(s, TORRE_PIECE_SUM_TAPS, caller->receiver_taps, what);
}

torre_status torre_cuda_points_new(torre_cuda_solver *s)
{
    torre_points_args a = {0};
    grid_nodes nodes;
    torre_status status = list_all(s->program, &nodes, &a);
    if (!status && a.source_count) status = upload_weights(s, nodes.source, a.source_count);
    if (!status && a.source_count)
        status = upload_cells(s, TORRE_PIECE_SOURCE_CELLS, nodes.source, a.source_count);
    if (!status && a.receiver_count)
        status = upload_cells(s, TORRE_PIECE_RECEIVER_CELLS, nodes.receiver, a.receiver_count);
    if (!status && a.receiver_count) status = copy_stream(s);
    if (!status) status = upload_sums(s);
    if (!status && s->memory[TORRE_PIECE_POINT_LISTS]) status = block_tables(s, &nodes);
    free_nodes(&nodes);
    return status;
}

/* Of the samples of the current launch. */
static int samples_turn(const torre_cuda_solver *s) { return s->program->base.sums ? 0 : s->turn; }

torre_status torre_cuda_points_prepare(torre_cuda_solver *s, int64_t steps)
{
    torre_points_args *a = &s->args.points;
    double *wavelet = s->memory[TORRE_PIECE_WAVELET];
    void *values = s->memory[TORRE_PIECE_VALUES];
    if (!a->source_count && !a->receiver_count) return TORRE_OK;
    if (a->receiver_count) TORRE_CUDA_TRY(cudaEventRecord(s->before, s->stream), "reading samples");
    s->turn = !s->turn;
    a->source_values = values;
    a->samples = s->memory[TORRE_PIECE_SAMPLES + samples_turn(s)];
    if (!a->source_count) return TORRE_OK;
    TORRE_CUDA_TRY(cudaMemcpyAsync(wavelet, s->setup->wavelet + s->n,
                                   (size_t)steps * sizeof *wavelet, cudaMemcpyHostToDevice,
                                   s->stream),
                   "sending the wavelet to the device");
    TORRE_CUDA_TRY(torre_source_values((int)s->setup->problem->precision, values,
                                       s->memory[TORRE_PIECE_WEIGHTS], a->source_count, wavelet,
                                       steps, s->stream),
                   "scaling sources");
    return TORRE_OK;
}

torre_status torre_cuda_points_sum(torre_cuda_solver *s, int64_t steps)
{
    const torre_wave_setup *caller = s->program->turned.caller;
    const torre_sums sums = {.columns = caller->receiver_node_count,
                             .receivers = caller->problem->receiver_count,
                             .first = s->memory[TORRE_PIECE_SUM_FIRST],
                             .segments = s->memory[TORRE_PIECE_SUM_RUNS],
                             .taps = s->memory[TORRE_PIECE_SUM_TAPS]};
    return torre_cuda_status(torre_sum_receivers((int)caller->problem->precision, &sums,
                                                 s->memory[TORRE_PIECE_SAMPLES], steps,
                                                 s->memory[TORRE_PIECE_SUMS + s->turn], s->stream),
                             "adding up samples");
}

int64_t torre_cuda_points_columns(const torre_cuda_solver *s, bool sums)
{
    const torre_wave_setup *caller = s->program->turned.caller;
    return sums ? caller->problem->receiver_count : caller->receiver_node_count;
}

torre_status torre_cuda_points_collect(torre_cuda_solver *s, bool sums, int ago, int64_t steps,
                                       void *to)
{
    cudaStream_t stream = ago ? s->copies : s->stream;
    if (!s->args.points.receiver_count) return TORRE_OK;
    const int piece =
        sums ? TORRE_PIECE_SUMS + (s->turn ^ ago) : TORRE_PIECE_SAMPLES + (samples_turn(s) ^ ago);
    if (ago) TORRE_CUDA_TRY(cudaStreamWaitEvent(stream, s->before, 0), "reading samples");
    TORRE_CUDA_TRY(cudaMemcpyAsync(to, s->memory[piece],
                                   (size_t)(steps * torre_cuda_points_columns(s, sums)) *
                                       (size_t)s->setup->problem->precision,
                                   cudaMemcpyDeviceToHost, stream),
                   "reading samples");
    /* the next launch takes the same place */
    TORRE_CUDA_TRY(cudaStreamSynchronize(stream), "reading samples");
    return TORRE_OK;
}
