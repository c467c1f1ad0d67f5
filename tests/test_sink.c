/*
 * Sinks of all formats: what they take and refuse, and that files are complete or not there. What
 * stands in the files is the matter of test_npy, test_segy, test_picture and test_particle_file.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "io/npy.h"
#include "io/sink.h"
#include "scratch.h"

enum { NX = 3, NZ = 4, CELLS = NX * NZ, SAMPLES = 5, PARTICLES = 2 };

static const torre_sink_kind kinds[] = {TORRE_SINK_FIELD, TORRE_SINK_PLANE, TORRE_SINK_TRACES,
                                        TORRE_SINK_PARTICLES, TORRE_SINK_ROWS};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Data and a frame of each kind. */
typedef struct sample {
    torre_sink_data data;
    torre_frame frame;
} sample;

static sample sample_of(torre_sink_kind kind, torre_md_particles *p)
{
    static const float values[CELLS] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};
    static const torre_point receivers[2] = {{.position = {0, 0, 0}, .amplitude = 1},
                                             {.position = {10, 0, 0}, .amplitude = 1}};
    static const char *const names[2] = {"step", "energy"};
    static const double row[2] = {12345678901, 0.1};
    sample s = {.data = {.kind = kind}};
    switch (kind) {
    case TORRE_SINK_FIELD:
    case TORRE_SINK_PLANE:
        s.data.field = (torre_field_layout){.precision = TORRE_F32,
                                            .dims = 2,
                                            .shape = {NX, NZ},
                                            .spacing = {5, 5},
                                            .axis = {0, 2}};
        s.frame.values = values;
        break;
    case TORRE_SINK_TRACES:
        s.data.traces = (torre_gather){.traces = 2,
                                       .samples = SAMPLES,
                                       .dt = 1e-3,
                                       .precision = TORRE_F32,
                                       .receivers = receivers};
        s.frame.values = values;
        s.frame.samples = SAMPLES;
        break;
    case TORRE_SINK_PARTICLES:
        s.data.particles = (torre_particle_layout){.about = {.units = "lj"}, .size = 1};
        s.frame.particles = p;
        s.frame.speed = 1;
        break;
    case TORRE_SINK_ROWS:
        s.data.table =
            (torre_table_layout){.columns = 2, .name = names, .digits = 9, .log = p == NULL};
        s.frame.row = row;
        break;
    }
    return s;
}

static torre_md_particles two_particles(void)
{
    torre_md_particles p;
    CHECK_OK(torre_md_particles_new(PARTICLES, &p));
    for (int a = 0; a < 3; a++) {
        p.box[a] = 10;
        for (int i = 0; i < PARTICLES; i++) p.position[a][i] = 2 + 5 * i;
    }
    return p;
}

/* Every format with every kind: refused with what would do, or written whole, or not at all. */
static void test_all(void **state)
{
    (void)state;
    torre_md_particles p = two_particles();
    for (int k = 0; k < KINDS; k++) {
        const char *names[TORRE_SINK_NAMES];
        torre_sink_names(kinds[k], names);
        CHECK(names[0], "nothing takes kind %d", (int)kinds[k]);
        const sample s = sample_of(kinds[k], &p);
        for (int i = 0; names[i]; i++) {
            const torre_sink_format *format = torre_sink_by_name(names[i]);
            char path[64];
            torre_sink *sink;
            snprintf(path, sizeof path, "a%s", torre_sink_ending(format));
            CHECK(torre_sink_by_ending(path, kinds[k], false) == format, "%s: another", path);
            if (torre_sink_check(format, &s.data)) continue; /* SEG-Y that is not in this build */
            CHECK_OK(torre_sink_open(format, &s.data, path, &sink));
            CHECK_OK(torre_sink_frame(sink, &s.frame));
            CHECK(access(path, F_OK) && scratch_entries() == 1, "%s is there before it is complete",
                  path);
            CHECK(torre_sink_finish(&sink, TORRE_ERR_UNSTABLE) == TORRE_ERR_UNSTABLE && !sink,
                  "%s: the failure is lost", path);
            CHECK(scratch_entries() == 0, "%s leaves something", path);
            CHECK_OK(torre_sink_write(format, &s.data, path, &s.frame));
            CHECK(!access(path, F_OK) && scratch_entries() == 1, "%s is not there", path);
            unlink(path);
        }
    }
    torre_md_particles_free(&p);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        torre_sink_kind kind;
        bool series;
        const char *text;
    } cases[] = {
        {"png", TORRE_SINK_FIELD, false,
         ".png files do not hold fields; .npy, .h5, .vtkhdf or .hdf5 files do"},
        {"npy", TORRE_SINK_PARTICLES, false,
         ".npy files do not hold particles; .png, .dump, .lammpstrj, .xyz, .extxyz or .data files "
         "do"},
        {"png", TORRE_SINK_PARTICLES, true,
         ".png files do not hold many frames of particles; .dump, .lammpstrj, .xyz or .extxyz "
         "files do"},
        {"csv", TORRE_SINK_TRACES, false,
         ".csv files do not hold traces; .npy, .sgy, .segy, .su or .png files do"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sample s = sample_of(cases[i].kind, NULL);
        s.data.series = cases[i].series;
        torre_sink *sink;
        CHECK(torre_sink_open(torre_sink_by_name(cases[i].name), &s.data, "a", &sink) ==
                      TORRE_ERR_USAGE &&
                  strcmp(torre_error_text(), cases[i].text) == 0,
              "%s", torre_error_text());
    }
    sample s = sample_of(TORRE_SINK_PARTICLES, NULL);
    s.data.particles.columns = 1;
    CHECK(torre_sink_check(torre_sink_by_name("lammps-data"), &s.data) == TORRE_ERR_USAGE,
          "LAMMPS data takes further columns");
    CHECK(!torre_sink_by_name("vtk") && scratch_entries() == 0, "refusals leave something");
}

