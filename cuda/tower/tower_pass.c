/* Passes of towers: the list of towers in traversal order, progress counters, the launch. */
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"
#include "tiling/traversal.h"

/* Towers of a strip; numbers of an H200 (EXPERIMENTS.md). */
static int64_t strip_width(const torre_cuda_solver *s, const torre_tower_launch *l)
{
    if (s->program->settings.strip) return s->program->settings.strip;
    if (s->setup->problem->order > 2) return s->setup->problem->order == 4 ? 32 : 12;
    if (s->program->kernel->size == TORRE_TOWER_HALF && l->parts == 1) return 12;
    if (l->parts == 1 || s->setup->problem->velocity_cells) return 8;
    /* fewer towers are at work: keep the proportion of strip and stages */
    int64_t width = 0;
    while (15 * (width + 1) * (width + 1) <= 7 * (l->blocks / l->parts)) width++;
    return width > 2 ? width : 2;
}

/* Groups of blocks for the multiprocessors that clusters leave, in a launch of their own at the
 * same time. (Mail holds them up, but that gains 1 to 4 %, EXPERIMENTS.md.) blocks: that the GPU
 * has room for. */
static int groups_beside(int blocks, const torre_tower_launch *l)
{
    return l->cluster == 1 ? 0 : (blocks - l->blocks) / l->parts;
}

/* The largest clusters, with groups beside them if need be, that leave few multiprocessors without
 * work: mail costs more (EXPERIMENTS.md). Pairs go with any number of parts: they may straddle
 * groups. Returns how many groups of several clusters there are. */
static int choose_cluster(const torre_tower_shape *shape, int64_t wish, torre_tower_launch *l)
{
    torre_tower_launch best = *l;
    best.cluster = 1;
    for (int size = 2; size <= l->parts && size <= TORRE_CLUSTER_MOST; size++) {
        torre_tower_launch its = *l;
        its.cluster = size;
        its.blocks = shape->cluster_blocks[size - 2];
        int groups = its.blocks / l->parts;
        if (wish ? wish != size : l->parts % size != 0 && size != 2) continue;
        if (groups == 0 || groups * l->parts % size) continue;
        if (size != l->parts) its.blocks = groups * l->parts;
        groups += groups_beside(l->blocks, &its);
        if (wish || groups * l->parts * 8 >= l->blocks * 7) best = its;
    }
    *l = best;
    /* groups take towers together, if the kernel can */
    if (shape->cluster_blocks[0] == 0 || l->cluster == l->parts || l->parts > l->blocks) return 0;
    l->blocks -= l->blocks % l->parts;
    return l->blocks / l->parts;
}

/* Row-major order is taken in strips wherever these are what they say. */
static torre_status tower_list(const torre_cuda_solver *s, const torre_tower_grid *g,
                               const torre_tower_launch *l, torre_tower *list)
{
    torre_ordering_spec ordering = s->program->base.info.plan.ordering;
    const bool plain =
        torre_ordering_same(&ordering, &(torre_ordering_spec){.kind = TORRE_ROW_MAJOR});
    if (plain && !g->periodic_y) ordering.strip = strip_width(s, l);
    const char *why;
    switch (torre_traversal_build(g, &ordering, list, &why)) {
    case 0:
        return TORRE_OK;
    case -1:
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    default:
        return torre_fail(TORRE_ERR_USAGE, "{ordering} %s cannot order the towers of this grid: %s",
                          torre_ordering_write(&ordering).text, why);
    }
}

void torre_cuda_schedule_free(torre_tower_schedule *schedule)
{
    cudaFree((void *)schedule->launch.list);
    cudaFree(schedule->launch.progress);
    cudaFree(schedule->launch.mailbox);
    memset(schedule, 0, sizeof *schedule);
}

static torre_status upload_list(torre_tower_schedule *schedule, const torre_tower *tower,
                                int64_t count)
{
    int *list = malloc((size_t)count * 2 * sizeof *list);
    if (!list) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int64_t i = 0; i < count; i++) {
        list[2 * i] = (int)tower[i].s;
        list[2 * i + 1] = (int)tower[i].m;
    }
    size_t bytes = (size_t)count * 2 * sizeof *list;
    torre_status status = torre_cuda_alloc((void **)&schedule->launch.list, bytes);
    if (!status)
        status = torre_cuda_status(
            cudaMemcpy((void *)schedule->launch.list, list, bytes, cudaMemcpyHostToDevice),
            "sending the list of towers to the device");
    free(list);
    return status;
}

static size_t mailbox_bytes(const torre_cuda_solver *s, int blocks)
{
    return (size_t)blocks * 8 * (size_t)s->program->shape.mailbox_bytes;
}

