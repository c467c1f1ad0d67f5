/* Runs said by a specification, without a program: what is chosen, what is refused, and that the
 * run is the one of the same problem made by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/wave_input.h"
#include "wave_case.h"

/* Marine: a plane of 30 x 20 cells, slow above, that belongs to the caller. */
static torre_wave_spec marine(torre_array *velocity)
{
    torre_wave_spec spec = torre_wave_spec_default();
    static float cells[30 * 20];
    for (int i = 0; i < 30 * 20; i++) cells[i] = i % 20 < 8 ? 1500 : 2500;
    *velocity = (torre_array){TORRE_F32, {30, 1, 20}, cells};
    spec.size[0] = 30;
    spec.size[1] = 20;
    spec.size[2] = 0;
    spec.velocity_cells = velocity;
    spec.order = 4;
    spec.boundary = "absorbing,z-=free";
    spec.absorbing_width = 4;
    spec.steps = 25;
    spec.source = "100,50;150,0,60,2";
    spec.receivers = "60,20:200,20:3";
    spec.backend = "cpu";
    return spec;
}

/* The same by hand; the wavelet is the caller's to free. */
static torre_wave_problem marine_problem(const torre_array *velocity, double **wavelet)
{
    static const torre_point sources[] = {{.position = {100, 0, 50}, .amplitude = 1},
                                          {.position = {150, 0, 60}, .amplitude = 2}},
                             receivers[] = {{.position = {60, 0, 20}, .amplitude = 1},
                                            {.position = {130, 0, 20}, .amplitude = 1},
                                            {.position = {200, 0, 20}, .amplitude = 1}};
    torre_wave_problem p = {.size = {30, 1, 20},
                            .spacing = {10, INFINITY, 10},
                            .order = 4,
                            .precision = TORRE_F32,
                            .steps = 25,
                            .velocity_cells = velocity,
                            .face = {{TORRE_ABSORBING, TORRE_ABSORBING},
                                     {TORRE_FREE, TORRE_FREE},
                                     {TORRE_FREE, TORRE_ABSORBING}},
                            .absorbing = TORRE_PML,
                            .absorbing_width = 4,
                            .sources = sources,
                            .source_count = 2,
                            .receivers = receivers,
                            .receiver_count = 3};
    p.dt = 0.9 * torre_wave_dt_limit(4, p.spacing, 2500);
    /* ten cells of 10 m in the wavelength of 1500 m/s */
    CHECK_OK(torre_wavelet_ricker(15, 1, p.dt, p.steps, wavelet));
    p.wavelet = *wavelet;
    return p;
}

static torre_array traces_of(torre_wave_run *run, int64_t steps)
{
    CHECK_OK(torre_wave_run_advance(run, steps, NULL));
    torre_array traces = *torre_wave_run_traces(run);
    const size_t bytes = (size_t)(traces.shape[0] * traces.shape[1]) * sizeof(float);
    void *copy = malloc(bytes);
    CHECK(copy, "memory");
    traces.data = memcpy(copy, traces.data, bytes);
    torre_wave_run_free(run);
    return traces;
}

static void same_run_as_by_hand(void **state)
{
    (void)state;
    torre_array velocity;
    torre_wave_spec spec = marine(&velocity);
    torre_wave_input *in;
    torre_wave_run *run;
    double *wavelet;
    CHECK_OK(torre_wave_input_new(&spec, &in));
    CHECK_OK(torre_wave_run_new(torre_wave_input_problem(in), spec.backend,
                                torre_wave_input_plan(in), &run));
    CHECK_OK(torre_wave_input_start(in, run));
    CHECK(!torre_wave_input_caution(in, 0), "says: %s", torre_wave_input_caution(in, 0));
    torre_array a = traces_of(run, spec.steps);
    torre_wave_problem p = marine_problem(&velocity, &wavelet);
    CHECK_OK(torre_wave_run_new(&p, "cpu", &(torre_wave_plan){.threads = 0}, &run));
    CHECK_OK(torre_wave_run_start(run, NULL, NULL));
    torre_array b = traces_of(run, spec.steps);
    CHECK(memcmp(a.shape, b.shape, sizeof a.shape) == 0 && a.shape[0] == 3 && a.shape[1] == 26,
          "shape of traces");
    CHECK(memcmp(a.data, b.data, 3 * 26 * sizeof(float)) == 0, "other traces");
    double most = 0;
    for (int i = 0; i < 3 * 26; i++) most = fmax(most, fabs((double)((float *)a.data)[i]));
    CHECK(most > 0, "silent traces");
    CHECK(in->points_per_wavelength == 10 && in->peak_frequency == 15 &&
              in->time.velocity_min == 1500,
          "%g cells at %g Hz", in->points_per_wavelength, in->peak_frequency);
    free(a.data);
    free(b.data);
    free(wavelet);
    torre_wave_input_free(in);
}

