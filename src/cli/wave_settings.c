#include "cli/wave_settings.h"

#include <stdint.h>
#include <string.h>

#include "tiling/ordering.h"
#include "wave/boundary.h"

const char *const wave_engines[] = {"auto", "torre", "stepwise", "reference", NULL};
static const char *const wave_orders[] = {"2", "4", "6", "8", NULL};
static const char *const wave_precisions[] = {"f32", "f64", NULL};

/* The names of all orderings, for the option table. */
static const char *const *ordering_choices(void)
{
    static const char *names[TORRE_ORDERING_KINDS + 1];
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++)
        names[k] = torre_ordering_name((torre_ordering_kind)k);
    return names;
}

static const double big = 1e12; /* bound of counts, far below what overflows */

static const wave_settings defaults = {
    .size = {240, 240, 120},
    .spacing = {10, 10, 10},
    .velocity = "2000",
    .wavelet = "ricker",
    .order = 8,
    .boundary = "free",
    .absorbing_width = TORRE_ABSORBING_WIDTH,
    .steps = 600,
    .amplitude = 1,
    .seed = 1,
    .snapshot_every = -1,
    .snapshot_plane = "xz",
    .output = ".",
    .backend = "auto",
};

void wave_settings_init(wave_settings *s, torre_option *table)
{
    *s = defaults;
    const torre_option list[] = {
        {.name = "Grid and medium", .kind = TORRE_OPTION_GROUP},
        {.name = "size",
         .kind = TORRE_OPTION_SIZE,
         .value = s->size,
         .low = 1,
         .high = 1e9,
         .counts = TORRE_COUNT_1 | TORRE_COUNT_2 | TORRE_COUNT_3,
         .metavar = "NXxNYxNZ|NXxNZ",
         .help = "cells along x, y and z; two numbers make a plane, where nothing varies along y, "
                 "one a cube; taken from the velocity file unless given"},
        {.name = "spacing",
         .kind = TORRE_OPTION_VECTOR,
         .value = s->spacing,
         .low = 0,
         .above_low = true,
         .high = 1e9,
         .counts = TORRE_COUNT_1 | TORRE_COUNT_2 | TORRE_COUNT_3,
         .metavar = "H|HX,HY,HZ|HX,HZ",
         .help = "metres between cells; HX,HZ in a plane"},
        {.name = "velocity",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->velocity,
         .metavar = "V|FILE.npy",
         .help =
             "m/s everywhere, or an array of shape (nx, ny, nz), or (nx, nz): a plane, or extended "
             "along y where --size has three numbers"},
        {.name = "order",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->order,
         .choices = wave_orders,
         .help = "order of accuracy in space"},
        {.name = "precision",
         .kind = TORRE_OPTION_CHOICE,
         .value = &s->precision,
         .choices = wave_precisions,
         .help = "of fields and arithmetic"},
        {.name = "boundary",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->boundary,
         .metavar = "KIND|LIST",
         .help = "free, rigid, absorbing or periodic for all faces, then exceptions: "
                 "absorbing,z-=free or x=periodic,y+=rigid; a plane has no y faces"},
        {.name = "absorbing-width",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->absorbing_width,
         .low = 1,
         .high = 100000,
         .help = "cells of each absorbing layer, inside the grid"},

        {.name = "Time", .kind = TORRE_OPTION_GROUP},
        {.name = "steps",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->steps,
         .low = 0,
         .high = big,
         .help = "time steps"},
        {.name = "dt",
         .kind = TORRE_OPTION_REAL,
         .value = &s->dt,
         .low = 0,
         .above_low = true,
         .high = 1e9,
         .word = "auto",
         .metavar = "S|auto",
         .help = "time step in seconds; auto is 0.9 of the largest stable one"},
        {.name = "courant",
         .kind = TORRE_OPTION_REAL,
         .value = &s->courant,
         .low = 0,
         .above_low = true,
         .high = 1e9,
         .word = "auto",
         .metavar = "X|auto",
         .help = "time step as Courant number c dt / h, with the largest velocity and the smallest "
                 "spacing; auto leaves it to --dt"},
        {.name = "force",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->force,
         .help = "run with a time step above the stability limit"},

        {.name = "Sources and start", .kind = TORRE_OPTION_GROUP},
        {.name = "source",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->source,
         .metavar = "X,Y,Z[,A][;...]|FILE.csv|none",
         .default_text = "one near the middle; none with --initial",
         .help = "point sources: metres and a factor A on the wavelet each; X,Z or X,0,Z[,A] in a "
                 "plane, where they are lines along y"},
        {.name = "wavelet",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->wavelet,
         .metavar = "ricker|FILE",
         .help = "a file has one value per time step, as text or .npy, and is zero after its end"},
        {.name = "frequency",
         .kind = TORRE_OPTION_REAL,
         .value = &s->frequency,
         .low = 0,
         .above_low = true,
         .high = 1e12,
         .word = "auto",
         .metavar = "HZ|auto",
         .help = "peak frequency of the Ricker wavelet; auto gives the slowest wave ten cells per "
                 "wavelength"},
        {.name = "amplitude",
         .kind = TORRE_OPTION_REAL,
         .value = &s->amplitude,
         .low = -1e30,
         .high = 1e30,
         .metavar = "A",
         .help = "factor on all sources"},
        {.name = "initial",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->initial,
         .metavar = "FILE[,PREVIOUS]|noise",
         .default_text = "zero",
         .help = "field at step 0 (.npy) and one step before; one file alone starts at rest; noise "
                 "is a random number in every cell"},
        {.name = "seed",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->seed,
         .low = 0,
         .high = big,
         .help = "of --initial noise"},

        {.name = "Results", .kind = TORRE_OPTION_GROUP},
        {.name = "receivers",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->receivers,
         .metavar = "X,Y,Z[;...]|X,Y,Z:X,Y,Z:N|FILE.csv",
         .help = "where traces are recorded, in metres: points, or N of them on a line; X,Z in a "
                 "plane"},
        {.name = "traces",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->traces,
         .metavar = "FILE[,FILE...]",
         .help = "traces of all receivers, samples 0 to steps: .npy, .sgy (SEG-Y), .su (Seismic "
                 "Unix), .png (picture); SEG-Y and SU need a dt of whole microseconds, an "
                 "automatic one is rounded down"},
        {.name = "field",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->field,
         .metavar = "FILE.npy",
         .help = "field after the last step"},
        {.name = "snapshot-every",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->snapshot_every,
         .low = 0,
         .high = big,
         .word = "end",
         .word_value = -1,
         .metavar = "N|end",
         .help = "picture every N steps, 0 for none, end for one after the last step"},
        {.name = "snapshot-plane",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->snapshot_plane,
         .metavar = "xy|xz|yz[@INDEX]",
         .help = "plane in the pictures (first axis to the right, second downwards); it goes "
                 "through the first source unless INDEX is given; xz in a plane"},
        {.name = "snapshot-scale",
         .kind = TORRE_OPTION_REAL,
         .value = &s->snapshot_scale,
         .low = 0,
         .above_low = true,
         .high = 1e300,
         .word = "auto",
         .metavar = "VALUE|auto",
         .help = "field value in full colour; auto suits every picture by itself"},
        {.name = "output",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->output,
         .metavar = "DIR",
         .help = "directory of the pictures, snapshot_000600.png and so on; made if missing"},
        {.name = "json",
         .kind = TORRE_OPTION_TEXT,
         .value = &s->json,
         .metavar = "FILE|-",
         .help =
             "report of the run; - is standard output, the summary then goes to standard error"},

        {.name = "How to compute", .kind = TORRE_OPTION_GROUP},
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
        {.name = "engine",
         .kind = TORRE_OPTION_CHOICE,
         .value = &s->engine,
         .choices = wave_engines,
         .help = "towers of many steps, one step at a time, or the plain and slow reference; auto "
                 "takes towers, unless one step at a time is faster or all there is"},
        {.name = "dts",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->dts,
         .low = 1,
         .high = 1024,
         .word = "auto",
         .help = "diamond tile size in half-widths of the stencil"},
        {.name = "tower-height",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->tower_height,
         .low = 1,
         .high = 1e6,
         .word = "auto",
         .help = "steps that a tower climbs"},
        {.name = "ordering",
         .kind = TORRE_OPTION_CHOICE,
         .value = &s->ordering,
         .choices = ordering_choices(),
         .metavar = "NAME",
         .help = "of the tiles"},
        {.name = "threads",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->threads,
         .low = 1,
         .high = 4096,
         .word = "auto",
         .help = "of the CPU (--backend cpu); auto obeys OMP_NUM_THREADS"},

        {.name = "Program", .kind = TORRE_OPTION_GROUP},
        {.name = "dry-run",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->dry_run,
         .help =
             "check everything, say what the run would take, and stop before it; for a run that "
             "is too large for this machine, too"},
        {.name = "quiet",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->quiet,
         .help = "no summary, warnings or progress"},
        {.name = "help",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->help,
         .stops = true,
         .help = "show this help"},
        {.name = "version",
         .kind = TORRE_OPTION_FLAG,
         .value = &s->version,
         .stops = true,
         .help = "show the version and how it was built"},
        {0},
    };
    _Static_assert(sizeof list / sizeof list[0] <= WAVE_OPTIONS, "WAVE_OPTIONS is too small");
    memcpy(table, list, sizeof list);
}

