/* How much memory there is, and how much has been used. */
#ifndef TORRE_MEMORY_H
#define TORRE_MEMORY_H

#include <stdint.h>

/*
 * Bytes that can still be allocated without swapping: the kernel's MemAvailable, cut to what the
 * control group of this process leaves; INT64_MAX where the system does not say.
 */
int64_t torre_memory_available(void);

/* The largest resident size this process has had, bytes. */
int64_t torre_memory_peak(void);

#endif
