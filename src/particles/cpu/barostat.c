#include "particles/cpu/barostat.h"

#include <math.h>

#define MOST_GROWTH 0.1 /* of an edge in a step: far beyond what the time step resolves */

typedef torre_cpu_solver cpu_solver;
typedef torre_cpu_barostat barostat;

/* The two couplings and what they want at a step. */
typedef struct couplings {
    torre_bath bath;
    torre_barostat box;
    int64_t step;
    double temperature, pressure;
} couplings;

static couplings couplings_of(const cpu_solver *s)
{
    couplings c = {.bath = torre_md_bath(s->problem),
                   .box = torre_md_barostat(s->problem),
                   .step = s->store.step};
    c.temperature = torre_bath_target(&c.bath, c.step);
    c.pressure = torre_barostat_target(&c.box, c.step);
    return c;
}

static double volume_of(const cpu_solver *s)
{
    const double *box = s->store.box;
    return box[0] * box[1] * box[2];
}

static void add_up_kinetic(const cpu_solver *s, barostat *b)
{
    s->state->axis_squares(&s->store, b->box.kinetic);
    for (int a = 0; a < 3; a++) b->box.kinetic[a] *= s->problem->mass;
}

/* Half a step of the chain on the particles; returns what their velocities are multiplied by. */
static double cool(const couplings *c, barostat *b)
{
    double *k = b->box.kinetic;
    const double kinetic = 0.5 * (k[0] + k[1] + k[2]);
    const double factor = torre_bath_chain(&c->bath, c->step, kinetic, b->rate);
    for (int a = 0; a < 3; a++) k[a] *= factor * factor;
    b->taken += (1 - factor * factor) * kinetic;
    return factor;
}

/* The box of the next step, and how positions get there; returns whether that is a small change. */
static bool grow(cpu_solver *s, const couplings *c, barostat *b, torre_md_stretch *by)
{
    double box[3];
    const double before = volume_of(s);
    for (int a = 0; a < 3; a++) {
        const double growth = b->box.rate[a] * c->box.dt;
        if (!(fabs(growth) < MOST_GROWTH)) return false;
        box[a] = s->store.box[a] * exp(growth);
        by->more[a] = expm1(growth);
        by->forward[a] = c->box.dt * exp(0.5 * growth);
        by->hold[a] = box[a] / s->built_box[a];
    }
    torre_md_store_set_box(&s->store, box);
    b->box.taken += c->pressure * (volume_of(s) - before);
    return true;
}

void torre_cpu_barostat_begin(cpu_solver *s, barostat *b) { add_up_kinetic(s, b); }

torre_status torre_cpu_barostat_drift(cpu_solver *s, barostat *b, double kick, double *moved)
{
    const couplings c = couplings_of(s);
    torre_md_stretch by = {.kick = kick};
    torre_barostat_chain(&c.box, c.temperature, &b->box);
    const double factor = cool(&c, b);
    torre_barostat_push(&c.box, c.pressure, volume_of(s), &b->box);
    torre_barostat_slow(&c.box, &b->box, by.keep);
    for (int a = 0; a < 3; a++) by.keep[a] *= factor;
    if (!grow(s, &c, b, &by))
        return torre_fail(TORRE_ERR_UNSTABLE,
                          "step %lld: an edge of the box changes by more than %g of it in a step; "
                          "use a larger {pressure_damping}, or particles further apart",
                          (long long)s->store.step, MOST_GROWTH);
    *moved = s->state->stretch(&s->store, &by);
    return TORRE_OK;
}

void torre_cpu_barostat_after(cpu_solver *s, barostat *b)
{
    const couplings c = couplings_of(s);
    double scale[3];
    add_up_kinetic(s, b);
    torre_barostat_slow(&c.box, &b->box, scale);
    torre_barostat_push(&c.box, c.pressure, volume_of(s), &b->box);
    const double factor = cool(&c, b);
    torre_barostat_chain(&c.box, c.temperature, &b->box);
    for (int a = 0; a < 3; a++) scale[a] *= factor;
    s->state->scale_axes(&s->store, scale);
}

double torre_cpu_barostat_taken(const cpu_solver *s, const barostat *b)
{
    const torre_barostat box = torre_md_barostat(s->problem);
    return b->taken + b->box.taken + torre_barostat_energy(&box, &b->box);
}
