/*
 * What decides how a run on the device goes on, for checkpoints: arrays in the order in which they
 * are stored, and the positions that bins, tiles and lists were made of at the last rebuild. These
 * tables are made again of them, with the same room, so that forces are added in the same order.
 */
#include <stdlib.h>
#include <string.h>

#include "md_share.h"

static size_t reals(const md_cuda_solver *s)
{
    return 4 * (size_t)s->kernels->state->state_bytes * (size_t)s->problem->count;
}

torre_status md_cuda_visit_array(torre_md_visit *visit, void *context, const char *name,
                                 void *array, size_t bytes)
{
    void *host = malloc(bytes);
    if (!host) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy of the particles");
    torre_status status = torre_cuda_status(cudaMemcpy(host, array, bytes, cudaMemcpyDeviceToHost),
                                            "reading particles");
    if (!status) status = visit(context, name, host, (int64_t)bytes);
    if (!status)
        status = torre_cuda_status(cudaMemcpy(array, host, bytes, cudaMemcpyHostToDevice),
                                   "sending particles to the device");
    free(host);
    return status;
}

/* In the order in which they are stored. */
static torre_status visit_particles(md_cuda_solver *s, torre_md_visit *visit, void *context)
{
    TORRE_TRY(md_cuda_visit_array(visit, context, "id", s->id[s->id_now],
                                  sizeof *s->id[0] * (size_t)s->problem->count));
    TORRE_TRY(md_cuda_visit_array(visit, context, "position", s->x[s->x_now], reals(s)));
    TORRE_TRY(md_cuda_visit_array(visit, context, "velocity", s->v[s->v_now], reals(s)));
    TORRE_TRY(md_cuda_visit_array(visit, context, "force", s->f, reals(s)));
    return md_cuda_visit_array(visit, context, "hold", s->x_built, reals(s));
}

torre_status md_cuda_state(torre_md_solver *solver, torre_md_visit *visit, void *context)
{
    md_cuda_solver *s = (md_cuda_solver *)solver;
    const md_crowding crowding = s->crowding;
    double room[3];
    memcpy(room, s->room, sizeof room);
    md_share_visitor shared = {s->share ? s->share->ranks : NULL, visit, context};
    if (s->share) {
        visit = md_share_visit;
        context = &shared;
    }
    int64_t clock[] = {s->step, s->last_build, s->last_sort, s->permuted};
    TORRE_CUDA_TRY(cudaSetDevice(s->plan->device), "choosing the device");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "computing steps");
    TORRE_TRY(visit(context, "clock", clock, sizeof clock));
    TORRE_TRY(visit(context, "counts", &s->counts, sizeof s->counts));
    TORRE_TRY(visit(context, "crowding", &s->crowding, sizeof s->crowding));
    if (s->live) {
        TORRE_TRY(visit(context, "box", s->box, sizeof s->box));
        TORRE_TRY(visit(context, "room", s->room, sizeof s->room));
        TORRE_TRY(md_cuda_visit_array(visit, context, "barostat", s->live, sizeof *s->live));
    }
    const bool anew = memcmp(&crowding, &s->crowding, sizeof crowding) != 0 ||
                      memcmp(room, s->room, sizeof room) != 0;
    TORRE_TRY(s->share ? md_share_state(s, &shared, anew) : visit_particles(s, visit, context));
    s->step = clock[0];
    s->last_build = clock[1];
    s->last_sort = clock[2];
    s->permuted = clock[3];
    TORRE_TRY(s->program->method->state(s, visit, context));
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "sending particles to the device");
    return TORRE_OK;
}

torre_status md_cuda_box_built(const md_cuda_solver *s, double built[3])
{
    memcpy(built, s->problem->box, sizeof s->problem->box);
    if (!s->live) return TORRE_OK;
    TORRE_CUDA_TRY(cudaMemcpy(built, s->live->built, sizeof s->live->built, cudaMemcpyDeviceToHost),
                   "reading the box");
    return TORRE_OK;
}

/* Make the box of a barostat that of the last rebuild; *now: what it was. */
static torre_status to_built(md_cuda_solver *s, md_live *now)
{
    static const char what[] = "building the lists of a checkpoint";
    if (!s->live) return TORRE_OK;
    TORRE_CUDA_TRY(cudaMemcpy(now, s->live, sizeof *now, cudaMemcpyDeviceToHost), what);
    TORRE_CUDA_TRY(
        cudaMemcpy(s->live->box.edge, now->built, sizeof now->built, cudaMemcpyHostToDevice), what);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), what);
    return TORRE_OK;
}

/* And back, behind the rebuild, which has set these. */
static torre_status to_now(md_cuda_solver *s, const md_live *now)
{
    static const char what[] = "building the lists of a checkpoint";
    md_live live;
    if (!s->live) return TORRE_OK;
    TORRE_CUDA_TRY(cudaMemcpy(&live, s->live, sizeof live, cudaMemcpyDeviceToHost), what);
    memcpy(live.box.edge, now->box.edge, sizeof live.box.edge);
    live.slack = now->slack;
    live.next = now->next;
    TORRE_CUDA_TRY(cudaMemcpy(s->live, &live, sizeof live, cudaMemcpyHostToDevice), what);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), what);
    memcpy(s->box, now->box.edge, sizeof s->box);
    return TORRE_OK;
}

/*
 * Bins, tiles and lists of x_built. A sort of particles that stand there leaves all in their order,
 * so that the arrays of before it are those of after it; but for x, which they take the place of.
 */
static torre_status rebuild(md_cuda_solver *s, void *position)
{
    static const char what[] = "building the lists of a checkpoint";
    void *x = s->x[s->x_now];
    md_control control;
    double total[2 * MD_SUMS];
    TORRE_CUDA_TRY(cudaMemcpy(position, x, reals(s), cudaMemcpyDeviceToHost), what);
    TORRE_CUDA_TRY(cudaMemcpy(x, s->x_built, reals(s), cudaMemcpyDeviceToDevice), what);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), what);
    TORRE_TRY(md_cuda_clear_control(s, s->step, s->step));
    TORRE_TRY(md_cuda_queue_sort(s, !s->permuted, 0, 0));
    TORRE_TRY(md_cuda_queue_list(s));
    md_cuda_other_buffers(s);
    TORRE_TRY(md_cuda_read_control(s, &control, total));
    if (control.error)
        return torre_fail(TORRE_ERR_INPUT, "the state does not fit its own bins (error %u)",
                          control.error);
    TORRE_CUDA_TRY(cudaMemcpy(x, position, reals(s), cudaMemcpyHostToDevice), what);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), what);
    return TORRE_OK;
}

static torre_status rebuild_alone(md_cuda_solver *s)
{
    void *position = malloc(reals(s));
    const torre_status status =
        position ? rebuild(s, position)
                 : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy of the particles");
    free(position);
    return status;
}

torre_status md_cuda_resume(torre_md_solver *solver)
{
    md_cuda_solver *s = (md_cuda_solver *)solver;
    md_live now = {.taken = 0};
    TORRE_TRY(md_cuda_make_room(s));
    TORRE_TRY(to_built(s, &now));
    TORRE_TRY(s->share ? md_share_resume(s) : rebuild_alone(s));
    TORRE_TRY(to_now(s, &now));
    return s->program->method->resume(s);
}
