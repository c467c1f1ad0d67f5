/*
 * The line kernel of one precision and half-width, included with REAL and R defined; the formula
 * and its order of operations are in line_kernel.h.
 *
 * SWEEP goes along z, row by row: every line of memory that it reads is then part of a stream that
 * the hardware fetches ahead, and rows above and below are in the first level cache from the rows
 * before. Two planes side by side share what they read along x, which halves the lines that come
 * out of the second level cache; with R = 3 three have room, with R = 4 they have not.
 */
#define OF__(part, real) part##_##real
#define OF_(part, real)  OF__(part, real)
#define OF(part)         OF_(part, REAL)
#define VEC              OF(vector)
#define LOAD             OF(load)
#define WEIGHTS          OF(weights)
#define CARRY            OF(carry)
#define SPREAD           OF(spread)
#define ENDS             OF(ends)
#define START            OF(start)
#define WEIGHTED         OF(weighted)
#define ALONG_Z          OF(along_z)
#define SWEEP            OF(sweep)
#define PLANES           OF(planes)
#define LINES            OF(lines)

#define TORRE_TYPED(name)          OF(name)
#define TORRE_VALUE                VEC
#define TORRE_NUMBER(x)            ((VEC){0} + (x))
#define TORRE_PLUS(a, b)           ((a) + (b))
#define TORRE_TIMES_PLUS(a, b, c)  OF(fma)(a, b, c)
#define TORRE_TIMES_MINUS(a, b, c) OF(fms)(a, b, c)
#define TORRE_OVER(a, b)           ((a) / (b))
#define TORRE_FUNCTION             ALWAYS_INLINE
#include "wave/model_acoustic.h"
#define ACOUSTIC(part) OF(acoustic_##part)

/* The vector some bytes from a place. */
#define AT(place, bytes) (*(VEC *)((place) + (bytes)))

/* The scheme, in all lanes. */
typedef struct WEIGHTS {
    VEC c[TORRE_MAX_HALF_WIDTH + 1], wy, wz, k;
} WEIGHTS;

/* What a sweep carries along z in one plane. */
typedef struct CARRY {
    VEC below, here; /* the vector before the current one, and that */
    /* where the sum is folded: */
    VEC above;     /* the vector after it */
    VEC low, high; /* l and h of the current one */
    VEC near, far; /* pz_1 of the current one, and l from R - 1 values before */
} CARRY;

ALWAYS_INLINE void SPREAD(const torre_line_scheme *s, const int R, WEIGHTS *w)
{
    const VEC zero = {0};
    for (int i = 0; i <= R; i++) w->c[i] = zero + OF(s->weight)[i];
    w->wy = zero + OF(s->wy);
    w->wz = zero + OF(s->wz);
    w->k = zero + OF(s->factor);
}

/* lap without z, or az: of s_0 .. s_R. */
ALWAYS_INLINE VEC WEIGHTED(const WEIGHTS *w, const int R, const VEC *s)
{
    const VEC near = s[1] - s[0];
    if (R == 1) return near;
#if VECTOR_FUSED
    VEC far = w->c[R] * s[R];
    for (int i = R - 1; i > 1; i--) far = OF(fma)(w->c[i], s[i], far);
    return OF(fma)(w->c[1], near, OF(fma)(w->c[0], s[0], far));
#else
    VEC sum = w->c[1] * near;
    for (int i = 2; i <= R; i++) sum = OF(fma)(w->c[i], s[i] - s[0], sum);
    return sum;
#endif
}

/* l, h and pz_1 (*near) of the vector u between two others. */
ALWAYS_INLINE void ENDS(const WEIGHTS *w, const int R, VEC before, VEC u, VEC after, VEC *low,
                        VEC *high, VEC *near)
{
    const VEC minus = OF(minus)(NULL, before, u, 1), plus = OF(plus)(NULL, u, after, 1);
    *near = minus + plus;
    const VEC middle = w->c[R - 1] * u;
    *low = OF(fma)(w->c[R], minus, middle);
    *high = OF(fma)(w->c[R], plus, middle);
    if (R == 4) {
        *low = OF(fma)(w->c[2], plus, *low);
        *high = OF(fma)(w->c[2], minus, *high);
    }
}

/* At the beginning of a row. */
ALWAYS_INLINE void START(const WEIGHTS *w, const int R, const char *at, CARRY *c)
{
    c->below = AT(at, -VECTOR_BYTES);
    c->here = AT(at, 0);
    if (!folded(R)) return;
    VEC low;
    c->above = AT(at, VECTOR_BYTES);
    /* good for the end of low */
    ENDS(w, R, c->below, c->below, c->here, &low, &c->high, &c->near);
    ENDS(w, R, c->below, c->here, c->above, &c->low, &c->high, &c->near);
    c->far = OF(minus)(NULL, low, c->low, R - 1);
}

