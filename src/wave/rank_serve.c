/* What the other ranks do: what rank 0 asks for. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rank_ready.h"
#include "wave/driver.h"
#include "wave/rank_run.h"
#include "wave/rank_slab.h"
#include "wave/rank_transport.h"
#include "wave/traces.h"

/* What a rank plans. */
typedef struct plans {
    int64_t dts, tower_height;
    char axes[4];
    char device[TORRE_RANK_DEVICE];
} plans;

static plans plans_of(const torre_wave_run *run, torre_status status)
{
    plans r = {0};
    if (status) return r;
    const torre_wave_plan *plan = &run->info.plan;
    r.dts = plan->dts;
    r.tower_height = plan->tower_height;
    snprintf(r.axes, sizeof r.axes, "%s", plan->axes);
    if (strcmp(run->backend->name, "cpu") == 0)
        snprintf(r.device, sizeof r.device, "%s", run->info.device);
    else
        snprintf(r.device, sizeof r.device, "%d: %s", plan->device, run->info.device);
    return r;
}

static torre_status same_towers(const torre_ranks *ranks, const void *first, int rank,
                                const void *plan)
{
    const plans *own = first, *r = plan;
    if (r->dts == own->dts && r->tower_height == own->tower_height &&
        strcmp(r->axes, own->axes) == 0)
        return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "%s %d, on %s, plans towers of {dts} %" PRId64 ", {tower_height} %" PRId64
                      " along %s, and %s %d, on %s, of %" PRId64 ", %" PRId64
                      " along %s: say {dts} and {tower_height}, or take devices of one kind",
                      ranks->what, torre_rank_number(ranks, rank), r->device, r->dts,
                      r->tower_height, r->axes, ranks->what, torre_rank_number(ranks, 0),
                      own->device, own->dts, own->tower_height, own->axes);
}

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for what ranks send");
}

/* All ranks try how planes can go. */
static torre_status meet(torre_wave_run *run, torre_rank_program *p)
{
    const torre_rank_request request = {.kind = TORRE_RANK_MEET};
    torre_status status = TORRE_OK;
    for (int i = 1; i < p->ranks->count && !status; i++)
        status = torre_rank_send(p->ranks, i, &request, sizeof request);
    if (!status) status = torre_rank_transport_open(p);
    if (status) return torre_rank_failed(p->ranks, status);
    run->info.memory_bytes = p->base.info.memory_bytes;
    return TORRE_OK;
}

torre_status torre_wave_ranks_gather(torre_wave_run *run, const torre_ranks *ranks,
                                     torre_status status)
{
    torre_rank_program *p = status ? NULL : (torre_rank_program *)run->program;
    plans *all = calloc((size_t)ranks->count, sizeof *all);
    if (!all) return no_memory();
    all[0] = plans_of(run, status);
    status = torre_rank_ready_gather(ranks, status, all, sizeof *all, same_towers);
    if (p && ranks->count > 1) p->device = calloc((size_t)ranks->count, sizeof *p->device);
    for (int i = 0; i < ranks->count && p && p->device; i++)
        snprintf(p->device[i], sizeof p->device[i], "%s", all[i].device);
    free(all);
    return status || !p || ranks->count == 1 || ranks->one_process ? status : meet(run, p);
}

static torre_status tell_columns(const torre_rank_slab *s)
{
    const torre_ranks *ranks = s->program->ranks;
    TORRE_TRY(torre_rank_send(ranks, 0, &s->columns, sizeof s->columns));
    return torre_rank_send(ranks, 0, s->column, s->columns * (int64_t)sizeof *s->column);
}

