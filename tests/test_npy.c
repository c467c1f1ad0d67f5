/* .npy files: all layouts that NumPy writes, damaged files, and output that is whole or absent. */
#include "io/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"

static const char path[] = "a.npy";

static int leave(void **state)
{
    unlink(path);
    return scratch_leave(state);
}

/* Write a file from a version, a dictionary and raw values. */
static void write_raw(int version, const char *dictionary, const void *values, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    size_t n = strlen(dictionary);
    unsigned char start[12] = {0x93,
                               'N',
                               'U',
                               'M',
                               'P',
                               'Y',
                               (unsigned char)version,
                               0,
                               (unsigned char)(n & 255),
                               (unsigned char)(n >> 8)};
    assert_non_null(f);
    fwrite(start, 1, version == 1 ? 10 : 12, f);
    fwrite(dictionary, 1, n, f);
    fwrite(values, 1, bytes, f);
    assert_int_equal(fclose(f), 0);
}

static double value(const torre_array *a, int64_t i)
{
    return a->precision == TORRE_F32 ? ((float *)a->data)[i] : ((double *)a->data)[i];
}

static void assert_counts_up_at(const char *dictionary, int version, const void *values,
                                size_t bytes, int expected_dims)
{
    torre_array a;
    int dims;
    write_raw(version, dictionary, values, bytes);
    if (torre_npy_read(path, &a, &dims)) fail_msg("%s: %s", dictionary, torre_error_text());
    assert_int_equal(dims, expected_dims);
    int64_t n = a.shape[0] * a.shape[1] * a.shape[2];
    for (int64_t i = 0; i < n; i++) assert_true(value(&a, i) == (double)i);
    free(a.data);
    torre_npy_map map; /* from wherever it is looked at */
    assert_int_equal(torre_npy_view(path, &a, &dims, &map), TORRE_OK);
    assert_int_equal(dims, expected_dims);
    for (int64_t i = 0; i < n; i++) assert_true(value(&a, i) == (double)i);
    torre_npy_unmap(&a, &map);
    torre_npy_unmap(&a, &map); /* a second time is nothing */
}

/* Wherever the values begin: only some places suit their width. */
static void assert_counts_up(const char *dictionary, int version, const void *values, size_t bytes,
                             int expected_dims)
{
    char padded[128];
    for (int pad = 0; pad < 8; pad++) {
        snprintf(padded, sizeof padded, "%s%*s", dictionary, pad, "");
        assert_counts_up_at(padded, version, values, bytes, expected_dims);
    }
}

static void test_layouts(void **state)
{
    (void)state;
    const float little[6] = {0, 1, 2, 3, 4, 5};
    const double wide[6] = {0, 1, 2, 3, 4, 5}, columns[6] = {0, 3, 1, 4, 2, 5};
    const unsigned char big[8] = {0, 0, 0, 0, 0x3f, 0x80, 0, 0}; /* 0, 1 */
    assert_counts_up("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n", 1, little, 24,
                     1);
    assert_counts_up("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", 1, little,
                     24, 2);
    assert_counts_up("{'shape': (1, 2, 3), 'fortran_order': False, 'descr': '<f8'}", 2, wide, 48,
                     3);
    assert_counts_up("{\"descr\":\"<f8\",\"fortran_order\":True,\"shape\":(2,3)}", 3, columns, 48,
                     2);
    assert_counts_up("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 1, big, 8, 1);
    assert_counts_up("{'descr': '=f4', 'fortran_order': True, 'shape': (6,), }", 1, little, 24, 1);
}

/*
 * a(i, j, k) = its C-order index, stored with i fastest, sizes around the transposition's blocks.
 */
static void test_fortran_order(void **state)
{
    (void)state;
    enum { N0 = 33, N1 = 2, N2 = 65 };
    static float columns[N0 * N1 * N2];
    for (int i = 0; i < N0; i++)
        for (int j = 0; j < N1; j++)
            for (int k = 0; k < N2; k++)
                columns[(k * N1 + j) * N0 + i] = (float)((i * N1 + j) * N2 + k);
    assert_counts_up("{'descr': '<f4', 'fortran_order': True, 'shape': (33, 2, 65), }", 1, columns,
                     sizeof columns, 3);
}

static void test_round_trip(void **state)
{
    (void)state;
    const double values[6] = {1.5, -2, 1e300, 1e-300, 0, 7};
    const int64_t shape[3] = {3, 1, 2};
    torre_array a;
    int dims;
    for (int d = 1; d <= 3; d++) {
        const int64_t *s = d == 1 ? (const int64_t[]){6} : d == 2 ? (const int64_t[]){2, 3} : shape;
        assert_int_equal(torre_npy_write(path, TORRE_F64, d, s, values), TORRE_OK);
        assert_int_equal(torre_npy_read(path, &a, &dims), TORRE_OK);
        assert_int_equal(dims, d);
        assert_memory_equal(a.data, values, sizeof values);
        free(a.data);
        torre_npy_map map; /* nothing is copied of what is written here */
        assert_int_equal(torre_npy_view(path, &a, &dims, &map), TORRE_OK);
        assert_non_null(map.start);
        assert_memory_equal(a.data, values, sizeof values);
        torre_npy_unmap(&a, &map);
        torre_npy_header h;
        assert_int_equal(torre_npy_header_read(path, &h), TORRE_OK);
        assert_int_equal(h.data_start % 64, 0);
        assert_int_equal(h.values, 6);
    }
}

static void assert_refused(const char *part)
{
    torre_array a;
    assert_int_equal(torre_npy_read(path, &a, NULL), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), path));
    if (!strstr(torre_error_text(), part)) fail_msg("%s: no '%s'", torre_error_text(), part);
}

