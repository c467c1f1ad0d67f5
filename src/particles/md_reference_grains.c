#include "particles/md_reference_grains.h"

#include <stdlib.h>
#include <string.h>

#include "particles/pair_granular.h"

#define TORRE_REAL        double
#define TORRE_TYPED(name) name##_reference
#include "particles/grain_contact.h"

int64_t torre_reference_grains_bytes(const torre_md_problem *p)
{
    const int64_t contact = (int64_t)(sizeof(torre_contact_key) + TORRE_SPRINGS * sizeof(double));
    return p->count * (6 * (int64_t)sizeof(double) + torre_grain_slots(p) * contact);
}

torre_status torre_reference_grains_make(const torre_md_problem *p, torre_reference_grains *g)
{
    const size_t count = (size_t)p->count;
    g->slots = torre_grain_slots(p);
    g->key = calloc(count * (size_t)g->slots, sizeof *g->key);
    g->spring = calloc(count * (size_t)g->slots, TORRE_SPRINGS * sizeof *g->spring);
    bool made = g->key && g->spring;
    for (int a = 0; a < 3; a++) {
        g->spin[a] = calloc(count, sizeof(double));
        g->twist[a] = calloc(count, sizeof(double));
        made = made && g->spin[a] && g->twist[a];
    }
    if (made) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for the contacts of %lld particles",
                      (long long)p->count);
}

void torre_reference_grains_free(torre_reference_grains *g)
{
    for (int a = 0; a < 3; a++) {
        free(g->spin[a]);
        free(g->twist[a]);
    }
    free(g->key);
    free(g->spring);
}

void torre_reference_grains_load(const torre_md_problem *p, torre_reference_grains *g)
{
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < p->count; i++) g->spin[a][i] = torre_grain_spin(p, a, i);
    memset(g->key, 0, (size_t)p->count * (size_t)g->slots * sizeof *g->key);
}

/* All that acts on particles at a step. */
typedef struct sweep {
    const torre_md_problem *problem;
    torre_grain_reference constants;
    uint32_t now;
    double *const *position, *const *velocity, *const *force;
    double *power;
    torre_reference_grains *grains;
    torre_md_sums *sums;
} sweep;

/* Springs of particle i with a partner; NULL: there is no slot left. */
static double *springs_of(const sweep *s, int64_t i, int32_t partner, bool *met)
{
    const int slots = s->grains->slots;
    const int k = torre_grain_slot(s->grains->key + i * slots, slots, partner, s->now, met);
    double *spring = s->grains->spring + TORRE_SPRINGS * (i * slots + k);
    if (k < 0) return NULL;
    if (*met) memset(spring, 0, TORRE_SPRINGS * sizeof *spring);
    return spring;
}

/* side 1: on i; -1: the opposite, on a partner whose centre is `arm` from the contact. */
static void add(const sweep *s, int64_t i, int side, double arm, const torre_touch_reference *t,
                const torre_shove_reference *shove)
{
    double force[3] = {0}, couple[3] = {0}, turned[3];
    torre_cross_reference(t->n, shove->friction, turned);
    for (int a = 0; a < 3; a++) {
        force[a] = side * (shove->normal * t->n[a] + shove->friction[a]);
        couple[a] = side * shove->couple[a] - arm * turned[a];
        s->force[a][i] += force[a];
        s->grains->twist[a][i] += couple[a];
    }
    s->power[i] += t->wall ? shove->power : shove->power / 2;
}

static bool meet(const sweep *s, int64_t i, int64_t j)
{
    const torre_md_problem *p = s->problem;
    const double radius[2] = {torre_grain_radius(p, i), torre_grain_radius(p, j)};
    double d[3], v[3], spin[2][3];
    torre_touch_reference t;
    for (int a = 0; a < 3; a++) {
        d[a] = s->position[a][i] - s->position[a][j];
        d[a] -= p->box[a] * rint(d[a] / p->box[a]);
        v[a] = s->velocity[a][i] - s->velocity[a][j];
        spin[0][a] = s->grains->spin[a][i];
        spin[1][a] = s->grains->spin[a][j];
    }
    if (!torre_touch_grains_reference(&s->constants, d, radius[0], radius[1], v, spin[0], spin[1],
                                      &t))
        return true;
    bool met;
    double *spring = springs_of(s, i, (int32_t)j, &met);
    if (!spring) return false;
    const torre_shove_reference shove =
        torre_grain_contact_reference(&s->constants, &t, met, spring);
    add(s, i, 1, radius[0] - t.overlap / 2, &t, &shove);
    add(s, j, -1, radius[1] - t.overlap / 2, &t, &shove);
    s->sums->potential += shove.energy;
    s->sums->virial += shove.normal * (radius[0] + radius[1] - t.overlap);
    s->sums->contacts++;
    return true;
}

