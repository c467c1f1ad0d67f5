/* Ceilings, the model, the sweep and its files, recommendations, doctor's comparison. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "roofline/doctor.h"
#include "roofline/engine_compare.h"
#include "roofline/md_sweep.h"
#include "roofline/measured_bytes.h"
#include "roofline/roofline_plot.h"
#include "roofline/sweep_csv.h"
#include "roofline/sweep_list.h"
#include "roofline/sweep_summary.h"
#include "scratch.h"
#include "torre/status.h"
#include "wave/cpu/backend_cpu.h"
#include "wave/driver.h"
#include "wave/tune_file.h"

static int leave(void **state)
{
    static const char *const names[] = {"sweep.csv", "tune.csv",    "bytes.csv",    "points.dat",
                                        "rates.gp",  "roofline.gp", "roofline.png", "roofline.svg",
                                        "rates.png", "rates.svg",   "tiles.csv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unlink(names[i]);
    return scratch_leave(state);
}

static void test_median(void **state)
{
    (void)state;
    double odd[] = {5, 1, 3}, even[] = {4, 1, 2, 9};
    assert_true(torre_median(odd, 3) == 3);
    assert_true(torre_median(even, 4) == 3);
}

static void test_ceilings(void **state)
{
    (void)state;
    torre_machine m;
    assert_null(torre_meter_find("abacus"));
    const torre_meter_kind *cpu = torre_meter_find("cpu");
    assert_int_equal(torre_ceilings_measure(cpu, 1, 0, 2, NULL, NULL, &m), TORRE_ERR_USAGE);
    assert_int_equal(torre_ceilings_measure(cpu, 1, 0, 3, NULL, NULL, &m), TORRE_OK);
    assert_string_equal(m.backend, "cpu");
    assert_int_equal(m.threads, 1);
    for (int id = 0; id < TORRE_CEILING_COUNT; id++) {
        const torre_ceiling *c = &m.ceiling[id];
        assert_true(c->low <= c->median && c->median <= c->high);
        assert_true((c->repetitions == 3 && c->low > 0) || (c->repetitions == 0 && c->high == 0));
        for (int k = 0; k < id; k++)
            assert_string_not_equal(torre_ceiling_name((torre_ceiling_id)id),
                                    torre_ceiling_name((torre_ceiling_id)k));
    }
    assert_true(m.ceiling[TORRE_DRAM_MIX].repetitions && m.ceiling[TORRE_F64_STENCIL].repetitions);
    assert_false(m.ceiling[TORRE_HOST_TO_DEVICE].repetitions);
}

static bool stop_at_once(const torre_machine *machine, torre_ceiling_id id, void *context)
{
    (void)machine, (void)id, (void)context;
    return false;
}

static void test_ceilings_stop(void **state)
{
    (void)state;
    torre_machine m;
    assert_int_equal(
        torre_ceilings_measure(torre_meter_find("cpu"), 1, 0, 3, stop_at_once, NULL, &m),
        TORRE_STOPPED);
}

static double made_up_rate;
static const torre_meter_kind made_up_kind;

static torre_status made_up_open(int threads, int device, torre_machine *machine,
                                 torre_meter **meter)
{
    static torre_meter made_up;
    (void)threads, (void)device, (void)machine;
    made_up.kind = &made_up_kind;
    *meter = &made_up;
    return TORRE_OK;
}

static bool made_up_has(const torre_meter *meter, torre_ceiling_id id)
{
    (void)meter;
    return id == TORRE_DRAM_MIX;
}

static torre_status made_up_sample(torre_meter *meter, torre_ceiling_id id, double *rate)
{
    (void)meter, (void)id;
    *rate = made_up_rate;
    return TORRE_OK;
}

static double made_up_clock(torre_meter *meter)
{
    (void)meter;
    return 1;
}

static void made_up_close(torre_meter *meter) { (void)meter; }

static const torre_meter_kind made_up_kind = {
    "cpu", made_up_open, made_up_has, made_up_sample, made_up_clock, made_up_close,
};

static void test_absurd_ceilings(void **state)
{
    (void)state;
    torre_machine m;
    const double absurd[] = {0, -5, INFINITY, NAN, 1e10};
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        made_up_rate = absurd[i];
        assert_int_equal(torre_ceilings_measure(&made_up_kind, 1, 0, 3, NULL, NULL, &m),
                         TORRE_ERR_RESOURCE);
        assert_non_null(strstr(torre_error_text(), "main memory, wave mix came out as"));
    }
    made_up_rate = 50;
    assert_int_equal(torre_ceilings_measure(&made_up_kind, 1, 0, 3, NULL, NULL, &m), TORRE_OK);
    assert_true(m.ceiling[TORRE_DRAM_MIX].median == 50);
}

/* 120 GB/s from memory, 600 from the last level, 1200 from the middle, 300 Gop/s. */
static torre_machine made_up_machine(void)
{
    torre_machine m = {.backend = "cpu", .device = "made up", .threads = 2};
    m.cache[1] = 32 << 10;
    m.cache[2] = 1 << 20;
    m.cache[3] = 32 << 20;
    m.ceiling[TORRE_DRAM_MIX].high = 120;
    m.ceiling[TORRE_LLC_MIX].high = 600;
    m.ceiling[TORRE_MID_MIX].high = 1200;
    m.ceiling[TORRE_F32_STENCIL].high = 300;
    return m;
}

