/* Pictures that are drawn at the end, in one scale, which suits all of them. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "core/array_value.h"
#include "io/field_picture.h"
#include "io/kept_frames.h"
#include "io/percentile.h"
#include "scratch.h"

enum { NX = 30, NZ = 40, CELLS = NX * NZ, FRAMES = 3 };

static const torre_figure_about bare = {.scale = 0};

static torre_sink_data plane(torre_precision precision, double scale)
{
    return (torre_sink_data){.kind = TORRE_SINK_PLANE,
                             .figure = &bare,
                             .field = {.precision = precision,
                                       .dims = 2,
                                       .shape = {NX, NZ},
                                       .spacing = {5, 5},
                                       .scale = scale}};
}

/* Frame n, weaker and weaker, zero in a part that shrinks. */
static void fill(torre_precision precision, int n, void *values)
{
    for (int i = 0; i < CELLS; i++) {
        const double v = i > (n + 1) * CELLS / FRAMES ? 0 : sin(0.1 * i) * pow(2, -n);
        if (precision == TORRE_F32)
            ((float *)values)[i] = (float)v;
        else
            ((double *)values)[i] = v;
    }
}

static void name(const char *kind, int n, char path[32])
{
    snprintf(path, 32, "%s%d.png", kind, n);
}

static void check_same_files(int n)
{
    char path[2][32], *text[2];
    size_t size[2];
    name("kept", n, path[0]);
    name("once", n, path[1]);
    for (int k = 0; k < 2; k++) {
        FILE *in = fopen(path[k], "rb");
        CHECK(in, "%s is not there", path[k]);
        text[k] = malloc(1 << 20);
        assert_non_null(text[k]);
        size[k] = fread(text[k], 1, 1 << 20, in);
        fclose(in);
        CHECK(unlink(path[k]) == 0, "%s", path[k]);
    }
    CHECK(size[0] == size[1] && memcmp(text[0], text[1], size[0]) == 0, "picture %d differs", n);
    free(text[0]);
    free(text[1]);
}

/* It is that of all values together, or one that leaves the strongest frame its 2 %; 0.4 % is what
 * magnitudes are known to. */
static void check_scale(torre_precision precision, const char *all, double scale, double of_all)
{
    int64_t most = 0, most_lower = 0;
    for (int n = 0; n < FRAMES; n++) {
        int64_t full = 0, full_lower = 0;
        for (int i = 0; i < CELLS; i++) {
            const double v = fabs(torre_value(precision, all, n * CELLS + i));
            full += v > scale * 1.004;
            full_lower += v > scale * 0.992;
        }
        most = full > most ? full : most;
        most_lower = full_lower > most_lower ? full_lower : most_lower;
    }
    CHECK(scale >= of_all, "%g is below that of all, %g", scale, of_all);
    CHECK(most <= TORRE_FRAME_FULL * CELLS, "%lld cells of a frame are cut", (long long)most);
    CHECK(scale == of_all || most_lower > TORRE_FRAME_FULL * CELLS, "%g is larger than it must be",
          scale);
}

static void check_precision(torre_precision precision)
{
    const torre_sink_format *png = torre_sink_by_name("png");
    const size_t bytes = CELLS * (size_t)precision;
    torre_kept_frames *kept;
    char *all = malloc(FRAMES * bytes), path[32], title[32];
    void *values = malloc(bytes);
    double scale;
    assert_true(all && values);
    const torre_sink_data data = plane(precision, 0);
    CHECK_OK(torre_kept_frames_new(".", &data.field, FRAMES, &kept));
    CHECK(torre_kept_frames_scale(kept) == 0, "a scale of nothing");
    for (int n = 0; n < FRAMES; n++) {
        fill(precision, n, all + (size_t)n * bytes);
        name("kept", n, path);
        snprintf(title, sizeof title, "frame %d", n);
        const torre_frame frame = {
            .step = n, .time = 0.1 * n, .title = title, .values = all + (size_t)n * bytes};
        CHECK_OK(torre_kept_frames_put(kept, path, &frame));
        CHECK(access(path, F_OK) != 0, "%s is there before the end", path);
        memset(path, 0, sizeof path); /* they are copied */
        memset(title, 0, sizeof title);
    }
    CHECK(torre_kept_frames_put(kept, "more.png", &(torre_frame){.title = "", .values = all}),
          "a frame without room");
    CHECK_OK(torre_percentile(precision, all, FRAMES * CELLS, TORRE_PLANE_COLORED, &scale));
    check_scale(precision, all, torre_kept_frames_scale(kept), scale);
    scale = torre_kept_frames_scale(kept);
    CHECK_OK(torre_kept_frames_draw(kept, png, &data, values));
    const torre_sink_data given = plane(precision, scale);
    for (int n = 0; n < FRAMES; n++) {
        name("once", n, path);
        snprintf(title, sizeof title, "frame %d", n);
        const torre_frame frame = {
            .step = n, .time = 0.1 * n, .title = title, .values = all + (size_t)n * bytes};
        CHECK_OK(torre_sink_write(png, &given, path, &frame));
        check_same_files(n);
    }
    torre_kept_frames_free(kept);
    free(all);
    free(values);
}

static void one_scale_of_all(void **state)
{
    (void)state;
    check_precision(TORRE_F32);
    check_precision(TORRE_F64);
}

static void nothing_is_left(void **state)
{
    (void)state;
    torre_kept_frames *kept = NULL;
    const torre_sink_data data = plane(TORRE_F32, 0);
    CHECK(torre_kept_frames_new("none", &data.field, 3, &kept) && !kept, "a folder that is not");
    float values[CELLS] = {0};
    CHECK_OK(torre_kept_frames_new(".", &data.field, 3, &kept));
    CHECK_OK(torre_kept_frames_put(kept, "a.png", &(torre_frame){.title = "", .values = values}));
    torre_kept_frames_free(kept);
    CHECK(access("a.png", F_OK) != 0, "a picture of a run that failed");
    torre_kept_frames_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_scale_of_all),
                                       cmocka_unit_test(nothing_is_left)};
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
