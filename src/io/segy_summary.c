#include "io/segy_summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/segy.h"

#ifdef TORRE_HAVE_SEGYIO

#include <segyio/segy.h>

/* What a field is multiplied with. */
enum scalar { NONE, COORDINATES, ELEVATIONS, TIMES };

static const struct {
    int byte;
    const char *name, *text;
    enum scalar scalar;
} fields[] = {
    {SEGY_TR_SEQ_LINE, "tracl", "trace in the line", NONE},
    {SEGY_TR_SEQ_FILE, "tracr", "trace in the file", NONE},
    {SEGY_TR_FIELD_RECORD, "fldr", "field record: shot", NONE},
    {SEGY_TR_NUMBER_ORIG_FIELD, "tracf", "trace in the record: channel", NONE},
    {SEGY_TR_ENERGY_SOURCE_POINT, "ep", "source point", NONE},
    {SEGY_TR_ENSEMBLE, "cdp", "ensemble", NONE},
    {SEGY_TR_TRACE_ID, "trid", "kind of trace, 1: seismic", NONE},
    {SEGY_TR_OFFSET, "offset", "offset, m", NONE},
    {SEGY_TR_RECV_GROUP_ELEV, "gelev", "elevation of receivers, m", ELEVATIONS},
    {SEGY_TR_SOURCE_SURF_ELEV, "selev", "elevation at the source, m", ELEVATIONS},
    {SEGY_TR_SOURCE_DEPTH, "sdepth", "depth of the source, m", ELEVATIONS},
    {SEGY_TR_SOURCE_X, "sx", "x of the source, m", COORDINATES},
    {SEGY_TR_SOURCE_Y, "sy", "y of the source, m", COORDINATES},
    {SEGY_TR_GROUP_X, "gx", "x of receivers, m", COORDINATES},
    {SEGY_TR_GROUP_Y, "gy", "y of receivers, m", COORDINATES},
    {SEGY_TR_COORD_UNITS, "counit", "unit of coordinates, 1: length", NONE},
    {SEGY_TR_DELAY_REC_TIME, "delrt", "delay of recording, ms", TIMES},
    {SEGY_TR_SAMPLE_COUNT, "ns", "samples", NONE},
    {SEGY_TR_SAMPLE_INTER, "dt", "sampling, microseconds", NONE},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

_Static_assert((int)FIELDS <= (int)TORRE_SEGY_FIELDS, "TORRE_SEGY_FIELDS is too small");

/* A file that is open, and how its traces lie in it. */
typedef struct reading {
    const char *path;
    segy_file *file;
    bool su;
    int format, traces, samples, bytes; /* of a trace, without its header */
    long start;
} reading;

static torre_status bad(const reading *r, const char *what)
{
    return torre_fail(TORRE_ERR_INPUT, "%s: %s", r->path, what);
}

static double field_value(const char *header, int i, bool su)
{
    static const int scalar_at[] = {[COORDINATES] = SEGY_TR_SOURCE_GROUP_SCALAR,
                                    [ELEVATIONS] = SEGY_TR_ELEV_SCALAR,
                                    [TIMES] = SEGY_TR_SCALAR_TRACE_HEADER};
    int32_t value = 0, scalar = 0;
    segy_get_field(header, fields[i].byte, &value);
    if (fields[i].scalar == NONE || (su && fields[i].scalar == TIMES)) return value;
    segy_get_field(header, scalar_at[fields[i].scalar], &scalar);
    return scalar == 0 ? value : scalar > 0 ? (double)value * scalar : (double)value / -scalar;
}

static void widen(torre_segy_range *range, double value, bool first)
{
    if (first) range->low = range->high = range->first = value;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
    range->last = value;
}

/* SEG-Y says how its traces lie in the header of the file. */
static torre_status lay_out_segy(reading *r, torre_segy_summary *s)
{
    char header[SEGY_BINARY_HEADER_SIZE];
    int32_t revision = 0;
    if (segy_binheader(r->file, header)) return bad(r, "too short for the header of SEG-Y");
    r->format = segy_format(header);
    r->samples = segy_samples(header);
    r->start = segy_trace0(header);
    segy_get_bfield(header, SEGY_BIN_SEGY_REVISION, &revision);
    s->kind = revision >> 8 == 1 ? "SEG-Y revision 1" : revision ? "SEG-Y" : "SEG-Y revision 0";
    if (segy_set_format(r->file, r->format | SEGY_MSB))
        return bad(r, "no format of samples that SEG-Y knows; is it big-endian SEG-Y?");
    return TORRE_OK;
}

/* SU is a row of traces, in the byte order of the machine it came from: that in which its size is a
 * multiple of what the first header says. */
static torre_status lay_out_su(reading *r, torre_segy_summary *s)
{
    static const int orders[2] = {SEGY_LSB, SEGY_MSB};
    char header[SEGY_TRACE_HEADER_SIZE];
    int32_t samples = 0;
    r->format = SEGY_IEEE_FLOAT_4_BYTE;
    for (int i = 0; i < 2; i++) {
        if (segy_set_format(r->file, r->format | orders[i]) ||
            segy_traceheader(r->file, 0, header, 0, 0))
            return bad(r, "too short for the header of a trace");
        segy_get_field(header, SEGY_TR_SAMPLE_COUNT, &samples);
        r->samples = samples;
        if (samples > 0 &&
            segy_traces(r->file, &r->traces, 0, segy_trsize(r->format, samples)) == 0) {
            s->kind = i ? "SU, big-endian" : "SU";
            return TORRE_OK;
        }
    }
    return bad(r, "not SU: it does not consist of traces of the length that the first one names");
}

static torre_status lay_out(reading *r, torre_segy_summary *s)
{
    TORRE_TRY(r->su ? lay_out_su(r, s) : lay_out_segy(r, s));
    r->bytes = r->samples > 0 ? segy_trsize(r->format, r->samples) : 0;
    if (r->bytes <= 0) return bad(r, "its header names no samples");
    if (segy_traces(r->file, &r->traces, r->start, r->bytes))
        return bad(r, "it does not consist of traces of the length that its header names");
    s->traces = r->traces;
    s->samples = r->samples;
    s->floats = r->format == SEGY_IEEE_FLOAT_4_BYTE || r->format == SEGY_IBM_FLOAT_4_BYTE;
    return TORRE_OK;
}

static void look_at_samples(const float *samples, int count, torre_segy_summary *s)
{
    for (int n = 0; n < count; n++) {
        const double v = samples[n];
        if (!isfinite(v)) s->not_finite++;
        if (isfinite(v) && v < s->low) s->low = v;
        if (isfinite(v) && v > s->high) s->high = v;
    }
}

static torre_status read_traces(const reading *r, void *samples, torre_segy_summary *s)
{
    char header[SEGY_TRACE_HEADER_SIZE];
    torre_segy_range range[FIELDS] = {{0}};
    s->low = INFINITY;
    s->high = -INFINITY;
    for (int t = 0; t < r->traces; t++) {
        if (segy_traceheader(r->file, t, header, r->start, r->bytes) ||
            segy_readtrace(r->file, t, samples, r->start, r->bytes))
            return bad(r, "it cannot be read to its end");
        segy_to_native(r->format, r->samples, samples);
        if (s->floats) look_at_samples(samples, r->samples, s);
        for (int i = 0; i < FIELDS; i++) widen(&range[i], field_value(header, i, r->su), t == 0);
    }
    for (int i = 0; i < FIELDS && r->traces > 0; i++) {
        if (fields[i].byte == SEGY_TR_SAMPLE_INTER) s->dt = range[i].first * 1e-6;
        if (range[i].low == 0 && range[i].high == 0) continue;
        s->field[s->fields] = range[i];
        s->field[s->fields].name = fields[i].name;
        s->field[s->fields++].text = fields[i].text;
    }
    return TORRE_OK;
}

torre_status torre_segy_summarize(const char *path, bool su, torre_segy_summary *s)
{
    struct stat there;
    memset(s, 0, sizeof *s);
    if (stat(path, &there)) return torre_fail_errno("cannot read %s", path);
    if (!S_ISREG(there.st_mode)) return torre_fail(TORRE_ERR_INPUT, "%s is no regular file", path);
    errno = 0;
    reading r = {.path = path, .su = su, .file = segy_open(path, "rb")};
    if (!r.file) return torre_fail_errno("cannot read %s", path);
    void *samples = NULL;
    torre_status status = lay_out(&r, s);
    if (!status && !(samples = malloc((size_t)r.bytes)))
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for a trace of %s", path);
    if (!status) status = read_traces(&r, samples, s);
    free(samples);
    segy_close(r.file);
    return status;
}

#else

torre_status torre_segy_summarize(const char *path, bool su, torre_segy_summary *s)
{
    (void)path, (void)su;
    memset(s, 0, sizeof *s);
    return torre_segy_not_built();
}

#endif
