/*
 * The line kernel of one precision and half-width, included with REAL and HALF defined; the formula
 * and its order of operations are in line_kernel.h.
 *
 * STRIP climbs along y through one column of vectors: the 2 R + 1 rows around the current one stay
 * in registers, each row is loaded once as the top one.
 */
#define NAME__(part, real, half) part##_##real##_##half
#define NAME_(part, real, half)  NAME__(part, real, half)
#define OF__(part, real)         part##_##real
#define OF_(part, real)          OF__(part, real)
#define OF(part)                 OF_(part, REAL)
#define VEC                      OF(vector)
#define LOAD                     OF(load)
#define CLIMB                    NAME_(climb, REAL, HALF)
#define ROWS                     NAME_(rows, REAL, HALF)
#define STRIP                    NAME_(strip, REAL, HALF)
#define STRIPS                   NAME_(strips, REAL, HALF)
#define LINE                     NAME_(line, REAL, HALF)
#define LANES                    ((int)(VECTOR_BYTES / sizeof(REAL)))

/* A strip on its way up: pointers to the current row, the rows around it, what does not change. */
typedef struct CLIMB {
    const REAL *now, *down, *up; /* u[n] in planes x, x-R, x+1 */
    REAL *next;                  /* u[n-1], u[n+1] */
    const REAL *k, *damping_y;
    const char *const *fetch;
    int64_t fetch_offset;
    VEC column[2 * HALF + 1];
    VEC weight[HALF + 1], wy, wz, k_all, damping_z;
    REAL damping_x;
} CLIMB;

ALWAYS_INLINE void ROWS(const torre_line_scheme *s, CLIMB *c, int64_t rows, const bool factor,
                        const bool damped, const bool fetch)
{
    const int64_t plane = s->plane_pitch;
    for (; rows > 0; rows--) {
        if (fetch)
            for (int i = 0; i < FETCHES; i++)
                __builtin_prefetch(*c->fetch++ + c->fetch_offset, 0, 2);
        c->column[2 * HALF] = LOAD(c->now + HALF * s->row_pitch);
        const VEC u = c->column[HALF], below = LOAD(c->now - LANES), above = LOAD(c->now + LANES);
        VEC ax = c->weight[0] * u, ay = {0}, az = {0};
        for (int i = 1; i <= HALF; i++) {
            VEC px = LOAD(c->down + (HALF - i) * plane) + LOAD(c->up + (i - 1) * plane);
            VEC py = c->column[HALF - i] + c->column[HALF + i];
            VEC pz = OF(minus)(c->now, below, u, i) + OF(plus)(c->now, u, above, i);
            ax = OF(fma)(c->weight[i], px, ax);
            if (HALF == 1) /* wy and wz contain the only weight */
                ay = py, az = pz;
            else if (i == 1)
                ay = c->weight[i] * py, az = c->weight[i] * pz;
            else
                ay = OF(fma)(c->weight[i], py, ay), az = OF(fma)(c->weight[i], pz, az);
        }
        const VEC lap = OF(fma)(c->wz, az, OF(fma)(c->wy, ay, ax));
        const VEC two = (VEC){0} + 2, old = LOAD(c->next);
        VEC k = c->k_all;
        if (factor) k = LOAD(c->k);
        if (damped) {
            VEC d = c->damping_z + (c->damping_x + *c->damping_y++);
            *(VEC *)c->next = OF(fma)(k, lap, OF(fma)(d - 1, old, two * u)) / (d + 1);
        } else {
            *(VEC *)c->next = OF(fma)(k, lap, OF(fms)(two, u, old));
        }
        for (int i = 0; i < 2 * HALF; i++) c->column[i] = c->column[i + 1];
        c->now += s->row_pitch, c->down += s->row_pitch, c->up += s->row_pitch;
        c->next += s->row_pitch;
        if (factor) c->k += s->factor_row_pitch;
    }
}

ALWAYS_INLINE void STRIP(const torre_line_scheme *s, const torre_line *line, int64_t z,
                         const bool factor, const bool damped)
{
    const VEC zero = {0};
    CLIMB c = {
        .now = (const REAL *)line->now + z,
        .next = (REAL *)line->next + z,
        .k = (const REAL *)line->factor + z,
        .damping_y = line->damping_y,
        .wy = zero + OF(s->wy),
        .wz = zero + OF(s->wz),
        .k_all = zero + OF(s->factor),
    };
    c.down = c.now - HALF * s->plane_pitch;
    c.up = c.now + s->plane_pitch;
    if (damped) {
        c.damping_x = *(const REAL *)line->damping_x;
        c.damping_z = LOAD((const REAL *)line->damping_z + z);
    }
    for (int i = 0; i <= HALF; i++) c.weight[i] = zero + OF(s->weight)[i];
    for (int i = 0; i < 2 * HALF; i++) c.column[i] = LOAD(c.now + (i - HALF) * s->row_pitch);
    /* some of the fetches beside each row, in the first rows; what is left over in the end */
    c.fetch = line->fetch;
    c.fetch_offset = line->fetch_offset + z * (int64_t)sizeof(REAL);
    int64_t fetching = line->fetches / FETCHES;
    if (fetching > line->rows) fetching = line->rows;
    ROWS(s, &c, fetching, factor, damped, true);
    ROWS(s, &c, line->rows - fetching, factor, damped, false);
    for (int64_t i = fetching * FETCHES; i < line->fetches; i++)
        __builtin_prefetch(*c.fetch++ + c.fetch_offset, 0, 2);
}

ALWAYS_INLINE void STRIPS(const torre_line_scheme *s, const torre_line *line, const bool factor,
                          const bool damped)
{
    const int64_t length = line->blocks * (int64_t)(TORRE_BLOCK_BYTES / sizeof(REAL));
    for (int64_t z = 0; z < length; z += LANES) STRIP(s, line, z, factor, damped);
}

static void LINE(const torre_line_scheme *s, const torre_line *line)
{
    if (line->damping_x)
        line->factor ? STRIPS(s, line, true, true) : STRIPS(s, line, false, true);
    else
        line->factor ? STRIPS(s, line, true, false) : STRIPS(s, line, false, false);
}

#undef HALF
