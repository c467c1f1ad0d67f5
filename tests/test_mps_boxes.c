/*
 * What stands in a tank of the moving-particle method: boxes of water, obstacles, a gate. Particles
 * in the places where they should be, water at rest between them, none of it inside of an obstacle,
 * a gate that holds and opens, heights, what gauges need of all particles, and what is refused. The
 * backend is the first argument, "cpu" without one; with "small" behind it gauges alone are looked
 * at, for a GPU whose kernels run on a CPU.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "particles/md_run.h"
#include "particles/mps_probe.h"

static const char *backend_name = "cpu";

/* A problem and the particles it points to. */
typedef struct box_case {
    torre_mps_dam dam;
    torre_md_particles particles;
    torre_md_problem problem;
} box_case;

static box_case make_case(const torre_mps_tank *tank, torre_md_precision precision)
{
    box_case c;
    const torre_fluid_dam wish = {
        .tank = *tank, .viscosity = 1e-6, .gravity = 9.81, .precision = precision};
    CHECK_OK(torre_mps_dam_make(&wish, &c.dam, &c.problem));
    CHECK_OK(torre_mps_tank_make(&c.dam.tank, &c.particles));
    torre_md_problem_set_particles(&c.problem, &c.particles);
    CHECK_OK(torre_md_problem_check(&c.problem));
    return c;
}

static torre_md_run *start(const box_case *c)
{
    torre_md_run *run;
    const torre_md_plan plan = {0};
    CHECK_OK(torre_md_run_new(&c->problem, backend_name, &plan, &run));
    CHECK_OK(torre_md_run_start(run, NULL));
    return run;
}

static void advance_to(torre_md_run *run, double time)
{
    const int64_t step = (int64_t)ceil(time / run->problem->dt);
    CHECK_OK(torre_md_run_advance(run, step - run->step, NULL));
    CHECK_OK(torre_mps_measure_fetch(run->fluid));
}

/* Spacings of 1 cm. Two boxes of water, an obstacle on the floor, one at the ceiling's far corner
 * and one that touches nothing, and a gate. */
static torre_mps_tank furnished(int dims, bool side_walls)
{
    return (torre_mps_tank){
        .dims = dims,
        .spacing = 0.01,
        .size = {0.4, 0.2, 0.12},
        .side_walls = side_walls,
        .waters = 2,
        .water = {{{0, 0, 0}, {0.1, 0.12, 0.12}}, {{0.3, 0, 0}, {0.4, 0.03, 0.05}}},
        .obstacles = 3,
        .obstacle = {{{0.2, 0, 0.04}, {0.24, 0.05, 0.08}},
                     {{0.35, 0.13, 0.05}, {0.4, 0.2, 0.12}},
                     {{0.27, 0.08, 0.03}, {0.34, 0.16, 0.1}}},
        .gate = {.x = 0.1, .opens = 0.1}};
}

static bool inside_box(const torre_mps_box *box, int dims, const double r[3])
{
    for (int a = 0; a < dims; a++)
        if (r[a] < box->low[a] || r[a] > box->high[a]) return false;
    return true;
}

enum { MARGIN = 4, MOST = 40 + 2 * MARGIN };
/* 1: solid, by place + MARGIN */
static unsigned char solid[MOST][MOST][MOST];

static int wrap(const torre_mps_layout *l, int k)
{
    const int n = (int)l->cells[2];
    return l->sides ? k : (k % n + n) % n;
}

/* The distance of a place to the nearest that is not solid, by looking at all of them. */
static int depth(const torre_mps_layout *l, int i, int j, int k)
{
    int least = MARGIN;
    for (int di = -MARGIN + 1; di < MARGIN; di++)
        for (int dj = -MARGIN + 1; dj < MARGIN; dj++)
            for (int dk = -MARGIN + 1; dk < MARGIN; dk++) {
                const int x = i + di + MARGIN, y = j + dj + MARGIN, z = wrap(l, k + dk) + MARGIN;
                const int far = abs(di) > abs(dj) ? abs(di) : abs(dj);
                const int further = far > abs(dk) ? far : abs(dk);
                if (x < 0 || y < 0 || z < 0 || x >= MOST || y >= MOST || z >= MOST) continue;
                if (!solid[x][y][z] && further < least) least = further;
            }
    return least;
}

