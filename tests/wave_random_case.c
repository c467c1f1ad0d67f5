#include "wave_random_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t wave_pick(uint64_t *state, int64_t low, int64_t high)
{
    const int64_t i = low + (int64_t)(0.5 * (wave_random(state) + 1) * (double)(high - low + 1));
    return i > high ? high : i;
}

static void random_faces(uint64_t *state, wave_random_case *c, int x, int y)
{
    torre_wave_problem *p = &c->problem;
    for (int a = 0; a < 3; a++) {
        if (torre_wave_is_flat(p, a)) continue;
        for (int side = 0; side < 2; side++) p->face[a][side] = (torre_face)wave_pick(state, 0, 2);
        if (a == x || wave_pick(state, 0, 3)) continue;
        if (a == y && p->size[a] % (p->order * c->plan.dts)) continue; /* as towers need it */
        p->face[a][0] = p->face[a][1] = TORRE_PERIODIC;
    }
}

void wave_random_points(uint64_t *state, const torre_wave_problem *p, int count, torre_point *point)
{
    for (int i = 0; i < count; i++) {
        for (int a = 0; a < 3; a++) {
            double at = 0.5 * (wave_random(state) + 1) * (double)(p->size[a] - 1);
            if (wave_pick(state, 0, 1)) at = floor(at);
            point[i].position[a] = torre_wave_is_flat(p, a) ? 0 : at * p->spacing[a];
        }
        point[i].amplitude = 1e3 * wave_random(state);
        point[i].component = TORRE_PRESSURE;
    }
}

void wave_random_velocity(uint64_t *state, torre_wave_problem *p, torre_array *v)
{
    if (wave_pick(state, 0, 2) == 0) return;
    v->precision = wave_pick(state, 0, 1) ? TORRE_F32 : TORRE_F64;
    memcpy(v->shape, p->size, sizeof v->shape);
    if (wave_pick(state, 0, 1)) v->shape[1] = 1;
    const int64_t n = v->shape[0] * v->shape[1] * v->shape[2];
    v->data = wave_alloc(n, (size_t)v->precision);
    for (int64_t i = 0; i < n; i++)
        torre_value_set(v->precision, v->data, i, 1500 + 500 * wave_random(state));
    p->velocity_cells = v;
}

void wave_random_case_make(uint64_t *state, int order, wave_random_case *c)
{
    static const int64_t sizes[] = {4, 5, 9, 12, 13, 17, 24};
    static const char *const axes[] = {"", "xyz", "xzy", "yzx", "zxy", "zyx"};
    torre_wave_problem *p = &c->problem;
    memset(c, 0, sizeof *c);
    const char *turned = axes[wave_pick(state, 0, 5)];
    const int x = turned[0] ? turned[0] - 'x' : 0, y = turned[0] ? turned[1] - 'x' : 1;
    int64_t size[3];
    for (int a = 0; a < 3; a++) size[a] = sizes[wave_pick(state, 0, 6)];
    size[x] = wave_pick(state, 20, 60) + 7 * order;
    *p = wave_case_problem(size[0], size[1], size[2], order);
    if (x != 1 && wave_pick(state, 0, 5) == 0) wave_case_flatten(p);
    p->precision = wave_pick(state, 0, 1) ? TORRE_F32 : TORRE_F64;
    p->absorbing_width = (int)wave_pick(state, 1, 6);
    c->plan = (torre_wave_plan){.engine = wave_pick(state, 0, 1) ? TORRE_TORRE : TORRE_AUTO,
                                .dts = (int)wave_pick(state, 1, order > 6 ? 2 : 3),
                                .tower_height = wave_pick(state, 0, 1) ? wave_pick(state, 1, 5) : 0,
                                .threads = wave_pick(state, 0, 3) ? 1 : 3};
    strcpy(c->plan.axes, turned);
    random_faces(state, c, x, y);
    wave_random_velocity(state, p, &c->velocity);
    if (wave_pick(state, 0, 2) == 0) {
        c->density = wave_random_cells(state, p, 1750, 750);
        p->density_cells = &c->density;
    }
    if (wave_pick(state, 0, 2)) wave_case_pml(p);
    wave_case_courant(p, 0.9);
    p->steps = wave_pick(state, 1, 24);
    for (int n = 0; n < WAVE_STEPS; n++) c->wavelet[n] = 1e8 * wave_random(state);
    p->wavelet = c->wavelet;
    p->source_count = p->receiver_count = wave_pick(state, 0, 4) ? WAVE_POINTS : 0;
    p->sources = c->source;
    p->receivers = c->receiver;
    wave_random_points(state, p, WAVE_POINTS, c->source);
    wave_random_points(state, p, WAVE_POINTS, c->receiver);
    snprintf(c->text, sizeof c->text,
             "%dx%dx%d order %d %s, faces %d%d %d%d %d%d, %s of %d, velocities %d, densities %d, "
             "dts %d, "
             "height %d, %d steps, axes %s, %d threads",
             (int)p->size[0], (int)p->size[1], (int)p->size[2], order,
             p->precision == TORRE_F32 ? "f32" : "f64", p->face[0][0], p->face[0][1], p->face[1][0],
             p->face[1][1], p->face[2][0], p->face[2][1], torre_absorbing_name(p->absorbing),
             p->absorbing_width, (int)c->velocity.shape[1], (int)c->density.shape[1], c->plan.dts,
             (int)c->plan.tower_height, (int)p->steps, c->plan.axes, c->plan.threads);
}

void wave_random_case_free(wave_random_case *c)
{
    free(c->velocity.data);
    free(c->density.data);
}

bool wave_random_case_absorbs(const wave_random_case *c)
{
    for (int f = 0; f < 6; f++)
        if (c->problem.face[f / 2][f % 2] == TORRE_ABSORBING) return true;
    return false;
}
