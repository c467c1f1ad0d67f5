#include "md_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "cuda/core/cuda_device.h"
#include "particles/grains.h"

static const char telling[] = "telling other devices of particles";

/* --- What is shared --- */

torre_status md_share_check(const md_cuda_program *program, const torre_ranks *ranks)
{
    const torre_md_problem *p = program->base.problem;
    const torre_md_plan *plan = &program->base.info.plan;
    if (p->model == TORRE_MODEL_MPS)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s do not share a fluid by {backend} cuda: take one GPU, or "
                          "{backend} cpu",
                          ranks->who);
    if (plan->neighbor == TORRE_NEIGHBOR_HALF)
        return torre_fail(TORRE_ERR_USAGE, "{neighbor} half does not go with %s: take full or tile",
                          ranks->who);
    if (plan->sort_every != plan->rebuild_every)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s sort particles at each rebuild: {sort_every} must be %lld, as it is "
                          "where it is left out, and {ordering} not none",
                          ranks->who, (long long)plan->rebuild_every);
    if (ranks->count > MD_DEVICES)
        return torre_fail(TORRE_ERR_USAGE, "at most %d GPUs share particles (got %d)", MD_DEVICES,
                          ranks->count);
    if (program->layout.brick_count < ranks->count)
        return torre_fail(TORRE_ERR_USAGE,
                          "%d %ss need as many bricks of bins to share, and there are %d: take "
                          "fewer",
                          ranks->count, ranks->what, program->layout.brick_count);
    return TORRE_OK;
}

int64_t md_share_places(const md_cuda_program *program)
{
    const torre_md_problem *p = program->base.problem;
    const double parts = program->ranks->count, count = (double)p->count;
    const double volume = p->box[0] * p->box[1] * p->box[2], around = cbrt(volume / parts);
    const double reach = p->cutoff + program->base.info.plan.skin;
    /* a cube and what is around it, half as much again for the curve's ways */
    const double ghosts = 1.5 * count / volume * (pow(around + 2 * reach, 3) - volume / parts);
    return (int64_t)fmin(count, 1.05 * count / parts + ghosts) + 1024;
}

static const uint32_t *needs(const md_share *h)
{
    return (const uint32_t *)(const void *)h->need.bytes;
}

static size_t quad_of(const md_cuda_solver *s)
{
    return 4 * (size_t)s->kernels->state->state_bytes;
}

static void free_room(const md_share_room *r)
{
    if (r->of_host)
        cudaFreeHost(r->bytes);
    else
        cudaFree(r->bytes);
}

torre_status md_share_make_room(md_share_room *r, int64_t bytes, const char *what)
{
    if (bytes <= r->room) return TORRE_OK;
    const size_t room = (size_t)(bytes + bytes / 8);
    free_room(r);
    r->bytes = NULL;
    r->room = 0;
    TORRE_CUDA_TRY(r->of_host ? cudaMallocHost((void **)&r->bytes, room)
                              : cudaMalloc((void **)&r->bytes, room),
                   what);
    r->room = (int64_t)room;
    return TORRE_OK;
}

torre_status md_share_make_shown_room(md_share *h, md_share_room *r, int64_t bytes)
{
    if (bytes <= r->room || h->ranks->one_process || !r->bytes)
        return md_share_make_room(r, bytes, telling);
    h->kept[h->kept_count++] = r->bytes; /* twice as much each time: few */
    *r = (md_share_room){.bytes = NULL};
    return md_share_make_room(r, 2 * bytes, telling);
}

#define UNEVEN 1.05 /* more particles than a device is to have, over its share */

enum { SAID = 1024 }; /* bytes of a device that all get at a time */

static torre_status fill(md_share *h)
{
    int none[MD_DEVICES];
    for (int d = 0; d < MD_DEVICES; d++) none[d] = MD_NO_STOP;
    TORRE_CUDA_TRY(cudaMallocHost((void **)&h->counts, sizeof *h->counts), telling);
    TORRE_CUDA_TRY(cudaMalloc((void **)&h->count, sizeof h->counts->lent), telling);
    TORRE_CUDA_TRY(cudaMalloc((void **)&h->last, sizeof none), telling);
    TORRE_CUDA_TRY(cudaMemcpy(h->last, none, sizeof none, cudaMemcpyHostToDevice), telling);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), telling);
    cudaEvent_t *const events[] = {&h->ready[0], &h->ready[1], &h->begun,
                                   &h->told_all, &h->read,     &h->listed};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        TORRE_CUDA_TRY(cudaEventCreateWithFlags(events[k], cudaEventDisableTiming), "an event");
    int least, most; /* of priorities, the most urgent last */
    TORRE_CUDA_TRY(cudaDeviceGetStreamPriorityRange(&least, &most), "a stream");
    TORRE_CUDA_TRY(cudaStreamCreateWithPriority(&h->ahead, cudaStreamNonBlocking, most),
                   "a stream");
    h->sent.of_host = h->taken.of_host = true;
    h->said = calloc(1, SAID);
    if (!h->said) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    return torre_bin_split_new(h->ranks->count, h->ranks->rank, &h->split);
}

torre_status md_share_new(md_cuda_solver *s)
{
    md_share *h = s->share = calloc(1, sizeof *h);
    if (!h) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    h->ranks = s->program->ranks;
    h->path = s->program->path;
    return fill(h);
}

void md_share_free(md_share *h)
{
    if (!h) return;
    if (h->ahead) cudaStreamSynchronize(h->ahead);
    torre_bin_split_free(&h->split);
    const md_share_room *const rooms[] = {
        &h->need, &h->lent_places, &h->passed, &h->told[0], &h->told[1], &h->rows, &h->scan,
        &h->sent, &h->taken,       &h->speeds, &h->sums,    &h->gone,    &h->come};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) free_room(rooms[k]);
    for (int k = 0; k < h->kept_count; k++) cudaFree(h->kept[k]);
    cudaFreeHost(h->counts);
    cudaFree(h->count);
    cudaFree(h->last);
    const cudaEvent_t events[] = {h->ready[0], h->ready[1], h->begun,
                                  h->told_all, h->read,     h->listed};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        if (events[k]) cudaEventDestroy(events[k]);
    if (h->ahead) cudaStreamDestroy(h->ahead);
    free(h->said);
    free(h);
}

/* --- Messages --- */

/* As many bytes of each device, at most SAID, to all: [device]. What is sent stays until others
 * have read it, even if this device fails meanwhile. */
static torre_status gather(md_share *h, const void *own, size_t bytes, void *all)
{
    const torre_ranks *ranks = h->ranks;
    const double start = torre_time_now();
    memcpy(h->said, own, bytes);
    for (int r = 0; r < ranks->count; r++)
        if (r != ranks->rank) TORRE_TRY(torre_rank_post(ranks, r, h->said, (int64_t)bytes));
    for (int r = 0; r < ranks->count; r++) {
        char *to = (char *)all + (size_t)r * bytes;
        if (r == ranks->rank)
            memcpy(to, own, bytes);
        else
            TORRE_TRY(torre_rank_receive(ranks, r, to, (int64_t)bytes));
    }
    for (int r = 0; r < ranks->count; r++)
        if (r != ranks->rank) TORRE_TRY(torre_rank_settle(ranks, r));
    h->waited_s += torre_time_now() - start;
    return TORRE_OK;
}

