/*
 * A shell beside towers, which know no perfectly matched layers.
 *
 * Let d be the distance of a cell from the nearest face that has a layer, 0 in its outermost cell;
 * L the cells that layers change, their width and some in front of them; R the half-width of the
 * stencil; N the height of towers. The shell is a second pair of levels, of which only cells near
 * such faces are right: d < L + 2 R N. A pass of N steps has two halves:
 *
 * - towers take all cells as if there were no layers. What they make of d < L is wrong, and so R
 *   cells more with each step: right after the pass is d >= L + R N;
 * - the kernels of the stepwise engine take N steps in the shell. Its inner cells lack neighbours,
 *   and so R cells more with each step: right after the pass is d < L + R N, and only what that
 *   needs is computed.
 *
 * Then each gives the other what that lacks. Towers never need d < L; this is handed over when a
 * caller may look. Receivers with a node at d < L + R N are recorded in the shell, which is as much
 * deeper as these have nodes beyond that (`reach`).
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"
#include "wave/pml.h"
#include "wave/traces.h"

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

torre_status torre_cuda_shell_check(const torre_turned *t, const torre_tower_kernel *kernel)
{
    const torre_wave_problem *p = &t->problem;
    const int64_t v = 16 / (int64_t)p->precision;
    const char *kind = torre_absorbing_name(p->absorbing);
    /* one step at a time makes images of planes anew in each step, which towers do not */
    if (p->size[2] % v == 0 || (p->order == 2 ? kernel->in_registers : torre_pml_face(p, 2, 1)))
        return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "{engine} torre with {absorbing} %s needs n%c to be a multiple of %d on a "
                      "GPU (got %lld); use {engine} stepwise or {absorbing} sponge",
                      kind, 'x' + t->axis[2], (int)v, (long long)p->size[2]);
}

/* L; L + R N. */
static int64_t changed_by_layers(const torre_cuda_program *program)
{
    return torre_cuda_layer_cells(&program->turned.problem);
}
static int64_t depth_of(const torre_cuda_program *program)
{
    return changed_by_layers(program) +
           program->turned.problem.order / 2 * program->base.info.plan.tower_height;
}

/* Of the cells d >= depth, low and high of each axis; with depth 0 all that kernels compute. */
typedef struct inner_box {
    int64_t low[3], high[3];
} inner_box;

static inner_box inner_of(const torre_cuda_program *program, int64_t depth)
{
    const torre_wave_problem *p = &program->turned.problem;
    inner_box b;
    for (int a = 0; a < 3; a++) {
        const int64_t n = p->size[a], end = a == 2 ? torre_cuda_planes(program) : n;
        b.low[a] = torre_pml_face(p, a, 0) ? least(depth, n) : 0;
        b.high[a] = torre_pml_face(p, a, 1) && depth > 0 ? most(n - depth, 0) : end;
        b.high[a] = most(b.high[a], b.low[a]);
    }
    return b;
}

static void add_box(torre_boxes *boxes, const inner_box *b)
{
    for (int a = 0; a < 3; a++) {
        if (b->low[a] >= b->high[a]) return;
        boxes->low[boxes->count][a] = (int)b->low[a];
        boxes->high[boxes->count][a] = (int)b->high[a];
    }
    boxes->count++;
}

/* What `outer` has and `inner` has not: slabs across x, then between them across y, then across z.
 */
static void boxes_between(const inner_box *outer, const inner_box *inner, torre_boxes *boxes)
{
    inner_box rest = *outer;
    boxes->count = 0;
    for (int a = 0; a < 3; a++) {
        const int64_t low = least(inner->low[a], outer->high[a]),
                      high = most(low, least(inner->high[a], outer->high[a]));
        inner_box slab = rest;
        slab.high[a] = low;
        add_box(boxes, &slab);
        slab = rest;
        slab.low[a] = high;
        add_box(boxes, &slab);
        rest.low[a] = low;
        rest.high[a] = high;
    }
}

/* The cells from <= d < to. */
static void cells_between(const torre_cuda_program *program, int64_t from, int64_t to,
                          torre_boxes *boxes)
{
    const inner_box outer = inner_of(program, from), inner = inner_of(program, to);
    boxes_between(&outer, &inner, boxes);
}

