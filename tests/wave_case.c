#include "wave_case.h"
#include "wave/pml.h"
#include "wave/traces.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "wave/boundary.h"
#include "wave/box.h"
#include "wave/stencil.h"

const torre_wave_backend *wave_backend;
wave_way wave_ways[16];
int wave_way_count;

static int created, refused;

static void print_counts(void) { printf("%d solvers ran, %d were refused\n", created, refused); }

static bool one_engine;
static torre_engine the_engine;

bool wave_wants(torre_engine engine)
{
    if (one_engine) return engine == the_engine;
    return engine != TORRE_REFERENCE || strcmp(wave_backend->name, "cpu") == 0;
}

static void add_way(const char *name, torre_engine engine, int dts, int64_t height, int threads,
                    const char *axes)
{
    if (!wave_wants(engine)) return;
    wave_way *w = &wave_ways[wave_way_count++];
    memset(w, 0, sizeof *w);
    snprintf(w->name, sizeof w->name, "%s", name);
    w->plan.engine = engine;
    w->plan.dts = dts;
    w->plan.tower_height = height;
    w->plan.threads = threads;
    strcpy(w->plan.axes, axes);
}

void wave_case_init(int argc, char **argv)
{
    const char *backend = argc > 1 ? argv[1] : "cpu";
    torre_wave_plan any = {0};
    if (torre_wave_backend_find(backend, &any, &wave_backend) != TORRE_OK) {
        printf("skipped: %s\n", torre_error_text());
        exit(77);
    }
    if (argc > 2 && strcmp(argv[2], "all") != 0) {
        one_engine = true;
        if (!torre_engine_by_name(argv[2], &the_engine) || the_engine == TORRE_AUTO) {
            fprintf(stderr, "engine %s is unknown\n", argv[2]);
            exit(2);
        }
    }
    atexit(print_counts);
    /* one thread is best for small grids; test_wave_fuzz has all numbers of them */
    add_way("reference", TORRE_REFERENCE, 0, 0, 1, "");
    add_way("stepwise", TORRE_STEPWISE, 0, 0, 1, "");
    add_way("torre", TORRE_TORRE, 0, 0, 1, "");
    add_way("torre, dts 2, height 5", TORRE_TORRE, 2, 5, 3, "");
    add_way("stepwise, axes zxy", TORRE_STEPWISE, 0, 0, 2, "zxy");
    add_way("torre, axes yzx", TORRE_TORRE, 0, 0, 2, "yzx");
}

const wave_way *wave_fast_way(void) { return &wave_ways[wave_way_count > 1 ? 1 : 0]; }

torre_wave_problem wave_case_problem(int64_t nx, int64_t ny, int64_t nz, int order)
{
    torre_wave_problem p = {
        .size = {nx, ny, nz},
        .spacing = {10, 10, 10},
        .order = order,
        .precision = TORRE_F64,
        .steps = (int64_t)1 << 40,
        .velocity = 1500,
        .absorbing_width = TORRE_ABSORBING_WIDTH,
        .time_dispersion = TORRE_DISPERSION_LEAVE,
        .interpolation = TORRE_TRILINEAR,
    };
    wave_case_courant(&p, 0.9);
    return p;
}

void wave_case_flatten(torre_wave_problem *p)
{
    p->size[1] = 1;
    p->spacing[1] = INFINITY;
    p->face[1][0] = p->face[1][1] = TORRE_FREE;
    wave_case_courant(p, 0.9);
}

void wave_case_pml(torre_wave_problem *p)
{
    const int width = p->absorbing_width;
    p->absorbing = TORRE_PML;
    while (torre_pml_check(p) && --p->absorbing_width > 0) {}
    if (p->absorbing_width > 0) {
        if (p->absorbing_width % 3 == 0) p->absorbing = TORRE_CPML;
        return;
    }
    p->absorbing = TORRE_SPONGE;
    p->absorbing_width = width;
}

