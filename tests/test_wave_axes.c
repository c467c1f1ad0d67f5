/* Problems with their axes in another order, as the cuda backend may take them. Needs no GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cuda/wave/wave_axes.h"

static const torre_gpu_data *h200;

static const torre_point points[] = {{.position = {31, 47, 80}, .amplitude = 2e6},
                                     {.position = {112.5, 0, 160}, .amplitude = 3e6},
                                     {.position = {31, 47, 80}, .amplitude = -1e6},
                                     {.position = {120, 191, 7}, .amplitude = 1e6}};
static const double wavelet[4] = {1, 2, 3, 4};

static torre_wave_problem plain_problem(void)
{
    torre_wave_problem p = {.size = {13, 20, 17},
                            .spacing = {10, 11, 12},
                            .order = 4,
                            .precision = TORRE_F32,
                            .dt = 1e-3,
                            .steps = 4,
                            .velocity = 2000,
                            .face = {{TORRE_FREE, TORRE_RIGID},
                                     {TORRE_ABSORBING, TORRE_FREE},
                                     {TORRE_RIGID, TORRE_ABSORBING}},
                            .absorbing_width = 5,
                            .sources = points,
                            .source_count = 4,
                            .wavelet = wavelet,
                            .receivers = points,
                            .receiver_count = 3};
    return p;
}

static int compare_cells(const void *a, const void *b)
{
    const torre_node *p = a, *q = b;
    return (p->cell > q->cell) - (p->cell < q->cell);
}

/* The same nodes, however sorted; weights may be rounded otherwise. */
static void same_nodes(const char *axes, torre_node *turned, int64_t count,
                       const torre_node *expected, int64_t expected_count)
{
    CHECK(count == expected_count, "%s: %d nodes, not %d", axes, (int)count, (int)expected_count);
    qsort(turned, (size_t)count, sizeof *turned, compare_cells);
    for (int64_t i = 0; i < count; i++)
        CHECK(turned[i].cell == expected[i].cell && fabs(turned[i].weight - expected[i].weight) <=
                                                        1e-14 * fabs(expected[i].weight) + 1e-30,
              "%s: node %d is cell %lld, %g instead of %lld, %g", axes, (int)i,
              (long long)turned[i].cell, turned[i].weight, (long long)expected[i].cell,
              expected[i].weight);
}

/* Turning a setup gives the setup of a problem that was written down with its axes turned. */
static void setups(void **state)
{
    (void)state;
    for (int order = 0; order < TORRE_AXIS_ORDERS; order++) {
        const char *axes = torre_axis_orders[order];
        torre_wave_problem p = plain_problem(), q = p;
        torre_wave_setup *setup, *expected;
        torre_turned t;
        torre_point at[4] = {{.amplitude = 1}};
        for (int a = 0; a < 3; a++) {
            int from = axes[a] - 'x';
            q.size[a] = p.size[from];
            q.spacing[a] = p.spacing[from];
            memcpy(q.face[a], p.face[from], sizeof q.face[a]);
            for (int i = 0; i < 4; i++) at[i].position[a] = points[i].position[from];
        }
        for (int i = 0; i < 4; i++) at[i].amplitude = points[i].amplitude;
        q.sources = q.receivers = at;
        CHECK(torre_wave_setup_new(&p, &setup) == TORRE_OK, "%s", torre_error_text());
        CHECK(torre_wave_setup_new(&q, &expected) == TORRE_OK, "%s", torre_error_text());
        CHECK(torre_turn_setup(setup, axes, &t) == TORRE_OK, "%s", torre_error_text());
        CHECK(t.setup.problem == &t.problem && t.caller == setup, "%s: not tied together", axes);
        CHECK(memcmp(t.problem.size, q.size, sizeof q.size) == 0, "%s: size", axes);
        CHECK(memcmp(t.problem.spacing, q.spacing, sizeof q.spacing) == 0, "%s: spacing", axes);
        CHECK(memcmp(t.problem.face, q.face, sizeof q.face) == 0, "%s: faces", axes);
        CHECK(t.problem.wavelet == wavelet && t.problem.steps == 4, "%s: wavelet", axes);
        CHECK(!t.problem.velocity_cells, "%s: an array from nowhere", axes);
        for (int a = 0; a < 3; a++) {
            CHECK(!t.setup.damping[a] == !expected->damping[a], "%s: layer of axis %d", axes, a);
            for (int64_t i = 0; t.setup.damping[a] && i < q.size[a]; i++)
                CHECK(t.setup.damping[a][i] == expected->damping[a][i], "%s: damping", axes);
        }
        for (int64_t i = 0; i < setup->receiver_node_count; i++) { /* column i of the samples */
            int64_t from = setup->receiver_nodes[i].cell, to = t.setup.receiver_nodes[i].cell;
            int64_t x[3] = {from / p.size[2] / p.size[1], from / p.size[2] % p.size[1],
                            from % p.size[2]};
            int64_t y[3] = {to / q.size[2] / q.size[1], to / q.size[2] % q.size[1], to % q.size[2]};
            for (int a = 0; a < 3; a++)
                CHECK(y[a] == x[axes[a] - 'x'], "%s: receiver node %d changes place", axes, (int)i);
        }
        same_nodes(axes, t.setup.source_nodes, t.setup.source_node_count, expected->source_nodes,
                   expected->source_node_count);
        same_nodes(axes, t.setup.receiver_nodes, t.setup.receiver_node_count,
                   expected->receiver_nodes, expected->receiver_node_count);
        torre_turned_free(&t);
        torre_wave_setup_free(setup);
        torre_wave_setup_free(expected);
    }
}

