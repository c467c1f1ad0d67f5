/*
 * Extended XYZ, for OVITO, ASE, MDAnalysis and --input: species pos velo id, with Lattice, Origin
 * and pbc. Every particle is of the species X, the unknown atom; where there are types, of the
 * element of that number (H, He, ...), as ASE has them, and there is a column type (1, 2, ...). A
 * diameter adds the column radius, types or a mass other than 1 mass, kinds of particles kind (0,
 * 1, ...), grains that spin omega, their angular velocity.
 */
#include <inttypes.h>

#include "io/sinks/particle_line.h"

static const char *const element[TORRE_MD_TYPES] = {"H", "He", "Li", "Be", "B", "C", "N", "O"};

static void write_head(torre_text_output *out, const torre_particle_layout *l,
                       const torre_frame *frame)
{
    const torre_md_particles *p = frame->particles;
    const torre_particle_about *about = &l->about;
    torre_text_output_print(
        out, "%" PRId64 "\nLattice=\"%.17g 0 0 0 %.17g 0 0 0 %.17g\" Origin=\"%.17g %.17g %.17g\" ",
        p->count, p->box[0], p->box[1], p->box[2], about->origin[0], about->origin[1],
        about->origin[2]);
    torre_text_output_print(out, "Properties=species:S:1:pos:R:3:velo:R:3:id:I:1%s%s%s%s%s",
                            about->diameter > 0 ? ":radius:R:1" : "",
                            has_masses(p) ? ":mass:R:1" : "", p->spin[0] ? ":omega:R:3" : "",
                            p->type ? ":type:I:1" : "", l->kinds > 1 ? ":kind:I:1" : "");
    for (int k = 0; k < l->columns; k++) torre_text_output_print(out, ":%s:R:1", l->column[k]);
    torre_text_output_print(out, " Time=%.17g Step=%" PRId64 " pbc=\"%c %c %c\"\n", frame->time,
                            frame->step, about->wall[0] ? 'F' : 'T', about->wall[1] ? 'F' : 'T',
                            about->wall[2] ? 'F' : 'T');
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
        torre_text_output_print(out, "%s", p->type ? element[p->type[i]] : "X");
        print_motion(out, l, p, i);
        torre_text_output_print(out, " %" PRId64, i + 1);
        print_radius_and_mass(out, l, p, i);
        if (p->type) torre_text_output_print(out, " %d", p->type[i] + 1);
        if (l->kinds > 1) torre_text_output_print(out, " %d", kind);
        print_columns(out, l, frame, i);
    }
    return TORRE_OK;
}

const torre_sink_format torre_sink_extxyz = {
    .name = "extxyz",
    .ending = {".xyz", ".extxyz"},
    .kinds = TORRE_SINK_PARTICLES,
    .series = true,
    .grows = true,
    .text = true,
    .frame = write_frame,
};