static void test_model(void **state)
{
    (void)state;
    torre_machine m = made_up_machine();
    torre_model_bound b;
    const int64_t size[3] = {100, 100, 256};
    torre_wave_info info = {.plan = {.engine = TORRE_STEPWISE}, .model_bytes_per_update = 12};
    torre_model_bind(&m, &info, 2, TORRE_F32, size, &b);
    assert_int_equal(b.ceiling, TORRE_DRAM_MIX);
    assert_true(b.gcells_per_s == 10 && b.bytes_per_update == 12);
    assert_true(fabs(b.operations_per_byte - 11.0 / 12) < 1e-12);
    /* 200 G instructions per second, 28 for order 8; D = 8 fills 320 columns: the middle cache */
    info.plan = (torre_wave_plan){.engine = TORRE_TORRE, .dts = 2};
    info.model_bytes_per_update = 1;
    torre_model_bind(&m, &info, 8, TORRE_F32, size, &b);
    assert_int_equal(b.ceiling, TORRE_F32_STENCIL);
    assert_true(fabs(b.gcells_per_s - 200.0 / 28) < 1e-12);
    /* D = 24: 2 * 4 * 256 * (2 D^2 + 4 D R + 2 R^2) = 3.2 MB lie in the last level */
    info.plan.dts = 6;
    m.ceiling[TORRE_F32_STENCIL].high = 3000;
    torre_model_bind(&m, &info, 8, TORRE_F32, size, &b);
    assert_int_equal(b.ceiling, TORRE_LLC_MIX);
    assert_true(b.gcells_per_s == 50);
    /* towers on a GPU: what enters, leaves and surrounds them comes from its last level */
    snprintf(m.backend, sizeof m.backend, "cuda");
    m.ceiling[TORRE_LLC_READ].high = 1000;
    info.plan.dts = 4;
    torre_model_bind(&m, &info, 2, TORRE_F32, size, &b);
    assert_int_equal(b.ceiling, TORRE_DRAM_MIX);
    assert_true(b.gcells_per_s == 120);
    m.ceiling[TORRE_DRAM_MIX].high = 1000;
    torre_model_bind(&m, &info, 2, TORRE_F32, size, &b);
    assert_int_equal(b.ceiling, TORRE_LLC_READ);
    assert_true(fabs(b.gcells_per_s - 160) < 1e-9); /* (2/4 + 1/16 + 4/4) 4 = 6.25 bytes */
}

static void test_list(void **state)
{
    (void)state;
    torre_sweep_axes a;
    torre_sweep_point *points;
    int count;
    memset(&a, 0, sizeof a);
    assert_int_equal(torre_axes_read_orders(&a, "order", "2,8"), TORRE_OK);
    assert_int_equal(torre_axes_read_dts(&a, "dts", "4,2,8"), TORRE_OK);
    assert_int_equal(torre_axes_read_heights(&a, "tower-height", "16,8"), TORRE_OK);
    assert_int_equal(torre_axes_read_orderings(&a, "ordering", "hilbert,morton"), TORRE_OK);
    assert_int_equal(torre_axes_read_engines(&a, "engine", "torre,stepwise"), TORRE_OK);
    assert_int_equal(torre_sweep_list(&a, 3, 1, &points, &count), TORRE_OK);
    assert_int_equal(count, 2 * 2 * (1 + 3 * 2));
    for (int i = 0; i < count; i++) {
        assert_int_equal(points[i].plan.threads, 3);
        assert_int_equal(points[i].plan.device, 1);
        for (int k = 0; k < i; k++) assert_false(torre_sweep_same_point(&points[i], &points[k]));
    }
    /* coarse to fine */
    assert_int_equal(points[0].plan.engine, TORRE_STEPWISE);
    assert_int_equal(points[2].plan.tower_height, 16);
    assert_int_equal(points[2].plan.ordering.kind, TORRE_HILBERT);
    free(points);
    assert_int_equal(
        torre_axes_read_orderings(&a, "ordering", "z:ji,hybrid:hilbert/morton/3,strips:3"),
        TORRE_OK);
    assert_int_equal(a.orderings, 3);
    assert_string_equal(torre_ordering_write(&a.ordering[1]).text, "hybrid:hilbert/morton/3");
    assert_int_equal(a.ordering[2].strip, 3);
}

static void test_lists_refused(void **state)
{
    (void)state;
    torre_sweep_axes a;
    static const char *const orders[] = {"", "3", "2,", ",2", "2,2", "2 ,4", "2x4", "16", "0x2"};
    static const char *const engines[] = {"", "reference", "torre,torre", "torre,", "towers"};
    static const char *const names[] = {"",        "hilbart", "morton,morton", "morton,",
                                        ",morton", "Morton",  " morton"};
    memset(&a, 0, sizeof a);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        assert_int_equal(torre_axes_read_orders(&a, "order", orders[i]), TORRE_ERR_USAGE);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        assert_int_equal(torre_axes_read_engines(&a, "engine", engines[i]), TORRE_ERR_USAGE);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(torre_axes_read_orderings(&a, "ordering", names[i]), TORRE_ERR_USAGE);
    assert_int_equal(torre_axes_read_dts(&a, "dts", "0"), TORRE_ERR_USAGE);
    assert_int_equal(torre_axes_read_heights(&a, "tower-height", "-1"), TORRE_ERR_USAGE);
}

static torre_sweep_setting small_setting(const torre_wave_backend *backend, torre_machine *m)
{
    *m = made_up_machine();
    return (torre_sweep_setting){.backend = backend,
                                 .machine = m,
                                 .size = {20, 18, 22},
                                 .precision = TORRE_F32,
                                 .check_steps = 11,
                                 .seconds = 0.02};
}

