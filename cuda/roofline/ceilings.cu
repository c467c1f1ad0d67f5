/* The CUDA meter: ceilings of one GPU (roofline/ceilings.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "roofline/ceilings.h"
#include "roofline/cuda_probe.h"
#include "roofline/engine_compare.h"
}

#include "ceilings_kernels.cuh"
#include "cuda/core/cuda_check.h"

struct cuda_meter {
    torre_meter base;
    int multiprocessors;
    int64_t large, small; /* float4 of each array: in main memory, in L2 */
    float4 *d_array[2];
    void *host; /* pinned, host_bytes */
    size_t host_bytes;
    long long *d_clock;
    cudaStream_t stream;
    cudaEvent_t event[2];
};

extern "C" const torre_meter_kind torre_meter_cuda;

static void cuda_close(torre_meter *meter)
{
    cuda_meter *m = (cuda_meter *)meter;
    for (int i = 0; i < 2; i++) {
        cudaFree(m->d_array[i]);
        if (m->event[i]) cudaEventDestroy(m->event[i]);
    }
    cudaFree(m->d_clock);
    cudaFreeHost(m->host);
    if (m->stream) cudaStreamDestroy(m->stream);
    free(m);
}

/* Fields are random: constant ones may be moved more cheaply than a program's own. */
static torre_status allocate(cuda_meter *m, int64_t free_bytes, int64_t l2_bytes)
{
    int64_t bytes = free_bytes / 8 < (INT64_C(1) << 30) ? free_bytes / 8 : INT64_C(1) << 30;
    m->large = bytes / (int64_t)sizeof(float4);
    /* both arrays together a quarter of the L2, which may keep a second copy of remote data */
    m->small = l2_bytes / 8 / (int64_t)sizeof(float4);
    if (m->small > m->large) m->small = m->large;
    m->host_bytes = (size_t)(bytes < (INT64_C(256) << 20) ? bytes : INT64_C(256) << 20);
    TORRE_CUDA_TRY(cudaStreamCreate(&m->stream), "a stream");
    for (int i = 0; i < 2; i++) {
        TORRE_CUDA_TRY(cudaEventCreate(&m->event[i]), "a timer");
        TORRE_CUDA_TRY(cudaMalloc((void **)&m->d_array[i], (size_t)bytes), "room for the ceilings");
    }
    TORRE_CUDA_TRY(cudaMalloc((void **)&m->d_clock, 2 * sizeof *m->d_clock),
                   "room for the ceilings");
    TORRE_CUDA_TRY(cudaHostAlloc(&m->host, m->host_bytes, cudaHostAllocDefault),
                   "room for the ceilings");
    torre_random_fill(m->host, (int64_t)(m->host_bytes / sizeof(float)), TORRE_F32);
    for (int i = 0; i < 2; i++) {
        for (size_t at = 0; at < (size_t)bytes; at += m->host_bytes) {
            size_t rest = (size_t)bytes - at, part = rest < m->host_bytes ? rest : m->host_bytes;
            TORRE_CUDA_TRY(
                cudaMemcpy((char *)m->d_array[i] + at, m->host, part, cudaMemcpyHostToDevice),
                "filling arrays");
        }
    }
    return TORRE_OK;
}

static torre_status cuda_open(int threads, int device, torre_machine *machine, torre_meter **meter)
{
    torre_cuda_probe probe;
    int shared = 0, l2 = 0;
    (void)threads;
    torre_cuda_probe_run(device, &probe);
    if (probe.state != TORRE_CUDA_WORKS) return torre_fail(TORRE_ERR_RESOURCE, "%s", probe.text);
    TORRE_CUDA_TRY(cudaSetDevice(device), "choosing the device");
    TORRE_CUDA_TRY(
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device),
        "asking for the device");
    TORRE_CUDA_TRY(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device),
                   "asking for the device");
    snprintf(machine->backend, sizeof machine->backend, "cuda");
    snprintf(machine->device, sizeof machine->device, "%s", probe.name);
    snprintf(machine->uuid, sizeof machine->uuid, "%s", probe.uuid);
    snprintf(machine->detail, sizeof machine->detail,
             "compute capability %d.%d, %d multiprocessors, driver %d.%d, runtime %d.%d",
             probe.capability / 10, probe.capability % 10, probe.multiprocessors,
             probe.driver / 1000, probe.driver % 1000 / 10, probe.runtime / 1000,
             probe.runtime % 1000 / 10);
    machine->threads = probe.multiprocessors;
    machine->cache[1] = shared;
    machine->cache[3] = l2;
    machine->dram_bytes = probe.free_bytes;
    cuda_meter *m = (cuda_meter *)calloc(1, sizeof *m);
    if (!m) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    m->base.kind = &torre_meter_cuda;
    m->multiprocessors = probe.multiprocessors;
    torre_status status = allocate(m, probe.free_bytes, l2 > 0 ? l2 : 4 << 20);
    if (status) {
        cuda_close(&m->base);
        return status;
    }
    *meter = &m->base;
    return TORRE_OK;
}

