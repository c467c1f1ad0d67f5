/*
 * One contact of a rough grain, with another one or with a wall: forces, couples, and the springs
 * that remember how far the two have slid and rolled on each other since they met.
 *
 * Along n, the unit vector from the partner to the grain, they push each other as pair_granular.h
 * says, with overlap delta and force N. Across it acts a spring with a dashpot, which slides where
 * it would pull more than Coulomb lets it (Cundall and Strack, Geotechnique 29 (1979) 47):
 *
 *     u = v - n (n v) - (a_i w_i + a_j w_j) x n      velocity of one surface past the other
 *     s = sum of u dt, turned with n                 so far have they slid, less what has slipped
 *     T = -(k_t s + c_t u), at most mu N long        where it would be longer, s is made to fit
 *
 * (so does LAMMPS). The arms a are the distances of the centres from the middle of the overlap, so
 * that a pair keeps its angular momentum. k_t is a share of dN/ddelta: linear, or for Hertzian
 * springs that of Mindlin without slip, which grows with the overlap. The energy of the spring is
 * what it can give back, k_t s^2/2 or (mu N)^2/(2 k_t): nothing where a contact ends; what the
 * force takes beyond that is lost. Rolling is resisted alike (Luding, Granular Matter 10
 * (2008) 235), by the same spring and dashpot: u = -a n x (w_i - w_j) with the reduced radius a,
 * the force at most mu_r N, and the couple a n x T on one, its opposite on the other.
 *
 * In time: s stands at whole steps and u half a step back, so that the work of a spring is counted
 * exactly. The dashpots are implicit as in pair_granular.h. Partners that have met since the last
 * step did so half a step ago.
 *
 * A template in C and C++: TORRE_REAL and TORRE_TYPED(name) are the includer's.
 */
#include <math.h>

#include "particles/grains.h"
#include "tiling/hd.h"

/* Constants of all contacts. */
typedef struct TORRE_TYPED(torre_grain) {
    TORRE_REAL stiffness;         /* K, 0 where grains do not collide */
    TORRE_REAL dashpot[2];        /* of a pair, of a grain and a wall; c over sqrt(reduced mass) */
    TORRE_REAL tangential;        /* k_t over dN/ddelta */
    TORRE_REAL sideways;          /* c_t over sqrt(reduced mass) */
    TORRE_REAL friction[2];       /* mu, likewise */
    TORRE_REAL rolling;           /* mu_r */
    TORRE_REAL lightness, radius; /* 1/m and radius of the largest grain */
    TORRE_REAL half;              /* the part of a time step that velocities lack */
    TORRE_REAL step;              /* since springs were last stretched; 0: they stay */
    TORRE_REAL rate;              /* 1 / dt */
    int hertz;
} TORRE_TYPED(torre_grain);

/* Two that touch: a grain and its partner. */
typedef struct TORRE_TYPED(torre_touch) {
    TORRE_REAL n[3], overlap;
    TORRE_REAL velocity[3]; /* of the centre, relative to the partner's */
    TORRE_REAL turn[3];     /* a_i w_i + a_j w_j */
    TORRE_REAL roll[3];     /* w_i - w_j */
    TORRE_REAL arm;         /* reduced radius */
    TORRE_REAL lightness;   /* 1/m_i + 1/m_j */
    int wall;               /* the partner is one */
} TORRE_TYPED(torre_touch);

/* What the contact does to the grain. */
typedef struct TORRE_TYPED(torre_shove) {
    TORRE_REAL normal;      /* N */
    TORRE_REAL friction[3]; /* T */
    TORRE_REAL couple[3];   /* of rolling */
    TORRE_REAL energy;      /* of all springs */
    TORRE_REAL power;       /* dissipated */
} TORRE_TYPED(torre_shove);

/* For velocities that a kick over the time `half` will complete, and springs that are stretched
 * over `step`. */
static inline TORRE_TYPED(torre_grain)
    TORRE_TYPED(torre_grain_make)(const torre_md_problem *problem, double half, double step)
{
    const torre_granular_parameters *p = &problem->pair.granular;
    const double share = p->tangential_stiffness;
    TORRE_TYPED(torre_grain) g;
    memset(&g, 0, sizeof g);
    g.hertz = p->hertz;
    g.stiffness = (TORRE_REAL)p->stiffness;
    g.dashpot[0] = (TORRE_REAL)torre_granular_dashpot(p->hertz, p->stiffness, 1, p->restitution);
    g.dashpot[1] =
        (TORRE_REAL)torre_granular_dashpot(p->hertz, p->stiffness, 1, p->wall_restitution);
    /* two sevenths of a reduced mass resist a push across it */
    g.sideways =
        (TORRE_REAL)(torre_granular_dashpot(p->hertz, p->stiffness, 1, p->tangential_restitution) *
                     sqrt(share * 2 / 7));
    g.tangential = (TORRE_REAL)share;
    g.friction[0] = (TORRE_REAL)p->friction;
    g.friction[1] = (TORRE_REAL)p->wall_friction;
    g.rolling = (TORRE_REAL)p->rolling_friction;
    g.lightness = (TORRE_REAL)(1 / problem->mass);
    g.radius = (TORRE_REAL)(problem->cutoff / 2);
    g.half = (TORRE_REAL)half;
    g.step = (TORRE_REAL)step;
    g.rate = (TORRE_REAL)(1 / problem->dt);
    return g;
}

