/* Text dumps of LAMMPS (docs.lammps.org/dump.html), styles atom and custom. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "io/particle_file.h"
#include "io/particle_rows.h"
#include "io/text_input.h"

typedef struct dump_frame {
    int64_t count;
    double low[3], high[3];
    bool has_box, general; /* general: lines of an edge and a coordinate of the origin */
} dump_frame;

static torre_status bad(const torre_text_input *in, const char *what)
{
    return torre_fail(TORRE_ERR_INPUT, "%s: %s", torre_text_input_where(in), what);
}

/* What stands behind "ITEM: name", or NULL where it is another item. */
static const char *item(const char *line, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(line, "ITEM: ", 6) != 0 || strncmp(line + 6, name, length) != 0) return NULL;
    const char *rest = line + 6 + length;
    return !*rest || *rest == ' ' || *rest == '\t' ? rest : NULL;
}

/* The next line cut into words; a frame does not end here. */
static torre_status next_words(torre_text_input *in, char **word, int limit, int *words)
{
    char *line;
    *words = 0;
    TORRE_TRY(torre_text_input_line(in, &line));
    if (!line) return bad(in, "the file ends within the head of a frame");
    *words = torre_text_words(line, word, limit);
    return TORRE_OK;
}

/* "[xy xz yz] pp pp ff" or "abc origin pp pp ff" behind ITEM: BOX BOUNDS; older files have nothing
 * there. */
static torre_status read_boundary(const torre_text_input *in, const torre_particle_wish *wish,
                                  const char *rest, dump_frame *f)
{
    char text[128], *word[8];
    bool periodic[3] = {true, true, true};
    if (strlen(rest) >= sizeof text) return bad(in, "the line is too long");
    strcpy(text, rest);
    int words = torre_text_words(text, word, 8);
    f->general = words > 1 && strcmp(word[0], "abc") == 0;
    int from = f->general ? 2 : words > 3 && strcmp(word[0], "xy") == 0 ? 3 : 0;
    if (words != from && words != from + 3)
        return bad(in,
                   "only orthogonal boxes can be read: BOX BOUNDS, with pp or the like per axis");
    for (int a = 0; from + a < words; a++) periodic[a] = strcmp(word[from + a], "pp") == 0;
    return torre_particle_check_periodic(in, wish, periodic);
}

/* x y z of the edge along axis a, then where the box begins along it */
static torre_status read_edge(torre_text_input *in, dump_frame *f, int a)
{
    char *word[4];
    double edge[4];
    int words;
    TORRE_TRY(next_words(in, word, 4, &words));
    for (int k = 0; k < 4; k++)
        if (words != 4 || !torre_parse_real(word[k], &edge[k]))
            return bad(in, "the box needs four numbers, an edge and a coordinate of the origin");
    for (int k = 0; k < 3; k++)
        if (k == a ? !(edge[k] > 0) : edge[k] != 0)
            return bad(in, "tilted boxes are not supported");
    f->low[a] = edge[3];
    f->high[a] = edge[3] + edge[a];
    return TORRE_OK;
}

static torre_status read_box(torre_text_input *in, dump_frame *f)
{
    for (int a = 0; a < 3; a++) {
        if (f->general) {
            TORRE_TRY(read_edge(in, f, a));
            continue;
        }
        char *word[4];
        double tilt = 0;
        int words;
        TORRE_TRY(next_words(in, word, 4, &words));
        if (words < 2 || words > 3 || !torre_parse_real(word[0], &f->low[a]) ||
            !torre_parse_real(word[1], &f->high[a]) || !(f->high[a] > f->low[a]) ||
            !isfinite(f->high[a] - f->low[a]))
            return bad(in, "the box needs two numbers, the first below the second");
        if (words == 3 && (!torre_parse_real(word[2], &tilt) || tilt != 0))
            return bad(in, "tilted boxes are not supported");
    }
    f->has_box = true;
    return TORRE_OK;
}

static torre_status read_count(torre_text_input *in, dump_frame *f)
{
    char *word[2];
    int words;
    TORRE_TRY(next_words(in, word, 2, &words));
    if (words != 1 || !torre_parse_integer(word[0], &f->count) || f->count < 1)
        return bad(in, "the number of atoms must be at least 1");
    return TORRE_OK;
}

static torre_status read_atoms(torre_text_input *in, const torre_particle_wish *wish,
                               const dump_frame *f, const char *names, torre_md_particles *p,
                               torre_particle_source *source)
{
    torre_particle_rows rows = {.in = in, .particles = p, .low = f->low, .wish = wish};
    if (!f->count || !f->has_box)
        return bad(in, "NUMBER OF ATOMS and BOX BOUNDS must come before the atoms");
    TORRE_TRY(torre_particle_rows_columns(&rows, names, true));
    TORRE_TRY(torre_particle_rows_room(&rows, f->count));
    for (int a = 0; a < 3; a++) p->box[a] = f->high[a] - f->low[a];
    torre_status status = torre_particle_rows_read(&rows);
    if (!status) torre_particle_rows_finish(&rows, source);
    torre_particle_rows_free(&rows);
    return status;
}

torre_status torre_lammps_dump_read(torre_text_input *in, char *line,
                                    const torre_particle_wish *wish, torre_md_particles *p,
                                    torre_particle_source *source)
{
    dump_frame frame = {0};
    for (;;) {
        const char *rest;
        char *word[2];
        int words;
        if ((rest = item(line, "ATOMS"))) return read_atoms(in, wish, &frame, rest, p, source);
        if ((rest = item(line, "BOX BOUNDS"))) {
            TORRE_TRY(read_boundary(in, wish, rest, &frame));
            TORRE_TRY(read_box(in, &frame));
        } else if (item(line, "NUMBER OF ATOMS")) {
            TORRE_TRY(read_count(in, &frame));
        } else if (item(line, "UNITS")) {
            TORRE_TRY(next_words(in, word, 2, &words));
            if (words != 1 || strlen(word[0]) >= sizeof source->units)
                return bad(in, "the units must be one word");
            strcpy(source->units, word[0]);
        } else if (item(line, "TIMESTEP") || item(line, "TIME")) {
            TORRE_TRY(next_words(in, word, 2, &words)); /* this run counts its own */
        } else {
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: \"%.60s\" is no item of a LAMMPS dump of the style atom or "
                              "custom",
                              torre_text_input_where(in), line);
        }
        TORRE_TRY(torre_text_input_line(in, &line));
        if (!line) return bad(in, "the file ends within the head of a frame");
    }
}