/*
 * Every particle is where one of its kind should be, and there is one wherever one should be: water
 * in its boxes, walls one spacing deep in what is solid, dummies behind them up to the radius of
 * influence, the gate with walls outside and dummies inside; nothing stands twice.
 */
static void check_places(int dims, bool side_walls)
{
    const torre_mps_tank tank = furnished(dims, side_walls);
    box_case c = make_case(&tank, TORRE_MD_F64);
    const torre_mps_layout *l = &c.dam.layout;
    const torre_mps_parameters *m = &c.problem.mps;
    static unsigned char there[MOST][MOST][MOST]; /* kind + 1 */
    memset(there, 0, sizeof there);
    memset(solid, 1, sizeof solid);
    double volume = 0;
    for (int k = 0; k < tank.waters; k++) {
        double v = 1;
        for (int a = 0; a < dims; a++) v *= tank.water[k].high[a] - tank.water[k].low[a];
        volume += v;
    }
    CHECK(l->fluid == (int64_t)rint(volume / pow(0.01, dims)), "%d-D: %lld particles for %g", dims,
          (long long)l->fluid, volume);
    for (int64_t id = 0; id < c.problem.count; id++) {
        int at[3];
        for (int a = 0; a < 3; a++)
            at[a] = (int)rint((c.particles.position[a][id] - l->origin[a]) / 0.01 - 0.5) + MARGIN;
        CHECK(at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < MOST && at[1] < MOST &&
                  at[2] < MOST,
              "particle %lld is far outside", (long long)id);
        unsigned char *place = &there[at[0]][at[1]][at[2]];
        CHECK(!*place, "two particles at %d %d %d", at[0], at[1], at[2]);
        *place = (unsigned char)(1 + (id >= m->fluid) + (id >= m->fluid + m->wall));
        if (torre_mps_is_gate(m, id)) *place += 10;
    }
    for (int pass = 0; pass < 2; pass++) /* what is solid, and then who stands there */
        for (int i = -3; i < l->cells[0] + 3; i++)
            for (int j = -3; j < l->cells[1] + 3; j++)
                for (int k = l->sides ? -3 : 0; k < l->cells[2] + (l->sides ? 3 : 0); k++) {
                    const double r[3] = {0.01 * (i + 0.5), 0.01 * (j + 0.5), 0.01 * (k + 0.5)};
                    bool full = i < 0 || j < 0 || k < 0 || i >= l->cells[0] || j >= l->cells[1] ||
                                k >= l->cells[2];
                    bool wet = false;
                    for (int o = 0; o < 3; o++)
                        full = full || inside_box(&tank.obstacle[o], dims, r);
                    for (int w = 0; w < 2; w++) wet = wet || inside_box(&tank.water[w], dims, r);
                    if (pass == 0) {
                        solid[i + MARGIN][j + MARGIN][k + MARGIN] = full;
                        continue;
                    }
                    const int deep = full ? depth(l, i, j, k) : 0;
                    int expected = wet ? 1 : deep == 0 ? 0 : deep == 1 ? 2 : deep <= 3 ? 3 : 0;
                    const bool gate = i >= 10 && i < 13 && j >= 0 && k >= 0 && k < l->cells[2];
                    if (gate) expected = i == 10 || i == 12 || j == 0 ? 12 : 13;
                    const int got = there[i + MARGIN][j + MARGIN][k + MARGIN];
                    CHECK(got == expected, "%d-D, place %d %d %d: kind %d, not %d", dims, i, j, k,
                          got - 1, expected - 1);
                    there[i + MARGIN][j + MARGIN][k + MARGIN] = 0;
                }
    for (size_t n = 0; n < sizeof there; n++)
        CHECK(!((unsigned char *)there)[n], "a particle stands outside of everything");
    torre_md_particles_free(&c.particles);
}

