#include "cli/roofline_settings.h"

#include <string.h>

static const char *const programs[] = {"wave", "md", NULL};
static const char *const precisions[] = {"f32", "f64", NULL};

static const roofline_settings defaults = {.backend = "auto"};

void roofline_settings_init(roofline_settings *s, torre_option *table)
{
    *s = defaults;
    const torre_option list[] = {
        {.name = "What to measure", .kind = TORRE_OPTION_GROUP},
        {.name = "program",
         .kind = TORRE_OPTION_CHOICE,
         .value = &s->program,
         .choices = programs,
         .help = "waves: orders, tile sizes, tower heights, orderings, engines; or particles: ways "
                 "to find pairs, orderings"},
        {.name = "order",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->order,
         .metavar = "LIST",
         .default_text = "2,4,6,8",
         .help = "orders of accuracy"},
        {.name = "dts",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->dts,
         .metavar = "LIST",
         .default_text = "2,4,6,8,12,16 on a CPU, 1,2,3,4,6,8 on a GPU",
         .help = "diamond tile sizes in stencil half-widths"},
        {.name = "tower-height",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->height,
         .metavar = "LIST",
         .default_text = "64,32,16 on a CPU, 64,128,32 on a GPU",
         .help = "steps that a tower climbs, the preferred one first"},
        {.name = "ordering",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->ordering,
         .metavar = "LIST",
         .default_text = "row-major,morton,hilbert",
         .help = "orderings of the tiles, the preferred one first"},
        {.name = "engine",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->engine,
         .metavar = "LIST",
         .default_text = "stepwise,torre",
         .help = "engines"},
        {.name = "size",
         .kind = TORRE_OPTION_SIZE,
         .value = s->size,
         .low = 1,
         .high = 1 << 20,
         .counts = TORRE_COUNT_1 | TORRE_COUNT_3,
         .metavar = "NXxNYxNZ",
         .default_text = "512 on a GPU, four times the last-level cache or more on a CPU",
         .help = "cells of the grid that is timed; one number makes a cube"},
        {.name = "precision",
         .kind = TORRE_OPTION_CHOICE,
         .value = &s->precision,
         .choices = precisions,
         .help = "of fields and arithmetic"},
        {.name = "seconds",
         .kind = TORRE_OPTION_REAL,
         .value = &s->seconds,
         .low = 0,
         .above_low = true,
         .high = 1e6,
         .default_text = "240 on a CPU, 150 on a GPU, 24 with --quick",
         .help = "time for the sweep; coarse choices come first, what is left over when the time "
                 "is up stays unmeasured"},
        {.name = "quick",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->quick,
         .help = "half a minute: few tile sizes, one tower height, one ordering"},
        {.name = "ceilings",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->ceilings,
         .help = "measure the ceilings only"},

        {.name = "Where", .kind = TORRE_OPTION_GROUP},
        {.name = "backend",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->backend,
         .metavar = "auto|cpu|cuda",
         .help = "auto takes a GPU where one can be used"},
        {.name = "device",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->device,
         .low = 0,
         .high = 1023,
         .help = "number of the GPU; with it auto is cuda"},
        {.name = "threads",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->threads,
         .low = 1,
         .high = 4096,
         .word = "auto",
         .help = "of the CPU; auto obeys OMP_NUM_THREADS"},

        {.name = "Results", .kind = TORRE_OPTION_GROUP},
        {.name = "output",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->output,
         .metavar = "DIR",
         .default_text = "roofline-cpu or roofline-cuda",
         .help = "directory of sweep.csv, ceilings.csv, pictures and the scripts that draw them; "
                 "made if missing"},
        {.name = "json",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->json,
         .metavar = "FILE|-",
         .help = "report; - is standard output, the tables then go to standard error"},
        {.name = "resume",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->resume,
         .help = "keep the points that DIR/sweep.csv has already"},
        {.name = "measured",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->measured,
         .metavar = "FILE.csv",
         .help = "main-memory bytes per update that a profiler counted (bench/ncu_bytes.sh writes "
                 "the file), put beside the modelled ones"},
        {.name = "plot",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->plot,
         .metavar = "FILE.png",
         .help = "the roofline picture (--program md: that of the rates) once more, in this file"},
        {.name = "no-plot",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->no_plot,
         .help = "no pictures and no scripts"},
        {.name = "tune",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->tune,
         .help = "recommend the best tile sizes and tower heights to wave on this device, for the "
                 "orders whose tile sizes were all tried in the time; not with --quick, which "
                 "times too few"},

        {.name = "Program", .kind = TORRE_OPTION_GROUP},
        {.name = "doctor",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->doctor,
         .help = "do what the program doctor does, and nothing else"},
        {.name = "dry-run",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->dry_run,
         .help = "check everything, say how much there is to measure, and stop before it"},
        {.name = "quiet",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->quiet,
         .help = "no tables and no progress"},
        {.name = "help",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->help,
         .stops = true,
         .help = "show this help"},
        {.name = "version",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->version,
         .stops = true,
         .help = "show the version"},
        {0},
    };
    _Static_assert(sizeof list / sizeof list[0] <= ROOFLINE_OPTIONS, "table too small");
    memcpy(table, list, sizeof list);
}

