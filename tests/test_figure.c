/* Figures: what stands around the data, and that the data are the raster. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "figure/figure.h"
#include "figure/frame.h"
#include "io/particle_picture.h"

static void test_style(void **state)
{
    (void)state;
    const char *lacking;
    assert_true(torre_picture_scale("raw", &lacking) == 0 && !lacking);
    assert_true(torre_picture_scale("figure", &lacking) == 1 && !lacking);
    assert_true(torre_picture_scale("page", &lacking) == 2 && !lacking);
}

static void test_numbers(void **state)
{
    (void)state;
    const double value[] = {1, 1.99, 2, 4.9, 5, 9.99, 10, 0.3, 7e-12, 1e-9};
    const double round[] = {1, 1, 2, 2, 5, 5, 10, 0.2, 5e-12, 1e-9};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        assert_true(fabs(torre_frame_round(value[i]) / round[i] - 1) < 1e-9);
    char name[16];
    assert_true(torre_frame_unit("m", 12000, name, sizeof name) == 1e3);
    assert_string_equal(name, "km");
    assert_true(torre_frame_unit("m", 9000, name, sizeof name) == 1);
    assert_string_equal(name, "m");
    assert_true(torre_frame_unit("m", 0.04, name, sizeof name) == 1e-3);
    assert_string_equal(name, "mm");
    assert_true(torre_frame_unit("s", 20e-6, name, sizeof name) == 1e-6);
    assert_string_equal(name, "\302\265s");
    assert_true(torre_frame_unit("s", 20000, name, sizeof name) == 1); /* nobody says ks */
    assert_true(torre_frame_unit(NULL, 1e-9, name, sizeof name) == 1);
    assert_string_equal(name, "");
}

/* The number of pixels of an area that are not white. */
static int ink(const torre_image *image, int x0, int y0, int x1, int y1)
{
    int count = 0;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) count += torre_image_at(image, x, y)[0] < 250;
    return count;
}

/* Whether the raster stands in the figure, bit for bit but for its edge and marks; returns the
 * share of its pixels that do. */
static double share_found(const torre_image *figure, const torre_image *raster, int x, int y)
{
    int64_t same = 0;
    for (int j = 0; j < raster->height; j++)
        for (int i = 0; i < raster->width; i++)
            same +=
                memcmp(torre_image_at(figure, x + i, y + j), torre_image_at(raster, i, j), 3) == 0;
    return (double)same / ((double)raster->width * raster->height);
}

enum { LEFT = 84, TOP = 68 }; /* margins of frame.c */

static void test_plane(void **state)
{
    (void)state;
    static float cells[90 * 64];
    for (int i = 0; i < 90 * 64; i++) cells[i] = sinf(0.01f * (float)i);
    const torre_point point[2] = {{.position = {100, 0, 100}, .amplitude = 1},
                                  {.position = {300, 0, 200}, .amplitude = 1}};
    for (int style = 1; style <= 2; style++) {
        const torre_figure_about about = {.scale = style,
                                          .subject = "Wave",
                                          .across = 1,
                                          .source = point,
                                          .source_count = 1,
                                          .receiver = point + 1,
                                          .receiver_count = 1};
        torre_plane plane = {
            .size = {90, 64}, .spacing = {10, 10}, .precision = TORRE_F32, .cells = cells};
        torre_image figure, raster;
        assert_int_equal(
            torre_figure_plane(&about, &plane, 1, (torre_figure_time){7, 0.5}, &figure), TORRE_OK);
        assert_true((int64_t)3 * figure.width * figure.height <
                    torre_figure_plane_bytes(&about, &plane));
        plane.per_metre = style;
        assert_int_equal(torre_plane_draw(&plane, 1, &raster), TORRE_OK);
        assert_int_equal(raster.width, 900 * style);
        assert_true(share_found(&figure, &raster, LEFT * style, TOP * style) > 0.99);
        assert_true(figure.width > raster.width + 2 * LEFT * style);
        assert_true(ink(&figure, LEFT * style, 0, 400 * style, TOP * style) > 200);   /* title */
        assert_true(ink(&figure, 0, TOP * style, LEFT * style, figure.height) > 200); /* axis */
        const int below = TOP * style + raster.height + 2;
        assert_true(ink(&figure, 0, below, raster.width, figure.height) > 200); /* axis, legend */
        const int beside = LEFT * style + raster.width + 2;
        assert_true(ink(&figure, beside, TOP * style, figure.width, below) > 2000); /* colour bar */
        torre_image_free(&figure);
        torre_image_free(&raster);
    }
}

