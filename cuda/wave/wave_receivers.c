/*
 * Receivers on the device. Towers record units of cells that some receiver takes (wave_args.h);
 * after a pass, or, one step at a time, out of the field, receivers are summed there, and the host
 * has the sums alone.
 *
 * Where a receiver between the nodes has 512 of them, towers record some 64 x 3 units, each once
 * however many receivers take it. Tables of what that is are made when the program is.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"
#include "wave/interpolation.h"
#include "wave/traces.h"

static torre_status no_memory(void) { return torre_fail(TORRE_ERR_RESOURCE, "out of memory"); }

/* Vectors of planes, which are split evenly over parts, as the kernels do. */
static int64_t plane_vectors(const torre_cuda_program *program)
{
    const int64_t v = 16 / (int64_t)program->turned.problem.precision;
    return (torre_cuda_planes(program) + v - 1) / v;
}

int64_t torre_cuda_part_of(const torre_cuda_program *program, int64_t z)
{
    const int64_t v = 16 / (int64_t)program->turned.problem.precision,
                  parts = program->points.parts, all = plane_vectors(program);
    int64_t part = z / v * parts / all;
    while ((part + 1) * all / parts <= z / v) part++;
    while (part * all / parts > z / v) part--;
    return part;
}

int64_t torre_cuda_part_first(const torre_cuda_program *program, int64_t part)
{
    const int64_t v = 16 / (int64_t)program->turned.problem.precision;
    return part * plane_vectors(program) / program->points.parts * v;
}

/* The units of a receiver, in the solver's axes: a unit for each of its taps along x and y and each
 * of count[2] along z. */
typedef struct unit_box {
    int64_t x[TORRE_TAPS], y[TORRE_TAPS]; /* x < 0: there are none */
    int64_t part[TORRE_TAPS], unit[TORRE_TAPS];
    int count[3];
    int place[TORRE_TAPS]; /* of taps along z: TORRE_UNIT * number of the unit + cell in it */
} unit_box;

/* The sum of a receiver. */
static const torre_sum *sum_of(const torre_cuda_program *program, int64_t r)
{
    const int64_t *number = program->receivers.number;
    return &torre_cuda_summed(program)->sums[number ? number[r] : r];
}

/* Receivers, and cells of planes, which are recorded as receivers of one node. */
static int64_t recorded_cells(const torre_cuda_program *program)
{
    return torre_cuda_recorded(program) + program->base.planes;
}

/* The first tap of a receiver. */
static const torre_tap *first_tap(const torre_cuda_program *program, int64_t r)
{
    const int64_t receivers = torre_cuda_recorded(program);
    if (r >= receivers) return &program->receivers.plane_taps[3 * (r - receivers)];
    return torre_cuda_summed(program)->taps + sum_of(program, r)->tap;
}

/* Those along axis a of the solver; their number to *count. */
static const torre_tap *taps_of(const torre_cuda_program *program, int64_t r, int a, int *count)
{
    const torre_tap *tap = first_tap(program, r);
    *count = 1;
    if (r >= torre_cuda_recorded(program)) return tap + a;
    const torre_sum *sum = sum_of(program, r);
    const int axis = program->turned.axis[a];
    for (int i = 0; i < axis; i++) tap += sum->count[i];
    *count = sum->count[axis];
    return tap;
}

/* The plane of the arrays that has a tap along x; -1: it is not stored. */
static int64_t plane_of(const torre_cuda_program *program, const torre_tap *x)
{
    const torre_box *stored = &program->turned.region.stored;
    if (!torre_cuda_is_part(program)) return x->cell;
    if (x->cell < stored->low[0] || x->cell >= stored->high[0]) return -1;
    return x->cell - torre_cuda_first_plane(program);
}

