/* How much memory there is, and how much has been used. */
#ifndef TORRE_MEMORY_H
#define TORRE_MEMORY_H

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

/* The largest resident size this process has had, bytes. */
int64_t torre_memory_peak(void);

#endif
