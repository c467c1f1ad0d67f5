/*
 * The block tower kernel for compute capability 9.0: workers own the cells, three helper warps
 * fetch halos and edges ahead of them and publish their progress. Included by wave_block_tower.cuh.
 */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* Gates (shared memory barriers) of a block; parity p serves the steps with t % 2 = p. */
struct tma_gates {
    uint64_t halo[2]; /* the halo has arrived */
    uint64_t edge[2]; /* the edges from the z neighbours have arrived */
    uint64_t done[2]; /* the workers have finished the step */
    int published;    /* steps that `publish` has seen finished */
};

/* The phase to wait for next at the gates of each parity. */
struct gate_phases {
    uint32_t bits = 0;
    __device__ __forceinline__ uint32_t next(int parity)
    {
        const uint32_t phase = bits >> parity & 1;
        bits ^= 1u << parity;
        return phase;
    }
};

template <class T, int R, int DB, bool MODEL> struct tma_waits {
    using tower = block_tower<T, R, DB, MODEL, true>;
    gate_phases halos, mails;
    static __device__ __forceinline__ tma_gates *gates()
    {
        return (tma_gates *)(tower::shared() + tower::S::gates);
    }

    __device__ __forceinline__ void halo(tower &, int t)
    {
        gate_wait(&gates()->halo[t & 1], halos.next(t & 1));
    }
    __device__ __forceinline__ void edges(tower &b, int t)
    {
        if (t > b.h.first_step && (b.h.below >= 0 || b.h.above >= 0))
            gate_wait(&gates()->edge[t & 1], mails.next(t & 1));
    }
    __device__ __forceinline__ void done(tower &b, int t)
    {
        if (b.thread() == 0) gate_arrive(&gates()->done[t & 1]);
    }
};

/* Polls the upwind towers and copies the halo of every step. */
template <class T, int R, int DB, class P>
__device__ __forceinline__ void fetch_halos(const P &params, tma_gates *gates, char *shared)
{
    using S = block_shape<T, R, DB>;
    const torre_wave_args &g = params.g;
    const torre_tower_launch &l = params.l;
    const int lane = threadIdx.x & 31, items = l.tower_count * l.parts;
    gate_phases dones;
    int steps = 0, last_use[2] = {0, 0};
    for (int item = blockIdx.x; item < items; item += l.blocks) {
        const tower_item w = tower_item_at(l, item, R, g.n[0]);
        const int *pointer = tower_wait_for(l, w, item, lane, g.periodic[1], g.periodic[2]);
        const int z =
            (int)((int64_t)((g.n[2] + S::V - 1) / S::V) * w.part / l.parts) * S::V - S::PV * S::V;
        int seen = -1;
        for (int t = w.first_step; t < w.end_step; t++) {
            if (seen < t) {
                for (;;) {
                    int value = TOWER_DONE;
                    if (pointer) {
                        value = load_progress(pointer);
                        if (lane >= 9 && value < TOWER_DONE) value = -1;
                    }
                    seen = __reduce_min_sync(~0u, value);
                    if (seen >= t) break;
                    __nanosleep(64);
                }
                if (lane >= 9) pointer = nullptr; /* only before the first step */
                fence_device();
                __syncwarp();
                fence_async_copies();
            }
            const int p = t & 1;
            if (last_use[p] > 0) {
                gate_wait(&gates->done[p], dones.next(p));
                while (load_shared_acquire(&gates->published) < last_use[p]) __nanosleep(40);
            }
            last_use[p] = ++steps;
            if (lane == 0) gate_expect(&gates->halo[p], S::halo_blocks * S::NL * S::line);
            __syncwarp();
            for (int i = lane; i < S::halo_blocks; i += 32) {
                int X, Y;
                halo_place<DB>(i, &X, &Y);
                const int x = l.half_size * w.s + R * (t - 1) + R * X;
                int y = l.half_size * w.m + R * Y;
                if (g.periodic[1]) y = y < 0 ? y + g.n[1] : y >= g.n[1] ? y - g.n[1] : y;
                copy_box(
                    shared_address(shared + S::halo + p * S::halo_bytes + i * S::halo_block_bytes),
                    &params.map[1 - p], z, y, x, &gates->halo[p]);
            }
        }
    }
}

