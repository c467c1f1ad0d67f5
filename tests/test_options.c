/* The option table: values, refusals (one line each, in full), help and echo. */
#include "core/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/numbers.h"
#include "core/report.h"

static struct {
    int64_t order, steps, threads, size[3];
    double dt, frequency, spacing[3];
    int engine;
    const char *file;
    bool quiet, help;
} s;

static const char *const orders[] = {"2", "4", "6", "8", NULL};
static const char *const engines[] = {"torre", "stepwise", "reference", NULL};

static torre_option table[] = {
    {.name = "Physics", .kind = TORRE_OPTION_GROUP},
    {.name = "order",
     .kind = TORRE_OPTION_INTEGER,
     .value = &s.order,
     .choices = orders,
     .help = "order of accuracy in space"},
    {.name = "size",
     .kind = TORRE_OPTION_SIZE,
     .value = s.size,
     .low = 1,
     .high = 1000000,
     .counts = TORRE_COUNT_1 | TORRE_COUNT_3,
     .help = "cells along x, y and z"},
    {.name = "spacing",
     .kind = TORRE_OPTION_VECTOR,
     .value = s.spacing,
     .unit = TORRE_UNIT_METRE,
     .low = 0,
     .above_low = true,
     .high = 1e9,
     .counts = TORRE_COUNT_1 | TORRE_COUNT_3,
     .help = "metres"},
    {.name = "dt",
     .kind = TORRE_OPTION_REAL,
     .value = &s.dt,
     .low = 0,
     .above_low = true,
     .high = 1e9,
     .word = "auto",
     .word_value = 0,
     .unit = TORRE_UNIT_SECOND,
     .metavar = "S|auto",
     .help = "time step"},
    {.name = "frequency",
     .kind = TORRE_OPTION_REAL,
     .value = &s.frequency,
     .low = 0,
     .above_low = true,
     .high = 1e12,
     .help = "peak frequency, Hz"},
    {.name = "Running", .kind = TORRE_OPTION_GROUP},
    {.name = "steps",
     .kind = TORRE_OPTION_INTEGER,
     .value = &s.steps,
     .low = 0,
     .high = 1e12,
     .help = "time steps"},
    {.name = "threads",
     .kind = TORRE_OPTION_INTEGER,
     .value = &s.threads,
     .low = 1,
     .high = 4096,
     .word = "auto",
     .word_value = 0,
     .help = "threads"},
    {.name = "engine",
     .kind = TORRE_OPTION_CHOICE,
     .value = &s.engine,
     .choices = engines,
     .help = "engine"},
    {.name = "field",
     .kind = TORRE_OPTION_TEXT,
     .value = &s.file,
     .metavar = "FILE",
     .help = "a file"},
    {.name = "quiet", .kind = TORRE_OPTION_FLAG, .value = &s.quiet, .help = "say nothing"},
    {.name = "help",
     .kind = TORRE_OPTION_FLAG,
     .value = &s.help,
     .stops = true,
     .help = "show this help"},
    {0}};

static int reset(void **state)
{
    (void)state;
    memset(&s, 0, sizeof s);
    s.order = 8;
    s.steps = 100;
    s.frequency = 15;
    for (int a = 0; a < 3; a++) {
        s.size[a] = 64;
        s.spacing[a] = 10;
    }
    for (torre_option *o = table; o->name; o++) o->given = false;
    return 0;
}

/* Parse words separated by single spaces ("_" stands for an empty word). */
static torre_status parse(const char *line, int limit, const char **arguments, int *count)
{
    static char copy[1000];
    char *argv[50] = {(char *)"test", NULL};
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "_") == 0 ? word + 1 : word;
    return torre_options_parse(table, argc, argv, arguments, limit, count);
}

#define SECONDS ", in s, ms, us, ns, min or h"

static void assert_refused(const char *line, const char *text)
{
    reset(NULL);
    assert_int_equal(parse(line, 0, NULL, NULL), TORRE_ERR_USAGE);
    assert_string_equal(torre_error_text(), text);
}

static void test_values(void **state)
{
    (void)state;
    assert_int_equal(parse("--order 4 --size=7x8x9 --spacing 2.5 --dt 1e-3 --engine reference "
                           "--field u.npy --quiet --threads auto --steps=0",
                           0, NULL, NULL),
                     TORRE_OK);
    assert_int_equal(s.order, 4);
    assert_int_equal(s.size[0], 7);
    assert_int_equal(s.size[2], 9);
    assert_true(s.spacing[0] == 2.5 && s.spacing[1] == 2.5 && s.spacing[2] == 2.5);
    assert_true(s.dt == 1e-3);
    assert_int_equal(s.engine, 2);
    assert_string_equal(s.file, "u.npy");
    assert_true(s.quiet);
    assert_int_equal(s.threads, 0);
    assert_int_equal(s.steps, 0);
    assert_true(s.frequency == 15);
    assert_true(torre_options_given(table, "steps"));
    assert_false(torre_options_given(table, "frequency"));
}

