/* The kernels of perfectly matched layers of one precision, included with REAL defined; formulas
 * and order of operations are in layer_kernel.h. */
#define OF__(part, real) part##_##real
#define OF_(part, real)  OF__(part, real)
#define OF(part)         OF_(part, REAL)
#define VEC              OF(vector)
#define LANES            (VECTOR_BYTES / (int)sizeof(REAL))

/* The vector at a place of memory, any or one that is a multiple of vectors. */
#define ANY(place)       (*(const OF(unaligned) *)(place))
#define AT(place, bytes) (*(VEC *)((char *)(place) + (bytes)))

/* What o(j) or b(j) becomes: `made` is that of j - 1. */
ALWAYS_INLINE VEC OF(remember)(VEC a, VEC b, VEC made, VEC before, VEC below, VEC slope, VEC ahead,
                               VEC behind)
{
    return OF(fma)(-b, slope + (ahead - behind), OF(fma)(a, before - below, made));
}

/* Rows of the memory. */
#define OUTWARDS(j, i) (((j)-1) * W + (i)-1)
#define INWARDS(j, i)  (R * W + ((j)-1) * (W - 1) + (i)-1)

/* One chain of one row: `count` sums next to each other, from number `first` on. */
typedef struct OF(chain) {
    int count;
    REAL a[TORRE_MAX_HALF_WIDTH], b[TORRE_MAX_HALF_WIDTH];
    int64_t here[TORRE_MAX_HALF_WIDTH];
    const char *ahead[TORRE_MAX_HALF_WIDTH], *behind[TORRE_MAX_HALF_WIDTH];
} OF(chain);

ALWAYS_INLINE void OF(chain_make)(const torre_layer_scheme *s, const torre_layer_line *line,
                                  const int R, bool outwards, OF(chain) * c)
{
    const int W = s->width, r = line->r, steps = outwards ? W : W - 1;
    const int64_t pitch = s->pitch * (int64_t)sizeof(REAL);
    const char *old = (const char *)line->old, *zeros = (const char *)s->zeros;
    int first = outwards ? r - W + 1 : 1 - r, last = outwards ? r : W - 1 - r;
    if (first < 1) first = 1;
    if (last > R) last = R;
    c->count = 0;
    for (int j = first; j <= last; j++) {
        const int i = outwards ? r - j + 1 : r + j, next = outwards ? i + 1 : i - 1;
        const int n = c->count++;
        c->a[n] = ((const REAL *)s->a)[i];
        c->b[n] = ((const REAL *)s->b)[i];
        c->here[n] = (outwards ? OUTWARDS(j, i) : INWARDS(j, i)) * pitch;
        c->ahead[n] = c->behind[n] = zeros;
        if (next >= 1 && next <= steps)
            c->ahead[n] = old + (outwards ? OUTWARDS(j, next) : INWARDS(j, next)) * pitch;
        if (j > 1) c->behind[n] = old + (outwards ? OUTWARDS(j - 1, i) : INWARDS(j - 1, i)) * pitch;
    }
}

/* The sums of a chain, `count` of them, along a row; low and high: u of the cells before and after
 * it as the chain looks. */
ALWAYS_INLINE void OF(chain_row)(const torre_layer_line *line, const OF(chain) * c, const char *low,
                                 const char *high, const int count)
{
    const int64_t bytes = line->blocks * TORRE_BLOCK_BYTES;
    const char *old = (const char *)line->old, *ahead[TORRE_MAX_HALF_WIDTH],
               *behind[TORRE_MAX_HALF_WIDTH];
    char *to = (char *)line->made;
    int64_t here[TORRE_MAX_HALF_WIDTH];
    VEC a[TORRE_MAX_HALF_WIDTH], b[TORRE_MAX_HALF_WIDTH];
    for (int n = 0; n < count; n++) {
        a[n] = (VEC){0} + c->a[n];
        b[n] = (VEC){0} + c->b[n];
        here[n] = c->here[n];
        ahead[n] = c->ahead[n];
        behind[n] = c->behind[n];
    }
    for (int64_t z = 0; z < bytes; z += VECTOR_BYTES) {
        const VEC slope = AT(high, z) - AT(low, z);
        VEC below = {0}, made = {0};
        for (int n = 0; n < count; n++) {
            const VEC before = AT(old, here[n] + z);
            made = OF(remember)(a[n], b[n], made, before, below, slope, AT(ahead[n], z),
                                AT(behind[n], z));
            AT(to, here[n] + z) = made;
            below = before;
        }
    }
}

