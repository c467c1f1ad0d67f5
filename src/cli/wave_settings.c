#include "cli/wave_settings.h"

#include <string.h>

#include "cli/option_rows.h"
#include "core/numbers.h"
#include "core/orderings.h"
#include "io/sink.h"
#include "tiling/traversal.h"
#include "wave/boundary.h"
#include "wave/stencil.h"

static const char *const engines[] = {"auto", "torre", "stepwise", "reference", NULL};
static const char *const dispersions[] = {"correct", "leave", NULL}; /* by torre_time_dispersion */
static const char *const interpolations[] = {"sinc", "trilinear",
                                             NULL}; /* by torre_interpolation */
static const char *const absorbings[] = {"sponge", "pml", "cpml", NULL}; /* by torre_absorbing */
static const char *const precisions[] = {"f32", "f64", NULL};

/* Those of the formats that take planes. */
static const char *const *snapshot_formats(void)
{
    static const char *names[TORRE_SINK_NAMES];
    torre_sink_names(TORRE_SINK_PLANE, names);
    return names;
}

static int snapshot_format_by_name(const char *name)
{
    int i = 0;
    while (strcmp(snapshot_formats()[i], name) != 0) i++;
    return i;
}

/* One function, though long: a row for each option. */
static void make_table(wave_settings *s, torre_option *table)
{
    const torre_option list[] = {
        OPTION_GROUP("Grid and medium"),
        OPTION_SIZE("size", s->run.size, 1e9, TORRE_COUNT_1 | TORRE_COUNT_2 | TORRE_COUNT_3,
                    "NXxNYxNZ|NXxNZ", NULL,
                    "cells along x, y and z; two numbers make a plane, where nothing varies along "
                    "y, one a cube; taken from the velocity file unless given"),
        OPTION_VECTOR("spacing", s->run.spacing, TORRE_UNIT_METRE, 1e9,
                      TORRE_COUNT_1 | TORRE_COUNT_2 | TORRE_COUNT_3, "H|HX,HY,HZ|HX,HZ", NULL,
                      "metres between cells; HX,HZ in a plane"),
        OPTION_TEXT("velocity", &s->run.velocity, "V|FILE", NULL,
                    "m/s everywhere, or an array of shape (nx, ny, nz), or (nx, nz): a plane, or "
                    "extended along y where --size has three numbers. FILE.npy, FILE.h5:/ARRAY, "
                    "FILE.sgy, or bare numbers for --size, FILE:f32le (f32be, f64le, f64be)"),
        OPTION_TEXT("density", &s->run.density, "RHO|FILE", "the same everywhere",
                    "kg/m^3, as --velocity; a number makes no difference to pressure, which "
                    "fields are in, and sources and receivers unless they say otherwise"),
        OPTION_TEXT("axes", &s->run.axes, "xyz|zyx|...", "xyz, or xz",
                    "axes of these files, slowest first"),
        OPTION_NUMBERS("order", &s->run.order, torre_order_names, "order of accuracy in space"),
        OPTION_CHOICE("precision", &s->precision, precisions, "of fields and arithmetic"),
        OPTION_TEXT("boundary", &s->run.boundary, "KIND|LIST", NULL,
                    "free, rigid, absorbing or periodic for all faces, then exceptions: "
                    "absorbing,z-=free or x=periodic,y+=rigid; a plane has no y faces"),
        OPTION_CHOICE("absorbing", &s->absorbing, absorbings,
                      "what absorbs in front of absorbing faces: a perfectly matched layer of the "
                      "grid's own waves (pml), with the velocity of its first cell all along its "
                      "normal; a term that damps (sponge), which reflects more and is faster; or "
                      "the convolutional layer of other programs (cpml)"),
        OPTION_INTEGER_AUTO("absorbing-width", &s->run.absorbing_width, 1, 100000,
                            "cells of each absorbing layer, inside the grid; auto is 8 of pml, 20 "
                            "of others"),

        OPTION_GROUP("Time"),
        OPTION_INTEGER("steps", &s->run.steps, 0, OPTION_BIG, "time steps"),
        OPTION_AUTO_TIME("dt", &s->run.time.dt, "S",
                         "time step in seconds; auto is 0.9 of the largest stable one"),
        OPTION_AUTO_POSITIVE("courant", &s->run.time.courant, "X",
                             "time step as Courant number c dt / h, with the largest velocity and "
                             "the smallest spacing; auto leaves it to --dt"),
        OPTION_FLAG("force", &s->run.time.force, "run with a time step above the stability limit"),

        OPTION_GROUP("Sources and start"),
        OPTION_TEXT("source", &s->run.source, "X,Y,Z[,A][,C][;...]|FILE.csv|none",
                    "one near the middle; none with --initial",
                    "point sources: metres and a factor A on the wavelet each; X,Z or X,0,Z[,A] in "
                    "a plane, where they are lines along y. C: x, y or z for a force along it, in "
                    "newtons; several make one in another direction"),
        OPTION_TEXT(
            "wavelet", &s->run.wavelet, "ricker|FILE", NULL,
            "a file has one value per time step, as text or .npy, and is zero after its end"),
        OPTION_AUTO_QUANTITY(
            "frequency", &s->run.frequency, TORRE_UNIT_HERTZ, 1e12, "HZ",
            "peak frequency of the Ricker wavelet; auto gives the slowest wave ten "
            "cells per wavelength"),
        OPTION_REAL("amplitude", &s->run.amplitude, -1e30, 1e30, "A", "factor on all sources"),
        OPTION_TEXT("initial", &s->run.initial, "FILE[,PREVIOUS]|noise", "zero",
                    "field at step 0 (.npy) and one step before; one file alone starts at rest; "
                    "noise is a random number in every cell"),
        OPTION_INTEGER("seed", &s->run.seed, 0, OPTION_BIG, "of --initial noise"),

        OPTION_GROUP("Results"),
        OPTION_TEXT(
            "receivers", &s->run.receivers, "X,Y,Z[,C][;...]|X,Y,Z:X,Y,Z:N[:C]|FILE.csv", NULL,
            "where traces are recorded, in metres: points, or N of them on a line; X,Z in a plane. "
            "C: x, y or z for particle velocity along it, in m/s, which needs --density"),
        OPTION_CHOICE("interpolation", &s->interpolation, interpolations,
                      "of sources and receivers between cells: over 8 cells an axis by a windowed "
                      "sinc, which keeps waves of 4 points, or over 2; sinc needs 4 cells to a "
                      "rigid face"),
        OPTION_CHOICE("time-dispersion", &s->time_dispersion, dispersions,
                      "of traces: waves that arrive early since the time step is not zero; correct "
                      "warps the wavelet before the run and the traces after it, where there are "
                      "receivers; fields are as computed"),
        OPTION_TEXT("traces", &s->run.traces, "FILE[,FILE...]", NULL,
                    "traces of all receivers, samples 0 to steps: .npy, .sgy (SEG-Y), .su (Seismic "
                    "Unix), .png (picture); SEG-Y and SU need a dt of whole microseconds, an "
                    "automatic one is rounded down"),
        OPTION_TEXT(
            "field", &s->run.field, "FILE", NULL,
            "field after the last step: .npy, or .h5, .vtkhdf (HDF5, which ParaView opens)"),
        {.name = "field-every",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->run.field_every,
         .low = 1,
         .high = OPTION_BIG,
         .word = "end",
         .metavar = "N|end",
         .help = "with a number, --field is the fields at steps 0, N, 2 N and so on, in one array "
                 "whose first axis is time: u[i] is the field at the time i N dt"},
        {.name = "snapshot-every",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s->run.snapshot_every,
         .low = 0,
         .high = OPTION_BIG,
         .word = "end",
         .word_value = -1,
         .metavar = "N|end",
         .help = "snapshot of a plane every N steps, 0 for none, end for one after the last step"},
        {.name = "snapshot",
         .kind = TORRE_OPTION_TEXTS,
         .value = s->snapshot,
         .high = sizeof s->snapshot,
         .metavar = "FILE[,PLANE][,zfp=E]",
         .default_text = "snapshot_{step}.png in --output",
         .help =
             "file of the snapshots, .png, .npy, .h5 or .vtkhdf; {step} in the name makes one "
             "for each, else all are in one with a time axis. May be given again, each with a "
             "PLANE of its own, as of --snapshot-plane. zfp=E compresses .h5 so that no value is "
             "off by more than E; the summary tells the error that it came to"},
        OPTION_CHOICE(
            "snapshot-format", &s->snapshot_format, snapshot_formats(),
            "picture, or the cells of the plane as a NumPy array, such as (nx, nz), or as "
            "HDF5; the step is in the name of the file"),
        OPTION_TEXT("snapshot-plane", &s->run.snapshot_plane, "xy|xz|yz[@INDEX]|volume", NULL,
                    "plane of the snapshots (first axis to the right, second downwards); it goes "
                    "through the first source unless INDEX is given; xz in a plane; or all cells"),
        OPTION_SIZE("snapshot-stride", s->run.snapshot_stride, 1e9,
                    TORRE_COUNT_1 | TORRE_COUNT_2 | TORRE_COUNT_3, "N|NXxNYxNZ|NXxNZ", "every cell",
                    "snapshots have every N-th cell, or so many along each axis"),
        OPTION_AUTO_UP_TO("snapshot-scale", &s->run.snapshot_scale, 1e300, "VALUE",
                          "field value in full colour; auto suits every picture by itself or, "
                          "with --movie, all of them together: 99.5 % of their values that are "
                          "not zero are below, and 98 % of each; drawn at the end of the run"),
        OPTION_TEXT("movie", &s->movie, "FILE.mp4|.gif|.webp", "",
                    "the pictures of the snapshots (--snapshot-every, without it a hundred) as a "
                    "movie, 12 a second, in one scale (--snapshot-scale); by the program ffmpeg"),
        OPTION_PICTURE_STYLE(&s->picture_style),
        OPTION_TEXT("output", &s->run.output, "DIR", NULL,
                    "directory of the snapshots, snapshot_000600.png and so on; made if missing"),
        OPTION_TEXT("json", &s->json, "FILE|-", NULL,
                    "report of the run: settings, what was chosen (engine, why, kernel, dts, "
                    "axes), memory, "
                    "rates, files; - is standard output, the summary then goes to standard error"),

        PAGE_ROW("model and geometry, pictures of the snapshots (--snapshot-every), traces"),

        OPTION_GROUP("Stopping and going on"),
        CHECKPOINT_ROWS(&s->checkpoint, " and by any engine but the reference"),

        OPTION_GROUP("Surveys: many shots over one model"),
        OPTION_TEXT(
            "survey", &s->survey.path, "FILE", NULL,
            "a CSV file with a row for each shot, whose first line names the columns: shot, x, "
            "y, z and, where wanted, amplitude, component, delay, wavelet, receivers; or .sgy, "
            ".su, whose trace headers say where sources and receivers are. --traces then names a "
            "file for each shot by {shot} in it, or one for all. The same command again does what "
            "is missing"),
        {.name = "aperture",
         .kind = TORRE_OPTION_VECTOR,
         .value = s->aperture,
         .unit = TORRE_UNIT_METRE,
         .low = 0,
         .high = 1e9,
         .counts = TORRE_COUNT_1 | TORRE_COUNT_2,
         .metavar = "X|X,Y",
         .default_text = "the whole model",
         .help = "metres of the model, beyond source and receivers of a shot, that are computed "
                 "for it, and absorbing layers around them"},
        OPTION_INTEGER_AUTO(
            "shots-at-once", &s->survey.at_once, 1, 4096,
            "shots computed at the same time, with a share of the threads each, or by each "
            "GPU"),
        OPTION_TEXT("manifest", &s->survey.manifest, "FILE", "beside the traces",
                    "what is done of a survey, a JSON object a line"),

        OPTION_GROUP("How to compute"),
        OPTION_BACKEND(&s->run.backend, "auto takes a GPU where one can be used"),
        OPTION_DEVICE(&s->run.device),
        OPTION_TEXT("devices", &s->run.devices, "N[,N...]|all", "as --device",
                    "GPUs of this machine that share the run, each a slab of the grid; of "
                    "--survey, that compute shots, each the next one when it is free"),
        OPTION_CHOICE("engine", &s->engine, engines,
                      "towers of many steps, one step at a time, or the plain and slow reference; "
                      "auto takes towers, unless one step at a time is faster or all there is"),
        OPTION_INTEGER_AUTO("dts", &s->run.dts, 1, 1024,
                            "diamond tile size in half-widths of the stencil"),
        OPTION_INTEGER_AUTO("tower-height", &s->run.tower_height, 1, 1e6,
                            "steps that a tower climbs"),
        OPTION_TEXT("ordering", &s->run.ordering, "NAME", NULL,
                    TORRE_ORDERING_HELP("; of the tiles")),
        OPTION_THREADS(&s->run.threads, "of the CPU (--backend cpu); auto obeys OMP_NUM_THREADS"),
        OPTION_TEXT("memory", &s->memory, "SIZE", "as much as it takes, of a GPU what is free",
                    "bytes that fields and tables may take, such as 512M or 20G (MiB, GiB), of a "
                    "GPU, too; larger fields stream through so much from --scratch, on a GPU "
                    "without it from memory of the host, with the same bits"),
        OPTION_TEXT("scratch", &s->run.scratch, "DIR", NULL,
                    "directory, on a fast disk, of a file for what --memory does not hold; the "
                    "file has no name, and is gone with the program"),

        OPTION_GROUP("Program"),
        OPTION_TEXT("inspect", &s->inspect, "FILE", NULL,
                    "instead of a run, say what is in a file of traces: .sgy, .su, .npy"),
        OPTION_FLAG("dry-run", &s->dry_run,
                    "check everything, say what the run would take, and stop before it; for a run "
                    "that is too large for this machine, too"),
        CONFIG_ROWS,
        OPTION_FLAG("quiet", &s->quiet, "no summary, warnings or progress"),
        EXAMPLES_ROW,
        OPTION_HELP(&s->help),
        OPTION_STOP("version", &s->version, "show the version and how it was built"),
        {0},
    };
    _Static_assert(sizeof list / sizeof list[0] <= WAVE_OPTIONS, "WAVE_OPTIONS is too small");
    memcpy(table, list, sizeof list);
}