static void test_sweep_point(void **state)
{
    (void)state;
    torre_machine m;
    torre_sweep *sweep;
    torre_sweep_setting setting = small_setting(&torre_wave_cpu, &m);
    torre_sweep_point p = {.order = 4, .plan = {.engine = TORRE_REFERENCE}};
    assert_int_equal(torre_sweep_new(&setting, &sweep), TORRE_OK);
    assert_int_equal(torre_sweep_measure(sweep, &p), TORRE_OK);
    assert_int_equal(p.state, TORRE_POINT_TIMED);
    assert_true(p.check_difference == 0 && p.check_allowed > 0 && p.check_allowed < 0.01);
    assert_true(p.repetitions >= 1 && p.low <= p.gcells_per_s && p.gcells_per_s <= p.high);
    double updates = 20.0 * 18 * 22 * (double)p.steps;
    assert_true(fabs(updates / p.seconds / 1e9 / p.gcells_per_s - 1) < 1e-9);
    assert_true(fabs(p.fraction * p.bound.gcells_per_s / p.gcells_per_s - 1) < 1e-9);
    /* every engine of the cpu backend passes the check it would have to pass in a sweep */
    for (torre_engine e = TORRE_STEPWISE; e <= TORRE_TORRE; e++) {
        p = (torre_sweep_point){.order = 6, .plan = {.engine = e, .dts = 2, .tower_height = 4}};
        assert_int_equal(torre_sweep_measure(sweep, &p), TORRE_OK);
        assert_int_not_equal(p.state, TORRE_POINT_WRONG);
        if (p.state == TORRE_POINT_TIMED) assert_int_equal(p.same_bits, 1);
    }
    torre_sweep_free(sweep);
}

/* A backend that gets one cell wrong by 1. */
static torre_status wrong_field(torre_wave_solver *solver, int level, const torre_box *box,
                                const int64_t stride[3], void *cells)
{
    TORRE_TRY(torre_wave_cpu.read_box(solver, level, box, stride, cells));
    ((float *)cells)[1000] += 1;
    return TORRE_OK;
}

static torre_status no_number(torre_wave_solver *solver, int level, const torre_box *box,
                              const int64_t stride[3], void *cells)
{
    TORRE_TRY(torre_wave_cpu.read_box(solver, level, box, stride, cells));
    ((float *)cells)[1000] = NAN;
    return TORRE_OK;
}

static void test_wrong_is_found(void **state)
{
    (void)state;
    torre_machine m;
    torre_wave_backend bad = torre_wave_cpu;
    for (int kind = 0; kind < 2; kind++) {
        bad.read_box = kind ? no_number : wrong_field;
        torre_sweep *sweep;
        torre_sweep_setting setting = small_setting(&bad, &m);
        torre_sweep_point p = {.order = 2, .plan = {.engine = TORRE_REFERENCE}};
        assert_int_equal(torre_sweep_new(&setting, &sweep), TORRE_OK);
        assert_int_equal(torre_sweep_measure(sweep, &p), TORRE_OK);
        assert_int_equal(p.state, TORRE_POINT_WRONG);
        assert_int_equal(p.repetitions, 0);
        torre_sweep_free(sweep);
    }
}

static torre_sweep_point made_up_point(int order, int dts, int64_t height, double rate)
{
    torre_sweep_point p = {
        .order = order,
        .plan = {.engine = dts ? TORRE_TORRE : TORRE_STEPWISE, .dts = dts, .tower_height = height},
        .same_bits = 1,
        .repetitions = 5,
        .steps = 64,
        .seconds = 0.25,
        .gcells_per_s = rate,
        .low = rate * 0.9,
        .high = rate * 1.1,
        .fraction = 0.5};
    p.bound = (torre_model_bound){TORRE_DRAM_MIX, 2 * rate, dts ? 16.0 / dts : 12, 1};
    p.bound.operations_per_byte = torre_model_operations(order) / p.bound.bytes_per_update;
    return p;
}

static void write_sweep(const torre_sweep_setting *setting, const char *tail)
{
    FILE *f = fopen("sweep.csv", "w");
    assert_non_null(f);
    torre_sweep_csv_head(f, setting);
    torre_sweep_point a = made_up_point(2, 0, 0, 4), b = made_up_point(8, 4, 32, 2.5);
    torre_sweep_point c = {.order = 6, .plan = {.engine = TORRE_TORRE, .dts = 1}};
    c.plan.ordering = (torre_ordering_spec){TORRE_HYBRID, 0, TORRE_MORTON, TORRE_PEANO, 5, 0};
    c.state = TORRE_POINT_REFUSED;
    snprintf(c.remark, sizeof c.remark, "--dts 1, \"too small\"");
    assert_int_equal(torre_sweep_csv_append(f, "sweep.csv", &a, TORRE_F32), TORRE_OK);
    assert_int_equal(torre_sweep_csv_append(f, "sweep.csv", &b, TORRE_F32), TORRE_OK);
    assert_int_equal(torre_sweep_csv_append(f, "sweep.csv", &c, TORRE_F32), TORRE_OK);
    fputs(tail, f);
    assert_int_equal(fclose(f), 0);
}

