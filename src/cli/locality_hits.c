/* locality hits: block cache-hit ratio of particles after a reorder, and its decay. */
#include "cli/locality.h"
#include "io/file_ending.h"
#include "locality/hit_series.h"

/* --gas, --pairs */
static const char *const gas_name[] = {"ideal", "elastic", "inelastic", NULL};
static const torre_granular_gas gas_kind[] = {TORRE_GRANULAR_IDEAL, TORRE_GRANULAR_ELASTIC,
                                              TORRE_GRANULAR_INELASTIC};
static const char *const pairs_name[] = {"candidates", "contacts", NULL};

typedef struct hits_options {
    torre_hit_plan plan; /* of the gas only what options say */
    double height;
    int64_t seed;
    int gas, pairs;
    const char *map;
} hits_options;

static torre_status write_csv(const locality_job *job, const torre_hit_series *h)
{
    for (int i = 0; i < job->count; i++)
        for (int64_t s = 0; s < h->samples; s++)
            TORRE_TRY(locality_csv_row(job, job->list[i].name,
                                       (double[]){(double)(s * h->plan.every),
                                                  torre_hit_series_ratio(h, i, s),
                                                  torre_hit_series_speedup(h, i, s)}));
    return TORRE_OK;
}

static void report(locality_job *job, const torre_hit_series *h)
{
    torre_report_integer(job->report, "particles", h->gas.count);
    torre_report_integer(job->report, "cache", h->plan.cache);
    for (int i = 0; i < job->count; i++) {
        torre_report *at = locality_report_of(job, i);
        torre_report_integer(at, "reads", h->sample[i][0].reads);
        torre_report_integer(at, "hits", h->sample[i][0].hits);
        torre_report_real(at, "hit_ratio", torre_hit_series_ratio(h, i, 0));
        torre_report_real(at, "speedup", torre_hit_series_speedup(h, i, 0));
        torre_report_real(at, "best_interval", torre_hit_series_interval(h, i));
        torre_report *decay = torre_report_array(at, "decay");
        for (int64_t s = 0; s < h->samples; s++) {
            torre_report *entry = torre_report_object(decay, NULL);
            torre_report_integer(entry, "step", s * h->plan.every);
            torre_report_real(entry, "hit_ratio", torre_hit_series_ratio(h, i, s));
            torre_report_real(entry, "speedup", torre_hit_series_speedup(h, i, s));
        }
    }
}

static void print_table(const locality_job *job, const torre_hit_series *h)
{
    printf("%lld particles, blocks of %lld, a miss costs %g hits\n", (long long)h->gas.count,
           (long long)h->plan.cache, h->plan.cost);
    printf("%-28s %10s %10s", "ordering", "hit ratio", "speedup");
    if (h->samples > 1) printf(" %16s %20s", "after the last", "reorder best every");
    printf("\n");
    for (int i = 0; i < job->count; i++) {
        printf("%-28s %10.4f %10.2f", job->list[i].name, torre_hit_series_ratio(h, i, 0),
               torre_hit_series_speedup(h, i, 0));
        if (h->samples > 1) printf(" %16.4f", torre_hit_series_ratio(h, i, h->samples - 1));
        if (h->samples > 1 && !job->list[i].none)
            printf(" %14.0f steps", torre_hit_series_interval(h, i));
        printf("\n");
    }
}

static torre_status draw_map(const locality_job *job, const char *path, const torre_hit_series *h)
{
    torre_image image;
    TORRE_TRY(torre_hit_map_draw(h, 0, &image));
    torre_status status = torre_png_write(&image, job->list[0].name, path);
    torre_image_free(&image);
    return status;
}

static torre_status check(locality_job *job)
{
    static const char *const pictures[] = {".png", NULL};
    hits_options *o = job->options;
    torre_hit_plan *p = &o->plan;
    if (job->dims == 3 && o->height != 1)
        return torre_fail(TORRE_ERR_USAGE, "--height is for bins of a plane (--size MxN)");
    p->bins =
        torre_bin_grid_make(job->size, (const double[]){1, 1, job->dims == 2 ? o->height : 1});
    p->gas.planar = job->dims == 2 && o->height == 1;
    p->gas.kind = gas_kind[o->gas];
    p->gas.seed = (uint64_t)o->seed;
    p->contacts = o->pairs == 1;
    p->orders = job->count;
    for (int i = 0; i < job->count; i++)
        p->order[i] = job->list[i].none ? NULL : &job->list[i].ordering;
    if (!o->map) return TORRE_OK;
    TORRE_TRY(torre_hit_map_check(&p->bins));
    return torre_file_ending_check("map", o->map, pictures, false);
}

