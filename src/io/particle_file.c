#include "io/particle_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "io/text_input.h"

torre_status torre_particle_place(const torre_text_input *in, int axis, double origin, double edge,
                                  double value, double *position)
{
    double r = value - origin, slack = 1e-6 * edge;
    if (!(r >= -slack && r <= edge + slack))
        return torre_fail(TORRE_ERR_INPUT, "%s: %c = %.10g is outside the box, %.10g to %.10g",
                          torre_text_input_where(in), "xyz"[axis], value, origin, origin + edge);
    if (r < 0) r += edge;
    *position = r < edge ? r : fmax(r - edge, 0);
    return TORRE_OK;
}

torre_status torre_particle_file_read(const char *path, torre_md_particles *particles,
                                      torre_particle_source *source)
{
    torre_text_input *in;
    char *line, *word[2];
    int64_t count;
    memset(particles, 0, sizeof *particles);
    memset(source, 0, sizeof *source);
    TORRE_TRY(torre_text_input_open(path, &in));
    torre_status status = torre_text_input_line(in, &line);
    if (!status && !line) status = torre_fail(TORRE_ERR_INPUT, "%s: is empty", path);
    if (!status) {
        /* The first line of LAMMPS data is a comment that may say anything; one number alone
         * followed by a line with a Lattice is extended XYZ. */
        bool number = torre_text_words(line, word, 2) == 1 && torre_parse_integer(word[0], &count);
        status = number ? torre_extxyz_read(in, count, particles, source)
                        : torre_lammps_data_read(in, particles, source);
    }
    torre_text_input_close(in);
    if (status) torre_md_particles_free(particles);
    return status;
}