static void test_csv(void **state)
{
    (void)state;
    torre_machine m;
    torre_sweep_setting setting = small_setting(&torre_wave_cpu, &m);
    torre_sweep_point *points, b = made_up_point(8, 4, 32, 2.5);
    int count;
    write_sweep(&setting, "8,torre,4,16,row-maj"); /* killed in the middle of a line */
    assert_int_equal(torre_sweep_csv_read("sweep.csv", &setting, &points, &count), TORRE_OK);
    assert_int_equal(count, 3);
    assert_true(torre_sweep_same_point(&b, &points[1]));
    assert_false(torre_sweep_same_point(&b, &points[0]));
    assert_true(points[1].gcells_per_s == 2.5 && points[1].steps == 64 &&
                points[1].bound.bytes_per_update == 4 && points[1].fraction == 0.5 &&
                points[1].same_bits == 1);
    assert_int_equal(points[2].state, TORRE_POINT_REFUSED);
    assert_string_equal(points[2].remark, "--dts 1; ;too small;");
    assert_string_equal(torre_ordering_write(&points[2].plan.ordering).text,
                        "hybrid:morton/peano/5");
    free(points);
}

static void test_csv_refused(void **state)
{
    (void)state;
    torre_machine m;
    torre_sweep_setting setting = small_setting(&torre_wave_cpu, &m);
    torre_sweep_point *points;
    int count;
    write_sweep(&setting, "8,torre,4\n");
    assert_int_equal(torre_sweep_csv_read("sweep.csv", &setting, &points, &count), TORRE_ERR_INPUT);
    write_sweep(&setting, "");
    setting.size[2]++;
    assert_int_equal(torre_sweep_csv_read("sweep.csv", &setting, &points, &count), TORRE_ERR_INPUT);
    assert_int_equal(torre_sweep_csv_read("none.csv", &setting, &points, &count), TORRE_ERR_INPUT);
}

