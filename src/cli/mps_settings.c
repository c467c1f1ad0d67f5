#include "cli/mps_settings.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tiling/ordering.h"

static const char *const models[] = {"mps", NULL};
static const char *const dimensions[] = {"2", "3", NULL};
static const char *const sizes[] = {"small", "medium", "large", NULL};
static const char *const precisions[] = {"auto", "f32", "f64", "mixed", NULL};

static const char *const *ordering_choices(void)
{
    static const char *names[TORRE_ORDERING_KINDS + 3] = {"auto", "none"};
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++)
        names[2 + k] = torre_ordering_name((torre_ordering_kind)k);
    return names;
}

static const mps_settings defaults = {
    .dimensions = 3,
    .column = {0.1, 0.2},
    .tank = {0.4, 0.4, 0.08},
    .density = 1000,
    .viscosity = 1e-6,
    .gravity = 9.81,
    .surface = 0.97,
    .time = 0.5,
    .steps = -1,
    .thermo = -1,
    .front = "front.csv",
    .picture = "dam_break.png",
    .output = ".",
    .backend = "auto",
};

static const double big = 1e12;

#define REAL(option, variable, least, above, letter, text)                                         \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .low = least,                \
        .above_low = above, .high = 1e9, .metavar = letter, .help = text                           \
    }
#define AUTO_REAL(option, variable, letter, text)                                                  \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .low = 0, .above_low = true, \
        .high = 1e9, .word = "auto", .metavar = letter "|auto", .help = text                       \
    }
#define COUNT(option, variable, least, text)                                                       \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .low = least,             \
        .high = big, .metavar = "N", .help = text                                                  \
    }
#define AUTO_COUNT(option, variable, least, letter, instead, text)                                 \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .low = least,             \
        .high = big, .word = "auto", .word_value = instead, .metavar = letter "|auto",             \
        .help = text                                                                               \
    }
#define TEXT(option, variable, letter, usual, text)                                                \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_TEXT, .value = variable, .metavar = letter,           \
        .default_text = usual, .help = text                                                        \
    }
#define FLAG(option, variable, text)                                                               \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_FLAG, .value = variable, .help = text                 \
    }
#define CHOICE(option, variable, list, text)                                                       \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_CHOICE, .value = variable, .choices = list,           \
        .help = text                                                                               \
    }
#define LENGTHS(option, variable, count, letter, usual, text)                                      \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_VECTOR, .value = variable, .low = 0,                  \
        .above_low = true, .high = 1e6, .counts = count, .metavar = letter, .default_text = usual, \
        .help = text                                                                               \
    }
#define GROUP(title)                                                                               \
    {                                                                                              \
        .name = title, .kind = TORRE_OPTION_GROUP                                                  \
    }

