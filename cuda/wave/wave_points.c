/* Sources on the device; receivers: wave_receivers.c. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"
#include "tiling/diamond.h"

/* Blocks of columns, or lines of strips, by the rules of torre_points_args. */
static void count_lists(torre_cuda_program *program)
{
    const torre_wave_args *a = &program->args;
    const torre_wave_plan *plan = &program->base.info.plan;
    const int64_t width = program->shape.block_x, D = plan->dts;
    const torre_tower_grid towers = torre_tower_grid_make(
        a->n[0], a->n[1], program->turned.problem.order / 2, D, plan->tower_height, a->periodic[1]);
    torre_point_plan *b = &program->points;
    b->columns = (a->n[1] + width - 1) / width;
    b->lines = (a->n[0] + width - 1) / width;
    b->strips = towers.m_max + 1; /* that of the last row may have no cells */
    b->places = b->lines + 2 * D - 1;
    if (program->shape.strips) {
        b->columns = b->strips;
        b->lines = a->n[0] + (a->points.many ? D - 1 : 0);
        b->places = a->n[0] + 2 * D - 2;
    }
    b->lists = b->lines * b->columns * b->parts;
}

/* Where a node is listed: number of the list, and line or row in it. Returns in how many. */
typedef struct node_place {
    int64_t list;
    int at;
} node_place;

static int find_places(const torre_cuda_program *program, const torre_grid_node *at,
                       node_place place[2])
{
    const torre_point_plan *b = &program->points;
    const int64_t x = at->x, y = at->y, part = at->part;
    const int64_t width = program->shape.block_x, D = program->base.info.plan.dts;
    int count = 0;
    if (!program->shape.strips) {
        place[0].list = (x / width * b->columns + y / width) * b->parts + part;
        place[0].at = (int)(x % width * width + y % width);
        return 1;
    }
    for (int64_t m = y / D; m <= y / D + 1; m++) {
        const int64_t row = y - D * m,
                      line = program->args.points.many ? x - llabs(row) + D - 1 : x;
        if (row <= -D) continue;
        place[count].list = (m % b->columns * b->parts + part) * b->lines + line;
        place[count++].at = (int)row;
    }
    return count;
}

int64_t torre_cuda_run_length(const torre_cuda_program *program, const torre_grid_node *node,
                              int64_t count, int64_t step)
{
    const int64_t part = node->part, plane = node->z - torre_cuda_part_first(program, part),
                  after = node->z + TORRE_WARP_PLANES - plane % TORRE_WARP_PLANES;
    int64_t n = 1;
    if (!program->shape.strips || !program->args.points.many) return 1;
    while (n < count && n < TORRE_RUN && node[n].x == node->x && node[n].y == node->y &&
           node[n].z == node[n - 1].z + step && node[n].z < after && node[n].part == part)
        n++;
    return n;
}

/* Whether the lanes of a block tower share nodes out. */
static bool shares_nodes(const torre_cuda_program *program)
{
    return !program->shape.strips && (program->shape.mark_groups || program->args.points.many);
}

/* Fill first (counts turned into starts) and, with `to`, the table of nodes. */
static void sort_nodes(const torre_cuda_program *program, const torre_grid_node *nodes,
                       int64_t count, int64_t step, int *first, void *to)
{
    const int64_t lists = program->points.lists;
    for (int64_t i = 0, length; i < count; i += length) {
        const torre_grid_node *at = nodes + i;
        node_place place[2];
        length = torre_cuda_run_length(program, at, count - i, step);
        for (int j = find_places(program, at, place) - 1; j >= 0; j--) {
            if (!to) { /* count; the second time first[b] advances to its end */
                first[place[j].list + 1]++;
                continue;
            }
            const int n = first[place[j].list]++;
            if (program->shape.strips && program->args.points.many)
                ((torre_strip_run *)to)[n] = (torre_strip_run){(int)at->x, (int16_t)place[j].at,
                                                               (int16_t)length, (int)at->z, (int)i};
            else if (program->shape.strips)
                ((torre_strip_node *)to)[n] =
                    (torre_strip_node){(int)at->x, place[j].at, (int)at->z, (int)i};
            else if (!shares_nodes(program))
                ((torre_point_node *)to)[n] = (torre_point_node){place[j].at, (int)at->z, (int)i};
            else
                ((torre_part_node *)to)[n] =
                    (torre_part_node){(int16_t)place[j].at,
                                      (int16_t)(at->z - torre_cuda_part_first(program, at->part))};
        }
    }
    if (to)
        for (int64_t i = lists; i > 0; i--) first[i] = first[i - 1];
    else
        for (int64_t i = 0; i < lists; i++) first[i + 1] += first[i];
    first[0] = 0;
}

size_t torre_cuda_node_bytes(const torre_cuda_program *program, const torre_grid_node *nodes,
                             int64_t count, int64_t step)
{
    node_place place[2];
    int64_t entries = 0;
    for (int64_t i = 0; i < count; i += torre_cuda_run_length(program, nodes + i, count - i, step))
        entries += find_places(program, nodes + i, place);
    return (size_t)entries *
           (program->shape.strips ? sizeof(torre_strip_node) : sizeof(torre_point_node));
}

