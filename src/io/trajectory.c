/* Nine digits: every f32 reads back as itself. */
#include "io/trajectory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/file_ending.h"
#include "io/text_output.h"

struct torre_trajectory {
    torre_text_output *out;
    torre_trajectory_layout layout;
    bool extxyz;
};

static const char *const endings[] = {".xyz", ".extxyz", ".dump", ".lammpstrj", NULL};

torre_status torre_trajectory_check(const char *option, const char *path)
{
    return torre_file_ending_check(option, path, endings, true);
}

torre_status torre_trajectory_open(const char *path, const torre_trajectory_layout *layout,
                                   torre_trajectory **trajectory)
{
    torre_trajectory *t = calloc(1, sizeof *t);
    if (!t) return torre_fail(TORRE_ERR_RESOURCE, "%s: no memory to write it", path);
    int ending = torre_file_ending(path, endings, true);
    t->extxyz = ending == 0 || ending == 1;
    t->layout = *layout;
    torre_status status = torre_text_output_open(path, &t->out);
    if (status) {
        free(t);
        return status;
    }
    *trajectory = t;
    return TORRE_OK;
}

static void extxyz_head(const torre_trajectory *t, int64_t step, double time,
                        const torre_md_particles *p)
{
    const torre_particle_about *about = &t->layout.about;
    torre_text_output_print(
        t->out,
        "%" PRId64 "\nLattice=\"%.17g 0 0 0 %.17g 0 0 0 %.17g\" Origin=\"%.17g %.17g %.17g\" ",
        p->count, p->box[0], p->box[1], p->box[2], about->origin[0], about->origin[1],
        about->origin[2]);
    torre_text_output_print(t->out, "Properties=species:S:1:pos:R:3:velo:R:3:id:I:1%s%s%s",
                            about->diameter > 0 ? ":radius:R:1" : "",
                            p->mass != 1 ? ":mass:R:1" : "",
                            t->layout.kinds > 1 ? ":kind:I:1" : "");
    for (int k = 0; k < t->layout.columns; k++)
        torre_text_output_print(t->out, ":%s:R:1", t->layout.column[k]);
    torre_text_output_print(t->out, " Time=%.17g Step=%" PRId64 " pbc=\"%c %c %c\"\n", time, step,
                            about->wall[0] ? 'F' : 'T', about->wall[1] ? 'F' : 'T',
                            about->wall[2] ? 'F' : 'T');
}

static void dump_head(const torre_trajectory *t, int64_t step, const torre_md_particles *p)
{
    const torre_particle_about *about = &t->layout.about;
    torre_text_output_print(t->out,
                            "ITEM: TIMESTEP\n%" PRId64 "\nITEM: NUMBER OF ATOMS\n%" PRId64
                            "\nITEM: BOX BOUNDS %s %s %s\n",
                            step, p->count, about->wall[0] ? "ff" : "pp",
                            about->wall[1] ? "ff" : "pp", about->wall[2] ? "ff" : "pp");
    for (int a = 0; a < 3; a++)
        torre_text_output_print(t->out, "%.17g %.17g\n", about->origin[a],
                                about->origin[a] + p->box[a]);
    torre_text_output_print(t->out, "ITEM: ATOMS id type x y z vx vy vz%s%s",
                            about->diameter > 0 ? " radius" : "", p->mass != 1 ? " mass" : "");
    for (int k = 0; k < t->layout.columns; k++)
        torre_text_output_print(t->out, " %s", t->layout.column[k]);
    torre_text_output_print(t->out, "\n");
}

static void write_particle(const torre_trajectory *t, int64_t i, int kind,
                           const torre_md_particles *p, const double *const *values)
{
    const torre_trajectory_layout *l = &t->layout;
    torre_text_output *out = t->out;
    if (t->extxyz)
        torre_text_output_print(out, "X");
    else
        torre_text_output_print(out, "%" PRId64 " %d", i + 1, kind + 1);
    torre_text_output_print(
        out, " %.9g %.9g %.9g %.9g %.9g %.9g", l->about.origin[0] + p->position[0][i],
        l->about.origin[1] + p->position[1][i], l->about.origin[2] + p->position[2][i],
        p->velocity[0][i], p->velocity[1][i], p->velocity[2][i]);
    if (t->extxyz) torre_text_output_print(out, " %" PRId64, i + 1);
    if (l->about.diameter > 0) torre_text_output_print(out, " %.9g", l->about.diameter / 2);
    if (p->mass != 1) torre_text_output_print(out, " %.9g", p->mass);
    if (t->extxyz && l->kinds > 1) torre_text_output_print(out, " %d", kind);
    for (int k = 0; k < l->columns; k++) torre_text_output_print(out, " %.9g", values[k][i]);
    torre_text_output_print(out, "\n");
}

void torre_trajectory_frame(torre_trajectory *t, int64_t step, double time,
                            const torre_md_particles *p, const double *const *values)
{
    if (t->extxyz)
        extxyz_head(t, step, time, p);
    else
        dump_head(t, step, p);
    int kind = 0;
    for (int64_t i = 0; i < p->count; i++) {
        while (kind + 1 < t->layout.kinds && i >= t->layout.kind_end[kind]) kind++;
        write_particle(t, i, kind, p, values);
    }
}

torre_status torre_trajectory_commit(torre_trajectory *t)
{
    torre_text_output *out = t->out;
    free(t);
    return torre_text_output_commit(out);
}

void torre_trajectory_discard(torre_trajectory *t)
{
    if (!t) return;
    torre_text_output_discard(t->out);
    free(t);
}
