/* The program `doctor`: what this machine can run, and whether it computes the right numbers. */
#include <stdio.h>

#include "cli/doctor_text.h"
#include "cli/program.h"

typedef struct doctor_settings {
    const char *backend, *json;
    int64_t device, threads;
    bool quiet, help, version;
} doctor_settings;

static void print_help(const torre_option *table)
{
    puts("Usage: doctor [OPTION]...\n"
         "Tell what this machine can run and why not more: processor, memory, GPU, driver.\n"
         "Then compare every engine, on the CPU and on the GPU, with the plain reference.");
    torre_options_help(table, stdout);
    puts("\n"
         "Exit codes: 0 sound, 2 bad usage, 3 unwritable file, 4 wrong numbers, or --backend cuda\n"
         "where no GPU can be used.");
}

int main(int argc, char **argv)
{
    doctor_settings s = {.backend = "auto"};
    torre_option table[] = {
        {.name = "Where", .kind = TORRE_OPTION_GROUP},
        {.name = "backend",
         .kind = TORRE_OPTION_TEXT,
         .value = &s.backend,
         .metavar = "auto|cpu|cuda",
         .help = "cuda: fail where no GPU can be used"},
        {.name = "device",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s.device,
         .low = 0,
         .high = 1023,
         .help = "number of the GPU; with it auto is cuda"},
        {.name = "threads",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s.threads,
         .low = 1,
         .high = 4096,
         .word = "auto",
         .help = "of the CPU; auto obeys OMP_NUM_THREADS"},
        {.name = "Program", .kind = TORRE_OPTION_GROUP},
        {.name = "json",
         .kind = TORRE_OPTION_TEXT,
         .value = &s.json,
         .metavar = "FILE|-",
         .help = "report; - is standard output, the tables then go to standard error"},
        {.name = "quiet",
         .kind = TORRE_OPTION_FLAG,
         .value = &s.quiet,
         .help = "no tables, the exit code only"},
        {.name = "help",
         .kind = TORRE_OPTION_FLAG,
         .value = &s.help,
         .stops = true,
         .help = "show this help"},
        {.name = "version",
         .kind = TORRE_OPTION_FLAG,
         .value = &s.version,
         .stops = true,
         .help = "show the version"},
        {0},
    };
    torre_program_start();
    torre_status status = torre_options_parse(table, argc, argv, NULL, 0, NULL);
    if (!status && s.help) {
        s = (doctor_settings){.backend = "auto"}; /* the help shows defaults */
        print_help(table);
    } else if (!status && s.version) {
        torre_program_version("doctor");
    } else if (!status) {
        status = torre_program_device(table, &s.backend);
        if (!status)
            status = doctor_run("doctor", s.backend, (int)s.threads, (int)s.device, s.json, s.quiet,
                                table);
    }
    return torre_program_end("doctor", status);
}
