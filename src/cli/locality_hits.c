/* locality hits: block cache-hit ratio of particles after a reorder, and its decay. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/locality.h"
#include "core/random.h"
#include "io/file_ending.h"
#include "io/png_image.h"
#include "io/point_list.h"
#include "locality/block_hits.h"
#include "locality/gas.h"

/* --gas */
enum { GAS_IDEAL };
static const char *const gas_name[] = {"ideal", "elastic", "inelastic", NULL};
static const torre_granular_gas gas_kind[] = {TORRE_GRANULAR_IDEAL, TORRE_GRANULAR_ELASTIC,
                                              TORRE_GRANULAR_INELASTIC};
enum { PAIRS_CANDIDATES, PAIRS_CONTACTS };

typedef struct hits_options {
    double filling, height, speed, restitution, cost, reorder_cost;
    int64_t cache, steps, every, seed;
    int gas, pairs;
    const char *particles, *map;
} hits_options;

/* Reads of one ordering at the steps 0, every, 2 every, ... */
typedef struct hits_series {
    int64_t *slot;
    torre_block_hits *sample; /* [samples] */
} hits_series;

typedef struct hits_run {
    locality_job *job;
    const hits_options *options;
    torre_bin_box box;
    torre_gas gas;
    int64_t samples;
    hits_series series[LOCALITY_MAX_ORDERINGS];
} hits_run;

static torre_status out_of_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for this --size and --filling");
}

static torre_status check_options(const locality_job *job, const hits_options *o)
{
    if (job->dims == 3 && o->height != 1)
        return torre_fail(TORRE_ERR_USAGE, "--height is for bins of a plane (--size MxN)");
    if (o->gas != GAS_IDEAL && o->speed > TORRE_GAS_MAX_SPEED)
        return torre_fail(TORRE_ERR_USAGE,
                          "--speed must be from 0 to %g where spheres collide (got %g)",
                          TORRE_GAS_MAX_SPEED, o->speed);
    if (o->particles && o->steps)
        return torre_fail(TORRE_ERR_USAGE, "--particles has no velocities: --steps must be 0 then");
    return TORRE_OK;
}

/* Positions from a file instead of a gas. */
static torre_status read_particles(hits_run *r)
{
    torre_point_list list = {0};
    TORRE_TRY(torre_csv_points_read(r->options->particles, (torre_point_rule){3, false}, &list));
    r->gas.position = malloc((size_t)(list.count + 1) * sizeof *r->gas.position);
    r->gas.count = list.count;
    for (int64_t p = 0; r->gas.position && p < list.count; p++)
        for (int a = 0; a < 3; a++) r->gas.position[p][a] = list.points[p].position[a];
    torre_point_list_free(&list);
    return r->gas.position ? TORRE_OK : out_of_memory();
}

static torre_status make_particles(hits_run *r)
{
    const hits_options *o = r->options;
    if (o->particles) return read_particles(r);
    torre_gas_plan plan = {.planar = r->job->dims == 2 && o->height == 1,
                           .filling = o->filling,
                           .speed = o->speed,
                           .kind = gas_kind[o->gas],
                           .restitution = o->restitution,
                           .seed = (uint64_t)o->seed};
    for (int a = 0; a < 3; a++) plan.length[a] = (double)r->box.size[a] * r->box.width[a];
    return torre_gas_new(&plan, &r->gas);
}

/* Any order whatever: a random permutation (Fisher and Yates). */
static void shuffle(int64_t *slot, int64_t count, uint64_t seed)
{
    for (int64_t p = 0; p < count; p++) slot[p] = p;
    for (int64_t p = count - 1; p > 0; p--) {
        int64_t q = (int64_t)(torre_random_at(~seed, (uint64_t)p) % (uint64_t)(p + 1));
        int64_t kept = slot[p];
        slot[p] = slot[q];
        slot[q] = kept;
    }
}

static torre_status reorder(hits_run *r)
{
    for (int i = 0; i < r->job->count; i++) {
        hits_series *s = &r->series[i];
        s->slot = malloc((size_t)(r->gas.count + 1) * sizeof *s->slot);
        s->sample = calloc((size_t)r->samples, sizeof *s->sample);
        if (!s->slot || !s->sample) return out_of_memory();
        if (r->job->list[i].none)
            shuffle(s->slot, r->gas.count, (uint64_t)r->options->seed);
        else if (!torre_block_hits_sort(&r->box, &r->job->list[i].ordering, r->gas.count,
                                        (const double(*)[3])r->gas.position, s->slot))
            return out_of_memory();
    }
    return TORRE_OK;
}

