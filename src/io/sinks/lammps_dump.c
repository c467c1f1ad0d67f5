/*
 * LAMMPS dump, for LAMMPS, OVITO, MDAnalysis and --input: id type x y z vx vy vz, with bounds and
 * boundaries. A diameter adds the column radius, types or a mass other than 1 mass; kinds of
 * particles are types (1, 2, ...), too; grains that spin have omegax omegay omegaz. Nine digits:
 * every f32 reads back as itself.
 */
#include <inttypes.h>

#include "io/sinks/particle_line.h"

static void write_head(torre_text_output *out, const torre_particle_layout *l,
                       const torre_frame *frame)
{
    const torre_md_particles *p = frame->particles;
    const torre_particle_about *about = &l->about;
    torre_text_output_print(out,
                            "ITEM: TIMESTEP\n%" PRId64 "\nITEM: NUMBER OF ATOMS\n%" PRId64
                            "\nITEM: BOX BOUNDS %s %s %s\n",
                            frame->step, p->count, about->wall[0] ? "ff" : "pp",
                            about->wall[1] ? "ff" : "pp", about->wall[2] ? "ff" : "pp");
    for (int a = 0; a < 3; a++)
        torre_text_output_print(out, "%.17g %.17g\n", about->origin[a],
                                about->origin[a] + p->box[a]);
    torre_text_output_print(out, "ITEM: ATOMS id type x y z vx vy vz%s%s%s",
                            about->diameter > 0 ? " radius" : "", has_masses(p) ? " mass" : "",
                            p->spin[0] ? " omegax omegay omegaz" : "");
    for (int k = 0; k < l->columns; k++) torre_text_output_print(out, " %s", l->column[k]);
    torre_text_output_print(out, "\n");
}

static torre_status write_frame(torre_sink *sink, const torre_frame *frame)
{
    const torre_particle_layout *l = &sink->data.particles;
    const torre_md_particles *p = frame->particles;
    torre_text_output *out = sink->text;
    write_head(out, l, frame);
    int kind = 0;
    for (int64_t i = 0; i < p->count; i++) {
        while (kind + 1 < l->kinds && i >= l->kind_end[kind]) kind++;
        torre_text_output_print(out, "%" PRId64 " %d", i + 1, (p->type ? p->type[i] : kind) + 1);
        print_motion(out, l, p, i);
        print_radius_and_mass(out, l, p, i);
        print_columns(out, l, frame, i);
    }
    return TORRE_OK;
}

const torre_sink_format torre_sink_lammps_dump = {
    .name = "lammps-dump",
    .ending = {".dump", ".lammpstrj"},
    .kinds = TORRE_SINK_PARTICLES,
    .series = true,
    .grows = true,
    .text = true,
    .frame = write_frame,
};
