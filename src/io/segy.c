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

torre_status torre_segy_check(const torre_gather *g)
{
    if (!torre_segy_is_built())
        return torre_fail(TORRE_ERR_USAGE, "SEG-Y and SU are not in this build: install "
                                           "libsegyio-dev and build again, or write .npy");
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

static void fill_trace_header(char *header, const torre_gather *g, int64_t trace)
{
    const double *s = g->source.position, *r = g->receivers[trace].position;
    memset(header, 0, SEGY_TRACE_HEADER_SIZE);
    segy_set_field(header, SEGY_TR_SEQ_LINE, (int32_t)(trace + 1));
    segy_set_field(header, SEGY_TR_SEQ_FILE, (int32_t)(trace + 1));
    segy_set_field(header, SEGY_TR_FIELD_RECORD, 1);
    segy_set_field(header, SEGY_TR_NUMBER_ORIG_FIELD, (int32_t)(trace + 1));
    segy_set_field(header, SEGY_TR_ENERGY_SOURCE_POINT, 1);
    segy_set_field(header, SEGY_TR_TRACE_ID, 1); /* seismic data */
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

/* buffer: a trace, and as much again for segyio, which would take the memory unchecked. */
static int write_traces(segy_file *file, const torre_gather *g, bool su, float *buffer)
{
    char header[SEGY_TRACE_HEADER_SIZE];
    long start = su ? 0 : SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE;
    int bytes = segy_trsize(SEGY_IEEE_FLOAT_4_BYTE, (int)g->samples);
    int failed = su ? 0 : write_file_header(file, g);
    for (int64_t t = 0; t < g->traces && !failed; t++) {
        for (int64_t n = 0; n < g->samples; n++) {
            int64_t i = t * g->samples + n;
            buffer[n] = (float)torre_value(g->precision, g->values, i);
        }
        fill_trace_header(header, g, t);
        failed = segy_write_traceheader(file, (int)t, header, start, bytes);
        if (!failed) failed = segy_from_native(SEGY_IEEE_FLOAT_4_BYTE, g->samples, buffer);
        if (!failed)
            failed = segy_writesubtr(file, (int)t, 0, (int)g->samples, 1, buffer,
                                     buffer + g->samples, start, bytes);
    }
    return failed;
}

torre_status torre_segy_encode(const torre_gather *g, bool su, torre_output *out)
{
    TORRE_TRY(torre_segy_check(g));
    TORRE_TRY(torre_segy_check_output(out));
    TORRE_TRY(check_values(g, out));
    errno = 0; /* segyio tells which call failed, the system why */
    float *buffer = malloc(2 * (size_t)g->samples * sizeof *buffer);
    segy_file *file = segy_open(torre_output_temporary(out), "w+b");
    int failed = !buffer || !file ? SEGY_FOPEN_ERROR : 0;
    if (!failed)
        failed = segy_set_format(file, SEGY_IEEE_FLOAT_4_BYTE | (su ? SEGY_LSB : SEGY_MSB));
    if (!failed) failed = write_traces(file, g, su, buffer);
    if (!failed) failed = segy_flush(file, false);
    int reason = errno;
    if (file) {
        int closed = segy_close(file);
        if (!failed && closed) {
            failed = closed;
            reason = errno;
        }
    }
    free(buffer);
    if (failed) {
        errno = reason;
        return reason ? torre_fail_errno("cannot write %s", torre_output_path(out))
                      : torre_fail(TORRE_ERR_INPUT, "cannot write %s: %s", torre_output_path(out),
                                   segy_error_text(failed));
    }
    return TORRE_OK;
}

#else

torre_status torre_segy_encode(const torre_gather *g, bool su, torre_output *out)
{
    (void)su, (void)out;
    return torre_segy_check(g);
}

#endif