/* Values of every size, an empty field and one cell find their axes and bars. */
static void test_extremes(void **state)
{
    (void)state;
    const float cells[6] = {1, 2, 3, 4, 5, 6};
    const double velocity[6] = {1500, 1500, 1500, 1500, 1500, 1501};
    const int64_t size[][2] = {{1, 1}, {6, 1}, {1, 6}, {2, 3}};
    const double spacing[] = {1e-6, 1, 1e9}, scale[] = {0, 1e-30, 1e30};
    const torre_figure_about about = {.scale = 1, .subject = "Wave", .across = 2};
    for (int k = 0; k < 4 * 3 * 3; k++) {
        const int64_t *n = size[k % 4];
        const double h = spacing[k / 4 % 3];
        const torre_plane plane = {.size = {n[0], n[1]},
                                   .spacing = {h, h},
                                   .precision = TORRE_F32,
                                   .cells = cells,
                                   .velocity = velocity,
                                   .velocity_range = {1500, 1501}};
        torre_image figure;
        assert_int_equal(
            torre_figure_plane(&about, &plane, scale[k / 12], (torre_figure_time){0, 0}, &figure),
            TORRE_OK);
        assert_true(figure.width > 300 && figure.width < 1400);
        assert_true(figure.height > 200 && figure.height < 1000);
        torre_image_free(&figure);
    }
}

static void test_gather(void **state)
{
    (void)state;
    static float values[200 * 50];
    static torre_point receivers[200];
    for (int i = 0; i < 200; i++) {
        receivers[i].position[0] = 25.0 * i;
        values[50 * i + i / 4] = 1;
    }
    for (int traces = 1; traces <= 200; traces += 66) {
        const torre_figure_about about = {.scale = 1, .subject = "Shot", .source_count = 1};
        const torre_gather g = {.traces = traces,
                                .samples = 50,
                                .dt = 1e-3,
                                .precision = TORRE_F32,
                                .values = values,
                                .receivers = receivers,
                                .source = {{500, 0, 20}, 1}};
        torre_image figure;
        assert_int_equal(torre_figure_gather(&about, &g, &figure), TORRE_OK);
        assert_true(ink(&figure, 0, TOP, LEFT, figure.height) > 200);
        assert_true(ink(&figure, 0, figure.height - 60, figure.width, figure.height) > 100);
        assert_true(torre_figure_gather_bytes(&about, traces) >
                    (int64_t)3 * figure.width * figure.height);
        torre_image_free(&figure);
    }
}

/* A lone particle in a corner: where it is seen from above, and from the side. */
static void test_particles(void **state)
{
    (void)state;
    torre_md_particles p;
    assert_int_equal(torre_md_particles_new(1, &p), TORRE_OK);
    for (int a = 0; a < 3; a++) {
        p.box[a] = 10;
        p.position[a][0] = a == 2 ? 9 : 1;
        p.velocity[a][0] = 1;
    }
    for (int up = 1; up <= 2; up++) {
        const torre_figure_about about = {
            .scale = 1, .subject = "Gas", .right = 0, .up = up, .flat = true};
        torre_image figure;
        assert_int_equal(
            torre_figure_particles(&about, &p, 1, 2, (torre_figure_time){0, 0}, &figure), TORRE_OK);
        const int y = TOP + (up == 1 ? 576 : 64), other = TOP + (up == 1 ? 64 : 576);
        assert_true(ink(&figure, LEFT + 60, y - 4, LEFT + 68, y + 4) == 64);
        assert_true(ink(&figure, LEFT + 32, other - 32, LEFT + 96, other + 32) == 0);
        torre_image_free(&figure);
    }
    torre_md_particles_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_style),  cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_plane),  cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_gather), cmocka_unit_test(test_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
