#include "io/particle_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"

/* More box lengths than LAMMPS can count leave fewer digits than single precision has. */
#define MAX_IMAGES 1048576

static const struct {
    const char *names[4]; /* the same for x, y, z; one only: for the particle */
    torre_column_kind kind;
} known[] = {{{"id"}, TORRE_COLUMN_ID},
             {{"type"}, TORRE_COLUMN_TYPE},
             {{"element"}, TORRE_COLUMN_NAME},
             {{"species"}, TORRE_COLUMN_NAME},
             {{"x", "y", "z"}, TORRE_COLUMN_POSITION},
             {{"xs", "ys", "zs"}, TORRE_COLUMN_FRACTION},
             {{"xu", "yu", "zu"}, TORRE_COLUMN_POSITION},
             {{"xsu", "ysu", "zsu"}, TORRE_COLUMN_FRACTION},
             {{"vx", "vy", "vz"}, TORRE_COLUMN_VELOCITY},
             {{"px", "py", "pz"}, TORRE_COLUMN_MOMENTUM},
             {{"mass"}, TORRE_COLUMN_MASS},
             {{"radius"}, TORRE_COLUMN_RADIUS},
             {{"diameter"}, TORRE_COLUMN_DIAMETER},
             {{"density"}, TORRE_COLUMN_DENSITY},
             {{"q"}, TORRE_COLUMN_ZERO},
             {{"mux", "muy", "muz"}, TORRE_COLUMN_ZERO},
             {{"omegax", "omegay", "omegaz"}, TORRE_COLUMN_SPIN},
             {{"angmomx", "angmomy", "angmomz"}, TORRE_COLUMN_ZERO}};

static torre_status bad(const torre_particle_rows *r, const char *what)
{
    return torre_fail(TORRE_ERR_INPUT, "%s: %s", torre_text_input_where(r->in), what);
}

static void look_up(torre_particle_column *c)
{
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (int a = 0; a < 3 && known[k].names[a]; a++)
            if (strcmp(c->name, known[k].names[a]) == 0) {
                c->kind = known[k].kind;
                c->axis = a;
            }
}

/* How many axes have a column of that kind. A second position (x and xu) is a result. */
static int axes_with(torre_particle_rows *r, torre_column_kind kind, torre_column_kind other)
{
    bool seen[3] = {false};
    for (int k = 0; k < r->columns; k++) {
        torre_particle_column *c = &r->column[k];
        if (c->kind != kind && c->kind != other) continue;
        if (seen[c->axis]) c->kind = TORRE_COLUMN_RESULT;
        seen[c->axis] = true;
    }
    return seen[0] + seen[1] + seen[2];
}

static bool has_kind(const torre_particle_rows *r, torre_column_kind kind)
{
    for (int k = 0; k < r->columns; k++)
        if (r->column[k].kind == kind) return true;
    return false;
}

static torre_status add_column(torre_particle_rows *r, const char *name, size_t length)
{
    torre_particle_column *c = &r->column[r->columns];
    if (r->columns == TORRE_ROW_COLUMNS)
        return torre_fail(TORRE_ERR_INPUT, "%s: there may be at most %d columns",
                          torre_text_input_where(r->in), TORRE_ROW_COLUMNS);
    memset(c, 0, sizeof *c);
    if (length < sizeof c->name) memcpy(c->name, name, length); /* no name we know is longer */
    for (int k = 0; k < r->columns; k++)
        if (c->name[0] && strcmp(c->name, r->column[k].name) == 0)
            return torre_fail(TORRE_ERR_INPUT, "%s: there are two columns %s",
                              torre_text_input_where(r->in), c->name);
    look_up(c);
    r->columns++;
    return TORRE_OK;
}