/* A velocity for all y needs no copies unless y becomes z. */
static void arrays(void **state)
{
    (void)state;
    torre_wave_problem p = plain_problem();
    torre_array flat = {TORRE_F32, {13, 1, 17}, NULL}, full = {TORRE_F32, {13, 20, 17}, NULL};
    static const int64_t shapes[TORRE_AXIS_ORDERS][3] = {{13, 1, 17},  {1, 13, 17}, {13, 17, 20},
                                                         {17, 13, 20}, {1, 17, 13}, {17, 1, 13}};
    torre_turned t;
    for (int i = 0; i < TORRE_AXIS_ORDERS; i++) {
        p.velocity_cells = &flat;
        torre_turn_problem(&p, torre_axis_orders[i], &t);
        CHECK(t.problem.velocity_cells == &t.velocity &&
                  memcmp(t.velocity.shape, shapes[i], sizeof shapes[i]) == 0,
              "%s: array of %dx%dx%d", torre_axis_orders[i], (int)t.velocity.shape[0],
              (int)t.velocity.shape[1], (int)t.velocity.shape[2]);
        p.velocity_cells = &full;
        torre_turn_problem(&p, torre_axis_orders[i], &t);
        CHECK(memcmp(t.velocity.shape, t.problem.size, sizeof t.problem.size) == 0,
              "%s: not the shape of the grid", torre_axis_orders[i]);
    }
}

static void names(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "x", "xy", "xyzx", "xxy", "XYZ", "xy z", "abc"};
    for (int i = 0; i < TORRE_AXIS_ORDERS; i++)
        CHECK(torre_axes_known(torre_axis_orders[i]), "%s", torre_axis_orders[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(!torre_axes_known(wrong[i]), "'%s' taken for an order of axes", wrong[i]);
    CHECK(strcmp(torre_axis_orders[0], "xyz") == 0, "the first is %s", torre_axis_orders[0]);
}

/* What is refused is told in words of the caller's axes. */
static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *axes, *text;
    } cases[] = {
        {"yxz", NULL},
        {"yzx", "engine torre with periodic x faces needs nx to be a multiple of 4 and at least 8 "
                "(got 13); do this"},
        {"xyz", "engine torre cannot have periodic x faces (towers slide along x); do this"},
        {"zxy", "engine torre with periodic x faces needs nx to be a multiple of 8 (got 13) for "
                "dts 2; do this"}};
    torre_wave_problem p = plain_problem();
    torre_turned t;
    p.face[0][0] = p.face[0][1] = TORRE_PERIODIC;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        p.size[0] = cases[i].text ? 13 : 16;
        torre_turn_problem(&p, cases[i].axes, &t);
        torre_status status = torre_towers_fit(&t, 2, "do this");
        if (!cases[i].text) {
            CHECK(status == TORRE_OK, "%s: %s", cases[i].axes, torre_error_text());
            continue;
        }
        CHECK(status == TORRE_ERR_USAGE, "%s accepted", cases[i].axes);
        CHECK(strcmp(torre_error_text(), cases[i].text) == 0, "says: %s", torre_error_text());
    }
}

