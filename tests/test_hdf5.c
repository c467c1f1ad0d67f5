/* HDF5: what a sink wrote comes back, cell by cell, and files that are none are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/array_value.h"
#include "io/hdf5_file.h"
#include "io/sink.h"
#include "scratch.h"

static const char values[] = "/VTKHDF/PointData/u";

/* A number of its own for every cell of every frame. */
static double value_of(int64_t frame, int64_t x, int64_t y, int64_t z)
{
    return (double)(frame * 1000003 + x * 10007 + y * 101 + z) / 8;
}

static void fill(const int64_t n[3], int64_t frame, torre_precision precision, void *cells)
{
    int64_t i = 0;
    for (int64_t x = 0; x < n[0]; x++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t z = 0; z < n[2]; z++)
                torre_value_set(precision, cells, i++, value_of(frame, x, y, z));
}

/* Cells n along x, y, z, of which one with 1 cell is left out of the layout. */
static void write_lossy(const char *path, const int64_t n[3], torre_precision precision,
                        int64_t frames, torre_sink_loss *loss)
{
    torre_sink_data data = {.kind = TORRE_SINK_FIELD,
                            .series = true,
                            .frames = 1000,
                            .field = {.precision = precision, .origin = {0, 30, 0}, .loss = loss}};
    torre_field_layout *l = &data.field;
    for (int a = 0; a < 3; a++)
        if (n[a] > 1) {
            l->shape[l->dims] = n[a];
            l->axis[l->dims] = a;
            l->spacing[l->dims++] = 5 + a;
        }
    torre_sink *sink;
    void *cells = malloc((size_t)(n[0] * n[1] * n[2]) * (size_t)precision);
    assert_non_null(cells);
    assert_int_equal(
        torre_sink_open(torre_sink_by_ending(path, TORRE_SINK_FIELD, true), &data, path, &sink),
        TORRE_OK);
    for (int64_t frame = 0; frame < frames; frame++) {
        const torre_frame f = {.step = 7 * frame, .time = 0.25 * (double)frame, .values = cells};
        fill(n, frame, precision, cells);
        assert_int_equal(torre_sink_frame(sink, &f), TORRE_OK);
        assert_int_equal(access(path, F_OK), -1);
    }
    assert_int_equal(torre_sink_finish(&sink, TORRE_OK), TORRE_OK);
    free(cells);
}

static void write_frames(const char *path, const int64_t n[3], torre_precision precision,
                         int64_t frames)
{
    write_lossy(path, n, precision, frames, NULL);
}

/* How far the value that is furthest off is off; infinity for one that is not finite. *largest: the
 * largest that was written. */
static double largest_error(const char *path, const int64_t n[3], torre_precision precision,
                            int64_t frames, double *largest)
{
    torre_hdf5_header h;
    assert_int_equal(torre_hdf5_look(path, values, &h), TORRE_OK);
    void *all = malloc((size_t)(frames * n[0] * n[1] * n[2]) * (size_t)precision);
    assert_non_null(all);
    assert_int_equal(torre_hdf5_read(path, values, &h, all), TORRE_OK);
    double error = 0;
    int64_t i = 0;
    *largest = 0;
    for (int64_t frame = 0; frame < frames; frame++)
        for (int64_t z = 0; z < n[2]; z++)
            for (int64_t y = 0; y < n[1]; y++)
                for (int64_t x = 0; x < n[0]; x++) {
                    const double found = torre_value(precision, all, i++);
                    double v = value_of(frame, x, y, z);
                    if (precision == TORRE_F32) v = (double)(float)v;
                    error = fmax(error, isfinite(found) ? fabs(found - v) : INFINITY);
                    *largest = fmax(*largest, fabs(v));
                }
    free(all);
    return error;
}

static void assert_frames(const char *path, const int64_t n[3], torre_precision precision,
                          int64_t frames)
{
    torre_hdf5_header h;
    assert_int_equal(torre_hdf5_look(path, values, &h), TORRE_OK);
    assert_int_equal(h.precision, precision);
    int axis = 1;
    assert_true(h.shape[0] == frames);
    for (int a = 2; a >= 0; a--)
        if (n[a] > 1) assert_true(h.shape[axis++] == n[a]);
    assert_int_equal(h.dims, axis);
    double largest;
    assert_true(largest_error(path, n, precision, frames, &largest) == 0);
    double time[16], step[16];
    assert_int_equal(torre_hdf5_look(path, "/VTKHDF/Steps/Values", &h), TORRE_OK);
    assert_true(h.dims == 1 && h.shape[0] == frames && frames <= 16);
    assert_int_equal(torre_hdf5_read(path, "/VTKHDF/Steps/Values", &h, time), TORRE_OK);
    assert_int_equal(torre_hdf5_look(path, "/step", &h), TORRE_OK);
    assert_int_equal(torre_hdf5_read(path, "/step", &h, step), TORRE_OK);
    for (int64_t f = 0; f < frames; f++)
        assert_true(time[f] == 0.25 * (double)f && step[f] == (double)(7 * f));
}