static void test_measured_bytes(void **state)
{
    (void)state;
    torre_sweep_point p[2] = {made_up_point(2, 0, 1, 4), made_up_point(8, 4, 32, 2.5)};
    FILE *f = fopen("bytes.csv", "w");
    assert_non_null(f);
    fputs("order,engine,dts,tower_height,ordering,bytes_per_update\n8,torre,4,32,row-major,1.25\n",
          f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(torre_measured_bytes_read("bytes.csv", p, 2), TORRE_OK);
    assert_true(p[0].measured_bytes == 0 && p[1].measured_bytes == 1.25);
    torre_machine m;
    torre_sweep_setting setting = small_setting(&torre_wave_cpu, &m);
    torre_sweep_point *again;
    int count;
    assert_int_equal(torre_sweep_csv_write("sweep.csv", &setting, p, 2), TORRE_OK);
    assert_int_equal(torre_sweep_csv_read("sweep.csv", &setting, &again, &count), TORRE_OK);
    assert_true(count == 2 && again[0].measured_bytes == 0 && again[1].measured_bytes == 1.25);
    free(again);
    f = fopen("bytes.csv", "a");
    assert_non_null(f);
    fputs("8,torre,4,32,row-major,-3\n", f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(torre_measured_bytes_read("bytes.csv", p, 2), TORRE_ERR_INPUT);
    assert_int_equal(torre_measured_bytes_read("none.csv", p, 2), TORRE_ERR_INPUT);
}

static void test_best(void **state)
{
    (void)state;
    torre_sweep_point p[] = {made_up_point(2, 0, 0, 4), made_up_point(2, 8, 16, 6),
                             made_up_point(2, 4, 16, 5), made_up_point(2, 8, 32, 7),
                             made_up_point(8, 2, 16, 9)};
    int dts[8];
    assert_int_equal(torre_sweep_dts_values(p, 5, 2, dts, 8), 2);
    assert_true(dts[0] == 4 && dts[1] == 8);
    assert_ptr_equal(torre_sweep_best(p, 5, 2, TORRE_TORRE, 0), &p[3]);
    assert_ptr_equal(torre_sweep_best(p, 5, 2, TORRE_TORRE, 4), &p[2]);
    assert_null(torre_sweep_best(p, 5, 8, TORRE_STEPWISE, 0));
}

static void test_summary(void **state)
{
    (void)state;
    /* over row-major Hilbert is 1.2, 1.5 and 2 times as fast; Morton has no tile in common */
    torre_sweep_point p[] = {made_up_point(2, 2, 16, 5),  made_up_point(2, 4, 16, 4),
                             made_up_point(2, 8, 16, 3),  made_up_point(2, 2, 16, 6),
                             made_up_point(2, 4, 16, 6),  made_up_point(2, 8, 16, 6),
                             made_up_point(2, 12, 16, 6), made_up_point(2, 0, 0, 4)};
    torre_sweep_gain gain[TORRE_LIST_LIMIT];
    const torre_sweep_results results = {.points = p, .count = 8, .planned = 9};
    for (int i = 3; i < 6; i++) p[i].plan.ordering.kind = TORRE_HILBERT;
    p[6].plan.ordering.kind = TORRE_MORTON;
    assert_int_equal(torre_sweep_gains(&results, gain), 1);
    assert_int_equal(gain[0].ordering.kind, TORRE_HILBERT);
    assert_true(gain[0].gain == 1.5 && gain[0].tiles == 3);
    p[0].state = TORRE_POINT_REFUSED;
    p[1].state = TORRE_POINT_WRONG;
    p[2].fraction = 1.06;
    const torre_sweep_tally t = torre_sweep_count(&results);
    assert_true(t.timed == 6 && t.refused == 1 && t.wrong == 1 && t.above == 1);
}

/* Whether a file of the folder contains a text. */
static bool file_has(const char *name, const char *text)
{
    char line[1024];
    bool found = false;
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    while (!found && fgets(line, sizeof line, f)) found = strstr(line, text) != NULL;
    assert_int_equal(fclose(f), 0);
    return found;
}

static void test_draw(void **state)
{
    (void)state;
    torre_machine m = made_up_machine();
    snprintf(m.uuid, sizeof m.uuid, "GPU-1");
    m.ceiling[TORRE_F32_FMA].high = 65186.6;
    torre_sweep_point p[] = {made_up_point(2, 0, 0, 4), made_up_point(2, 8, 16, 6),
                             made_up_point(2, 4, 16, 5)};
    bool drawn;
    assert_int_equal(torre_roofline_draw(".", &m, TORRE_F32, p, 0, &drawn), TORRE_OK);
    assert_false(drawn);
    assert_int_not_equal(access("points.dat", F_OK), 0);
    assert_int_equal(torre_roofline_draw(".", &m, TORRE_F32, p, 3, &drawn), TORRE_OK);
    assert_true(file_has("roofline.gp", "multiply-add  65187 Gop/s'"));
    assert_true(file_has("roofline.gp", "1:1  300.0 Gop/s'"));
    assert_true(file_has("roofline.gp", "\\nmade up, f32\""));
    assert_true(file_has("rates.gp", "\\nmade up, f32\""));
    assert_int_equal(access("roofline.png", F_OK), drawn ? 0 : -1);
    assert_int_equal(access("rates.svg", F_OK), drawn ? 0 : -1);
    assert_int_equal(torre_roofline_draw("/nowhere", &m, TORRE_F32, p, 3, &drawn), TORRE_ERR_INPUT);
}

/* Fill in what the plan leaves open of the tile that comes first, if any was measured. */
static bool lookup(const char *device, int order, torre_precision precision, torre_wave_plan *plan)
{
    torre_tile tile[TORRE_TILES];
    const torre_wave_plan wish = {
        .dts = plan->dts, .tower_height = plan->tower_height, .measured = true};
    if (!torre_tiles_find(device, order, precision, &wish, NULL, tile)) return false;
    plan->dts = tile[0].dts;
    plan->tower_height = tile[0].tower_height;
    return true;
}

/* Tiles that were measured come first, the fastest first, then those that are built in; all have
 * what is wished. */
static void test_tiles(void **state)
{
    (void)state;
    static const torre_tile built_in[] = {
        {2, TORRE_F32, 6, 128, 0}, {2, TORRE_F32, 4, 128, 0}, {4, TORRE_F32, 3, 64, 0}, {0}};
    const torre_tile found[] = {
        {2, TORRE_F32, 8, 16, 5}, {2, TORRE_F32, 16, 32, 6}, {2, TORRE_F32, 4, 8, 5.5}};
    torre_wave_plan wish = {.measured = true};
    torre_tile tile[TORRE_TILES];
    assert_int_equal(setenv("TORRE_TUNE", "tiles.csv", 1), 0);
    assert_int_equal(torre_tune_store("gpu", found, 3), TORRE_OK);
    assert_int_equal(torre_tiles_find("gpu", 2, TORRE_F32, &wish, built_in, tile), 5);
    const int dts[] = {16, 4, 8, 6, 4};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(tile[i].dts, dts[i]);
        assert_true((tile[i].gcells_per_s > 0) == (i < 3));
    }
    assert_int_equal(torre_tiles_find("gpu", 4, TORRE_F32, &wish, built_in, tile), 1);
    assert_int_equal(torre_tiles_find("other gpu", 2, TORRE_F32, &wish, built_in, tile), 2);
    assert_int_equal(torre_tiles_find("gpu", 2, TORRE_F64, &wish, built_in, tile), 0);
    wish.dts = 4;
    assert_int_equal(torre_tiles_find("gpu", 2, TORRE_F32, &wish, built_in, tile), 2);
    assert_true(tile[0].tower_height == 8 && tile[1].tower_height == 128 && tile[1].dts == 4);
    wish.tower_height = 7; /* nothing is open */
    assert_int_equal(torre_tiles_find("gpu", 2, TORRE_F32, &wish, built_in, tile), 1);
    assert_true(tile[0].dts == 4 && tile[0].tower_height == 7 && tile[0].gcells_per_s == 0);
    wish = (torre_wave_plan){.tower_height = 20}; /* and nothing measured is wanted */
    assert_int_equal(torre_tiles_find("gpu", 2, TORRE_F32, &wish, built_in, tile), 2);
    assert_true(tile[0].dts == 6 && tile[1].dts == 4 && tile[1].tower_height == 20);
    /* more than there is room for: the fastest */
    torre_tile many[40];
    for (int i = 0; i < 40; i++) many[i] = (torre_tile){2, TORRE_F32, i + 1, 8, 1 + (i * 7) % 40};
    assert_int_equal(torre_tune_store("gpu", many, 40), TORRE_OK);
    wish = (torre_wave_plan){.measured = true};
    assert_int_equal(torre_tiles_find("gpu", 2, TORRE_F32, &wish, built_in, tile),
                     TORRE_TILES_MEASURED + 2);
    for (int i = 0; i < TORRE_TILES_MEASURED; i++)
        assert_int_equal((int)tile[i].gcells_per_s, 40 - i);
}

static void test_tune(void **state)
{
    (void)state;
    torre_tile first[] = {
        {2, TORRE_F32, 8, 16, 5}, {2, TORRE_F32, 16, 32, 6}, {8, TORRE_F32, 4, 16, 2}};
    torre_tile second[] = {{2, TORRE_F32, 4, 8, 3}};
    torre_wave_plan plan = {0};
    assert_int_equal(setenv("TORRE_TUNE", "tune.csv", 1), 0);
    assert_false(lookup("cpu, with a comma", 2, TORRE_F32, &plan));
    assert_int_equal(torre_tune_store("cpu, with a comma", first, 3), TORRE_OK);
    assert_int_equal(torre_tune_store("other", second, 1), TORRE_OK);
    assert_true(lookup("cpu, with a comma", 2, TORRE_F32, &plan));
    assert_true(plan.dts == 16 && plan.tower_height == 32);
    plan = (torre_wave_plan){.dts = 8};
    assert_true(lookup("cpu, with a comma", 2, TORRE_F32, &plan));
    assert_int_equal(plan.tower_height, 16);
    plan = (torre_wave_plan){.dts = 5};
    assert_false(lookup("cpu, with a comma", 2, TORRE_F32, &plan));
    assert_true(plan.dts == 5 && plan.tower_height == 0);
    plan = (torre_wave_plan){0};
    assert_false(lookup("cpu, with a comma", 2, TORRE_F64, &plan));
    assert_false(lookup("cpu, with a comma", 4, TORRE_F32, &plan));
    assert_false(lookup("third", 2, TORRE_F32, &plan));
    /* a new sweep of one order replaces that order alone */
    assert_int_equal(torre_tune_store("cpu, with a comma", second, 1), TORRE_OK);
    assert_true(lookup("cpu, with a comma", 2, TORRE_F32, &plan));
    assert_int_equal(plan.dts, 4);
    plan = (torre_wave_plan){0};
    assert_true(lookup("cpu, with a comma", 8, TORRE_F32, &plan));
    assert_int_equal(plan.dts, 4);
}

/* A run takes a recommendation for what its plan leaves open, and computes the same bits. */
static void test_tune_apply(void **state)
{
    (void)state;
    const int64_t size[3] = {30, 26, 40};
    torre_wave_problem problem = torre_compare_problem(4, TORRE_F32, size);
    torre_wave_plan open = {.engine = TORRE_TORRE, .measured = true}, fixed = open;
    const torre_wave_plan deaf = {.engine = TORRE_TORRE},
                          one_step = {TORRE_STEPWISE, .measured = true};
    const torre_wave_plan *others[] = {&fixed, &deaf, &one_step};
    torre_wave_run *run;
    fixed.dts = 2;
    fixed.tower_height = 3;
    if (torre_wave_run_new(&problem, "cpu", &deaf, &run)) skip();
    torre_tile entry = {4, TORRE_F32, 3, 5, 1};
    assert_int_equal(setenv("TORRE_TUNE", "tune.csv", 1), 0);
    assert_int_equal(torre_tune_store(run->info.device, &entry, 1), TORRE_OK);
    torre_wave_run_free(run);
    assert_int_equal(torre_wave_run_new(&problem, "cpu", &open, &run), TORRE_OK);
    assert_true(run->info.measured);
    assert_true(run->info.plan.dts == 3 && run->info.plan.tower_height == 5);
    torre_wave_run_free(run);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(torre_wave_run_new(&problem, "cpu", others[i], &run), TORRE_OK);
        assert_false(run->info.measured);
        assert_true(run->info.plan.tower_height != 5);
        torre_wave_run_free(run);
    }
}

