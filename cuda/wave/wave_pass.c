/* Passes of towers: how they are launched, the list of towers in traversal order, the launch. */
#include <stdlib.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"
#include "tiling/traversal.h"

static torre_tower_grid grid_of(const torre_wave_problem *p, int64_t dts, int64_t steps)
{
    return torre_tower_grid_make(p->size[0], p->size[1], p->order / 2, dts, steps,
                                 p->face[1][0] == TORRE_PERIODIC);
}

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Those stages of a pass, numbered from the first plane of the arrays on. */
static torre_tower_grid stages_of(const torre_cuda_program *program, int64_t steps,
                                  torre_stages stages)
{
    const torre_wave_problem *p = &program->turned.problem;
    const int64_t dts = program->base.info.plan.dts;
    torre_tower_grid g = grid_of(p, dts, steps);
    if (torre_cuda_is_part(program))
        g = torre_tower_grid_of(&program->turned.region, 1, p->order / 2, dts, steps);
    const int64_t shift = torre_cuda_first_plane(program) / g.half_size;
    g.s_min = most(g.s_min, stages.low) - shift;
    g.s_max = least(g.s_max, stages.high == INT64_MAX ? INT64_MAX : stages.high - 1) - shift;
    return g;
}

/* A grid with as many towers as any pass has: of a part of any that stores as many planes, wherever
 * it lies. */
static torre_tower_grid largest_grid(const torre_cuda_program *program, int64_t steps)
{
    const torre_wave_problem *p = &program->turned.problem;
    torre_tower_grid g = grid_of(p, program->base.info.plan.dts, steps);
    if (!torre_cuda_is_part(program)) return g;
    g.s_min = 0;
    g.s_max = (p->size[0] - program->pad) / g.half_size + 2;
    return g;
}

/* Row-major order is taken in strips wherever these are what they say. */
static bool takes_strips(const torre_wave_problem *p, const torre_ordering_spec *ordering)
{
    const torre_ordering_spec plain = {.kind = TORRE_ROW_MAJOR};
    return p->face[1][0] != TORRE_PERIODIC && torre_ordering_same(ordering, &plain);
}

torre_status torre_cuda_pass_check(const torre_wave_problem *p, const torre_wave_plan *plan,
                                   int64_t parts)
{
    const torre_tower_grid g = grid_of(p, plan->dts, plan->tower_height);
    torre_ordering_spec ordering = plan->ordering;
    const char *why;
    if (takes_strips(p, &ordering)) ordering.strip = 1;
    if (torre_traversal_count(&g) > INT32_MAX / 2 / parts)
        return torre_fail(TORRE_ERR_USAGE, "the grid has too many towers; use a larger {dts}");
    if (!torre_traversal_fits(&g, &ordering, &why))
        return torre_fail(TORRE_ERR_USAGE, "{ordering} %s cannot order the towers of this grid: %s",
                          torre_ordering_write(&ordering).text, why);
    return TORRE_OK;
}

bool torre_cuda_by_stages(const torre_gpu_data *gpu, const torre_wave_problem *p, int64_t dts,
                          int64_t towers)
{
    const int64_t rows = p->size[1] / (2 * (p->order / 2) * dts);
    return gpu->stages_at_work * rows <= towers;
}

/* Towers of a strip, if they are high; 0: there are none. */
static int64_t usual_strip(const torre_cuda_program *program)
{
    const torre_wave_problem *p = &program->turned.problem;
    const torre_gpu_data *gpu = program->gpu;
    const torre_pass_plan *pass = &program->pass;
    if (program->settings.strip) return program->settings.strip;
    if (program->kernel->in_registers &&
        torre_cuda_by_stages(gpu, p, program->base.info.plan.dts, pass->blocks / pass->parts))
        return 0;
    if (program->kernel->size == TORRE_TOWER_HALF && pass->parts == 1) return gpu->strip_half;
    if (p->order > 2 || pass->parts == 1 || p->velocity_cells || p->density_cells)
        return gpu->strip[p->order / 2 - 1];
    /* fewer towers are at work: keep the proportion of strip and stages */
    const int64_t *square = gpu->strip_square, towers = pass->blocks / pass->parts;
    int64_t width = 0;
    while (square[1] * (width + 1) * (width + 1) <= square[0] * towers) width++;
    return width > 2 ? width : 2;
}

/* Of low towers few are at work in a row, since each keeps some steps behind the one upwind: their
 * strips must be wider, or blocks have nothing to do. */
static int64_t strip_width(const torre_cuda_program *program)
{
    const torre_pass_plan *pass = &program->pass;
    const int64_t width = usual_strip(program), *low = program->gpu->strip_low,
                  height = most(program->base.info.plan.tower_height, low[1]);
    const bool whole = program->kernel->in_registers && program->kernel->size != TORRE_TOWER_HALF;
    if (program->settings.strip || width == 0 || !whole) return width;
    return most(width, low[0] * (pass->blocks / pass->parts) / height);
}

