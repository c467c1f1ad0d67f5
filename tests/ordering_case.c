#include "ordering_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

torre_ordering case_ordering(torre_ordering_kind kind, int dims, int64_t m, int64_t n, int64_t p)
{
    int64_t size[3] = {m, n, p};
    torre_ordering o;
    const char *why = "";
    if (!torre_ordering_make(kind, dims, size, &o, &why)) fail_msg("%s", why);
    return o;
}

int64_t case_cells(const torre_ordering *o) { return o->size[0] * o->size[1] * o->size[2]; }

int64_t case_distance(const int64_t *a, const int64_t *b, int dims)
{
    int64_t d = 0;
    for (int i = 0; i < dims; i++) d += llabs(a[i] - b[i]);
    return d;
}

void case_check_cell(const torre_ordering *o, int64_t rank, const int64_t *expected)
{
    int64_t cell[3];
    torre_ordering_decode(o, rank, cell);
    for (int a = 0; a < o->dims; a++) assert_int_equal(cell[a], expected[a]);
    assert_int_equal(torre_ordering_encode(o, expected), rank);
}

void case_check_bijection(const torre_ordering *o)
{
    int64_t *path = malloc((size_t)case_cells(o) * sizeof *path);
    assert_non_null(path);
    torre_ordering_path(o, path);
    for (int64_t rank = 0; rank < case_cells(o); rank++) {
        int64_t cell[3] = {0, 0, 0};
        torre_ordering_decode(o, rank, cell);
        for (int a = 0; a < 3; a++) assert_true(cell[a] >= 0 && cell[a] < o->size[a]);
        assert_int_equal(torre_ordering_encode(o, cell), rank);
        assert_int_equal(path[rank], (cell[0] * o->size[1] + cell[1]) * o->size[2] + cell[2]);
    }
    free(path);
}

void case_check_order(const torre_ordering *o, const torre_ordering *whole)
{
    int64_t before = -1, cell[3];
    for (int64_t rank = 0; rank < case_cells(o); rank++) {
        torre_ordering_decode(o, rank, cell);
        int64_t in_whole = torre_ordering_encode(whole, cell);
        assert_true(in_whole > before);
        before = in_whole;
    }
}

void case_check_unit_steps(const torre_ordering *o)
{
    int64_t here[3], next[3];
    torre_ordering_decode(o, 0, here);
    for (int64_t rank = 1; rank < case_cells(o); rank++) {
        torre_ordering_decode(o, rank, next);
        assert_int_equal(case_distance(here, next, o->dims), 1);
        memcpy(here, next, sizeof here);
    }
}