/* The cells d < depth and some more, so that no sector of memory is cut. */
static void cells_to_compute(const torre_cuda_program *program, int64_t depth, torre_boxes *boxes)
{
    const int64_t sector = 32 / (int64_t)program->turned.problem.precision;
    const inner_box outer = inner_of(program, 0);
    inner_box inner = inner_of(program, depth);
    inner.low[2] = least((inner.low[2] + sector - 1) / sector * sector, outer.high[2]);
    if (inner.high[2] < outer.high[2]) inner.high[2] = inner.high[2] / sector * sector;
    inner.high[2] = most(inner.high[2], inner.low[2]);
    boxes_between(&outer, &inner, boxes);
}

/* Whether the shell records a receiver; those that it does make it as deep as they need. */
static bool takes_receiver(torre_cuda_program *program, int64_t r)
{
    const torre_wave_setup *caller = program->turned.caller;
    const torre_sum *sum = &caller->sums[r];
    const torre_tap *tap = caller->taps + sum->tap;
    const int64_t depth = depth_of(program);
    int64_t nearest = INT64_MAX, farthest = INT64_MAX; /* of all nodes; the latter at most */
    for (int a = 0; a < 3; tap += sum->count[a], a++) {
        const int64_t first = tap[0].cell, last = tap[sum->count[a] - 1].cell,
                      end = caller->problem->size[a] - 1;
        if (torre_pml_face(caller->problem, a, 0)) {
            nearest = least(nearest, first);
            farthest = least(farthest, last);
        }
        if (torre_pml_face(caller->problem, a, 1)) {
            nearest = least(nearest, end - last);
            farthest = least(farthest, end - first);
        }
    }
    if (nearest >= depth) return false;
    program->shell.reach = most(program->shell.reach, farthest + 1 - depth);
    return true;
}

/* Receivers of the shell: their taps are cells of a field. */
static torre_status plan_receivers(torre_cuda_program *program)
{
    const torre_wave_setup *caller = program->turned.caller;
    const int64_t receivers = torre_cuda_recorded(program);
    torre_receiver_tables *t = &program->receivers;
    const int64_t own[3] = {program->args.stride_x, program->args.stride_y, 1};
    int64_t stride[3]; /* of the caller's axes */
    if (receivers == 0) return TORRE_OK;
    for (int a = 0; a < 3; a++) stride[program->turned.axis[a]] = own[a];
    const int64_t taps = caller->sums[receivers].tap;
    t->shell_sums = calloc((size_t)receivers, sizeof *t->shell_sums);
    t->shell_taps = malloc((size_t)taps * sizeof *t->shell_taps);
    t->shell_number = malloc((size_t)receivers * sizeof *t->shell_number);
    if (!t->shell_sums || !t->shell_taps || !t->shell_number)
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t r = 0; r < receivers; r++) {
        const torre_sum *sum = &caller->sums[r];
        int64_t i = sum->tap;
        for (int a = 0; a < 3; a++)
            for (const int64_t end = i + sum->count[a]; i < end; i++)
                t->shell_taps[i] =
                    (torre_device_tap){caller->taps[i].weight, caller->taps[i].cell * stride[a]};
        if (!takes_receiver(program, r)) continue;
        torre_device_sum *to = &t->shell_sums[program->shell.receivers];
        to->tap = sum->tap;
        to->node = t->sums[r].node;
        for (int a = 0; a < 3; a++) to->count[a] = sum->count[a];
        t->shell_number[program->shell.receivers++] = (int)r;
    }
    return TORRE_OK;
}

torre_status torre_cuda_shell_plan(torre_cuda_program *program)
{
    size_t *bytes = program->bytes;
    program->shell = (torre_shell_plan){.taken = program->kernel && program->layers.width > 0};
    if (!program->shell.taken) return TORRE_OK;
    TORRE_TRY(plan_receivers(program));
    const size_t receivers = (size_t)program->shell.receivers;
    for (int i = 0; i < 2; i++) bytes[TORRE_PIECE_SHELL + i] = bytes[TORRE_PIECE_FIELDS + i];
    if (receivers == 0) return TORRE_OK;
    bytes[TORRE_PIECE_SHELL_SUMS] = receivers * sizeof(torre_device_sum);
    bytes[TORRE_PIECE_SHELL_TAPS] =
        (size_t)program->turned.caller->sums[torre_cuda_recorded(program)].tap *
        sizeof(torre_device_tap);
    bytes[TORRE_PIECE_SHELL_NUMBERS] = receivers * sizeof(int);
    return TORRE_OK;
}

