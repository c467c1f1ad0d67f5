/* Orderings: bijections, inverses, and curves equal to the L-systems they are taken from. */
#include "tiling/ordering.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static torre_ordering make(torre_ordering_kind kind, int dims, int64_t m, int64_t n, int64_t p)
{
    int64_t size[3] = {m, n, p};
    torre_ordering o;
    const char *why = "";
    if (!torre_ordering_make(kind, dims, size, &o, &why)) fail_msg("%s", why);
    return o;
}

static int64_t cells_of(const torre_ordering *o) { return o->size[0] * o->size[1] * o->size[2]; }

static int64_t distance(const int64_t *a, const int64_t *b, int dims)
{
    int64_t d = 0;
    for (int i = 0; i < dims; i++) d += llabs(a[i] - b[i]);
    return d;
}

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

static void check_cell(const torre_ordering *o, int64_t rank, const int64_t *expected)
{
    int64_t cell[3];
    torre_ordering_decode(o, rank, cell);
    for (int a = 0; a < o->dims; a++) assert_int_equal(cell[a], expected[a]);
    assert_int_equal(torre_ordering_encode(o, expected), rank);
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
        torre_ordering o = make(TORRE_HILBERT, 3, 1 << n, 1 << n, 1 << n);
        int D[3][3] = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}; /* columns H, L, U */
        int64_t at[3] = {0, 0, 0}, rank = 0;
        check_cell(&o, rank, at);
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
                check_cell(&o, ++rank, at);
            }
        }
        assert_int_equal(rank, cells_of(&o) - 1);
        free(text);
    }
}

static void hilbert_2d_is_the_l_system(void **state)
{
    (void)state;
    for (int n = 0; n <= 6; n++) {
        char *text = rewrite(n, "+YF-XFX-FY+", "-XF+YFY+FX-");
        torre_ordering o = make(TORRE_HILBERT, 2, 1 << n, 1 << n, 1);
        int64_t at[2] = {0, 0}, rank = 0;
        int heading[2] = {1, 0};
        check_cell(&o, rank, at);
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
                check_cell(&o, ++rank, at);
            }
        }
        assert_int_equal(rank, cells_of(&o) - 1);
        free(text);
    }
}

static void hilbert_4x4x4_ends_as_printed(void **state)
{
    (void)state;
    torre_ordering o = make(TORRE_HILBERT, 3, 4, 4, 4);
    check_cell(&o, 0, (int64_t[]){0, 0, 0});
    check_cell(&o, 63, (int64_t[]){3, 0, 0});
}

static void morton_interleaves_bits(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        torre_ordering o = make(TORRE_MORTON, dims, 16, 16, 16);
        for (int64_t rank = 0; rank < cells_of(&o); rank++) {
            int64_t cell[3] = {0, 0, 0};
            for (int bit = 0; bit < 4 * dims; bit++)
                cell[dims - 1 - bit % dims] |= (rank >> bit & 1) << bit / dims;
            check_cell(&o, rank, cell);
        }
    }
}

static void row_major_has_last_axis_fastest(void **state)
{
    (void)state;
    torre_ordering o = make(TORRE_ROW_MAJOR, 3, 3, 5, 7);
    check_cell(&o, (2 * 5 + 3) * 7 + 4, (int64_t[]){2, 3, 4});
}

/* Every rank decodes to a cell of the box, that encodes to the rank: with as many ranks as cells
 * this makes both maps bijections. The table says the same. */
static void check_bijection(const torre_ordering *o)
{
    int64_t *path = malloc((size_t)cells_of(o) * sizeof *path);
    assert_non_null(path);
    torre_ordering_path(o, path);
    for (int64_t rank = 0; rank < cells_of(o); rank++) {
        int64_t cell[3] = {0, 0, 0};
        torre_ordering_decode(o, rank, cell);
        for (int a = 0; a < 3; a++) assert_true(cell[a] >= 0 && cell[a] < o->size[a]);
        assert_int_equal(torre_ordering_encode(o, cell), rank);
        assert_int_equal(path[rank], (cell[0] * o->size[1] + cell[1]) * o->size[2] + cell[2]);
    }
    free(path);
}

