/*
 * The store of particles on the device: particles in and out, the sort by bin, neighbour lists, and
 * the control block by which kernels and host talk.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md_share.h"
#include "particles/grains.h"
#include "particles/md_types.h"

/* The fourth number of the position of a particle: its type, or radius. */
static double fourth(const torre_md_problem *p, int64_t id)
{
    if (torre_md_is_rough(p)) return torre_grain_radius(p, id);
    return p->types ? p->types->type[id] : 0;
}

void md_cuda_pack(int state_bytes, const double *const from[3], const torre_md_problem *p,
                  const int *ids, int64_t n, void *to)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            if (state_bytes == 4)
                ((float *)to)[4 * i + a] = (float)from[a][ids[i]];
            else
                ((double *)to)[4 * i + a] = from[a][ids[i]];
        }
        const double w = p ? fourth(p, ids[i]) : 0;
        if (state_bytes == 4)
            ((float *)to)[4 * i + 3] = (float)w;
        else
            ((double *)to)[4 * i + 3] = w;
    }
}

/* Some of the particles of the problem, in the order of ids, and memory to convert them in. */
typedef struct chunk {
    int64_t first, n;
    int *ids;
    void *quads;
} chunk;

/* The next ones; the first after chunk_new. */
static bool chunk_next(chunk *c, int64_t count)
{
    c->first += c->n;
    c->n = count - c->first < MD_CHUNK ? count - c->first : MD_CHUNK;
    return c->n > 0;
}

static torre_status chunk_new(size_t each, chunk *c)
{
    *c = (chunk){.ids = malloc(sizeof *c->ids * MD_CHUNK), .quads = malloc(each * MD_CHUNK)};
    if (c->ids && c->quads) return TORRE_OK;
    free(c->ids);
    free(c->quads);
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy buffer");
}

static void chunk_free(chunk *c)
{
    free(c->ids);
    free(c->quads);
}

static size_t quad(const md_cuda_solver *s) { return 4 * (size_t)s->kernels->state->state_bytes; }

/* The next particles of the problem; false behind the last. */
static bool chunk_of_ids(chunk *c, int64_t count)
{
    if (!chunk_next(c, count)) return false;
    for (int64_t i = 0; i < c->n; i++) c->ids[i] = (int)(c->first + i);
    return true;
}

/* Quads of all particles by id. */
static torre_status upload(md_cuda_solver *s, const double *const from[3],
                           const torre_md_problem *p, void *to)
{
    const size_t each = quad(s);
    torre_status status = TORRE_OK;
    chunk c;
    TORRE_TRY(chunk_new(each, &c));
    while (!status && chunk_of_ids(&c, s->problem->count)) {
        md_cuda_pack(s->kernels->state->state_bytes, from, p, c.ids, c.n, c.quads);
        status = torre_cuda_status(cudaMemcpy((char *)to + each * (size_t)c.first, c.quads,
                                              each * (size_t)c.n, cudaMemcpyHostToDevice),
                                   "sending particles to the device");
    }
    chunk_free(&c);
    return status;
}

static torre_status upload_ids(md_cuda_solver *s)
{
    torre_status status = TORRE_OK;
    chunk c;
    TORRE_TRY(chunk_new(quad(s), &c));
    while (!status && chunk_of_ids(&c, s->problem->count))
        status = torre_cuda_status(cudaMemcpy(s->id[0] + c.first, c.ids,
                                              sizeof *c.ids * (size_t)c.n, cudaMemcpyHostToDevice),
                                   "sending particles to the device");
    chunk_free(&c);
    return status;
}

bool md_cuda_has_spins(const torre_md_problem *p) { return p->spin[0] && p->spin[1] && p->spin[2]; }

static torre_status upload_spins(md_cuda_solver *s)
{
    const torre_md_problem *p = s->problem;
    TORRE_CUDA_TRY(cudaMemset(s->spin[0], 0, quad(s) * (size_t)p->count),
                   "sending spins to the device");
    return md_cuda_has_spins(p) ? upload(s, p->spin, NULL, s->spin[0]) : TORRE_OK;
}

