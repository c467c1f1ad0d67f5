/* The kernels of perfectly matched layers of one precision, included with REAL defined; formulas
 * and order of operations are in layer_kernel.h. */
#define OF__(part, real) part##_##real
#define OF_(part, real)  OF__(part, real)
#define OF(part)         OF_(part, REAL)
#define VEC              OF(vector)
#define LANES            (VECTOR_BYTES / (int)sizeof(REAL))

/* The vector at a place of memory that is a multiple of vectors. */
#define AT(place, bytes) (*(VEC *)((char *)(place) + (bytes)))

/* A number in all lanes (zero plus it would be an addition). */
ALWAYS_INLINE VEC OF(same)(REAL x) { return x - (VEC){0}; }

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
        a[n] = OF(same)(c->a[n]);
        b[n] = OF(same)(c->b[n]);
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
        weight[m] = OF(same)(((const REAL *)s->weight[line->axis])[m]);
        out[m] = in[m] = (const char *)s->zeros;
        if (j >= 1) out[m] = old + OUTWARDS(j, r < 0 ? 1 : r + 1) * pitch;
        if (r > 0) in[m] = old + INWARDS(m, r) * pitch;
    }
    for (int64_t z = 0; z < bytes; z += VECTOR_BYTES) {
        VEC sum = {0};
        for (int m = 1; m <= R; m++) sum = OF(fma)(weight[m], AT(out[m], z) + AT(in[m], z), sum);
        const VEC k = line->factor ? AT(line->factor, z) : OF(same)(OF(s->factor));
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

/* All rows of a line of cells along the normal, for vectors at one z, bytes from its beginning. */
typedef struct OF(stack_at) {
    int W;
    int64_t pitch, step, factor_step; /* bytes */
    int64_t ahead;                    /* of what is asked for */
    char *next, *memory;              /* at z */
    const char *now, *factor;
    const REAL *a, *b, *weight;
    REAL k;
} OF(stack_at);

/* Add k times a sum to cell r. */
ALWAYS_INLINE void OF(stack_add)(const OF(stack_at) * c, int r, VEC sum)
{
    const VEC k = c->factor ? AT(c->factor, r * c->factor_step) : OF(same)(c->k);
    AT(c->next, r * c->step) = OF(fma)(k, sum, AT(c->next, r * c->step));
}

/* Step i of the walk inwards, and what all sums add to cell i - 1; first: i = 1, where there is no
 * Q. far, made_far: old and new sums of step i + 1; slope: at r = i, i + 1, .. */
ALWAYS_INLINE void OF(stack_inwards)(const OF(stack_at) * c, const int R, const bool ahead,
                                     const bool first, int i, VEC *far, VEC *made_far,
                                     const VEC *slope)
{
    const int64_t chain = c->W * c->pitch, other = chain - c->pitch;
    char *place = c->memory + (i - 1) * c->pitch;
    const char *q = c->memory + R * chain + (i - 2) * c->pitch;
    const VEC a = OF(same)(c->a[i]), b = OF(same)(c->b[i]);
    VEC sum = {0}, made = {0}, below = {0}, before = {0};
    for (int j = 0; j < R; j++) {
        if (ahead) __builtin_prefetch(place + j * chain + c->ahead, 1);
        const VEC here = AT(place, j * chain), beyond = far[j];
        const VEC value = OF(remember)(a, b, made, here, below, slope[j], beyond, before);
        AT(place, j * chain) = value;
        const VEC all = first ? here : here + AT(q, j * other);
        sum = OF(fma)(OF(same)(c->weight[j + 1]), all, sum);
        made = made_far[j];
        made_far[j] = value;
        below = beyond;
        before = far[j] = here;
    }
    OF(stack_add)(c, i - 1, sum);
}

/* The walk inwards: P. */
ALWAYS_INLINE void OF(stack_in)(const OF(stack_at) * c, const int R, const bool ahead)
{
    VEC far[TORRE_MAX_HALF_WIDTH], made_far[TORRE_MAX_HALF_WIDTH], slope[TORRE_MAX_HALF_WIDTH];
    for (int j = 0; j < R; j++) far[j] = made_far[j] = slope[j] = (VEC){0};
    slope[0] -= AT(c->now, (c->W - 1) * c->step);
    for (int i = c->W; i > 1; i--) {
        OF(stack_inwards)(c, R, ahead, false, i, far, made_far, slope);
        for (int j = R - 1; j > 0; j--) slope[j] = slope[j - 1];
        slope[0] = AT(c->now, i * c->step) - AT(c->now, (i - 2) * c->step);
    }
    OF(stack_inwards)(c, R, ahead, true, 1, far, made_far, slope);
    for (int q = 1; q < R; q++) { /* cells in front */
        VEC sum = {0};
        for (int m = q + 1; m <= R; m++) sum = OF(fma)(OF(same)(c->weight[m]), far[m - q - 1], sum);
        OF(stack_add)(c, -q, sum);
    }
}

/* The walk outwards: Q. */
ALWAYS_INLINE void OF(stack_out)(const OF(stack_at) * c, const int R, const bool ahead)
{
    const int64_t chain = (c->W - 1) * c->pitch;
    VEC far[TORRE_MAX_HALF_WIDTH], made_far[TORRE_MAX_HALF_WIDTH];
    VEC slope[TORRE_MAX_HALF_WIDTH]; /* at r = i - 1, i - 2, .. */
    for (int j = 0; j < R; j++) far[j] = made_far[j] = (VEC){0};
    for (int j = 0; j < R; j++)
        slope[j] = AT(c->now, (-1 - j) * c->step) - AT(c->now, (1 - j) * c->step);
    for (int i = 1; i < c->W; i++) {
        char *place = c->memory + R * (chain + c->pitch) + (i - 1) * c->pitch;
        const VEC a = OF(same)(c->a[i]), b = OF(same)(c->b[i]);
        VEC made = {0}, below = {0}, before = {0};
        for (int j = 0; j < R; j++) {
            if (ahead) __builtin_prefetch(place + j * chain + c->ahead, 1);
            const VEC here = AT(place, j * chain), beyond = far[j];
            const VEC value = OF(remember)(a, b, made, here, below, slope[j], beyond, before);
            AT(place, j * chain) = value;
            made = made_far[j];
            made_far[j] = value;
            below = beyond;
            before = far[j] = here;
        }
        for (int j = R - 1; j > 0; j--) slope[j] = slope[j - 1];
        slope[0] = AT(c->now, i * c->step - c->step) - AT(c->now, i * c->step + c->step);
    }
}

/* Both in one, inwards, where there is one sum a step: that of Q takes the one of the step before
 * it, which is made later. */
ALWAYS_INLINE void OF(stack_single)(const OF(stack_at) * c, const bool ahead)
{
    const char *now = c->now + c->W * c->step;
    char *p = c->memory + (c->W - 1) * c->pitch, *q = p + (c->W - 1) * c->pitch;
    const VEC weight = OF(same)(c->weight[1]), zero = {0};
    VEC far = zero, q_here = zero;
    VEC slope = zero - AT(now, -c->step); /* at r = i */
    for (int i = c->W; i >= 1; i--) {
        const VEC a = OF(same)(c->a[i]), b = OF(same)(c->b[i]), here = AT(p, 0);
        const VEC q_before = i > 1 ? AT(q, 0) : zero;
        if (ahead) {
            __builtin_prefetch(p + c->ahead, 1);
            __builtin_prefetch(q + c->ahead, 1);
        }
        AT(p, 0) = OF(remember)(a, b, zero, here, zero, slope, far, zero);
        now -= c->step;
        slope = AT(now, c->step) - AT(now, -c->step);
        if (i < c->W)
            AT(q, c->pitch) = OF(remember)(a, b, zero, q_here, zero, -slope, q_before, zero);
        OF(stack_add)(c, i - 1, OF(fma)(weight, here + q_before, zero));
        far = here;
        q_here = q_before;
        p -= c->pitch;
        q -= c->pitch;
    }
}

ALWAYS_INLINE void OF(stack_walks)(const OF(stack_at) * c, const int R, const bool ahead)
{
    if (R == 1) {
        OF(stack_single)(c, ahead);
        return;
    }
    OF(stack_in)(c, R, ahead);
    OF(stack_out)(c, R, ahead);
}

ALWAYS_INLINE void OF(stack)(const torre_layer_scheme *s, const torre_layer_stack *stack,
                             const int R)
{
    const int64_t bytes = stack->blocks * TORRE_BLOCK_BYTES;
    OF(stack_at)
    c = {.W = s->width,
         .pitch = s->pitch * (int64_t)sizeof(REAL),
         .step = stack->step,
         .factor_step = stack->factor_step,
         .next = stack->next,
         .memory = stack->memory,
         .now = stack->now,
         .factor = stack->factor,
         .a = s->a,
         .b = s->b,
         .weight = s->weight[stack->axis],
         .k = OF(s->factor)};
    for (int64_t z = 0; z < bytes; z += VECTOR_BYTES) {
        if (z % TORRE_BLOCK_BYTES == 0) {
            c.ahead = z + ROW_AHEAD < bytes ? ROW_AHEAD : stack->later + ROW_AHEAD - bytes;
            OF(stack_walks)(&c, R, true);
        } else {
            OF(stack_walks)(&c, R, false);
        }
        c.next += VECTOR_BYTES;
        c.memory += VECTOR_BYTES;
        c.now += VECTOR_BYTES;
        if (c.factor) c.factor += VECTOR_BYTES;
    }
}

#define SHORT_LANES (TORRE_END_BYTES / (int)sizeof(REAL))
#define SHORT       OF(short)

/* The vector of the places one further along the row, towards z by `turn`, of one whose next is
 * `following`. */
ALWAYS_INLINE SHORT OF(shift)(SHORT v, SHORT following, int turn)
{
    return turn > 0 ? OF(short_up)(v, following) : OF(short_down)(v, following);
}

/* One of the rows. */
typedef struct OF(end_row) {
    int64_t nz;
    REAL *next, *memory;
    const REAL *now, *factor;
} OF(end_row);

/* k at cell z of a row, for a vector of cells. */
ALWAYS_INLINE SHORT OF(end_factor)(const torre_layer_end *e, const OF(end_row) * row, int64_t z)
{
    if (row->factor) return *(const SHORT *)(row->factor + z);
    return OF(e->factor) - (SHORT){0};
}

/* Add k times a sum to the cells from z on, as far as they are cells. */
ALWAYS_INLINE void OF(end_add)(const torre_layer_end *e, const OF(end_row) * row, int64_t z,
                               SHORT sum)
{
    REAL *next = row->next + z;
    if (z >= 0 && z + SHORT_LANES <= row->nz) {
        *(SHORT *)next = OF(short_fma)(OF(end_factor)(e, row, z), sum, *(SHORT *)next);
        return;
    }
    for (int i = 0; i < SHORT_LANES; i++) {
        if (z + i < 0 || z + i >= row->nz) continue;
        const REAL k = row->factor ? row->factor[z + i] : OF(e->factor);
        next[i] += k * sum[i];
    }
}

/* The same in front of the places, where product and sum are rounded apart. */
ALWAYS_INLINE void OF(end_add_apart)(const torre_layer_end *e, const OF(end_row) * row, int64_t z,
                                     SHORT sum)
{
    REAL *next = row->next + z;
    if (z >= 0 && z + SHORT_LANES <= row->nz) {
        *(SHORT *)next += OF(end_factor)(e, row, z) * sum;
        return;
    }
    for (int i = 0; i < SHORT_LANES; i++)
        if (z + i >= 0 && z + i < row->nz)
            next[i] += (row->factor ? row->factor[z + i] : OF(e->factor)) * sum[i];
}

/* The steps of a chain at some places. */
typedef struct OF(end_steps) {
    SHORT a, b;
} OF(end_steps);

ALWAYS_INLINE OF(end_steps) OF(end_steps_at)(const torre_layer_end *e, int which, int place)
{
    const REAL *a = (const REAL *)e->a + which * e->places + place;
    const REAL *b = (const REAL *)e->b + which * e->places + place;
    return (OF(end_steps)){*(const SHORT *)a, *(const SHORT *)b};
}

/* One chain of a row, which looks along z by `turn`, and its memory. */
ALWAYS_INLINE void OF(end_chain)(const torre_layer_end *e, const OF(end_row) * row, const int R,
                                 const int turn, int which)
{
    const int step = e->places, vectors = step / SHORT_LANES;
    REAL *memory = row->memory + which * R * step;
    const REAL *weight = e->weight;
    SHORT far_old[TORRE_MAX_HALF_WIDTH] = {{0}}, far_new[TORRE_MAX_HALF_WIDTH] = {{0}};
    for (int v = 0; v < vectors; v++) {
        const int t = (turn > 0 ? vectors - 1 - v : v) * SHORT_LANES;
        const REAL *now = row->now + e->first + t;
        const OF(end_steps) steps = OF(end_steps_at)(e, which, t);
        SHORT made = {0}, below = {0}, before = {0}, sum = {0};
        for (int j = 0; j < R; j++) {
            SHORT *place = (SHORT *)(memory + (int64_t)j * step + t);
            const SHORT here = *place, ahead = OF(shift)(here, far_old[j], turn);
            const SHORT slope =
                *(const SHORT *)(now + (j + 2) * turn) - *(const SHORT *)(now + j * turn);
            const SHORT value = OF(short_fma)(-steps.b, slope + (ahead - before),
                                              OF(short_fma)(steps.a, here - below, made));
            *place = value;
            sum = OF(short_fma)(weight[j + 1] - (SHORT){0}, here, sum);
            made = OF(shift)(value, far_new[j], turn);
            below = ahead;
            before = here;
            far_old[j] = here;
            far_new[j] = value;
        }
        OF(end_add)(e, row, e->first + t, sum);
    }
}

/* What a chain of one vector has from one of its sums to the next. */
typedef struct OF(end_state) {
    SHORT made, below, before, sum;
} OF(end_state);

/* Its sum j + 1. */
ALWAYS_INLINE void OF(end_sum)(REAL *memory, const REAL *now, REAL weight, OF(end_steps) steps,
                               const int turn, int j, OF(end_state) * c)
{
    SHORT *place = (SHORT *)(memory + j * SHORT_LANES);
    const SHORT none = {0}, here = *place, ahead = OF(shift)(here, none, turn);
    const SHORT slope = *(const SHORT *)(now + (j + 2) * turn) - *(const SHORT *)(now + j * turn);
    const SHORT value = OF(short_fma)(-steps.b, slope + (ahead - c->before),
                                      OF(short_fma)(steps.a, here - c->below, c->made));
    *place = value;
    c->sum = OF(short_fma)(weight - none, here, c->sum);
    c->made = OF(shift)(value, none, turn);
    c->below = ahead;
    c->before = here;
}

/* Rows whose places are one vector, with at most one of cells in front, all within the cells of a
 * row: k differs from cell to cell or not. Both chains go in step: neither waits for itself. */
ALWAYS_INLINE void OF(end_vectors)(const torre_layer_end *e, const torre_layer_ends *rows,
                                   const int R, const int out, const bool varies)
{
    enum { PITCH = SHORT_LANES * 2 };
    const int64_t count = rows->rows, pitch = rows->pitch;
    const int before = e->before;
    const int64_t k_pitch = varies ? rows->factor_pitch : 0;
    const OF(end_steps) steps[2] = {OF(end_steps_at)(e, 0, 0), OF(end_steps_at)(e, 1, 0)};
    const REAL *weight = e->weight, *front = e->front;
    const SHORT same = OF(e->factor) - (SHORT){0};
    const REAL *now = (const REAL *)rows->now + e->first;
    const REAL *factor = varies ? (const REAL *)rows->factor + e->first : NULL;
    REAL *next = (REAL *)rows->next + e->first, *memory = rows->memory;
    for (int64_t y = 0; y < count; y++) {
        for (int i = 0; i < R; i++)
            __builtin_prefetch((char *)(memory + ROWS_LATER * R * PITCH) + i * TORRE_BLOCK_BYTES,
                               1);
        if (R > 1 && before > 0) {
            const REAL *first = memory + (out > 0 ? 0 : SHORT_LANES - 1);
            const SHORT k = varies ? *(const SHORT *)(factor - out * SHORT_LANES) : same;
            SHORT sum = {0};
            for (int m = 0; m < R - 1; m++)
                sum += *(const SHORT *)(front + m * SHORT_LANES) * first[m * SHORT_LANES];
            *(SHORT *)(next - out * SHORT_LANES) += k * sum;
        }
        OF(end_state) p = {.made = {0}}, q = p;
        for (int j = 0; j < R; j++) {
            OF(end_sum)(memory, now, weight[j + 1], steps[0], out, j, &p);
            OF(end_sum)(memory + R * SHORT_LANES, now, weight[j + 1], steps[1], -out, j, &q);
        }
        const SHORT k = varies ? *(const SHORT *)factor : same;
        *(SHORT *)next = OF(short_fma)(k, q.sum, OF(short_fma)(k, p.sum, *(const SHORT *)next));
        next += pitch;
        now += pitch;
        if (varies) factor += k_pitch;
        memory += R * PITCH;
    }
}

/* Cells in front of the places: cell -q of them gets sum_m C_(m+q) P(m) of the first place. */
ALWAYS_INLINE void OF(end_front)(const torre_layer_end *e, const OF(end_row) * row, const int R,
                                 const int out)
{
    const REAL *first = row->memory + (out > 0 ? 0 : e->places - 1);
    for (int v = 0; v * SHORT_LANES < e->before; v++) {
        const REAL *weight = (const REAL *)e->front + v * (R - 1) * SHORT_LANES;
        const int64_t z =
            out > 0 ? e->first - (v + 1) * SHORT_LANES : e->first + e->places + v * SHORT_LANES;
        SHORT sum = {0};
        for (int m = 1; m < R; m++)
            sum += *(const SHORT *)(weight + (m - 1) * SHORT_LANES) * first[(m - 1) * e->places];
        OF(end_add_apart)(e, row, z, sum);
    }
}

/* Rows of any places. */
ALWAYS_INLINE void OF(end_rows)(const torre_layer_end *end, const torre_layer_ends *rows,
                                const int R, const int out)
{
    const torre_layer_end local = *end, *e = &local; /* which no store changes */
    const int64_t pitch = 2 * R * (int64_t)e->places;
    const int64_t next_pitch = rows->pitch, factor_pitch = rows->factor_pitch, count = rows->rows;
    OF(end_row)
    row = {.nz = rows->nz,
           .next = rows->next,
           .memory = rows->memory,
           .now = rows->now,
           .factor = rows->factor};
    for (int64_t y = 0; y < count; y++) {
        const char *later = (const char *)(row.memory + ROWS_LATER * pitch);
        for (int64_t i = 0; i < pitch * (int64_t)sizeof(REAL); i += TORRE_BLOCK_BYTES)
            __builtin_prefetch(later + i, 1);
        if (R > 1) OF(end_front)(e, &row, R, out);
        OF(end_chain)(e, &row, R, out, 0);
        OF(end_chain)(e, &row, R, -out, 1);
        row.next += next_pitch;
        row.now += next_pitch;
        row.memory += pitch;
        if (row.factor) row.factor += factor_pitch;
    }
}

/* Rows at a side. */
ALWAYS_INLINE void OF(end_side)(const torre_layer_end *e, const torre_layer_ends *rows, const int R,
                                const int out)
{
    const int64_t low = e->first - (out > 0 ? SHORT_LANES : 0);
    const bool one = e->places == SHORT_LANES && e->before <= SHORT_LANES;
    if (one && low >= 0 && low + 2 * SHORT_LANES <= rows->nz) {
        if (rows->factor)
            OF(end_vectors)(e, rows, R, out, true);
        else
            OF(end_vectors)(e, rows, R, out, false);
    } else {
        OF(end_rows)(e, rows, R, out);
    }
}

ALWAYS_INLINE void OF(end)(const torre_layer_end *e, const torre_layer_ends *rows, const int R)
{
    if (e->outwards > 0)
        OF(end_side)(e, rows, R, 1);
    else
        OF(end_side)(e, rows, R, -1);
}

#undef SHORT
#undef SHORT_LANES
#undef OF
#undef REAL
