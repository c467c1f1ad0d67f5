/*
 * Forces and the step: one block per brick stages its tile and sums, for its own particles, the
 * forces of all their neighbours; then it kicks and drifts them. Positions are double-buffered, so
 * one kernel is one step.
 *
 * A model (template parameter M) has
 *     State   of positions and velocities, F of the pair arithmetic, Sum of the force sums
 *     Pair    with eval, which returns f, F_i = f d (md_pair.cu.in makes it of a pair header), or,
 *             of particles of several types (types), with row, which has eval of two types
 *     Staged  how particles lie in shared memory
 *     block_max   threads of the largest block, which bounds the registers of a thread
 * T lanes share the neighbours of a place.
 */
#ifndef TORRE_MD_FORCE_CUH
#define TORRE_MD_FORCE_CUH

#include <type_traits>

#include "md_list.cuh"
#include "md_noise.cuh"
#ifdef MD_ROUGH
#include "md_rough.cuh"
#endif

/* Blocks of the largest size that a multiprocessor must hold: bounds the registers of a thread. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define MD_FORCE_BLOCKS 2
#else
#define MD_FORCE_BLOCKS 3
#endif

/* What a force kernel needs, in the precision it is needed in (a double that is converted in the
   kernel may be converted once per pair). */
template <class M> struct md_constants {
    typename M::Pair pair;
    typename M::F cutoff_sq, list_cutoff_sq, fixed_scale;
    typename M::State kick, drift, limit_sq;
};

/* Where velocities are, for models that dissipate: read for the few pairs that touch only. */
template <class M> struct md_motion {
    const md_vec<typename M::State> *v;
    const uint32_t *gather; /* of the tile */
    md_vec<typename M::State> own;

    /* d . (v_i - v_j) for the staged particle at a byte offset */
    __device__ typename M::F approach(unsigned offset, typename M::F dx, typename M::F dy,
                                      typename M::F dz) const
    {
        typedef typename M::F F;
        md_vec<typename M::State> u = v[md_index_of(gather, offset)];
        return dx * (F)(own.x - u.x) + dy * (F)(own.y - u.y) + dz * (F)(own.z - u.z);
    }
};

