/* Sources and receivers: interpolation weights, the level a sample enters or leaves at, scaling. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave_case.h"

enum { POINTS = 40 };

/* Points all over a 7 x 5 x 9 grid: corners, nodes, edges, anywhere. */
static void scatter(const torre_wave_problem *p, torre_point *points)
{
    uint64_t seed = 5;
    for (int i = 0; i < POINTS; i++) {
        for (int a = 0; a < 3; a++) {
            double top = (double)(p->size[a] - 1), x = (wave_random(&seed) + 1) / 2 * top;
            int what = i < 8 ? 1 + (i >> a & 1) : (i + a) % 4;
            if (what == 1) x = 0;
            if (what == 2) x = top;
            if (what == 3) x = floor(x);
            points[i].position[a] = x * p->spacing[a];
        }
        points[i].amplitude = 1;
        points[i].component = TORRE_PRESSURE;
    }
}

static double linear(const double r[3]) { return 3 + 0.5 * r[0] - 0.25 * r[1] + 0.125 * r[2]; }

static void cell_position(const torre_wave_problem *p, int64_t cell, double r[3])
{
    const int64_t *n = p->size;
    int64_t at[3] = {cell / n[2] / n[1], cell / n[2] % n[1], cell % n[2]};
    for (int a = 0; a < 3; a++) r[a] = (double)at[a] * p->spacing[a];
}

/* Nodes that a receiver takes, and the weight and cell of the i-th. */
static int64_t receiver_size(const torre_wave_setup *s, int64_t r)
{
    const int *count = s->sums[r].count;
    return (int64_t)count[0] * count[1] * count[2];
}

static double receiver_weight(const torre_wave_setup *s, int64_t r, int64_t i, int64_t *cell)
{
    const torre_sum *sum = &s->sums[r];
    const torre_segment *g = s->segments + sum->segment;
    const torre_tap *x = s->taps + sum->tap, *y = x + sum->count[0], *z = y + sum->count[1];
    const int64_t line = i / sum->count[2];
    const double weight = x[line / sum->count[1]].weight * y[line % sum->count[1]].weight *
                          z[i % sum->count[2]].weight;
    for (; i >= g->count; g++) i -= g->count;
    *cell = s->receiver_nodes[g->column + i].cell;
    return weight;
}

/*
 * Trilinear weights reproduce a linear field. Positions within 1e-9 cells of a node count as the
 * node, which changes a field of slope 1 per 10 m by 1e-8 at most; other errors are rounding.
 */
static void weights_reproduce_linear_fields(void **state)
{
    (void)state;
    torre_wave_problem p = wave_case_problem(7, 5, 9, 4);
    torre_point points[POINTS];
    double wavelet[1] = {1};
    p.spacing[0] = 0.1; /* 0.1 * 3 / 0.1 is not 3 */
    scatter(&p, points);
    p.receivers = p.sources = points;
    p.receiver_count = POINTS;
    p.steps = 1;
    p.wavelet = wavelet;
    wave_sim sim;
    wave_sim_prepare(&sim, &p);
    const torre_wave_setup *s = sim.setup;
    for (int64_t i = 1; i < s->receiver_node_count; i++)
        CHECK(s->receiver_nodes[i - 1].cell < s->receiver_nodes[i].cell, "nodes are not sorted");
    for (int r = 0; r < POINTS; r++) {
        double value = 0, one = 0, at[3];
        for (int64_t i = 0; i < receiver_size(s, r); i++) {
            int64_t cell;
            double weight = receiver_weight(s, r, i, &cell);
            CHECK(weight >= 0 && weight <= 1, "receiver %d: weight %g", r, weight);
            cell_position(&p, cell, at);
            value += weight * linear(at);
            one += weight;
        }
        double wanted = linear(points[r].position);
        CHECK(fabs(value - wanted) < 2e-8 && fabs(one - 1) < 1e-15, "receiver %d: %.12g, not %.12g",
              r, value, wanted);
    }
    wave_sim_close(&sim);

    /* sources: the weights of one source sum to dt^2 / (hx hy hz) and have its centre */
    p.source_count = 1;
    for (int r = 0; r < POINTS; r++) {
        double scale = p.dt * p.dt / (p.spacing[0] * p.spacing[1] * p.spacing[2]), value = 0, at[3];
        p.sources = &points[r];
        wave_sim_prepare(&sim, &p);
        for (int64_t i = 0; i < sim.setup->source_node_count; i++) {
            cell_position(&p, sim.setup->source_nodes[i].cell, at);
            value += sim.setup->source_nodes[i].weight / scale * linear(at);
        }
        CHECK(fabs(value - linear(points[r].position)) < 2e-8, "source %d: centre is off", r);
        wave_sim_close(&sim);
    }
}

