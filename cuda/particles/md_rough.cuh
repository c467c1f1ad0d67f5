/*
 * Rough grains (particles/grains.h) in md_force_kernel: contacts with the few that touch, walls,
 * gravity and spins. Keys and springs lie by id, so that sorts do not move them; of a pair each
 * grain does the work for its own, and lanes that meet partners of one grain take its slots with an
 * atomic operation. The fourth number of a position is the radius.
 *
 * Few neighbours touch, and a contact is long and waits for memory. So lanes only note whom they
 * touch while they walk over their lists; then the warp computes all its contacts together, one a
 * lane, and each lane adds up its own, in the order of its list.
 */
#ifndef TORRE_MD_ROUGH_CUH
#define TORRE_MD_ROUGH_CUH

#include "md_geometry.cuh"

/* What one contact does to a grain. */
template <class F> struct md_shoved {
    F force[3], couple[3], power, energy, virial;
};

/* Walls at a step. */
struct md_grain_walls {
    double at[6], velocity[6];
};

__device__ inline md_grain_walls md_walls_at(const md_grain_args &g, int64_t step)
{
    md_grain_walls walls;
    const double phase = g.turns * (double)step;
    double sine, cosine;
    sincos(6.283185307179586476925 * (phase - floor(phase)), &sine, &cosine);
    for (int k = 0; k < 6; k++) {
        const bool moves = k / 2 == g.axis;
        walls.at[k] = g.wall_at[k] + (moves ? g.amplitude * sine : 0);
        walls.velocity[k] = moves ? g.speed * cosine : 0;
    }
    return walls;
}

/* torre_grain_slot for lanes that look for different partners of one grain at once. Keys are read
 * four at a time, which are a sector of memory. */
__device__ inline int md_grain_slot(unsigned long long *key, int slots, int partner, uint32_t step,
                                    bool *met)
{
    const unsigned long long now = (unsigned long long)step << 32 | (uint32_t)partner;
    const unsigned long long before = (unsigned long long)(step - 1) << 32 | (uint32_t)partner;
    int free = slots;
    *met = false;
    for (int k = 0; k < slots; k += 4) {
        const ulonglong2 p = __ldcg((const ulonglong2 *)(key + k)),
                         q = __ldcg((const ulonglong2 *)(key + k + 2));
        const unsigned long long four[4] = {p.x, p.y, q.x, q.y};
#pragma unroll
        for (int u = 0; u < 4; u++) {
            if (four[u] == before) {
                __stcg(key + k + u, now);
                return k + u;
            }
            if (step - (uint32_t)(four[u] >> 32) > 1) free = min(free, k + u);
        }
    }
    *met = true;
    for (int k = free; k < slots; k++) {
        const unsigned long long old = __ldcg(key + k);
        if (step - (uint32_t)(old >> 32) > 1 && atomicCAS(key + k, old, now) == old) return k;
    }
    return -1;
}

/* Contact of the grain `id`, with springs of its own; touch is with `partner`. */
template <class M>
__device__ inline md_shoved<typename M::F>
md_grain_contact(const md_force_args &a, const torre_grain_typed &grain,
                 const torre_touch_typed &touch, int id, int partner, typename M::F arm,
                 uint32_t step)
{
    typedef typename M::F F;
    const md_grain_args &g = a.grains;
    md_shoved<F> s = {};
    bool met;
    const int k = md_grain_slot((unsigned long long *)g.key + (int64_t)id * g.slots, g.slots,
                                partner, step, &met);
    if (k < 0) {
        atomicOr(&a.tiles.control->error, MD_ERROR_CONTACTS);
        atomicMin(&a.tiles.control->bad_id, (uint32_t)id);
        atomicMin(&a.tiles.control->last, MD_FAILED);
        return s;
    }
    md_vec<F> *kept = (md_vec<F> *)g.spring + 2 * ((int64_t)id * g.slots + k);
    F spring[TORRE_SPRINGS] = {};
    if (!met) {
        const md_vec<F> p = kept[0], q = kept[1];
        spring[0] = p.x, spring[1] = p.y, spring[2] = p.z, spring[3] = p.w;
        spring[4] = q.x, spring[5] = q.y, spring[6] = q.z;
    }
    const torre_shove_typed shove = torre_grain_contact_typed(&grain, &touch, met, spring);
    kept[0] = {spring[0], spring[1], spring[2], spring[3]};
    kept[1] = {spring[4], spring[5], spring[6], 0};
    torre_shove_add_typed(&touch, &shove, arm, s.force, s.couple);
    s.power = shove.power;
    s.energy = shove.energy;
    s.virial = shove.normal;
    return s;
}