/* The sums of one lane over its neighbours; F per pair, Sum beyond groups of four. */
template <class M, md_force_work WORK> struct md_force_sum {
    static constexpr bool SUMS = WORK == MD_FORCE_SUMS, STRAIN = SUMS || WORK == MD_FORCE_STRAIN;
    static constexpr bool PRESSURE = STRAIN || WORK == MD_FORCE_PRESSURE;
    typedef typename M::F F;
    typedef typename M::Sum Sum;
    static constexpr bool split = !std::is_same<F, Sum>::value;
    F x = 0, y = 0, z = 0; /* of the place */
    int own = 0;           /* its type */
    F fx = 0, fy = 0, fz = 0;
    Sum sx = 0, sy = 0, sz = 0, power = 0;
    F energy = 0, virial = 0, virial_x = 0, virial_y = 0, shift = 0;
    int inside = 0, tested = 0;
    md_motion<M> motion; /* of models that dissipate */
#ifdef MD_ROUGH
    int index = 0;
    F radius = 0, couple[3] = {0, 0, 0};
    md_touching touching;

    /* With one of that radius: who touches is noted. */
    __device__ void rough(const md_constants<M> &c, F dx, F dy, F dz, F rsq, F other,
                          unsigned offset)
    {
        const F reach = radius + other;
        if (SUMS) tested += rsq < c.list_cutoff_sq;
        if (!(rsq < reach * reach)) return;
        if (SUMS) inside++;
        touching.add(offset);
    }

    __device__ void shoved(const md_shoved<F> &s)
    {
        fx += s.force[0];
        fy += s.force[1];
        fz += s.force[2];
        for (int k = 0; k < 3; k++) couple[k] += s.couple[k];
        power += (Sum)s.power;
        if (SUMS) {
            energy += s.energy;
            virial += s.virial;
        }
        flush();
    }
#endif

    __device__ void strain(F f, F dx, F dy, F rsq)
    {
        if (PRESSURE) virial = fma(f, rsq, virial);
        if (!STRAIN) return;
        virial_x = fma(f, md_product(dx, dx), virial_x);
        virial_y = fma(f, md_product(dy, dy), virial_y);
    }

    /* Of particles of several types, with a neighbour of that one. */
    __device__ void typed(const md_constants<M> &c, F dx, F dy, F dz, F rsq, int type)
    {
        F e;
        const auto row = c.pair.row(own, type);
        const F f = row.eval(rsq, &e);
        if (SUMS) tested += rsq < c.list_cutoff_sq;
        if (!(rsq < row.cutoff_sq)) return;
        fx = fma(f, dx, fx);
        fy = fma(f, dy, fy);
        fz = fma(f, dz, fz);
        strain(f, dx, dy, rsq);
        if (SUMS) {
            energy += e;
            shift += row.shift;
            inside++;
        }
    }
    /* offset: of the neighbour among the staged particles; type: its fourth number */
    __device__ void pair(const md_constants<M> &c, F dx, F dy, F dz, F type, unsigned offset)
    {
        F rsq = fma(dz, dz, fma(dy, dy, dx * dx)), e, half_power, rv = 0;
        if constexpr (M::rough) {
            rough(c, dx, dy, dz, rsq, type, offset);
            return;
        } else if constexpr (M::types) {
            typed(c, dx, dy, dz, rsq, (int)type);
            return;
        } else {
            if constexpr (M::dissipates) {
                if (SUMS) tested += rsq < c.list_cutoff_sq;
                if (!(rsq < c.cutoff_sq)) return;
                rv = motion.approach(offset, dx, dy, dz);
            }
            F f = c.pair.eval(rsq, rv, &e, &half_power);
            if constexpr (M::dissipates) power += (Sum)half_power;
            if (M::dissipates || rsq < c.cutoff_sq) {
                fx = fma(f, dx, fx);
                fy = fma(f, dy, fy);
                fz = fma(f, dz, fz);
                strain(f, dx, dy, rsq);
                if (SUMS) {
                    energy += e;
                    inside++;
                }
            }
            if (SUMS && !M::dissipates) tested += rsq < c.list_cutoff_sq;
        }
    }
    __device__ void neighbour(const md_constants<M> &c, const md_vec<F> &q, unsigned offset)
    {
        pair(c, x - q.x, y - q.y, z - q.z, q.w, offset);
    }
    /* After every group of four neighbours. */
    __device__ void flush()
    {
        if constexpr (split) {
            sx += fx, sy += fy, sz += fz;
            fx = fy = fz = 0;
        }
    }
    __device__ md_vec<Sum> total() const
    {
        if constexpr (split)
            return {sx, sy, sz, power};
        else
            return {fx, fy, fz, power};
    }
};

/* weight v_a^2 for thermostats and barostats: rounded in one way in all kernels. */
template <class R>
__device__ inline void md_add_squares(const md_vec<R> &v, double weight, double sum[MD_SUMS])
{
    sum[MD_SUM_SPEED_SQ] += md_product(weight, md_square(v));
    sum[MD_SUM_SPEED_X] += md_product(weight, md_product((double)v.x, (double)v.x));
    sum[MD_SUM_SPEED_Y] += md_product(weight, md_product((double)v.y, (double)v.y));
}

template <class R>
__device__ inline void md_add_velocity(const md_vec<R> &v, double weight, double sum[MD_SUMS])
{
    md_add_squares(v, weight, sum);
    sum[MD_SUM_VX] += weight * (double)v.x;
    sum[MD_SUM_VY] += weight * (double)v.y;
    sum[MD_SUM_VZ] += weight * (double)v.z;
}

/* Sum over the threads of a block, in a fixed order, for thread 0. */
__device__ inline double md_block_sum(double x)
{
    __shared__ double of_warp[32];
    for (int o = 16; o; o >>= 1) x += __shfl_xor_sync(~0u, x, o);
    if ((threadIdx.x & 31) == 0) of_warp[threadIdx.x / 32] = x;
    __syncthreads();
    double total = 0;
    if (threadIdx.x == 0)
        for (unsigned w = 0; w < blockDim.x / 32; w++) total += of_warp[w];
    return total;
}

/* The first COUNT sums of a step over its rows, by one block, for thread 0. */
template <int COUNT> __device__ inline void md_add_rows(const md_step_sums &s, double sum[COUNT])
{
    for (int k = 0; k < COUNT; k++) sum[k] = 0;
    for (int r = threadIdx.x; r < s.rows; r += blockDim.x)
        for (int k = 0; k < COUNT; k++) sum[k] += s.partial[(int64_t)r * MD_SUMS + k];
    for (int k = 0; k < COUNT; k++) {
        sum[k] = md_block_sum(sum[k]);
        __syncthreads();
    }
}

