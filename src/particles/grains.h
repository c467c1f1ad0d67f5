/*
 * Rough grains: those of a granular gas (granular.h) with friction, rolling resistance, several
 * radii or walls at the sides. They spin, and contacts remember how far the two have slid on each
 * other, so solvers keep two things more, both by id, wherever the grain is stored:
 *
 *     spin    angular velocity w of each grain, a solid sphere, I = 2/5 m r^2
 *     slots   places for contacts of each grain, each a key and eight numbers, the springs
 *
 * A key is a partner and the step that it was last touched in. The slot of a partner is found by
 * looking at all the keys of a grain; one that was touched neither in this step nor in the one
 * before is free. Nothing is ever removed or moved, neither by a rebuild of lists nor by a sort;
 * and grains that touch nobody read no slots at all. Both partners keep the same springs, with
 * opposite signs: no grain writes what belongs to another one.
 *
 * Walls are partners, too: WALL -1 - k is at the lower (k even) or upper end of axis k / 2.
 */
#ifndef TORRE_GRAINS_H
#define TORRE_GRAINS_H

#include <math.h>
#include <string.h>

#include "particles/md.h"
#include "tiling/hd.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TORRE_SPRINGS = 8 /* numbers of a contact: three of sliding, three of rolling, their energy;
                            and one more, for two whole quads */
};

typedef struct torre_contact_key {
    int32_t partner; /* its id, or a wall */
    uint32_t step;   /* that it was last touched in, TORRE_CONTACT_STEP of it */
} torre_contact_key;

/* Keys that are all 0 are of no step. */
#define TORRE_CONTACT_STEP(step) ((uint32_t)(step) + 2)

/* Whether a problem is one of rough grains. */
static inline bool torre_md_is_rough(const torre_md_problem *p)
{
    return p->model == TORRE_PAIR_granular && p->pair.granular.rough;
}

/* Slots of a grain: for all of the smallest grains that fit around the largest one, and as many
 * walls; a few more, since those of the step before are not free yet. A multiple of four, which
 * are searched at a time. */
static inline int torre_grain_slots(const torre_md_problem *p)
{
    const double least = p->pair.granular.least_radius, around = (p->cutoff / 2 + least) / least;
    return 4 * (int)ceil(1 + 0.75 * around * around);
}

/* Radius and spin at the start of a grain. */
static inline double torre_grain_radius(const torre_md_problem *p, int64_t id)
{
    return p->radius ? p->radius[id] : p->cutoff / 2;
}

static inline double torre_grain_spin(const torre_md_problem *p, int axis, int64_t id)
{
    return p->spin[axis] ? p->spin[axis][id] : 0;
}

/* A wall: where it is, and how fast it moves along its axis. */
typedef struct torre_grain_wall {
    int axis, side; /* side 1: at the lower end of the axis, -1: at the upper one */
    double at, velocity;
} torre_grain_wall;

/* All walls at a step, by number; side 0: there is none. */
void torre_grain_walls(const torre_md_problem *problem, int64_t step, torre_grain_wall wall[6]);

/* Acceleration of gravity. */
void torre_grain_gravity(const torre_md_problem *problem, double g[3]);

/* Slot of a partner in this step (TORRE_CONTACT_STEP), which is noted; *met: it is a new one. -1:
 * all slots are taken. */
static inline int torre_grain_slot(torre_contact_key *key, int slots, int32_t partner,
                                   uint32_t step, bool *met)
{
    int free = -1;
    for (int k = 0; k < slots; k++) {
        const uint32_t age = step - key[k].step;
        if (age > 1)
            free = free < 0 ? k : free;
        else if (key[k].partner == partner) {
            *met = false;
            key[k].step = step;
            return k;
        }
    }
    *met = true;
    if (free >= 0) key[free] = (torre_contact_key){partner, step};
    return free;
}

/* Slot of a partner that was touched in this step; -1: it was not. */
static inline int torre_grain_known(const torre_contact_key *key, int slots, int32_t partner,
                                    uint32_t step)
{
    for (int k = 0; k < slots; k++)
        if (key[k].step == step && key[k].partner == partner) return k;
    return -1;
}

/* TORRE_ERR_UNSTABLE: a grain has more contacts than slots. */
torre_status torre_grain_crowded(const torre_md_problem *problem, int64_t id, int64_t step);

#ifdef __cplusplus
}
#endif

#endif
