#include "cli/md_settings.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const neighbors[] = {"auto", "full", "half", "tile", NULL};
static const char *const stencils[] = {"auto", "block", "spherical", NULL};

static const char *const contacts[] = {"linear", "hertz", NULL};
static const char *const gases[] = {"inelastic", "elastic", "ideal", NULL};
static const char *const sizes[] = {"one", "two", "uniform", NULL};

#define MODEL_CHOICE(name) #name,
/* In the order of torre_pair_model; with mps the rows of mps_settings.c hold. */
static const char *const models[] = {TORRE_PAIR_LIST(MODEL_CHOICE) "mps", NULL};

static const md_settings defaults = {
    .spec = {.frame = -1,
             .cutoff = 2.5,
             .temperature = 1.44,
             .dt = 0.005,
             .cells = {20, 20, 20},
             .density = 0.8442,
             .granular = {.size = {32, 32, 32},
                          .diameter = 1e-3,
                          .mass = 1.3e-6,
                          .stiffness = 1000,
                          .restitution = 0.8,
                          .wall_restitution = 0.9,
                          .tangential_stiffness = 0.2857142857142857,
                          .tangential_restitution = 0.44,
                          .size_ratio = 0.7,
                          .filling = 0.2,
                          .sweeps = 40},
             .target_temperature = -1,
             .final_temperature = -1,
             .damping_time = 1,
             .final_pressure = NAN,
             .pressure_damping = 1},
    .seed = 87287,
    .steps = 100,
    .thermo = 100,
    .common = {.checkpoint = CHECKPOINT_DEFAULT,
               .files = {.picture = "md.png",
                         .title = "md",
                         .output = ".",
                         .profile_every = 100,
                         .profile_slices = 50,
                         .measures = {.rdf_every = 100,
                                      .rdf_shells = 200,
                                      .correlation_every = 10,
                                      .correlation_window = 2000,
                                      .correlation_origins = 10,
                                      .stress_every = 5}},
               .means = {.backend = "auto", .ordering = "auto", .skin = 0.3}},
};

/* "wall_restitution" -> "wall-restitution" */
static void option_name(const char *name, char option[32])
{
    snprintf(option, 32, "%s", name);
    for (char *c = option; (c = strchr(c, '_'));) *c = '-';
}

static bool has_row(const md_settings *s, int parameters, const torre_option *list,
                    const char *name)
{
    for (int k = 0; k < parameters; k++)
        if (strcmp(s->parameter[k].name, name) == 0) return true;
    return torre_options_find(list, name);
}

/* Rows at *table for the parameters of the pair models, flags or numbers, that have none yet in the
 * list or among the first *count of the settings. */
static void add_parameters(md_settings *s, const torre_option *list, bool flags,
                           torre_option **table, int *count)
{
    for (int m = 0; m < TORRE_PAIR_MODELS; m++) {
        const torre_pair_about *about = torre_pair_about_model((torre_pair_model)m);
        for (const torre_pair_parameter *p = about->parameters; p->name; p++) {
            char *name = s->parameter[*count].name;
            if ((p->kind == TORRE_PARAMETER_FLAG) != flags || *count == MD_PARAMETERS) continue;
            option_name(p->name, name);
            if (has_row(s, *count, list, name)) continue;
            double *number = &s->parameter[*count].number;
            *number = p->usual;
            s->parameter[*count].flag = p->usual != 0;
            *(*table)++ = flags
                              ? (torre_option)OPTION_FLAG(name, &s->parameter[*count].flag, p->help)
                              : (torre_option)OPTION_POSITIVE(name, number, p->metavar, p->help);
            if (p->kind == TORRE_PARAMETER_NOT_NEGATIVE) (*table)[-1].above_low = false;
            if (p->kind == TORRE_PARAMETER_SHARE) (*table)[-1].high = 1;
            ++*count;
        }
    }
}

