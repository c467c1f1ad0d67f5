/*
 * Encode and decode on the device give what they give on the host, for every ordering and any box.
 */
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

extern "C" {
#include "tiling/ordering.h"
}

enum { SKIPPED = 77 };

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* cell[3 r ..] = decoded rank r, back[r] = that cell encoded again */
__global__ void round_trip(torre_ordering o, int64_t cells, int64_t *cell, int64_t *back)
{
    int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= cells) return;
    int64_t at[3] = {0, 0, 0};
    torre_ordering_decode(&o, r, at);
    for (int a = 0; a < 3; a++) cell[3 * r + a] = at[a];
    back[r] = torre_ordering_encode(&o, at);
}

static int check(torre_ordering_kind kind, int dims, const int64_t *size)
{
    torre_ordering o;
    if (!torre_ordering_make(kind, dims, size, &o, NULL)) return 1;
    int64_t cells = torre_ordering_cells(&o), *d_cell, *d_back;
    size_t bytes = (size_t)cells * sizeof(int64_t);
    int64_t *cell = (int64_t *)malloc(3 * bytes), *back = (int64_t *)malloc(bytes);
    if (!cell || !back) return 1;
    TRY(cudaMalloc(&d_cell, 3 * bytes));
    TRY(cudaMalloc(&d_back, bytes));
    round_trip<<<(unsigned)((cells + 127) / 128), 128>>>(o, cells, d_cell, d_back);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(cell, d_cell, 3 * bytes, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(back, d_back, bytes, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int64_t r = 0; r < cells && !bad; r++) {
        int64_t at[3] = {0, 0, 0};
        torre_ordering_decode(&o, r, at);
        bad = back[r] != r;
        for (int a = 0; a < 3; a++) bad |= at[a] != cell[3 * r + a];
        if (bad)
            fprintf(stderr, "%s in %d dimensions: rank %lld differs\n", torre_ordering_name(kind),
                    dims, (long long)r);
    }
    TRY(cudaFree(d_cell));
    TRY(cudaFree(d_back));
    free(cell);
    free(back);
    return bad;
}

int main(void)
{
    static const int64_t sizes[][3] = {
        {16, 16, 16}, {27, 27, 27}, {13, 40, 7}, {64, 64, 8}, {1, 9, 1}};
    int devices = 0, bad = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "skipped: no CUDA device\n");
        return SKIPPED;
    }
    for (int kind = 0; kind < TORRE_ORDERING_KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int dims = 2; dims <= 3; dims++)
                bad |= check((torre_ordering_kind)kind, dims, sizes[s]);
    return bad;
}