static void test_places(void **state)
{
    (void)state;
    check_places(2, false);
    check_places(3, false);
    check_places(3, true);
}

/* How deep the deepest particle of the fluid is inside of an obstacle, spacings. */
static double penetration(const box_case *c, const torre_md_run *run)
{
    double most = 0;
    for (int o = 0; o < c->dam.tank.obstacles; o++) {
        const torre_mps_box *box = &c->dam.tank.obstacle[o];
        for (int64_t i = 0; i < c->problem.mps.fluid; i++) {
            double least = INFINITY;
            for (int a = 0; a < c->problem.dimensions; a++) {
                const double r = run->fluid->now.position[a][i] - c->dam.layout.origin[a];
                least = fmin(least, fmin(r - box->low[a], box->high[a] - r));
            }
            most = fmax(most, least / c->problem.mps.spacing);
        }
    }
    return most;
}

/*
 * Water around an obstacle, filled in as three boxes, and behind a closed gate stays at rest: the
 * pressure of the particles in the lower three quarters is a line of slope -rho g within 10 %, as
 * in a tank without anything (test_mps.c), the water moves at less than a twentieth of a fall from
 * its top, and heights are what they were, within a spacing. Probes on the floor, the wall, and the
 * obstacle's top and side have the pressure of their depth within 10 %, too.
 */
static void test_rest(void **state)
{
    (void)state;
    const double height = 0.1, spacing = 0.005;
    const torre_mps_tank tank = {.dims = 2,
                                 .spacing = spacing,
                                 .size = {0.3, 0.15},
                                 .waters = 3,
                                 .water = {{{0, 0}, {0.06, height}},
                                           {{0.1, 0}, {0.2, height}},
                                           {{0.06, 0.04}, {0.1, height}}},
                                 .obstacles = 1,
                                 .obstacle = {{{0.06, 0}, {0.1, 0.04}}},
                                 .gate = {.x = 0.2, .opens = 100}};
    box_case c = make_case(&tank, TORRE_MD_F64);
    if (strcmp(backend_name, "cpu") != 0) { /* which does not move one */
        torre_md_particles_free(&c.particles);
        torre_mps_tank shut = tank;
        shut.gate.x = 0;
        shut.obstacles = 2;
        shut.obstacle[1] = (torre_mps_box){{0.2, 0}, {0.3, 0.15}};
        c = make_case(&shut, TORRE_MD_F64);
    }
    torre_md_run *run = start(&c);
    static const double probe[4][2] = {{0.03, 0}, {0, 0.03}, {0.08, 0.04}, {0.1, 0.02}};
    double mean[4] = {0}, probed[4] = {0}, n = 0;
    advance_to(run, 0.5);
    for (int sample = 0; sample < 20; sample++) {
        advance_to(run, run->fluid->row.time + 20 * c.problem.dt);
        for (int k = 0; k < 4; k++) {
            const double at[3] = {probe[k][0], probe[k][1], 0};
            probed[k] += torre_mps_probe(&c.dam, run->fluid, at) / 20;
        }
        for (int64_t i = 0; i < c.problem.mps.fluid; i++) {
            const double y = run->fluid->now.position[1][i] - c.dam.layout.origin[1];
            if (y > 0.75 * height) continue;
            n++;
            mean[0] += y;
            mean[1] += run->fluid->pressure[i];
            mean[2] += y * y;
            mean[3] += y * run->fluid->pressure[i];
        }
    }
    const double slope = (n * mean[3] - mean[0] * mean[1]) / (n * mean[2] - mean[0] * mean[0]);
    const double bottom = (mean[1] - slope * mean[0]) / n, weight = 1000 * 9.81;
    const double mass = 1000 * spacing * spacing * (double)c.problem.mps.fluid;
    const double rms = sqrt(2 * run->fluid->row.kinetic / mass);
    printf("bottom pressure %.1f Pa of %.1f, rms speed %.4f m/s, %.3f spacings deep\n", bottom,
           weight * height, rms, penetration(&c, run));
    for (int k = 0; k < 4; k++) {
        const double expected = weight * (height - probe[k][1]);
        printf("probe at %g %g: %.1f Pa of %.1f\n", probe[k][0], probe[k][1], probed[k], expected);
        CHECK(fabs(probed[k] / expected - 1) < 0.1, "probe %d: %.1f Pa, not %.1f", k, probed[k],
              expected);
    }
    CHECK(isnan(torre_mps_probe(&c.dam, run->fluid, (double[3]){0.03, 0.02, 0})),
          "a probe in the water");
    CHECK(fabs(bottom / (weight * height) - 1) < 0.1, "bottom pressure %.1f Pa", bottom);
    CHECK(fabs(slope / -weight - 1) < 0.1, "pressure gradient %.1f Pa/m", slope);
    CHECK(rms < 0.05 * sqrt(2 * 9.81 * height), "it moves at %.3g m/s (rms)", rms);
    CHECK(penetration(&c, run) < 0.1, "water is %.3f spacings inside", penetration(&c, run));
    CHECK(run->fluid->row.front - c.dam.layout.origin[0] < 0.2 + 0.1 * spacing + spacing / 2,
          "water comes to %.4f m", run->fluid->row.front - c.dam.layout.origin[0]);
    for (double x = 0.02; x < 0.19; x += 0.02) {
        const double h = torre_mps_dam_height(&c.dam, run->fluid, &(double[2]){x}[0]);
        const double expected = height - (x > 0.055 && x < 0.105 ? 0.04 : 0);
        if (fabs(x - 0.06) < 0.011 || fabs(x - 0.1) < 0.011) continue; /* partly over the edge */
        CHECK(fabs(h - expected) < spacing, "the water is %.4f m high at %g, not %.4f", h, x,
              expected);
    }
    torre_md_run_free(run);
    torre_md_particles_free(&c.particles);
}