void wave_help(const torre_option *table)
{
    puts("Usage: wave [OPTION]...\n"
         "Solve the acoustic wave equation u_tt + 2 s u_t = c^2 lap(u) + q on a grid.\n"
         "\n"
         "Without options: a point source in a box of 240x240x120 cells, and a picture\n"
         "of its waves in the current directory.\n"
         "\n"
         "Examples:\n"
         "  wave --order 8 --dts 4\n"
         "  wave --velocity model.npy --size 600x200x300 --spacing 5 --dt 500e-6 \\\n"
         "       --boundary absorbing,z-=free --source 1500,500,20 --steps 2000 \\\n"
         "       --receivers 100,500,10:2890,500,10:280 --traces shot.sgy,shot.png \\\n"
         "       --snapshot-every 200 --output pictures\n"
         "  wave --size 801x201 --spacing 5 --boundary absorbing,z-=free --source 2000,10");
    torre_options_help(table, stdout);
    puts("\n"
         "Units are SI: metres, seconds, m/s, Hz. Cell (i, j, k) lies at (i HX, j HY, k HZ);\n"
         "z counts downwards. Faces: free (u = 0, like the surface of water), rigid (a wall),\n"
         "absorbing (a damping layer inside the grid before a free face), periodic (two\n"
         "opposite faces together). Sources and receivers between cells are interpolated.\n"
         "\n"
         "A plane (--size NXxNZ, or a velocity file with two axes) is two-dimensional: cells\n"
         "(i HX, k HZ), fields and --initial of shape (nx, nz), sources that are lines along\n"
         "y, and a larger stable time step.\n"
         "\n"
         "Where --dts and --tower-height are left open, the recommendations of\n"
         "roofline --tune for this device are taken, if there are any; TORRE_TUNE=off in the\n"
         "environment ignores them, TORRE_TUNE=FILE takes another file. With either of\n"
         "them --engine auto takes towers. torre and stepwise give the same bits.\n"
         "\n"
         "Exit codes: 0 done, 2 bad usage, 3 bad or unwritable file, 4 out of memory or no\n"
         "device, 5 the field became unstable, 75 stopped by a signal after writing the\n"
         "results so far.");
}
