/* What rank 0 has: the solver of the whole grid, which asks all ranks. */
#include <stdlib.h>
#include <string.h>

#include "tiling/diamond.h"
#include "wave/box.h"
#include "wave/driver.h"
#include "wave/rank_run.h"
#include "wave/rank_slab.h"
#include "wave/traces.h"

/* What rank 0 knows of another. */
typedef struct other {
    int64_t columns; /* of samples that it computes some of, */
    int64_t *column; /* and which */
} other;

typedef struct rank_solver {
    torre_wave_solver base;
    const torre_rank_program *program;
    const torre_wave_setup *setup;
    const torre_ranks *ranks;
    torre_rank_slab slab;
    torre_part_sums *sums; /* of all ranks of one process, if the program sums */
    other *other;          /* [ranks], none of rank 0 */
    int64_t pass, passes;  /* of the steps that all make: the present one, of so many, */
    int64_t turn;          /* and which turn of what others have of passes comes next */
    void *came;            /* what has come of a pass, */
    int64_t came_bytes;    /* room for it */
    double *waited_s;      /* [ranks] */
    int64_t linked_bytes;  /* of all */
} rank_solver;

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for what ranks send");
}

/* Where rank 0 fails others may wait for it. */
static torre_status done(const rank_solver *s, torre_status status)
{
    return status ? torre_rank_failed(s->ranks, status) : TORRE_OK;
}

static torre_status ask(const torre_ranks *ranks, int rank, torre_rank_request request)
{
    return torre_rank_send(ranks, rank, &request, sizeof request);
}

static torre_status ask_all(const torre_ranks *ranks, torre_rank_request request)
{
    for (int i = 1; i < ranks->count; i++) TORRE_TRY(ask(ranks, i, request));
    return TORRE_OK;
}

void torre_wave_ranks_dismiss(const torre_ranks *ranks)
{
    /* whoever cannot be told is gone */
    (void)ask_all(ranks, (torre_rank_request){.kind = TORRE_RANK_END});
}

static void rank_destroy(torre_wave_solver *solver)
{
    rank_solver *s = (rank_solver *)solver;
    if (!s) return;
    torre_rank_slab_free(&s->slab);
    torre_part_sums_free(s->sums);
    for (int i = 0; i < s->ranks->count && s->other; i++) free(s->other[i].column);
    free(s->other);
    free(s->came);
    free(s->waited_s);
    free(s);
}

/* All ranks make their solvers at the same time. */
static torre_status start(rank_solver *s)
{
    torre_rank_request request = {.kind = TORRE_RANK_START};
    if (s->program->base.sums && s->ranks->one_process)
        TORRE_TRY(torre_part_sums_new(s->setup, &s->sums));
    request.sums = s->sums;
    TORRE_TRY(ask_all(s->ranks, request));
    TORRE_TRY(torre_rank_slab_start((torre_rank_program *)s->program, s->sums, &s->slab));
    for (int i = 1; i < s->ranks->count; i++) {
        other *o = &s->other[i];
        TORRE_TRY(torre_rank_receive(s->ranks, i, &o->columns, sizeof o->columns));
        o->column = malloc((size_t)(o->columns + 1) * sizeof *o->column);
        if (!o->column) return no_memory();
        TORRE_TRY(
            torre_rank_receive(s->ranks, i, o->column, o->columns * (int64_t)sizeof *o->column));
    }
    return TORRE_OK;
}

static torre_status rank_create(torre_wave_program *program, torre_wave_solver **solver)
{
    const torre_wave_info *info = &program->info;
    if (info->lacking[0]) return torre_fail(TORRE_ERR_RESOURCE, "%s", info->lacking);
    rank_solver *s = calloc(1, sizeof *s);
    if (!s) return no_memory();
    s->base.backend = &torre_wave_rank_solver;
    s->program = (const torre_rank_program *)program;
    s->setup = program->setup;
    s->ranks = s->program->ranks;
    s->other = calloc((size_t)s->ranks->count, sizeof *s->other);
    s->waited_s = calloc((size_t)s->ranks->count, sizeof *s->waited_s);
    const torre_status status = done(s, s->other && s->waited_s ? start(s) : no_memory());
    if (status) {
        rank_destroy(&s->base);
        return status;
    }
    *solver = &s->base;
    return TORRE_OK;
}

