/* The parts of rest_piece.c that handle values, included once per precision with REAL defined. */

/* sum[z] += weight * (low sign * low[z] + high sign * high[z]) */
static void JOIN(add_pair, REAL)(double *restrict sum, double weight, const REAL *low,
                                 double low_sign, const REAL *high, double high_sign, int count)
{
    for (int z = 0; z < count; z++)
        sum[z] += weight * (low_sign * (double)low[z] + high_sign * (double)high[z]);
}

/* Add what the neighbours along x or y have to the sums of a piece. */
static void JOIN(sum_across, REAL)(const torre_rest_piece *r, int axis, double *sum)
{
    const torre_wave_problem *p = r->problem;
    const REAL *own = (const REAL *)r->now + r->first;
    for (int d = 1; d <= p->order / 2; d++) {
        const torre_ghost low = neighbour(p, axis, r->at[axis] - d);
        const torre_ghost high = neighbour(p, axis, r->at[axis] + d);
        JOIN(add_pair, REAL)
        (sum, torre_stencil_weight(p->order / 2, d), own + distance(r, axis, low) * r->stride[axis],
         low.sign, own + distance(r, axis, high) * r->stride[axis], high.sign, r->count);
    }
}

/* The same along z: a copy of the piece has ghosts on both sides. */
static void JOIN(sum_along, REAL)(const torre_rest_piece *r, double *sum)
{
    const torre_wave_problem *p = r->problem;
    const REAL *row = (const REAL *)r->now + r->first - r->at[2];
    const int reach = p->order / 2;
    REAL line[TORRE_REST_PIECE + 2 * TORRE_MAX_HALF_WIDTH];
    for (int i = 0; i < r->count + 2 * reach; i++) {
        const torre_ghost from = neighbour(p, 2, r->at[2] - reach + i);
        line[i] = (REAL)from.sign * row[from.source];
    }
    for (int d = 1; d <= reach; d++) JOIN(add_pair, REAL)
    (sum, torre_stencil_weight(reach, d), line + reach - d, 1, line + reach + d, 1, r->count);
}

/* to: of the first cell of the piece. */
static void JOIN(rest_piece, REAL)(const torre_rest_piece *r, REAL *to)
{
    const torre_wave_problem *p = r->problem;
    const double centre = 2 * torre_stencil_weight(p->order / 2, 0);
    const REAL *now = (const REAL *)r->now + r->first;
    double sum[TORRE_REST_PIECE], laplacian[TORRE_REST_PIECE] = {0}, c_dt[TORRE_REST_PIECE];
    for (int a = 0; a < 3; a++) {
        const double square = p->spacing[a] * p->spacing[a];
        for (int z = 0; z < r->count; z++) sum[z] = centre * (double)now[z];
        if (a < 2)
            JOIN(sum_across, REAL)(r, a, sum);
        else
            JOIN(sum_along, REAL)(r, sum);
        for (int z = 0; z < r->count; z++) laplacian[z] += sum[z] / square;
    }
    courant_of(r, c_dt);
    for (int z = 0; z < r->count; z++)
        to[z] = (REAL)((double)now[z] + 0.5 * c_dt[z] * c_dt[z] * laplacian[z]);
}

#undef REAL