#define MD_SUM_WARPS 16 /* of the largest block that adds up */

/* Add the block's first COUNT sums over its threads, in a fixed order; partial: MD_SUMS values. */
template <int COUNT = MD_SUMS>
__device__ inline void md_block_sums(double sum[MD_SUMS], double *partial)
{
    __shared__ double of_warp[MD_SUM_WARPS][COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        for (int o = 16; o; o >>= 1) sum[k] += __shfl_xor_sync(~0u, sum[k], o);
        if ((threadIdx.x & 31) == 0) of_warp[threadIdx.x / 32][k] = sum[k];
    }
    __syncthreads();
    if (threadIdx.x < COUNT) {
        double total = 0;
        for (unsigned w = 0; w < (blockDim.x + 31) / 32; w++) total += of_warp[w][threadIdx.x];
        partial[threadIdx.x] = total;
    }
}

/* Whether there is nothing to do for a step of a sequence. */
__device__ inline bool md_stopped(const md_control *control, int ahead)
{
    return control->error || ahead > control->last;
}

/*
 * Whether a step passes on what is there: the first behind a stop that changes buffers, since both
 * hold the same then, whatever the number of steps. Where stops are late, a step has been done that
 * is to be undone: the first behind it leaves what is in the buffers that it would write, from
 * which that step began, and the second passes it on.
 */
__device__ inline bool md_passes_on(const md_force_args &a)
{
    const int behind = a.ahead - a.tiles.control->last - 2 * a.late;
    return behind >= 1 && behind <= a.since;
}

/* A step behind a stop: what it would have moved goes on as it is, so that the host knows in which
 * buffer it ends up. moves: positions, too. */
template <class R>
__device__ inline void md_pass_on(const md_force_args &a, bool velocities, bool moves)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += gridDim.x * blockDim.x) {
        if (a.grains.slots)
            ((md_vec<R> *)a.grains.spin_out)[i] = ((const md_vec<R> *)a.grains.spin)[i];
        if (moves) ((md_vec<R> *)a.x_out)[i] = ((const md_vec<R> *)a.x_in)[i];
        if (velocities) ((md_vec<R> *)a.v_out)[i] = ((const md_vec<R> *)a.v)[i];
    }
}

template <class R>
__device__ inline bool md_is_far(const md_vec<R> &q, const md_vec<R> &built, R limit_sq)
{
    R dx = q.x - built.x, dy = q.y - built.y, dz = q.z - built.z;
    return !(fma(dz, dz, fma(dy, dy, md_product(dx, dx))) <= limit_sq);
}

/* Stop the sequence behind this step where q is too far from where the lists expect it. slack: of
 * the box that q is in; NULL: of the present one. */
template <class R>
__device__ inline void md_stop_if_far(const md_force_args &a, R limit_sq, int index,
                                      const md_vec<R> &q, const md_slack *slack = nullptr)
{
    if (limit_sq == 0) return;
    if (a.live && !slack) slack = &a.live->slack;
    md_vec<R> built = ((const md_vec<R> *)a.x_built)[index];
    if (slack) {
        built = md_held(built, *slack);
        limit_sq = (R)slack->limit_sq;
    }
    if (md_is_far(q, built, limit_sq)) atomicMin(&a.tiles.control->last, a.ahead);
}

/* Whether a particle of that whole velocity may be too far once a thermostat has scaled it: how far
 * is greatest at an end of the range of factors. */
template <class R>
__device__ inline bool md_may_be_far(const md_force_args &a, md_scaling<R> scaling, R limit_sq,
                                     int index, const md_vec<R> &q, const md_vec<R> &v,
                                     const md_vec<R> &f)
{
    if (limit_sq == 0) return false;
    const md_vec<R> built = ((const md_vec<R> *)a.x_built)[index];
    scaling.before = 1;
    scaling.after = (R)(1 - MD_FACTOR_REACH);
    const bool least = md_is_far(scaling.position(q, scaling.velocity(v, f)), built, limit_sq);
    scaling.after = (R)(1 + MD_FACTOR_REACH);
    return least || md_is_far(scaling.position(q, scaling.velocity(v, f)), built, limit_sq);
}

