/* Device functions for the storage of md_device.h: vectors, bins, bricks. */
#ifndef TORRE_MD_GEOMETRY_CUH
#define TORRE_MD_GEOMETRY_CUH

#include <cuda_fp16.h>

#include "md_device.h"

/* Four reals, read and written as 16-byte words; w of a position is the type of the particle. */
template <class R> struct __align__(16) md_vec { R x, y, z, w; };

/* A product that a compiler joins with no sum, and has no second use for. */
__device__ inline float md_product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double md_product(double a, double b) { return __dmul_rn(a, b); }

/* The box that counts: that of a barostat where there is one. */
__device__ inline md_box md_box_now(const md_box &fixed, const md_live *live)
{
    md_box box = fixed;
    if (live) box = live->box;
    return box;
}

/* Where the box of a barostat has taken a position of the last rebuild. */
template <class R> __device__ inline md_vec<R> md_held(const md_vec<R> &q, const md_slack &slack)
{
    return {md_product((R)slack.hold[0], q.x), md_product((R)slack.hold[1], q.y),
            md_product((R)slack.hold[2], q.z), q.w};
}

/* One axis of a periodic box in the precision of the positions. */
template <class R> struct md_axis {
    R edge, inverse, bin_inverse;
};

template <class R> __device__ inline md_axis<R> md_axis_of(const md_box &box, int a)
{
    md_axis<R> axis;
    axis.edge = (R)box.edge[a];
    axis.inverse = (R)1 / axis.edge;
    axis.bin_inverse = (R)(1 / box.bin_edge[a]);
    return axis;
}

/* r moved into 0 <= r < edge. What is there stays: wrapped positions keep their bins. */
template <class R> __device__ inline R md_wrap(R r, const md_axis<R> &axis)
{
    if (r >= 0 && r < axis.edge) return r;
    r -= axis.edge * floor(r * axis.inverse);
    if (r >= axis.edge) r -= axis.edge;
    return r < 0 ? (R)0 : r;
}

/* The same, and `with` moved by as many edges. */
template <class R> __device__ inline void md_wrap_both(R &r, R &with, const md_axis<R> &axis)
{
    R inside = md_wrap(r, axis);
    with -= axis.edge * rint((r - inside) * axis.inverse);
    r = inside;
}

template <class R> __device__ inline int md_bin_of(R wrapped, const md_axis<R> &axis, int bins)
{
    int b = (int)(wrapped * axis.bin_inverse);
    return b < bins ? b : bins - 1;
}

/* The brick of an axis that holds bin b; inverse of md_brick_first. */
__device__ inline int md_brick_at(int b, int bins, int bricks)
{
    return ((b + 1) * bricks - 1) / bins;
}

__device__ inline int md_brick_first(int brick, int bins, int bricks)
{
    return brick * bins / bricks;
}

/* Entry of a brick's bin (x, y, z) in its part of the bin table: rows run to and fro. */
__device__ inline int md_inner(const md_tiles &t, int x, int y, int z)
{
    if (x & 1) y = t.brick_max[1] - 1 - y;
    if ((x ^ y) & 1) z = t.brick_max[2] - 1 - z;
    return (x * t.brick_max[1] + y) * t.brick_max[2] + z;
}

/* Inverse of md_inner, packed as in md_tiles.home. */
__device__ inline uint16_t md_home_of(const md_tiles &t, int inner)
{
    int z = inner % t.brick_max[2], y = inner / t.brick_max[2] % t.brick_max[1];
    int x = inner / (t.brick_max[2] * t.brick_max[1]);
    if ((x ^ y) & 1) z = t.brick_max[2] - 1 - z;
    if (x & 1) y = t.brick_max[1] - 1 - y;
    return (uint16_t)(x | y << 5 | z << 10);
}

/* Entry of bin b[3] of the box in the bin table. */
__device__ inline int md_bin_rank(const md_tiles &t, const int b[3])
{
    int brick[3], local[3];
    for (int a = 0; a < 3; a++) {
        brick[a] = md_brick_at(b[a], t.bins[a], t.bricks[a]);
        local[a] = b[a] - md_brick_first(brick[a], t.bins[a], t.bricks[a]);
    }
    int rank = t.brick_rank[(brick[0] * t.bricks[1] + brick[1]) * t.bricks[2] + brick[2]];
    return rank * t.slots + md_inner(t, local[0], local[1], local[2]);
}

