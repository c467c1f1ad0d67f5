/*
 * Device memory of the cuda backend. All of it is listed here, once for planning, taking and giving
 * back: arrays of particles, tables that depend on the layout, and lists.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md_share.h"
#include "particles/grains.h"

/* An array: where its address stands in the solver, its size, and what it is to people. */
typedef struct md_array {
    size_t member;
    int64_t bytes;
    const char *what;
} md_array;

typedef struct md_arrays {
    int count;
    md_array array[32];
} md_arrays;

static void add(md_arrays *a, size_t member, int64_t bytes, const char *what)
{
    a->array[a->count++] = (md_array){member, bytes, what};
}

#define ADD(arrays, name, bytes, what) add(arrays, offsetof(md_cuda_solver, name), bytes, what)

/* Of n particles. */
static md_arrays particle_arrays(const md_cuda_program *program, int64_t n)
{
    const torre_md_plan *plan = &program->base.info.plan;
    const int64_t reals = 4 * n * program->kernels->state->state_bytes;
    const int64_t ints = n * (int64_t)sizeof(int);
    static const char what[] = "particles";
    md_arrays a = {0};
    ADD(&a, x[0], reals, what);
    ADD(&a, v[0], reals, what);
    ADD(&a, id[0], ints, what);
    ADD(&a, x[1], reals, what);
    ADD(&a, v[1], reals, what);
    ADD(&a, id[1], ints, what);
    ADD(&a, f, reals, what);
    ADD(&a, x_built, reals, what);
    ADD(&a, key, ints, what);
    ADD(&a, slot, ints, what);
    ADD(&a, order, ints, what);
    ADD(&a, order_id, ints, what);
    ADD(&a, order_key, ints, what);
    ADD(&a, tiles.home, n * (int64_t)sizeof(uint16_t), what);
    if (plan->sort_every > plan->rebuild_every || plan->sort_every == TORRE_MD_NEVER)
        ADD(&a, tiles.perm, ints, what);
    if (plan->neighbor == TORRE_NEIGHBOR_HALF)
        ADD(&a, fixed, 3 * n * (int64_t)sizeof(uint64_t), what);
    if (torre_md_is_rough(program->base.problem)) {
        ADD(&a, spin[0], reals, "spins");
        ADD(&a, spin[1], reals, "spins");
        ADD(&a, twist, reals, "spins");
    }
    return a;
}

/* By id, of all particles of the problem: contacts of rough grains. */
static md_arrays id_arrays(const md_cuda_program *program)
{
    const torre_md_problem *p = program->base.problem;
    md_arrays a = {0};
    if (!torre_md_is_rough(p)) return a;
    ADD(&a, contact, p->count * md_cuda_keys(p), "contacts");
    ADD(&a, spring, p->count * md_cuda_springs(p), "contacts");
    return a;
}

/* Of what is said of all of them. */
static md_arrays control_arrays(const md_cuda_program *program)
{
    static const char what[] = "particles";
    md_arrays a = {0};
    ADD(&a, total, 2 * MD_SUMS * (int64_t)sizeof(double), what);
    ADD(&a, control, (int64_t)sizeof(md_control), what);
    if (program->method->sparse) ADD(&a, held, (int64_t)sizeof(uint32_t), what);
    const torre_md_ensemble ensemble = program->base.problem->ensemble;
    if (ensemble == TORRE_FIRE)
        ADD(&a, fire, (int64_t)sizeof(torre_fire), what);
    else if (ensemble == TORRE_NPT)
        ADD(&a, live, (int64_t)sizeof(md_live), what);
    else if (ensemble != TORRE_NVE)
        ADD(&a, bath, (int64_t)sizeof(md_bath_state), what);
    return a;
}

int64_t md_cuda_keys(const torre_md_problem *p)
{
    return torre_grain_slots(p) * (int64_t)sizeof(torre_contact_key);
}

int64_t md_cuda_springs(const torre_md_problem *p)
{
    const int64_t pair = p->precision == TORRE_MD_F64 ? sizeof(double) : sizeof(float);
    return torre_grain_slots(p) * TORRE_SPRINGS * pair;
}