/*
 * A position is what it says down to 1e-9 of a cell; nearer to a node it is the node, alone, since
 * k * h / h rounds.
 */
static void positions_close_to_nodes_stay_apart(void **state)
{
    (void)state;
    const double offsets[] = {0.5, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 2e-9, 5e-10, 1e-12, 0};
    torre_wave_problem p = wave_case_problem(7, 5, 9, 4);
    torre_point point;
    p.receivers = &point;
    p.receiver_count = 1;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 10; i++)
            for (int side = -1; side <= 1; side += 2) {
                const double offset = side * offsets[i];
                wave_sim sim;
                point = (torre_point){.position = {30, 20, 40}, .amplitude = 1};
                point.position[a] += offset * p.spacing[a];
                wave_sim_prepare(&sim, &p);
                const torre_wave_setup *s = sim.setup;
                double moment = 0, at[3];
                for (int64_t l = 0; l < receiver_size(s, 0); l++) {
                    int64_t cell;
                    const double weight = receiver_weight(s, 0, l, &cell);
                    cell_position(&p, cell, at);
                    moment += weight * at[a];
                }
                const bool apart = fabs(offset) > 1e-9;
                const double node = a == 0 ? 30 : a == 1 ? 20 : 40;
                const double wanted = node + (apart ? offset * p.spacing[a] : 0);
                /* at / h and the weights are rounded: a few eps of positions up to 80 m */
                CHECK(fabs(moment - wanted) <= 16 * wave_eps(TORRE_F64) * 80,
                      "axis %d, %g cells off a node: %.17g m, not %.17g", a, offset, moment,
                      wanted);
                CHECK(s->receiver_node_count == (apart ? 2 : 1), "axis %d, %g cells off: %d nodes",
                      a, offset, (int)s->receiver_node_count);
                wave_sim_close(&sim);
            }
}

/* The last node of a long axis takes what is beyond it by the rounding that the check lets through,
 * which is more than 1e-9 of a cell there. */
static void the_last_node_has_nothing_beyond(void **state)
{
    (void)state;
    enum { N = 9001 };
    torre_wave_problem p = wave_case_problem(1, 1, N, 4);
    torre_point point = {.position = {0, 0, 10. * (N - 1) * (1 + 9e-13)}, .amplitude = 1};
    p.receivers = &point;
    p.receiver_count = 1;
    wave_sim sim;
    wave_sim_prepare(&sim, &p);
    CHECK(sim.setup->receiver_node_count == 1 && sim.setup->receiver_nodes[0].cell == N - 1,
          "%d nodes, cell %d", (int)sim.setup->receiver_node_count,
          (int)sim.setup->receiver_nodes[0].cell);
    wave_sim_close(&sim);
}

/*
 * Each node of a source has the damping of its own cell, and two sources of one cell add up. The
 * two lie a quarter of a cell apart along x in a layer; weights are rounded a few times.
 */