/* Polls the z neighbours and copies their edges. */
template <class T, int R, int DB, class P>
__device__ __forceinline__ void fetch_edges(const P &params, tma_gates *gates, char *shared)
{
    using S = block_shape<T, R, DB>;
    const torre_wave_args &g = params.g;
    const torre_tower_launch &l = params.l;
    const int lane = threadIdx.x & 31, items = l.tower_count * l.parts;
    int steps = 0; /* of all items before */
    for (int item = blockIdx.x; item < items; item += l.blocks) {
        const tower_item w = tower_item_at(l, item, R, g.n[0]);
        const bool two[2] = {tower_part_beside(l, w.part, 0, g.periodic[2]) >= 0,
                             tower_part_beside(l, w.part, 1, g.periodic[2]) >= 0};
        if (w.first_step >= w.end_step) continue;
        for (int t = w.first_step + 1; t < w.end_step && (two[0] || two[1]); t++) {
            const int p = t & 1;
            const int number = tower_mail_number(l, item, t);
            if (lane < 2 && two[lane])
                while (load_progress(l.mail_flag + blockIdx.x * 2 + lane) < number) __nanosleep(20);
            fence_device();
            __syncwarp();
            fence_async_copies();
            /* the step before last has read this parity's slots */
            while (load_shared_acquire(&gates->published) < steps + t - 1 - w.first_step)
                __nanosleep(20);
            if (lane == 0) {
                gate_expect(&gates->edge[p], ((int)two[0] + (int)two[1]) * S::edge_bytes);
                for (int side = 0; side < 2; side++)
                    if (two[side])
                        copy_line(shared_address(shared + S::edge + (p * 2 + side) * S::edge_bytes),
                                  tower_mailbox(l, blockIdx.x, side, p, S::edge_bytes),
                                  S::edge_bytes, &gates->edge[p]);
            }
            __syncwarp();
        }
        steps += w.end_step - w.first_step;
    }
}

/* Tells downwind towers and z neighbours what the workers have finished. */
template <class P>
__device__ __forceinline__ void publish_steps(const P &params, tma_gates *gates, int R,
                                              int *finished)
{
    const torre_wave_args &g = params.g;
    const torre_tower_launch &l = params.l;
    const int lane = threadIdx.x & 31, items = l.tower_count * l.parts;
    gate_phases dones;
    int steps = 0, towers = 0;
    for (int item = blockIdx.x; item < items; item += l.blocks) {
        const tower_item w = tower_item_at(l, item, R, g.n[0]);
        int *progress = tower_progress(l, w.s, w.m, w.part);
        const int beside =
            lane == 1 || lane == 2 ? tower_part_beside(l, w.part, lane - 1, g.periodic[2]) : -1;
        const int mail_item = item - w.part + beside;
        int *flag = l.mail_flag + mail_item % l.blocks * 2 + 2 - lane;
        for (int t = w.first_step; t < w.end_step; t++) {
            gate_wait(&gates->done[t & 1], dones.next(t & 1));
            if (lane == 0) store_shared_release(&gates->published, ++steps);
            if (t + 1 < w.end_step) {
                fence_device();
                if (beside >= 0) store_progress(flag, tower_mail_number(l, mail_item, t + 1));
                if (lane == 0) store_progress(progress, t + 1);
            }
        }
        if (w.first_step < w.end_step) { /* what stays in the diamond is written after the steps */
            towers++;
            while (load_shared_acquire(finished) < towers) __nanosleep(40);
        }
        fence_device();
        if (lane == 0) store_progress(progress, TOWER_DONE);
    }
}
#endif

template <class T, int R, int DB, bool MODEL>
__global__ void __launch_bounds__(block_shape<T, R, DB>::threads_tma, 1)
    block_tower_tma(const __grid_constant__ block_tower_params<T> params)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    using S = block_shape<T, R, DB>;
    extern __shared__ __align__(128) char shared[];
    tma_gates *gates = (tma_gates *)(shared + S::gates);
    int *finished = (int *)(shared + S::gates + 96); /* towers completely written */
    if (threadIdx.x == 0) {
        for (int p = 0; p < 2; p++) {
            gate_init(&gates->halo[p], 1);
            gate_init(&gates->edge[p], 1);
            gate_init(&gates->done[p], 1);
        }
        gates->published = 0;
        *finished = 0;
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        fence_async_copies();
    }
    __syncthreads();
    const int warp = threadIdx.x / 32;
    if (warp >= S::groups / 32) {
        if (S::share_registers)
            asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(S::helper_registers));
        if (warp == S::groups / 32) fetch_halos<T, R, DB>(params, gates, shared);
        if (warp == S::groups / 32 + 1) fetch_edges<T, R, DB>(params, gates, shared);
        if (warp == S::groups / 32 + 2) publish_steps(params, gates, R, finished);
    } else {
        if (S::share_registers)
            asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(S::worker_registers));
        if (threadIdx.x < S::active) {
            const torre_tower_launch &l = params.l;
            const int items = l.tower_count * l.parts;
            int towers = 0;
            block_tower<T, R, DB, MODEL, true> b(params);
            tma_waits<T, R, DB, MODEL> waits;
#pragma unroll 1
            for (int item = blockIdx.x; item < items; item += l.blocks) {
                const tower_item w = tower_item_at(l, item, R, params.g.n[0]);
                if (w.first_step >= w.end_step) continue;
                b.climb(w, item, waits);
                barrier_among<S::active>();
                if (threadIdx.x == 0) store_shared_release(finished, ++towers);
            }
        }
    }
#endif
}
