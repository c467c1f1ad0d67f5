/* LAMMPS data files (docs.lammps.org/read_data.html): orthogonal box. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "io/particle_file.h"
#include "io/particle_rows.h"
#include "io/text_input.h"

#define WORDS 16

typedef struct data_reader {
    torre_text_input *in;
    torre_md_particles *particles;
    torre_particle_source *source;
    torre_particle_rows rows;
    int64_t count;
    int types; /* 0: not said */
    double low[3], high[3];
    bool has_edge[3], has_atoms, has_velocities;
    const char *velocities; /* columns of that section */
    char comment[64];       /* behind the words of the line: style of the section */
} data_reader;

/* Columns of the section Atoms by atom style, and what follows an id under Velocities. */
static const struct atom_style {
    const char *name, *atoms, *velocities;
} atom_styles[] = {
    {"atomic", "id type x y z", "id vx vy vz"},
    {"bond", "id molecule type x y z", "id vx vy vz"},
    {"angle", "id molecule type x y z", "id vx vy vz"},
    {"molecular", "id molecule type x y z", "id vx vy vz"},
    {"charge", "id type q x y z", "id vx vy vz"},
    {"full", "id molecule type q x y z", "id vx vy vz"},
    {"sphere", "id type diameter density x y z", "id vx vy vz omegax omegay omegaz"}};

static torre_status bad(const data_reader *r, const char *what)
{
    return torre_fail(TORRE_ERR_INPUT, "%s: %s", torre_text_input_where(r->in), what);
}

static torre_status read_edge(data_reader *r, int a, char **word)
{
    if (!torre_parse_real(word[0], &r->low[a]) || !torre_parse_real(word[1], &r->high[a]) ||
        !(r->high[a] > r->low[a]) || !isfinite(r->high[a] - r->low[a]))
        return bad(r, "the box needs two numbers, the first below the second");
    r->has_edge[a] = true;
    return TORRE_OK;
}

static torre_status read_tilt(data_reader *r, char **word)
{
    for (int k = 0; k < 3; k++) {
        double tilt;
        if (!torre_parse_real(word[k], &tilt) || tilt != 0)
            return bad(r, "tilted boxes are not supported");
    }
    return TORRE_OK;
}

/* "x y z avec": an edge of a box in general form, which must lie along its axis. */
static torre_status read_edge_vector(data_reader *r, int a, char **word)
{
    for (int k = 0; k < 3; k++) {
        double edge;
        if (!torre_parse_real(word[k], &edge) || (k == a ? edge <= 0 : edge != 0))
            return bad(r, "tilted boxes are not supported");
        if (k == a) r->high[a] = r->low[a] + edge;
    }
    r->has_edge[a] = true;
    return TORRE_OK;
}

/* "x y z abc origin": where such a box begins, before or after its edges. */
static torre_status read_origin(data_reader *r, char **word)
{
    for (int a = 0; a < 3; a++) {
        double low;
        if (!torre_parse_real(word[a], &low)) return bad(r, "the origin needs three numbers");
        r->high[a] += low - r->low[a];
        r->low[a] = low;
    }
    return TORRE_OK;
}

/* "N what": of what md has not (bonds) there must be none. */
static torre_status read_number(data_reader *r, char **word, int words)
{
    int64_t n;
    if (!torre_parse_integer(word[0], &n)) n = -1;
    if (words == 2 && strcmp(word[1], "atoms") == 0) {
        if (n < 1) return bad(r, "the number of atoms must be at least 1");
        r->count = n;
        return TORRE_OK;
    }
    if (words == 3 && strcmp(word[1], "atom") == 0 && strcmp(word[2], "types") == 0) {
        if (n < 1 || n > TORRE_MD_TYPES)
            return torre_fail(TORRE_ERR_INPUT, "%s: there must be 1 to %d atom types (got %.40s)",
                              torre_text_input_where(r->in), TORRE_MD_TYPES, word[0]);
        r->types = (int)n;
        return TORRE_OK;
    }
    if (n == 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT, "%s: there must be 0 %s%s%s (got %.40s): md has none",
                      torre_text_input_where(r->in), word[1], words > 2 ? " " : "",
                      words > 2 ? word[2] : "", word[0]);
}

