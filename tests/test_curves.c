/* The single curves, against the L-systems and recipes they are taken from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ordering_case.h"

/* Apply the rules X -> x, Y -> y n times to "X", as strings. */
static char *rewrite(int n, const char *x, const char *y)
{
    char *now = malloc(2);
    assert_non_null(now);
    strcpy(now, "X");
    for (int i = 0; i < n; i++) {
        size_t length = 0;
        for (const char *c = now; *c; c++)
            length += *c == 'X' ? strlen(x) : *c == 'Y' ? strlen(y) : 1;
        char *next = malloc(length + 1), *out = next;
        assert_non_null(next);
        for (const char *c = now; *c; c++) {
            char self[2] = {*c, 0};
            const char *text = *c == 'X' ? x : *c == 'Y' ? y : self;
            size_t l = strlen(text);
            memcpy(out, text, l);
            out += l;
        }
        *out = 0;
        free(now);
        now = next;
    }
    return now;
}

static void times(int D[3][3], const int M[3][3], bool transposed)
{
    int R[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) R[i][j] += D[i][k] * (transposed ? M[j][k] : M[k][j]);
    memcpy(D, R, sizeof R);
}

/* Rule, matrices and starting orientation as printed; y mirrored. */
static void hilbert_3d_is_the_l_system(void **state)
{
    (void)state;
    static const int yaw[3][3] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
    static const int pitch[3][3] = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};
    static const int roll[3][3] = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};
    for (int n = 0; n <= 4; n++) {
        char *text = rewrite(n, "^<XF^<XFX-F^>>XFXvF+>>XFX-F>X->", "");
        torre_ordering o = case_ordering(TORRE_HILBERT, 3, 1 << n, 1 << n, 1 << n);
        int D[3][3] = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}; /* columns H, L, U */
        int64_t at[3] = {0, 0, 0}, rank = 0;
        case_check_cell(&o, rank, at);
        for (const char *c = text; *c; c++) {
            switch (*c) {
            case '+':
                times(D, yaw, false);
                break;
            case '-':
                times(D, yaw, true);
                break;
            case '^':
                times(D, pitch, false);
                break;
            case 'v':
                times(D, pitch, true);
                break;
            case '<':
                times(D, roll, false);
                break;
            case '>':
                times(D, roll, true);
                break;
            case 'F':
                at[0] += D[0][0];
                at[1] -= D[1][0];
                at[2] += D[2][0];
                case_check_cell(&o, ++rank, at);
            }
        }
        assert_int_equal(rank, case_cells(&o) - 1);
        free(text);
    }
}

static void hilbert_2d_is_the_l_system(void **state)
{
    (void)state;
    for (int n = 0; n <= 6; n++) {
        char *text = rewrite(n, "+YF-XFX-FY+", "-XF+YFY+FX-");
        torre_ordering o = case_ordering(TORRE_HILBERT, 2, 1 << n, 1 << n, 1);
        int64_t at[2] = {0, 0}, rank = 0;
        int heading[2] = {1, 0};
        case_check_cell(&o, rank, at);
        for (const char *c = text; *c; c++) {
            int h0 = heading[0];
            if (*c == '+') { /* right of axis 0 is axis 1 */
                heading[0] = -heading[1];
                heading[1] = h0;
            } else if (*c == '-') {
                heading[0] = heading[1];
                heading[1] = -h0;
            } else if (*c == 'F') {
                at[0] += heading[0];
                at[1] += heading[1];
                case_check_cell(&o, ++rank, at);
            }
        }
        assert_int_equal(rank, case_cells(&o) - 1);
        free(text);
    }
}

/* A turtle in space: where it is, where it heads, what is up for it. */
typedef struct turtle {
    int64_t at[3], front[3], up[3];
    int64_t (*trail)[3];
    int64_t steps;
} turtle;

static void negate(int64_t v[3])
{
    for (int a = 0; a < 3; a++) v[a] = -v[a];
}

/* v turned by 90 degrees about n as the thesis's table of rotations does: to v x n. */
static void turn_about(const int64_t n[3], int64_t v[3])
{
    const int64_t c[3] = {v[1] * n[2] - v[2] * n[1], v[2] * n[0] - v[0] * n[2],
                          v[0] * n[1] - v[1] * n[0]};
    memcpy(v, c, sizeof c);
}