torre_status torre_cuda_list_nodes(const torre_cuda_program *program, const torre_grid_node *nodes,
                                   int64_t count, int64_t step, int **first, void **to)
{
    *first = calloc((size_t)program->points.lists + 1, sizeof **first);
    *to = malloc(torre_cuda_node_bytes(program, nodes, count, step) + 1);
    if (!*first || !*to) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    sort_nodes(program, nodes, count, step, *first, NULL);
    sort_nodes(program, nodes, count, step, *first, *to);
    return TORRE_OK;
}

/* Of each part, in those that start so far ahead of a node that they come to it. */
torre_status torre_cuda_count_towers(torre_cuda_program *program, const torre_grid_node *nodes,
                                     int64_t count)
{
    torre_point_plan *points = &program->points;
    const torre_wave_plan *plan = &program->base.info.plan;
    const int64_t D = plan->dts, stages = program->args.n[0] / D + 1,
                  way = (plan->tower_height + 2 * D) / D + 1,
                  strips = points->lists / points->lines;
    bool *there = calloc((size_t)(strips * stages), sizeof *there);
    if (!there) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++) {
        node_place place[2];
        for (int j = find_places(program, nodes + i, place) - 1; j >= 0; j--)
            there[place[j].list / points->lines * stages + nodes[i].x / D] = true;
    }
    for (int64_t i = 0, before = 0; i < strips * stages; i++) {
        before = i % stages == 0 ? way : before + 1; /* stages since the last one with a node */
        if (!there[i]) continue;
        points->towers_met += before < way ? before : way;
        before = 0;
    }
    free(there);
    return TORRE_OK;
}

/* Whether most towers meet no points: a hundredth do at most (gpu_data.h). */
static bool are_rare(const torre_cuda_program *program)
{
    const torre_point_plan *points = &program->points;
    const torre_wave_plan *plan = &program->base.info.plan;
    if (program->settings.rare >= 0) return program->settings.rare;
    if (!program->shape.strips || points->lists == 0 || program->args.points.many) return false;
    const int64_t stages = (program->args.n[0] + plan->tower_height) / plan->dts + 1;
    return program->gpu->rare_towers * points->towers_met <= points->lists / points->lines * stages;
}

/* The nodes by block, so that each has the number of its place in the lists. */
static torre_status sort_by_block(const torre_cuda_program *program, torre_grid_node *nodes,
                                  int64_t count)
{
    const int64_t lists = program->points.lists;
    int64_t *next = calloc((size_t)lists + 1, sizeof *next);
    torre_grid_node *from = malloc((size_t)count * sizeof *from + 1);
    node_place place[2];
    const bool fits = next && from;
    for (int64_t i = 0; i < count && fits; i++) {
        from[i] = nodes[i];
        find_places(program, from + i, place);
        next[place[0].list + 1]++;
    }
    for (int64_t i = 0; i < lists && fits; i++) next[i + 1] += next[i];
    for (int64_t i = 0; i < count && fits; i++) {
        find_places(program, from + i, place);
        nodes[next[place[0].list]++] = from[i];
    }
    free(next);
    free(from);
    return fits ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
}

static const char what[] = "sending sources to the device";

static torre_status block_tables(torre_cuda_solver *s, const torre_grid_node *nodes, int64_t count)
{
    int *first;
    void *node;
    torre_status status = torre_cuda_list_nodes(s->program, nodes, count, 1, &first, &node);
    if (!status) status = torre_cuda_fill(s, TORRE_PIECE_POINT_LISTS, first, what);
    if (!status && s->program->bytes[TORRE_PIECE_POINT_NODES])
        status = torre_cuda_fill(s, TORRE_PIECE_POINT_NODES, node, what);
    free(first);
    free(node);
    s->args.points.first = s->memory[TORRE_PIECE_POINT_LISTS];
    s->args.points.node = s->memory[TORRE_PIECE_POINT_NODES];
    return status;
}

static torre_status upload_cells(torre_cuda_solver *s, const torre_grid_node *node, int64_t count)
{
    int64_t *cell = malloc((size_t)count * sizeof *cell);
    if (!cell) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++)
        cell[i] = node[i].x * s->args.stride_x + node[i].y * s->args.stride_y + node[i].z;
    torre_status status = torre_cuda_fill(s, TORRE_PIECE_SOURCE_CELLS, cell, what);
    free(cell);
    return status;
}

static torre_status upload_weights(torre_cuda_solver *s, const torre_grid_node *node, int64_t count)
{
    double *weight = malloc((size_t)count * sizeof *weight);
    if (!weight) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++) weight[i] = node[i].weight;
    torre_status status = torre_cuda_fill(s, TORRE_PIECE_WEIGHTS, weight, what);
    free(weight);
    return status;
}

static torre_grid_node node_at(const torre_cuda_program *program, int64_t x, int64_t y, int64_t z,
                               double weight)
{
    const int64_t part = program->kernel ? torre_cuda_part_of(program, z) : 0;
    return (torre_grid_node){x, y, z, part, weight};
}