/* One function, though long: a row for each option. */
void md_settings_init(md_settings *s, torre_option *table)
{
    *s = defaults;
    torre_measure_wishes *measures = &s->common.files.measures;
    const torre_option list[] = {
        OPTION_GROUP("Particles"),
        OPTION_SIZE(
            "cells", s->spec.cells, 1e6, TORRE_COUNT_1 | TORRE_COUNT_3, "N|NXxNYxNZ", "20",
            "unit cells of a face-centred cubic lattice, 4 particles each; one number makes a "
            "cube"),
        OPTION_POSITIVE("density", &s->spec.density, "RHO", "particles per volume of the lattice"),
        OPTION_REAL(
            "temperature", &s->spec.temperature, 0, 1e9, "T",
            "of the initial velocities, where no input file gives them; granular: mean square "
            "of the velocity along an axis, 0.01"),
        OPTION_COUNT("seed", &s->seed, 0, "of velocities and thermostat noise"),
        OPTION_TEXT(
            "input", &s->spec.input, "FILE", "",
            "start from LAMMPS data, a LAMMPS text dump or extended XYZ (may be .gz) instead "
            "of a lattice"),
        OPTION_COUNT_OR("frame", &s->spec.frame, 0, OPTION_BIG, "last", -1,
                        "frame of --input to start from; the first is 0"),

        OPTION_GROUP("Interaction"),
        OPTION_CHOICE("model", &s->model, models,
                      "pair model; mps, a fluid, has options of its own: md --model mps --help"),
        OPTION_POSITIVE("cutoff", &s->spec.cutoff, "R",
                        "distance beyond which nothing acts; wca has its own"),
        OPTION_TEXT(
            "types", &s->spec.types.types, "N:M[:...]", "",
            "several types of particles, dealt out by these shares at random; an input file "
            "has its own"),
        OPTION_TEXT("masses", &s->spec.types.masses, "M,M[,...]", "",
                    "mass of each type, where the file does not say; of a lattice 1"),
        OPTION_TEXT("pairs", &s->spec.types.pairs, "ENTRY[;...]", "",
                    "how types interact: \"1-2 NAME=NUMBER ...\", parameters of the model and "
                    "cutoff; without an entry of two types theirs are mixed (Lorentz, Berthelot)"),

        OPTION_GROUP("Granular gas (--model granular): SI units, glass beads of a millimetre"),
        OPTION_VECTOR("size", s->spec.granular.size, TORRE_UNIT_NONE, 1e6,
                      TORRE_COUNT_2 | TORRE_COUNT_3, "X,Y[,Z]", NULL,
                      "of the box in diameters, between the walls; two numbers make a plane layer"),
        OPTION_POSITIVE("filling", &s->spec.granular.filling, "PHI",
                        "volume (in a layer, area) of the particles over that of the box"),
        OPTION_QUANTITY("diameter", &s->spec.granular.diameter, TORRE_UNIT_METRE, 1e9, "D",
                        "of a particle"),
        OPTION_POSITIVE("mass", &s->spec.granular.mass, "M", "of a particle"),
        OPTION_POSITIVE("stiffness", &s->spec.granular.stiffness, "K",
                        "of the spring in a contact, N/m; Hertzian: N/m^1.5"),
        OPTION_SHARE("restitution", &s->spec.granular.restitution, "E", "of two particles"),
        OPTION_CHOICE("contact", &s->contact, contacts, "law of the spring"),
        OPTION_CHOICE("gas", &s->gas, gases,
                      "elastic: restitution 1; ideal: particles do not collide with each other"),
        OPTION_FLAG("walls", &s->spec.granular.walls,
                    "hard walls at the ends of the last axis instead of a periodic box"),
        OPTION_SHARE("wall-restitution", &s->spec.granular.wall_restitution, "E",
                     "of particle and wall"),
        OPTION_REAL("shake-amplitude", &s->spec.granular.shake_amplitude, 0, 1e6, "A",
                    "of the walls, in diameters; both move together"),
        OPTION_REAL("shake-frequency", &s->spec.granular.shake_frequency, 0, 1e9, "HZ",
                    "of the walls"),
        OPTION_REAL("gravity", &s->spec.granular.gravity, 0, 1e9, "G",
                    "along the last axis, m/s^2; needs walls"),
        OPTION_COUNT("start-sweeps", &s->spec.granular.sweeps, 0,
                     "Monte Carlo sweeps that melt the lattice of the start"),

        OPTION_GROUP("Rough grains, which spin (with any of these but the two tangential ones)"),
        OPTION_REAL("friction", &s->spec.granular.friction, 0, 1e6, "MU",
                    "Coulomb's, of two particles; contacts remember how far they have slid"),
        OPTION_REAL("wall-friction", &s->spec.granular.wall_friction, 0, 1e6, "MU",
                    "of particle and wall"),
        OPTION_REAL("rolling-friction", &s->spec.granular.rolling_friction, 0, 1e6, "MU",
                    "couple against rolling over normal force and reduced radius"),
        OPTION_POSITIVE("tangential-stiffness", &s->spec.granular.tangential_stiffness, "SHARE",
                        "of the spring across a contact over that along it; Hertzian: its slope"),
        OPTION_SHARE("tangential-restitution", &s->spec.granular.tangential_restitution, "E",
                     "of a slow oblique impact, which sticks; glass"),
        OPTION_CHOICE("sizes", &s->sizes, sizes,
                      "two: half of the particles are smaller; uniform: diameters from smallest to "
                      "largest, which --diameter and --mass are of"),
        OPTION_REAL("size-ratio", &s->spec.granular.size_ratio, 0.25, 1, "SHARE",
                    "smallest diameter over largest, with --sizes two or uniform"),
        OPTION_FLAG("side-walls", &s->spec.granular.side_walls,
                    "hard walls across the other axes, too, at rest"),
        OPTION_REAL("incline", &s->spec.granular.incline, 0, 90, "DEGREES",
                    "that gravity is turned towards +x: flow down a plane"),

        OPTION_GROUP("Time"),
        OPTION_COUNT("steps", &s->steps, 0, "time steps"),
        OPTION_POSITIVE("dt", &s->spec.dt, "T",
                        "time step; granular: a fiftieth of the contact time"),
        OPTION_CHOICE(
            "ensemble", &s->ensemble, torre_md_ensembles,
            "constant energy; a thermostat; fire: down to a minimum of the energy; npt: a "
            "thermostat and a barostat"),
        {.name = "target-temperature",
         .kind = TORRE_OPTION_REAL,
         .value = &s->spec.target_temperature,
         .low = 0,
         .high = 1e9,
         .metavar = "T",
         .default_text = "that of --temperature",
         .help = "of the thermostat"},
        {.name = "final-temperature",
         .kind = TORRE_OPTION_REAL,
         .value = &s->spec.final_temperature,
         .low = 0,
         .high = 1e9,
         .metavar = "T",
         .default_text = "that of --target-temperature",
         .help = "of the thermostat at the last step, where a straight ramp leads to"},
        OPTION_POSITIVE("damping", &s->spec.damping_time, "T", "relaxation time of the thermostat"),
        OPTION_COUNT_OR("couple-every", &s->spec.couple_every, 1, OPTION_BIG, "auto", 0,
                        "steps from one time that barostats, and thermostats that scale all "
                        "velocities, act to the next; auto is up to 10, within a twentieth of "
                        "--damping and a fortieth of --pressure-damping"),
        {.name = "pressure",
         .kind = TORRE_OPTION_REAL,
         .value = &s->spec.pressure,
         .low = -1e9,
         .high = 1e9,
         .metavar = "P",
         .default_text = "none",
         .help =
             "of npt, as the table has it: without a correction for the tail beyond the cutoff"},
        {.name = "final-pressure",
         .kind = TORRE_OPTION_REAL,
         .value = &s->spec.final_pressure,
         .low = -1e9,
         .high = 1e9,
         .metavar = "P",
         .default_text = "that of --pressure",
         .help = "of npt at the last step, where a straight ramp leads to"},
        OPTION_POSITIVE("pressure-damping", &s->spec.pressure_damping, "T",
                        "relaxation time of the barostat, at least ten time steps"),
        OPTION_CHOICE("pressure-axes", &s->pressure_axes, torre_md_pressure_names,
                      "what npt changes: the volume, or each edge of the box by itself"),
        OPTION_REAL("force-tolerance", &s->spec.force_tolerance, 0, 1e9, "F",
                    "fire: end at the first row of the thermo table where the root mean square of "
                    "forces is no larger; 0: after all steps"),

        OPTION_GROUP("Output"),
        OPTION_COUNT("thermo", &s->thermo, 0,
                     "steps between rows of the thermo table; 0 for the first "
                     "and the last only"),
        OPTION_TEXT("csv", &s->common.files.csv, "FILE", "",
                    "the thermo table as CSV, which grows row by row; compressed for .gz"),
        OPTION_TEXT("dump", &s->common.files.dump, "FILE", "",
                    "trajectory: extended XYZ (.xyz, .extxyz) or LAMMPS dump (.dump, .lammpstrj); "
                    "compressed with a further .gz"),
        OPTION_COUNT("dump-every", &s->common.files.dump_every, 0,
                     "steps between its frames, from step 0; 0 for the "
                     "last state only"),
        OPTION_TEXT("profile", &s->common.files.profile, "FILE", "",
                    "granular: density, velocity and temperature over the height as CSV"),
        OPTION_COUNT("profile-every", &s->common.files.profile_every, 1,
                     "steps between its samples"),
        OPTION_INTEGER("profile-slices", &s->common.files.profile_slices, 1, 1e6,
                       "slices of its height"),
        OPTION_TEXT("write-data", &s->common.files.write_data, "FILE", "",
                    "the initial state as LAMMPS data, before the first step"),
        PARTICLE_FRAME_ROWS(s->common),
        OPTION_TEXT("picture", &s->common.files.picture, "FILE.png|none", NULL,
                    "picture of the last state"),
        OPTION_PICTURE_STYLE(&s->common.files.style),
        OPTION_TEXT("output", &s->common.files.output, "DIR", NULL,
                    "directory of the pictures, made where missing"),
        OPTION_TEXT("json", &s->common.json, "FILE|-", "", "write the report as JSON"),
        PAGE_ROW("the table as a plot, the pictures"),

        OPTION_GROUP("Measurements, means over the run, as CSV"),
        OPTION_TEXT("rdf", &measures->rdf, "FILE", "", "radial distribution function g(r)"),
        OPTION_COUNT("rdf-every", &measures->rdf_every, 1, "steps between its samples"),
        OPTION_AUTO_POSITIVE("rdf-range", &measures->rdf_range, "R",
                             "its largest distance, at most half of the box; auto is two cutoffs, "
                             "granular: in diameters, five"),
        OPTION_INTEGER("rdf-shells", &measures->rdf_shells, 1, 1e5, "shells that it counts in"),
        OPTION_TEXT("msd", &measures->msd, "FILE", "",
                    "mean square displacement from the centre of mass over time, and diffusion"),
        OPTION_TEXT("vacf", &measures->vacf, "FILE", "",
                    "autocorrelation of velocities (likewise) over time, and diffusion"),
        OPTION_COUNT("correlation-every", &measures->correlation_every, 1,
                     "steps between samples of both"),
        OPTION_COUNT("correlation-window", &measures->correlation_window, 1,
                     "steps of the longest time, also of --viscosity"),
        OPTION_INTEGER("correlation-origins", &measures->correlation_origins, 1, 1e6,
                       "times in a window that others are correlated with, each kept in memory"),
        OPTION_TEXT("stress", &measures->stress, "FILE", "",
                    "pressure tensor over time, row by row; minus the stress"),
        OPTION_TEXT("viscosity", &measures->viscosity, "FILE", "",
                    "of shear, by the integral of Green and Kubo over time"),
        OPTION_COUNT("stress-every", &measures->stress_every, 1, "steps between samples of both"),
        OPTION_COUNT("measure-from", &measures->from, 0, "first step that any of these counts"),

        OPTION_GROUP("How to compute"),
        PARTICLE_BACKEND_ROWS(s->common),
        OPTION_CHOICE(
            "neighbor", &s->neighbor, neighbors,
            "lists of each particle's neighbours, each pair in both or in one of them; or no "
            "lists, sweeping tiles of bins"),
        OPTION_POSITIVE("skin", &s->common.means.skin, "D",
                        "lists reach that much further than the cutoff; granular: in diameters"),
        OPTION_AUTO_COUNT(
            "rebuild-every", &s->common.means.rebuild_every, 1, OPTION_BIG, 0,
            "steps between rebuilds of the lists; auto is 1 with --rebuild-check, which misses no "
            "pair; a number alone rebuilds then, unchecked"),
        OPTION_FLAG(
            "rebuild-check", &s->rebuild_check,
            "at these steps, rebuild only when a particle has moved further than half the skin; "
            "builds that came due at the first look are counted as dangerous"),
        PARTICLE_ORDERING_ROWS(s->common),
        OPTION_AUTO_POSITIVE("bin-size", &s->bin_size, "D",
                             "least edge of a bin; granular: in diameters"),
        OPTION_CHOICE("stencil", &s->stencil, stencils,
                      "bins searched around a bin: the whole block or those within reach"),
        PARTICLE_BLOCK_ROW(s->common),
        OPTION_FLAG("deterministic", &s->deterministic, "same bits whatever the number of threads"),

        PARTICLE_OTHER_ROWS(s->common),
        {0}};
    _Static_assert(sizeof list / sizeof list[0] + MD_PARAMETERS <= MD_OPTIONS,
                   "the table of options is too short");
    int parameters = 0;
    for (const torre_option *row = list; row->name; row++) {
        const bool here = strcmp(row->name, "cutoff") == 0;
        if (here) add_parameters(s, list, false, &table, &parameters);
        *table++ = *row;
        if (here) add_parameters(s, list, true, &table, &parameters);
    }
    *table = (torre_option){0};
}

