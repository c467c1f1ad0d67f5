/* locality: what an ordering does to memory, before anything runs. */
#include <string.h>

#include "cli/locality.h"
#include "cli/program.h"

static const struct {
    const char *name;
    torre_status (*run)(int argc, char **argv);
} subcommands[] = {
    {"curve", locality_curve}, {"stencil", locality_stencil}, {"offsets", locality_offsets},
    {"cache", locality_cache}, {"hits", locality_hits},       {"recommend", locality_recommend},
    {"tower", locality_tower},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static const char tutorial[] =
    "Usage: locality SUBCOMMAND [OPTION...]\n"
    "\n"
    "Bins of particles, tiles of a grid: whatever is computed cell by cell, with data\n"
    "from the cells around, can be stored and visited in many orders. How much of the\n"
    "data is still in the cache when it is needed again depends on the order.\n"
    "`locality` tells how much, before anything runs.\n"
    "\n"
    "1. See the orderings.\n"
    "\n"
    "     locality curve --ordering hilbert --size 16x16 --plot hilbert.png\n"
    "     locality curve --ordering pancake --size 16x16x4 --plot pancake.png\n"
    "\n"
    "   The Hilbert curve goes from neighbour to neighbour, Morton jumps, the Moore\n"
    "   curve closes on itself, Peano divides by three, the pancake fits flat boxes.\n"
    "   Every box will do; outside the exact sizes the curve of the next larger domain\n"
    "   is followed and the cells outside are left out.\n"
    "\n"
    "2. See what a cell reads.\n"
    "\n"
    "     locality stencil --stencil spherical --reach 2\n"
    "\n"
    "   The bins within reach of a bin: a block, or those that a sphere touches.\n"
    "\n"
    "3. See how far apart in memory that is.\n"
    "\n"
    "     locality offsets --ordering row-major,morton,hilbert --size 16\n"
    "\n"
    "   Curves bring most neighbours nearer, and some very far away: 82 % of the reads\n"
    "   are within 199 bins along the Hilbert curve and 33 % in row-major order, but\n"
    "   then row-major has all within 273.\n"
    "\n"
    "4. See what that does to a cache.\n"
    "\n"
    "     locality cache --ordering row-major,morton,hilbert --size 64 --block 8 \\\n"
    "         --plot cache.png\n"
    "\n"
    "   Exact misses of an LRU cache, for all capacities at once. Row-major falls in\n"
    "   steps, whenever another row, then another slab fits; the curves fall evenly.\n"
    "   Which one is lowest depends on the capacity.\n"
    "\n"
    "5. See how it decays when particles move.\n"
    "\n"
    "     locality hits --ordering none,row-major,hilbert --size 64x64 --gas elastic \\\n"
    "         --steps 2000 --plot decay.png\n"
    "\n"
    "6. Ask for advice.\n"
    "\n"
    "     locality recommend --size 64 --cache 48K --bin-bytes 128\n"
    "\n"
    "   And then ask the machine, which may fetch ahead what the model counts as a miss:\n"
    "   bench_gather, in the build folder, times reads of stencils in every ordering.\n"
    "\n"
    "7. See the towers by which waves are computed, and the order in which they run.\n"
    "\n"
    "     locality tower --view neighbours --plot neighbours.png\n"
    "     locality tower --view stages --size 48x48 --ordering hilbert --plot stages.png\n"
    "\n"
    "`locality SUBCOMMAND --help` lists the options: every subcommand prints a table,\n"
    "and writes CSV (--csv), JSON (--json) and pictures (--plot, by gnuplot; the script\n"
    "is kept). The JSON of curve, offsets, cache and hits has a list \"orderings\" with an\n"
    "entry for each, also where it is only one, and the members of the first entry beside\n"
    "it; that of recommend a list \"ranking\".\n"
    "`locality --examples` shows commands alone, `locality --version` the version.\n";

static const torre_example examples[] = {
    {"The Hilbert curve through 16 x 16 cells, drawn",
     "locality curve --ordering hilbert --size 16x16 --plot hilbert.png"},
    {"Bins that a particle's neighbours are in", "locality stencil --stencil spherical --reach 2"},
    {"How far apart in memory neighbours lie, of three orderings",
     "locality offsets --ordering row-major,morton,hilbert --size 16"},
    {"Misses of a cache of any capacity",
     "locality cache --ordering row-major,morton,hilbert --size 64 --block 8 --plot cache.png"},
    {"How an ordering wears out while particles move",
     "locality hits --ordering none,row-major,hilbert --size 64x64 --gas elastic --steps 2000 \\\n"
     "    --plot decay.png"},
    {"The ordering for a cache of 48 KiB",
     "locality recommend --size 64 --cache 48K --bin-bytes 128"},
    {"The towers of a wave, and the order in which they run",
     "locality tower --view stages --size 48x48 --ordering hilbert --plot stages.png"},
    {0},
};

torre_status locality_run(locality_job *job, torre_option *table, int argc, char **argv)
{
    const torre_program program = {"locality", job->usage, NULL, NULL};
    torre_study *study = &job->study;
    bool done, drawn;
    TORRE_TRY(torre_program_options(&program, table, argc, argv, &done));
    if (done) return TORRE_OK;
    study->people = job->quiet ? NULL : stdout;
    torre_status status = torre_study_run(study);
    if (study->report) torre_report_options(study->report, table);
    TORRE_TRY(torre_study_finish(study, status));
    torre_program_keep_report(study->report, &study->json);
    TORRE_TRY(torre_study_draw(study, &drawn));
    if (!drawn && !job->quiet)
        fprintf(stderr,
                "locality: gnuplot is not installed, so %s was not drawn; the script is %s\n",
                study->plot, study->script_path);
    return TORRE_OK;
}

static torre_status unknown(const char *name)
{
    char text[256];
    const char *names[SUBCOMMANDS + 1] = {NULL};
    for (int i = 0; i < SUBCOMMANDS; i++) names[i] = subcommands[i].name;
    torre_join_choices(names, text, sizeof text);
    if (!name)
        return torre_fail(TORRE_ERR_USAGE,
                          "a subcommand is missing: %s (locality --help is a short tutorial)",
                          text);
    return torre_fail(TORRE_ERR_USAGE, "the subcommand must be %s (got %s)", text, name);
}

static torre_status run(int argc, char **argv)
{
    if (argc < 2) return unknown(NULL);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(tutorial, stdout);
        return TORRE_OK;
    }
    if (strcmp(argv[1], "--examples") == 0) {
        torre_examples_show(examples);
        return TORRE_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        torre_program_version("locality");
        return TORRE_OK;
    }
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(argv[1], subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    return unknown(argv[1]);
}

int main(int argc, char **argv)
{
    torre_program_start();
    return torre_program_end("locality", run(argc, argv));
}