/* own: bricks that have rows of the tables of tiles. */
static md_arrays table_arrays(const md_cuda_program *program, const md_layout *l, int64_t own,
                              size_t scan_bytes)
{
    const int64_t bricks = l->brick_count, ints = bricks * (int64_t)sizeof(int);
    const int64_t bins = (bricks * l->slots + 1) * (int64_t)sizeof(int);
    const int64_t rows = bricks + md_particle_rows((int)program->base.problem->count);
    md_arrays a = {0};
    ADD(&a, tiles.brick_rank, ints, "the order of bricks");
    ADD(&a, tiles.brick_of, ints, "the order of bricks");
    ADD(&a, tiles.start, bins, "the table of bins");
    ADD(&a, bin_count, bins, "the table of bins");
    ADD(&a, scan_scratch, (int64_t)scan_bytes + 16, "the table of bins");
    ADD(&a, tiles.gather, own * l->staged_cap * (int64_t)sizeof(uint32_t), "the table of tiles");
    ADD(&a, tiles.staged_count, own * (int64_t)sizeof(int), "the table of tiles");
    ADD(&a, tiles.halo_start, own * (l->halo_bins + 1) * (int64_t)sizeof(uint16_t),
        "the table of tiles");
    ADD(&a, partial, rows * MD_SUMS * (int64_t)sizeof(double), "partial sums");
    if (program->method->sparse) ADD(&a, active, ints, "the table of bricks");
    return a;
}

/* Scratch memory of the scan over the bins. */
static torre_status find_scan_bytes(const md_layout *l, size_t *bytes)
{
    TORRE_CUDA_TRY(md_scan_bytes(l->brick_count * l->slots + 1, bytes), "the table of bins");
    return TORRE_OK;
}

static md_arrays list_arrays(const md_cuda_program *program, const md_layout *l, int pages)
{
    const int64_t lanes = (int64_t)pages * l->lane_cap;
    md_arrays a = {0};
    if (program->base.info.plan.neighbor == TORRE_NEIGHBOR_TILE) return a;
    ADD(&a, tiles.list, lanes * l->group_cap * (int64_t)sizeof(uint64_t), "neighbour lists");
    ADD(&a, tiles.list_groups, lanes * (int64_t)sizeof(uint16_t), "neighbour lists");
    return a;
}

static int64_t sum(const md_arrays *a)
{
    int64_t bytes = 0;
    for (int i = 0; i < a->count; i++) bytes += a->array[i].bytes;
    return bytes;
}

torre_status md_cuda_bytes(const md_cuda_program *program, int64_t *bytes)
{
    size_t scan_bytes;
    const int parts = program->ranks ? program->ranks->count : 1;
    const int64_t own = (program->layout.brick_count + parts - 1) / parts;
    TORRE_TRY(find_scan_bytes(&program->layout, &scan_bytes));
    const md_arrays particles = particle_arrays(program, program->places);
    const md_arrays ids = id_arrays(program), control = control_arrays(program);
    const md_arrays tables = table_arrays(program, &program->layout, own, scan_bytes);
    const md_arrays lists =
        list_arrays(program, &program->layout, program->ranks ? (int)own : program->list_pages);
    *bytes = sum(&particles) + sum(&ids) + sum(&control) + sum(&tables) + sum(&lists) +
             program->method->own_bytes;
    return TORRE_OK;
}

static void **address(md_cuda_solver *s, const md_array *a)
{
    return (void **)((char *)s + a->member);
}

static torre_status take(md_cuda_solver *s, const md_arrays *arrays)
{
    for (int i = 0; i < arrays->count; i++) {
        const md_array *a = &arrays->array[i];
        TORRE_CUDA_TRY(cudaMalloc(address(s, a), (size_t)a->bytes), a->what);
    }
    return TORRE_OK;
}

