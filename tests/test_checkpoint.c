/* Checkpoints: what was written comes back, and no damage goes unnoticed. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/checkpoint_file.h"
#include "io/crc32c.h"
#include "scratch.h"

/* RFC 3720, B.4, and the checksum that every description of CRC-32C gives. */
static void test_checksum(void **state)
{
    unsigned char bytes[1000];
    (void)state;
    assert_int_equal(torre_crc32c(0, "123456789", 9), 0xe3069283);
    memset(bytes, 0, 32);
    assert_int_equal(torre_crc32c(0, bytes, 32), 0x8a9136aa);
    memset(bytes, 0xff, 32);
    assert_int_equal(torre_crc32c(0, bytes, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)i;
    assert_int_equal(torre_crc32c(0, bytes, 32), 0x46dd794e);
    for (int i = 0; i < 1000; i++) bytes[i] = (unsigned char)(i * i + i / 7);
    for (size_t n = 0; n <= 1000; n += 1 + n / 40) {
        const uint32_t all = torre_crc32c(0, bytes, n);
        assert_int_equal(all, torre_crc32c_plain(0, bytes, n));
        assert_int_equal(all,
                         torre_crc32c(torre_crc32c(0, bytes, n / 3), bytes + n / 3, n - n / 3));
    }
}

static torre_status write_file(const char *path, int generation)
{
    torre_checkpoint_writer *w;
    const char text[] = "some words";
    double numbers[50];
    for (int i = 0; i < 50; i++) numbers[i] = generation + 1.0 / (i + 3);
    assert_int_equal(torre_checkpoint_create(path, &w), TORRE_OK);
    torre_checkpoint_chunk(w, "text", text, sizeof text);
    torre_checkpoint_chunk(w, "nothing", NULL, 0);
    torre_checkpoint_begin(w, "numbers", sizeof numbers);
    torre_checkpoint_put(w, numbers, 8 * 20);
    torre_checkpoint_put(w, numbers + 20, 8 * 30);
    return torre_checkpoint_finish(w, TORRE_OK);
}

static void assert_generation(const char *path, int generation)
{
    torre_checkpoint *c;
    char text[11];
    double first[20], second[30];
    assert_int_equal(torre_checkpoint_open(path, &c), TORRE_OK);
    assert_int_equal(torre_checkpoint_bytes(c, "text"), 11);
    assert_int_equal(torre_checkpoint_bytes(c, "nothing"), 0);
    assert_int_equal(torre_checkpoint_bytes(c, "more"), -1);
    assert_int_equal(torre_checkpoint_get(c, "numbers", first, sizeof first), TORRE_OK);
    assert_int_equal(torre_checkpoint_read(c, "text", text, sizeof text), TORRE_OK);
    assert_int_equal(torre_checkpoint_get(c, "numbers", second, sizeof second), TORRE_OK);
    assert_string_equal(text, "some words");
    for (int i = 0; i < 50; i++)
        assert_true((i < 20 ? first[i] : second[i - 20]) == generation + 1.0 / (i + 3));
    assert_int_equal(torre_checkpoint_get(c, "numbers", first, 1), TORRE_ERR_INPUT);
    assert_int_equal(torre_checkpoint_read(c, "numbers", first, 8), TORRE_ERR_INPUT);
    assert_int_equal(torre_checkpoint_read(c, "more", first, 8), TORRE_ERR_INPUT);
    torre_checkpoint_close(c);
}

/* The last two are kept, and what killed processes have left is removed. */
static void test_generations(void **state)
{
    (void)state;
    for (int g = 0; g < 4; g++) {
        fclose(fopen("state.1234-0.part", "wb"));
        assert_int_equal(torre_checkpoint_try("state"), TORRE_OK);
        assert_int_equal(write_file("state", g), TORRE_OK);
        assert_generation("state", g);
        if (g > 0) assert_generation("state.1", g - 1);
        assert_int_equal(scratch_entries(), g > 0 ? 2 : 1);
    }
    torre_checkpoint_writer *w;
    assert_int_equal(torre_checkpoint_create("state", &w), TORRE_OK);
    torre_checkpoint_chunk(w, "text", "given up", 9);
    assert_int_equal(torre_checkpoint_finish(w, TORRE_ERR_RESOURCE), TORRE_ERR_RESOURCE);
    assert_generation("state", 3);
    assert_generation("state.1", 2);
    unlink("state");
    unlink("state.1");
}

static void put(const char *path, const void *bytes, size_t count)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    assert_int_equal(fclose(out), 0);
}

static void assert_refused(const char *path)
{
    torre_checkpoint *c = NULL;
    assert_int_equal(torre_checkpoint_open(path, &c), TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), path));
    assert_null(strchr(torre_error_text(), '\n'));
}

/* Every byte changed in many ways, every length that is too short, and some that are too long. */
static void test_damage(void **state)
{
    char *bytes = NULL;
    size_t size = 0;
    int64_t flips = 0;
    (void)state;
    assert_int_equal(write_file("whole", 1), TORRE_OK);
    FILE *in = fopen("whole", "rb");
    assert_non_null(in);
    assert_true(getdelim(&bytes, &size, EOF, in) > 0);
    size = (size_t)ftell(in);
    fclose(in);
    for (size_t at = 0; at < size; at++) {
        for (unsigned flip = 1; flip < 256; flip += 11) {
            bytes[at] = (char)(bytes[at] ^ flip);
            put("flipped", bytes, size);
            assert_refused("flipped");
            bytes[at] = (char)(bytes[at] ^ flip);
            flips++;
        }
    }
    for (size_t n = 0; n < size; n++, flips++) {
        put("flipped", bytes, n);
        assert_refused("flipped");
    }
    bytes = realloc(bytes, 2 * size);
    assert_non_null(bytes);
    memcpy(bytes + size, bytes, size);
    for (size_t n = size + 1; n <= 2 * size; n += 97, flips++) {
        put("flipped", bytes, n);
        assert_refused("flipped");
    }
    put("flipped", bytes, size);
    assert_generation("flipped", 1);
    /* a chunk taken out, all others whole */
    memmove(bytes + 16 + 47, bytes + 16 + 47 + 36, size - 16 - 47 - 36);
    put("flipped", bytes, size - 36);
    assert_refused("flipped");
    print_message("%lld damaged files of %zu bytes\n", (long long)flips, size);
    assert_true(flips >= 10000);
    unlink("whole");
    unlink("flipped");
    free(bytes);
}

/* A file of random bytes, and folders. */
static void test_others(void **state)
{
    (void)state;
    char bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = (char)(i * 37);
    put("other", bytes, sizeof bytes);
    assert_refused("other");
    assert_refused("nowhere");
    assert_refused(".");
    unlink("other");
    torre_checkpoint_writer *w;
    assert_int_equal(torre_checkpoint_create("no/such/folder", &w), TORRE_ERR_INPUT);
    assert_int_equal(write_file("/dev/full", 1), TORRE_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_generations),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
