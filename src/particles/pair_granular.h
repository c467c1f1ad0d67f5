/*
 * Pair model "granular": hard-ish spheres that touch, r < d, push each other apart along the line
 * of centres, with a spring and a dashpot (the thesis on space-filling curves for granular gases,
 * chapter 2, without friction):
 *
 *     linear    F = K delta + c w              delta = d - r, w = d delta/dt
 *     Hertzian  F = K delta^(3/2) + c delta^(1/4) w
 *
 * and walls and gravity act on single particles. granular.h says how K, c, restitution and contact
 * time belong together. The cutoff of the problem is the diameter d.
 *
 * Walls stand across the last axis that particles move along (z, or y in a plane), at `low` and
 * `high`, and move together by A sin(2 pi f t). They push particles nearer than d/2 as a partner
 * of infinite mass would. Gravity pulls towards smaller coordinates of that axis.
 *
 * The dashpot is taken implicitly: where the velocity stands half a step back, the force that the
 * whole step would feel solves F = K delta + c (w + dw/dt dt/2) with dw/dt = -F / m*. So a contact
 * of two particles is integrated to second order.
 *
 * pair_lj.h says what a pair model provides.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#ifndef TORRE_PAIR_GRANULAR_H
#define TORRE_PAIR_GRANULAR_H

typedef struct torre_granular_parameters {
    bool hertz;              /* Hertzian springs; linear ones otherwise */
    double stiffness;        /* K of particles, and of particle and wall, > 0 */
    double restitution;      /* e of two particles, 0 < e <= 1 */
    bool ideal;              /* particles do not collide with each other */
    bool walls;              /* there are walls */
    double wall_restitution; /* e of particle and wall */
    double wall_low;         /* mean position of the lower wall */
    double wall_high;        /* and of the upper one */
    double shake_amplitude;  /* A, >= 0 */
    double shake_frequency;  /* f, >= 0 */
    double gravity;          /* acceleration, >= 0 */
    /* of rough grains (grains.h), which pairs of this header know nothing of: */
    bool rough;
    double friction, wall_friction, rolling_friction; /* coefficients, >= 0 */
    double tangential_stiffness;                      /* over that along the normal, > 0 */
    double tangential_restitution; /* of a slow oblique impact that sticks, > 0, at most 1 */
    double least_radius;           /* of a particle; that of the largest is half of the cutoff */
    double incline;                /* gravity is turned so far towards +x, degrees */
    bool side_walls;               /* there are walls across the other axes, too: */
    double side_low, side_high[2]; /* where they are along x and y */
} torre_granular_parameters;

#define TORRE_PAIR_PARAMETERS_granular(ROW)                                                        \
    ROW(POSITIVE, stiffness, 1000, "K", "of the spring in a contact, N/m; Hertzian: N/m^1.5")      \
    ROW(SHARE, restitution, 0.8, "E", "of two particles")                                          \
    ROW(SHARE, wall_restitution, 0.9, "E", "of particle and wall")                                 \
    ROW(NOT_NEGATIVE, shake_amplitude, 0, "A", "of the walls, in diameters; both move together")   \
    ROW(NOT_NEGATIVE, shake_frequency, 0, "HZ", "of the walls")                                    \
    ROW(NOT_NEGATIVE, gravity, 0, "G", "along the last axis, m/s^2; needs walls")

/* Dashpot constant c for stiffness K, reduced mass M and restitution e (granular.h). */
static inline double torre_granular_dashpot(bool hertz, double stiffness, double reduced_mass,
                                            double restitution)
{
    const double pi = 3.14159265358979323846;
    double l = -log(restitution), share = l / sqrt(pi * pi + l * l);
    return sqrt((hertz ? 5 : 4) * reduced_mass * stiffness) * share;
}
#endif

#if defined TORRE_REAL && !defined TORRE_PAIR_PARAMETERS_ONLY
#include "particles/pair_begin.h"

#undef TORRE_PAIR_DISSIPATES
#undef TORRE_PAIR_FIELD
#define TORRE_PAIR_DISSIPATES 1
#define TORRE_PAIR_FIELD      1

typedef struct TORRE_TYPED(torre_pair) {
    TORRE_REAL diameter, stiffness, dashpot;
    TORRE_REAL lag;     /* how much a unit of force on both still changes their relative velocity */
    TORRE_STATE weight; /* m g */
    TORRE_STATE radius, wall_stiffness, wall_dashpot, wall_lag, low, high, amplitude, rate;
    double turns; /* of the walls in a time step */
    int hertz, walls, axis;
} TORRE_TYPED(torre_pair);

/* Where the walls are. */
typedef struct TORRE_TYPED(torre_pair_walls) {
    TORRE_STATE low, high, velocity;
} TORRE_TYPED(torre_pair_walls);

