/* Options of locality tower. */
#include "cli/locality.h"
#include "wave/stencil.h"

torre_status locality_tower(int argc, char **argv)
{
    torre_tower_study o = {
        .view = TORRE_VIEW_NEIGHBOURS, .order = 2, .dts = 2, .height = 6, .done = -1};
    locality_job job = {
        .usage =
            "Usage: locality tower [OPTION...]\n\n"
            "Shows how waves are computed by towers: a diamond of the x-y plane is carried "
            "through\n"
            "NT time steps while it slides along x (tiling/diamond.h). The views are\n\n"
            "  stencil     what the update of a cell reads: a cross, and its own value before\n"
            "  stepwise, domains, section\n"
            "              who updates which cell of x and t, in the order of the tasks: one step\n"
            "              at a time, four domains that do so, towers (cut through their middle)\n"
            "  cones       what the first tile of a tower influences, what its last tile depends\n"
            "              on, and the tower, which is what they have in common\n"
            "  tower       its cells\n"
            "  neighbours  a tower, the three that it waits for (upwind), the three that wait for\n"
            "              it (downwind), and two of its stage, which do neither\n"
            "  stages      the tiles at the first step, by the rank of their towers in the\n"
            "              traversal; tiles of odd stages are paler\n"
            "  levels      how many steps each cell has when the first K towers have run\n\n"
            "  locality tower --view cones --dts 3 --tower-height 6 --plot cones.png\n"
            "  locality tower --view stages --size 48x48 --ordering hilbert --plot stages.png\n"
            "  locality tower --view levels --size 48x48 --csv - --done 12",
        .study = {.kind = &torre_study_tower,
                  .options = &o,
                  .ordering = "row-major",
                  .size = {24, 24, 0}}};
    torre_option table[] = {
        OPTION_GROUP("Tower"),
        OPTION_CHOICE("view", &o.view, torre_tower_view_names, "what to show"),
        OPTION_NUMBERS("order", &o.order, torre_order_names,
                       "order of accuracy; the stencil reaches half as many cells"),
        OPTION_INTEGER("dts", &o.dts, 1, 1024, "diamond tile size in stencil half-widths"),
        OPTION_NUMBER("tower-height", &o.height, 1, 1000, "NT", "steps of the pass"),
        OPTION_GROUP("Pass"),
        OPTION_SIZE("size", job.study.size, 1048576, TORRE_COUNT_2, "NXxNY", NULL,
                    "cells of the x-y plane (stepwise, domains, section, stages, levels)"),
        OPTION_TEXT("ordering", &job.study.ordering, "NAME", NULL,
                    TORRE_ORDERING_HELP("; of the traversal (stages, levels)")),
        {.name = "done",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.done,
         .low = 0,
         .high = 1e15,
         .word = "half",
         .word_value = -1,
         .metavar = "K",
         .help = "towers that have run (levels)"},
        LOCALITY_OUTPUT_OPTIONS(job),
        {0}};
    return locality_run(&job, table, argc, argv);
}