/* A header line; *known false when it is none of the header. */
static torre_status read_header(data_reader *r, char **word, int words, bool *known)
{
    static const char *const low_name[] = {"xlo", "ylo", "zlo"};
    static const char *const high_name[] = {"xhi", "yhi", "zhi"};
    static const char *const vector_name[] = {"avec", "bvec", "cvec"};
    *known = true;
    for (int a = 0; words == 4 && a < 3; a++)
        if (strcmp(word[2], low_name[a]) == 0 && strcmp(word[3], high_name[a]) == 0)
            return read_edge(r, a, word);
    for (int a = 0; words == 4 && a < 3; a++)
        if (strcmp(word[3], vector_name[a]) == 0) return read_edge_vector(r, a, word);
    if (words == 5 && strcmp(word[3], "abc") == 0) return read_origin(r, word);
    if (words == 6 && strcmp(word[3], "xy") == 0) return read_tilt(r, word);
    if (words >= 2 && strchr("-0123456789", word[0][0])) return read_number(r, word, words);
    *known = false;
    return TORRE_OK;
}

/* The next line with words on it; none at the end of the file. */
static torre_status next_words(data_reader *r, char **word, int *words)
{
    char *line;
    do {
        TORRE_TRY(torre_text_input_line(r->in, &line));
        const char *comment = line ? strchr(line, '#') : NULL;
        snprintf(r->comment, sizeof r->comment, "%s",
                 comment ? comment + 1 + strspn(comment + 1, " \t") : "");
        r->comment[strcspn(r->comment, " \t")] = 0;
        *words = line ? torre_text_words(line, word, WORDS) : 0;
    } while (line && *words == 0);
    return TORRE_OK;
}

static torre_status read_atoms(data_reader *r)
{
    const size_t styles = sizeof atom_styles / sizeof atom_styles[0];
    const struct atom_style *style = atom_styles; /* atomic, where the file does not say */
    while (r->comment[0] && style < atom_styles + styles && strcmp(style->name, r->comment) != 0)
        style++;
    if (style == atom_styles + styles)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: atom style %s cannot be read; atomic, bond, angle, molecular, "
                          "charge, full and sphere can",
                          torre_text_input_where(r->in), r->comment);
    r->rows.image_flags = true;
    r->has_atoms = true;
    r->velocities = style->velocities;
    TORRE_TRY(torre_particle_rows_columns(&r->rows, style->atoms, true));
    return torre_particle_rows_read(&r->rows);
}

static torre_status read_velocities(data_reader *r)
{
    if (!r->has_atoms) return bad(r, "Velocities must come after Atoms");
    r->rows.image_flags = false;
    r->has_velocities = true;
    TORRE_TRY(torre_particle_rows_columns(&r->rows, r->velocities, false));
    return torre_particle_rows_read(&r->rows);
}

/* A type of the header, from 0; -1: it is none. */
static int type_of(const data_reader *r, const char *word)
{
    int64_t type;
    return torre_parse_integer(word, &type) && type >= 1 && type <= r->types ? (int)type - 1 : -1;
}

/* A line for each type. */
static torre_status read_masses(data_reader *r)
{
    for (int k = 0; k < r->types; k++) {
        char *word[WORDS];
        int words;
        TORRE_TRY(next_words(r, word, &words));
        const int type = words == 2 ? type_of(r, word[0]) : -1;
        double *mass = type < 0 ? NULL : r->types > 1 ? &r->rows.type_mass[type] : &r->rows.mass;
        if (!mass || !torre_parse_real(word[1], mass) || !(*mass > 0) || isinf(*mass))
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: Masses needs a line for each type (1 to %d), its number and a "
                              "mass above 0 (got %s)",
                              torre_text_input_where(r->in), r->types, words ? word[0] : "the end");
    }
    return TORRE_OK;
}

/* lj/cut and its variants for processors: lj/cut/opt and so on. */
static bool is_lj_cut(const char *style)
{
    static const char *const variants[] = {"", "/opt", "/omp", "/gpu", "/intel", "/kk"};
    if (!style[0]) return true;
    if (strncmp(style, "lj/cut", 6) != 0) return false;
    for (size_t k = 0; k < sizeof variants / sizeof variants[0]; k++)
        if (strcmp(style + 6, variants[k]) == 0) return true;
    return false;
}