void wave_case_courant(torre_wave_problem *p, double fraction)
{
    double limit;
    CHECK_OK(torre_wave_problem_dt_limit(p, &limit));
    p->dt = fraction * limit;
}

/* What an engine may refuse: see wave_sim_open. */
static bool may_refuse(const torre_wave_problem *p, const wave_way *way)
{
    if (strcmp(wave_backend->name, "cpu") != 0) return true;
    const int x = way->plan.axes[0] ? way->plan.axes[0] - 'x' : 0;
    const int y = way->plan.axes[0] ? way->plan.axes[1] - 'x' : 1;
    if (torre_wave_is_flat(p, x)) return true;
    return way->plan.engine == TORRE_TORRE &&
           (p->face[x][0] == TORRE_PERIODIC || p->face[y][0] == TORRE_PERIODIC);
}

void wave_sim_prepare(wave_sim *sim, const torre_wave_problem *problem)
{
    memset(sim, 0, sizeof *sim);
    sim->problem = problem;
    sim->cells = problem->size[0] * problem->size[1] * problem->size[2];
    CHECK_OK(torre_wave_problem_check(problem));
    CHECK_OK(torre_wave_setup_new(problem, &sim->setup));
}

torre_status wave_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                       torre_wave_info *info)
{
    torre_wave_program *program;
    TORRE_TRY(wave_backend->plan(setup, wish, &program));
    *info = *torre_wave_program_info(program);
    torre_wave_program_free(program);
    return TORRE_OK;
}

bool wave_sim_create(wave_sim *sim, const wave_way *way)
{
    const torre_wave_problem *problem = sim->problem;
    torre_wave_program *program;
    torre_status status = wave_backend->plan(sim->setup, &way->plan, &program);
    if (status == TORRE_ERR_USAGE && may_refuse(problem, way)) {
        if (refused++ < 10) printf("%s refuses: %s\n", way->name, torre_error_text());
        wave_sim_close(sim);
        return false;
    }
    CHECK(status == TORRE_OK, "%s: %s", way->name, torre_error_text());
    sim->sums = torre_wave_program_sums(program);
    CHECK_OK(wave_backend->create(program, &sim->solver));
    created++;
    sim->raw = wave_alloc(sim->cells, (size_t)problem->precision);
    return true;
}

bool wave_sim_open(wave_sim *sim, const torre_wave_problem *problem, const wave_way *way)
{
    wave_sim_prepare(sim, problem);
    return wave_sim_create(sim, way);
}

void wave_sim_close(wave_sim *sim)
{
    if (sim->solver) wave_backend->destroy(sim->solver);
    torre_wave_setup_free(sim->setup);
    free(sim->raw);
    free(sim->samples);
    memset(sim, 0, sizeof *sim);
}

void wave_sim_set(wave_sim *sim, const double *now, const double *previous)
{
    const double *given[2] = {now, previous};
    void *raw[2] = {NULL, NULL};
    for (int l = 0; l < 2; l++) {
        if (!given[l]) continue;
        raw[l] = wave_alloc(sim->cells, (size_t)sim->problem->precision);
        if (sim->problem->precision == TORRE_F64)
            memcpy(raw[l], given[l], (size_t)sim->cells * sizeof(double));
        else
            for (int64_t i = 0; i < sim->cells; i++) ((float *)raw[l])[i] = (float)given[l][i];
    }
    CHECK_OK(torre_wave_set_fields(wave_backend, sim->solver, sim->setup, raw[0], raw[1]));
    free(raw[0]);
    free(raw[1]);
    sim->n = 0;
}

static void widen(const void *raw, torre_precision precision, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++) out[i] = torre_value(precision, raw, i);
}

/* Samples of a step. */
static int64_t columns(const wave_sim *sim)
{
    return sim->sums ? sim->problem->receiver_count : sim->setup->receiver_node_count;
}