/* Bytes of the first device to all. */
static torre_status tell_all(const torre_ranks *ranks, void *bytes, int64_t count)
{
    if (ranks->rank > 0) return torre_rank_receive(ranks, 0, bytes, count);
    for (int r = 1; r < ranks->count; r++) TORRE_TRY(torre_rank_send(ranks, r, bytes, count));
    return TORRE_OK;
}

/* What the control block of another device says besides. */
static void add_control(md_control *control, const md_control *c)
{
    control->error |= c->error;
    if (c->need_staged > control->need_staged) control->need_staged = c->need_staged;
    if (c->need_lanes > control->need_lanes) control->need_lanes = c->need_lanes;
    if (c->need_entries > control->need_entries) control->need_entries = c->need_entries;
    if (c->bad_id < control->bad_id) control->bad_id = c->bad_id;
    if (c->done < control->done) control->done = c->done;     /* with an error */
    if (c->moved > control->moved) control->moved = c->moved; /* bits of what is not below 0 */
    /* one device builds no lists of tiles that are too full */
    if (control->error & MD_ERROR_STAGED) control->error &= ~(MD_ERROR_LANES | MD_ERROR_LIST);
}

static torre_status gather_control(md_share *h, md_control *control)
{
    md_control all[MD_DEVICES];
    TORRE_TRY(gather(h, control, sizeof *control, all));
    for (int r = 0; r < h->ranks->count; r++) add_control(control, &all[r]);
    return TORRE_OK;
}

torre_status md_share_read_control(md_cuda_solver *s, md_control *control,
                                   double total[2 * MD_SUMS])
{
    TORRE_TRY(md_cuda_read_control(s, control, total));
    return gather_control(s->share, control);
}

static torre_status write_control(md_cuda_solver *s, const md_control *control)
{
    memcpy(s->pinned, control, sizeof *control);
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(s->control, s->pinned, sizeof *control, cudaMemcpyHostToDevice, s->stream),
        "clearing the control block");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "clearing the control block");
    return TORRE_OK;
}

/* --- Bricks --- */

/* Edges of the bins in a box of these, as the sort has them. */
static void find_bin_edges(const md_cuda_solver *s, const double box[3], double bin_edge[3])
{
    for (int a = 0; a < 3; a++)
        bin_edge[a] = s->live ? box[a] / (double)s->layout.grid.n[a] : s->layout.grid.edge[a];
}

/* Number of the brick, along the curve, that a position inside of the box is in, as the sort finds
 * it. */
static int brick_at(const md_layout *l, const double bin_edge[3], const int *rank_of,
                    int state_bytes, const double r[3])
{
    int at[3];
    for (int a = 0; a < 3; a++) {
        const int bins = (int)l->grid.n[a];
        int b = state_bytes == 4 ? (int)((float)r[a] * (float)(1 / bin_edge[a]))
                                 : (int)(r[a] * (1 / bin_edge[a]));
        b = b < 0 ? 0 : b < bins ? b : bins - 1;
        at[a] = ((b + 1) * l->bricks[a] - 1) / bins;
    }
    return rank_of[(at[0] * l->bricks[1] + at[1]) * l->bricks[2] + at[2]];
}

/* Ranks of the bricks of the layout. */
static torre_status rank_bricks(const md_cuda_solver *s, int **rank_of)
{
    const size_t bytes = sizeof(int) * (size_t)s->layout.brick_count;
    int *ranks = malloc(bytes), *brick_of = malloc(bytes);
    torre_status status = ranks && brick_of
                              ? md_layout_order(&s->layout, &s->plan->ordering, ranks, brick_of)
                              : torre_fail(TORRE_ERR_RESOURCE, "out of memory for bricks");
    free(brick_of);
    if (status)
        free(ranks);
    else
        *rank_of = ranks;
    return status;
}

/* Whether all devices reach the memory of all. */
static torre_status find_reach(md_cuda_solver *s)
{
    md_share *h = s->share;
    int device[MD_DEVICES];
    bool all, all_of[MD_DEVICES];
    if (h->knows_all) return TORRE_OK;
    TORRE_TRY(gather(h, &s->plan->device, sizeof *device, device));
    TORRE_TRY(md_share_reaches(s, device, &all));
    TORRE_TRY(gather(h, &all, sizeof all, all_of));
    h->splits = true;
    for (int r = 0; r < h->ranks->count; r++) h->splits = h->splits && all_of[r];
    h->knows_all = true;
    return TORRE_OK;
}

/* Own bricks in two groups, each in its order: at the front or not. */
static torre_status sort_rows(md_cuda_solver *s, int *rows, int *front)
{
    md_share *h = s->share;
    const int own = s->tiles.own_bricks;
    const size_t bytes = (size_t)own * sizeof *rows;
    int *const there = (int *)(void *)h->rows.bytes, count = 0;
    const md_front_args a = {
        .tiles = s->tiles, .need = needs(h), .self = h->ranks->rank, .front = there};
    TORRE_CUDA_TRY(s->kernels->state->front(&a, s->stream), "sharing bins");
    TORRE_CUDA_TRY(cudaMemcpyAsync(front, there, bytes, cudaMemcpyDeviceToHost, s->stream),
                   "sharing bins");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "sharing bins");
    for (int rest = 0; rest < 2; rest++) {
        if (rest) h->front_count = count;
        for (int row = 0; row < own; row++)
            if ((front[row] == 0) == rest) rows[count++] = row;
    }
    TORRE_CUDA_TRY(cudaMemcpyAsync(there, rows, bytes, cudaMemcpyHostToDevice, s->stream),
                   "sharing bins");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "sharing bins");
    return TORRE_OK;
}

static torre_status find_front(md_cuda_solver *s)
{
    const int64_t bytes = s->tiles.own_bricks * (int64_t)sizeof(int);
    TORRE_TRY(md_share_make_room(&s->share->rows, bytes, "the table of bricks"));
    int *rows = malloc((size_t)bytes), *front = malloc((size_t)bytes);
    const torre_status status = rows && front
                                    ? sort_rows(s, rows, front)
                                    : torre_fail(TORRE_ERR_RESOURCE, "out of memory for bricks");
    free(rows);
    free(front);
    return status;
}

static md_cuts cuts_of(const md_share *h)
{
    md_cuts cuts = {.devices = h->ranks->count};
    for (int r = 0; r <= cuts.devices; r++) cuts.first[r] = (int)h->split.cut[r];
    return cuts;
}