/* Mass of the largest grain over that of one of this radius. */
TORRE_HD static inline TORRE_REAL TORRE_TYPED(torre_grain_share)(const TORRE_TYPED(torre_grain) * g,
                                                                 TORRE_REAL radius)
{
    const TORRE_REAL ratio = g->radius / radius;
    return ratio * ratio * ratio;
}

TORRE_HD static inline TORRE_REAL TORRE_TYPED(torre_dot)(const TORRE_REAL a[3],
                                                         const TORRE_REAL b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

TORRE_HD static inline void TORRE_TYPED(torre_cross)(const TORRE_REAL a[3], const TORRE_REAL b[3],
                                                     TORRE_REAL to[3])
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/* A spring with a dashpot across n. */
typedef struct TORRE_TYPED(torre_slider) {
    TORRE_REAL stiffness, dashpot;
    TORRE_REAL lag;   /* how much a unit of force still changes the velocity */
    TORRE_REAL limit; /* of the force */
    TORRE_REAL time;  /* over which it is stretched */
} TORRE_TYPED(torre_slider);

/* Stretch the spring with that velocity; force, and what it takes from the motion per time is added
 * to *taken. Returns the energy that it can give back. */
TORRE_HD static inline TORRE_REAL TORRE_TYPED(torre_slide)(const TORRE_TYPED(torre_slider) * c,
                                                           const TORRE_REAL n[3],
                                                           const TORRE_REAL velocity[3],
                                                           TORRE_REAL spring[3],
                                                           TORRE_REAL force[3], TORRE_REAL *taken)
{
    const TORRE_REAL along = TORRE_TYPED(torre_dot)(spring, n);
    const TORRE_REAL was = TORRE_TYPED(torre_dot)(spring, spring);
    for (int k = 0; k < 3; k++) spring[k] -= along * n[k];
    const TORRE_REAL is = TORRE_TYPED(torre_dot)(spring, spring);
    const TORRE_REAL turned = is > 0 ? (TORRE_REAL)sqrt(was / is) : 0;
    for (int k = 0; k < 3; k++) {
        spring[k] = turned * spring[k] + c->time * velocity[k];
        force[k] =
            -(c->stiffness * spring[k] + c->dashpot * velocity[k]) / (1 + c->dashpot * c->lag);
    }
    const TORRE_REAL size = (TORRE_REAL)sqrt(TORRE_TYPED(torre_dot)(force, force));
    const bool slips = size > c->limit;
    for (int k = 0; k < 3; k++) {
        if (slips) force[k] *= c->limit / size;
        const TORRE_REAL now = velocity[k] + c->lag * force[k];
        if (slips && c->time > 0) spring[k] = -(force[k] + c->dashpot * now) / c->stiffness;
        *taken -= force[k] * now;
    }
    const TORRE_REAL most = c->limit * c->limit / c->stiffness;
    const TORRE_REAL stored = c->stiffness * TORRE_TYPED(torre_dot)(spring, spring);
    return (stored < most ? stored : most) / 2;
}

/* Forces of a contact that remembers spring[0..2] of sliding, [3..5] of rolling, and in [6] the
 * energy of both (TORRE_SPRINGS); met: it is new, and they are 0. */
TORRE_HD static inline TORRE_TYPED(torre_shove)
    TORRE_TYPED(torre_grain_contact)(const TORRE_TYPED(torre_grain) * g,
                                     const TORRE_TYPED(torre_touch) * t, bool met,
                                     TORRE_REAL spring[TORRE_SPRINGS])
{
    TORRE_TYPED(torre_shove) shove;
    const TORRE_REAL root = g->hertz ? (TORRE_REAL)sqrt(t->overlap) : 1;
    const TORRE_REAL inertia = 1 / (TORRE_REAL)sqrt(t->lightness);
    const TORRE_REAL soft = g->hertz ? (TORRE_REAL)sqrt(root) * inertia : inertia;
    const TORRE_REAL dashpot = g->dashpot[t->wall] * soft, lag = g->half * t->lightness;
    const TORRE_REAL push = g->stiffness * root * t->overlap;
    TORRE_REAL closing = -TORRE_TYPED(torre_dot)(t->velocity, t->n), u[3];
    shove.normal = (push + dashpot * closing) / (1 + dashpot * lag);
    TORRE_TYPED(torre_cross)(t->turn, t->n, u);
    for (int k = 0; k < 3; k++) u[k] = t->velocity[k] + closing * t->n[k] - u[k];
    closing -= lag * shove.normal;
    shove.energy = push * t->overlap * (g->hertz ? (TORRE_REAL)0.4 : (TORRE_REAL)0.5);
    shove.power = dashpot * closing * closing;
    const TORRE_REAL limit = shove.normal > 0 ? shove.normal : 0;
    TORRE_TYPED(torre_slider) c;
    c.stiffness = g->tangential * g->stiffness * (g->hertz ? (TORRE_REAL)1.5 * root : 1);
    c.dashpot = g->sideways * soft;
    c.lag = (TORRE_REAL)3.5 * lag; /* a push also turns a sphere */
    c.limit = g->friction[t->wall] * limit;
    c.time = met ? g->step / 2 : g->step;
    TORRE_REAL taken = 0;
    TORRE_REAL stored = TORRE_TYPED(torre_slide)(&c, t->n, u, spring, shove.friction, &taken);
    for (int k = 0; k < 3; k++) shove.couple[k] = 0;
    if (g->rolling > 0) {
        TORRE_REAL force[3];
        TORRE_TYPED(torre_cross)(t->roll, t->n, u);
        for (int k = 0; k < 3; k++) u[k] *= t->arm;
        c.lag = (TORRE_REAL)2.5 * lag; /* of a grain on a wall; in pairs less */
        c.limit = g->rolling * limit;
        stored += TORRE_TYPED(torre_slide)(&c, t->n, u, spring + 3, force, &taken);
        TORRE_TYPED(torre_cross)(t->n, force, shove.couple);
        for (int k = 0; k < 3; k++) shove.couple[k] *= t->arm;
    }
    if (g->step > 0) {
        shove.power += taken - g->rate * (stored - spring[6]);
        spring[6] = stored;
    }
    shove.energy += spring[6];
    return shove;
}

/* Grains of radius r_i and r_j, the first d away from the other and moving and spinning so: whether
 * they touch. */
TORRE_HD static inline bool
TORRE_TYPED(torre_touch_grains)(const TORRE_TYPED(torre_grain) * g, const TORRE_REAL d[3],
                                TORRE_REAL radius, TORRE_REAL other, const TORRE_REAL velocity[3],
                                const TORRE_REAL spin[3], const TORRE_REAL other_spin[3],
                                TORRE_TYPED(torre_touch) * t)
{
    const TORRE_REAL rsq = TORRE_TYPED(torre_dot)(d, d), inverse = 1 / (TORRE_REAL)sqrt(rsq);
    t->overlap = radius + other - rsq * inverse;
    if (!(t->overlap > 0)) return false;
    for (int k = 0; k < 3; k++) {
        t->n[k] = inverse * d[k];
        t->velocity[k] = velocity[k];
        t->turn[k] = (radius - t->overlap / 2) * spin[k] + (other - t->overlap / 2) * other_spin[k];
        t->roll[k] = spin[k] - other_spin[k];
    }
    t->arm = radius * other / (radius + other);
    t->lightness = g->lightness * (TORRE_TYPED(torre_grain_share)(g, radius) +
                                   TORRE_TYPED(torre_grain_share)(g, other));
    t->wall = 0;
    return true;
}

/* A grain that overlaps a wall (> 0) on the side of the smaller coordinates of an axis (side 1) or
 * on the other one (-1), with its velocity relative to the wall's. */
TORRE_HD static inline void
TORRE_TYPED(torre_touch_wall)(const TORRE_TYPED(torre_grain) * g, int axis, int side,
                              TORRE_REAL overlap, TORRE_REAL radius, const TORRE_REAL velocity[3],
                              const TORRE_REAL spin[3], TORRE_TYPED(torre_touch) * t)
{
    t->overlap = overlap;
    for (int k = 0; k < 3; k++) {
        t->n[k] = k == axis ? (TORRE_REAL)side : 0;
        t->velocity[k] = velocity[k];
        t->turn[k] = (radius - overlap) * spin[k];
        t->roll[k] = spin[k];
    }
    t->arm = radius;
    t->lightness = g->lightness * TORRE_TYPED(torre_grain_share)(g, radius);
    t->wall = 1;
}

/* Force and couple on a grain whose centre is `arm` from the contact are added up. */
TORRE_HD static inline void TORRE_TYPED(torre_shove_add)(const TORRE_TYPED(torre_touch) * t,
                                                         const TORRE_TYPED(torre_shove) * s,
                                                         TORRE_REAL arm, TORRE_REAL force[3],
                                                         TORRE_REAL couple[3])
{
    TORRE_REAL turned[3];
    TORRE_TYPED(torre_cross)(t->n, s->friction, turned);
    for (int k = 0; k < 3; k++) {
        force[k] += s->normal * t->n[k] + s->friction[k];
        couple[k] += s->couple[k] - arm * turned[k];
    }
}