torre_status md_cuda_upload(md_cuda_solver *s, const double *const position[3],
                            const double *const velocity[3])
{
    s->x_now = s->v_now = s->id_now = 0;
    if (s->share) return md_share_load(s, position, velocity);
    TORRE_TRY(upload(s, position, s->problem, s->x[0]));
    TORRE_TRY(upload(s, velocity, NULL, s->v[0]));
    TORRE_TRY(upload_ids(s));
    if (torre_md_is_rough(s->problem)) TORRE_TRY(upload_spins(s));
    TORRE_CUDA_TRY(cudaMemcpy(s->x_built, s->x[0], quad(s) * (size_t)s->problem->count,
                              cudaMemcpyDeviceToDevice),
                   "sending particles to the device");
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "sending particles to the device");
    return TORRE_OK;
}

double md_cuda_wrapped(double r, double edge)
{
    r -= edge * floor(r / edge);
    return r < edge ? r : 0;
}

/* Own particles from a place on, or those that another device sends. */
static torre_status fetch(md_cuda_solver *s, int rank, const void *from, chunk *c)
{
    static const char what[] = "reading particles from the device";
    const int64_t at = s->first_own + c->first;
    const size_t bytes = quad(s) * (size_t)c->n, ids = sizeof *c->ids * (size_t)c->n;
    if (s->share && rank != s->share->ranks->rank) {
        TORRE_TRY(torre_rank_receive(s->share->ranks, rank, c->quads, (int64_t)bytes));
        return torre_rank_receive(s->share->ranks, rank, c->ids, (int64_t)ids);
    }
    TORRE_CUDA_TRY(cudaMemcpy(c->quads, (const char *)from + quad(s) * (size_t)at, bytes,
                              cudaMemcpyDeviceToHost),
                   what);
    TORRE_CUDA_TRY(cudaMemcpy(c->ids, s->id[s->id_now] + at, ids, cudaMemcpyDeviceToHost), what);
    return TORRE_OK;
}

static void scatter(const md_cuda_solver *s, const chunk *c, const double *box, double *const to[],
                    int components)
{
    for (int64_t i = 0; i < c->n; i++) {
        for (int a = 0; a < components; a++) {
            if (!to[a]) continue;
            const int64_t at = 4 * i + a;
            double value = s->kernels->state->state_bytes == 4 ? ((float *)c->quads)[at]
                                                               : ((double *)c->quads)[at];
            to[a][c->ids[i]] = box && a < 3 ? md_cuda_wrapped(value, box[a]) : value;
        }
    }
}

/* Those of one device; whoever is not the first sends them there instead. */
static torre_status download(md_cuda_solver *s, int rank, const void *from, const double *box,
                             double *const to[], int components, chunk *c)
{
    const int64_t count = s->share ? s->share->own_of[rank] : s->own_count;
    c->first = c->n = 0;
    while (chunk_next(c, count)) {
        TORRE_TRY(fetch(s, rank, from, c));
        if (s->share && s->share->ranks->rank > 0) {
            const torre_ranks *ranks = s->share->ranks;
            TORRE_TRY(torre_rank_send(ranks, 0, c->quads, (int64_t)quad(s) * c->n));
            TORRE_TRY(torre_rank_send(ranks, 0, c->ids, (int64_t)sizeof *c->ids * c->n));
        } else {
            scatter(s, c, box, to, components);
        }
    }
    return TORRE_OK;
}

torre_status md_cuda_download(md_cuda_solver *s, const void *from, const double *box,
                              double *const to[], int components)
{
    chunk c;
    const int first = s->share ? s->share->ranks->rank : 0;
    const int end = s->share && first == 0 ? s->share->ranks->count : first + 1;
    TORRE_TRY(chunk_new(quad(s), &c));
    torre_status status = TORRE_OK;
    for (int rank = first; rank < end && !status; rank++)
        status = download(s, rank, from, box, to, components, &c);
    chunk_free(&c);
    return status;
}