static const torre_example examples[] = {
    {"Waves of a point source in a box, and pictures of them", "wave --order 8 --dts 4"},
    {"Two dimensions, open on all sides but the top, on a page for a browser",
     "wave --size 801x201 --spacing 5 --boundary absorbing,z-=free --source 2000,10 \\\n"
     "     --receivers 200,15:3800,15:300 --traces shot.png --report shot.html"},
    {"A model of one's own (.npy, shape (nx, nz), m/s): what receivers record, for a seismic "
     "program",
     "wave --velocity model.npy --spacing 7.5 --boundary absorbing,z-=free --source 3000,30 \\\n"
     "     --receivers 150,15:5850,15:300 --traces shot.sgy,shot.png --snapshot-every 200"},
    {"The same from a file of bare numbers (32-bit floats, little-endian, z fastest)",
     "wave --velocity model.bin:f32le --size 801x201 --spacing 7.5 --boundary absorbing,z-=free "
     "\\\n"
     "     --source 3000,30 --receivers 150,15:5850,15:300 --traces shot.npy"},
    {"A movie", "wave --size 401x201 --boundary absorbing --source 2000,1000 --movie waves.mp4"},
    {"Fields in time for ParaView", "wave --size 801x201 --field u.vtkhdf --field-every 20"},
    {"A survey: a shot for each row of shots.csv (shot,x,z), receivers that follow the source",
     "wave --velocity model.npy --spacing 5 --boundary absorbing,z-=free --survey shots.csv \\\n"
     "     --receivers rel:-1000,0:1000,0:201 --traces 'shots/{shot}.sgy'"},
    {"What a large run would take, before it is started", "wave --size 512x512x512 --dry-run"},
    {"A run that saves its state twice an hour, and ends in good time; --resume goes on",
     "wave --size 400x400x200 --steps 5000 --checkpoint run.state --checkpoint-every 30min \\\n"
     "     --max-time 11.5h"},
    {"A grid larger than memory", "wave --size 4000x800x800 --memory 8G --scratch ."},
    {0},
};