/* Groups of blocks for the multiprocessors that clusters leave, in a launch of their own at the
 * same time. (Mail holds them up, but that gains 1 to 4 %, EXPERIMENTS.md.) blocks: that the GPU
 * has room for. */
static int groups_beside(int blocks, const torre_pass_plan *pass)
{
    return pass->cluster == 1 ? 0 : (blocks - pass->blocks) / pass->parts;
}

/* The largest clusters, with groups beside them if need be, that leave few multiprocessors without
 * work: mail costs more (EXPERIMENTS.md). Pairs go with any number of parts: they may straddle
 * groups. */
static void choose_cluster(const torre_cuda_program *program, torre_pass_plan *pass)
{
    const torre_tower_shape *shape = &program->shape;
    const int64_t wish = program->settings.cluster, *share = program->gpu->cluster_share;
    const int parts = pass->parts, blocks = pass->blocks;
    for (int size = 2; size <= parts && size <= TORRE_CLUSTER_MOST; size++) {
        torre_pass_plan its = *pass;
        its.cluster = size;
        its.blocks = shape->cluster_blocks[size - 2];
        int groups = its.blocks / parts;
        if (wish ? wish != size : parts % size != 0 && size != 2) continue;
        if (groups == 0 || groups * parts % size) continue;
        if (size != parts) its.blocks = groups * parts;
        groups += groups_beside(blocks, &its);
        if (wish || groups * parts * share[1] >= blocks * share[0]) *pass = its;
    }
    if (shape->cluster_blocks[0] != 0 && pass->cluster != parts && parts <= pass->blocks) {
        pass->groups = pass->blocks / parts; /* take towers together: the kernel can */
        pass->blocks = pass->groups * parts;
    }
    pass->beside = groups_beside(blocks, pass);
}

/* Numbers of torre_tower_launch.progress, next and taken, of both launches of a pass. */
static int64_t counters_of(const torre_pass_plan *pass, const torre_tower_grid *g)
{
    return torre_tower_slots(g) * pass->parts + 1 +
           (pass->groups + pass->beside) * (torre_traversal_count(g) + 2);
}

static size_t mailbox_bytes(const torre_cuda_program *program, int blocks)
{
    return (size_t)blocks * 8 * (size_t)program->shape.mailbox_bytes;
}

void torre_cuda_pass_plan(torre_cuda_program *program)
{
    const torre_wave_problem *p = &program->turned.problem;
    const torre_wave_plan *plan = &program->base.info.plan;
    torre_pass_plan *pass = &program->pass;
    *pass =
        (torre_pass_plan){.ordering = plan->ordering,
                          .parts = (int)torre_cuda_parts(&program->shape, p->size[2], p->precision),
                          .cluster = 1,
                          .blocks = program->multiprocessors * program->shape.blocks_per_sm};
    choose_cluster(program, pass);
    if (takes_strips(p, &pass->ordering)) pass->ordering.strip = strip_width(program);
    /* the longer a pass, the more towers */
    for (int lower = 0; lower < 2 && plan->tower_height > lower; lower++) {
        const torre_tower_grid g = largest_grid(program, plan->tower_height - lower);
        program->bytes[TORRE_PIECE_TOWERS + lower] =
            (size_t)torre_traversal_count(&g) * 2 * sizeof(int);
        if (lower) continue;
        program->bytes[TORRE_PIECE_PROGRESS] = (size_t)counters_of(pass, &g) * sizeof(int);
        program->bytes[TORRE_PIECE_MAIL] =
            mailbox_bytes(program, pass->blocks + pass->beside * pass->parts);
    }
    for (int i = 1; torre_cuda_is_part(program) && i < TORRE_LISTS; i++)
        program->bytes[TORRE_PIECE_TOWERS + i] = program->bytes[TORRE_PIECE_TOWERS];
}

torre_status torre_cuda_pass_new(torre_cuda_solver *s)
{
    if (!s->program->pass.beside) return TORRE_OK;
    TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&s->beside, cudaStreamNonBlocking), "a stream");
    TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->ready, cudaEventDisableTiming), "an event");
    TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->done, cudaEventDisableTiming), "an event");
    return TORRE_OK;
}

/* The list of the towers of a pass, on the device. */
static torre_status make_list(const torre_cuda_solver *s, const torre_tower_grid *g, int *to)
{
    const int64_t count = torre_traversal_count(g);
    const size_t bytes = (size_t)count * 2 * sizeof(int);
    torre_tower *tower = malloc((size_t)count * sizeof *tower);
    int *list = malloc(bytes);
    const char *why = "";
    torre_status status = TORRE_OK;
    if (!tower || !list || torre_traversal_build(g, &s->program->pass.ordering, tower, &why))
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory%s", why);
    for (int64_t i = 0; i < count && !status; i++) {
        list[2 * i] = (int)tower[i].s;
        list[2 * i + 1] = (int)tower[i].m;
    }
    if (!status) {
        cudaError_t e = cudaMemcpy(to, list, bytes, cudaMemcpyHostToDevice);
        /* the solver's stream does not wait for copies, nor these for others at work */
        if (!e) e = cudaStreamSynchronize(cudaStreamLegacy);
        status = torre_cuda_status(e, "sending the list of towers to the device");
    }
    free(tower);
    free(list);
    return status;
}

