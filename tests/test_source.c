/* Models from files of all formats, in every order of their axes, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/array_value.h"
#include "io/hdf5_file.h"
#include "io/segy.h"
#include "io/source.h"
#include "scratch.h"

enum { NX = 19, NY = 5, NZ = 33 };

/* A number of its own for every cell. */
static double value_at(int64_t x, int64_t y, int64_t z)
{
    return 1500 + (double)(x * 1000 + y * 100 + z) / 4;
}

/* The cells in the order of a file; of a plane y is 0. */
typedef struct model {
    torre_precision precision;
    int dims;
    int64_t shape[3]; /* in the file, slowest first */
    char values[NX * NY * NZ * sizeof(double)];
} model;

static model make_model(const char *axes, torre_precision precision)
{
    model m = {.precision = precision, .dims = (int)strlen(axes), .shape = {1, 1, 1}};
    int64_t at[3], i = 0;
    for (int a = 0; a < m.dims; a++) m.shape[a] = axes[a] == 'x' ? NX : axes[a] == 'y' ? NY : NZ;
    for (at[0] = 0; at[0] < m.shape[0]; at[0]++)
        for (at[1] = 0; at[1] < m.shape[1]; at[1]++)
            for (at[2] = 0; at[2] < m.shape[2]; at[2]++) {
                int64_t cell[3] = {0, 0, 0};
                for (int a = 0; a < m.dims; a++) cell[axes[a] - 'x'] = at[a];
                torre_value_set(precision, m.values, i++, value_at(cell[0], cell[1], cell[2]));
            }
    return m;
}

static size_t bytes_of(const model *m)
{
    return (size_t)(m->shape[0] * m->shape[1] * m->shape[2]) * (size_t)m->precision;
}

static void assert_reads(const char *text, const char *axes, int dims)
{
    static const int64_t grids[2][3] = {{NX, NZ, 1}, {NX, NY, NZ}};
    const int64_t *grid = grids[dims - 2];
    int found;
    int64_t shape[3];
    torre_array a;
    assert_true(torre_source_is_file(text));
    assert_int_equal(torre_source_look(text, axes, &found, shape), TORRE_OK);
    if (found) {
        assert_int_equal(found, dims);
        assert_memory_equal(shape, grid, sizeof shape);
    }
    assert_int_equal(torre_source_read(text, axes, dims, grid, &a, &found, NULL), TORRE_OK);
    assert_int_equal(found, dims);
    assert_memory_equal(a.shape, grid, sizeof a.shape);
    int64_t i = 0;
    for (int64_t x = 0; x < NX; x++)
        for (int64_t y = 0; y < (dims == 3 ? NY : 1); y++)
            for (int64_t z = 0; z < NZ; z++)
                assert_true(torre_value(a.precision, a.data, i++) == value_at(x, y, z));
    free(a.data);
}

static void put_raw(const char *path, const model *m, bool swap)
{
    FILE *out = fopen(path, "wb");
    const size_t width = (size_t)m->precision;
    assert_non_null(out);
    for (size_t i = 0; i < bytes_of(m); i += width)
        for (size_t b = 0; b < width; b++) fputc(m->values[i + (swap ? width - 1 - b : b)], out);
    assert_int_equal(fclose(out), 0);
}

static void put_hdf5(const char *path, const model *m)
{
    torre_hdf5 *file;
    const int64_t low[3] = {0, 0, 0};
    assert_int_equal(torre_hdf5_create(path, path, &file), TORRE_OK);
    assert_int_equal(torre_hdf5_group(file, "/model"), TORRE_OK);
    assert_int_equal(
        torre_hdf5_begin(file, "/model/v", m->precision, m->dims, m->shape, m->shape, 0), TORRE_OK);
    assert_int_equal(torre_hdf5_write(file, "/model/v", low, m->shape, m->values), TORRE_OK);
    assert_int_equal(torre_hdf5_close(file), TORRE_OK);
}

static void test_orders(void **state)
{
    static const char *const orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xz", "zx"};
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        for (int k = 0; k < 2; k++) {
            const torre_precision precision = k ? TORRE_F64 : TORRE_F32;
            const model m = make_model(orders[i], precision);
            const char *axes = i == 0 || i == 6 ? NULL : orders[i];
            assert_int_equal(torre_npy_write("v.npy", precision, m.dims, m.shape, m.values),
                             TORRE_OK);
            assert_reads("v.npy", axes, m.dims);
            put_raw("v.bin", &m, false);
            assert_reads(k ? "v.bin:f64le" : "v.bin:f32le", axes, m.dims);
            put_raw("v", &m, true);
            assert_reads(k ? "./v:f64be" : "v:f32be", axes, m.dims);
            if (torre_hdf5_check()) continue;
            put_hdf5("v.h5", &m);
            assert_reads("v.h5:/model/v", axes, m.dims);
        }
    unlink("v.npy");
    unlink("v.bin");
    unlink("v.h5");
    unlink("v");
}

