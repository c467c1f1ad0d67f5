/* The gather benchmark on a GPU: a few threads for each visited bin, 16 bytes each at a time. */
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

extern "C" {
#include "bench/gather.h"
#include "cuda/core/cuda_check.h"
}

#define THREADS 256

struct gather_device {
    float4 *d_data;
    int32_t *d_index;
    float *d_sums;
    float *sums; /* host */
    double *seconds;
    cudaEvent_t start, stop;
};

/* lanes (a power of two up to 32) threads share a bin; lane l reads the float4 l, l + lanes, ... */
__global__ void __launch_bounds__(THREADS)
    gather_kernel(const float4 *__restrict__ data, const int32_t *__restrict__ index,
                  float *__restrict__ sums, int64_t visited, int stencil, int bin_quads, int lanes)
{
    int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x, visit = thread / lanes;
    int lane = (int)(thread % lanes);
    float sum = 0;
    if (visit < visited) {
        for (int s = 0; s < stencil; s++) {
            const float4 *bin = data + (int64_t)index[s * visited + visit] * bin_quads;
            for (int q = lane; q < bin_quads; q += lanes) {
                float4 v = bin[q];
                sum += v.x + v.y + v.z + v.w;
            }
        }
    }
    for (int step = lanes / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
    if (lane == 0 && visit < visited) sums[visit] = sum;
}

static torre_status launch(const gather *g, const gather_device *d)
{
    int quads = (int)(g->bin_floats / 4), lanes = 1;
    while (2 * lanes <= quads && lanes < 32) lanes *= 2;
    int64_t blocks = (g->visited * lanes + THREADS - 1) / THREADS;
    gather_kernel<<<(unsigned)blocks, THREADS>>>(d->d_data, d->d_index, d->d_sums, g->visited,
                                                 (int)g->stencil, quads, lanes);
    TORRE_CUDA_TRY(cudaGetLastError(), "gathering bins");
    return TORRE_OK;
}

static torre_status prepare(const gather *g, gather_device *d)
{
    size_t data = (size_t)(g->bins * g->bin_floats) * sizeof(float);
    size_t index = (size_t)(g->visited * g->stencil) * sizeof *g->index;
    TORRE_CUDA_TRY(cudaMalloc(&d->d_data, data), "room for bins");
    TORRE_CUDA_TRY(cudaMalloc(&d->d_index, index), "room for bins");
    TORRE_CUDA_TRY(cudaMalloc(&d->d_sums, (size_t)g->visited * sizeof(float)), "room for bins");
    TORRE_CUDA_TRY(cudaMemcpy(d->d_data, g->data, data, cudaMemcpyHostToDevice),
                   "sending bins to the device");
    TORRE_CUDA_TRY(cudaMemcpy(d->d_index, g->index, index, cudaMemcpyHostToDevice),
                   "sending bins to the device");
    TORRE_CUDA_TRY(cudaEventCreate(&d->start), "a timer");
    TORRE_CUDA_TRY(cudaEventCreate(&d->stop), "a timer");
    return TORRE_OK;
}

static torre_status measure(const gather *g, gather_device *d, int repeat, gather_result *result)
{
    TORRE_TRY(launch(g, d));
    for (int r = 0; r < repeat; r++) {
        float ms;
        TORRE_CUDA_TRY(cudaEventRecord(d->start), "timing");
        TORRE_TRY(launch(g, d));
        TORRE_CUDA_TRY(cudaEventRecord(d->stop), "timing");
        TORRE_CUDA_TRY(cudaEventSynchronize(d->stop), "timing");
        TORRE_CUDA_TRY(cudaEventElapsedTime(&ms, d->start, d->stop), "timing");
        d->seconds[r] = ms / 1000.0;
    }
    gather_statistics(d->seconds, repeat, result);
    TORRE_CUDA_TRY(
        cudaMemcpy(d->sums, d->d_sums, (size_t)g->visited * sizeof(float), cudaMemcpyDeviceToHost),
        "gathering bins");
    return gather_check(g, d->sums);
}

static torre_status describe(int device, gather_result *result)
{
    cudaDeviceProp p;
    TORRE_CUDA_TRY(cudaGetDeviceProperties(&p, device), "asking for the device");
    snprintf(result->device, sizeof result->device, "%s", p.name);
    result->cache[0] = (int64_t)p.sharedMemPerMultiprocessor; /* L1 and shared memory are one */
    result->cache[1] = p.l2CacheSize;
    result->cache[2] = 0;
    result->line = 32; /* a sector is what moves */
    return TORRE_OK;
}

extern "C" torre_status gather_run_cuda(const gather *g, int device, int repeat,
                                        gather_result *result)
{
    gather_device d = {};
    d.sums = (float *)malloc((size_t)g->visited * sizeof *d.sums);
    d.seconds = (double *)malloc((size_t)repeat * sizeof *d.seconds);
    torre_status status = TORRE_OK;
    if (!d.sums || !d.seconds)
        status =
            torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld sums", (long long)g->visited);
    cudaError_t error = cudaSetDevice(device);
    if (!status) status = torre_cuda_status(error, "choosing the device");
    if (!status) status = describe(device, result);
    if (!status) status = prepare(g, &d);
    if (!status) status = measure(g, &d, repeat, result);
    /* after a failure there is nothing better to do with errors of the clean-up */
    (void)cudaFree(d.d_data);
    (void)cudaFree(d.d_index);
    (void)cudaFree(d.d_sums);
    if (d.start) (void)cudaEventDestroy(d.start);
    if (d.stop) (void)cudaEventDestroy(d.stop);
    free(d.sums);
    free(d.seconds);
    return status;
}
