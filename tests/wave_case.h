/*
 * What the physics tests share: problems, solvers of every engine, exact modes and an operator
 * written independently of the library.
 *
 * Rounding. With all directions together (c dt)^2 sum S / h^2 <= 4 below the stability limit. The
 * centre is subtracted from every neighbour by itself, for which 4 sum |C_i| takes the place of S.
 * So one update adds numbers whose magnitudes sum to at most T U, T = 2 + 1 + 16 sum |C_i| / S (7
 * at order 2, 7.5 at order 8, 7.6 at order 12), U the largest |u| of the three levels; each passes
 * through at most 2 R + 6 roundings. So a step commits an error of at most gamma eps U per cell,
 * gamma = T (2 R + 6), eps the unit roundoff (wave_gamma). An error
 * committed at one step has grown after k more by the factor |sin(k theta) / sin(theta)| <= k in
 * each (orthogonal) mode of frequency theta, so that in the Euclidean norm
 *
 *     |error after N steps|_2 <= gamma eps |U|_2 N (N + 1) / 2.              (wave_rounding)
 *
 * It holds for whatever order the operations come in (and with fused ones). Where density varies,
 * q u is a number more, of magnitude (c dt)^2 |q| <= 4 where that of any cell with its neighbours
 * is, and two roundings: 1.7 gamma.
 */
#ifndef TORRE_TEST_WAVE_CASE_H
#define TORRE_TEST_WAVE_CASE_H

#include "check.h"
#include "wave/backend.h"
#include "wave/stencil.h"

/* One way to compute a problem. */
typedef struct wave_way {
    char name[64];
    torre_wave_plan plan;
} wave_way;

/*
 * Read the command line of a test: [BACKEND [ENGINE]], cpu and all engines by default. wave_ways
 * then lists the ways to try, the reference first on the cpu.
 */
void wave_case_init(int argc, char **argv);
bool wave_wants(torre_engine engine);          /* whether the command line includes it */
extern const torre_wave_backend *wave_backend; /* that wave_sim_open uses */
extern wave_way wave_ways[16];
extern int wave_way_count;

/* The cheapest way, for what does not depend on the engine. */
const wave_way *wave_fast_way(void);

/* Make the problem one of two dimensions: one cell along y, and nothing varies there. */
void wave_case_flatten(torre_wave_problem *problem);

/* Velocity 1500 m/s, spacing 10 m, free faces, f64, dt at 0.9 of the limit, 2^40 steps, time
 * dispersion left, trilinear points. */
torre_wave_problem wave_case_problem(int64_t nx, int64_t ny, int64_t nz, int order);

/* dt at the fraction of the limit that the problem has by order, spacing, velocity and density. */
void wave_case_courant(torre_wave_problem *problem, double fraction);

/* Take perfectly matched layers on absorbing faces, no wider than the grid and absorbing_width
 * allow; where they cannot be, the sponge stays. */
void wave_case_pml(torre_wave_problem *problem);

/* A problem being computed. All values pass through f64 whatever the precision. */
typedef struct wave_sim {
    const torre_wave_problem *problem;
    torre_wave_setup *setup;
    torre_wave_solver *solver;
    int64_t cells;
    void *raw;       /* one field in the problem's precision */
    bool sums;       /* the backend sums receivers itself */
    double *samples; /* of the last advance, (steps, receiver_node_count), or receivers with sums */
    int64_t n;       /* steps done since the fields were set */
} wave_sim;

/* Check and set up; the setup may then be changed before the solver is created. */
void wave_sim_prepare(wave_sim *sim, const torre_wave_problem *problem);

/* What the plan for a wish says; the program is freed. */
torre_status wave_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                       torre_wave_info *info);

/*
 * Plan and create. Returns false (and closes) where the way refuses the problem and may: towers on
 * periodic x or y, axes that begin with the flat one of two dimensions, and whatever a backend
 * other than cpu does not offer. Other refusals fail.
 */
bool wave_sim_create(wave_sim *sim, const wave_way *way);

/* Both. */
bool wave_sim_open(wave_sim *sim, const torre_wave_problem *problem, const wave_way *way);
void wave_sim_close(wave_sim *sim);
void wave_sim_set(wave_sim *sim, const double *now, const double *previous);
void wave_sim_advance(wave_sim *sim, int64_t steps);
void wave_sim_get(wave_sim *sim, int level, double *cells);

/* Receiver r at level l (1 .. steps) of the last advance. */
double wave_sim_trace(const wave_sim *sim, int64_t receiver, int64_t l);

/* Memory, or the test fails. */
void *wave_alloc(int64_t count, size_t size);

/* An array of the problem's shape, or of one cell along y, of values within spread of middle; the
 * data is to be freed. */
torre_array wave_random_cells(uint64_t *state, const torre_wave_problem *problem, double middle,
                              double spread);

/* Numbers evenly spread over -1 .. 1, the same on every machine. */
double wave_random(uint64_t *state);
void wave_random_field(uint64_t *state, double *u, int64_t cells);

/* Unit roundoff of a precision. */
double wave_eps(torre_precision precision);

/* C_i of an order (C0 for i = 0) by Lagrange's formula (stencil.h), and S of it. */
double wave_weight(int order, int i);
double wave_stencil_norm(int order);

/* gamma of the bound above. */
double wave_gamma(int order);

/* gamma eps N (N + 1) / 2: the relative bound above. */
double wave_rounding(const torre_wave_problem *problem, int64_t steps);

/* Euclidean norms. */
double wave_norm(const double *u, int64_t cells);
double wave_distance(const double *u, const double *v, int64_t cells);

/* The largest difference of a trace [receivers][steps] from that of open space, over the largest
 * value there, in dB: what layers reflect. */
double wave_reflection_db(const double *trace, const double *open, int receivers, int64_t steps);

/*
 * Mode m (0 .. n - 1) of an axis of n cells that fits its faces: values[n] (NULL: not wanted), its
 * wave number k h is returned. Free: sin(pi (m + 1)(i + 1) / (n + 1)); rigid: cos(pi m (i + 1/2) /
 * n); one of each: quarter waves over n + 1/2; periodic: cos(2 pi m i / n + 1).
 */
double wave_mode(int64_t n, torre_face low, torre_face high, int64_t m, double *values);

/* Discrete eigenvalue -(2 C0 + 2 sum C_i cos(i kh)) >= 0 of -h^2 d^2/dx^2. */
double wave_eigenvalue(int order, double kh);

/* Product of three modes over the grid; returns sum lambda_a / h_a^2, the eigenvalue of -Lap. */
double wave_mode_field(const torre_wave_problem *problem, const int64_t m[3], double *u);

/* out = Lap u, mirrors unfolded by their period rather than by the library's rule. */
void wave_laplacian(const torre_wave_problem *problem, const double *u, double *out);

#endif
