/* Options of locality stencil. */
#include "cli/locality.h"

torre_status locality_stencil(int argc, char **argv)
{
    locality_job job = {
        .usage = "Usage: locality stencil [OPTION...]\n\n"
                 "Counts the bins that are searched around a bin for partners closer than G bins:\n"
                 "all of them, half of them and the own one (Newton's third law), and how much of\n"
                 "the searched volume lies outside the sphere. The CSV lists the bins (i,j,k).\n\n"
                 "  locality stencil --stencil spherical --reach 3",
        .study = {.kind = &torre_study_stencil,
                  .ordering = "row-major",
                  .size = {16, 0, 0},
                  .shape = TORRE_BIN_SPHERICAL,
                  .reach = 1}};
    torre_option table[] = {LOCALITY_STENCIL_OPTIONS(job),
                            LOCALITY_BOX_OPTIONS(job),
                            LOCALITY_OUTPUT_OPTIONS(job),
                            {0}};
    return locality_run(&job, table, argc, argv);
}
