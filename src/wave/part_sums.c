#include "wave/part_sums.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "wave/traces.h"

/* A record that still lacks values; those of a place in the table are in a list, and so are free
 * ones. */
typedef struct slot {
    int64_t next;    /* -1: none */
    int64_t lacking; /* values; 0: it is summed */
} slot;

/* Places of the table: about as many as records that lack values at a time. */
enum { PLACE_BITS = 16, PLACES = 1 << PLACE_BITS };

struct torre_part_sums {
    const torre_wave_setup *whole;
    char *samples;
    int64_t blank; /* so many rows of it are, or have sums */
    pthread_mutex_t lock;
    int64_t nodes;         /* that a receiver has at most */
    int64_t first[PLACES]; /* slots, -1: none */
    int64_t count, room;   /* slots: */
    int64_t free;          /* the first that is free, -1: none */
    slot *slot;            /* [room] */
    torre_part_record *which;
    char *values;           /* [room][nodes] */
    int64_t *place, places; /* where records that come go; room for so many */
    torre_part_rows rows;   /* that are kept, if there are no samples: */
    char *row_values;       /* theirs, */
    int64_t row_bytes;      /* and room for them */
    torre_part_beside *beside;
    void *context; /* its */
};

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for receivers between parts");
}

static int64_t nodes_of(const torre_part_sums *s, int64_t receiver)
{
    const int *count = s->whole->sums[receiver].count;
    return (int64_t)count[0] * count[1] * count[2];
}

static size_t width_of(const torre_part_sums *s) { return (size_t)s->whole->problem->precision; }

static char *values_of(const torre_part_sums *s, int64_t i)
{
    return s->values + (size_t)(i * s->nodes) * width_of(s);
}

torre_status torre_part_sums_new(const torre_wave_setup *whole, torre_part_sums **sums)
{
    torre_part_sums *s = calloc(1, sizeof *s);
    if (!s) return no_memory();
    s->whole = whole;
    if (pthread_mutex_init(&s->lock, NULL)) {
        free(s);
        return no_memory();
    }
    for (int64_t r = 0; r < whole->problem->receiver_count; r++)
        if (nodes_of(s, r) > s->nodes) s->nodes = nodes_of(s, r);
    torre_part_sums_begin(s, NULL);
    *sums = s;
    return TORRE_OK;
}

void torre_part_sums_free(torre_part_sums *s)
{
    if (!s) return;
    pthread_mutex_destroy(&s->lock);
    free(s->slot);
    free(s->which);
    free(s->values);
    free(s->place);
    free(s->row_values);
    free(s);
}

void torre_part_sums_begin(torre_part_sums *s, void *samples)
{
    s->samples = samples;
    s->blank = 0;
    s->rows = (torre_part_rows){0};
    s->count = 0;
    s->free = -1;
    memset(s->first, -1, sizeof s->first);
}

/* The first rows of samples, so many, can have sums; with the lock. A pass comes after the other,
 * beside what devices compute: all rows at once would have them wait. */
static void make_blank(torre_part_sums *s, int64_t steps)
{
    if (!s->samples || steps <= s->blank) return;
    const int64_t row = s->whole->problem->receiver_count * (int64_t)width_of(s);
    torre_traces_blank(s->whole, true, steps - s->blank, s->samples + s->blank * row);
    s->blank = steps;
}

/* --- Records that come --- */

static bool grow(void *array, int64_t count, size_t bytes)
{
    void **memory = array, *more = realloc(*memory, (size_t)count * bytes);
    if (more) *memory = more;
    return more;
}

static torre_status reserve(torre_part_sums *s, int64_t more)
{
    if (more > s->places) {
        if (!grow(&s->place, more, sizeof *s->place)) return no_memory();
        s->places = more;
    }
    const int64_t need = s->count + more, room = need > 2 * s->room ? need : 2 * s->room;
    if (need <= s->room) return TORRE_OK;
    if (!grow(&s->slot, room, sizeof *s->slot) || !grow(&s->which, room, sizeof *s->which) ||
        !grow(&s->values, room, (size_t)s->nodes * width_of(s)))
        return no_memory();
    s->room = room;
    return TORRE_OK;
}