/* A brick: its first bin and its bins per axis. */
struct md_brick {
    int first[3], size[3];
};

__device__ inline md_brick md_brick_of_rank(const md_tiles &t, int rank)
{
    int b = t.brick_of[rank], at[3];
    at[2] = b % t.bricks[2];
    at[1] = b / t.bricks[2] % t.bricks[1];
    at[0] = b / (t.bricks[2] * t.bricks[1]);
    md_brick brick;
    for (int a = 0; a < 3; a++) {
        brick.first[a] = md_brick_first(at[a], t.bins[a], t.bricks[a]);
        brick.size[a] = md_brick_first(at[a] + 1, t.bins[a], t.bricks[a]) - brick.first[a];
    }
    return brick;
}

template <class R>
__device__ inline md_vec<R> md_brick_centre(const md_box &box, const md_brick &brick)
{
    md_vec<R> c;
    c.x = (R)((brick.first[0] + 0.5 * brick.size[0]) * box.bin_edge[0]);
    c.y = (R)((brick.first[1] + 0.5 * brick.size[1]) * box.bin_edge[1]);
    c.z = (R)((brick.first[2] + 0.5 * brick.size[2]) * box.bin_edge[2]);
    c.w = 0;
    return c;
}

/* The places of a brick: first and how many. */
__device__ inline int md_brick_places(const md_tiles &t, int rank, int *first)
{
    *first = t.start[(int64_t)rank * t.slots];
    return t.start[(int64_t)(rank + 1) * t.slots] - *first;
}

/* Staged coordinates of Force precision in shared memory, addressed by byte offset 16 s. */
template <class F> struct md_staged;

template <> struct md_staged<float> {
    typedef float real;
    static constexpr int bytes = 16;
    float4 *xyzw;
    __device__ md_staged(void *shared, int) : xyzw((float4 *)shared) {}
    __device__ void put(int s, float x, float y, float z, float w)
    {
        xyzw[s] = make_float4(x, y, z, w);
    }
    __device__ md_vec<float> get(unsigned offset) const
    {
        float4 q = *(const float4 *)((const char *)xyzw + offset);
        return {q.x, q.y, q.z, q.w};
    }
};

template <> struct md_staged<double> {
    typedef double real;
    static constexpr int bytes = 24;
    double2 *xy;
    double *z;
    __device__ md_staged(void *shared, int cap)
        : xy((double2 *)shared), z((double *)((double2 *)shared + cap))
    {
    }
    __device__ void put(int s, double x_, double y_, double z_, double)
    {
        xy[s] = make_double2(x_, y_);
        z[s] = z_;
    }
    __device__ md_vec<double> get(unsigned offset) const
    {
        double2 q = *(const double2 *)((const char *)xy + offset);
        return {q.x, q.y, *(const double *)((const char *)z + offset / 2), 0};
    }
};

/* The same with the fourth number of a quad. */
template <class F> struct md_staged_quads : md_staged<F> {
    using md_staged<F>::md_staged;
};

template <> struct md_staged_quads<double> {
    typedef double real;
    static constexpr int bytes = 32;
    double2 *xy, *zw;
    __device__ md_staged_quads(void *shared, int cap) : xy((double2 *)shared), zw(xy + cap) {}
    __device__ void put(int s, double x, double y, double z, double w)
    {
        xy[s] = make_double2(x, y);
        zw[s] = make_double2(z, w);
    }
    __device__ md_vec<double> get(unsigned offset) const
    {
        double2 p = *(const double2 *)((const char *)xy + offset);
        double2 q = *(const double2 *)((const char *)zw + offset);
        return {p.x, p.y, q.x, q.y};
    }
};

/* Storage index of the particle staged at a byte offset 16 s. */
__device__ inline unsigned md_index_of(const uint32_t *gather, unsigned offset)
{
    return gather[offset / 16] & ((1u << MD_INDEX_BITS) - 1);
}

/*
 * Staged coordinates for searching only: positions rounded to a grid of the whole box (md_grid) and
 * counted from the centre of the brick. Up to 2048 grid steps are whole numbers in half precision,
 * and so are their differences: two particles are as far apart in one tile as in the other. Stored
 * in units of 512 steps, x, y and z apart, so that four consecutive particles are one 8-byte word
 * of each.
 */
