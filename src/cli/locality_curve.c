/* Options of locality curve. */
#include "cli/locality.h"

torre_status locality_curve(int argc, char **argv)
{
    locality_job job = {
        .usage = "Usage: locality curve [OPTION...]\n\n"
                 "Lists the bins in the order of the curve (CSV: rank,i,j,k), tells how far its\n"
                 "steps reach, and draws it.\n\n"
                 "  locality curve --ordering hilbert --size 8x8 --plot hilbert.png\n"
                 "  locality curve --ordering pancake --size 16x16x4 --csv -",
        .study = {.kind = &torre_study_curve, .ordering = "hilbert", .size = {8, 0, 0}}};
    torre_option table[] = {LOCALITY_BOX_OPTIONS(job), LOCALITY_OUTPUT_OPTIONS(job), {0}};
    return locality_run(&job, table, argc, argv);
}
