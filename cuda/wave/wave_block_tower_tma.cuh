/*
 * The block tower kernel for compute capability 9.0: workers own the cells, four helper warps
 * fetch halos and edges ahead of them and publish their progress. Included by wave_block_tower.cuh.
 */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* Gates (shared memory barriers) of a block; parity p serves the steps with t % 2 = p. Nobody can
 * fall behind by two phases of a gate: workers need the halo of every step, which is copied only
 * after `read` or `written`, and the edges of every step, which come only after the level before
 * has been published; and they go on from `read` (with two levels in `own` from `edge`, then in the
 * first step of an item, too) only when the warp that tells of progress has seen the last level,
 * since its releasing store may take longer than a short step. A gate costs a worker some 100
 * cycles, so with two levels in `own` there are fewer. */
struct tma_gates {
    uint64_t halo[2];       /* the halo has arrived; with two levels in `own` the level of the step
                             * has been published, too */
    uint64_t edge[2];       /* the edges along z are there: one arrival a side */
    uint64_t later_edge[2]; /* S::halves: `edge` is for those of the first lines, this for others */
    uint64_t read[2];       /* one level in `own`: the workers have read all that they need */
    uint64_t published[2];  /* the same: the new level is there (not at the last step of an item) */
    uint64_t written[2];    /* two levels: what leaves the diamond is written, the halo has been
                             * read; STEADY: the halo is not needed any more */
    uint64_t sampled;       /* all samples of an item have been taken */
    uint64_t finished;      /* the workers have written all of an item */
};

/* The phases to wait for next at the gates of several kinds, of each parity. */
struct gate_phases {
    uint32_t bits = 0;
    __device__ __forceinline__ uint32_t next(int parity, int kind = 0)
    {
        const int bit = 2 * kind + parity;
        const uint32_t phase = bits >> bit & 1;
        bits ^= 1u << bit;
        return phase;
    }
    /* The same, to be waited for once more. */
    __device__ __forceinline__ uint32_t now(int parity, int kind = 0) const
    {
        return bits >> (2 * kind + parity) & 1;
    }
};

template <class Kernel> struct tma_waits {
    using tower = block_tower<Kernel>;
    enum { HALO, EDGE, LATER_EDGE, READ, PUBLISHED, SAMPLED };
    gate_phases phases;
    bool first_item = true;
    static __device__ __forceinline__ tma_gates *gates()
    {
        return (tma_gates *)(tower::shared() + tower::S::gates);
    }

    __device__ __forceinline__ void own_is_free(tower &b)
    {
        if (tower::S::workers_record) return;
        if (b.g.points.units && !first_item) gate_wait(&gates()->sampled, phases.next(0, SAMPLED));
        first_item = false;
    }
    __device__ __forceinline__ void entered(tower &b)
    {
        if (tower::ODD) warp_arrive(&gates()->halo[b.h.first_step & 1]);
    }
    __device__ __forceinline__ void halo(tower &, int t)
    {
        gate_wait(&gates()->halo[t & 1], phases.next(t & 1, HALO));
    }
    __device__ __forceinline__ void all_published(tower &b, int t)
    {
        const int p = (t + 1) & 1;
        if (!tower::ODD && t > b.h.first_step)
            gate_wait(&gates()->published[p], phases.next(p, PUBLISHED));
    }
    __device__ __forceinline__ void edges(tower &b, int t)
    {
        if (tower::ODD || t > b.h.first_step)
            gate_wait(&gates()->edge[t & 1], phases.next(t & 1, EDGE));
    }
    __device__ __forceinline__ void edges_passed_on(tower &b, int t)
    {
        if (tower::ODD || t > b.h.first_step)
            gate_wait(&gates()->edge[t & 1], phases.now(t & 1, EDGE));
    }
    __device__ __forceinline__ void later_edges(tower &b, int t)
    {
        if (t > b.h.first_step)
            gate_wait(&gates()->later_edge[t & 1], phases.next(t & 1, LATER_EDGE));
    }
    __device__ __forceinline__ void done_reading(tower &, int t)
    {
        if (!tower::ODD) warp_arrive(&gates()->read[t & 1]);
    }
    __device__ __forceinline__ void all_read(tower &, int t)
    {
        if (!tower::ODD) gate_wait(&gates()->read[t & 1], phases.next(t & 1, READ));
    }
    __device__ __forceinline__ void done_publishing(tower &b, int t)
    {
        if (t + 1 < b.h.end_step)
            warp_arrive(tower::ODD ? &gates()->halo[(t + 1) & 1] : &gates()->published[t & 1]);
    }
    __device__ __forceinline__ void done_writing(tower &, int t)
    {
        if (tower::STEADY || tower::ODD) warp_arrive(&gates()->written[t & 1]);
    }
};