static bool cuda_has(const torre_meter *meter, torre_ceiling_id id)
{
    (void)meter;
    return id != TORRE_MID_READ && id != TORRE_MID_MIX;
}

/* One launch or copy; *work counts its bytes or operations. One function, though long: a case for
 * each ceiling. */
static torre_status enqueue(cuda_meter *m, torre_ceiling_id id, double *work)
{
    const float never = -12345.0f;
    dim3 wide(8 * m->multiprocessors), threads(CEILING_THREADS);
    float4 *a = m->d_array[0];
    const float4 *b = m->d_array[1];
    const int passes = 64, shared_passes = 512, turns32 = 2048, turns64 = 256;
    double lanes = (double)wide.x * CEILING_THREADS;
    double chain32 = lanes * turns32 * 8, chain64 = lanes * turns64 * 8;
    double shared_reads = lanes * shared_passes * (CEILING_SHARED / CEILING_THREADS) * 16;
    cudaStream_t s = m->stream;
    switch (id) {
    case TORRE_DRAM_READ:
        ceiling_stream_kernel<CEILING_READ><<<wide, threads, 0, s>>>(a, b, m->large, 1, never);
        *work = 16.0 * (double)m->large;
        break;
    case TORRE_DRAM_WRITE:
        ceiling_stream_kernel<CEILING_WRITE><<<wide, threads, 0, s>>>(a, b, m->large, 1, never);
        *work = 16.0 * (double)m->large;
        break;
    case TORRE_DRAM_COPY:
        ceiling_stream_kernel<CEILING_COPY><<<wide, threads, 0, s>>>(a, b, m->large, 1, never);
        *work = 32.0 * (double)m->large;
        break;
    case TORRE_DRAM_MIX:
        ceiling_stream_kernel<CEILING_MIX><<<wide, threads, 0, s>>>(a, b, m->large, 1, never);
        *work = 48.0 * (double)m->large;
        break;
    case TORRE_LLC_READ:
        ceiling_stream_kernel<CEILING_READ><<<wide, threads, 0, s>>>(a, b, m->small, passes, never);
        *work = 16.0 * (double)m->small * passes;
        break;
    case TORRE_LLC_MIX:
        ceiling_stream_kernel<CEILING_MIX><<<wide, threads, 0, s>>>(a, b, m->small, passes, never);
        *work = 48.0 * (double)m->small * passes;
        break;
    case TORRE_NEAR_READ:
        ceiling_shared_kernel<CEILING_READ><<<wide, threads, 0, s>>>(a, b, shared_passes, never);
        *work = shared_reads;
        break;
    case TORRE_NEAR_MIX:
        ceiling_shared_kernel<CEILING_MIX><<<wide, threads, 0, s>>>(a, b, shared_passes, never);
        *work = 1.5 * shared_reads; /* two reads and a write where reading has two reads */
        break;
    case TORRE_F32_FMA:
        ceiling_chain_kernel<float, 0><<<wide, threads, 0, s>>>((float *)a, 0.25f, turns32, never);
        *work = chain32 * 2 * CEILING_CHAINS;
        break;
    case TORRE_F32_ADD:
        ceiling_chain_kernel<float, CEILING_CHAINS>
            <<<wide, threads, 0, s>>>((float *)a, 0.25f, turns32, never);
        *work = chain32 * CEILING_CHAINS;
        break;
    case TORRE_F32_STENCIL:
        ceiling_chain_kernel<float, CEILING_CHAINS / 2>
            <<<wide, threads, 0, s>>>((float *)a, 0.25f, turns32, never);
        *work = chain32 * 1.5 * CEILING_CHAINS;
        break;
    case TORRE_F64_FMA:
        ceiling_chain_kernel<double, 0>
            <<<wide, threads, 0, s>>>((double *)a, 0.25, turns64, (double)never);
        *work = chain64 * 2 * CEILING_CHAINS;
        break;
    case TORRE_F64_ADD:
        ceiling_chain_kernel<double, CEILING_CHAINS>
            <<<wide, threads, 0, s>>>((double *)a, 0.25, turns64, (double)never);
        *work = chain64 * CEILING_CHAINS;
        break;
    case TORRE_F64_STENCIL:
        ceiling_chain_kernel<double, CEILING_CHAINS / 2>
            <<<wide, threads, 0, s>>>((double *)a, 0.25, turns64, (double)never);
        *work = chain64 * 1.5 * CEILING_CHAINS;
        break;
    case TORRE_HOST_TO_DEVICE:
        TORRE_CUDA_TRY(cudaMemcpyAsync(a, m->host, m->host_bytes, cudaMemcpyHostToDevice, s),
                       "copying");
        *work = (double)m->host_bytes;
        break;
    case TORRE_DEVICE_TO_HOST:
        TORRE_CUDA_TRY(cudaMemcpyAsync(m->host, a, m->host_bytes, cudaMemcpyDeviceToHost, s),
                       "copying");
        *work = (double)m->host_bytes;
        break;
    default:
        return torre_fail(TORRE_ERR_USAGE, "a GPU has no ceiling %s", torre_ceiling_name(id));
    }
    TORRE_CUDA_TRY(cudaGetLastError(), "starting a kernel");
    return TORRE_OK;
}