/* Fill tune.csv, name it in the environment, and return what is said of it ("": nothing). */
static const char *tune_verdict(const char *content, size_t length)
{
    FILE *f = fopen("tune.csv", "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(content, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(setenv("TORRE_TUNE", "tune.csv", 1), 0);
    torre_status status = torre_tune_check();
    if (status == TORRE_OK) return "";
    assert_int_equal(status, TORRE_ERR_INPUT);
    assert_non_null(strstr(torre_error_text(), "tune.csv"));
    return torre_error_text();
}

/* The release, by which recommendations are kept. */
static const char *release(void)
{
    static char text[32];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(torre_version_text(), " "),
             torre_version_text());
    return text;
}

static void expect_tune(const char *device, int order, torre_precision precision, int dts,
                        int64_t height)
{
    torre_wave_plan plan = {0};
    assert_true(lookup(device, order, precision, &plan));
    assert_int_equal(plan.dts, dts);
    assert_int_equal(plan.tower_height, height);
}

/* Broken lines are named, and hide nothing that stands beside them or is stored later. */
static void test_tune_broken(void **state)
{
    (void)state;
    static const char *const after_release[] = {
        ",2,f32,-8,16,5,cpu",    ",2,f32,8,16,nan,cpu",
        ",2,f32,8,16,inf,cpu",   ",2,f32,8,16,0,cpu",
        ",2,f32,8,16,1e999,cpu", ",2,f32,8",
        ",3,f32,8,16,99,cpu",    ",16,f32,8,16,99,cpu",
        ",2,f16,8,16,99,cpu",    ",2,f32,8x,16,99,cpu",
        ",2,f32,8,0,99,cpu",     ",2,f32,99999999999,16,99,cpu",
        ",2,f32,8,16,99,",       ",,,,,,",
        "GIF89a\x01\x02"};
    char text[4096];
    for (size_t b = 0; b < sizeof after_release / sizeof after_release[0]; b++) {
        int n = snprintf(text, sizeof text, "%s%s\n%s,2,f32,4,12,3,cpu\n", release(),
                         after_release[b], release());
        assert_non_null(strstr(tune_verdict(text, (size_t)n), "line 1 "));
        expect_tune("cpu", 2, TORRE_F32, 4, 12);
    }
    /* a line longer than any whose end looks like one, a zero byte, a last line without its end */
    memset(text, 'x', 2000);
    int n = 2000 + snprintf(text + 2000, sizeof text - 2000, "\n%s", release());
    memset(text + n, ' ', 507 - strlen(release()));
    n += 507 - (int)strlen(release());
    n += snprintf(text + n, sizeof text - (size_t)n, "%s,2,f32,9,9,99,cpu\n%s,2,f32,9,9,9",
                  release(), release());
    text[n++] = 0;
    n += snprintf(text + n, sizeof text - (size_t)n, "9,cpu\n%s,2,f32,4,12,3,cpu", release());
    assert_non_null(strstr(tune_verdict(text, (size_t)n), "lines left out: 3"));
    expect_tune("cpu", 2, TORRE_F32, 4, 12);
    torre_tile entry = {4, TORRE_F64, 6, 20, 1};
    assert_int_equal(torre_tune_store("gpu", &entry, 1), TORRE_OK);
    assert_int_equal(torre_tune_check(), TORRE_OK);
    expect_tune("cpu", 2, TORRE_F32, 4, 12);
    expect_tune("gpu", 4, TORRE_F64, 6, 20);
    /* nothing to say of: other line ends, empty lines, another release, an empty file */
    n = snprintf(text, sizeof text,
                 "version,order,precision,dts,tower_height,gcells_per_s,device\r\n\n"
                 "0.0.1,2,f32,8,16,5,cpu\r\n%s,2,f32,4,12,3,cpu\r\n",
                 release());
    assert_string_equal(tune_verdict(text, (size_t)n), "");
    expect_tune("cpu", 2, TORRE_F32, 4, 12);
    assert_string_equal(tune_verdict("", 0), "");
}

