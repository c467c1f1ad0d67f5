/*
 * The line kernel of one precision and half-width, included with REAL and HALF defined; the formula
 * and its order of operations are in line_kernel.h.
 *
 * SWEEP goes along z, row by row: every line of memory that it reads is then part of a stream that
 * the hardware fetches ahead, and rows above and below are in the first level cache from the rows
 * before. Two planes side by side share what they read along x, which halves the lines that come
 * out of the second level cache.
 */
#define NAME__(part, real, half) part##_##real##_##half
#define NAME_(part, real, half)  NAME__(part, real, half)
#define OF__(part, real)         part##_##real
#define OF_(part, real)          OF__(part, real)
#define OF(part)                 OF_(part, REAL)
#define VEC                      OF(vector)
#define LOAD                     OF(load)
#define SWEEP                    NAME_(sweep, REAL, HALF)
#define PLANES                   NAME_(planes, REAL, HALF)
#define LINE                     NAME_(line, REAL, HALF)

/* The vector some bytes from a place. */
#define AT(place, bytes) (*(VEC *)((place) + (bytes)))

ALWAYS_INLINE void SWEEP(const torre_line_scheme *s, const torre_line *line, const int planes,
                         const bool factor, const bool damped)
{
    const VEC zero = {0}, two = zero + 2;
    const int64_t size = (int64_t)sizeof(REAL), row = s->row_pitch * size;
    const int64_t plane = s->plane_pitch * size, bytes = line->blocks * TORRE_BLOCK_BYTES;
    const int64_t k_row = s->factor_row_pitch * size, k_plane = s->factor_plane_pitch * size;
    const char *const *fetch = line->fetch;
    const VEC wy = zero + OF(s->wy), wz = zero + OF(s->wz), k_all = zero + OF(s->factor);
    VEC weight[HALF + 1];
    for (int i = 0; i <= HALF; i++) weight[i] = zero + OF(s->weight)[i];
    for (int64_t y = 0, fetched = 0; y < line->rows; y++) {
        const char *now = (const char *)line->now + y * row;
        const char *k_now = factor ? (const char *)line->factor + y * k_row : NULL;
        const int64_t next = (const char *)line->next - (const char *)line->now;
        const int64_t until = line->fetches * (y + 1) / line->rows;
        VEC below[2], here[2]; /* along z, in each plane */
        for (int p = 0; p < planes; p++)
            below[p] = AT(now, p * plane - VECTOR_BYTES), here[p] = AT(now, p * plane);
        for (int64_t z = 0; z < bytes; z += VECTOR_BYTES, now += VECTOR_BYTES) {
            if (z % TORRE_BLOCK_BYTES == 0)
                for (int64_t i = fetched; i < until; i++)
                    __builtin_prefetch(fetch[i] + line->fetch_offset + z, 0, 2);
            VEC x[2 * HALF + 2]; /* planes -HALF .. HALF + planes - 1 */
            for (int i = 0; i < 2 * HALF + planes; i++)
                x[i] =
                    i < HALF || i >= HALF + planes ? AT(now, (i - HALF) * plane) : here[i - HALF];
            for (int p = 0; p < planes; p++) {
                const char *at = now + p * plane;
                const REAL *cell = (const REAL *)at;
                const VEC u = here[p], above = AT(at, VECTOR_BYTES);
                VEC ax = weight[0] * u, ay = zero, az = zero;
                for (int i = 1; i <= HALF; i++) {
                    VEC px = x[HALF + p - i] + x[HALF + p + i];
                    VEC py = AT(at, -i * row) + AT(at, i * row);
                    VEC pz = OF(minus)(cell, below[p], u, i) + OF(plus)(cell, u, above, i);
                    if (HALF == 1) { /* C_1 is 1 along x, and contained in wy and wz */
                        ax = OF(fma)(weight[0], u, px), ay = py, az = pz;
                        continue;
                    }
                    ax = OF(fma)(weight[i], px, ax);
                    ay = i == 1 ? weight[i] * py : OF(fma)(weight[i], py, ay);
                    az = i == 1 ? weight[i] * pz : OF(fma)(weight[i], pz, az);
                }
                ax = OF(fma)(wy, ay, ax);
                ax = OF(fma)(wz, az, ax);
                const VEC old = AT(at, next), k = factor ? AT(k_now, p * k_plane + z) : k_all;
                if (damped) {
                    const REAL side =
                        ((const REAL *)line->damping_x)[p] + ((const REAL *)line->damping_y)[y];
                    VEC d = LOAD((const REAL *)((const char *)line->damping_z + z)) + side;
                    AT(at, next) = OF(fma)(k, ax, OF(fma)(d - 1, old, two * u)) / (d + 1);
                } else {
                    AT(at, next) = OF(fma)(k, ax, OF(fms)(two, u, old));
                }
                below[p] = u, here[p] = above;
            }
        }
        fetched = until;
    }
}

ALWAYS_INLINE void PLANES(const torre_line_scheme *s, const torre_line *line, const bool factor,
                          const bool damped)
{
    line->planes == 2 ? SWEEP(s, line, 2, factor, damped) : SWEEP(s, line, 1, factor, damped);
}

static void LINE(const torre_line_scheme *s, const torre_line *line)
{
    if (line->damping_x)
        line->factor ? PLANES(s, line, true, true) : PLANES(s, line, false, true);
    else
        line->factor ? PLANES(s, line, true, false) : PLANES(s, line, false, false);
}

#undef HALF