/* A column collapses onto an obstacle: no water is ever as deep inside as its outermost particles
 * stand, half a spacing, and none beyond the tank's faces; it does come to the other side. */
static void hit_obstacle(int dims, double spacing)
{
    const torre_mps_tank tank = {.dims = dims,
                                 .spacing = spacing,
                                 .size = {0.4, 0.3, 0.12},
                                 .column = {0.1, 0.2},
                                 .obstacles = 1,
                                 .obstacle = {{{0.24, 0, 0.04}, {0.28, 0.04, 0.08}}}};
    box_case c = make_case(&tank, TORRE_MD_F32);
    torre_md_run *run = start(&c);
    double most = 0;
    for (int sample = 1; sample <= 25; sample++) {
        advance_to(run, 0.02 * sample);
        most = fmax(most, penetration(&c, run));
        CHECK(most < 0.5, "%d-D, %g s: water is %.3f spacings inside", dims, run->fluid->row.time,
              most);
        CHECK(run->fluid->row.excursion < 0.1, "a particle is %.3f spacings outside",
              run->fluid->row.excursion);
    }
    printf("%d-D: at most %.3f spacings inside the obstacle\n", dims, most);
    CHECK(run->fluid->row.front - c.dam.layout.origin[0] > 0.3, "the front has come to %.3f m",
          run->fluid->row.front - c.dam.layout.origin[0]);
    torre_md_run_free(run);
    torre_md_particles_free(&c.particles);
}

static void test_obstacle(void **state)
{
    (void)state;
    hit_obstacle(2, 0.005);
    hit_obstacle(3, 0.01);
}

/* Largest distance of the gate's particles from where they started, lifted by `lifted`, m. */
static double gate_error(const box_case *c, const torre_md_run *run, double lifted)
{
    const torre_mps_parameters *m = &c->problem.mps;
    double most = 0;
    for (int64_t i = m->gate; i < m->gate + m->gate_count; i++)
        for (int a = 0; a < 3; a++)
            most = fmax(most, fabs(run->fluid->now.position[a][i] - c->particles.position[a][i] -
                                   (a == 1 ? lifted : 0)));
    return most;
}