/* Polls the upwind towers and copies the halo of every step. */
template <class Kernel, class P>
__device__ __forceinline__ void fetch_halos(const P &params, tma_gates *gates, char *shared)
{
    using S = typename Kernel::S;
    constexpr int R = Kernel::R, DB = Kernel::DB;
    const torre_wave_args &g = params.g;
    const torre_tower_launch &l = params.l;
    const int lane = threadIdx.x & 31, items = l.tower_count * l.parts;
    const uint32_t halos = shared_address(shared + S::halo);
    const int wrap = g.periodic[1] ? g.n[1] : 0;
    gate_phases reads;
    bool used[2] = {false, false};
    for (int item = blockIdx.x; item < items; item += l.blocks) {
        const tower_item w = tower_item_at(l, item, Kernel::R, g.n[0]);
        const int *pointer = tower_wait_for(l, w, item, lane, g.periodic[1], g.periodic[2]);
        const int z =
            __shfl_sync(~0u, tower_planes_of(l, w.part, g.n[2], S::V).first - S::PV * S::V, 0);
        const int y = __shfl_sync(~0u, l.half_size * w.m, 0);
        int seen = -1;
        for (int t = w.first_step; t < w.end_step; t++) {
            if (seen < t) {
                seen = wait_for_upwind(&pointer, t, 64);
                fence_async_copies();
            }
            const int p = __shfl_sync(~0u, t & 1, 0);
            if (used[p])
                gate_wait(Kernel::STEADY || Kernel::ODD ? &gates->written[p] : &gates->read[p],
                          reads.next(p));
            used[p] = true;
            /* one thread, with coordinates that the compiler knows to be the same for the warp:
             * other copies are issued one by one, with a search for the next thread in between */
            const int x = __shfl_sync(~0u, l.half_size * w.s + R * (t - 1), 0);
            const int to = __shfl_sync(~0u, halos + p * S::halo_bytes, 0);
            if (lane == 0) {
                gate_expect(&gates->halo[p], S::halo_blocks * S::NL * S::line);
#pragma unroll
                for (int i = 0; i < S::halo_blocks; i += S::box_blocks) {
                    int X, Y;
                    halo_place<DB>(i, &X, &Y);
                    int at_y = y + R * Y;
                    at_y += at_y < 0 ? wrap : at_y >= g.n[1] ? -wrap : 0;
                    copy_box(to + i * S::halo_block_bytes, &params.map[1 - p], z, at_y, x + R * X,
                             &gates->halo[p]);
                }
            }
            __syncwarp();
        }
    }
}

/* Where the edges of an item go and come from on one side. In shared memory and read in every step:
 * packets fill the registers, and what spills misses the L1 cache. */
struct tower_mail {
    char *to, *from;
    int sent, expected; /* numbers of the message with level 0 */
    __device__ __forceinline__ void load(uint32_t at)
    {
        load_volatile(at, to, from);
        load_volatile(at + 16, sent, expected);
    }
};

/* Exchanges edges with the part beside on one side; at a face, mirrors them. */
template <class Kernel, class P>
__device__ __forceinline__ void exchange_edges(const P &params, tma_gates *gates, char *shared,
                                               int side)
{
    using S = typename Kernel::S;
    using edges = edge_exchange<Kernel>;
    const torre_wave_args &g = params.g;
    const torre_tower_launch &l = params.l;
    const int lane = threadIdx.x & 31, items = l.tower_count * l.parts;
    const int all = (g.n[2] + S::V - 1) / S::V;
    constexpr bool odd = Kernel::ODD != 0;
    gate_phases publications, halos;
    tower_mail *place = (tower_mail *)(shared + S::mails + side * 32), mail;
    for (int item = blockIdx.x; item < items; item += l.blocks) {
        const tower_item w = tower_item_at(l, item, Kernel::R, g.n[0]);
        const int beside = tower_part_beside(l, w.part, side, g.periodic[2]);
        const int other = item - w.part + beside;
        mail = {tower_mailbox(l, other, 1 - side, 0, S::mailbox_bytes),
                tower_mailbox(l, item, side, 0, S::mailbox_bytes), tower_mail_number(l, other, 0),
                tower_mail_number(l, item, 0)};
        __syncwarp();
        if (S::halves && lane == 0) *place = mail;
        __syncwarp();
        const int vectors =
            (int)((int64_t)all * (w.part + 1) / l.parts) - (int)((int64_t)all * w.part / l.parts);
        if (w.first_step >= w.end_step) continue;
        halos.next(w.first_step & 1); /* nothing to do for that one, see prepare */
        /* a loop of its own for parts at a face: what the others keep in registers leaves none */
        const auto climb = [&](auto at_face) {
            constexpr bool AT_FACE = decltype(at_face)::value;
            for (int t = w.first_step; t + 1 < w.end_step; t++) {
                const int p = (t + 1) & 1, own = S::own + p * Kernel::ODD;
                const uint32_t halo = halos.next(p);
                if (odd)
                    gate_wait(&gates->halo[p], halo);
                else
                    gate_wait(&gates->published[t & 1], publications.next(t & 1));
                if constexpr (!AT_FACE) {
                    if (S::halves) mail.load(shared_address(place));
                    edges::send(shared, S::halves ? again(lane) : lane, 32, own, side, vectors,
                                mail.to + p * S::mailbox_bytes, mail.sent + t + 1);
#pragma unroll 1
                    for (int half = 0; half <= S::halves; half++) {
                        if (S::halves) mail.load(shared_address(place));
                        edges::receive(shared, S::halves ? again(lane) : lane, 32, own, side,
                                       vectors, mail.from + p * S::mailbox_bytes,
                                       mail.expected + t + 1, half * S::first_batches,
                                       half < S::halves ? S::first_batches : S::batches);
                        if (half < S::halves) warp_arrive(&gates->edge[p]);
                    }
                } else if (S::mirrors_vectors) {
                    if (!odd) gate_wait(&gates->halo[p], halo);
                    edges::mirror(shared, lane, 32, own, side, p, t + 1 - w.first_step, vectors,
                                  g.mirror[2], g.n[2]);
                    fence_async_copies_shared(); /* the halo is copied to again */
                }
                if (!S::halves || AT_FACE) warp_arrive(&gates->edge[p]);
                if (S::halves) warp_arrive(&gates->later_edge[p]);
            }
        };
        if (beside >= 0)
            climb(std::false_type());
        else
            climb(std::true_type());
    }
}