/* az of the vector at a place, twice which is `twice`; moves on to the vector after it. */
ALWAYS_INLINE VEC ALONG_Z(const WEIGHTS *w, const int R, const char *at, VEC twice, CARRY *c)
{
    if (folded(R)) {
        const VEC after = AT(at, 2 * VECTOR_BYTES);
        VEC low, high, near;
        ENDS(w, R, c->here, c->above, after, &low, &high, &near);
        const VEC far = c->far + OF(plus)(NULL, c->high, high, R - 1);
        const VEC sum = OF(fma)(w->c[1], c->near - twice, OF(fma)(w->c[0], twice, far));
        c->far = OF(minus)(NULL, c->low, low, R - 1);
        c->low = low, c->high = high, c->near = near;
        c->here = c->above, c->above = after;
        return sum;
    }
    const REAL *cell = (const REAL *)at;
    const VEC after = AT(at, VECTOR_BYTES);
    VEC pair[TORRE_MAX_HALF_WIDTH + 1];
    pair[0] = twice;
    for (int i = 1; i <= R; i++)
        pair[i] = OF(minus)(cell, c->below, c->here, i) + OF(plus)(cell, c->here, after, i);
    c->below = c->here, c->here = after;
    return WEIGHTED(w, R, pair);
}

ALWAYS_INLINE void SWEEP(const torre_line_scheme *s, const torre_line *line, const int R,
                         const int planes, const bool factor, const bool potential,
                         const bool damped)
{
    const int64_t size = (int64_t)sizeof(REAL), row = s->row_pitch * size;
    const int64_t plane = s->plane_pitch * size, bytes = line->blocks * TORRE_BLOCK_BYTES;
    const int64_t k_row = s->factor_row_pitch * size, k_plane = s->factor_plane_pitch * size;
    const int64_t q_row = s->potential_row_pitch * size, q_plane = s->potential_plane_pitch * size;
    WEIGHTS w;
    SPREAD(s, R, &w);
    for (int64_t y = 0, fetched = 0; y < line->rows; y++) {
        const char *now = (const char *)line->now + y * row;
        const char *k_now = factor ? (const char *)line->factor + y * k_row : NULL;
        const char *q_now = potential ? (const char *)line->potential + y * q_row : NULL;
        const int64_t next = (const char *)line->next - (const char *)line->now;
        const int64_t until = line->fetches * (y + 1) / line->rows;
        CARRY carry[PLANES_MOST];
        for (int p = 0; p < planes; p++) START(&w, R, now + p * plane, &carry[p]);
        const char *const row_start = now, *const row_end = now + bytes;
        while (now < row_end) {
            const char *const end = row_end - now > FETCH_BYTES ? now + FETCH_BYTES : row_end;
            for (int64_t i = fetched; i < until; i++)
                fetch_ahead(line->fetch[i] + line->fetch_offset + (now - row_start), end - now);
            for (; now < end; now += VECTOR_BYTES) {
                const int64_t z = now - row_start;
                VEC x[2 * TORRE_MAX_HALF_WIDTH + PLANES_MOST]; /* planes -R .. R + planes - 1 */
                for (int i = 0; i < 2 * R + planes; i++)
                    x[i] = i < R || i >= R + planes ? AT(now, (i - R) * plane) : carry[i - R].here;
                for (int p = 0; p < planes; p++) {
                    const char *at = now + p * plane;
                    const VEC u = x[R + p], twice = u + u;
                    const VEC az = ALONG_Z(&w, R, at, twice, &carry[p]);
                    VEC pair[TORRE_MAX_HALF_WIDTH + 1];
                    pair[0] = OF(fma)(w.wy, twice, twice);
                    for (int i = 1; i <= R; i++) {
                        const VEC px = x[R + p - i] + x[R + p + i];
                        const VEC py = AT(at, -i * row) + AT(at, i * row);
                        pair[i] = OF(fma)(w.wy, py, px);
                    }
                    VEC lap = OF(fma)(w.wz, az, WEIGHTED(&w, R, pair));
                    if (potential) lap = ACOUSTIC(bind)(AT(q_now, p * q_plane + z), u, lap);
                    const VEC old = AT(at, next), k = factor ? AT(k_now, p * k_plane + z) : w.k;
                    if (damped) {
                        const REAL side =
                            ((const REAL *)line->damping_x)[p] + ((const REAL *)line->damping_y)[y];
                        VEC d = LOAD((const REAL *)((const char *)line->damping_z + z)) + side;
                        AT(at, next) = ACOUSTIC(finish)(
                            ACOUSTIC(add)(k, lap, ACOUSTIC(start_damped)(twice, old, d)), d);
                    } else {
                        AT(at, next) = ACOUSTIC(add)(k, lap, ACOUSTIC(start)(u, old));
                    }
                }
            }
        }
        fetched = until;
    }
}

ALWAYS_INLINE void PLANES(const torre_line_scheme *s, const torre_line *line, const int R,
                          const bool factor, const bool potential, const bool damped)
{
    if (line->planes == 3 && torre_line_planes(R) == 3)
        SWEEP(s, line, R, 3, factor, potential, damped);
    else if (line->planes == 2)
        SWEEP(s, line, R, 2, factor, potential, damped);
    else
        SWEEP(s, line, R, 1, factor, potential, damped);
}

ALWAYS_INLINE void LINES(const torre_line_scheme *s, const torre_line *line, const int R)
{
    if (line->potential)
        line->damping_x ? PLANES(s, line, R, true, true, true)
                        : PLANES(s, line, R, true, true, false);
    else if (line->damping_x)
        line->factor ? PLANES(s, line, R, true, false, true)
                     : PLANES(s, line, R, false, false, true);
    else
        line->factor ? PLANES(s, line, R, true, false, false)
                     : PLANES(s, line, R, false, false, false);
}

#undef ACOUSTIC
#undef TORRE_TYPED
#undef REAL