torre_status torre_particle_rows_columns(torre_particle_rows *r, const char *names, bool positions)
{
    r->columns = 0;
    for (const char *at = names + strspn(names, " \t"); *at; at += strspn(at, " \t")) {
        size_t length = strcspn(at, " \t");
        TORRE_TRY(add_column(r, at, length));
        at += length;
    }
    bool named = false;
    int velocities = axes_with(r, TORRE_COLUMN_VELOCITY, TORRE_COLUMN_VELOCITY);
    int momenta = axes_with(r, TORRE_COLUMN_MOMENTUM, TORRE_COLUMN_MOMENTUM);
    if (positions && axes_with(r, TORRE_COLUMN_POSITION, TORRE_COLUMN_FRACTION) != 3)
        return bad(r, "there must be positions along x, y and z (x, xs or xu, and so on)");
    if (velocities % 3 != 0 || momenta % 3 != 0)
        return bad(r, "there must be velocities along x, y and z, or along none of them");
    if (velocities && momenta) return bad(r, "there are velocities and momenta: leave one out");
    if (momenta && !has_kind(r, TORRE_COLUMN_MASS))
        return bad(r, "momenta need the masses of the particles: add them, or write velocities");
    for (int k = 0; k < r->columns; k++) /* numbers of types say more than their names */
        if (r->column[k].kind == TORRE_COLUMN_NAME && (named || has_kind(r, TORRE_COLUMN_TYPE)))
            r->column[k].kind = TORRE_COLUMN_RESULT;
        else
            named |= r->column[k].kind == TORRE_COLUMN_NAME;
    r->has_velocities |= velocities > 0;
    r->has_momenta |= momenta > 0;
    return TORRE_OK;
}

/* Put a position, counted from the lower end of the box, into it, or refuse it. */
static torre_status place(const torre_particle_rows *r, int axis, double value, double *position)
{
    double edge = r->particles->box[axis], low = r->low[axis];
    if (value >= 0 && value < edge) {
        *position = value;
        return TORRE_OK;
    }
    if (!(fabs(value / edge) <= MAX_IMAGES) || r->wish->wall[axis])
        return torre_fail(TORRE_ERR_INPUT, "%s: %c = %.10g is outside the box, %.10g to %.10g%s",
                          torre_text_input_where(r->in), "xyz"[axis], value + low, low, low + edge,
                          r->wish->wall[axis] ? ", which has walls there" : ", by too far");
    value -= edge * floor(value / edge);
    *position = value >= 0 && value < edge ? value : 0; /* rounding ends on the edge itself */
    return TORRE_OK;
}

static torre_status read_id(torre_particle_rows *r, const char *text, int64_t *id)
{
    int64_t count = r->particles->count;
    if (!torre_parse_integer(text, id) || *id < 1 || *id > count)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: ids of particles must be 1 to %" PRId64
                          ", their number (got %.40s; LAMMPS renumbers by reset_ids)",
                          torre_text_input_where(r->in), count, text);
    if (r->seen[--*id])
        return torre_fail(TORRE_ERR_INPUT, "%s: id %" PRId64 " is there twice",
                          torre_text_input_where(r->in), *id + 1);
    r->seen[*id] = true;
    return TORRE_OK;
}

/* The same word in every row. */
static torre_status read_same(const torre_particle_rows *r, torre_particle_column *c,
                              const char *text)
{
    if (strlen(text) >= sizeof c->first)
        return torre_fail(TORRE_ERR_INPUT, "%s: %s is too long (got %.60s)",
                          torre_text_input_where(r->in), c->name, text);
    if (!c->first[0]) strcpy(c->first, text);
    if (strcmp(c->first, text) == 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT,
                      "%s: %s is %s here and %s before; it must be the same of all particles",
                      torre_text_input_where(r->in), c->name, text, c->first);
}

/* The row is of that type, from 0; first: that of all rows before, while there is but one. */
static torre_status set_type(torre_particle_rows *r, int64_t id, int type, int first)
{
    torre_md_particles *p = r->particles;
    r->row_type = type;
    if (!p->type && type == first) return TORRE_OK;
    if (!p->type) {
        TORRE_TRY(torre_md_particles_add_types(p, 1));
        memset(p->type, first, (size_t)p->count);
    }
    p->type[id] = (uint8_t)type;
    return TORRE_OK;
}

