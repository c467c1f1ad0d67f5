#include "cli/md_settings.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "md/md.h"

static const char *const ensembles[] = {"nve", "langevin", "berendsen", NULL};
static const char *const precisions[] = {"auto", "f32", "f64", "mixed", NULL};
static const char *const neighbors[] = {"auto", "full", "half", "tile", NULL};
static const char *const stencils[] = {"auto", "block", "spherical", NULL};

static const char *const contacts[] = {"linear", "hertz", NULL};
static const char *const gases[] = {"inelastic", "elastic", "ideal", NULL};

#define MODEL_CHOICE(name) #name,
/* mps never comes here (mps_main.h), but is to be named where another is refused. */
static const char *const models[] = {TORRE_PAIR_LIST(MODEL_CHOICE) "mps", NULL};

/* "auto", "none" and the names of all orderings of boxes. */
static const char *const *ordering_choices(void)
{
    static const char *names[TORRE_ORDERING_KINDS + 3] = {"auto", "none"};
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++)
        names[2 + k] = torre_ordering_name((torre_ordering_kind)k);
    return names;
}

static const double big = 1e12; /* bound of counts, far below what overflows */

static const md_settings defaults = {
    .cells = {20, 20, 20},
    .density = 0.8442,
    .temperature = 1.44,
    .seed = 87287,
    .epsilon = 1,
    .sigma = 1,
    .cutoff = 2.5,
    .size = {32, 32, 32},
    .filling = 0.2,
    .diameter = 1e-3,
    .mass = 1.3e-6,
    .stiffness = 1000,
    .restitution = 0.8,
    .wall_restitution = 0.9,
    .start_sweeps = 40,
    .profile_every = 100,
    .profile_slices = 50,
    .steps = 100,
    .dt = 0.005,
    .target_temperature = -1,
    .damping = 1,
    .thermo = 100,
    .picture = "md.png",
    .output = ".",
    .backend = "auto",
    .skin = 0.3,
};

/* Options whose values are positive numbers, or counts, differ in few words. */
#define POSITIVE(option, variable, letter, text)                                                   \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_REAL, .value = variable, .low = 0, .above_low = true, \
        .high = 1e9, .metavar = letter, .help = text                                               \
    }
#define COUNT(option, variable, least, text)                                                       \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .low = least,             \
        .high = big, .metavar = "N", .help = text                                                  \
    }