md_tiles md_cuda_tiles(const md_cuda_solver *s)
{
    md_tiles t = s->tiles;
    if (!s->permuted) t.perm = NULL;
    return t;
}

md_box md_cuda_box(const md_cuda_solver *s)
{
    md_box box;
    for (int a = 0; a < 3; a++) {
        box.edge[a] = s->problem->box[a];
        box.bin_edge[a] = s->layout.grid.edge[a];
    }
    return box;
}

bool md_cuda_sort_is_due(const md_cuda_solver *s, int64_t step)
{
    return s->plan->sort_every != TORRE_MD_NEVER &&
           (s->last_sort < 0 || step - s->last_sort >= s->plan->sort_every);
}

void md_cuda_other_buffers(md_cuda_solver *s)
{
    s->x_now = 1 - s->x_now;
    s->v_now = 1 - s->v_now;
    s->id_now = 1 - s->id_now;
}

torre_status md_cuda_queue_fit(md_cuda_solver *s, bool sorted)
{
    if (!s->live) return TORRE_OK;
    const md_layout *l = &s->layout;
    md_fit_args a = {.live = s->live,
                     .control = s->control,
                     .radius = s->problem->cutoff + s->plan->skin,
                     .skin = s->plan->skin,
                     .sorted = sorted};
    for (int d = 0; d < 3; d++) {
        a.bins[d] = (int)l->grid.n[d];
        a.room[d] = s->room[d];
        a.extent[d] = 0.5 * l->brick_max[d] + l->reach;
    }
    TORRE_CUDA_TRY(s->kernels->state->fit(&a, s->stream), "fitting bins to the box");
    return TORRE_OK;
}

md_sort_args md_cuda_sort_args(const md_cuda_solver *s, double half_step, double most)
{
    const int64_t first = s->first_own;
    const int64_t quads = first * (int64_t)quad(s);
    const char *const spin = s->spin[s->v_now];
    return (md_sort_args){.tiles = md_cuda_tiles(s),
                          .box = md_cuda_box(s),
                          .live = s->live,
                          .count = (int)(s->own_count + s->received),
                          .x_in = (const char *)s->x[s->x_now] + quads,
                          .v_in = (const char *)s->v[s->v_now] + quads,
                          .spin_in = spin ? spin + quads : NULL,
                          .id_in = s->id[s->id_now] + first,
                          .x_out = s->x[1 - s->x_now],
                          .v_out = s->v[1 - s->v_now],
                          .spin_out = s->spin[1 - s->v_now],
                          .id_out = s->id[1 - s->id_now],
                          .x_was = (const char *)s->x_built + quads,
                          .x_built = s->x_built,
                          .half_step = half_step,
                          .most = most,
                          .bin_count = s->bin_count,
                          .key = s->key,
                          .slot = s->slot,
                          .order = s->order,
                          .order_id = s->order_id,
                          .order_key = s->order_key,
                          .scan_scratch = s->scan_scratch,
                          .scan_bytes = s->scan_bytes};
}

torre_status md_cuda_queue_sort(md_cuda_solver *s, bool sort, double half_step, double most)
{
    TORRE_TRY(md_cuda_queue_fit(s, false));
    s->permuted = !sort;
    md_sort_args a = md_cuda_sort_args(s, half_step, most);
    if (s->share) { /* which has looked at them */
        a.x_was = NULL;
        a.binned = (int)s->own_count;
        a.need = (const uint32_t *)(const void *)s->share->need.bytes;
        a.self = s->share->ranks->rank;
    }
    md_cuda_other_buffers(s);
    TORRE_CUDA_TRY(s->kernels->state->sort(&a, s->stream), "sorting particles");
    return md_cuda_queue_fit(s, true);
}

/*
 * Which bricks hold particles, and room for their lists: of most of a box with a dam break, none.
 */