void roofline_help(const torre_option *table)
{
    puts("Usage: roofline [OPTION]...\n"
         "Measure the ceilings of this machine, then how close every tile size gets to them.\n"
         "\n"
         "Needs neither root nor hardware counters. Each point is checked against the reference\n"
         "engine on a small grid before it is timed. Interrupting (Ctrl-C) loses nothing: what is\n"
         "finished is written and drawn, --resume goes on.\n"
         "\n"
         "Examples:\n"
         "  roofline --quick --plot roofline.png\n"
         "  roofline --order 8 --dts 2,3,4,5,6 --tower-height 16,24\n"
         "  roofline --program md --precision f64\n"
         "  roofline --tune");
    torre_options_help(table, stdout);
    puts(
        "\n"
        "Recommendations of --tune are kept in $XDG_CACHE_HOME/torre/tune.csv (~/.cache where\n"
        "that is not set), by device, version, precision and order; TORRE_TUNE=off in the\n"
        "environment makes wave ignore them, TORRE_TUNE=FILE names another file.\n"
        "\n"
        "Exit codes: 0 done, 2 bad usage, 3 bad or unwritable file, 4 out of memory, no device or\n"
        "wrong results, 75 stopped by a signal after writing what was finished.");
}

torre_status roofline_axes(const roofline_settings *s, const char *backend, torre_sweep_axes *axes)
{
    bool cpu = strcmp(backend, "cpu") == 0;
    const char *dts = cpu ? "2,4,6,8,12,16" : "1,2,3,4,6,8";
    const char *height = cpu ? "64,32,16" : "64,128,32";
    const char *ordering = "row-major,morton,hilbert";
    if (s->quick) {
        dts = cpu ? "4,8,16" : "2,4,6";
        height = cpu ? "16" : "64";
        ordering = "row-major";
    }
    memset(axes, 0, sizeof *axes);
    TORRE_TRY(torre_axes_read_orders(axes, "order", s->order ? s->order : "2,4,6,8"));
    TORRE_TRY(torre_axes_read_dts(axes, "dts", s->dts ? s->dts : dts));
    TORRE_TRY(torre_axes_read_heights(axes, "tower-height", s->height ? s->height : height));
    TORRE_TRY(torre_axes_read_orderings(axes, "ordering", s->ordering ? s->ordering : ordering));
    return torre_axes_read_engines(axes, "engine", s->engine ? s->engine : "stepwise,torre");
}

double roofline_seconds(const roofline_settings *s, const char *backend)
{
    if (s->seconds > 0) return s->seconds;
    if (s->quick) return 24;
    return strcmp(backend, "cpu") == 0 ? 240 : 150;
}
