/* What a step does with the velocity and the position of a particle. */
#ifndef TORRE_MD_KICK_CUH
#define TORRE_MD_KICK_CUH

#include "md_geometry.cuh"

template <class R> __device__ inline double md_square(const md_vec<R> &v)
{
    const double x = (double)v.x, y = (double)v.y, z = (double)v.z;
    return fma(z, z, fma(y, y, x * x));
}

template <class R> __device__ inline void md_half_kick(md_vec<R> &v, const md_vec<R> &f, R kick)
{
    v.x = fma(kick, f.x, v.x);
    v.y = fma(kick, f.y, v.y);
    v.z = fma(kick, f.z, v.z);
}

/*
 * Two half kicks by force (fx, fy, fz) and a drift: v(n - 1/2) -> v(n) -> v(n + 1/2), r(n) ->
 * r(n + 1). The half kicks are two additions, each rounded once, so that a run cut at step n gives
 * the same bits.
 */
template <class R> struct md_kick {
    R kick, drift;
    __device__ void half(md_vec<R> &v, R fx, R fy, R fz) const
    {
        md_half_kick(v, md_vec<R>{fx, fy, fz, 0}, kick);
    }
    __device__ void move(md_vec<R> &q, const md_vec<R> &v) const
    {
        q.x += drift * v.x;
        q.y += drift * v.y;
        q.z += drift * v.z;
    }
};

/* A drift in which positions go with the box of a barostat. */
template <class R>
__device__ inline void md_stretch(md_vec<R> &q, const md_vec<R> &v, const md_live &live)
{
    q.x += fma((R)live.more[0], q.x, md_product((R)live.forward[0], v.x));
    q.y += fma((R)live.more[1], q.y, md_product((R)live.forward[1], v.y));
    q.z += fma((R)live.more[2], q.z, md_product((R)live.forward[2], v.z));
}

template <class R> __device__ inline void md_scale(md_vec<R> &v, R factor)
{
    v.x = md_product(v.x, factor);
    v.y = md_product(v.y, factor);
    v.z = md_product(v.z, factor);
}

/* From whole velocities of a step and its forces to the next positions, where a thermostat scales
 * velocities: what is after the step, what is before the next one, half a kick; drift. */
template <class R> struct md_scaling {
    R after, before, kick, drift;
    __device__ md_vec<R> velocity(md_vec<R> v, const md_vec<R> &f) const
    {
        md_scale(v, after);
        md_scale(v, before);
        md_half_kick(v, f, kick);
        return v;
    }
    __device__ md_vec<R> position(md_vec<R> q, const md_vec<R> &v) const
    {
        md_half_kick(q, v, drift);
        return q;
    }
};

/*
 * What a force kernel leaves behind where that is not known yet, whole velocities and forces, of
 * which the fourth number of a velocity is one: 6 numbers are moved in place of 8.
 */
template <class R> struct __align__(2 * sizeof(R)) md_rest { R y, z; };

template <class R> struct md_left {
    md_vec<R> *v;
    md_rest<R> *f;
    __device__ void put(int index, md_vec<R> u, const md_vec<R> &force) const
    {
        u.w = force.x;
        v[index] = u;
        f[index] = {force.y, force.z};
    }
    __device__ void get(int index, md_vec<R> &u, md_vec<R> &force) const
    {
        u = v[index];
        force = {u.w, f[index].y, f[index].z, 0};
        u.w = 0;
    }
};

#endif