static inline TORRE_TYPED(torre_pair)
    TORRE_TYPED(torre_pair_make)(const torre_md_problem *problem, double kick)
{
    const torre_granular_parameters *p = &problem->pair.granular;
    const double m = problem->mass, k = p->stiffness;
    const double turn = 6.283185307179586476925;
    TORRE_TYPED(torre_pair) pair;
    memset(&pair, 0, sizeof pair); /* and what lies between the members: GPUs are sent all of it */
    pair.diameter = (TORRE_REAL)problem->cutoff;
    pair.stiffness = p->ideal ? 0 : (TORRE_REAL)k;
    pair.dashpot =
        p->ideal ? 0 : (TORRE_REAL)torre_granular_dashpot(p->hertz, k, m / 2, p->restitution);
    pair.lag = (TORRE_REAL)(2 * kick);
    pair.weight = (TORRE_STATE)(m * p->gravity);
    pair.radius = (TORRE_STATE)(problem->cutoff / 2);
    pair.wall_stiffness = (TORRE_STATE)k;
    pair.wall_dashpot = (TORRE_STATE)torre_granular_dashpot(p->hertz, k, m, p->wall_restitution);
    pair.wall_lag = (TORRE_STATE)kick;
    pair.low = (TORRE_STATE)p->wall_low;
    pair.high = (TORRE_STATE)p->wall_high;
    pair.amplitude = (TORRE_STATE)p->shake_amplitude;
    pair.rate = (TORRE_STATE)(turn * p->shake_frequency);
    pair.turns = p->shake_frequency * problem->dt;
    pair.hertz = p->hertz;
    pair.walls = p->walls;
    pair.axis = problem->dimensions == 2 ? 1 : 2;
    return pair;
}

/* The cutoff is the diameter of the problem. */
static inline torre_pair_lengths TORRE_TYPED(torre_pair_lengths)(const torre_pair_parameters *p)
{
    (void)p;
    return (torre_pair_lengths){0};
}

/* The force is zero where the contact begins. */
static inline double TORRE_TYPED(torre_pair_shift)(const torre_md_problem *problem)
{
    (void)problem;
    return 0;
}

TORRE_HD static inline TORRE_VALUE
TORRE_TYPED(torre_pair_eval)(const TORRE_TYPED(torre_pair) * pair, TORRE_VALUE rsq, TORRE_VALUE rv,
                             TORRE_VALUE *energy, TORRE_VALUE *power)
{
    TORRE_VALUE inverse = 1 / TORRE_SQRT(rsq);
    TORRE_VALUE overlap = pair->diameter - rsq * inverse;
    TORRE_VALUE closing = -rv * inverse, dashpot, spring;
    if (pair->hertz) {
        TORRE_VALUE root = TORRE_SQRT(TORRE_SQRT(overlap * overlap)); /* rounding may make it < 0 */
        dashpot = pair->dashpot * TORRE_SQRT(root);
        spring = pair->stiffness * overlap * root;
        *energy = (TORRE_REAL)0.4 * spring * overlap;
    } else {
        dashpot = pair->dashpot + 0 * overlap;
        spring = pair->stiffness * overlap;
        *energy = (TORRE_REAL)0.5 * spring * overlap;
    }
    TORRE_VALUE force = (spring + dashpot * closing) / (1 + dashpot * pair->lag);
    closing = closing - pair->lag * force;
    *power = (TORRE_REAL)0.5 * dashpot * closing * closing;
    return force * inverse;
}

/* The walls at a step: host and device. */
TORRE_HD static inline TORRE_TYPED(torre_pair_walls)
    TORRE_TYPED(torre_pair_walls_at)(const TORRE_TYPED(torre_pair) * pair, int64_t step)
{
    const double turn = 6.283185307179586476925;
    double phase = pair->turns * (double)step;
    TORRE_STATE angle = (TORRE_STATE)(turn * (phase - floor(phase)));
    TORRE_STATE offset = pair->amplitude * (TORRE_STATE)sin(angle);
    TORRE_TYPED(torre_pair_walls) walls;
    walls.low = pair->low + offset;
    walls.high = pair->high + offset;
    walls.velocity = pair->amplitude * pair->rate * (TORRE_STATE)cos(angle);
    return walls;
}

/*
 * The force along the axis `axis` on a particle at that coordinate with that velocity, its
 * potential energy, and what it dissipates per time.
 */
TORRE_HD static inline TORRE_STATE
TORRE_TYPED(torre_pair_field)(const TORRE_TYPED(torre_pair) * pair,
                              const TORRE_TYPED(torre_pair_walls) * walls, TORRE_STATE at,
                              TORRE_STATE velocity, TORRE_STATE *energy, TORRE_STATE *power)
{
    *energy = pair->weight * (at - pair->low);
    *power = 0;
    if (!pair->walls) return -pair->weight;
    TORRE_STATE side = 1, overlap = walls->low + pair->radius - at;
    if (overlap <= 0) {
        side = -1;
        overlap = at + pair->radius - walls->high;
    }
    if (overlap <= 0) return -pair->weight;
    TORRE_STATE closing = side * (walls->velocity - velocity);
    TORRE_STATE dashpot = pair->wall_dashpot, spring = pair->wall_stiffness * overlap, share = 2;
    if (pair->hertz) {
        TORRE_STATE root = (TORRE_STATE)sqrt(overlap);
        dashpot *= (TORRE_STATE)sqrt(root);
        spring *= root;
        share = (TORRE_STATE)2.5;
    }
    TORRE_STATE force = (spring + dashpot * closing) / (1 + dashpot * pair->wall_lag);
    closing -= pair->wall_lag * force;
    *energy += spring * overlap / share;
    *power = dashpot * closing * closing;
    return side * force - pair->weight;
}

#include "particles/pair_end.h"
#endif
