#include "io/segy.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef TORRE_HAVE_SEGYIO
#include <segyio/segy.h>
#endif

#include "core/array_value.h"

bool torre_segy_is_built(void)
{
#ifdef TORRE_HAVE_SEGYIO
    return true;
#else
    return false;
#endif
}

torre_status torre_segy_not_built(void)
{
    return torre_fail(TORRE_ERR_USAGE, "SEG-Y and SU are not in this build: install "
                                       "libsegyio-dev and build again, or write .npy");
}

/* Signed 16 bits: many readers do not know that the fields are meant to be unsigned. */
enum { MAX_16_BIT = 32767 };

/* Millimetres in 32 bits: what coordinates are written as. */
static const double max_coordinate = INT32_MAX / 1e3;

static torre_status check_position(const char *what, int64_t index, const torre_point *point)
{
    for (int a = 0; a < 3; a++)
        if (!(fabs(point->position[a]) <= max_coordinate))
            return torre_fail(TORRE_ERR_USAGE,
                              "%s %" PRId64 ": SEG-Y and SU hold coordinates up to %.3f m, this "
                              "run has %c = %.12g m; write .npy",
                              what, index, max_coordinate, "xyz"[a], point -> position[a]);
    return TORRE_OK;
}

static torre_status check_positions(const torre_gather *g)
{
    TORRE_TRY(check_position("source", 0, &g->source));
    for (int64_t t = 0; t < g->traces; t++)
        TORRE_TRY(check_position("receiver", t, &g->receivers[t]));
    return TORRE_OK;
}

/*
 * The power of ten by which the delay, in milliseconds, becomes a whole number of 16 bits, up to
 * 10000; 0: none does. Recording begins before the source where that waits: the delay of recording
 * is minus that of the source.
 */
static int delay_scalar(const torre_gather *g)
{
    for (int scalar = 1; scalar <= 10000; scalar *= 10) {
        const double units = g->delay * 1e3 * scalar;
        if (fabs(units) > MAX_16_BIT) return 0;
        if (fabs(units - nearbyint(units)) <= 1e-6) return scalar;
    }
    return 0;
}

static torre_status check_delay(const torre_gather *g, bool su)
{
    const int scalar = delay_scalar(g);
    if (scalar == 1 || (scalar > 1 && !su)) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "%s holds delays of up to 32.767 s in whole %s, this shot has %.9g s; write "
                      ".npy",
                      su ? "SU" : "SEG-Y",
                      su ? "milliseconds" : "units of 0.1 us to 1 ms, five digits", g->delay);
}

torre_status torre_segy_check(const torre_gather *g, bool su)
{
    if (!torre_segy_is_built()) return torre_segy_not_built();
    if (g->samples > MAX_16_BIT)
        return torre_fail(TORRE_ERR_USAGE,
                          "SEG-Y and SU hold at most %d samples a trace, this run has %" PRId64
                          " (steps + 1); use fewer steps or .npy",
                          MAX_16_BIT, g->samples);
    double us = g->dt * 1e6, whole = nearbyint(us);
    if (!(whole >= 1 && whole <= MAX_16_BIT && fabs(us - whole) <= 1e-6)) { /* NaN, too */
        char advice[48] = ""; /* a larger step might be unstable */
        if (us > 1)
            torre_text(advice, sizeof advice, "set {dt} %.0fe-6, or ", fmin(floor(us), MAX_16_BIT));
        return torre_fail(TORRE_ERR_USAGE,
                          "SEG-Y and SU hold the time step in whole microseconds (1 to %d), this "
                          "run has %.9g; %swrite .npy",
                          MAX_16_BIT, us, advice);
    }
    if (g->traces > INT32_MAX)
        return torre_fail(TORRE_ERR_USAGE, "SEG-Y and SU hold at most %d traces", INT32_MAX);
    TORRE_TRY(check_delay(g, su));
    return check_positions(g);
}

torre_status torre_segy_check_output(const torre_output *out)
{
    if (torre_output_temporary(out)) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT, "cannot write %s: SEG-Y and SU need a regular file",
                      torre_output_path(out));
}

#ifdef TORRE_HAVE_SEGYIO

static const char *segy_error_text(int code)
{
    switch (code) {
    case SEGY_FSEEK_ERROR:
        return "seek failed";
    case SEGY_FREAD_ERROR:
        return "read failed";
    case SEGY_FWRITE_ERROR:
        return "write failed (is the disk full?)";
    default:
        return "segyio refused it";
    }
}

/* The largest value must be a normal number in 4 bytes: neither infinite nor lost near zero. */
static torre_status check_values(const torre_gather *g, const torre_output *out)
{
    int64_t count = g->traces * g->samples, at = 0;
    double largest = 0;
    for (int64_t i = 0; i < count; i++) {
        double v = fabs(torre_value(g->precision, g->values, i));
        if (!(v > largest)) continue;
        largest = v;
        at = i;
    }
    bool fits = largest == 0 || (largest >= FLT_MIN && largest <= FLT_MAX);
    if (fits) return TORRE_OK;
    return torre_fail(
        TORRE_ERR_INPUT,
        "cannot write %s: the largest value, %.6g in sample %" PRId64 " of trace %" PRId64
        ", is none for the 4-byte floats of SEG-Y and SU (%.4g to "
        "%.4g); write .npy or change {amplitude}",
        torre_output_path(out), largest, at % g->samples, at / g->samples, FLT_MIN, FLT_MAX);
}