/*
 * A gate holds the water on both sides until it opens, then it is where it should be to the
 * rounding of a position (whose place in a box of 1 m is 6e-8 m in f32, twice that for two of
 * them), and the water runs: the front of a collapse is by t further than a third of g t^2, which a
 * column accelerates by at first, and no further than 2 sqrt(g H) t, the front of a collapse on a
 * dry floor (Ritter 1892).
 */
static void open_gate(double speed, torre_md_precision precision)
{
    const double opens = 0.1, x = 0.1, spacing = 0.005, rounding = precision ? 1e-12 : 1.2e-7;
    const torre_mps_tank tank = {.dims = 2,
                                 .spacing = spacing,
                                 .size = {0.6, 0.2},
                                 .waters = 2,
                                 .water = {{{0, 0}, {x, 0.1}}, {{0.5, 0}, {0.6, 0.02}}},
                                 .gate = {.x = x, .opens = opens, .speed = speed}};
    box_case c = make_case(&tank, precision);
    torre_md_run *run = start(&c);
    double left = 0;
    for (int sample = 1; sample <= 5; sample++) { /* a step early: it opens during one */
        advance_to(run, opens * sample / 5 - 2 * c.problem.dt);
        left = 0;
        for (int64_t i = 0; i < c.problem.mps.fluid; i++) {
            const double r = run->fluid->now.position[0][i] - c.dam.layout.origin[0];
            if (r < 0.3) left = fmax(left, r);
        }
        CHECK(left < x + 0.1 * spacing, "%g s: a particle is at %.4f m, in the gate",
              run->fluid->row.time, left);
        CHECK(gate_error(&c, run, 0) <= rounding, "the gate has moved by %.3g m",
              gate_error(&c, run, 0));
    }
    const double height = 0.2, after = 0.05;
    advance_to(run, opens + after);
    const double time = run->fluid->row.time - opens;
    const double lifted = speed > 0 ? fmin(height, speed * time) : height;
    CHECK(gate_error(&c, run, lifted) <= rounding, "after %g s the gate is off by %.3g m", time,
          gate_error(&c, run, lifted));
    left = 0;
    for (int64_t i = 0; i < c.problem.mps.fluid; i++) {
        const double r = run->fluid->now.position[0][i] - c.dam.layout.origin[0];
        if (r < 0.45) left = fmax(left, r + spacing / 2);
    }
    printf("gate at %g m/s: %.4f s after it opens the front is %.4f m beyond\n", speed, time,
           left - x);
    CHECK(left - x > 9.81 / 3 * time * time && left - x < 2 * sqrt(9.81 * 0.1) * time,
          "the front is %.4f m beyond the gate", left - x);
    advance_to(run, opens + 0.5);
    CHECK(gate_error(&c, run, height) <= rounding, "in the end the gate is off by %.3g m",
          gate_error(&c, run, height));
    for (int64_t i = c.problem.mps.gate; i < c.problem.mps.gate + c.problem.mps.gate_count; i++)
        CHECK(run->fluid->now.velocity[1][i] == 0, "the gate still moves");
    CHECK(run->fluid->row.excursion < 0.1, "a particle is %.3f spacings outside",
          run->fluid->row.excursion);
    torre_md_run_free(run);
    torre_md_particles_free(&c.particles);
}

static void test_gate(void **state)
{
    (void)state;
    if (strcmp(backend_name, "cpu") == 0) {
        open_gate(0, TORRE_MD_F64);
        open_gate(2, TORRE_MD_F64);
        open_gate(2, TORRE_MD_F32);
        return;
    }
    const torre_mps_tank tank = furnished(2, false);
    box_case c = make_case(&tank, TORRE_MD_F64);
    torre_md_run *run;
    const torre_md_plan plan = {0};
    const torre_status status = torre_md_run_new(&c.problem, backend_name, &plan, &run);
    CHECK(status == TORRE_ERR_USAGE && strstr(torre_error_text(), "gate"), "status %d: %s",
          (int)status, torre_error_text());
    torre_md_particles_free(&c.particles);
}