static void put_number(unsigned char *at, int bytes, int64_t number)
{
    for (int b = 0; b < bytes; b++) at[b] = (unsigned char)(number >> 8 * (bytes - 1 - b));
}

/* SEG-Y of rows of traces along z; slow: the byte of the number that rows have, 0: a line. */
static void put_segy(const char *path, const model *m, int slow)
{
    unsigned char head[3600] = {0}, trace[240] = {0};
    const int64_t traces = m->dims == 2 ? m->shape[0] : m->shape[0] * m->shape[1];
    const int64_t row = m->dims == 2 ? traces : m->shape[1];
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    put_number(head + 3216, 2, 500);
    put_number(head + 3220, 2, NZ);
    put_number(head + 3224, 2, 5);
    fwrite(head, 1, sizeof head, out);
    for (int64_t t = 0; t < traces; t++) {
        if (slow) put_number(trace + slow - 1, 4, 100 + t / row);
        if (slow) put_number(trace + (slow == 189 ? 193 : 189) - 1, 4, 7 + 3 * (t % row));
        put_number(trace + 114, 2, NZ);
        fwrite(trace, 1, sizeof trace, out);
        for (int64_t z = 0; z < NZ; z++)
            for (int b = 3; b >= 0; b--) fputc(m->values[4 * (t * NZ + z) + b], out);
    }
    assert_int_equal(fclose(out), 0);
}

static void test_segy(void **state)
{
    (void)state;
    if (!torre_segy_is_built()) return;
    const model line = make_model("xz", TORRE_F32), volume = make_model("xyz", TORRE_F32),
                across = make_model("yxz", TORRE_F32);
    put_segy("v.sgy", &line, 0);
    assert_reads("v.sgy", NULL, 2);
    put_segy("v.sgy", &volume, 189);
    assert_reads("v.sgy", NULL, 3);
    put_segy("v.sgy", &across, 193);
    assert_reads("v.sgy", "yxz", 3);
    assert_int_equal(truncate("v.sgy", 3600 + (NX * NY - 1) * (240 + 4 * NZ)), 0);
    int dims;
    int64_t shape[3];
    assert_int_equal(torre_source_look("v.sgy", NULL, &dims, shape), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "v.sgy: its 94 traces are no rows of 19"));
    unlink("v.sgy");
}

static void assert_refused(const char *text, const char *axes, torre_status status,
                           const char *words)
{
    static const int64_t grid[3] = {NX, NY, NZ};
    int dims;
    int64_t shape[3];
    torre_array a;
    torre_status found = torre_source_look(text, axes, &dims, shape);
    if (!found) found = torre_source_read(text, axes, 3, grid, &a, &dims, NULL);
    assert_int_equal(found, status);
    if (!strstr(torre_error_text(), words)) fail_msg("%s", torre_error_text());
}

static void test_refused(void **state)
{
    (void)state;
    const model m = make_model("xyz", TORRE_F32);
    const int64_t line = 4;
    assert_false(torre_source_is_file("2000"));
    assert_false(torre_source_is_file("model.bin"));
    assert_false(torre_source_is_file("model.bin:f16le"));
    put_raw("v.bin", &m, false);
    assert_refused("v.bin:f64le", NULL, TORRE_ERR_INPUT,
                   "v.bin has 12540 bytes, a grid of 3135 cells in f64le needs 25080");
    assert_refused("v.bin:f32le", "xz", TORRE_ERR_USAGE,
                   "axes of a file of 3 axes must be the letters of xyz in another order (got xz)");
    assert_refused("v.bin:f32le", "xxz", TORRE_ERR_USAGE, "axes of a file of 3 axes");
    assert_refused("none.bin:f32le", NULL, TORRE_ERR_INPUT, "cannot read none.bin");
    assert_int_equal(torre_npy_write("v.npy", TORRE_F32, 1, &line, m.values), TORRE_OK);
    assert_refused("v.npy", NULL, TORRE_ERR_INPUT, "v.npy has one axis; a model has two or three");
    if (!torre_hdf5_check()) {
        put_hdf5("v.h5", &m);
        assert_refused("v.h5", NULL, TORRE_ERR_USAGE, "v.h5: name an array of it");
        assert_refused("v.h5:/w", NULL, TORRE_ERR_INPUT, "v.h5 has no array /w");
        assert_refused("v.h5:/model", NULL, TORRE_ERR_INPUT, "v.h5 has no array /model");
        unlink("v.h5");
    }
    unlink("v.bin");
    unlink("v.npy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_segy),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
