#include "ordering.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text;
} table[] = {
#define LINE(kind, name, motif2, motif3, text) {name, text},
    TORRE_ORDERING_TABLE(LINE)
#undef LINE
};

const char *torre_ordering_name(torre_ordering_kind kind)
{
    return (unsigned)kind < TORRE_ORDERING_KINDS ? table[kind].name : NULL;
}

const char *torre_ordering_text(torre_ordering_kind kind)
{
    return (unsigned)kind < TORRE_ORDERING_KINDS ? table[kind].text : NULL;
}

const char *torre_ordering_names(void)
{
    static const char all[] =
#define LISTED(kind, name, motif2, motif3, text) ", " name
        TORRE_ORDERING_TABLE(LISTED)
#undef LISTED
        ;
    return all + 2; /* past the first comma */
}

/* The kind whose name fills text[0 .. length - 1]. */
static bool kind_of(const char *text, size_t length, torre_ordering_kind *kind)
{
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++) {
        if (strlen(table[k].name) == length && memcmp(text, table[k].name, length) == 0) {
            *kind = (torre_ordering_kind)k;
            return true;
        }
    }
    if (length != 1 || text[0] != 'z') return false;
    *kind = TORRE_MORTON;
    return true;
}

bool torre_ordering_by_name(const char *name, torre_ordering_kind *kind)
{
    return kind_of(name, strlen(name), kind);
}

static bool refuse(const char **why, const char *text)
{
    if (why) *why = text;
    return false;
}