static torre_status count_hits(hits_run *r, int64_t sample)
{
    double contact = r->options->pairs == PAIRS_CONTACTS ? 1 : 0;
    for (int i = 0; i < r->job->count; i++)
        if (!torre_block_hits_count(&r->box, r->gas.count, (const double(*)[3])r->gas.position,
                                    r->series[i].slot, r->options->cache, contact,
                                    &r->series[i].sample[sample]))
            return out_of_memory();
    return TORRE_OK;
}

static double ratio_of(const hits_run *r, int index, int64_t sample)
{
    return torre_block_hits_ratio(&r->series[index].sample[sample]);
}

/*
 * The number of steps between reorders that makes a step cheapest on average: a step costs its
 * reads (hit 1, miss `cost`), a reorder so many misses for every particle. Only sampled steps are
 * candidates; between samples the cost is taken as linear.
 */
static int64_t best_interval(const hits_run *r, int index)
{
    const hits_options *o = r->options;
    double sum = 0, before = 0, best = INFINITY;
    double reorder = o->reorder_cost * o->cost * (double)r->gas.count;
    int64_t steps = 0;
    for (int64_t s = 0; s < r->samples; s++) {
        const torre_block_hits *h = &r->series[index].sample[s];
        double now = (double)h->hits + o->cost * (double)(h->reads - h->hits);
        if (s > 0) {
            sum += (before + now) / 2 * (double)o->every;
            double mean = (sum + reorder) / (double)(s * o->every);
            if (mean < best) {
                best = mean;
                steps = s * o->every;
            }
        }
        before = now;
    }
    return steps;
}

static void write_csv(const hits_run *r)
{
    FILE *out = torre_output_stream(r->job->csv);
    locality_csv_begin(r->job, -1);
    fprintf(out, "step,hit_ratio,speedup\n");
    for (int i = 0; i < r->job->count; i++) {
        for (int64_t s = 0; s < r->samples; s++) {
            double p = ratio_of(r, i, s);
            locality_csv_begin(r->job, i);
            fprintf(out, "%" PRId64 ",%.9g,%.9g\n", s * r->options->every, p,
                    torre_block_hits_speedup(p, r->options->cost));
        }
    }
}

static void report(const hits_run *r)
{
    torre_report_integer(r->job->report, "particles", r->gas.count);
    torre_report_integer(r->job->report, "cache", r->options->cache);
    for (int i = 0; i < r->job->count; i++) {
        torre_report *at = locality_report_of(r->job, i);
        double p = ratio_of(r, i, 0);
        torre_report_integer(at, "reads", r->series[i].sample[0].reads);
        torre_report_integer(at, "hits", r->series[i].sample[0].hits);
        torre_report_real(at, "hit_ratio", p);
        torre_report_real(at, "speedup", torre_block_hits_speedup(p, r->options->cost));
        /* where nothing was ever sorted, or only one state is known, there is none: null */
        bool known = r->samples > 1 && !r->job->list[i].none;
        torre_report_real(at, "best_interval", known ? (double)best_interval(r, i) : NAN);
        torre_report *decay = torre_report_array(at, "decay");
        for (int64_t s = 0; s < r->samples; s++) {
            torre_report *entry = torre_report_object(decay, NULL);
            double q = ratio_of(r, i, s);
            torre_report_integer(entry, "step", s * r->options->every);
            torre_report_real(entry, "hit_ratio", q);
            torre_report_real(entry, "speedup", torre_block_hits_speedup(q, r->options->cost));
        }
    }
}

static void print_table(const hits_run *r)
{
    printf("%lld particles, blocks of %lld, a miss costs %g hits\n", (long long)r->gas.count,
           (long long)r->options->cache, r->options->cost);
    printf("%-28s %10s %10s", "ordering", "hit ratio", "speedup");
    if (r->samples > 1) printf(" %16s %20s", "after the last", "reorder best every");
    printf("\n");
    for (int i = 0; i < r->job->count; i++) {
        double p = ratio_of(r, i, 0);
        printf("%-28s %10.4f %10.2f", r->job->list[i].name, p,
               torre_block_hits_speedup(p, r->options->cost));
        if (r->samples > 1) printf(" %16.4f", ratio_of(r, i, r->samples - 1));
        if (r->samples > 1 && !r->job->list[i].none)
            printf(" %14lld steps", (long long)best_interval(r, i));
        printf("\n");
    }
}

