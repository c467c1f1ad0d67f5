/*
 * Does the machine agree with the cache model? Gather bandwidth for bins stored and visited along
 * each ordering, beside the misses that the model of `locality cache` predicts.
 *
 *     bench_gather [--backend cpu|cuda] [--size 64x64x64] [--bin-bytes 64] [--ordering LIST]
 *
 * One CSV line per ordering: time and rate measured, miss rates (per read of a bin) modelled for
 * caches of the sizes that the device reports. A cache line holds one bin or several, a bin one
 * line or several: the model's block is a line where bins are smaller, a bin where they are larger.
 */
#include <stdio.h>
#include <string.h>

#include "bench/gather.h"
#include "cli/program.h"
#include "core/options.h"
#include "locality/misses.h"

typedef struct bench_settings {
    int backend, shape;
    int64_t size[3], bin_bytes, reach, threads, device, repeat;
    const char *ordering;
    bool help;
} bench_settings;

static torre_status run(const bench_settings *s, const gather *g, gather_result *result)
{
    if (s->backend == 0) return gather_run_cpu(g, (int)s->threads, (int)s->repeat, result);
#ifdef TORRE_HAVE_CUDA
    return gather_run_cuda(g, (int)s->device, (int)s->repeat, result);
#else
    return torre_fail(TORRE_ERR_USAGE, "--backend cuda: this build has no CUDA");
#endif
}

/* Miss rates of the model for the three caches; 0 where there is none. */
static torre_status predict(const bench_settings *s, const torre_ordering *o,
                            const torre_stencil_bins *stencil, const gather_result *r,
                            double rate[3])
{
    torre_misses m;
    int64_t block = s->bin_bytes < r->line ? r->line / s->bin_bytes : 1;
    TORRE_TRY(torre_misses_make(o, stencil, block, &m));
    for (int l = 0; l < 3; l++)
        rate[l] = r->cache[l] ? torre_misses_rate(&m, r->cache[l] / (block * s->bin_bytes)) : 0;
    torre_misses_free(&m);
    return TORRE_OK;
}

static torre_status bench(const bench_settings *s, const char *name)
{
    torre_ordering_spec spec = {.kind = TORRE_ROW_MAJOR};
    torre_ordering o;
    torre_stencil_bins stencil =
        torre_stencil_of_cubes((torre_bin_shape)s->shape, 3, s->reach, false);
    gather g;
    gather_result r;
    double rate[3] = {0, 0, 0};
    const char *why;
    bool random = strcmp(name, "none") == 0;
    if (!random && !torre_ordering_parse(name, &spec, &why))
        return torre_fail(TORRE_ERR_USAGE, "--ordering %s: %s", name, why);
    if (!torre_ordering_make_spec(&spec, 3, s->size, &o, &why))
        return torre_fail(TORRE_ERR_USAGE, "--ordering %s: %s", name, why);
    TORRE_TRY(gather_make(&o, &stencil, s->bin_bytes, random, s->backend == 1, &g));
    torre_status status = run(s, &g, &r);
    if (!status && !random) status = predict(s, &o, &stencil, &r, rate);
    if (!status) {
        double reads = (double)(g.visited * g.stencil);
        printf("%s,%lldx%lldx%lld,%lld,\"%s\",%.6g,%.6g,%.4g,%.4g", name, (long long)s->size[0],
               (long long)s->size[1], (long long)s->size[2], (long long)s->bin_bytes, r.device,
               r.best, r.median, reads * (double)s->bin_bytes / r.best / 1e9, r.best / reads * 1e9);
        for (int l = 0; l < 3; l++) random ? printf(",") : printf(",%.5f", rate[l]);
        printf("\n");
        fflush(stdout);
    }
    gather_free(&g);
    return status;
}

static torre_status bench_all(const bench_settings *s)
{
    char name[64];
    if (s->bin_bytes % 16)
        return torre_fail(TORRE_ERR_USAGE, "--bin-bytes must be a multiple of 16 (got %lld)",
                          (long long)s->bin_bytes);
    printf("ordering,size,bin_bytes,device,best_s,median_s,gather_gb_per_s,ns_per_read,"
           "model_miss_l1,model_miss_l2,model_miss_l3\n");
    for (const char *at = s->ordering; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t n = strcspn(at, ",");
        if (n >= sizeof name)
            return torre_fail(TORRE_ERR_USAGE, "--ordering: a name is too long (got %s)", at);
        memcpy(name, at, n);
        name[n] = 0;
        TORRE_TRY(bench(s, name));
    }
    return TORRE_OK;
}

static torre_status start(int argc, char **argv)
{
    static const char *const backends[] = {"cpu", "cuda", NULL};
    static const char *const shapes[] = {"block", "spherical", NULL};
    bench_settings s = {.size = {64, 64, 64},
                        .bin_bytes = 64,
                        .reach = 1,
                        .threads = 1,
                        .repeat = 5,
                        .ordering =
                            "row-major,morton,hilbert,moore,peano,hybrid:row-major/hilbert/4,"
                            "none"};
    torre_option table[] = {{.name = "backend",
                             .kind = TORRE_OPTION_CHOICE,
                             .value = &s.backend,
                             .choices = backends,
                             .help = "where to run"},
                            {.name = "size",
                             .kind = TORRE_OPTION_SIZE,
                             .value = s.size,
                             .low = 3,
                             .high = 4096,
                             .help = "bins along each axis"},
                            {.name = "bin-bytes",
                             .kind = TORRE_OPTION_INTEGER,
                             .value = &s.bin_bytes,
                             .low = 16,
                             .high = 65536,
                             .help = "data of a bin, a multiple of 16"},
                            {.name = "stencil",
                             .kind = TORRE_OPTION_CHOICE,
                             .value = &s.shape,
                             .choices = shapes,
                             .help = "which bins are read for a bin"},
                            {.name = "reach",
                             .kind = TORRE_OPTION_INTEGER,
                             .value = &s.reach,
                             .low = 1,
                             .high = 8,
                             .help = "how many bins far"},
                            {.name = "ordering",
                             .kind = TORRE_OPTION_TEXT,
                             .value = &s.ordering,
                             .metavar = "LIST",
                             .help = "orderings separated by commas; none: at random"},
                            {.name = "threads",
                             .kind = TORRE_OPTION_INTEGER,
                             .value = &s.threads,
                             .low = 1,
                             .high = 4096,
                             .help = "cpu: each takes a contiguous part of the path"},
                            {.name = "device",
                             .kind = TORRE_OPTION_INTEGER,
                             .value = &s.device,
                             .low = 0,
                             .high = 1024,
                             .help = "cuda"},
                            {.name = "repeat",
                             .kind = TORRE_OPTION_INTEGER,
                             .value = &s.repeat,
                             .low = 1,
                             .high = 1000,
                             .help = "repetitions after one warm-up"},
                            {.name = "help",
                             .kind = TORRE_OPTION_FLAG,
                             .value = &s.help,
                             .stops = true,
                             .help = "show this help"},
                            {0}};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            printf("Usage: bench_gather [OPTION...]\n");
            torre_options_help(table, stdout);
            return TORRE_OK;
        }
    }
    TORRE_TRY(torre_options_parse(table, argc, argv, NULL, 0, NULL));
    return bench_all(&s);
}

int main(int argc, char **argv) { return torre_program_end("bench_gather", start(argc, argv)); }
