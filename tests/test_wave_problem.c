/* Illegal problems are refused, with the status and the name of what is wrong. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/boundary.h"
#include "wave_case.h"

static double samples[4] = {0, 1, 0, 0};
static torre_point source = {.position = {10, 20, 30}, .amplitude = 1},
                   receiver = {.position = {10, 20, 30}, .amplitude = NAN}; /* NAN: unused */
static double speeds[4 * 5 * 6];
static torre_array model = {TORRE_F64, {4, 5, 6}, speeds};

/* A legal problem using everything. */
static torre_wave_problem legal(void)
{
    torre_wave_problem p = wave_case_problem(4, 5, 6, 8);
    for (int i = 0; i < 4 * 5 * 6; i++) speeds[i] = 1500 + i;
    model = (torre_array){TORRE_F64, {4, 5, 6}, speeds};
    source = (torre_point){.position = {10, 20, 30}, .amplitude = 1};
    memset(samples, 0, sizeof samples);
    p.steps = 4;
    p.velocity_cells = &model;
    p.sources = &source;
    p.receivers = &receiver;
    p.source_count = p.receiver_count = 1;
    p.wavelet = samples;
    p.face[0][1] = TORRE_ABSORBING;
    p.face[2][0] = p.face[2][1] = TORRE_PERIODIC;
    return p;
}

static void refuse(const torre_wave_problem *p, torre_status wanted, const char *word)
{
    torre_status status = torre_wave_problem_check(p);
    const char *text = torre_error_text();
    CHECK(status == wanted, "%s: status %d, not %d (%s)", word, (int)status, (int)wanted, text);
    CHECK(strstr(text, word) && !strchr(text, '\n'), "'%s' does not name %s in one line", text,
          word);
}

#define REFUSE(status, word, change)                                                               \
    do {                                                                                           \
        torre_wave_problem p = legal();                                                            \
        change;                                                                                    \
        refuse(&p, status, word);                                                                  \
    } while (0)

static void faces_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {[TORRE_FREE] = "free",
                                        [TORRE_RIGID] = "rigid",
                                        [TORRE_ABSORBING] = "absorbing",
                                        [TORRE_PERIODIC] = "periodic"};
    for (int f = 0; f < 4; f++) {
        torre_face face = (torre_face)9;
        CHECK(strcmp(torre_face_name((torre_face)f), names[f]) == 0, "%s", names[f]);
        CHECK(torre_face_by_name(names[f], &face) && (int)face == f, "%s is %d", names[f],
              (int)face);
    }
    torre_face face;
    CHECK(!torre_face_by_name("hard", &face), "there is no hard face");
}

static void the_legal_problem_is_accepted(void **state)
{
    (void)state;
    torre_wave_problem p = legal();
    CHECK_OK(torre_wave_problem_check(&p));
    model.shape[1] = 1; /* extended along y */
    CHECK_OK(torre_wave_problem_check(&p));
    p.velocity = -1; /* not used beside an array */
    CHECK_OK(torre_wave_problem_check(&p));
    p.steps = 0;
    p.wavelet = NULL; /* nor a wavelet without steps */
    CHECK_OK(torre_wave_problem_check(&p));
    p.size[0] = p.size[1] = p.size[2] = 1;
    p.velocity_cells = NULL;
    p.velocity = 1e-3;
    memset(source.position, 0, sizeof source.position);
    p.receiver_count = 0;
    CHECK_OK(torre_wave_problem_check(&p));
    /* the last node, as its position rounds */
    p = legal();
    p.spacing[1] = 0.1;
    source.position[1] = 0.1 + 0.1 + 0.1 + 0.1;
    p.receiver_count = 0;
    CHECK_OK(torre_wave_problem_check(&p));
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    for (int order = -1; order < TORRE_MAX_ORDER + 3; order++)
        if (order < 2 || order > TORRE_MAX_ORDER || order % 2)
            REFUSE(TORRE_ERR_USAGE, "order", p.order = order);
    REFUSE(TORRE_ERR_USAGE, "precision", p.precision = (torre_precision)2);
    for (int a = 0; a < 3; a++) {
        const int64_t sizes[] = {0, -1, INT64_MIN};
        const double lengths[] = {0, -1, NAN, INFINITY, -INFINITY, 1e-200, 1e200};
        for (int i = 0; i < 3; i++) REFUSE(TORRE_ERR_USAGE, "size", p.size[a] = sizes[i]);
        for (int i = 0; i < 7; i++) REFUSE(TORRE_ERR_USAGE, "spacing", p.spacing[a] = lengths[i]);
    }
    REFUSE(TORRE_ERR_USAGE, "overflow", p.size[0] = INT64_MAX);
    REFUSE(TORRE_ERR_USAGE, "overflow", p.size[0] = p.size[1] = p.size[2] = (int64_t)1 << 20);
    REFUSE(TORRE_ERR_USAGE, "overflow", p.size[0] = p.size[2] = (int64_t)1 << 32);
    const double times[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) REFUSE(TORRE_ERR_USAGE, "dt", p.dt = times[i]);
    REFUSE(TORRE_ERR_USAGE, "steps", p.steps = -1);
}