static torre_status read_type(torre_particle_rows *r, torre_particle_column *c, const char *text,
                              int64_t id)
{
    const int most = r->types ? r->types : TORRE_MD_TYPES;
    int64_t type, first = 0;
    const bool alone = !r->types && !r->particles->type; /* one type, whatever it is called */
    if (alone && (!c->first[0] || strcmp(c->first, text) == 0)) return read_same(r, c, text);
    if (alone && (!torre_parse_integer(c->first, &first) || first < 1 || first > most))
        return read_same(r, c, text);
    if (!torre_parse_integer(text, &type) || type < 1 || type > most)
        return torre_fail(TORRE_ERR_INPUT, "%s: types of particles must be 1 to %d (got %.40s)",
                          torre_text_input_where(r->in), most, text);
    if (alone) r->type_mass[first - 1] = r->type_mass[0];
    if (alone && first > 1) r->type_mass[0] = 0;
    return set_type(r, id, (int)type - 1, alone ? (int)first - 1 : 0);
}

/* Names become types in the order in which they come. */
static torre_status read_name(torre_particle_rows *r, const torre_particle_column *c,
                              const char *text, int64_t id)
{
    int type = 0;
    if (strlen(text) >= sizeof r->type_name[0])
        return torre_fail(TORRE_ERR_INPUT, "%s: %s is too long (got %.60s)",
                          torre_text_input_where(r->in), c->name, text);
    while (type < TORRE_MD_TYPES && r->type_name[type][0] && strcmp(r->type_name[type], text) != 0)
        type++;
    if (type == TORRE_MD_TYPES)
        return torre_fail(TORRE_ERR_INPUT, "%s: %s %.40s is one type more than the %d there can be",
                          torre_text_input_where(r->in), c->name, text, TORRE_MD_TYPES);
    strcpy(r->type_name[type], text);
    return set_type(r, id, type, 0);
}

/* The mass of a grain, which goes as the cube of its radius, to the nine digits of dumps: that of
 * the largest counts. */
static torre_status add_grain_mass(torre_particle_rows *r)
{
    double *mass = &r->type_mass[r->row_type];
    const double cube = pow(r->row_radius, 3);
    if (r->cube_mass == 0) r->cube_mass = r->row_mass / cube;
    if (fabs(r->row_mass / cube / r->cube_mass - 1) > 1e-7)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: mass is %.10g here; by the density of the grains before it must be "
                          "%.10g, for all are of one",
                          torre_text_input_where(r->in), r->row_mass, r->cube_mass * cube);
    if (*mass < r->row_mass) *mass = r->row_mass;
    return TORRE_OK;
}

/* The mass of a row, once its type is known. */
static torre_status add_mass(torre_particle_rows *r)
{
    double *mass = &r->type_mass[r->row_type];
    if (r->row_mass == 0) return TORRE_OK;
    if (r->wish->grains && r->row_radius > 0) return add_grain_mass(r);
    if (*mass == 0) *mass = r->row_mass;
    if (*mass == r->row_mass) return TORRE_OK;
    return torre_fail(
        TORRE_ERR_INPUT,
        "%s: mass is %.10g here and %.10g before; it must be the same of all particles "
        "of a type",
        torre_text_input_where(r->in), r->row_mass, *mass);
}

/* Grains whose radii differ each have their own: those before had the first. */
static torre_status add_radius(torre_particle_rows *r, int64_t id, double radius)
{
    torre_md_particles *p = r->particles;
    r->row_radius = radius;
    if (r->diameter == 0) r->diameter = 2 * radius;
    if (!p->radius && 2 * radius == r->diameter) return TORRE_OK;
    if (!p->radius) TORRE_TRY(torre_md_particles_add_grains(p, r->diameter / 2));
    p->radius[id] = radius;
    return TORRE_OK;
}