static torre_status timed(cuda_meter *m, torre_ceiling_id id, int launches, double *work,
                          double *seconds)
{
    float milliseconds = 0;
    TORRE_CUDA_TRY(cudaEventRecord(m->event[0], m->stream), "timing");
    for (int i = 0; i < launches; i++) TORRE_TRY(enqueue(m, id, work));
    TORRE_CUDA_TRY(cudaEventRecord(m->event[1], m->stream), "timing");
    TORRE_CUDA_TRY(cudaEventSynchronize(m->event[1]), "timing");
    TORRE_CUDA_TRY(cudaEventElapsedTime(&milliseconds, m->event[0], m->event[1]), "timing");
    *work *= launches;
    *seconds = (double)milliseconds * 1e-3;
    return TORRE_OK;
}

static torre_status cuda_sample(torre_meter *meter, torre_ceiling_id id, double *rate)
{
    cuda_meter *m = (cuda_meter *)meter;
    double work, seconds;
    TORRE_TRY(timed(m, id, 1, &work, &seconds));
    int launches = seconds < 0.01 ? (int)(0.01 / (seconds > 1e-5 ? seconds : 1e-5)) + 1 : 1;
    if (launches > 1) TORRE_TRY(timed(m, id, launches, &work, &seconds));
    *rate = work / seconds / 1e9;
    return TORRE_OK;
}

static double cuda_clock(torre_meter *meter)
{
    cuda_meter *m = (cuda_meter *)meter;
    long long ticks[2] = {0, 0};
    ceiling_clock_kernel<<<1, 1, 0, m->stream>>>(m->d_clock);
    if (cudaGetLastError() != cudaSuccess ||
        cudaMemcpyAsync(ticks, m->d_clock, sizeof ticks, cudaMemcpyDeviceToHost, m->stream) !=
            cudaSuccess ||
        cudaStreamSynchronize(m->stream) != cudaSuccess || ticks[1] <= 0)
        return 0;
    return (double)ticks[0] / (double)ticks[1];
}

extern "C" const torre_meter_kind torre_meter_cuda = {
    "cuda", cuda_open, cuda_has, cuda_sample, cuda_clock, cuda_close,
};