/* A slab of one process, for a trial. */
static torre_status rank_adapt(const torre_wave_program *program, const torre_wave_setup *setup,
                               torre_wave_program **adapted)
{
    const torre_rank_program *p = (const torre_rank_program *)program;
    return p->backend->plan(setup, &program->info.plan, adapted);
}

static torre_status rank_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                                 bool new_medium)
{
    (void)solver, (void)setup, (void)new_medium;
    return torre_fail(TORRE_ERR_USAGE, "a run of several ranks does not begin anew");
}

static torre_status rank_set_step(torre_wave_solver *solver, int64_t n)
{
    rank_solver *s = (rank_solver *)solver;
    torre_status status =
        ask_all(s->ranks, (torre_rank_request){.kind = TORRE_RANK_SET_STEP, .steps = n});
    if (!status) status = torre_rank_slab_set_step(&s->slab, n);
    return done(s, status);
}

/* --- Steps --- */

/* Bytes that another sends next, in memory that is kept. */
static torre_status come(rank_solver *s, int rank, int64_t bytes)
{
    if (bytes > s->came_bytes) {
        free(s->came);
        s->came = malloc((size_t)bytes);
        s->came_bytes = s->came ? bytes : 0;
        if (!s->came) return no_memory();
    }
    return torre_rank_receive(s->ranks, rank, s->came, bytes);
}

/* What another process has of a pass. */
static torre_status receive_pass(rank_solver *s, int rank)
{
    const other *o = &s->other[rank];
    torre_part_records records = torre_part_sums_kept(s->slab.sums).records;
    torre_rank_summed told;
    TORRE_TRY(torre_rank_receive(s->ranks, rank, &told, sizeof told));
    TORRE_TRY(come(s, rank, told.steps * o->columns * (int64_t)s->setup->problem->precision));
    const torre_part_rows rows = {told.first, told.steps, o->columns, o->column, s->came};
    TORRE_TRY(torre_part_sums_put(s->slab.sums, &rows));
    if (told.records == 0) return TORRE_OK;
    const int64_t which = told.records * (int64_t)sizeof *records.which;
    torre_part_record *of = malloc((size_t)which);
    torre_status status = of ? torre_rank_receive(s->ranks, rank, of, which) : no_memory();
    if (!status) status = come(s, rank, told.records * records.row_bytes);
    records.count = told.records;
    records.which = of;
    records.values = s->came;
    if (!status) status = torre_part_sums_add(s->slab.sums, &records);
    free(of);
    return status;
}

/*
 * What others have of passes, until that turn. Each sends a pass beside the last towers of the next
 * one, and waits until it has been taken. It can be there when the rank above has sent that pass,
 * and the rank below the one that is two earlier: so in each turn it is of a pass that is one
 * earlier than that of the rank above.
 */
static torre_status receive_passes(rank_solver *s, int64_t turn)
{
    const int ranks = s->ranks->count;
    for (; s->turn <= turn; s->turn++)
        for (int i = 1; i < ranks; i++) {
            const int64_t pass = s->turn - (ranks - 1 - i);
            if (pass >= 0 && pass < s->passes && s->other[i].columns > 0)
                TORRE_TRY(receive_pass(s, i));
        }
    return TORRE_OK;
}

/* Beside the last towers of a pass: rank 1 can begin the next one. */
static torre_status receive_beside(void *context)
{
    rank_solver *s = context;
    return receive_passes(s, s->pass++ + s->ranks->count - 2);
}

static torre_status collect(rank_solver *s, int rank, int64_t steps, void *samples)
{
    const other *o = &s->other[rank];
    const int64_t bytes = samples ? steps * o->columns * (int64_t)s->setup->problem->precision : 0;
    torre_rank_advanced told;
    TORRE_TRY(torre_rank_receive(s->ranks, rank, &told, sizeof told));
    s->waited_s[rank] = told.waited_s;
    s->linked_bytes += told.sent_bytes;
    if (!samples || s->slab.sums) return TORRE_OK;
    char *values = malloc((size_t)bytes + 1);
    if (!values) return no_memory();
    const torre_status status = torre_rank_receive(s->ranks, rank, values, bytes);
    const torre_part_rows rows = {0, steps, o->columns, o->column, values};
    if (!status)
        torre_part_rows_scatter(&rows, s->setup->receiver_node_count, s->setup->problem->precision,
                                samples);
    free(values);
    return status;
}