/* A whole number in 1 .. TORRE_ORDERING_MAX_SIZE and nothing else. */
static bool parse_whole(const char *text, int64_t *value)
{
    char *end;
    *value = strtoll(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && !*end && *value >= 1 &&
           *value <= TORRE_ORDERING_MAX_SIZE;
}

/* "INNER/OUTER/TILE" */
static bool parse_hybrid(const char *text, torre_ordering_spec *spec, const char **why)
{
    const char *slash = strchr(text, '/'), *second = slash ? strchr(slash + 1, '/') : NULL;
    if (!second) return refuse(why, "expected hybrid:INNER/OUTER/TILE");
    if (!kind_of(text, (size_t)(slash - text), &spec->inner))
        return refuse(why, "unknown inner ordering");
    if (!kind_of(slash + 1, (size_t)(second - slash - 1), &spec->outer))
        return refuse(why, "unknown outer ordering");
    if (spec->inner == TORRE_HYBRID || spec->outer == TORRE_HYBRID)
        return refuse(why, "a hybrid of hybrids does not exist");
    return parse_whole(second + 1, &spec->tile) || refuse(why, "TILE must be in 1 .. 1048576");
}

/* "kji" and the like; two letters leave the third axis alone. */
static bool parse_axes(const char *text, torre_ordering_spec *spec, const char **why)
{
    int axis[3] = {0, 0, 2}, seen = 0;
    size_t n = strlen(text);
    for (size_t f = 0; f < n && n <= 3; f++) {
        axis[f] = text[f] - 'i';
        if (axis[f] >= 0 && axis[f] < (int)n) seen |= 1 << axis[f];
    }
    if (!(n == 3 && seen == 7) && !(n == 2 && seen == 3))
        return refuse(why, "axes must be a permutation of ijk (or ij)");
    spec->turn = TORRE_TURN(axis[0], axis[1], axis[2], 0, 0, 0);
    return true;
}

bool torre_ordering_parse(const char *text, torre_ordering_spec *spec, const char **why)
{
    torre_ordering_spec read = {0};
    const char *colon = strchr(text, ':');
    if (strncmp(text, "strips", 6) == 0 && (!text[6] || text[6] == ':')) {
        if (!parse_whole(colon ? colon + 1 : "", &read.strip))
            return refuse(why, "expected strips:WIDTH with WIDTH in 1 .. 1048576");
        *spec = read;
        return true;
    }
    if (!kind_of(text, colon ? (size_t)(colon - text) : strlen(text), &read.kind))
        return refuse(why, "unknown ordering");
    if (colon) {
        bool ok = read.kind == TORRE_HYBRID ? parse_hybrid(colon + 1, &read, why)
                                            : parse_axes(colon + 1, &read, why);
        if (!ok) return false;
    }
    *spec = read;
    return true;
}

torre_ordering_words torre_ordering_write(const torre_ordering_spec *s)
{
    torre_ordering_words w;
    const char *name = torre_ordering_name(s->kind);
    if (s->strip)
        snprintf(w.text, sizeof w.text, "strips:%lld", (long long)s->strip);
    else if (s->kind == TORRE_HYBRID && s->tile)
        snprintf(w.text, sizeof w.text, "%s:%s/%s/%lld", name, torre_ordering_name(s->inner),
                 torre_ordering_name(s->outer), (long long)s->tile);
    else if (s->turn)
        snprintf(w.text, sizeof w.text, "%s:%c%c%c", name, 'i' + torre_turn_axis(s->turn, 0),
                 'i' + torre_turn_axis(s->turn, 1), 'i' + torre_turn_axis(s->turn, 2));
    else
        snprintf(w.text, sizeof w.text, "%s", name);
    return w;
}

bool torre_ordering_same(const torre_ordering_spec *a, const torre_ordering_spec *b)
{
    return a->kind == b->kind && a->turn == b->turn && a->strip == b->strip && a->tile == b->tile &&
           (!a->tile || (a->inner == b->inner && a->outer == b->outer));
}

/* Levels of base until unit blocks cover n cells. */
static int levels_for(int64_t n, int64_t unit, int base)
{
    int levels = 0;
    for (int64_t side = unit; side < n; side *= base) levels++;
    return levels;
}

/* The axis that the pancake does not divide at first: the thinnest, the last one of equals. */
static int flat_turn(const int64_t *size)
{
    int flat = 2;
    for (int a = 1; a >= 0; a--)
        if (size[a] < size[flat]) flat = a;
    return TORRE_TURN(flat == 0 ? 1 : 0, flat == 2 ? 1 : 2, flat, 0, 0, 0);
}

static torre_ordering_part make_part(torre_ordering_kind kind, int turn, int dims,
                                     const int64_t *size, int64_t unit)
{
    torre_ordering_part p = {(int)kind, 0, 0, turn, unit};
    if (!turn) p.turn = kind == TORRE_PANCAKE && dims == 3 ? flat_turn(size) : TORRE_TURN_NONE;
    if (kind == TORRE_ROW_MAJOR) return p;
    int base = torre_motif_of(kind, dims)->base, needed[3] = {0, 0, 0};
    for (int f = 0; f < dims; f++)
        needed[f] = levels_for(size[torre_turn_axis(p.turn, f)], unit, base);
    for (int f = 0; f < dims; f++)
        if (needed[f] > p.levels) p.levels = needed[f];
    p.flat_levels = kind == TORRE_PANCAKE && dims == 3 ? needed[2] : p.levels;
    return p;
}

bool torre_ordering_make_spec(const torre_ordering_spec *spec, int dims, const int64_t *size,
                              torre_ordering *o, const char **why)
{
    if ((unsigned)spec->kind >= TORRE_ORDERING_KINDS) return refuse(why, "unknown ordering");
    if (dims != 2 && dims != 3) return refuse(why, "orderings have 2 or 3 dimensions");
    if (spec->strip) return refuse(why, "strips are an order of towers alone; use row-major");
    torre_ordering made = {.kind = spec->kind, .dims = dims, .size = {1, 1, 1}};
    for (int a = 0; a < dims; a++) {
        if (size[a] < 1 || size[a] > TORRE_ORDERING_MAX_SIZE)
            return refuse(why, "sizes must be in 1 .. 1048576");
        made.size[a] = size[a];
    }
    if (spec->turn && dims == 2 && torre_turn_axis(spec->turn, 2) != 2)
        return refuse(why, "a plane has only the axes i and j");
    if (spec->kind == TORRE_HYBRID) {
        torre_ordering_spec s = *spec;
        if (s.tile == 0) s = (torre_ordering_spec){s.kind, 0, TORRE_ROW_MAJOR, TORRE_HILBERT, 4, 0};
        if (s.tile < 1 || s.tile > TORRE_ORDERING_MAX_SIZE)
            return refuse(why, "the tile must be in 1 .. 1048576");
        if (s.inner == TORRE_HYBRID || s.outer == TORRE_HYBRID ||
            (unsigned)s.inner >= TORRE_ORDERING_KINDS || (unsigned)s.outer >= TORRE_ORDERING_KINDS)
            return refuse(why, "a hybrid needs two simple orderings");
        const int64_t cube[3] = {s.tile, s.tile, s.tile};
        made.part[0] = make_part(s.outer, 0, dims, made.size, s.tile);
        made.part[1] = make_part(s.inner, 0, dims, cube, 1);
        made.part_count = 2;
    } else {
        made.part[0] = make_part(spec->kind, spec->turn, dims, made.size, 1);
        made.part_count = 1;
    }
    *o = made;
    return true;
}

bool torre_ordering_make(torre_ordering_kind kind, int dims, const int64_t *size, torre_ordering *o,
                         const char **why)
{
    return torre_ordering_make_spec(&(torre_ordering_spec){.kind = kind}, dims, size, o, why);
}

int64_t torre_ordering_cells(const torre_ordering *o)
{
    return o->size[0] * o->size[1] * o->size[2];
}

bool torre_ordering_is_exact(const torre_ordering *o)
{
    torre_ordering_block box = torre_ordering_box(o);
    for (int i = 0; i < o->part_count; i++) {
        const torre_ordering_part *p = &o->part[i];
        torre_ordering_block root = box;
        if (p->kind != TORRE_ROW_MAJOR) root = torre_ordering_root(o, p, &box);
        for (int a = 0; a < o->dims; a++) {
            if (box.extent[a] != root.extent[a] || box.extent[a] % p->unit) return false;
            box.extent[a] = p->unit;
        }
    }
    return true;
}

/* Append the cells of a block to the path; level counts down in the part. */
typedef struct path_writer {
    const torre_ordering *o;
    int64_t *next;
} path_writer;

static void write_box(path_writer *w, int part, const torre_ordering_block *box);

static void write_block(path_writer *w, int part, const torre_ordering_block *b, int level,
                        const int64_t *high)
{
    if (torre_ordering_count(b, high) == 0) return;
    if (level == 0) {
        torre_ordering_block unit = *b;
        torre_ordering_cut(&unit, high);
        write_box(w, part + 1, &unit);
        return;
    }
    const torre_motif *motif = torre_ordering_motif(w->o, &w->o->part[part], b, level);
    for (int c = 0; c < motif->children; c++) {
        torre_ordering_block s = torre_ordering_sub(motif, b, c);
        write_block(w, part, &s, level - 1, high);
    }
}

static void write_row_major(path_writer *w, int part, const torre_ordering_block *box,
                            const int64_t *high)
{
    const torre_ordering_part *p = &w->o->part[part];
    int a0 = torre_turn_axis(p->turn, 0), a1 = torre_turn_axis(p->turn, 1);
    int a2 = torre_turn_axis(p->turn, 2);
    torre_ordering_block b = *box;
    for (int a = 0; a < 3; a++) b.extent[a] = p->unit;
    for (b.low[a0] = box->low[a0]; b.low[a0] < high[a0]; b.low[a0] += p->unit)
        for (b.low[a1] = box->low[a1]; b.low[a1] < high[a1]; b.low[a1] += p->unit)
            for (b.low[a2] = box->low[a2]; b.low[a2] < high[a2]; b.low[a2] += p->unit)
                write_block(w, part, &b, 0, high);
}

static void write_box(path_writer *w, int part, const torre_ordering_block *box)
{
    const torre_ordering *o = w->o;
    if (part == o->part_count) {
        *w->next++ = (box->low[0] * o->size[1] + box->low[1]) * o->size[2] + box->low[2];
        return;
    }
    const torre_ordering_part *p = &o->part[part];
    int64_t high[3];
    for (int a = 0; a < 3; a++) high[a] = box->low[a] + box->extent[a];
    if (p->kind == TORRE_ROW_MAJOR) {
        write_row_major(w, part, box, high);
    } else {
        torre_ordering_block root = torre_ordering_root(o, p, box);
        write_block(w, part, &root, p->levels, high);
    }
}

void torre_ordering_path(const torre_ordering *o, int64_t *path)
{
    path_writer w = {o, path};
    torre_ordering_block box = torre_ordering_box(o);
    write_box(&w, 0, &box);
}