/* Of the orders that were measured on an H200 (132 multiprocessors; Gcells/s), the one with the
 * best estimate is nearly the fastest. */
static void choices(void **state)
{
    (void)state;
    static const struct {
        int order, planes;
        struct {
            int64_t size[3];
            double rate;
        } way[5];
    } boxes[] = {
        {2, 256, {{{1024, 1024, 512}, 1322}, {{1024, 512, 1024}, 1182}}},
        {2, 256, {{{64, 2048, 2048}, 855}, {{2048, 64, 2048}, 1021}, {{2048, 2048, 64}, 601}}},
        {2, 256, {{{37, 2048, 2048}, 575}, {{2048, 37, 2048}, 990}, {{2048, 2048, 37}, 344}}},
        {2, 256, {{{16, 4096, 4096}, 452}, {{4096, 16, 4096}, 617}, {{4096, 4096, 16}, 165}}},
        {2, 256, {{{4, 8192, 8192}, 134}, {{8192, 4, 8192}, 252}, {{8192, 8192, 4}, 42}}},
        {2,
         256,
         {{{300, 1024, 512}, 1164},
          {{1024, 300, 512}, 1246},
          {{512, 300, 1024}, 1122},
          {{300, 512, 1024}, 1074},
          {{1024, 512, 300}, 921}}},
        {2,
         256,
         {{{64, 4096, 1024}, 745},
          {{4096, 64, 1024}, 971},
          {{1024, 64, 4096}, 933},
          {{1024, 4096, 64}, 564}}},
        {2, 256, {{{64, 8192, 256}, 571}, {{8192, 64, 256}, 902}, {{256, 64, 8192}, 785}}},
        {2, 256, {{{128, 128, 8192}, 770}, {{8192, 128, 128}, 698}, {{128, 8192, 128}, 602}}},
        {2, 256, {{{512, 512, 1440}, 1004}, {{1440, 512, 512}, 1304}, {{512, 1440, 512}, 1238}}},
        {4, 128, {{{1024, 1024, 512}, 718}, {{1024, 512, 1024}, 682}}},
        {4, 128, {{{64, 2048, 2048}, 512}, {{2048, 64, 2048}, 522}, {{2048, 2048, 64}, 538}}},
        {4, 128, {{{37, 2048, 2048}, 372}, {{2048, 37, 2048}, 416}, {{2048, 2048, 37}, 305}}},
        {4, 128, {{{4096, 16, 4096}, 355}, {{4096, 4096, 16}, 182}}},
        {4, 128, {{{1024, 136, 1024}, 621}, {{1024, 1024, 136}, 431}}},
        {6, 64, {{{64, 2048, 2048}, 310}, {{2048, 64, 2048}, 317}, {{2048, 2048, 64}, 532}}},
        {6, 64, {{{512, 512, 2880}, 372}, {{2880, 512, 512}, 497}, {{512, 2880, 512}, 502}}},
        {8, 32, {{{64, 2048, 2048}, 265}, {{2048, 64, 2048}, 339}, {{2048, 2048, 64}, 450}}},
        {8, 40, {{{37, 2048, 2048}, 135}, {{2048, 37, 2048}, 167}, {{2048, 2048, 37}, 361}}},
        {8, 32, {{{16, 4096, 4096}, 113}, {{4096, 16, 4096}, 194}, {{4096, 4096, 16}, 242}}},
        {8, 32, {{{512, 512, 1440}, 331}, {{1440, 512, 512}, 416}, {{512, 1440, 512}, 406}}},
    };
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++) {
        torre_wave_problem p = plain_problem();
        torre_tower_room room = {.dts = boxes[b].order == 2 ? 6 : 4,
                                 .planes = boxes[b].planes,
                                 .blocks = 132,
                                 .in_registers = boxes[b].order == 2};
        double estimate = 0, chosen = 0, best = 0;
        p.order = boxes[b].order;
        for (int i = 0; i < 5 && boxes[b].way[i].rate > 0; i++) {
            memcpy(p.size, boxes[b].way[i].size, sizeof p.size);
            double rate = torre_tower_rate(h200->rates, &p, &room);
            if (rate > estimate) estimate = rate, chosen = boxes[b].way[i].rate;
            best = fmax(best, boxes[b].way[i].rate);
        }
        CHECK(chosen >= 0.95 * best, "order %d, box %d: chooses %g where %g can be had", p.order,
              (int)b, chosen, best);
    }
}

