/*
 * What windows (wave/ring.h) have of the medium, without a GPU: a solver that goes from window to
 * window has in each what a new solver of that window makes of the velocities, whether it takes it
 * from memory of the host, from the other solver or of velocities and densities again.
 */
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "cuda/wave/wave_cuda.h"
#include "tests/wave_case.h"
#include "wave/part.h"
#include "wave/ring_program.h"

/* A problem cut into windows along the first of the axes. */
typedef struct cut {
    torre_wave_problem p;
    torre_array velocity, density;
    torre_wave_setup *setup;
    torre_wave_plan plan;
    torre_ring_shape shape;
    int64_t plane; /* bytes */
    char *model;   /* of all planes */
} cut;

/* A window being computed. */
typedef struct window {
    torre_wave_part *part;
    torre_wave_solver *solver;
} window;

static torre_wave_part *part_of(const cut *c, int64_t i, bool bare)
{
    const torre_region region = torre_ring_window(&c->shape, c->setup, i);
    torre_wave_part *part;
    CHECK_OK(bare ? torre_wave_part_bare(c->setup, &region, &part)
                  : torre_wave_part_new(c->setup, &region, &part));
    return part;
}

static window make_window(const cut *c, int64_t i)
{
    window w = {.part = part_of(c, i, false)};
    torre_wave_program *program;
    CHECK_OK(torre_wave_cuda.plan(&w.part->setup, &c->plan, &program));
    CHECK_OK(torre_wave_cuda.create(program, &w.solver));
    return w;
}

static void free_window(window *w)
{
    torre_wave_cuda.destroy(w->solver);
    torre_wave_part_free(w->part);
}

static torre_planes planes_of(const cut *c, const window *w)
{
    const torre_box *stored = &w->part->region.stored;
    return (torre_planes){stored->low[c->shape.axis], stored->high[c->shape.axis]};
}

/* What it has of its planes, first to last. */
static char *model_of(const cut *c, const window *w)
{
    const torre_planes its = planes_of(c, w);
    char *values = malloc((size_t)((its.high - its.low) * c->plane));
    CHECK(values, "no memory");
    CHECK_OK(torre_wave_cuda.read_model(w->solver, its.low, its.high, values));
    return values;
}

/* The same as the model of all planes has. */
static void compare(const cut *c, const window *w, const char *what)
{
    const torre_planes its = planes_of(c, w);
    char *values = model_of(c, w);
    CHECK(memcmp(values, c->model + its.low * c->plane,
                 (size_t)((its.high - its.low) * c->plane)) == 0,
          "%s: another model of planes %d to %d", what, (int)its.low, (int)its.high);
    free(values);
}

/* By new solvers of all windows. */
static void make_model(cut *c)
{
    for (int64_t i = 0; i < torre_ring_windows(&c->shape); i++) {
        window w = make_window(c, i);
        const torre_planes its = planes_of(c, &w);
        c->plane = torre_wave_cuda.model_bytes(w.solver->program);
        CHECK(c->plane > 0, "a plane has no bytes");
        if (!c->model) c->model = malloc((size_t)(c->shape.planes * c->plane));
        CHECK(c->model, "no memory");
        char *values = model_of(c, &w);
        memcpy(c->model + its.low * c->plane, values, (size_t)((its.high - its.low) * c->plane));
        free(values);
        free_window(&w);
    }
}

