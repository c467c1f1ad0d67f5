/*
 * Problems in parts (part.h): solvers of the regions of a grid, which exchange boxes before and
 * after every pass, against one solver of the whole, bit for bit. Every axis is cut in turn, and
 * all at once; with every engine, order, precision and kind of outer face, axes turned, velocities,
 * layers, sources and receivers, fields that are noise by the numbers of cells. The whole is
 * computed by the reference for the reference, one step at a time for the two others.
 */
#include "wave/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/box.h"
#include "wave/cpu/cpu_solver.h"
#include "wave/initial.h"
#include "wave_random_case.h"

enum { PARTS_MAX = 27, POINTS = 4, STEPS_MAX = 40 };

typedef struct split_case {
    torre_wave_problem problem;
    torre_wave_plan plan; /* of every part: tower_height steps a pass, whatever the engine */
    torre_array velocity, density;
    torre_point source[POINTS], receiver[POINTS];
    double wavelet[STEPS_MAX];
    int pieces[3];     /* parts along each axis */
    int64_t cut[3][4]; /* where each begins; then the size */
    int64_t window;    /* cells along z of the windows of towers; 0: as chosen */
    char text[200];
} split_case;

typedef struct piece {
    int at[3]; /* its number along each axis */
    torre_wave_part *part;
    torre_wave_solver *solver;
    int64_t n;
} piece;

typedef struct split {
    const split_case *c;
    int count, skew; /* the axis along which towers take parts one after another, or -1 */
    piece piece[PARTS_MAX];
    void *buffer;
} split;

/* What a run gives: u[n], u[n-1], samples; and max|u|. */
typedef struct outcome {
    char *u[2], *samples;
    double top;
} outcome;

static size_t field_bytes(const torre_wave_problem *p)
{
    return (size_t)torre_wave_cells(p) * (size_t)p->precision;
}

static size_t sample_bytes(const split_case *c, const torre_wave_setup *setup)
{
    return (size_t)(c->problem.steps * setup->sample_columns) * (size_t)c->problem.precision;
}

/* Fields of a solver: noise by the number of each cell in the whole grid. */
static void start(const torre_wave_setup *setup, torre_wave_solver *solver)
{
    const torre_region region = torre_wave_region(setup);
    const torre_precision precision = setup->problem->precision;
    void *u[2];
    for (int l = 0; l < 2; l++) {
        u[l] = wave_alloc(torre_wave_cells(setup->problem), (size_t)precision);
        torre_wave_noise(&region, precision, (uint64_t)(l + 1), u[l]);
    }
    CHECK_OK(torre_wave_set_fields(wave_backend, solver, setup, u[0], u[1]));
    free(u[0]);
    free(u[1]);
}

static void outcome_make(const split_case *c, const torre_wave_setup *setup, outcome *o)
{
    o->top = 0;
    for (int l = 0; l < 2; l++) o->u[l] = wave_alloc(1, field_bytes(&c->problem));
    o->samples = wave_alloc(1, sample_bytes(c, setup));
    memset(o->samples, -1, sample_bytes(c, setup)); /* NaN, where nothing is written */
}

static void outcome_free(outcome *o)
{
    free(o->u[0]);
    free(o->u[1]);
    free(o->samples);
}

/* By one solver. */
static void run_whole(const split_case *c, const torre_wave_setup *setup, outcome *o)
{
    torre_wave_program *program;
    torre_wave_solver *solver;
    torre_wave_norms norms;
    torre_wave_plan plan = c->plan;
    if (plan.engine == TORRE_TORRE) plan.engine = TORRE_STEPWISE;
    CHECK_OK(wave_backend->plan(setup, &plan, &program));
    CHECK_OK(wave_backend->create(program, &solver));
    outcome_make(c, setup, o);
    start(setup, solver);
    CHECK_OK(wave_backend->advance(solver, c->problem.steps, o->samples));
    for (int l = 0; l < 2; l++)
        CHECK_OK(torre_wave_get_field(wave_backend, solver, setup, -l, o->u[l]));
    CHECK_OK(wave_backend->norms(solver, &norms));
    o->top = norms.max_abs;
    wave_backend->destroy(solver);
}