static void test_syntax(void **state)
{
    (void)state;
    const char *arguments[3];
    int count;
    assert_int_equal(parse("curve --freq 5 more -- --quiet", 3, arguments, &count), TORRE_OK);
    assert_int_equal(count, 3);
    assert_string_equal(arguments[0], "curve");
    assert_string_equal(arguments[1], "more");
    assert_string_equal(arguments[2], "--quiet");
    assert_true(s.frequency == 5 && !s.quiet);
    reset(NULL);
    assert_int_equal(parse("--order 2 --spacing 3 -h --order 77", 0, NULL, NULL), TORRE_OK);
    assert_true(s.help && s.order == 8 && s.spacing[0] == 10); /* the defaults */
}

/* An option that may be given often, up to the room it has. */
static void test_texts(void **state)
{
    (void)state;
    char text[16] = "", shown[40];
    char *argv[] = {(char *)"test",   (char *)"--name", (char *)"one", (char *)"--name=two;3",
                    (char *)"--name", (char *)"four",   NULL};
    torre_option texts[] = {
        {.name = "name", .kind = TORRE_OPTION_TEXTS, .value = text, .high = sizeof text}, {0}};
    assert_int_equal(torre_options_parse(texts, 4, argv, NULL, 0, NULL), TORRE_OK);
    assert_string_equal(text, "one;two;3");
    torre_option_text(&texts[0], shown, sizeof shown);
    assert_string_equal(shown, "one;two;3");
    text[0] = 0;
    texts[0].given = false;
    assert_int_equal(torre_options_parse(texts, 6, argv, NULL, 0, NULL), TORRE_OK);
    assert_string_equal(text, "one;two;3;four");
    assert_int_equal(torre_options_parse(texts, 2, argv, NULL, 0, NULL), TORRE_ERR_USAGE);
    assert_int_equal(torre_options_parse(texts, 3, argv, NULL, 0, NULL), TORRE_ERR_USAGE);
    assert_string_equal(torre_error_text(), "--name: its texts must have less than 16 characters");
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"--order 3", "--order must be 2, 4, 6 or 8 (got 3)"},
        {"--order 8.0", "--order must be 2, 4, 6 or 8 (got 8.0)"},
        {"--order _", "--order must be 2, 4, 6 or 8 (got nothing)"},
        {"--order", "--order needs a value: it must be 2, 4, 6 or 8"},
        {"--field", "--field needs a value: FILE"},
        {"--field _", "--field must not be empty (got nothing)"},
        {"--order 2 --order 2", "--order is given twice"},
        {"--quiet --quiet", "--quiet is given twice"},
        {"--quiet=1", "--quiet takes no value (got 1)"},
        {"--quiet=", "--quiet takes no value (got )"},
        {"--colour red", "unknown option --colour; --help lists them"},
        {"-x", "unknown option -x; --help lists them"},
        {"-xyz", "unknown option -x; --help lists them"},
        {"--s 3", "--s is ambiguous: --size or --spacing"},
        {"--f=3", "--f=3 is ambiguous: --frequency or --field"},
        {"more", "unexpected argument more; --help lists the options"},
        {"-- more", "unexpected argument more; --help lists the options"},
        {"--steps -1", "--steps must be a whole number from 0 to 1000000000000 (got -1)"},
        {"--steps 1e3", "--steps must be a whole number from 0 to 1000000000000 (got 1e3)"},
        {"--steps 12x", "--steps must be a whole number from 0 to 1000000000000 (got 12x)"},
        {"--steps +5", "--steps must be a whole number from 0 to 1000000000000 (got +5)"},
        {"--steps 99999999999999999999",
         "--steps must be a whole number from 0 to 1000000000000 (got 99999999999999999999)"},
        {"--threads some", "--threads must be auto or a whole number from 1 to 4096 (got some)"},
        {"--dt nan", "--dt must be auto or a number above 0, up to 1e+09" SECONDS " (got nan)"},
        {"--dt inf", "--dt must be auto or a number above 0, up to 1e+09" SECONDS " (got inf)"},
        {"--dt 0", "--dt must be auto or a number above 0, up to 1e+09" SECONDS " (got 0)"},
        {"--dt 1e999", "--dt must be auto or a number above 0, up to 1e+09" SECONDS " (got 1e999)"},
        {"--dt 1e-999",
         "--dt must be auto or a number above 0, up to 1e+09" SECONDS " (got 1e-999)"},
        {"--dt 0x10", "--dt must be auto or a number above 0, up to 1e+09" SECONDS " (got 0x10)"},
        {"--dt 1,5", "--dt must be auto or a number above 0, up to 1e+09" SECONDS " (got 1,5)"},
        {"--frequency auto", "--frequency must be a number above 0, up to 1e+12 (got auto)"},
        {"--engine turbo", "--engine must be torre, stepwise or reference (got turbo)"},
        {"--size 4x4", "--size must be N or NxNxN, whole numbers from 1 to 1000000 (got 4x4)"},
        {"--size 4x4x4x4",
         "--size must be N or NxNxN, whole numbers from 1 to 1000000 (got 4x4x4x4)"},
        {"--size 4xx4", "--size must be N or NxNxN, whole numbers from 1 to 1000000 (got 4xx4)"},
        {"--size 0x4x4", "--size must be N or NxNxN, whole numbers from 1 to 1000000 (got 0x4x4)"},
        {"--size 4X4X4", "--size must be N or NxNxN, whole numbers from 1 to 1000000 (got 4X4X4)"},
        {"--dt 5km", "--dt must be auto or a number above 0, up to 1e+09" SECONDS " (got 5km)"},
        {"--dt s", "--dt must be auto or a number above 0, up to 1e+09" SECONDS " (got s)"},
        {"--spacing 1,2,", "--spacing must be X or X,Y,Z, numbers above 0, up to 1e+09, in m, km, "
                           "cm, mm or um (got 1,2,)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_refused(bad[i][0], bad[i][1]);
}