/* Walk over the list of a lane: sum.neighbour(c, particle, offset) for each, sum.flush() after
 * every four. The last four may hold nobody, whose coordinates are not numbers. */
template <class Staged, class Constants, class Sum>
__device__ inline void md_walk_list(const md_tiles &t, int page, int lane, const Staged &staged,
                                    const Constants &c, Sum &sum)
{
    typedef typename Staged::real F;
    const uint2 *list = (const uint2 *)t.list + (int64_t)page * t.group_cap * t.lane_cap + lane;
    int groups = t.list_groups[(int64_t)page * t.lane_cap + lane];
    uint2 next = make_uint2(0, 0), after = next; /* read two groups ahead */
    if (groups > 0) next = __ldcs(list);
    if (groups > 1) after = __ldcs(list + t.lane_cap);
    list += 2 * t.lane_cap;
    for (int g = 0; g < groups; g++, list += t.lane_cap) {
        uint2 now = next;
        next = after;
        if (g + 2 < groups) after = __ldcs(list);
        unsigned o0 = now.x & 0xffff, o1 = now.x >> 16, o2 = now.y & 0xffff, o3 = now.y >> 16;
        md_vec<F> q0 = staged.get(o0), q1 = staged.get(o1), q2 = staged.get(o2),
                  q3 = staged.get(o3);
        sum.neighbour(c, q0, o0);
        sum.neighbour(c, q1, o1);
        sum.neighbour(c, q2, o2);
        sum.neighbour(c, q3, o3);
        sum.flush();
    }
}

/* Walk over all staged particles in the rows around the bin of a place, for lane sub of T. */
template <class M, int T, md_force_work WORK>
__device__ inline void md_walk_rows(const md_seat &seat, int sub, const int *row_table, int rows,
                                    const uint16_t *starts, const typename M::Staged &staged,
                                    const md_constants<M> &c, md_force_sum<M, WORK> &sum)
{
    typedef typename M::F F;
    for (int r = sub; r < rows; r += T) {
        const uint16_t *row = starts + seat.bin + (row_table[r] >> 8);
        int j = row[0], end = row[row_table[r] & 255];
        if (WORK == MD_FORCE_SUMS) sum.tested += end - j - (seat.own >= j && seat.own < end);
        for (; j < end; j++) {
            md_vec<F> q = staged.get(16u * (unsigned)j);
            F dx = sum.x - q.x, dy = sum.y - q.y, dz = sum.z - q.z;
            F rsq = fma(dz, dz, fma(dy, dy, dx * dx));
            if (rsq < c.cutoff_sq && j != seat.own) sum.pair(c, dx, dy, dz, q.w, 16u * (unsigned)j);
        }
        sum.flush();
    }
}

/* Grid-wide ordering of drifts that overlap their launches (sm_90 and later). */
__device__ inline void md_wait_for_previous_kernel()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

__device__ inline void md_let_next_kernel_start()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/*
 * Forces, and with them WORK (md_force_work), sums by blocks; they are stored but in a step. One
 * function, though long: all works on one particle in registers, between barriers of the block.
 */
