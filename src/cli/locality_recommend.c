/* Options of locality recommend. */
#include "cli/locality.h"
#include "core/cpu.h"

/*
 * The simplest first: of orderings that do equally well the first one is recommended. All are names
 * that md and wave take.
 */
#define ALL_ORDERINGS "row-major,morton,hilbert,turtle,moore,peano,pancake,hybrid"

torre_status locality_recommend(int argc, char **argv)
{
    char level2[32];
    int64_t found = torre_cpu_get()->cache[2];
    snprintf(level2, sizeof level2, "%lld", (long long)(found > 0 ? found : 1 << 20));
    torre_recommend_study o = {
        .bytes = level2, .cache = {.line = 64, .bin_bytes = 64}, .tolerance = 2};
    locality_job job = {
        .usage =
            "Usage: locality recommend [OPTION...]\n\n"
            "Ranks orderings by the misses of a cache of the given size (the model of\n"
            "`locality cache`) and recommends one: the simplest of those within the tolerance of\n"
            "the best. Unless --ordering says more, it compares those that md and wave take. The\n"
            "default cache is the level-2 cache of this machine. The model knows no hardware that\n"
            "fetches ahead, which favours row-major order; the benchmark bench_gather measures\n"
            "what remains of a difference.\n\n"
            "  locality recommend --size 128 --cache 256K --bin-bytes 32",
        .study = {.kind = &torre_study_recommend,
                  .options = &o,
                  .ordering = ALL_ORDERINGS,
                  .size = {64, 0, 0},
                  .shape = TORRE_BIN_BLOCK,
                  .reach = 1}};
    torre_option table[] = {
        LOCALITY_BOX_OPTIONS(job),
        LOCALITY_STENCIL_OPTIONS(job),
        OPTION_GROUP("Cache"),
        OPTION_TEXT("cache", &o.bytes, "BYTES", "level 2 of this machine",
                    "its size, as 262144 or 256K"),
        OPTION_NUMBER("line", &o.cache.line, 1, 1 << 20, "BYTES", "size of a cache line"),
        OPTION_NUMBER("bin-bytes", &o.cache.bin_bytes, 1, 1 << 20, "BYTES", "data of a bin"),
        OPTION_REAL("tolerance", &o.tolerance, 0, 100, "PERCENT",
                    "differences that are not worth a more complicated ordering"),
        LOCALITY_OUTPUT_OPTIONS(job),
        {0}};
    return locality_run(&job, table, argc, argv);
}