/* Where the list begins that has a record. */
static int64_t *list_of(torre_part_sums *s, torre_part_record which)
{
    const uint32_t mixed = (uint32_t)which.receiver * UINT32_C(0x9e3779b1) +
                           (uint32_t)which.step * UINT32_C(0x85ebca6b);
    return &s->first[mixed >> (32 - PLACE_BITS)];
}

static bool is_of(const torre_part_sums *s, int64_t i, torre_part_record which)
{
    return s->which[i].receiver == which.receiver && s->which[i].step == which.step;
}

/* The slot of a receiver and step: a new one lacks as many values as there are nodes. */
static int64_t find_slot(torre_part_sums *s, torre_part_record which)
{
    int64_t *list = list_of(s, which), i = *list;
    while (i >= 0 && !is_of(s, i, which)) i = s->slot[i].next;
    if (i >= 0) return i;
    i = s->free;
    if (i >= 0)
        s->free = s->slot[i].next;
    else
        i = s->count++;
    s->which[i] = which;
    s->slot[i] = (slot){*list, nodes_of(s, which.receiver)};
    *list = i;
    return i;
}

static void sum(torre_part_sums *s, int64_t i)
{
    const torre_part_record which = s->which[i];
    torre_value_set(s->whole->problem->precision, s->samples,
                    which.step * s->whole->problem->receiver_count + which.receiver,
                    torre_traces_nodes(s->whole, which.receiver, values_of(s, i)));
}

/* Values that are there, to those that are there already; how many are new. */
#define TAKE_VALUES(name, word)                                                                    \
    static int64_t name(int64_t nodes, const void *values, void *own)                              \
    {                                                                                              \
        const word *from = values, nothing = (word)-1;                                             \
        word *to = own, come = 0;                                                                  \
        for (int64_t k = 0; k < nodes; k++) {                                                      \
            come += (word)(from[k] != nothing && to[k] == nothing);                                \
            to[k] = from[k] != nothing ? from[k] : to[k];                                          \
        }                                                                                          \
        return (int64_t)come;                                                                      \
    }
TAKE_VALUES(take_f32, uint32_t)
TAKE_VALUES(take_f64, uint64_t)

/* What a record has, to its slot; summed when nothing is lacking any more. */
static void merge(torre_part_sums *s, int64_t i, const void *values)
{
    const int64_t nodes = nodes_of(s, s->which[i].receiver);
    char *to = values_of(s, i);
    if (s->slot[i].lacking == nodes) memset(to, -1, (size_t)nodes * width_of(s));
    s->slot[i].lacking -= s->whole->problem->precision == TORRE_F32 ? take_f32(nodes, values, to)
                                                                    : take_f64(nodes, values, to);
    if (s->slot[i].lacking <= 0 && s->samples) sum(s, i);
}

/* A slot that is summed is free. */
static void release(torre_part_sums *s, int64_t i)
{
    int64_t *link = list_of(s, s->which[i]);
    while (*link != i) link = &s->slot[*link].next;
    *link = s->slot[i].next;
    s->slot[i].next = s->free;
    s->free = i;
}

static torre_status add(torre_part_sums *s, const torre_part_records *records)
{
    int64_t steps = 0;
    TORRE_TRY(reserve(s, records->count));
    for (int64_t i = 0; i < records->count; i++) {
        s->place[i] = find_slot(s, records->which[i]);
        if (records->which[i].step >= steps) steps = records->which[i].step + 1;
    }
    make_blank(s, steps);
#pragma omp parallel for if (records->count > 100)
    for (int64_t i = 0; i < records->count; i++)
        merge(s, s->place[i], (const char *)records->values + i * records->row_bytes);
    for (int64_t i = 0; i < records->count && s->samples; i++)
        if (s->slot[s->place[i]].lacking <= 0) release(s, s->place[i]);
    return TORRE_OK;
}

torre_status torre_part_sums_add(torre_part_sums *s, const torre_part_records *records)
{
    pthread_mutex_lock(&s->lock);
    const torre_status status = add(s, records);
    pthread_mutex_unlock(&s->lock);
    return status;
}

