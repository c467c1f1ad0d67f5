#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/driver.h"
#include "wave/rank_program.h"
#include "wave/rank_run.h"
#include "wave/rank_slab.h"
#include "wave/rank_transport.h"

/* Seconds that a chunk of steps takes at least: at its end all ranks wait for the first. */
static const double chunk_s = 10;

/* --- Slabs --- */

static bool begins_slab(const torre_rank_program *p, int rank)
{
    return !p->backend->teams || torre_rank_leader(p->ranks, rank) == rank;
}

int torre_rank_first(const torre_rank_program *p, int slab)
{
    int rank = 0;
    for (int before = 0; rank < p->ranks->count; rank++) {
        before += begins_slab(p, rank);
        if (before > slab) break;
    }
    return rank;
}

int64_t torre_rank_cut(const torre_rank_program *p, int slab)
{
    const int64_t n = p->layout.n[0], count = p->ranks->count;
    const int64_t rank = torre_rank_first(p, slab);
    if (slab == 0) return 0;
    /* n rank / count, without overflow */
    return rank == count ? n : n / count * rank + n % count * rank / count - p->shift;
}

torre_planes torre_rank_planes(const torre_rank_program *p, int rank)
{
    int slab = 0;
    while (torre_rank_first(p, slab + 1) <= rank) slab++;
    const int64_t low = torre_rank_cut(p, slab), planes = torre_rank_cut(p, slab + 1) - low;
    const int first = torre_rank_first(p, slab), members = torre_rank_first(p, slab + 1) - first;
    return (torre_planes){low + planes * (rank - first) / members,
                          low + planes * (rank - first + 1) / members};
}

static void count_slabs(torre_rank_program *p)
{
    for (int i = 0; i < p->ranks->count; i++) p->slabs += begins_slab(p, i);
    while (torre_rank_first(p, p->slab + 1) <= p->ranks->rank) p->slab++;
}

