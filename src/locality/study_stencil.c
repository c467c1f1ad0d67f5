/* How many bins a stencil has. */
#include <stdlib.h>

#include "locality/studies.h"

static torre_status write_csv(const torre_study *study)
{
    const torre_stencil_bins *s = &study->stencil;
    int64_t n = torre_stencil_bins_count(s);
    if (n > INT32_MAX)
        return torre_fail(TORRE_ERR_USAGE, "{csv}: %lld bins are too many to list", (long long)n);
    int32_t(*offset)[3] = malloc((size_t)n * sizeof *offset);
    if (!offset) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld bins", (long long)n);
    torre_stencil_bins_fill(s, offset);
    torre_status status = TORRE_OK;
    for (int64_t b = 0; b < n && !status; b++)
        status = torre_study_row(study, NULL, (double[]){offset[b][0], offset[b][1], offset[b][2]});
    free(offset);
    return status;
}

static torre_status run(torre_study *study)
{
    torre_stencil_bins full = study->stencil, half = study->stencil;
    full.half = false;
    half.half = true;
    int64_t bins = torre_stencil_bins_count(&full), half_bins = torre_stencil_bins_count(&half);
    double deviation = torre_stencil_bins_deviation(&full);
    torre_report_integer(study->report, "bins", bins);
    torre_report_integer(study->report, "half_bins", half_bins);
    torre_report_real(study->report, "deviation_percent", deviation);
    if (study->table)
        fprintf(study->table, "%8s %12s %12s %22s\n%8lld %12lld %12lld %22.2f\n", "reach", "bins",
                "half bins", "outside the sphere, %", (long long)study->reach, (long long)bins,
                (long long)half_bins, deviation);
    return study->csv ? write_csv(study) : TORRE_OK;
}

const torre_study_kind torre_study_stencil = {
    .name = "stencil", .stencil = true, .column = {"i", "j", "k"}, .run = run};