template <class M, int T, bool SWEEP, md_force_work WORK>
__global__ void __launch_bounds__(M::block_max, WORK == MD_FORCE_SUMS ? 1 : MD_FORCE_BLOCKS)
    md_force_kernel(const __grid_constant__ md_force_args a,
                    const __grid_constant__ md_constants<M> c)
{
    constexpr bool NOISE = WORK == MD_FORCE_NOISE, STRETCH = WORK == MD_FORCE_STRETCH;
    constexpr bool STEP = NOISE || STRETCH || WORK == MD_FORCE_STEP;
    constexpr bool SUMS = WORK == MD_FORCE_SUMS;
    constexpr int LOOKS = WORK == MD_FORCE_SPEED      ? MD_SPEEDS /* sums, at velocities of the
                                                                     whole step */
                          : WORK == MD_FORCE_PRESSURE ? MD_PRESSURES
                          : WORK == MD_FORCE_STRAIN   ? MD_STRAINS
                                                      : 0;
    typedef typename M::State R;
    typedef typename M::F F;
    static_assert(M::block_max <= 32 * MD_SUM_WARPS, "md_block_sums");
    static_assert(MD_SUM_WARPS * MD_SUMS * sizeof(double) + MD_ROWS_MAX * sizeof(int) +
                          sizeof(typename M::Pair::Walls) <=
                      MD_DECLARED_SHARED,
                  "of which layouts leave room");
    const md_tiles &t = a.tiles;
    extern __shared__ float4 shared[];
    __shared__ int row_table[SWEEP ? MD_ROWS_MAX : 1];
    typename M::Staged staged(shared, t.staged_cap);
    uint16_t *starts = (uint16_t *)((char *)shared + (size_t)t.staged_cap * M::Staged::bytes);
    const int row = a.some ? a.some[blockIdx.x] : blockIdx.x, rank = t.first_brick + row;
    int rows = 0;
    md_brick brick = md_brick_of_rank(t, rank);
    md_frame<R> frame = md_frame_of<R>(md_box_now(a.box, a.live), brick);
    int halo_y = brick.size[1] + 2 * t.reach, halo_z = brick.size[2] + 2 * t.reach;
    const md_vec<R> *x_in = (const md_vec<R> *)a.x_in;
    const md_kick<R> integrate = {c.kick, c.drift};

    md_wait_for_previous_kernel();
    md_let_next_kernel_start();
    if (md_stopped(t.control, a.ahead - a.late)) {
        /* velocities for sums are taken over whatever happens, also where an error has stopped the
         * rebuild in front: the host goes on from what that has sorted */
        if (SUMS && M::dissipates) md_pass_on<R>(a, true, false);
        if (STEP && !a.forces_only && !a.beside && !t.control->error && md_passes_on(a))
            md_pass_on<R>(a, M::dissipates, true);
        return;
    }
    if (SWEEP) {
        const uint16_t *halo_start = t.halo_start + (int64_t)row * (t.halo_bins + 1);
        rows = md_row_table(t, halo_y, halo_z, row_table);
        for (int h = threadIdx.x; h <= t.halo_bins; h += blockDim.x) starts[h] = halo_start[h];
    }
    md_stage(t, row, brick, frame, x_in, staged);
    __shared__ typename M::Pair::Walls walls;
    if constexpr (M::field)
        if (threadIdx.x == 0) walls = c.pair.walls_at((int64_t)t.control->clock + a.ahead);
#ifdef MD_ROUGH
    if (threadIdx.x == 0) walls = md_walls_at(a.grains, (int64_t)t.control->clock + a.ahead);
    const uint32_t step = TORRE_CONTACT_STEP(t.control->clock + (uint64_t)a.ahead);
#endif
    md_scaling<R> scaling = {1, 1, c.kick, c.drift};
    if (LOOKS == MD_SPEEDS && a.behind) {
        scaling.after = (R)a.bath->after;
        scaling.before = (R)a.bath->before;
    }
    __syncthreads();

    int first, places = md_brick_places(t, rank, &first), lanes = places * T;
    double total[MD_SUMS] = {0};
    for (int base = threadIdx.x & ~31; base < lanes; base += blockDim.x) {
        int lane = base + (threadIdx.x & 31), place = first + lane / T, index = 0;
        md_force_sum<M, WORK> sum;
        R weight = 1; /* mass over that of the problem */
        if (lane < lanes) {
            index = t.perm ? t.perm[place] : place;
            md_vec<R> q = x_in[index];
            sum.x = (F)(q.x - frame.centre.x);
            sum.y = (F)(q.y - frame.centre.y);
            sum.z = (F)(q.z - frame.centre.z);
            if constexpr (M::types) {
                sum.own = (int)q.w;
                weight = (R)a.weight[sum.own];
            }
            if constexpr (M::dissipates) {
                sum.motion.v = (const md_vec<R> *)a.v;
                sum.motion.gather = t.gather + (int64_t)row * t.staged_cap;
                sum.motion.own = sum.motion.v[index];
            }
#ifdef MD_ROUGH
            sum.index = index;
            sum.radius = (F)q.w;
#endif
        }
        bool again;
        do {
            again = false;
            sum.inside = sum.tested = 0;
            if (lane < lanes) {
                if constexpr (SWEEP)
                    md_walk_rows<M, T>(md_seat_of(t, rank, place, halo_y, halo_z, starts), lane % T,
                                       row_table, rows, starts, staged, c, sum);
                else
                    md_walk_list(t, row, lane, staged, c, sum);
            }
            __syncwarp();
#ifdef MD_ROUGH
            md_grains_meet<M>(a, c.pair.constants, staged, t.gather + (int64_t)row * t.staged_cap,
                              step, sum);
            again = sum.touching.again();
#endif
        } while (again);
        md_vec<typename M::Sum> f = sum.total();
#pragma unroll
        for (int o = 1; o < T; o <<= 1) {
            f.x += __shfl_xor_sync(~0u, f.x, o);
            f.y += __shfl_xor_sync(~0u, f.y, o);
            f.z += __shfl_xor_sync(~0u, f.z, o);
            if constexpr (M::dissipates) f.w += __shfl_xor_sync(~0u, f.w, o);
            if constexpr (M::rough)
                for (int k = 0; k < 3; k++) sum.couple[k] += __shfl_xor_sync(~0u, sum.couple[k], o);
        }
        if (sum.PRESSURE) total[MD_SUM_VIRIAL] += (double)sum.virial;
        if (sum.STRAIN) {
            total[MD_SUM_VIRIAL_X] += (double)sum.virial_x;
            total[MD_SUM_VIRIAL_Y] += (double)sum.virial_y;
        }
        if (SUMS) {
            total[MD_SUM_POTENTIAL] += (double)sum.energy;
            total[MD_SUM_INSIDE] += sum.inside;
            total[MD_SUM_TESTED] += sum.tested;
            if constexpr (M::types) total[MD_SUM_SHIFT] += (double)sum.shift;
        }
        if (lane >= lanes || lane % T) continue;
        if constexpr (M::types) {
            f.x /= weight;
            f.y /= weight;
            f.z /= weight;
        }
        if (LOOKS || (!SUMS && a.forces_only)) {
            const md_vec<R> force = {(R)f.x, (R)f.y, (R)f.z, 0};
            const md_left<R> left = {(md_vec<R> *)a.v, (md_rest<R> *)a.f};
            md_vec<R> v;
            if (LOOKS == MD_SPEEDS && a.behind) {
                md_vec<R> before;
                left.get(index, v, before);
                v = scaling.velocity(v, before);
            } else if (LOOKS) {
                v = ((const md_vec<R> *)a.v)[index];
            }
            if (LOOKS) {
                md_half_kick(v, force, c.kick);
                md_add_squares(v, (double)weight, total);
            }
            if (LOOKS == MD_SPEEDS) {
                left.put(index, v, force);
                if (md_may_be_far(a, scaling, c.limit_sq, index, x_in[index], v, force))
                    atomicMin(&t.control->last, a.ahead);
            } else {
                ((md_vec<R> *)a.f)[index] = force;
            }
            continue;
        }
        md_vec<R> v;
        if constexpr (M::dissipates)
            v = sum.motion.own;
        else
            v = ((md_vec<R> *)a.v)[index];
        if constexpr (M::field) {
            R energy, power, along = c.pair.field(walls, x_in[index], v, &energy, &power);
            c.pair.add_along(f, along);
            f.w += power;
            if (SUMS) total[MD_SUM_POTENTIAL] += 2 * (double)energy;
        }
#ifdef MD_ROUGH
        const md_vec<R> at = x_in[index];
        const md_shoved<F> s =
            md_grain_walls_push<M>(a, c.pair.constants, walls, at, v, index, step);
        const F share = torre_grain_share_typed(&c.pair.constants, sum.radius);
        weight = (R)(1 / share);
        f.x = share * (f.x + s.force[0]) + (R)(a.grains.mass * a.grains.gravity[0]);
        f.y = share * (f.y + s.force[1]) + (R)(a.grains.mass * a.grains.gravity[1]);
        f.z = share * (f.z + s.force[2]) + (R)(a.grains.mass * a.grains.gravity[2]);
        f.w += s.power;
        for (int k = 0; k < 3; k++) sum.couple[k] += s.couple[k];
        const double spun = md_grain_turn<R, F>(
            a.grains, index, sum.couple, (F)2.5 * share / (sum.radius * sum.radius), integrate.kick,
            SUMS, SUMS ? (double)weight * (double)sum.radius * (double)sum.radius : 0);
        if (SUMS) {
            const int axis = a.grains.axis;
            const double height = (double)(axis == 2 ? at.z : at.y) - a.grains.low;
            total[MD_SUM_SHIFT] += spun;
            total[MD_SUM_POTENTIAL] += (double)s.energy - 2 * a.grains.mass * (double)weight *
                                                              a.grains.gravity[axis] * height;
        }
#endif
        integrate.half(v, (R)f.x, (R)f.y, (R)f.z);
        if constexpr (M::dissipates) v.w += integrate.kick * (R)f.w;
        if (SUMS) {
            ((md_vec<R> *)a.f)[index] = {(R)f.x, (R)f.y, (R)f.z, (R)f.w};
            if constexpr (M::dissipates) total[MD_SUM_LOST] += (double)v.w;
            md_add_velocity(v, M::types || M::rough ? (double)weight : 1.0, total);
        } else {
            const int64_t now = NOISE ? (int64_t)t.control->clock + a.ahead : 0;
            const int id = NOISE ? a.id[index] : 0;
            if constexpr (NOISE) md_noise_after(v, a.noise, now, id, (double)weight);
            integrate.half(v, (R)f.x, (R)f.y, (R)f.z);
            if constexpr (M::dissipates) v.w += integrate.kick * (R)f.w;
            md_vec<R> q = x_in[index];
            if constexpr (NOISE)
                md_noise_drift(q, v, integrate.drift, a.noise, now + 1, id, (double)weight);
            else if constexpr (STRETCH)
                md_stretch(q, v, *a.live);
            else
                integrate.move(q, v);
            ((md_vec<R> *)a.x_out)[index] = q;
            md_stop_if_far(a, c.limit_sq, index, q, STRETCH ? &a.live->next : nullptr);
        }
        ((md_vec<R> *)(M::dissipates ? a.v_out : a.v))[index] = v;
    }
    if (SUMS) md_block_sums(total, a.partial + (int64_t)rank * MD_SUMS);
    if constexpr (LOOKS > 0) md_block_sums<LOOKS>(total, a.partial + (int64_t)rank * MD_SUMS);
    if (STEP && !a.forces_only && row == 0 && threadIdx.x == 0) t.control->done++;
}