static void give_back(md_cuda_solver *s, const md_arrays *arrays)
{
    for (int i = 0; i < arrays->count; i++) {
        void **at = address(s, &arrays->array[i]), *memory;
        memcpy(&memory, at, sizeof memory);
        cudaFree(memory);
        memset(at, 0, sizeof memory);
    }
}

torre_status md_cuda_lists(md_cuda_solver *s, int pages)
{
    const md_arrays lists = list_arrays(s->program, &s->layout, pages);
    give_back(s, &lists);
    s->list_pages = 0;
    TORRE_TRY(take(s, &lists));
    s->list_pages = pages;
    return TORRE_OK;
}

static torre_status upload_order(md_cuda_solver *s, int *rank_of, int *brick_of)
{
    static const char what[] = "sending the order of bricks to the device";
    const size_t bytes = sizeof(int) * (size_t)s->layout.brick_count;
    TORRE_TRY(md_layout_order(&s->layout, &s->plan->ordering, rank_of, brick_of));
    TORRE_CUDA_TRY(cudaMemcpy((void *)s->tiles.brick_rank, rank_of, bytes, cudaMemcpyHostToDevice),
                   what);
    TORRE_CUDA_TRY(cudaMemcpy((void *)s->tiles.brick_of, brick_of, bytes, cudaMemcpyHostToDevice),
                   what);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), what); /* the stream waits for no copy of these */
    return TORRE_OK;
}

static torre_status order_bricks(md_cuda_solver *s)
{
    const size_t bytes = sizeof(int) * (size_t)s->layout.brick_count;
    int *rank_of = malloc(bytes), *brick_of = malloc(bytes);
    torre_status status = rank_of && brick_of ? upload_order(s, rank_of, brick_of)
                                              : torre_fail(TORRE_ERR_RESOURCE,
                                                           "out of memory for the order of bricks");
    free(rank_of);
    free(brick_of);
    return status;
}

/* The tables that depend on the layout, in place of older ones, for the bricks of these ranks. */
static torre_status make_tables(md_cuda_solver *s, int first, int own)
{
    const md_layout *l = &s->layout;
    md_tiles *t = &s->tiles;
    TORRE_TRY(find_scan_bytes(l, &s->scan_bytes));
    const md_arrays tables = table_arrays(s->program, l, own, s->scan_bytes);
    give_back(s, &tables);
    for (int a = 0; a < 3; a++) {
        t->bins[a] = (int)l->grid.n[a];
        t->bricks[a] = l->bricks[a];
        t->brick_max[a] = l->brick_max[a];
    }
    t->reach = l->reach;
    t->slots = l->slots;
    t->brick_count = l->brick_count;
    t->first_brick = first;
    t->own_bricks = own;
    t->halo_bins = l->halo_bins;
    memcpy(t->row_reach, l->row_reach, sizeof t->row_reach);
    t->staged_cap = l->staged_cap;
    t->lane_cap = l->lane_cap;
    t->group_cap = l->group_cap;
    TORRE_TRY(take(s, &tables));
    return order_bricks(s);
}

torre_status md_cuda_allocate(md_cuda_solver *s)
{
    const md_arrays particles = particle_arrays(s->program, s->places);
    const md_arrays ids = id_arrays(s->program), control = control_arrays(s->program);
    TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "a stream");
    TORRE_TRY(take(s, &control));
    TORRE_TRY(take(s, &particles));
    TORRE_TRY(take(s, &ids));
    if (s->fixed)
        TORRE_CUDA_TRY(cudaMemset(s->fixed, 0, 3 * sizeof *s->fixed * (size_t)s->problem->count),
                       "particles");
    const size_t doubles = (2 * MD_SUMS + 3) * sizeof(double);
    TORRE_CUDA_TRY(cudaMallocHost(&s->pinned, sizeof(md_control) + doubles), "particles");
    s->tiles.control = s->control;
    TORRE_TRY(s->program->method->allocate(s));
    if (s->program->ranks) return md_share_new(s); /* the tables follow when bricks are shared */
    TORRE_TRY(make_tables(s, 0, s->layout.brick_count));
    return md_cuda_lists(s, s->program->list_pages);
}