/* Grids of one piece and of many, of pieces that do not fill the last one, and planes. */
static void test_round(void **state)
{
    static const int64_t sizes[][3] = {{5, 4, 3}, {33, 34, 35},   {1, 7, 9},      {7, 1, 9},
                                       {7, 9, 1}, {130, 90, 220}, {9, 500, 1200}, {2000, 1000, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const torre_precision precision = i % 2 ? TORRE_F64 : TORRE_F32;
        const int64_t frames = i < 5 ? 5 : 2;
        write_frames("u.h5", sizes[i], precision, frames);
        assert_frames("u.h5", sizes[i], precision, frames);
        assert_int_equal(scratch_entries(), 1);
        unlink("u.h5");
    }
}

/* Compressed: no value is further off than was asked for, the error that is told is that of the
 * value that is furthest off, which the file says, too, and it is smaller. */
static void test_compressed(void **state)
{
    static const int64_t sizes[][3] = {{33, 34, 35}, {7, 1, 9}, {130, 90, 220}, {300, 700, 8}};
    (void)state;
    if (torre_hdf5_zfp_check()) {
        print_message("%s\n", torre_error_text());
        skip();
    }
    for (int i = 0; i < 4; i++) {
        const int64_t *n = sizes[i], frames = 2;
        const torre_precision precision = i % 2 ? TORRE_F64 : TORRE_F32;
        torre_sink_loss loss = {.tolerance = 4};
        write_lossy("u.h5", n, precision, frames, &loss);
        const int64_t cells = frames * n[0] * n[1] * n[2];
        double largest;
        const double error = largest_error("u.h5", n, precision, frames, &largest);
        assert_true(error <= loss.tolerance && (error > 0 || i == 3));
        assert_true(error == loss.error && largest == loss.largest);
        struct stat there;
        assert_int_equal(stat("u.h5", &there), 0);
        if (cells > 100000) assert_true(there.st_size < cells * (int64_t)precision / 2);
        unlink("u.h5");
    }
    torre_sink_loss loss = {.tolerance = 1};
    const torre_sink_data data = {
        .kind = TORRE_SINK_PLANE,
        .field = {.precision = TORRE_F32, .dims = 2, .shape = {4, 3}, .loss = &loss}};
    assert_int_equal(torre_sink_check(torre_sink_by_name("npy"), &data), TORRE_ERR_USAGE);
    assert_non_null(strstr(torre_error_text(), ".npy files are not compressed by zfp"));
}

/* No array of that name, other files, no file, and one that was cut. */
static void test_refused(void **state)
{
    static const int64_t n[3] = {40, 30, 20};
    torre_hdf5_header h;
    (void)state;
    write_frames("u.vtkhdf", n, TORRE_F32, 3);
    assert_int_equal(torre_hdf5_look("u.vtkhdf", "/velocity", &h), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "u.vtkhdf has no array /velocity"));
    assert_int_equal(torre_hdf5_look("u.vtkhdf", "/VTKHDF", &h), TORRE_ERR_INPUT);
    assert_int_equal(torre_hdf5_look("none.h5", "/u", &h), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "cannot read none.h5"));
    assert_int_equal(truncate("u.vtkhdf", 20000), 0);
    assert_int_equal(torre_hdf5_look("u.vtkhdf", values, &h), TORRE_ERR_INPUT);
    FILE *text = fopen("u.vtkhdf", "w");
    fputs("no such thing", text);
    fclose(text);
    assert_int_equal(torre_hdf5_look("u.vtkhdf", values, &h), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "u.vtkhdf is no HDF5 file"));
    unlink("u.vtkhdf");
}

/* What is given up leaves nothing, and no device takes it. */
static void test_given_up(void **state)
{
    static const int64_t n[3] = {4, 3, 2};
    float cells[24];
    torre_sink *sink;
    const torre_frame frame = {.values = cells};
    const torre_sink_data data = {
        .kind = TORRE_SINK_FIELD,
        .field = {.precision = TORRE_F32, .dims = 3, .shape = {4, 3, 2}, .axis = {0, 1, 2}}};
    (void)state;
    fill(n, 0, TORRE_F32, cells);
    assert_int_equal(torre_sink_open(torre_sink_by_name("h5"), &data, "u.h5", &sink), TORRE_OK);
    assert_int_equal(torre_sink_frame(sink, &frame), TORRE_OK);
    assert_int_equal(torre_sink_finish(&sink, TORRE_ERR_RESOURCE), TORRE_ERR_RESOURCE);
    assert_int_equal(scratch_entries(), 0);
    assert_int_equal(torre_sink_open(torre_sink_by_name("h5"), &data, "/dev/full", &sink),
                     TORRE_ERR_INPUT);
}

int main(void)
{
    if (torre_hdf5_check()) {
        printf("%s\n", torre_error_text());
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_given_up),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