static void begin_sums(rank_solver *s, int64_t steps, void *samples)
{
    const int64_t height = s->program->base.info.plan.tower_height;
    torre_part_sums_begin(s->slab.sums, samples);
    if (s->ranks->one_process) return; /* others put theirs there */
    s->pass = s->turn = 0;
    s->passes = torre_ceil_div(steps, height);
    torre_part_sums_beside(s->slab.sums, receive_beside, s);
}

static torre_status advance_all(rank_solver *s, int64_t steps, void *samples)
{
    torre_part_sums *sums = samples ? s->slab.sums : NULL;
    if (sums)
        begin_sums(s, steps, samples);
    else
        torre_traces_blank(s->setup, false, steps, samples);
    TORRE_TRY(ask_all(s->ranks, (torre_rank_request){.kind = TORRE_RANK_ADVANCE,
                                                     .steps = steps,
                                                     .samples = samples != NULL}));
    TORRE_TRY(torre_rank_slab_advance(&s->slab, steps, samples, sums));
    s->waited_s[0] = s->slab.told.waited_s;
    s->linked_bytes = s->slab.told.sent_bytes;
    if (sums && !s->ranks->one_process)
        TORRE_TRY(receive_passes(s, s->passes + s->ranks->count - 3));
    for (int i = 1; i < s->ranks->count; i++) TORRE_TRY(collect(s, i, steps, samples));
    if (sums) torre_part_sums_finish(sums);
    return TORRE_OK;
}

static torre_status rank_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    rank_solver *s = (rank_solver *)solver;
    TORRE_TRY(torre_wave_steps_check(s->setup->problem, s->slab.n, steps));
    return steps > 0 ? done(s, advance_all(s, steps, samples)) : TORRE_OK;
}

/* --- Boxes --- */

/* Bytes of a box that go at once, unless a plane of it is larger. */
static const int64_t piece_bytes = 16 << 20;

/* A box as a caller has it. */
typedef struct array {
    int level;
    const torre_layer_slice *slice; /* of a layer, in place of the level; the box is 1 thick */
    const torre_box *box;
    const int64_t *stride;
    char *values; /* NULL: zeros, to be written */
} array;

static torre_box cut_box(const torre_box *a, const torre_box *b)
{
    torre_box both;
    for (int i = 0; i < 3; i++) {
        both.low[i] = a->low[i] > b->low[i] ? a->low[i] : b->low[i];
        both.high[i] = a->high[i] < b->high[i] ? a->high[i] : b->high[i];
        if (both.high[i] < both.low[i]) both.high[i] = both.low[i];
    }
    return both;
}

static int64_t box_cells(const torre_box *box)
{
    int64_t cells = 1;
    for (int a = 0; a < 3; a++) cells *= box->high[a] - box->low[a];
    return cells;
}

static char *place_of(const rank_solver *s, const array *a, const torre_box *part)
{
    int64_t at = 0;
    for (int i = 0; i < 3; i++) at += (part->low[i] - a->box->low[i]) * a->stride[i];
    return a->values ? a->values + at * (int64_t)s->setup->problem->precision : NULL;
}

/* A part of a box, to another rank (write) or from it, by way of a dense array. */
static torre_status pass_piece(const rank_solver *s, int rank, bool write, const array *a,
                               const torre_box *part, void *dense)
{
    const size_t width = (size_t)s->setup->problem->precision;
    const int64_t bytes = box_cells(part) * (int64_t)width;
    int64_t stride[3];
    torre_box_strides(part, stride);
    torre_rank_request request = {.kind = write ? TORRE_RANK_WRITE : TORRE_RANK_READ,
                                  .level = a->level,
                                  .zero = a->values == NULL,
                                  .box = *part};
    if (a->slice) {
        request.kind = write ? TORRE_RANK_WRITE_LAYER : TORRE_RANK_READ_LAYER;
        request.slice = *a->slice;
    }
    TORRE_TRY(ask(s->ranks, rank, request));
    char *values = place_of(s, a, part);
    if (write && !values) return TORRE_OK;
    if (write) {
        torre_box_copy(part, width, dense, stride, values, a->stride, s->program->layout.threads);
        return torre_rank_send(s->ranks, rank, dense, bytes);
    }
    TORRE_TRY(torre_rank_receive(s->ranks, rank, dense, bytes));
    torre_box_copy(part, width, values, a->stride, dense, stride, s->program->layout.threads);
    return TORRE_OK;
}