static unit_box find_units(const torre_cuda_program *program, int64_t r)
{
    unit_box b = {0};
    int taps;
    const torre_tap *x = taps_of(program, r, 0, &b.count[0]),
                    *y = taps_of(program, r, 1, &b.count[1]), *z = taps_of(program, r, 2, &taps);
    for (int i = 0; i < b.count[0]; i++) b.x[i] = plane_of(program, x + i);
    for (int i = 0; i < b.count[1]; i++) b.y[i] = y[i].cell;
    for (int k = 0; k < taps; k++) {
        const int64_t part = torre_cuda_part_of(program, z[k].cell),
                      first = torre_cuda_part_first(program, part),
                      unit = (z[k].cell - first) / TORRE_UNIT;
        int n = b.count[2] - 1; /* taps ascend */
        if (n < 0 || b.part[n] != part || b.unit[n] != unit) {
            n = b.count[2]++;
            b.part[n] = part;
            b.unit[n] = unit;
        }
        b.place[k] = TORRE_UNIT * n + (int)((z[k].cell - first) % TORRE_UNIT);
    }
    return b;
}

/* The block or column that has unit (i, j, k) of a box, and which of its units that is. */
static int64_t find_block(const torre_cuda_program *program, const unit_box *b, int i, int j, int k,
                          int *bit)
{
    const torre_point_plan *points = &program->points;
    const int64_t x = b->x[i], y = b->y[j], width = program->shape.block_x,
                  units = (program->shape.planes + TORRE_UNIT - 1) / TORRE_UNIT,
                  groups = program->shape.mark_groups, column = x % width * width + y % width;
    *bit = (int)(groups ? (b->unit[k] % groups * (units / groups) + b->unit[k] / groups) * width *
                                  width +
                              column
                        : column * units + b->unit[k]);
    return program->shape.strips
               ? (y * points->parts + b->part[k]) * program->args.n[0] + x
               : (x / width * points->columns + y / width) * points->parts + b->part[k];
}

/* What is done with the units of a receiver: say that its blocks have marks; mark them; look up in
 * which order units are recorded. */
typedef enum unit_visit { NAME_BLOCKS, SET_BITS, LOOK_UP } unit_visit;

static void visit_receiver(torre_cuda_program *program, int64_t r, unit_visit what)
{
    torre_receiver_tables *t = &program->receivers;
    const unit_box b = find_units(program, r);
    int *slot = t->slots + t->sums[r].slot;
    for (int i = 0; i < b.count[0]; i++)
        for (int j = 0; j < b.count[1]; j++)
            for (int k = 0; k < b.count[2]; k++, slot++) {
                int bit;
                if (b.x[i] < 0) {
                    *slot = -1;
                    continue;
                }
                int *marked = t->marked + find_block(program, &b, i, j, k, &bit);
                if (what == NAME_BLOCKS) {
#pragma omp atomic write
                    *marked = 1;
                    continue;
                }
                uint32_t *marks = t->marks + (int64_t)*marked * program->shape.mark_words;
                uint32_t *word = marks + 1 + bit / 32;
                if (what == SET_BITS) {
#pragma omp atomic
                    *word |= 1u << bit % 32;
                    continue;
                }
                *slot = (int)marks[0] + __builtin_popcount(*word & ((1u << bit % 32) - 1));
                while (--word > marks) *slot += __builtin_popcount(*word);
            }
}

static void visit_receivers(torre_cuda_program *program, unit_visit what)
{
    const int64_t receivers = recorded_cells(program);
#pragma omp parallel for if (receivers > 100)
    for (int64_t r = 0; r < receivers; r++) visit_receiver(program, r, what);
}

/* Number the units that are marked. */
static torre_status number_units(torre_cuda_program *program, int64_t blocks)
{
    torre_receiver_tables *t = &program->receivers;
    const int words = program->shape.mark_words;
    int64_t count = 0, units = 0;
    for (int64_t b = 0; b < blocks; b++) t->marked[b] = t->marked[b] ? (int)count++ : -1;
    t->marks = calloc((size_t)(count * words), sizeof *t->marks);
    if (!t->marks) return no_memory();
    visit_receivers(program, SET_BITS);
    for (int64_t m = 0; m < count; m++) {
        uint32_t *marks = t->marks + m * words;
        marks[0] = (uint32_t)units;
        for (int i = 1; i < words; i++) units += __builtin_popcount(marks[i]);
        if (units > INT32_MAX / 2) /* of which each may be in two lists */
            return torre_fail(TORRE_ERR_USAGE,
                              "receivers touch more than 2^30 - 1 groups of %d cells: take fewer, "
                              "or {interpolation} trilinear",
                              TORRE_UNIT);
    }
    program->args.points.units = units;
    program->bytes[TORRE_PIECE_MARKS] = (size_t)(count * words) * sizeof *t->marks;
    return TORRE_OK;
}