static void bad_velocities_are_refused(void **state)
{
    (void)state;
    const double bad[] = {0, -1500, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        REFUSE(TORRE_ERR_USAGE, "velocity", (p.velocity_cells = NULL, p.velocity = bad[i]));
        REFUSE(TORRE_ERR_INPUT, "(3, 4, 5)", speeds[4 * 5 * 6 - 1] = bad[i]);
        REFUSE(TORRE_ERR_INPUT, "(1, 0, 0)", speeds[5 * 6] = bad[i]);
    }
    for (int a = 0; a < 3; a++) {
        REFUSE(TORRE_ERR_INPUT, "shape", model.shape[a]++);
        REFUSE(TORRE_ERR_INPUT, "shape", model.shape[a] = 0);
    }
    REFUSE(TORRE_ERR_INPUT, "shape", model.shape[0] = 1);
    REFUSE(TORRE_ERR_USAGE, "velocity", model.data = NULL);
    REFUSE(TORRE_ERR_USAGE, "velocity", model.precision = (torre_precision)3);
}

static void bad_densities_are_refused(void **state)
{
    (void)state;
    const double bad[] = {0, -1000, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++)
        REFUSE(TORRE_ERR_INPUT, "density at cell (1, 0, 0)",
               (p.velocity_cells = NULL, p.density_cells = &model, speeds[5 * 6] = bad[i]));
    REFUSE(TORRE_ERR_INPUT, "density has shape",
           (p.velocity_cells = NULL, p.density_cells = &model, model.shape[2]++));
    REFUSE(TORRE_ERR_USAGE, "density",
           (p.velocity_cells = NULL, p.density_cells = &model, model.data = NULL));
}

static void bad_faces_are_refused(void **state)
{
    (void)state;
    REFUSE(TORRE_ERR_USAGE, "periodic", p.face[2][0] = TORRE_FREE);
    REFUSE(TORRE_ERR_USAGE, "periodic", p.face[1][1] = TORRE_PERIODIC);
    REFUSE(TORRE_ERR_USAGE, "boundary", p.face[1][1] = (torre_face)4);
    REFUSE(TORRE_ERR_USAGE, "boundary", p.face[1][0] = (torre_face)-1);
    REFUSE(TORRE_ERR_USAGE, "width", p.absorbing_width = 0);
    torre_wave_problem p = legal();
    p.face[0][1] = TORRE_FREE;
    p.absorbing_width = 0; /* not used without absorbing faces */
    CHECK_OK(torre_wave_problem_check(&p));
}