static const torre_program program = {
    "wave",
    "Usage: wave [OPTION]...\n"
    "Solve the acoustic wave equation u_tt + 2 s u_t = c^2 lap(u) + q on a grid.\n"
    "\n"
    "Without options: a point source in a box of 240x240x120 cells, and a picture\n"
    "of its waves in the current directory.",
    "\n"
    "Units are SI: metres, seconds, m/s, Hz; or say --dt 0.5ms, --frequency 25kHz.\n"
    "Cell (i, j, k) lies at (i HX, j HY, k HZ); z counts downwards. Faces: free (u = 0,\n"
    "like the surface of water), rigid (a wall), absorbing (open, by a layer inside the\n"
    "grid), periodic (two opposite faces together). Sources and receivers between cells\n"
    "are interpolated.\n"
    "\n"
    "A plane (--size NXxNZ, or a velocity file with two axes) is two-dimensional: cells\n"
    "(i HX, k HZ), fields and --initial of shape (nx, nz), sources that are lines along\n"
    "y, and a larger stable time step.\n"
    "\n"
    "mpirun -n N wave ...: N processes share a run, each a slab of the grid along the\n"
    "first of --axes, or the shots of a survey; files and results are those of one. A run\n"
    "in ranks or by --devices takes towers, and no --memory. Ranks of a machine take its\n"
    "GPUs in turn; on a CPU each has its share of the cores unless --threads says how many,\n"
    "and those of one machine have a slab together, in memory that they have in common\n"
    "(each its own, and messages, with TORRE_TRANSPORT=host in the environment).\n"
    "Between GPUs planes are copied from one to the other on one machine, else sent by an MPI\n"
    "that takes memory of GPUs, else by NCCL (libnccl.so.2), else through the host: the first\n"
    "that a trial shows to go. TORRE_TRANSPORT=peer, mpi, nccl or host in the environment\n"
    "tries that one alone before the host. The report tells which it was (transport), and\n"
    "why none that comes before (transport_why).\n"
    "Where a rank dies or is silent for TORRE_RANK_LIMIT seconds (environment; 60), all end\n"
    "with code 4. What towers of a GPU cannot do in parts (--memory, --devices, ranks), such\n"
    "as layers of --absorbing pml, takes single steps there, to the same bits: the kernel\n"
    "of the report is steps that slide.\n"
    "\n"
    "Where --dts and --tower-height are left open, the recommendations of\n"
    "roofline --tune for this device are taken, if there are any; TORRE_TUNE=off in the\n"
    "environment ignores them, TORRE_TUNE=FILE takes another file. With either of\n"
    "them --engine auto takes towers. torre and stepwise give the same bits.\n"
    "\n"
    "Exit codes: 0 done, 2 bad usage, 3 bad or unwritable file, 4 out of memory or no\n"
    "device, 5 the field became unstable, 75 stopped by a signal or --max-time after\n"
    "writing the results so far. Where shots of a survey fail, the others are computed,\n"
    "and the code is that of the first that failed.",
    examples};

