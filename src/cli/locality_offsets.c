/* Options of locality offsets. */
#include "cli/locality.h"

torre_status locality_offsets(int argc, char **argv)
{
    torre_offsets_study options = {.within = "99,199,299,499,899"};
    locality_job job = {
        .usage =
            "Usage: locality offsets [OPTION...]\n\n"
            "Adds up how far apart in memory, counted in bins, the bins of a stencil lie, over\n"
            "all bins whose stencil lies inside the box. Orderings separated by commas are\n"
            "compared. The CSV is the histogram.\n\n"
            "  locality offsets --ordering row-major,morton,hilbert --size 16 --within 199,299",
        .study = {.kind = &torre_study_offsets,
                  .options = &options,
                  .ordering = "hilbert",
                  .size = {16, 0, 0},
                  .shape = TORRE_BIN_BLOCK,
                  .reach = 1}};
    torre_option table[] = {LOCALITY_BOX_OPTIONS(job),
                            LOCALITY_STENCIL_OPTIONS(job),
                            OPTION_TEXT("within", &options.within, "D,D,...", NULL,
                                        "tell the fraction of reads at most so many bins away"),
                            LOCALITY_OUTPUT_OPTIONS(job),
                            {0}};
    return locality_run(&job, table, argc, argv);
}