/* Where a unit begins, of a column of register towers or of a block. */
static torre_grid_node node_of(const torre_cuda_program *program, int64_t b, int bit)
{
    const torre_point_plan *p = &program->points;
    const int64_t nx = program->args.n[0], width = program->shape.block_x,
                  units = (program->shape.planes + TORRE_UNIT - 1) / TORRE_UNIT;
    if (program->shape.strips)
        return (torre_grid_node){b % nx, b / nx / p->parts,
                                 torre_cuda_part_first(program, b / nx % p->parts) +
                                     bit * TORRE_UNIT,
                                 b / nx % p->parts, 0};
    return (torre_grid_node){
        b / p->parts / p->columns * width + bit / units / width,
        b / p->parts % p->columns * width + bit / units % width,
        torre_cuda_part_first(program, b % p->parts) + bit % units * TORRE_UNIT, b % p->parts, 0};
}

static void find_nodes(const torre_cuda_program *program, int64_t blocks, torre_grid_node *to)
{
    const torre_receiver_tables *t = &program->receivers;
    for (int64_t b = 0; b < blocks; b++) {
        if (t->marked[b] < 0) continue;
        const uint32_t *marks = t->marks + (int64_t)t->marked[b] * program->shape.mark_words;
        for (int bit = 0; bit < 32 * (program->shape.mark_words - 1); bit++)
            if (marks[1 + bit / 32] >> bit % 32 & 1) *to++ = node_of(program, b, bit);
    }
}

/* Units as register towers look them up, or block towers of many; without receivers those have
 * lists, too, of none. */
static torre_status list_units(torre_cuda_program *program, int64_t blocks)
{
    torre_receiver_tables *t = &program->receivers;
    const int64_t units = program->args.points.units;
    const bool strips = program->shape.strips;
    torre_grid_node *nodes = calloc((size_t)units + 1, sizeof *nodes);
    if (!nodes) return no_memory();
    if (units > 0) find_nodes(program, blocks, nodes);
    torre_status status =
        strips ? torre_cuda_list_nodes(program, nodes, units, TORRE_UNIT, &t->first, &t->nodes)
               : TORRE_OK;
    program->bytes[TORRE_PIECE_MARKED] = strips ? torre_cuda_list_bytes(program) : 0;
    program->bytes[TORRE_PIECE_MARKS] =
        strips ? torre_cuda_node_bytes(program, nodes, units, TORRE_UNIT) : 0;
    if (!status && program->args.points.many)
        status = torre_cuda_list_places(program, nodes, units);
    else if (!status && strips)
        status = torre_cuda_count_towers(program, nodes, units);
    free(nodes);
    return status;
}

/* The cells of the setup's planes as receivers of one tap along each axis. */
static torre_status make_plane_taps(torre_cuda_program *program)
{
    const torre_wave_setup *caller = program->turned.caller;
    const torre_frame_planes *planes = &caller->planes;
    torre_tap *tap = program->receivers.plane_taps =
        malloc((size_t)(3 * program->base.planes) * sizeof *tap);
    if (!tap) return no_memory();
    for (int i = 0; i < planes->count; i++) {
        const torre_box b =
            torre_box_plane(caller->problem->size, planes->at[i].axis, planes->at[i].index);
        int64_t at[3];
        for (at[0] = b.low[0]; at[0] < b.high[0]; at[0]++)
            for (at[1] = b.low[1]; at[1] < b.high[1]; at[1]++)
                for (at[2] = b.low[2]; at[2] < b.high[2]; at[2]++)
                    for (int a = 0; a < 3; a++)
                        *tap++ = (torre_tap){at[program->turned.axis[a]], 1};
    }
    return TORRE_OK;
}