/* The blocks that the plan would take for a grid on an H200; no dts: it refuses. */
static torre_tower_room h200_room(const torre_wave_problem *p)
{
    static const int planes[4] = {256, 128, 64, 32};
    const bool f64 = p->precision == TORRE_F64;
    torre_tower_room room = {.dts = p->order > 2       ? 4
                                    : f64              ? 3
                                    : p->density_cells ? 5
                                                       : 6,
                             .planes = planes[p->order / 2 - 1] / (f64 && p->order > 2 ? 2 : 1),
                             .blocks = 132,
                             .in_registers = p->order == 2};
    if (p->order == 2 && !f64 && !p->velocity_cells && !p->density_cells && p->size[2] <= 128) {
        room.planes = 128;
        room.blocks = 264;
    }
    if ((p->size[2] + room.planes - 1) / room.planes > room.blocks) room.dts = 0;
    return room;
}

/* Grids measured on an H200, in one or two orders of the axes with either engine (Gcells/s; 0: not
 * measured, or refused): order of the axes and engine by the estimates are nearly the fastest. */
static void engines(void **state)
{
    (void)state;
    enum { PLAIN, ARRAY, DENSE, F64 };
    static const struct {
        int order, kind;
        struct {
            int64_t size[3];
            double torre, stepwise;
        } way[2];
    } boxes[] = {
        {2, PLAIN, {{{1024, 1024, 512}, 1330, 329}}},
        {4, PLAIN, {{{1024, 1024, 512}, 720, 290}}},
        {6, PLAIN, {{{1024, 1024, 512}, 503, 279}}},
        {8, PLAIN, {{{1024, 1024, 512}, 421, 265}}},
        {2, ARRAY, {{{1024, 1024, 512}, 1025, 258}}},
        {4, ARRAY, {{{1024, 1024, 512}, 564, 236}}},
        {6, ARRAY, {{{1024, 1024, 512}, 436, 232}}},
        {8, ARRAY, {{{1024, 1024, 512}, 345, 226}}},
        {2, DENSE, {{{1024, 1024, 512}, 724, 186}}},
        {4, DENSE, {{{1024, 1024, 512}, 440, 150}}},
        {6, DENSE, {{{1024, 1024, 512}, 325, 128}}},
        {8, DENSE, {{{1024, 1024, 512}, 312, 101}}},
        {2, F64, {{{512, 512, 512}, 412, 148}}},
        {4, F64, {{{512, 512, 512}, 235, 141}}},
        {6, F64, {{{512, 512, 512}, 132, 67}}},
        {8, F64, {{{512, 512, 512}, 99, 57}}},
        {2, PLAIN, {{{256, 256, 256}, 894, 279}}},
        {4, PLAIN, {{{256, 256, 256}, 503, 253}}},
        {6, PLAIN, {{{256, 256, 256}, 372, 234}}},
        {8, PLAIN, {{{256, 256, 256}, 349, 184}}},
        {2, PLAIN, {{{128, 128, 128}, 434, 128}}},
        {4, PLAIN, {{{128, 128, 128}, 378, 91}}},
        {6, PLAIN, {{{128, 128, 128}, 219, 78}}},
        {8, PLAIN, {{{128, 128, 128}, 268, 66}}},
        {2, PLAIN, {{{16384, 1, 16384}, 81, 291}}},
        {2, PLAIN, {{{4096, 4096, 1}, 0, 11}, {{4096, 1, 4096}, 134, 257}}},
        {2, PLAIN, {{{2048, 2048, 1}, 0, 11}, {{2048, 1, 2048}, 147, 242}}},
        {2, PLAIN, {{{8192, 4, 8192}, 227, 271}}},
        {2, PLAIN, {{{4096, 4096, 16}, 165, 230}, {{4096, 16, 4096}, 658, 308}}},
        {2, PLAIN, {{{512, 512, 16}, 0, 111}, {{512, 16, 512}, 495, 255}}},
        {2, PLAIN, {{{2048, 2048, 37}, 414, 128}, {{2048, 37, 2048}, 1026, 302}}},
        {2, PLAIN, {{{2048, 2048, 64}, 780, 324}, {{2048, 64, 2048}, 1057, 318}}},
        {2, PLAIN, {{{64, 4096, 1024}, 745, 299}, {{4096, 64, 1024}, 995, 0}}},
        {4, PLAIN, {{{16384, 1, 16384}, 55, 183}}},
        {4, PLAIN, {{{4096, 4096, 1}, 0, 11}, {{4096, 1, 4096}, 54, 164}}},
        {4, PLAIN, {{{2048, 2048, 1}, 0, 11}, {{2048, 1, 2048}, 53, 200}}},
        {4, PLAIN, {{{8192, 4, 8192}, 118, 175}}},
        {4, PLAIN, {{{4096, 4096, 16}, 182, 212}, {{4096, 16, 4096}, 351, 266}}},
        {4, PLAIN, {{{512, 512, 16}, 0, 98}, {{512, 16, 512}, 321, 195}}},
        {4, PLAIN, {{{2048, 2048, 37}, 305, 77}, {{2048, 37, 2048}, 430, 265}}},
        {4, PLAIN, {{{2048, 2048, 64}, 538, 243}, {{2048, 64, 2048}, 536, 299}}},
        {4, PLAIN, {{{64, 4096, 1024}, 521, 284}, {{64, 1024, 4096}, 0, 294}}},
        {6, PLAIN, {{{16384, 1, 16384}, 0, 145}}},
        {6, PLAIN, {{{4096, 4096, 1}, 0, 10}, {{4096, 1, 4096}, 27, 131}}},
        {6, PLAIN, {{{2048, 2048, 1}, 0, 9}, {{2048, 1, 2048}, 27, 152}}},
        {6, PLAIN, {{{8192, 4, 8192}, 0, 131}}},
        {6, PLAIN, {{{4096, 4096, 16}, 150, 180}, {{4096, 16, 4096}, 0, 242}}},
        {6, PLAIN, {{{512, 512, 16}, 90, 77}, {{512, 16, 512}, 0, 160}}},
        {6, PLAIN, {{{2048, 2048, 37}, 312, 58}, {{2048, 37, 2048}, 0, 236}}},
        {6, PLAIN, {{{2048, 2048, 64}, 544, 208}, {{2048, 64, 2048}, 317, 283}}},
        {6, PLAIN, {{{64, 4096, 1024}, 311, 272}, {{4096, 1024, 64}, 516, 0}}},
        {8, PLAIN, {{{16384, 1, 16384}, 0, 116}}},
        {8, PLAIN, {{{4096, 4096, 1}, 8, 9}, {{4096, 1, 4096}, 0, 99}}},
        {8, PLAIN, {{{2048, 2048, 1}, 8, 8}, {{2048, 1, 2048}, 0, 104}}},
        {8, PLAIN, {{{8192, 8192, 4}, 0, 0}, {{8192, 4, 8192}, 0, 113}}},
        {8, PLAIN, {{{4096, 4096, 16}, 246, 152}, {{4096, 16, 4096}, 194, 177}}},
        {8, PLAIN, {{{512, 512, 16}, 165, 46}, {{512, 16, 512}, 0, 133}}},
        {8, PLAIN, {{{2048, 2048, 37}, 361, 47}, {{2048, 37, 2048}, 167, 196}}},
        {8, PLAIN, {{{2048, 2048, 64}, 456, 179}, {{2048, 64, 2048}, 339, 256}}},
        {8, PLAIN, {{{64, 4096, 1024}, 263, 262}, {{4096, 1024, 64}, 458, 0}}},
    };
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++) {
        torre_wave_problem p = plain_problem();
        torre_array array = {TORRE_F32, {1, 1, 1}, NULL};
        double estimate = 0, chosen = 0, best = 0;
        const char *engine = "none";
        char why[256];
        memset(p.face, 0, sizeof p.face); /* free */
        p.order = boxes[b].order;
        if (boxes[b].kind == F64) p.precision = TORRE_F64;
        if (boxes[b].kind == ARRAY || boxes[b].kind == DENSE) p.velocity_cells = &array;
        if (boxes[b].kind == DENSE) p.density_cells = &array;
        for (int i = 0; i < 2 && boxes[b].way[i].size[0] > 0; i++) {
            const double torre = boxes[b].way[i].torre, stepwise = boxes[b].way[i].stepwise;
            memcpy(p.size, boxes[b].way[i].size, sizeof p.size);
            const torre_tower_room room = h200_room(&p);
            double worth = torre_axes_worth(h200->rates, &p, room.dts ? &room : NULL, false);
            best = fmax(best, fmax(torre, stepwise));
            if (worth <= estimate) continue;
            estimate = worth;
            bool steps = !room.dts || torre_stepwise_pays(h200->rates, &p, &room, why, sizeof why);
            chosen = steps ? stepwise : torre;
            engine = steps ? "stepwise" : "torre";
        }
        CHECK(chosen >= 0.85 * best, "order %d, box %d: %s with %g where %g can be had", p.order,
              (int)b, engine, chosen, best);
    }
}