static const torre_option *parameter_row(const torre_option *table, const char *name)
{
    char option[32];
    option_name(name, option);
    return torre_options_find(table, option);
}

/* Options of pair potentials, and of grains, beside parameters. */
static const char *const of_pairs[] = {"cells",
                                       "density",
                                       "cutoff",
                                       "types",
                                       "masses",
                                       "pairs",
                                       "target-temperature",
                                       "final-temperature",
                                       "damping",
                                       "couple-every",
                                       NULL};
static const char *const of_grains[] = {"size",
                                        "filling",
                                        "diameter",
                                        "mass",
                                        "stiffness",
                                        "contact",
                                        "restitution",
                                        "gas",
                                        "walls",
                                        "wall-restitution",
                                        "gravity",
                                        "shake-amplitude",
                                        "profile",
                                        "shake-frequency",
                                        "start-sweeps",
                                        "friction",
                                        "wall-friction",
                                        "rolling-friction",
                                        "tangential-stiffness",
                                        "tangential-restitution",
                                        "sizes",
                                        "size-ratio",
                                        "side-walls",
                                        "incline",
                                        NULL};

/* Options that are not for the model of the run. */
static torre_status check_model(const md_settings *s, const torre_option *table)
{
    const bool grains = s->model == TORRE_PAIR_granular;
    for (const char *const *name = grains ? of_pairs : of_grains; *name; name++)
        if (torre_options_given(table, *name))
            return torre_fail(TORRE_ERR_USAGE, "--%s is for --model %s", *name,
                              grains ? "lj" : "granular");
    torre_pair_parameters pair = {0};
    for (int m = 0; m < TORRE_PAIR_MODELS; m++) {
        const torre_pair_about *about = torre_pair_about_model((torre_pair_model)m);
        for (const torre_pair_parameter *p = about->parameters; p->name; p++)
            if (parameter_row(table, p->name)->given &&
                !torre_pair_parameter_of((torre_pair_model)s->model, &pair, p->name))
                return torre_fail(TORRE_ERR_USAGE, "--%s is for --model %s",
                                  parameter_row(table, p->name)->name, about->name);
    }
    return TORRE_OK;
}

