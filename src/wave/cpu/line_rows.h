/*
 * The line kernel of one precision and half-width, included with REAL and HALF defined; the formula
 * and its order of operations are in line_kernel.h.
 *
 * SWEEP goes along z, row by row: every line of memory that it reads is then part of a stream that
 * the hardware fetches ahead, and rows above and below are in the first level cache from the rows
 * before. Two planes side by side share what they read along x, which halves the lines that come
 * out of the second level cache; with R = 3 three have room, with R = 4 they have not.
 */
#define NAME__(part, real, half) part##_##real##_##half
#define NAME_(part, real, half)  NAME__(part, real, half)
#define OF__(part, real)         part##_##real
#define OF_(part, real)          OF__(part, real)
#define OF(part)                 OF_(part, REAL)
#define VEC                      OF(vector)
#define LOAD                     OF(load)
#define WEIGHTS                  NAME_(weights, REAL, HALF)
#define CARRY                    NAME_(carry, REAL, HALF)
#define SPREAD                   NAME_(spread, REAL, HALF)
#define ENDS                     NAME_(ends, REAL, HALF)
#define START                    NAME_(start, REAL, HALF)
#define WEIGHTED                 NAME_(weighted, REAL, HALF)
#define ALONG_Z                  NAME_(along_z, REAL, HALF)
#define SWEEP                    NAME_(sweep, REAL, HALF)
#define PLANES                   NAME_(planes, REAL, HALF)
#define LINE                     NAME_(line, REAL, HALF)

/* Planes that one call can update. */
#define MOST_PLANES (HALF == 3 ? 3 : 2)

/* Whether the sum along z is folded. */
#define FOLDED (HALF >= 3 && VECTOR_SHIFTS)

/* The vector some bytes from a place. */
#define AT(place, bytes) (*(VEC *)((place) + (bytes)))

/* The scheme, in all lanes. */
typedef struct WEIGHTS {
    VEC c[HALF + 1], wy, wz, k;
} WEIGHTS;

/* What a sweep carries along z in one plane. */
typedef struct CARRY {
    VEC below, here; /* the vector before the current one, and that */
#if FOLDED
    VEC above;     /* the vector after it */
    VEC low, high; /* l and h of the current one */
    VEC near, far; /* pz_1 of the current one, and l from R - 1 values before */
#endif
} CARRY;

ALWAYS_INLINE void SPREAD(const torre_line_scheme *s, WEIGHTS *w)
{
    const VEC zero = {0};
    for (int i = 0; i <= HALF; i++) w->c[i] = zero + OF(s->weight)[i];
    w->wy = zero + OF(s->wy);
    w->wz = zero + OF(s->wz);
    w->k = zero + OF(s->factor);
}

/* lap without z, or az: of s_0 .. s_R. */
ALWAYS_INLINE VEC WEIGHTED(const WEIGHTS *w, const VEC *s)
{
    const VEC near = s[1] - s[0];
    if (HALF == 1) return near;
#if VECTOR_FUSED
    VEC far = w->c[HALF] * s[HALF];
    for (int i = HALF - 1; i > 1; i--) far = OF(fma)(w->c[i], s[i], far);
    return OF(fma)(w->c[1], near, OF(fma)(w->c[0], s[0], far));
#else
    VEC sum = w->c[1] * near;
    for (int i = 2; i <= HALF; i++) sum = OF(fma)(w->c[i], s[i] - s[0], sum);
    return sum;
#endif
}

#if FOLDED
/* l, h and pz_1 (*near) of the vector u between two others. */
ALWAYS_INLINE void ENDS(const WEIGHTS *w, VEC before, VEC u, VEC after, VEC *low, VEC *high,
                        VEC *near)
{
    const VEC minus = OF(minus)(NULL, before, u, 1), plus = OF(plus)(NULL, u, after, 1);
    *near = minus + plus;
    const VEC middle = w->c[HALF - 1] * u;
    *low = OF(fma)(w->c[HALF], minus, middle);
    *high = OF(fma)(w->c[HALF], plus, middle);
    if (HALF == 4) {
        *low = OF(fma)(w->c[2], plus, *low);
        *high = OF(fma)(w->c[2], minus, *high);
    }
}
#endif

/* At the beginning of a row. */
ALWAYS_INLINE void START(const WEIGHTS *w, const char *at, CARRY *c)
{
    c->below = AT(at, -VECTOR_BYTES);
    c->here = AT(at, 0);
#if FOLDED
    VEC low;
    c->above = AT(at, VECTOR_BYTES);
    ENDS(w, c->below, c->below, c->here, &low, &c->high, &c->near); /* good for the end of low */
    ENDS(w, c->below, c->here, c->above, &c->low, &c->high, &c->near);
    c->far = OF(minus)(NULL, low, c->low, HALF - 1);
#else
    (void)w;
#endif
}

