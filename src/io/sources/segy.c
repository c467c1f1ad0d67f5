/*
 * SEG-Y: a line of traces, or a volume of them, by the in-line and cross-line numbers of the trace
 * headers. One of these numbers is the same for traces that follow one another: they are a row, and
 * all rows have the same numbers of the other kind.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "io/file_ending.h"
#include "io/segy_reader.h"
#include "io/source_format.h"

static const char *const endings[] = {".sgy", ".segy", NULL};

static bool is(const char *path, const char *rest)
{
    return !*rest && torre_file_ending(path, endings, false) >= 0;
}

/* In-line and cross-line number of a trace. */
static torre_status numbers_of(const torre_segy_reader *r, int64_t trace, double number[2])
{
    double fields[TORRE_SEGY_FIELDS];
    TORRE_TRY(torre_segy_reader_fields(r, trace, fields));
    number[0] = fields[TORRE_SEGY_iline];
    number[1] = fields[TORRE_SEGY_xline];
    return TORRE_OK;
}

/* Traces of a row; slow: which number is the same in it. All of them where nothing changes. */
static torre_status row_of(const torre_segy_reader *r, int64_t *row, int *slow)
{
    double first[2], now[2];
    *slow = 0;
    TORRE_TRY(numbers_of(r, 0, first));
    for (*row = 1; *row < r->traces; ++*row) {
        TORRE_TRY(numbers_of(r, *row, now));
        if (*row == 1) *slow = now[0] == first[0] ? 0 : 1;
        if (now[*slow] != first[*slow]) return TORRE_OK;
    }
    return TORRE_OK;
}

static torre_status check_rows(const torre_segy_reader *r, int64_t row, int slow, double *number)
{
    double now[2], line = 0;
    for (int64_t t = 0; t < r->traces; t++) {
        TORRE_TRY(numbers_of(r, t, now));
        if (t < row) number[t] = now[1 - slow];
        if (t % row == 0) line = now[slow];
        if (now[slow] != line || now[1 - slow] != number[t % row])
            return torre_fail(TORRE_ERR_INPUT,
                              "%s: trace %" PRId64 ": its in-line and cross-line numbers do not "
                              "continue rows of %" PRId64 " traces",
                              r->path, t + 1, row);
    }
    return TORRE_OK;
}

static torre_status lay_out(const torre_segy_reader *r, torre_source_layout *layout)
{
    int64_t row;
    int slow;
    if (r->traces == 0) return torre_fail(TORRE_ERR_INPUT, "%s holds no traces", r->path);
    TORRE_TRY(row_of(r, &row, &slow));
    if (r->traces % row != 0)
        return torre_fail(TORRE_ERR_INPUT, "%s: its %" PRId64 " traces are no rows of %" PRId64,
                          r->path, r->traces, row);
    double *number = malloc((size_t)row * sizeof *number);
    torre_status status = number ? check_rows(r, row, slow, number)
                                 : torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", r->path);
    free(number);
    *layout = row == r->traces
                  ? (torre_source_layout){TORRE_F32, 2, {r->traces, r->samples, 1}}
                  : (torre_source_layout){TORRE_F32, 3, {r->traces / row, row, r->samples}};
    return status;
}

static torre_status look(const torre_source *source, torre_source_layout *layout)
{
    torre_segy_reader r;
    torre_status status = torre_segy_reader_open(source->path, false, &r);
    if (!status) status = lay_out(&r, layout);
    torre_segy_reader_close(&r);
    return status;
}

static torre_status read(const torre_source *source, const torre_source_layout *layout,
                         void *values)
{
    torre_segy_reader r;
    (void)layout;
    torre_status status = torre_segy_reader_open(source->path, false, &r);
    for (int64_t t = 0; !status && t < r.traces; t++)
        status = torre_segy_reader_samples(&r, t, (float *)values + t * r.samples);
    torre_segy_reader_close(&r);
    return status;
}

const torre_source_format torre_source_segy = {
    .is = is, .form = "FILE.sgy", .look = look, .read = read};
