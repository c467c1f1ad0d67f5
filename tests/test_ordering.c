/* Orderings of any box: bijections, inverses, order kept, axes, hybrids, names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ordering_case.h"

static int64_t power_above(int64_t base, int64_t n)
{
    int64_t side = 1;
    while (side < n) side *= base;
    return side;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void check_box(torre_ordering_kind kind, int dims, int64_t m, int64_t n, int64_t p)
{
    torre_ordering o = case_ordering(kind, dims, m, n, p);
    case_check_bijection(&o);
    if (kind == TORRE_ROW_MAJOR || kind == TORRE_HYBRID || kind == TORRE_PANCAKE) return;
    int64_t side = power_above(kind == TORRE_PEANO ? 3 : 2, larger(m, larger(n, p)));
    torre_ordering whole = case_ordering(kind, dims, side, side, side);
    assert_true(torre_ordering_is_exact(&whole));
    assert_int_equal(torre_ordering_is_exact(&o),
                     m == side && n == side && (dims == 2 || p == side));
    case_check_order(&o, &whole);
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
            case_check_bijection(&o);
            if (k == TORRE_PANCAKE) continue; /* chooses its own axes */
            int64_t turned[3], cell[3], at[3];
            for (int f = 0; f < 3; f++) turned[f] = size[axes[i][f] - 'i'];
            assert_true(torre_ordering_make((torre_ordering_kind)k, 3, turned, &plain, NULL));
            for (int64_t rank = 0; rank < case_cells(&o); rank++) {
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
    case_check_cell(&o, 2 + 5 * (3 + 4 * 6), (int64_t[]){2, 3, 6});
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
                    torre_ordering_spec spec = {
                        TORRE_HYBRID, 0, (torre_ordering_kind)inner, (torre_ordering_kind)outer,
                        tile,         0};
                    torre_ordering o, between, inside;
                    int64_t tiles[3], cube[3] = {tile, tile, tile}, before[2] = {-1, -1};
                    for (int a = 0; a < 3; a++) tiles[a] = (size[a] + tile - 1) / tile;
                    assert_true(torre_ordering_make_spec(&spec, dims, size, &o, NULL));
                    assert_true(torre_ordering_make(spec.outer, dims, tiles, &between, NULL));
                    assert_true(torre_ordering_make(spec.inner, dims, cube, &inside, NULL));
                    case_check_bijection(&o);
                    for (int64_t rank = 0; rank < case_cells(&o); rank++) {
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

static void largest_boxes_do_not_overflow(void **state)
{
    (void)state;
    int64_t n = TORRE_ORDERING_MAX_SIZE;
    uint64_t seed = 1;
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++) {
        torre_ordering o = case_ordering((torre_ordering_kind)k, 3, n, n - 3, n - 1);
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
                                      "hybrid:hybrid/morton/4",
                                      "strips",
                                      "strips:",
                                      "strips:0",
                                      "strips:8x",
                                      "strips:1048577",
                                      "stripes:8"};
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
    torre_ordering_spec nested = {TORRE_HYBRID, 0, TORRE_HYBRID, TORRE_MORTON, 4, 0};
    assert_false(torre_ordering_make_spec(&nested, 2, (int64_t[]){4, 4}, &o, &why));
}

/* Whatever can be read is written so that it is read as the same. */
static void written_orderings_are_read_again(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"hilbert", "hilbert"},    {"z", "morton"},
        {"z:kji", "morton:kji"},   {"peano:ji", "peano:jik"},
        {"hybrid", "hybrid"},      {"hybrid:z/row-major/17", "hybrid:morton/row-major/17"},
        {"strips:12", "strips:12"}};
    enum { NAMES = sizeof names / sizeof *names };
    torre_ordering_spec read[NAMES], again;
    for (int i = 0; i < NAMES; i++) {
        assert_true(torre_ordering_parse(names[i][0], &read[i], NULL));
        assert_string_equal(torre_ordering_write(&read[i]).text, names[i][1]);
        assert_true(torre_ordering_parse(names[i][1], &again, NULL));
        for (int k = 0; k <= i; k++) assert_true(torre_ordering_same(&read[k], &again) == (k == i));
    }
    /* the longest name there is fits */
    assert_true(torre_ordering_parse("hybrid:row-major/row-major/1048576", &again, NULL));
    assert_string_equal(torre_ordering_write(&again).text, "hybrid:row-major/row-major/1048576");
    /* boxes have no strips */
    torre_ordering o;
    const char *why = NULL;
    assert_false(torre_ordering_make_spec(&read[NAMES - 1], 3, (int64_t[]){4, 4, 4}, &o, &why));
    assert_string_equal(why, "strips are an order of towers alone; use row-major");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_box_is_a_bijection_in_curve_order),
        cmocka_unit_test(axes_can_be_permuted),
        cmocka_unit_test(hybrids_nest_any_two),
        cmocka_unit_test(hybrid_has_the_printed_bits),
        cmocka_unit_test(largest_boxes_do_not_overflow),
        cmocka_unit_test(names_and_refusals),
        cmocka_unit_test(written_orderings_are_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