/* How far apart the values of taps along each axis of the solver lie: in a field; of a part whose
 * steps slide in the list of a receiver's nodes, which is row-major by the caller's axes. */
static void tap_strides(const torre_cuda_program *program, int64_t r, int64_t stride[3])
{
    const torre_wave_args *args = &program->args;
    const int64_t own[3] = {args->stride_x, args->stride_y, 1};
    const int *count = program->receivers.sums[r].count;
    const int64_t listed[3] = {(int64_t)count[1] * count[2], count[2], 1};
    for (int a = 0; a < 3; a++)
        stride[a] = torre_cuda_is_part(program) ? listed[program->turned.axis[a]] : own[a];
}

/* Where the values of a receiver's taps lie: of the units of a tower, or as above. Returns how many
 * units it has, or nodes. */
static int64_t place_taps(torre_cuda_program *program, int64_t r)
{
    const bool part = torre_cuda_is_part(program);
    const unit_box b = program->kernel ? find_units(program, r) : (unit_box){0};
    const int64_t lines[2] = {(int64_t)b.count[1] * b.count[2] * TORRE_UNIT,
                              (int64_t)b.count[2] * TORRE_UNIT};
    int64_t stride[3], nodes = 1;
    tap_strides(program, r, stride);
    for (int a = 0; a < 3; a++) {
        int count;
        const torre_tap *from = taps_of(program, r, a, &count);
        torre_device_tap *to = program->receivers.taps + program->receivers.sums[r].tap +
                               (from - first_tap(program, r));
        for (int i = 0; i < count; i++) {
            const int64_t in_units = a < 2 ? i * lines[a] : b.place[i];
            to[i].weight = from[i].weight;
            to[i].offset = program->kernel ? in_units : (part ? i : from[i].cell) * stride[a];
        }
        nodes *= count;
    }
    return program->kernel ? (int64_t)b.count[0] * b.count[1] * b.count[2] : nodes;
}

static int64_t nodes_of(const torre_sum *sum)
{
    return (int64_t)sum->count[0] * sum->count[1] * sum->count[2];
}

/* What makes pressure of the value at each node, where density varies. */
static torre_status make_scales(torre_cuda_program *program)
{
    const torre_wave_setup *whole = torre_cuda_summed(program);
    const int64_t receivers = torre_cuda_recorded(program);
    torre_receiver_tables *t = &program->receivers;
    int64_t nodes = 0;
    if (!whole->density.cells) return TORRE_OK;
    for (int64_t r = 0; r < receivers; r++) {
        t->sums[r].node = nodes;
        nodes += nodes_of(sum_of(program, r));
    }
    t->scales = malloc((size_t)nodes * sizeof *t->scales);
    if (!t->scales) return no_memory();
    program->bytes[TORRE_PIECE_SUM_SCALES] = (size_t)nodes * sizeof *t->scales;
#pragma omp parallel for if (receivers > 100)
    for (int64_t r = 0; r < receivers; r++) {
        const torre_segment *g = whole->segments + sum_of(program, r)->segment;
        double *to = t->scales + t->sums[r].node, *end = to + nodes_of(sum_of(program, r));
        for (; to < end; g++)
            for (int64_t i = 0; i < g->count; i++)
                *to++ = whole->receiver_nodes[g->column + i].weight;
    }
    return TORRE_OK;
}