/* Options that say how particles are made go without a file, and --frame with one. */
static torre_status check_input(const md_settings *s, const torre_option *table)
{
    static const char *const made[] = {"cells", "density", "size", "filling", "start-sweeps"};
    for (size_t k = 0; s->spec.input && k < sizeof made / sizeof made[0]; k++)
        if (torre_options_given(table, made[k]))
            return torre_fail(TORRE_ERR_USAGE, "--%s and --input exclude each other", made[k]);
    if (torre_options_given(table, "frame") && !s->spec.input)
        return torre_fail(TORRE_ERR_USAGE, "--frame is for --input");
    return TORRE_OK;
}

/* Options of a thermostat or barostat go with one, and a barostat has no pressure by itself. */
static torre_status check_ensemble(const md_settings *s, const torre_option *table)
{
    static const char *const heat[] = {"target-temperature", "final-temperature", "damping",
                                       "couple-every"};
    static const char *const press[] = {"pressure", "final-pressure", "pressure-damping",
                                        "pressure-axes"};
    const bool npt = s->ensemble == TORRE_NPT;
    const bool bath = s->ensemble != TORRE_NVE && s->ensemble != TORRE_FIRE;
    for (size_t k = 0; !bath && k < sizeof heat / sizeof heat[0]; k++)
        if (torre_options_given(table, heat[k]))
            return torre_fail(TORRE_ERR_USAGE,
                              "--%s needs a thermostat: --ensemble langevin, berendsen, baoab, "
                              "bussi, nose-hoover or npt (got %s)",
                              heat[k], torre_md_ensembles[s->ensemble]);
    for (size_t k = 0; !npt && k < sizeof press / sizeof press[0]; k++)
        if (torre_options_given(table, press[k]))
            return torre_fail(TORRE_ERR_USAGE, "--%s needs --ensemble npt (got %s)", press[k],
                              torre_md_ensembles[s->ensemble]);
    if (npt && !torre_options_given(table, "pressure"))
        return torre_fail(TORRE_ERR_USAGE, "--ensemble npt needs --pressure P, a number");
    return TORRE_OK;
}

