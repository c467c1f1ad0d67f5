/* What stands between this process and a GPU (roofline/cuda_probe.h). */
#include <stdio.h>
#include <string.h>

#include <cuda_runtime.h>

extern "C" {
#include "core/status.h"
#include "roofline/cuda_probe.h"
void torre_cuda_probe_device(int device, torre_cuda_probe *probe);
}

static const int magic = 0x70e5;

static __global__ void probe_kernel(int *out, int value) { out[0] = value + (int)threadIdx.x; }

static void tell(torre_cuda_probe *p, torre_cuda_state state, const char *text)
{
    p->state = state;
    snprintf(p->text, sizeof p->text, "%s", text);
}

static void tell_error(torre_cuda_probe *p, torre_cuda_state state, const char *what, cudaError_t e)
{
    p->state = state;
    snprintf(p->text, sizeof p->text, "%s: %s (%s)", what, cudaGetErrorString(e),
             cudaGetErrorName(e));
}

/* Driver, then number of devices; false when that is the end of it. */
static bool find_devices(int device, torre_cuda_probe *p)
{
    cudaRuntimeGetVersion(&p->runtime);
    if (cudaDriverGetVersion(&p->driver) != cudaSuccess || p->driver == 0) {
        cudaGetLastError();
        tell(p, TORRE_CUDA_NO_DRIVER,
             "this build has the CUDA backend, but no NVIDIA driver is loaded (nvidia-smi should "
             "list a GPU)");
        return false;
    }
    cudaError_t e = cudaGetDeviceCount(&p->devices);
    cudaGetLastError(); /* or later calls report it again */
    if (e == cudaErrorInsufficientDriver) {
        p->state = TORRE_CUDA_OLD_DRIVER;
        snprintf(p->text, sizeof p->text,
                 "the NVIDIA driver serves CUDA up to %d.%d, this build needs %d.%d: update the "
                 "driver, or build with an older toolkit",
                 p->driver / 1000, p->driver % 1000 / 10, p->runtime / 1000,
                 p->runtime % 1000 / 10);
        return false;
    }
    if (e == cudaErrorNoDevice || (e == cudaSuccess && p->devices == 0)) {
        tell(p, TORRE_CUDA_NO_DEVICE,
             "an NVIDIA driver is loaded, but no GPU is visible (is CUDA_VISIBLE_DEVICES empty, "
             "or the container started without GPUs?)");
        return false;
    }
    if (e != cudaSuccess) {
        tell_error(p, TORRE_CUDA_BROKEN, "cannot count the GPUs", e);
        return false;
    }
    if (device >= p->devices) {
        p->state = TORRE_CUDA_NO_SUCH_DEVICE;
        torre_text(p->text, sizeof p->text, "{device} must be from 0 to %d here (got %d)",
                   p->devices - 1, device);
        return false;
    }
    return true;
}

static bool describe(int device, torre_cuda_probe *p)
{
    cudaDeviceProp prop;
    size_t free_bytes = 0, total_bytes = 0;
    cudaError_t e = cudaGetDeviceProperties(&prop, device);
    if (e == cudaSuccess) e = cudaSetDevice(device);
    if (e == cudaSuccess) e = cudaMemGetInfo(&free_bytes, &total_bytes);
    if (e != cudaSuccess) {
        cudaGetLastError();
        tell_error(p, TORRE_CUDA_BROKEN, "the GPU does not answer", e);
        return false;
    }
    const unsigned char *u = (const unsigned char *)prop.uuid.bytes;
    snprintf(p->name, sizeof p->name, "%.120s", prop.name);
    snprintf(p->uuid, sizeof p->uuid,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
             u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
             u[15]);
    p->capability = 10 * prop.major + prop.minor;
    p->multiprocessors = prop.multiProcessorCount;
    p->free_bytes = (int64_t)free_bytes;
    p->total_bytes = (int64_t)total_bytes;
    if (p->free_bytes < TORRE_CUDA_LEAST_MEMORY) {
        p->state = TORRE_CUDA_LITTLE_MEMORY;
        snprintf(p->text, sizeof p->text,
                 "%s has %.2f GiB of %.2f GiB free, at least 0.25 GiB are needed: is another "
                 "program using it?",
                 p->name, (double)p->free_bytes / (1 << 30), (double)p->total_bytes / (1 << 30));
        return false;
    }
    return true;
}

/* Run something that shows whether there is machine code for this GPU, and whether it computes. */
static void try_kernel(torre_cuda_probe *p)
{
    int *d_out = NULL, value = 0;
    cudaError_t e = cudaMalloc((void **)&d_out, sizeof *d_out);
    if (e == cudaSuccess) {
        probe_kernel<<<1, 1>>>(d_out, magic);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess) e = cudaMemcpy(&value, d_out, sizeof value, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorUnsupportedPtxVersion ||
        e == cudaErrorInvalidDeviceFunction) {
        cudaGetLastError();
        p->state = TORRE_CUDA_WRONG_ARCHITECTURE;
        snprintf(p->text, sizeof p->text,
                 "%s has compute capability %d.%d, for which this build has no kernels: configure "
                 "with -DCMAKE_CUDA_ARCHITECTURES=%d",
                 p->name, p->capability / 10, p->capability % 10, p->capability);
    } else if (e != cudaSuccess) {
        cudaGetLastError();
        tell_error(p, TORRE_CUDA_BROKEN, "a small kernel fails", e);
    } else if (value != magic) {
        tell(p, TORRE_CUDA_BROKEN, "a small kernel returns the wrong number");
    } else {
        p->state = TORRE_CUDA_WORKS;
        snprintf(p->text, sizeof p->text,
                 "%s, compute capability %d.%d, %.1f GiB of %.1f GiB free, driver for CUDA %d.%d, "
                 "%d GPU%s visible",
                 p->name, p->capability / 10, p->capability % 10, (double)p->free_bytes / (1 << 30),
                 (double)p->total_bytes / (1 << 30), p->driver / 1000, p->driver % 1000 / 10,
                 p->devices, p->devices > 1 ? "s" : "");
    }
}

void torre_cuda_probe_device(int device, torre_cuda_probe *p)
{
    if (find_devices(device, p) && describe(device, p)) try_kernel(p);
}
