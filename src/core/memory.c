#include "core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/numbers.h"

/* The number in a file that holds just one; INT64_MAX for "max" or no such file. */
static int64_t number_in(const char *path)
{
    int64_t v = INT64_MAX;
    FILE *f = fopen(path, "r");
    if (!f) return v;
    if (fscanf(f, "%" SCNd64, &v) != 1) v = INT64_MAX;
    fclose(f);
    return v;
}

static int64_t system_available(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    if (!f) return INT64_MAX;
    char line[256];
    int64_t kib = -1;
    while (kib < 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %" SCNd64 " kB", &kib) != 1) kib = -1;
    fclose(f);
    return kib < 0 ? INT64_MAX : kib * 1024;
}

/* Value of "key value" lines, 0 without such a line or file. */
static int64_t entry_in(const char *path, const char *key)
{
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    char name[64];
    int64_t value, found = 0;
    while (fscanf(f, "%63s %" SCNd64, name, &value) == 2)
        if (strcmp(name, key) == 0) found = value;
    fclose(f);
    return found;
}

/* What the two kinds of control groups leave, as seen from inside a container. */
static int64_t group_available(void)
{
    static const struct {
        const char *limit, *used, *details, *cache; /* cache: counted as used, given up on demand */
    } group[2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
         "inactive_file"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat",
         "total_inactive_file"},
    };
    int64_t left = INT64_MAX;
    for (int i = 0; i < 2; i++) {
        int64_t limit = number_in(group[i].limit), used = number_in(group[i].used);
        if (limit == INT64_MAX || used == INT64_MAX) continue;
        used -= entry_in(group[i].details, group[i].cache);
        int64_t free_bytes = limit > used ? limit - used : 0;
        if (free_bytes < left) left = free_bytes;
    }
    return left;
}

int64_t torre_memory_available(void)
{
    int64_t system = system_available(), group = group_available();
    return system < group ? system : group;
}

torre_status torre_memory_check(const char *what, int64_t bytes)
{
    char need[32], have[32];
    int64_t available = torre_memory_available();
    if (bytes < 0)
        return torre_fail(TORRE_ERR_RESOURCE, "%s needs more memory than 64 bits can count", what);
    if (bytes <= available) return TORRE_OK;
    torre_format_bytes((double)bytes, need, sizeof need);
    torre_format_bytes((double)available, have, sizeof have);
    return torre_fail(TORRE_ERR_RESOURCE,
                      "%s needs %" PRId64 " bytes (%s) of memory, %" PRId64 " (%s) are available",
                      what, bytes, need, available, have);
}

void *torre_memory_large(size_t bytes)
{
    void *memory;
    if (posix_memalign(&memory, TORRE_HUGE_PAGE, bytes)) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE); /* only a hint */
#endif
    return memory;
}

void *torre_memory_zero(size_t bytes)
{
    if (bytes < TORRE_HUGE_PAGE) return calloc(bytes, 1);
    char *memory = torre_memory_large(bytes);
    if (!memory) return NULL;
#pragma omp parallel for schedule(static)
    for (size_t at = 0; at < bytes; at += TORRE_HUGE_PAGE)
        memset(memory + at, 0, bytes - at < TORRE_HUGE_PAGE ? bytes - at : TORRE_HUGE_PAGE);
    return memory;
}

void *torre_memory_blank(size_t bytes, char **start)
{
    char *memory = calloc(1, bytes + TORRE_HUGE_PAGE);
    if (!memory) return NULL;
    *start = memory + (TORRE_HUGE_PAGE - (uintptr_t)memory % TORRE_HUGE_PAGE) % TORRE_HUGE_PAGE;
#ifdef MADV_HUGEPAGE
    madvise(*start, bytes, MADV_HUGEPAGE); /* only a hint */
#endif
    return memory;
}

int64_t torre_memory_peak(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage)) return 0;
    return (int64_t)usage.ru_maxrss * 1024;
}
