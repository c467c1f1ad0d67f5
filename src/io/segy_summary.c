#include "io/segy_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_AND_TEXT(name, text) {#name, text},
static const struct {
    const char *name, *text;
} fields[] = {TORRE_SEGY_FIELD_LIST(NAME_AND_TEXT)};

static void widen(torre_segy_range *range, double value, bool first)
{
    if (first) range->low = range->high = range->first = value;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
    range->last = value;
}

static void look_at_samples(const float *samples, int64_t count, torre_segy_summary *s)
{
    for (int64_t n = 0; n < count; n++) {
        const double v = samples[n];
        if (!isfinite(v)) s->not_finite++;
        if (isfinite(v) && v < s->low) s->low = v;
        if (isfinite(v) && v > s->high) s->high = v;
    }
}

static torre_status read_traces(const torre_segy_reader *r, float *samples, torre_segy_summary *s)
{
    torre_segy_range range[TORRE_SEGY_FIELDS] = {{0}};
    double value[TORRE_SEGY_FIELDS];
    s->low = INFINITY;
    s->high = -INFINITY;
    for (int64_t t = 0; t < r->traces; t++) {
        TORRE_TRY(torre_segy_reader_fields(r, t, value));
        if (r->floats) {
            TORRE_TRY(torre_segy_reader_samples(r, t, samples));
            look_at_samples(samples, r->samples, s);
        }
        for (int i = 0; i < TORRE_SEGY_FIELDS; i++) widen(&range[i], value[i], t == 0);
    }
    if (r->traces > 0) s->dt = range[TORRE_SEGY_dt].first * 1e-6;
    for (int i = 0; i < TORRE_SEGY_FIELDS && r->traces > 0; i++) {
        if (range[i].low == 0 && range[i].high == 0) continue;
        s->field[s->fields] = range[i];
        s->field[s->fields].name = fields[i].name;
        s->field[s->fields++].text = fields[i].text;
    }
    return TORRE_OK;
}

torre_status torre_segy_summarize(const char *path, bool su, torre_segy_summary *s)
{
    torre_segy_reader r;
    memset(s, 0, sizeof *s);
    torre_status status = torre_segy_reader_open(path, su, &r);
    float *samples = status ? NULL : malloc((size_t)r.samples * sizeof *samples);
    if (!status && !samples)
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for a trace of %s", path);
    if (!status) {
        s->kind = r.kind;
        s->traces = r.traces;
        s->samples = r.samples;
        s->floats = r.floats;
        status = read_traces(&r, samples, s);
    }
    free(samples);
    torre_segy_reader_close(&r);
    return status;
}
