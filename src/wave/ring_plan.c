#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "wave/part.h"
#include "wave/ring.h"
#include "wave/ring_program.h"

/* --- Windows --- */

/* Planes that a window owns in the middle, and at the high and low ends of the grid. */
static int64_t owned_middle(const torre_ring_shape *s) { return s->stored - s->below - s->above; }
static int64_t owned_high(const torre_ring_shape *s)
{
    return s->even && s->top > 0 ? s->top : s->stored - s->below;
}
static int64_t owned_low(const torre_ring_shape *s) { return s->stored - s->above; }

int64_t torre_ring_windows(const torre_ring_shape *s)
{
    const int64_t middle = owned_middle(s);
    if (s->even) return 1 + (s->planes - owned_high(s) + middle - 1) / middle;
    const int64_t left = s->planes - owned_high(s) - owned_low(s);
    return 2 + (left > 0 ? (left + middle - 1) / middle : 0);
}

/* n i / count, without overflow */
static int64_t even_cut(int64_t n, int64_t count, int64_t i)
{
    return n / count * i + n % count * i / count;
}

torre_region torre_ring_window(const torre_ring_shape *s, const torre_wave_setup *setup, int64_t i)
{
    const torre_region whole = torre_wave_region(setup);
    const int64_t windows = torre_ring_windows(s), from_top = windows - 1 - i;
    const int64_t top = s->planes - owned_high(s);
    int64_t halo[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    torre_box owned = whole.owned;
    halo[s->axis][0] = s->below;
    halo[s->axis][1] = s->above;
    owned.low[s->axis] = i == 0 ? 0 : top - from_top * owned_middle(s);
    if (from_top > 0) owned.high[s->axis] = top - (from_top - 1) * owned_middle(s);
    if (s->even) {
        owned.low[s->axis] = even_cut(top, windows - 1, i);
        owned.high[s->axis] = from_top > 0 ? even_cut(top, windows - 1, i + 1) : s->planes;
    }
    return torre_region_make(whole.global, whole.periodic, &owned, halo);
}

static int64_t stored_by(const torre_ring_shape *s, const torre_wave_setup *setup, int64_t i)
{
    const torre_region r = torre_ring_window(s, setup, i);
    return r.stored.high[s->axis] - r.stored.low[s->axis];
}

int64_t torre_ring_largest(const torre_ring_shape *s, const torre_wave_setup *setup)
{
    int64_t largest = torre_ring_windows(s) - 1;
    for (int64_t i = largest - 1; i >= 0; i--)
        if (stored_by(s, setup, i) > stored_by(s, setup, largest)) largest = i;
    return largest;
}

torre_wave_setup torre_ring_setup(const torre_wave_setup *setup)
{
    torre_wave_setup windows = *setup;
    windows.keeps_layers = true;
    return windows;
}

/* --- Memory --- */

/* What is being planned. */
typedef struct planning {
    const torre_wave_backend *backend;
    const torre_wave_setup *setup;
    torre_ring_program *program;
    torre_plane_store store; /* laid out */
    int64_t limit;           /* bytes */
} planning;

/* Whether the limit is that of a device, and host memory is not counted. */
static bool of_device(const planning *p) { return p->backend->take_host != NULL; }

/* Planes that a window stores at least, and at most: so that the lowest, which may own half as many
 * as the others may, has those of an end. */
static int64_t least_stored(const torre_ring_shape *s)
{
    return s->below + s->above + 2 * s->ends - 1;
}
static int64_t most_stored(const torre_ring_shape *s) { return s->planes - s->ends; }

/* Towers of that height, and the halos that they need. */
static void set_height(planning *p, int64_t height)
{
    torre_ring_shape *s = &p->program->shape;
    int64_t halo[3][2];
    p->program->part.tower_height = height;
    torre_wave_halo(&p->program->part, p->setup->problem->order, height, halo);
    s->below = halo[s->axis][0];
    s->above = halo[s->axis][1];
}

/* Whether there is a window that takes a copy of its velocities. */
static bool copies(const planning *p, const torre_ring_shape *shape)
{
    for (int64_t i = torre_ring_windows(shape) - 1; i >= 0; i--) {
        const torre_region region = torre_ring_window(shape, p->setup, i);
        if (torre_wave_part_copies(p->setup, &region)) return true;
    }
    return false;
}

/*
 * Memory of the solver of a window that stores so many planes, with what a part keeps of its own,
 * as if all sources and receivers were in it; *info: of its program.
 */
static torre_status window_bytes(const planning *p, int64_t stored, torre_wave_info *info,
                                 int64_t *bytes)
{
    const torre_wave_setup *setup = p->setup;
    torre_ring_shape shape = p->program->shape;
    torre_wave_part *part;
    torre_wave_program *program;
    shape.stored = stored;
    const torre_region region = torre_ring_window(&shape, setup, torre_ring_largest(&shape, setup));
    TORRE_TRY(torre_wave_part_new(setup, &region, &part));
    const int64_t nodes = setup->source_node_count + setup->receiver_node_count;
    const int64_t copied = part->problem.velocity_cells && !of_device(p) && copies(p, &shape)
                               ? torre_wave_cells(&part->problem) * part->velocity.precision
                               : 0;
    const bool lacks_points =
        nodes > 0 && part->setup.source_node_count == 0 && part->setup.receiver_node_count == 0;
    const torre_status status = p->backend->plan(&part->setup, &p->program->part, &program);
    if (!status) {
        *info = *torre_wave_program_info(program);
        *bytes = info->memory_bytes + copied + nodes * (int64_t)sizeof(torre_node);
        if (lacks_points && !of_device(p))
            *bytes += stored * p->store.layout.n[1]; /* flags of rows that have some */
        torre_wave_program_free(program);
    }
    torre_wave_part_free(part);
    return status;
}

/* The same of all that are in memory at a time. */
static torre_status windows_bytes(const planning *p, int64_t stored, torre_wave_info *info,
                                  int64_t *bytes)
{
    TORRE_TRY(window_bytes(p, stored, info, bytes));
    *bytes *= p->program->hands;
    return TORRE_OK;
}

/* Planes of the buffer: some of what is left beside the smallest window, at least one. */
static int64_t choose_buffer(const planning *p, int64_t left)
{
    const int64_t most = 32 << 20, bytes = left / 8 < most ? left / 8 : most;
    const int64_t fields = 2 * p->store.layout.plane_bytes, layers = p->store.layer_bytes;
    const int64_t planes = bytes / (fields > layers ? fields : layers);
    return planes < 1 ? 1 : planes < p->store.layout.n[0] ? planes : p->store.layout.n[0];
}

static torre_status too_little(const planning *p, int64_t least)
{
    char have[32], need[32];
    torre_format_bytes((double)p->limit, have, sizeof have);
    torre_format_bytes((double)least, need, sizeof need);
    return torre_fail(TORRE_ERR_USAGE,
                      "{memory} %s is too little for towers of {dts} %d and {tower_height} %lld to "
                      "stream through: it takes %s at least",
                      have, p->program->part.dts, (long long)p->program->part.tower_height, need);
}

/* Memory of the store that counts, too. */
static int64_t store_bytes(const planning *p)
{
    return of_device(p) ? 0 : torre_store_memory(&p->store, p->program->buffer_planes);
}

/* The most planes that fit with towers of the present height; 0: not even the least. Unless that is
 * to be sure it is an estimate, without *info: a large window with many receivers takes long to
 * plan. */
static torre_status fit_planes(const planning *p, bool sure, torre_wave_info *info, int64_t *stored,
                               int64_t *least)
{
    const int64_t most = most_stored(&p->program->shape), low = least_stored(&p->program->shape);
    const int64_t fixed = store_bytes(p);
    int64_t first, second;
    *stored = 0;
    *least = INT64_MAX;
    if (low + 1 > most) return TORRE_OK;
    TORRE_TRY(windows_bytes(p, low, info, &first));
    TORRE_TRY(windows_bytes(p, low + 1, info, &second));
    *least = fixed + first;
    if (*least > p->limit) return TORRE_OK;
    const int64_t each = second - first > 0 ? second - first : 1;
    int64_t planes = low + (p->limit - *least) / each, bytes = 0;
    if (planes > most) planes = most;
    *stored = planes;
    if (!sure) return TORRE_OK;
    *stored = 0;
    for (;;) {
        if (planes < low) planes = low;
        TORRE_TRY(windows_bytes(p, planes, info, &bytes));
        if (bytes + fixed <= p->limit || planes == low) break;
        const int64_t slope = 1 + (bytes - first) / (planes - low);
        const int64_t next = low + (p->limit - *least) / slope;
        planes = next < planes ? next : planes - 1;
    }
    if (bytes + fixed > p->limit) return TORRE_OK;
    *stored = planes;
    info->memory_bytes = bytes + fixed;
    return TORRE_OK;
}

/* --- The height of towers --- */

/* By one window planes go one way after the other, while nothing is computed. */
static torre_part_cost cost_by(const planning *p, const torre_wave_program *whole)
{
    const torre_plane_store *s = &p->store;
    torre_part_cost c = p->backend->part_cost(whole);
    c.stream *= 1 + (double)s->layer_bytes / (2 * (double)s->layout.plane_bytes);
    if (c.beside && p->program->hands == 1) c.stream *= 2;
    c.beside = c.beside && p->program->hands == 2;
    return c;
}

/* What a step of a plane costs by towers of that height, if windows store so many planes; HUGE_VAL:
 * they are too few. */
static double cost_of(planning *p, const torre_part_cost *c, int64_t height, int64_t stored)
{
    const torre_ring_shape *s = &p->program->shape;
    set_height(p, height);
    const double halo = (double)(s->below + s->above), owned = (double)stored - halo;
    const double steps = (double)height, longer = c->stream > steps ? c->stream : steps;
    if (owned < 1) return HUGE_VAL;
    return ((c->beside ? longer : steps + c->stream) + c->move * halo / owned) / steps +
           c->start / owned;
}

/* The height at which that is least. */
static int64_t choose_height(planning *p, const torre_part_cost *c, int64_t stored)
{
    const int64_t steps = p->setup->problem->steps;
    int64_t best = 1;
    double least = cost_of(p, c, 1, stored);
    for (int64_t height = 2; height <= steps; height++) {
        const double cost = cost_of(p, c, height, stored);
        if (cost >= least) break; /* it has one minimum */
        least = cost;
        best = height;
    }
    if (best >= steps) return best;
    /* passes of equal height: one more or one less */
    const int64_t passes = (steps + best - 1) / best, lower = (steps + passes - 1) / passes,
                  higher = passes > 1 ? (steps + passes - 2) / (passes - 1) : steps;
    return cost_of(p, c, higher, stored) < cost_of(p, c, lower, stored) ? higher : lower;
}

/* --- The highest window --- */

static double longer_of(double a, double b) { return a > b ? a : b; }

/* Planes that window i owns. */
static double owned_by(const planning *p, int64_t i)
{
    const torre_ring_shape *s = &p->program->shape;
    const torre_box owned = torre_ring_window(s, p->setup, i).owned;
    return (double)(owned.high[s->axis] - owned.low[s->axis]);
}

/*
 * What a pass takes by the windows as they are, in steps of a plane. Beside each window its
 * neighbours come and go, or those of the passes before and after. Towers lean upwards: the highest
 * window has less to do than it owns planes, the lowest more; and planes above a cut leave with the
 * lower window.
 */
static double pass_of(const planning *p, const torre_part_cost *c)
{
    const torre_ring_shape *s = &p->program->shape;
    const double steps = (double)p->program->part.tower_height, lean = 0.5 * (double)s->above;
    const int64_t windows = torre_ring_windows(s), top = windows - 1;
    double cost = (double)windows * (c->move * (double)(s->below + s->above) + c->start * steps);
    for (int64_t i = top; i >= 0; i--) {
        const int64_t before = i == top ? 0 : i + 1, next = i == 0 ? top : i - 1;
        const double works = owned_by(p, i) - (i == top ? lean : 0) + (i == 0 ? lean : 0);
        const double leaves = owned_by(p, before) + (before == 0 ? (double)s->above : 0) -
                              (before == top ? (double)s->above : 0);
        cost += longer_of(steps * works, c->stream * longer_of(leaves, owned_by(p, next)));
    }
    return cost;
}

/* Sizes of the highest window that are tried. */
enum { TOP_SIZES = 64 };

/*
 * How many planes the highest of two hands' windows owns. Many small windows want it large, so that
 * it lasts while what the lowest one holds leaves; but beside few large ones it must not be so
 * large that others wait until it has come or gone.
 */
static torre_status choose_top(planning *p, const torre_part_cost *c, torre_wave_info *info)
{
    torre_ring_shape *s = &p->program->shape;
    const int64_t least = s->above + s->ends, most = owned_high(s);
    int64_t best = s->top = most, bytes;
    double cost = pass_of(p, c);
    for (int64_t i = 0; i < TOP_SIZES; i++) {
        s->top = least + even_cut(most - least, TOP_SIZES, i);
        const double its = pass_of(p, c);
        if (its >= cost) continue;
        cost = its;
        best = s->top;
    }
    s->top = best;
    TORRE_TRY(windows_bytes(p, s->stored, info, &bytes));
    info->memory_bytes = bytes + store_bytes(p);
    return TORRE_OK;
}

/* Heights and windows for the memory there is. */
static torre_status choose_windows(planning *p, const torre_part_cost *c, int64_t wished,
                                   torre_wave_info *info)
{
    torre_ring_shape *s = &p->program->shape;
    int64_t least;
    p->program->buffer_planes = 1;
    set_height(p, wished > 0 ? wished : 1);
    TORRE_TRY(fit_planes(p, false, info, &s->stored, &least));
    if (s->stored == 0 && least == INT64_MAX)
        return torre_fail(TORRE_ERR_USAGE,
                          "{memory}: a window for towers of {dts} %d and {tower_height} %lld has "
                          "%lld planes, and the grid has no more than %lld along %c",
                          p->program->part.dts, (long long)p->program->part.tower_height,
                          (long long)least_stored(s), (long long)s->planes, "xyz"[s->axis]);
    if (s->stored == 0) return too_little(p, least);
    p->program->buffer_planes = choose_buffer(p, p->limit - least);
    TORRE_TRY(fit_planes(p, false, info, &s->stored, &least));
    for (int64_t height = wished > 0 ? wished : choose_height(p, c, s->stored);;
         height = height / 2) {
        set_height(p, height);
        TORRE_TRY(fit_planes(p, true, info, &s->stored, &least));
        if (s->stored > 0) return TORRE_OK;
    }
}

/* One window or two, whichever cost less. */
static torre_status choose_hands(planning *p, const torre_wave_program *whole,
                                 const torre_wave_plan *wish, torre_wave_info *info)
{
    const torre_ring_program none = *p->program;
    torre_ring_program best = none;
    double least = HUGE_VAL;
    torre_status status = TORRE_OK;
    for (int hands = p->backend->renew ? 2 : 1; hands > 0; hands--) {
        torre_wave_info its;
        *p->program = none;
        p->program->hands = hands;
        p->program->shape.even = hands == 2 || p->program->shape.ends > 1;
        const torre_part_cost c = cost_by(p, whole);
        status = choose_windows(p, &c, wish->tower_height, &its);
        if (!status && hands == 2) status = choose_top(p, &c, &its);
        if (status) continue;
        const double cost = cost_of(p, &c, p->program->part.tower_height, p->program->shape.stored);
        if (cost >= least) continue;
        least = cost;
        best = *p->program;
        *info = its;
    }
    *p->program = best;
    return least < HUGE_VAL ? TORRE_OK : status;
}

/* --- The program --- */

static torre_status check_wish(const torre_wave_backend *backend, const torre_wave_program *whole,
                               const torre_wave_plan *wish)
{
    char need[32], have[32];
    torre_format_bytes((double)whole->info.memory_bytes, need, sizeof need);
    torre_format_bytes((double)wish->memory, have, sizeof have);
    if (whole->setup->pml_a && !backend->layer_place)
        return torre_fail(
            TORRE_ERR_USAGE,
            "this run takes %s, more than {memory} %s: with {absorbing} pml it cannot "
            "stream through less by {backend} %s; take {absorbing} sponge",
            need, have, backend->name);
    if (whole->info.plan.engine != TORRE_TORRE)
        return torre_fail(
            TORRE_ERR_USAGE,
            "this run takes %s, more than {memory} %s: only {engine} torre can stream "
            "through less%s%s",
            need, have, whole->info.why[0] ? ". " : "", whole->info.why);
    if (!wish->scratch && !backend->take_host)
        return torre_fail(TORRE_ERR_USAGE,
                          "this run takes %s, more than {memory} %s: give {scratch} DIR on a fast "
                          "disk, through which it can stream",
                          need, have);
    return TORRE_OK;
}

static void describe(const planning *p, const torre_wave_info *part, const torre_wave_plan *wish)
{
    const torre_ring_shape *s = &p->program->shape;
    torre_wave_info *info = &p->program->base.info;
    *info = *part;
    info->wish = *wish;
    info->plan.memory = wish->memory;
    info->plan.scratch = wish->scratch;
    info->windows = torre_ring_windows(s);
    info->window_planes = stored_by(s, p->setup, torre_ring_largest(s, p->setup));
    const int64_t fields = torre_store_file_bytes(&p->store),
                  model = torre_store_model_bytes(&p->store);
    info->scratch_bytes = fields + model;
    info->streamed_bytes = 2 * fields + model;
}

torre_status torre_ring_plan(const torre_wave_backend *backend, const torre_wave_program *whole,
                             const torre_wave_setup *setup, const torre_wave_plan *wish,
                             torre_wave_program **result)
{
    torre_wave_program *made;
    torre_wave_info info;
    TORRE_TRY(check_wish(backend, whole, wish));
    TORRE_TRY(torre_wave_program_new(sizeof(torre_ring_program), setup, wish, &made));
    torre_ring_program *program = (torre_ring_program *)made;
    const torre_wave_setup windows = torre_ring_setup(setup);
    planning p = {.backend = backend, .setup = &windows, .program = program, .limit = wish->memory};
    made->maker = &torre_wave_ring;
    made->sums = backend->use_sums && setup->problem->receiver_count > 0;
    program->backend = backend;
    program->part = whole->info.plan;
    program->part.measured = false;
    program->part.memory = 0;
    program->part.scratch = NULL;
    program->layout = torre_plane_layout_in(backend, whole, program->part.threads);
    p.store.layout = program->layout;
    p.store.backend = backend;
    if (!wish->scratch && backend->model_bytes)
        p.store.model_bytes = program->model_bytes = backend->model_bytes(whole);
    if (windows.pml_a && backend->layer_bytes)
        p.store.layer_bytes = program->layer_bytes =
            backend->layer_bytes(&windows, &program->part, 0, 1);
    program->shape.axis = p.store.layout.axis[0];
    program->shape.planes = p.store.layout.n[0];
    program->shape.ends = backend->end_planes ? backend->end_planes(setup, &program->part) : 1;
    const torre_status status = choose_hands(&p, whole, wish, &info);
    if (status) {
        torre_wave_program_free(made);
        return status;
    }
    describe(&p, &info, wish);
    *result = made;
    return TORRE_OK;
}
