#include "cli/particle_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/program.h"
#include "roofline/cuda_probe.h"

const char *const particle_precisions[] = {"auto", "f32", "f64", "mixed", NULL};

torre_status particle_plan(const particle_options *o, torre_md_plan *plan)
{
    *plan = (torre_md_plan){.skin = o->skin,
                            .rebuild_every = o->rebuild_every,
                            .sort_every = o->sort_every,
                            .ordering = {.kind = TORRE_ROW_MAJOR}, /* measured best, if by little */
                            .threads = (int)o->threads,
                            .device = (int)o->device,
                            .block = (int)o->block};
    if (strcmp(o->ordering, "none") == 0) {
        if (o->sort_every)
            return torre_fail(TORRE_ERR_USAGE, "--sort-every needs an --ordering other than none");
        plan->sort_every = TORRE_MD_NEVER;
        return TORRE_OK;
    }
    if (strcmp(o->ordering, "auto") == 0) return TORRE_OK;
    return torre_ordering_read("ordering", o->ordering, &plan->ordering);
}

torre_status particle_check_idle(const particle_options *o, const torre_option *table,
                                 const char *backend)
{
    static const char *const of_lists[] = {"neighbor", "skin",       "rebuild-every",
                                           "ordering", "sort-every", "rebuild-check",
                                           "bin-size", "stencil",    "deterministic"};
    if (strcmp(backend, "reference") == 0)
        for (size_t i = 0; i < sizeof of_lists / sizeof of_lists[0]; i++)
            if (torre_options_given(table, of_lists[i]))
                return torre_fail(TORRE_ERR_USAGE,
                                  "--backend reference sums over all pairs, so --%s means nothing "
                                  "to it",
                                  of_lists[i]);
    TORRE_TRY(torre_program_idle("md", table, "threads", "cpu", o->backend, backend, o->quiet));
    return torre_program_idle("md", table, "block", "cuda", o->backend, backend, o->quiet);
}

/* Why --backend auto has not taken the GPU of this machine, one line; NULL where it has, where
 * another backend was asked for and where there is no GPU. */
static const char *idle_gpu(const particle_options *o, const char *backend)
{
    static torre_cuda_probe probe; /* the text stays */
    if (strcmp(o->backend, "auto") != 0 || strcmp(backend, "cuda") == 0) return NULL;
    torre_cuda_probe_run(0, &probe);
    return probe.here ? probe.text : NULL;
}

void particle_tell_run(FILE *out, const particle_options *o, const torre_md_run *run)
{
    const char *idle = idle_gpu(o, run->backend->name);
    fprintf(out, "# md %s, backend %s: %s\n", torre_version_text(), run->backend->name,
            run->info->device);
    if (idle) fprintf(out, "# the GPU is not used: %s\n", idle);
}

torre_report *particle_report_run(const particle_options *o, const torre_md_run *run)
{
    const char *idle = idle_gpu(o, run->backend->name);
    torre_report *r = torre_report_new("md");
    torre_report_text(r, "backend", run->backend->name);
    torre_report_text(r, "device", run->info->device);
    if (idle) torre_report_text(r, "gpu_not_used", idle);
    torre_report_text(r, "why", run->info->why);
    torre_report_text(r, "kernel", run->info->kernel);
    torre_report_text(r, "model", torre_pair_model_name(run->problem->model));
    torre_report_integer(r, "atoms", run->problem->count);
    torre_report_integer(r, "steps", run->step);
    torre_report_text(r, "ordering", particle_ordering(&run->info->plan).text);
    torre_report_text(r, "neighbor", torre_neighbor_name(run->info->plan.neighbor));
    torre_report_text(r, "precision", torre_md_precision_name(run->problem->precision));
    return r;
}

torre_md_precision particle_precision(const particle_options *o, const char *backend)
{
    if (o->precision) return (torre_md_precision)(o->precision - 1);
    return strcmp(backend, "cuda") == 0 ? TORRE_MD_F32 : TORRE_MD_F64;
}

void particle_warn(const particle_options *o, const torre_md_counts *c, bool each_step)
{
    if (o->quiet || c->dangerous_builds <= 0) return;
    fprintf(stderr, "md: warning: %lld of %lld rebuilds of the lists %s\n",
            (long long)c->dangerous_builds, (long long)c->builds,
            each_step ? "came due after a single step (dangerous builds); no pair was missed, but "
                        "a larger --skin or a smaller --dt would be faster"
                      : "may have come too late (dangerous builds), so that pairs were missed; use "
                        "a larger --skin or a smaller --rebuild-every");
}

torre_ordering_words particle_ordering(const torre_md_plan *plan)
{
    return plan->sort_every == TORRE_MD_NEVER ? (torre_ordering_words){"none"}
                                              : torre_ordering_write(&plan->ordering);
}
