/* locality stencil: how many bins a stencil has. */
#include <stdlib.h>

#include "cli/locality.h"

static torre_status write_csv(const locality_job *job)
{
    const torre_stencil_bins *s = &job->stencil;
    int64_t n = torre_stencil_bins_count(s);
    if (n > INT32_MAX)
        return torre_fail(TORRE_ERR_USAGE, "--csv: %lld bins are too many to list", (long long)n);
    int32_t(*offset)[3] = malloc((size_t)n * sizeof *offset);
    if (!offset) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld bins", (long long)n);
    torre_stencil_bins_fill(s, offset);
    torre_status status = TORRE_OK;
    for (int64_t b = 0; b < n && !status; b++)
        status = locality_csv_row(job, NULL, (double[]){offset[b][0], offset[b][1], offset[b][2]});
    free(offset);
    return status;
}

static torre_status run(locality_job *job)
{
    torre_stencil_bins full = job->stencil, half = job->stencil;
    full.half = false;
    half.half = true;
    int64_t bins = torre_stencil_bins_count(&full), half_bins = torre_stencil_bins_count(&half);
    double deviation = torre_stencil_bins_deviation(&full);
    torre_report_integer(job->report, "bins", bins);
    torre_report_integer(job->report, "half_bins", half_bins);
    torre_report_real(job->report, "deviation_percent", deviation);
    if (job->table)
        printf("%8s %12s %12s %22s\n%8lld %12lld %12lld %22.2f\n", "reach", "bins", "half bins",
               "outside the sphere, %", (long long)job->reach, (long long)bins,
               (long long)half_bins, deviation);
    return job->csv ? write_csv(job) : TORRE_OK;
}

torre_status locality_stencil(int argc, char **argv)
{
    locality_job job = {
        .subcommand = "stencil",
        .usage = "Usage: locality stencil [OPTION...]\n\n"
                 "Counts the bins that are searched around a bin for partners closer than G bins:\n"
                 "all of them, half of them and the own one (Newton's third law), and how much of\n"
                 "the searched volume lies outside the sphere. The CSV lists the bins (i,j,k).\n\n"
                 "  locality stencil --stencil spherical --reach 3",
        .column = {"i", "j", "k"},
        .run = run,
        .ordering = "row-major",
        .size = {16, 0, 0},
        .shape = TORRE_BIN_SPHERICAL,
        .reach = 1};
    torre_option table[] = {LOCALITY_STENCIL_OPTIONS(job),
                            LOCALITY_BOX_OPTIONS(job),
                            LOCALITY_OUTPUT_OPTIONS(job),
                            {0}};
    return locality_job_run(&job, table, argc, argv);
}
