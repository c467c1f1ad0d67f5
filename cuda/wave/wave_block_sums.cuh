/*
 * The sums of a step of a block tower: from levels t and t - 1 to t + 1. A vector of cells along z
 * gets its neighbours along x and y, and the vectors above and below it, from shared memory.
 * Included by wave_block_tower.cuh.
 */

template <class Kernel>
template <int AXIS, bool FRESH>
__device__ __forceinline__ void block_tower<Kernel>::sum_line(vec *sum, int sum_step, const vec *C,
                                                              int step, int before, int after,
                                                              int stride)
{
    if constexpr (R == 2) {
        const vec low = load_shared(before + stride), high = load_shared(after);
        add_pairs<FRESH>(sum[0], c.weight[AXIS], C[0], pair_sum(low, C[step]),
                         pair_sum(load_shared(before), high));
        add_pairs<FRESH>(sum[sum_step], c.weight[AXIS], C[step], pair_sum(C[0], high),
                         pair_sum(low, load_shared(after + stride)));
        return;
    }
    vec last = load_shared(before);
#pragma unroll
    for (int q = 1 - R; q < 2 * R; q++) {
        vec value;
        if (q < 0)
            value = load_shared(before + (q + R) * stride);
        else if (q < R)
            value = C[q * step];
        else
            value = load_shared(after + (q - R) * stride);
        const vec here_from_last = difference(value, last);
#pragma unroll
        for (int j = 0; j < R; j++)
            if (q - j > -R && q - j <= R)
                add_step<R, FRESH>(sum[j * sum_step], c.weight[AXIS], q - j, here_from_last);
        last = value;
    }
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::sum_along_y(vec *sum, const vec *C, int i,
                                                                 int v, const int (&beside)[2])
{
    const int line = in_line(v) + i * R * S::line;
    sum_line<1, MODEL>(sum, 1, C, 1, beside[0] + line, beside[1] + line, S::line);
}

template <class Kernel>
__device__ __forceinline__ void
block_tower<Kernel>::find_around(vec (&around)[2 * PV + 1], const vec &u, const int (&below)[PV],
                                 const int (&above)[PV], int i)
{
    around[PV] = u;
#pragma unroll
    for (int d = 0; d < PV; d++) {
        around[PV - 1 - d] = load_shared(below[d] + i * S::line);
        around[PV + 1 + d] = load_shared(above[d] + i * S::line);
    }
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::find_halves(vec (&around)[3], const vec &u,
                                                                 int below)
{
    struct alignas(8) half {
        T v[2];
    };
    const bool odd = slot() & 1;
    const half first = *(const half *)(shared() + below + (odd ? 32 : 8));
    const half second = *(const half *)(shared() + below + (odd ? 8 : 32));
    around[0] = around[2] = uniform_cells(T(0));
    around[1] = u;
    around[0].v[2] = odd ? second.v[0] : first.v[0];
    around[0].v[3] = odd ? second.v[1] : first.v[1];
    around[2].v[0] = odd ? first.v[0] : second.v[0];
    around[2].v[1] = odd ? first.v[1] : second.v[1];
}

template <class Kernel>
template <block_damping D>
__device__ __forceinline__ void block_tower<Kernel>::finish_block(vec (&A)[NL], const cell_block &b,
                                                                  int v) const
{
    const int z = damped_z<D>(b, v);
#pragma unroll
    for (int i = 0; i < NL && damps(D); i++) finish_update(A[i], damping_of(b, i, z));
#pragma unroll
    for (int j = 0; j < R && ALONE; j++)
#pragma unroll
        for (int i = j; i < NL; i += R) A[i] = product(A[i], factor_after<D>(b, v, i));
}

template <class Kernel>
template <block_damping D>
__device__ __forceinline__ void block_tower<Kernel>::change_places(vec (&A)[NL], vec (&C)[NL],
                                                                   const cell_block &b, int v) const
{
    finish_block<D>(A, b, v);
#pragma unroll
    for (int i = 0; i < NL; i++) {
        const vec next = A[i];
        A[i] = C[i];
        C[i] = next;
    }
}

template <class Kernel>
template <block_damping D>
__device__ __forceinline__ void block_tower<Kernel>::sum_xy(vec (&A)[NL], vec (&C)[NL], vec *sum,
                                                            const vec (&k)[NL], const cell_block &b,
                                                            int v, const int (&along_x)[2],
                                                            const int (&along_y)[2])
{
    const int z = damped_z<D>(b, v);
#pragma unroll
    for (int j = 0; j < R; j++) {
        const int line = in_line(v) + j * S::line;
#pragma unroll
        for (int i = j; i < NL; i += R) {
            const vec u = C[i];
            begin<D>(A[i], u, b, v, i, z);
            C[i] = A[i];
            A[i] = MODEL ? u : copied(c, u);
        }
        sum_line<0, MODEL>(&sum[j], R, &A[j], R, along_x[0] + line, along_x[1] + line, R * S::line);
    }
#pragma unroll
    for (int i = 0; i < NL && MODEL; i++) accumulate(C[i], k[i], sum[i]);
#pragma unroll
    for (int i = 0; i < R; i++) sum_along_y(&sum[i * R], &A[i * R], i, v, along_y);
}

template <class Kernel>
template <block_damping D>
__device__ __forceinline__ void
block_tower<Kernel>::sum_z(vec (&A)[NL], vec (&C)[NL], vec *sum, const vec (&k)[NL],
                           const cell_block &b, int v, int number, const place &p, int t, int left)
{
    int below[PV], above[PV];
    find_beside(below, above, p, v, t & 1);
    vec binding[GROUP];
    take_binding(binding, b, number);
#pragma unroll
    for (int i = 0; i < NL; i++) {
        vec around[2 * PV + 1];
        if constexpr (HALVES)
            find_halves(around, A[i], below[0] + i * S::line);
        else
            find_around(around, A[i], below, above, i);
        add_along_z<T, R>(sum[i], around, c.weight[2]);
        if (MODEL) accumulate(C[i], k[i], sum[i]);
        bind(C[i], binding[i % GROUP], A[i]);
    }
    finish_block<D>(C, b, v);
    if (ODD) publish_vector(C, left, v);
}

template <class Kernel>
template <bool PLAIN, block_damping D, class Waits>
__device__ __forceinline__ void
block_tower<Kernel>::update_by_vectors(vec (&A)[ZV][NL], vec (&C)[ZV][NL], const place &p,
                                       const cell_block &b, int t, Waits &waits)
{
    int along_x[2], along_y[2];
    bool waiting = true;
    find_blocks_beside<0>(along_x, p, t & 1);
    find_blocks_beside<1>(along_y, p, t & 1);
    const int left = new_place(p, t);
    vec k[NL], sums[NL];
#pragma unroll
    for (int n = 0; n < ZV; n++) {
        const int v = n + 1 == ZV ? n : n + 2 < ZV ? n + 1 : 0;
        const bool outer = v == 0 || v + 1 == ZV;
        if (has_none<PLAIN>(v)) continue;
        const T *model = MODEL ? model_of(b, v) : nullptr;
        vec *sum = MODEL ? sums : C[v];
        if (waiting && (outer ? MODEL : !PLAIN && h.vectors <= (v + 1) * lanes)) {
            waits.edges(*this, t);
            waiting = false;
        }
#pragma unroll
        for (int i = 0; i < NL && MODEL; i++) k[i] = load_k(model, v, i / R, i % R);
        sum_xy<D>(A[v], C[v], sum, k, b, v, along_x, along_y);
        if (MODEL || !outer) sum_z<D>(A[v], C[v], sum, k, b, v, n, p, t, left);
    }
    if (MODEL) return;
    if (waiting) waits.edges(*this, t);
    sum_z<D>(A[0], C[0], C[0], k, b, 0, 0, p, t, left);
    if (ZV > 1 && !has_none<PLAIN>(ZV - 1))
        sum_z<D>(A[ZV - 1], C[ZV - 1], C[ZV - 1], k, b, ZV - 1, 0, p, t, left);
}

/* One function, though long: what comes before a wait and what after it is the schedule. */
template <class Kernel>
template <bool PLAIN, block_damping D, class Waits>
__device__ __forceinline__ void block_tower<Kernel>::update(vec (&A)[ZV][NL], vec (&C)[ZV][NL],
                                                            const place &p, const cell_block &b,
                                                            int t, Waits &waits)
{
    if (TAKE_TURNS) fetch_first_bindings(b);
    if constexpr (R == 2 && !STEADY) {
        update_by_vectors<PLAIN, D>(A, C, p, b, t, waits);
        return;
    }
    int along_x[2], along_y[2];
    find_blocks_beside<0>(along_x, p, t & 1);
    find_blocks_beside<1>(along_y, p, t & 1);
    int newest = STEADY ? find_newest(p, t & 1) : 0;
    vec k[R], binding[GROUP], sum[R], u[R]; /* u: level t */
    if constexpr (R > 1) {
#pragma unroll
        for (int v = 0; v < ZV; v++) {
            const int z = damped_z<D>(b, v);
            const T *model = MODEL && !STEADY ? model_of(b, v) : nullptr;
#pragma unroll
            for (int j = 0; j < R; j++) {
                const int line = in_line(v) + j * S::line;
#pragma unroll
                for (int i = 0; i < R; i++)
                    u[i] = STEADY ? load_shared(newest + line + i * R * S::line) : C[v][i * R + j];
                if (!STEADY) load_model<0>(k, model, v, 0, j);
#pragma unroll
                for (int i = 0; i < R; i++) begin<D>(A[v][i * R + j], u[i], b, v, i * R + j, z);
                sum_line<0, MODEL>(MODEL ? sum : &A[v][j], MODEL ? 1 : R, u, 1, along_x[0] + line,
                                   along_x[1] + line, R * S::line);
#pragma unroll
                for (int i = 0; i < R && MODEL; i++)
                    accumulate(A[v][i * R + j], STEADY ? C[v][i * R + j] : k[i], sum[i]);
            }
#pragma unroll
            for (int i = 0; i < R && !MODEL; i++) {
#pragma unroll
                for (int q = 0; q < R; q++)
                    u[q] = STEADY ? load_shared(newest + in_line(v) + (i * R + q) * S::line)
                                  : C[v][i * R + q];
                sum_along_y(&A[v][i * R], u, i, v, along_y);
            }
        }
    }
    waits.edges(*this, t);          /* as late as can be */
    const place again = my_place(); /* there were no registers to keep it in */
    refresh();
    if (MODEL) find_blocks_beside<1>(along_y, again, t & 1);
    if (STEADY) newest = find_newest(again, t & 1);
    const cell_block here = {h.x_tower + R * t + R * X, again.y, h.z_part, again.row};
#pragma unroll
    for (int v = 0; v < ZV; v++) {
        const int z = damped_z<D>(b, v);
        const T *model = MODEL && !STEADY ? model_of(b, v) : nullptr;
        int below[PV], above[PV]; /* line 0 of the vectors 1, 2 further along z */
        find_beside(below, above, again, v, t & 1);
        if constexpr (R == 1) {
            const int line = in_line(v);
            load_model<1>(k, model, v, 0, 0);
            const vec y[2] = {load_shared(along_y[0] + line), load_shared(along_y[1] + line)};
            const vec x[2] = {load_shared(along_x[0] + line), load_shared(along_x[1] + line)};
            const vec around[3] = {load_shared(below[0]), C[v][0], load_shared(above[0])};
            if (damps(D)) damp_before(A[v][0], damping_of(b, 0, z));
            update_order_2<MODEL>(c, k[0], C[v][0], A[v][0], y, x, pair_along_z<T>(around));
        } else {
#pragma unroll
            for (int i = 0; i < NL; i++) {
                if (TMA && S::halves && v == 0 && i == S::first_batches * S::lines_a_batch)
                    waits.later_edges(*this, t);
                if (i % R == 0)
#pragma unroll
                    for (int q = 0; q < R; q++)
                        u[q] = STEADY ? load_shared(newest + in_line(v) + (i + q) * S::line)
                                      : C[v][i + q];
                if (i % GROUP == 0) take_binding(binding, here, (v * NL + i) / GROUP);
                if (MODEL && i % R == 0) {
                    if (!STEADY) load_model<1>(k, model, v, i / R, 0);
                    sum_along_y(sum, u, i / R, v, along_y);
                }
                vec around[2 * PV + 1];
                if constexpr (HALVES)
                    find_halves(around, u[i % R], below[0] + i * S::line);
                else
                    find_around(around, u[i % R], below, above, i);
                add_along_z<T, R>(MODEL ? sum[i % R] : A[v][i], around, c.weight[2]);
                if (MODEL) accumulate(A[v][i], STEADY ? C[v][i] : k[i % R], sum[i % R]);
                bind(A[v][i], binding[i % GROUP], u[i % R]);
            }
        }
        if (STEADY)
            finish_block<D>(A[v], here, v);
        else
            change_places<D>(A[v], C[v], here, v);
    }
}