static void sources_add_up_and_are_damped_cell_by_cell(void **state)
{
    (void)state;
    torre_wave_problem p = wave_case_problem(12, 11, 13, 2);
    torre_point sources[2] = {{.position = {12.5, 50, 60}, .amplitude = 3},
                              {.position = {17.5, 50, 60}, .amplitude = -2}};
    double wavelet[1] = {1};
    p.face[0][0] = TORRE_ABSORBING;
    p.absorbing_width = 6;
    p.sources = sources;
    p.source_count = 2;
    p.steps = 1;
    p.wavelet = wavelet;
    wave_sim sim;
    wave_sim_prepare(&sim, &p);
    const torre_wave_setup *s = sim.setup;
    const double share[2] = {0.75 * 3 - 0.25 * 2, 0.25 * 3 - 0.75 * 2}; /* of cells 1, 2 */
    CHECK(s->source_node_count == 2, "%d nodes", (int)s->source_node_count);
    for (int i = 0; i < 2; i++) {
        const double wanted = share[i] * p.dt * p.dt / 1000 / (1 + s->damping[0][1 + i] * p.dt);
        CHECK(s->source_nodes[i].cell == ((1 + i) * 11 + 5) * 13 + 6, "node %d: cell %d", i,
              (int)s->source_nodes[i].cell);
        CHECK(fabs(s->source_nodes[i].weight - wanted) <= 32 * wave_eps(TORRE_F64) * fabs(wanted),
              "node %d: weight %.17g, not %.17g", i, s->source_nodes[i].weight, wanted);
    }
    wave_sim_close(&sim);
}

/*
 * Sample n of the wavelet enters level n + 1: with a single 1 at n = 3 the field is zero up to
 * level 3 and at level 4 holds dt^2 / (hx hy hz) / (1 + s dt) at the node, rounded a few times.
 */
static void a_sample_enters_the_level_after_it(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int w = 0; w < wave_way_count; w++) {
            torre_wave_problem p = wave_case_problem(12, 11, 13, order);
            double wavelet[6] = {0, 0, 0, 1, 0, 0};
            torre_point source = {.position = {10, 50, 110}, .amplitude = 7e5};
            p.face[0][0] = p.face[2][1] = TORRE_ABSORBING;
            p.absorbing_width = 4;
            p.steps = 6;
            p.wavelet = wavelet;
            p.sources = &source;
            p.source_count = 1;
            wave_sim sim;
            if (!wave_sim_open(&sim, &p, &wave_ways[w])) continue;
            double *u = wave_alloc(sim.cells, sizeof *u);
            wave_sim_advance(&sim, 3);
            wave_sim_get(&sim, 0, u);
            CHECK(wave_norm(u, sim.cells) == 0, "%s, order %d: early", wave_ways[w].name, order);
            wave_sim_advance(&sim, 1);
            wave_sim_get(&sim, 0, u);
            double damping = sim.setup->damping[0][1] + sim.setup->damping[2][11];
            double wanted = 7e5 * p.dt * p.dt / 1000 / (1 + damping * p.dt);
            int64_t cell = (1 * 11 + 5) * 13 + 11;
            CHECK(damping > 0 && fabs(u[cell] / wanted - 1) < 8 * wave_eps(TORRE_F64),
                  "%s, order %d: %g, not %g", wave_ways[w].name, order, u[cell], wanted);
            u[cell] = 0;
            CHECK(wave_norm(u, sim.cells) == 0, "%s, order %d: elsewhere", wave_ways[w].name,
                  order);
            free(u);
            wave_sim_close(&sim);
        }
}

/*
 * Receivers see the very values of the field (bits) at every level of an advance of any length, and
 * the length of the advances changes nothing.
 */
static void receivers_see_the_field_of_every_level(void **state)
{
    (void)state;
    enum { STEPS = 23 };
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int w = 0; w < wave_way_count; w++) {
            torre_wave_problem p = wave_case_problem(7, 5, 9, order);
            torre_point points[POINTS];
            double wavelet[STEPS];
            uint64_t seed = 9;
            wave_random_field(&seed, wavelet, STEPS);
            scatter(&p, points);
            p.receivers = p.sources = points;
            p.receiver_count = p.source_count = POINTS;
            p.steps = STEPS;
            p.wavelet = wavelet;
            wave_sim whole, single;
            if (!wave_sim_open(&whole, &p, &wave_ways[w])) continue;
            CHECK(wave_sim_open(&single, &p, &wave_ways[w]), "refused the second time");
            double *u = wave_alloc(whole.cells, sizeof *u), *v = wave_alloc(whole.cells, sizeof *v);
            wave_random_field(&seed, u, whole.cells);
            wave_random_field(&seed, v, whole.cells);
            wave_sim_set(&whole, u, v);
            wave_sim_set(&single, u, v);
            wave_sim_advance(&whole, STEPS);
            int64_t nodes = whole.setup->receiver_node_count;
            for (int n = 0; n < STEPS; n++) {
                wave_sim_advance(&single, 1);
                wave_sim_get(&single, 0, u);
                for (int64_t i = 0; i < nodes; i++) {
                    double field = u[whole.setup->receiver_nodes[i].cell];
                    CHECK(single.samples[i] == field && whole.samples[n * nodes + i] == field,
                          "%s, order %d, level %d, node %lld: field %g, sample %g, in one go %g",
                          wave_ways[w].name, order, n + 1, (long long)i, field, single.samples[i],
                          whole.samples[n * nodes + i]);
                }
            }
            for (int level = 0; level >= -1; level--) {
                wave_sim_get(&whole, level, u);
                wave_sim_get(&single, level, v);
                CHECK(wave_distance(u, v, whole.cells) == 0, "%s, order %d: levels differ",
                      wave_ways[w].name, order);
            }
            free(u);
            free(v);
            wave_sim_close(&whole);
            wave_sim_close(&single);
        }
}