/* The order is that of the enclosing curve. */
static void check_order(const torre_ordering *o, const torre_ordering *whole)
{
    int64_t before = -1, cell[3];
    for (int64_t rank = 0; rank < cells_of(o); rank++) {
        torre_ordering_decode(o, rank, cell);
        int64_t in_whole = torre_ordering_encode(whole, cell);
        assert_true(in_whole > before);
        before = in_whole;
    }
}

static int64_t power_above(int64_t base, int64_t n)
{
    int64_t side = 1;
    while (side < n) side *= base;
    return side;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void check_box(torre_ordering_kind kind, int dims, int64_t m, int64_t n, int64_t p)
{
    torre_ordering o = make(kind, dims, m, n, p);
    check_bijection(&o);
    if (kind == TORRE_ROW_MAJOR || kind == TORRE_HYBRID || kind == TORRE_PANCAKE) return;
    int64_t side = power_above(kind == TORRE_PEANO ? 3 : 2, larger(m, larger(n, p)));
    torre_ordering whole = make(kind, dims, side, side, side);
    assert_true(torre_ordering_is_exact(&whole));
    assert_int_equal(torre_ordering_is_exact(&o),
                     m == side && n == side && (dims == 2 || p == side));
    check_order(&o, &whole);
}

static void any_box_is_a_bijection_in_curve_order(void **state)
{
    (void)state;
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++) {
        torre_ordering_kind kind = (torre_ordering_kind)k;
        for (int64_t m = 1; m <= 9; m++)
            for (int64_t n = 1; n <= 9; n++) {
                check_box(kind, 2, m, n, 1);
                for (int64_t p = 1; p <= 9; p += 2) check_box(kind, 3, m, n, p);
            }
        check_box(kind, 2, 97, 3, 1);
        check_box(kind, 2, 1, 101, 1);
        check_box(kind, 3, 33, 1, 31);
        check_box(kind, 3, 13, 64, 17);
    }
}

/* Axes of a permuted curve: row-major:kji is column-major, hilbert:jki leads along k first. */
static void axes_can_be_permuted(void **state)
{
    (void)state;
    static const char *const axes[] = {"ijk", "ikj", "jik", "jki", "kij", "kji"};
    const int64_t size[3] = {5, 4, 7};
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++) {
        if (k == TORRE_HYBRID) continue;
        for (int i = 0; i < 6; i++) {
            char text[64];
            torre_ordering_spec spec;
            torre_ordering o, plain;
            snprintf(text, sizeof text, "%s:%s", torre_ordering_name((torre_ordering_kind)k),
                     axes[i]);
            assert_true(torre_ordering_parse(text, &spec, NULL));
            assert_true(torre_ordering_make_spec(&spec, 3, size, &o, NULL));
            check_bijection(&o);
            if (k == TORRE_PANCAKE) continue; /* chooses its own axes */
            int64_t turned[3], cell[3], at[3];
            for (int f = 0; f < 3; f++) turned[f] = size[axes[i][f] - 'i'];
            assert_true(torre_ordering_make((torre_ordering_kind)k, 3, turned, &plain, NULL));
            for (int64_t rank = 0; rank < cells_of(&o); rank++) {
                torre_ordering_decode(&o, rank, cell);
                torre_ordering_decode(&plain, rank, at);
                for (int f = 0; f < 3; f++) assert_int_equal(cell[axes[i][f] - 'i'], at[f]);
            }
        }
    }
    torre_ordering o;
    torre_ordering_spec spec;
    assert_true(torre_ordering_parse("row-major:kji", &spec, NULL));
    assert_true(torre_ordering_make_spec(&spec, 3, size, &o, NULL));
    check_cell(&o, 2 + 5 * (3 + 4 * 6), (int64_t[]){2, 3, 6});
}

