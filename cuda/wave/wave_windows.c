/*
 * Windows (wave/ring.h): solvers that become those of other parts, planes that go from one to the
 * other, and to and from page-locked memory of the host, both ways at once.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda/core/cuda_check.h"
#include "cuda/core/cuda_device.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_solver.h"

static const char moving[] = "moving planes";

/* --- Moving on --- */

/* Planes of an array, both of its levels or of the model, to others: those that lie where they go
 * have gone before. */
static cudaError_t shift_planes(char *array, size_t plane, int64_t from, int64_t to, int64_t count,
                                cudaStream_t stream)
{
    const int64_t by = to > from ? to - from : from - to;
    for (int64_t done = 0; done < count && by > 0;) {
        const int64_t now = count - done < by ? count - done : by;
        const int64_t first = to > from ? count - done - now : done;
        const cudaError_t e = cudaMemcpyAsync(
            array + (size_t)(to + first) * plane, array + (size_t)(from + first) * plane,
            (size_t)now * plane, cudaMemcpyDeviceToDevice, stream);
        if (e) return e;
        done += now;
    }
    return cudaSuccess;
}

/* Planes that both programs store, as those of the whole grid. */
typedef struct kept {
    int64_t low, high;
} kept;

static kept kept_of(const torre_cuda_program *a, const torre_cuda_program *b)
{
    const torre_box *p = &a->turned.region.stored, *q = &b->turned.region.stored;
    kept k = {p->low[0] > q->low[0] ? p->low[0] : q->low[0],
              p->high[0] < q->high[0] ? p->high[0] : q->high[0]};
    if (k.low >= k.high) k.low = k.high = q->high[0];
    return k;
}

/* --- The medium: (c dt)^2 of cells, and that times -q where density varies --- */

/* What lies plane by plane in a piece: bytes of a plane, and where they are among those of all. */
typedef struct medium {
    torre_cuda_piece piece;
    int64_t bytes, at;
} medium;

enum { MEDIA = 2 };

/* Returns how many there are, *bytes of a plane in all. */
static int media_of(const torre_cuda_program *program, medium media[MEDIA], int64_t *bytes)
{
    const torre_wave_problem *p = &program->turned.problem;
    const int64_t width = (int64_t)p->precision;
    int count = 0;
    *bytes = 0;
    if (p->velocity_cells && program->args.k_stride_x > 0) {
        media[count++] = (medium){TORRE_PIECE_MODEL, program->args.k_stride_x * width, *bytes};
        *bytes += program->args.k_stride_x * width;
    }
    if (p->density_cells) {
        media[count++] =
            (medium){TORRE_PIECE_BINDING, program->args.binding_stride_x * width, *bytes};
        *bytes += program->args.binding_stride_x * width;
    }
    return count;
}

int64_t torre_cuda_model_bytes(const torre_wave_program *program)
{
    medium media[MEDIA];
    int64_t bytes;
    media_of((const torre_cuda_program *)program, media, &bytes);
    return bytes;
}

/* Where the solver has that of a plane of the whole grid. */
static char *medium_at(const torre_cuda_solver *s, const medium *m, int64_t plane)
{
    return (char *)s->memory[m->piece] + (plane - torre_cuda_first_plane(s->program)) * m->bytes;
}

torre_status torre_cuda_read_model(torre_wave_solver *solver, int64_t low, int64_t high,
                                   void *values)
{
    const torre_cuda_solver *s = (const torre_cuda_solver *)solver;
    medium media[MEDIA];
    int64_t bytes;
    const int count = media_of(s->program, media, &bytes);
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    for (int i = 0; i < count && low < high; i++)
        TORRE_CUDA_TRY(cudaMemcpy2DAsync((char *)values + media[i].at, (size_t)bytes,
                                         medium_at(s, &media[i], low), (size_t)media[i].bytes,
                                         (size_t)media[i].bytes, (size_t)(high - low),
                                         cudaMemcpyDeviceToHost, s->stream),
                       moving);
    return torre_cuda_status(cudaStreamSynchronize(s->stream), moving);
}

void torre_cuda_use_model(torre_wave_solver *solver, const void *planes)
{
    ((torre_cuda_solver *)solver)->model = planes;
}

