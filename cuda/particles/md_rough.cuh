/*
 * Rough grains (particles/grains.h) in md_force_kernel: contacts with the few that touch, walls,
 * gravity and spins. Spins, keys and springs lie by id, so that sorts do not move them; of a pair
 * each grain does the work for its own, and lanes that share a grain take its slots with an atomic
 * operation. The fourth number of a position is the radius.
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

/* torre_grain_slot for lanes of one grain that look for different partners at once. */
__device__ inline int md_grain_slot(unsigned long long *key, int slots, int partner, uint32_t step,
                                    bool *met)
{
    const unsigned long long now = (unsigned long long)step << 32 | (uint32_t)partner;
    const unsigned long long before = (unsigned long long)(step - 1) << 32 | (uint32_t)partner;
    *met = false;
    for (int k = 0; k < slots; k++) {
        if (__ldcg(key + k) != before) continue;
        __stcg(key + k, now);
        return k;
    }
    *met = true;
    for (int k = 0; k < slots; k++) {
        const unsigned long long old = __ldcg(key + k);
        if (step - (uint32_t)(old >> 32) > 1 && atomicCAS(key + k, old, now) == old) return k;
    }
    return -1;
}

/* Contact of the grain `id`, with springs of its own; touch is with `partner`. */
template <class M>
__device__ __noinline__ md_shoved<typename M::F>
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
__device__ __noinline__ md_shoved<typename M::F>
md_grain_meet(const md_force_args &a, const torre_grain_typed &grain, int index, unsigned other,
              typename M::F radius, typename M::F other_radius, typename M::F dx, typename M::F dy,
              typename M::F dz, uint32_t step)
{
    typedef typename M::F F;
    typedef md_vec<typename M::State> quad;
    const int id = a.id[index], partner = a.id[other];
    const quad u = ((const quad *)a.v)[index], v = ((const quad *)a.v)[other];
    const quad w = ((const quad *)a.grains.spin)[id], x = ((const quad *)a.grains.spin)[partner];
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

/* The grain at q, with u, id and spin, and all walls that it overlaps. */
template <class M>
__device__ __noinline__ md_shoved<typename M::F>
md_grain_walls_push(const md_force_args &a, const torre_grain_typed &grain,
                    const md_grain_walls &walls, const md_vec<typename M::State> &q,
                    const md_vec<typename M::State> &u, int id, uint32_t step)
{
    typedef typename M::F F;
    typedef typename M::State R;
    const md_vec<R> w = ((const md_vec<R> *)a.grains.spin)[id];
    const F spin[3] = {(F)w.x, (F)w.y, (F)w.z};
    const R at[3] = {q.x, q.y, q.z}, velocity[3] = {u.x, u.y, u.z};
    md_shoved<F> all = {};
    for (int k = 0; k < 6; k++) {
        const int axis = k / 2, side = a.grains.wall_side[k];
        if (!side) continue;
        const F overlap = (F)(q.w - side * (at[axis] - (R)walls.at[k]));
        if (!(overlap > 0)) continue;
        F past[3];
        for (int i = 0; i < 3; i++)
            past[i] = (F)(velocity[i] - (i == axis ? (R)walls.velocity[k] : 0));
        torre_touch_typed touch;
        torre_touch_wall_typed(&grain, axis, side, overlap, (F)q.w, past, spin, &touch);
        const md_shoved<F> s =
            md_grain_contact<M>(a, grain, touch, id, -1 - k, (F)q.w - overlap, step);
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
__device__ inline double md_grain_turn(const md_grain_args &g, int id, const F couple[3], F turned,
                                       R kick, bool sums, double inertia)
{
    md_vec<R> w = ((const md_vec<R> *)g.spin)[id];
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
    if (sums) ((md_vec<R> *)g.twist)[id] = twist;
    ((md_vec<R> *)g.spin_out)[id] = w;
    return square;
}

#endif