/* Any two: along the path the pair (rank of the tile, rank in the tile) grows. */
static void hybrids_nest_any_two(void **state)
{
    (void)state;
    const int64_t size[3] = {13, 8, 11};
    for (int inner = 0; inner < TORRE_ORDERING_KINDS; inner++) {
        for (int outer = 0; outer < TORRE_ORDERING_KINDS; outer++) {
            if (inner == TORRE_HYBRID || outer == TORRE_HYBRID) continue;
            for (int64_t tile = 1; tile <= 16; tile += tile < 5 ? 1 : 11) {
                for (int dims = 2; dims <= 3; dims++) {
                    torre_ordering_spec spec = {TORRE_HYBRID, 0, (torre_ordering_kind)inner,
                                                (torre_ordering_kind)outer, tile};
                    torre_ordering o, between, inside;
                    int64_t tiles[3], cube[3] = {tile, tile, tile}, before[2] = {-1, -1};
                    for (int a = 0; a < 3; a++) tiles[a] = (size[a] + tile - 1) / tile;
                    assert_true(torre_ordering_make_spec(&spec, dims, size, &o, NULL));
                    assert_true(torre_ordering_make(spec.outer, dims, tiles, &between, NULL));
                    assert_true(torre_ordering_make(spec.inner, dims, cube, &inside, NULL));
                    check_bijection(&o);
                    for (int64_t rank = 0; rank < cells_of(&o); rank++) {
                        int64_t cell[3], at[3];
                        torre_ordering_decode(&o, rank, cell);
                        for (int a = 0; a < dims; a++) at[a] = cell[a] / tile;
                        int64_t now = torre_ordering_encode(&between, at);
                        for (int a = 0; a < dims; a++) at[a] = cell[a] % tile;
                        int64_t in = torre_ordering_encode(&inside, at);
                        assert_true(now > before[0] || (now == before[0] && in > before[1]));
                        before[0] = now;
                        before[1] = in;
                    }
                }
            }
        }
    }
}

/* The paper's bit recipe: Morton between, row-major within: the low bits concatenated. */
static void hybrid_has_the_printed_bits(void **state)
{
    (void)state;
    torre_ordering_spec spec;
    torre_ordering o;
    assert_true(torre_ordering_parse("hybrid:row-major/morton/4", &spec, NULL));
    assert_true(torre_ordering_make_spec(&spec, 3, (int64_t[]){16, 16, 16}, &o, NULL));
    assert_true(torre_ordering_is_exact(&o));
    for (int64_t i = 0; i < 16; i++)
        for (int64_t j = 0; j < 16; j++)
            for (int64_t k = 0; k < 16; k++) {
                int64_t rank = (i & 3) << 4 | (j & 3) << 2 | (k & 3);
                for (int bit = 0; bit < 2; bit++)
                    rank |= (i >> (2 + bit) & 1) << (8 + 3 * bit) |
                            (j >> (2 + bit) & 1) << (7 + 3 * bit) |
                            (k >> (2 + bit) & 1) << (6 + 3 * bit);
                assert_int_equal(torre_ordering_encode(&o, (int64_t[]){i, j, k}), rank);
            }
}

static void check_unit_steps(const torre_ordering *o)
{
    int64_t here[3], next[3];
    torre_ordering_decode(o, 0, here);
    for (int64_t rank = 1; rank < cells_of(o); rank++) {
        torre_ordering_decode(o, rank, next);
        assert_int_equal(distance(here, next, o->dims), 1);
        memcpy(here, next, sizeof here);
    }
}