static void test_tune_path(void **state)
{
    (void)state;
    torre_wave_plan plan = {0};
    char path[64];
    assert_int_equal(setenv("TORRE_TUNE", ".", 1), 0);
    assert_false(lookup("cpu", 2, TORRE_F32, &plan));
    assert_int_equal(torre_tune_check(), TORRE_ERR_INPUT);
    assert_int_equal(torre_tune_prepare(), TORRE_ERR_INPUT);
    assert_int_equal(setenv("TORRE_TUNE", "off", 1), 0);
    assert_int_equal(torre_tune_check(), TORRE_OK);
    assert_false(torre_tune_path(path, sizeof path));
    assert_int_equal(torre_tune_store("cpu", NULL, 0), TORRE_ERR_INPUT);
    assert_int_equal(setenv("TORRE_TUNE", "/nowhere/a/tune.csv", 1), 0);
    assert_false(lookup("cpu", 2, TORRE_F32, &plan));
    assert_int_equal(torre_tune_check(), TORRE_OK);
    assert_int_equal(unsetenv("TORRE_TUNE"), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", "/cache", 1), 0);
    assert_true(torre_tune_path(path, sizeof path));
    assert_string_equal(path, "/cache/torre/tune.csv");
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0); /* must be ignored, says XDG */
    assert_int_equal(setenv("HOME", "/home/me", 1), 0);
    assert_true(torre_tune_path(path, sizeof path));
    assert_string_equal(path, "/home/me/.cache/torre/tune.csv");
}

static void test_md_sweep(void **state)
{
    (void)state;
    torre_machine m = made_up_machine();
    const torre_ordering_spec orderings[] = {{.kind = TORRE_HILBERT}};
    torre_md_sweep_setting setting = {.machine = &m, .cells = 5, .seconds = 0.02, .threads = 1};
    torre_md_plan plan = {0};
    torre_md_point *points;
    int count;
    setting.precision = TORRE_MD_F32;
    assert_int_equal(torre_md_backend_find("cpu", &plan, &setting.backend), TORRE_OK);
    assert_int_equal(torre_md_sweep_list(&setting, orderings, 1, &points, &count), TORRE_OK);
    assert_int_equal(count, 6);
    assert_string_equal(torre_md_point_ordering(&points[0]).text, "none");
    assert_string_equal(torre_md_point_ordering(&points[5]).text, "hilbert");
    for (int i = 0; i < count; i += 3) {
        assert_int_equal(torre_md_sweep_measure(&setting, &points[i]), TORRE_OK);
        assert_int_equal(points[i].state, TORRE_POINT_TIMED);
        assert_true(points[i].check_difference > 0 && points[i].check_difference <= 1);
        assert_true(points[i].low > 0 && points[i].low <= points[i].matom_steps_per_s);
        assert_true(points[i].bound > 0 && points[i].neighbors > 60 && points[i].neighbors < 90);
    }
    free(points);
}

static void test_doctor(void **state)
{
    (void)state;
    static torre_diagnosis d;
    assert_int_equal(torre_diagnose(&(torre_examination){.threads = 1}, &d), TORRE_OK);
    assert_true(d.sound && d.rates[0].backend[0] == 0);
    assert_true(d.checks >= 12 && d.memory_available > 0);
    for (int i = 0; i < d.checks; i++) assert_true(d.check[i].passed || !d.check[i].offered);
    assert_true(d.cuda.text[0] != 0);
    assert_true(d.cuda.state == TORRE_CUDA_WORKS || !d.wave_cuda);
}