/* az of the vector at a place, twice which is `twice`; moves on to the vector after it. */
ALWAYS_INLINE VEC ALONG_Z(const WEIGHTS *w, const char *at, VEC twice, CARRY *c)
{
#if FOLDED
    const VEC after = AT(at, 2 * VECTOR_BYTES);
    VEC low, high, near;
    ENDS(w, c->here, c->above, after, &low, &high, &near);
    const VEC far = c->far + OF(plus)(NULL, c->high, high, HALF - 1);
    const VEC sum = OF(fma)(w->c[1], c->near - twice, OF(fma)(w->c[0], twice, far));
    c->far = OF(minus)(NULL, c->low, low, HALF - 1);
    c->low = low, c->high = high, c->near = near;
    c->here = c->above, c->above = after;
    return sum;
#else
    const REAL *cell = (const REAL *)at;
    const VEC after = AT(at, VECTOR_BYTES);
    VEC pair[HALF + 1];
    pair[0] = twice;
    for (int i = 1; i <= HALF; i++)
        pair[i] = OF(minus)(cell, c->below, c->here, i) + OF(plus)(cell, c->here, after, i);
    c->below = c->here, c->here = after;
    return WEIGHTED(w, pair);
#endif
}

ALWAYS_INLINE void SWEEP(const torre_line_scheme *s, const torre_line *line, const int planes,
                         const bool factor, const bool damped)
{
    const VEC zero = {0}, two = zero + 2;
    const int64_t size = (int64_t)sizeof(REAL), row = s->row_pitch * size;
    const int64_t plane = s->plane_pitch * size, bytes = line->blocks * TORRE_BLOCK_BYTES;
    const int64_t k_row = s->factor_row_pitch * size, k_plane = s->factor_plane_pitch * size;
    const char *const *fetch = line->fetch;
    WEIGHTS w;
    SPREAD(s, &w);
    for (int64_t y = 0, fetched = 0; y < line->rows; y++) {
        const char *now = (const char *)line->now + y * row;
        const char *k_now = factor ? (const char *)line->factor + y * k_row : NULL;
        const int64_t next = (const char *)line->next - (const char *)line->now;
        const int64_t until = line->fetches * (y + 1) / line->rows;
        CARRY carry[MOST_PLANES];
        for (int p = 0; p < planes; p++) START(&w, now + p * plane, &carry[p]);
        for (int64_t z = 0; z < bytes; z += VECTOR_BYTES, now += VECTOR_BYTES) {
            if (z % TORRE_BLOCK_BYTES == 0)
                for (int64_t i = fetched; i < until; i++)
                    __builtin_prefetch(fetch[i] + line->fetch_offset + z, 0, 2);
            VEC x[2 * HALF + MOST_PLANES]; /* planes -HALF .. HALF + planes - 1 */
            for (int i = 0; i < 2 * HALF + planes; i++)
                x[i] = i < HALF || i >= HALF + planes ? AT(now, (i - HALF) * plane)
                                                      : carry[i - HALF].here;
            for (int p = 0; p < planes; p++) {
                const char *at = now + p * plane;
                const VEC u = x[HALF + p], twice = u + u;
                const VEC az = ALONG_Z(&w, at, twice, &carry[p]);
                VEC pair[HALF + 1];
                pair[0] = OF(fma)(w.wy, twice, twice);
                for (int i = 1; i <= HALF; i++) {
                    const VEC px = x[HALF + p - i] + x[HALF + p + i];
                    const VEC py = AT(at, -i * row) + AT(at, i * row);
                    pair[i] = OF(fma)(w.wy, py, px);
                }
                const VEC lap = OF(fma)(w.wz, az, WEIGHTED(&w, pair));
                const VEC old = AT(at, next), k = factor ? AT(k_now, p * k_plane + z) : w.k;
                if (damped) {
                    const REAL side =
                        ((const REAL *)line->damping_x)[p] + ((const REAL *)line->damping_y)[y];
                    VEC d = LOAD((const REAL *)((const char *)line->damping_z + z)) + side;
                    AT(at, next) = OF(fma)(k, lap, OF(fma)(d - 1, old, twice)) / (d + 1);
                } else {
                    AT(at, next) = OF(fma)(k, lap, OF(fms)(two, u, old));
                }
            }
        }
        fetched = until;
    }
}

ALWAYS_INLINE void PLANES(const torre_line_scheme *s, const torre_line *line, const bool factor,
                          const bool damped)
{
    switch (line->planes) {
#if HALF == 3
    case 3:
        SWEEP(s, line, 3, factor, damped);
        break;
#endif
    case 2:
        SWEEP(s, line, 2, factor, damped);
        break;
    default:
        SWEEP(s, line, 1, factor, damped);
    }
}

static void LINE(const torre_line_scheme *s, const torre_line *line)
{
    if (line->damping_x)
        line->factor ? PLANES(s, line, true, true) : PLANES(s, line, false, true);
    else
        line->factor ? PLANES(s, line, true, false) : PLANES(s, line, false, false);
}

#undef HALF
