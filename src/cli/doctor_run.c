#include "cli/doctor_run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/program.h"
#include "io/output_file.h"
#include "roofline/doctor_table.h"
#include "roofline/roofline_report.h"

static void show_progress(const char *doing, void *context)
{
    (void)context;
    fprintf(stderr, "\r\033[K%s ...", doing);
}

static torre_report *report_of(const char *program, const torre_option *table,
                               const torre_diagnosis *d)
{
    torre_report *report = torre_report_new(program);
    torre_report_diagnosis(report, d);
    torre_report_options(report, table);
    return report;
}

torre_status doctor_run(const char *program, const char *backend, torre_examination examination,
                        const char *json, bool quiet, const torre_option *table)
{
    torre_diagnosis d;
    torre_output *report = NULL;
    bool terminal = !quiet && isatty(fileno(stderr));
    if (strcmp(backend, "auto") && strcmp(backend, "cpu") && strcmp(backend, "cuda"))
        return torre_fail(TORRE_ERR_USAGE, "--backend must be auto, cpu or cuda (got %.80s)",
                          backend);
    if (json) TORRE_TRY(torre_output_open(json, &report));
    if (terminal) examination.progress = show_progress;
    if (quiet && !json) examination.rates = false; /* nobody is told of them */
    torre_status status = torre_diagnose(&examination, &d);
    if (terminal) fputs("\r\033[K", stderr);
    if (!status && !quiet) {
        FILE *out = json && strcmp(json, "-") == 0 ? stderr : stdout;
        torre_diagnosis_table(out, &d);
    }
    if (status) {
        torre_output_discard(report);
        return status;
    }
    if (report) torre_program_keep_report(report_of(program, table, &d), &report);
    return torre_diagnosis_verdict(&d, backend);
}
