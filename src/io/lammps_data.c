/* LAMMPS data files (docs.lammps.org/read_data.html), atom style atomic, one type. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "io/particle_file.h"
#include "io/text_input.h"
#include "io/text_output.h"

#define WORDS 16

typedef struct data_reader {
    torre_text_input *in;
    torre_md_particles *particles;
    int64_t count, types;
    double low[3], high[3];
    bool has_edge[3], has_atoms, has_velocities;
    bool *seen; /* [count], of the section being read */
} data_reader;

static torre_status bad(const data_reader *r, const char *what)
{
    return torre_fail(TORRE_ERR_INPUT, "%s: %s", torre_text_input_where(r->in), what);
}

/* A header line; *known false when it is none of the header. */
static torre_status read_header(data_reader *r, char **word, int words, bool *known)
{
    static const char *const low_name[] = {"xlo", "ylo", "zlo"};
    static const char *const high_name[] = {"xhi", "yhi", "zhi"};
    *known = true;
    if (words == 2 && strcmp(word[1], "atoms") == 0) {
        if (!torre_parse_integer(word[0], &r->count) || r->count < 1)
            return bad(r, "the number of atoms must be at least 1");
        return TORRE_OK;
    }
    if (words == 3 && strcmp(word[1], "atom") == 0 && strcmp(word[2], "types") == 0) {
        if (!torre_parse_integer(word[0], &r->types) || r->types != 1)
            return bad(r, "there must be one atom type");
        return TORRE_OK;
    }
    for (int a = 0; a < 3; a++) {
        if (words != 4 || strcmp(word[2], low_name[a]) != 0 || strcmp(word[3], high_name[a]) != 0)
            continue;
        if (!torre_parse_real(word[0], &r->low[a]) || !torre_parse_real(word[1], &r->high[a]) ||
            !(r->high[a] > r->low[a]))
            return bad(r, "the box needs two numbers, the first below the second");
        r->has_edge[a] = true;
        return TORRE_OK;
    }
    if (words == 6 && strcmp(word[3], "xy") == 0) {
        for (int k = 0; k < 3; k++) {
            double tilt;
            if (!torre_parse_real(word[k], &tilt) || tilt != 0)
                return bad(r, "tilted boxes are not supported");
        }
        return TORRE_OK;
    }
    if (words >= 2 && word[0][0] >= '0' && word[0][0] <= '9') {
        /* counts of bonds and the like, which must be zero */
        int64_t n;
        if (!torre_parse_integer(word[0], &n) || n != 0)
            return bad(r, "only atoms of one type can be read (no bonds, bodies or other extras)");
        return TORRE_OK;
    }
    *known = false;
    return TORRE_OK;
}

/* The next line with words on it; none at the end of the file. */
static torre_status next_words(data_reader *r, char **word, int *words)
{
    char *line;
    do {
        TORRE_TRY(torre_text_input_line(r->in, &line));
        *words = line ? torre_text_words(line, word, WORDS) : 0;
    } while (line && *words == 0);
    return TORRE_OK;
}

static torre_status read_id(data_reader *r, const char *text, int64_t *id)
{
    if (!torre_parse_integer(text, id) || *id < 1 || *id > r->count)
        return torre_fail(TORRE_ERR_INPUT, "%s: atom ids must be 1 to %" PRId64 " (got %.40s)",
                          torre_text_input_where(r->in), r->count, text);
    if (r->seen[--*id])
        return torre_fail(TORRE_ERR_INPUT, "%s: atom id %" PRId64 " is there twice",
                          torre_text_input_where(r->in), *id + 1);
    r->seen[*id] = true;
    return TORRE_OK;
}

/* id type x y z [image flags] */
static torre_status read_atom(data_reader *r, char **word, int words)
{
    int64_t id, type;
    if (words != 5 && words != 8) return bad(r, "an atom needs id type x y z (atom style atomic)");
    TORRE_TRY(read_id(r, word[0], &id));
    if (!torre_parse_integer(word[1], &type) || type != 1) return bad(r, "the atom type must be 1");
    for (int a = 0; a < 3; a++) {
        double value;
        if (!torre_parse_real(word[2 + a], &value)) return bad(r, "a position is not a number");
        TORRE_TRY(torre_particle_place(r->in, a, r->low[a], r->high[a] - r->low[a], value,
                                       &r->particles->position[a][id]));
    }
    return TORRE_OK;
}

/* id vx vy vz */
static torre_status read_velocity(data_reader *r, char **word, int words)
{
    int64_t id;
    if (words != 4) return bad(r, "a velocity needs id vx vy vz");
    TORRE_TRY(read_id(r, word[0], &id));
    for (int a = 0; a < 3; a++)
        if (!torre_parse_real(word[1 + a], &r->particles->velocity[a][id]))
            return bad(r, "a velocity is not a number");
    return TORRE_OK;
}

