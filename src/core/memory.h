/* How much memory there is, and how much has been used. */
#ifndef TORRE_MEMORY_H
#define TORRE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/*
 * Bytes that can still be allocated without swapping: the kernel's MemAvailable, cut to what the
 * control group of this process leaves; INT64_MAX where the system does not say.
 */
int64_t torre_memory_available(void);

/*
 * Refuse (TORRE_ERR_RESOURCE) what does not fit, before allocating it: "what needs 12 bytes (...)
 * of memory, 10 (...) are available". bytes < 0 stands for a count that overflowed.
 */
torre_status torre_memory_check(const char *what, int64_t bytes);

/* A huge page of the processor. */
#define TORRE_HUGE_PAGE ((size_t)2 << 20)

/*
 * Room for bytes, aligned to TORRE_HUGE_PAGE and in such pages where the system gives them, so that
 * address translation costs little; free() releases it. NULL if there is none.
 */
void *torre_memory_large(size_t bytes);

/* The same, all zero, touched first by all threads alike; free() releases it. */
void *torre_memory_zero(size_t bytes);

/*
 * Room for bytes from *start on, aligned like that of torre_memory_large and all zero. The system
 * clears it page by page as it is touched, which is left to the caller: nobody clears it twice.
 * free() releases the result; NULL if there is none. Takes `bytes` and TORRE_HUGE_PAGE.
 */
void *torre_memory_blank(size_t bytes, char **start);

/* The largest resident size this process has had, bytes. */
int64_t torre_memory_peak(void);

#endif
