/*
 * The line kernel of one precision and half-width, included with REAL and HALF defined; the formula
 * and its order of operations are in line_kernel.h.
 *
 * STRIP climbs along y through WIDE columns of vectors side by side: the 2 R + 1 rows around the
 * current one stay in registers, each row is loaded once as the top one. Two columns share the
 * vectors between them along z, and their chains of operations hide each other's latency; more do
 * not fit into the registers.
 */
#define NAME__(part, real, half) part##_##real##_##half
#define NAME_(part, real, half)  NAME__(part, real, half)
#define OF__(part, real)         part##_##real
#define OF_(part, real)          OF__(part, real)
#define OF(part)                 OF_(part, REAL)
#define VEC                      OF(vector)
#define LOAD                     OF(load)
#define CLIMB                    NAME_(climb, REAL, HALF)
#define FETCH                    NAME_(fetch, REAL, HALF)
#define ROWS                     NAME_(rows, REAL, HALF)
#define STRIP                    NAME_(strip, REAL, HALF)
#define STRIPS                   NAME_(strips, REAL, HALF)
#define LINE                     NAME_(line, REAL, HALF)
#define LANES                    ((int)(VECTOR_BYTES / sizeof(REAL)))

#define WIDE (HALF <= WIDE_HALF_WIDTH ? 2 : 1)

/* A strip on its way up; one pointer moves, everything hangs on it. Distances in bytes. */
typedef struct CLIMB {
    const char *now;           /* u[n] in plane x, the current row */
    int64_t next;              /* from there to u[n-1], u[n+1] */
    int64_t row, plane, k_row; /* to the next row, plane, row of k */
    const char *k;
    const REAL *damping_y;
    const char *const *fetch;
    int64_t fetch_offset;
    VEC column[WIDE][2 * HALF + 1];
    VEC weight[HALF + 1], wy, wz, k_all, damping_z[WIDE];
    REAL damping_x;
} CLIMB;

ALWAYS_INLINE void FETCH(CLIMB *c, const int wide)
{
    const char *row = *c->fetch++ + c->fetch_offset;
    for (int i = 0; i < wide * VECTOR_BYTES; i += 64) __builtin_prefetch(row + i, 0, 2);
}

/* The vector of column v some bytes from the current row. */
#define AT(bytes, v) (*(VEC *)(c->now + (bytes) + (v)*VECTOR_BYTES))
#define EACH         for (int v = 0; v < wide; v++)

ALWAYS_INLINE void ROWS(CLIMB *c, int64_t rows, const int wide, const bool factor,
                        const bool damped, const bool fetch)
{
    const int64_t side[4] = {c->plane, 2 * c->plane, 3 * c->plane, 4 * c->plane};
    for (; rows > 0; rows--) {
        if (fetch)
            for (int i = 0; i < FETCHES; i++) FETCH(c, wide);
        if (WIDE == 1) { /* the latency of the second level cache */
            __builtin_prefetch(c->now + AHEAD * c->row + HALF * c->plane, 0, 3);
            __builtin_prefetch(c->now + AHEAD * c->row + c->next, 0, 3);
        }
        VEC u[WIDE + 2], ax[WIDE], ay[WIDE] = {{0}}, az[WIDE] = {{0}};
        EACH c->column[v][2 * HALF] = AT(HALF * c->row, v);
        EACH u[v + 1] = c->column[v][HALF];
        u[0] = AT(0, -1), u[wide + 1] = AT(0, wide);
        EACH ax[v] = c->weight[0] * u[v + 1];
        for (int i = 1; i <= HALF; i++) {
            const VEC weight = c->weight[i];
            EACH
            {
                const REAL *here = (const REAL *)&AT(0, v);
                VEC px = AT(-side[i - 1], v) + AT(side[i - 1], v);
                VEC py = c->column[v][HALF - i] + c->column[v][HALF + i];
                VEC pz = OF(minus)(here, u[v], u[v + 1], i) + OF(plus)(here, u[v + 1], u[v + 2], i);
                if (HALF == 1) { /* C_1 is 1 along x, and contained in wy and wz */
                    ax[v] = OF(fma)(c->weight[0], u[v + 1], px), ay[v] = py, az[v] = pz;
                    continue;
                }
                ax[v] = OF(fma)(weight, px, ax[v]);
                ay[v] = i == 1 ? weight * py : OF(fma)(weight, py, ay[v]);
                az[v] = i == 1 ? weight * pz : OF(fma)(weight, pz, az[v]);
            }
        }
        EACH ax[v] = OF(fma)(c->wy, ay[v], ax[v]);
        EACH ax[v] = OF(fma)(c->wz, az[v], ax[v]);
        EACH
        {
            const VEC two = (VEC){0} + 2, old = AT(c->next, v);
            const VEC k = factor ? *(const VEC *)(c->k + v * VECTOR_BYTES) : c->k_all;
            if (damped) {
                VEC d = c->damping_z[v] + (c->damping_x + *c->damping_y);
                AT(c->next, v) = OF(fma)(k, ax[v], OF(fma)(d - 1, old, two * u[v + 1])) / (d + 1);
            } else {
                AT(c->next, v) = OF(fma)(k, ax[v], OF(fms)(two, u[v + 1], old));
            }
            for (int i = 0; i < 2 * HALF; i++) c->column[v][i] = c->column[v][i + 1];
        }
        c->now += c->row;
        if (factor) c->k += c->k_row;
        if (damped) c->damping_y++;
    }
}

