#define _GNU_SOURCE /* memfd_create */
#include "core/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/memory.h"

#ifndef MADV_COLLAPSE /* of Linux 6.1 */
#define MADV_COLLAPSE 25
#endif

static torre_status fail(const char *what)
{
    return torre_fail(TORRE_ERR_RESOURCE, "memory of several processes: %s: %s", what,
                      strerror(errno));
}

int64_t torre_shared_pages(int64_t bytes)
{
    const int64_t page = (int64_t)TORRE_HUGE_PAGE;
    return bytes / page + (bytes % page > 0);
}

/* Of the addresses that are taken for it. */
static size_t mapped(int64_t bytes) { return (size_t)torre_shared_pages(bytes) * TORRE_HUGE_PAGE; }

static torre_status map(int file, int64_t bytes, char **memory)
{
    const size_t size = mapped(bytes), room = size + TORRE_HUGE_PAGE;
    char *free_room =
        mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (free_room == MAP_FAILED) return fail("mmap");
    const size_t before =
        (TORRE_HUGE_PAGE - (uintptr_t)free_room % TORRE_HUGE_PAGE) % TORRE_HUGE_PAGE;
    char *start = free_room + before;
    if (mmap(start, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
        const torre_status status = fail("mmap");
        munmap(free_room, room);
        return status;
    }
    if (before > 0) munmap(free_room, before);
    munmap(start + size, TORRE_HUGE_PAGE - before); /* at least a page of it: room is even */
    madvise(start, size, MADV_HUGEPAGE);            /* only a hint */
    *memory = start;
    return TORRE_OK;
}

torre_status torre_shared_new(int64_t bytes, char **memory, torre_shared_name *name)
{
    const int file = memfd_create("torre", MFD_CLOEXEC);
    if (file < 0) return fail("memfd_create");
    torre_status status =
        ftruncate(file, (off_t)mapped(bytes)) ? fail("ftruncate") : map(file, bytes, memory);
    if (status) {
        close(file);
        return status;
    }
    *name = (torre_shared_name){getpid(), file};
    return TORRE_OK;
}

void torre_shared_close(const torre_shared_name *name) { close((int)name->file); }

torre_status torre_shared_open(const torre_shared_name *name, int64_t bytes, char **memory)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%" PRId64, name->process, name->file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return fail(path);
    const torre_status status = map(file, bytes, memory);
    close(file);
    return status;
}

void torre_shared_touch(char *memory, int64_t low, int64_t high, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = low; i < high; i++) {
        char *page = memory + (size_t)i * TORRE_HUGE_PAGE;
        *(volatile char *)page = 0;
        madvise(page, TORRE_HUGE_PAGE, MADV_COLLAPSE); /* one page of it, whatever the hint did */
    }
}

void torre_shared_free(char *memory, int64_t bytes)
{
    if (memory) munmap(memory, mapped(bytes));
}