/* The advice about a thing; NULL: none. */
static const torre_advice *advice_about(const torre_surroundings *around, const char *about)
{
    static torre_advice advice[TORRE_ADVICE_LIMIT];
    const int n = torre_advise(around, advice);
    assert_true(n >= 0 && n <= TORRE_ADVICE_LIMIT);
    for (int i = 0; i < n; i++) {
        assert_true(strlen(advice[i].text) < sizeof advice[i].text - 1); /* not cut off */
        assert_true(i == 0 || advice[i - 1].faster >= advice[i].faster);
    }
    for (int i = 0; i < n; i++)
        if (strcmp(advice[i].about, about) == 0) return &advice[i];
    return NULL;
}

static void test_advice(void **state)
{
    (void)state;
    const torre_surroundings good = {.hardware_threads = 8,
                                     .threads = 8,
                                     .memory_nodes = 1,
                                     .optimised = true,
                                     .cuda = TORRE_CUDA_NOT_BUILT,
                                     .no_cuda = true};
    torre_advice advice[TORRE_ADVICE_LIMIT];
    torre_surroundings s = good;
    assert_int_equal(torre_advise(&s, advice), 0);
    s.threads = 4;
    assert_non_null(strstr(advice_about(&s, "threads")->text, "threads 8"));
    s.threads = 16;
    assert_non_null(strstr(advice_about(&s, "threads")->text, "OMP_NUM_THREADS=8"));
    s.memory_nodes = 2;
    assert_true(advice_about(&s, "binding")->faster);
    s.bound = true;
    assert_null(advice_about(&s, "binding"));
    s = good;
    s.on_bus = true;
    assert_non_null(strstr(advice_about(&s, "gpu")->text, "driver"));
    s.driver = true;
    assert_non_null(strstr(advice_about(&s, "gpu")->text, "preset cuda"));
    s.no_cuda = false;
    s.cuda = TORRE_CUDA_LITTLE_MEMORY;
    assert_non_null(advice_about(&s, "gpu"));
    s.cuda = TORRE_CUDA_WORKS;
    assert_int_equal(torre_advise(&s, advice), 0);
    s = good;
    s.tune = "cuda";
    assert_non_null(strstr(advice_about(&s, "tiles")->text, "roofline tune backend cuda"));
    s.tune_off = true;
    assert_non_null(strstr(advice_about(&s, "tiles")->text, "TORRE_TUNE"));
    s = (torre_surroundings){.hardware_threads = 2,
                             .threads = 3,
                             .memory_nodes = 2,
                             .no_huge_pages = true,
                             .load = 3,
                             .no_cuda = true,
                             .no_mpi = true,
                             .no_segyio = true,
                             .no_hdf5 = true,
                             .no_freetype = true,
                             .no_ffmpeg = true,
                             .no_gnuplot = true,
                             .on_bus = true,
                             .cuda = TORRE_CUDA_NOT_BUILT,
                             .tune = "cpu"};
    assert_false(advice_about(&s, "ffmpeg")->faster);
    assert_int_equal(torre_advise(&s, advice), 13); /* all kinds at once */
}

/* Tiles that were timed here are found, whatever the release knows of devices. */
static void test_advice_tiles(void **state)
{
    (void)state;
    torre_surroundings s;
    const torre_wave_plan plan = {.threads = 1};
    char device[sizeof((torre_wave_info *)0)->device];
    const torre_tile tile = {2, TORRE_F32, 8, 16, 1};
    torre_sweep_setting setting = {
        .backend = &torre_wave_cpu, .precision = TORRE_F32, .size = {64, 64, 64}};
    assert_int_equal(setenv("TORRE_TUNE", "tune.csv", 1), 0);
    unlink("tune.csv");
    torre_surroundings_find(1, &s);
    assert_true(s.hardware_threads >= 1 && s.threads == 1 && s.memory_nodes >= 1);
    assert_int_equal(torre_surroundings_tuned(1, 0, false, &s), TORRE_OK);
    assert_string_equal(s.tune, "cpu");
    assert_int_equal(torre_sweep_device(&setting, &plan, device, sizeof device), TORRE_OK);
    assert_int_equal(torre_tune_store(device, &tile, 1), TORRE_OK);
    assert_int_equal(torre_surroundings_tuned(1, 0, false, &s), TORRE_OK);
    assert_null(s.tune);
    assert_int_equal(setenv("TORRE_TUNE", "off", 1), 0);
    assert_int_equal(torre_surroundings_tuned(1, 0, false, &s), TORRE_OK);
    assert_true(s.tune_off);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),         cmocka_unit_test(test_ceilings),
        cmocka_unit_test(test_ceilings_stop),  cmocka_unit_test(test_absurd_ceilings),
        cmocka_unit_test(test_model),          cmocka_unit_test(test_list),
        cmocka_unit_test(test_lists_refused),  cmocka_unit_test(test_sweep_point),
        cmocka_unit_test(test_wrong_is_found), cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_refused),    cmocka_unit_test(test_measured_bytes),
        cmocka_unit_test(test_best),           cmocka_unit_test(test_draw),
        cmocka_unit_test(test_tiles),          cmocka_unit_test(test_tune),
        cmocka_unit_test(test_tune_apply),     cmocka_unit_test(test_tune_broken),
        cmocka_unit_test(test_tune_path),      cmocka_unit_test(test_md_sweep),
        cmocka_unit_test(test_doctor),         cmocka_unit_test(test_summary),
        cmocka_unit_test(test_advice),         cmocka_unit_test(test_advice_tiles),
    };
    return cmocka_run_group_tests(tests, scratch_enter, leave);
}
