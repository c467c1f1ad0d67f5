/* What the stand-in's driver puts into a tensor map: what it was made of, for kernels that run
 * (tests/emulator), and a hash of that, which goes into that of launches. */
#ifndef FAKE_TENSOR_MAP_H
#define FAKE_TENSOR_MAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fake_tensor_map {
    uint64_t hash;
    const char *data;
    int64_t stride[3]; /* bytes, of all axes but the first */
    int32_t size[4], box[4];
    int32_t axes, bytes; /* of an element */
} fake_tensor_map;

/* Copy the box that begins at these elements, zero outside of the array. Returns its bytes. */
int fake_tensor_map_copy(const void *map, const int at[4], char *to);

#ifdef __cplusplus
}
#endif

#endif
