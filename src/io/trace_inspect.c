#include "io/trace_inspect.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/array_value.h"
#include "io/file_ending.h"
#include "io/npy.h"
#include "io/segy_summary.h"

static void tell_values(FILE *out, double low, double high, int64_t not_finite)
{
    if (low <= high) fprintf(out, "values     %.6g to %.6g\n", low, high);
    if (not_finite) fprintf(out, "           %" PRId64 " are not finite\n", not_finite);
}

/* As surange has it: the range of a field, then its first and last value where that varies. */
static void tell_field(FILE *out, const torre_segy_range *f)
{
    char range[64], ends[64] = "";
    if (f->low == f->high)
        snprintf(range, sizeof range, "%.10g", f->low);
    else
        snprintf(range, sizeof range, "%.10g to %.10g", f->low, f->high);
    if (f->low < f->high) snprintf(ends, sizeof ends, "(%.10g - %.10g)", f->first, f->last);
    fprintf(out, "%-10s %-22s %-22s %s\n", f->name, range, ends, f->text);
}

static torre_status inspect_segy(FILE *out, const char *path, bool su)
{
    torre_segy_summary s;
    TORRE_TRY(torre_segy_summarize(path, su, &s));
    fprintf(out, "file       %s, %s\n", path, s.kind);
    fprintf(out, "traces     %" PRId64 " of %" PRId64 " samples, %g s apart: %g s\n", s.traces,
            s.samples, s.dt, s.dt * (double)(s.samples - 1));
    if (s.floats) tell_values(out, s.low, s.high, s.not_finite);
    for (int i = 0; i < s.fields; i++) tell_field(out, &s.field[i]);
    return TORRE_OK;
}

static torre_status inspect_npy(FILE *out, const char *path)
{
    torre_array a;
    int dims;
    double low = INFINITY, high = -INFINITY;
    int64_t not_finite = 0;
    TORRE_TRY(torre_npy_read(path, &a, &dims));
    fprintf(out, "file       %s, NumPy array of f%d\nshape      ", path, 8 * (int)a.precision);
    for (int i = 0; i < dims; i++) fprintf(out, "%s%" PRId64, i ? " x " : "", a.shape[i]);
    fputc('\n', out);
    for (int64_t i = 0; i < a.shape[0] * a.shape[1] * a.shape[2]; i++) {
        const double v = torre_value(a.precision, a.data, i);
        if (!isfinite(v)) not_finite++;
        if (isfinite(v)) low = fmin(low, v);
        if (isfinite(v)) high = fmax(high, v);
    }
    tell_values(out, low, high, not_finite);
    free(a.data);
    return TORRE_OK;
}

torre_status torre_trace_inspect(FILE *out, const char *path)
{
    static const char *const endings[] = {".sgy", ".segy", ".su", ".npy", NULL};
    const int ending = torre_file_ending(path, endings, false);
    if (ending < 0) return torre_file_ending_check("inspect", path, endings, false);
    return ending == 3 ? inspect_npy(out, path) : inspect_segy(out, path, ending == 2);
}