/* This rank's columns of samples of all, to rank 0. */
static torre_status send_samples(const torre_rank_slab *s, int64_t steps, const char *samples)
{
    const torre_rank_program *p = s->program;
    const int64_t all = p->base.setup->receiver_node_count;
    const size_t width = (size_t)p->base.setup->problem->precision;
    char *own = malloc((size_t)(steps * s->columns) * width + 1);
    if (!own) return no_memory();
#pragma omp parallel for if (steps * s->columns > TORRE_RANK_MANY)
    for (int64_t i = 0; i < steps; i++) {
        const char *from = samples + (size_t)(i * all) * width;
        char *to = own + (size_t)(i * s->columns) * width;
        for (int64_t k = 0; k < s->columns; k++, to += width)
            memcpy(to, from + (size_t)s->column[k] * width, width);
    }
    const torre_status status =
        torre_rank_send(p->ranks, 0, own, steps * s->columns * (int64_t)width);
    free(own);
    return status;
}

/* What has been summed here, and what is of receivers that lie in several slabs, to rank 0. */
static torre_status send_sums(void *context)
{
    const torre_rank_slab *s = context;
    const torre_ranks *ranks = s->program->ranks;
    const torre_part_kept kept = torre_part_sums_kept(s->sums);
    const torre_rank_summed told = {kept.rows.first, kept.rows.steps, kept.records.count};
    const int64_t width = (int64_t)s->program->base.setup->problem->precision;
    if (kept.rows.steps == 0) return TORRE_OK;
    TORRE_TRY(torre_rank_send(ranks, 0, &told, sizeof told));
    TORRE_TRY(
        torre_rank_send(ranks, 0, kept.rows.values, kept.rows.steps * kept.rows.count * width));
    if (told.records > 0) {
        TORRE_TRY(torre_rank_send(ranks, 0, kept.records.which,
                                  told.records * (int64_t)sizeof *kept.records.which));
        TORRE_TRY(
            torre_rank_send(ranks, 0, kept.records.values, told.records * kept.records.row_bytes));
    }
    torre_part_sums_begin(s->sums, NULL);
    return TORRE_OK;
}

/* Steps whose receivers are summed: what a process has of them goes to rank 0 beside the next
 * pass. */
static torre_status advance_summed(torre_rank_slab *s, const torre_rank_request *r)
{
    torre_part_sums *sums = r->samples ? s->sums : NULL;
    if (sums && !s->shared) {
        torre_part_sums_begin(sums, NULL);
        torre_part_sums_beside(sums, send_sums, s);
    }
    TORRE_TRY(torre_rank_slab_advance(s, r->steps, NULL, sums));
    if (sums && !s->shared) TORRE_TRY(send_sums(s));
    return torre_rank_send(s->program->ranks, 0, &s->told, sizeof s->told);
}

static torre_status advance(torre_rank_slab *s, const torre_rank_request *r)
{
    const torre_wave_setup *setup = s->program->base.setup;
    const int64_t row = setup->receiver_node_count * (int64_t)setup->problem->precision;
    if (s->program->base.sums) return advance_summed(s, r);
    char *samples = r->samples ? malloc((size_t)(r->steps * row) + 1) : NULL;
    if (r->samples && !samples) return no_memory();
    torre_traces_blank(setup, false, r->steps, samples);
    torre_status status = torre_rank_slab_advance(s, r->steps, samples, NULL);
    if (!status) status = torre_rank_send(s->program->ranks, 0, &s->told, sizeof s->told);
    if (!status && samples) status = send_samples(s, r->steps, samples);
    free(samples);
    return status;
}

static int64_t box_bytes(const torre_rank_slab *s, const torre_box *box)
{
    int64_t bytes = (int64_t)s->program->layout.precision;
    for (int a = 0; a < 3; a++) bytes *= box->high[a] - box->low[a];
    return bytes;
}

static torre_status pass_box(torre_rank_slab *s, const torre_rank_request *r)
{
    const torre_wave_backend *backend = s->program->backend;
    const torre_ranks *ranks = s->program->ranks;
    const int64_t bytes = box_bytes(s, &r->box);
    const bool write = r->kind == TORRE_RANK_WRITE;
    int64_t stride[3];
    torre_box_strides(&r->box, stride);
    if (write && r->zero)
        return backend->write_box(s->solver, (int)r->level, &r->box, stride, NULL);
    void *values = malloc((size_t)bytes);
    if (!values) return no_memory();
    torre_status status =
        write ? torre_rank_receive(ranks, 0, values, bytes)
              : backend->read_box(s->solver, (int)r->level, &r->box, stride, values);
    if (!status)
        status = write ? backend->write_box(s->solver, (int)r->level, &r->box, stride, values)
                       : torre_rank_send(ranks, 0, values, bytes);
    free(values);
    return status;
}

