/*
 * The store of particles on the device: particles in and out, the sort by bin, neighbour lists, and
 * the control block by which kernels and host talk.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md_cuda_solver.h"
#include "particles/grains.h"
#include "particles/md_types.h"

#define CHUNK (1 << 20) /* particles converted at a time */

/* The fourth number of the position of a particle: its type, or radius. */
static double fourth(const torre_md_problem *p, int64_t id)
{
    if (torre_md_is_rough(p)) return torre_grain_radius(p, id);
    return p->types ? p->types->type[id] : 0;
}

/* Copy [axis][id] of f64 to an array of 4 reals in the order of ids; w is 0, or that of positions
 * of the problem. */
static void pack(int state_bytes, const double *const from[3], const torre_md_problem *p,
                 int64_t first, int64_t n, void *to)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            if (state_bytes == 4)
                ((float *)to)[4 * i + a] = (float)from[a][first + i];
            else
                ((double *)to)[4 * i + a] = from[a][first + i];
        }
        const double w = p ? fourth(p, first + i) : 0;
        if (state_bytes == 4)
            ((float *)to)[4 * i + 3] = (float)w;
        else
            ((double *)to)[4 * i + 3] = w;
    }
}

static torre_status upload(md_cuda_solver *s, const double *const from[3],
                           const torre_md_problem *p, void *to, void *chunk)
{
    size_t each = 4 * (size_t)s->kernels->state->state_bytes;
    for (int64_t first = 0; first < s->problem->count; first += CHUNK) {
        int64_t n = s->problem->count - first < CHUNK ? s->problem->count - first : CHUNK;
        pack(s->kernels->state->state_bytes, from, p, first, n, chunk);
        TORRE_CUDA_TRY(cudaMemcpy((char *)to + each * (size_t)first, chunk, each * (size_t)n,
                                  cudaMemcpyHostToDevice),
                       "sending particles to the device");
    }
    return TORRE_OK;
}

static torre_status upload_all(md_cuda_solver *s, const double *const position[3],
                               const double *const velocity[3], void *chunk)
{
    TORRE_TRY(upload(s, position, s->problem, s->x[0], chunk));
    TORRE_TRY(upload(s, velocity, NULL, s->v[0], chunk));
    int *ids = chunk;
    for (int64_t first = 0; first < s->problem->count; first += CHUNK) {
        int64_t n = s->problem->count - first < CHUNK ? s->problem->count - first : CHUNK;
        for (int64_t i = 0; i < n; i++) ids[i] = (int)(first + i);
        TORRE_CUDA_TRY(cudaMemcpy(s->id[0] + first, ids, 4 * (size_t)n, cudaMemcpyHostToDevice),
                       "sending particles to the device");
    }
    size_t bytes = 4 * (size_t)s->kernels->state->state_bytes * (size_t)s->problem->count;
    TORRE_CUDA_TRY(cudaMemcpy(s->x_built, s->x[0], bytes, cudaMemcpyDeviceToDevice),
                   "sending particles to the device");
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "sending particles to the device");
    return TORRE_OK;
}

torre_status md_cuda_upload(md_cuda_solver *s, const double *const position[3],
                            const double *const velocity[3])
{
    void *chunk = malloc(4 * sizeof(double) * CHUNK);
    if (!chunk) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy buffer");
    torre_status status = upload_all(s, position, velocity, chunk);
    free(chunk);
    s->x_now = s->v_now = s->id_now = 0;
    return status;
}

torre_status md_cuda_upload_spins(md_cuda_solver *s)
{
    const torre_md_problem *p = s->problem;
    const size_t bytes = 4 * (size_t)s->kernels->state->state_bytes * (size_t)p->count;
    void *chunk = NULL;
    TORRE_CUDA_TRY(cudaMemset(s->spin[0], 0, bytes), "sending spins to the device");
    if (!p->spin[0] || !p->spin[1] || !p->spin[2]) return TORRE_OK;
    chunk = malloc(4 * sizeof(double) * CHUNK);
    if (!chunk) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy buffer");
    const torre_status status = upload(s, p->spin, NULL, s->spin[0], chunk);
    free(chunk);
    return status;
}

static double wrapped(double r, double edge)
{
    r -= edge * floor(r / edge);
    return r < edge ? r : 0;
}