/* The same of all that a box has in common with what the rank holds, some planes at once; of a
 * slice all of it. */
static torre_status pass_box(const rank_solver *s, int rank, bool write, const array *a,
                             const torre_box *all)
{
    const int64_t planes = all->high[0] - all->low[0];
    const int64_t plane = box_cells(all) / planes * (int64_t)s->setup->problem->precision;
    const int64_t few = a->slice ? planes : piece_bytes / plane, some = few < 1 ? 1 : few;
    void *dense = malloc((size_t)((some < planes ? some : planes) * plane));
    torre_status status = dense ? TORRE_OK : no_memory();
    torre_box part = *all;
    for (int64_t x = all->low[0]; x < all->high[0] && !status; x += some) {
        part.low[0] = x;
        part.high[0] = x + some < all->high[0] ? x + some : all->high[0];
        status = pass_piece(s, rank, write, a, &part, dense);
    }
    free(dense);
    return status;
}

/* Of rank 0 itself. */
static torre_status own_piece(const rank_solver *s, bool write, const array *a,
                              const torre_box *part)
{
    const torre_wave_backend *backend = s->program->backend;
    char *values = place_of(s, a, part);
    if (a->slice)
        return write ? backend->write_layer(s->slab.solver, a->slice, a->stride, values)
                     : backend->read_layer(s->slab.solver, a->slice, a->stride, values);
    return write ? backend->write_box(s->slab.solver, a->level, part, a->stride, values)
                 : backend->read_box(s->slab.solver, a->level, part, a->stride, values);
}

/* What a box has in common with the cells of a rank. A slice across planes is all in one. */
static torre_box part_of(const rank_solver *s, const array *a, torre_box cells)
{
    if (a->slice) {
        const int axis = a->slice->axis;
        const int64_t cell = torre_layer_slice_cell(s->setup->problem, a->slice);
        const bool has = cells.low[axis] <= cell && cell < cells.high[axis];
        cells.low[axis] = 0;
        cells.high[axis] = has;
    }
    return cut_box(a->box, &cells);
}

/* Of every slab the first rank reads the cells that it owns, and writes those that it stores. */
static torre_status each_rank(const rank_solver *s, bool write, const array *a)
{
    for (int i = 0; i < s->program->slabs; i++) {
        const int rank = torre_rank_first(s->program, i);
        const torre_region region = torre_rank_region(s->program, i);
        const torre_box part = part_of(s, a, write ? region.stored : region.owned);
        if (box_cells(&part) == 0) continue;
        TORRE_TRY(i > 0 ? pass_box(s, rank, write, a, &part) : own_piece(s, write, a, &part));
    }
    return TORRE_OK;
}

static torre_status rank_write_box(torre_wave_solver *solver, int level, const torre_box *box,
                                   const int64_t stride[3], const void *values)
{
    const int64_t none[3] = {0, 0, 0};
    const array a = {level, NULL, box, stride ? stride : none, (char *)values};
    rank_solver *s = (rank_solver *)solver;
    TORRE_TRY(torre_wave_box_check(s->setup, level, box));
    return done(s, each_rank(s, true, &a));
}

static torre_status rank_read_box(torre_wave_solver *solver, int level, const torre_box *box,
                                  const int64_t stride[3], void *values)
{
    const array a = {level, NULL, box, stride, values};
    rank_solver *s = (rank_solver *)solver;
    TORRE_TRY(torre_wave_box_check(s->setup, level, box));
    return done(s, each_rank(s, false, &a));
}

/* The cells of a slice. */
static torre_box slice_box(const rank_solver *s, const torre_layer_slice *slice)
{
    torre_box box = torre_box_all(s->setup->problem->size);
    box.high[slice->axis] = 1;
    return box;
}