/* Rewrite depth times and follow the symbols, in one recursion. */
static void obey(turtle *t, int depth, char system)
{
    static const char *const rules[4] = {
        "B-#+C#C+#-D&#^D-#+&&C#C+#+B<<", "A&#^C#B^#^D^^-#-D^|#^B|#C^#^A<<",
        "|D^|#^B-#+C^#^A&&#A&#^C+#+B^#^D<<", "|C#B-#+B|#A&#^A&&#B-#+B|#C<<"};
    int64_t kept[3];
    if (depth == 0) return;
    for (const char *c = rules[system - 'A']; *c; c++) {
        switch (*c) {
        case '#':
            for (int a = 0; a < 3; a++) t->at[a] += t->front[a];
            memcpy(t->trail[++t->steps], t->at, sizeof t->at);
            break;
        case '+':
            turn_about(t->up, t->front);
            break;
        case '-':
            turn_about(t->up, t->front);
            negate(t->front);
            break;
        case '&':
            memcpy(kept, t->front, sizeof kept);
            memcpy(t->front, t->up, sizeof kept);
            negate(t->front);
            memcpy(t->up, kept, sizeof kept);
            break;
        case '^':
            memcpy(kept, t->front, sizeof kept);
            memcpy(t->front, t->up, sizeof kept);
            memcpy(t->up, kept, sizeof kept);
            negate(t->up);
            break;
        case '<':
            turn_about(t->front, t->up);
            break;
        case '|':
            negate(t->front);
            break;
        default:
            obey(t, depth - 1, *c);
        }
    }
}

/* The thesis's curve starts in a corner of its own choice: turned here to run along axis 0. */
static void turtle_is_the_l_system_of_the_thesis(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n++) {
        torre_ordering o = case_ordering(TORRE_TURTLE, 3, 1 << n, 1 << n, 1 << n);
        int64_t cells = case_cells(&o), last = (1 << n) - 1, low[3] = {0, 0, 0};
        turtle t = {.front = {1, 0, 0}, .up = {0, 1, 0}};
        t.trail = calloc((size_t)cells, sizeof *t.trail);
        assert_non_null(t.trail);
        obey(&t, n, 'A');
        assert_int_equal(t.steps, cells - 1);
        for (int64_t r = 0; r < cells; r++)
            for (int a = 0; a < 3; a++)
                if (t.trail[r][a] < low[a]) low[a] = t.trail[r][a];
        for (int64_t r = 0; r < cells; r++) {
            int64_t p[3];
            for (int a = 0; a < 3; a++) p[a] = t.trail[r][a] - low[a];
            case_check_cell(&o, r, (int64_t[]){last - p[1], p[0], last - p[2]});
        }
        free(t.trail);
    }
}

static void hilbert_4x4x4_ends_as_printed(void **state)
{
    (void)state;
    torre_ordering o = case_ordering(TORRE_HILBERT, 3, 4, 4, 4);
    case_check_cell(&o, 0, (int64_t[]){0, 0, 0});
    case_check_cell(&o, 63, (int64_t[]){3, 0, 0});
}

static void morton_interleaves_bits(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        torre_ordering o = case_ordering(TORRE_MORTON, dims, 16, 16, 16);
        for (int64_t rank = 0; rank < case_cells(&o); rank++) {
            int64_t cell[3] = {0, 0, 0};
            for (int bit = 0; bit < 4 * dims; bit++)
                cell[dims - 1 - bit % dims] |= (rank >> bit & 1) << bit / dims;
            case_check_cell(&o, rank, cell);
        }
    }
}

static void row_major_has_last_axis_fastest(void **state)
{
    (void)state;
    torre_ordering o = case_ordering(TORRE_ROW_MAJOR, 3, 3, 5, 7);
    case_check_cell(&o, (2 * 5 + 3) * 7 + 4, (int64_t[]){2, 3, 4});
}

