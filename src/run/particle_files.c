#include "run/particle_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "figure/figure.h"
#include "io/file_ending.h"
#include "io/output_file.h"

bool torre_particle_wanted(const char *name) { return name && strcmp(name, "none") != 0; }

torre_status torre_particle_wishes_check(const torre_particle_wishes *w)
{
    static const char *const pictures[] = {".png", NULL};
    const torre_sink_format *format;
    if (torre_particle_wanted(w->picture))
        TORRE_TRY(torre_file_ending_check("picture", w->picture, pictures, false));
    return w->dump ? torre_sink_choose("dump", w->dump, TORRE_SINK_PARTICLES, true, &format)
                   : TORRE_OK;
}

torre_status torre_particle_path(const torre_particle_wishes *w, const char *parameter,
                                 const char *name, char path[TORRE_PATH])
{
    bool bare = !strchr(name, '/') && strcmp(w->output, ".") != 0;
    int length = snprintf(path, TORRE_PATH, "%s%s%s", bare ? w->output : "", bare ? "/" : "", name);
    if (length < 0 || length >= TORRE_PATH)
        return torre_fail(TORRE_ERR_USAGE, "{%s} is too long a name", parameter);
    return bare ? torre_output_directory(w->output) : TORRE_OK;
}

torre_status torre_particle_frame_path(const torre_particle_wishes *w, int64_t i,
                                       char path[TORRE_PATH])
{
    char name[32];
    snprintf(name, sizeof name, "frame_%04" PRId64 ".png", i);
    return torre_particle_path(w, "output", name, path);
}

torre_figure_about torre_particle_figure(int style, const char *subject,
                                         const torre_particle_about *about, bool upright)
{
    const char *lacking;
    torre_figure_about figure = {.scale =
                                     torre_picture_scale(torre_picture_styles[style], &lacking),
                                 .subject = subject,
                                 .right = 0,
                                 .up = upright ? 2 : 1,
                                 .si = strcmp(about->units, "si") == 0};
    memcpy(figure.origin, about->origin, sizeof figure.origin);
    return figure;
}

torre_status torre_particle_picture_open(const char *path, double diameter,
                                         const torre_figure_about *figure, torre_sink **picture)
{
    const torre_sink_data data = {
        .kind = TORRE_SINK_PARTICLES, .figure = figure, .particles = {.size = diameter}};
    return torre_sink_open(torre_sink_by_name("png"), &data, path, picture);
}

torre_status torre_particle_dump_open(const char *path, const torre_particle_layout *layout,
                                      torre_sink **dump)
{
    const torre_sink_data data = {
        .kind = TORRE_SINK_PARTICLES, .series = true, .particles = *layout};
    const torre_sink_format *format;
    TORRE_TRY(torre_sink_choose("dump", path, data.kind, true, &format));
    return torre_sink_open(format, &data, path, dump);
}

torre_status torre_particle_table_open(const char *path, const torre_table_layout *layout,
                                       torre_sink **table)
{
    const torre_sink_data data = {.kind = TORRE_SINK_ROWS, .table = *layout};
    return torre_sink_open(torre_sink_by_name("csv"), &data, path, table);
}