/* How receivers are summed, and how many entries the tables of their units have together. */
static torre_status make_sums(torre_cuda_program *program, int64_t *slots)
{
    const int64_t own = torre_cuda_recorded(program), receivers = recorded_cells(program);
    torre_receiver_tables *t = &program->receivers;
    int64_t taps = 0;
    t->sums = calloc((size_t)receivers, sizeof *t->sums);
    if (!t->sums) return no_memory();
    for (int64_t r = 0; r < receivers; r++) {
        t->sums[r].tap = taps;
        for (int a = 0; a < 3; a++)
            taps += t->sums[r].count[a] = r < own ? sum_of(program, r)->count[a] : 1;
    }
    t->taps = malloc((size_t)taps * sizeof *t->taps);
    if (!t->taps) return no_memory();
    program->bytes[TORRE_PIECE_SUM_TABLE] = (size_t)receivers * sizeof *t->sums;
    program->bytes[TORRE_PIECE_SUM_TAPS] = (size_t)taps * sizeof *t->taps;
#pragma omp parallel for if (receivers > 100)
    for (int64_t r = 0; r < receivers; r++) t->sums[r].slot = place_taps(program, r);
    *slots = 0;
    for (int64_t r = 0; r < receivers; r++) {
        const int64_t count = t->sums[r].slot;
        t->sums[r].slot = *slots;
        *slots += count;
    }
    return make_scales(program);
}

/* What towers record. */
static torre_status make_units(torre_cuda_program *program, int64_t slots)
{
    torre_receiver_tables *t = &program->receivers;
    const int *n = program->args.n;
    const int64_t blocks = program->shape.strips ? (int64_t)n[0] * n[1] * program->points.parts
                                                 : program->points.lists;
    t->marked = calloc((size_t)blocks, sizeof *t->marked);
    t->slots = malloc((size_t)slots * sizeof *t->slots);
    if (!t->marked || !t->slots) return no_memory();
    visit_receivers(program, NAME_BLOCKS);
    TORRE_TRY(number_units(program, blocks));
    visit_receivers(program, LOOK_UP);
    program->bytes[TORRE_PIECE_MARKED] = (size_t)blocks * sizeof *t->marked;
    program->bytes[TORRE_PIECE_SLOTS] = (size_t)slots * sizeof *t->slots;
    return program->shape.strips || program->args.points.many ? list_units(program, blocks)
                                                              : TORRE_OK;
}

