#include "io/segy_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/segy.h"

#ifdef TORRE_HAVE_SEGYIO

#include <segyio/segy.h>

/* How the traces of an open file lie in it. */
struct torre_segy_file {
    segy_file *file;
    int format, samples, bytes; /* of a trace, without its header */
    long start;
    char *values; /* of a trace */
};

/* What a field is multiplied with. */
enum scalar { NONE, COORDINATES, ELEVATIONS, TIMES };

static const struct {
    int byte;
    enum scalar scalar;
} places[TORRE_SEGY_FIELDS] = {
    [TORRE_SEGY_tracl] = {SEGY_TR_SEQ_LINE, NONE},
    [TORRE_SEGY_tracr] = {SEGY_TR_SEQ_FILE, NONE},
    [TORRE_SEGY_fldr] = {SEGY_TR_FIELD_RECORD, NONE},
    [TORRE_SEGY_tracf] = {SEGY_TR_NUMBER_ORIG_FIELD, NONE},
    [TORRE_SEGY_ep] = {SEGY_TR_ENERGY_SOURCE_POINT, NONE},
    [TORRE_SEGY_cdp] = {SEGY_TR_ENSEMBLE, NONE},
    [TORRE_SEGY_trid] = {SEGY_TR_TRACE_ID, NONE},
    [TORRE_SEGY_offset] = {SEGY_TR_OFFSET, NONE},
    [TORRE_SEGY_gelev] = {SEGY_TR_RECV_GROUP_ELEV, ELEVATIONS},
    [TORRE_SEGY_selev] = {SEGY_TR_SOURCE_SURF_ELEV, ELEVATIONS},
    [TORRE_SEGY_sdepth] = {SEGY_TR_SOURCE_DEPTH, ELEVATIONS},
    [TORRE_SEGY_sx] = {SEGY_TR_SOURCE_X, COORDINATES},
    [TORRE_SEGY_sy] = {SEGY_TR_SOURCE_Y, COORDINATES},
    [TORRE_SEGY_gx] = {SEGY_TR_GROUP_X, COORDINATES},
    [TORRE_SEGY_gy] = {SEGY_TR_GROUP_Y, COORDINATES},
    [TORRE_SEGY_counit] = {SEGY_TR_COORD_UNITS, NONE},
    [TORRE_SEGY_delrt] = {SEGY_TR_DELAY_REC_TIME, TIMES},
    [TORRE_SEGY_ns] = {SEGY_TR_SAMPLE_COUNT, NONE},
    [TORRE_SEGY_dt] = {SEGY_TR_SAMPLE_INTER, NONE},
    [TORRE_SEGY_iline] = {SEGY_TR_INLINE, NONE},
    [TORRE_SEGY_xline] = {SEGY_TR_CROSSLINE, NONE},
};

static torre_status bad(const torre_segy_reader *r, const char *what)
{
    return torre_fail(TORRE_ERR_INPUT, "%s: %s", r->path, what);
}

static double field_value(const char *header, int i, bool su)
{
    static const int scalar_at[] = {[COORDINATES] = SEGY_TR_SOURCE_GROUP_SCALAR,
                                    [ELEVATIONS] = SEGY_TR_ELEV_SCALAR,
                                    [TIMES] = SEGY_TR_SCALAR_TRACE_HEADER};
    const enum scalar by = places[i].scalar;
    int32_t value = 0, scalar = 0;
    segy_get_field(header, places[i].byte, &value);
    if (by == NONE || (su && by == TIMES)) return value;
    segy_get_field(header, scalar_at[by], &scalar);
    return scalar == 0 ? value : scalar > 0 ? (double)value * scalar : (double)value / -scalar;
}

/* SEG-Y says how its traces lie in the header of the file. */
static torre_status lay_out_segy(torre_segy_reader *r)
{
    struct torre_segy_file *f = r->file;
    char header[SEGY_BINARY_HEADER_SIZE];
    int32_t revision = 0, system = 0;
    if (segy_binheader(f->file, header)) return bad(r, "too short for the header of SEG-Y");
    f->format = segy_format(header);
    f->samples = segy_samples(header);
    f->start = segy_trace0(header);
    segy_get_bfield(header, SEGY_BIN_SEGY_REVISION, &revision);
    segy_get_bfield(header, SEGY_BIN_MEASUREMENT_SYSTEM, &system);
    r->feet = system == 2;
    r->kind = revision >> 8 == 1 ? "SEG-Y revision 1" : revision ? "SEG-Y" : "SEG-Y revision 0";
    if (segy_set_format(f->file, f->format | SEGY_MSB))
        return bad(r, "no format of samples that SEG-Y knows; is it big-endian SEG-Y?");
    return TORRE_OK;
}

