/* Output files are complete or not there, whatever happens to them. */
#define _GNU_SOURCE
#include <errno.h>
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

#include "io/output_file.h"
#include "scratch.h"

static void assert_holds(const char *path, const char *wanted)
{
    char text[64] = "";
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    assert_string_equal(text, wanted);
}

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static torre_output *opened(const char *path, const char *text)
{
    torre_output *out = NULL;
    assert_int_equal(torre_output_open(path, &out), TORRE_OK);
    torre_output_write(out, text, strlen(text));
    return out;
}

static void test_commit(void **state)
{
    (void)state;
    torre_output *out = opened("a", "whole");
    assert_string_equal(torre_output_path(out), "a");
    assert_non_null(torre_output_temporary(out));
    assert_int_equal(access("a", F_OK), -1);
    assert_int_equal(access(torre_output_temporary(out), F_OK), 0);
    assert_int_equal(torre_output_commit(out), TORRE_OK);
    assert_holds("a", "whole");
    assert_int_equal(scratch_entries(), 1);
    unlink("a");
}

static void test_discard(void **state)
{
    (void)state;
    put("a", "before");
    torre_output_discard(opened("a", "after"));
    torre_output_discard(NULL);
    assert_holds("a", "before");
    assert_int_equal(scratch_entries(), 1);
    unlink("a");
}

static void test_finish(void **state)
{
    (void)state;
    torre_output *out = opened("a", "whole");
    assert_int_equal(torre_output_finish(&out, TORRE_OK), TORRE_OK);
    assert_null(out);
    assert_holds("a", "whole");
    out = opened("b", "half");
    assert_int_equal(torre_output_finish(&out, TORRE_ERR_UNSTABLE), TORRE_ERR_UNSTABLE);
    assert_null(out);
    assert_int_equal(scratch_entries(), 1);
    unlink("a");
}

static void test_publish(void **state)
{
    (void)state;
    torre_output *out = opened("log", "one\n");
    assert_int_equal(torre_output_publish(out), TORRE_OK);
    assert_null(torre_output_temporary(out));
    assert_holds("log", "one\n");
    torre_output_write(out, "two\n", 4);
    assert_int_equal(torre_output_publish(out), TORRE_OK);
    assert_holds("log", "one\ntwo\n");
    torre_output_write(out, "three\n", 6);
    assert_int_equal(torre_output_remove_unfinished(), TORRE_OK); /* it is no more */
    torre_output_discard(out);                                    /* what was published stays */
    assert_holds("log", "one\ntwo\nthree\n");
    assert_int_equal(scratch_entries(), 1);
    unlink("log");
}

/* A process that ends leaves none of several files, and what was committed stays. */
static void test_remove_unfinished(void **state)
{
    (void)state;
    torre_output *out[3];
    for (int i = 0; i < 3; i++) out[i] = opened((const char *[]){"a", "b", "c"}[i], "x");
    assert_int_equal(torre_output_commit(out[1]), TORRE_OK);
    assert_int_equal(scratch_entries(), 3);
    assert_int_equal(torre_output_remove_unfinished(), TORRE_OK);
    assert_int_equal(scratch_entries(), 1);
    assert_holds("b", "x");
    assert_int_equal(torre_output_commit(out[0]), TORRE_ERR_INPUT); /* there is nothing to rename */
    torre_output_discard(out[2]);
    assert_non_null(strstr(torre_error_text(), "is left behind: No such file"));
    assert_int_equal(scratch_entries(), 1);
    unlink("b");
}

