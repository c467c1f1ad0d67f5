/*
 * The barostat and the chains around it (particles/barostat.h). The box lives on the device
 * (md_live), since it is another one in each step:
 *
 *     forces   md_force_kernel, with the virial and m v_a^2 of the whole step by blocks
 *     couple   one block: these sums, what is after the step, what is before the next one, and its
 *              box
 *     stretch  half a kick, what is after, what is before, half a kick; positions go with the box
 *
 * Where it acts once in several steps, the others are steps of md_force_kernel alone. In the drift
 * in front of the next coupling the box changes as in that behind the last one, so md_force_kernel
 * knows how, and the box follows. Half lists do it as above, without sums, after and before.
 *
 * A run that is cut after a step does what is after it by md_coupled_kernel and begins with the
 * rest; the same bits come of both, as of thermostats (md_thermostat.cuh). A rebuild begins with
 * md_fit_kernel.
 */
#ifndef TORRE_MD_BAROSTAT_CUH
#define TORRE_MD_BAROSTAT_CUH

#include "md_thermostat.cuh"

/* One thread: of the box as it is, and as it will be when it has grown once more. */
__device__ inline void md_find_slack(md_live *live, double skin, double radius)
{
    double next[3];
    for (int k = 0; k < 3; k++) {
        next[k] = live->box.edge[k] * live->grown[k];
        live->slack.hold[k] = live->box.edge[k] / live->built[k];
        live->next.hold[k] = next[k] / live->built[k];
    }
    const double now = torre_barostat_slack(live->box.edge, live->built, skin, radius);
    const double then = torre_barostat_slack(next, live->built, skin, radius);
    live->slack.limit_sq = now * now;
    live->next.limit_sq = then * then;
}

template <class R> __device__ inline void md_scale_axes(md_vec<R> &v, const double factor[3])
{
    v.x = md_product(v.x, (R)factor[0]);
    v.y = md_product(v.y, (R)factor[1]);
    v.z = md_product(v.z, (R)factor[2]);
}

/* One thread. Before the sort of a rebuild: bins of the box that there is; behind it: whether they
 * suit lists, and the grid that these are searched on. */
static __global__ void md_fit_kernel(const __grid_constant__ md_fit_args a)
{
    if (a.control->error) return;
    md_live *live = a.live;
    double extent[3];
    for (int k = 0; k < 3; k++) {
        const double edge = live->box.edge[k], share = edge / a.room[k];
        live->box.bin_edge[k] = edge / a.bins[k];
        extent[k] = a.extent[k] * live->box.bin_edge[k];
        if (!a.sorted) continue;
        if (!(share >= 1 && share <= MD_ROOM_MOST && edge >= 2 * a.radius))
            atomicOr(&a.control->error, (uint32_t)MD_ERROR_BOX);
        live->built[k] = edge;
    }
    if (!a.sorted) return;
    md_find_slack(live, a.skin, a.radius);
    md_search_grid(live->box.edge, extent, a.radius, live->grid, &live->reach);
}

/* What the first thread of the block gets. */
__device__ inline void md_couple_sums(const md_couple_args &b)
{
    double sum[MD_STRAINS];
    torre_barostat_state *s = &b.live->couplings.box;
    if (!b.barostat.axes) { /* which asks for no more than the means */
        md_add_rows<MD_PRESSURES>(b.sums, sum);
        for (int k = 0; k < 3 && threadIdx.x == 0; k++) {
            s->kinetic[k] = b.mass * sum[MD_SUM_SPEED_SQ] / 3;
            s->virial[k] = 0.5 * sum[MD_SUM_VIRIAL] / 3;
        }
        return;
    }
    md_add_rows<MD_STRAINS>(b.sums, sum);
    if (threadIdx.x > 0) return;
    s->kinetic[0] = b.mass * sum[MD_SUM_SPEED_X];
    s->kinetic[1] = b.mass * sum[MD_SUM_SPEED_Y];
    s->kinetic[2] = b.mass * sum[MD_SUM_SPEED_SQ] - s->kinetic[0] - s->kinetic[1];
    s->virial[0] = 0.5 * sum[MD_SUM_VIRIAL_X];
    s->virial[1] = 0.5 * sum[MD_SUM_VIRIAL_Y];
    s->virial[2] = 0.5 * sum[MD_SUM_VIRIAL] - s->virial[0] - s->virial[1];
}

