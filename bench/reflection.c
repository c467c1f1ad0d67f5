/*
 * What absorbing layers reflect of a plane wave, in dB, the worst of 6 to 20 cells in a wavelength,
 * by angle and order: the tables of src/wave/NUMERICS.md.
 *
 *     bench_reflection [WIDTH ...] [LOW:HIGH]   widths of pml, 8 unless told otherwise; other waves
 *
 * Solved at fixed frequency from the difference equations that the engines compute, with their
 * coefficients, at 0.9 of the largest time step in three dimensions; h = c = 1. One axis, cells
 * l = 0 .. BEFORE + W - 1, a wave exp(i (w t - k l)) that comes from below and what returns,
 * exp(i (w t + k l)): unknown are u of the cells and how much returns, known are the difference
 * equation at every cell and that the first cell has nothing but both waves.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/boundary.h"
#include "wave/cpml.h"
#include "wave/stencil.h"

enum { BEFORE = 16, WIDEST = 64, CELLS = BEFORE + WIDEST, GHOSTS = TORRE_MAX_HALF_WIDTH };

/* A sum of u of the cells -GHOSTS .. BEFORE + W - 1, those below 0 given by the waves. */
typedef struct row {
    double complex of[GHOSTS + CELLS];
} row;

typedef struct layer {
    const torre_wave_problem *problem;
    int cells, R;
    double complex z; /* exp(i w dt) */
    double *a, *b;    /* of steps or cells, [W + 2] */
    double *damping;  /* s of cells */
    row chain[2][TORRE_MAX_HALF_WIDTH + 1][GHOSTS + CELLS + GHOSTS]; /* F and B of cells */
} layer;

/* u of a cell; beyond the last it is 0. */
static row unit(const layer *y, int l)
{
    row r = {{0}};
    if (l < y->cells) r.of[GHOSTS + l] = 1;
    return r;
}

static void add(row *sum, double complex factor, const row *other)
{
    for (int i = 0; i < GHOSTS + CELLS; i++) sum->of[i] += factor * other->of[i];
}

/* The number of the step from cell l to the next, or of the cell, in the layer; 0: in none. */
static int step_of(const layer *y, int l)
{
    const int i = l - BEFORE + 1;
    return i >= 1 && i <= y->problem->absorbing_width ? i : 0;
}

static row *chain(layer *y, int which, int j, int l) { return &y->chain[which][j][GHOSTS + l]; }

/* F(j) and B(j) of all cells: pml.h, of which phi (z - a) = -b (..) is left. */
static void make_chains(layer *y)
{
    for (int l = -GHOSTS; l < y->cells + y->R; l++)
        *chain(y, 0, 0, l) = *chain(y, 1, 0, l) = unit(y, l);
    for (int j = 1; j <= y->R; j++) {
        for (int l = y->cells + y->R - 1; l >= 0; l--) {
            row *f = chain(y, 0, j, l);
            const double complex g =
                l < y->cells ? y->b[step_of(y, l)] / (y->z - y->a[step_of(y, l)]) : 0;
            memset(f, 0, sizeof *f);
            if (l + 1 < y->cells + y->R) add(f, 1, chain(y, 0, j - 1, l + 1));
            if (l + 1 < y->cells + y->R) add(f, -g, chain(y, 0, j, l + 1));
            add(f, g, chain(y, 0, j - 1, l));
        }
        for (int l = -GHOSTS; l < y->cells; l++) {
            row *f = chain(y, 1, j, l);
            const int i = step_of(y, l - 1);
            const double complex g = y->b[i] / (y->z - y->a[i]);
            memset(f, 0, sizeof *f);
            if (l == -GHOSTS) continue;
            add(f, 1, chain(y, 1, j - 1, l - 1));
            add(f, g, chain(y, 1, j - 1, l));
            add(f, -g, chain(y, 1, j, l - 1));
        }
    }
}

/* Lap u of a cell along the axis, as the layers make it. */
static row bend(layer *y, int l)
{
    row sum = {{0}}, here = unit(y, l);
    for (int m = 1; m <= y->R; m++) {
        const bool stretched = y->problem->absorbing == TORRE_PML;
        const row up = stretched ? *chain(y, 0, m, l) : unit(y, l + m);
        const row down = stretched ? *chain(y, 1, m, l) : unit(y, l - m);
        const double weight = torre_stencil_weight(y->R, m);
        add(&sum, weight, &up);
        add(&sum, weight, &down);
        add(&sum, -2 * weight, &here);
    }
    return sum;
}

static row slope(const layer *y, int l)
{
    row sum = {{0}};
    for (int m = 1; m <= y->R; m++) {
        const row up = unit(y, l + m), down = unit(y, l - m);
        add(&sum, torre_cpml_slope_weight(y->R, m), &up);
        add(&sum, -torre_cpml_slope_weight(y->R, m), &down);
    }
    return sum;
}

/* t + zeta of cpml.h, with psi (z - a) = b D u, zeta (z - a) = b t. */
static row convolved(layer *y, int l)
{
    const int i = step_of(y, l), W = y->problem->absorbing_width;
    row t = bend(y, l), along = slope(y, l);
    const row plain = t;
    const double high = y->b[l + 1 < y->cells ? step_of(y, l + 1) : W + 1];
    add(&t, y->b[i], &plain);
    add(&t, (high - y->b[step_of(y, l - 1)]) / 2, &along);
    for (int m = -y->R; m <= y->R; m++) {
        const int n = step_of(y, l + m);
        if (m == 0 || n == 0) continue;
        const row there = slope(y, l + m);
        const double weight = (m > 0 ? 1 : -1) * torre_cpml_slope_weight(y->R, abs(m));
        add(&t, weight * y->a[n] * y->b[n] / (y->z - y->a[n]), &there);
    }
    row sum = t;
    add(&sum, y->z * y->b[i] / (y->z - y->a[i]), &t);
    return sum;
}