/* Without numbers of a GPU: register towers pay, block towers do not. */
static void other_gpus(void **state)
{
    (void)state;
    torre_wave_problem p = plain_problem();
    torre_tower_room room = {.dts = 6, .planes = 128, .blocks = 80, .in_registers = true};
    char why[256];
    p.order = 2;
    CHECK(!torre_stepwise_pays(torre_gpu_data_of("A100", 8)->rates, &p, &room, why, sizeof why),
          "one step at a time at order 2");
    room.in_registers = false;
    CHECK(torre_stepwise_pays(torre_gpu_data_of("A100", 8)->rates, &p, &room, why, sizeof why),
          "block towers without TMA");
    CHECK(strstr(why, "block towers"), "no reason: %s", why);
    CHECK(torre_stepwise_pays(torre_gpu_data_of("B300", 12)->rates, &p, &room, why, sizeof why),
          "block towers without TMA");
}

/* Towers beside layers: on a large grid at order 2 (320 to 259 of one step at a time), not at order
 * 4 (202 to 215), nor on a small grid, nor where nothing is known of the GPU. */
static void layers_beside_towers(void **state)
{
    (void)state;
    const struct {
        int order;
        int64_t size[3];
        bool known, towers;
    } cases[] = {{2, {1024, 1024, 512}, true, true},
                 {4, {1024, 1024, 512}, true, false},
                 {8, {1024, 1024, 512}, true, false},
                 {2, {160, 160, 160}, true, false},
                 {2, {1024, 1024, 512}, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const torre_gpu_rates *rates = cases[i].known ? h200->rates : NULL;
        torre_wave_problem p = plain_problem();
        char why[256] = "";
        for (int f = 0; f < 6; f++) p.face[f / 2][f % 2] = TORRE_ABSORBING;
        p.absorbing = TORRE_PML;
        p.absorbing_width = 8;
        p.order = cases[i].order;
        memcpy(p.size, cases[i].size, sizeof p.size);
        torre_tower_room room = h200_room(&p);
        room.height = torre_shell_height(rates, &p, &room);
        CHECK(room.height >= 2, "case %d: passes of %d steps", (int)i, (int)room.height);
        CHECK(torre_stepwise_pays(rates, &p, &room, why, sizeof why) != cases[i].towers,
              "case %d: %s", (int)i, why);
    }
}

/* One step at a time with layers, as measured (bench/WAVE.md), and of a long grid in a piece. */
static void layers_cost(void **state)
{
    (void)state;
    const struct {
        int order;
        int64_t size[3];
        const char *axes;
        double rate;
    } cases[] = {{2, {1024, 1024, 512}, "x", 311},   {2, {1024, 1024, 512}, "z", 275},
                 {2, {1024, 1024, 512}, "xyz", 264}, {4, {1024, 1024, 512}, "y", 277},
                 {4, {1024, 1024, 512}, "xyz", 223}, {8, {1024, 1024, 512}, "x", 237},
                 {8, {1024, 1024, 512}, "z", 202},   {8, {1024, 1024, 512}, "xyz", 182},
                 {8, {4096, 512, 512}, "xyz", 177}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        torre_wave_problem p = plain_problem();
        memset(p.face, 0, sizeof p.face);
        for (const char *a = cases[i].axes; *a; a++)
            p.face[*a - 'x'][0] = p.face[*a - 'x'][1] = TORRE_ABSORBING;
        p.absorbing = TORRE_PML;
        p.absorbing_width = 8;
        p.order = cases[i].order;
        memcpy(p.size, cases[i].size, sizeof p.size);
        const double rate = torre_layered_rate(h200->rates, &p, false);
        CHECK(fabs(rate / cases[i].rate - 1) < 0.08, "case %d: %.0f, not %.0f Gcells/s", (int)i,
              rate, cases[i].rate);
    }
}

/* Sources and receivers cost blocks of half size more: with 100 and 10,000 of them the grid of
 * 1024 x 1024 x 128 is better turned (841 as it is, 1053 turned), without them it is not (1162,
 * 1059). */
static void points_cost(void **state)
{
    (void)state;
    torre_wave_problem caller = plain_problem();
    torre_turned as_it_is, turned;
    caller.order = 2;
    caller.size[0] = caller.size[1] = 1024;
    caller.size[2] = 128;
    for (int some = 0; some < 2; some++) {
        caller.source_count = caller.receiver_count = some;
        torre_turn_problem(&caller, "xyz", &as_it_is);
        torre_turn_problem(&caller, "xzy", &turned);
        CHECK(as_it_is.points == some && turned.points == some, "points are forgotten");
        const torre_tower_room half = {6, 128, 264, true, as_it_is.points, 0};
        const torre_tower_room whole = {6, 256, 132, true, turned.points, 0};
        double stay = 1.05 * torre_tower_rate(h200->rates, &as_it_is.problem, &half);
        double turn = torre_tower_rate(h200->rates, &turned.problem, &whole);
        CHECK((turn > stay) == some, "%s points: %g as it is with 5 %% more, %g turned",
              some ? "with" : "without", stay, turn);
    }
}

/* Those of a build, the one that is preferred first. */
static const int built_dts[6] = {4, 8, 3, 2, 1, 6};

/* The order that the plan would take. */
static torre_axes_choice choose(const torre_wave_problem *p, bool for_rate)
{
    torre_axes_choice choice = {.gpu = h200, .for_rate = for_rate};
    for (int i = 0; i < TORRE_AXIS_ORDERS; i++) {
        torre_turned t;
        torre_turn_problem(p, torre_axis_orders[i], &t);
        torre_tower_room room = {.planes = 32, .blocks = 132};
        int fitting = 0;
        for (int d = 0; d < 6; d++)
            if (torre_towers_fit(&t, built_dts[d], "") == TORRE_OK && fitting++ == 0)
                room.dts = built_dts[d];
        if (torre_axes_offer(&choice, torre_axis_orders[i], &t, fitting ? &room : NULL,
                             fitting == 6))
            break;
    }
    return choice;
}

static bool all_fit(const torre_wave_problem *p, const char *axes)
{
    torre_turned t;
    torre_turn_problem(p, axes, &t);
    for (int d = 0; d < 6; d++)
        if (torre_towers_fit(&t, built_dts[d], "")) return false;
    return true;
}

/* On small grids with periodic faces, the first order of the axes on which every tile works, where
 * there is one: so all tiles give the same bits, and none is refused. */
static void axes_suit_all_tiles(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int suited = 0;
    for (int i = 0; i < 2000; i++) {
        torre_wave_problem p = plain_problem();
        p.order = 2 + 2 * (i % 4);
        for (int a = 0; a < 3; a++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            p.size[a] = 1 + (int64_t)(seed >> 33) % 60;
            const torre_face face = seed >> 63 ? TORRE_PERIODIC : TORRE_RIGID;
            p.face[a][0] = p.face[a][1] = face;
        }
        const torre_axes_choice choice = choose(&p, false);
        int first = 0;
        while (first < TORRE_AXIS_ORDERS && !all_fit(&p, torre_axis_orders[first])) first++;
        if (first == TORRE_AXIS_ORDERS) {
            CHECK(choice.worth < 2, "%s is no order for all tiles", choice.axes);
            continue;
        }
        suited++;
        CHECK(strcmp(choice.axes, torre_axis_orders[first]) == 0, "%s instead of %s", choice.axes,
              torre_axis_orders[first]);
    }
    CHECK(suited > 200, "%d problems", suited);
    torre_wave_problem p = plain_problem(); /* dts 3 fits as y, dts 4 does not; both fit as z */
    memcpy(p.size, (int64_t[3]){24, 52, 48}, sizeof p.size);
    p.order = 8;
    p.face[0][0] = p.face[0][1] = TORRE_PERIODIC;
    CHECK(strcmp(choose(&p, false).axes, "yzx") == 0, "%s", choose(&p, false).axes);
}

/* For the rate, the order of the largest worth, the caller's own up to 5 % below that. */
static void axes_are_worth_most(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < 500; i++) {
        torre_wave_problem p = plain_problem();
        memset(p.face, 0, sizeof p.face);
        for (int a = 0; a < 3; a++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            p.size[a] = 1 + (int64_t)(seed >> 33) % 2000;
        }
        const torre_axes_choice choice = choose(&p, true);
        double most = 0, own = 0, its = 0;
        for (int o = 0; o < TORRE_AXIS_ORDERS; o++) {
            torre_turned t;
            torre_turn_problem(&p, torre_axis_orders[o], &t);
            const torre_tower_room room = {.dts = 4, .planes = 32, .blocks = 132};
            const double worth = torre_axes_worth(h200->rates, &t.problem, &room, false);
            if (o == 0) own = worth;
            if (strcmp(choice.axes, torre_axis_orders[o]) == 0) its = worth;
            most = fmax(most, worth);
        }
        CHECK(1.05 * own >= most ? its == own : its == most, "%s is worth %g, xyz %g, the best %g",
              choice.axes, its, own, most);
    }
}

