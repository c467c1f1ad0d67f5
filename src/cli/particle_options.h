/* What `md` is told whatever the model: where and how to compute, what to write. */
#ifndef TORRE_PARTICLE_OPTIONS_H
#define TORRE_PARTICLE_OPTIONS_H

#include "cli/checkpoint_options.h"
#include "cli/option_rows.h"
#include "run/particle_files.h"
#include "run/particle_means.h"

typedef struct particle_options {
    torre_particle_wishes files;
    const char *json;
    const char *movie; /* NULL: none */
    torre_particle_means means;
    torre_checkpoint_options checkpoint;
    /* the program itself */
    bool dry_run, quiet, help, version;
} particle_options;

extern const char *const particle_precisions[]; /* choices of --precision */

/* Rows of the option table, o being the name of a particle_options. */
#define PARTICLE_BACKEND_ROWS(o)                                                                   \
    OPTION_TEXT("backend", &(o).means.backend, "auto|cpu|cuda", NULL,                              \
                "auto takes the GPU where there is one; reference, for Lennard-Jones and "         \
                "granular particles, sums over all pairs"),                                        \
        OPTION_DEVICE(&(o).means.device),                                                          \
        OPTION_TEXT("devices", &(o).means.devices, "N[,N...]|all", "as --device",                  \
                    "GPUs of this machine that share the particles, each a run of bins along the " \
                    "curve of --ordering"),                                                        \
        OPTION_AUTO_COUNT("threads", &(o).means.threads, 1, 4096, 0,                               \
                          "CPU threads; auto obeys OMP_NUM_THREADS, without it one for each "      \
                          "1000 particles at most"),                                               \
        OPTION_CHOICE("precision", &(o).means.precision, particle_precisions,                      \
                      "auto is f64 on the CPU and f32 on the GPU; mixed computes in f32 and "      \
                      "sums in f64")
#define PARTICLE_ORDERING_ROWS(o)                                                                  \
    OPTION_TEXT("ordering", &(o).means.ordering, "auto|none|NAME", NULL,                           \
                TORRE_ORDERING_HELP("; of particles in memory, by their bins; none leaves them "   \
                                    "as they came")),                                              \
    {                                                                                              \
        .name = "sort-every", .kind = TORRE_OPTION_INTEGER, .value = &(o).means.sort_every,        \
        .low = 1, .high = OPTION_BIG, .word = "auto", .word_value = TORRE_MD_MEASURED,             \
        .metavar = "N|auto", .default_text = "every rebuild",                                      \
        .help = "steps between sorts, rounded up to a rebuild; auto measures what costs "          \
                "least on the way (on the cpu)"                                                    \
    }
#define PARTICLE_BLOCK_ROW(o)                                                                      \
    OPTION_AUTO_COUNT("block", &(o).means.block, 32, 1024, 0, "threads of a GPU block")
#define PARTICLE_FRAME_ROWS(o)                                                                     \
    OPTION_COUNT("frame-every", &(o).files.frame_every, 0,                                         \
                 "rows between pictures frame_0000.png, frame_0001.png, ..., whose colours "       \
                 "mean the same in all; 0 for none"),                                              \
        OPTION_TEXT("movie", &(o).movie, "FILE.mp4|.gif|.webp", "",                                \
                    "the pictures of --frame-every, without it those of all rows, as a movie, 12 " \
                    "a second; by the program ffmpeg")
#define PARTICLE_OTHER_ROWS(o)                                                                     \
    OPTION_GROUP("Stopping and going on"),                                                         \
        CHECKPOINT_ROWS(&(o).checkpoint, "; --steps may be more"), OPTION_GROUP("Other"),          \
        OPTION_FLAG("dry-run", &(o).dry_run, "check everything and tell what the run would take"), \
        CONFIG_ROWS, OPTION_FLAG("quiet", &(o).quiet, "neither table nor progress; errors only"),  \
        EXAMPLES_ROW, OPTION_STOP("help", &(o).help, "show this help"),                            \
        OPTION_STOP("version", &(o).version, "show version and build")

/* The last lines of --help. unstable: what exit code 5 stands for, a string literal. */
#define PARTICLE_EXIT_CODES(unstable)                                                              \
    "\n"                                                                                           \
    "Exit codes: 0 done, 2 bad usage, 3 bad or unwritable file, 4 out of memory or no device,\n"   \
    "5 " unstable ",\n"                                                                            \
    "75 stopped by a signal or --max-time after writing the results so far."

/* Options that mean nothing to the backend that will compute (torre_program_idle). */
torre_status particle_check_idle(const particle_options *options, const torre_option *table,
                                 const char *backend);

#endif
