#include "cli/mps_settings.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const models[] = {"mps", NULL};
static const char *const dimensions[] = {"2", "3", NULL};
static const char *const sizes[] = {"small", "medium", "large", NULL};

static const mps_settings defaults = {
    .spec = {.dam = {.tank.size = {0.4, 0.4, 0.08},
                     .density = 1000,
                     .viscosity = 1e-6,
                     .gravity = 9.81,
                     .surface = 0.97},
             .time = 0.5},
    .dimensions = 3,
    .column = {0.1, 0.2},
    .steps = -1,
    .thermo = -1,
    .common = {.checkpoint = CHECKPOINT_DEFAULT,
               .files = {.picture = "dam_break.png",
                         .title = "md --model mps",
                         .output = ".",
                         .front = "front.csv"},
               .means = {.backend = "auto", .ordering = "auto"}},
};

/* One function, though long: a row for each option. */
void mps_settings_init(mps_settings *s, torre_option *table)
{
    *s = defaults;
    const torre_option list[] = {
        OPTION_GROUP("Water"),
        OPTION_CHOICE("model", &s->model, models, "the moving-particle method"),
        OPTION_NUMBERS("dimensions", &s->dimensions, dimensions,
                       "2: one layer of particles in the x-y plane"),
        OPTION_CHOICE(
            "size", &s->size, sizes,
            "data set: spacing 1/19, 1/45 or 1/105 of 0.1 m, about 25, 225 or 2,280 thousand "
            "particles"),
        OPTION_AUTO_QUANTITY("spacing", &s->spacing, TORRE_UNIT_METRE, 1e9, "M",
                             "of the particles at the start; auto as --size says"),
        OPTION_VECTOR("column", s->column, TORRE_UNIT_METRE, 1e6, TORRE_COUNT_2, "L,H", "0.1,0.2",
                      "width and height of the water"),
        OPTION_VECTOR("tank", s->spec.dam.tank.size, TORRE_UNIT_METRE, 1e6, TORRE_COUNT_3, "X,Y,Z",
                      "0.4,0.4,0.08", "length, height and depth of the closed tank"),
        OPTION_TEXTS("water", s->water, "X0,Y0,Z0:X1,Y1,Z1", "the column",
                     "a box of water instead of the column, by two corners in metres from the "
                     "tank's inner corner, the lower one first (2-D: X0,Y0:X1,Y1); may be given "
                     "again"),
        OPTION_TEXTS("obstacle", s->obstacle, "X0,Y0,Z0:X1,Y1,Z1", "",
                     "a solid box, likewise; boxes may touch, but not overlap"),
        OPTION_TEXT("gate", &s->spec.gate, "X:T[:SPEED]", "",
                    "a wall across the tank, with its left side at X, that goes up T seconds after "
                    "the start, at SPEED (m/s) or at once; it is as thick as walls are, 3 "
                    "spacings, and moves on a CPU alone"),
        OPTION_FLAG("side-walls", &s->spec.dam.tank.side_walls,
                    "walls at both ends of z, too, instead of periodic"),
        OPTION_AUTO_POSITIVE(
            "influence", &s->spec.influence, "R",
            "radius of influence in spacings, 1.5 to 4; auto is 2.1 in 2-D, 2.35 in 3-D"),
        OPTION_POSITIVE("fluid-density", &s->spec.dam.density, "RHO", "kg/m^3"),
        OPTION_REAL("viscosity", &s->spec.dam.viscosity, 0, 1e9, "NU", "kinematic, m^2/s"),
        OPTION_REAL("gravity", &s->spec.dam.gravity, 0, 1e9, "G", "m/s^2"),
        OPTION_AUTO_POSITIVE(
            "sound-speed", &s->spec.dam.sound_speed, "C",
            "m/s; auto is ten times sqrt(2 g H), the fastest a fall from the top can be"),
        OPTION_SHARE("surface", &s->spec.dam.surface, "BETA",
                     "particles with less than this part of the number density are free surface"),

        OPTION_GROUP("Time"),
        OPTION_QUANTITY("time", &s->spec.time, TORRE_UNIT_SECOND, 1e9, "S", "seconds to compute"),
        OPTION_AUTO_COUNT("steps", &s->steps, 0, OPTION_BIG, -1, "time steps; auto as --time says"),
        OPTION_AUTO_TIME("dt", &s->spec.dam.dt, "S", "time step; auto is 0.9 of the Courant limit"),

        OPTION_GROUP("Output"),
        OPTION_AUTO_COUNT(
            "thermo", &s->thermo, 0, OPTION_BIG, -1,
            "steps between rows of the table and of the CSV files; 0 for first and last "
            "only, auto makes a hundred"),
        OPTION_TEXT("front", &s->common.files.front, "FILE|none", NULL,
                    "the front as CSV: t, x, x/L, t sqrt(2g/L), x from the left wall"),
        OPTION_TEXT("gauges", &s->spec.gauges[TORRE_GAUGE_PRESSURE], "X,Y,Z[;...]", "",
                    "points in the tank where the pressure goes to gauges.csv (2-D: X,Y)"),
        OPTION_TEXT("pressure-probes", &s->spec.gauges[TORRE_GAUGE_PROBE], "X,Y,Z[;...]", "",
                    "points on walls and obstacles where the pressure on them goes to probes.csv: "
                    "the force on the water in front of a patch of 4 spacings, by the area (2-D: "
                    "X,Y)"),
        OPTION_TEXT("height-gauges", &s->spec.gauges[TORRE_GAUGE_HEIGHT], "X,Z[;...]", "",
                    "places of the floor over which the height of the water goes to heights.csv: "
                    "its volume over a patch of 4 spacings, by the area (2-D: X)"),
        OPTION_TEXT("csv", &s->common.files.csv, "FILE", "",
                    "the table as CSV; like those of --front and of gauges it grows row by row"),
        OPTION_TEXT("dump", &s->common.files.dump, "FILE", "",
                    "trajectory with velocity, radius, kind (0 fluid, 1 wall, 2 dummy), pressure "
                    "and number "
                    "density: extended XYZ (.xyz, .extxyz) or LAMMPS dump (.dump, .lammpstrj, type "
                    "= kind + "
                    "1); compressed with a further .gz"),
        OPTION_COUNT("dump-every", &s->common.files.dump_every, 0,
                     "rows between its frames, from step 0; 0 for the last state only"),
        PARTICLE_FRAME_ROWS(s->common),
        OPTION_TEXT("picture", &s->common.files.picture, "FILE.png|none", NULL,
                    "picture of the last state"),
        OPTION_PICTURE_STYLE(&s->common.files.style),
        OPTION_TEXT("output", &s->common.files.output, "DIR", NULL,
                    "directory of all these but --csv, --dump and --json, made where missing"),
        OPTION_TEXT("json", &s->common.json, "FILE|-", "", "write the report as JSON"),
        PAGE_ROW("the pictures"),

        OPTION_GROUP("How to compute"),
        PARTICLE_BACKEND_ROWS(s->common),
        OPTION_AUTO_POSITIVE("skin", &s->common.means.skin, "D",
                             "in spacings: particles are looked for that much further"),
        OPTION_AUTO_COUNT(
            "rebuild-every", &s->common.means.rebuild_every, 1, OPTION_BIG, 0,
            "steps between rebuilds of bins and lists; auto rebuilds when a particle has "
            "moved half the skin"),
        PARTICLE_ORDERING_ROWS(s->common),
        PARTICLE_BLOCK_ROW(s->common),

        PARTICLE_OTHER_ROWS(s->common),
        {0}};
    _Static_assert(sizeof list / sizeof list[0] <= MPS_OPTIONS, "the table of options is short");
    memcpy(table, list, sizeof list);
}

