/*
 * LAMMPS data: one state with velocities, digits enough to read back the same numbers. Atom style
 * atomic, or sphere (diameter, density) where there is a diameter.
 */
#include <inttypes.h>
#include <math.h>

#include "io/sink_format.h"

static const double pi = 3.14159265358979323846;

static torre_status check(const torre_sink_data *data)
{
    const torre_particle_layout *l = &data->particles;
    if (l->kinds <= 1 && l->columns == 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "LAMMPS data holds one kind of particles, and positions and "
                                       "velocities alone; write .xyz or .dump");
}

static void write_head(torre_text_output *out, const torre_particle_about *about,
                       const torre_md_particles *p)
{
    torre_text_output_print(out, "LAMMPS data file, units %s, written by Torre md\n\n",
                            about->units);
    torre_text_output_print(out, "%" PRId64 " atoms\n%d atom types\n\n", p->count,
                            p->type ? p->types : 1);
    for (int a = 0; a < 3; a++)
        torre_text_output_print(out, "%.17g %.17g %clo %chi\n", about->origin[a],
                                about->origin[a] + p->box[a], "xyz"[a], "xyz"[a]);
}

static void write_atoms(torre_text_output *out, const torre_particle_about *about,
                        const torre_md_particles *p)
{
    const double *low = about->origin, volume = pi / 6 * pow(about->diameter, 3);
    if (volume == 0) torre_text_output_print(out, "\nMasses\n\n");
    for (int t = 0; volume == 0 && t < (p->type ? p->types : 1); t++)
        torre_text_output_print(out, "%d %.17g\n", t + 1, p->type ? p->type_mass[t] : p->mass);
    torre_text_output_print(out, "\nAtoms # %s\n\n", volume > 0 ? "sphere" : "atomic");
    for (int64_t i = 0; i < p->count; i++) {
        torre_text_output_print(out, "%" PRId64 " %d", i + 1, p->type ? p->type[i] + 1 : 1);
        if (volume > 0)
            torre_text_output_print(out, " %.17g %.17g",
                                    p->radius ? 2 * p->radius[i] : about->diameter,
                                    p->mass / volume);
        torre_text_output_print(out, " %.17g %.17g %.17g\n", low[0] + p->position[0][i],
                                low[1] + p->position[1][i], low[2] + p->position[2][i]);
    }
}

static torre_status write_frame(torre_sink *sink, const torre_frame *frame)
{
    const torre_particle_about *about = &sink->data.particles.about;
    const torre_md_particles *p = frame->particles;
    torre_text_output *out = sink->text;
    write_head(out, about, p);
    write_atoms(out, about, p);
    torre_text_output_print(out, "\nVelocities\n\n");
    for (int64_t i = 0; i < p->count; i++) {
        torre_text_output_print(out, "%" PRId64 " %.17g %.17g %.17g", i + 1, p->velocity[0][i],
                                p->velocity[1][i], p->velocity[2][i]);
        for (int a = 0; a < 3 && about->diameter > 0; a++)
            torre_text_output_print(out, " %.17g", p->spin[a] ? p->spin[a][i] : 0);
        torre_text_output_print(out, "\n");
    }
    return TORRE_OK;
}

const torre_sink_format torre_sink_lammps_data = {
    .name = "lammps-data",
    .ending = {".data"},
    .kinds = TORRE_SINK_PARTICLES,
    .text = true,
    .check = check,
    .frame = write_frame,
};

torre_status torre_lammps_data_write(const char *path, const torre_particle_about *about,
                                     const torre_md_particles *particles)
{
    const torre_sink_data data = {.kind = TORRE_SINK_PARTICLES, .particles = {.about = *about}};
    const torre_frame frame = {.particles = particles};
    return torre_sink_write(&torre_sink_lammps_data, &data, path, &frame);
}
