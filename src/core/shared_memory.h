/*
 * Memory that several processes of a machine have in common: zeros, in a file without a name that
 * lives as long as it is mapped.
 */
#ifndef TORRE_SHARED_MEMORY_H
#define TORRE_SHARED_MEMORY_H

#include <stdint.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How other processes find it. */
typedef struct torre_shared_name {
    int64_t process, file;
} torre_shared_name;

/*
 * New memory, aligned to TORRE_HUGE_PAGE, and its name, which is good until _close.
 * TORRE_ERR_RESOURCE. Free it with _free.
 */
torre_status torre_shared_new(int64_t bytes, char **memory, torre_shared_name *name);
void torre_shared_close(const torre_shared_name *name);

/* The memory of that name, as many bytes. TORRE_ERR_RESOURCE: not of this machine, or not ours. */
torre_status torre_shared_open(const torre_shared_name *name, int64_t bytes, char **memory);

/* Take the memory of huge pages low .. high - 1 now, near this process and in such pages where the
 * system gives them; counted from the first. */
void torre_shared_touch(char *memory, int64_t low, int64_t high, int threads);
int64_t torre_shared_pages(int64_t bytes);

/* NULL is fine. */
void torre_shared_free(char *memory, int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