/* Gauss with the largest element of a column, in place; the last unknown. */
static double complex solve(int n, double complex m[][CELLS + 2])
{
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j; i < n; i++)
            if (cabs(m[i][j]) > cabs(m[best][j])) best = i;
        for (int k = j; k <= n; k++) {
            const double complex other = m[j][k];
            m[j][k] = m[best][k];
            m[best][k] = other;
        }
        for (int i = j + 1; i < n; i++) {
            const double complex factor = m[i][j] / m[j][j];
            for (int k = j; k <= n; k++) m[i][k] -= factor * m[j][k];
        }
    }
    return m[n - 1][n] / m[n - 1][n - 1];
}

static double eigenvalue(int R, double k)
{
    double sum = 0;
    for (int m = 1; m <= R; m++) sum += torre_stencil_weight(R, m) * (2 - 2 * cos(k * m));
    return sum;
}

/* |R| of a wave of so many cells at an angle (rad), dB. */
static double reflection(layer *y, double points, double angle)
{
    const torre_wave_problem *p = y->problem;
    const double k = 2 * acos(-1) / points, across = eigenvalue(y->R, k * sin(angle));
    const double along = k * cos(angle), dt = p->dt;
    const double omega_dt = 2 * asin(dt / 2 * sqrt(eigenvalue(y->R, along) + across));
    static double complex m[CELLS + 1][CELLS + 2];
    y->z = cexp(I * omega_dt);
    if (p->absorbing == TORRE_PML) make_chains(y);
    memset(m, 0, sizeof m);
    for (int l = 0; l < y->cells; l++) {
        const double damped = p->absorbing == TORRE_SPONGE ? y->damping[l] * dt : 0;
        const row sum = p->absorbing == TORRE_CPML ? convolved(y, l) : bend(y, l);
        for (int i = 0; i < y->cells; i++) m[l][i] = dt * dt * sum.of[GHOSTS + i];
        m[l][l] -= dt * dt * across + (1 + damped) * y->z + (1 - damped) / y->z - 2;
        for (int i = 0; i < GHOSTS; i++) { /* exp(-ikl) known, exp(ikl) times the unknown */
            const double complex wave = cexp(I * along * (i - GHOSTS));
            m[l][y->cells] += dt * dt * sum.of[i] * wave;
            m[l][y->cells + 1] -= dt * dt * sum.of[i] / wave;
        }
    }
    m[y->cells][0] = 1;
    m[y->cells][y->cells] = -1;
    m[y->cells][y->cells + 1] = 1;
    return 20 * log10(cabs(solve(y->cells + 1, m)));
}

/* Cells in a wavelength. */
static int shortest = 6, longest = 20;

static void print_row(const char *name, torre_absorbing absorbing, int width, int order)
{
    static const double angles[] = {0, 30, 45, 60, 75, 85};
    torre_wave_problem p = {.order = order, .velocity = 1, .absorbing = absorbing};
    for (int a = 0; a < 3; a++) {
        p.size[a] = BEFORE + width;
        p.spacing[a] = 1;
        p.face[a][1] = TORRE_ABSORBING;
    }
    p.absorbing_width = width;
    p.dt = 0.9 * torre_wave_dt_limit(order, p.spacing, 1);
    double a[WIDEST + 2], b[WIDEST + 2], damping[CELLS] = {0};
    if (absorbing == TORRE_PML) torre_pml_steps(&p, a, b);
    if (absorbing == TORRE_CPML) torre_cpml_profile(&p, a, b);
    if (absorbing == TORRE_SPONGE) torre_damping_profile(&p, 0, damping);
    layer *y = calloc(1, sizeof *y);
    if (!y) exit(4);
    y->problem = &p;
    y->cells = BEFORE + width;
    y->R = order / 2;
    y->a = a, y->b = b, y->damping = damping;
    printf("| %s | %d | %d |", name, width, order);
    for (int i = 0; i < 6; i++) {
        double worst = -INFINITY;
        for (int points = shortest; points <= longest; points++)
            worst = fmax(worst, reflection(y, points, angles[i] * acos(-1) / 180));
        printf(" %.0f |", worst);
    }
    printf("\n");
    free(y);
}

int main(int argc, char **argv)
{
    int widths[16] = {TORRE_PML_WIDTH}, count = 0;
    for (int i = 1; i < argc; i++) {
        if (strchr(argv[i], ':')) {
            if (sscanf(argv[i], "%d:%d", &shortest, &longest) == 2 && shortest >= 3 &&
                longest >= shortest)
                continue;
            fprintf(stderr, "bench_reflection: cells in a wavelength must be LOW:HIGH, from 3\n");
            return 2;
        }
        const int width = atoi(argv[i]);
        if (count < 16) widths[count++] = width;
        if (i > 16 || width < 1 || width > WIDEST) {
            fprintf(stderr, "bench_reflection: at most 16 widths of 1 to %d\n", WIDEST);
            return 2;
        }
    }
    printf("| layer | width | order | 0 | 30 | 45 | 60 | 75 | 85 degrees |\n"
           "|---|---|---|---|---|---|---|---|---|\n");
    if (count == 0) count = 1;
    for (int i = 0; i < count; i++)
        for (int order = 2; order <= 12; order += 2) print_row("pml", TORRE_PML, widths[i], order);
    for (int order = 2; order <= 8; order += 6)
        print_row("cpml", TORRE_CPML, TORRE_ABSORBING_WIDTH, order);
    for (int order = 2; order <= 8; order += 6)
        print_row("sponge", TORRE_SPONGE, TORRE_ABSORBING_WIDTH, order);
    return 0;
}