torre_status mps_settings_spec(mps_settings *s, const torre_option *table, torre_particle_spec *run)
{
    static const double column_cells[] = {19, 45, 105}; /* of 0.1 m: small, medium, large */
    torre_mps_tank *tank = &s->spec.dam.tank;
    tank->dims = (int)s->dimensions;
    tank->spacing = s->spacing > 0 ? s->spacing : 0.1 / column_cells[s->size];
    for (int a = 0; a < 2; a++) tank->column[a] = s->column[a];
    s->spec.water = s->water;
    s->spec.obstacle = s->obstacle;
    if (*s->water && torre_options_given(table, "column"))
        return torre_fail(TORRE_ERR_USAGE, "--water and --column exclude each other: boxes of "
                                           "water stand instead of the column");
    s->spec.means = s->common.means;
    run->kind = &torre_fluid_runs;
    run->fluid = &s->spec;
    run->steps = s->steps;
    run->row_every = s->thermo;
    return TORRE_OK;
}

static const torre_example examples[] = {
    {"A dam break of 25,000 particles, its front against time in front.csv", "md --model mps"},
    {"A movie of one in two dimensions, with finer particles",
     "md --model mps --dimensions 2 --spacing 2mm --movie dam.mp4 --output dam2d"},
    {"The pressure at two points of the far wall",
     "md --model mps --gauges '0.4,0.01,0.04;0.4,0.05,0.04' --frame-every 10 --output dam"},
    {"Water behind a gate that is lifted after 0.1 s, an obstacle, and the height in front of it",
     "md --model mps --spacing 8mm --water 0,0,0:0.1,0.2,0.08 --gate 0.1:0.1:2 "
     "--obstacle 0.25,0,0.02:0.29,0.04,0.06 --height-gauges '0.05,0.04;0.2,0.04' --backend cpu"},
    {"A trajectory for OVITO", "md --model mps --dimensions 2 --dump dam.xyz --dump-every 1"},
    {"Two million particles on a GPU",
     "md --model mps --size large --steps 200 --backend cuda --json run.json"},
    {0},
};

const torre_program mps_program = {
    "md",
    "Usage: md --model mps [OPTION]...\n"
    "Collapse of a water column by the explicit moving-particle (MPS) method.",
    "\n"
    "SI units, or --spacing 2mm, --dt 50us; x along the tank from its left wall, y up from its "
    "floor, z across.\n"
    "Particles nearer than 0.9 spacings push each other apart, those of walls, too. The table "
    "has\n"
    "the energy (kinetic, potential, elastic), which never grows, and how far the furthest\n"
    "particle is beyond the inner faces of the walls, in spacings (below 0 inside).\n"
    "mpirun -n N md --model mps ...: as md --help says of other models.\n" PARTICLE_EXIT_CODES(
        "unstable (a time step above the Courant limit or a particle inside a wall, too)"),
    examples};
