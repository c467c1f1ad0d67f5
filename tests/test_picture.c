/* Pictures: colours, scales, sizes, and PNG files read back. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <png.h>

#include "figure/figure.h"
#include "io/color_map.h"
#include "io/field_picture.h"
#include "io/percentile.h"
#include "io/seismogram.h"

/* Relative luminance of an sRGB pixel. */
static double luminance(const uint8_t rgb[3])
{
    static const double weight[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double v = rgb[i] / 255.0;
        sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static void test_colors(void **state)
{
    (void)state;
    torre_color_map *map = malloc(sizeof *map);
    uint8_t low[3], high[3], previous[3], base[3];
    torre_color_map_make(map);
    for (int g = 0; g <= 4; g++) {
        torre_color_map_pixel(map, 0, g / 4.0, base);
        assert_true(abs(base[0] - base[2]) < 8); /* the background is grey */
        memcpy(previous, base, 3);
        for (int i = 1; i <= 20; i++) {
            torre_color_map_pixel(map, i / 20.0, g / 4.0, high);
            torre_color_map_pixel(map, -i / 20.0, g / 4.0, low);
            /* stronger is darker (once past light tints over grey), red above, blue below, and
             * printed in grey both signs look alike */
            if (i > 7) assert_true(luminance(high) < luminance(previous) + 1e-9);
            if (i > 2) assert_true(high[0] > high[2] && low[2] > low[0]);
            assert_true(fabs(cbrt(luminance(high)) - cbrt(luminance(low))) < 0.06);
            memcpy(previous, high, 3);
        }
    }
    torre_color_map_pixel(map, 7, -3, high); /* cut to the range */
    torre_color_map_pixel(map, 1, 0, low);
    assert_memory_equal(high, low, 3);
    torre_color_map_pixel(map, NAN, NAN, high);
    free(map);
}

static void test_percentile(void **state)
{
    (void)state;
    static double v[2000];
    double found;
    for (int i = 0; i < 1000; i++) v[i] = (i % 2 ? -1 : 1) * (i + 1.0); /* 1 .. 1000, and zeros */
    assert_int_equal(torre_percentile(TORRE_F64, v, 2000, 0.9, &found), TORRE_OK);
    assert_true(fabs(found / 900 - 1) < 0.004);
    v[0] = NAN;
    v[1] = INFINITY;
    assert_int_equal(torre_percentile(TORRE_F64, v, 2000, 1, &found), TORRE_OK);
    assert_true(fabs(found / 1000 - 1) < 0.004);
    enum { MANY = 300000 }; /* the same values again and again, for several threads: the same */
    double *often = malloc(MANY * sizeof *often), many;
    assert_non_null(often);
    for (int i = 0; i < MANY; i++) often[i] = v[i % 2000];
    assert_int_equal(torre_percentile(TORRE_F64, v, 2000, 0.3, &found), TORRE_OK);
    assert_int_equal(torre_percentile(TORRE_F64, often, MANY, 0.3, &many), TORRE_OK);
    assert_true(many == found);
    free(often);
    const float tiny[2] = {1e-44f, 0};
    assert_int_equal(torre_percentile(TORRE_F32, tiny, 2, 0.5, &found), TORRE_OK);
    assert_true(fabs(found / tiny[0] - 1) < 0.004);
    assert_int_equal(torre_percentile(TORRE_F32, tiny + 1, 1, 0.5, &found), TORRE_OK);
    assert_true(found == 0);
}

static void test_plane(void **state)
{
    (void)state;
    float cells[40 * 20];
    double velocity[40 * 20];
    for (int i = 0; i < 40 * 20; i++) {
        cells[i] = i / 20 < 20 ? 1e-9f : -1e-9f; /* left half positive, right half negative */
        velocity[i] = i % 20 < 10 ? 1500 : 3000;
    }
    torre_plane plane = {
        .size = {40, 20}, .spacing = {5, 10}, .precision = TORRE_F32, .cells = cells};
    torre_image image;
    double scale;
    assert_int_equal(torre_plane_scale(&plane, &scale), TORRE_OK);
    assert_true(fabs(scale / 1e-9 - 1) < 0.004);
    assert_int_equal(torre_plane_draw(&plane, scale, &image), TORRE_OK);
    assert_int_equal(image.width, image.height); /* 200 m by 200 m */
    assert_true(image.width >= 900 && image.width <= 1100);
    const uint8_t *left = torre_image_at(&image, image.width / 4, 3);
    const uint8_t *right = torre_image_at(&image, image.width * 3 / 4, 3);
    assert_true(left[0] > left[2] && right[2] > right[0]);
    torre_image_free(&image);

    memset(cells, 0, sizeof cells); /* nothing but the model: light above, darker below */
    plane.velocity = velocity;
    plane.velocity_range[0] = 1500;
    plane.velocity_range[1] = 3000;
    assert_int_equal(torre_plane_scale(&plane, &scale), TORRE_OK);
    assert_true(scale == 0);
    assert_int_equal(torre_plane_draw(&plane, scale, &image), TORRE_OK);
    assert_true(*torre_image_at(&image, 5, 5) > *torre_image_at(&image, 5, image.height - 5) + 40);
    torre_image_free(&image);

    plane =
        (torre_plane){.size = {1, 1}, .spacing = {1, 1}, .precision = TORRE_F32, .cells = cells};
    assert_int_equal(torre_plane_draw(&plane, 1, &image), TORRE_OK);
    torre_image_free(&image);
    plane.spacing[1] = 1e6; /* a million times as high as wide */
    assert_int_equal(torre_plane_draw(&plane, 1, &image), TORRE_OK);
    assert_int_equal(image.width, 1);
    assert_int_equal(image.height, 8192);
    torre_image_free(&image);
}

/* A pulse at sample 50 of 100 gives ink in the middle row, on every kind of picture. */
static void test_seismogram(void **state)
{
    (void)state;
    static double values[200 * 100];
    static torre_point receivers[200];
    for (int t = 0; t < 200; t++) values[t * 100 + 50] = 1;
    for (int traces = 1; traces <= 200; traces += 66) {
        torre_gather g = {.traces = traces,
                          .samples = 100,
                          .dt = 1e-3,
                          .precision = TORRE_F64,
                          .values = values,
                          .receivers = receivers};
        torre_image image;
        double scale;
        assert_int_equal(torre_seismogram_scale(&g, &scale), TORRE_OK);
        assert_int_equal(torre_seismogram_draw(&g, scale, 0, 1, &image), TORRE_OK);
        int dark = 0, middle = image.height / 2;
        for (int x = 0; x < image.width; x++) dark += *torre_image_at(&image, x, middle) < 100;
        assert_true(dark > image.width / 8);
        for (int x = 0; x < image.width; x++) assert_int_equal(*torre_image_at(&image, x, 2), 252);
        torre_image_free(&image);
    }
}

static void test_png(void **state)
{
    (void)state;
    char path[] = "/tmp/torre-test-XXXXXX.png";
    int file = mkstemps(path, 4);
    assert_true(file >= 0 && close(file) == 0);
    torre_image image;
    assert_int_equal(torre_image_new(37, 21, &image), TORRE_OK);
    for (int i = 0; i < 3 * 37 * 21; i++) image.rgb[i] = (uint8_t)(i * 7);
    assert_int_equal(torre_png_write(&image, "a test", path), TORRE_OK);
    png_image png = {.version = PNG_IMAGE_VERSION};
    static uint8_t pixels[3 * 37 * 21];
    assert_true(png_image_begin_read_from_file(&png, path));
    assert_int_equal(png.width, 37);
    assert_int_equal(png.height, 21);
    png.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&png, NULL, pixels, 0, NULL));
    assert_memory_equal(pixels, image.rgb, sizeof pixels);
    assert_int_equal(torre_png_write(&image, NULL, "/nowhere/a.png"), TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(),
                        "cannot write /nowhere/a.png: No such file or directory");
    torre_image_free(&image);
    unlink(path);
}

