/*
 * One step of the reference engine, included once per precision with REAL and STEP defined:
 *   STEP(reference, box, next, now): of the cells of the box, next holds u[n-1] on entry and u[n+1]
 *   on return.
 * The formula of torre/wave.h read off line by line; no blocking, no vectors, no threads.
 */
#define ACOUSTIC(part)             JOIN(acoustic_##part, REAL)
#define TORRE_TYPED(name)          JOIN(name, REAL)
#define TORRE_VALUE                REAL
#define TORRE_NUMBER(x)            (x)
#define TORRE_PLUS(a, b)           ((a) + (b))
#define TORRE_TIMES_PLUS(a, b, c)  ((a) * (b) + (c))
#define TORRE_TIMES_MINUS(a, b, c) ((a) * (b) - (c))
#define TORRE_OVER(a, b)           ((a) / (b))
#define TORRE_FUNCTION             static inline
#include "wave/model_acoustic.h"

static REAL JOIN(value, REAL)(const reference_solver *r, const REAL *u, const int64_t at[3],
                              int axis, int shift)
{
    const torre_wave_problem *p = r->setup->problem;
    const torre_ghost g = torre_axis_ghost(p, axis, at[axis] + shift);
    int64_t cell[3] = {at[0], at[1], at[2]};
    cell[axis] = g.source;
    return (REAL)g.sign * u[(cell[0] * p->size[1] + cell[1]) * p->size[2] + cell[2]];
}

#include "wave/reference_layer.h"

static void STEP(const reference_solver *r, const torre_box *box, REAL *next, const REAL *now)
{
    const torre_wave_problem *p = r->setup->problem;
    int64_t at[3];
    for (at[0] = box->low[0]; at[0] < box->high[0]; at[0]++) {
        for (at[1] = box->low[1]; at[1] < box->high[1]; at[1]++) {
            for (at[2] = box->low[2]; at[2] < box->high[2]; at[2]++) {
                const int64_t i = (at[0] * p->size[1] + at[1]) * p->size[2] + at[2];
                const double c_dt = torre_wave_velocity_at(p, at[0], at[1], at[2]) * p->dt;
                REAL s_dt = (REAL)(reference_damping(r, at) * p->dt);
                REAL lap = 0; /* (c dt)^2 Lap u */
                for (int axis = 0; axis < 3; axis++) {
                    const double courant = c_dt / p->spacing[axis];
                    for (int d = 1; d <= p->order / 2; d++)
                        lap += (REAL)(courant * courant * torre_stencil_weight(p->order / 2, d)) *
                               ((JOIN(chained, REAL)(r, now, at, axis, -d) - now[i]) +
                                (JOIN(chained, REAL)(r, now, at, axis, d) - now[i]));
                    if (r->memory[axis] && r->convolves)
                        lap += (REAL)(courant * courant) * JOIN(stretched, REAL)(r, now, at, axis);
                }
                const double across = c_dt / p->spacing[0];
                if (r->potential)
                    lap = ACOUSTIC(bind)((REAL)(across * across * r->potential[i]), now[i], lap);
                next[i] = ACOUSTIC(finish)(
                    ACOUSTIC(add)(1, lap, ACOUSTIC(start_damped)(2 * now[i], next[i], s_dt)), s_dt);
            }
        }
    }
    for (int axis = 0; axis < 3; axis++)
        if (r->memory[axis]) JOIN(remember, REAL)(r, axis, now);
}

#undef ACOUSTIC
#undef TORRE_TYPED
#undef REAL
#undef STEP