/* What one piece holds of a box (of its cells) to another, `turn` cells on along each axis, both
 * arrays as they are. */
static void copy_box(const split *s, const piece *from, torre_box box, const piece *to,
                     const int64_t turn[3])
{
    torre_box there;
    int64_t stride[3];
    for (int a = 0; a < 3; a++) {
        const torre_box *stored = &to->part->region.stored;
        if (box.low[a] < stored->low[a] - turn[a]) box.low[a] = stored->low[a] - turn[a];
        if (box.high[a] > stored->high[a] - turn[a]) box.high[a] = stored->high[a] - turn[a];
        if (box.low[a] >= box.high[a]) return;
        there.low[a] = box.low[a] + turn[a];
        there.high[a] = box.high[a] + turn[a];
    }
    torre_box_strides(&box, stride);
    for (int array = 0; array < 2; array++) {
        const int level = (from->n + array) & 1 ? -1 : 0, other = (to->n + array) & 1 ? -1 : 0;
        CHECK_OK(wave_backend->read_box(from->solver, level, &box, stride, s->buffer));
        CHECK_OK(wave_backend->write_box(to->solver, other, &there, stride, s->buffer));
    }
}

/* The halo of every piece, but along the axis of skewed passes. */
static void fill_halos(const split *s)
{
    for (int i = 0; i < 27 * s->count * s->count; i++) {
        const piece *from = &s->piece[i / s->count % s->count], *to = &s->piece[i % s->count];
        const int image = i / s->count / s->count;
        torre_box box = from->part->region.owned;
        int64_t turn[3] = {image / 9 - 1, image / 3 % 3 - 1, image % 3 - 1};
        bool turned = false;
        for (int a = 0; a < 3; a++) {
            turned |= turn[a] != 0;
            turn[a] *= from->part->region.global[a];
        }
        if (from == to && !turned) continue;
        if (s->skew >= 0) {
            if (from->at[s->skew] != to->at[s->skew]) continue;
            box.low[s->skew] = from->part->region.stored.low[s->skew];
            box.high[s->skew] = from->part->region.stored.high[s->skew];
        }
        copy_box(s, from, box, to, turn);
    }
}

/* All that two pieces share which differ in their place along the axis of skewed passes alone. */
static void share(const split *s, const piece *from, const piece *to)
{
    for (int a = 0; a < 3; a++)
        if (a != s->skew && from->at[a] != to->at[a]) return;
    copy_box(s, from, from->part->region.stored, to, (const int64_t[]){0, 0, 0});
}

/* A pass of a piece; of towers in one go, or those above some plane first. */
static void advance(const split *s, piece *p, int64_t steps, char *samples)
{
    const torre_box *stored = &p->part->region.stored;
    if (s->skew >= 0 && p->n / s->c->plan.tower_height % 2) {
        const int64_t low = stored->low[s->skew], planes = stored->high[s->skew] - low;
        for (int64_t plane = low + planes; plane > low - planes; plane -= 1 + planes / 3)
            CHECK_OK(wave_backend->advance_to(p->solver, steps, plane, samples));
        CHECK_OK(wave_backend->advance_to(p->solver, steps, INT64_MIN, samples));
    } else {
        CHECK_OK(wave_backend->advance(p->solver, steps, samples));
    }
    p->n += steps;
}

static void pass(split *s, int64_t steps, char *samples)
{
    fill_halos(s);
    const int stages = s->skew < 0 ? 1 : s->c->pieces[s->skew];
    for (int at = stages - 1; at >= 0; at--) {
        for (int i = 0; i < s->count; i++) {
            piece *p = &s->piece[i];
            if (s->skew >= 0 && p->at[s->skew] != at) continue;
            advance(s, p, steps, samples);
        }
        for (int i = 0; i < s->count * s->count && s->skew >= 0; i++) {
            const piece *from = &s->piece[i / s->count], *to = &s->piece[i % s->count];
            if (from->at[s->skew] == at && to->at[s->skew] < at) share(s, from, to);
        }
    }
    for (int at = 0; at < stages && s->skew >= 0; at++)
        for (int i = 0; i < s->count * s->count; i++) {
            const piece *from = &s->piece[i / s->count], *to = &s->piece[i % s->count];
            if (from->at[s->skew] == at && to->at[s->skew] > at) share(s, from, to);
        }
}

