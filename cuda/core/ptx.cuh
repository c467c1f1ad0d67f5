/*
 * Instructions that CUDA C++ has no word for, all of the project: volatile accesses to shared
 * memory, packets of mail, progress counters, barriers in shared memory (gates), bulk copies, a
 * clock, and words to the compiler.
 */
#ifndef TORRE_PTX_CUH
#define TORRE_PTX_CUH

#include <stdint.h>

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Shared memory by address. Volatile, so that the order of the accesses is that of the source. */
__device__ __forceinline__ void load_volatile(uint32_t at, float &value)
{
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(value) : "r"(at));
}
__device__ __forceinline__ void load_volatile(uint32_t at, double &value)
{
    asm volatile("ld.volatile.shared.f64 %0, [%1];" : "=d"(value) : "r"(at));
}
__device__ __forceinline__ void load_volatile(uint32_t at, float (&q)[4])
{
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(q[0]), "=f"(q[1]), "=f"(q[2]), "=f"(q[3])
                 : "r"(at));
}
__device__ __forceinline__ void load_volatile(uint32_t at, double (&q)[2])
{
    asm volatile("ld.volatile.shared.v2.f64 {%0, %1}, [%2];" : "=d"(q[0]), "=d"(q[1]) : "r"(at));
}
__device__ __forceinline__ void load_volatile(uint32_t at, uint32_t &a, uint32_t &b)
{
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
}
__device__ __forceinline__ void load_volatile(uint32_t at, int &a, int &b)
{
    asm volatile("ld.volatile.shared.v2.b32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
}
__device__ __forceinline__ void load_volatile(uint32_t at, char *&a, char *&b)
{
    asm volatile("ld.volatile.shared.v2.b64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "r"(at));
}
__device__ __forceinline__ void load_volatile(uint32_t at, uint32_t &a, uint32_t &b, uint32_t &c,
                                              uint32_t &d)
{
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at));
}
__device__ __forceinline__ void load_volatile(uint32_t at, int &a, int &b, int &c, int &d)
{
    asm volatile("ld.volatile.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at));
}
__device__ __forceinline__ void store_volatile(uint32_t at, float value)
{
    asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at), "f"(value));
}
__device__ __forceinline__ void store_volatile(uint32_t at, double value)
{
    asm volatile("st.volatile.shared.f64 [%0], %1;" ::"r"(at), "d"(value));
}
__device__ __forceinline__ void store_volatile(uint32_t at, const float (&q)[4])
{
    asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(q[0]),
                 "f"(q[1]), "f"(q[2]), "f"(q[3]));
}
__device__ __forceinline__ void store_volatile(uint32_t at, const double (&q)[2])
{
    asm volatile("st.volatile.shared.v2.f64 [%0], {%1, %2};" ::"r"(at), "d"(q[0]), "d"(q[1]));
}
__device__ __forceinline__ void store_volatile(uint32_t at, uint32_t a, uint32_t b, uint32_t c,
                                               uint32_t d)
{
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(a), "r"(b),
                 "r"(c), "r"(d));
}

/* 16 bytes of a mailbox in global memory. Either two words of data, each with the number of the
 * message beside it, or all at once. */
__device__ __forceinline__ void store_packet(void *to, uint32_t a, uint32_t b, uint32_t number)
{
    asm volatile("st.relaxed.gpu.global.v4.b32 [%0], {%1, %2, %3, %2};" ::"l"(to), "r"(a),
                 "r"(number), "r"(b)
                 : "memory");
}
__device__ __forceinline__ void load_packet(const void *from, uint32_t &a, uint32_t &number_a,
                                            uint32_t &b, uint32_t &number_b)
{
    asm volatile("ld.relaxed.gpu.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(number_a), "=r"(b), "=r"(number_b)
                 : "l"(from)
                 : "memory");
}
__device__ __forceinline__ void store_packet(void *to, unsigned __int128 whole)
{
    asm volatile("st.relaxed.gpu.global.b128 [%0], %1;" ::"l"(to), "q"(whole) : "memory");
}
__device__ __forceinline__ void load_packet(const void *from, uint64_t (&half)[2])
{
    asm volatile("{ .reg .b128 q;\n"
                 "  ld.relaxed.gpu.global.b128 q, [%2];\n"
                 "  mov.b128 {%0, %1}, q; }"
                 : "=l"(half[0]), "=l"(half[1])
                 : "l"(from)
                 : "memory");
}
/* 16 bytes that nobody writes while the kernel runs. */
__device__ __forceinline__ void load_unchanging(uint64_t (&half)[2], const void *from)
{
    asm("ld.global.nc.v2.b64 {%0, %1}, [%2];" : "=l"(half[0]), "=l"(half[1]) : "l"(from));
}
/* Within 1 ulp, exact for 1. */
__device__ __forceinline__ float approximate_reciprocal(float b)
{
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
    return r;
}
/* The value, once more, in a register of its own from here on. one: 1, or another factor;
 * multiplications are issued at twice the rate of moves, which the compiler would leave to the end
 * of a step, besides. */
