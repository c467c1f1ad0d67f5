#include "core/ranks.h"

#include <unistd.h>

int torre_rank_threads(const torre_ranks *ranks, int threads)
{
    const int64_t all = sysconf(_SC_NPROCESSORS_ONLN), share = all / ranks->locals;
    return share < 1 ? 1 : share < threads ? (int)share : threads;
}