static void piece_make(const split_case *c, const torre_wave_setup *whole, int number, piece *p)
{
    const torre_wave_problem *problem = &c->problem;
    bool periodic[3];
    int64_t halo[3][2];
    torre_box owned;
    torre_wave_program *program;
    torre_wave_halo(&c->plan, problem->order, c->plan.tower_height, halo);
    memset(p, 0, sizeof *p);
    for (int a = 0; a < 3; a++) {
        p->at[a] = number % c->pieces[a];
        number /= c->pieces[a];
        owned.low[a] = c->cut[a][p->at[a]];
        owned.high[a] = c->cut[a][p->at[a] + 1];
        periodic[a] = problem->face[a][0] == TORRE_PERIODIC;
    }
    const torre_region region = torre_region_make(problem->size, periodic, &owned, halo);
    CHECK(torre_wave_part_new(whole, &region, &p->part) == TORRE_OK, "%s: %s", c->text,
          torre_error_text());
    CHECK(wave_backend->plan(&p->part->setup, &c->plan, &program) == TORRE_OK, "%s: %s", c->text,
          torre_error_text());
    CHECK_OK(wave_backend->create(program, &p->solver));
    if (c->window && strcmp(torre_wave_program_info(program)->plan.axes, "xyz") == 0)
        ((torre_cpu_solver *)p->solver)->shape.window = c->window;
    start(&p->part->setup, p->solver);
}

static void run_parts(const split_case *c, const torre_wave_setup *whole, outcome *o)
{
    const torre_wave_problem *p = &c->problem;
    split s = {.c = c, .count = c->pieces[0] * c->pieces[1] * c->pieces[2], .skew = -1};
    if (c->plan.engine == TORRE_TORRE) s.skew = c->plan.axes[0] - 'x';
    for (int i = 0; i < s.count; i++) piece_make(c, whole, i, &s.piece[i]);
    s.buffer = wave_alloc(27, field_bytes(p)); /* a stored box of three times the size at most */
    outcome_make(c, whole, o);
    const size_t row = (size_t)whole->sample_columns * (size_t)p->precision;
    for (int64_t n = 0, steps; n < p->steps; n += steps) {
        steps = p->steps - n < c->plan.tower_height ? p->steps - n : c->plan.tower_height;
        pass(&s, steps, o->samples + (size_t)n * row);
    }
    const torre_box all = torre_box_all(p->size);
    int64_t stride[3];
    torre_box_strides(&all, stride);
    for (int i = 0; i < s.count; i++) {
        const torre_box *own = &s.piece[i].part->region.owned;
        int64_t first = 0;
        torre_wave_norms norms;
        for (int a = 0; a < 3; a++) first += own->low[a] * stride[a];
        for (int l = 0; l < 2; l++)
            CHECK_OK(wave_backend->read_box(s.piece[i].solver, -l, own, stride,
                                            o->u[l] + first * (int64_t)p->precision));
        CHECK_OK(wave_backend->norms(s.piece[i].solver, &norms));
        o->top = fmax(o->top, norms.max_abs);
        wave_backend->destroy(s.piece[i].solver);
        torre_wave_part_free(s.piece[i].part);
    }
    free(s.buffer);
}