/* The launches of passes of so many steps: 0 for full, 1 for lower ones; of parts any. */
static torre_status make_launch(torre_cuda_solver *s, int number, const torre_tower_grid *grid)
{
    const torre_cuda_program *program = s->program;
    const torre_pass_plan *pass = &program->pass;
    const torre_tower_grid g = *grid;
    const int64_t steps = g.height, count = torre_traversal_count(&g);
    torre_tower_launch *l = &s->launch[number], *beside = &s->beside_launch[number];
    int *list = s->memory[TORRE_PIECE_TOWERS + number];
    l->steps = 0; /* not these, if that fails */
    TORRE_TRY(make_list(s, &g, list));
    *l = (torre_tower_launch){.steps = (int)steps,
                              .half_size = (int)g.half_size,
                              .list = list,
                              .tower_count = (int)count,
                              .s_min = (int)g.s_min,
                              .s_max = (int)g.s_max,
                              .m_min = (int)g.m_min,
                              .m_max = (int)g.m_max,
                              .parts = pass->parts,
                              .cluster = pass->cluster,
                              .progress = s->memory[TORRE_PIECE_PROGRESS],
                              .mailbox = s->memory[TORRE_PIECE_MAIL],
                              .blocks = pass->blocks};
    l->next = l->progress + torre_tower_slots(&g) * pass->parts;
    l->taken = pass->groups ? l->next + 1 : NULL;
    if (!pass->beside) return TORRE_OK;
    *beside = *l;
    beside->blocks = pass->beside * pass->parts;
    beside->cluster = 1;
    beside->taken = l->next + 1 + pass->groups * (count + 2);
    beside->mailbox += mailbox_bytes(program, l->blocks);
    return TORRE_OK;
}

static bool is_launch_of(const torre_tower_launch *l, const torre_tower_grid *g)
{
    return l->steps == g->height && l->s_min == g->s_min && l->s_max == g->s_max;
}

/* The number of the launch of those towers, which may have to be made. */
static torre_status find_launch(torre_cuda_solver *s, const torre_tower_grid *g, int *number)
{
    *number = g->height != s->program->base.info.plan.tower_height;
    if (torre_cuda_is_part(s->program)) {
        *number = 0;
        while (*number < TORRE_LISTS && !is_launch_of(&s->launch[*number], g)) ++*number;
        if (*number == TORRE_LISTS) {
            *number = s->next_launch;
            s->next_launch = (s->next_launch + 1) % TORRE_LISTS;
        }
    }
    return is_launch_of(&s->launch[*number], g) ? TORRE_OK : make_launch(s, *number, g);
}

torre_status torre_cuda_pass_ready(torre_cuda_solver *s, int64_t steps)
{
    const torre_stages all = {INT64_MIN, INT64_MAX};
    const torre_tower_grid g = stages_of(s->program, steps, all);
    int number;
    return g.s_min > g.s_max ? TORRE_OK : find_launch(s, &g, &number);
}

torre_status torre_cuda_pass(torre_cuda_solver *s, int64_t steps, torre_stages stages)
{
    const torre_cuda_program *program = s->program;
    const torre_tower_grid g = stages_of(program, steps, stages);
    int number;
    if (g.s_min > g.s_max) return TORRE_OK;
    TORRE_TRY(find_launch(s, &g, &number));
    const torre_tower_launch *l = &s->launch[number], *beside = &s->beside_launch[number];
    const size_t counters = (size_t)counters_of(&program->pass, &g) * sizeof(int),
                 mail = mailbox_bytes(program, l->blocks + beside->blocks);
    const char what[] = "computing a pass of towers";
    /* and l->next, l->taken */
    TORRE_CUDA_TRY(cudaMemsetAsync(l->progress, 0, counters, s->stream), what);
    TORRE_CUDA_TRY(cudaMemsetAsync(l->mailbox, 0, mail, s->stream), what);
    if (beside->blocks) {
        TORRE_CUDA_TRY(cudaEventRecord(s->ready, s->stream), what);
        TORRE_CUDA_TRY(cudaStreamWaitEvent(s->beside, s->ready, 0), what);
    }
    TORRE_CUDA_TRY(program->kernel->launch(&s->args, l, s->stream), what);
    if (!beside->blocks) return TORRE_OK;
    TORRE_CUDA_TRY(program->kernel->launch(&s->args, beside, s->beside), what);
    TORRE_CUDA_TRY(cudaEventRecord(s->done, s->beside), what);
    TORRE_CUDA_TRY(cudaStreamWaitEvent(s->stream, s->done, 0), what);
    return TORRE_OK;
}