/* types: 1 under Pair Coeffs, 2 under PairIJ Coeffs; then epsilon sigma [cutoff] */
static torre_status read_pair(data_reader *r, int types)
{
    char *word[WORDS];
    int words, type[2];
    TORRE_TRY(next_words(r, word, &words));
    bool good = words == types + 2 || words == types + 3;
    for (int k = 0; good && k < types; k++) good = (type[k] = type_of(r, word[k])) >= 0;
    if (types == 1) type[1] = type[0];
    if (good && type[0] > type[1]) good = false;
    torre_particle_coefficients *c = good ? &r->source->between[type[0]][type[1]] : NULL;
    good = good && torre_parse_real(word[types], &c->epsilon) && c->epsilon > 0 &&
           torre_parse_real(word[types + 1], &c->sigma) && c->sigma > 0;
    if (good && words == types + 3)
        good = torre_parse_real(word[types + 2], &c->cutoff) && c->cutoff > 0;
    if (good) return TORRE_OK;
    return torre_fail(
        TORRE_ERR_INPUT,
        "%s: coefficients of lj/cut need %s up to %d, epsilon, sigma and, if at all, a "
        "cutoff, all above 0",
        torre_text_input_where(r->in), types == 1 ? "a type" : "two types, the first not larger,",
        r->types);
}

/* A line for each type, or pair of types. */
static torre_status read_pairs(data_reader *r, int types)
{
    const int lines = types == 1 ? r->types : r->types * (r->types + 1) / 2;
    if (!is_lj_cut(r->comment))
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: pair style %s is not lj/cut; leave its coefficients out (LAMMPS: "
                          "write_data FILE nocoeff)",
                          torre_text_input_where(r->in), r->comment);
    for (int k = 0; k < lines; k++) TORRE_TRY(read_pair(r, types));
    r->source->has_pair = true;
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
    TORRE_TRY(torre_particle_rows_room(&r->rows, r->count));
    if (!r->types) r->types = 1;
    if (r->types > 1) TORRE_TRY(torre_md_particles_add_types(r->particles, r->types));
    r->rows.types = r->types;
    for (int a = 0; a < 3; a++) r->particles->box[a] = r->high[a] - r->low[a];
    return TORRE_OK;
}

static torre_status read_section(data_reader *r, char **word, int words)
{
    const char *second = words == 2 ? word[1] : "";
    bool one = words == 1, coefficients = strcmp(second, "Coeffs") == 0;
    if (one && strcmp(word[0], "Masses") == 0) return read_masses(r);
    if (one && strcmp(word[0], "Atoms") == 0 && !r->has_atoms) return read_atoms(r);
    if (one && strcmp(word[0], "Velocities") == 0 && !r->has_velocities) return read_velocities(r);
    if (coefficients && strcmp(word[0], "Pair") == 0) return read_pairs(r, 1);
    if (coefficients && strcmp(word[0], "PairIJ") == 0) return read_pairs(r, 2);
    return torre_fail(TORRE_ERR_INPUT,
                      "%s: \"%.40s%s%.40s\" is not a line of a header, nor Masses, Pair Coeffs, "
                      "PairIJ Coeffs, Atoms or Velocities (each once); is this a LAMMPS data file?",
                      torre_text_input_where(r->in), word[0], *second ? " " : "", second);
}

/* "units lj" or "units = lj" in the first line. */
static void read_units(const char *line, char units[16])
{
    const char *at = strstr(line, "units");
    if (!at) return;
    at += strspn(at + 5, " =") + 5;
    size_t length = strcspn(at, " ,\t");
    if (length < 16) memcpy(units, at, length);
}

static torre_status read_all(data_reader *r)
{
    char *word[WORDS];
    for (;;) {
        bool known;
        int words;
        TORRE_TRY(next_words(r, word, &words));
        if (words == 0) break;
        TORRE_TRY(read_header(r, word, words, &known));
        if (known) continue;
        TORRE_TRY(begin_sections(r));
        TORRE_TRY(read_section(r, word, words));
    }
    return r->has_atoms ? TORRE_OK : bad(r, "there is no section Atoms");
}

torre_status torre_lammps_data_read(torre_text_input *in, char *line,
                                    const torre_particle_wish *wish, torre_md_particles *particles,
                                    torre_particle_source *source)
{
    data_reader reader = {.in = in, .particles = particles, .source = source};
    reader.rows = (torre_particle_rows){
        .in = in, .particles = particles, .low = reader.low, .wish = wish, .blank_lines = true};
    read_units(line, source->units);
    torre_status status = read_all(&reader);
    if (!status) torre_particle_rows_finish(&reader.rows, source);
    torre_particle_rows_free(&reader.rows);
    return status;
}