static void bad_points_are_refused(void **state)
{
    (void)state;
    for (int a = 0; a < 3; a++) {
        double top = (double)(legal().size[a] - 1) * 10;
        const double outside[] = {-1e-6, top + 1e-6, NAN, INFINITY, -INFINITY, 1e300};
        for (int i = 0; i < 6; i++) {
            torre_point far = {.position = {0, 0, 0}, .amplitude = 0};
            far.position[a] = outside[i];
            REFUSE(TORRE_ERR_USAGE, "source 0", source.position[a] = outside[i]);
            REFUSE(TORRE_ERR_USAGE, "receiver 0", p.receivers = &far);
        }
    }
    const double bad[] = {NAN, INFINITY};
    for (int i = 0; i < 2; i++) {
        REFUSE(TORRE_ERR_USAGE, "amplitude", source.amplitude = bad[i]);
        REFUSE(TORRE_ERR_USAGE, "wavelet sample 3", samples[3] = bad[i]);
    }
    REFUSE(TORRE_ERR_USAGE, "wavelet", p.wavelet = NULL);
    REFUSE(TORRE_ERR_USAGE, "source", p.sources = NULL);
    REFUSE(TORRE_ERR_USAGE, "source", p.source_count = -1);
    REFUSE(TORRE_ERR_USAGE, "source", p.source_count = INT64_MAX);
    REFUSE(TORRE_ERR_USAGE, "receiver", p.receivers = NULL);
    REFUSE(TORRE_ERR_USAGE, "receiver", p.receiver_count = INT64_MIN);
}

static void velocities_are_found(void **state)
{
    (void)state;
    torre_wave_problem p = legal();
    double low, high;
    torre_wave_velocity_range(&p, &low, &high);
    CHECK(low == 1500 && high == 1500 + 119, "range %g to %g", low, high);
    CHECK(torre_wave_velocity_at(&p, 3, 4, 5) == 1500 + 119, "last cell");
    speeds[0] = 9000;
    speeds[4 * 5 * 6 - 1] = 100;
    torre_wave_velocity_range(&p, &low, &high);
    CHECK(low == 100 && high == 9000, "range %g to %g, first and last cell", low, high);
    CHECK(torre_wave_velocity_at(&p, 1, 2, 3) == 1500 + 30 + 12 + 3, "cell (1, 2, 3)");
    float plane[4 * 6];
    for (int i = 0; i < 4 * 6; i++) plane[i] = (float)(1000 + i);
    model = (torre_array){TORRE_F32, {4, 1, 6}, plane};
    CHECK(torre_wave_velocity_at(&p, 1, 4, 3) == 1009, "extended along y");
}

/* Of several velocities that are none, the first is named, whatever is wrong with it. */
static void bad_velocities_are_found(void **state)
{
    (void)state;
    const double bad[] = {0, -0.0, -1, NAN, -NAN, INFINITY, -INFINITY};
    enum { KINDS = sizeof bad / sizeof bad[0], CELLS = 40 * 30 * 20 };
    float *f32 = wave_alloc(CELLS, sizeof *f32);
    double *f64 = wave_alloc(CELLS, sizeof *f64);
    for (int i = 0; i < CELLS; i++) f32[i] = (float)(f64[i] = 1e-30 + i);
    const torre_array arrays[] = {{TORRE_F32, {40, 30, 20}, f32}, {TORRE_F64, {40, 30, 20}, f64}};
    for (int a = 0; a < 2; a++) {
        const torre_array *v = &arrays[a];
        CHECK(torre_wave_medium_bad(v) == -1, "good velocities are refused");
        for (int k = 0; k < KINDS; k++)
            for (int64_t first = 0; first < CELLS; first += 1999) {
                const double kept = torre_value(v->precision, v->data, first);
                torre_value_set(v->precision, v->data, CELLS - 1, bad[(k + 1) % KINDS]);
                torre_value_set(v->precision, v->data, first, bad[k]);
                CHECK(torre_wave_medium_bad(v) == first, "%g in cell %d: %d", bad[k], (int)first,
                      (int)torre_wave_medium_bad(v));
                torre_value_set(v->precision, v->data, first, kept);
                torre_value_set(v->precision, v->data, CELLS - 1, 1);
            }
    }
    free(f32);
    free(f64);
}