static void compare(const split_case *c)
{
    torre_wave_setup *setup;
    outcome whole, parts;
    CHECK_OK(torre_wave_problem_check(&c->problem));
    CHECK_OK(torre_wave_setup_new(&c->problem, &setup));
    run_whole(c, setup, &whole);
    run_parts(c, setup, &parts);
    const torre_precision precision = c->problem.precision;
    for (int l = 0; l < 2; l++)
        for (int64_t i = 0; i < torre_wave_cells(&c->problem); i++) {
            const double u = torre_value(precision, parts.u[l], i);
            const double v = torre_value(precision, whole.u[l], i);
            CHECK(u == v, "%s: u[n-%d] of cell %lld is %.17g, not %.17g", c->text, l, (long long)i,
                  u, v);
        }
    for (int64_t i = 0; i < c->problem.steps * setup->sample_columns; i++)
        CHECK(torre_value(precision, parts.samples, i) == torre_value(precision, whole.samples, i),
              "%s: sample %lld is %.17g, not %.17g", c->text, (long long)i,
              torre_value(precision, parts.samples, i), torre_value(precision, whole.samples, i));
    CHECK(parts.top == whole.top && whole.top > 0.1, "%s: largest value %g, not %g", c->text,
          parts.top, whole.top);
    outcome_free(&whole);
    outcome_free(&parts);
    torre_wave_setup_free(setup);
}

/* A plan whose halos go at most once around a periodic axis. */
static void random_plan(uint64_t *state, torre_engine engine, split_case *c)
{
    static const char *const axes[] = {"xyz", "xyz", "zxy", "yzx", "xzy"};
    torre_wave_problem *p = &c->problem;
    c->plan =
        (torre_wave_plan){.engine = engine,
                          .dts = (int)wave_pick(state, 1, 3),
                          .tower_height = wave_pick(state, 1, engine == TORRE_TORRE ? 7 : 3),
                          .ordering.kind = wave_pick(state, 0, 1) ? TORRE_HILBERT : TORRE_ROW_MAJOR,
                          .threads = wave_pick(state, 0, 3) ? 1 : 3};
    strcpy(c->plan.axes, axes[engine == TORRE_REFERENCE ? 0 : wave_pick(state, 0, 4)]);
    if (torre_wave_is_flat(p, c->plan.axes[0] - 'x')) strcpy(c->plan.axes, "xyz");
    for (int a = 0; a < 3; a++) {
        if (p->face[a][0] != TORRE_PERIODIC) continue;
        const int64_t most = p->size[a] / (p->order / 2);
        if (most == 0)
            p->face[a][0] = p->face[a][1] = TORRE_RIGID;
        else if (c->plan.tower_height > most)
            c->plan.tower_height = most;
    }
}

static void random_density(const uint64_t *state, split_case *c)
{
    uint64_t own = *state + 1;
    if (wave_random(&own) > -0.3) return;
    c->density = wave_random_cells(&own, &c->problem, 1750, 750);
    c->problem.density_cells = &c->density;
}

/* Pieces of any length, the first or the last of them often a single cell. */
static void random_cuts(uint64_t *state, split_case *c, int axis, int pieces)
{
    const int64_t n = c->problem.size[axis];
    if (pieces > n) pieces = (int)n;
    c->pieces[axis] = pieces;
    for (int i = 1; i < pieces; i++)
        c->cut[axis][i] = wave_pick(state, c->cut[axis][i - 1] + 1, n - (pieces - i));
    if (pieces == 2 && wave_pick(state, 0, 3) == 0)
        c->cut[axis][1] = wave_pick(state, 0, 1) ? 1 : n - 1;
    c->cut[axis][pieces] = n;
}