void wave_sim_advance(wave_sim *sim, int64_t steps)
{
    int64_t count = steps * columns(sim);
    void *raw = NULL;
    free(sim->samples);
    sim->samples = NULL;
    if (count > 0) {
        raw = wave_alloc(count, (size_t)sim->problem->precision);
        sim->samples = wave_alloc(count, sizeof(double));
    }
    CHECK_OK(sim->sums ? wave_backend->advance_receivers(sim->solver, steps, raw)
                       : wave_backend->advance(sim->solver, steps, raw));
    if (count > 0) widen(raw, sim->problem->precision, count, sim->samples);
    free(raw);
    sim->n += steps;
}

void wave_sim_get(wave_sim *sim, int level, double *cells)
{
    CHECK_OK(torre_wave_get_field(wave_backend, sim->solver, sim->setup, level, sim->raw));
    widen(sim->raw, sim->problem->precision, sim->cells, cells);
}

double wave_sim_trace(const wave_sim *sim, int64_t receiver, int64_t l)
{
    const double *row = sim->samples + (l - 1) * columns(sim);
    return sim->sums ? row[receiver] : torre_traces_value(sim->setup, receiver, row);
}

void *wave_alloc(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    CHECK(memory, "out of memory");
    return memory;
}

double wave_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u; /* number 0, 1, ... of the seed it began with */
    return (double)(int64_t)torre_random_mix(*state) * 0x1p-63;
}

void wave_random_field(uint64_t *state, double *u, int64_t cells)
{
    for (int64_t i = 0; i < cells; i++) u[i] = wave_random(state);
}

torre_array wave_random_cells(uint64_t *state, const torre_wave_problem *p, double middle,
                              double spread)
{
    torre_array a = {.precision = wave_random(state) > 0 ? TORRE_F32 : TORRE_F64};
    memcpy(a.shape, p->size, sizeof a.shape);
    if (wave_random(state) > 0.3) a.shape[1] = 1;
    const int64_t n = a.shape[0] * a.shape[1] * a.shape[2];
    a.data = wave_alloc(n, (size_t)a.precision);
    for (int64_t i = 0; i < n; i++)
        torre_value_set(a.precision, a.data, i, middle + spread * wave_random(state));
    return a;
}

double wave_eps(torre_precision precision)
{
    return precision == TORRE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
}

double wave_weight(int order, int i)
{
    double weight = i ? 1.0 / i / i : 0;
    for (int j = 1; j <= order / 2; j++)
        if (i == 0)
            weight -= 1.0 / j / j;
        else if (j != i)
            weight *= (double)(j * j) / (j * j - i * i);
    return weight;
}

double wave_stencil_norm(int order)
{
    double sum = 0;
    for (int i = 0; i <= order / 2; i++) sum += 2 * fabs(wave_weight(order, i));
    return sum;
}

double wave_gamma(int order)
{
    double neighbours = wave_stencil_norm(order) / 2 + wave_weight(order, 0); /* sum |C_i| */
    return (3 + 16 * neighbours / wave_stencil_norm(order)) * (order + 6);
}

double wave_rounding(const torre_wave_problem *p, int64_t steps)
{
    const double n = (double)steps;
    return wave_gamma(p->order) * wave_eps(p->precision) * n * (n + 1) / 2;
}

double wave_norm(const double *u, int64_t cells)
{
    double sum = 0;
    for (int64_t i = 0; i < cells; i++) sum += u[i] * u[i];
    return sqrt(sum);
}

double wave_distance(const double *u, const double *v, int64_t cells)
{
    double sum = 0;
    for (int64_t i = 0; i < cells; i++) sum += (u[i] - v[i]) * (u[i] - v[i]);
    return sqrt(sum);
}

double wave_reflection_db(const double *trace, const double *open, int receivers, int64_t steps)
{
    double worst = -INFINITY;
    for (int r = 0; r < receivers; r++) {
        double top = 0, difference = 0;
        for (int64_t i = r * steps; i < (r + 1) * steps; i++) {
            top = fmax(top, fabs(open[i]));
            difference = fmax(difference, fabs(trace[i] - open[i]));
        }
        worst = fmax(worst, 20 * log10(difference / top));
    }
    return worst;
}