static torre_status add_spin(torre_particle_rows *r, int64_t id, int axis, double value)
{
    torre_md_particles *p = r->particles;
    if (!p->spin[0]) TORRE_TRY(torre_md_particles_add_grains(p, r->diameter / 2));
    p->spin[axis][id] = value;
    return TORRE_OK;
}

static bool is_length(const torre_particle_column *c)
{
    return c->kind == TORRE_COLUMN_RADIUS || c->kind == TORRE_COLUMN_DIAMETER;
}

static torre_status read_size(torre_particle_rows *r, torre_particle_column *c, const char *text,
                              int64_t id, double value, bool positive)
{
    double before;
    if (r->wish->grains && is_length(c) && value > 0)
        return add_radius(r, id, c->kind == TORRE_COLUMN_RADIUS ? value : value / 2);
    if (c->kind == TORRE_COLUMN_MASS && value > 0) {
        r->row_mass = value;
        return TORRE_OK;
    }
    bool same = torre_parse_real(c->first, &before) && before == value; /* 1 and 1.0 */
    if (!same) TORRE_TRY(read_same(r, c, text));
    if (value > 0 || (value == 0 && !positive)) {
        if (c->kind == TORRE_COLUMN_DENSITY) r->density = value;
        if (c->kind == TORRE_COLUMN_DIAMETER) r->diameter = value;
        if (c->kind == TORRE_COLUMN_RADIUS) r->diameter = 2 * value;
        return TORRE_OK;
    }
    return torre_fail(TORRE_ERR_INPUT, "%s: %s must be above 0 (got %.40s)",
                      torre_text_input_where(r->in), c->name, text);
}

static torre_status read_word(torre_particle_rows *r, torre_particle_column *c, const char *text,
                              int64_t id)
{
    torre_md_particles *p = r->particles;
    const int a = c->axis;
    double value;
    if (c->kind == TORRE_COLUMN_RESULT || c->kind == TORRE_COLUMN_ID) return TORRE_OK;
    if (c->kind == TORRE_COLUMN_TYPE) return read_type(r, c, text, id);
    if (c->kind == TORRE_COLUMN_NAME) return read_name(r, c, text, id);
    if (!torre_parse_real(text, &value))
        return torre_fail(TORRE_ERR_INPUT, "%s: %s is not a number (got %.40s)",
                          torre_text_input_where(r->in), c->name, text);
    switch (c->kind) {
    case TORRE_COLUMN_POSITION:
        return place(r, a, value - r->low[a], &p->position[a][id]);
    case TORRE_COLUMN_FRACTION:
        return place(r, a, value * p->box[a], &p->position[a][id]);
    case TORRE_COLUMN_VELOCITY:
    case TORRE_COLUMN_MOMENTUM:
        p->velocity[a][id] = value;
        return TORRE_OK;
    case TORRE_COLUMN_SPIN:
    case TORRE_COLUMN_ZERO:
        if (r->wish->grains && c->kind == TORRE_COLUMN_SPIN && (value != 0 || p->spin[0]))
            return add_spin(r, id, a, value);
        if (value == 0) return TORRE_OK;
        return torre_fail(TORRE_ERR_INPUT,
                          "%s: %s must be 0 (got %.40s): particles of md have no charge, dipole or "
                          "rotation",
                          torre_text_input_where(r->in), c->name, text);
    default: /* points have no diameter */
        return read_size(r, c, text, id, value,
                         c->kind == TORRE_COLUMN_MASS || c->kind == TORRE_COLUMN_DENSITY);
    }
}

static torre_status check_image_flags(const torre_particle_rows *r, char **word)
{
    int64_t flag;
    for (int a = 0; a < 3; a++)
        if (!torre_parse_integer(word[a], &flag))
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: an image flag must be a whole number (got %.40s)",
                              torre_text_input_where(r->in), word[a]);
    return TORRE_OK;
}

