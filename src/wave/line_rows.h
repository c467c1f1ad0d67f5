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
#define STRIP                    NAME_(strip, REAL, HALF)
#define STRIPS                   NAME_(strips, REAL, HALF)
#define LINE                     NAME_(line, REAL, HALF)
#define LANES                    ((int)(VECTOR_BYTES / sizeof(REAL)))

ALWAYS_INLINE void STRIP(const torre_line_scheme *s, const torre_line *line, int64_t z,
                         const int width, const bool factor, const bool damped)
{
    const int64_t pitch = s->row_pitch, plane = s->plane_pitch;
    const REAL *now = (const REAL *)line->now + z;
    const REAL *down = now - HALF * plane; /* planes x-R .. */
    const REAL *up = now + plane;          /* planes x+1 .. */
    REAL *next = (REAL *)line->next + z;
    const REAL *k_cell = (const REAL *)line->factor + z;
    const REAL *damping_y = line->damping_y;
    const REAL damping_x = damped ? *(const REAL *)line->damping_x : 0;

    VEC zero = {0}, weight[HALF + 1], damping_z[WIDTH_MAX];
    for (int i = 0; i <= HALF; i++) weight[i] = zero + OF(s->weight)[i];
    const VEC wy = zero + OF(s->wy), wz = zero + OF(s->wz), two = zero + 2;
    const VEC k_all = zero + OF(s->factor);

    VEC column[WIDTH_MAX][2 * HALF + 1];
    for (int v = 0; v < width; v++) {
        for (int i = 0; i < 2 * HALF; i++)
            column[v][i] = LOAD(now + v * LANES + (i - HALF) * pitch);
        if (damped) damping_z[v] = LOAD((const REAL *)line->damping_z + z + v * LANES);
    }
    for (int64_t row = line->rows; row > 0; row--) {
        for (int v = 0; v < width; v++) column[v][2 * HALF] = LOAD(now + v * LANES + HALF * pitch);
        for (int v = 0; v < width; v++) {
            const int64_t o = v * LANES;
            const VEC u = column[v][HALF];
            const VEC below = v > 0 ? column[v - 1][HALF] : LOAD(now - LANES);
            const VEC above = v < width - 1 ? column[v + 1][HALF] : LOAD(now + width * LANES);
            VEC ax = weight[0] * u, ay = zero, az = zero;
            for (int i = 1; i <= HALF; i++) {
                VEC px = LOAD(down + (HALF - i) * plane + o) + LOAD(up + (i - 1) * plane + o);
                VEC py = column[v][HALF - i] + column[v][HALF + i];
                VEC pz = OF(minus)(now + o, below, u, i) + OF(plus)(now + o, u, above, i);
                ax = OF(fma)(weight[i], px, ax);
                if (HALF == 1) /* wy and wz contain the only weight */
                    ay = py, az = pz;
                else if (i == 1)
                    ay = weight[i] * py, az = weight[i] * pz;
                else
                    ay = OF(fma)(weight[i], py, ay), az = OF(fma)(weight[i], pz, az);
            }
            VEC lap = OF(fma)(wz, az, OF(fma)(wy, ay, ax));
            VEC k = k_all;
            if (factor) k = LOAD(k_cell + o);
            if (damped) {
                VEC d = damping_z[v] + (damping_x + *damping_y);
                VEC rest = OF(fma)(d - 1, LOAD(next + o), two * u);
                *(VEC *)(next + o) = OF(fma)(k, lap, rest) / (d + 1);
            } else {
                *(VEC *)(next + o) = OF(fma)(k, lap, OF(fms)(two, u, LOAD(next + o)));
            }
        }
        for (int v = 0; v < width; v++)
            for (int i = 0; i < 2 * HALF; i++) column[v][i] = column[v][i + 1];
        now += pitch, down += pitch, up += pitch, next += pitch;
        if (factor) k_cell += s->factor_row_pitch;
        if (damped) damping_y++;
    }
}

ALWAYS_INLINE void STRIPS(const torre_line_scheme *s, const torre_line *line, const bool factor,
                          const bool damped)
{
    const int width = HALF <= WIDE_HALF ? WIDTH_MAX : 1;
    int64_t length = line->blocks * (int64_t)(TORRE_BLOCK_BYTES / sizeof(REAL)), z = 0;
    for (; z + width * LANES <= length; z += width * LANES)
        STRIP(s, line, z, width, factor, damped);
    if (width > 1)
        for (; z < length; z += LANES) STRIP(s, line, z, 1, factor, damped);
}

static void LINE(const torre_line_scheme *s, const torre_line *line)
{
    if (line->damping_x)
        line->factor ? STRIPS(s, line, true, true) : STRIPS(s, line, false, true);
    else
        line->factor ? STRIPS(s, line, true, false) : STRIPS(s, line, false, false);
}

#undef HALF
