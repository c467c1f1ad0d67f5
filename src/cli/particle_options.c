#include "cli/particle_options.h"

#include <string.h>

#include "cli/program.h"

const char *const particle_precisions[] = {"auto", "f32", "f64", "mixed", NULL};

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
    TORRE_TRY(
        torre_program_idle("md", table, "threads", "cpu", o->means.backend, backend, o->quiet));
    return torre_program_idle("md", table, "block", "cuda", o->means.backend, backend, o->quiet);
}