torre_region torre_rank_region(const torre_rank_program *p, int slab)
{
    const torre_region whole = torre_wave_region(p->base.setup);
    const int axis = p->layout.axis[0];
    int64_t halo[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    torre_box owned = whole.owned;
    halo[axis][0] = p->below;
    halo[axis][1] = p->above;
    owned.low[axis] = torre_rank_cut(p, slab);
    owned.high[axis] = torre_rank_cut(p, slab + 1);
    return torre_region_make(whole.global, whole.periodic, &owned, halo);
}

/* --- The height of towers --- */

/* Towers of that height, what slabs store beside their own, and where cuts lie: towers are half
 * their way up when they are in the middle of what they work on. */
static void set_height(torre_rank_program *p, torre_wave_plan *plan, int64_t height)
{
    const int axis = p->layout.axis[0];
    int64_t halo[3][2];
    plan->tower_height = height;
    torre_wave_halo(plan, p->base.setup->problem->order, height, halo);
    p->below = halo[axis][0];
    p->above = halo[axis][1];
    p->shift = p->above / 2;
}

/* Planes that each slab must have for towers of the height, in the mean: those that towers see, and
 * those of the slabs at the ends, of which the lowest has `shift` less. */
static int64_t least_planes(const torre_rank_program *p)
{
    const int64_t seen = p->above + p->below + 1, ends = p->ends > 1 ? p->ends + p->shift + 1 : 1;
    return seen > ends ? seen : ends;
}

/* Planes of the smallest slab, in the mean. */
static int64_t planes_each(const torre_rank_program *p)
{
    int fewest = p->ranks->count;
    for (int i = 0; i < p->slabs; i++) {
        const int members = torre_rank_first(p, i + 1) - torre_rank_first(p, i);
        if (members < fewest) fewest = members;
    }
    return p->layout.n[0] / p->ranks->count * fewest;
}

/* The highest for which slabs have planes enough; 0: none. */
static int64_t highest(torre_rank_program *p, torre_wave_plan *plan, int64_t most)
{
    int64_t low = 0, high = most + 1; /* it fits; it does not */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        set_height(p, plan, middle);
        if (least_planes(p) <= planes_each(p))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/*
 * What all steps take by towers of that height, in steps of a plane. Slabs begin and end a pass
 * after one another, so that (steps + (slabs - 1) height) / height passes take their time, height +
 * climb. Where a slab is less than twice as thick as what a tower sees and what is computed while
 * that goes to the rank below and comes back, ranks wait for each other in each pass.
 */
static double time_by(const torre_rank_program *p, const torre_part_cost *c, int64_t height)
{
    const double steps = (double)p->base.setup->problem->steps, climbs = (double)height,
                 planes = (double)planes_each(p),
                 busy = 2 * ((double)least_planes(p) + (double)p->above * c->cross / climbs);
    return (steps / climbs + p->slabs - 1) * (climbs + c->climb) * fmax(planes, busy);
}

/* The height at which they take least. */
static int64_t quickest(torre_rank_program *p, torre_wave_plan *plan, const torre_part_cost *c,
                        int64_t most)
{
    const int64_t steps = p->base.setup->problem->steps;
    double least = HUGE_VAL;
    int64_t best = most;
    for (int64_t height = 1; height <= most && steps > 0; height++) {
        set_height(p, plan, height);
        const double its = time_by(p, c, height);
        if (its >= least) continue;
        least = its;
        best = height;
    }
    if (best < 1 || steps < 1) return best;
    const int64_t passes = (steps + best - 1) / best;
    return (steps + passes - 1) / passes; /* all alike */
}

static torre_status choose_height(torre_rank_program *p, torre_wave_plan *plan, int64_t wished,
                                  const torre_part_cost *cost)
{
    const int64_t steps = p->base.setup->problem->steps, chosen = plan->tower_height;
    const int64_t most = wished > 0 ? wished : steps > 0 && steps < chosen ? steps : chosen;
    if (p->slabs == 1) return TORRE_OK; /* none has to wait */
    const int64_t fits = highest(p, plan, most);
    int64_t height = quickest(p, plan, cost, fits);
    if (height < 4) height = fits < 4 ? fits : 4; /* rather wait than have no towers */
    if (wished > 0) height = fits == wished ? wished : 0;
    set_height(p, plan, height > 0 ? height : most);
    if (height > 0) return TORRE_OK;
    if (wished == 0) set_height(p, plan, 1);
    return torre_fail(TORRE_ERR_USAGE,
                      "%d %ss have %" PRId64 " planes across %c each, and towers of {dts} %d and "
                      "{tower_height} %" PRId64 " need %" PRId64 ": take fewer %ss or smaller ones",
                      p->slabs, p->slabs < p->ranks->count ? "machine" : p->ranks->what,
                      planes_each(p), "xyz"[p->layout.axis[0]], plan -> dts, plan -> tower_height,
                      least_planes(p), p -> ranks -> what);
}

/* Steps that surely take no longer than a chunk of them may, where that can be known: by a third of
 * the rate if that is a guess, and in so many passes, of which each takes some time however few its
 * cells are. */
static int64_t first_steps(const torre_rank_program *p, const torre_part_cost *c, int64_t height)
{
    const double cells = (double)torre_wave_cells(p->base.setup->problem) / p->ranks->count,
                 passes = 500.0 * (double)height;
    return (int64_t)fmin((c->measured ? 0.8 : 0.3) * chunk_s * c->rate / cells, passes);
}

/* --- The program --- */

static torre_status check_run(const torre_wave_run *run, const char *who)
{
    const torre_wave_info *info = &run->info;
    if (info->wish.memory > 0)
        return torre_fail(TORRE_ERR_USAGE, "{memory} does not go together with %s", who);
    if (run->setup->pml_a && !run->backend->layer_place)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s cannot share a run with {absorbing} pml by {backend} %s; take "
                          "{absorbing} sponge",
                          who, run->backend->name);
    if (info->plan.engine != TORRE_TORRE)
        return torre_fail(TORRE_ERR_USAGE, "%s share a run by {engine} torre alone%s%s", who,
                          info->why[0] ? ". " : "", info->why);
    if (!run->backend->advance_to)
        return torre_fail(TORRE_ERR_USAGE, "%s cannot share a run by {backend} %s", who,
                          run->backend->name);
    return TORRE_OK;
}

static void clear(torre_wave_program *program)
{
    torre_rank_program *p = (torre_rank_program *)program;
    torre_rank_transport_close(p);
    torre_wave_program_free(p->inner);
    torre_wave_part_free(p->part);
    free(p->device);
}

/* What memory is lacking, and of which device; others than the first say so when they fail. */
static void name_device(const torre_ranks *ranks, torre_wave_info *info)
{
    char text[sizeof info->lacking];
    if (!info->lacking[0] || !ranks->one_process || ranks->rank > 0) return;
    const int length =
        snprintf(text, sizeof text, "%s %d: ", ranks->what, torre_rank_number(ranks, 0));
    snprintf(text + length, sizeof text - (size_t)length, "%s", info->lacking);
    memcpy(info->lacking, text, sizeof text);
}

static torre_status plan_slab(torre_rank_program *p, const torre_wave_plan *plan)
{
    torre_wave_info *info = &p->base.info;
    const torre_region region = torre_rank_region(p, p->slab);
    const torre_wave_plan wish = info->wish;
    TORRE_TRY(torre_wave_part_new(p->base.setup, &region, &p->part));
    TORRE_TRY(p->backend->plan(&p->part->setup, plan, &p->inner));
    *info = *torre_wave_program_info(p->inner);
    info->wish = wish;
    info->memory_bytes += torre_rank_slab_bytes(p);
    name_device(p->ranks, info);
    return TORRE_OK;
}

/* Of a run that streams since one device has no room for it: the program of its whole grid. */
static torre_status plan_whole(torre_wave_run *run)
{
    torre_wave_program *whole;
    if (run->info.windows == 0 || run->info.wish.memory > 0) return TORRE_OK;
    TORRE_TRY(run->backend->plan(run->setup, &run->info.wish, &whole));
    torre_wave_program_free(run->program);
    run->program = whole;
    run->info = whole->info;
    return TORRE_OK;
}

torre_status torre_wave_run_share(torre_wave_run *run, const torre_ranks *ranks)
{
    torre_wave_program *made;
    if (ranks->count == 1) return TORRE_OK;
    TORRE_TRY(torre_rank_meet_check());
    TORRE_TRY(plan_whole(run));
    if (run->backend->for_parts && !run->program->maker) {
        TORRE_TRY(run->backend->for_parts(&run->program));
        run->info = run->program->info;
    }
    torre_wave_plan plan = run->info.plan;
    TORRE_TRY(check_run(run, ranks->who));
    TORRE_TRY(
        torre_wave_program_new(sizeof(torre_rank_program), run->setup, &run->info.wish, &made));
    torre_rank_program *p = (torre_rank_program *)made;
    made->maker = &torre_wave_rank_solver;
    made->clear = clear;
    if (run->info.wish.threads == 0) plan.threads = torre_rank_threads(ranks, plan.threads);
    plan.measured = false;
    p->ranks = ranks;
    p->backend = run->backend;
    made->sums = p->backend->use_sums && run->problem->receiver_count > 0;
    count_slabs(p);
    made->chunk_s = p->slabs > 1 ? chunk_s : 0;
    made->drain = p->slabs - 1;
    p->layout = torre_plane_layout_in(run->backend, run->program, plan.threads);
    p->ends = p->backend->end_planes ? p->backend->end_planes(run->setup, &plan) : 1;
    const torre_part_cost cost = p->backend->part_cost(run->program);
    torre_status status = choose_height(p, &plan, run->info.wish.tower_height, &cost);
    if (!status) status = plan_slab(p, &plan);
    if (!status) {
        const torre_part_cost own = p->backend->part_cost(p->inner);
        made->first_steps = first_steps(p, &own, plan.tower_height);
    }
    if (status) {
        torre_wave_program_free(made);
        return status;
    }
    torre_wave_program_free(run->program);
    run->program = made;
    run->info = made->info;
    return TORRE_OK;
}
