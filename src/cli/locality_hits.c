/* Options of locality hits. */
#include "cli/locality.h"

torre_status locality_hits(int argc, char **argv)
{
    torre_hits_study o = {.plan = {.gas = {.filling = 0.25, .speed = 0.01, .restitution = 0.8},
                                   .every = 50,
                                   .cache = 320,
                                   .cost = 100,
                                   .reorder_cost = 10},
                          .height = 1,
                          .seed = 1};
    locality_job job = {
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
        .study = {
            .kind = &torre_study_hits, .options = &o, .ordering = "hilbert", .size = {64, 64, 0}}};
    torre_option table[] = {
        LOCALITY_BOX_OPTIONS(job),
        OPTION_GROUP("Particles"),
        OPTION_REAL("height", &o.height, 1, 1e6, "H",
                    "with --size MxN: height of the bins; spheres move in a plane when it is 1"),
        OPTION_UP_TO("filling", &o.plan.gas.filling, 0.74, "PHI",
                     "volume of the spheres over volume of the box"),
        OPTION_TEXT("particles", &o.plan.particles, "FILE.csv", NULL,
                    "x,y,z of given particles instead, in units of bins"),
        OPTION_CHOICE("gas", &o.gas, torre_hits_gases, "whether and how spheres collide"),
        OPTION_REAL("speed", &o.plan.gas.speed, 0, 10, "V",
                    "root mean square at the start, diameters a step"),
        OPTION_SHARE("restitution", &o.plan.gas.restitution, "E", "of inelastic collisions"),
        OPTION_INTEGER("steps", &o.plan.steps, 0, 1e9, "time steps after the reorder"),
        OPTION_INTEGER("every", &o.plan.every, 1, 1e9, "count hits every N steps"),
        OPTION_INTEGER("seed", &o.seed, 0, 1e15, "of the random numbers"),
        OPTION_GROUP("Cache"),
        OPTION_NUMBER("cache", &o.plan.cache, 1, OPTION_BIG, "C", "particles in a block"),
        OPTION_CHOICE(
            "pairs", &o.pairs, torre_hits_pairs,
            "what counts as a read: every particle in the adjacent bins, or those that touch"),
        OPTION_REAL("cost", &o.plan.cost, 1, 1e9, "F",
                    "a miss costs F hits; the speedup is against misses only"),
        OPTION_REAL("reorder-cost", &o.plan.reorder_cost, 0, 1e9, "F",
                    "a reorder costs F misses a particle; tells how often to do it"),
        LOCALITY_OUTPUT_OPTIONS(job),
        OPTION_TEXT("map", &o.map, "FILE.png", NULL,
                    "draw where the reads of the first ordering hit (blue)"),
        {0}};
    return locality_run(&job, table, argc, argv);
}