/* An argument with line breaks must not break the one line. */
static void test_one_line(void **state)
{
    (void)state;
    char *argv[] = {(char *)"test", (char *)"--engine", (char *)"a\nb\tc", NULL};
    assert_int_equal(torre_options_parse(table, 3, argv, NULL, 0, NULL), TORRE_ERR_USAGE);
    assert_string_equal(torre_error_text(),
                        "--engine must be torre, stepwise or reference (got a?b?c)");
}

/* Every default that --help shows is legal input for its own option. */
static void test_round_trip(void **state)
{
    (void)state;
    char text[64], line[100];
    for (torre_option *o = table; o->name; o++) {
        if (o->kind < TORRE_OPTION_INTEGER) continue;
        torre_option_text(o, text, sizeof text);
        snprintf(line, sizeof line, "--%s %s", o->name, text);
        assert_int_equal(parse(line, 0, NULL, NULL), TORRE_OK);
        snprintf(line, sizeof line, "%s", text);
        torre_option_text(o, text, sizeof text);
        assert_string_equal(text, line);
    }
}

static void test_help(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    torre_options_help(table, out);
    fclose(out);
    assert_non_null(strstr(text, "\nPhysics:\n  --order 2|4|6|8           order of accuracy in "
                                 "space [default 8]\n"));
    assert_non_null(
        strstr(text, "  --dt S|auto               time step [above 0; default auto]\n"));
    for (char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    free(text);
}

static void test_report(void **state)
{
    (void)state;
    assert_int_equal(parse("--spacing 1,2,0.1 --field a\"b", 0, NULL, NULL), TORRE_OK);
    torre_report *r = torre_report_new("test");
    torre_report_options(r, table);
    torre_report_integer(r, "large", INT64_MAX);
    torre_report_real(r, "nothing", 0.0 / (s.dt));
    torre_report_real(torre_report_object(torre_report_array(r, "list"), NULL), "temp", 0.7);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(torre_report_write(r, out), TORRE_OK);
    fclose(out);
    torre_report_free(r);
    static const char *const parts[] = {
        "\"program\": \"test\"", "\"size\": [64, 64, 64]", "\"spacing\": [1, 2, 0.1]",
        "\"dt\": \"auto\"",      "\"field\": \"a\\\"b\"",  "\"quiet\": false",
        "9223372036854775807",   "\"nothing\": null",      "\"temp\": 0.7"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        assert_non_null(strstr(text, parts[i]));
    assert_null(strstr(text, "\"help\""));
    const char *config = strstr(text, "\"config\": {");
    assert_non_null(config);
    assert_non_null(strstr(config, "\"spacing\": \"1,2,0.1\""));
    assert_null(strstr(config, "\"quiet\""));
    free(text);
}

static void test_report_full_disk(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full) skip();
    torre_report *r = torre_report_new("test");
    assert_int_equal(torre_report_write(r, full), TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(), "cannot write the report: No space left on device");
    torre_report_free(r);
    fclose(full);
}

/* What is said of an option, wherever it stands and whatever else is wrong. */
static void test_peek(void **state)
{
    (void)state;
    char *const lines[][6] = {{"x", "--steps", "-3", "--engine", "reference"},
                              {"x", "--eng=stepwise", "--engine", "torre"},
                              {"x", "--file", "--engine", "--unknown", "stepwise"},
                              {"x", "--engine", "fast"}};
    const char *const expected[] = {"reference", "stepwise", "--unknown", "fast"};
    const int choice[] = {2, 1, 0, 0};
    for (int k = 0; k < 4; k++) {
        int count = 0;
        const char *text;
        while (lines[k][count]) count++;
        assert_true(torre_options_peek(table, count, lines[k], "engine", &text));
        assert_string_equal(text, expected[k]);
        assert_int_equal(torre_option_choice(torre_options_find(table, "engine"), text), choice[k]);
        assert_int_equal(s.engine, 0);
        assert_true(torre_options_peek(table, count, lines[k], "dt", &text) && !text);
    }
}

/* What a file gives, under what the command line gives. */
static void test_assign(void **state)
{
    (void)state;
    static const torre_assignment list[] = {{"order", "2", "a.conf:1"},
                                            {"dt", "0.5ms", "a.conf:2"},
                                            {"field", "u.npy", "a.conf:3"},
                                            {"quiet", "yes", "a.conf:4"}};
    assert_int_equal(parse("--order 4 --steps 7", 0, NULL, NULL), TORRE_OK);
    assert_int_equal(torre_options_assign(table, list, 4), TORRE_OK);
    assert_true(s.order == 4 && s.steps == 7 && s.dt == 0.5e-3 && s.quiet);
    assert_string_equal(s.file, "u.npy");
    assert_true(torre_options_given(table, "dt"));
    assert_string_equal(torre_options_find(table, "dt")->text, "0.5ms");
}

static void test_assign_refusals(void **state)
{
    (void)state;
    static const struct {
        torre_assignment list[2];
        const char *text;
    } bad[] = {{{{"ordr", "2", "f:1"}}, "f:1: unknown option ordr; did you mean order?"},
               {{{"colour", "2", "f:1"}}, "f:1: unknown option colour; --help lists them"},
               {{{"order", "3", "f:9"}}, "f:9: --order must be 2, 4, 6 or 8 (got 3)"},
               {{{"field", "", "f:1"}}, "f:1: --field must not be empty (got nothing)"},
               {{{"quiet", "true", "f:1"}}, "f:1: quiet must be yes or no (got true)"},
               {{{"help", "yes", "f:1"}}, "f:1: help is for the command line alone"},
               {{{"Running", "1", "f:1"}}, "f:1: unknown option Running; --help lists them"},
               {{{"quiet", "no", "f:1"}, {"quiet", "yes", "f:2"}}, "f:2: quiet is given twice"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        reset(NULL);
        assert_int_equal(parse("--steps 7", 0, NULL, NULL), TORRE_OK);
        assert_int_equal(torre_options_assign(table, bad[i].list, bad[i].list[1].name ? 2 : 1),
                         TORRE_ERR_INPUT);
        assert_string_equal(torre_error_text(), bad[i].text);
    }
}

/* Parameters of the library, whose users know no options, and after that of a program. */
static void test_parameter_names(void **state)
{
    (void)state;
    char text[200];
    torre_fail(TORRE_ERR_USAGE,
               "{tower_height} of {%s} in %s: use " TORRE_PARAMETER("tower_height"), "bin-size",
               "{a_file}");
    assert_string_equal(torre_error_text(),
                        "tower_height of bin_size in {a_file}: use tower_height");
    torre_text_names_options();
    torre_text(text, sizeof text, "{ {} {tower_height} of {%s} in %s_%s", "bin_size", "{a_file}",
               torre_error_text());
    assert_string_equal(text, "{ {} --tower-height of --bin-size in {a_file}_tower_height of "
                              "bin_size in {a_file}: use tower_height");
    torre_text(text, 8, "{order}s must be");
    assert_string_equal(text, "--order");
}

static void test_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes; /* 0: refused */
    } list[] = {{"1", 1},
                {"262144", 262144},
                {"48K", 49152},
                {"3M", 3 << 20},
                {"2G", INT64_C(2) << 30},
                {"1073741824G", INT64_C(1) << 60},
                {"20GB", INT64_C(20000000000)},
                {"20GiB", INT64_C(20) << 30},
                {"1kB", 1000},
                {"1.5M", 3 << 19},
                {"0.0015 kB", 1},
                {"2TB", INT64_C(2000000000000)},
                {"4611686018427387904", INT64_C(1) << 62},
                {"4611686018427387905", 0},
                {"4194304T", INT64_C(1) << 62},
                {"4194305T", 0},
                {"1e30GB", 0},
                {"0.0009K", 0},
                {"1.5", 0},
                {"1GBs", 0},
                {"1eG", 0},
                {"GB", 0},
                {"nanG", 0},
                {"", 0},
                {"K", 0},
                {"0", 0},
                {"-1K", 0},
                {"12Q", 0},
                {"1k", 0},
                {"1kiB", 0},
                {"1KK", 0}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        int64_t bytes = 0;
        assert_int_equal(torre_parse_bytes(list[i].text, &bytes), list[i].bytes > 0);
        assert_int_equal(bytes, list[i].bytes);
    }
}