/* Flat boxes with every thin axis; cubes give the Hilbert curve itself. */
static void pancake_makes_unit_steps(void **state)
{
    (void)state;
    for (int64_t thick = 1; thick <= 32; thick *= 2) {
        for (int flat = 0; flat < 3; flat++) {
            int64_t size[3] = {32, 32, 32}, last[3];
            size[flat] = thick;
            torre_ordering o = make(TORRE_PANCAKE, 3, size[0], size[1], size[2]);
            assert_true(torre_ordering_is_exact(&o));
            check_unit_steps(&o);
            check_bijection(&o);
            torre_ordering_decode(&o, cells_of(&o) - 1, last); /* in the bottom layer again */
            assert_int_equal(last[0] + last[1] + last[2], 31);
        }
    }
    torre_ordering cube = make(TORRE_PANCAKE, 3, 16, 16, 16);
    torre_ordering hilbert = make(TORRE_HILBERT, 3, 16, 16, 16);
    check_order(&cube, &hilbert);
    torre_ordering flat = make(TORRE_PANCAKE, 3, 16, 16, 1);
    torre_ordering plane = make(TORRE_HILBERT, 2, 16, 16, 1);
    check_order(&flat, &plane);
    torre_ordering any = make(TORRE_PANCAKE, 3, 21, 13, 5),
                   whole = make(TORRE_PANCAKE, 3, 32, 32, 8);
    check_order(&any, &whole);
}

static void moore_is_closed(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        for (int64_t side = 2; side <= 16; side *= 2) {
            torre_ordering o = make(TORRE_MOORE, dims, side, side, side);
            int64_t first[3], last[3];
            check_unit_steps(&o);
            torre_ordering_decode(&o, 0, first);
            torre_ordering_decode(&o, cells_of(&o) - 1, last);
            assert_int_equal(distance(first, last, dims), 1);
        }
    }
}

static void peano_runs_from_corner_to_corner(void **state)
{
    (void)state;
    static const int64_t first_nine[9][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 2}, {1, 1},
                                             {1, 0}, {2, 0}, {2, 1}, {2, 2}};
    torre_ordering plane = make(TORRE_PEANO, 2, 27, 27, 1);
    for (int64_t rank = 0; rank < 9; rank++) check_cell(&plane, rank, first_nine[rank]);
    for (int dims = 2; dims <= 3; dims++) {
        torre_ordering o = make(TORRE_PEANO, dims, 27, 27, 27);
        check_unit_steps(&o);
        check_cell(&o, 0, (int64_t[]){0, 0, 0});
        check_cell(&o, cells_of(&o) - 1, (int64_t[]){26, 26, 26});
    }
}

static void hilbert_makes_unit_steps(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        torre_ordering o = make(TORRE_HILBERT, dims, 32, 32, 32);
        check_unit_steps(&o);
        check_cell(&o, cells_of(&o) - 1, (int64_t[]){31, 0, 0});
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
            torre_ordering o = make((torre_ordering_kind)k, dims, side, side, side);
            for (int64_t s = motif->base; s < side; s *= motif->base) {
                int64_t run = dims == 3 ? s * s * s : s * s;
                for (int64_t rank = 0; rank < cells_of(&o); rank++) {
                    int64_t cell[3], first[3];
                    torre_ordering_decode(&o, rank, cell);
                    torre_ordering_decode(&o, rank - rank % run, first);
                    for (int a = 0; a < dims; a++) assert_int_equal(cell[a] / s, first[a] / s);
                }
            }
        }
    }
}

static void largest_boxes_do_not_overflow(void **state)
{
    (void)state;
    int64_t n = TORRE_ORDERING_MAX_SIZE;
    uint64_t seed = 1;
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++) {
        torre_ordering o = make((torre_ordering_kind)k, 3, n, n - 3, n - 1);
        for (int i = 0; i < 1000; i++) {
            int64_t cell[3], back[3];
            for (int a = 0; a < 3; a++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                cell[a] = (int64_t)(seed >> 20) % o.size[a];
            }
            int64_t rank = torre_ordering_encode(&o, cell);
            assert_true(rank >= 0 && rank < n * (n - 3) * (n - 1));
            torre_ordering_decode(&o, rank, back);
            assert_memory_equal(cell, back, sizeof cell);
        }
    }
}