/* Cuts that the first device has made become those of all. */
static torre_status take_cuts(md_cuda_solver *s)
{
    md_share *h = s->share;
    const int count = h->ranks->count, self = h->ranks->rank, bricks = s->layout.brick_count;
    TORRE_TRY(tell_all(h->ranks, h->split.cut, (count + 1) * (int64_t)sizeof *h->split.cut));
    const md_cuts cuts = cuts_of(h);
    TORRE_TRY(md_cuda_take_bricks(s, cuts.first[self], cuts.first[self + 1] - cuts.first[self]));
    TORRE_TRY(md_share_make_room(&h->need, ((int64_t)bricks * s->layout.slots + 1) * 4,
                                 "the table of bins"));
    TORRE_CUDA_TRY(
        s->kernels->state->need(&s->tiles, &cuts, (uint32_t *)(void *)h->need.bytes, s->stream),
        "sharing bins");
    h->uneven = false;
    h->cut_most = 0;
    TORRE_TRY(find_front(s));
    return find_reach(s);
}

/* Of the first device: runs of bricks of as many particles each; everybody has some brick. */
static void cut(md_share *h, const int64_t *work, int bricks)
{
    const int count = h->ranks->count;
    torre_bin_split_cut(&h->split, work, bricks);
    for (int r = 1; r < count; r++) {
        if (h->split.cut[r] <= h->split.cut[r - 1]) h->split.cut[r] = h->split.cut[r - 1] + 1;
        if (h->split.cut[r] > bricks - (count - r)) h->split.cut[r] = bricks - (count - r);
    }
}

/* Own particles by brick. */
static torre_status count_work(md_cuda_solver *s, const int *rank_of, int64_t *work)
{
    const int bytes = s->kernels->state->state_bytes;
    const size_t each = quad_of(s);
    double bin_edge[3];
    char *quads = malloc(each * MD_CHUNK);
    find_bin_edges(s, s->box, bin_edge);
    torre_status status = quads ? TORRE_OK
                                : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a "
                                                                 "copy buffer");
    for (int64_t i = 0; i < s->own_count && !status; i += MD_CHUNK) {
        const int64_t n = s->own_count - i < MD_CHUNK ? s->own_count - i : MD_CHUNK;
        const char *from = (const char *)s->x[s->x_now] + each * (size_t)(s->first_own + i);
        status = torre_cuda_status(
            cudaMemcpy(quads, from, each * (size_t)n, cudaMemcpyDeviceToHost), "sharing bins");
        for (int64_t k = 0; k < n && !status; k++) {
            double r[3];
            for (int a = 0; a < 3; a++) {
                r[a] = bytes == 4 ? ((float *)(void *)quads)[4 * k + a]
                                  : ((double *)(void *)quads)[4 * k + a];
                r[a] -= s->box[a] * floor(r[a] / s->box[a]); /* near enough */
            }
            work[brick_at(&s->layout, bin_edge, rank_of, bytes, r)]++;
        }
    }
    free(quads);
    return status;
}

/* Own particles of all by brick, to the first device. */
static torre_status add_work(const torre_ranks *ranks, int64_t *work, int bricks)
{
    const int64_t bytes = bricks * (int64_t)sizeof *work;
    if (ranks->rank > 0) return torre_rank_send(ranks, 0, work, bytes);
    int64_t *more = malloc((size_t)bytes);
    torre_status status =
        more ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for bricks");
    for (int r = 1; r < ranks->count && !status; r++) {
        status = torre_rank_receive(ranks, r, more, bytes);
        for (int b = 0; b < bricks && !status; b++) work[b] += more[b];
    }
    free(more);
    return status;
}

/* Share the bricks by where the particles are now. */
static torre_status cut_anew(md_cuda_solver *s)
{
    const int bricks = s->layout.brick_count;
    int *rank_of = NULL;
    int64_t *work = calloc((size_t)bricks, sizeof *work);
    torre_status status = work ? rank_bricks(s, &rank_of)
                               : torre_fail(TORRE_ERR_RESOURCE, "out of memory for bricks");
    if (!status) status = count_work(s, rank_of, work);
    if (!status) status = add_work(s->share->ranks, work, bricks);
    if (!status && s->share->ranks->rank == 0) cut(s->share, work, bricks);
    if (!status) status = take_cuts(s);
    free(work);
    free(rank_of);
    return status;
}

/* --- The start --- */

/* Some particles of the problem for a device, as they go to it. */
typedef struct parcel {
    int32_t *brick; /* of each particle of the problem; of the first device alone */
    int *ids;
    char *quads[MD_TOLD]; /* spins NULL where there are none */
    int64_t n;
} parcel;

static torre_status parcel_new(const md_cuda_solver *s, parcel *p)
{
    const size_t each = quad_of(s);
    const size_t all = s->share->ranks->rank ? 1 : (size_t)s->problem->count;
    const int columns = torre_md_is_rough(s->problem) ? 3 : 2;
    *p =
        (parcel){.brick = malloc(all * sizeof *p->brick), .ids = malloc(sizeof *p->ids * MD_CHUNK)};
    bool made = p->brick && p->ids;
    for (int k = 0; k < columns && made; k++) made = (p->quads[k] = malloc(each * MD_CHUNK));
    return made ? TORRE_OK
                : torre_fail(TORRE_ERR_RESOURCE, "out of memory for the particles of ranks");
}

static void parcel_free(parcel *p)
{
    free(p->brick);
    free(p->ids);
    for (int k = 0; k < MD_TOLD; k++) free(p->quads[k]);
}

/* Bricks of all particles, and cuts. */
static torre_status share_bricks(md_cuda_solver *s, const double *const position[3], parcel *p)
{
    md_share *h = s->share;
    const int bricks = s->layout.brick_count;
    int *rank_of = NULL;
    double bin_edge[3];
    int64_t *work = calloc((size_t)bricks, sizeof *work);
    torre_status status = work ? rank_bricks(s, &rank_of)
                               : torre_fail(TORRE_ERR_RESOURCE, "out of memory for bricks");
    find_bin_edges(s, s->problem->box, bin_edge);
    for (int64_t i = 0; i < s->problem->count && !status; i++) {
        const double r[3] = {position[0][i], position[1][i], position[2][i]};
        p->brick[i] = brick_at(&s->layout, bin_edge, rank_of, s->kernels->state->state_bytes, r);
        work[p->brick[i]]++;
    }
    if (!status) cut(h, work, bricks);
    memset(h->own_of, 0, sizeof h->own_of);
    for (int b = 0; b < bricks && !status; b++)
        h->own_of[torre_bin_split_owner(&h->split, b)] += work[b];
    free(work);
    free(rank_of);
    return status;
}

/* The particles of [low, high) that are a device's. */
static void fill_parcel(const md_cuda_solver *s, const double *const position[3],
                        const double *const velocity[3], int rank, int64_t low, int64_t high,
                        parcel *p)
{
    const torre_bin_split *split = &s->share->split;
    const int bytes = s->kernels->state->state_bytes;
    p->n = 0;
    for (int64_t i = low; i < high; i++)
        if (p->brick[i] >= split->cut[rank] && p->brick[i] < split->cut[rank + 1])
            p->ids[p->n++] = (int)i;
    md_cuda_pack(bytes, position, s->problem, p->ids, p->n, p->quads[0]);
    md_cuda_pack(bytes, velocity, NULL, p->ids, p->n, p->quads[1]);
    if (p->quads[2] && md_cuda_has_spins(s->problem))
        md_cuda_pack(bytes, s->problem->spin, NULL, p->ids, p->n, p->quads[2]);
    else if (p->quads[2])
        memset(p->quads[2], 0, quad_of(s) * (size_t)p->n);
}