/* All nodes as cells of the grid, then their images beyond its last plane; the caller's to free.
 * How many there are goes to *count. */
static torre_status list_nodes(const torre_cuda_program *program, torre_grid_node **nodes,
                               int64_t *count)
{
    const torre_wave_setup *setup = &program->turned.setup;
    const torre_wave_problem *p = &program->turned.problem;
    const int64_t ny = p->size[1], nz = p->size[2], planes = torre_cuda_planes(program);
    const int64_t most = (1 + planes - nz) * setup->source_node_count;
    torre_grid_node *to = *nodes = malloc((size_t)most * sizeof *to + 1);
    if (!to) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    *count = setup->source_node_count;
    for (int64_t i = 0; i < setup->source_node_count; i++) {
        const int64_t cell = setup->source_nodes[i].cell;
        const double weight = setup->source_nodes[i].weight;
        to[i] = node_at(program, cell / nz / ny, cell / nz % ny, cell % nz, weight);
        for (int64_t z = nz; z < planes; z++) {
            const torre_ghost image = torre_cuda_image(p, z);
            if (image.sign && image.source == to[i].z)
                to[(*count)++] = node_at(program, to[i].x, to[i].y, z, image.sign * weight);
        }
    }
    return TORRE_OK;
}

/* Whether sources or receivers are so many that kernels for that are faster: three sources between
 * the nodes, with blocks sixteen, or a node of a receiver for each fourth column of the grid. */
static bool are_many(const torre_cuda_program *program, int64_t source_nodes)
{
    enum { COLUMNS = 4 };
    const torre_wave_problem *p = &program->turned.problem;
    const int64_t *n = p->size;
    const int64_t nodes = program->shape.strips ? 1024 : 8192;
    const bool layers = program->bytes[TORRE_PIECE_DAMPING] > 0;
    return program->kernel && program->shape.many[p->velocity_cells != NULL][layers] &&
           !p->density_cells &&
           (source_nodes > nodes ||
            COLUMNS * program->turned.caller->receiver_node_count > n[0] * n[1]);
}

torre_status torre_cuda_points_plan(torre_cuda_program *program)
{
    torre_points_args *a = &program->args.points;
    size_t *bytes = program->bytes;
    torre_grid_node *nodes;
    program->points.parts = program->pass.parts;
    torre_status status = list_nodes(program, &nodes, &a->source_count);
    if (!status && program->kernel && program->turned.points) {
        a->many = are_many(program, a->source_count);
        count_lists(program);
        a->blocks_y = (int)program->points.columns;
        if (program->shape.strips)
            status = torre_cuda_count_towers(program, nodes, a->source_count);
        bytes[TORRE_PIECE_POINT_LISTS] = torre_cuda_list_bytes(program);
        bytes[TORRE_PIECE_POINT_NODES] = torre_cuda_node_bytes(program, nodes, a->source_count, 1);
        if (a->source_count > INT32_MAX / 2) /* a node is in two lists at most */
            status = torre_fail(TORRE_ERR_USAGE,
                                "sources touch %" PRId64 " cells, at most 2^30 - 1 on a GPU: take "
                                "fewer, or {interpolation} trilinear",
                                a->source_count);
    }
    free(nodes);
    TORRE_TRY(status);
    const size_t rows = (size_t)torre_cuda_launch_rows(program), sources = (size_t)a->source_count;
    bytes[TORRE_PIECE_WEIGHTS] = sources * sizeof(double);
    bytes[TORRE_PIECE_SOURCE_CELLS] = sources * sizeof(int64_t);
    if (sources) bytes[TORRE_PIECE_WAVELET] = rows * sizeof(double);
    bytes[TORRE_PIECE_VALUES] = rows * sources * (size_t)program->turned.problem.precision;
    TORRE_TRY(torre_cuda_receivers_plan(program));
    a->rare = are_rare(program);
    return TORRE_OK;
}

torre_status torre_cuda_points_new(torre_cuda_solver *s)
{
    torre_grid_node *nodes;
    int64_t count;
    torre_status status = list_nodes(s->program, &nodes, &count);
    if (!status && s->program->bytes[TORRE_PIECE_POINT_LISTS] && shares_nodes(s->program))
        status = sort_by_block(s->program, nodes, count);
    if (!status && count) status = upload_weights(s, nodes, count);
    if (!status && count) status = upload_cells(s, nodes, count);
    if (!status && s->program->bytes[TORRE_PIECE_POINT_LISTS])
        status = block_tables(s, nodes, count);
    free(nodes);
    return status ? status : torre_cuda_receivers_new(s);
}

torre_status torre_cuda_points_prepare(torre_cuda_solver *s, int64_t steps)
{
    torre_points_args *a = &s->args.points;
    double *wavelet = s->memory[TORRE_PIECE_WAVELET];
    void *values = s->memory[TORRE_PIECE_VALUES];
    a->source_values = values;
    a->source_weight = s->memory[TORRE_PIECE_WEIGHTS];
    a->wavelet = wavelet;
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