/* The number of a node of those that a part stores, by its column; -1: it does not. */
static int64_t stored_node(const torre_wave_setup *part, int64_t column)
{
    int64_t low = 0, high = part->receiver_node_count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (part->receiver_nodes[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    const bool stored =
        low < part->receiver_node_count && part->receiver_nodes[low].column == column;
    return stored ? low : -1;
}

/* What steps of a part that slide record: its nodes. */
static torre_status make_nodes(torre_cuda_program *program, int64_t slots)
{
    const torre_wave_setup *whole = torre_cuda_summed(program), *own = program->base.setup;
    const int64_t receivers = torre_cuda_recorded(program);
    torre_receiver_tables *t = &program->receivers;
    t->slots = malloc((size_t)slots * sizeof *t->slots);
    if (!t->slots) return no_memory();
    program->args.points.units = own->receiver_node_count;
    program->bytes[TORRE_PIECE_SLOTS] = (size_t)slots * sizeof *t->slots;
    program->bytes[TORRE_PIECE_NODES] = (size_t)own->receiver_node_count * sizeof(int64_t);
#pragma omp parallel for if (receivers > 100)
    for (int64_t r = 0; r < receivers; r++) {
        const torre_segment *g = whole->segments + sum_of(program, r)->segment;
        int *to = t->slots + t->sums[r].slot, *end = to + nodes_of(sum_of(program, r));
        for (; to < end; g++)
            for (int64_t i = 0; i < g->count; i++) *to++ = (int)stored_node(own, g->column + i);
    }
    return TORRE_OK;
}

/* Rows of samples, and of frames, of a launch. */
static int64_t frame_rows(const torre_cuda_program *program)
{
    return torre_cuda_launch_rows(program) / program->base.setup->planes.every + 1;
}
static int64_t sample_rows(const torre_cuda_program *program)
{
    return torre_cuda_recorded(program) ? torre_cuda_launch_rows(program) : frame_rows(program);
}

/* Cells of the setup's planes, if towers record them: as long as that takes little beside the
 * fields. (Values of parts are not all here, and those beside density are no pressure; those
 * in layers are right at the end of a pass alone.) */
static int64_t plane_cells(const torre_cuda_program *program)
{
    const torre_wave_setup *setup = program->base.setup;
    const torre_frame_planes *planes = &setup->planes;
    const int64_t *size = setup->problem->size, width = (int64_t)setup->problem->precision;
    int64_t cells = 0, units = 0;
    if (!program->kernel || torre_cuda_is_part(program) || setup->density.cells ||
        program->layers.width)
        return 0;
    for (int i = 0; i < planes->count; i++) {
        const int64_t plane = torre_wave_cells(setup->problem) / size[planes->at[i].axis];
        cells += plane;
        units += planes->at[i].axis == program->turned.axis[2] ? plane : plane / TORRE_UNIT;
    }
    if (cells == 0 || torre_cuda_recorded(program) + cells > INT32_MAX / 4 ||
        planes->every > INT32_MAX)
        return 0;
    const int64_t bytes =
        (units * TORRE_UNIT * sample_rows(program) + 2 * cells * frame_rows(program)) * width;
    return bytes < (int64_t)program->bytes[TORRE_PIECE_FIELDS] / 4 ? cells : 0;
}

torre_status torre_cuda_receivers_plan(torre_cuda_program *program)
{
    const torre_wave_problem *p = torre_cuda_summed(program)->problem;
    const size_t rows = (size_t)torre_cuda_launch_rows(program), width = (size_t)p->precision;
    const bool part = torre_cuda_is_part(program);
    int64_t slots = 0;
    program->base.sums = p->receiver_count > 0;
    if (part) TORRE_TRY(torre_cuda_part_receivers(program));
    const int64_t recorded = torre_cuda_recorded(program);
    program->base.planes = plane_cells(program);
    if (!recorded_cells(program))
        return program->bytes[TORRE_PIECE_POINT_LISTS] > 0 && program->shape.strips
                   ? list_units(program, 0)
                   : TORRE_OK;
    if (program->base.planes) TORRE_TRY(make_plane_taps(program));
    TORRE_TRY(make_sums(program, &slots));
    if (program->kernel) {
        TORRE_TRY(make_units(program, slots));
        program->bytes[TORRE_PIECE_SAMPLES] =
            (size_t)sample_rows(program) * (size_t)program->args.points.units * TORRE_UNIT * width;
    } else if (part) {
        TORRE_TRY(make_nodes(program, slots));
        program->bytes[TORRE_PIECE_SAMPLES] = rows * (size_t)program->args.points.units * width;
    }
    if (part) torre_cuda_part_room(program);
    for (int i = 0; i < 2; i++)
        program->bytes[TORRE_PIECE_SUMS + i] = rows * (size_t)recorded * width;
    for (int i = 0; i < 2 && program->base.planes; i++)
        program->bytes[TORRE_PIECE_PLANES + i] =
            (size_t)frame_rows(program) * (size_t)program->base.planes * width;
    return TORRE_OK;
}

void torre_cuda_receivers_free(torre_receiver_tables *t)
{
    free(t->sums);
    free(t->taps);
    free(t->scales);
    free(t->slots);
    free(t->marked);
    free(t->marks);
    free(t->number);
    free(t->plane_taps);
    free(t->shell_sums);
    free(t->shell_taps);
    free(t->shell_number);
    free(t->first);
    free(t->nodes);
    free(t->place_first);
    free(t->place_runs);
}

static const char what[] = "sending receivers to the device";

/* Which units towers record. */
static torre_status send_units(torre_cuda_solver *s)
{
    const torre_receiver_tables *t = &s->program->receivers;
    torre_points_args *a = &s->args.points;
    const bool strips = s->program->shape.strips;
    s->blank_steps = 0;
    if (t->place_first) {
        TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_PLACE_LISTS, t->place_first, what));
        a->place_first = s->memory[TORRE_PIECE_PLACE_LISTS];
    }
    if (s->program->bytes[TORRE_PIECE_PLACE_RUNS]) {
        TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_PLACE_RUNS, t->place_runs, what));
        a->place_runs = s->memory[TORRE_PIECE_PLACE_RUNS];
    }
    if (!s->program->bytes[TORRE_PIECE_MARKED]) return TORRE_OK;
    TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_MARKED, strips ? t->first : t->marked, what));
    a->marked = s->memory[TORRE_PIECE_MARKED];
    if (!s->program->bytes[TORRE_PIECE_MARKS]) return TORRE_OK;
    a->marks = s->memory[TORRE_PIECE_MARKS];
    return torre_cuda_fill(s, TORRE_PIECE_MARKS, strips ? t->nodes : t->marks, what);
}