/* With the grain stored at `other`, of that radius, d away from the one at `index`. */
template <class M>
__device__ inline md_shoved<typename M::F>
md_grain_meet(const md_force_args &a, const torre_grain_typed &grain, int index, unsigned other,
              typename M::F radius, typename M::F other_radius, typename M::F dx, typename M::F dy,
              typename M::F dz, uint32_t step)
{
    typedef typename M::F F;
    typedef md_vec<typename M::State> quad;
    const int id = a.id[index], partner = a.id[other];
    const quad u = ((const quad *)a.v)[index], v = ((const quad *)a.v)[other];
    const quad w = ((const quad *)a.grains.spin)[index], x = ((const quad *)a.grains.spin)[other];
    const F d[3] = {dx, dy, dz};
    const F velocity[3] = {(F)(u.x - v.x), (F)(u.y - v.y), (F)(u.z - v.z)};
    const F spin[3] = {(F)w.x, (F)w.y, (F)w.z}, other_spin[3] = {(F)x.x, (F)x.y, (F)x.z};
    torre_touch_typed touch;
    if (!torre_touch_grains_typed(&grain, d, radius, other_radius, velocity, spin, other_spin,
                                  &touch))
        return {};
    md_shoved<F> s =
        md_grain_contact<M>(a, grain, touch, id, partner, radius - touch.overlap / 2, step);
    s.power /= 2;
    s.virial *= radius + other_radius - touch.overlap;
    return s;
}

/* Neighbours that a lane finds to touch while it walks over all of them, by their offsets in the
 * tile: as many as there is room for, behind those that were met after earlier walks. */
struct md_touching {
    static constexpr int most = 8;
    unsigned long long late = 0, early = 0; /* four of 16 bits each, the last one lowest */
    int count = 0;
    int found = 0, met = 0; /* in this walk; before it */

    __device__ void add(unsigned offset)
    {
        if (found++ < met || count == most) return;
        early = early << 16 | late >> 48;
        late = late << 16 | offset;
        count++;
    }
    /* These have been met: whether a lane of the warp has found more, so that all walk again. */
    __device__ bool again()
    {
        const bool more = __any_sync(~0u, found > met + count);
        met += count;
        found = count = 0;
        return more;
    }
    /* Number k, from 0 in the order found, of what `lane` has; all lanes of the warp ask. */
    __device__ unsigned of(int lane, int k) const
    {
        const unsigned long long low = __shfl_sync(~0u, late, lane),
                                 high = __shfl_sync(~0u, early, lane);
        const int back = __shfl_sync(~0u, count, lane) - 1 - k;
        return (unsigned)((back & 4 ? high : low) >> 16 * (back & 3)) & 0xffff;
    }
};

/* Sum of the values of this lane and those before it. */
__device__ inline int md_warp_scan(int value)
{
    const int lane = (int)(threadIdx.x & 31);
    for (int o = 1; o < 32; o <<= 1) {
        const int before = __shfl_up_sync(~0u, value, o);
        if (lane >= o) value += before;
    }
    return value;
}

/* The first lane where such a sum, `end`, is above n; the last one where it is nowhere. */
__device__ inline int md_warp_search(int end, int n)
{
    int lane = 0;
    for (int o = 16; o; o >>= 1)
        if (__shfl_sync(~0u, end, lane + o - 1) <= n) lane += o;
    return lane;
}

/* What the lane `from` of the warp has. */
template <class F> __device__ inline md_shoved<F> md_shoved_of(const md_shoved<F> &s, int from)
{
    md_shoved<F> to;
    for (int k = 0; k < 3; k++) {
        to.force[k] = __shfl_sync(~0u, s.force[k], from);
        to.couple[k] = __shfl_sync(~0u, s.couple[k], from);
    }
    to.power = __shfl_sync(~0u, s.power, from);
    to.energy = __shfl_sync(~0u, s.energy, from);
    to.virial = __shfl_sync(~0u, s.virial, from);
    return to;
}

