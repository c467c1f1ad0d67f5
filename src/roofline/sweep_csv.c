#include "roofline/sweep_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "io/output_file.h"
#include "torre/status.h"

static const char column_names[] =
    "order,engine,dts,tower_height,ordering,precision,state,gcells_per_s,low,high,seconds,"
    "repetitions,steps,modelled_bytes_per_update,measured_bytes_per_update,operations_per_update,"
    "operations_per_byte,governing_ceiling,bound_gcells_per_s,fraction,check_difference,"
    "check_allowed,same_bits,remark\n";

enum { COLUMNS = 24, LINE = 1024 };

static const char *precision_name(torre_precision p) { return p == TORRE_F32 ? "f32" : "f64"; }

/* The lines that tell one sweep from another. */
static void identity(const torre_sweep_setting *s, char *text, size_t size)
{
    snprintf(text, size, "# torre %s, %s, %s\n# size %lldx%lldx%lld, %s, constant velocity\n",
             torre_version_text(), s->machine->device,
             s->machine->uuid[0] ? s->machine->uuid : "no uuid", (long long)s->size[0],
             (long long)s->size[1], (long long)s->size[2], precision_name(s->precision));
}

void torre_sweep_csv_head(FILE *out, const torre_sweep_setting *setting)
{
    char text[LINE];
    identity(setting, text, sizeof text);
    fputs(text, out);
    fputs("# rates are medians; modelled bytes are of main memory and come from the engine's "
          "design\n",
          out);
    fputs(column_names, out);
}

torre_status torre_sweep_csv_append(FILE *out, const char *path, const torre_sweep_point *p,
                                    torre_precision precision)
{
    char remark[sizeof p->remark];
    snprintf(remark, sizeof remark, "%s", p->remark);
    for (char *c = remark; *c; c++)
        if (*c == ',' || *c == '\n' || *c == '"') *c = ';';
    fprintf(out, "%d,%s,%d,%" PRId64 ",%s,%s,%s,", p->order, torre_engine_name(p->plan.engine),
            p->plan.dts, p->plan.tower_height, torre_ordering_write(&p->plan.ordering).text,
            precision_name(precision), torre_point_state_name(p->state));
    fprintf(out, "%.6g,%.6g,%.6g,%.6g,%d,%" PRId64 ",%.6g,%.6g,%.6g,%.6g,%s,%.6g,%.4f,",
            p->gcells_per_s, p->low, p->high, p->seconds, p->repetitions, p->steps,
            p->bound.bytes_per_update, p->measured_bytes, torre_model_operations(p->order),
            p->bound.operations_per_byte, torre_ceiling_name(p->bound.ceiling),
            p->bound.gcells_per_s, p->fraction);
    fprintf(out, "%.3e,%.3e,%d,%s\n", p->check_difference, p->check_allowed, p->same_bits, remark);
    if (fflush(out) != 0 || ferror(out)) return torre_fail_errno("cannot write %s", path);
    return TORRE_OK;
}

torre_status torre_sweep_csv_write(const char *path, const torre_sweep_setting *setting,
                                   const torre_sweep_point *points, int count)
{
    torre_output *out;
    TORRE_TRY(torre_output_open(path, &out));
    torre_sweep_csv_head(torre_output_stream(out), setting);
    torre_status status = TORRE_OK;
    for (int i = 0; i < count && !status; i++)
        status =
            torre_sweep_csv_append(torre_output_stream(out), path, &points[i], setting->precision);
    return torre_output_finish(&out, status);
}

/* Cut a line at its commas. */
static int split(char *line, char *field[COLUMNS])
{
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *at = line; n < COLUMNS; n++) {
        field[n] = at;
        char *comma = n + 1 < COLUMNS ? strchr(at, ',') : NULL;
        if (!comma) return n + 1;
        *comma = 0;
        at = comma + 1;
    }
    return n;
}

static bool integer(const char *text, int64_t *value) { return torre_parse_integer(text, value); }

static bool small(const char *text, int *value)
{
    int64_t v;
    if (!integer(text, &v) || v < INT32_MIN || v > INT32_MAX) return false;
    *value = (int)v;
    return true;
}

