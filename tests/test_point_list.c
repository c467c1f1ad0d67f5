/* Lists of sources and receivers, on the command line and in CSV files. */
#include "io/point_list.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/torre-test-XXXXXX.csv";

static int make_file(void **state)
{
    (void)state;
    int file = mkstemps(path, 4);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static const torre_point_rule with_amplitudes = {3, true, true}, positions = {3, false, true},
                              bare_positions = {3, false, false};

static void write_text(const char *text, size_t size)
{
    FILE *f = fopen(path, "w");
    fwrite(text, 1, size, f);
    assert_int_equal(fclose(f), 0);
}

static void assert_points(const torre_point_list *list, int64_t count, const double expected[][4])
{
    assert_int_equal(list->count, count);
    for (int64_t i = 0; i < count; i++) {
        for (int a = 0; a < 3; a++) assert_true(list->points[i].position[a] == expected[i][a]);
        assert_true(list->points[i].amplitude == expected[i][3]);
    }
}

static void test_command_line(void **state)
{
    (void)state;
    torre_point_list list;
    const double two[][4] = {{1, 2, 3, 1}, {4.5, 0, 6, -2}};
    assert_int_equal(torre_point_list_parse("source", "1,2,3;4.5,0,6,-2", with_amplitudes, &list),
                     TORRE_OK);
    assert_points(&list, 2, two);
    torre_point_list_free(&list);
    const double line[][4] = {{0, 10, 5, 1}, {50, 10, 5, 1}, {100, 10, 5, 1}, {7, 8, 9, 1}};
    assert_int_equal(
        torre_point_list_parse("receivers", "0,10,5:100,10,5:3;7,8,9", positions, &list), TORRE_OK);
    assert_points(&list, 4, line);
    torre_point_list_free(&list);
}

/* What is recorded or driven, after the other numbers, of points, lines and files. */
static void test_components(void **state)
{
    (void)state;
    static const torre_component wanted[] = {TORRE_ALONG_X, TORRE_PRESSURE, TORRE_ALONG_Z,
                                             TORRE_ALONG_Z, TORRE_PRESSURE};
    const double points[][4] = {
        {1, 2, 3, 1}, {4.5, 0, 6, -2}, {0, 10, 5, 1}, {100, 10, 5, 1}, {7, 8, 9, 1}};
    torre_point_list list;
    assert_int_equal(torre_point_list_parse("source",
                                            "1,2,3,x;4.5,0,6,-2,p;0,10,5:100,10,5:2:z;7,8,9",
                                            with_amplitudes, &list),
                     TORRE_OK);
    for (int file = 0; file < 2; file++) {
        assert_points(&list, 5, points);
        for (int i = 0; i < 5; i++) assert_int_equal(list.points[i].component, wanted[i]);
        torre_point_list_free(&list);
        static const char text[] = "x,y,z,amplitude,component\n1,2,3,1,x\n4.5,0,6,-2\n0,10,5, z\n"
                                   "100,10,5,1,z # down\n7,8,9,p\n";
        write_text(text, sizeof text - 1);
        if (!file) assert_int_equal(torre_csv_points_read(path, with_amplitudes, &list), TORRE_OK);
    }
    assert_int_equal(torre_csv_points_read(path, bare_positions, &list), TORRE_ERR_INPUT);
    static const char *const bad[] = {
        "1,2,3,w", "1,2,x", "x", "1,2,3,xx", "1,2,3,x,1", "0,0,0:9,0,0:2:", "0,0,0,x:9,0,0:2"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(torre_point_list_parse("source", bad[i], with_amplitudes, &list),
                         TORRE_ERR_USAGE);
    assert_int_equal(torre_point_list_parse("source", "1,2,3,x", bare_positions, &list),
                     TORRE_ERR_USAGE);
}

/* Far more points than any first allocation holds. */
static void test_many_points(void **state)
{
    (void)state;
    torre_point_list list;
    assert_int_equal(torre_point_list_parse("source", "0,0,0:999,0,0:1000", positions, &list),
                     TORRE_OK);
    assert_int_equal(list.count, 1000);
    for (int i = 0; i < 1000; i++) /* a quotient and a product, rounded */
        assert_true(fabs(list.points[i].position[0] - i) <= 2 * 1.2e-16 * 999);
    torre_point_list_free(&list);
}

/* In two dimensions y may be left out, and amplitudes are the fourth number all the same. */
static void test_planes(void **state)
{
    (void)state;
    const torre_point_rule plane = {2, true, true}, bare = {2, false, true};
    torre_point_list list;
    assert_int_equal(torre_point_list_parse("source", "1", plane, &list), TORRE_ERR_USAGE);
    assert_non_null(strstr(torre_error_text(), "x0,z0:x1,z1:N"));
    assert_int_equal(torre_point_list_parse("source", "1", positions, &list), TORRE_ERR_USAGE);
    assert_non_null(strstr(torre_error_text(), "x0,y0,z0:x1,y1,z1:N"));
    const double three[][4] = {{1, 0, 3, 1}, {4.5, 0, 6, 1}, {7, 0, 8, -2}};
    assert_int_equal(torre_point_list_parse("source", "1,3;4.5,0,6;7,0,8,-2", plane, &list),
                     TORRE_OK);
    assert_points(&list, 3, three);
    torre_point_list_free(&list);
    const double line[][4] = {{0, 0, 5, 1}, {50, 0, 5, 1}, {100, 0, 5, 1}};
    for (int i = 0; i < 2; i++) {
        const char *text = i ? "0,0,5:100,5:3" : "0,5:100,5:3";
        assert_int_equal(torre_point_list_parse("receivers", text, bare, &list), TORRE_OK);
        assert_points(&list, 3, line);
        torre_point_list_free(&list);
    }
    static const char *const bad[] = {"1", "1,2,3,4,5", "1,2:3:2", "1:2:3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(torre_point_list_parse("source", bad[i], plane, &list), TORRE_ERR_USAGE);
        assert_ptr_equal(strstr(torre_error_text(), "source must be x,z or x,0,z[,amplitude]"),
                         torre_error_text());
    }
    assert_int_equal(torre_point_list_parse("receivers", "1,0,3,4", bare, &list), TORRE_ERR_USAGE);
    write_text("x,z\n1,3\n4.5,0,6\n7,0,8,-2\n", 25);
    assert_int_equal(torre_csv_points_read(path, plane, &list), TORRE_OK);
    assert_points(&list, 3, three);
    torre_point_list_free(&list);
    write_text("1\n", 2);
    assert_int_equal(torre_csv_points_read(path, plane, &list), TORRE_ERR_INPUT);
}

static void test_bad_command_line(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "1,2",
        "1,2,3,4,5",
        "1,2,x",
        "1,2,nan",
        "1;2;3",
        "1,2,3;",
        "",
        ";",
        "1,,3",
        "1,2,3:4,5,6",
        "1,2,3:4,5,6:1",
        "1,2,3:4,5,6:2x",
        "1,2,3:4,5:2",
        "1,2,3:4,5,6:99999999999",
        "1,2,1e999",
        "1,2,1e-400",
        "1,2,-1e-400",
        " 1,2,3",
        "1,2,3:4,5,6:2:",
        "1,2,3,",
    };
    torre_point_list list;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (torre_point_list_parse("source", bad[i], with_amplitudes, &list) != TORRE_ERR_USAGE)
            fail_msg("accepted: %s", bad[i]);
        assert_ptr_equal(strstr(torre_error_text(), "source must be x,y,z"), torre_error_text());
        assert_int_equal(list.count, 0);
    }
    assert_int_equal(torre_point_list_parse("receivers", "1,2,3,4", positions, &list),
                     TORRE_ERR_USAGE);
    assert_int_equal(torre_point_list_parse("receivers", "/nowhere/a.csv", positions, &list),
                     TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(),
                        "cannot read /nowhere/a.csv: No such file or directory");
}

