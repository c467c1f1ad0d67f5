#include "wave/tune_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/numbers.h"
#include "io/output_file.h"
#include "torre/status.h"
#include "wave/driver.h"
#include "wave/stencil.h"

enum { LINE = 512, PATH = 4096 };

static const char head[] = "version,order,precision,dts,tower_height,gcells_per_s,device";

typedef struct tune_line {
    char version[32], device[160];
    torre_tile tile;
} tune_line;

/* The release without the commit: measurements outlive single commits. */
static void release(char *text, size_t size)
{
    snprintf(text, size, "%.*s", (int)strcspn(torre_version_text(), " "), torre_version_text());
}

bool torre_tune_path(char *path, size_t size)
{
    const char *named = getenv("TORRE_TUNE"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n;
    if (named && strcmp(named, "off") == 0) return false;
    if (named && *named)
        n = snprintf(path, size, "%s", named);
    else if (cache && cache[0] == '/')
        n = snprintf(path, size, "%s/torre/tune.csv", cache);
    else if (home && home[0] == '/')
        n = snprintf(path, size, "%s/.cache/torre/tune.csv", home);
    else
        return false;
    return n > 0 && (size_t)n < size;
}

/* Cut "a,b,...,rest" into count fields, the last of which keeps its commas. */
static bool cut_fields(char *text, char **field, int count)
{
    for (int f = 0; f < count; f++) {
        field[f] = text;
        if (f == count - 1) break;
        text = strchr(text, ',');
        if (!text) return false;
        *text++ = 0;
    }
    return true;
}

static bool whole_number(const char *text, int64_t high, int64_t *value)
{
    return torre_parse_integer(text, value) && *value >= 1 && *value <= high;
}

/* Whether the text is a recommendation; it is cut into its fields. */
static bool read_line(char *text, tune_line *line)
{
    enum { VERSION, ORDER, PRECISION, DTS, HEIGHT, RATE, DEVICE, FIELDS };
    char *field[FIELDS];
    int64_t order, dts;
    torre_tile *e = &line->tile;
    if (!cut_fields(text, field, FIELDS) || !whole_number(field[ORDER], TORRE_MAX_ORDER, &order) ||
        !torre_order_known(order) || !whole_number(field[DTS], INT32_MAX, &dts) ||
        !whole_number(field[HEIGHT], INT64_MAX, &e->tower_height) ||
        !torre_parse_real(field[RATE], &e->gcells_per_s) || e->gcells_per_s <= 0 || !*field[DEVICE])
        return false;
    bool f64 = strcmp(field[PRECISION], "f64") == 0;
    if (!f64 && strcmp(field[PRECISION], "f32") != 0) return false;
    e->order = (int)order;
    e->dts = (int)dts;
    e->precision = f64 ? TORRE_F64 : TORRE_F32;
    return (size_t)snprintf(line->version, sizeof line->version, "%s", field[VERSION]) <
               sizeof line->version &&
           (size_t)snprintf(line->device, sizeof line->device, "%s", field[DEVICE]) <
               sizeof line->device;
}

/* A file of recommendations being read, and what in it is none. */
typedef struct tune_reader {
    FILE *in;
    int64_t line, broken, first_broken; /* numbers of lines; first_broken from 1 */
} tune_reader;

/* NULL where there is no file, with *why NULL, or none that can be read. */
static FILE *open_file(const char *path, const char **why)
{
    struct stat status;
    *why = NULL;
    if (stat(path, &status) != 0) {
        if (errno != ENOENT && errno != ENOTDIR) *why = strerror(errno);
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        *why = "it is no regular file";
        return NULL;
    }
    FILE *in = fopen(path, "r");
    if (!in) *why = strerror(errno);
    return in;
}

/* The next line without its end; false at the end of the file. *whole: it is text and fits in. */
static bool read_text(FILE *in, char text[LINE], bool *whole)
{
    int c, n = 0;
    *whole = true;
    while ((c = getc(in)) != EOF && c != '\n') {
        if (c != 0 && n < LINE - 1)
            text[n++] = (char)c;
        else
            *whole = false;
    }
    while (n > 0 && text[n - 1] == '\r') n--; /* or what is written is read otherwise */
    text[n] = 0;
    return c != EOF || n > 0 || !*whole;
}

/* The next recommendation of the file; false at its end. */
static bool next_recommendation(tune_reader *r, tune_line *line)
{
    char text[LINE];
    bool whole;
    while (read_text(r->in, text, &whole)) {
        r->line++;
        if (whole && (!*text || strcmp(text, head) == 0)) continue;
        if (whole && read_line(text, line)) return true;
        if (r->broken++ == 0) r->first_broken = r->line;
    }
    return false;
}

torre_status torre_tune_check(void)
{
    char path[PATH];
    const char *why;
    tune_line line;
    if (!torre_tune_path(path, sizeof path)) return TORRE_OK;
    tune_reader r = {.in = open_file(path, &why)};
    if (why) return torre_fail(TORRE_ERR_INPUT, "no recommendations from %.100s: %s", path, why);
    if (!r.in) return TORRE_OK;
    while (next_recommendation(&r, &line)) continue;
    fclose(r.in);
    if (!r.broken) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT,
                      "%.100s: line %" PRId64
                      " is no recommendation of roofline {tune}; lines left "
                      "out: %" PRId64,
                      path, r.first_broken, r.broken);
}