static torre_status make_schedule(torre_cuda_solver *s, int64_t steps,
                                  torre_tower_schedule *schedule)
{
    const torre_wave_problem *p = s->setup->problem;
    int R = p->order / 2;
    torre_tower_grid g =
        torre_tower_grid_make(p->size[0], p->size[1], R, s->program->base.info.plan.dts, steps,
                              p->face[1][0] == TORRE_PERIODIC);
    torre_tower_launch *l = &schedule->launch;
    int64_t count = torre_traversal_count(&g);
    l->steps = (int)steps;
    l->half_size = (int)g.half_size;
    l->tower_count = (int)count;
    l->s_min = (int)g.s_min;
    l->s_max = (int)g.s_max;
    l->m_min = (int)g.m_min;
    l->m_max = (int)g.m_max;
    l->parts = (int)torre_cuda_parts(&s->program->shape, p->size[2], p->precision);
    const int blocks = l->blocks = s->program->multiprocessors * s->program->shape.blocks_per_sm;
    const int groups = choose_cluster(&s->program->shape, s->program->settings.cluster, l);
    const int beside = groups_beside(blocks, l);
    if (count * l->parts > INT32_MAX / 2)
        return torre_fail(TORRE_ERR_USAGE, "the grid has too many towers; use a larger {dts}");
    torre_tower *list = malloc((size_t)count * sizeof *list);
    if (!list) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    torre_status status = tower_list(s, &g, l, list);
    if (!status) status = upload_list(schedule, list, count);
    free(list);
    TORRE_TRY(status);
    const size_t counters = (size_t)(torre_tower_slots(&g) * l->parts);
    schedule->counters = counters + 1 + (size_t)(groups + beside) * (size_t)(count + 2);
    TORRE_TRY(torre_cuda_alloc((void **)&l->progress, schedule->counters * sizeof(int)));
    l->next = l->progress + counters;
    l->taken = groups ? l->next + 1 : NULL;
    TORRE_TRY(
        torre_cuda_alloc((void **)&l->mailbox, mailbox_bytes(s, l->blocks + beside * l->parts)));
    if (!beside) return TORRE_OK;
    schedule->beside = *l;
    schedule->beside.blocks = beside * l->parts;
    schedule->beside.cluster = 1;
    schedule->beside.taken = l->next + 1 + (size_t)groups * (size_t)(count + 2);
    schedule->beside.mailbox += mailbox_bytes(s, l->blocks);
    if (s->beside) return TORRE_OK;
    TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&s->beside, cudaStreamNonBlocking), "a stream");
    TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->ready, cudaEventDisableTiming), "an event");
    TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->done, cudaEventDisableTiming), "an event");
    return TORRE_OK;
}

torre_status torre_cuda_pass(torre_cuda_solver *s, int64_t steps)
{
    torre_tower_schedule *schedule =
        &s->schedule[steps == s->program->base.info.plan.tower_height ? 0 : 1];
    if (schedule->launch.steps != steps) {
        torre_cuda_schedule_free(schedule);
        torre_status status = make_schedule(s, steps, schedule);
        if (status) {
            torre_cuda_schedule_free(schedule);
            return status;
        }
    }
    const torre_tower_launch *l = &schedule->launch, *beside = &schedule->beside;
    /* and l->next, l->taken */
    TORRE_CUDA_TRY(cudaMemsetAsync(l->progress, 0, schedule->counters * sizeof(int), s->stream),
                   "computing a pass of towers");
    TORRE_CUDA_TRY(
        cudaMemsetAsync(l->mailbox, 0, mailbox_bytes(s, l->blocks + beside->blocks), s->stream),
        "computing a pass of towers");
    if (beside->blocks) {
        TORRE_CUDA_TRY(cudaEventRecord(s->ready, s->stream), "computing a pass of towers");
        TORRE_CUDA_TRY(cudaStreamWaitEvent(s->beside, s->ready, 0), "computing a pass of towers");
    }
    TORRE_CUDA_TRY(s->program->kernel->launch(&s->args, l, s->stream),
                   "computing a pass of towers");
    if (!beside->blocks) return TORRE_OK;
    TORRE_CUDA_TRY(s->program->kernel->launch(&s->args, beside, s->beside),
                   "computing a pass of towers");
    TORRE_CUDA_TRY(cudaEventRecord(s->done, s->beside), "computing a pass of towers");
    TORRE_CUDA_TRY(cudaStreamWaitEvent(s->stream, s->done, 0), "computing a pass of towers");
    return TORRE_OK;
}
