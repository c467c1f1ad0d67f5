/* Trajectories: LAMMPS dump and extended XYZ. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/particle_file.h"
#include "io/text_output.h"

struct torre_trajectory {
    torre_text_output *out;
    bool extxyz;
};

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t n = strlen(end);
    return length > n && strncmp(text + length - n, end, n) == 0;
}

torre_status torre_trajectory_open(const char *path, torre_trajectory **trajectory)
{
    torre_trajectory *t = calloc(1, sizeof *t);
    if (!t) return torre_fail(TORRE_ERR_RESOURCE, "%s: no memory to write it", path);
    size_t length = strlen(path);
    if (ends_with(path, length, ".gz")) length -= 3;
    t->extxyz = ends_with(path, length, ".xyz") || ends_with(path, length, ".extxyz");
    torre_status status = torre_text_output_open(path, &t->out);
    if (status) {
        free(t);
        return status;
    }
    *trajectory = t;
    return TORRE_OK;
}

/* Nine digits: every f32 reads back as itself. */
void torre_trajectory_frame(torre_trajectory *t, int64_t step, double time,
                            const torre_md_particles *p)
{
    if (t->extxyz) {
        torre_text_output_print(t->out,
                                "%" PRId64 "\nLattice=\"%.17g 0 0 0 %.17g 0 0 0 %.17g\" "
                                "Properties=id:I:1:species:S:1:pos:R:3:velo:R:3 Time=%.17g "
                                "Step=%" PRId64 " pbc=\"T T T\"\n",
                                p->count, p->box[0], p->box[1], p->box[2], time, step);
    } else {
        torre_text_output_print(t->out,
                                "ITEM: TIMESTEP\n%" PRId64 "\nITEM: NUMBER OF ATOMS\n%" PRId64
                                "\nITEM: BOX BOUNDS pp pp pp\n",
                                step, p->count);
        for (int a = 0; a < 3; a++) torre_text_output_print(t->out, "0 %.17g\n", p->box[a]);
        torre_text_output_print(t->out, "ITEM: ATOMS id type x y z vx vy vz\n");
    }
    const char *format = t->extxyz ? "%" PRId64 " X %.9g %.9g %.9g %.9g %.9g %.9g\n"
                                   : "%" PRId64 " 1 %.9g %.9g %.9g %.9g %.9g %.9g\n";
    for (int64_t i = 0; i < p->count; i++)
        torre_text_output_print(t->out, format, i + 1, p->position[0][i], p->position[1][i],
                                p->position[2][i], p->velocity[0][i], p->velocity[1][i],
                                p->velocity[2][i]);
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
