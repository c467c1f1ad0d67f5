/* Lines of text files: whole, without their ends, and not too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/text_input.h"

enum { LONGEST = 65534 }; /* bytes of a line, without its end */

static char path[] = "/tmp/torre-text-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static torre_text_input *opened(const char *text, size_t length)
{
    torre_text_input *in = NULL;
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(torre_text_input_open(path, &in), TORRE_OK);
    return in;
}

static void assert_line(torre_text_input *in, const char *wanted)
{
    char *line;
    assert_int_equal(torre_text_input_line(in, &line), TORRE_OK);
    if (!wanted) {
        assert_null(line);
        return;
    }
    assert_non_null(line);
    assert_string_equal(line, wanted);
}

static void test_ends(void **state)
{
    (void)state;
    const char text[] = "one\ntwo\r\n\n\r\nlast";
    torre_text_input *in = opened(text, sizeof text - 1);
    assert_line(in, "one");
    assert_line(in, "two");
    assert_line(in, "");
    assert_line(in, "");
    assert_line(in, "last");
    char where[64];
    snprintf(where, sizeof where, "%s:5", path);
    assert_string_equal(torre_text_input_where(in), where);
    assert_line(in, NULL);
    torre_text_input_close(in);
    torre_text_input_close(NULL);
}

/* The longest line, with and without an end, and one that is a byte longer. */
static void test_long_lines(void **state)
{
    (void)state;
    char *line, *text = malloc(LONGEST + 2);
    assert_non_null(text);
    memset(text, 'x', LONGEST + 2);
    text[LONGEST] = '\n';
    for (int with_end = 0; with_end < 2; with_end++) {
        torre_text_input *in = opened(text, (size_t)(LONGEST + with_end));
        assert_int_equal(torre_text_input_line(in, &line), TORRE_OK);
        assert_int_equal(strlen(line), LONGEST);
        assert_line(in, NULL);
        torre_text_input_close(in);
    }
    text[LONGEST] = 'x';
    text[LONGEST + 1] = '\n';
    torre_text_input *in = opened(text, LONGEST + 2);
    assert_int_equal(torre_text_input_line(in, &line), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), ":1: the line is longer than 65534 bytes"));
    torre_text_input_close(in);
    free(text);
}

static void test_refused(void **state)
{
    (void)state;
    torre_text_input *in = NULL;
    assert_int_equal(torre_text_input_open(".", &in), TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(), ".: is a directory");
    /* a name is never taken for a format */
    assert_int_equal(torre_text_input_open("no%dfile%s", &in), TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(), "no%dfile%s: No such file or directory");
    assert_null(in);
}

static void assert_words(const char *text, int limit, int count, const char *const *wanted)
{
    char line[64], *word[4] = {NULL};
    snprintf(line, sizeof line, "%s", text);
    assert_int_equal(torre_text_words(line, word, limit), count);
    for (int i = 0; i < count && i < limit; i++) assert_string_equal(word[i], wanted[i]);
}

static void test_words(void **state)
{
    (void)state;
    const char *const wanted[] = {"a", "bc", "d"};
    assert_words("a bc d", 4, 3, wanted);
    assert_words("\t a  bc\td \t", 4, 3, wanted);
    assert_words("a bc d", 3, 3, wanted);
    assert_words("a bc d", 2, 3, wanted); /* more than there is room for */
    assert_words("a bc#d", 4, 2, wanted);
    assert_words("a bc # d", 4, 2, wanted);
    assert_words("# a", 4, 0, wanted);
    assert_words("", 4, 0, wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
