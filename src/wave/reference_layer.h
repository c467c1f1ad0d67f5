/*
 * Perfectly matched layers of the reference engine, included once per precision with REAL defined:
 * the formulas of pml.h and cpml.h read off line by line, with their memory in all cells of the
 * grid.
 */

/* phi(number + 1), from number R on chi(number - R + 1), at a cell along an axis; of cpml.h 0: psi,
 * 1: zeta. */
static REAL *JOIN(memory, REAL)(const reference_solver *r, int axis, int number,
                                const int64_t at[3])
{
    const torre_wave_problem *p = r->setup->problem;
    const int64_t cell = (at[0] * p->size[1] + at[1]) * p->size[2] + at[2];
    return (REAL *)r->memory[axis] + number * r->cells + cell;
}

/* F(shift) at a cell, or B(-shift) where shift < 0; the cell may lie beyond a face. */
static REAL JOIN(chained, REAL)(const reference_solver *r, const REAL *u, const int64_t at[3],
                                int axis, int shift)
{
    const int first = shift < 0 ? r->setup->problem->order / 2 : 0, sign = shift < 0 ? -1 : 1;
    REAL sum = JOIN(value, REAL)(r, u, at, axis, shift);
    for (int j = 1; r->memory[axis] && !r->convolves && j <= sign * shift; j++) {
        int64_t cell[3] = {at[0], at[1], at[2]};
        cell[axis] += shift - sign * j;
        if (cell[axis] >= 0 && cell[axis] < r->setup->problem->size[axis])
            sum += *JOIN(memory, REAL)(r, axis, first + j - 1, cell);
    }
    return sum;
}

/* What phi or chi of a number at a cell becomes. */
static REAL JOIN(remembered, REAL)(const reference_solver *r, const REAL *u, const int64_t at[3],
                                   int axis, int number)
{
    const int R = r->setup->problem->order / 2, chain = number / R, j = number % R + 1;
    int64_t next[3] = {at[0], at[1], at[2]};
    next[axis] += chain ? -1 : 1;
    const int64_t step = at[axis] - chain;
    const int i = reference_step_number(r, axis, step), sign = chain ? -1 : 1;
    const REAL before = *JOIN(memory, REAL)(r, axis, number, at);
    const REAL ahead = JOIN(chained, REAL)(r, u, next, axis, sign * j);
    const REAL behind = JOIN(chained, REAL)(r, u, at, axis, sign * (j - 1));
    return (REAL)r->setup->pml_a[i] * before - (REAL)r->setup->pml_b[i] * (ahead - behind);
}

/* a psi some cells away along an axis; 0 where there is none. */
static REAL JOIN(faded, REAL)(const reference_solver *r, const int64_t at[3], int axis, int shift)
{
    int64_t cell[3] = {at[0], at[1], at[2]};
    cell[axis] += shift;
    if (cell[axis] < 0 || cell[axis] >= r->setup->problem->size[axis]) return 0;
    const int i = reference_cell_number(r, axis, cell[axis]);
    return (REAL)r->setup->pml_a[i] * *JOIN(memory, REAL)(r, axis, 0, cell);
}

/* t - L u of cpml.h, and what psi (0) and zeta (1) become. Along the axis, not outwards: the signs
 * of psi, of D and of D' change together. */
static void JOIN(convolve, REAL)(const reference_solver *r, const REAL *u, const int64_t at[3],
                                 int axis, REAL *beyond, REAL made[2])
{
    const int R = r->setup->problem->order / 2, i = reference_cell_number(r, axis, at[axis]);
    const double *a = r->setup->pml_a, *b = r->setup->pml_b;
    const REAL here = JOIN(value, REAL)(r, u, at, axis, 0);
    REAL bend = 0, slope = 0;
    *beyond = 0;
    for (int m = 1; m <= R; m++) {
        const REAL low = JOIN(value, REAL)(r, u, at, axis, -m);
        const REAL high = JOIN(value, REAL)(r, u, at, axis, m);
        const REAL weight = (REAL)torre_cpml_slope_weight(R, m);
        bend += (REAL)torre_stencil_weight(R, m) * ((low - here) + (high - here));
        slope += weight * (high - low);
        *beyond +=
            weight * (JOIN(faded, REAL)(r, at, axis, m) - JOIN(faded, REAL)(r, at, axis, -m));
    }
    const double steep = reference_cell_steepness(r, axis, at[axis]);
    *beyond += (REAL)b[i] * bend + (REAL)steep * slope;
    made[0] = (REAL)a[i] * *JOIN(memory, REAL)(r, axis, 0, at) + (REAL)b[i] * slope;
    made[1] = (REAL)a[i] * *JOIN(memory, REAL)(r, axis, 1, at) + (REAL)b[i] * (bend + *beyond);
}

static REAL JOIN(convolved, REAL)(const reference_solver *r, const REAL *u, const int64_t at[3],
                                  int axis, int number)
{
    REAL beyond, made[2];
    JOIN(convolve, REAL)(r, u, at, axis, &beyond, made);
    return made[number];
}

/* What a convolutional layer adds to the second difference. */
static REAL JOIN(stretched, REAL)(const reference_solver *r, const REAL *u, const int64_t at[3],
                                  int axis)
{
    REAL beyond, made[2];
    JOIN(convolve, REAL)(r, u, at, axis, &beyond, made);
    return beyond + made[1];
}

/* The memory along a line of cells through `at`; made: as many values as the line has. */
static void JOIN(remember_line, REAL)(const reference_solver *r, const REAL *u, int64_t at[3],
                                      int axis, REAL *made)
{
    const int values = r->convolves ? 2 : r->setup->problem->order;
    const int64_t n = r->setup->problem->size[axis];
    for (int part = 0; part < 2; part++) /* all from old values, then all into place */
        for (int value = 0; value < values; value++)
            for (at[axis] = 0; at[axis] < n; at[axis]++) {
                REAL *here = &made[value * n + at[axis]];
                if (part == 1)
                    *JOIN(memory, REAL)(r, axis, value, at) = *here;
                else
                    *here = r->convolves ? JOIN(convolved, REAL)(r, u, at, axis, value)
                                         : JOIN(remembered, REAL)(r, u, at, axis, value);
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