/* Boxes are parts of the field, at both levels, whatever the strides: planes, rows, anything. What
 * is written comes back, nothing else changes, and ghosts follow, so that the next steps agree with
 * those of a solver that was given the whole field. */
static void boxes_are_parts_of_the_field(void **state)
{
    (void)state;
    static const torre_box boxes[] = {{{0, 0, 0}, {7, 5, 9}}, {{2, 0, 0}, {3, 5, 9}},
                                      {{0, 4, 0}, {7, 5, 9}}, {{0, 0, 8}, {7, 5, 9}},
                                      {{0, 0, 0}, {7, 5, 2}}, {{1, 2, 3}, {6, 4, 8}},
                                      {{6, 4, 8}, {7, 5, 9}}, {{3, 3, 3}, {3, 5, 9}}};
    static const torre_face faces[][2] = {
        {TORRE_FREE, TORRE_FREE}, {TORRE_RIGID, TORRE_FREE}, {TORRE_PERIODIC, TORRE_PERIODIC}};
    for (int w = 0; w < 2 * 3 * wave_way_count; w++) {
        torre_wave_problem p = wave_case_problem(7, 5, 9, 4);
        p.precision = w % 2 ? TORRE_F32 : TORRE_F64;
        memcpy(p.face[2], faces[w / 2 % 3], sizeof p.face[2]);
        memcpy(p.face[1], faces[w / 2 % 2], sizeof p.face[1]);
        const wave_way *way = &wave_ways[w / 6];
        wave_sim sim;
        if (!wave_sim_open(&sim, &p, way)) continue;
        const int64_t outer[3] = {2, 2 * 7, 2 * 7 * 5}; /* another order of axes, and gaps */
        const size_t width = (size_t)p.precision;
        void *box = wave_alloc(2 * sim.cells, width);
        double *u[2] = {wave_alloc(sim.cells, sizeof(double)),
                        wave_alloc(sim.cells, sizeof(double))};
        double *v = wave_alloc(sim.cells, sizeof(double));
        uint64_t seed = 2;
        for (int b = 0; b < (int)(sizeof boxes / sizeof *boxes); b++) {
            for (int l = 0; l < 2; l++) wave_random_field(&seed, u[l], sim.cells);
            wave_sim_set(&sim, u[0], u[1]);
            wave_sim_advance(&sim, 3);
            const int level = -(b % 2);
            for (int l = 0; l < 2; l++) wave_sim_get(&sim, -l, u[l]);
            int64_t stride[3];
            torre_box_strides(&boxes[b], stride);
            if (b % 3 == 1) memcpy(stride, outer, sizeof stride);
            CHECK_OK(wave_backend->read_box(sim.solver, level, &boxes[b], stride, box));
            for (int64_t i = 0; i < sim.cells; i++) {
                const int64_t at[3] = {i / 9 / 5, i / 9 % 5, i % 9};
                int64_t in = 0;
                bool inside = true;
                for (int a = 0; a < 3; a++) {
                    inside &= at[a] >= boxes[b].low[a] && at[a] < boxes[b].high[a];
                    in += (at[a] - boxes[b].low[a]) * stride[a];
                }
                if (!inside) continue;
                CHECK(torre_value(p.precision, box, in) == u[-level][i],
                      "%s: cell %lld of box %d is %g, not %g", way->name, (long long)i, b,
                      torre_value(p.precision, box, in), u[-level][i]);
                torre_value_set(p.precision, box, in,
                                u[-level][i] = (double)(float)-u[level + 1][i]);
            }
            CHECK_OK(wave_backend->write_box(sim.solver, level, &boxes[b], stride, box));
            for (int l = 0; l < 2; l++) {
                wave_sim_get(&sim, -l, v);
                CHECK(memcmp(v, u[l], (size_t)sim.cells * sizeof *v) == 0,
                      "%s: writing box %d at level %d changes level %d otherwise", way->name, b,
                      level, -l);
            }
            wave_sim_advance(&sim, 4);
            wave_sim_get(&sim, 0, v);
            wave_sim_set(&sim, u[0], u[1]);
            wave_sim_advance(&sim, 4);
            wave_sim_get(&sim, 0, u[0]);
            CHECK(memcmp(v, u[0], (size_t)sim.cells * sizeof *v) == 0,
                  "%s: after box %d at level %d the next steps are others", way->name, b, level);
        }
        free(u[0]);
        free(u[1]);
        free(v);
        free(box);
        wave_sim_close(&sim);
    }
}

