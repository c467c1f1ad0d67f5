/* Without MPI every process is alone. */
#include "mpi/ranks_start.h"

bool torre_ranks_started(void) { return false; }

torre_status torre_ranks_start(const char *program, torre_ranks *ranks)
{
    (void)program;
    *ranks = (torre_ranks){.count = 1, .locals = 1};
    return TORRE_OK;
}

void torre_ranks_end(int code) { (void)code; }