static int32_t millimetres(double metres) { return (int32_t)nearbyint(metres * 1e3); }

/* The header of a trace of the gather, which is the first + trace + 1 of the file. */
static void fill_trace_header(char *header, const torre_gather *g, bool su, int64_t first,
                              int64_t trace)
{
    /* seismic data; components of a sensor: along the line, across it, vertical */
    static const int32_t trace_id[] = {1, 14, 13, 12};
    const double *s = g->source.position, *r = g->receivers[trace].position;
    const int32_t shot = g->shot ? (int32_t)g->shot : 1, scalar = delay_scalar(g);
    memset(header, 0, SEGY_TRACE_HEADER_SIZE);
    segy_set_field(header, SEGY_TR_SEQ_LINE, (int32_t)(first + trace + 1));
    segy_set_field(header, SEGY_TR_SEQ_FILE, (int32_t)(first + trace + 1));
    segy_set_field(header, SEGY_TR_FIELD_RECORD, shot);
    segy_set_field(header, SEGY_TR_NUMBER_ORIG_FIELD, (int32_t)(trace + 1));
    segy_set_field(header, SEGY_TR_ENERGY_SOURCE_POINT, shot);
    segy_set_field(header, SEGY_TR_DELAY_REC_TIME, (int32_t)nearbyint(-g->delay * 1e3 * scalar));
    if (!su && scalar > 1) segy_set_field(header, SEGY_TR_SCALAR_TRACE_HEADER, -scalar);
    segy_set_field(header, SEGY_TR_TRACE_ID, trace_id[g->receivers[trace].component]);
    if (g->receivers[trace].component != TORRE_PRESSURE)
        segy_set_field(header, SEGY_TR_MEASURE_UNIT, 6); /* m/s */
    segy_set_field(header, SEGY_TR_OFFSET, (int32_t)nearbyint(hypot(r[0] - s[0], r[1] - s[1])));
    segy_set_field(header, SEGY_TR_SOURCE_DEPTH, millimetres(s[2]));
    segy_set_field(header, SEGY_TR_RECV_GROUP_ELEV, millimetres(-r[2]));
    segy_set_field(header, SEGY_TR_ELEV_SCALAR, -1000); /* divide by 1000 */
    segy_set_field(header, SEGY_TR_SOURCE_GROUP_SCALAR, -1000);
    segy_set_field(header, SEGY_TR_SOURCE_X, millimetres(s[0]));
    segy_set_field(header, SEGY_TR_SOURCE_Y, millimetres(s[1]));
    segy_set_field(header, SEGY_TR_GROUP_X, millimetres(r[0]));
    segy_set_field(header, SEGY_TR_GROUP_Y, millimetres(r[1]));
    segy_set_field(header, SEGY_TR_COORD_UNITS, 1); /* length */
    segy_set_field(header, SEGY_TR_SAMPLE_COUNT, (int32_t)g->samples);
    segy_set_field(header, SEGY_TR_SAMPLE_INTER, (int32_t)nearbyint(g->dt * 1e6));
}

static int write_file_header(segy_file *file, const torre_gather *g)
{
    char text[SEGY_TEXT_HEADER_SIZE + 1], binary[SEGY_BINARY_HEADER_SIZE];
    memset(text, ' ', sizeof text);
    memset(binary, 0, sizeof binary);
    static const char *const lines[] = {
        "Synthetic shot gather of the acoustic wave equation, written by Torre",
        "Samples: pressure-like field u, IEEE floats, first sample at time 0",
        "Coordinates in metres (scalar -1000), z downwards from the top of the grid",
    };
    for (int i = 0; i < 40; i++) {
        char line[81];
        int n = snprintf(line, sizeof line, "C%2d %s", i + 1, i < 3 ? lines[i] : "");
        memcpy(text + 80 * i, line, (size_t)n);
    }
    memcpy(text + 80 * 38, "C39 SEG Y REV1", 14);
    memcpy(text + 80 * 39, "C40 END TEXTUAL HEADER", 22);
    text[SEGY_TEXT_HEADER_SIZE] = 0;
    int interval = (int)nearbyint(g->dt * 1e6), samples = (int)g->samples;
    int traces = g->traces > MAX_16_BIT ? 0 : (int)g->traces;
    segy_set_bfield(binary, SEGY_BIN_JOB_ID, 1);
    segy_set_bfield(binary, SEGY_BIN_LINE_NUMBER, 1);
    segy_set_bfield(binary, SEGY_BIN_TRACES, traces);
    segy_set_bfield(binary, SEGY_BIN_INTERVAL, interval);
    segy_set_bfield(binary, SEGY_BIN_SAMPLES, samples);
    segy_set_bfield(binary, SEGY_BIN_FORMAT, SEGY_IEEE_FLOAT_4_BYTE);
    segy_set_bfield(binary, SEGY_BIN_SORTING_CODE, 1);       /* as recorded */
    segy_set_bfield(binary, SEGY_BIN_MEASUREMENT_SYSTEM, 1); /* metres */
    segy_set_bfield(binary, SEGY_BIN_SEGY_REVISION, 0x0100);
    segy_set_bfield(binary, SEGY_BIN_TRACE_FLAG, 1); /* all traces have the same length */
    int failed = segy_write_textheader(file, 0, text);
    return failed ? failed : segy_write_binheader(file, binary);
}