/* The first half of a step, from stored forces: half a kick and a drift, in place. */
template <class R> __global__ void md_drift_kernel(const __grid_constant__ md_force_args a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (md_stopped(a.tiles.control, a.ahead)) return;
    if (i < a.count) {
        md_kick<R> integrate = {(R)a.kick, (R)a.drift};
        md_vec<R> f = ((const md_vec<R> *)a.f)[i], v = ((const md_vec<R> *)a.v)[i],
                  q = ((const md_vec<R> *)a.x_in)[i];
        integrate.half(v, f.x, f.y, f.z);
        v.w += integrate.kick * f.w;
        integrate.move(q, v);
        if (a.grains.slots) {
            md_vec<R> twist = ((const md_vec<R> *)a.grains.twist)[i],
                      *w = (md_vec<R> *)a.grains.spin + i;
            integrate.half(*w, twist.x, twist.y, twist.z);
        }
        ((md_vec<R> *)a.v)[i] = v;
        ((md_vec<R> *)a.x_out)[i] = q;
        md_stop_if_far(a, (R)a.limit_sq, i, q);
    }
    if (i == 0) a.tiles.control->done++;
}

/* Behind a sequence whose last step is a.ahead, where stops are late: the step that was done too
 * many does not count, and if it was the last, particles are again where it began. */
template <class R> __global__ void md_undo_kernel(const __grid_constant__ md_force_args a)
{
    md_control *control = a.tiles.control;
    if (control->error || control->last >= a.ahead) return;
    if (blockIdx.x == 0 && threadIdx.x == 0) control->done--;
    if (control->last == a.ahead - 1) md_pass_on<R>(a, true, true);
}

/* A sequence of steps is done, or was stopped. */
static __global__ void md_clock_kernel(md_control *control, int steps)
{
    if (!control->error) control->clock += (uint64_t)(min(steps - 1, control->last) + 1);
}

/* total[k] = sum over rows of partial[row][k], in a fixed order; a block of 256 threads each. */
static __global__ void md_total_kernel(const double *partial, int rows, double *total)
{
    __shared__ double part[256];
    const int k = blockIdx.x;
    double sum = 0;
    for (int r = threadIdx.x; r < rows; r += 256) sum += partial[(int64_t)r * MD_SUMS + k];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int w = 128; w; w >>= 1) {
        if (threadIdx.x < (unsigned)w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) total[k] = part[0];
}

#endif
