#include "particles/cpu/barostat.h"

#include <string.h>

#include "particles/md_program.h"

typedef torre_cpu_solver cpu_solver;

static double volume_of(const cpu_solver *s)
{
    const double *box = s->store.box;
    return box[0] * box[1] * box[2];
}

static void add_up_kinetic(const cpu_solver *s, torre_couplings *c)
{
    s->state->axis_squares(&s->store, c->box.kinetic);
    for (int a = 0; a < 3; a++) c->box.kinetic[a] *= s->problem->mass;
}

void torre_cpu_barostat_begin(cpu_solver *s, torre_couplings *c) { add_up_kinetic(s, c); }

torre_status torre_cpu_barostat_drift(cpu_solver *s, torre_couplings *c, double kick, double *moved)
{
    const torre_bath bath = torre_md_bath(s->problem);
    const torre_barostat b = torre_md_barostat(s->problem);
    const int64_t step = s->store.step;
    torre_md_stretch by = {.kick = kick, .keep = {1, 1, 1}};
    double box[3], grown[3];
    memcpy(box, s->store.box, sizeof box);
    if (torre_md_couples(s->problem, step - 1))
        torre_couplings_before(&bath, &b, step, volume_of(s), c, by.keep);
    if (!torre_couplings_grow(&b, step, c, box, grown, by.more, by.forward))
        return torre_md_box_too_fast(step);
    for (int a = 0; a < 3; a++) by.hold[a] = box[a] / s->built_box[a];
    torre_md_store_set_box(&s->store, box);
    *moved = s->state->stretch(&s->store, &by);
    return TORRE_OK;
}

void torre_cpu_barostat_after(cpu_solver *s, torre_couplings *c)
{
    const torre_bath bath = torre_md_bath(s->problem);
    const torre_barostat b = torre_md_barostat(s->problem);
    double scale[3];
    if (!torre_md_couples(s->problem, s->store.step)) return;
    add_up_kinetic(s, c);
    torre_couplings_after(&bath, &b, s->store.step, volume_of(s), c, scale);
    s->state->scale_axes(&s->store, scale);
}