ALWAYS_INLINE void STRIP(const torre_line_scheme *s, const torre_line *line, int64_t z,
                         const int wide, const bool factor, const bool damped)
{
    const VEC zero = {0};
    const int64_t size = (int64_t)sizeof(REAL);
    CLIMB climb =
              {
                  .now = (const char *)line->now + z * size,
                  .next = (const char *)line->next - (const char *)line->now,
                  .row = s->row_pitch * size,
                  .plane = s->plane_pitch * size,
                  .k_row = s->factor_row_pitch * size,
                  .k = (const char *)line->factor + z * size,
                  .damping_y = line->damping_y,
                  .fetch = line->fetch,
                  .fetch_offset = line->fetch_offset + z * size,
                  .wy = zero + OF(s->wy),
                  .wz = zero + OF(s->wz),
                  .k_all = zero + OF(s->factor),
              },
          *c = &climb;
    if (damped) {
        c->damping_x = *(const REAL *)line->damping_x;
        EACH c->damping_z[v] = LOAD((const REAL *)line->damping_z + z + v * LANES);
    }
    for (int i = 0; i <= HALF; i++) c->weight[i] = zero + OF(s->weight)[i];
    for (int i = 0; i < 2 * HALF; i++) EACH c->column[v][i] = AT((i - HALF) * c->row, v);
    /* some of the fetches beside each row, in the first rows; what is left over in the end */
    int64_t fetching = line->fetches / FETCHES;
    if (fetching > line->rows) fetching = line->rows;
    ROWS(c, fetching, wide, factor, damped, true);
    ROWS(c, line->rows - fetching, wide, factor, damped, false);
    for (int64_t i = fetching * FETCHES; i < line->fetches; i++) FETCH(c, wide);
}

ALWAYS_INLINE void STRIPS(const torre_line_scheme *s, const torre_line *line, const bool factor,
                          const bool damped)
{
    const int64_t length = line->blocks * (int64_t)(TORRE_BLOCK_BYTES / sizeof(REAL));
    int64_t z = 0;
    for (; z + WIDE * LANES <= length; z += WIDE * LANES) STRIP(s, line, z, WIDE, factor, damped);
    if (WIDE > 1 && z < length) STRIP(s, line, z, 1, factor, damped);
}

static void LINE(const torre_line_scheme *s, const torre_line *line)
{
    if (line->damping_x)
        line->factor ? STRIPS(s, line, true, true) : STRIPS(s, line, false, true);
    else
        line->factor ? STRIPS(s, line, true, false) : STRIPS(s, line, false, false);
}

#undef HALF