static torre_status rank_write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                     const int64_t stride[3], const void *values)
{
    rank_solver *s = (rank_solver *)solver;
    if (slice) {
        const torre_box box = slice_box(s, slice);
        const array a = {0, slice, &box, stride, (char *)values};
        return done(s, each_rank(s, true, &a));
    }
    torre_status status =
        ask_all(s->ranks, (torre_rank_request){.kind = TORRE_RANK_WRITE_LAYER, .zero = 1});
    if (!status) status = s->program->backend->write_layer(s->slab.solver, NULL, NULL, NULL);
    return done(s, status);
}

static torre_status rank_read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                    const int64_t stride[3], void *values)
{
    rank_solver *s = (rank_solver *)solver;
    const torre_box box = slice_box(s, slice);
    const array a = {0, slice, &box, stride, values};
    return done(s, each_rank(s, false, &a));
}

/* --- Norms --- */

/* Of each plane, and of the first that is not finite. */
static torre_status gather_norms(rank_solver *s, torre_norm_sums *sums, torre_wave_norms *bad)
{
    TORRE_TRY(ask_all(s->ranks, (torre_rank_request){.kind = TORRE_RANK_NORMS}));
    TORRE_TRY(torre_rank_slab_norms(&s->slab, sums, bad));
    for (int i = 1; i < s->ranks->count; i++) {
        const torre_planes own = torre_rank_planes(s->program, i);
        const int64_t bytes = (own.high - own.low) * (int64_t)sizeof *sums;
        torre_wave_norms there;
        TORRE_TRY(torre_rank_receive(s->ranks, i, &there, sizeof there));
        TORRE_TRY(torre_rank_receive(s->ranks, i, sums + own.low, bytes));
        if (bad->finite) *bad = there;
    }
    return TORRE_OK;
}

static torre_status rank_norms(torre_wave_solver *solver, torre_wave_norms *norms)
{
    rank_solver *s = (rank_solver *)solver;
    const int64_t planes = s->program->layout.n[0];
    torre_norm_sums *sums = malloc((size_t)planes * sizeof *sums);
    torre_wave_norms bad = {.finite = true};
    if (!sums) return no_memory();
    const torre_status status = done(s, gather_norms(s, sums, &bad));
    if (!status) *norms = torre_norms_of_planes(sums, planes);
    if (!status && !bad.finite) memcpy(norms->first_bad, bad.first_bad, sizeof bad.first_bad);
    free(sums);
    return status;
}

torre_ranks_told torre_wave_run_ranks(const torre_wave_run *run)
{
    const torre_rank_program *p = (const torre_rank_program *)run->program;
    if (run->program->maker != &torre_wave_rank_solver) return (torre_ranks_told){.ranks = 1};
    torre_ranks_told told = {
        .ranks = p->ranks->count, .what = p->ranks->what, .transport = p->ranks->transport};
    if (p->met.text[0]) told.transport = p->met.text;
    told.transport_why = p->met.why;
    if (p->slabs == 1)
        told.transport = "memory in common";
    else if (p->slabs < told.ranks)
        told.transport = "memory in common, between machines MPI";
    else if (p->backend->teams && p->ranks->locals > 1)
        told.transport_why = "memory in common: not between these ranks, or not wanted";
    told.device = p->device;
    told.overlap_planes = p->below + p->above;
    for (int i = 1; i < p->slabs; i++) {
        const torre_box stored = torre_rank_region(p, i - 1).stored;
        const int64_t low = torre_rank_cut(p, i) - p->below;
        const int64_t high = stored.high[p->layout.axis[0]];
        told.pass_bytes += torre_rank_planes_bytes(p, (torre_planes){low, high}) +
                           torre_rank_planes_bytes(p, (torre_planes){low + p->below, high});
    }
    if (!run->solver) return told;
    told.linked_bytes = ((const rank_solver *)run->solver)->linked_bytes;
    told.waited_s = ((const rank_solver *)run->solver)->waited_s;
    return told;
}

const torre_wave_backend torre_wave_rank_solver = {
    .name = "ranks",
    .adapt = rank_adapt,
    .create = rank_create,
    .restart = rank_restart,
    .set_step = rank_set_step,
    .write_box = rank_write_box,
    .read_box = rank_read_box,
    .write_layer = rank_write_layer,
    .read_layer = rank_read_layer,
    .advance = rank_advance,
    .advance_receivers = rank_advance,
    .norms = rank_norms,
    .destroy = rank_destroy,
};