/* Options that are for a single shot, or for a survey alone. */
static torre_status wave_settings_survey(wave_settings *s, const torre_option *table)
{
    static const char *const of_shots[] = {
        "source",         "initial",        "seed",           "field",           "field-every",
        "snapshot-every", "snapshot-plane", "snapshot-scale", "snapshot-format", "output",
        "checkpoint",     "resume",         "movie",          "snapshot",        "snapshot-stride",
        "memory",         "scratch"};
    static const char *const of_surveys[] = {"aperture", "shots-at-once", "manifest"};
    if (s->run.devices && torre_options_given(table, "device"))
        return torre_fail(TORRE_ERR_USAGE, "--device and --devices exclude each other");
    for (size_t i = 0; i < sizeof of_surveys / sizeof of_surveys[0] && !s->survey.path; i++)
        if (torre_options_given(table, of_surveys[i]))
            return torre_fail(TORRE_ERR_USAGE, "--%s belongs to --survey FILE", of_surveys[i]);
    if (!s->survey.path) return TORRE_OK;
    for (size_t i = 0; i < sizeof of_shots / sizeof of_shots[0]; i++)
        if (torre_options_given(table, of_shots[i]))
            return torre_fail(TORRE_ERR_USAGE, "--%s belongs to a run of one shot, not to --survey",
                              of_shots[i]);
    if (!s->run.traces)
        return torre_fail(TORRE_ERR_USAGE, "--survey needs --traces to write what is recorded");
    s->survey.receivers = s->run.receivers;
    s->survey.report = s->json;
    s->survey.aperture = (torre_aperture){
        .wanted = torre_options_given(table, "aperture"), .x = s->aperture[0], .y = s->aperture[1]};
    s->run.snapshot_every = 0;
    return TORRE_OK;
}