/* Pixels a metre as the file has them; 0 without. */
static long per_metre(const char *path)
{
    static unsigned char bytes[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t i = 0; i + 13 <= size; i++) {
        if (memcmp(bytes + i, "pHYs", 4) != 0) continue;
        assert_memory_equal(bytes + i + 4, bytes + i + 8, 4); /* square */
        assert_int_equal(bytes[i + 12], 1);                   /* a metre */
        return (long)bytes[i + 4] << 24 | bytes[i + 5] << 16 | bytes[i + 6] << 8 | bytes[i + 7];
    }
    return 0;
}

/* A size on paper is in the file where there is one. */
static void test_per_metre(void **state)
{
    (void)state;
    char name[] = "/tmp/torre-test-XXXXXX";
    torre_image image;
    assert_int_equal(close(mkstemp(name)), 0);
    assert_int_equal(torre_image_new(2, 3, &image), TORRE_OK);
    assert_int_equal(torre_png_write(&image, NULL, name), TORRE_OK);
    assert_int_equal(per_metre(name), 0);
    image.per_metre = torre_picture_per_metre(2);
    assert_int_equal(torre_png_write(&image, NULL, name), TORRE_OK);
    assert_int_equal(per_metre(name), 11811); /* 300 dots in 2.54 cm */
    assert_int_equal(torre_picture_per_metre(1), 0);
    torre_image_free(&image);
    unlink(name);
}

/* The title is in the file; a picture that is freed is nothing. */
static void test_title(void **state)
{
    (void)state;
    static char bytes[4096];
    char name[] = "/tmp/torre-test-XXXXXX";
    torre_image image;
    assert_int_equal(close(mkstemp(name)), 0);
    assert_int_equal(torre_image_new(2, 3, &image), TORRE_OK);
    assert_int_equal(torre_png_write(&image, "of a kind", name), TORRE_OK);
    torre_image_free(&image);
    assert_null(image.rgb);
    assert_int_equal(image.width, 0);
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    unlink(name);
    const char title[] = "Title\0of a kind";
    assert_non_null(memmem(bytes, size, title, sizeof title - 1));
}

/* libpng is told of a full disk by the system: more pixels than any buffer holds. */
static void test_full_disk(void **state)
{
    (void)state;
    enum { SIDE = 600 };
    torre_image image;
    if (access("/dev/full", W_OK)) skip();
    assert_int_equal(torre_image_new(SIDE, SIDE, &image), TORRE_OK);
    srand(1); /* noise does not compress */
    for (int i = 0; i < 3 * SIDE * SIDE; i++) image.rgb[i] = (uint8_t)rand();
    assert_int_equal(torre_png_write(&image, NULL, "/dev/full"), TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(), "cannot write /dev/full: No space left on device");
    torre_image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_title),      cmocka_unit_test(test_per_metre),
        cmocka_unit_test(test_full_disk),  cmocka_unit_test(test_colors),
        cmocka_unit_test(test_percentile), cmocka_unit_test(test_plane),
        cmocka_unit_test(test_seismogram), cmocka_unit_test(test_png),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
