/*
 * Extended XYZ: a line with the number of particles, a line of key=value, a line per particle whose
 * columns are given by Properties=name:type:columns:...
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/numbers.h"
#include "io/particle_file.h"
#include "io/particle_rows.h"
#include "io/text_input.h"

/*
 * The value of key in the second line, copied to value without its quotes. Keys are matched without
 * regard to case (Lattice, lattice). False when it is not there or too long.
 */
static bool find_value(const char *line, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    bool quoted = false;
    for (const char *at = line; *at; at++) {
        if (*at == '"') quoted = !quoted;
        bool begins = !quoted && (at == line || at[-1] == ' ' || at[-1] == '\t');
        if (!begins || strncasecmp(at, key, length) != 0 || at[length] != '=') continue;
        const char *from = at + length + 1;
        size_t n = *from == '"' ? strcspn(++from, "\"") : strcspn(from, " \t");
        if (n + 1 > size) return false;
        memcpy(value, from, n);
        value[n] = 0;
        return true;
    }
    return false;
}

static torre_status read_lattice(const torre_text_input *in, const char *line, double box[3])
{
    char text[1024], *word[9];
    double cell[9];
    if (!find_value(line, "Lattice", text, sizeof text))
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: extended XYZ needs Lattice=\"...\" in its second line",
                          torre_text_input_where(in));
    if (torre_text_words(text, word, 9) != 9)
        return torre_fail(TORRE_ERR_INPUT, "%s: Lattice must have nine numbers",
                          torre_text_input_where(in));
    for (int k = 0; k < 9; k++) {
        if (!torre_parse_real(word[k], &cell[k]) || (k % 4 == 0 ? cell[k] <= 0 : cell[k] != 0))
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: Lattice must be an orthogonal box along x, y and z (got %.60s)",
                              torre_text_input_where(in), word[k]);
    }
    for (int a = 0; a < 3; a++) box[a] = cell[4 * a];
    return TORRE_OK;
}

/* Origin="x y z", where the box begins (as OVITO writes it); 0 without it. */
static torre_status read_origin(const torre_text_input *in, const char *line, double low[3])
{
    char text[256], *word[3];
    memset(low, 0, 3 * sizeof *low);
    if (!find_value(line, "Origin", text, sizeof text)) return TORRE_OK;
    bool good = torre_text_words(text, word, 3) == 3;
    for (int a = 0; good && a < 3; a++) good = torre_parse_real(word[a], &low[a]);
    if (good) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT, "%s: Origin must have three numbers",
                      torre_text_input_where(in));
}

/* pbc="T T F"; a file without it has a box, so it is periodic. */
static torre_status read_periodic(const torre_text_input *in, const torre_particle_wish *wish,
                                  const char *line)
{
    char text[64], *word[3];
    bool periodic[3] = {true, true, true};
    if (!find_value(line, "pbc", text, sizeof text)) return TORRE_OK;
    bool good = torre_text_words(text, word, 3) == 3;
    for (int a = 0; good && a < 3; a++) {
        periodic[a] = strchr("Tt1", word[a][0]) != NULL;
        good = periodic[a] || strchr("Ff0", word[a][0]);
    }
    if (good) return torre_particle_check_periodic(in, wish, periodic);
    return torre_fail(TORRE_ERR_INPUT, "%s: pbc must be three of T and F",
                      torre_text_input_where(in));
}

/*
 * Names of the columns of a property as particle_rows.h has them; its own name, once for every
 * column, where that knows none. False where it has another number of columns than it must.
 */
static bool column_names(const char *name, int64_t columns, char *names, size_t size)
{
    static const struct {
        const char *property, *names;
        int columns;
    } known[] = {{"pos", "x y z", 3},
                 {"velo", "vx vy vz", 3},
                 {"vel", "vx vy vz", 3},
                 {"velocities", "vx vy vz", 3},
                 {"momenta", "px py pz", 3},
                 {"species", "species", 1},
                 {"Z", "element", 1},
                 {"numbers", "element", 1},
                 {"type", "type", 1},
                 {"id", "id", 1},
                 {"mass", "mass", 1},
                 {"masses", "mass", 1},
                 {"radius", "radius", 1},
                 {"diameter", "diameter", 1},
                 {"density", "density", 1},
                 {"charge", "q", 1},
                 {"omega", "omegax omegay omegaz", 3},
                 {"initial_charges", "q", 1}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(known[k].property, name) != 0) continue;
        snprintf(names, size, "%s ", known[k].names);
        return columns == known[k].columns;
    }
    names[0] = 0;
    for (int64_t k = 0; k < columns; k++) {
        size_t used = strlen(names);
        snprintf(names + used, size - used, "%.24s[%d] ", name, (int)k);
    }
    return true;
}

/* Properties=name:type:columns:... */
static torre_status read_columns(torre_particle_rows *rows, const char *line)
{
    char text[1024], names[32 * TORRE_ROW_COLUMNS] = "";
    if (!find_value(line, "Properties", text, sizeof text)) strcpy(text, "species:S:1:pos:R:3");
    int64_t columns = 0;
    for (char *at = text; *at;) {
        char *name = at, *type = strchr(name, ':'), *number = type ? strchr(type + 1, ':') : NULL;
        int64_t n = 0;
        if (number) {
            *type++ = *number++ = 0;
            at = number + strcspn(number, ":");
            if (*at) *at++ = 0;
        }
        size_t used = strlen(names);
        if (!number || !torre_parse_integer(number, &n) || n < 1 || n > TORRE_ROW_COLUMNS ||
            (columns += n) > TORRE_ROW_COLUMNS ||
            !column_names(name, n, names + used, sizeof names - used))
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: Properties must be name:type:columns:..., at most %d columns, "
                              "of these pos:R:3 and velo:R:3 (at %.40s)",
                              torre_text_input_where(rows->in), TORRE_ROW_COLUMNS, name);
    }
    return torre_particle_rows_columns(rows, names, true);
}

torre_status torre_extxyz_read(torre_text_input *in, char *line, const torre_particle_wish *wish,
                               torre_md_particles *p, torre_particle_source *source)
{
    int64_t count;
    char *word[2];
    double box[3], low[3];
    torre_particle_rows rows = {.in = in, .particles = p, .low = low, .wish = wish};
    if (torre_text_words(line, word, 2) != 1 || !torre_parse_integer(word[0], &count) || count < 1)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: a frame of extended XYZ begins with the number of particles, at "
                          "least 1 (got %.40s)",
                          torre_text_input_where(in), line);
    TORRE_TRY(torre_text_input_line(in, &line));
    if (!line)
        return torre_fail(TORRE_ERR_INPUT, "%s: the file ends after the first line of a frame",
                          torre_text_input_where(in));
    TORRE_TRY(read_lattice(in, line, box));
    TORRE_TRY(read_origin(in, line, low));
    TORRE_TRY(read_periodic(in, wish, line));
    TORRE_TRY(read_columns(&rows, line));
    TORRE_TRY(torre_particle_rows_room(&rows, count));
    memcpy(p->box, box, sizeof box);
    torre_status status = torre_particle_rows_read(&rows);
    if (!status) torre_particle_rows_finish(&rows, source);
    torre_particle_rows_free(&rows);
    return status;
}