static torre_status find_active(md_cuda_solver *s)
{
    const md_tiles tiles = md_cuda_tiles(s);
    uint32_t count;
    TORRE_CUDA_TRY(s->kernels->state->active(&tiles, s->active, s->held, s->stream),
                   "finding bricks");
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(&count, s->held, sizeof count, cudaMemcpyDeviceToHost, s->stream),
        "finding bricks");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "finding bricks");
    s->active_count = (int)count;
    if (s->active_count <= s->list_pages) return TORRE_OK;
    int64_t room = (int64_t)count + count / 8 + 16;
    return md_cuda_lists(s, (int)fmin((double)room, s->layout.brick_count));
}

torre_status md_cuda_queue_list(md_cuda_solver *s)
{
    const bool sparse = s->program->method->sparse;
    if (s->plan->neighbor == TORRE_NEIGHBOR_TILE) return TORRE_OK;
    if (sparse) TORRE_TRY(find_active(s));
    md_list_args a = {.tiles = md_cuda_tiles(s),
                      .box = md_cuda_box(s),
                      .live = s->live,
                      .x_built = s->x_built,
                      .grid = {s->layout.steps[0], s->layout.steps[1], s->layout.steps[2]},
                      .reach = s->layout.reach_sq,
                      .lanes_per_place = s->layout.lanes_per_place,
                      .half = s->plan->neighbor == TORRE_NEIGHBOR_HALF,
                      .active = s->active,
                      .pages = sparse ? s->active_count : s->tiles.own_bricks,
                      .block = s->layout.list_block};
    TORRE_CUDA_TRY(s->kernels->state->list(&a, s->stream), "building neighbour lists");
    return TORRE_OK;
}

torre_status md_cuda_clear_control(md_cuda_solver *s, int64_t step, int64_t clock)
{
    md_control clear = {.bad_id = UINT32_MAX,
                        .built = (uint32_t)(s->last_build - step),
                        .last = MD_NO_STOP,
                        .step = (uint64_t)step,
                        .clock = (uint64_t)clock};
    memcpy(s->pinned, &clear, sizeof clear);
    /* `moved` outlives this: it belongs to the last rebuild, and is recomputed before use */
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(s->control, s->pinned, sizeof clear, cudaMemcpyHostToDevice, s->stream),
        "clearing the control block");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "clearing the control block");
    return TORRE_OK;
}

/* Where the box is in what is read. */
static char *read_box(const md_cuda_solver *s)
{
    return (char *)s->pinned + sizeof(md_control) + 2 * MD_SUMS * sizeof(double);
}

torre_status md_cuda_queue_control(md_cuda_solver *s)
{
    char *host = s->pinned;
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(host, s->control, sizeof *s->control, cudaMemcpyDeviceToHost, s->stream),
        "reading results");
    TORRE_CUDA_TRY(cudaMemcpyAsync(host + sizeof *s->control, s->total,
                                   2 * MD_SUMS * sizeof(double), cudaMemcpyDeviceToHost, s->stream),
                   "reading results");
    if (s->live)
        TORRE_CUDA_TRY(cudaMemcpyAsync(read_box(s), s->live->box.edge, sizeof s->box,
                                       cudaMemcpyDeviceToHost, s->stream),
                       "reading results");
    return TORRE_OK;
}

void md_cuda_take_control(md_cuda_solver *s, md_control *control, double total[2 * MD_SUMS])
{
    const char *host = s->pinned;
    if (s->live) memcpy(s->box, read_box(s), sizeof s->box);
    memcpy(control, host, sizeof *control);
    if (total) memcpy(total, host + sizeof *control, 2 * MD_SUMS * sizeof(double));
}

torre_status md_cuda_read_control(md_cuda_solver *s, md_control *control, double total[2 * MD_SUMS])
{
    TORRE_TRY(md_cuda_queue_control(s));
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "computing steps");
    md_cuda_take_control(s, control, total);
    return TORRE_OK;
}