/* Hit ratio around a column of bins, over so many columns to every side that few are empty. */
static double map_ratio(const hits_run *r, const torre_block_hits *hits, int64_t x, int64_t y)
{
    enum { AROUND = 2 };
    int64_t nx = r->box.size[0], ny = r->box.size[1], nz = r->box.size[2], reads = 0, found = 0;
    for (int64_t i = x - AROUND; i <= x + AROUND; i++) {
        for (int64_t j = y - AROUND; j <= y + AROUND; j++) {
            int64_t column = ((i + nx * AROUND) % nx * ny + (j + ny * AROUND) % ny) * nz;
            for (int64_t k = 0; k < nz; k++) {
                reads += hits->bin_reads[column + k];
                found += hits->bin_hits[column + k];
            }
        }
    }
    return reads ? (double)found / (double)reads : 0;
}

static torre_status check_map(const hits_run *r)
{
    static const char *const pictures[] = {".png", NULL};
    if (r->box.size[0] > 8192 || r->box.size[1] > 8192)
        return torre_fail(TORRE_ERR_USAGE, "--map: at most 8192x8192 bins can be drawn");
    return torre_file_ending_check("map", r->options->map, pictures, false);
}

/* A square for each column of bins, the bluer the more of the reads hit, at the last sample. */
static torre_status draw_map(const hits_run *r)
{
    int64_t bins = torre_bin_box_bins(&r->box), nx = r->box.size[0], ny = r->box.size[1];
    int square = (int)fmax(1, floor(1024.0 / (double)(nx > ny ? nx : ny)));
    torre_image image;
    TORRE_TRY(torre_image_new((int)ny * square, (int)nx * square, &image));
    torre_block_hits hits = {0};
    hits.bin_reads = calloc((size_t)bins, sizeof *hits.bin_reads);
    hits.bin_hits = calloc((size_t)bins, sizeof *hits.bin_hits);
    bool ok = hits.bin_reads && hits.bin_hits &&
              torre_block_hits_count(&r->box, r->gas.count, (const double(*)[3])r->gas.position,
                                     r->series[0].slot, r->options->cache,
                                     r->options->pairs == PAIRS_CONTACTS ? 1 : 0, &hits);
    for (int64_t x = 0; ok && x < nx; x++) {
        for (int64_t y = 0; y < ny; y++) {
            double p = map_ratio(r, &hits, x, y);
            for (int i = 0; i < square * square; i++) {
                uint8_t *pixel = torre_image_at(&image, (int)y * square + i % square,
                                                (int)x * square + i / square);
                pixel[0] = (uint8_t)(255 - 235 * p);
                pixel[1] = (uint8_t)(255 - 195 * p);
                pixel[2] = (uint8_t)(255 - 75 * p);
            }
        }
    }
    free(hits.bin_reads);
    free(hits.bin_hits);
    torre_status status =
        ok ? torre_png_write(&image, r->job->list[0].name, r->options->map) : out_of_memory();
    torre_image_free(&image);
    return status;
}

static torre_status compute(hits_run *r)
{
    TORRE_TRY(check_options(r->job, r->options));
    if (r->options->map) TORRE_TRY(check_map(r));
    TORRE_TRY(locality_check_memory(r->job, 32));
    TORRE_TRY(make_particles(r));
    TORRE_TRY(reorder(r));
    TORRE_TRY(count_hits(r, 0));
    for (int64_t s = 1; s < r->samples; s++) {
        TORRE_TRY(torre_gas_advance(&r->gas, r->options->every));
        TORRE_TRY(count_hits(r, s));
    }
    if (r->job->csv) write_csv(r);
    report(r);
    if (r->job->table) print_table(r);
    return r->options->map ? draw_map(r) : TORRE_OK;
}

static torre_status run(locality_job *job, const hits_options *options)
{
    hits_run r = {.job = job, .options = options, .samples = options->steps / options->every + 1};
    for (int a = 0; a < 3; a++) {
        r.box.size[a] = job->size[a];
        r.box.width[a] = a == 2 && job->dims == 2 ? options->height : 1;
    }
    torre_status status = compute(&r);
    for (int i = 0; i < job->count; i++) {
        free(r.series[i].slot);
        free(r.series[i].sample);
    }
    torre_gas_free(&r.gas);
    return status;
}

static void plot_commands(const locality_job *job, FILE *script)
{
    fprintf(script, "set xlabel 'steps since the reorder'\n"
                    "set ylabel 'hit ratio'\n"
                    "set yrange [0:1]\n");
    locality_plot_series(job, script, 1, 2, "linespoints");
}

