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
#define ALONG_Z                  NAME_(along_z, REAL, HALF)
#define SWEEP                    NAME_(sweep, REAL, HALF)
#define PLANES                   NAME_(planes, REAL, HALF)
#define LINE                     NAME_(line, REAL, HALF)

/* Planes that one call can update. */
#define MOST_PLANES (HALF == 3 ? 3 : 2)

/* Whether the sum along z is folded. */
#define FOLDED (HALF >= 3 && VECTOR_SHIFTS)

/* Whether that sum has the weights D_i and comes first, and not C_i and the factor wz at last. */
#define Z_FIRST (HALF == 2 || FOLDED)

/* The vector some bytes from a place. */
#define AT(place, bytes) (*(VEC *)((place) + (bytes)))

/* The scheme, in all lanes. */
typedef struct WEIGHTS {
    VEC c[HALF + 1], d[HALF + 1], wy, wz, k;
} WEIGHTS;

/* What a sweep carries along z in one plane. */
typedef struct CARRY {
    VEC below, here; /* the vector before the current one, and that */
#if FOLDED
    VEC above;     /* the vector after it */
    VEC low, high; /* l of the vector after and h of the current one */
    VEC sum;       /* along z, of the current one but for h */
#endif
} CARRY;

ALWAYS_INLINE void SPREAD(const torre_line_scheme *s, WEIGHTS *w)
{
    const VEC zero = {0};
    for (int i = 0; i <= HALF; i++) {
        w->c[i] = zero + OF(s->weight)[i];
        w->d[i] = zero + OF(s->weight_z)[i];
    }
    w->wy = zero + OF(s->wy);
    w->wz = zero + OF(s->wz);
    w->k = zero + OF(s->factor);
}

#if FOLDED
/* l, h and pz_1 (*near) of the vector u between two others. */
ALWAYS_INLINE void ENDS(const WEIGHTS *w, VEC before, VEC u, VEC after, VEC *low, VEC *high,
                        VEC *near)
{
    const VEC minus = OF(minus)(NULL, before, u, 1), plus = OF(plus)(NULL, u, after, 1);
    *near = minus + plus;
    const VEC middle = w->d[HALF - 1] * u;
    *low = OF(fma)(w->d[HALF], minus, middle);
    *high = OF(fma)(w->d[HALF], plus, middle);
    if (HALF == 4) {
        *low = OF(fma)(w->d[2], plus, *low);
        *high = OF(fma)(w->d[2], minus, *high);
    }
}
#endif

/* At the beginning of a row. */
ALWAYS_INLINE void START(const WEIGHTS *w, const char *at, CARRY *c)
{
    c->below = AT(at, -VECTOR_BYTES);
    c->here = AT(at, 0);
#if FOLDED
    VEC low, near;
    c->above = AT(at, VECTOR_BYTES);
    ENDS(w, c->below, c->below, c->here, &low, &c->high, &near); /* good for the end of low */
    ENDS(w, c->below, c->here, c->above, &c->low, &c->high, &near);
    c->sum = OF(fma)(w->d[1], near, OF(minus)(NULL, low, c->low, HALF - 1));
#else
    (void)w;
#endif
}

/* The sum along z of the vector at a place; moves on to the vector after it. *h: what is to be
 * added to a folded sum last of all. */
ALWAYS_INLINE VEC ALONG_Z(const WEIGHTS *w, const char *at, CARRY *c, VEC *h)
{
#if FOLDED
    const VEC after = AT(at, 2 * VECTOR_BYTES), sum = c->sum;
    VEC low, high, near;
    ENDS(w, c->here, c->above, after, &low, &high, &near);
    *h = OF(plus)(NULL, c->high, high, HALF - 1);
    c->sum = OF(fma)(w->d[1], near, OF(minus)(NULL, c->low, low, HALF - 1));
    c->low = low, c->high = high;
    c->here = c->above, c->above = after;
#else
    const REAL *cell = (const REAL *)at;
    const VEC after = AT(at, VECTOR_BYTES);
    const VEC *weight = Z_FIRST ? w->d : w->c;
    VEC sum = {0};
    for (int i = 1; i <= HALF; i++) {
        VEC pz = OF(minus)(cell, c->below, c->here, i) + OF(plus)(cell, c->here, after, i);
        sum = HALF == 1 ? pz : i == 1 ? weight[1] * pz : OF(fma)(weight[i], pz, sum);
    }
    c->below = c->here, c->here = after;
    (void)h;
#endif
    return sum;
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
                const VEC u = x[HALF + p];
                VEC h, az = ALONG_Z(&w, at, &carry[p], &h);
                VEC lap = Z_FIRST ? OF(fma)(w.c[0], u, az) : w.c[0] * u;
                for (int i = 1; i <= HALF; i++) {
                    const VEC px = x[HALF + p - i] + x[HALF + p + i];
                    const VEC py = AT(at, -i * row) + AT(at, i * row);
                    const VEC pair = OF(fma)(w.wy, py, px);
                    lap = HALF == 1 ? OF(fma)(w.c[0], u, pair) : OF(fma)(w.c[i], pair, lap);
                }
                if (!Z_FIRST) lap = OF(fma)(w.wz, az, lap);
                if (FOLDED) lap += h;
                const VEC old = AT(at, next), k = factor ? AT(k_now, p * k_plane + z) : w.k;
                if (damped) {
                    const REAL side =
                        ((const REAL *)line->damping_x)[p] + ((const REAL *)line->damping_y)[y];
                    VEC d = LOAD((const REAL *)((const char *)line->damping_z + z)) + side;
                    AT(at, next) = OF(fma)(k, lap, OF(fma)(d - 1, old, two * u)) / (d + 1);
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
