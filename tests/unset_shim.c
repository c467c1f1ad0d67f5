/* Preloaded into tests: memory for arrays that nobody has set, and what lies behind it, are numbers
 * that are none. So what reads either makes a difference, even where it is multiplied by 0. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { BEHIND = 512 };
static const size_t all = (size_t)256 << 20; /* larger arrays are left as they are */

void *aligned_alloc(size_t alignment, size_t size)
{
    char *memory = memalign(alignment, size + BEHIND);
    if (memory) memset(size > all ? memory + size : memory, 0xff, (size > all ? 0 : size) + BEHIND);
    return memory;
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *found = aligned_alloc(alignment, size);
    if (!found) return ENOMEM;
    *memory = found;
    return 0;
}
