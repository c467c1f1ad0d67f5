#include "run/particle_means.h"

#include <string.h>

torre_status torre_particle_plan(const torre_particle_means *m, torre_md_plan *plan)
{
    *plan = (torre_md_plan){.skin = m->skin,
                            .rebuild_every = m->rebuild_every,
                            .sort_every = m->sort_every,
                            .ordering = {.kind = TORRE_ROW_MAJOR}, /* measured best, if by little */
                            .threads = (int)m->threads,
                            .device = (int)m->device,
                            .devices = m->devices,
                            .block = (int)m->block};
    if (strcmp(m->ordering, "none") == 0) {
        if (m->sort_every)
            return torre_fail(TORRE_ERR_USAGE, "{sort_every} needs an {ordering} other than none");
        plan->sort_every = TORRE_MD_NEVER;
        return TORRE_OK;
    }
    if (strcmp(m->ordering, "auto") == 0) return TORRE_OK;
    return torre_ordering_read("ordering", m->ordering, &plan->ordering);
}

torre_status torre_particle_precision(const torre_particle_means *m, const torre_md_plan *plan,
                                      torre_md_precision *precision)
{
    const torre_md_backend *backend;
    TORRE_TRY(torre_md_backend_find(m->backend, plan, &backend));
    *precision = strcmp(backend->name, "cuda") == 0 ? TORRE_MD_F32 : TORRE_MD_F64;
    if (m->precision) *precision = (torre_md_precision)(m->precision - 1);
    return TORRE_OK;
}

torre_ordering_words torre_particle_ordering(const torre_md_plan *plan)
{
    return plan->sort_every == TORRE_MD_NEVER ? (torre_ordering_words){"none"}
                                              : torre_ordering_write(&plan->ordering);
}