/* Tells downwind towers what the workers have written. Before that it takes samples, since workers
 * must wait for them before they overwrite the level, but not for the releasing store, which may
 * take longer than a step. Where workers record, it tells them what. SAMPLES: whether there are
 * any. */
template <class Kernel, bool SAMPLES, class P>
__device__ __forceinline__ void publish_steps(const P &params, tma_gates *gates, char *shared)
{
    using S = typename Kernel::S;
    const torre_wave_args &g = params.g;
    const torre_tower_launch &l = params.l;
    const int lane = threadIdx.x & 31, items = l.tower_count * l.parts;
    constexpr bool odd = Kernel::ODD != 0;
    enum { PUBLISHED, FINISHED };
    /* at dts 6 and 8 a diamond has more blocks than a warp has lanes */
    std::conditional_t<
        S::workers_record, unit_finder<Kernel>,
        std::conditional_t<Kernel::MANY, place_recorder<Kernel>, block_recorder<Kernel>>>
        recorders[(S::blocks + 31) / 32];
    /* Two levels in `own`: which step may go on once level t is seen. Where it is recorded, too,
     * that is the step which reads it: the next one writes vectors in its place before it waits
     * for edges. */
    constexpr int AHEAD = odd && !SAMPLES;
    gate_phases phases;
    for (int item = blockIdx.x; item < items; item += l.blocks) {
        const tower_item w = tower_item_at(l, item, Kernel::R, g.n[0]);
        int *progress = tower_progress(l, w.s, w.m, w.part);
        /* level t, or t + 1, may be overwritten once all have gone through step t */
        auto let_go = [&](int t) {
            uint64_t *gate = odd ? &gates->edge[t & 1] : &gates->read[t & 1];
            if (lane < LANES_ARRIVE && t < w.end_step) gate_arrive(gate);
        };
        if constexpr (SAMPLES && S::workers_record) {
            if (w.first_step < w.end_step)
                for (int i = 0; i < S::blocks; i += 32) {
                    recorders[i / 32].start(g, l, w, i + lane, w.first_step + 1);
                    recorders[i / 32].tell(g, shared, w.first_step);
                }
        } else if (SAMPLES)
            for (int i = 0; i < S::blocks; i += 32)
                recorders[i / 32].start(g, l, w, i + lane, w.first_step + 1);
        if (odd && w.first_step < w.end_step) /* there are no edges to wait for */
            for (int n = 0; n < 3 * LANES_ARRIVE; n += 32)
                if (lane + n < 3 * LANES_ARRIVE) gate_arrive(&gates->edge[w.first_step & 1]);
        for (int t = w.first_step; t < w.end_step; t++) {
            const int before = (t - 1) & 1;
            if (t > w.first_step)
                gate_wait(odd ? &gates->written[before] : &gates->published[before],
                          phases.next(before, PUBLISHED));
            if constexpr (SAMPLES && S::workers_record) {
                if (t > w.first_step)
                    for (const auto &finder : recorders) finder.tell(g, shared, t);
            } else if constexpr (SAMPLES) {
                if (t > w.first_step) {
                    for (auto &recorder : recorders) recorder.record(g, shared, w, t);
                    __syncwarp();
                }
            }
            if (AHEAD || !odd || t > w.first_step) let_go(t + AHEAD);
            if (t > w.first_step && lane == 0) store_progress_release(progress, t);
            if (SAMPLES)
                for (auto &recorder : recorders) recorder.look_ahead(g, l);
        }
        if (w.first_step < w.end_step) { /* what stays in the diamond is written after the steps */
            const int before = (w.end_step - 1) & 1;
            if (odd) gate_wait(&gates->written[before], phases.next(before, PUBLISHED));
            gate_wait(&gates->finished, phases.next(0, FINISHED));
            if constexpr (SAMPLES && !S::workers_record) {
                for (auto &recorder : recorders) recorder.record(g, shared, w, w.end_step);
                warp_arrive(&gates->sampled);
            }
        }
        if (lane == 0) store_progress_release(progress, TOWER_DONE);
    }
}
#endif