/* A series is one array with a leading axis: as announced, stopped before, and without a frame. */
static void test_series(void **state)
{
    (void)state;
    enum { ANNOUNCED = 1000 };
    const int written[] = {ANNOUNCED, 9};
    sample s = sample_of(TORRE_SINK_PLANE, NULL);
    s.data.series = true;
    s.data.frames = ANNOUNCED;
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        torre_sink *sink;
        torre_array a;
        CHECK_OK(torre_sink_open(torre_sink_by_name("npy"), &s.data, "a.npy", &sink));
        for (int n = 0; n < written[i]; n++) CHECK_OK(torre_sink_frame(sink, &s.frame));
        CHECK(torre_sink_frames(sink) == written[i], "%d frames", (int)torre_sink_frames(sink));
        CHECK_OK(torre_sink_finish(&sink, TORRE_OK));
        CHECK_OK(torre_npy_read("a.npy", &a, NULL));
        CHECK(a.shape[0] == written[i] && a.shape[1] == NX && a.shape[2] == NZ, "%d frames",
              (int)a.shape[0]);
        for (int n = 0; n < written[i]; n++)
            CHECK(memcmp((float *)a.data + n * CELLS, s.frame.values, CELLS * sizeof(float)) == 0,
                  "frame %d", n);
        free(a.data);
        unlink("a.npy");
    }
}

/* Rows of a log are there at once, and stay; others are not. */
static void test_log(void **state)
{
    (void)state;
    const sample s = sample_of(TORRE_SINK_ROWS, NULL);
    char text[64] = "";
    torre_sink *sink;
    CHECK_OK(torre_sink_open(torre_sink_by_name("csv"), &s.data, "a.csv", &sink));
    CHECK(access("a.csv", F_OK), "the head alone is no log");
    CHECK_OK(torre_sink_frame(sink, &s.frame));
    torre_sink_discard(sink);
    FILE *in = fopen("a.csv", "r");
    CHECK(in, "the row is not there");
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    CHECK(strcmp(text, "step,energy\n12345678901,0.1\n") == 0, "%s", text);
    unlink("a.csv");
    CHECK(torre_sink_finish(&(torre_sink *){NULL}, TORRE_ERR_INPUT) == TORRE_ERR_INPUT, "lost");
    torre_sink_discard(NULL);
}

/* The title of a frame is the column of words, wherever that stands. */
static void test_words(void **state)
{
    (void)state;
    static const char *const name[] = {"a", "b", "c"};
    static const char *const wanted[] = {"a,b,c\n1,2.5,3\n", "a,b,c\nword,1,2.5\n",
                                         "a,b,c\n1,word,2.5\n", "a,b,c\n1,2.5,word\n"};
    for (int column = 0; column <= 3; column++) {
        const torre_sink_data data = {
            .kind = TORRE_SINK_ROWS,
            .table = {.columns = 3, .name = name, .text = column, .digits = 9}};
        const torre_frame frame = {.title = "word", .row = (const double[]){1, 2.5, 3}};
        char text[64] = "";
        CHECK_OK(torre_sink_write(torre_sink_by_name("csv"), &data, "a.csv", &frame));
        FILE *in = fopen("a.csv", "r");
        CHECK(in, "a.csv is not there");
        text[fread(text, 1, sizeof text - 1, in)] = 0;
        fclose(in);
        CHECK(strcmp(text, wanted[column]) == 0, "%s", text);
    }
    unlink("a.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_series), cmocka_unit_test(test_log),
                                       cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