static bool meet_walls(const sweep *s, int64_t i, const torre_grain_wall wall[6])
{
    const double radius = torre_grain_radius(s->problem, i);
    for (int k = 0; k < 6; k++) {
        const torre_grain_wall *w = &wall[k];
        if (!w->side) continue;
        const double overlap = radius - w->side * (s->position[w->axis][i] - w->at);
        double v[3], spin[3];
        torre_touch_reference t;
        if (overlap <= 0) continue;
        for (int a = 0; a < 3; a++) {
            v[a] = s->velocity[a][i] - (a == w->axis ? w->velocity : 0);
            spin[a] = s->grains->spin[a][i];
        }
        torre_touch_wall_reference(&s->constants, w->axis, w->side, overlap, radius, v, spin, &t);
        bool met;
        double *spring = springs_of(s, i, -1 - k, &met);
        if (!spring) return false;
        const torre_shove_reference shove =
            torre_grain_contact_reference(&s->constants, &t, met, spring);
        add(s, i, 1, radius - overlap, &t, &shove);
        s->sums->potential += shove.energy;
    }
    return true;
}

/* Gravity; and forces and couples become those of particles like the largest. */
static void finish(const sweep *s, int64_t i, const double gravity[3])
{
    const torre_md_problem *p = s->problem;
    const int axis = p->dimensions == 2 ? 1 : 2;
    const double radius = torre_grain_radius(p, i);
    const double share = torre_grain_share_reference(&s->constants, radius);
    for (int a = 0; a < 3; a++) {
        s->force[a][i] = share * s->force[a][i] + p->mass * gravity[a];
        s->grains->twist[a][i] *= 2.5 * share / (radius * radius);
    }
    s->sums->potential -=
        p->mass / share * gravity[axis] * (s->position[axis][i] - p->pair.granular.wall_low);
}

torre_status torre_reference_grains_forces(const torre_md_problem *p, double half, int64_t step,
                                           double *const position[3], double *const velocity[3],
                                           double *const force[3], double *power,
                                           torre_reference_grains *g, torre_md_sums *sums)
{
    const sweep s = {p,
                     torre_grain_make_reference(p, half, half > 0 ? p->dt : 0),
                     TORRE_CONTACT_STEP(step),
                     position,
                     velocity,
                     force,
                     power,
                     g,
                     sums};
    torre_grain_wall wall[6];
    double gravity[3];
    torre_grain_walls(p, step, wall);
    torre_grain_gravity(p, gravity);
    sums->potential = sums->potential_shift = sums->virial = sums->contacts = 0;
    memset(power, 0, (size_t)p->count * sizeof *power);
    for (int a = 0; a < 3; a++) {
        memset(force[a], 0, (size_t)p->count * sizeof(double));
        memset(g->twist[a], 0, (size_t)p->count * sizeof(double));
    }
    for (int64_t i = 0; i < p->count; i++) {
        for (int64_t j = i + 1; j < p->count; j++)
            if (!meet(&s, i, j)) return torre_grain_crowded(p, i, step);
        if (!meet_walls(&s, i, wall)) return torre_grain_crowded(p, i, step);
    }
    for (int64_t i = 0; i < p->count; i++) finish(&s, i, gravity);
    return TORRE_OK;
}

torre_status torre_reference_grains_state(const torre_md_problem *p, torre_reference_grains *g,
                                          torre_md_visit *visit, void *context)
{
    static const char *const name[2][3] = {{"wx", "wy", "wz"}, {"tx", "ty", "tz"}};
    const int64_t bytes = p->count * (int64_t)sizeof(double), slots = p->count * g->slots;
    for (int a = 0; a < 3; a++) {
        TORRE_TRY(visit(context, name[0][a], g->spin[a], bytes));
        TORRE_TRY(visit(context, name[1][a], g->twist[a], bytes));
    }
    TORRE_TRY(visit(context, "contacts", g->key, slots * (int64_t)sizeof *g->key));
    return visit(context, "springs", g->spring, slots * TORRE_SPRINGS * (int64_t)sizeof *g->spring);
}
