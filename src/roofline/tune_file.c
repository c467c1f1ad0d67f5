#include "roofline/tune_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/version.h"
#include "io/output_file.h"

enum { LINE = 512, PATH = 4096 };

static const char head[] = "version,order,precision,dts,tower_height,gcells_per_s,device\n";

typedef struct tune_line {
    char version[32], device[160];
    torre_tune_entry entry;
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

static bool read_line(const char *text, tune_line *line)
{
    char precision[8];
    torre_tune_entry *e = &line->entry;
    int n = sscanf(text, "%31[^,],%d,%7[^,],%d,%" SCNd64 ",%lf,%159[^\n]", line->version, &e->order,
                   precision, &e->dts, &e->tower_height, &e->gcells_per_s, line->device);
    if (n != 7 || e->dts < 1 || e->tower_height < 1 || !(e->gcells_per_s > 0)) return false;
    e->precision = strcmp(precision, "f64") == 0 ? TORRE_F64 : TORRE_F32;
    return true;
}

static bool fits(int64_t wish, int64_t value) { return wish == 0 || wish == value; }

bool torre_tune_lookup(const char *device, int order, torre_precision precision,
                       torre_wave_plan *plan)
{
    char path[PATH], version[32], text[LINE];
    tune_line line;
    torre_tune_entry best = {0};
    if (!torre_tune_path(path, sizeof path)) return false;
    FILE *in = fopen(path, "r");
    if (!in) return false;
    release(version, sizeof version);
    while (fgets(text, sizeof text, in)) {
        const torre_tune_entry *e = &line.entry;
        if (!read_line(text, &line) || strcmp(line.version, version) != 0 ||
            strcmp(line.device, device) != 0 || e->order != order || e->precision != precision)
            continue;
        if (fits(plan->dts, e->dts) && fits(plan->tower_height, e->tower_height) &&
            e->gcells_per_s > best.gcells_per_s)
            best = *e;
    }
    fclose(in);
    if (!best.dts) return false;
    plan->dts = best.dts;
    plan->tower_height = best.tower_height;
    return true;
}

bool torre_tune_apply(torre_wave_run *run, const torre_wave_plan *wish)
{
    torre_wave_plan plan = *wish;
    torre_wave_info info;
    if (run->info.plan.engine != TORRE_TORRE || (wish->dts && wish->tower_height) ||
        !torre_tune_lookup(run->info.device, run->problem->order, run->problem->precision, &plan) ||
        run->backend->plan(run->setup, &plan, &info) != TORRE_OK)
        return false;
    run->info = info;
    return true;
}

static bool replaced(const tune_line *line, const char *version, const char *device,
                     const torre_tune_entry *entries, int count)
{
    if (strcmp(line->version, version) != 0 || strcmp(line->device, device) != 0) return false;
    for (int i = 0; i < count; i++)
        if (entries[i].order == line->entry.order && entries[i].precision == line->entry.precision)
            return true;
    return false;
}

/* Copy what stays of the present file, then add the new entries. */
static void write_file(FILE *out, const char *path, const char *version, const char *device,
                       const torre_tune_entry *entries, int count)
{
    char text[LINE];
    tune_line line;
    FILE *in = fopen(path, "r");
    fputs(head, out);
    while (in && fgets(text, sizeof text, in))
        if (read_line(text, &line) && !replaced(&line, version, device, entries, count))
            fputs(text, out);
    if (in) fclose(in);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s,%d,%s,%d,%" PRId64 ",%.6g,%s\n", version, entries[i].order,
                entries[i].precision == TORRE_F32 ? "f32" : "f64", entries[i].dts,
                entries[i].tower_height, entries[i].gcells_per_s, device);
}

torre_status torre_tune_prepare(void)
{
    char path[PATH];
    if (!torre_tune_path(path, sizeof path))
        return torre_fail(TORRE_ERR_INPUT, "no place for recommendations: TORRE_TUNE is off, or "
                                           "neither XDG_CACHE_HOME nor HOME is set");
    char *slash = strrchr(path, '/');
    if (!slash || slash == path) return TORRE_OK;
    *slash = 0;
    return torre_output_directory(path);
}

torre_status torre_tune_store(const char *device, const torre_tune_entry *entries, int count)
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