static torre_status run(locality_job *job)
{
    const hits_options *o = job->options;
    torre_hit_series h;
    TORRE_TRY(locality_check_memory(job, 32));
    torre_status status = torre_hit_series_make(&o->plan, &h);
    if (!status) status = write_csv(job, &h);
    if (!status) report(job, &h);
    if (!status && job->table) print_table(job, &h);
    if (!status && o->map) status = draw_map(job, o->map, &h);
    torre_hit_series_free(&h);
    return status;
}

torre_status locality_hits(int argc, char **argv)
{
    hits_options o = {.plan = {.gas = {.filling = 0.25, .speed = 0.01, .restitution = 0.8},
                               .every = 50,
                               .cache = 320,
                               .cost = 100,
                               .reorder_cost = 10},
                      .height = 1,
                      .seed = 1};
    locality_job job = {
        .subcommand = "hits",
        .usage =
            "Usage: locality hits [OPTION...]\n\n"
            "Fills a periodic box with spheres of diameter 1 (bins are 1x1x1), stores them along\n"
            "the curve, cuts memory into blocks of C particles, and tells which share of the "
            "reads\n"
            "of neighbours stay inside their block: what a small software-managed cache is worth.\n"
            "With --steps the particles move on and the share decays until the next reorder.\n"
            "Orderings separated by commas are compared; none stores the particles at random.\n\n"
            "  locality hits --ordering none,row-major,hilbert --size 128x128 --filling 0.25\n"
            "  locality hits --size 32 --gas elastic --speed 0.01 --steps 2000 --plot decay.png",
        .ordering_limit = LOCALITY_ORDERINGS,
        .allow_none = true,
        .column = {"step", "hit_ratio", "speedup"},
        .options = &o,
        .check = check,
        .run = run,
        .ordering = "hilbert",
        .size = {64, 64, 0},
        .drawn = {"set xlabel 'steps since the reorder'\n"
                  "set ylabel 'hit ratio'\n"
                  "set yrange [0:1]\n",
                  1, 2, "linespoints", NULL}};
    torre_option table[] = {
        LOCALITY_BOX_OPTIONS(job),
        OPTION_GROUP("Particles"),
        OPTION_REAL("height", &o.height, 1, 1e6, "H",
                    "with --size MxN: height of the bins; spheres move in a plane when it is 1"),
        OPTION_UP_TO("filling", &o.plan.gas.filling, 0.74, "PHI",
                     "volume of the spheres over volume of the box"),
        OPTION_TEXT("particles", &o.plan.particles, "FILE.csv", NULL,
                    "x,y,z of given particles instead, in units of bins"),
        OPTION_CHOICE("gas", &o.gas, gas_name, "whether and how spheres collide"),
        OPTION_REAL("speed", &o.plan.gas.speed, 0, 10, "V",
                    "root mean square at the start, diameters a step"),
        OPTION_SHARE("restitution", &o.plan.gas.restitution, "E", "of inelastic collisions"),
        OPTION_INTEGER("steps", &o.plan.steps, 0, 1e9, "time steps after the reorder"),
        OPTION_INTEGER("every", &o.plan.every, 1, 1e9, "count hits every N steps"),
        OPTION_INTEGER("seed", &o.seed, 0, 1e15, "of the random numbers"),
        OPTION_GROUP("Cache"),
        OPTION_NUMBER("cache", &o.plan.cache, 1, OPTION_BIG, "C", "particles in a block"),
        OPTION_CHOICE(
            "pairs", &o.pairs, pairs_name,
            "what counts as a read: every particle in the adjacent bins, or those that touch"),
        OPTION_REAL("cost", &o.plan.cost, 1, 1e9, "F",
                    "a miss costs F hits; the speedup is against misses only"),
        OPTION_REAL("reorder-cost", &o.plan.reorder_cost, 0, 1e9, "F",
                    "a reorder costs F misses a particle; tells how often to do it"),
        LOCALITY_OUTPUT_OPTIONS(job),
        OPTION_TEXT("map", &o.map, "FILE.png", NULL,
                    "draw where the reads of the first ordering hit (blue)"),
        {0}};
    return locality_job_run(&job, table, argc, argv);
}
