/*
 * The neighbour sweep of Proc 1 (viscosity) in the thread mappings of T. Miyajima, K. Kubota,
 * N. Fujita, over buckets as wide as the radius of influence, 27 of them around a particle:
 *
 *     naive   a thread per particle walks over the 27 buckets
 *     atomic  a thread per particle and bucket adds its sum to the particle's atomically
 *     3-D     a block of 3 x 3 x 3 threads per particle, likewise atomically
 *
 * in f32 as theirs, and without tiles in shared memory or lists.
 */
#ifndef TORRE_MPS_MAPPINGS_H
#define TORRE_MPS_MAPPINGS_H

#include <stdint.h>

typedef enum mps_mapping { MPS_NAIVE, MPS_ATOMIC, MPS_THREE_D, MPS_MAPPINGS } mps_mapping;

/* Host arrays, in storage order. */
typedef struct mps_buckets {
    int count, buckets;
    int n[3];
    float edge[3], bin_edge[3]; /* of the box, of a bucket */
    const float *position;      /* [count][4] */
    const float *velocity;      /* [count][4]; [3]: 1 for fluid, 0 for what is skipped */
    const int32_t *start;       /* [buckets + 1], by rank */
    const int32_t *rank;        /* [row-major bucket] */
    const int32_t *member;      /* [count]; NULL: storage is in the order of the ranks */
    float influence, factor;
} mps_buckets;

/*
 * Sweep `repeats` times on the current device; acceleration[count][4] gets the sums of the last
 * one, milliseconds[repeats] the times. Returns NULL or what CUDA says is wrong.
 */
const char *mps_mapping_run(const mps_buckets *buckets, mps_mapping mapping, int repeats,
                            float *acceleration, float *milliseconds);

#endif