struct md_staged_half {
    typedef float real;
    __half *x, *y, *z;
    __device__ md_staged_half(void *shared, int cap) : x((__half *)shared), y(x + cap), z(y + cap)
    {
    }
    __device__ void put(int s, float px, float py, float pz, float)
    {
        x[s] = __float2half_rn(px / 512);
        y[s] = __float2half_rn(py / 512);
        z[s] = __float2half_rn(pz / 512);
    }
};

/* The frame that particles are staged in: lengths, or steps of a grid (all of them whole). */
template <class R> struct md_frame {
    md_vec<R> centre, edge; /* of the brick; of the box */
    __device__ md_vec<R> coordinates(const md_vec<R> &position) const { return position; }
};

template <class R> struct md_grid_frame {
    md_vec<R> centre, edge, steps; /* steps per length */
    __device__ md_vec<R> coordinates(const md_vec<R> &position) const
    {
        return {rint(position.x * steps.x), rint(position.y * steps.y), rint(position.z * steps.z),
                position.w};
    }
};

template <class R>
__device__ inline md_frame<R> md_frame_of(const md_box &box, const md_brick &brick)
{
    return {md_brick_centre<R>(box, brick), {(R)box.edge[0], (R)box.edge[1], (R)box.edge[2], (R)0}};
}

/* grid[a]: steps of the grid along axis a of the box. */
template <class R>
__device__ inline md_grid_frame<R> md_grid_frame_of(const md_box &box, const md_brick &brick,
                                                    const int grid[3])
{
    md_grid_frame<R> f;
    f.edge = {(R)grid[0], (R)grid[1], (R)grid[2], (R)0};
    f.steps = {(R)(grid[0] / box.edge[0]), (R)(grid[1] / box.edge[1]), (R)(grid[2] / box.edge[2]),
               (R)0};
    f.centre = f.coordinates(md_brick_centre<R>(box, brick));
    return f;
}

/* Whether the tile of a brick reaches over a face of the box, so that some of it is shifted. */
__device__ inline bool md_tile_wraps(const md_tiles &t, const md_brick &brick)
{
    bool wraps = false;
    for (int a = 0; a < 3; a++)
        wraps |= brick.first[a] < t.reach || brick.first[a] + brick.size[a] + t.reach > t.bins[a];
    return wraps;
}

/*
 * Stage the tile of a brick, of that row of the tables: coordinates, relative to the centre of the
 * frame, of every particle that `gather` names, and nobody at the end. The block must synchronise
 * before reading.
 */
template <class State, class Frame, class S>
__device__ inline void md_stage(const md_tiles &t, int row, const md_brick &brick,
                                const Frame &frame, const md_vec<State> *__restrict__ x, S &staged)
{
    typedef typename S::real F;
    const int batch = 4; /* loads in flight per thread */
    const uint32_t *__restrict__ gather = t.gather + (int64_t)row * t.staged_cap;
    const uint32_t index_mask = (1u << MD_INDEX_BITS) - 1;
    int staged_count = t.staged_count[row];
    bool wraps = md_tile_wraps(t, brick);
    for (int base = threadIdx.x; base < staged_count; base += batch * blockDim.x) {
        uint32_t g[batch];
        md_vec<State> q[batch];
#pragma unroll
        for (int u = 0; u < batch; u++)
            g[u] = gather[min(base + u * (int)blockDim.x, staged_count - 1)];
#pragma unroll
        for (int u = 0; u < batch; u++) q[u] = x[g[u] & index_mask];
#pragma unroll
        for (int u = 0; u < batch; u++) {
            q[u] = frame.coordinates(q[u]);
            q[u].x -= frame.centre.x;
            q[u].y -= frame.centre.y;
            q[u].z -= frame.centre.z;
        }
        if (wraps) {
#pragma unroll
            for (int u = 0; u < batch; u++) {
                int shift = (int)(g[u] >> MD_INDEX_BITS);
                q[u].x += (State)(shift / 9 - 1) * frame.edge.x;
                q[u].y += (State)(shift / 3 % 3 - 1) * frame.edge.y;
                q[u].z += (State)(shift % 3 - 1) * frame.edge.z;
            }
        }
#pragma unroll
        for (int u = 0; u < batch; u++) {
            int s = base + u * (int)blockDim.x;
            if (s < staged_count) staged.put(s, (F)q[u].x, (F)q[u].y, (F)q[u].z, (F)q[u].w);
        }
    }
    if (threadIdx.x == 0) {
        F nan = (F)nanf("");
        staged.put(t.staged_cap - 1, nan, nan, nan, 0);
    }
}

#endif