void mps_settings_init(mps_settings *s, torre_option *table)
{
    *s = defaults;
    const torre_option list[] = {
        GROUP("Water"),
        CHOICE("model", &s->model, models, "the moving-particle method"),
        {.name = "dimensions",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->dimensions,
         .choices = dimensions,
         .help = "2: one layer of particles in the x-y plane"},
        CHOICE("size", &s->size, sizes,
               "data set: spacing 1/19, 1/45 or 1/105 of 0.1 m, about 25, 225 or 2,280 thousand "
               "particles"),
        AUTO_REAL("spacing", &s->spacing, "M",
                  "of the particles at the start; auto as --size says"),
        LENGTHS("column", s->column, TORRE_COUNT_2, "L,H", "0.1,0.2",
                "width and height of the water"),
        LENGTHS("tank", s->tank, TORRE_COUNT_3, "X,Y,Z", "0.4,0.4,0.08",
                "length, height and depth of the closed tank"),
        FLAG("side-walls", &s->side_walls, "walls at both ends of z, too, instead of periodic"),
        AUTO_REAL("influence", &s->influence, "R",
                  "radius of influence in spacings, 1.5 to 4; auto is 2.1 in 2-D, 2.35 in 3-D"),
        REAL("fluid-density", &s->density, 0, true, "RHO", "kg/m^3"),
        REAL("viscosity", &s->viscosity, 0, false, "NU", "kinematic, m^2/s"),
        REAL("gravity", &s->gravity, 0, false, "G", "m/s^2"),
        AUTO_REAL("sound-speed", &s->sound_speed, "C",
                  "m/s; auto is ten times sqrt(2 g H), the fastest a fall from the top can be"),
        REAL("surface", &s->surface, 0, true, "BETA",
             "particles with less than this part of the number density are free surface"),

        GROUP("Time"),
        REAL("time", &s->time, 0, true, "S", "seconds to compute"),
        AUTO_COUNT("steps", &s->steps, 0, "N", -1, "time steps; auto as --time says"),
        AUTO_REAL("dt", &s->dt, "S", "time step; auto is 0.9 of the Courant limit"),

        GROUP("Output"),
        AUTO_COUNT("thermo", &s->thermo, 0, "N", -1,
                   "steps between rows of the table and of the CSV files; 0 for first and last "
                   "only, auto makes a hundred"),
        TEXT("front", &s->front, "FILE|none", NULL,
             "the front as CSV: t, x, x/L, t sqrt(2g/L), x from the left wall"),
        TEXT("gauges", &s->gauges, "X,Y,Z[;...]", "",
             "points in the tank where the pressure goes to gauges.csv (2-D: X,Y)"),
        TEXT("csv", &s->csv, "FILE", "", "the table as CSV"),
        TEXT("dump", &s->dump, "FILE", "",
             "extended XYZ with kind, velocity, pressure and number density; compressed for .gz"),
        COUNT("dump-every", &s->dump_every, 0,
              "rows between its frames, from step 0; 0 for the last state only"),
        COUNT("frame-every", &s->frame_every, 0,
              "rows between pictures frame_0000.png, frame_0001.png, ...; 0 for none"),
        TEXT("picture", &s->picture, "FILE.png|none", NULL, "picture of the last state"),
        TEXT("output", &s->output, "DIR", NULL,
             "directory of all these but --csv, --dump and --json, made where missing"),
        TEXT("json", &s->json, "FILE|-", "", "write the report as JSON"),

        GROUP("How to compute"),
        TEXT("backend", &s->backend, "auto|cpu|cuda", NULL,
             "auto takes the GPU where there is one"),
        COUNT("device", &s->device, 0, "number of the GPU"),
        AUTO_COUNT("threads", &s->threads, 1, "N", 0, "CPU threads; auto obeys OMP_NUM_THREADS"),
        CHOICE("precision", &s->precision, precisions,
               "auto is f64 on the CPU and f32 on the GPU; mixed computes weights in f32 and sums "
               "in f64"),
        AUTO_REAL("skin", &s->skin, "D", "in spacings: particles are looked for that much further"),
        AUTO_COUNT("rebuild-every", &s->rebuild_every, 1, "N", 0,
                   "steps between rebuilds of bins and lists; auto rebuilds when a particle has "
                   "moved half the skin"),
        CHOICE("ordering", &s->ordering, ordering_choices(),
               "order of particles in memory: by bins along this curve; none leaves them as they "
               "came"),
        AUTO_COUNT("sort-every", &s->sort_every, 1, "N", 0,
                   "steps between sorts, rounded up to a rebuild; auto is every rebuild"),
        {.name = "block",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->block,
         .low = 32,
         .high = 1024,
         .word = "auto",
         .metavar = "N|auto",
         .help = "threads of a GPU block"},

        GROUP("Other"),
        FLAG("dry-run", &s->dry_run, "check everything and tell what the run would take"),
        FLAG("quiet", &s->quiet, "neither table nor progress; errors only"),
        {.name = "help",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->help,
         .stops = true,
         .help = "show this help"},
        {.name = "version",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->version,
         .stops = true,
         .help = "show version and build"},
        {0}};
    _Static_assert(sizeof list / sizeof list[0] <= MPS_OPTIONS, "the table of options is short");
    memcpy(table, list, sizeof list);
}

void mps_help(const torre_option *table)
{
    puts("Usage: md --model mps [OPTION]...\n"
         "Collapse of a water column by the explicit moving-particle (MPS) method.\n"
         "\n"
         "Examples:\n"
         "  md --model mps --dimensions 2 --spacing 0.002 --output dam2d\n"
         "  md --model mps --gauges '0.4,0.01,0.04;0.4,0.05,0.04' --frame-every 10 --output dam\n"
         "  md --model mps --size large --steps 200 --backend cuda --json run.json");
    torre_options_help(table, stdout);
    puts(
        "\n"
        "SI units; x along the tank from its left wall, y up from its floor, z across.\n"
        "\n"
        "Exit codes: 0 done, 2 bad usage, 3 bad or unwritable file, 4 out of memory or no device,\n"
        "5 unstable (a time step above the Courant limit, too), 75 stopped by a signal after\n"
        "writing the results so far.");
}
