/* What all main programs do at their beginning and end. Only programs print and exit. */
#ifndef TORRE_PROGRAM_H
#define TORRE_PROGRAM_H

#include <stdio.h>

#include "cli/examples_option.h"
#include "core/options.h"
#include "core/report.h"
#include "core/status.h"
#include "io/output_file.h"
#include "report/page.h"

/*
 * First thing in main: from here on the phases of the process are timed (core/phase.h). A library
 * that ends the process by itself, as libgomp does where it gets no memory or no thread (it says so
 * on standard error), then leaves no temporary files, and the exit code is that of
 * TORRE_ERR_RESOURCE.
 */
void torre_program_start(void);

/* --version: "wave 0.1.0 (1a2b3c4d)" and how it was built. */
void torre_program_version(const char *program);

/* What --help shows before the table of options and after it (NULL: nothing); of examples, which
 * may be NULL, it shows a few. */
typedef struct torre_program {
    const char *name, *usage, *notes;
    const torre_example *examples;
} torre_program;

/*
 * A GPU that --device names is to be there: *backend, "auto" or what --backend says, becomes "cuda"
 * where --device is given. TORRE_ERR_USAGE where it says another.
 */
torre_status torre_program_device(const torre_option *table, const char **backend);

/*
 * Parse the command line and the file of --config into the variables of the table, look at
 * --device where it has that, and take no more threads than --threads says. *done: it was --help,
 * --examples, --version or --dump-config, which are answered here.
 */
torre_status torre_program_options(const torre_program *program, torre_option *table, int argc,
                                   char **argv, bool *done);

/*
 * An option that means something to the backend `belongs` alone, and not to the one that a run
 * `takes`: TORRE_ERR_USAGE where --backend (`asked`) names that, a warning where it was chosen
 * automatically.
 */
torre_status torre_program_idle(const char *program, const torre_option *table, const char *option,
                                const char *belongs, const char *asked, const char *takes,
                                bool quiet);

/*
 * Before the run: open the files that a report goes to, *file for json where that is not NULL, and
 * the page of --report. Where there is neither, no report is wanted.
 */
torre_status torre_program_open_report(const char *json, torre_output **file);
bool torre_program_wants_report(const torre_output *file);

/* The page, for what is shown beside the report; NULL where none is wanted. */
torre_page *torre_program_page(void);

/*
 * Keep a report and its file, both taken over (*file becomes NULL), for torre_program_end, which
 * adds "time_s", the seconds of each phase, and writes it, and the page of --report. Without either
 * the report is freed.
 */
void torre_program_keep_report(torre_report *report, torre_output **file);

/*
 * Let torre_program_end tell people (NULL: nobody) where the time went, in a line that begins with
 * label, if the time loop had less than three quarters of it.
 */
void torre_program_tell_time(FILE *people, const char *label);

/*
 * Exit code for main: writes the report that was kept, and prints the one line "program: text of
 * the failure" on standard error unless status is TORRE_OK. The last thing in main. What standard
 * output holds must have been written, too: a full disk behind it turns success into
 * TORRE_ERR_INPUT.
 */
int torre_program_end(const char *program, torre_status status);

/* Say on standard error where this build cannot draw pictures of that style. */
void torre_program_pictures(const char *program, const char *style);

/* Where people read: standard output, unless json, the file of the report or NULL, is "-". */
FILE *torre_program_people(const char *json);

#endif