static torre_status send_parcel(const md_cuda_solver *s, int rank, const parcel *p)
{
    const torre_ranks *ranks = s->share->ranks;
    const int64_t bytes = p->n * (int64_t)quad_of(s);
    TORRE_TRY(torre_rank_send(ranks, rank, &p->n, sizeof p->n));
    if (p->n == 0) return TORRE_OK;
    TORRE_TRY(torre_rank_send(ranks, rank, p->ids, p->n * (int64_t)sizeof *p->ids));
    for (int k = 0; k < MD_TOLD; k++)
        if (p->quads[k]) TORRE_TRY(torre_rank_send(ranks, rank, p->quads[k], bytes));
    return TORRE_OK;
}

static torre_status receive_parcel(const md_cuda_solver *s, parcel *p)
{
    const torre_ranks *ranks = s->share->ranks;
    TORRE_TRY(torre_rank_receive(ranks, 0, &p->n, sizeof p->n));
    const int64_t bytes = p->n * (int64_t)quad_of(s);
    if (p->n == 0) return TORRE_OK;
    TORRE_TRY(torre_rank_receive(ranks, 0, p->ids, p->n * (int64_t)sizeof *p->ids));
    for (int k = 0; k < MD_TOLD; k++)
        if (p->quads[k]) TORRE_TRY(torre_rank_receive(ranks, 0, p->quads[k], bytes));
    return TORRE_OK;
}

/* Behind the own particles there are so far. */
static torre_status keep_parcel(md_cuda_solver *s, const parcel *p)
{
    static const char what[] = "sending particles to the device";
    const size_t each = quad_of(s), at = (size_t)s->own_count, n = (size_t)p->n;
    char *const to[MD_TOLD] = {s->x[0], s->v[0], s->spin[0]};
    if (n == 0) return TORRE_OK;
    for (int k = 0; k < MD_TOLD; k++)
        if (p->quads[k])
            TORRE_CUDA_TRY(
                cudaMemcpy(to[k] + at * each, p->quads[k], n * each, cudaMemcpyHostToDevice), what);
    TORRE_CUDA_TRY(cudaMemcpy(s->id[0] + at, p->ids, n * sizeof *p->ids, cudaMemcpyHostToDevice),
                   what);
    s->own_count += p->n;
    return TORRE_OK;
}

static torre_status load(md_cuda_solver *s, const double *const position[3],
                         const double *const velocity[3], parcel *p)
{
    md_share *h = s->share;
    const torre_ranks *ranks = h->ranks;
    const int64_t count = s->problem->count;
    if (ranks->rank == 0) TORRE_TRY(share_bricks(s, position, p));
    TORRE_TRY(tell_all(ranks, h->own_of, sizeof h->own_of));
    TORRE_TRY(take_cuts(s));
    s->first_own = s->own_count = s->received = 0;
    if (h->own_of[ranks->rank] > s->places) TORRE_TRY(md_cuda_grow(s, h->own_of[ranks->rank]));
    for (int64_t i = 0; i < count; i += MD_CHUNK) {
        const int64_t end = i + MD_CHUNK < count ? i + MD_CHUNK : count;
        for (int r = ranks->count - 1; r >= 0; r--) {
            if (ranks->rank == 0) fill_parcel(s, position, velocity, r, i, end, p);
            if (ranks->rank == 0 && r > 0) TORRE_TRY(send_parcel(s, r, p));
            if (ranks->rank == r && r > 0) TORRE_TRY(receive_parcel(s, p));
            if (ranks->rank == r) TORRE_TRY(keep_parcel(s, p));
        }
    }
    TORRE_CUDA_TRY(cudaMemcpy(s->x_built, s->x[0], quad_of(s) * (size_t)s->own_count,
                              cudaMemcpyDeviceToDevice),
                   "sending particles to the device");
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "sending particles to the device");
    return TORRE_OK;
}

torre_status md_share_load(md_cuda_solver *s, const double *const position[3],
                           const double *const velocity[3])
{
    parcel p;
    torre_status status = parcel_new(s, &p);
    if (!status) status = load(s, position, velocity, &p);
    parcel_free(&p);
    return status;
}

/* --- Rebuilds --- */

/* How many of its particles each device ([from][to]) hands on, and how many for good (of rough
 * grains). */
typedef struct handed {
    int count[MD_DEVICES][MD_DEVICES];
    md_contacts_gone gone;
} handed;

/* Wait until what was queued to be read is there. */
static torre_status wait_read(md_cuda_solver *s)
{
    TORRE_CUDA_TRY(cudaEventSynchronize(s->share->read), "computing steps");
    return TORRE_OK;
}

static torre_status mark_read(md_cuda_solver *s)
{
    TORRE_CUDA_TRY(cudaEventRecord(s->share->read, s->stream), telling);
    return TORRE_OK;
}

static md_lend_args lend_args(md_cuda_solver *s, double half_step, double most, bool look)
{
    md_share *h = s->share;
    md_lend_args a = {.sort = md_cuda_sort_args(s, half_step, most), .lent = h->count};
    if (torre_md_is_rough(s->problem)) a.cuts = cuts_of(h);
    a.sort.need = needs(h);
    a.sort.self = h->ranks->rank;
    if (!look) a.sort.x_was = NULL;
    return a;
}

/* Queue that own particles are in their bins, and that the host knows who needs how many. */
static torre_status queue_count(md_cuda_solver *s, double half_step, double most, bool look)
{
    md_share *h = s->share;
    s->received = 0;
    TORRE_TRY(md_cuda_queue_fit(s, false));
    const md_lend_args a = lend_args(s, half_step, most, look);
    TORRE_CUDA_TRY(s->kernels->state->bin(&a, s->stream), telling);
    TORRE_CUDA_TRY(cudaMemcpyAsync(h->counts->lent, h->count, sizeof h->counts->lent,
                                   cudaMemcpyDeviceToHost, s->stream),
                   telling);
    TORRE_TRY(md_cuda_queue_control(s));
    TORRE_TRY(mark_read(s));
    h->counted = true;
    return TORRE_OK;
}

torre_status md_share_foresee(md_cuda_solver *s, double half_step, double most)
{
    return s->share->uneven ? TORRE_OK : queue_count(s, half_step, most, true);
}

/* What the devices have counted, and their control blocks. */
static torre_status read_count(md_cuda_solver *s, handed *all, md_control *control)
{
    struct counted {
        int lent[2][MD_DEVICES];
        md_control control;
    } own, each[MD_DEVICES];
    md_share *h = s->share;
    TORRE_TRY(wait_read(s));
    h->counted = false;
    md_cuda_take_control(s, control, NULL);
    memcpy(own.lent, h->counts->lent, sizeof own.lent);
    own.control = *control;
    TORRE_TRY(gather(h, &own, sizeof own, each));
    for (int r = 0; r < h->ranks->count; r++) {
        memcpy(all->count[r], each[r].lent[0], sizeof all->count[r]);
        memcpy(all->gone.count[r], each[r].lent[1], sizeof all->gone.count[r]);
        add_control(control, &each[r].control);
    }
    return TORRE_OK;
}