/* Planes low .. high - 1 of it come from the host; as they lie there, they are only enqueued. */
static torre_status fetch_model(torre_cuda_solver *s, int64_t low, int64_t high,
                                cudaStream_t stream)
{
    const int64_t first = torre_cuda_first_plane(s->program);
    medium media[MEDIA];
    int64_t bytes;
    const int count = media_of(s->program, media, &bytes);
    if (!s->model) {
        TORRE_TRY(torre_cuda_upload_model(s, low - first, high - first));
        return torre_cuda_upload_binding(s, low - first, high - first);
    }
    for (int i = 0; i < count && low < high; i++)
        TORRE_CUDA_TRY(cudaMemcpy2DAsync(medium_at(s, &media[i], low), (size_t)media[i].bytes,
                                         s->model + low * bytes + media[i].at, (size_t)bytes,
                                         (size_t)media[i].bytes, (size_t)(high - low),
                                         cudaMemcpyHostToDevice, stream),
                       moving);
    return TORRE_OK;
}

/* What becomes of it: planes that both programs store go to their places, others come. */
static torre_status move_model(torre_cuda_solver *s, const torre_cuda_program *from, kept k)
{
    const int64_t before = torre_cuda_first_plane(from), now = torre_cuda_first_plane(s->program);
    const torre_box *stored = &s->program->turned.region.stored;
    medium media[MEDIA];
    int64_t bytes;
    const int count = media_of(s->program, media, &bytes);
    if (count == 0) return TORRE_OK;
    for (int i = 0; i < count; i++)
        TORRE_CUDA_TRY(shift_planes(s->memory[media[i].piece], (size_t)media[i].bytes,
                                    k.low - before, k.low - now, k.high - k.low, s->stream),
                       moving);
    TORRE_TRY(fetch_model(s, stored->low[0], k.low, s->stream));
    return fetch_model(s, k.high, stored->high[0], s->stream);
}

/* Whether its steps take the tiles that the solver has. */
static bool has_tiles_of(const torre_cuda_solver *s, const torre_cuda_program *next)
{
    const torre_step_launch *a = &s->step, *b = &next->step;
    return !next->slides || (a->tile_count == b->tile_count && a->chunk == b->chunk &&
                             memcmp(&a->shape, &b->shape, sizeof a->shape) == 0);
}

/* --- Programs of parts that a solver comes back to (stays of wave/setup.h) --- */

static torre_status program_of(torre_cuda_solver *s, const torre_wave_setup *setup,
                               torre_cuda_program **program)
{
    for (int64_t i = 0; i < s->agains && setup->stays; i++)
        if (s->again[i]->base.setup == setup) {
            *program = s->again[i];
            return TORRE_OK;
        }
    torre_wave_program *made;
    TORRE_TRY(torre_cuda_adapt(&s->program->base, setup, &made));
    *program = (torre_cuda_program *)made;
    if (!setup->stays) return TORRE_OK;
    torre_cuda_program **again = realloc(s->again, (size_t)(s->agains + 1) * sizeof *again);
    if (!again) {
        torre_wave_program_free(made);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    }
    s->again = again;
    s->again[s->agains++] = *program;
    return TORRE_OK;
}

void torre_cuda_forget(torre_cuda_solver *s)
{
    for (int64_t i = 0; i < s->agains; i++)
        if (s->again[i] != s->program) torre_wave_program_free(&s->again[i]->base);
    free(s->again);
    s->again = NULL;
    s->agains = 0;
}

