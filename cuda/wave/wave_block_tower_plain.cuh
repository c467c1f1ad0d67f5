/*
 * The block tower kernel for any GPU: the threads that own the cells also poll, copy and publish.
 * Included by wave_block_tower.cuh.
 */

template <class Kernel> struct plain_waits {
    using T = typename Kernel::T;
    using S = typename Kernel::S;
    using tower = block_tower<Kernel>;
    using edge = edge_exchange<Kernel>;
    using vec = cells<T>;
    static constexpr int R = Kernel::R, DB = Kernel::DB;
    tower_item w;
    const int *pointer; /* the counter this thread polls */

    __device__ void own_is_free(tower &) {}
    __device__ void entered(tower &) {}

    __device__ void halo(tower &b, int t)
    {
        if (b.thread() < 32) {
            if (pointer)
                while (load_progress(pointer) < (b.thread() < 9 ? t : TOWER_DONE)) {}
            if (b.thread() >= 9) pointer = nullptr; /* only before the first step */
            fence_device();
            __syncwarp();
        }
        barrier_among<S::active>();
        const T *field = (const T *)b.g.field[(t + 1) & 1];
        constexpr int wide = S::ZL + 2 * S::PV;
        for (int i = b.thread(); i < S::halo_blocks * S::NL * wide; i += S::active) {
            const int z = i % wide, line = i / wide % S::NL, block = i / wide / S::NL;
            int X, Y;
            halo_place<DB>(block, &X, &Y);
            const int x = b.h.x_tower + R * (t - 1) + R * X + line / R;
            const int y = b.wrap_y(b.h.y_tower + R * Y) + line % R;
            int at = b.h.z_part + (z - S::PV) * S::V;
            if (b.g.periodic[2]) at = at < 0 ? at + b.g.n[2] : at >= b.g.n[2] ? at - b.g.n[2] : at;
            vec value = uniform_cells(T(0));
            if (b.column_inside(x, y) && at >= 0 && at < b.g.n[2])
                value = tower::load_global(field + x * b.g.stride_x + y * b.g.stride_y + at);
            tower::store_shared(S::halo + (t & 1) * S::halo_bytes + block * S::halo_block_bytes +
                                    line * S::line + z * 16,
                                value);
        }
        barrier_among<S::active>();
    }

    __device__ void edges(tower &b, int t)
    {
        if (t == w.first_step) return;
#pragma unroll
        for (int side = 0; side < 2; side++)
            if (b.beside(side) >= 0)
                edge::receive(b.shared(), b.thread(), S::active, S::own, side, b.h.vectors,
                              tower_mailbox(b.l, b.item().item, side, t & 1, S::mailbox_bytes),
                              tower_mail_number(b.l, b.item().item, t), 0, S::batches);
        barrier_among<S::active>();
    }

    __device__ void edges_passed_on(tower &, int) {} /* with done_publishing */
    __device__ void later_edges(tower &, int) {}
    __device__ void done_reading(tower &b, int t)
    {
        constexpr int finders = (S::blocks + 31) / 32 * 32;
        if (!S::workers_record || !b.g.points.units || b.thread() >= finders) return;
        unit_finder<Kernel> finder;
        finder.start(b.g, b.l, w, b.thread(), t + 1);
        finder.tell(b.g, b.shared(), t);
    }
    __device__ void all_read(tower &, int) { barrier_among<S::active>(); }

    __device__ void all_published(tower &, int) {} /* see below */
    __device__ void done_writing(tower &, int) {}
    __device__ void done_publishing(tower &b, int t)
    {
        barrier_among<S::active>();
        if (!S::workers_record && b.g.points.units) {
            block_recorder<Kernel> recorder;
            recorder.start(b.g, b.l, w, b.thread(), t + 1);
            recorder.look_ahead(b.g, b.l);
            __syncwarp();
            recorder.record(b.g, b.shared(), w, t + 1);
        }
        if (t + 1 >= w.end_step) return;
#pragma unroll
        for (int side = 0; side < 2; side++)
            if (b.beside(side) >= 0)
                edge::send(
                    b.shared(), b.thread(), S::active, S::own, side, b.h.vectors,
                    tower_mailbox(b.l, b.mail_item(side), 1 - side, (t + 1) & 1, S::mailbox_bytes),
                    tower_mail_number(b.l, b.mail_item(side), t + 1));
        if (b.thread() != 0) return;
        fence_device();
        store_progress(tower_progress(b.l, w.s, w.m, w.part), t + 1);
    }
};