/* axis: the one that is cut, or 3: all of them. */
static void random_case(uint64_t *state, torre_engine engine, int order, int axis, split_case *c)
{
    static const int64_t sizes[] = {5, 9, 13, 16, 17, 22, 29};
    torre_wave_problem *p = &c->problem;
    memset(c, 0, sizeof *c);
    *p = wave_case_problem(sizes[wave_pick(state, 0, 6)], sizes[wave_pick(state, 0, 6)],
                           sizes[wave_pick(state, 0, 6)], order);
    if (axis != 1 && wave_pick(state, 0, 5) == 0) wave_case_flatten(p);
    p->precision = wave_pick(state, 0, 1) ? TORRE_F32 : TORRE_F64;
    p->absorbing_width = (int)wave_pick(state, 1, 6);
    for (int a = 0; a < 3; a++) {
        if (torre_wave_is_flat(p, a)) continue;
        for (int side = 0; side < 2; side++) p->face[a][side] = (torre_face)wave_pick(state, 0, 2);
        if (wave_pick(state, 0, 3) == 0) p->face[a][0] = p->face[a][1] = TORRE_PERIODIC;
    }
    wave_random_velocity(state, p, &c->velocity);
    random_density(state, c);
    wave_case_courant(p, 0.9);
    random_plan(state, engine, c);
    for (int a = 0; a < 3; a++) {
        const bool cut = axis == a || axis == 3;
        random_cuts(state, c, a, cut ? axis == 3 ? 2 : (int)wave_pick(state, 2, 3) : 1);
    }
    /* towers: no periodic x of theirs, and y so only where it is cut, else ny would be bound */
    const int x = c->plan.axes[0] - 'x', y = c->plan.axes[1] - 'x';
    if (engine == TORRE_TORRE && p->face[x][0] == TORRE_PERIODIC)
        p->face[x][0] = p->face[x][1] = TORRE_RIGID;
    if (engine == TORRE_TORRE && p->face[y][0] == TORRE_PERIODIC && c->pieces[y] == 1)
        p->face[y][0] = p->face[y][1] = TORRE_FREE;
    if (engine == TORRE_TORRE && c->problem.face[2][0] != TORRE_PERIODIC)
        c->window = TORRE_BLOCK_BYTES / p->precision * wave_pick(state, 0, 2);
    p->steps = 2 * c->plan.tower_height + wave_pick(state, 0, c->plan.tower_height);
    for (int n = 0; n < STEPS_MAX; n++) c->wavelet[n] = 1e8 * wave_random(state);
    p->wavelet = c->wavelet;
    p->source_count = p->receiver_count = POINTS;
    p->sources = c->source;
    p->receivers = c->receiver;
    wave_random_points(state, p, POINTS, c->source);
    wave_random_points(state, p, POINTS, c->receiver);
    snprintf(c->text, sizeof c->text,
             "%s %dx%dx%d order %d %s, faces %d%d %d%d %d%d, %dx%dx%d parts at %d,%d,%d, dts %d, "
             "%d of %d steps, axes %s, window %d, %d threads",
             torre_engine_name(engine), (int)p->size[0], (int)p->size[1], (int)p->size[2], order,
             p->precision == TORRE_F32 ? "f32" : "f64", p->face[0][0], p->face[0][1], p->face[1][0],
             p->face[1][1], p->face[2][0], p->face[2][1], c->pieces[0], c->pieces[1], c->pieces[2],
             (int)c->cut[0][1], (int)c->cut[1][1], (int)c->cut[2][1], c->plan.dts,
             (int)c->plan.tower_height, (int)p->steps, c->plan.axes, (int)c->window,
             c->plan.threads);
}

static void parts_give_the_bits_of_the_whole(torre_engine engine, int cases)
{
    uint64_t state = 1984 + (uint64_t)engine;
    for (int order = 2; order <= 2 * TORRE_MAX_HALF_WIDTH; order += 2)
        for (int i = 0; i < cases; i++) {
            split_case c;
            random_case(&state, engine, order, i % 4, &c);
            compare(&c);
            free(c.velocity.data);
            free(c.density.data);
        }
}

static void reference(void **unused)
{
    (void)unused;
    parts_give_the_bits_of_the_whole(TORRE_REFERENCE, 8);
}

static void stepwise(void **unused)
{
    (void)unused;
    parts_give_the_bits_of_the_whole(TORRE_STEPWISE, 32);
}

static void torre(void **unused)
{
    (void)unused;
    parts_give_the_bits_of_the_whole(TORRE_TORRE, 60);
}