/* keeps: planes that both store stay as they are. */
static torre_status take_program(torre_cuda_solver *s, torre_cuda_program *next, bool keeps)
{
    torre_cuda_program *before = (torre_cuda_program *)s->base.program;
    const int64_t end = next->turned.region.stored.high[0];
    const kept k = keeps ? kept_of(before, next) : (kept){end, end};
    const int64_t from = torre_cuda_first_plane(before), to = torre_cuda_first_plane(next);
    void *field[2] = {s->args.field[0], s->args.field[1]};
    const void *model = s->args.k, *binding = s->args.binding;
    s->program = next;
    s->base.program = &next->base;
    s->setup = &next->turned.setup;
    s->args = next->args;
    s->args.k = model;
    s->args.binding = binding;
    for (int i = 0; i < 2; i++) s->args.field[i] = field[i];
    const bool same_tiles = has_tiles_of(s, next);
    torre_status status = torre_cuda_make_room(s);
    if (!status && !same_tiles) status = torre_cuda_upload_tiles(s);
    for (int i = 0; i < 2 && !status; i++)
        status =
            torre_cuda_status(shift_planes(field[i], (size_t)torre_cuda_plane_bytes(s),
                                           k.low - from, k.low - to, k.high - k.low, s->stream),
                              moving);
    if (!status && (keeps || !s->model)) status = move_model(s, before, k);
    if (!status) status = torre_cuda_upload_damping(s);
    if (!status) status = torre_cuda_points_new(s);
    if (!status) status = torre_cuda_status(cudaStreamSynchronize(s->stream), moving);
    /* tables, too: not all of the device, of which others may be at work */
    if (!status) status = torre_cuda_status(cudaStreamSynchronize(cudaStreamLegacy), moving);
    if (!before->base.setup->stays) torre_wave_program_free(&before->base);
    return status;
}

/* Become the solver of another part at step n. */
static torre_status become(torre_cuda_solver *s, const torre_wave_setup *setup, int64_t n,
                           bool keeps)
{
    torre_cuda_program *next;
    TORRE_TRY(torre_cuda_part_settle(s));
    TORRE_TRY(program_of(s, setup, &next));
    if ((n ^ s->n) & 1) torre_cuda_exchange_levels(s);
    s->n = n;
    s->in_pass = false;
    return take_program(s, next, keeps);
}

torre_status torre_cuda_move(torre_wave_solver *solver, const torre_wave_setup *setup, int64_t n)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    return become(s, setup, n, true);
}

/* --- Both ways at once --- */

/* Bytes that go one way before as many may go the other way. */
static const int64_t piece_bytes = 64 << 20;

/* Planes of both arrays on the device, one way. */
typedef struct lane {
    torre_moved_planes planes;
    int64_t first; /* plane of the arrays */
    cudaStream_t stream;
    enum cudaMemcpyKind kind;
} lane;

/* Enqueue planes from number `done` of the lane on. */
static cudaError_t enqueue(const torre_cuda_solver *s, const lane *l, int64_t done, int64_t planes)
{
    const size_t bytes = (size_t)torre_cuda_plane_bytes(s);
    const int64_t left = l->planes.high - l->planes.low - done;
    const size_t now = (size_t)(left < planes ? left : planes);
    cudaError_t e = cudaSuccess;
    if (left <= 0) return e;
    for (int array = 0; array < 2 && !e; array++) {
        char *there = torre_cuda_array_of(s, array) + (size_t)(l->first + done) * bytes;
        if (!l->planes.values) {
            e = cudaMemsetAsync(there, 0, now * bytes, l->stream);
            continue;
        }
        char *here = l->planes.values + (size_t)(2 * done + (array ^ l->planes.first)) * bytes;
        e = l->kind == cudaMemcpyHostToDevice
                ? cudaMemcpy2DAsync(there, bytes, here, 2 * bytes, bytes, now, l->kind, l->stream)
                : cudaMemcpy2DAsync(here, 2 * bytes, there, bytes, bytes, now, l->kind, l->stream);
    }
    return e;
}

/* Whether planes that come may follow those that leave piece by piece: they never lie, here or
 * there, where others have still to leave. */
static bool may_follow(const lane *out, const lane *in)
{
    return in->first <= out->first &&
           (in->planes.low <= out->planes.low || in->planes.low >= out->planes.high);
}

static torre_status go_both_ways(torre_cuda_solver *s, const lane *out, const lane *in)
{
    const int64_t few = piece_bytes / (2 * torre_cuda_plane_bytes(s)), planes = few < 1 ? 1 : few;
    const int64_t leave = out->planes.high - out->planes.low,
                  come = in->planes.high - in->planes.low;
    const bool follows = may_follow(out, in);
    cudaError_t e = cudaSuccess;
    for (int64_t done = 0; (done < leave || (follows && done < come)) && !e; done += planes) {
        e = enqueue(s, out, done, planes);
        if (!e) e = cudaEventRecord(s->left, out->stream);
        if (!e) e = cudaStreamWaitEvent(in->stream, s->left, 0);
        if (!e && follows) e = enqueue(s, in, done, planes);
    }
    if (!e && !follows) e = enqueue(s, in, 0, come);
    const cudaError_t first = cudaStreamSynchronize(out->stream),
                      second = cudaStreamSynchronize(in->stream);
    if (!e) e = first;
    return torre_cuda_status(e ? e : second, moving);
}