static void test_damaged(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", "type '<i4'"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", "type '<f2'"},
        {"{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}", "type '|f4'"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2,)}", "type ''"},
        {"{'descr': '<f44', 'fortran_order': False, 'shape': (2,)}", "type '<f44'"},
        {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}", "records"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", "'fortran_order'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 2)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "'shape'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999,9999999999)}", "overflows"},
        /* 2^59 values are the first that are too many, 2^59 - 1 the last that are not */
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (576460752303423488,)}", "overflows"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (576460752303423487,)}", "truncated"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1073741824,536870912)}", "overflows"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1073741824,536870911)}", "truncated"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1048576,1048576,524288)}",
         "overflows"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1048576,1048576,524287)}",
         "truncated"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296)}", "overflows"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}", "truncated"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "too long"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", "no values"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "0 axes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,2)}", "4 axes"},
        {"{'descr': '<f4', 'fortran_order': False}", "incomplete"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", "unknown key"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "damaged"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "damaged"},
        {"{'descr'", "damaged"},
        {"", "not a dictionary"},
        {"[1, 2]", "not a dictionary"},
    };
    const float values[2] = {0, 1};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_raw(1, bad[i][0], values, sizeof values);
        assert_refused(bad[i][1]);
    }
    write_raw(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", values,
              sizeof values);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, 11, SEEK_SET); /* the highest byte of the length of the header */
    fputc(1, f);
    assert_int_equal(fclose(f), 0);
    assert_refused("longer than any sensible one");
    write_raw(4, "", values, sizeof values);
    assert_refused("version 4.0");
    write_raw(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", values, sizeof values);
}

/* Every truncation of a good file, and every single byte of its header replaced, must be told
 * apart from a good one or read without harm. */
static void test_truncated_anywhere(void **state)
{
    (void)state;
    const float values[4] = {0, 1, 2, 3};
    const int64_t shape[1] = {4};
    unsigned char good[256];
    torre_array a;
    assert_int_equal(torre_npy_write(path, TORRE_F32, 1, shape, values), TORRE_OK);
    FILE *f = fopen(path, "rb");
    size_t size = fread(good, 1, sizeof good, f);
    fclose(f);
    for (size_t keep = 0; keep < size; keep++) {
        f = fopen(path, "wb");
        fwrite(good, 1, keep, f);
        fclose(f);
        assert_int_equal(torre_npy_read(path, &a, NULL), TORRE_ERR_INPUT);
    }
    for (size_t at = 0; at < size - sizeof values; at++) {
        for (int byte = 0; byte < 256; byte += 17) {
            unsigned char kept = good[at];
            good[at] = (unsigned char)byte;
            f = fopen(path, "wb");
            fwrite(good, 1, size, f);
            fclose(f);
            good[at] = kept;
            if (torre_npy_read(path, &a, NULL) == TORRE_OK) free(a.data);
        }
    }
}

static void test_missing(void **state)
{
    (void)state;
    torre_array a;
    assert_int_equal(torre_npy_read("/nowhere/a.npy", &a, NULL), TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(),
                        "cannot read /nowhere/a.npy: No such file or directory");
    assert_int_equal(torre_npy_read("/tmp", &a, NULL), TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(), "cannot read /tmp: Is a directory");
}

static void test_output(void **state)
{
    (void)state;
    const int64_t shape[1] = {100000};
    torre_output *out;
    float *values = calloc(100000, sizeof *values);
    assert_int_equal(torre_npy_write("/nowhere/a.npy", TORRE_F32, 1, shape, values),
                     TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(),
                        "cannot write /nowhere/a.npy: No such file or directory");
    assert_int_equal(torre_npy_write(".", TORRE_F32, 1, shape, values), TORRE_ERR_INPUT);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(torre_npy_write("/dev/full", TORRE_F32, 1, shape, values),
                         TORRE_ERR_INPUT);
        assert_string_equal(torre_error_text(), "cannot write /dev/full: No space left on device");
    }
    /* discarded: what stood there before stays */
    assert_int_equal(torre_npy_write(path, TORRE_F32, 1, (const int64_t[]){1}, values), TORRE_OK);
    chmod(path, 0640);
    assert_int_equal(torre_output_open(path, &out), TORRE_OK);
    fputs("half a file", torre_output_stream(out));
    torre_output_discard(out);
    torre_npy_header h;
    assert_int_equal(torre_npy_header_read(path, &h), TORRE_OK);
    assert_int_equal(h.values, 1);
    /* replaced: keeps its permissions */
    assert_int_equal(torre_npy_write(path, TORRE_F32, 1, shape, values), TORRE_OK);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(info.st_size, 128 + 400000);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),    cmocka_unit_test(test_fortran_order),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_missing),    cmocka_unit_test(test_truncated_anywhere),
        cmocka_unit_test(test_output),
    };
    return cmocka_run_group_tests(tests, scratch_enter, leave);
}