torre_status md_cuda_take_bricks(md_cuda_solver *s, int first, int count)
{
    TORRE_TRY(make_tables(s, first, count));
    return md_cuda_lists(s, count);
}

torre_status md_cuda_grow(md_cuda_solver *s, int64_t places)
{
    static const char what[] = "particles";
    void *const kept[] = {s->x[s->x_now], s->v[s->v_now], s->spin[s->v_now], s->id[s->id_now]};
    const size_t quad = 4 * (size_t)s->kernels->state->state_bytes;
    const size_t first = (size_t)s->first_own, count = (size_t)(s->own_count + s->received);
    md_arrays arrays = particle_arrays(s->program, places);
    s->x[s->x_now] = s->v[s->v_now] = s->spin[s->v_now] = NULL;
    s->id[s->id_now] = NULL;
    give_back(s, &arrays);
    torre_status status = take(s, &arrays);
    cudaError_t e = cudaSuccess;
    void *const to[] = {s->x[s->x_now], s->v[s->v_now], s->spin[s->v_now], s->id[s->id_now]};
    for (int k = 0; k < 4 && !status; k++) {
        const size_t each = k < 3 ? quad : sizeof *s->id[0];
        if (!e && to[k])
            e = cudaMemcpy(to[k], (char *)kept[k] + first * each, count * each,
                           cudaMemcpyDeviceToDevice);
    }
    if (!e) e = cudaDeviceSynchronize();
    for (int k = 0; k < 4; k++) cudaFree(kept[k]);
    TORRE_TRY(status);
    TORRE_CUDA_TRY(e, what);
    s->first_own = 0;
    s->places = places;
    return TORRE_OK;
}

void md_cuda_free(md_cuda_solver *s)
{
    const md_arrays particles = particle_arrays(s->program, 0);
    const md_arrays ids = id_arrays(s->program), control = control_arrays(s->program);
    const md_arrays tables = table_arrays(s->program, &s->layout, 0, 0);
    const md_arrays lists = list_arrays(s->program, &s->layout, 0);
    if (s->stream) cudaStreamSynchronize(s->stream);
    md_share_free(s->share);
    s->program->method->release(s);
    give_back(s, &lists);
    give_back(s, &tables);
    give_back(s, &particles);
    give_back(s, &ids);
    give_back(s, &control);
    cudaFreeHost(s->pinned);
    if (s->stream) cudaStreamDestroy(s->stream);
}

static void note_crowding(md_cuda_solver *s, const md_control *control)
{
    const md_layout *l = &s->layout;
    md_crowding *c = &s->crowding;
    if (control->error & MD_ERROR_STAGED)
        c->staged = fmax(c->staged, 1.03 * control->need_staged / l->staged_mean);
    if (control->error & MD_ERROR_LANES)
        c->lanes = fmax(c->lanes, control->need_lanes / l->lanes_mean);
    if (control->error & MD_ERROR_LIST)
        c->entries = fmax(c->entries, control->need_entries / l->entries_mean);
}

torre_status md_cuda_make_room(md_cuda_solver *s)
{
    const int bricks = s->layout.brick_count;
    TORRE_TRY(md_cuda_layout(s->program, &s->crowding, s->room, &s->layout));
    if (s->share) return TORRE_OK; /* who has which of these bricks is said at the next rebuild */
    TORRE_TRY(make_tables(s, 0, s->layout.brick_count));
    const int64_t pages = (int64_t)s->list_pages * s->layout.brick_count + bricks - 1;
    return md_cuda_lists(s, (int)(pages / bricks)); /* for the same share of them */
}

torre_status md_cuda_enlarge(md_cuda_solver *s, const md_control *control, int64_t step)
{
    if (control->error & MD_ERROR_BOX) {
        TORRE_TRY(torre_md_box_check(s->box, s->problem->cutoff + s->plan->skin, step));
        md_cuda_room(s->problem, s->box, s->room);
    }
    note_crowding(s, control);
    return md_cuda_make_room(s);
}