/* Water on the lattice has its own height everywhere, exactly, also where the patch meets a wall
 * or goes around a periodic tank. */
static void test_heights(void **state)
{
    (void)state;
    for (int sides = 0; sides < 2; sides++) {
        const torre_mps_tank tank = {
            .dims = 3,
            .spacing = 0.01,
            .size = {0.3, 0.2, 0.1},
            .side_walls = sides,
            .waters = 2,
            .water = {{{0, 0, 0}, {0.15, 0.1, 0.1}}, {{0.15, 0, 0}, {0.3, 0.05, 0.1}}}};
        box_case c = make_case(&tank, TORRE_MD_F64);
        torre_md_run *run = start(&c);
        CHECK_OK(torre_mps_measure_fetch(run->fluid));
        for (double x = 0; x <= 0.3; x += 0.0073) {
            for (double z = 0; z <= 0.1; z += 0.0131) {
                const double h = torre_mps_dam_height(&c.dam, run->fluid, (double[2]){x, z});
                const double low = fmax(x - 0.02, 0), high = fmin(x + 0.02, 0.3);
                const double part = fmin(fmax((0.15 - low) / (high - low), 0), 1);
                CHECK(fabs(h - 0.05 * (1 + part)) < 1e-12, "at %g %g: %.15g, not %.15g", x, z, h,
                      0.05 * (1 + part));
            }
        }
        torre_md_run_free(run);
        torre_md_particles_free(&c.particles);
    }
}

/* All that is measured at a place of the tank, and what of the state each needs. */
enum { KINDS = 3 };

static void measure_at(const box_case *c, const torre_mps_measure *m, const double at[3],
                       double value[KINDS])
{
    double point[3];
    for (int a = 0; a < 3; a++) point[a] = c->dam.layout.origin[a] + at[a];
    value[0] = torre_mps_gauge(m, point);
    value[1] = torre_mps_probe(&c->dam, m, at);
    value[2] = torre_mps_dam_height(&c->dam, m, (double[2]){at[0], at[2]});
}

static void regions_at(const box_case *c, const double at[3], torre_mps_region region[KINDS])
{
    double point[3];
    for (int a = 0; a < 3; a++) point[a] = c->dam.layout.origin[a] + at[a];
    region[0] = torre_mps_gauge_region(&c->problem, point);
    region[1] = torre_mps_probe_region(&c->dam, &c->problem, at);
    region[2] = torre_mps_dam_height_region(&c->dam, &c->problem, (double[2]){at[0], at[2]});
}

/* Gauges give the same bits with the particles around them as with all; on a GPU these are fewer.
 */