/* What a file may not contradict. */
static unsigned said(const torre_option *table)
{
    static const struct {
        const char *name;
        unsigned bit;
    } list[] = {{"mass", TORRE_SAID_MASS},
                {"diameter", TORRE_SAID_DIAMETER},
                {"epsilon", TORRE_SAID_EPSILON},
                {"sigma", TORRE_SAID_SIGMA},
                {"cutoff", TORRE_SAID_CUTOFF},
                {"temperature", TORRE_SAID_TEMPERATURE},
                {"dt", TORRE_SAID_DT}};
    unsigned bits = 0;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
        if (torre_options_given(table, list[k].name)) bits |= list[k].bit;
    return bits;
}

torre_status md_settings_spec(md_settings *s, const torre_option *table, torre_particle_spec *run)
{
    torre_pair_spec *spec = &s->spec;
    TORRE_TRY(check_model(s, table));
    TORRE_TRY(check_input(s, table));
    TORRE_TRY(check_ensemble(s, table));
    spec->model = (torre_pair_model)s->model;
    md_settings_pair(s, table, false);
    spec->said = said(table);
    spec->seed = (uint64_t)s->seed;
    spec->ramp_steps = s->steps > 0 ? s->steps : 1;
    spec->ensemble = (torre_md_ensemble)s->ensemble;
    spec->pressure_axes = (torre_md_pressure_axes)s->pressure_axes;
    spec->granular.hertz = s->contact == 1;
    spec->granular.gas = (torre_granular_gas)s->gas;
    spec->granular.sizes = (torre_granular_sizes)s->sizes;
    spec->granular.temperature = spec->said & TORRE_SAID_TEMPERATURE ? spec->temperature : 0.01;
    TORRE_TRY(torre_particle_plan(&s->common.means, &spec->plan));
    spec->plan.neighbor = (torre_neighbor)s->neighbor;
    spec->plan.rebuild_check = s->rebuild_check;
    spec->plan.bin_size = s->bin_size;
    spec->plan.bin_stencil = (torre_bin_stencil)s->stencil;
    spec->plan.deterministic = s->deterministic;
    run->kind = &torre_pair_runs;
    run->pairs = spec;
    run->steps = s->steps;
    run->row_every = s->thermo;
    return torre_particle_precision(&s->common.means, &spec->plan, &spec->precision);
}