static void names_and_refusals(void **state)
{
    (void)state;
    torre_ordering_kind kind = TORRE_MORTON;
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++) {
        assert_true(torre_ordering_by_name(torre_ordering_name((torre_ordering_kind)k), &kind));
        assert_int_equal(kind, k);
        assert_non_null(
            strstr(torre_ordering_names(), torre_ordering_name((torre_ordering_kind)k)));
    }
    kind = TORRE_MORTON;
    assert_false(torre_ordering_by_name("hilbart", &kind));
    assert_int_equal(kind, TORRE_MORTON);
    assert_null(torre_ordering_name(TORRE_ORDERING_KINDS));
    assert_true(torre_ordering_by_name("z", &kind));
    assert_int_equal(kind, TORRE_MORTON);

    static const char *const bad[] = {"",
                                      "hilbart",
                                      "hilbert:",
                                      "hilbert:ijj",
                                      "hilbert:ijkl",
                                      "hilbert:xyz",
                                      "row-major:ik",
                                      "hybrid:",
                                      "hybrid:morton",
                                      "hybrid:morton/hilbert",
                                      "hybrid:morton/hilbert/0",
                                      "hybrid:morton/hilbert/-1",
                                      "hybrid:morton/hilbert/4x",
                                      "hybrid:morton/hilbert/1048577",
                                      "hybrid:morton/hilbert/99999999999999999999",
                                      "hybrid:morton/curve/4",
                                      "hybrid:curve/morton/4",
                                      "hybrid:hybrid/morton/4"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        torre_ordering_spec spec = {.kind = TORRE_PEANO};
        const char *text = NULL;
        assert_false(torre_ordering_parse(bad[i], &spec, &text));
        assert_non_null(text);
        assert_int_equal(spec.kind, TORRE_PEANO);
    }

    torre_ordering o;
    const char *why = NULL;
    assert_false(torre_ordering_make(TORRE_HILBERT, 3, (int64_t[]){4, 0, 4}, &o, &why));
    assert_non_null(why);
    assert_false(torre_ordering_make(TORRE_HILBERT, 3,
                                     (int64_t[]){4, TORRE_ORDERING_MAX_SIZE + 1, 4}, &o, NULL));
    assert_false(torre_ordering_make(TORRE_HILBERT, 4, (int64_t[]){4, 4, 4, 4}, &o, &why));
    assert_false(torre_ordering_make(TORRE_ORDERING_KINDS, 2, (int64_t[]){4, 4}, &o, &why));
    torre_ordering_spec turned;
    assert_true(torre_ordering_parse("morton:kji", &turned, NULL));
    assert_false(torre_ordering_make_spec(&turned, 2, (int64_t[]){4, 4}, &o, &why));
    torre_ordering_spec nested = {TORRE_HYBRID, 0, TORRE_HYBRID, TORRE_MORTON, 4};
    assert_false(torre_ordering_make_spec(&nested, 2, (int64_t[]){4, 4}, &o, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hilbert_3d_is_the_l_system),
        cmocka_unit_test(hilbert_2d_is_the_l_system),
        cmocka_unit_test(hilbert_4x4x4_ends_as_printed),
        cmocka_unit_test(morton_interleaves_bits),
        cmocka_unit_test(row_major_has_last_axis_fastest),
        cmocka_unit_test(any_box_is_a_bijection_in_curve_order),
        cmocka_unit_test(axes_can_be_permuted),
        cmocka_unit_test(hybrids_nest_any_two),
        cmocka_unit_test(hybrid_has_the_printed_bits),
        cmocka_unit_test(hilbert_makes_unit_steps),
        cmocka_unit_test(moore_is_closed),
        cmocka_unit_test(peano_runs_from_corner_to_corner),
        cmocka_unit_test(pancake_makes_unit_steps),
        cmocka_unit_test(sub_cubes_are_contiguous),
        cmocka_unit_test(largest_boxes_do_not_overflow),
        cmocka_unit_test(names_and_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