static torre_status read_row(torre_particle_rows *r, char **word, int words, int64_t row)
{
    int64_t id = row;
    if (words != r->columns && !(r->image_flags && words == r->columns + 3)) {
        char names[256] = "";
        for (int k = 0; k < r->columns; k++) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, " %s", r->column[k].name);
        }
        return torre_fail(TORRE_ERR_INPUT, "%s: expected %d columns,%s (got %d)",
                          torre_text_input_where(r->in), r->columns, names, words);
    }
    for (int k = 0; k < r->columns; k++)
        if (r->column[k].kind == TORRE_COLUMN_ID) TORRE_TRY(read_id(r, word[k], &id));
    r->row_mass = r->row_radius = 0;
    for (int k = 0; k < r->columns; k++) TORRE_TRY(read_word(r, &r->column[k], word[k], id));
    TORRE_TRY(add_mass(r));
    return words > r->columns ? check_image_flags(r, word + r->columns) : TORRE_OK;
}

torre_status torre_particle_rows_room(torre_particle_rows *r, int64_t count)
{
    TORRE_TRY(torre_text_input_expect(r->in, "particles", count));
    return torre_md_particles_new(count, r->particles);
}

torre_status torre_particle_rows_read(torre_particle_rows *r)
{
    const int64_t count = r->particles->count;
    char *line, *word[TORRE_ROW_COLUMNS + 4];
    if (!r->seen) r->seen = malloc((size_t)count * sizeof *r->seen);
    if (!r->seen)
        return torre_fail(TORRE_ERR_RESOURCE, "%s: no memory for %" PRId64 " particles",
                          torre_text_input_where(r->in), count);
    memset(r->seen, 0, (size_t)count * sizeof *r->seen);
    for (int64_t i = 0; i < count; i++) {
        int words;
        do {
            TORRE_TRY(torre_text_input_line(r->in, &line));
            words = line ? torre_text_words(line, word, TORRE_ROW_COLUMNS + 4) : 0;
        } while (line && words == 0 && r->blank_lines);
        if (!line)
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: the file ends after %" PRId64 " of %" PRId64 " particles",
                              torre_text_input_where(r->in), i, count);
        TORRE_TRY(read_row(r, word, words, i));
    }
    return TORRE_OK;
}

/* What is known of grains once all of them are. */
static void finish_grains(torre_particle_rows *r)
{
    torre_md_particles *p = r->particles;
    for (int64_t i = 0; p->radius && i < p->count; i++)
        if (2 * p->radius[i] > r->diameter) r->diameter = 2 * p->radius[i];
    p->largest = r->diameter / 2;
    if (!p->radius || r->diameter > 0) return;
    free(p->radius); /* they spin, and of radii nothing was said */
    p->radius = NULL;
}

void torre_particle_rows_finish(torre_particle_rows *r, torre_particle_source *source)
{
    torre_md_particles *p = r->particles;
    finish_grains(r);
    const double pi = 3.14159265358979323846;
    for (int64_t i = 0; p->type && !r->types && i < p->count; i++)
        if (p->type[i] >= p->types) p->types = p->type[i] + 1;
    memcpy(p->type_mass, r->type_mass, sizeof p->type_mass);
    if (r->mass == 0) r->mass = r->type_mass[r->row_type];
    if (r->mass == 0 && r->density > 0) /* LAMMPS: the density of a point is its mass */
        r->mass = r->diameter > 0 ? r->density * pi / 6 * pow(r->diameter, 3) : r->density;
    if (r->mass > 0) p->mass = r->mass;
    for (int a = 0; r->has_momenta && a < 3; a++)
        for (int64_t i = 0; i < p->count; i++) p->velocity[a][i] /= torre_md_particle_mass(p, i);
    source->has_velocities = r->has_velocities || r->has_momenta;
    source->mass = p->type ? 0 : r->mass;
    source->diameter = r->diameter;
    memcpy(source->origin, r->low, sizeof source->origin);
}

void torre_particle_rows_free(torre_particle_rows *r)
{
    free(r->seen);
    r->seen = NULL;
}
