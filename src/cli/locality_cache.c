/* Options of locality cache. */
#include "cli/locality.h"

torre_status locality_cache(int argc, char **argv)
{
    torre_cache_study options = {.block = 8};
    locality_job job = {
        .usage =
            "Usage: locality cache [OPTION...]\n\n"
            "Visits the bins along the curve, reads the stencil of each, and counts the misses\n"
            "of a cache that keeps the blocks used last (LRU): exactly, and for every capacity\n"
            "in one pass. A block (cache line) holds B bins that follow each other in memory.\n"
            "Orderings separated by commas are compared. The CSV has the whole curve.\n\n"
            "  locality cache --ordering row-major,morton,hilbert --size 64 --block 8 \\\n"
            "      --csv cache.csv --plot cache.png\n"
            "  locality cache --ordering hilbert --size 32 --block 2 --capacity 64,1024",
        .study = {.kind = &torre_study_cache,
                  .options = &options,
                  .ordering = "hilbert",
                  .size = {32, 0, 0},
                  .shape = TORRE_BIN_BLOCK,
                  .reach = 1}};
    torre_option table[] = {
        LOCALITY_BOX_OPTIONS(job),
        LOCALITY_STENCIL_OPTIONS(job),
        OPTION_GROUP("Cache"),
        OPTION_NUMBER("block", &options.block, 1, 1 << 30, "B", "bins in a block"),
        OPTION_TEXT("capacity", &options.capacity, "C,C,...", "powers of two",
                    "tell the misses of caches of so many blocks"),
        LOCALITY_OUTPUT_OPTIONS(job),
        {0}};
    return locality_run(&job, table, argc, argv);
}