static void test_quantities(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        torre_unit unit;
        double value; /* 0: refused */
    } list[] = {{"0.7ms", TORRE_UNIT_SECOND, 7e-4},
                {"0.7e-3", TORRE_UNIT_SECOND, 7e-4},
                {"7e2us", TORRE_UNIT_SECOND, 7e-4},
                {"7E+2 us", TORRE_UNIT_SECOND, 7e-4},
                {"2.5min", TORRE_UNIT_SECOND, 150},
                {"-1.5h", TORRE_UNIT_SECOND, -5400},
                {"12.5", TORRE_UNIT_SECOND, 12.5},
                {"12.5", TORRE_UNIT_NONE, 12.5},
                {"2.3km", TORRE_UNIT_METRE, 2300},
                {"3.3mm", TORRE_UNIT_METRE, 3.3e-3},
                {"9cm", TORRE_UNIT_METRE, 0.09},
                {"25kHz", TORRE_UNIT_HERTZ, 25000},
                {"1e300GHz", TORRE_UNIT_HERTZ, 0},
                {"1e308h", TORRE_UNIT_SECOND, 0},
                {"1e-320ms", TORRE_UNIT_SECOND, 0},
                {"1e99999999999999999999ms", TORRE_UNIT_SECOND, 0},
                {"1s", TORRE_UNIT_NONE, 0},
                {"1e", TORRE_UNIT_SECOND, 0},
                {"1e+", TORRE_UNIT_SECOND, 0},
                {"1ems", TORRE_UNIT_SECOND, 0},
                {"ms", TORRE_UNIT_SECOND, 0},
                {"", TORRE_UNIT_SECOND, 0},
                {"1 ", TORRE_UNIT_SECOND, 0},
                {"1  s", TORRE_UNIT_SECOND, 0},
                {" 1s", TORRE_UNIT_SECOND, 0},
                {"1S", TORRE_UNIT_SECOND, 0},
                {"1hz", TORRE_UNIT_HERTZ, 0},
                {"1..5s", TORRE_UNIT_SECOND, 0},
                {"0000000000000000000000000000000000000000000001s", TORRE_UNIT_SECOND, 0}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        double value = 0;
        assert_int_equal(torre_parse_quantity(list[i].text, list[i].unit, &value),
                         list[i].value != 0);
        assert_true(value == list[i].value);
    }
    double v[2], seconds;
    int count;
    assert_true(torre_parse_quantities("2km,500", TORRE_UNIT_METRE, ',', 2, v, &count));
    assert_true(count == 2 && v[0] == 2000 && v[1] == 500);
    assert_false(torre_parse_quantities("2km,500,", TORRE_UNIT_METRE, ',', 3, v, &count));
    assert_true(torre_parse_seconds("90s", &seconds) && seconds == 90);
    assert_false(torre_parse_seconds("90", &seconds));
    assert_false(torre_parse_seconds("-1s", &seconds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_values, reset),
        cmocka_unit_test_setup(test_syntax, reset),
        cmocka_unit_test(test_texts),
        cmocka_unit_test_setup(test_refusals, reset),
        cmocka_unit_test_setup(test_one_line, reset),
        cmocka_unit_test_setup(test_round_trip, reset),
        cmocka_unit_test_setup(test_help, reset),
        cmocka_unit_test_setup(test_report, reset),
        cmocka_unit_test_setup(test_report_full_disk, reset),
        cmocka_unit_test_setup(test_peek, reset),
        cmocka_unit_test_setup(test_assign, reset),
        cmocka_unit_test_setup(test_assign_refusals, reset),
        cmocka_unit_test_setup(test_parameter_names, reset),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_quantities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
