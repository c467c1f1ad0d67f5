#include "run/fluid_input.h"

#include "run/fluid_boxes.h"

torre_status torre_fluid_input_read(const torre_fluid_spec *spec, torre_fluid_input *in)
{
    torre_fluid_dam dam = spec->dam;
    dam.tank.influence = spec->influence * dam.tank.spacing;
    TORRE_TRY(
        torre_fluid_boxes_read("water", spec->water, &dam.tank, dam.tank.water, &dam.tank.waters));
    TORRE_TRY(torre_fluid_boxes_read("obstacle", spec->obstacle, &dam.tank, dam.tank.obstacle,
                                     &dam.tank.obstacles));
    TORRE_TRY(torre_fluid_gate_read(spec->gate, &dam.tank.gate));
    TORRE_TRY(torre_mps_dam_make(&dam, &in->dam, &in->problem));
    for (int k = 0; k < TORRE_GAUGE_KINDS; k++)
        TORRE_TRY(torre_fluid_gauges_read((torre_gauge_kind)k, spec->gauges[k], &in->dam.tank,
                                          &in->gauges[k]));
    TORRE_TRY(torre_fluid_probes_check(&in->gauges[TORRE_GAUGE_PROBE], &in->dam));
    TORRE_TRY(torre_particle_plan(&spec->means, &in->plan));
    in->plan.skin *= dam.tank.spacing;
    return torre_particle_precision(&spec->means, &in->plan, &in->problem.precision);
}

torre_status torre_fluid_input_particles(torre_fluid_input *in)
{
    TORRE_TRY(torre_mps_tank_make(&in->dam.tank, &in->particles));
    torre_md_problem_set_particles(&in->problem, &in->particles);
    return torre_md_problem_check(&in->problem);
}

void torre_fluid_input_free(torre_fluid_input *in) { torre_md_particles_free(&in->particles); }