struct torre_segy_writer {
    torre_output *out;
    segy_file *file;
    bool su;
    int64_t traces; /* written */
};

/* segyio tells which call failed, the system why. */
static torre_status cannot(const torre_segy_writer *w, int failed, int reason)
{
    errno = reason;
    return reason ? torre_fail_errno("cannot write %s", torre_output_path(w->out))
                  : torre_fail(TORRE_ERR_INPUT, "cannot write %s: %s", torre_output_path(w->out),
                               segy_error_text(failed));
}

torre_status torre_segy_open(torre_output *out, bool su, torre_segy_writer **writer)
{
    TORRE_TRY(torre_segy_check_output(out));
    torre_segy_writer *w = calloc(1, sizeof *w);
    if (!w) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", torre_output_path(out));
    errno = 0;
    w->out = out;
    w->su = su;
    w->file = segy_open(torre_output_temporary(out), "w+b");
    int failed = w->file ? 0 : SEGY_FOPEN_ERROR;
    if (!failed)
        failed = segy_set_format(w->file, SEGY_IEEE_FLOAT_4_BYTE | (su ? SEGY_LSB : SEGY_MSB));
    if (failed) {
        torre_status status = cannot(w, failed, errno);
        torre_segy_close(w);
        return status;
    }
    *writer = w;
    return TORRE_OK;
}

/* buffer: a trace, and as much again for segyio, which would take the memory unchecked. */
static int write_traces(const torre_segy_writer *w, const torre_gather *g, float *buffer)
{
    char header[SEGY_TRACE_HEADER_SIZE];
    long start = w->su ? 0 : SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE;
    int bytes = segy_trsize(SEGY_IEEE_FLOAT_4_BYTE, (int)g->samples);
    int failed = w->su || w->traces > 0 ? 0 : write_file_header(w->file, g);
    for (int64_t t = 0; t < g->traces && !failed; t++) {
        const int at = (int)(w->traces + t);
        for (int64_t n = 0; n < g->samples; n++) {
            int64_t i = t * g->samples + n;
            buffer[n] = (float)torre_value(g->precision, g->values, i);
        }
        fill_trace_header(header, g, w->su, w->traces, t);
        failed = segy_write_traceheader(w->file, at, header, start, bytes);
        if (!failed) failed = segy_from_native(SEGY_IEEE_FLOAT_4_BYTE, g->samples, buffer);
        if (!failed)
            failed = segy_writesubtr(w->file, at, 0, (int)g->samples, 1, buffer,
                                     buffer + g->samples, start, bytes);
    }
    return failed;
}

torre_status torre_segy_add(torre_segy_writer *w, const torre_gather *g)
{
    TORRE_TRY(torre_segy_check(g, w->su));
    TORRE_TRY(check_values(g, w->out));
    if (w->traces > INT32_MAX - g->traces)
        return torre_fail(TORRE_ERR_INPUT, "cannot write %s: SEG-Y and SU hold at most %d traces",
                          torre_output_path(w->out), INT32_MAX);
    errno = 0;
    float *buffer = malloc(2 * (size_t)g->samples * sizeof *buffer);
    if (!buffer)
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", torre_output_path(w->out));
    int failed = write_traces(w, g, buffer);
    if (!failed) failed = segy_flush(w->file, false);
    const int reason = errno;
    free(buffer);
    if (failed) return cannot(w, failed, reason);
    w->traces += g->traces;
    return TORRE_OK;
}

torre_status torre_segy_close(torre_segy_writer *w)
{
    if (!w) return TORRE_OK;
    errno = 0;
    const int failed = w->file ? segy_close(w->file) : 0;
    torre_status status = failed ? cannot(w, failed, errno) : TORRE_OK;
    free(w);
    return status;
}

#else

torre_status torre_segy_open(torre_output *out, bool su, torre_segy_writer **writer)
{
    (void)out, (void)su, (void)writer;
    return torre_segy_not_built();
}

torre_status torre_segy_add(torre_segy_writer *writer, const torre_gather *gather)
{
    (void)writer, (void)gather;
    return torre_segy_not_built();
}

torre_status torre_segy_close(torre_segy_writer *writer)
{
    (void)writer;
    return TORRE_OK;
}

#endif

torre_status torre_segy_encode(const torre_gather *g, bool su, torre_output *out)
{
    torre_segy_writer *writer = NULL;
    TORRE_TRY(torre_segy_check(g, su));
    TORRE_TRY(torre_segy_open(out, su, &writer));
    torre_status status = torre_segy_add(writer, g), closed = torre_segy_close(writer);
    return status ? status : closed;
}