static bool fits(int64_t wish, int64_t value) { return wish == 0 || wish == value; }

/* Add a tile to those there are, the fastest first. */
static int add_tile(const torre_tile *t, torre_tile *tile, int count, int limit)
{
    int at = count;
    while (at > 0 && tile[at - 1].gcells_per_s < t->gcells_per_s) at--;
    if (at == limit) return count;
    if (count < limit) count++;
    memmove(tile + at + 1, tile + at, (size_t)(count - 1 - at) * sizeof *tile);
    tile[at] = *t;
    return count;
}

int torre_tune_tiles(const char *device, int order, torre_precision precision,
                     const torre_wave_plan *plan, torre_tile *tile, int limit)
{
    char path[PATH], version[32];
    const char *why;
    tune_line line;
    int count = 0;
    if (!torre_tune_path(path, sizeof path)) return 0;
    tune_reader r = {.in = open_file(path, &why)};
    if (!r.in) return 0;
    release(version, sizeof version);
    while (next_recommendation(&r, &line)) {
        const torre_tile *t = &line.tile;
        if (strcmp(line.version, version) != 0 || strcmp(line.device, device) != 0 ||
            t->order != order || t->precision != precision)
            continue;
        if (fits(plan->dts, t->dts) && fits(plan->tower_height, t->tower_height))
            count = add_tile(t, tile, count, limit);
    }
    fclose(r.in);
    return count;
}

static bool replaced(const tune_line *line, const char *version, const char *device,
                     const torre_tile *entries, int count)
{
    if (strcmp(line->version, version) != 0 || strcmp(line->device, device) != 0) return false;
    for (int i = 0; i < count; i++)
        if (entries[i].order == line->tile.order && entries[i].precision == line->tile.precision)
            return true;
    return false;
}

static void write_entry(FILE *out, const char *version, const char *device, const torre_tile *e)
{
    fprintf(out, "%s,%d,%s,%d,%" PRId64 ",%.6g,%s\n", version, e->order,
            e->precision == TORRE_F32 ? "f32" : "f64", e->dts, e->tower_height, e->gcells_per_s,
            device);
}

/* Copy what stays of the present file, then add the new entries. */
static void write_file(FILE *out, const char *path, const char *version, const char *device,
                       const torre_tile *entries, int count)
{
    const char *why;
    tune_line line;
    tune_reader r = {.in = open_file(path, &why)};
    fprintf(out, "%s\n", head);
    while (r.in && next_recommendation(&r, &line))
        if (!replaced(&line, version, device, entries, count))
            write_entry(out, line.version, line.device, &line.tile);
    if (r.in) fclose(r.in);
    for (int i = 0; i < count; i++) write_entry(out, version, device, &entries[i]);
}

torre_status torre_tune_prepare(void)
{
    char path[PATH];
    if (!torre_tune_path(path, sizeof path))
        return torre_fail(TORRE_ERR_INPUT, "no place for recommendations: TORRE_TUNE is off, or "
                                           "neither XDG_CACHE_HOME nor HOME is set");
    struct stat found;
    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
        return torre_fail(TORRE_ERR_INPUT, "no place for recommendations: %.100s is a directory",
                          path);
    char *slash = strrchr(path, '/');
    if (!slash || slash == path) return TORRE_OK;
    *slash = 0;
    return torre_output_directory(path);
}

torre_status torre_tune_store(const char *device, const torre_tile *entries, int count)
{
    char path[PATH], version[32];
    torre_output *out;
    TORRE_TRY(torre_tune_prepare());
    torre_tune_path(path, sizeof path);
    release(version, sizeof version);
    TORRE_TRY(torre_output_open(path, &out));
    write_file(torre_output_stream(out), path, version, device, entries, count);
    return torre_output_commit(out);
}