static void test_permissions(void **state)
{
    (void)state;
    struct stat info;
    mode_t mask = umask(027);
    assert_int_equal(torre_output_commit(opened("a", "x")), TORRE_OK);
    assert_int_equal(stat("a", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640); /* as the user's mask asks for */
    assert_int_equal(chmod("a", 0604), 0);
    assert_int_equal(torre_output_commit(opened("a", "y")), TORRE_OK);
    assert_int_equal(stat("a", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0604); /* as the file that it replaces */
    umask(mask);
    unlink("a");
}

/* Standard output is flushed, and left open. */
static void test_standard_output(void **state)
{
    (void)state;
    assert_int_equal(torre_output_commit(opened("-", "")), TORRE_OK);
    assert_true(fileno(stdout) >= 0);
    torre_output_discard(opened("-", ""));
    assert_true(fileno(stdout) >= 0);
}

/* What stands in the way since the file was opened. */
static void test_failed_rename(void **state)
{
    (void)state;
    torre_output *out = opened("a", "whole");
    assert_int_equal(mkdir("a", 0777), 0);
    assert_int_equal(torre_output_commit(out), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "cannot write a: Is a directory"));
    assert_int_equal(scratch_entries(), 1); /* the directory alone */
    rmdir("a");
}

/* A symbolic link is followed, and stays one. */
static void test_link(void **state)
{
    (void)state;
    struct stat info;
    put("a", "before");
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(torre_output_commit(opened("link", "after")), TORRE_OK);
    assert_holds("a", "after");
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink("link");
    unlink("a");
}

static void refused(const char *path, const char *why)
{
    torre_output *out = NULL;
    assert_int_equal(torre_output_open(path, &out), TORRE_ERR_INPUT);
    assert_null(out);
    assert_non_null(strstr(torre_error_text(), path));
    assert_non_null(strstr(torre_error_text(), why));
}

static void test_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir("there", 0777), 0);
    refused("there", "Is a directory");
    refused("none/a", "No such file or directory");
    put("a", "x");
    refused("a/b", "Not a directory");
    assert_int_equal(scratch_entries(), 2);
    unlink("a");
    rmdir("there");
}

/* What cannot be written shows at commit, with the reason, and is no file then. */
static void test_full(void **state)
{
    (void)state;
    torre_output *out;
    if (access("/dev/full", W_OK)) skip();
    assert_int_equal(torre_output_open("/dev/full", &out), TORRE_OK);
    assert_null(torre_output_temporary(out));
    assert_int_equal(torre_output_publish(out), TORRE_OK); /* nothing yet */
    fputs("x", torre_output_stream(out));
    assert_int_equal(torre_output_publish(out), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "/dev/full: No space left"));
    assert_int_equal(torre_output_commit(out), TORRE_ERR_INPUT);
    assert_int_equal(torre_output_open("/dev/full", &out), TORRE_OK);
    char *much = calloc(1, 1 << 20); /* beyond any buffer: the write itself fails */
    assert_non_null(much);
    torre_output_write(out, much, 1 << 20);
    free(much);
    errno = 0;
    assert_int_equal(torre_output_commit(out), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "/dev/full: No space left"));
}

static void test_same(void **state)
{
    (void)state;
    assert_true(torre_output_same("a", "./a")); /* neither is there */
    assert_false(torre_output_same("a", "b"));
    assert_true(torre_output_same("none/a", "./none/a")); /* the folder may be made yet */
    assert_false(torre_output_same("none/a", "a"));
    put("a", "x");
    assert_int_equal(symlink("a", "link"), 0);
    assert_true(torre_output_same("a", "link"));
    assert_true(torre_output_same("a", "./a"));
    assert_false(torre_output_same("a", "b"));
    put("b", "x");
    assert_false(torre_output_same("a", "b"));
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_false(torre_output_same("a", "sub/a"));
    assert_false(torre_output_same("c", "sub/c"));
    assert_true(torre_output_same("sub/c", "sub/../sub/c"));
    assert_false(torre_output_same("/dev/null", "/dev/null")); /* takes two results */
    char long_name[5000];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    assert_false(torre_output_same(long_name, long_name));
    rmdir("sub");
    unlink("link");
    unlink("a");
    unlink("b");
}

static void test_directory(void **state)
{
    (void)state;
    struct stat info;
    mode_t mask = umask(027);
    assert_int_equal(torre_output_directory("new/below"), TORRE_OK);
    umask(mask);
    assert_int_equal(stat("new/below", &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    assert_int_equal(info.st_mode & 0777, 0750);
    assert_int_equal(torre_output_directory("new/below"), TORRE_OK); /* it may be there */
    assert_int_equal(rmdir("new/below"), 0);                         /* and is empty */
    rmdir("new");
    put("a", "x");
    assert_int_equal(torre_output_directory("a/b"), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "cannot create directory a/b: Not a directory"));
    assert_int_equal(torre_output_directory("a"), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "cannot write into a: Not a directory"));
    unlink("a");
    char long_name[5000];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    assert_int_equal(torre_output_directory(long_name), TORRE_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commit),        cmocka_unit_test(test_discard),
        cmocka_unit_test(test_finish),        cmocka_unit_test(test_publish),
        cmocka_unit_test(test_permissions),   cmocka_unit_test(test_remove_unfinished),
        cmocka_unit_test(test_link),          cmocka_unit_test(test_refused),
        cmocka_unit_test(test_full),          cmocka_unit_test(test_same),
        cmocka_unit_test(test_directory),     cmocka_unit_test(test_standard_output),
        cmocka_unit_test(test_failed_rename),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