/* With a loop over the sums that is unrolled, whatever their number. */
ALWAYS_INLINE void OF(chain_rows)(const torre_layer_line *line, const OF(chain) * c,
                                  const char *low, const char *high, const int R)
{
    switch (c->count) {
    case 0:
        return;
    case 1:
        OF(chain_row)(line, c, low, high, 1);
        return;
    case 2:
        OF(chain_row)(line, c, low, high, R < 2 ? R : 2);
        return;
    case 3:
        OF(chain_row)(line, c, low, high, R < 3 ? R : 3);
        return;
    case 4:
        OF(chain_row)(line, c, low, high, R < 4 ? R : 4);
        return;
    case 5:
        OF(chain_row)(line, c, low, high, R < 5 ? R : 5);
        return;
    case 6:
        OF(chain_row)(line, c, low, high, R < 6 ? R : 6);
        return;
    default:
        OF(chain_row)(line, c, low, high, c->count);
    }
}

/* Add what the memory changes of the sum of differences of cell r to a row. */
ALWAYS_INLINE void OF(layer_add)(const torre_layer_scheme *s, const torre_layer_line *line,
                                 const int R)
{
    const int W = s->width, r = line->r;
    const int64_t pitch = s->pitch * (int64_t)sizeof(REAL);
    const int64_t bytes = line->blocks * TORRE_BLOCK_BYTES;
    const char *old = (const char *)line->old, *out[TORRE_MAX_HALF_WIDTH + 1],
               *in[TORRE_MAX_HALF_WIDTH + 1];
    VEC weight[TORRE_MAX_HALF_WIDTH + 1];
    for (int m = 1; m <= R; m++) {
        /* beyond the first cell sums go on with those there are: o(m + r) of the place */
        const int j = r < 0 ? m + r : m;
        weight[m] = (VEC){0} + ((const REAL *)s->weight[line->axis])[m];
        out[m] = in[m] = (const char *)s->zeros;
        if (j >= 1) out[m] = old + OUTWARDS(j, r < 0 ? 1 : r + 1) * pitch;
        if (r > 0) in[m] = old + INWARDS(m, r) * pitch;
    }
    for (int64_t z = 0; z < bytes; z += VECTOR_BYTES) {
        VEC sum = {0};
        for (int m = 1; m <= R; m++) sum = OF(fma)(weight[m], AT(out[m], z) + AT(in[m], z), sum);
        const VEC k = line->factor ? AT(line->factor, z) : (VEC){0} + OF(s->factor);
        AT(line->next, z) = OF(fma)(k, sum, AT(line->next, z));
    }
}

ALWAYS_INLINE void OF(layer)(const torre_layer_scheme *s, const torre_layer_line *line, const int R)
{
    const char *ahead = (const char *)(line->ahead ? line->ahead : s->zeros);
    const char *behind = (const char *)(line->behind ? line->behind : s->zeros);
    OF(chain) c;
    if (line->next) OF(layer_add)(s, line, R);
    OF(chain_make)(s, line, R, true, &c);
    OF(chain_rows)(line, &c, behind, ahead, R);
    OF(chain_make)(s, line, R, false, &c);
    OF(chain_rows)(line, &c, ahead, behind, R);
}

/* Those of the values at the places z .. that are low .. high - 1 into a row. */
ALWAYS_INLINE void OF(put)(REAL *row, int64_t z, int64_t low, int64_t high, VEC values)
{
    REAL cells[LANES];
    memcpy(cells, &values, sizeof cells);
    for (int i = 0; i < LANES; i++)
        if (z + i >= low && z + i < high) row[z + i] = cells[i];
}