__device__ __forceinline__ float duplicate(float value, float one)
{
    float other;
    asm volatile("mul.rn.f32 %0, %1, %2;" : "=f"(other) : "f"(value), "f"(one));
    return other;
}
__device__ __forceinline__ double duplicate(double value, double one)
{
    double other;
    asm volatile("mul.rn.f64 %0, %1, %2;" : "=d"(other) : "d"(value), "d"(one));
    return other;
}
/* Without a branch around it. */
__device__ __forceinline__ void store_cell_unless(uint32_t no, char *to, float value)
{
    asm volatile("{ .reg .pred p;\n"
                 "  setp.eq.u32 p, %2, 0;\n"
                 "  @p st.global.cg.f32 [%0], %1; }" ::"l"(to),
                 "f"(value), "r"(no)
                 : "memory");
}
__device__ __forceinline__ void store_cell_unless(uint32_t no, char *to, double value)
{
    asm volatile("{ .reg .pred p;\n"
                 "  setp.eq.u32 p, %2, 0;\n"
                 "  @p st.global.cg.f64 [%0], %1; }" ::"l"(to),
                 "d"(value), "r"(no)
                 : "memory");
}
/* The same value, but the compiler does not know: what follows from it is computed again, and does
 * not outlive a step, or is computed now and not later. */
__device__ __forceinline__ int again(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}
template <class T> __device__ __forceinline__ void computed_now(const T *&address)
{
    asm volatile("" : "+l"(address));
}
/* Both added up, not anew for each use. */
template <class T> __device__ __forceinline__ void computed_now(T *&a, T *&b)
{
    asm("" : "+l"(a), "+l"(b));
}
/* threadIdx.x and the lane, read again each time: not a register that outlives the steps. */
__device__ __forceinline__ int read_thread()
{
    int me;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(me));
    return me;
}
__device__ __forceinline__ int read_lane()
{
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__device__ __forceinline__ uint64_t nanoseconds()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Barrier among the first `threads` threads of the block (a multiple of 32). */
template <int threads> __device__ __forceinline__ void barrier_among()
{
    asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
}

__device__ __forceinline__ int load_progress(const int *p)
{
    int value;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ __forceinline__ void store_progress(int *p, int value)
{
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
/* The same, after everything that the thread did or saw before. */
__device__ __forceinline__ void store_progress_release(int *p, int value)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
/* Fetch the 128 bytes around an address into the L2 cache. */
__device__ __forceinline__ void prefetch_line(const void *p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
/* Copy 16 bytes to shared memory, past registers where the GPU can; a thread waits for its own. */
__device__ __forceinline__ void copy_16(void *to, const void *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
#else
    *(uint4 *)to = *(const uint4 *)from;
#endif
}
__device__ __forceinline__ void wait_for_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
/* Of all lanes of a warp. */
__device__ __forceinline__ int warp_min(int value)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_min_sync(~0u, value);
#else
    for (int d = 16; d > 0; d /= 2) value = min(value, __shfl_xor_sync(~0u, value, d));
    return value;
#endif
}
__device__ __forceinline__ unsigned warp_or(unsigned value)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_or_sync(~0u, value);
#else
    for (int d = 16; d > 0; d /= 2) value |= __shfl_xor_sync(~0u, value, d);
    return value;
#endif
}
/* Makes what was seen before it visible after it, device-wide. */
__device__ __forceinline__ void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

/* Ordinary accesses before it come before asynchronous copies after it; older GPUs have no such. */
__device__ __forceinline__ void fence_async_copies()
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
}
/* The same for copies into this block's shared memory alone: much cheaper. */
__device__ __forceinline__ void fence_async_copies_shared()
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/*
 * Gates: barriers in shared memory, given by pointer or by shared_address. A phase ends when as
 * many have arrived as gate_init said; gate_wait(gate, parity) returns once the phase of that
 * parity has ended, which must be the present one or the one before. HARDWARE: those of compute
 * capability 9.0, which bulk copies can arrive at, too; otherwise twice the count of all arrivals
 * and, after it, 2^31 over how many end a phase: the upper half of their product is the number of
 * the present phase.
 */
template <bool HARDWARE = true>
__device__ __forceinline__ void gate_init(uint64_t *gate, int arrivals)
{
    if constexpr (HARDWARE)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(gate)),
                     "r"(arrivals));
    else
        *(volatile uint64_t *)gate = (uint64_t)(((1u << 31) + arrivals - 1) / arrivals) << 32;
}
template <bool HARDWARE = true> __device__ __forceinline__ void gate_arrive(uint32_t gate)
{
    [[maybe_unused]] uint32_t old;
    if constexpr (HARDWARE)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(gate) : "memory");
    else
        asm volatile("atom.release.cta.shared::cta.add.u32 %0, [%1], 2;"
                     : "=r"(old)
                     : "r"(gate)
                     : "memory");
}
template <bool HARDWARE = true> __device__ __forceinline__ void gate_arrive(uint64_t *gate)
{
    gate_arrive<HARDWARE>(shared_address(gate));
}
template <bool HARDWARE = true>
__device__ __forceinline__ void gate_wait(uint32_t gate, uint32_t parity)
{
    if constexpr (HARDWARE) {
        uint32_t done;
        do {
            asm volatile("{ .reg .pred p;\n"
                         "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                         "  selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(gate), "r"(parity)
                         : "memory");
        } while (!done);
    } else {
        for (;;) {
            uint32_t count, inverse;
            asm volatile("ld.acquire.cta.shared.v2.u32 {%0, %1}, [%2];"
                         : "=r"(count), "=r"(inverse)
                         : "r"(gate)
                         : "memory");
            if ((__umulhi(count, inverse) & 1) != parity) break;
            __nanosleep(20);
        }
    }
}
template <bool HARDWARE = true>
__device__ __forceinline__ void gate_wait(uint64_t *gate, uint32_t parity)
{
    gate_wait<HARDWARE>(shared_address(gate), parity);
}