static torre_status read_memory(wave_settings *s)
{
    if (!s->memory || torre_parse_bytes(s->memory, &s->run.memory)) return TORRE_OK;
    return torre_fail(
        TORRE_ERR_USAGE,
        "--memory must be a whole number of bytes, or of K, M or G, as 20G (got %.40s)", s->memory);
}

torre_status wave_settings_parse(wave_settings *s, torre_option *table, int argc, char **argv,
                                 bool *done)
{
    *s = (wave_settings){.run = torre_wave_spec_default(), .checkpoint = CHECKPOINT_DEFAULT};
    s->absorbing = (int)s->run.absorbing;
    s->snapshot_format = snapshot_format_by_name(s->run.snapshot_format);
    make_table(s, table);
    TORRE_TRY(torre_program_options(&program, table, argc, argv, done));
    if (!*done) TORRE_TRY(torre_checkpoint_options_read(&s->checkpoint, table));
    TORRE_TRY(read_memory(s));
    s->run.precision = s->precision ? TORRE_F64 : TORRE_F32;
    s->run.absorbing = (torre_absorbing)s->absorbing;
    s->run.interpolation = (torre_interpolation)s->interpolation;
    s->run.time_dispersion = (torre_time_dispersion)s->time_dispersion;
    torre_engine_by_name(engines[s->engine], &s->run.engine);
    s->run.snapshot_format = snapshot_formats()[s->snapshot_format];
    s->run.snapshot = s->snapshot[0] ? s->snapshot : NULL;
    s->run.picture_style = torre_picture_styles[s->picture_style];
    s->run.size_of_file = !torre_options_given(table, "size");
    if (s->movie && !torre_options_given(table, "snapshot-every"))
        s->run.snapshot_every = s->run.steps > 100 ? s->run.steps / 100 : 1;
    return wave_settings_survey(s, table);
}

