/* For cuda/core/ptx.cuh, in C++: the same functions, which tell each other nothing that the next
 * line would not see. */
#ifndef TORRE_PTX_CUH
#define TORRE_PTX_CUH

#include <stdint.h>
#include <string.h>

#include "tests/fake_cuda/fake_tensor_map.h"

/* Shared memory by address. */
inline uint32_t shared_address(const void *p) { return emulator::shared_number(p); }
template <class T> void load_volatile(uint32_t at, T &value)
{
    memcpy(&value, emulator::shared_place(at), sizeof value);
}
template <class T> void load_volatile(uint32_t at, T &a, T &b)
{
    load_volatile(at, a);
    load_volatile(at + (uint32_t)sizeof(T), b);
}
template <class T> void load_volatile(uint32_t at, T &a, T &b, T &c, T &d)
{
    load_volatile(at, a, b);
    load_volatile(at + 2 * (uint32_t)sizeof(T), c, d);
}
template <class T> void store_volatile(uint32_t at, const T &value)
{
    memcpy(emulator::shared_place(at), &value, sizeof value);
}
inline void store_volatile(uint32_t at, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t q[4] = {a, b, c, d};
    store_volatile(at, q);
}

/* Mail. */
inline void store_packet(void *to, uint32_t a, uint32_t b, uint32_t number)
{
    const uint32_t q[4] = {a, number, b, number};
    memcpy(to, q, sizeof q);
}
inline void load_packet(const void *from, uint32_t &a, uint32_t &number_a, uint32_t &b,
                        uint32_t &number_b)
{
    uint32_t q[4];
    emulator::spin();
    memcpy(q, from, sizeof q);
    a = q[0], number_a = q[1], b = q[2], number_b = q[3];
}
inline void store_packet(void *to, unsigned __int128 whole) { memcpy(to, &whole, sizeof whole); }
inline void load_packet(const void *from, uint64_t (&half)[2])
{
    emulator::spin();
    memcpy(half, from, sizeof half);
}
inline void load_unchanging(uint64_t (&half)[2], const void *from) { memcpy(half, from, 16); }
inline float approximate_reciprocal(float b) { return 1 / b; }
inline float duplicate(float value, float one) { return __fmul_rn(value, one); }
inline double duplicate(double value, double one) { return __dmul_rn(value, one); }
template <class T> void store_cell_unless(uint32_t no, char *to, T value)
{
    if (!no) memcpy(to, &value, sizeof value);
}
inline int again(int value) { return value; }
template <class T> void computed_now(const T *&) {}
template <class T> void computed_now(T *&, T *&) {}
inline int read_thread() { return (int)threadIdx.x; }
inline int read_lane() { return emulator::now->lane; }
inline uint64_t nanoseconds()
{
    static uint64_t now;
    return now += 64;
}
template <int threads> void barrier_among() { emulator::barrier(1, threads); }

inline int load_progress(const int *p)
{
    emulator::spin();
    return *p;
}
inline void store_progress(int *p, int value) { *p = value; }
inline void store_progress_release(int *p, int value) { *p = value; }
inline void prefetch_line(const void *) {}
inline void copy_16(void *to, const void *from) { memcpy(to, from, 16); }
inline void wait_for_copies() {}
inline int warp_min(int value) { return __reduce_min_sync(~0u, value); }
inline unsigned warp_or(unsigned value) { return __reduce_or_sync(~0u, value); }
inline void fence_device() {}
inline void fence_async_copies() {}
inline void fence_async_copies_shared() {}

/* Gates: arrivals and bytes that the present phase lacks, and how many phases have ended. */
struct emulated_gate {
    int32_t bytes;
    int16_t lacking;
    uint16_t arrivals : 12, phase : 1;
};
static_assert(sizeof(emulated_gate) == sizeof(uint64_t), "in its place");
inline emulated_gate *gate_of(uint32_t gate)
{
    return (emulated_gate *)emulator::shared_place(gate);
}
inline void look_at_gate(emulated_gate *g)
{
    if (g->lacking < 0) emulator::fault("more have arrived at a gate than it waits for");
    if (g->lacking > 0 || g->bytes != 0) return;
    g->lacking = (int16_t)g->arrivals;
    g->phase ^= 1;
}
template <bool HARDWARE = true> void gate_init(uint64_t *gate, int arrivals)
{
    *(emulated_gate *)gate = {0, (int16_t)arrivals, (uint16_t)arrivals, 0};
}
template <bool HARDWARE = true> void gate_arrive(uint32_t gate)
{
    emulated_gate *g = gate_of(gate);
    g->lacking--;
    look_at_gate(g);
}
template <bool HARDWARE = true> void gate_arrive(uint64_t *gate)
{
    gate_arrive<HARDWARE>(shared_address(gate));
}
template <bool HARDWARE = true> void gate_wait(uint32_t gate, uint32_t parity)
{
    while (gate_of(gate)->phase == parity) emulator::spin();
}
template <bool HARDWARE = true> void gate_wait(uint64_t *gate, uint32_t parity)
{
    gate_wait<HARDWARE>(shared_address(gate), parity);
}
inline void cluster_barrier() { emulator::cluster_barrier(); }

/* All lanes arrive, as in a build for racecheck: they are not in step here. */
constexpr bool RACECHECK = true;
constexpr int LANES_ARRIVE = 32;
template <bool HARDWARE = true, class Gate> void warp_arrive(Gate gate)
{
    __syncwarp();
    gate_arrive<HARDWARE>(gate);
}

inline void gates_ready() {}
template <int registers> void fewer_registers() {}
template <int registers> void more_registers() {}
inline void gate_expect(uint32_t gate, int bytes)
{
    emulated_gate *g = gate_of(gate);
    g->bytes += bytes;
    g->lacking--;
    look_at_gate(g);
}
inline void gate_expect(uint64_t *gate, int bytes) { gate_expect(shared_address(gate), bytes); }
inline void gate_receive(uint32_t gate, int bytes)
{
    emulated_gate *g = gate_of(gate);
    g->bytes -= bytes;
    look_at_gate(g);
}
inline uint32_t cluster_address(uint32_t at, int rank)
{
    return emulator::shared_number_of(at, rank);
}
inline void gate_arrive_cluster(uint32_t gate) { gate_arrive(gate); }
inline void store_cluster(uint32_t to, uint4 q, uint32_t gate)
{
    store_volatile(to, q);
    gate_receive(gate, (int)sizeof q);
}
inline void store_cluster(uint32_t to, int word, uint32_t gate)
{
    store_volatile(to, word);
    gate_receive(gate, (int)sizeof word);
}
inline void copy_line(uint32_t to, const void *from, int bytes, uint64_t *gate)
{
    memcpy(emulator::shared_place(to), from, (size_t)bytes);
    gate_receive(shared_address(gate), bytes);
}
inline void copy_box(uint32_t to, const void *map, const int (&at)[4], uint64_t *gate)
{
    const int bytes = fake_tensor_map_copy(map, at, emulator::shared_place(to));
    gate_receive(shared_address(gate), bytes);
}
inline void copy_box(uint32_t to, const void *map, int z, int y, int x, uint64_t *gate)
{
    copy_box(to, map, {z, y, x, 0}, gate);
}
inline void copy_box(uint32_t to, const void *map, int z, int i, int y, int x, uint64_t *gate)
{
    copy_box(to, map, {z, i, y, x}, gate);
}

#endif