/* Barrier of all threads of a cluster; older GPUs have none. */
__device__ __forceinline__ void cluster_barrier()
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::
                     : "memory");
#endif
}

/*
 * A build with TORRE_CUDA_RACECHECK is for compute-sanitizer's racecheck. In others it reports
 * races where there are none, since it does not know
 *  - that __syncwarp passes on to one lane what all did before: here all lanes arrive at gates;
 *  - that the words next to those of a copy (cp.async) are not of it: here copies are waited for at
 *    once;
 *  - that nobody uses some values: here they are not touched (block_tower::has_vector), or touched
 *    in an order that others need not have (edges_passed_on).
 */
#ifdef TORRE_CUDA_RACECHECK
constexpr bool RACECHECK = true;
#else
constexpr bool RACECHECK = false;
#endif
constexpr int LANES_ARRIVE = RACECHECK ? 32 : 1;
/* Arrival of a warp at a gate, after everything that its lanes did before. One lane arrives for it.
 * gate_init is told warps * LANES_ARRIVE. */
template <bool HARDWARE = true, class Gate> __device__ __forceinline__ void warp_arrive(Gate gate)
{
    __syncwarp();
    if ((threadIdx.x & 31) < LANES_ARRIVE) gate_arrive<HARDWARE>(gate);
}

/* The rest is for compute capability 9.0 only: code for others may name it, but never runs it. */
/* After gate_init, before other threads or copies use the gates. */
__device__ __forceinline__ void gates_ready()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    fence_async_copies();
}
/* Registers of each thread of this group of four warps. */
template <int registers> __device__ __forceinline__ void fewer_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers> __device__ __forceinline__ void more_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
/* Arrive and announce `bytes` of copies that count towards this phase. */
__device__ __forceinline__ void gate_expect(uint32_t gate, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(gate), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void gate_expect(uint64_t *gate, int bytes)
{
    gate_expect(shared_address(gate), bytes);
}
/* Clusters: where block number `rank` of this block's cluster has what this block has at a place of
 * its shared memory. */
__device__ __forceinline__ uint32_t cluster_address(uint32_t at, int rank)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    return there;
}
/* Arrive at a gate of another block. */
__device__ __forceinline__ void gate_arrive_cluster(uint32_t gate)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(gate)
                 : "memory");
}
/* Store 16 bytes in another block, which count towards a gate there like those of copies. */
__device__ __forceinline__ void store_cluster(uint32_t to, uint4 q, uint32_t gate)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
                 "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
                 "r"(q.x), "r"(q.y), "r"(q.z), "r"(q.w), "r"(gate)
                 : "memory");
}
__device__ __forceinline__ void store_cluster(uint32_t to, int word, uint32_t gate)
{
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
        "r"(word), "r"(gate)
        : "memory");
}
/* Copy `bytes` contiguous bytes (a multiple of 16) from global to shared memory. */
__device__ __forceinline__ void copy_line(uint32_t to, const void *from, int bytes, uint64_t *gate)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(shared_address(gate))
                 : "memory");
}
/* Copy the box of a tensor map of three axes that starts at (z, y, x); outside it is zero. Or of
 * four axes. */
__device__ __forceinline__ void copy_box(uint32_t to, const void *map, int z, int y, int x,
                                         uint64_t *gate)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                 "l"(map), "r"(z), "r"(y), "r"(x), "r"(shared_address(gate))
                 : "memory");
}
__device__ __forceinline__ void copy_box(uint32_t to, const void *map, int z, int i, int y, int x,
                                         uint64_t *gate)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to),
                 "l"(map), "r"(z), "r"(i), "r"(y), "r"(x), "r"(shared_address(gate))
                 : "memory");
}
#endif