static void test_near(void **state)
{
    (void)state;
    const bool gpu = strcmp(backend_name, "cuda") == 0;
    static const double places[][3] = {
        {0, 0.03, 0.06},      {0.2, 0.02, 0.06}, {0.22, 0.05, 0.05},
        {0.01, 0, 0.005},     {0.1, 0, 0.119},   {0.4, 0.01, 0.03},
        {0.055, 0.061, 0.07}, {0.39, 0.02, 0},   {0.02, 0.002, 0.12}};
    for (int k = 0; k < 4; k++) {
        enum { PLACES = sizeof places / sizeof *places };
        torre_mps_tank tank = furnished(3, k & 1);
        double some[PLACES][KINDS], all[PLACES][KINDS], most = 0;
        tank.gate.x = 0;
        box_case c = make_case(&tank, k & 2 ? TORRE_MD_F32 : TORRE_MD_F64);
        torre_md_run *run = start(&c);
        torre_mps_measure *m = run->fluid;
        CHECK_OK(torre_md_run_advance(run, 60, &(torre_md_watch){.row_every = 60}));
        for (int i = 0; i < PLACES; i++) {
            torre_mps_region region[KINDS];
            regions_at(&c, places[i], region);
            CHECK_OK(torre_mps_measure_fetch_near(m, region, KINDS));
            CHECK((m->near != NULL) == gpu && (!gpu || m->near_count < c.problem.count / 2),
                  "%lld of %lld particles", (long long)m->near_count, (long long)c.problem.count);
            measure_at(&c, m, places[i], some[i]);
        }
        CHECK_OK(torre_mps_measure_fetch(m));
        CHECK(!m->near, "all are there");
        for (int i = 0; i < PLACES; i++) {
            measure_at(&c, m, places[i], all[i]);
            for (int j = 0; j < KINDS; j++)
                CHECK(memcmp(&some[i][j], &all[i][j], sizeof some[i][j]) == 0 ||
                          (isnan(some[i][j]) && isnan(all[i][j])),
                      "case %d, place %d, kind %d: %.17g, not %.17g", k, i, j, some[i][j],
                      all[i][j]);
            most = fmax(most, all[i][1]);
        }
        CHECK(most > 100, "no probe feels anything: %.3g Pa", most);
        torre_md_run_free(run);
        torre_md_particles_free(&c.particles);
    }
}

/* What is refused, with a word of the reason. */
#define REFUSED(change, text)                                                                      \
    do {                                                                                           \
        torre_mps_tank tank = furnished(3, false);                                                 \
        const torre_fluid_dam wish = {.tank = ((change), tank), .gravity = 9.81};                  \
        torre_mps_dam dam;                                                                         \
        torre_md_problem p;                                                                        \
        torre_status status = torre_mps_dam_make(&wish, &dam, &p);                                 \
        if (!status) status = torre_md_problem_check(&p);                                          \
        CHECK(status == TORRE_ERR_USAGE && strstr(torre_error_text(), text), "%s: status %d: %s",  \
              #change, (int)status, torre_error_text());                                           \
    } while (0)

static void test_refusals(void **state)
{
    (void)state;
    REFUSED(tank.water[0].high[1] = 0.21, "0 to 0.2 m");
    REFUSED(tank.water[1].low[2] = -0.01, "0 to 0.12 m");
    REFUSED(tank.obstacle[0].high[0] = 0.2, "lower end first");
    REFUSED(tank.obstacle[0].high[0] = NAN, "lower end first");
    REFUSED(tank.obstacle[1].low[0] = 0.398, "no whole");
    REFUSED(tank.obstacles = 17, "at most 16");
    REFUSED(tank.waters = -1, "at most 16");
    REFUSED(tank.obstacle[0].low[0] = 0.12, "overlaps");
    REFUSED(tank.water[1].low[0] = 0.23, "overlaps");
    REFUSED(tank.water[0].high[0] = 0.11, "overlaps");
    REFUSED(tank.gate.x = 0.37, "0.01 to 0.36 m");
    REFUSED(tank.gate.x = -0.1, "0.01 to 0.36 m");
    REFUSED(tank.gate.opens = -1, "0 s or later");
    REFUSED(tank.gate.speed = 1000, "sound speed");
    REFUSED(tank.gate.speed = -1, "sound speed");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),   cmocka_unit_test(test_rest),
        cmocka_unit_test(test_obstacle), cmocka_unit_test(test_gate),
        cmocka_unit_test(test_heights),  cmocka_unit_test(test_near),
        cmocka_unit_test(test_refusals),
    };
    const struct CMUnitTest small[] = {cmocka_unit_test(test_near)};
    if (argc > 1) backend_name = argv[1];
    const torre_md_backend *backend;
    const torre_md_plan plan = {0};
    if (torre_md_backend_find(backend_name, &plan, &backend)) {
        printf("skipped: %s\n", torre_error_text());
        return 77;
    }
    if (argc > 2 && !strcmp(argv[2], "small")) return cmocka_run_group_tests(small, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
