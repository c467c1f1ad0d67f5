#include "cli/roofline_settings.h"

#include <string.h>

#include "cli/option_rows.h"
#include "core/orderings.h"
#include "wave/stencil.h"
static const char *const programs[] = {"wave", "md", NULL};
static const char *const precisions[] = {"f32", "f64", NULL};

static const roofline_settings defaults = {.backend = "auto"};

void roofline_settings_init(roofline_settings *s, torre_option *table)
{
    *s = defaults;
    const torre_option list[] = {
        OPTION_GROUP("What to measure"),
        OPTION_CHOICE("program", &s->program, programs,
                      "waves: orders, tile sizes, tower heights, orderings, engines; or particles: "
                      "ways to find pairs, orderings"),
        OPTION_TEXT("order", &s->lists.order, "LIST", torre_order_list, "orders of accuracy"),
        OPTION_TEXT("dts", &s->lists.dts, "LIST", "2,4,6,8,12,16 on a CPU, 1,2,3,4,6,8 on a GPU",
                    "diamond tile sizes in stencil half-widths"),
        OPTION_TEXT("tower-height", &s->lists.tower_height, "LIST",
                    "64,32,16 on a CPU, 64,128,32 on a GPU",
                    "steps that a tower climbs, the preferred one first"),
        OPTION_TEXT("ordering", &s->lists.ordering, "LIST", "row-major,morton,hilbert",
                    TORRE_ORDERING_HELP("; of the tiles, the preferred one first")),
        OPTION_TEXT("engine", &s->lists.engine, "LIST", "stepwise,torre", "engines"),
        OPTION_SIZE("size", s->size, 1 << 20, TORRE_COUNT_1 | TORRE_COUNT_3, "NXxNYxNZ",
                    "512 on a GPU, four times the last-level cache or more on a CPU",
                    "cells of the grid that is timed; one number makes a cube"),
        OPTION_CHOICE("precision", &s->precision, precisions, "of fields and arithmetic"),
        {.name = "seconds",
         .kind = TORRE_OPTION_REAL,
         .value = &s->seconds,
         .unit = TORRE_UNIT_SECOND,
         .low = 0,
         .above_low = true,
         .high = 1e6,
         .default_text = "240 on a CPU, 150 on a GPU, 24 with --quick",
         .help = "time for the sweep; coarse choices come first, what is left over when the time "
                 "is up stays unmeasured"},
        OPTION_FLAG("quick", &s->lists.quick,
                    "half a minute: few tile sizes, one tower height, one ordering"),
        OPTION_FLAG("ceilings", &s->ceilings, "measure the ceilings only"),

        OPTION_GROUP("Where"),
        OPTION_BACKEND(&s->backend, "auto takes a GPU where one can be used"),
        OPTION_DEVICE(&s->device),
        OPTION_THREADS(&s->threads, "of the CPU; auto obeys OMP_NUM_THREADS"),

        OPTION_GROUP("Results"),
        OPTION_TEXT("output", &s->output, "DIR", "roofline-cpu or roofline-cuda",
                    "directory of sweep.csv, ceilings.csv, pictures and the scripts that draw "
                    "them; made if missing"),
        OPTION_TEXT("json", &s->json, "FILE|-", NULL,
                    "report; - is standard output, the tables then go to standard error"),
        PAGE_ROW("the roofline"),
        OPTION_FLAG("resume", &s->resume, "keep the points that DIR/sweep.csv has already"),
        OPTION_TEXT("measured", &s->measured, "FILE.csv", NULL,
                    "main-memory bytes per update that a profiler counted (bench/ncu_bytes.sh "
                    "writes the file), put beside the modelled ones"),
        OPTION_TEXT(
            "plot", &s->plot, "FILE.png", NULL,
            "the roofline picture (--program md: that of the rates) once more, in this file"),
        OPTION_FLAG("no-plot", &s->no_plot, "no pictures and no scripts"),
        OPTION_FLAG("tune", &s->tune,
                    "recommend the best tile sizes and tower heights to wave on this device, for "
                    "the orders whose tile sizes were all tried in the time; not with --quick, "
                    "which times too few"),

        OPTION_GROUP("Program"),
        OPTION_FLAG("doctor", &s->doctor, "do what the program doctor does, and nothing else"),
        OPTION_FLAG("dry-run", &s->dry_run,
                    "check everything, say how much there is to measure, and stop before it"),
        CONFIG_ROWS,
        OPTION_FLAG("quiet", &s->quiet, "no tables and no progress"),
        EXAMPLES_ROW,
        OPTION_HELP(&s->help),
        OPTION_STOP("version", &s->version, "show the version"),
        {0},
    };
    _Static_assert(sizeof list / sizeof list[0] <= ROOFLINE_OPTIONS, "table too small");
    memcpy(table, list, sizeof list);
}

static const torre_example examples[] = {
    {"The ceilings of this machine, and a few tile sizes: half a minute",
     "roofline --quick --plot roofline.png"},
    {"The same on a page for a browser, whose points say what they are",
     "roofline --quick --report roofline.html"},
    {"Some tiles of one order", "roofline --order 8 --dts 2,3,4,5,6 --tower-height 16,24"},
    {"All tiles, the best of which wave takes from then on", "roofline --tune"},
    {"Particles: every way to find pairs, in every ordering",
     "roofline --program md --precision f64"},
    {"The ceilings alone", "roofline --ceilings --json ceilings.json"},
    {0},
};

const torre_program roofline_program = {
    "roofline",
    "Usage: roofline [OPTION]...\n"
    "Measure the ceilings of this machine, then how close every tile size gets to them.\n"
    "\n"
    "Needs neither root nor hardware counters. Each point is checked against the reference\n"
    "engine on a small grid before it is timed. Interrupting (Ctrl-C) loses nothing: what is\n"
    "finished is written and drawn, --resume goes on.",
    "\n"
    "Recommendations of --tune are kept in $XDG_CACHE_HOME/torre/tune.csv (~/.cache where\n"
    "that is not set), by device, version, precision and order; TORRE_TUNE=off in the\n"
    "environment makes wave ignore them, TORRE_TUNE=FILE names another file.\n"
    "\n"
    "Exit codes: 0 done, 2 bad usage, 3 bad or unwritable file, 4 out of memory, no device or\n"
    "wrong results, 75 stopped by a signal after writing what was finished.",
    examples};

torre_status roofline_check_plot(const roofline_settings *s)
{
    const size_t length = s->plot ? strlen(s->plot) : 0;
    if (!s->plot) return TORRE_OK;
    if (length < 5 || strcmp(s->plot + length - 4, ".png") != 0)
        return torre_fail(TORRE_ERR_USAGE, "--plot must end in .png (got %s)", s->plot);
    if (s->no_plot) return torre_fail(TORRE_ERR_USAGE, "--plot and --no-plot exclude each other");
    return TORRE_OK;
}