/* Compute what the lanes of a warp touch, one contact a lane; sum.shoved for each of the own. */
template <class M, class Sum>
__device__ inline void md_grains_meet(const md_force_args &a, const torre_grain_typed &grain,
                                      const typename M::Staged &staged, const uint32_t *gather,
                                      uint32_t step, Sum &sum)
{
    typedef typename M::F F;
    const int lane = (int)(threadIdx.x & 31);
    const int end = md_warp_scan(sum.touching.count), first = end - sum.touching.count;
    const int all = __shfl_sync(~0u, end, 31);
    for (int base = 0; base < all; base += 32) {
        const int n = base + lane, owner = md_warp_search(end, n);
        const unsigned offset = sum.touching.of(owner, n - __shfl_sync(~0u, first, owner));
        const int index = __shfl_sync(~0u, sum.index, owner);
        const F x = __shfl_sync(~0u, sum.x, owner), y = __shfl_sync(~0u, sum.y, owner),
                z = __shfl_sync(~0u, sum.z, owner), radius = __shfl_sync(~0u, sum.radius, owner);
        md_shoved<F> s = {};
        if (n < all) {
            const md_vec<F> q = staged.get(offset);
            s = md_grain_meet<M>(a, grain, index, md_index_of(gather, offset), radius, q.w, x - q.x,
                                 y - q.y, z - q.z, step);
        }
        for (int k = max(first, base); __any_sync(~0u, k < min(end, base + 32)); k++) {
            const md_shoved<F> own = md_shoved_of(s, k & 31);
            if (k < min(end, base + 32)) sum.shoved(own);
        }
    }
}

/* The grain at q, with u, and a wall that it overlaps. */
template <class M>
__device__ __noinline__ md_shoved<typename M::F>
md_grain_wall_push(const md_force_args &a, const torre_grain_typed &grain,
                   const md_grain_walls &walls, int k, typename M::F overlap,
                   const md_vec<typename M::State> &q, const md_vec<typename M::State> &u,
                   int index, uint32_t step)
{
    typedef typename M::F F;
    typedef typename M::State R;
    const md_vec<R> w = ((const md_vec<R> *)a.grains.spin)[index];
    const R velocity[3] = {u.x, u.y, u.z};
    const F spin[3] = {(F)w.x, (F)w.y, (F)w.z};
    F past[3];
    for (int i = 0; i < 3; i++)
        past[i] = (F)(velocity[i] - (i == k / 2 ? (R)walls.velocity[k] : 0));
    torre_touch_typed touch;
    torre_touch_wall_typed(&grain, k / 2, a.grains.wall_side[k], overlap, (F)q.w, past, spin,
                           &touch);
    return md_grain_contact<M>(a, grain, touch, a.id[index], -1 - k, (F)q.w - overlap, step);
}

/* The same and all walls. */
template <class M>
__device__ inline md_shoved<typename M::F>
md_grain_walls_push(const md_force_args &a, const torre_grain_typed &grain,
                    const md_grain_walls &walls, const md_vec<typename M::State> &q,
                    const md_vec<typename M::State> &u, int index, uint32_t step)
{
    typedef typename M::F F;
    typedef typename M::State R;
    const R at[3] = {q.x, q.y, q.z};
    md_shoved<F> all = {};
    for (int k = 0; k < 6; k++) {
        const int side = a.grains.wall_side[k];
        if (!side) continue;
        const F overlap = (F)(q.w - side * (at[k / 2] - (R)walls.at[k]));
        if (!(overlap > 0)) continue;
        const md_shoved<F> s =
            md_grain_wall_push<M>(a, grain, walls, k, overlap, q, u, index, step);
        for (int i = 0; i < 3; i++) {
            all.force[i] += s.force[i];
            all.couple[i] += s.couple[i];
        }
        all.power += s.power;
        all.energy += 2 * s.energy; /* pairs are counted twice */
    }
    return all;
}

/* Half a kick of the spin by what turns it, twice where it goes on; returns I w^2 5/2 over the mass
 * of the largest, after the first. */
template <class R, class F>
__device__ inline double md_grain_turn(const md_grain_args &g, int index, const F couple[3],
                                       F turned, R kick, bool sums, double inertia)
{
    md_vec<R> w = ((const md_vec<R> *)g.spin)[index];
    const md_vec<R> twist = {(R)(turned * couple[0]), (R)(turned * couple[1]),
                             (R)(turned * couple[2]), 0};
    double square = 0;
    for (int half = 0; half < (sums ? 1 : 2); half++) {
        w.x += kick * twist.x;
        w.y += kick * twist.y;
        w.z += kick * twist.z;
        if (sums)
            square = inertia * ((double)w.x * (double)w.x + (double)w.y * (double)w.y +
                                (double)w.z * (double)w.z);
    }
    if (sums) ((md_vec<R> *)g.twist)[index] = twist;
    ((md_vec<R> *)g.spin_out)[index] = w;
    return square;
}

#endif
