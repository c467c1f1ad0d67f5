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

#endif