void torre_part_sums_finish(torre_part_sums *s)
{
    for (int64_t p = 0; p < PLACES && s->samples; p++)
        for (int64_t i = s->first[p]; i >= 0; i = s->slot[i].next) sum(s, i);
    torre_part_sums_begin(s, NULL);
}

/* --- Sums that come --- */

void torre_part_rows_scatter(const torre_part_rows *rows, int64_t all, int width, void *array)
{
    const size_t bytes = (size_t)width;
    const uint64_t nothing = UINT64_MAX;
#pragma omp parallel for if (rows->steps * rows->count > 1 << 14)
    for (int64_t i = 0; i < rows->steps; i++) {
        const char *value = (const char *)rows->values + (size_t)(i * rows->count) * bytes;
        char *to = (char *)array + (size_t)((rows->first + i) * all) * bytes;
        for (int64_t k = 0; k < rows->count; k++, value += bytes)
            if (memcmp(value, &nothing, bytes) != 0)
                memcpy(to + (size_t)rows->number[k] * bytes, value, bytes);
    }
}

static torre_status keep(torre_part_sums *s, const torre_part_rows *rows)
{
    const int64_t row = rows->count * (int64_t)width_of(s), old = s->rows.steps * row,
                  more = rows->steps * row;
    if (old + more > s->row_bytes) {
        if (!grow(&s->row_values, old + more, 1)) return no_memory();
        s->row_bytes = old + more;
    }
    memcpy(s->row_values + old, rows->values, (size_t)more);
    if (s->rows.steps == 0) s->rows.first = rows->first;
    s->rows.count = rows->count;
    s->rows.steps += rows->steps;
    s->rows.values = s->row_values;
    return TORRE_OK;
}

torre_status torre_part_sums_put(torre_part_sums *s, const torre_part_rows *rows)
{
    if (!s->samples) return keep(s, rows);
    pthread_mutex_lock(&s->lock);
    make_blank(s, rows->first + rows->steps);
    pthread_mutex_unlock(&s->lock);
    torre_part_rows_scatter(rows, s->whole->problem->receiver_count, s->whole->problem->precision,
                            s->samples);
    return TORRE_OK;
}

torre_part_kept torre_part_sums_kept(const torre_part_sums *s)
{
    return (torre_part_kept){s->rows,
                             {s->count, s->nodes * (int64_t)width_of(s), s->which, s->values}};
}

void torre_part_sums_beside(torre_part_sums *s, torre_part_beside *beside, void *context)
{
    s->beside = beside;
    s->context = context;
}

torre_status torre_part_sums_go_beside(const torre_part_sums *s)
{
    return s->beside ? s->beside(s->context) : TORRE_OK;
}

/* --- Receivers of a part --- */

/* Whether a part stores some of these cells of an axis. */
static bool stores(const torre_region *r, int axis, const torre_tap *tap, int count)
{
    if (!torre_region_continues(r, axis, 0) && !torre_region_continues(r, axis, 1)) return true;
    for (int i = 0; i < count; i++)
        for (int64_t turn = r->periodic[axis] ? -1 : 0; turn <= r->periodic[axis]; turn++) {
            const int64_t cell = tap[i].cell + turn * r->global[axis];
            if (cell >= r->stored.low[axis] && cell < r->stored.high[axis]) return true;
        }
    return false;
}

torre_status torre_part_receivers(const torre_wave_setup *part, int64_t *count, int64_t **numbers)
{
    const torre_wave_setup *whole = part->whole;
    const int64_t receivers = whole->problem->receiver_count;
    *count = 0;
    *numbers = malloc((size_t)(receivers + 1) * sizeof **numbers);
    if (!*numbers) return no_memory();
    for (int64_t r = 0; r < receivers; r++) {
        const torre_tap *tap = whole->taps + whole->sums[r].tap;
        bool stored = true;
        for (int a = 0; a < 3; tap += whole->sums[r].count[a], a++)
            stored = stored && stores(part->region, a, tap, whole->sums[r].count[a]);
        if (stored) (*numbers)[(*count)++] = r;
    }
    return TORRE_OK;
}