torre_status torre_cuda_shell_new(torre_cuda_solver *s)
{
    const torre_receiver_tables *t = &s->program->receivers;
    const char what[] = "sending receivers to the device";
    if (s->program->shell.receivers == 0) return TORRE_OK;
    TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_SHELL_SUMS, t->shell_sums, what));
    TORRE_TRY(torre_cuda_fill(s, TORRE_PIECE_SHELL_TAPS, t->shell_taps, what));
    return torre_cuda_fill(s, TORRE_PIECE_SHELL_NUMBERS, t->shell_number, what);
}

/* Both levels of the cells from <= d < to, from the field to the shell or back. */
static torre_status hand_over(torre_cuda_solver *s, int64_t from, int64_t to, bool to_shell)
{
    torre_boxes boxes;
    cells_between(s->program, from, to, &boxes);
    return torre_cuda_status(torre_copy_boxes((int)s->setup->problem->precision, &s->args, &boxes,
                                              to_shell ? s->args.field : s->shell,
                                              to_shell ? s->shell : s->args.field, s->stream),
                             "exchanging cells with the shell");
}

/* Cells d less than this are right in the shell before a pass. */
static int64_t right_before(const torre_cuda_program *program)
{
    return 2 * depth_of(program) - changed_by_layers(program) + program->shell.reach;
}

torre_status torre_cuda_shell_load(torre_cuda_solver *s)
{
    if (!s->program->shell.taken) return TORRE_OK;
    return hand_over(s, 0, right_before(s->program), true);
}

torre_status torre_cuda_shell_store(torre_cuda_solver *s)
{
    if (!s->program->shell.taken) return TORRE_OK;
    return hand_over(s, 0, changed_by_layers(s->program), false);
}

torre_status torre_cuda_shell_exchange(torre_cuda_solver *s)
{
    const torre_cuda_program *program = s->program;
    const int64_t depth = depth_of(program);
    TORRE_TRY(hand_over(s, changed_by_layers(program), depth, false));
    return hand_over(s, depth, right_before(program), true);
}

/* What its receivers record of a level, to row `row` of those of the launch. */
static torre_status record(torre_cuda_solver *s, const void *field, int64_t row)
{
    const torre_wave_problem *p = s->program->turned.caller->problem;
    const int64_t recorded = torre_cuda_recorded(s->program);
    const torre_sums sums = {.receivers = s->program->shell.receivers,
                             .plain = torre_traces_plain(p),
                             .sums = s->memory[TORRE_PIECE_SHELL_SUMS],
                             .taps = s->memory[TORRE_PIECE_SHELL_TAPS],
                             .scales = s->memory[TORRE_PIECE_SUM_SCALES],
                             .number = s->memory[TORRE_PIECE_SHELL_NUMBERS],
                             .columns = recorded};
    char *to = s->memory[TORRE_PIECE_SUMS + s->turn];
    if (sums.receivers == 0) return TORRE_OK;
    to += (size_t)(row * recorded) * (size_t)p->precision;
    return torre_cuda_status(torre_sum_receivers((int)p->precision, &sums, field, 1, to, s->stream),
                             "adding up samples");
}

torre_status torre_cuda_shell_steps(torre_cuda_solver *s, int64_t steps)
{
    const torre_cuda_program *program = s->program;
    const int64_t R = s->setup->problem->order / 2,
                  deepest = depth_of(program) + program->shell.reach;
    torre_wave_args args = s->args;
    torre_layer_args layers = s->layers;
    for (int i = 0; i < 2; i++) args.field[i] = s->shell[i];
    for (int64_t i = 0; i < steps; i++) {
        torre_boxes boxes;
        cells_to_compute(program, deepest + R * (steps - 1 - i), &boxes);
        TORRE_CUDA_TRY(program->stepper->shell(&args, &boxes, s->stream),
                       "computing a step in the shell");
        TORRE_TRY(torre_cuda_finish_step(s, &args, &layers, i));
        TORRE_TRY(record(s, args.field[0], i));
        torre_cuda_exchange_args(&args, &layers);
    }
    return TORRE_OK;
}