void md_settings_pair(md_settings *s, const torre_option *table, bool back)
{
    const torre_pair_about *about = torre_pair_about_model(s->spec.model);
    for (const torre_pair_parameter *p = about->parameters; p->name; p++) {
        const size_t size = p->kind == TORRE_PARAMETER_FLAG ? sizeof(bool) : sizeof(double);
        char *member = (char *)&s->spec.pair + p->offset;
        void *row = parameter_row(table, p->name)->value;
        memcpy(back ? row : member, back ? member : row, size);
    }
}

static const torre_example examples[] = {
    {"The melt of 32,000 particles that LAMMPS has as a benchmark, longer, with a table of "
     "energies",
     "md --steps 1000 --thermo 50 --csv melt.csv"},
    {"The same on a page for a browser", "md --steps 1000 --thermo 50 --report melt.html"},
    {"More particles, in the order of a Hilbert curve",
     "md --cells 80x80x40 --precision f32 --ordering hilbert --json run.json"},
    {"From a LAMMPS data file, with a trajectory for OVITO",
     "md --input start.data --dump run.xyz.gz --dump-every 100"},
    {"A liquid at the pressure of ten units, which is reached from zero on the way",
     "md --ensemble npt --pressure 0 --final-pressure 10 --temperature 1.5 --steps 4000 --csv "
     "squeezed.csv"},
    {"A gas of inelastic grains in a shaken box, and its profiles over the height",
     "md --model granular --size 64,64,10 --walls --gravity 9.81 --shake-amplitude 1.8 \\\n"
     "   --shake-frequency 50 --steps 20000 --csv gas.csv --profile height.csv"},
    {"A movie of a layer of grains in a shaken box",
     "md --model granular --size 20,20 --walls --shake-amplitude 0.5 --shake-frequency 30 \\\n"
     "   --steps 20000 --thermo 200 --movie gas.mp4 --output gas"},
    {"Rough beads of two sizes roll down a plane of 25 degrees between walls",
     "md --model granular --size 40,12,12 --walls --gravity 9.81 --incline 25 --friction 0.5 \\\n"
     "   --wall-friction 0.5 --rolling-friction 0.05 --sizes two --steps 20000 --csv flow.csv"},
    {"A dam break", "md --model mps --size small"},
    {"A movie of a dam break in two dimensions (md --model mps --examples has more)",
     "md --model mps --dimensions 2 --movie dam.mp4 --output dam"},
    {0},
};

