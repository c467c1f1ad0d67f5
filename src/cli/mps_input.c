#include "cli/mps_input.h"

#include <math.h>
#include <string.h>

#include "core/numbers.h"

static const double column_cells[] = {19, 45, 105}; /* of 0.1 m: small, medium, large */

/* "x,y,z;x,y,z" (2-D: "x,y") */
static torre_status read_gauges(const mps_settings *s, mps_input *in)
{
    char text[256];
    for (const char *at = s->gauges; at && *at;) {
        size_t length = strcspn(at, ";");
        int numbers = 0;
        bool fits = length < sizeof text && in->gauges < MPS_GAUGES;
        memcpy(text, at, fits ? length : 0);
        text[fits ? length : 0] = 0;
        double *point = in->gauge[fits ? in->gauges : 0];
        if (!fits || !torre_parse_reals(text, ',', 3, point, &numbers) || numbers != s->dimensions)
            return torre_fail(
                TORRE_ERR_USAGE,
                "--gauges must be at most %d points of %d numbers, x,y%s;... (got %s)", MPS_GAUGES,
                (int)s->dimensions, s->dimensions == 3 ? ",z" : "", s->gauges);
        for (int a = 0; a < numbers; a++)
            if (!(point[a] >= 0 && point[a] <= in->tank.size[a]))
                return torre_fail(TORRE_ERR_USAGE,
                                  "--gauges: %s is outside the tank, 0 to %g m along axis %d", text,
                                  in->tank.size[a], a);
        in->gauges++;
        at += length + (at[length] == ';');
    }
    return TORRE_OK;
}

torre_status mps_input_read(const mps_settings *s, mps_input *in)
{
    const int dims = (int)s->dimensions;
    TORRE_TRY(particle_check_endings(&s->common));
    const double spacing = s->spacing > 0 ? s->spacing : 0.1 / column_cells[s->size];
    const double influence = s->influence > 0 ? s->influence : dims == 2 ? 2.1 : 2.35;
    in->tank = (torre_mps_tank){.dims = dims,
                                .spacing = spacing,
                                .influence = influence * spacing,
                                .column = {s->column[0], s->column[1]},
                                .size = {s->tank[0], s->tank[1], s->tank[2]},
                                .side_walls = s->side_walls};
    torre_md_problem *p = &in->problem;
    *p = (torre_md_problem){.mps = {.density = s->density,
                                    .viscosity = s->viscosity,
                                    .gravity = s->gravity,
                                    .sound_speed = s->sound_speed,
                                    .surface = s->surface},
                            .dt = s->dt};
    if (p->mps.sound_speed == 0) p->mps.sound_speed = 10 * sqrt(2 * s->gravity * s->column[1]);
    if (p->mps.sound_speed == 0)
        return torre_fail(TORRE_ERR_USAGE, "--sound-speed must be given where --gravity is 0");
    if (!(influence >= 1.5 && influence <= 4))
        return torre_fail(TORRE_ERR_USAGE, "--influence must be 1.5 to 4 spacings (got %g)",
                          influence);
    TORRE_TRY(torre_mps_tank_layout(&in->tank, &in->layout));
    torre_mps_tank_problem(&in->tank, &in->layout, p);
    if (p->dt == 0) p->dt = 0.9 * torre_mps_dt_limit(p);
    in->width = (double)in->layout.water[0] * spacing;
    in->steps = s->steps >= 0 ? s->steps : (int64_t)fmin(ceil(s->time / p->dt), 1e12);
    in->thermo = s->thermo >= 0 ? s->thermo : (in->steps + 99) / 100;
    TORRE_TRY(particle_plan(&s->common, &in->plan));
    in->plan.skin *= spacing;
    const torre_md_backend *backend;
    TORRE_TRY(torre_md_backend_find(s->common.backend, &in->plan, &backend));
    p->precision = particle_precision(&s->common, backend->name);
    return read_gauges(s, in);
}

torre_status mps_input_particles(mps_input *in)
{
    TORRE_TRY(torre_mps_tank_make(&in->tank, &in->particles));
    torre_md_problem_set_particles(&in->problem, &in->particles);
    return torre_md_problem_check(&in->problem);
}

void mps_input_free(mps_input *in) { torre_md_particles_free(&in->particles); }
