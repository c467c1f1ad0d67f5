/* The program `doctor`: what this machine can run, and whether it computes the right numbers. */
#include "cli/doctor_run.h"
#include "cli/option_rows.h"
#include "cli/program.h"

typedef struct doctor_settings {
    const char *backend, *json;
    int64_t device, threads;
    bool no_rates, quiet, help, version;
} doctor_settings;

static const torre_example examples[] = {
    {"What this machine can run, how right and how fast, and what would help", "doctor"},
    {"The same to send to somebody", "doctor --json doctor.json"},
    {"In a script: whether all is sound, in a few seconds", "doctor --quiet"},
    {"Whether a GPU can be used, and if not, why", "doctor --backend cuda --no-rates"},
    {0},
};

static const torre_program doctor = {
    "doctor",
    "Usage: doctor [OPTION]...\n"
    "Tell what this machine can run and why not more: processor, memory, GPU, driver.\n"
    "Then compare every engine, on the CPU and on the GPU, with the plain reference, measure\n"
    "how fast waves are beside what this machine should do, and advise.",
    "\n"
    "Exit codes: 0 sound, 2 bad usage, 3 unwritable file, 4 wrong numbers, or --backend cuda\n"
    "where no GPU can be used.",
    examples};

int main(int argc, char **argv)
{
    doctor_settings s = {.backend = "auto"};
    torre_option table[] = {
        OPTION_GROUP("Where"),
        OPTION_BACKEND(&s.backend, "cuda: fail where no GPU can be used"),
        OPTION_DEVICE(&s.device),
        OPTION_THREADS(&s.threads, "of the CPU; auto obeys OMP_NUM_THREADS"),
        OPTION_FLAG("no-rates", &s.no_rates, "measure no rates, which takes some ten seconds"),
        OPTION_GROUP("Program"),
        OPTION_TEXT("json", &s.json, "FILE|-", NULL,
                    "report; - is standard output, the tables then go to standard error"),
        CONFIG_ROWS,
        OPTION_FLAG("quiet", &s.quiet, "no tables, the exit code only"),
        EXAMPLES_ROW,
        OPTION_HELP(&s.help),
        OPTION_STOP("version", &s.version, "show the version"),
        {0},
    };
    bool done;
    torre_program_start();
    torre_status status = torre_program_options(&doctor, table, argc, argv, &done);
    if (!status && !done)
        status = doctor_run("doctor", s.backend,
                            (torre_examination){.threads = (int)s.threads,
                                                .device = (int)s.device,
                                                .rates = !s.no_rates},
                            s.json, s.quiet, table);
    return torre_program_end("doctor", status);
}