/* What is no box of the field, or no level of it. */
static void boxes_elsewhere_are_refused(void **state)
{
    (void)state;
    static const torre_box bad[] = {
        {{-1, 0, 0}, {7, 5, 9}}, {{0, 0, 0}, {7, 6, 9}}, {{0, 0, 5}, {7, 5, 4}}};
    static const char *const says[] = {"-1 to 7 along x", "within 0 to 5", "5 to 4 along z"};
    const torre_wave_problem p = wave_case_problem(7, 5, 9, 2);
    double values[7 * 5 * 9] = {0};
    const int64_t stride[3] = {45, 9, 1};
    for (int w = 0; w < wave_way_count; w++) {
        wave_sim sim;
        if (!wave_sim_open(&sim, &p, &wave_ways[w])) continue;
        for (int b = 0; b < 3; b++)
            CHECK(wave_backend->read_box(sim.solver, 0, &bad[b], stride, values) ==
                          TORRE_ERR_USAGE &&
                      wave_backend->write_box(sim.solver, 0, &bad[b], stride, values) ==
                          TORRE_ERR_USAGE &&
                      strstr(torre_error_text(), says[b]),
                  "%s: box %d: %s", wave_ways[w].name, b, torre_error_text());
        const torre_box all = torre_box_all(p.size);
        for (int level = -2; level <= 1; level += 3)
            CHECK(wave_backend->read_box(sim.solver, level, &all, stride, values) ==
                          TORRE_ERR_USAGE &&
                      strstr(torre_error_text(), "0 or -1"),
                  "%s: level %d: %s", wave_ways[w].name, level, torre_error_text());
        wave_sim_close(&sim);
    }
}

/* Beyond the last step there is no wavelet. */
static void steps_end_with_the_problem(void **state)
{
    (void)state;
    for (int w = 0; w < wave_way_count; w++) {
        torre_wave_problem p = wave_case_problem(7, 5, 9, 4);
        p.steps = 5;
        wave_sim sim;
        if (!wave_sim_open(&sim, &p, &wave_ways[w])) continue;
        wave_sim_advance(&sim, 5);
        CHECK(wave_backend->advance(sim.solver, 1, NULL) == TORRE_ERR_USAGE,
              "%s went on beyond the last step", wave_ways[w].name);
        wave_sim_set(&sim, NULL, NULL);
        wave_sim_advance(&sim, 0);
        wave_sim_advance(&sim, 5);
        wave_sim_close(&sim);
    }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_reproduce_linear_fields),
        cmocka_unit_test(positions_close_to_nodes_stay_apart),
        cmocka_unit_test(the_last_node_has_nothing_beyond),
        cmocka_unit_test(sources_add_up_and_are_damped_cell_by_cell),
        cmocka_unit_test(a_sample_enters_the_level_after_it),
        cmocka_unit_test(receivers_see_the_field_of_every_level),
        cmocka_unit_test(boxes_are_parts_of_the_field),
        cmocka_unit_test(boxes_elsewhere_are_refused),
        cmocka_unit_test(steps_end_with_the_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