/* Every rule for ghosts against the odd and even continuation it stands for. */
static void ghosts_continue_the_field(void **state)
{
    (void)state;
    torre_ghost g = torre_ghost_find(-3, 10, TORRE_FREE, TORRE_FREE);
    CHECK(g.source == 1 && g.sign == -1, "free: u(-3) = -u(1)");
    g = torre_ghost_find(-1, 10, TORRE_ABSORBING, TORRE_FREE);
    CHECK(g.sign == 0, "absorbing: u(-1) = 0");
    g = torre_ghost_find(12, 10, TORRE_FREE, TORRE_RIGID);
    CHECK(g.source == 7 && g.sign == 1, "rigid: u(12) = u(7)");
    g = torre_ghost_find(-13, 10, TORRE_PERIODIC, TORRE_PERIODIC);
    CHECK(g.source == 7 && g.sign == 1, "periodic: u(-13) = u(7)");
    for (int low = 0; low < 2; low++)
        for (int high = 0; high < 2; high++)
            for (int64_t n = 1; n < 6; n++)
                for (int64_t m = 0; m < n; m++) {
                    torre_face f[2] = {low ? TORRE_RIGID : TORRE_FREE,
                                       high ? TORRE_RIGID : TORRE_FREE};
                    double mode[6], k = wave_mode(n, f[0], f[1], m, mode);
                    for (int64_t i = -12; i < 18; i++) { /* several reflections */
                        g = torre_ghost_find(i, n, f[0], f[1]);
                        double x = (double)i + (low ? 0.5 : 1);
                        double wanted = low ? cos(k * x) : sin(k * x);
                        CHECK(fabs(g.sign * mode[g.source] - wanted) < 1e-13,
                              "faces %d %d, n %lld, mode %lld, index %lld", low, high, (long long)n,
                              (long long)m, (long long)i);
                    }
                }
}

/*
 * The damping profile: q (c/h) (1 - x)^q / (d + 1), counted from either face, c the largest
 * velocity among the layer's own cells, cut where the axis ends.
 */
static void damping_has_its_profile(void **state)
{
    (void)state;
    static double layered[30];
    for (int i = 0; i < 30; i++) layered[i] = i < 20 ? 1000 : 3000;
    const torre_array fast_end = {TORRE_F64, {30, 1, 1}, layered};
    torre_wave_problem p = wave_case_problem(30, 7, 1, 2);
    p.velocity_cells = &fast_end;
    p.face[0][0] = p.face[0][1] = p.face[1][1] = TORRE_ABSORBING;
    p.absorbing_width = 10;
    double s[30];
    torre_damping_profile(&p, 0, s);
    for (int i = 0; i < 30; i++) {
        int d = i < 15 ? i : 29 - i;
        double c = i < 15 ? 1000 : 3000, x = (d + 1) / 11.0;
        double wanted = d < 10 ? 0.75 * c / 10 * pow(1 - x, 0.75) / (d + 1) : 0;
        CHECK(fabs(s[i] - wanted) <= 1e-14 * wanted, "cell %d: %g, not %g", i, s[i], wanted);
    }
    p.absorbing_width = 40; /* wider than the axis, q = 1.5 */
    torre_damping_profile(&p, 1, s);
    for (int i = 0; i < 7; i++) {
        double wanted = 1.5 * 3000 / 10 * pow(1 - (7 - i) / 41.0, 1.5) / (7 - i);
        CHECK(fabs(s[i] - wanted) <= 1e-14 * wanted, "cell %d: %g, not %g", i, s[i], wanted);
    }
}

/*
 * c of a layer is the largest velocity of its cells, wherever in it: of the first plane, the last
 * or one between, on either side of every axis, and no faster cell beside the layer counts. The
 * layer may leave one cell of the axis, or none, or end behind it.
 */