double wave_mode(int64_t n, torre_face low, torre_face high, int64_t m, double *values)
{
    bool periodic = low == TORRE_PERIODIC, odd = low != TORRE_RIGID, mixed = false;
    double length = (double)n, k; /* between the walls, in cells */
    if (periodic) {
        k = 2 * M_PI * (double)m / length;
    } else {
        mixed = (low == TORRE_RIGID) != (high == TORRE_RIGID);
        length = mixed ? (double)n + 0.5 : odd ? (double)n + 1 : (double)n;
        k = M_PI * ((double)m + (mixed ? 0.5 : odd ? 1 : 0)) / length;
    }
    for (int64_t i = 0; values && i < n; i++) {
        if (periodic)
            values[i] = cos(k * (double)i + 1);
        else
            values[i] = odd ? sin(k * (double)(i + 1)) : cos(k * ((double)i + 0.5));
    }
    return k;
}

double wave_eigenvalue(int order, double kh)
{
    double sum = -2 * wave_weight(order, 0);
    for (int i = 1; i <= order / 2; i++) sum -= 2 * wave_weight(order, i) * cos(i * kh);
    return sum;
}

double wave_mode_field(const torre_wave_problem *p, const int64_t m[3], double *u)
{
    double *axis[3], lambda = 0;
    for (int a = 0; a < 3; a++) {
        axis[a] = wave_alloc(p->size[a], sizeof(double));
        double k = wave_mode(p->size[a], p->face[a][0], p->face[a][1], m[a], axis[a]);
        lambda += wave_eigenvalue(p->order, k) / (p->spacing[a] * p->spacing[a]);
    }
    int64_t i = 0;
    for (int64_t x = 0; x < p->size[0]; x++)
        for (int64_t y = 0; y < p->size[1]; y++)
            for (int64_t z = 0; z < p->size[2]; z++) u[i++] = axis[0][x] * axis[1][y] * axis[2][z];
    for (int a = 0; a < 3; a++) free(axis[a]);
    return lambda;
}

/*
 * Value of a line of n cells (stride apart) at any index. Lengths count half cells from the low
 * wall; two reflections make a translation by twice the distance of the walls.
 */
static double unfold(const double *line, int64_t stride, int64_t n, torre_face low, torre_face high,
                     int64_t i)
{
    if (low == TORRE_PERIODIC) return line[((i % n + n) % n) * stride];
    int64_t wall_low = low == TORRE_RIGID ? -1 : -2;
    int64_t wall_high = high == TORRE_RIGID ? 2 * n - 1 : 2 * n;
    double sign_low = low == TORRE_RIGID ? 1 : -1, sign_high = high == TORRE_RIGID ? 1 : -1;
    int64_t length = wall_high - wall_low, t = 2 * i - wall_low;
    int64_t turns = t >= 0 ? t / (2 * length) : -((-t + 2 * length - 1) / (2 * length));
    double sign = turns % 2 != 0 ? sign_low * sign_high : 1;
    t -= 2 * length * turns;
    if (t > length) {
        t = 2 * length - t;
        sign *= sign_high;
    }
    if ((t == 0 && sign_low < 0) || (t == length && sign_high < 0)) return 0;
    return sign * line[(t + wall_low) / 2 * stride];
}

void wave_laplacian(const torre_wave_problem *p, const double *u, double *out)
{
    const int64_t *n = p->size, stride[3] = {n[1] * n[2], n[2], 1};
    for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        int64_t at[3] = {i / n[2] / n[1], i / n[2] % n[1], i % n[2]};
        out[i] = 0;
        for (int a = 0; a < 3; a++) {
            const double *line = u + i - at[a] * stride[a];
            double sum = 0;
            for (int d = -p->order / 2; d <= p->order / 2; d++)
                sum += (d == 0 ? 2 : 1) * wave_weight(p->order, abs(d)) *
                       unfold(line, stride[a], n[a], p->face[a][0], p->face[a][1], at[a] + d);
            out[i] += sum / (p->spacing[a] * p->spacing[a]);
        }
    }
}