/* A GPU has the row of its name, else that of its compute capability, else the last; and every
 * number of every row is there. */
static void gpus(void **state)
{
    (void)state;
    const torre_gpu_data *h100 = torre_gpu_data_of("NVIDIA H100 80GB HBM3", 9),
                         *t4 = torre_gpu_data_of("Tesla T4", 7);
    CHECK(strcmp(h200->name, "H200") == 0 && h200 != h100 && h100 != t4, "rows are mixed up");
    CHECK(h200->rates && h100->rates == h200->rates && !t4->rates, "rates are mixed up");
    CHECK(torre_gpu_data_of("", 0) == t4 && torre_gpu_data_of("H200", 10) == t4,
          "a GPU without a row has not the last");
    const torre_gpu_data *rows[] = {h200, h100, t4};
    for (int i = 0; i < 3; i++) {
        const torre_gpu_data *gpu = rows[i];
        CHECK(gpu->reserve > 0 && gpu->turn_gain >= 1, "row %d", i);
        for (int order = 0; order < TORRE_TOWER_ORDERS; order++) {
            CHECK(gpu->strip[order] > 0, "row %d: no strips at order %d", i, 2 * order + 2);
            for (int f64 = 0; f64 < 2; f64++) {
                torre_tile tile[TORRE_TILES];
                const torre_wave_plan any = {0};
                CHECK(torre_tiles_find("", 2 * order + 2, f64 ? TORRE_F64 : TORRE_F32, &any,
                                       gpu->tiles, tile) > 0,
                      "row %d: no tiles of order %d", i, 2 * order + 2);
                CHECK(tile[0].dts > 0 && tile[0].tower_height > 0, "row %d", i);
            }
            CHECK(!gpu->rates || (gpu->rates->towers.block[order].speed > 0 &&
                                  gpu->rates->step[order].speed_f64 > 0),
                  "row %d: rates of order %d", i, 2 * order + 2);
        }
    }
}

int main(void)
{
    h200 = torre_gpu_data_of("NVIDIA H200", 9);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus),
        cmocka_unit_test(setups),
        cmocka_unit_test(arrays),
        cmocka_unit_test(names),
        cmocka_unit_test(refusals),
        cmocka_unit_test(choices),
        cmocka_unit_test(points_cost),
        cmocka_unit_test(engines),
        cmocka_unit_test(other_gpus),
        cmocka_unit_test(layers_beside_towers),
        cmocka_unit_test(layers_cost),
        cmocka_unit_test(axes_suit_all_tiles),
        cmocka_unit_test(axes_are_worth_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