#define AUTO_COUNT(option, variable, text)                                                         \
    {                                                                                              \
        .name = option, .kind = TORRE_OPTION_INTEGER, .value = variable, .low = 1, .high = big,    \
        .word = "auto", .metavar = "N|auto", .help = text                                          \
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
#define GROUP(title)                                                                               \
    {                                                                                              \
        .name = title, .kind = TORRE_OPTION_GROUP                                                  \
    }

void md_settings_init(md_settings *s, torre_option *table)
{
    *s = defaults;
    const torre_option list[] = {
        GROUP("Particles"),
        {.name = "cells",
         .kind = TORRE_OPTION_SIZE,
         .value = s->cells,
         .low = 1,
         .high = 1e6,
         .counts = TORRE_COUNT_1 | TORRE_COUNT_3,
         .metavar = "N|NXxNYxNZ",
         .default_text = "20",
         .help = "unit cells of a face-centred cubic lattice, 4 particles each; one number makes a "
                 "cube"},
        POSITIVE("density", &s->density, "RHO", "particles per volume of the lattice"),
        {.name = "temperature",
         .kind = TORRE_OPTION_REAL,
         .value = &s->temperature,
         .low = 0,
         .high = 1e9,
         .metavar = "T",
         .help = "of the initial velocities, where no input file gives them; granular: mean square "
                 "of the velocity along an axis, 0.01"},
        COUNT("seed", &s->seed, 0, "of velocities and thermostat noise"),
        TEXT("input", &s->input, "FILE", "",
             "start from LAMMPS data or extended XYZ (may be .gz) instead of a lattice"),

        GROUP("Interaction"),
        CHOICE("model", &s->model, models,
               "pair model; mps, a fluid, has options of its own: md --model mps --help"),
        POSITIVE("epsilon", &s->epsilon, "E", "depth of the Lennard-Jones well"),
        POSITIVE("sigma", &s->sigma, "S", "distance of zero Lennard-Jones energy"),
        POSITIVE("cutoff", &s->cutoff, "R", "distance beyond which nothing acts"),
        FLAG("shift", &s->shift, "shift the energy to zero at the cutoff"),

        GROUP("Granular gas (--model granular): SI units, glass beads of a millimetre"),
        {.name = "size",
         .kind = TORRE_OPTION_VECTOR,
         .value = s->size,
         .low = 0,
         .above_low = true,
         .high = 1e6,
         .counts = TORRE_COUNT_2 | TORRE_COUNT_3,
         .metavar = "X,Y[,Z]",
         .help = "of the box in diameters, between the walls; two numbers make a plane layer"},
        POSITIVE("filling", &s->filling, "PHI",
                 "volume (in a layer, area) of the particles over that of the box"),
        POSITIVE("diameter", &s->diameter, "D", "of a particle"),
        POSITIVE("mass", &s->mass, "M", "of a particle"),
        POSITIVE("stiffness", &s->stiffness, "K",
                 "of the spring in a contact, N/m; Hertzian: N/m^1.5"),
        POSITIVE("restitution", &s->restitution, "E", "of two particles, at most 1"),
        CHOICE("contact", &s->contact, contacts, "law of the spring"),
        CHOICE("gas", &s->gas, gases,
               "elastic: restitution 1; ideal: particles do not collide with each other"),
        FLAG("walls", &s->walls,
             "hard walls at the ends of the last axis instead of a periodic box"),
        POSITIVE("wall-restitution", &s->wall_restitution, "E", "of particle and wall"),
        {.name = "shake-amplitude",
         .kind = TORRE_OPTION_REAL,
         .value = &s->shake_amplitude,
         .low = 0,
         .high = 1e6,
         .metavar = "A",
         .help = "of the walls, in diameters; both move together"},
        {.name = "shake-frequency",
         .kind = TORRE_OPTION_REAL,
         .value = &s->shake_frequency,
         .low = 0,
         .high = 1e9,
         .metavar = "HZ",
         .help = "of the walls"},
        {.name = "gravity",
         .kind = TORRE_OPTION_REAL,
         .value = &s->gravity,
         .low = 0,
         .high = 1e9,
         .metavar = "G",
         .help = "along the last axis, m/s^2; needs walls"},
        COUNT("start-sweeps", &s->start_sweeps, 0,
              "Monte Carlo sweeps that melt the lattice of the start"),

        GROUP("Time"),
        COUNT("steps", &s->steps, 0, "time steps"),
        POSITIVE("dt", &s->dt, "T", "time step; granular: a fiftieth of the contact time"),
        CHOICE("ensemble", &s->ensemble, ensembles, "constant energy, or a thermostat"),
        {.name = "target-temperature",
         .kind = TORRE_OPTION_REAL,
         .value = &s->target_temperature,
         .low = 0,
         .high = 1e9,
         .metavar = "T",
         .default_text = "that of --temperature",
         .help = "of the thermostat"},
        POSITIVE("damping", &s->damping, "T", "relaxation time of the thermostat"),

        GROUP("Output"),
        COUNT("thermo", &s->thermo, 0,
              "steps between rows of the thermo table; 0 for the first "
              "and the last only"),
        TEXT("csv", &s->csv, "FILE", "", "the thermo table as CSV"),
        TEXT(
            "dump", &s->dump, "FILE", "",
            "trajectory: extended XYZ for .xyz or .extxyz, otherwise a LAMMPS dump; compressed for "
            ".gz"),
        COUNT("dump-every", &s->dump_every, 0,
              "steps between its frames, from step 0; 0 for the "
              "last state only"),
        TEXT("profile", &s->profile, "FILE", "",
             "granular: density, velocity and temperature over the height as CSV"),
        COUNT("profile-every", &s->profile_every, 1, "steps between its samples"),
        {.name = "profile-slices",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->profile_slices,
         .low = 1,
         .high = 1e6,
         .help = "slices of its height"},
        TEXT("write-data", &s->write_data, "FILE", "",
             "the initial state as LAMMPS data, before the first step"),
        TEXT("picture", &s->picture, "FILE.png|none", NULL, "picture of the last state"),
        TEXT("output", &s->output, "DIR", NULL, "directory of the picture, made where missing"),
        TEXT("json", &s->json, "FILE|-", "", "write the report as JSON"),

        GROUP("How to compute"),
        TEXT("backend", &s->backend, "auto|cpu|cuda", NULL,
             "auto takes the GPU where there is one; reference sums over all pairs"),
        {.name = "device",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->device,
         .low = 0,
         .high = 1024,
         .metavar = "N",
         .help = "number of the GPU"},
        {.name = "threads",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->threads,
         .low = 1,
         .high = 65536,
         .word = "auto",
         .metavar = "N|auto",
         .help = "CPU threads; auto obeys OMP_NUM_THREADS"},
        CHOICE("precision", &s->precision, precisions,
               "auto is f64 on the CPU and f32 on the GPU; mixed computes pairs in f32 and sums in "
               "f64"),
        CHOICE("neighbor", &s->neighbor, neighbors,
               "lists of each particle's neighbours, each pair in both or in one of them; or no "
               "lists, sweeping tiles of bins"),
        POSITIVE("skin", &s->skin, "D",
                 "lists reach that much further than the cutoff; granular: in diameters"),
        AUTO_COUNT(
            "rebuild-every", &s->rebuild_every,
            "steps between rebuilds of the lists; auto is 20, with --rebuild-check 1; granular: "
            "10 with a check"),
        FLAG("rebuild-check", &s->rebuild_check,
             "at these steps, rebuild only when a particle has moved further than half the skin"),
        CHOICE("ordering", &s->ordering, ordering_choices(),
               "order of particles in memory: by bins along this curve; none leaves them as they "
               "came"),
        AUTO_COUNT("sort-every", &s->sort_every,
                   "steps between sorts, rounded up to a rebuild; auto is every rebuild"),
        {.name = "bin-size",
         .kind = TORRE_OPTION_REAL,
         .value = &s->bin_size,
         .low = 0,
         .above_low = true,
         .high = 1e9,
         .word = "auto",
         .metavar = "D|auto",
         .help = "least edge of a bin; granular: in diameters"},
        CHOICE("stencil", &s->stencil, stencils,
               "bins searched around a bin: the whole block or those within reach"),
        {.name = "block",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->block,
         .low = 32,
         .high = 1024,
         .word = "auto",
         .metavar = "N|auto",
         .help = "threads of a GPU block"},
        FLAG("deterministic", &s->deterministic, "same bits whatever the number of threads"),

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
    _Static_assert(sizeof list / sizeof list[0] <= MD_OPTIONS, "the table of options is too short");
    memcpy(table, list, sizeof list);
}

void md_help(const torre_option *table)
{
    puts("Usage: md [OPTION]...\n"
         "Molecular dynamics of Lennard-Jones particles in a periodic box, or a granular gas.\n"
         "\n"
         "Without options: the melt of 32,000 particles, 100 steps, and a picture of its end in "
         "the\n"
         "current directory.\n"
         "\n"
         "Examples:\n"
         "  md --steps 1000 --rebuild-check\n"
         "  md --cells 80x80x40 --precision f32 --ordering hilbert --json run.json\n"
         "  md --input start.data --dump run.xyz.gz --dump-every 100\n"
         "  md --model granular --size 64,64,10 --walls --gravity 9.81 --shake-amplitude 1.8 \\\n"
         "     --shake-frequency 50 --steps 20000 --csv gas.csv --profile height.csv\n"
         "  md --model mps --help");
    torre_options_help(table, stdout);
    puts(
        "\n"
        "Units of Lennard-Jones particles: lengths in sigma, energies in epsilon, masses in that "
        "of\n"
        "a particle, k_B = 1. The table has energies per particle; Temp and Press count\n"
        "3 N - 3 degrees of freedom, as LAMMPS does. Units of a granular gas: SI, but --size,\n"
        "--shake-amplitude, --skin and --bin-size in diameters. Its time step must not exceed a\n"
        "twentieth of the contact time.\n"
        "\n"
        "Exit codes: 0 done, 2 bad usage, 3 bad or unwritable file, 4 out of memory or no device,\n"
        "5 the run became unstable, 75 stopped by a signal after writing the results so far.");
}
