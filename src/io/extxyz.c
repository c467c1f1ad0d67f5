/*
 * Extended XYZ: a line with the number of particles, a line of key=value, a line per particle whose
 * columns are given by Properties=name:type:columns:...
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/numbers.h"
#include "io/particle_file.h"
#include "io/text_input.h"

#define COLUMNS 64

/* Where the columns are, -1 for none. */
typedef struct extxyz_layout {
    int position, velocity, columns;
} extxyz_layout;

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

static torre_status read_layout(const torre_text_input *in, const char *line, extxyz_layout *layout)
{
    char text[1024];
    *layout = (extxyz_layout){-1, -1, 0};
    if (!find_value(line, "Properties", text, sizeof text)) strcpy(text, "species:S:1:pos:R:3");
    for (char *at = text; *at;) {
        char *name = at, *type = strchr(name, ':');
        char *columns = type ? strchr(type + 1, ':') : NULL;
        int64_t n = 0;
        if (columns) {
            *type++ = *columns++ = 0;
            at = columns + strcspn(columns, ":");
            if (*at) *at++ = 0;
        }
        if (!columns || !torre_parse_integer(columns, &n) || n < 1 || n > COLUMNS ||
            layout->columns + n > COLUMNS)
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: Properties must be name:type:columns:..., at most %d columns",
                              torre_text_input_where(in), COLUMNS);
        if (strcmp(name, "pos") == 0 && n == 3) layout->position = layout->columns;
        if (n == 3 && (strcmp(name, "velo") == 0 || strcmp(name, "vel") == 0 ||
                       strcmp(name, "velocities") == 0))
            layout->velocity = layout->columns;
        layout->columns += (int)n;
    }
    if (layout->position < 0)
        return torre_fail(TORRE_ERR_INPUT, "%s: Properties has no pos:R:3",
                          torre_text_input_where(in));
    return TORRE_OK;
}

static torre_status read_particle(torre_text_input *in, const extxyz_layout *layout, int64_t i,
                                  torre_md_particles *p)
{
    char *line, *word[COLUMNS];
    TORRE_TRY(torre_text_input_line(in, &line));
    if (!line)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: the file ends after %" PRId64 " of %" PRId64 " particles",
                          torre_text_input_where(in), i, p->count);
    int words = torre_text_words(line, word, COLUMNS);
    if (words != layout->columns)
        return torre_fail(TORRE_ERR_INPUT, "%s: expected %d columns (got %d)",
                          torre_text_input_where(in), layout->columns, words);
    for (int a = 0; a < 3; a++) {
        double value;
        if (!torre_parse_real(word[layout->position + a], &value))
            return torre_fail(TORRE_ERR_INPUT, "%s: a position is not a number (%.40s)",
                              torre_text_input_where(in), word[layout->position + a]);
        TORRE_TRY(torre_particle_place(in, a, 0, p->box[a], value, &p->position[a][i]));
        if (layout->velocity >= 0 &&
            !torre_parse_real(word[layout->velocity + a], &p->velocity[a][i]))
            return torre_fail(TORRE_ERR_INPUT, "%s: a velocity is not a number (%.40s)",
                              torre_text_input_where(in), word[layout->velocity + a]);
    }
    return TORRE_OK;
}

torre_status torre_extxyz_read(torre_text_input *in, int64_t count, torre_md_particles *p,
                               torre_particle_source *source)
{
    char *line;
    extxyz_layout layout;
    double box[3];
    if (count < 1)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: there must be at least one particle (got %" PRId64 ")",
                          torre_text_input_where(in), count);
    TORRE_TRY(torre_text_input_line(in, &line));
    if (!line)
        return torre_fail(TORRE_ERR_INPUT, "%s: the file ends after its first line",
                          torre_text_input_where(in));
    TORRE_TRY(read_lattice(in, line, box));
    TORRE_TRY(read_layout(in, line, &layout));
    TORRE_TRY(torre_md_particles_new(count, p));
    memcpy(p->box, box, sizeof box);
    for (int64_t i = 0; i < count; i++) TORRE_TRY(read_particle(in, &layout, i, p));
    source->has_velocities = layout.velocity >= 0;
    return TORRE_OK;
}