const torre_program md_program = {
    "md",
    "Usage: md [OPTION]...\n"
    "Molecular dynamics of particles with a pair potential in a periodic box, or a granular\n"
    "gas.\n"
    "\n"
    "Without options: the melt of 32,000 particles, 100 steps, and a picture of its end in "
    "the\n"
    "current directory.",
    "\n"
    "Potentials, below the cutoff:\n"
    "  lj      4 epsilon ((sigma/r)^12 - (sigma/r)^6)\n"
    "  wca     the same up to its minimum, raised by epsilon; its cutoff is 2^(1/6) sigma\n"
    "  yukawa  strength exp(-kappa r)/r\n"
    "  morse   depth (exp(-2 alpha (r - equilibrium)) - 2 exp(-alpha (r - equilibrium)))\n"
    "\n"
    "Units of all these: lengths in sigma, energies in epsilon, masses in that of a particle,\n"
    "k_B = 1. The table has energies per particle; Temp and Press count\n"
    "3 N - 3 degrees of freedom, as LAMMPS does. Press, which npt holds at --pressure, is of\n"
    "the forces below the cutoff: for that of the full Lennard-Jones potential add\n"
    "(16/3) pi N^2/V^2 (2/(3 R^9) - 1/R^3), about -0.76 at density 0.8442 and cutoff R 2.5.\n"
    "What npt conserves counts the work on the box. Units of a granular gas: SI, but --size,\n"
    "--shake-amplitude, --skin, --bin-size and --rdf-range in diameters. Its time step must\n"
    "not exceed a twentieth of the contact time. Energies of rough grains count rotation, the\n"
    "temperature does not.\n"
    "\n"
    "--input takes what write_data of LAMMPS writes (atom styles atomic, bond, angle,\n"
    "molecular, charge, full and sphere), frames of its text dumps, and extended XYZ of ASE,\n"
    "OVITO and md itself. Masses, diameters, velocities, and epsilon, sigma and cutoff of\n"
    "lj/cut count as if they were options. Along periodic axes particles are put into the\n"
    "box. Several types of particles need --pairs, unless the file has coefficients. What md\n"
    "does not have is refused: tilted boxes, bonds, charges, rotation. The run begins at step\n"
    "0.\n"
    "\n"
    "mpirun -n N md ...: N processes share the particles, each a run of the bins along the\n"
    "curve of --ordering; files and bits are those of one. By full lists or tiles that are\n"
    "sorted at each rebuild. On a CPU each has its share of the cores unless --threads says\n"
    "how many, and those of one machine have the particles in memory in common, if all are\n"
    "on it; ranks of a machine take its GPUs in turn, between which particles go as planes\n"
    "of wave do: copied on one machine, else by MPI, NCCL or the host; the report has\n"
    "transport and transport_why, and TORRE_TRANSPORT names one (wave --help). GPUs share no\n"
    "fluid, and particles of all ensembles (rows of thermostats and barostats to rounding).\n"
    "Where a rank dies or is silent for TORRE_RANK_LIMIT seconds (environment; 60), all end\n"
    "with code 4.\n"
    "\n"
    "Tables (--csv) are there row by row while md runs; all other files are complete or not\n"
    "there.\n" PARTICLE_EXIT_CODES(
        "the run became unstable, or would: time step too large, particles that overlap"),
    examples};