/* Where the parts of each device are in what is passed, and behind the own particles. */
static void plan_passing(md_cuda_solver *s, md_lend_args *a, const handed *all, int out)
{
    md_share *h = s->share;
    const int self = h->ranks->rank;
    const int64_t each = (int64_t)quad_of(s), ids = sizeof(int);
    char *const here[MD_TOLD] = {s->x[s->x_now], s->v[s->v_now], s->spin[s->v_now]};
    char *passed[MD_TOLD], *const id = h->passed.bytes + MD_TOLD * out * each;
    int64_t from = 0, to = s->first_own + s->own_count;
    for (int k = 0; k < MD_TOLD; k++)
        passed[k] = here[k] ? h->passed.bytes + k * (out * each) : NULL;
    a->x_out = passed[0];
    a->v_out = passed[1];
    a->spin_out = passed[2];
    a->id_out = (int *)(void *)id;
    for (int r = 0; r < h->ranks->count; r++) {
        const int64_t lent = all->count[self][r], got = r == self ? 0 : all->count[r][self];
        a->first[r] = (int)from;
        for (int k = 0; k < MD_TOLD; k++) {
            h->out[r][k] = h->in[r][k] = (torre_rank_piece){NULL, 0};
            if (!here[k]) continue;
            h->out[r][k] = (torre_rank_piece){passed[k] + from * each, lent * each};
            h->in[r][k] = (torre_rank_piece){here[k] + to * each, got * each};
        }
        h->out[r][MD_TOLD] = (torre_rank_piece){id + from * ids, lent * ids};
        h->in[r][MD_TOLD] = (torre_rank_piece){(char *)(s->id[s->id_now] + to), got * ids};
        from += lent;
        to += got;
    }
}

/* Room for so many others behind the own particles, whose bins are lost where there is none. */
static torre_status make_places(md_cuda_solver *s, double half_step, double most, int64_t others)
{
    const int64_t count = s->own_count + others;
    if (s->first_own + count <= s->places) return TORRE_OK;
    TORRE_TRY(md_cuda_grow(s, count + count / 16));
    const md_lend_args a = lend_args(s, half_step, most, false);
    TORRE_CUDA_TRY(s->kernels->state->bin(&a, s->stream), telling);
    return TORRE_OK;
}

/* Particles to who needs them, behind the own ones. */
static torre_status pass(md_cuda_solver *s, double half_step, double most, const handed *all)
{
    md_share *h = s->share;
    const int self = h->ranks->rank;
    int out = 0;
    int64_t in = 0;
    for (int r = 0; r < h->ranks->count; r++) {
        out += all->count[self][r];
        in += all->count[r][self];
    }
    TORRE_TRY(
        md_share_make_shown_room(h, &h->passed, out * (MD_TOLD * (int64_t)quad_of(s) + 4) + 16));
    TORRE_TRY(make_places(s, half_step, most, in));
    md_lend_args a = lend_args(s, half_step, most, false);
    if (a.cuts.devices) TORRE_TRY(md_contacts_room(s, &all->gone, a.gone_first, &a.gone_id));
    plan_passing(s, &a, all, out);
    TORRE_CUDA_TRY(s->kernels->state->lend(&a, s->stream), telling);
    md_take_args take = {.control = NULL};
    TORRE_TRY(md_share_deliver(s, s->stream, &take));
    if (take.others > 0) TORRE_CUDA_TRY(s->kernels->state->take(&take, s->stream), telling);
    s->received = in;
    return a.cuts.devices ? md_contacts_pass(s, &all->gone) : TORRE_OK;
}

/* The same from the beginning; *control is as it was before the sort. */
static torre_status hand_on(md_cuda_solver *s, double half_step, double most, bool look,
                            md_control *control)
{
    handed all;
    if (!s->share->counted) TORRE_TRY(queue_count(s, half_step, most, look));
    TORRE_TRY(read_count(s, &all, control));
    if (control->error) return write_control(s, control);
    return pass(s, half_step, most, &all);
}

/* Queue that the host knows where the particles of all are, behind the sort. */
static torre_status queue_places(md_cuda_solver *s)
{
    md_share *h = s->share;
    for (int r = 0; r <= h->ranks->count; r++)
        TORRE_CUDA_TRY(cudaMemcpyAsync(
                           &h->counts->first[r], s->tiles.start + h->split.cut[r] * s->layout.slots,
                           sizeof h->counts->first[r], cudaMemcpyDeviceToHost, s->stream),
                       telling);
    return mark_read(s);
}

/* Places of all in storage, who needs how many of this device, and whether shares are even. */
static torre_status find_places(md_cuda_solver *s)
{
    md_share *h = s->share;
    const int count = h->ranks->count, self = h->ranks->rank;
    int here[MD_DEVICES] = {0}, all[MD_DEVICES][MD_DEVICES];
    int64_t sum = 0, most = 0;
    TORRE_TRY(wait_read(s));
    memcpy(h->first, h->counts->first, sizeof h->first);
    for (int r = 0; r < count; r++) here[r] = h->first[r + 1] - h->first[r];
    TORRE_TRY(gather(h, here, sizeof here, all));
    for (int r = 0; r < count; r++) {
        h->lent[r + 1] = h->lent[r] + (r == self ? 0 : all[r][self]);
        h->own_of[r] = all[r][r];
        sum += h->own_of[r];
        if (h->own_of[r] > most) most = h->own_of[r];
    }
    s->count = h->first[count];
    s->first_own = h->first[self];
    s->own_count = here[self];
    s->received = 0;
    /* a cut can be no better than a brick, so what it made counts */
    if (h->cut_most == 0) h->cut_most = most;
    h->uneven =
        (double)most > UNEVEN * (double)h->cut_most && (double)most * count > UNEVEN * (double)sum;
    if (sum == s->problem->count) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "GPUs have lost track of their particles: %lld of %lld",
                      (long long)sum, (long long)s->problem->count);
}

/* Which of the own places others need from now on. */
static torre_status find_borders(md_cuda_solver *s)
{
    md_share *h = s->share;
    md_border_args a = {.need = needs(h),
                        .key = s->order_key,
                        .first = (int)s->first_own,
                        .own = (int)s->own_count};
    TORRE_CUDA_TRY(md_scan_bytes(a.own + 1, &a.scan_bytes), telling);
    const int64_t ints = (a.own + 1) * (int64_t)sizeof(int), front = (2 * ints + 255) / 256 * 256;
    TORRE_TRY(md_share_make_room(&h->scan, front + (int64_t)a.scan_bytes + 16, telling));
    TORRE_TRY(md_share_make_room(&h->lent_places,
                                 (h->lent[h->ranks->count] + 1) * (int64_t)sizeof(int), telling));
    a.flag = (int *)(void *)h->scan.bytes;
    a.at = a.flag + a.own + 1;
    a.scan_scratch = h->scan.bytes + front;
    for (int r = 0; r < h->ranks->count; r++) {
        if (h->lent[r] == h->lent[r + 1]) continue;
        a.to = r;
        a.lent = (int *)(void *)h->lent_places.bytes + h->lent[r];
        TORRE_CUDA_TRY(s->kernels->state->border(&a, s->stream), telling);
    }
    return TORRE_OK;
}