/* Flat boxes with every thin axis; cubes give the Hilbert curve itself. */
static void pancake_makes_unit_steps(void **state)
{
    (void)state;
    for (int64_t thick = 1; thick <= 32; thick *= 2) {
        for (int flat = 0; flat < 3; flat++) {
            int64_t size[3] = {32, 32, 32}, last[3] = {0, 0, 0};
            size[flat] = thick;
            torre_ordering o = case_ordering(TORRE_PANCAKE, 3, size[0], size[1], size[2]);
            assert_true(torre_ordering_is_exact(&o));
            case_check_unit_steps(&o);
            case_check_bijection(&o);
            torre_ordering_decode(&o, case_cells(&o) - 1, last); /* in the bottom layer again */
            assert_int_equal(last[0] + last[1] + last[2], 31);
        }
    }
    torre_ordering cube = case_ordering(TORRE_PANCAKE, 3, 16, 16, 16);
    torre_ordering hilbert = case_ordering(TORRE_HILBERT, 3, 16, 16, 16);
    case_check_order(&cube, &hilbert);
    torre_ordering flat = case_ordering(TORRE_PANCAKE, 3, 16, 16, 1);
    torre_ordering plane = case_ordering(TORRE_HILBERT, 2, 16, 16, 1);
    case_check_order(&flat, &plane);
    torre_ordering any = case_ordering(TORRE_PANCAKE, 3, 21, 13, 5),
                   whole = case_ordering(TORRE_PANCAKE, 3, 32, 32, 8);
    case_check_order(&any, &whole);
}

static void moore_is_closed(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        for (int64_t side = 2; side <= 16; side *= 2) {
            torre_ordering o = case_ordering(TORRE_MOORE, dims, side, side, side);
            int64_t first[3], last[3];
            case_check_unit_steps(&o);
            torre_ordering_decode(&o, 0, first);
            torre_ordering_decode(&o, case_cells(&o) - 1, last);
            assert_int_equal(case_distance(first, last, dims), 1);
        }
    }
}

static void peano_runs_from_corner_to_corner(void **state)
{
    (void)state;
    static const int64_t first_nine[9][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 2}, {1, 1},
                                             {1, 0}, {2, 0}, {2, 1}, {2, 2}};
    torre_ordering plane = case_ordering(TORRE_PEANO, 2, 27, 27, 1);
    for (int64_t rank = 0; rank < 9; rank++) case_check_cell(&plane, rank, first_nine[rank]);
    for (int dims = 2; dims <= 3; dims++) {
        torre_ordering o = case_ordering(TORRE_PEANO, dims, 27, 27, 27);
        case_check_unit_steps(&o);
        case_check_cell(&o, 0, (int64_t[]){0, 0, 0});
        case_check_cell(&o, case_cells(&o) - 1, (int64_t[]){26, 26, 26});
    }
}

static void both_hilberts_run_from_corner_to_corner(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        torre_ordering o = case_ordering(TORRE_HILBERT, dims, 32, 32, 32);
        torre_ordering t = case_ordering(TORRE_TURTLE, dims, 32, 32, 32);
        case_check_unit_steps(&o);
        case_check_unit_steps(&t);
        case_check_cell(&o, case_cells(&o) - 1, (int64_t[]){31, 0, 0});
        case_check_cell(&t, case_cells(&t) - 1, (int64_t[]){31, 0, 0});
    }
}

/* The cells of an aligned sub-cube of side base^l are consecutive. */
static void sub_cubes_are_contiguous(void **state)
{
    (void)state;
    for (int k = TORRE_ROW_MAJOR + 1; k < TORRE_ORDERING_KINDS; k++) {
        for (int dims = 2; dims <= 3; dims++) {
            const torre_motif *motif = torre_motif_of(k, dims);
            if (motif->dims == 0) continue; /* hybrid: has its own test */
            int64_t side = motif->base == 2 ? 16 : 27;
            torre_ordering o = case_ordering((torre_ordering_kind)k, dims, side, side, side);
            for (int64_t s = motif->base; s < side; s *= motif->base) {
                int64_t run = dims == 3 ? s * s * s : s * s;
                for (int64_t rank = 0; rank < case_cells(&o); rank++) {
                    int64_t cell[3], first[3];
                    torre_ordering_decode(&o, rank, cell);
                    torre_ordering_decode(&o, rank - rank % run, first);
                    for (int a = 0; a < dims; a++) assert_int_equal(cell[a] / s, first[a] / s);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hilbert_3d_is_the_l_system),
        cmocka_unit_test(hilbert_2d_is_the_l_system),
        cmocka_unit_test(turtle_is_the_l_system_of_the_thesis),
        cmocka_unit_test(hilbert_4x4x4_ends_as_printed),
        cmocka_unit_test(morton_interleaves_bits),
        cmocka_unit_test(row_major_has_last_axis_fastest),
        cmocka_unit_test(pancake_makes_unit_steps),
        cmocka_unit_test(moore_is_closed),
        cmocka_unit_test(peano_runs_from_corner_to_corner),
        cmocka_unit_test(both_hilberts_run_from_corner_to_corner),
        cmocka_unit_test(sub_cubes_are_contiguous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
