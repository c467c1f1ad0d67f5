/*
 * Threads of this process, each with a GPU of its own, as ranks (ranks.h) of a run: the caller is
 * the first, the others serve.
 */
#ifndef TORRE_DEVICE_CREW_H
#define TORRE_DEVICE_CREW_H

#include "core/device_list.h"
#include "core/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_device_crew torre_device_crew;

/* What a thread does, until its ranks say that the run is over. */
typedef void torre_device_serve(void *context, const torre_ranks *ranks, int device);

/* Start them; transport: of torre_ranks, or NULL. TORRE_ERR_RESOURCE. */
torre_status torre_device_crew_new(const torre_device_list *list, const char *transport,
                                   torre_device_serve *serve, void *context,
                                   torre_device_crew **crew);

/* The ranks of the caller. */
const torre_ranks *torre_device_crew_ranks(const torre_device_crew *crew);

/* The threads end, before what they share with the first is freed; after that, free the crew. NULL
 * is fine; torre_error_text stays. */
void torre_device_crew_end(torre_device_crew *crew);
void torre_device_crew_free(torre_device_crew *crew);

#ifdef __cplusplus
}
#endif

#endif