static torre_status make_lanes(torre_cuda_solver *s)
{
    if (s->left) return TORRE_OK;
    for (int i = 0; i < 2; i++)
        TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&s->lane[i], cudaStreamNonBlocking), "a stream");
    TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->left, cudaEventDisableTiming), "an event");
    return TORRE_OK;
}

/* Planes of the model that the other solver has, and those that come from the host. The former come
 * last: a copy on the device may have to wait until there is room beside the other one's pass. */
typedef struct model_planes {
    const torre_cuda_solver *other;
    kept known;
} model_planes;

static model_planes model_of(const torre_cuda_solver *s, const torre_wave_solver *other)
{
    const torre_cuda_solver *o = (const torre_cuda_solver *)other;
    return (model_planes){o, kept_of(o->program, s->program)};
}

static torre_status model_from_host(torre_cuda_solver *s, const model_planes *m)
{
    const torre_box *stored = &s->program->turned.region.stored;
    if (!s->model) return TORRE_OK; /* it is there */
    TORRE_TRY(fetch_model(s, stored->low[0], m->known.low, s->lane[1]));
    return fetch_model(s, m->known.high, stored->high[0], s->lane[1]);
}

static torre_status model_from_other(torre_cuda_solver *s, const model_planes *m)
{
    const int64_t planes = m->known.high - m->known.low;
    medium media[MEDIA];
    int64_t bytes;
    const int count = media_of(s->program, media, &bytes);
    if (!s->model || planes <= 0) return TORRE_OK;
    for (int i = 0; i < count; i++)
        TORRE_CUDA_TRY(cudaMemcpyAsync(medium_at(s, &media[i], m->known.low),
                                       medium_at(m->other, &media[i], m->known.low),
                                       (size_t)(planes * media[i].bytes), cudaMemcpyDeviceToDevice,
                                       s->lane[1]),
                       moving);
    return torre_cuda_status(cudaStreamSynchronize(s->lane[1]), moving);
}

torre_status torre_cuda_renew(torre_wave_solver *solver, const torre_wave_solver *other,
                              const torre_wave_setup *setup, int64_t n,
                              const torre_moved_planes *out, const torre_moved_planes *in)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    TORRE_TRY(make_lanes(s));
    const lane leave = {*out, out->low - torre_cuda_first_plane(s->program), s->lane[0],
                        cudaMemcpyDeviceToHost};
    TORRE_TRY(become(s, setup, n, false)); /* fields stay as they are */
    const int64_t height = s->program->base.info.plan.tower_height,
                  left = setup->problem->steps - n;
    if (s->program->kernel) TORRE_TRY(torre_cuda_pass_ready(s, left < height ? left : height));
    const model_planes model = model_of(s, other);
    TORRE_TRY(model_from_host(s, &model));
    const lane come = {*in, in->low - torre_cuda_first_plane(s->program), s->lane[1],
                       cudaMemcpyHostToDevice};
    TORRE_TRY(go_both_ways(s, &leave, &come));
    return model_from_other(s, &model);
}

/* --- From solver to solver --- */

void torre_cuda_place(const torre_wave_solver *solver, int64_t low, torre_plane_place *place)
{
    const torre_cuda_solver *s = (const torre_cuda_solver *)solver;
    const int64_t at = (low - torre_cuda_first_plane(s->program)) * torre_cuda_plane_bytes(s);
    for (int array = 0; array < 2; array++)
        place->array[array] = torre_cuda_array_of(s, array) + at;
    place->device = s->program->base.info.plan.device;
}

