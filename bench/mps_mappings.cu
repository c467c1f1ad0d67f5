/* The three thread mappings of mps_mappings.h. */
#include <cuda_runtime.h>

extern "C" {
#include "bench/mps_mappings.h"
}

#define THREADS 128 /* as the paper's vector length */

struct device_buckets {
    int count;
    int n[3];
    float edge[3], bin_edge[3];
    const float4 *position, *velocity;
    const int *start, *rank, *member;
    float influence, factor;
    float4 *sum;
};

/* Bucket (dx, dy, dz) away from that of p; shift: to add to its particles' positions. */
__device__ static int bucket_at(const device_buckets &b, float4 p, const int d[3], float shift[3])
{
    const float at[3] = {p.x, p.y, p.z};
    int index = 0;
    for (int a = 0; a < 3; a++) {
        int c = min((int)(at[a] / b.bin_edge[a]), b.n[a] - 1) + d[a];
        int turn = c < 0 ? -1 : c >= b.n[a];
        shift[a] = turn * b.edge[a];
        index = index * b.n[a] + c - turn * b.n[a];
    }
    return b.rank[index];
}

/* Sum over one bucket of (u_j - u_i) w. */
__device__ static float3 sum_bucket(const device_buckets &b, int i, float4 p, float4 u,
                                    const int d[3])
{
    float shift[3];
    int bucket = bucket_at(b, p, d, shift), end = b.start[bucket + 1];
    float3 sum = make_float3(0, 0, 0);
    for (int m = b.start[bucket]; m < end; m++) {
        int j = b.member ? b.member[m] : m;
        float4 q = b.position[j];
        float dx = q.x + shift[0] - p.x, dy = q.y + shift[1] - p.y, dz = q.z + shift[2] - p.z;
        float square = dx * dx + dy * dy + dz * dz;
        if (square >= b.influence * b.influence || j == i) continue;
        float w = b.influence * rsqrtf(square) - 1;
        float4 v = b.velocity[j];
        sum.x += (v.x - u.x) * w;
        sum.y += (v.y - u.y) * w;
        sum.z += (v.z - u.z) * w;
    }
    return sum;
}

__global__ static void __launch_bounds__(THREADS) naive_kernel(device_buckets b)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= b.count) return;
    float4 p = b.position[i], u = b.velocity[i];
    if (u.w == 0) return;
    float3 total = make_float3(0, 0, 0);
    for (int x = -1; x <= 1; x++)
        for (int y = -1; y <= 1; y++)
            for (int z = -1; z <= 1; z++) {
                const int d[3] = {x, y, z};
                float3 sum = sum_bucket(b, i, p, u, d);
                total.x += sum.x;
                total.y += sum.y;
                total.z += sum.z;
            }
    b.sum[i] = make_float4(b.factor * total.x, b.factor * total.y, b.factor * total.z, 0);
}

__device__ static void add(const device_buckets &b, int i, float3 sum)
{
    atomicAdd(&b.sum[i].x, b.factor * sum.x);
    atomicAdd(&b.sum[i].y, b.factor * sum.y);
    atomicAdd(&b.sum[i].z, b.factor * sum.z);
}

__global__ static void __launch_bounds__(THREADS) atomic_kernel(device_buckets b)
{
    int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (thread >= 27 * (int64_t)b.count) return;
    int i = (int)(thread / 27), o = (int)(thread % 27);
    float4 u = b.velocity[i];
    if (u.w == 0) return;
    const int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
    add(b, i, sum_bucket(b, i, b.position[i], u, d));
}

__global__ static void three_d_kernel(device_buckets b)
{
    int i = blockIdx.x;
    float4 u = b.velocity[i];
    if (u.w == 0) return;
    const int d[3] = {(int)threadIdx.z - 1, (int)threadIdx.y - 1, (int)threadIdx.x - 1};
    add(b, i, sum_bucket(b, i, b.position[i], u, d));
}

static void launch(const device_buckets *d, mps_mapping mapping)
{
    unsigned count = (unsigned)d->count;
    if (mapping == MPS_NAIVE)
        naive_kernel<<<(count + THREADS - 1) / THREADS, THREADS>>>(*d);
    else if (mapping == MPS_ATOMIC)
        atomic_kernel<<<(unsigned)((27ull * count + THREADS - 1) / THREADS), THREADS>>>(*d);
    else
        three_d_kernel<<<count, dim3(3, 3, 3)>>>(*d);
}

/* A copy of host memory on the device, in *to; noted in list to be freed. */
static cudaError_t copy(const void *from, size_t bytes, const void **to, void **list, int *length)
{
    void *memory = nullptr;
    *to = nullptr;
    if (!from) return cudaSuccess;
    cudaError_t error = cudaMalloc(&memory, bytes);
    list[(*length)++] = memory;
    *to = memory;
    return error ? error : cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice);
}

static cudaError_t time_sweeps(const device_buckets *d, mps_mapping mapping, int repeats,
                               float *milliseconds)
{
    cudaEvent_t start, stop;
    cudaError_t error = cudaEventCreate(&start);
    if (!error) error = cudaEventCreate(&stop);
    for (int r = -2; r < repeats && !error; r++) { /* two to warm up */
        float ms;
        cudaEventRecord(start);
        cudaMemsetAsync(d->sum, 0, sizeof(float4) * (size_t)d->count);
        launch(d, mapping);
        error = cudaGetLastError();
        cudaEventRecord(stop);
        if (!error) error = cudaEventSynchronize(stop);
        if (!error) error = cudaEventElapsedTime(&ms, start, stop);
        if (r >= 0) milliseconds[r] = ms;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return error;
}

extern "C" const char *mps_mapping_run(const mps_buckets *b, mps_mapping mapping, int repeats,
                                       float *acceleration, float *milliseconds)
{
    void *memory[8];
    int allocated = 0;
    size_t quads = sizeof(float4) * (size_t)b->count;
    device_buckets d = {};
    d.count = b->count;
    for (int a = 0; a < 3; a++) {
        d.n[a] = b->n[a];
        d.edge[a] = b->edge[a];
        d.bin_edge[a] = b->bin_edge[a];
    }
    d.influence = b->influence;
    d.factor = b->factor;
    const void *sum;
    cudaError_t error = copy(b->position, quads, (const void **)&d.position, memory, &allocated);
    if (!error) error = copy(b->velocity, quads, (const void **)&d.velocity, memory, &allocated);
    if (!error)
        error = copy(b->start, 4 * ((size_t)b->buckets + 1), (const void **)&d.start, memory,
                     &allocated);
    if (!error)
        error = copy(b->rank, 4 * (size_t)b->buckets, (const void **)&d.rank, memory, &allocated);
    if (!error)
        error = copy(b->member, 4 * (size_t)b->count, (const void **)&d.member, memory, &allocated);
    if (!error) error = copy(b->position, quads, &sum, memory, &allocated);
    d.sum = (float4 *)sum;
    if (!error) error = time_sweeps(&d, mapping, repeats, milliseconds);
    if (!error) error = cudaMemcpy(acceleration, d.sum, quads, cudaMemcpyDeviceToHost);
    for (int k = 0; k < allocated; k++) cudaFree(memory[k]);
    return error ? cudaGetErrorString(error) : nullptr;
}