/* SU is a row of traces, in the byte order of the machine it came from: that in which its size is a
 * multiple of what the first header says. */
static torre_status lay_out_su(torre_segy_reader *r)
{
    static const int orders[2] = {SEGY_LSB, SEGY_MSB};
    struct torre_segy_file *f = r->file;
    char header[SEGY_TRACE_HEADER_SIZE];
    int32_t samples = 0;
    int traces;
    f->format = SEGY_IEEE_FLOAT_4_BYTE;
    for (int i = 0; i < 2; i++) {
        if (segy_set_format(f->file, f->format | orders[i]) ||
            segy_traceheader(f->file, 0, header, 0, 0))
            return bad(r, "too short for the header of a trace");
        segy_get_field(header, SEGY_TR_SAMPLE_COUNT, &samples);
        f->samples = samples;
        if (samples > 0 && segy_traces(f->file, &traces, 0, segy_trsize(f->format, samples)) == 0) {
            r->kind = i ? "SU, big-endian" : "SU";
            return TORRE_OK;
        }
    }
    return bad(r, "not SU: it does not consist of traces of the length that the first one names");
}

static torre_status lay_out(torre_segy_reader *r)
{
    struct torre_segy_file *f = r->file;
    int traces;
    TORRE_TRY(r->su ? lay_out_su(r) : lay_out_segy(r));
    f->bytes = f->samples > 0 ? segy_trsize(f->format, f->samples) : 0;
    if (f->bytes <= 0) return bad(r, "its header names no samples");
    if (segy_traces(f->file, &traces, f->start, f->bytes))
        return bad(r, "it does not consist of traces of the length that its header names");
    f->values = malloc((size_t)f->bytes);
    if (!f->values)
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a trace of %s", r->path);
    r->traces = traces;
    r->samples = f->samples;
    r->floats = f->format == SEGY_IEEE_FLOAT_4_BYTE || f->format == SEGY_IBM_FLOAT_4_BYTE;
    return TORRE_OK;
}

torre_status torre_segy_reader_open(const char *path, bool su, torre_segy_reader *r)
{
    struct stat there;
    *r = (torre_segy_reader){.path = path, .su = su};
    if (stat(path, &there)) return torre_fail_errno("cannot read %s", path);
    if (!S_ISREG(there.st_mode)) return torre_fail(TORRE_ERR_INPUT, "%s is no regular file", path);
    r->file = calloc(1, sizeof *r->file);
    if (!r->file) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    errno = 0;
    r->file->file = segy_open(path, "rb");
    if (!r->file->file) return torre_fail_errno("cannot read %s", path);
    return lay_out(r);
}

void torre_segy_reader_close(torre_segy_reader *r)
{
    if (!r->file) return;
    if (r->file->file) segy_close(r->file->file);
    free(r->file->values);
    free(r->file);
    r->file = NULL;
}

torre_status torre_segy_reader_fields(const torre_segy_reader *r, int64_t trace,
                                      double fields[TORRE_SEGY_FIELDS])
{
    const struct torre_segy_file *f = r->file;
    char header[SEGY_TRACE_HEADER_SIZE];
    if (segy_traceheader(f->file, (int)trace, header, f->start, f->bytes))
        return bad(r, "it cannot be read to its end");
    for (int i = 0; i < TORRE_SEGY_FIELDS; i++) fields[i] = field_value(header, i, r->su);
    return TORRE_OK;
}

torre_status torre_segy_reader_samples(const torre_segy_reader *r, int64_t trace, float *samples)
{
    const struct torre_segy_file *f = r->file;
    if (!r->floats) return bad(r, "its samples are no floats of 4 bytes");
    if (segy_readtrace(f->file, (int)trace, f->values, f->start, f->bytes))
        return bad(r, "it cannot be read to its end");
    segy_to_native(f->format, f->samples, f->values);
    memcpy(samples, f->values, (size_t)f->samples * sizeof *samples);
    return TORRE_OK;
}

#else

torre_status torre_segy_reader_open(const char *path, bool su, torre_segy_reader *r)
{
    *r = (torre_segy_reader){.path = path, .su = su};
    return torre_segy_not_built();
}

/* None is ever open: the rest is not reached. */
void torre_segy_reader_close(torre_segy_reader *r) { (void)r; }

torre_status torre_segy_reader_fields(const torre_segy_reader *r, int64_t trace,
                                      double fields[TORRE_SEGY_FIELDS])
{
    (void)r, (void)trace, (void)fields;
    return torre_segy_not_built();
}

torre_status torre_segy_reader_samples(const torre_segy_reader *r, int64_t trace, float *samples)
{
    (void)r, (void)trace, (void)samples;
    return torre_segy_not_built();
}

#endif