/* Places of the particles before a sort. */
typedef struct places {
    int64_t count, first_own, own_count;
} places;

/* Tables that were too small, of any device, are made larger by all. */
static torre_status make_larger(md_cuda_solver *s, const places *was, const md_control *asked,
                                md_control *before)
{
    md_cuda_other_buffers(s); /* those of before the sort, where own particles are as they were */
    s->count = was->count;
    s->first_own = was->first_own;
    s->own_count = was->own_count;
    TORRE_TRY(md_cuda_enlarge(s, asked, s->last_build));
    s->share->uneven = true; /* there are other bricks */
    return write_control(s, before);
}

/* Lists, and while they are made, what the places of particles say. */
static torre_status make_lists(md_cuda_solver *s, md_control *control)
{
    md_share *h = s->share;
    TORRE_TRY(queue_places(s));
    TORRE_TRY(md_cuda_queue_list(s));
    TORRE_TRY(md_cuda_queue_control(s));
    TORRE_CUDA_TRY(cudaEventRecord(h->listed, s->stream), telling);
    TORRE_TRY(find_places(s));
    TORRE_TRY(find_borders(s));
    TORRE_CUDA_TRY(cudaEventSynchronize(h->listed), "building neighbour lists");
    md_cuda_take_control(s, control, NULL);
    return gather_control(s->share, control);
}

torre_status md_share_rebuild(md_cuda_solver *s, double half_step, double most, bool look,
                              cudaEvent_t sorted)
{
    md_control before, control;
    for (;; look = false) {
        if (s->share->uneven) TORRE_TRY(cut_anew(s));
        TORRE_TRY(hand_on(s, half_step, most, look, &before));
        if (before.error) return TORRE_OK;
        const places was = {s->count, s->first_own, s->own_count};
        TORRE_TRY(md_cuda_queue_sort(s, true, half_step, most));
        if (sorted) TORRE_CUDA_TRY(cudaEventRecord(sorted, s->stream), "timing");
        TORRE_TRY(make_lists(s, &control));
        if (!control.error) return TORRE_OK;
        TORRE_TRY(make_larger(s, &was, &control, &before));
    }
}

/* --- Steps --- */

/* Queue that what was delivered is where it belongs, and that all stop where one does. */
static torre_status deliver_and_take(md_cuda_solver *s, cudaStream_t stream)
{
    const md_share *h = s->share;
    md_take_args take = {.control = s->control};
    TORRE_TRY(md_share_deliver(s, stream, &take));
    if (take.others > 0) TORRE_CUDA_TRY(s->kernels->state->take(&take, stream), telling);
    if (take.others == h->ranks->count - 1) return TORRE_OK;
    TORRE_CUDA_TRY(s->kernels->state->join(s->control, h->last, h->ranks->count, stream), telling);
    return TORRE_OK;
}

torre_status md_share_tell(md_cuda_solver *s, cudaStream_t stream, void *const quads[MD_TOLD])
{
    md_share *h = s->share;
    md_share_room *told = &h->told[h->turn_told];
    const int self = h->ranks->rank, all = h->lent[h->ranks->count];
    const int64_t each = (int64_t)quad_of(s);
    int columns = 0;
    for (int k = 0; k < MD_TOLD; k++) columns += quads[k] != NULL;
    TORRE_TRY(md_share_make_shown_room(h, told, columns * all * each + 16));
    char *const last = told->bytes + columns * all * each;
    md_tell_args a = {.lent = (const int *)(const void *)h->lent_places.bytes,
                      .count = all,
                      .last_out = (int *)(void *)last,
                      .control = s->control};
    for (int k = 0, at = 0; k < MD_TOLD; k++) {
        if (!quads[k]) continue;
        a.from[k] = quads[k];
        a.to[k] = told->bytes + at++ * all * each;
    }
    h->turn_told = 1 - h->turn_told;
    TORRE_CUDA_TRY(s->kernels->state->tell(&a, stream), telling);
    for (int r = 0; r < h->ranks->count; r++) {
        const int64_t from = h->lent[r] * each, to = h->first[r] * each;
        const int64_t lent = (h->lent[r + 1] - h->lent[r]) * each;
        const int64_t got = r == self ? 0 : (h->first[r + 1] - h->first[r]) * each;
        const int64_t flag = r == self ? 0 : (int64_t)sizeof(int);
        for (int k = 0; k < MD_TOLD; k++) {
            h->out[r][k] = h->in[r][k] = (torre_rank_piece){NULL, 0};
            if (!quads[k]) continue;
            h->out[r][k] = (torre_rank_piece){(char *)a.to[k] + from, lent};
            h->in[r][k] = (torre_rank_piece){(char *)quads[k] + to, got};
        }
        h->out[r][MD_TOLD] = (torre_rank_piece){last, flag};
        h->in[r][MD_TOLD] = (torre_rank_piece){(char *)(h->last + r), flag};
    }
    return deliver_and_take(s, stream);
}

torre_status md_share_fork(md_cuda_solver *s)
{
    const md_share *h = s->share;
    TORRE_CUDA_TRY(cudaEventRecord(h->begun, s->stream), telling);
    TORRE_CUDA_TRY(cudaStreamWaitEvent(h->ahead, h->begun, 0), telling);
    return TORRE_OK;
}

torre_status md_share_join(md_cuda_solver *s)
{
    const md_share *h = s->share;
    TORRE_CUDA_TRY(cudaEventRecord(h->told_all, h->ahead), telling);
    TORRE_CUDA_TRY(cudaStreamWaitEvent(s->stream, h->told_all, 0), telling);
    return TORRE_OK;
}

torre_status md_share_agree(md_cuda_solver *s)
{
    md_share *h = s->share;
    for (int r = 0; r < h->ranks->count; r++) {
        const int64_t flag = r == h->ranks->rank ? 0 : (int64_t)sizeof(int);
        for (int k = 0; k < MD_TOLD; k++) h->out[r][k] = h->in[r][k] = (torre_rank_piece){NULL, 0};
        /* where a kernel of the next step changes it meanwhile, that is the number of that step,
         * which is none less to do before it */
        h->out[r][MD_TOLD] = (torre_rank_piece){(char *)&s->control->last, flag};
        h->in[r][MD_TOLD] = (torre_rank_piece){(char *)(h->last + r), flag};
    }
    return deliver_and_take(s, s->stream);
}

/* --- Sums --- */

/* Rows of the bricks of all, to each. All read the control blocks of all before they pass on other
 * rows, so one room is enough. */
