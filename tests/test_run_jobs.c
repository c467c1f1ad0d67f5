/* Runs and studies from what is asked for to their files, without a program. */
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

#include "locality/studies.h"
#include "run/particle_run.h"
#include "run/wave_job.h"
#include "scratch.h"

static int64_t lines_of(const char *path)
{
    FILE *f = fopen(path, "r");
    int64_t lines = 0;
    assert_non_null(f);
    for (int c; (c = getc(f)) != EOF;) lines += c == '\n';
    fclose(f);
    return lines;
}

static void count_row(void *context) { ++*(int *)context; }

static const torre_particle_wishes wishes = {
    .csv = "table.csv", .picture = "none", .front = "none", .title = "test", .output = "."};
static const torre_particle_means means = {.backend = "cpu", .ordering = "auto", .threads = 1};

/* A run of any kind: 10 steps, a row every 5, three rows in all. */
static void run_particles(torre_particle_spec spec, int64_t count)
{
    torre_saving saving = {.step = -1};
    int rows = 0;
    const torre_particle_watch watch = {.row = count_row, .context = &rows};
    spec.files = &wishes;
    spec.backend = means.backend;
    spec.steps = 10;
    spec.row_every = 5;
    spec.saving = &saving;
    torre_particle_run run = {.spec = spec};
    assert_int_equal(torre_particle_run_plan(&run), TORRE_OK);
    assert_int_equal(run.problem->count, count);
    assert_int_equal(torre_particle_run_particles(&run), TORRE_OK);
    assert_int_equal(torre_particle_run_open(&run), TORRE_OK);
    assert_int_equal(torre_particle_run_start(&run, &watch), TORRE_OK);
    assert_int_equal(torre_particle_run_advance(&run, &watch), TORRE_OK);
    assert_int_equal(torre_particle_run_finish(&run), TORRE_OK);
    assert_int_equal(run.md->step, 10);
    torre_particle_run_close(&run);
    assert_int_equal(rows, 3);
    assert_int_equal(lines_of("table.csv"), 4); /* and the head */
    assert_int_equal(unlink("table.csv"), 0);
    assert_int_equal(scratch_entries(), 0);
}

static void test_particles(void **state)
{
    (void)state;
    torre_pair_spec lj = {.model = TORRE_PAIR_lj,
                          .pair.lj = {.epsilon = 1, .sigma = 1},
                          .frame = -1,
                          .cutoff = 2.5,
                          .temperature = 1.44,
                          .dt = 0.005,
                          .seed = 1,
                          .cells = {4, 4, 4},
                          .density = 0.8442,
                          .target_temperature = -1,
                          .damping_time = 1};
    torre_pair_spec beads = lj;
    const torre_fluid_spec water = {.dam = {.tank = {.dims = 2,
                                                     .spacing = 0.02,
                                                     .column = {0.1, 0.2},
                                                     .size = {0.4, 0.4, 0.08}},
                                            .density = 1000,
                                            .viscosity = 1e-6,
                                            .gravity = 9.81,
                                            .surface = 0.97},
                                    .time = 1,
                                    .means = means};
    assert_int_equal(torre_particle_plan(&means, &lj.plan), TORRE_OK);
    lj.plan.skin = 0.3;
    lj.precision = TORRE_MD_F64;
    beads.model = TORRE_PAIR_granular;
    beads.plan = lj.plan;
    beads.precision = TORRE_MD_F64;
    beads.granular = (torre_granular){.size = {8, 8, 8},
                                      .diameter = 1e-3,
                                      .mass = 1.3e-6,
                                      .stiffness = 1000,
                                      .restitution = 0.8,
                                      .wall_restitution = 0.9,
                                      .filling = 0.2,
                                      .temperature = 0.01,
                                      .sweeps = 2};
    run_particles((torre_particle_spec){.kind = &torre_pair_runs, .pairs = &lj}, 256);
    run_particles((torre_particle_spec){.kind = &torre_pair_runs, .pairs = &beads},
                  195); /* 0.2 * 8^3 / (pi / 6) */
    torre_particle_run tank = {
        .spec = {.kind = &torre_fluid_runs, .fluid = &water, .steps = -1, .row_every = -1}};
    torre_saving none = {.step = -1};
    tank.spec.files = &wishes;
    tank.spec.backend = "cpu";
    tank.spec.saving = &none;
    assert_int_equal(torre_particle_run_plan(&tank), TORRE_OK); /* as its time says, 100 rows */
    assert_true((double)tank.spec.steps * tank.problem->dt >= 1);
    assert_true((double)(tank.spec.steps - 1) * tank.problem->dt < 1);
    assert_int_equal(tank.spec.row_every, (tank.spec.steps + 99) / 100);
    const int64_t count = tank.problem->count;
    torre_particle_run_close(&tank);
    run_particles((torre_particle_spec){.kind = &torre_fluid_runs, .fluid = &water}, count);
}