/* Axes are turned by the size of the whole, not by that of the part. */
static void parts_turn_axes_as_the_whole(void **unused)
{
    (void)unused;
    for (int engine = TORRE_STEPWISE; engine <= TORRE_TORRE; engine++) {
        split_case c = {.problem = wave_case_problem(70, 300, 4, 4), .pieces = {1, 6, 1}};
        c.plan = (torre_wave_plan){
            .engine = (torre_engine)engine, .dts = 2, .tower_height = 3, .threads = 1};
        c.problem.steps = 6;
        torre_wave_setup *setup;
        torre_wave_info info;
        CHECK_OK(torre_wave_setup_new(&c.problem, &setup));
        CHECK_OK(wave_plan(setup, &c.plan, &info));
        CHECK(strcmp(info.plan.axes, "xzy") == 0, "axes %s", info.plan.axes);
        int64_t halo[3][2];
        torre_wave_halo(&info.plan, 4, 3, halo);
        const torre_box owned = {{0, 20, 0}, {70, 24, 4}};
        const torre_region region =
            torre_region_make(c.problem.size, (const bool[]){false, false, false}, &owned, halo);
        torre_wave_part *part;
        CHECK_OK(torre_wave_part_new(setup, &region, &part));
        CHECK_OK(wave_plan(&part->setup, &c.plan, &info));
        CHECK(strcmp(info.plan.axes, "xzy") == 0, "axes %s of a part", info.plan.axes);
        torre_wave_part_free(part);
        torre_wave_setup_free(setup);
    }
}

static void refused(torre_status status, const char *says)
{
    CHECK(status == TORRE_ERR_USAGE && strstr(torre_error_text(), says), "status %d: %s",
          (int)status, status ? torre_error_text() : "");
}

/* What would give other numbers is refused: small halos, long passes, plans that may differ. */
static void what_parts_cannot_do_is_refused(void **unused)
{
    (void)unused;
    torre_wave_problem p = wave_case_problem(30, 40, 50, 4);
    const bool periodic[3] = {false, false, false};
    const torre_box owned = {{10, 0, 0}, {20, 40, 50}};
    torre_wave_setup *setup;
    torre_wave_info info;
    torre_wave_program *program;
    torre_wave_solver *solver;
    torre_wave_part *part;
    int64_t halo[3][2];
    CHECK_OK(torre_wave_setup_new(&p, &setup));
    torre_wave_plan plan = {.engine = TORRE_TORRE, .dts = 1, .tower_height = 3, .threads = 1};
    torre_wave_halo(&plan, p.order, 3, halo);
    CHECK(halo[0][0] == 2 && halo[0][1] == 2 * 3 + 2 * 2 - 1 && halo[1][0] == 6 && halo[2][1] == 6,
          "halos %lld %lld %lld", (long long)halo[0][0], (long long)halo[0][1],
          (long long)halo[1][0]);
    torre_region region = torre_region_make(p.size, periodic, &owned, halo);
    CHECK_OK(torre_wave_part_new(setup, &region, &part));
    CHECK_OK(wave_backend->plan(&part->setup, &plan, &program));
    CHECK_OK(wave_backend->create(program, &solver));
    refused(wave_backend->advance(solver, 4, NULL), "at most 3");
    CHECK_OK(wave_backend->advance(solver, 3, NULL));
    const torre_box beyond = {{7, 0, 0}, {20, 40, 50}};
    double value;
    refused(wave_backend->read_box(solver, 0, &beyond, (const int64_t[]){0, 0, 0}, &value),
            "within 8 to 29");
    wave_backend->destroy(solver);
    plan.engine = TORRE_AUTO;
    refused(wave_plan(&part->setup, &plan, &info), "must name the engine");
    plan = (torre_wave_plan){.engine = TORRE_TORRE, .tower_height = 3};
    refused(wave_plan(&part->setup, &plan, &info), "dts");
    plan.dts = 1;
    plan.tower_height = 4;
    refused(wave_plan(&part->setup, &plan, &info),
            "the halo at x+ has 9 cells, a pass of 4 steps needs 11");
    torre_wave_part_free(part);
    halo[0][0] = 1;
    region = torre_region_make(p.size, periodic, &owned, halo);
    CHECK_OK(torre_wave_part_new(setup, &region, &part));
    for (int engine = TORRE_REFERENCE; engine <= TORRE_TORRE; engine++) {
        plan.engine = (torre_engine)engine;
        refused(wave_plan(&part->setup, &plan, &info), "the halo at x- has 1 cells");
    }
    torre_wave_part_free(part);
    region.stored.high[0] = 31;
    refused(torre_wave_part_new(setup, &region, &part), "along x");
    p.face[0][0] = TORRE_CONTINUES;
    refused(torre_wave_problem_check(&p), "x-");
    torre_wave_setup_free(setup);
}