static torre_status pass_rows(md_cuda_solver *s)
{
    md_share *h = s->share;
    const int self = h->ranks->rank;
    const int64_t *cut = h->split.cut, each = MD_SUMS * (int64_t)sizeof(double);
    const int64_t own = (cut[self + 1] - cut[self]) * each;
    TORRE_TRY(md_share_make_shown_room(h, &h->sums, own));
    TORRE_CUDA_TRY(cudaMemcpyAsync(h->sums.bytes, s->partial + cut[self] * MD_SUMS, (size_t)own,
                                   cudaMemcpyDeviceToDevice, s->stream),
                   telling);
    for (int r = 0; r < h->ranks->count; r++) {
        const int64_t lent = r == self ? 0 : own;
        const int64_t got = r == self ? 0 : (cut[r + 1] - cut[r]) * each;
        for (int k = 0; k < MD_SHARE_PARTS; k++)
            h->out[r][k] = h->in[r][k] = (torre_rank_piece){NULL, 0};
        h->out[r][0] = (torre_rank_piece){h->sums.bytes, lent};
        h->in[r][0] = (torre_rank_piece){(char *)(s->partial + cut[r] * MD_SUMS), got};
    }
    return md_share_deliver(s, s->stream, NULL);
}

torre_status md_share_total(md_cuda_solver *s)
{
    TORRE_TRY(pass_rows(s));
    TORRE_CUDA_TRY(md_total(s->partial, s->layout.brick_count, s->total, s->stream),
                   "adding up energies");
    return TORRE_OK;
}

/* Who reads what is told here has done so before it tells where its particles are, and all wait for
 * that before the forces of the next step: one room is enough. */
torre_status md_share_speeds(md_cuda_solver *s, int sums)
{
    md_share *h = s->share;
    const int self = h->ranks->rank, bricks = s->layout.brick_count;
    const int64_t *cut = h->split.cut, each = sums * (int64_t)sizeof(double);
    const int low = (int)cut[self], high = (int)cut[self + 1];
    TORRE_TRY(md_share_make_shown_room(h, &h->speeds, bricks * each));
    char *const bytes = h->speeds.bytes;
    double *const speeds = (double *)(void *)bytes, *const partial = s->partial;
    TORRE_CUDA_TRY(s->kernels->state->speeds(partial + low * (int64_t)MD_SUMS,
                                             speeds + low * (int64_t)sums, high - low, sums, false,
                                             s->stream),
                   telling);
    for (int r = 0; r < h->ranks->count; r++) {
        const int64_t lent = r == self ? 0 : high - low, got = r == self ? 0 : cut[r + 1] - cut[r];
        for (int k = 0; k < MD_SHARE_PARTS; k++)
            h->out[r][k] = h->in[r][k] = (torre_rank_piece){bytes, 0};
        h->out[r][0] = (torre_rank_piece){bytes + low * each, lent * each};
        h->in[r][0] = (torre_rank_piece){bytes + cut[r] * each, got * each};
    }
    TORRE_TRY(md_share_deliver(s, s->stream, NULL));
    TORRE_CUDA_TRY(s->kernels->state->speeds(partial, speeds, low, sums, true, s->stream), telling);
    TORRE_CUDA_TRY(s->kernels->state->speeds(partial + high * (int64_t)MD_SUMS,
                                             speeds + high * (int64_t)sums, bricks - high, sums,
                                             true, s->stream),
                   telling);
    return TORRE_OK;
}

torre_status md_share_add(md_cuda_solver *s, bool taken_in_parts)
{
    static const char what[] = "adding up energies";
    double sum[MD_SUMS], all[MD_DEVICES][MD_SUMS];
    double *const at = s->total + MD_SUMS;
    TORRE_CUDA_TRY(cudaMemcpyAsync(sum, at, sizeof sum, cudaMemcpyDeviceToHost, s->stream), what);
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), what);
    TORRE_TRY(gather(s->share, sum, sizeof sum, all));
    memcpy(sum, all[0], sizeof sum);
    for (int r = 1; r < s->share->ranks->count; r++)
        for (int k = 0; k < MD_SUMS; k++)
            if (k != MD_SUM_TAKEN || taken_in_parts) sum[k] += all[r][k];
    TORRE_CUDA_TRY(cudaMemcpy(at, sum, sizeof sum, cudaMemcpyHostToDevice), what);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), what);
    return TORRE_OK;
}

/* --- States --- */

torre_status md_share_visit(void *context, const char *name, void *data, int64_t bytes)
{
    const md_share_visitor *to = context;
    if (to->ranks->rank == 0) TORRE_TRY(to->visit(to->context, name, data, bytes));
    return tell_all(to->ranks, data, bytes);
}

enum { STATE_ARRAYS = 5 };

/* An array of the state, [place] of a device. */
typedef struct state_array {
    const char *name;
    char *at;
    int64_t each;
    char *whole; /* of all devices, one after another: host, of the first */
} state_array;

static void state_arrays(const md_cuda_solver *s, state_array of[STATE_ARRAYS])
{
    const int64_t quads = (int64_t)quad_of(s);
    of[0].name = "id", of[0].at = (char *)s->id[s->id_now], of[0].each = sizeof *s->id[0];
    of[1].name = "position", of[1].at = s->x[s->x_now], of[1].each = quads;
    of[2].name = "velocity", of[2].at = s->v[s->v_now], of[2].each = quads;
    of[3].name = "force", of[3].at = s->f, of[3].each = quads;
    of[4].name = "hold", of[4].at = s->x_built, of[4].each = quads;
}

/* Own particles of the device to memory of the host, or from it. */
static torre_status move_own(md_cuda_solver *s, const state_array *a, char *host, bool up)
{
    char *const at = a->at + s->first_own * a->each;
    TORRE_CUDA_TRY(cudaMemcpy(up ? at : host, up ? host : at, (size_t)(s->own_count * a->each),
                              up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost),
                   "the state of particles");
    return TORRE_OK;
}

/* Between the device and what the first one has of all, by way of `buffer`. */
static torre_status move_whole(md_cuda_solver *s, const state_array *a, char *buffer, bool up)
{
    const md_share *h = s->share;
    const torre_ranks *ranks = h->ranks;
    if (ranks->rank > 0) {
        const int64_t bytes = s->own_count * a->each;
        if (!up) TORRE_TRY(move_own(s, a, buffer, false));
        TORRE_TRY(up ? torre_rank_receive(ranks, 0, buffer, bytes)
                     : torre_rank_send(ranks, 0, buffer, bytes));
        return up ? move_own(s, a, buffer, true) : TORRE_OK;
    }
    char *at = a->whole + h->own_of[0] * a->each;
    TORRE_TRY(move_own(s, a, a->whole, up));
    for (int r = 1; r < ranks->count; at += h->own_of[r++] * a->each)
        TORRE_TRY(up ? torre_rank_send(ranks, r, at, h->own_of[r] * a->each)
                     : torre_rank_receive(ranks, r, at, h->own_of[r] * a->each));
    return TORRE_OK;
}