static bool state_by_name(const char *name, torre_point_state *state)
{
    for (int s = TORRE_POINT_TIMED; s <= TORRE_POINT_WRONG; s++)
        if (strcmp(name, torre_point_state_name((torre_point_state)s)) == 0) {
            *state = (torre_point_state)s;
            return true;
        }
    return false;
}

static bool ceiling_by_name(const char *name, torre_ceiling_id *id)
{
    for (int c = 0; c < TORRE_CEILING_COUNT; c++)
        if (strcmp(name, torre_ceiling_name((torre_ceiling_id)c)) == 0) {
            *id = (torre_ceiling_id)c;
            return true;
        }
    return false;
}

static bool read_point(char *line, torre_sweep_point *p)
{
    char *f[COLUMNS];
    memset(p, 0, sizeof *p);
    if (split(line, f) != COLUMNS) return false;
    snprintf(p->remark, sizeof p->remark, "%s", f[23]);
    return small(f[0], &p->order) && torre_engine_by_name(f[1], &p->plan.engine) &&
           p->plan.engine != TORRE_AUTO && small(f[2], &p->plan.dts) &&
           integer(f[3], &p->plan.tower_height) &&
           torre_ordering_parse(f[4], &p->plan.ordering, NULL) && state_by_name(f[6], &p->state) &&
           torre_parse_real(f[7], &p->gcells_per_s) && torre_parse_real(f[8], &p->low) &&
           torre_parse_real(f[9], &p->high) && torre_parse_real(f[10], &p->seconds) &&
           small(f[11], &p->repetitions) && integer(f[12], &p->steps) &&
           torre_parse_real(f[13], &p->bound.bytes_per_update) &&
           torre_parse_real(f[14], &p->measured_bytes) &&
           torre_parse_real(f[16], &p->bound.operations_per_byte) &&
           ceiling_by_name(f[17], &p->bound.ceiling) &&
           torre_parse_real(f[18], &p->bound.gcells_per_s) &&
           torre_parse_real(f[19], &p->fraction) && torre_parse_real(f[20], &p->check_difference) &&
           torre_parse_real(f[21], &p->check_allowed) && small(f[22], &p->same_bits);
}

static torre_status read_head(FILE *in, const char *path, const torre_sweep_setting *setting)
{
    char line[LINE], found[2 * LINE] = "", wanted[LINE];
    identity(setting, wanted, sizeof wanted);
    for (int i = 0; i < 2 && fgets(line, sizeof line, in); i++) strcat(found, line);
    if (strcmp(found, wanted) != 0)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s was not written by this version for this device, size and precision; "
                          "leave out {resume} to start anew",
                          path);
    while (fgets(line, sizeof line, in))
        if (strcmp(line, column_names) == 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT, "%s: the line of column names is missing", path);
}

static torre_status read_points(FILE *in, const char *path, torre_sweep_point **points, int *count)
{
    char line[LINE];
    int room = 0;
    while (fgets(line, sizeof line, in)) {
        if (!strchr(line, '\n')) break; /* cut off */
        if (*count == room) {
            room = room ? 2 * room : 64;
            torre_sweep_point *more = realloc(*points, (size_t)room * sizeof *more);
            if (!more) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
            *points = more;
        }
        if (!read_point(line, &(*points)[*count]))
            return torre_fail(TORRE_ERR_INPUT, "%s: point %d is not readable", path, *count + 1);
        (*count)++;
    }
    return TORRE_OK;
}

torre_status torre_sweep_csv_read(const char *path, const torre_sweep_setting *setting,
                                  torre_sweep_point **points, int *count)
{
    FILE *in = fopen(path, "r");
    if (!in) return torre_fail_errno("cannot read %s", path);
    *points = NULL;
    *count = 0;
    torre_status status = read_head(in, path, setting);
    if (!status) status = read_points(in, path, points, count);
    fclose(in);
    if (status) {
        free(*points);
        *points = NULL;
    }
    return status;
}

bool torre_sweep_same_point(const torre_sweep_point *wish, const torre_sweep_point *done)
{
    if (wish->order != done->order || wish->plan.engine != done->plan.engine ||
        !torre_ordering_same(&wish->plan.ordering, &done->plan.ordering))
        return false;
    if (wish->plan.engine == TORRE_STEPWISE) return true;
    return wish->plan.dts == done->plan.dts && wish->plan.tower_height == done->plan.tower_height;
}