torre_status locality_hits(int argc, char **argv)
{
    static const char *const pairs[] = {"candidates", "contacts", NULL};
    locality_job job = {
        .subcommand = "hits",
        .about =
            "Fills a periodic box with spheres of diameter 1 (bins are 1x1x1), stores them along\n"
            "the curve, cuts memory into blocks of C particles, and tells which share of the "
            "reads\n"
            "of neighbours stay inside their block: what a small software-managed cache is worth.\n"
            "With --steps the particles move on and the share decays until the next reorder.\n"
            "Orderings separated by commas are compared; none stores the particles at random.\n\n"
            "  locality hits --ordering none,row-major,hilbert --size 128x128 --filling 0.25\n"
            "  locality hits --size 32 --gas elastic --speed 0.01 --steps 2000 --plot decay.png\n",
        .ordering_limit = LOCALITY_MAX_ORDERINGS,
        .allow_none = true,
        .ordering = "hilbert",
        .size = {64, 64, 0},
        .plot_commands = plot_commands};
    hits_options o = {.filling = 0.25,
                      .height = 1,
                      .speed = 0.01,
                      .restitution = 0.8,
                      .cost = 100,
                      .reorder_cost = 10,
                      .cache = 320,
                      .every = 50,
                      .seed = 1};
    torre_option table[] = {
        LOCALITY_BOX_OPTIONS(job),
        {.name = "Particles", .kind = TORRE_OPTION_GROUP},
        {.name = "height",
         .kind = TORRE_OPTION_REAL,
         .value = &o.height,
         .low = 1,
         .high = 1e6,
         .metavar = "H",
         .help = "with --size MxN: height of the bins; spheres move in a plane when it is 1"},
        {.name = "filling",
         .kind = TORRE_OPTION_REAL,
         .value = &o.filling,
         .low = 0,
         .above_low = true,
         .high = 0.74,
         .metavar = "PHI",
         .help = "volume of the spheres over volume of the box"},
        {.name = "particles",
         .kind = TORRE_OPTION_TEXT,
         .value = &o.particles,
         .metavar = "FILE.csv",
         .help = "x,y,z of given particles instead, in units of bins"},
        {.name = "gas",
         .kind = TORRE_OPTION_CHOICE,
         .value = &o.gas,
         .choices = gas_name,
         .help = "whether and how spheres collide"},
        {.name = "speed",
         .kind = TORRE_OPTION_REAL,
         .value = &o.speed,
         .low = 0,
         .high = 10,
         .metavar = "V",
         .help = "root mean square at the start, diameters a step"},
        {.name = "restitution",
         .kind = TORRE_OPTION_REAL,
         .value = &o.restitution,
         .low = 0,
         .above_low = true,
         .high = 1,
         .metavar = "E",
         .help = "of inelastic collisions"},
        {.name = "steps",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.steps,
         .low = 0,
         .high = 1e9,
         .help = "time steps after the reorder"},
        {.name = "every",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.every,
         .low = 1,
         .high = 1e9,
         .help = "count hits every N steps"},
        {.name = "seed",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.seed,
         .low = 0,
         .high = 1e15,
         .help = "of the random numbers"},
        {.name = "Cache", .kind = TORRE_OPTION_GROUP},
        {.name = "cache",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.cache,
         .low = 1,
         .high = 1e12,
         .metavar = "C",
         .help = "particles in a block"},
        {.name = "pairs",
         .kind = TORRE_OPTION_CHOICE,
         .value = &o.pairs,
         .choices = pairs,
         .help = "what counts as a read: every particle in the adjacent bins, or those that touch"},
        {.name = "cost",
         .kind = TORRE_OPTION_REAL,
         .value = &o.cost,
         .low = 1,
         .high = 1e9,
         .metavar = "F",
         .help = "a miss costs F hits; the speedup is against misses only"},
        {.name = "reorder-cost",
         .kind = TORRE_OPTION_REAL,
         .value = &o.reorder_cost,
         .low = 0,
         .high = 1e9,
         .metavar = "F",
         .help = "a reorder costs F misses a particle; tells how often to do it"},
        LOCALITY_OUTPUT_OPTIONS(job),
        {.name = "map",
         .kind = TORRE_OPTION_TEXT,
         .value = &o.map,
         .metavar = "FILE.png",
         .help = "draw where the reads of the first ordering hit (blue)"},
        {0}};
    bool stop;
    TORRE_TRY(locality_job_start(&job, table, argc, argv, &stop));
    if (stop) return TORRE_OK;
    torre_status status = run(&job, &o);
    if (!status) torre_report_options(job.report, table);
    return locality_job_end(&job, status);
}
