#include "particles/md_program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

torre_status torre_md_program_new(size_t bytes, const torre_md_problem *problem,
                                  const torre_md_plan *wish, torre_md_program **program)
{
    torre_md_program *made = calloc(1, bytes);
    if (!made) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    made->problem = problem;
    made->info.plan = *wish;
    *program = made;
    return TORRE_OK;
}

void torre_md_program_because(torre_md_program *program, const char *format, ...)
{
    char *why = program->info.why;
    const size_t size = sizeof program->info.why, used = strlen(why);
    const int more = snprintf(why + used, size - used, "%s", used ? "; " : "");
    va_list arguments;
    va_start(arguments, format);
    if (more >= 0 && used + (size_t)more < size)
        vsnprintf(why + used + more, size - used - (size_t)more, format, arguments);
    va_end(arguments);
}

void torre_md_program_couple(torre_md_program *program)
{
    const torre_md_problem *p = program->problem;
    const int64_t every = torre_md_couple_every(p);
    if (!torre_md_couples_all(p->ensemble) || p->couple_every) return;
    torre_md_program_because(program, "coupled every %lld steps: %s", (long long)every,
                             every == 10                ? "the most"
                             : p->ensemble == TORRE_NPT ? "of damping times 1/20 and 1/40"
                                                        : "1/20 of the damping time");
}

const torre_md_info *torre_md_program_info(const torre_md_program *program)
{
    return &program->info;
}

void torre_md_program_free(torre_md_program *program) { free(program); }

void torre_md_solver_box(const torre_md_solver *solver, const torre_md_problem *problem,
                         double box[3])
{
    memcpy(box, problem->box, sizeof problem->box);
    if (solver->backend->box) solver->backend->box(solver, box);
}

torre_status torre_md_box_too_fast(int64_t step)
{
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: an edge of the box changes by more than %g of it in a step; "
                      "use a larger {pressure_damping}, or particles further apart",
                      (long long)step, TORRE_MOST_GROWTH);
}

torre_status torre_md_box_check(const double box[3], double reach, int64_t step)
{
    for (int a = 0; a < 3; a++)
        if (!(box[a] >= 2 * reach))
            return torre_fail(TORRE_ERR_UNSTABLE,
                              "step %lld: the box has become %.6g along %c, less than twice cutoff "
                              "+ skin (%.6g); use more particles, or a smaller {pressure}",
                              (long long)step, box[a], 'x' + a, 2 * reach);
    return TORRE_OK;
}

torre_status torre_md_solver_new(const torre_md_backend *backend, const torre_md_problem *problem,
                                 const torre_md_plan *plan, torre_md_solver **solver)
{
    torre_md_program *program;
    TORRE_TRY(backend->plan(problem, plan, &program));
    torre_status status = backend->create(program, solver);
    if (status) torre_md_program_free(program);
    return status;
}
