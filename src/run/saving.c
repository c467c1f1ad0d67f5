#include "run/saving.h"

#include "core/timer.h"

void torre_saving_wrote(torre_saving *saving, int64_t step)
{
    saving->written = torre_time_now();
    saving->step = step;
}

bool torre_saving_due(const torre_saving *saving, int64_t step)
{
    if (!saving->file || saving->every_s == 0 || step == saving->step) return false;
    return torre_time_now() - saving->written >= saving->every_s;
}

int64_t torre_saving_steps(const torre_saving *saving, int64_t step, int64_t most)
{
    if (!saving->file || saving->every_steps == 0) return most;
    const int64_t left = saving->every_steps - step % saving->every_steps;
    return left < most ? left : most;
}