/* Of the first device: whose the particles are by where they were held, which is in their order. */
static torre_status share_state(md_cuda_solver *s, const state_array *hold, bool anew)
{
    md_share *h = s->share;
    const int bricks = s->layout.brick_count, bytes = s->kernels->state->state_bytes;
    int *rank_of = NULL, last = 0;
    double bin_edge[3], built[3];
    TORRE_TRY(md_cuda_box_built(s, built));
    int64_t *work = calloc((size_t)bricks, sizeof *work);
    torre_status status = work ? rank_bricks(s, &rank_of)
                               : torre_fail(TORRE_ERR_RESOURCE, "out of memory for bricks");
    find_bin_edges(s, built, bin_edge);
    for (int64_t i = 0; i < s->problem->count && !status; i++) {
        double r[3];
        for (int a = 0; a < 3; a++)
            r[a] = bytes == 4 ? ((float *)(void *)hold->whole)[4 * i + a]
                              : ((double *)(void *)hold->whole)[4 * i + a];
        const int brick = brick_at(&s->layout, bin_edge, rank_of, bytes, r);
        if (brick < last)
            status = torre_fail(TORRE_ERR_INPUT, "the state has particles in another order than "
                                                 "that of their bins");
        last = brick;
        work[brick]++;
    }
    if (!status && anew) cut(h, work, bricks);
    memset(h->own_of, 0, sizeof h->own_of);
    for (int b = 0; b < bricks && !status; b++)
        h->own_of[torre_bin_split_owner(&h->split, b)] += work[b];
    free(work);
    free(rank_of);
    return status;
}

/* The state that the first device has been shown, or another one, to all. */
static torre_status take_state(md_cuda_solver *s, state_array of[STATE_ARRAYS], bool anew)
{
    md_share *h = s->share;
    const int self = h->ranks->rank;
    if (self == 0) TORRE_TRY(share_state(s, &of[4], anew));
    TORRE_TRY(tell_all(h->ranks, h->own_of, sizeof h->own_of));
    if (anew) TORRE_TRY(take_cuts(s));
    if (anew || h->own_of[self] != s->own_count) s->first_own = s->own_count = s->received = 0;
    if (h->own_of[self] > s->places) TORRE_TRY(md_cuda_grow(s, h->own_of[self]));
    s->own_count = h->own_of[self];
    state_arrays(s, of); /* where they are now */
    char *buffer = malloc((size_t)s->own_count * quad_of(s) + 1);
    torre_status status =
        buffer ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy buffer");
    for (int k = 0; k < STATE_ARRAYS && !status; k++) status = move_whole(s, &of[k], buffer, true);
    free(buffer);
    return status;
}

static torre_status show_state(md_cuda_solver *s, const md_share_visitor *to,
                               state_array of[STATE_ARRAYS], char *buffer)
{
    const bool first = s->share->ranks->rank == 0;
    for (int k = 0; k < STATE_ARRAYS; k++) {
        const int64_t bytes = s->problem->count * of[k].each;
        if (first && !(of[k].whole = malloc((size_t)bytes)))
            return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy of the particles");
        TORRE_TRY(move_whole(s, &of[k], buffer, false));
        if (first) TORRE_TRY(to->visit(to->context, of[k].name, of[k].whole, bytes));
    }
    return TORRE_OK;
}

torre_status md_share_visit_quads(md_cuda_solver *s, const md_share_visitor *to, const char *name,
                                  void *quads)
{
    const int64_t each = (int64_t)quad_of(s), bytes = s->problem->count * each;
    const bool first = s->share->ranks->rank == 0;
    state_array a = {name, quads, each, first ? malloc((size_t)bytes) : NULL};
    char *buffer = malloc((size_t)(s->own_count * each) + 1);
    torre_status status =
        buffer && (a.whole || !first)
            ? move_whole(s, &a, buffer, false)
            : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy of the particles");
    if (!status && first) status = to->visit(to->context, name, a.whole, bytes);
    if (!status) status = move_whole(s, &a, buffer, true);
    free(a.whole);
    free(buffer);
    return status;
}

torre_status md_share_state(md_cuda_solver *s, const md_share_visitor *to, bool anew)
{
    state_array of[STATE_ARRAYS] = {{0}};
    state_arrays(s, of);
    char *buffer = malloc((size_t)s->own_count * quad_of(s) + 1);
    torre_status status = buffer
                              ? show_state(s, to, of, buffer)
                              : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy buffer");
    free(buffer);
    if (!status && anew) status = md_cuda_make_room(s);
    if (!status) status = take_state(s, of, anew);
    for (int k = 0; k < STATE_ARRAYS; k++) free(of[k].whole);
    return status;
}

/* What a rebuild of held positions loses of own particles, which it leaves in their order:
 * positions, forces, of rough grains what turns them. */
enum { KEPT = 3 };

static int kept_arrays(const md_cuda_solver *s, state_array of[KEPT])
{
    const int64_t quads = (int64_t)quad_of(s);
    of[0] = (state_array){.at = s->x[s->x_now], .each = quads};
    of[1] = (state_array){.at = s->f, .each = quads};
    of[2] = (state_array){.at = s->twist, .each = quads};
    return s->twist ? KEPT : KEPT - 1;
}

static torre_status rebuild_held(md_cuda_solver *s, char *const kept[KEPT])
{
    const int64_t count = s->own_count;
    const size_t bytes = quad_of(s) * (size_t)count, first = quad_of(s) * (size_t)s->first_own;
    state_array of[KEPT];
    const int arrays = kept_arrays(s, of);
    for (int k = 0; k < arrays; k++) TORRE_TRY(move_own(s, &of[k], kept[k], false));
    TORRE_CUDA_TRY(cudaMemcpy(of[0].at + first, (const char *)s->x_built + first, bytes,
                              cudaMemcpyDeviceToDevice),
                   telling);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), telling);
    s->share->uneven = false;
    TORRE_TRY(md_cuda_clear_control(s, s->step, s->step));
    TORRE_TRY(md_share_rebuild(s, 0, 0, false, NULL));
    if (s->own_count != count)
        return torre_fail(TORRE_ERR_INPUT, "the state does not fit its own bins");
    kept_arrays(s, of);
    for (int k = 0; k < arrays; k++) TORRE_TRY(move_own(s, &of[k], kept[k], true));
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), telling);
    void *const quads[MD_TOLD] = {of[0].at,
                                  torre_pair_dissipates(s->problem->model) ? s->v[s->v_now] : NULL,
                                  s->spin[s->v_now]};
    return md_share_tell(s, s->stream, quads);
}

torre_status md_share_resume(md_cuda_solver *s)
{
    const size_t bytes = quad_of(s) * (size_t)s->own_count + 1;
    char *kept[KEPT];
    bool made = true;
    for (int k = 0; k < KEPT; k++) made = (kept[k] = malloc(bytes)) && made;
    const torre_status status =
        made ? rebuild_held(s, kept)
             : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy of the particles");
    for (int k = 0; k < KEPT; k++) free(kept[k]);
    return status;
}