/* Points and a wavelet of the caller's instead of texts and files: the same run. */
static void same_run_from_arrays(void **state)
{
    (void)state;
    torre_array velocity, traces[2];
    torre_wave_spec spec = marine(&velocity), other = spec;
    double *wavelet;
    const torre_wave_problem p = marine_problem(&velocity, &wavelet);
    other.source = "1,2,3,4,5"; /* not read, as the next two */
    other.wavelet = "none.npy";
    other.receivers = "none.csv";
    other.source_points = p.sources;
    other.source_count = p.source_count;
    other.receiver_points = p.receivers;
    other.receiver_count = p.receiver_count;
    other.wavelet_samples = wavelet;
    other.wavelet_count = 12; /* shorter than the run: silent then */
    spec.amplitude = other.amplitude = -3;
    for (int given = 0; given < 2; given++) {
        torre_wave_input *in;
        torre_wave_run *run;
        CHECK_OK(torre_wave_input_new(given ? &other : &spec, &in));
        if (!given) memset(in->wavelet + 12, 0, 13 * sizeof(double));
        CHECK_OK(torre_wave_run_new(torre_wave_input_problem(in), "cpu", torre_wave_input_plan(in),
                                    &run));
        CHECK_OK(torre_wave_input_start(in, run));
        traces[given] = traces_of(run, spec.steps);
        torre_wave_input_free(in);
    }
    CHECK(memcmp(traces[0].data, traces[1].data, 3 * 26 * sizeof(float)) == 0, "other traces");
    wavelet[3] = NAN;
    torre_wave_input *in;
    torre_wave_run *run;
    CHECK_OK(torre_wave_input_new(&other, &in));
    CHECK(torre_wave_run_new(torre_wave_input_problem(in), "cpu", torre_wave_input_plan(in),
                             &run) != TORRE_OK,
          "a wavelet that is not finite");
    torre_wave_input_free(in);
    free(traces[0].data);
    free(traces[1].data);
    free(wavelet);
}

/* Fields that are made once count once, those of the host on a CPU. */
static void memory_is_counted(void **state)
{
    (void)state;
    torre_array velocity;
    torre_wave_spec spec = marine(&velocity);
    torre_wave_input in = {.noise = false};
    torre_wave_run *run;
    spec.initial = "noise";
    CHECK_OK(torre_wave_input_read(&spec, false, &in));
    CHECK_OK(torre_wave_run_new(&in.problem, "cpu", &in.plan, &run));
    const int64_t fields = 2 * 30 * 20 * 4;
    torre_wave_memory m = torre_wave_memory_count(&in, run, 100);
    CHECK(m.velocity == 0 && m.initial == fields && m.output == 100, "%lld of initial fields",
          (long long)m.initial);
    CHECK(m.host == m.solver + m.traces + fields, "%lld bytes in all", (long long)m.host);
    m = torre_wave_memory_count(&in, run, fields + 1);
    CHECK(m.host == m.solver + m.traces + fields + 1, "%lld with results", (long long)m.host);
    CHECK_OK(torre_wave_memory_check(&in, run, &m));
    m.host = INT64_MAX;
    CHECK(torre_wave_memory_check(&in, run, &m) == TORRE_ERR_RESOURCE, "all memory there is");
    torre_wave_run_free(run);
    torre_wave_input_clear(&in);
}

static void refused(torre_wave_spec spec, const char *text)
{
    torre_wave_input in = {.noise = false};
    torre_status status = torre_wave_input_read(&spec, false, &in);
    CHECK(status == TORRE_ERR_USAGE && strstr(torre_error_text(), text) == torre_error_text(),
          "status %d: %s", (int)status, status ? torre_error_text() : "accepted");
    torre_wave_input_clear(&in);
}

