#include "cli/program.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/config_options.h"
#include "cli/page_option.h"
#include "core/cpu.h"
#include "core/numbers.h"
#include "core/phase.h"
#include "figure/figure.h"
#include "io/file_ending.h"
#include "torre/status.h"

/* Share of the whole time below which the loop does not stand for it. */
static const double loop_share = 0.75;

const char *page_option;

static bool ended;

/* What the end of the program has to tell. */
static struct {
    bool kept; /* a report, which is NULL where memory ran out */
    torre_report *report;
    torre_output *file;
    torre_page *page;
    FILE *people;
    const char *label;
    int argc; /* the command line */
    char **argv;
} last;

static void on_exit_elsewhere(void)
{
    if (ended) return;
    if (torre_output_remove_unfinished()) fprintf(stderr, "%s\n", torre_error_text());
    _exit(TORRE_ERR_RESOURCE);
}

void torre_program_start(void)
{
    torre_phase_begin();
    torre_text_names_options();
    atexit(on_exit_elsewhere);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write like any other */
}

void torre_program_version(const char *program)
{
    printf("%s %s\n%s\n", program, torre_version_text(), torre_build_text());
}

torre_status torre_program_device(const torre_option *table, const char **backend)
{
    if (!torre_options_given(table, "device")) return TORRE_OK;
    if (strcmp(*backend, "cpu") == 0 || strcmp(*backend, "reference") == 0)
        return torre_fail(TORRE_ERR_USAGE, "--device belongs to --backend cuda (got --backend %s)",
                          *backend);
    if (strcmp(*backend, "auto") == 0) *backend = "cuda";
    return TORRE_OK;
}

/* What is computed beside the time loop, too, has no more threads than --threads says. */
static void use_threads(const torre_option *table)
{
    const torre_option *option = torre_options_find(table, "threads");
    const int64_t threads = option ? *(const int64_t *)option->value : 0;
    if (threads > 0) torre_cpu_use_threads((int)threads);
}

torre_status torre_program_options(const torre_program *program, torre_option *table, int argc,
                                   char **argv, bool *done)
{
    last.argc = argc;
    last.argv = argv;
    TORRE_TRY(torre_options_parse(table, argc, argv, NULL, 0, NULL));
    *done = torre_options_given(table, "help") || torre_options_given(table, "version") ||
            torre_options_given(table, "examples");
    const torre_option *backend = torre_options_find(table, "backend");
    if (!*done) {
        TORRE_TRY(torre_config_apply(table));
        if (backend) TORRE_TRY(torre_program_device(table, backend->value));
        use_threads(table);
        *done = config_options.dump;
        if (*done) torre_config_dump(program->name, table, stdout);
        return TORRE_OK;
    }
    if (torre_options_given(table, "version")) {
        torre_program_version(program->name);
        return TORRE_OK;
    }
    if (torre_options_given(table, "examples")) {
        torre_examples_show(program->examples);
        return TORRE_OK;
    }
    puts(program->usage);
    if (program->examples) torre_examples_help(program->examples);
    torre_options_help(table, stdout);
    if (program->notes) puts(program->notes);
    return TORRE_OK;
}

torre_status torre_program_idle(const char *program, const torre_option *table, const char *option,
                                const char *belongs, const char *asked, const char *takes,
                                bool quiet)
{
    if (strcmp(takes, belongs) == 0 || !torre_options_given(table, option)) return TORRE_OK;
    if (strcmp(asked, "auto") != 0)
        return torre_fail(TORRE_ERR_USAGE, "--%s belongs to --backend %s (got --backend %s)",
                          option, belongs, asked);
    if (!quiet)
        fprintf(stderr,
                "%s: warning: --%s belongs to --backend %s; this run takes the %s backend\n",
                program, option, belongs, takes);
    return TORRE_OK;
}

torre_status torre_program_open_report(const char *json, torre_output **file)
{
    static const char *const pages[] = {".html", ".htm", NULL};
    if (page_option && torre_file_ending(page_option, pages, false) < 0)
        return torre_fail(TORRE_ERR_USAGE, "--report must end in .html (got %s)", page_option);
    if (page_option && json && torre_output_same(page_option, json))
        return torre_fail(TORRE_ERR_USAGE, "--report and --json both write %s", json);
    if (json) TORRE_TRY(torre_output_open(json, file));
    return page_option ? torre_page_open(page_option, last.argc, last.argv, &last.page) : TORRE_OK;
}

bool torre_program_wants_report(const torre_output *file) { return file || last.page; }

torre_page *torre_program_page(void) { return last.page; }

void torre_program_keep_report(torre_report *report, torre_output **file)
{
    torre_report_free(last.report);
    last.report = report;
    last.file = *file;
    *file = NULL;
    last.kept = torre_program_wants_report(last.file);
    if (last.kept) return;
    torre_report_free(report);
    last.report = NULL;
}

void torre_program_tell_time(FILE *people, const char *label)
{
    last.people = people;
    last.label = label;
}

static void tell_time(const double seconds[TORRE_PHASES], double sum)
{
    char whole[32], loop[32];
    if (!last.people || seconds[TORRE_PHASE_LOOP] >= loop_share * sum) return;
    torre_format_seconds(sum, whole, sizeof whole);
    torre_format_seconds(seconds[TORRE_PHASE_LOOP], loop, sizeof loop);
    fprintf(last.people, "%s%s, of which %s in the time loop\n", last.label, whole, loop);
}

static torre_status write_json(void)
{
    torre_status status = torre_report_write(last.report, torre_output_stream(last.file));
    if (status)
        status = torre_fail(status, "%s: %s", torre_output_path(last.file), torre_error_text());
    return torre_output_finish(&last.file, status);
}

/* The report that was kept, to its file and to the page. */
static torre_status write_report(const double seconds[TORRE_PHASES], torre_status status)
{
    torre_report *time = torre_report_object(last.report, "time_s");
    for (int p = 0; p < TORRE_PHASES; p++)
        torre_report_real(time, torre_phase_name((torre_phase)p), seconds[p]);
    if (last.file) {
        const torre_status written = write_json();
        if (written) status = written;
    }
    return torre_page_finish(&last.page, last.report, status);
}

int torre_program_end(const char *program, torre_status status)
{
    double seconds[TORRE_PHASES];
    const double sum = torre_phase_seconds(seconds);
    tell_time(seconds, sum);
    if (last.kept) status = write_report(seconds, status);
    torre_page_discard(last.page);
    torre_report_free(last.report);
    last.report = NULL;
    if (!ferror(stdout)) errno = 0; /* else it says why a write before failed */
    int bad = ferror(stdout) | fflush(stdout);
    if (bad && !status) status = torre_fail_errno("cannot write to standard output");
    if (status) fprintf(stderr, "%s: %s\n", program, torre_error_text());
    ended = true;
    return (int)status;
}

void torre_program_pictures(const char *program, const char *style)
{
    const char *lacking;
    torre_picture_scale(style, &lacking);
    if (lacking) fprintf(stderr, "%s: warning: %s\n", program, lacking);
}

FILE *torre_program_people(const char *json)
{
    return json && strcmp(json, "-") == 0 ? stderr : stdout;
}