static void layers_find_their_largest_velocity(void **state)
{
    (void)state;
    enum { N = 9 };
    static double c[N * N * N];
    const torre_array cells = {TORRE_F64, {N, N, N}, c};
    const int widths[] = {4, N - 1, N, N + 3};
    torre_wave_problem p = wave_case_problem(N, N, N, 2);
    p.velocity_cells = &cells;
    for (int w = 0; w < 4; w++)
        for (int i = 0; i < 6 * N; i++) {
            const int axis = i / N / 2, side = i / N % 2, depth = i % N, width = widths[w];
            int64_t at[3] = {3, 8, 5};
            double s[N];
            at[axis] = side ? N - 1 - depth : depth;
            for (int k = 0; k < N * N * N; k++) c[k] = 1000;
            c[(at[0] * N + at[1]) * N + at[2]] = 4000;
            memset(p.face, 0, sizeof p.face);
            p.face[axis][side] = TORRE_ABSORBING;
            p.absorbing_width = width;
            torre_damping_profile(&p, axis, s);
            const double top = depth < width ? 4000 : 1000, q = fmax(0.75, 0.5 + width / 40.);
            const double wanted = q * top / 10 * pow(1 - 1.0 / (width + 1), q);
            const double got = s[side ? N - 1 : 0];
            CHECK(fabs(got - wanted) <= 1e-14 * wanted,
                  "width %d, axis %d, side %d, depth %d: s = %g at the face, not %g", width, axis,
                  side, depth, got, wanted);
            for (int d = width; d < N; d++)
                CHECK(s[side ? N - 1 - d : d] == 0, "width %d, axis %d, side %d: cell %d is damped",
                      width, axis, side, d);
        }
}

/* Layers of both faces add where they meet, and q is 3 at most. */
static void layers_meet(void **state)
{
    (void)state;
    enum { N = 9 };
    const int width = 200; /* 0.5 + 5 */
    double s[N];
    torre_wave_problem p = wave_case_problem(4, N, 5, 2);
    p.face[1][0] = p.face[1][1] = TORRE_ABSORBING;
    p.absorbing_width = width;
    torre_damping_profile(&p, 1, s);
    for (int i = 0; i < N; i++) {
        const int from_face[2] = {i, N - 1 - i};
        double wanted = 0;
        for (int side = 0; side < 2; side++) {
            const double d = from_face[side];
            wanted += 3 * 1500. / 10 * pow(1 - (d + 1) / (width + 1), 3) / (d + 1);
        }
        CHECK(fabs(s[i] - wanted) <= 1e-13 * wanted, "cell %d: %g, not %g", i, s[i], wanted);
    }
}

/* What a source adds to a cell in a step has to be a number of the precision, whatever its sign. */
static void sources_may_be_as_strong_as_numbers(void **state)
{
    (void)state;
    for (int w = 4; w <= 8; w += 4)
        for (int sign = -1; sign <= 1; sign += 2) {
            torre_wave_problem p = legal();
            const double most = w == 4 ? (double)FLT_MAX : DBL_MAX;
            p.precision = (torre_precision)w;
            samples[1] = sign * 0.5;
            p.dt = 1e3; /* so that an amplitude can be too large in f64, too */
            source.amplitude = most / torre_wave_source_scale(&p) * 1.98;
            CHECK_OK(torre_wave_problem_check(&p));
            source.amplitude = most / torre_wave_source_scale(&p) * 2.02;
            refuse(&p, TORRE_ERR_USAGE, "source 0 is too strong");
        }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_have_names),
        cmocka_unit_test(the_legal_problem_is_accepted),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(bad_velocities_are_refused),
        cmocka_unit_test(bad_densities_are_refused),
        cmocka_unit_test(bad_faces_are_refused),
        cmocka_unit_test(bad_points_are_refused),
        cmocka_unit_test(velocities_are_found),
        cmocka_unit_test(bad_velocities_are_found),
        cmocka_unit_test(ghosts_continue_the_field),
        cmocka_unit_test(damping_has_its_profile),
        cmocka_unit_test(layers_find_their_largest_velocity),
        cmocka_unit_test(layers_meet),
        cmocka_unit_test(sources_may_be_as_strong_as_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