/* Towers have no periodic x, cut or not. */
static void towers_around_x_are_refused(void **unused)
{
    (void)unused;
    torre_wave_problem p = wave_case_problem(30, 40, 50, 4);
    p.face[0][0] = p.face[0][1] = TORRE_PERIODIC;
    const torre_box owned = {{10, 0, 0}, {20, 40, 50}};
    const torre_wave_plan plan = {.engine = TORRE_TORRE, .dts = 1, .tower_height = 3};
    torre_wave_setup *setup;
    torre_wave_info info;
    torre_wave_part *part;
    int64_t halo[3][2];
    CHECK_OK(torre_wave_setup_new(&p, &setup));
    torre_wave_halo(&plan, p.order, 3, halo);
    const torre_region region =
        torre_region_make(p.size, (const bool[]){true, false, false}, &owned, halo);
    CHECK_OK(torre_wave_part_new(setup, &region, &part));
    refused(wave_plan(&part->setup, &plan, &info), "along x");
    torre_wave_part_free(part);
    torre_wave_setup_free(setup);
}

/* What layers remember goes with planes of towers across the first of their axes alone. */
static void layers_cut_otherwise_are_refused(void **unused)
{
    (void)unused;
    torre_wave_problem p = wave_case_problem(60, 40, 50, 4);
    const torre_box owned = {{20, 0, 0}, {30, 40, 50}};
    torre_wave_plan plan = {.engine = TORRE_TORRE, .dts = 1, .tower_height = 3};
    torre_wave_setup *setup;
    torre_wave_info info;
    torre_wave_part *part;
    const int64_t halo[3][2] = {{12, 12}, {0, 0}, {0, 0}}; /* for all of these */
    p.face[1][0] = TORRE_ABSORBING;
    p.absorbing = TORRE_PML;
    p.absorbing_width = 8;
    CHECK_OK(torre_wave_problem_check(&p));
    CHECK_OK(torre_wave_setup_new(&p, &setup));
    const torre_region region =
        torre_region_make(p.size, (const bool[]){false, false, false}, &owned, halo);
    CHECK_OK(torre_wave_part_new(setup, &region, &part));
    CHECK_OK(wave_plan(&part->setup, &plan, &info));
    strcpy(plan.axes, "yxz");
    refused(wave_plan(&part->setup, &plan, &info), "cut along the first of its axes");
    plan.axes[0] = '\0';
    for (int engine = TORRE_REFERENCE; engine <= TORRE_STEPWISE; engine++) {
        plan.engine = (torre_engine)engine;
        refused(wave_plan(&part->setup, &plan, &info), "by engine torre alone");
    }
    torre_wave_part_free(part);
    torre_wave_setup_free(setup);
}

int main(int argc, char **argv)
{
    (void)argc;
    wave_case_init(1, argv); /* whatever is asked for, the cpu backend */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference),
        cmocka_unit_test(stepwise),
        cmocka_unit_test(torre),
        cmocka_unit_test(parts_turn_axes_as_the_whole),
        cmocka_unit_test(what_parts_cannot_do_is_refused),
        cmocka_unit_test(towers_around_x_are_refused),
        cmocka_unit_test(layers_cut_otherwise_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