/* The cells of nodes that steps record. */
static torre_status send_nodes(torre_cuda_solver *s)
{
    const torre_wave_setup *setup = s->setup;
    const int64_t *n = setup->problem->size, nodes = setup->receiver_node_count;
    int64_t *cell = malloc((size_t)(nodes + 1) * sizeof *cell);
    if (!cell) return no_memory();
    for (int64_t i = 0; i < nodes; i++) {
        const int64_t at = setup->receiver_nodes[i].cell;
        cell[i] =
            at / n[2] / n[1] * s->args.stride_x + at / n[2] % n[1] * s->args.stride_y + at % n[2];
    }
    const torre_status status = torre_cuda_fill(s, TORRE_PIECE_NODES, cell, what);
    free(cell);
    return status;
}

torre_status torre_cuda_receivers_new(torre_cuda_solver *s)
{
    const torre_receiver_tables *t = &s->program->receivers;
    torre_points_args *a = &s->args.points;
    TORRE_TRY(send_units(s));
    if (!recorded_cells(s->program)) return TORRE_OK;
    if (!s->copies) {
        TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&s->copies, cudaStreamNonBlocking), "a stream");
        TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->before, cudaEventDisableTiming), "an event");
    }
    TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_SUM_TABLE, t->sums, what));
    TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_SUM_TAPS, t->taps, what));
    if (t->scales) TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_SUM_SCALES, t->scales, what));
    if (!t->slots) return TORRE_OK;
    TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_SLOTS, t->slots, what));
    a->samples = s->memory[TORRE_PIECE_SAMPLES];
    return s->program->kernel ? torre_cuda_shell_new(s) : send_nodes(s);
}

torre_status torre_cuda_receivers_turn(torre_cuda_solver *s)
{
    torre_points_args *a = &s->args.points;
    a->record_first = a->record_every = 1;
    if (!recorded_cells(s->program)) return TORRE_OK;
    if (!torre_cuda_recorded(s->program)) { /* planes alone */
        a->record_every = (int)s->program->base.setup->planes.every;
        a->record_first = a->record_every - (int)(s->n % a->record_every);
    }
    TORRE_CUDA_TRY(cudaEventRecord(s->before, s->stream), "reading traces");
    s->turn = !s->turn;
    return TORRE_OK;
}

torre_status torre_cuda_planes_pick(torre_cuda_solver *s, int64_t n, int64_t steps)
{
    const torre_points_args *a = &s->args.points;
    const int64_t cells = s->program->base.planes, every = s->program->base.setup->planes.every,
                  frames = torre_cuda_frames(s->program, n, steps),
                  width = (int64_t)s->setup->problem->precision;
    const torre_sums sums = {.receivers = cells,
                             .units = a->units,
                             .sums = (torre_device_sum *)s->memory[TORRE_PIECE_SUM_TABLE] +
                                     torre_cuda_recorded(s->program),
                             .taps = s->memory[TORRE_PIECE_SUM_TAPS],
                             .slots = s->memory[TORRE_PIECE_SLOTS]};
    for (int64_t i = 0; i < frames; i++) {
        const int row = torre_sample_row(a, (int)((n / every + 1 + i) * every - n));
        const char *from = (const char *)a->samples + row * a->units * TORRE_UNIT * width;
        char *to = (char *)s->memory[TORRE_PIECE_PLANES + s->turn] + i * cells * width;
        TORRE_CUDA_TRY(torre_pick_samples((int)width, &sums, from, 1, to, s->stream),
                       "reading planes");
    }
    return TORRE_OK;
}

