/*
 * Perfectly matched layers of the reference engine, included once per precision with REAL defined:
 * the formulas of pml.h read off line by line, with phi and chi in all cells of the grid.
 */

/* phi (chain 0) or chi (chain 1) of number j at a cell along an axis. */
static REAL *JOIN(memory, REAL)(const reference_solver *r, int axis, int chain, int j,
                                const int64_t at[3])
{
    const torre_wave_problem *p = r->setup->problem;
    const int64_t cell = (at[0] * p->size[1] + at[1]) * p->size[2] + at[2];
    return (REAL *)r->memory[axis] + (chain * (p->order / 2) + j - 1) * r->cells + cell;
}

/* F(shift) at a cell, or B(-shift) where shift < 0; the cell may lie beyond a face. */
static REAL JOIN(chained, REAL)(const reference_solver *r, const REAL *u, const int64_t at[3],
                                int axis, int shift)
{
    const int chain = shift < 0, sign = shift < 0 ? -1 : 1;
    REAL sum = JOIN(value, REAL)(r, u, at, axis, shift);
    for (int j = 1; r->memory[axis] && j <= sign * shift; j++) {
        int64_t cell[3] = {at[0], at[1], at[2]};
        cell[axis] += shift - sign * j;
        if (cell[axis] >= 0 && cell[axis] < r->setup->problem->size[axis])
            sum += *JOIN(memory, REAL)(r, axis, chain, j, cell);
    }
    return sum;
}

/* What phi(j) or chi(j) at a cell becomes. */
static REAL JOIN(remembered, REAL)(const reference_solver *r, const REAL *u, const int64_t at[3],
                                   int axis, int chain, int j)
{
    int64_t next[3] = {at[0], at[1], at[2]};
    next[axis] += chain ? -1 : 1;
    const int64_t step = at[axis] - chain;
    const int i = reference_step_number(r, axis, step), sign = chain ? -1 : 1;
    const REAL before = *JOIN(memory, REAL)(r, axis, chain, j, at);
    const REAL ahead = JOIN(chained, REAL)(r, u, next, axis, sign * j);
    const REAL behind = JOIN(chained, REAL)(r, u, at, axis, sign * (j - 1));
    return (REAL)r->setup->pml_a[i] * before - (REAL)r->setup->pml_b[i] * (ahead - behind);
}

/* The memory along a line of cells through `at`; made: as many values as the line has. */
static void JOIN(remember_line, REAL)(const reference_solver *r, const REAL *u, int64_t at[3],
                                      int axis, REAL *made)
{
    const int R = r->setup->problem->order / 2;
    const int64_t n = r->setup->problem->size[axis];
    for (int part = 0; part < 2; part++) /* all from old values, then all into place */
        for (int value = 0; value < 2 * R; value++)
            for (at[axis] = 0; at[axis] < n; at[axis]++) {
                const int chain = value / R, j = value % R + 1;
                REAL *here = &made[value * n + at[axis]];
                if (part == 0)
                    *here = JOIN(remembered, REAL)(r, u, at, axis, chain, j);
                else
                    *JOIN(memory, REAL)(r, axis, chain, j, at) = *here;
            }
    at[axis] = 0;
}

/* The memory of all layers of an axis, from that and u[n]. */
static void JOIN(remember, REAL)(const reference_solver *r, int axis, const REAL *u)
{
    const int64_t *n = r->setup->problem->size;
    int64_t at[3], high[3] = {n[0], n[1], n[2]};
    high[axis] = 1;
    for (at[0] = 0; at[0] < high[0]; at[0]++)
        for (at[1] = 0; at[1] < high[1]; at[1]++)
            for (at[2] = 0; at[2] < high[2]; at[2]++)
                JOIN(remember_line, REAL)(r, u, at, axis, (REAL *)r->line);
}