torre_status wave_settings_check(const wave_settings *s, const torre_option *table,
                                 const torre_wave_problem *p)
{
    static const char *const of_sources[] = {"wavelet", "frequency", "amplitude"};
    static const char *const of_pictures[] = {"snapshot-plane", "snapshot-scale", "snapshot-format",
                                              "snapshot", "snapshot-stride"};
    static const char *const of_nameless[] = {"snapshot-format", "output"};
    bool absorbing = s->survey.aperture.wanted; /* where it cuts the model */
    for (int a = 0; a < 3; a++) absorbing |= torre_axis_absorbs(p, a);
    const bool survey = s->survey.path;
    if (s->run.receivers && !s->run.traces)
        return torre_fail(TORRE_ERR_USAGE, "--receivers needs --traces FILE to write them to");
    if (s->run.traces && !s->run.receivers && !survey)
        return torre_fail(TORRE_ERR_USAGE, "--traces needs --receivers to record at");
    for (int i = 0; i < 3; i++)
        if (p->source_count == 0 && torre_options_given(table, of_sources[i]))
            return torre_fail(TORRE_ERR_USAGE, "--%s belongs to sources, and %s; give --source",
                              of_sources[i],
                              s->run.source ? "--source none leaves none"
                                            : "--initial without --source has none");
    for (int i = 0; i < 5; i++)
        if (s->run.snapshot_every == 0 && torre_options_given(table, of_pictures[i]))
            return torre_fail(TORRE_ERR_USAGE,
                              "--%s belongs to pictures, and --snapshot-every 0 makes none",
                              of_pictures[i]);
    for (int i = 0; i < 2 && s->run.snapshot; i++)
        if (torre_options_given(table, of_nameless[i]))
            return torre_fail(TORRE_ERR_USAGE,
                              "--%s belongs to snapshots that --snapshot does not "
                              "name",
                              of_nameless[i]);
    if (s->movie && s->run.snapshot_every <= 0)
        return torre_fail(TORRE_ERR_USAGE, "--movie needs pictures to show: --snapshot-every N");
    if (s->movie && s->checkpoint.saving.file && s->run.snapshot_scale == 0)
        return torre_fail(
            TORRE_ERR_USAGE,
            "--movie with --checkpoint needs --snapshot-scale VALUE: pictures of an "
            "automatic scale are drawn at the end, and a checkpoint has none of them");
    if (s->movie && s->checkpoint.saving.resume)
        return torre_fail(TORRE_ERR_USAGE, "--movie and --resume exclude each other: it would "
                                           "begin in the middle");
    if (torre_options_given(table, "snapshot-scale") && !s->run.snapshot &&
        !torre_sink_is_picture(torre_sink_by_name(s->run.snapshot_format)))
        return torre_fail(
            TORRE_ERR_USAGE,
            "--snapshot-scale belongs to pictures, and --snapshot-format %s makes none",
            s->run.snapshot_format);
    if (!s->run.field && torre_options_given(table, "field-every"))
        return torre_fail(TORRE_ERR_USAGE, "--field-every belongs to --field; give --field FILE");
    static const char *const of_layers[] = {"absorbing", "absorbing-width"};
    for (int i = 0; i < 2 && !absorbing; i++)
        if (torre_options_given(table, of_layers[i]))
            return torre_fail(TORRE_ERR_USAGE,
                              "--%s belongs to --boundary absorbing; no face is absorbing",
                              of_layers[i]);
    if (torre_options_given(table, "seed") &&
        !(s->run.initial && strcmp(s->run.initial, "noise") == 0))
        return torre_fail(TORRE_ERR_USAGE, "--seed belongs to --initial noise; nothing else is "
                                           "random");
    return TORRE_OK;
}

torre_status wave_settings_check_choice(const wave_settings *s, const torre_option *table,
                                        const torre_wave_run *run, torre_cautions *cautions)
{
    static const char *const of_towers[] = {"dts", "tower-height", "ordering"};
    const torre_engine engine = torre_wave_run_info(run)->plan.engine;
    const bool cuda = strcmp(torre_wave_run_backend(run), "cuda") == 0;
    const int idle_options = cuda ? 2 : 3; /* on a GPU one step at a time is ordered, too */
    const char *why;
    if (!cuda && !torre_traversal_exists(&torre_wave_run_info(run)->plan.ordering, &why))
        return torre_fail(TORRE_ERR_USAGE, "{ordering} %s: %s", s->run.ordering, why);
    for (int i = 0; i < idle_options && engine != TORRE_TORRE; i++)
        if (torre_options_given(table, of_towers[i]))
            torre_caution(cautions, "--%s means nothing to --engine %s", of_towers[i],
                          torre_engine_name(engine));
    return torre_program_idle("wave", table, "threads", "cpu", s->run.backend,
                              torre_wave_run_backend(run), s->quiet);
}