/* To the box of a step, by one thread. */
__device__ inline bool md_couple_grow(const md_couple_args &b, int64_t step)
{
    md_live *live = b.live;
    double *edge = live->box.edge;
    if (!torre_couplings_grow(&b.barostat, step, &live->couplings, edge, live->grown, live->more,
                              live->forward))
        return false;
    md_find_slack(live, b.skin, b.radius);
    return true;
}

/* One block. parts: of md_state_kernels.factor. */
static __global__ void __launch_bounds__(MD_FACTOR_BLOCK)
    md_couple_kernel(md_control *control, int ahead, int parts,
                     const __grid_constant__ md_couple_args b)
{
    if (md_stopped(control, ahead)) return;
    if (parts & MD_FACTOR_SUM) md_couple_sums(b);
    if (threadIdx.x > 0) return;
    md_live *live = b.live;
    const double *edge = live->box.edge, volume = edge[0] * edge[1] * edge[2];
    const int64_t step = (int64_t)control->clock + ahead;
    for (int k = 0; k < 3; k++) live->after[k] = live->keep[k] = 1;
    if (parts & MD_FACTOR_AFTER)
        torre_couplings_after(&b.bath, &b.barostat, step, volume, &live->couplings, live->after);
    if (parts & MD_FACTOR_BEFORE)
        torre_couplings_before(&b.bath, &b.barostat, step + 1, volume, &live->couplings,
                               live->keep);
    if ((parts & MD_FACTOR_GROW) && !md_couple_grow(b, step + 1))
        atomicOr(&control->error, (uint32_t)MD_ERROR_GROWTH);
    live->taken = torre_couplings_taken(&b.barostat, &live->couplings);
}

/* From forces to the next positions; ahead -1: from whole velocities that have had what is after
 * their step. In place (x_in = x_out). */
template <class R>
__global__ void __launch_bounds__(256) md_stretch_kernel(const __grid_constant__ md_force_args a)
{
    if (md_stopped(a.tiles.control, a.ahead)) return;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const md_live &live = *a.live;
    if (i < a.count) {
        const R kick = (R)a.kick;
        const md_vec<R> f = ((const md_vec<R> *)a.f)[i];
        md_vec<R> v = ((const md_vec<R> *)a.v)[i], q = ((const md_vec<R> *)a.x_in)[i];
        if (a.ahead >= 0) {
            md_half_kick(v, f, kick);
            md_scale_axes(v, live.after);
        }
        md_scale_axes(v, live.keep);
        md_half_kick(v, f, kick);
        md_stretch(q, v, live);
        ((md_vec<R> *)a.v)[i] = v;
        ((md_vec<R> *)a.x_out)[i] = q;
        md_stop_if_far(a, (R)a.limit_sq, i, q);
    }
    if (i == 0) a.tiles.control->done++;
}

/* What is after a step whose velocities are whole, and sums at those that it leaves, into
 * a.partial[md_particle_rows]. */
template <class R>
__global__ void __launch_bounds__(256)
    md_coupled_kernel(const __grid_constant__ md_force_args a, double mass)
{
    if (md_stopped(a.tiles.control, a.ahead)) return;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum[MD_SUMS] = {0};
    if (i < a.count) {
        md_vec<R> v = ((const md_vec<R> *)a.v)[i];
        md_scale_axes(v, a.live->after);
        ((md_vec<R> *)a.v)[i] = v;
        md_add_velocity(v, md_weight_of(a, ((const md_vec<R> *)a.x_in)[i]), sum);
    }
    if (i == 0) sum[MD_SUM_TAKEN] = 2 * a.live->taken / mass;
    md_block_sums(sum, a.partial + (int64_t)blockIdx.x * MD_SUMS);
}

#endif
