/* Planes that towers record in passing: the frames of a run that does not stop for them have the
 * bits of one that does, along any order of the axes, in layers, beside a density, and where
 * columns have windows. */
#include <stdlib.h>
#include <string.h>

#include "wave/driver.h"
#include "wave/initial.h"
#include "wave/program.h"
#include "wave_case.h"

enum { STEPS = 47, PLANES = 3 };

typedef struct frames {
    torre_plane_at at[PLANES];
    int64_t every, bytes[PLANES]; /* of a plane */
    char *values, *next;          /* all planes of all frames, one after the other */
    bool recorded;                /* the last of them came as it was recorded */
} frames;

static torre_status keep_frame(void *context, torre_wave_run *run)
{
    frames *f = context;
    CHECK(run->step % f->every == 0, "a frame at step %d", (int)run->step);
    for (int i = 0; i < PLANES; i++, f->next += f->bytes[i - 1])
        CHECK_OK(torre_wave_run_plane(run, f->at[i].axis, f->at[i].index, f->next));
    f->recorded = run->frame != NULL;
    return TORRE_OK;
}

/* Whether the planes are recorded. */
static bool run_frames(const torre_wave_problem *p, const wave_way *way, const void *start,
                       const torre_frame_planes *planes, frames *f)
{
    const torre_wave_watch watch = {.frame_every = {f->every}, .frame = keep_frame, .context = f};
    torre_wave_run *run;
    f->next = f->values;
    CHECK_OK(torre_wave_run_new_planes(p, "cpu", &way->plan, planes, &run));
    const bool recorded = run->program->planes > 0;
    CHECK_OK(torre_wave_run_start(run, start, NULL));
    CHECK_OK(torre_wave_run_advance(run, 17, &watch)); /* from a step between two frames on */
    CHECK_OK(torre_wave_run_advance(run, STEPS - 17, &watch));
    CHECK(f->recorded == recorded, "frames are recorded, or not, against the plan");
    torre_wave_run_free(run);
    return recorded;
}

/* Both runs; whether planes were recorded. */
static bool compare(const torre_wave_problem *p, const wave_way *way, int64_t every)
{
    const torre_frame_planes none = {0};
    frames kept[2] = {{.every = every}, {.every = every}};
    const torre_frame_planes planes = {kept[0].at, PLANES, every};
    const int64_t frame_count = STEPS / every, cells = torre_wave_cells(p);
    int64_t bytes = 0;
    bool recorded = false;
    void *start = wave_alloc(cells, (size_t)p->precision);
    const torre_region all = torre_region_whole(p->size);
    torre_wave_noise(&all, p->precision, 7, start);
    for (int i = 0; i < PLANES; i++) {
        const torre_plane_at at = {i, p->size[i] / (i + 2)};
        kept[0].at[i] = kept[1].at[i] = at;
        kept[0].bytes[i] = kept[1].bytes[i] = cells / p->size[i] * (int64_t)p->precision;
        bytes += frame_count * kept[0].bytes[i];
    }
    for (int k = 0; k < 2; k++) {
        kept[k].values = wave_alloc(bytes, 1);
        memset(kept[k].values, 0xff, (size_t)bytes);
        recorded = run_frames(p, way, start, k ? &planes : &none, &kept[k]);
        CHECK(kept[k].next == kept[k].values + bytes, "%s: not all frames came", way->name);
    }
    CHECK(memcmp(kept[0].values, kept[1].values, (size_t)bytes) == 0,
          "%s: recorded planes have other bits", way->name);
    free(kept[0].values);
    free(kept[1].values);
    free(start);
    return recorded;
}

static torre_wave_problem problem(int order, torre_precision precision, int64_t nz)
{
    torre_wave_problem p = wave_case_problem(41, 40, nz, order);
    p.precision = precision;
    p.steps = STEPS;
    return p;
}

static wave_way towers(const char *axes)
{
    wave_way way = {.name = "towers, axes ", .plan = {.engine = TORRE_TORRE, .tower_height = 12}};
    strcpy(way.plan.axes, axes);
    strcat(way.name, axes);
    return way;
}

static void all_orders_and_axes(void **unused)
{
    (void)unused;
    static const char *const axes[] = {"xyz", "yxz", "xzy", "zxy", "yzx", "zyx"};
    for (int i = 0; i < 12; i++) {
        torre_wave_problem p =
            problem(2 + 2 * (i % 6), i % 2 ? TORRE_F64 : TORRE_F32, i % 4 == 3 ? 37 : 52);
        const wave_way way = towers(axes[i < 6 ? i : 11 - i]);
        CHECK(compare(&p, &way, i % 3 ? 5 : 9), "%s: planes are not recorded", way.name);
    }
}

static void faces_and_layers(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        torre_wave_problem p = problem(4, TORRE_F32, 52);
        const wave_way way = towers(i % 2 ? "yzx" : "xyz");
        for (int a = 0; a < 3; a++) p.face[a][1] = i < 2 ? TORRE_ABSORBING : TORRE_RIGID;
        p.absorbing_width = 8;
        if (i < 2) wave_case_pml(&p);
        if (i == 2) p.face[1][0] = p.face[1][1] = TORRE_PERIODIC;
        CHECK(compare(&p, &way, 5), "case %d: planes are not recorded", i);
    }
}

/* Solvers do not hold pressure then, which frames are. */
static void densities(void **unused)
{
    (void)unused;
    static const char *const axes[] = {"xyz", "yzx", "zxy"};
    for (int i = 0; i < 12; i++) {
        torre_wave_problem p = problem(2 << i % 3, i / 3 % 2 ? TORRE_F64 : TORRE_F32, 52);
        uint64_t state = 3;
        torre_array density = wave_random_cells(&state, &p, 2000, 300);
        const wave_way way = towers(axes[i / 3 % 3]);
        p.density_cells = &density;
        for (int a = 0; a < 3; a++) p.face[a][1] = i < 6 ? TORRE_ABSORBING : TORRE_RIGID;
        p.absorbing_width = 8;
        if (i < 6) wave_case_pml(&p);
        if (i == 8) p.face[1][0] = p.face[1][1] = TORRE_PERIODIC;
        wave_case_courant(&p, 0.9);
        CHECK(compare(&p, &way, 5), "case %d: planes are not recorded", i);
        free(density.data);
    }
}

/* Long columns, through which a diamond goes window by window. */
static void windows(void **unused)
{
    (void)unused;
    torre_wave_problem p = wave_case_problem(24, 24, 12000, 8);
    p.precision = TORRE_F32;
    p.steps = STEPS;
    const wave_way way = towers("xyz");
    CHECK(compare(&p, &way, 5), "planes are not recorded");
}

/* What towers do not record is seen all the same. */
static void others_stop(void **unused)
{
    (void)unused;
    torre_wave_problem p = problem(4, TORRE_F32, 52);
    wave_way way = {.name = "steps", .plan = {.engine = TORRE_STEPWISE}};
    compare(&p, &way, 5);
    way = towers("xyz");
    CHECK(!compare(&p, &way, 1), "frames that take as much as the fields are recorded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_orders_and_axes), cmocka_unit_test(faces_and_layers),
        cmocka_unit_test(densities),           cmocka_unit_test(windows),
        cmocka_unit_test(others_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