static void test_csv(void **state)
{
    (void)state;
    static const char *const good[] = {
        "1,2,3\n4.5,0,6,-2\n",
        "x,y,z,amplitude\n1,2,3,1\n4.5,0,6,-2",
        "# shot 1\n\n \"x\" , y, z\r\n 1 ,\t2, 3\r\n# more\n4.5,0,6,-2 # the second\r\n",
        "\xef\xbb\xbf"
        "1,2,3\n4.5,0,6,-2\n",
        "\xef\xbb\xbfx,y,z\n1,2,3\n4.5,0,6,-2\n",
    };
    const double two[][4] = {{1, 2, 3, 1}, {4.5, 0, 6, -2}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        torre_point_list list;
        write_text(good[i], strlen(good[i]));
        if (torre_csv_points_read(path, with_amplitudes, &list)) fail_msg("%s", torre_error_text());
        assert_points(&list, 2, two);
        torre_point_list_free(&list);
    }
}

static void test_bad_csv(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", " holds no points"},
        {"# nothing\n", " holds no points"},
        {"x,y,z\n", " holds no points"},
        {"1,2,3\n\xef\xbb\xbf"
         "4,5,6\n",
         ":2: column 1 is not a number (got \xef\xbb\xbf"
         "4)"},
        {"x,y,z\n1,2,3\nx,y,z\n", ":3: column 1 is not a number (got x)"},
        {"1,2,3\n1,2\n", ":2: expected x,y,z[,amplitude][,component], found 2 columns"},
        {"1,2,3,4,5,6\n", ":1: expected x,y,z[,amplitude][,component], found at least 5 columns"},
        {"1,2,3\n\n1,,3\n", ":3: column 2 is not a number (got nothing)"},
        {"nan,1,2\n", ":1: column 1 is not a number (got nan)"},
        {"1;2;3\n", ":1: column 1 is not a number (got 1;2;3)"},
        {"x,y,3\n", ":1: column 1 is not a number (got x)"},
        {"1,2,3 m\n", ":1: column 3 is not a number (got 3 m)"},
    };
    torre_point_list list;
    char text[300];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_text(bad[i][0], strlen(bad[i][0]));
        assert_int_equal(torre_csv_points_read(path, with_amplitudes, &list), TORRE_ERR_INPUT);
        assert_null(list.points); /* also where some were read before */
        snprintf(text, sizeof text, "%s%s", path, bad[i][1]);
        assert_string_equal(torre_error_text(), text);
    }
    write_text("1,2,3\n1\0,2,3\n", 13);
    assert_int_equal(torre_csv_points_read(path, with_amplitudes, &list), TORRE_ERR_INPUT);
    snprintf(text, sizeof text, "%s:2: not a text file", path);
    assert_string_equal(torre_error_text(), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_line),     cmocka_unit_test(test_components),
        cmocka_unit_test(test_many_points),      cmocka_unit_test(test_planes),
        cmocka_unit_test(test_bad_command_line), cmocka_unit_test(test_csv),
        cmocka_unit_test(test_bad_csv),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