/* A table and a checkpoint cannot be one file, and nothing is left where that was asked for. */
static void test_names(void **state)
{
    (void)state;
    torre_pair_spec lj = {.model = TORRE_PAIR_lj,
                          .pair.lj = {.epsilon = 1, .sigma = 1},
                          .frame = -1,
                          .cutoff = 2.5,
                          .dt = 0.005,
                          .cells = {4, 4, 4},
                          .density = 0.8442,
                          .target_temperature = -1,
                          .damping_time = 1,
                          .precision = TORRE_MD_F64};
    torre_saving saving = {.file = "./table.csv", .step = -1};
    torre_particle_run run = {.spec = {.kind = &torre_pair_runs,
                                       .pairs = &lj,
                                       .files = &wishes,
                                       .backend = "cpu",
                                       .saving = &saving}};
    assert_int_equal(torre_particle_run_plan(&run), TORRE_ERR_USAGE);
    assert_non_null(strstr(torre_error_text(), "table.csv"));
    torre_particle_run_close(&run);
    assert_int_equal(scratch_entries(), 0);
}

static bool stop_at_once(void *context)
{
    (void)context;
    return true;
}

static void run_wave(torre_wave_spec *spec, torre_saving *saving, bool stop)
{
    torre_wave_job job = {.spec = spec, .saving = saving};
    const torre_wave_job_watch watch = {.stop = stop ? stop_at_once : NULL};
    assert_int_equal(torre_wave_job_read(&job, false), TORRE_OK);
    assert_int_equal(torre_wave_job_plan(&job), TORRE_OK);
    assert_int_equal(torre_wave_job_prepare(&job), TORRE_OK);
    assert_true(job.memory.host > 0);
    assert_int_equal(torre_wave_job_open(&job), TORRE_OK);
    assert_int_equal(torre_wave_job_start(&job), TORRE_OK);
    assert_int_equal(torre_wave_job_advance(&job, &watch), TORRE_OK);
    assert_true((torre_wave_run_step(job.run) < spec->steps) == stop);
    assert_int_equal(torre_wave_job_finish(&job), TORRE_OK);
    torre_wave_job_close(&job);
}

static char *contents(const char *path, long *bytes)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *bytes = ftell(f);
    rewind(f);
    char *text = malloc((size_t)*bytes);
    assert_true(text && fread(text, 1, (size_t)*bytes, f) == (size_t)*bytes);
    fclose(f);
    return text;
}

/* A run that is stopped, and goes on from its checkpoint, ends with the field of one that was not.
 */
static void test_wave(void **state)
{
    (void)state;
    torre_wave_spec spec = torre_wave_spec_default();
    torre_saving never = {.step = -1}, last = {.file = "state", .step = -1},
                 resumed = {.resume = "state", .step = -1};
    long bytes[2];
    const int64_t size[3] = {24, 20, 30};
    memcpy(spec.size, size, sizeof size);
    spec.size_of_file = false;
    spec.backend = "cpu";
    spec.steps = 200;
    spec.snapshot_every = 0;
    spec.field = "whole.npy";
    run_wave(&spec, &never, false);
    spec.field = "parts.npy";
    run_wave(&spec, &last, true);
    run_wave(&spec, &resumed, false);
    char *whole = contents("whole.npy", &bytes[0]), *parts = contents("parts.npy", &bytes[1]);
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(whole, parts, (size_t)bytes[0]);
    free(whole);
    free(parts);
    unlink("whole.npy");
    unlink("parts.npy");
    unlink("state");
    assert_int_equal(scratch_entries(), 0);
}

/* A study leaves a report, rows and a script; one that fails leaves nothing. */
static void test_study(void **state)
{
    (void)state;
    torre_offsets_study offsets = {.within = "1,400"};
    torre_study study = {.kind = &torre_study_offsets,
                         .options = &offsets,
                         .ordering = "row-major,hilbert",
                         .size = {8, 0, 0},
                         .reach = 1,
                         .csv_file = "o.csv"};
    bool drawn;
    assert_int_equal(torre_study_finish(&study, torre_study_run(&study)), TORRE_OK);
    assert_int_equal(study.count, 2);
    assert_non_null(study.report);
    assert_int_equal(torre_study_draw(&study, &drawn), TORRE_OK);
    assert_true(drawn); /* no picture was asked for */
    torre_report_free(study.report);
    assert_true(lines_of("o.csv") > 3);
    assert_true(lines_of("o.gp") > 3);
    unlink("o.csv");
    unlink("o.gp");
    offsets = (torre_offsets_study){.within = "1,x"};
    torre_study bad = {.kind = &torre_study_offsets,
                       .options = &offsets,
                       .ordering = "hilbert",
                       .size = {8, 0, 0},
                       .reach = 1,
                       .csv_file = "o.csv"};
    assert_int_equal(torre_study_finish(&bad, torre_study_run(&bad)), TORRE_ERR_USAGE);
    assert_non_null(strstr(torre_error_text(), "within must be")); /* not yet called an option */
    assert_null(bad.report);
    assert_int_equal(scratch_entries(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_particles),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_wave),
        cmocka_unit_test(test_study),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