/* Errors call the members of the specification by their names. */
static void refusals(void **state)
{
    (void)state;
    torre_array velocity;
    torre_wave_spec spec = marine(&velocity), bad = spec;
    bad.time = (torre_time_step_wish){.dt = 1e-4, .courant = 0.1};
    refused(bad, "dt and courant exclude each other");
    bad.time = (torre_time_step_wish){.courant = 0.7};
    refused(bad, "courant 0.7 gives Courant number 0.7, unstable above 0.6124 at order 4: use "
                 "courant 0.6123 or less, or order 2 (or force)");
    bad.time = (torre_time_step_wish){.dt = 1};
    refused(bad, "dt 1 gives Courant number 250, unstable above 0.6124 at order 4: use dt <= ");
    bad = spec;
    bad.boundary = "absorbing,y=free";
    refused(bad, "boundary must be free, rigid, absorbing or periodic");
    bad.boundary = "x=free,x-=rigid";
    refused(bad, "boundary must be");
    bad = spec;
    bad.source = "1,2,3,4,5";
    refused(bad, "source must be");
    bad = spec;
    bad.snapshot_plane = "xy";
    refused(bad, "snapshot_plane must be xz");
    bad = spec;
    bad.velocity_cells = NULL;
    bad.velocity = "-3";
    refused(bad, "velocity must be a number of m/s above 0");
    bad = spec;
    for (int i = 0; i < 5; i++) {
        const char *const densities[] = {"0", "-1000", "nan", "inf", "heavy"};
        bad.density = densities[i];
        refused(bad, "density must be a number of kg/m^3 above 0");
    }
    bad.density = "1000";
    bad.density_cells = &velocity;
    velocity.shape[0]--;
    bad.velocity_cells = NULL;
    torre_wave_input *in;
    CHECK(torre_wave_input_new(&bad, &in) == TORRE_ERR_INPUT &&
              strncmp(torre_error_text(), "density has shape (29, 1, 20), the grid is 30x1x20",
                      50) == 0,
          "%s", torre_error_text());
}

/* dt of 0.9 of the limit, of a Courant number, as given, in whole microseconds, and forced. */
static void time_steps(void **state)
{
    (void)state;
    double *wavelet;
    torre_array velocity;
    marine(&velocity);
    torre_wave_problem p = marine_problem(&velocity, &wavelet);
    const double limit = torre_wave_dt_limit(4, p.spacing, 2500);
    torre_cautions cautions = {.count = 0};
    torre_time_step t;
    CHECK_OK(torre_time_step_choose(&p, &(torre_time_step_wish){.dt = 0}, &cautions, &t));
    CHECK(t.dt == 0.9 * limit && t.dt_limit == limit, "auto: %g", t.dt);
    CHECK_OK(torre_time_step_choose(&p, &(torre_time_step_wish){.courant = 0.25}, &cautions, &t));
    CHECK(t.dt == 0.25 * 10 / 2500 && t.courant == 0.25, "courant: %g", t.dt);
    CHECK_OK(torre_time_step_choose(
        &p, &(torre_time_step_wish){.courant = 0.12345, .whole_microseconds = true}, &cautions,
        &t));
    CHECK(t.dt == floor(0.12345 * 10 / 2500 * 1e6) / 1e6, "microseconds: %g", t.dt);
    CHECK_OK(torre_time_step_choose(
        &p, &(torre_time_step_wish){.dt = 1.5e-6, .whole_microseconds = true}, &cautions, &t));
    CHECK(t.dt == 1.5e-6 && cautions.count == 0, "as given: %g", t.dt);
    CHECK_OK(
        torre_time_step_choose(&p, &(torre_time_step_wish){.dt = 1, .force = true}, &cautions, &t));
    CHECK(t.dt == 1 && cautions.count == 1 && strstr(cautions.text[0], "above the limit"),
          "forced: %g", t.dt);
    CHECK(torre_round_down(0.123456) <= 0.123456 && torre_round_up(0.123456) >= 0.123456 &&
              fabs(torre_round_down(0.123456) - 0.1234) < 1e-12 &&
              fabs(torre_round_up(0.123456) - 0.1235) < 1e-12,
          "rounding of bounds");
    free(wavelet);
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_run_as_by_hand), cmocka_unit_test(same_run_from_arrays),
        cmocka_unit_test(memory_is_counted),   cmocka_unit_test(refusals),
        cmocka_unit_test(time_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
