#include "wave/program.h"

#include <stdlib.h>

torre_status torre_wave_program_new(size_t bytes, const torre_wave_setup *setup,
                                    const torre_wave_plan *wish, torre_wave_program **program)
{
    torre_wave_program *made = calloc(1, bytes);
    if (!made) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    made->setup = setup;
    made->info.wish = made->info.plan = *wish;
    *program = made;
    return TORRE_OK;
}

const torre_wave_info *torre_wave_program_info(const torre_wave_program *program)
{
    return &program->info;
}

bool torre_wave_program_sums(const torre_wave_program *program) { return program->sums; }

void torre_wave_program_free(torre_wave_program *program)
{
    if (program && program->clear) program->clear(program);
    free(program);
}