/* Add what the memory changes at the places from t on. whole: there is nothing else at them;
 * `out` is e->outwards. */
ALWAYS_INLINE void OF(end_add)(const torre_layer_end *e, const torre_layer_row *row, const int R,
                               const int out, int t, const bool whole)
{
    const int64_t z = e->first + t, step = e->places;
    const REAL *old = (const REAL *)row->old + t, *weight = (const REAL *)e->weight + t;
    const REAL *old_in = old + R * step, *weight_in = weight + R * step;
    REAL *next = (REAL *)row->next;
    VEC sum = {0};
    for (int m = 1; m <= R; m++) {
        sum = OF(fma)(AT(weight, 0), ANY(old + out * m), sum);
        sum = OF(fma)(AT(weight_in, 0), ANY(old_in - out * m), sum);
        old += step, old_in += step, weight += step, weight_in += step;
    }
    VEC k = (VEC){0} + OF(e->factor);
    if (row->factor) k = ANY((const REAL *)row->factor + z);
    const VEC u = OF(fma)(k, sum, ANY(next + z));
    if (whole)
        memcpy(next + z, &u, sizeof u);
    else
        OF(put)(next, z, row->z0, row->z1, u);
}

/* Make the memory of these places, of chains that look along z by `turn`, from value `at` on. */
ALWAYS_INLINE void OF(end_chain)(const torre_layer_end *e, const torre_layer_row *row, const int R,
                                 const int turn, int t, VEC slope, int64_t at, const bool whole)
{
    const int64_t z = e->first + t, step = e->places;
    const int64_t low = row->z0 == 0 ? z : row->z0, high = row->z1 == row->nz ? z + LANES : row->z1;
    const REAL *old = (const REAL *)row->old + t + at;
    const REAL *a = (const REAL *)e->a + t + at, *b = (const REAL *)e->b + t + at;
    REAL *to = (REAL *)row->made + t + at;
    VEC below = {0}, made = {0}, behind = {0};
    for (int j = 0; j < R; j++) {
        const VEC here = AT(old, 0), ahead = ANY(old + turn);
        made = OF(remember)(AT(a, 0), AT(b, 0), made, here, below, slope, ahead, behind);
        below = here;
        behind = ANY(old - turn);
        if (whole)
            AT(to, 0) = made;
        else
            OF(put)(to - z, z, low, high, made);
        old += step, a += step, b += step, to += step;
    }
}

ALWAYS_INLINE void OF(end_place)(const torre_layer_end *e, const torre_layer_row *row, const int R,
                                 const int out, int t, const bool whole)
{
    const REAL *now = (const REAL *)row->now + e->first + t;
    const VEC after = AT((const REAL *)e->after + t, 0),
              before = AT((const REAL *)e->before + t, 0);
    const VEC rise = after * ANY(now + 1) - before * ANY(now - 1);
    OF(end_add)(e, row, R, out, t, whole);
    OF(end_chain)(e, row, R, out, t, out > 0 ? rise : -rise, 0, whole);
    OF(end_chain)(e, row, R, -out, t, out > 0 ? -rise : rise, R * e->places, whole);
}

/* Cells and ghosts of the row alone, or with others that must keep what they have. */
ALWAYS_INLINE void OF(end_row)(const torre_layer_end *e, const torre_layer_row *row, const int R,
                               const int out)
{
    const int64_t low = row->z0 == 0 ? -R : row->z0;
    const int64_t high = row->z1 == row->nz ? row->nz + R : row->z1;
    for (int t = 0; t < e->places; t += LANES) {
        const int64_t z = e->first + t;
        if (z >= high || z + LANES <= low) continue;
        if (z >= low && z + LANES <= high)
            OF(end_place)(e, row, R, out, t, true);
        else
            OF(end_place)(e, row, R, out, t, false);
    }
}

ALWAYS_INLINE void OF(end)(const torre_layer_end *e, const torre_layer_row *row, const int R)
{
    if (e->outwards > 0)
        OF(end_row)(e, row, R, 1);
    else
        OF(end_row)(e, row, R, -1);
}

#undef OF
#undef REAL
