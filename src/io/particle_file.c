#include "io/particle_file.h"

#include <inttypes.h>
#include <string.h>

#include "core/numbers.h"
#include "core/phase.h"
#include "io/text_input.h"

typedef torre_status (*frame_reader)(torre_text_input *, char *, const torre_particle_wish *,
                                     torre_md_particles *, torre_particle_source *);

/*
 * The first line of LAMMPS data is a comment that may say anything but these two: "ITEM: ..." is a
 * dump, a number alone extended XYZ.
 */
static frame_reader reader_of(const char *line)
{
    if (strncmp(line, "ITEM:", 5) == 0) return torre_lammps_dump_read;
    line += strspn(line, " \t");
    size_t digits = strspn(line, "-0123456789"), rest = strspn(line + digits, " \t");
    return digits && !line[digits + rest] ? torre_extxyz_read : torre_lammps_data_read;
}

torre_status torre_particle_check_periodic(const torre_text_input *in,
                                           const torre_particle_wish *wish, const bool periodic[3])
{
    for (int a = 0; a < 3; a++)
        if (!periodic[a] && !wish->wall[a])
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: the box of the file is not periodic along %c, that of this run "
                              "is; make it periodic in the file if that is meant",
                              torre_text_input_where(in), "xyz"[a]);
    return TORRE_OK;
}

/* The next line that is not blank; NULL at the end. */
static torre_status next_line(torre_text_input *in, char **line)
{
    do TORRE_TRY(torre_text_input_line(in, line));
    while (*line && !(*line)[strspn(*line, " \t")]);
    return TORRE_OK;
}

/* Frame after frame, until the one that is wanted or the last. */
static torre_status read_frames(torre_text_input *in, const torre_particle_wish *wish,
                                torre_md_particles *particles, torre_particle_source *source)
{
    char *line;
    TORRE_TRY(torre_text_input_line(in, &line));
    if (!line) return torre_fail(TORRE_ERR_INPUT, "%s: is empty", torre_text_input_where(in));
    frame_reader read = reader_of(line);
    for (int64_t frame = 0;; frame++) {
        torre_md_particles_free(particles);
        torre_status status = read(in, line, wish, particles, source);
        if (status && frame > 0 && wish->frame < 0)
            return torre_fail(status, "%s ({frame} %" PRId64 " can be read)", torre_error_text(),
                              frame - 1);
        if (status || frame == wish->frame) return status;
        TORRE_TRY(next_line(in, &line));
        if (line) continue;
        if (wish->frame < 0) return TORRE_OK;
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: the file has %" PRId64 " frame%s, {frame} 0 to %" PRId64
                          " or last (got %" PRId64 ")",
                          torre_text_input_where(in), frame + 1, frame ? "s" : "", frame,
                          wish->frame);
    }
}

torre_status torre_particle_file_read(const char *path, const torre_particle_wish *wish,
                                      torre_md_particles *particles, torre_particle_source *source)
{
    TORRE_PHASE(TORRE_PHASE_READ);
    torre_text_input *in;
    memset(particles, 0, sizeof *particles);
    memset(source, 0, sizeof *source);
    TORRE_TRY(torre_text_input_open(path, &in));
    torre_status status = read_frames(in, wish, particles, source);
    torre_text_input_close(in);
    if (status) torre_md_particles_free(particles);
    return status;
}