static cut make_cut(int order, const char *axes, bool flat)
{
    cut c = {.p = wave_case_problem(30, 26, 37, order)};
    int64_t halo[3][2];
    c.shape.axis = axes[0] - 'x';
    c.shape.planes = c.p.size[c.shape.axis] = 170;
    c.p.precision = TORRE_F32;
    c.p.steps = 8;
    c.velocity = (torre_array){.precision = TORRE_F32,
                               .shape = {c.p.size[0], flat ? 1 : c.p.size[1], c.p.size[2]}};
    const int64_t cells = c.velocity.shape[0] * c.velocity.shape[1] * c.velocity.shape[2];
    float *v = malloc((size_t)cells * sizeof *v);
    CHECK(v, "no memory");
    for (int64_t i = 0; i < cells; i++)
        v[i] = (float)(1000 + 500 * torre_random_uniform(3, 0, (uint64_t)i));
    c.velocity.data = v;
    c.plan = (torre_wave_plan){.engine = TORRE_TORRE, .dts = 3, .tower_height = 4};
    snprintf(c.plan.axes, sizeof c.plan.axes, "%s", axes);
    torre_wave_halo(&c.plan, order, c.plan.tower_height, halo);
    c.shape.below = halo[c.shape.axis][0];
    c.shape.above = halo[c.shape.axis][1];
    c.shape.stored = c.shape.below + c.shape.above + 11;
    return c;
}

/* Both solvers take turns, downwards, and begin again. */
static void renew_all(const cut *c)
{
    const int64_t windows = torre_ring_windows(&c->shape);
    const torre_moved_planes none = {0, 0, 0, NULL};
    window hand[2] = {make_window(c, windows - 1), make_window(c, windows - 1)};
    for (int i = 0; i < 2; i++) torre_wave_cuda.use_model(hand[i].solver, c->model);
    for (int64_t k = 0; k < 2 * windows + 1; k++) {
        window *h = &hand[k % 2];
        torre_wave_part *part = part_of(c, windows - 1 - k % windows, true);
        CHECK_OK(
            torre_wave_cuda.renew(h->solver, hand[!(k % 2)].solver, &part->setup, 0, &none, &none));
        torre_wave_part_free(h->part);
        h->part = part;
        compare(c, h, "renewed");
    }
    for (int i = 0; i < 2; i++) free_window(&hand[i]);
}

/* One solver, down and up, by what is kept (bare) or by velocities. */
static void move_all(const cut *c, bool bare)
{
    const int64_t windows = torre_ring_windows(&c->shape);
    window w = make_window(c, windows - 1);
    if (bare) torre_wave_cuda.use_model(w.solver, c->model);
    for (int64_t k = 0; k < 2 * windows; k++) {
        torre_wave_part *part = part_of(c, k < windows ? windows - 1 - k : k - windows, bare);
        CHECK_OK(torre_wave_cuda.move(w.solver, &part->setup, 0));
        torre_wave_part_free(w.part);
        w.part = part;
        compare(c, &w, bare ? "moved" : "moved by velocities");
    }
    free_window(&w);
}

/* Of all cells, for towers that can have it. */
static void set_density(cut *c)
{
    const int64_t *n = c->p.size, cells = n[0] * n[1] * n[2];
    float *rho = malloc((size_t)cells * sizeof *rho);
    CHECK(rho, "no memory");
    for (int64_t i = 0; i < cells; i++)
        rho[i] = (float)(1000 + 300 * torre_random_uniform(5, 0, (uint64_t)i));
    c->density = (torre_array){TORRE_F32, {n[0], n[1], n[2]}, rho};
    c->p.density_cells = &c->density;
}

static void windows_have_their_model(void **state)
{
    (void)state;
    static const char *const axes[] = {"xyz", "yxz", "xyz", "zxy", "xyz"};
    for (int order = 2; order <= 8; order += 6)
        for (int k = 0; k < (order == 2 ? 3 : 5); k++) {
            cut c = make_cut(order, axes[k], k == 2);
            if (k < 4) c.p.velocity_cells = &c.velocity;
            if (k > 2) set_density(&c);
            wave_case_courant(&c.p, 0.9);
            CHECK_OK(torre_wave_setup_new(&c.p, &c.setup));
            make_model(&c);
            CHECK(torre_ring_windows(&c.shape) > 4, "few windows");
            renew_all(&c);
            move_all(&c, true);
            move_all(&c, false);
            torre_wave_setup_free(c.setup);
            free(c.model);
            free(c.velocity.data);
            free(c.density.data);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows_have_their_model)};
    setenv("FAKE_CUDA_DEVICE", "h200", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
