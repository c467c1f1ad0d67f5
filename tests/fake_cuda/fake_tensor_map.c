/* Copies of boxes (fake_tensor_map.h). */
#include "tests/fake_cuda/fake_tensor_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

int fake_tensor_map_copy(const void *map, const int at[4], char *to)
{
    const fake_tensor_map *m = map;
    int lines = 1, done = 0;
    for (int a = 1; a < m->axes; a++) lines *= m->box[a];
    for (int line = 0; line < lines; line++) {
        const char *from = m->data;
        bool inside = true;
        for (int a = 1, rest = line; a < m->axes; rest /= m->box[a], a++) {
            const int i = at[a] + rest % m->box[a];
            inside &= i >= 0 && i < m->size[a];
            from += i * m->stride[a - 1];
        }
        for (int i = at[0]; i < at[0] + m->box[0]; i++, done += m->bytes) {
            if (inside && i >= 0 && i < m->size[0])
                memcpy(to + done, from + i * (ptrdiff_t)m->bytes, (size_t)m->bytes);
            else
                memset(to + done, 0, (size_t)m->bytes);
        }
    }
    return done;
}