torre_status torre_cuda_planes_collect(torre_cuda_solver *s, int ago, int64_t frames, void *to)
{
    cudaStream_t stream = ago ? s->copies : s->stream;
    const size_t bytes =
        (size_t)(frames * s->program->base.planes) * (size_t)s->setup->problem->precision;
    if (bytes == 0) return TORRE_OK;
    if (ago) TORRE_CUDA_TRY(cudaStreamWaitEvent(stream, s->before, 0), "reading planes");
    TORRE_CUDA_TRY(cudaMemcpyAsync(to, s->memory[TORRE_PIECE_PLANES + (s->turn ^ ago)], bytes,
                                   cudaMemcpyDeviceToHost, stream),
                   "reading planes");
    return torre_cuda_status(cudaStreamSynchronize(stream), "reading planes");
}

/* Passes of as many steps record the same places. */
torre_status torre_cuda_receivers_blank(torre_cuda_solver *s, int64_t steps)
{
    const size_t bytes = s->program->bytes[TORRE_PIECE_SAMPLES];
    if (!bytes || s->blank_steps == steps) return TORRE_OK;
    s->blank_steps = 0;
    TORRE_CUDA_TRY(cudaMemsetAsync(s->memory[TORRE_PIECE_SAMPLES], 0xff, bytes, s->stream),
                   "reading samples");
    s->blank_steps = steps;
    return TORRE_OK;
}

torre_status torre_cuda_receivers_pick(torre_cuda_solver *s, const void *level,
                                       const torre_span *span, int64_t step)
{
    const int64_t nodes = s->setup->receiver_node_count,
                  width = (int64_t)s->setup->problem->precision;
    if (!torre_cuda_is_part(s->program)) return torre_cuda_receivers_sum(s, level, step, 1);
    if (!nodes) return TORRE_OK;
    char *to = (char *)s->memory[TORRE_PIECE_SAMPLES] + step * nodes * width;
    return torre_cuda_status(torre_pick_cells((int)width, s->memory[TORRE_PIECE_NODES], nodes,
                                              level, span, to, s->stream),
                             "reading samples");
}

torre_sums torre_cuda_sums(const torre_cuda_solver *s)
{
    const torre_cuda_program *program = s->program;
    return (torre_sums){.receivers = torre_cuda_recorded(program),
                        .units = s->args.points.units,
                        .plain = torre_traces_plain(torre_cuda_summed(program)->problem),
                        .single = program->slides,
                        .sums = s->memory[TORRE_PIECE_SUM_TABLE],
                        .taps = s->memory[TORRE_PIECE_SUM_TAPS],
                        .slots = s->memory[TORRE_PIECE_SLOTS],
                        .scales = s->memory[TORRE_PIECE_SUM_SCALES]};
}

torre_status torre_cuda_receivers_sum(torre_cuda_solver *s, const void *level, int64_t step,
                                      int64_t steps)
{
    const torre_sums sums = torre_cuda_sums(s);
    const int64_t width = (int64_t)s->setup->problem->precision;
    if (!sums.receivers) return TORRE_OK;
    char *to = (char *)s->memory[TORRE_PIECE_SUMS + s->turn] + step * sums.receivers * width;
    return torre_cuda_status(torre_sum_receivers((int)width, &sums, level, steps, to, s->stream),
                             "adding up samples");
}

torre_status torre_cuda_receivers_collect(torre_cuda_solver *s, int ago, int64_t steps, void *to)
{
    const torre_wave_problem *p = s->program->turned.caller->problem;
    cudaStream_t stream = ago ? s->copies : s->stream;
    const int64_t recorded = torre_cuda_recorded(s->program);
    if (!recorded) return TORRE_OK;
    if (ago) TORRE_CUDA_TRY(cudaStreamWaitEvent(stream, s->before, 0), "reading traces");
    TORRE_CUDA_TRY(cudaMemcpyAsync(to, s->memory[TORRE_PIECE_SUMS + (s->turn ^ ago)],
                                   (size_t)(steps * recorded) * (size_t)p->precision,
                                   cudaMemcpyDeviceToHost, stream),
                   "reading traces");
    /* the next launch takes the same place */
    TORRE_CUDA_TRY(cudaStreamSynchronize(stream), "reading traces");
    return TORRE_OK;
}