torre_status torre_cuda_hand_on(torre_wave_solver *solver, int64_t low, int64_t high, int way,
                                const torre_plane_place *to, void **arrival)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    const int device = s->program->base.info.plan.device;
    const size_t bytes = (size_t)((high - low) * torre_cuda_plane_bytes(s));
    torre_plane_place from;
    TORRE_CUDA_TRY(cudaSetDevice(device), "choosing the device");
    TORRE_TRY(make_lanes(s));
    if (!s->handed[way]) {
        TORRE_TRY(torre_cuda_reach(device, to->device));
        TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->handed[way], cudaEventDisableTiming),
                       "an event");
    }
    torre_cuda_place(solver, low, &from);
    for (int array = 0; array < 2; array++)
        TORRE_CUDA_TRY(to->device == device
                           ? cudaMemcpyAsync(to->array[array], from.array[array], bytes,
                                             cudaMemcpyDeviceToDevice, s->lane[way])
                           : cudaMemcpyPeerAsync(to->array[array], to->device, from.array[array],
                                                 device, bytes, s->lane[way]),
                       moving);
    TORRE_CUDA_TRY(cudaEventRecord(s->handed[way], s->lane[way]), moving);
    *arrival = s->handed[way];
    return TORRE_OK;
}

torre_status torre_cuda_await(torre_wave_solver *solver, void *arrival)
{
    const torre_cuda_solver *s = (const torre_cuda_solver *)solver;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    return torre_cuda_status(cudaEventSynchronize(arrival), moving);
}

/* --- Memory of the host --- */

torre_status torre_cuda_take_host(int64_t bytes, void **memory)
{
    void *taken =
        mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *memory = NULL;
    if (taken == MAP_FAILED) return TORRE_OK;
    madvise(taken, (size_t)bytes, MADV_HUGEPAGE);
    const int64_t page = 2 << 20;
#pragma omp parallel for schedule(static) /* what one thread would do, page by page, for long */
    for (int64_t at = 0; at < bytes; at += page)
        memset((char *)taken + at, 0, (size_t)(bytes - at < page ? bytes - at : page));
    const cudaError_t e = cudaHostRegister(taken, (size_t)bytes, cudaHostRegisterPortable);
    if (!e) {
        *memory = taken;
        return TORRE_OK;
    }
    munmap(taken, (size_t)bytes);
    if (e != cudaErrorMemoryAllocation) return torre_cuda_status(e, "taking page-locked memory");
    cudaGetLastError();
    return TORRE_OK;
}

void torre_cuda_free_host(void *memory, int64_t bytes)
{
    cudaHostUnregister(memory);
    munmap(memory, (size_t)bytes);
}

/* --- What parts cost --- */

/* Cells in a nanosecond, of towers or one step at a time. */
static double rate_of(const torre_cuda_program *program)
{
    const torre_gpu_data *gpu = program->gpu;
    const torre_wave_problem *p = &program->turned.problem;
    const int R = p->order / 2, i = (R < TORRE_TOWER_ORDERS ? R : TORRE_TOWER_ORDERS) - 1;
    const bool towers = program->kernel;
    if (!towers && gpu->rates) return torre_layered_rate(gpu->rates, p, program->turned.points);
    double rate = gpu->tower_rate[i];
    if (p->precision == TORRE_F64) rate *= 0.5;
    if ((p->velocity_cells || p->density_cells) && gpu->rates) rate *= gpu->rates->towers.array[i];
    if (p->density_cells && gpu->rates) rate *= gpu->rates->towers.density[i];
    return rate;
}

torre_part_cost torre_cuda_part_cost(const torre_wave_program *given)
{
    const torre_cuda_program *program = (const torre_cuda_program *)given;
    const torre_gpu_data *gpu = program->gpu;
    const torre_wave_problem *p = &program->turned.problem;
    const double rate = rate_of(program), cells = (double)(p->size[1] * p->size[2]);
    const double bytes = 2 * (double)program->args.stride_x * p->precision / cells; /* of a cell */
    /* more comes than leaves, and waits for that where it takes its place */
    const double model = (double)torre_cuda_model_bytes(given) / cells;
    return (torre_part_cost){.stream = (bytes + model) * rate / gpu->link,
                             .move = 2 * (bytes + model) * rate / gpu->copy,
                             .cross = bytes * rate / gpu->peer,
                             .start = gpu->pass_cells / cells,
                             .climb = 0.5 * program->base.info.plan.dts,
                             .rate = 1e9 * rate,
                             .beside = true,
                             .measured = gpu->rates != NULL};
}