/* The same of a slice of a layer, of all cells that this rank owns, or stores. */
static torre_status pass_layer(torre_rank_slab *s, const torre_rank_request *r)
{
    const torre_wave_backend *backend = s->program->backend;
    const torre_ranks *ranks = s->program->ranks;
    const int64_t bytes = box_bytes(s, &r->box);
    const bool write = r->kind == TORRE_RANK_WRITE_LAYER;
    int64_t stride[3];
    if (r->zero) return s->leads ? backend->write_layer(s->solver, NULL, NULL, NULL) : TORRE_OK;
    void *values = malloc((size_t)bytes);
    if (!values) return no_memory();
    torre_box_strides(&r->box, stride);
    torre_status status = write ? torre_rank_receive(ranks, 0, values, bytes)
                                : backend->read_layer(s->solver, &r->slice, stride, values);
    if (!status)
        status = write ? backend->write_layer(s->solver, &r->slice, stride, values)
                       : torre_rank_send(ranks, 0, values, bytes);
    free(values);
    return status;
}

static torre_status tell_norms(torre_rank_slab *s)
{
    const torre_rank_program *p = s->program;
    const torre_planes own = torre_rank_planes(p, p->ranks->rank);
    const int64_t planes = own.high - own.low;
    torre_norm_sums *sums = malloc((size_t)planes * sizeof *sums + 1);
    torre_wave_norms bad;
    if (!sums) return no_memory();
    torre_status status = torre_rank_slab_norms(s, sums, &bad);
    if (!status) status = torre_rank_send(p->ranks, 0, &bad, sizeof bad);
    if (!status) status = torre_rank_send(p->ranks, 0, sums, planes * (int64_t)sizeof *sums);
    free(sums);
    return status;
}

static torre_status do_request(torre_rank_slab *s, torre_rank_program *p,
                               const torre_rank_request *r)
{
    switch ((torre_rank_request_kind)r->kind) {
    case TORRE_RANK_MEET:
        return torre_rank_transport_open(p);
    case TORRE_RANK_START:
        TORRE_TRY(torre_rank_slab_start(p, r->sums, s));
        return tell_columns(s);
    case TORRE_RANK_SET_STEP:
        return torre_rank_slab_set_step(s, r->steps);
    case TORRE_RANK_ADVANCE:
        return advance(s, r);
    case TORRE_RANK_READ:
    case TORRE_RANK_WRITE:
        return pass_box(s, r);
    case TORRE_RANK_READ_LAYER:
    case TORRE_RANK_WRITE_LAYER:
        return pass_layer(s, r);
    case TORRE_RANK_NORMS:
        return tell_norms(s);
    case TORRE_RANK_END:
        break;
    }
    return torre_fail(TORRE_ERR_RESOURCE, "rank 0 asks for what nobody knows");
}

torre_status torre_wave_ranks_serve(torre_wave_run *run, const torre_ranks *ranks,
                                    torre_status status)
{
    torre_rank_slab slab = {.program = NULL};
    torre_rank_request request;
    const plans own = plans_of(run, status);
    status = torre_rank_ready_tell(ranks, status, &own, sizeof own);
    while (!status) {
        status = torre_rank_receive(ranks, 0, &request, sizeof request);
        if (status || request.kind == TORRE_RANK_END) break;
        status = do_request(&slab, (torre_rank_program *)run->program, &request);
        if (status) status = torre_rank_failed(ranks, status);
    }
    if (ranks->leave) ranks->leave(ranks);
    torre_rank_slab_free(&slab);
    return status;
}