static torre_status read_section(data_reader *r, torre_status (*read)(data_reader *, char **, int))
{
    char *word[WORDS];
    int words;
    memset(r->seen, 0, (size_t)r->count * sizeof *r->seen);
    for (int64_t i = 0; i < r->count; i++) {
        TORRE_TRY(next_words(r, word, &words));
        if (words == 0)
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: the file ends after %" PRId64 " of %" PRId64 " atoms",
                              torre_text_input_where(r->in), i, r->count);
        TORRE_TRY(read(r, word, words));
    }
    return TORRE_OK;
}

static torre_status read_mass(data_reader *r)
{
    char *word[WORDS];
    int words;
    TORRE_TRY(next_words(r, word, &words));
    if (words != 2 || !torre_parse_real(word[1], &r->particles->mass) || !(r->particles->mass > 0))
        return bad(r, "a mass needs type and a positive number");
    return TORRE_OK;
}

/* The header is complete: room for the particles. */
static torre_status begin_sections(data_reader *r)
{
    if (r->particles->count) return TORRE_OK;
    if (r->count < 1) return bad(r, "the header has no line \"N atoms\"");
    for (int a = 0; a < 3; a++)
        if (!r->has_edge[a])
            return torre_fail(TORRE_ERR_INPUT, "%s: the header has no box along %c",
                              torre_text_input_where(r->in), "xyz"[a]);
    TORRE_TRY(torre_md_particles_new(r->count, r->particles));
    r->seen = malloc((size_t)r->count * sizeof *r->seen);
    if (!r->seen) return bad(r, "no memory for the atoms");
    for (int a = 0; a < 3; a++) r->particles->box[a] = r->high[a] - r->low[a];
    return TORRE_OK;
}

static torre_status read_all(data_reader *r)
{
    char *word[WORDS];
    int words;
    for (;;) {
        bool known;
        TORRE_TRY(next_words(r, word, &words));
        if (words == 0) break;
        TORRE_TRY(read_header(r, word, words, &known));
        if (known) continue;
        TORRE_TRY(begin_sections(r));
        if (strcmp(word[0], "Masses") == 0) {
            TORRE_TRY(read_mass(r));
        } else if (strcmp(word[0], "Atoms") == 0 && !r->has_atoms) {
            TORRE_TRY(read_section(r, read_atom));
            r->has_atoms = true;
        } else if (strcmp(word[0], "Velocities") == 0 && !r->has_velocities) {
            TORRE_TRY(read_section(r, read_velocity));
            r->has_velocities = true;
        } else {
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: \"%.40s\" is not a line of a header, nor Masses, Atoms or "
                              "Velocities; is this a LAMMPS data file?",
                              torre_text_input_where(r->in), word[0]);
        }
    }
    if (!r->has_atoms) return bad(r, "there is no section Atoms");
    return TORRE_OK;
}

torre_status torre_lammps_data_read(torre_text_input *in, torre_md_particles *particles,
                                    torre_particle_source *source)
{
    data_reader reader = {.in = in, .particles = particles};
    torre_status status = read_all(&reader);
    free(reader.seen);
    source->has_velocities = reader.has_velocities;
    memcpy(source->origin, reader.low, sizeof source->origin);
    return status;
}

torre_status torre_lammps_data_write(const char *path, const torre_md_particles *p)
{
    torre_text_output *out;
    TORRE_TRY(torre_text_output_open(path, &out));
    torre_text_output_print(out, "LAMMPS data file, units lj, written by Torre md\n\n");
    torre_text_output_print(out, "%" PRId64 " atoms\n1 atom types\n\n", p->count);
    for (int a = 0; a < 3; a++)
        torre_text_output_print(out, "0 %.17g %clo %chi\n", p->box[a], "xyz"[a], "xyz"[a]);
    torre_text_output_print(out, "\nMasses\n\n1 %.17g\n\nAtoms # atomic\n\n", p->mass);
    for (int64_t i = 0; i < p->count; i++)
        torre_text_output_print(out, "%" PRId64 " 1 %.17g %.17g %.17g\n", i + 1, p->position[0][i],
                                p->position[1][i], p->position[2][i]);
    torre_text_output_print(out, "\nVelocities\n\n");
    for (int64_t i = 0; i < p->count; i++)
        torre_text_output_print(out, "%" PRId64 " %.17g %.17g %.17g\n", i + 1, p->velocity[0][i],
                                p->velocity[1][i], p->velocity[2][i]);
    return torre_text_output_commit(out);
}