torre_status md_cuda_download(md_cuda_solver *s, const void *from, const double *box,
                              double *const to[], int components)
{
    int bytes = s->kernels->state->state_bytes;
    size_t each = 4 * (size_t)bytes;
    void *chunk = malloc(each * CHUNK);
    int *ids = malloc(4 * (size_t)CHUNK);
    torre_status status =
        chunk && ids ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy buffer");
    for (int64_t first = 0; !status && first < s->problem->count; first += CHUNK) {
        int64_t n = s->problem->count - first < CHUNK ? s->problem->count - first : CHUNK;
        cudaError_t error = cudaMemcpy(chunk, (const char *)from + each * (size_t)first,
                                       each * (size_t)n, cudaMemcpyDeviceToHost);
        if (!error)
            error =
                cudaMemcpy(ids, s->id[s->id_now] + first, 4 * (size_t)n, cudaMemcpyDeviceToHost);
        status = torre_cuda_status(error, "reading particles from the device");
        for (int64_t i = 0; !status && i < n; i++) {
            for (int a = 0; a < components; a++) {
                if (!to[a]) continue;
                double value =
                    bytes == 4 ? ((float *)chunk)[4 * i + a] : ((double *)chunk)[4 * i + a];
                to[a][ids[i]] = box && a < 3 ? wrapped(value, box[a]) : value;
            }
        }
    }
    free(chunk);
    free(ids);
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

/* What a rebuild does about the box of a barostat, before its sort and behind it. */
static torre_status queue_fit(md_cuda_solver *s, bool sorted)
{
    if (!s->live) return TORRE_OK;
    const md_layout *l = &s->layout;
    md_fit_args a = {.live = s->live,
                     .control = s->control,
                     .radius = s->problem->cutoff + s->plan->skin,
                     .sorted = sorted};
    for (int d = 0; d < 3; d++) {
        a.bins[d] = (int)l->grid.n[d];
        a.room[d] = s->room[d];
        a.extent[d] = 0.5 * l->brick_max[d] + l->reach;
    }
    TORRE_CUDA_TRY(s->kernels->state->fit(&a, s->stream), "fitting bins to the box");
    return TORRE_OK;
}

torre_status md_cuda_queue_sort(md_cuda_solver *s, bool sort, double half_step, double most)
{
    TORRE_TRY(queue_fit(s, false));
    s->permuted = !sort;
    md_sort_args a = {.tiles = md_cuda_tiles(s),
                      .box = md_cuda_box(s),
                      .live = s->live,
                      .count = (int)s->problem->count,
                      .x_in = s->x[s->x_now],
                      .v_in = s->v[s->v_now],
                      .spin_in = s->spin[s->v_now],
                      .id_in = s->id[s->id_now],
                      .x_out = s->x[1 - s->x_now],
                      .v_out = s->v[1 - s->v_now],
                      .spin_out = s->spin[1 - s->v_now],
                      .id_out = s->id[1 - s->id_now],
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
    md_cuda_other_buffers(s);
    TORRE_CUDA_TRY(s->kernels->state->sort(&a, s->stream), "sorting particles");
    return queue_fit(s, true);
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
                      .pages = sparse ? s->active_count : s->layout.brick_count,
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

torre_status md_cuda_read_control(md_cuda_solver *s, md_control *control, double total[2 * MD_SUMS])
{
    char *host = s->pinned, *box = host + sizeof *control + 2 * MD_SUMS * sizeof(double);
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(host, s->control, sizeof *control, cudaMemcpyDeviceToHost, s->stream),
        "reading results");
    TORRE_CUDA_TRY(cudaMemcpyAsync(host + sizeof *control, s->total, 2 * MD_SUMS * sizeof(double),
                                   cudaMemcpyDeviceToHost, s->stream),
                   "reading results");
    if (s->live)
        TORRE_CUDA_TRY(cudaMemcpyAsync(box, s->live->box.edge, sizeof s->box,
                                       cudaMemcpyDeviceToHost, s->stream),
                       "reading results");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "computing steps");
    if (s->live) memcpy(s->box, box, sizeof s->box);
    memcpy(control, host, sizeof *control);
    memcpy(total, host + sizeof *control, 2 * MD_SUMS * sizeof(double));
    return TORRE_OK;
}
