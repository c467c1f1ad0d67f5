/* When a run writes checkpoints (io/checkpoint_file.h), by the clock or by steps. */
#ifndef TORRE_SAVING_H
#define TORRE_SAVING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct torre_saving {
    const char *file;    /* to write, or NULL */
    const char *resume;  /* to go on from, or NULL */
    int64_t every_steps; /* or */
    double every_s;      /* seconds */
    double written;      /* when the last one was, or the loop began: torre_time_now() */
    int64_t step;        /* of that one */
} torre_saving;

/* Whether it is time for a checkpoint by the clock; of those by steps: steps from `step` to the
 * next, `most` where that is nearer. */
bool torre_saving_due(const torre_saving *saving, int64_t step);
int64_t torre_saving_steps(const torre_saving *saving, int64_t step, int64_t most);

/* One was written at that step (-1: the clock begins). */
void torre_saving_wrote(torre_saving *saving, int64_t step);

#endif
