/* The stand-in for the CUDA runtime (fake_cuda.h): devices, memory, launches, the trace. */
#define _GNU_SOURCE
#include "fake_cuda.h"
#include "fake_tensor_map.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/*
 * Devices. From the table of compute capabilities in the CUDA C++ Programming Guide (threads,
 * registers, shared memory) and the data sheets (multiprocessors, L2, memory); clusters as counted
 * on an H200 (cuda/EXPERIMENTS.md), for blocks that fill a multiprocessor.
 */
typedef struct fake_device {
    const char *key, *name;
    int major, minor, multiprocessors, threads, blocks; /* the latter two of a multiprocessor */
    int shared, shared_per_block;
    int64_t memory, l2;
    int clusters[7]; /* of 2 to 8 blocks */
} fake_device;

static const fake_device devices[] = {
    {"h200",
     "NVIDIA H200",
     9,
     0,
     132,
     2048,
     32,
     228 << 10,
     227 << 10,
     150110011392,
     50 << 20,
     {66, 39, 30, 22, 17, 15, 15}},
    {"h200-few",
     "NVIDIA H200",
     9,
     0,
     7,
     2048,
     32,
     228 << 10,
     227 << 10,
     150110011392,
     50 << 20,
     {3, 2, 1, 1, 1, 1, 0}},
    {"a100",
     "NVIDIA A100-SXM4-80GB",
     8,
     0,
     108,
     2048,
     32,
     164 << 10,
     163 << 10,
     85174583296,
     40 << 20,
     {0}},
    {"a100-few",
     "NVIDIA A100-SXM4-80GB",
     8,
     0,
     7,
     2048,
     32,
     164 << 10,
     163 << 10,
     85174583296,
     40 << 20,
     {0}},
    {"t4", "Tesla T4", 7, 5, 40, 1024, 16, 64 << 10, 64 << 10, 15655829504, 4 << 20, {0}},
};
enum { REGISTERS = 65536, STATIC_SHARED = 48 << 10, DRIVER_BYTES = 512 << 20 };

/* State. */
enum { MOST_KERNELS = 4096, MOST_ALLOCATIONS = 1 << 20, PAGE = 4096 };
typedef struct allocation {
    char *base;
    size_t bytes;
    bool host, freed;
    int file; /* that it is, where other processes know of it; or 0 */
} allocation;
static fake_kernel kernels[MOST_KERNELS];
static int kernel_count;
static allocation *allocations;
static int allocation_count;
static size_t bytes_in_use;
static const fake_device *device;
static int64_t device_memory, fail_at, calls;
static bool at_the_end;
static FILE *trace;
static int device_count = 1;
static _Thread_local int device_now;
static _Thread_local cudaError_t last_error;
static pthread_mutex_t state_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static double clock_ms; /* the program's, too (clock_gettime) */

static void end(void)
{
    int left = 0;
    for (int i = 0; i < allocation_count; i++) left += !allocations[i].freed;
    if (trace)
        fprintf(trace, "end: %d calls can fail, %d allocations are left\n", (int)calls, left);
    if (trace) fclose(trace);
    trace = NULL;
}

__attribute__((constructor)) static void begin(void)
{
    const char *key = getenv("FAKE_CUDA_DEVICE"), *memory = getenv("FAKE_CUDA_MEMORY"),
               *fail = getenv("FAKE_CUDA_FAIL"), *path = getenv("FAKE_CUDA_TRACE"),
               *count = getenv("FAKE_CUDA_COUNT");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (!device && (!key || strcmp(key, devices[i].key) == 0)) device = &devices[i];
    if (path) trace = fopen(path, "w");
    allocations = calloc(MOST_ALLOCATIONS, sizeof *allocations);
    if (!device || !allocations || (path && !trace)) {
        fprintf(stderr, "fake CUDA: FAKE_CUDA_DEVICE or FAKE_CUDA_TRACE cannot be taken\n");
        abort();
    }
    device_memory = memory ? atoll(memory) : device->memory;
    fail_at = fail ? atoll(fail) : 0;
    device_count = count ? atoi(count) : 1;
    at_the_end = getenv("FAKE_CUDA_AT_THE_END") != NULL;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* ranks write to each other */
    atexit(end);
}

#define TRACE(...)                                                                                 \
    do {                                                                                           \
        if (trace) fprintf(trace, __VA_ARGS__);                                                    \
    } while (0)

static cudaError_t give(cudaError_t error)
{
    if (error) last_error = error;
    return error;
}

/* Whether this call, which can fail, is the one that shall. */
static bool fails(const char *call)
{
    if (++calls != fail_at) return false;
    TRACE("%s fails\n", call);
    if (trace) fflush(trace);
    return true;
}
static pthread_mutex_t *lock_state(void)
{
    pthread_mutex_lock(&state_lock);
    return &state_lock;
}

static void unlock_state(pthread_mutex_t *const *lock) { pthread_mutex_unlock(*lock); }

/* The first of a function, which one thread at a time is in from here on. */
#define ONE_AT_A_TIME()                                                                            \
    __attribute__((cleanup(unlock_state))) pthread_mutex_t *const locked = lock_state();           \
    (void)locked
#define MAY_FAIL(error)                                                                            \
    ONE_AT_A_TIME();                                                                               \
    if (fails(__func__)) return give(error)

/*
 * Time goes on by a millisecond whenever a program looks at it, and by a twentieth for a kernel:
 * what is done in proportion to time that went by is the same in every run.
 */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (clock != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, clock, time);
    clock_ms += 1;
    time->tv_sec = (time_t)(clock_ms / 1e3);
    time->tv_nsec = (long)((clock_ms - 1e3 * (double)time->tv_sec) * 1e6);
    return 0;
}

static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ at[i]) * 1099511628211u;
    return h;
}
static const uint64_t HASH = 14695981039346656037u;

/* The allocation that holds an address (or ends there); NULL: none. */
static const allocation *holder(const void *address)
{
    for (int i = allocation_count - 1; i >= 0; i--) {
        const allocation *a = &allocations[i];
        if (!a->freed && (const char *)address >= a->base &&
            (const char *)address <= a->base + a->bytes)
            return a;
    }
    return NULL;
}

static const char *place(const void *address)
{
    static char text[4][48];
    static int turn;
    const allocation *a = holder(address);
    char *to = text[turn++ % 4];
    if (!a) return "host";
    snprintf(to, sizeof text[0], "#%d+%zu", (int)(a - allocations),
             (size_t)((const char *)address - a->base));
    return to;
}

/* Whether so many bytes lie in one allocation of the device. */
static bool on_device(const void *address, size_t bytes)
{
    const allocation *a = holder(address);
    return a && !a->host && (const char *)address + bytes <= a->base + a->bytes;
}

/* Hash of an argument; device addresses count by allocation and offset, wherever those lie. */
static uint64_t argument_hash(uint64_t h, const void *argument, int bytes)
{
    for (int at = 0; at < bytes; at += 8) {
        uint64_t word = 0;
        const int width = bytes - at < 8 ? bytes - at : 8;
        memcpy(&word, (const char *)argument + at, (size_t)width);
        const allocation *a = width == 8 ? holder((const void *)(uintptr_t)word) : NULL;
        if (a)
            word = (uint64_t)(a - allocations) << 48 ^
                   (uint64_t)((const char *)(uintptr_t)word - a->base);
        h = hash(h, &word, sizeof word);
    }
    return h;
}

/* Devices. */

cudaError_t cudaGetDeviceCount(int *count)
{
    MAY_FAIL(cudaErrorUnknown);
    *count = device_count;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int number)
{
    MAY_FAIL(cudaErrorUnknown);
    if (number < 0 || number >= device_count) return give(cudaErrorInvalidDevice);
    if (number != device_now) TRACE("the thread takes device %d\n", number);
    device_now = number;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *number)
{
    MAY_FAIL(cudaErrorUnknown);
    *number = device_now;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int number)
{
    MAY_FAIL(cudaErrorUnknown);
    if (number < 0 || number >= device_count) return give(cudaErrorInvalidDevice);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", device->name);
    p->major = device->major;
    p->minor = device->minor;
    p->multiProcessorCount = device->multiprocessors;
    p->maxThreadsPerMultiProcessor = device->threads;
    p->maxBlocksPerMultiProcessor = device->blocks;
    p->maxThreadsPerBlock = 1024;
    p->warpSize = 32;
    p->regsPerBlock = p->regsPerMultiprocessor = REGISTERS;
    p->sharedMemPerBlock = STATIC_SHARED;
    p->sharedMemPerBlockOptin = (size_t)device->shared_per_block;
    p->sharedMemPerMultiprocessor = (size_t)device->shared;
    p->l2CacheSize = (int)device->l2;
    p->totalGlobalMem = (size_t)device_memory;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr what, int number)
{
    struct cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceProperties(&p, number);
    if (e) return e;
    switch ((int)what) {
    case cudaDevAttrMultiProcessorCount:
        *value = p.multiProcessorCount;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)p.sharedMemPerBlock;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)p.sharedMemPerBlockOptin;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)p.sharedMemPerMultiprocessor;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = p.minor;
        break;
    case cudaDevAttrL2CacheSize:
        *value = p.l2CacheSize;
        break;
    case cudaDevAttrMaxGridDimX:
        *value = INT32_MAX;
        break;
    case cudaDevAttrClockRate:
        *value = 1500000; /* kHz */
        break;
    default:
        fprintf(stderr, "fake CUDA: no answer for device attribute %d\n", (int)what);
        return give(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void)
{
    MAY_FAIL(cudaErrorUnknown);
    return cudaSuccess;
}

/* Errors. */

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = last_error;
    last_error = cudaSuccess;
    return e;
}
cudaError_t cudaPeekAtLastError(void) { return last_error; }
const char *cudaGetErrorString(cudaError_t e)
{
    static char text[48];
    if (e == cudaErrorMemoryAllocation) return "out of memory";
    snprintf(text, sizeof text, "error %d of the fake CUDA", (int)e);
    return text;
}
const char *cudaGetErrorName(cudaError_t e) { return cudaGetErrorString(e); }

/* Memory. Pages of the device are taken when they are touched, and addresses never used again. The
 * pages in front of an allocation and behind it may not be touched. */

/* Of memory that lies at its last page's end: as its size says, and what vectors need. */
static size_t alignment(size_t bytes)
{
    size_t a = 16;
    while (a < 512 && bytes % (2 * a) == 0) a *= 2;
    return a;
}

static cudaError_t allocate(const char *call, void **memory, size_t bytes, bool host)
{
    ONE_AT_A_TIME();
    *memory = NULL;
    if (fails(call)) return give(cudaErrorMemoryAllocation);
    if (allocation_count == MOST_ALLOCATIONS) abort();
    if (!host && (int64_t)(bytes_in_use + bytes) > device_memory - DRIVER_BYTES)
        return give(cudaErrorMemoryAllocation);
    if (bytes == 0) return cudaSuccess; /* and no memory, as there */
    const size_t pages = (bytes + PAGE - 1) / PAGE * PAGE, step = alignment(bytes);
    char *base = mmap(NULL, pages + 2 * (size_t)PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return give(cudaErrorMemoryAllocation);
    mprotect(base, PAGE, PROT_NONE);
    mprotect(base + PAGE + pages, PAGE, PROT_NONE);
    base += PAGE + (at_the_end ? (pages - bytes) / step * step : 0);
    allocations[allocation_count++] = (allocation){base, bytes, host, false, 0};
    if (!host) bytes_in_use += bytes;
    TRACE("%s #%d of %zu\n", call, allocation_count - 1, bytes);
    *memory = base;
    return cudaSuccess;
}
static cudaError_t release(const char *call, void *memory, bool host)
{
    ONE_AT_A_TIME();
    if (!memory) return cudaSuccess;
    allocation *a = (allocation *)holder(memory);
    if (!a || a->base != memory || a->host != host) {
        TRACE("%s of what is none\n", call);
        return give(cudaErrorInvalidValue);
    }
    TRACE("%s #%d\n", call, (int)(a - allocations));
    a->freed = true;
    if (a->file) close(a->file);
    if (!host) bytes_in_use -= a->bytes;
    char *page = a->base - (uintptr_t)a->base % PAGE;
    mmap(page, (size_t)(a->base - page) + a->bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return cudaSuccess;
}
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return allocate("malloc", memory, bytes, false);
}
cudaError_t cudaFree(void *memory) { return release("free", memory, false); }
cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return allocate("malloc on host", memory, bytes, true);
}
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return allocate("malloc on host", memory, bytes, true);
}
cudaError_t cudaFreeHost(void *memory) { return release("free on host", memory, true); }
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    (void)memory, (void)flags;
    if (fails("pin")) return give(cudaErrorMemoryAllocation);
    TRACE("pin %zu\n", bytes);
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *memory)
{
    (void)memory;
    TRACE("unpin\n");
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total)
{
    MAY_FAIL(cudaErrorUnknown);
    int64_t left = device_memory - DRIVER_BYTES - (int64_t)bytes_in_use;
    *unused = left > 0 ? (size_t)left : 0;
    *total = (size_t)device_memory;
    return cudaSuccess;
}

/* --- Memory of other processes: what is shown becomes a file in memory, of the pages that it lies
 * in, which they map, too. */

enum { MOST_VIEWS = 64 };
static struct view {
    char *base;
    size_t bytes;
    pid_t process;
    int file, opened;
} views[MOST_VIEWS];

typedef struct shown {
    size_t bytes, lead; /* before them in their first page */
    pid_t process;
    int file;
} shown;

static size_t lead_of(const void *base) { return (uintptr_t)base % PAGE; }

static struct view *view_of(const void *address, size_t bytes)
{
    for (int i = 0; i < MOST_VIEWS; i++)
        if (views[i].opened && (const char *)address >= views[i].base &&
            (const char *)address + bytes <= views[i].base + views[i].bytes)
            return &views[i];
    return NULL;
}

static bool share_memory(allocation *a)
{
    const int file = memfd_create("fake_cuda", MFD_CLOEXEC);
    const size_t lead = lead_of(a->base), bytes = lead + a->bytes;
    char *page = a->base - lead;
    size_t done = 0;
    if (file < 0 || ftruncate(file, (off_t)bytes)) return false;
    while (done < bytes) {
        const ssize_t now = pwrite(file, page + done, bytes - done, (off_t)done);
        if (now <= 0) return false;
        done += (size_t)now;
    }
    a->file = file;
    return mmap(page, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}

/* The pages of a file in memory, and one behind them that may not be touched. */
static char *map_file(int file, size_t bytes)
{
    const size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
    char *page =
        mmap(NULL, pages + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (page == MAP_FAILED) return page;
    return mmap(page, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *address)
{
    MAY_FAIL(cudaErrorUnknown);
    allocation *a = (allocation *)holder(address);
    if (!a || a->host || a->base != address) return give(cudaErrorInvalidValue);
    if (!a->file && !share_memory(a)) return give(cudaErrorMemoryAllocation);
    const shown s = {a->bytes, lead_of(a->base), getpid(), a->file};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &s, sizeof s);
    TRACE("show #%d\n", (int)(a - allocations));
    return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void **address, cudaIpcMemHandle_t handle, unsigned flags)
{
    shown s;
    char name[64];
    (void)flags;
    MAY_FAIL(cudaErrorUnknown);
    memcpy(&s, &handle, sizeof s);
    if (getenv("FAKE_CUDA_APART") || s.process == getpid()) return give(cudaErrorInvalidValue);
    struct view *free_one = NULL;
    for (int i = 0; i < MOST_VIEWS; i++) {
        struct view *v = &views[i];
        if (v->opened && v->file == s.file && v->process == s.process) {
            v->opened++;
            *address = v->base;
            return cudaSuccess;
        }
        if (!v->opened && !free_one) free_one = v;
    }
    if (!free_one) return give(cudaErrorMemoryAllocation);
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)s.process, s.file);
    const int file = open(name, O_RDWR | O_CLOEXEC);
    if (file < 0) return give(cudaErrorInvalidValue);
    char *page = map_file(file, s.lead + s.bytes);
    close(file);
    if (page == MAP_FAILED) return give(cudaErrorMemoryAllocation);
    *free_one = (struct view){page + s.lead, s.bytes, s.process, s.file, 1};
    TRACE("open memory of another process\n");
    *address = free_one->base;
    return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void *address)
{
    ONE_AT_A_TIME();
    struct view *v = view_of(address, 0);
    if (!v || v->base != address) return give(cudaErrorInvalidValue);
    if (--v->opened == 0) munmap(v->base - lead_of(v->base), lead_of(v->base) + v->bytes + PAGE);
    return cudaSuccess;
}

/* Both ends of a copy of `bytes` as they have to be. */
static bool legal_copy(const void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const bool reads = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const bool writes = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    return reads == (on_device(from, bytes) || view_of(from, bytes)) &&
           writes == (on_device(to, bytes) || view_of(to, bytes));
}
static cudaError_t copy(const char *call, void *to, size_t to_pitch, const void *from,
                        size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    static const char *const ends[] = {"host to host", "to device", "to host", "on device"};
    ONE_AT_A_TIME();
    if (fails(call)) return give(cudaErrorUnknown);
    if (width == 0 || height == 0) return cudaSuccess;
    uint64_t h = HASH;
    if ((int)kind < 1 || (int)kind > 3 || !legal_copy(to, from, width, kind) ||
        !legal_copy((char *)to + (height - 1) * to_pitch,
                    (const char *)from + (height - 1) * from_pitch, width, kind)) {
        TRACE("%s out of bounds: %s %s\n", call, place(to), place(from));
        return give(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < height; i++) {
        memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
        if (kind == cudaMemcpyHostToDevice) h = hash(h, (const char *)from + i * from_pitch, width);
    }
    TRACE("%s %s: %s from %s, %zu x %zu", call, ends[kind], place(to), place(from), height, width);
    if (kind == cudaMemcpyHostToDevice) TRACE(" [%016lx]", h);
    TRACE("\n");
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy("copy", to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    char call[32];
    snprintf(call, sizeof call, "copy in stream %d", (int)(intptr_t)stream);
    return copy(call, to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    char call[64];
    snprintf(call, sizeof call, "copy from device %d to %d in stream %d", from_device, to_device,
             (int)(intptr_t)stream);
    return copy(call, to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int one, int other)
{
    MAY_FAIL(cudaErrorUnknown);
    *can = one != other && !getenv("FAKE_CUDA_APART");
    return cudaSuccess;
}
/* Each thread of a program has a device of its own. */
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
    static _Thread_local int reached = -1;
    (void)flags;
    MAY_FAIL(cudaErrorUnknown);
    TRACE("device %d reaches %d\n", device_now, other);
    if (reached == other) return give(cudaErrorPeerAccessAlreadyEnabled);
    reached = other;
    return cudaSuccess;
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy("copy of rows", to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    char call[40];
    snprintf(call, sizeof call, "copy of rows in stream %d", (int)(intptr_t)stream);
    return copy(call, to, to_pitch, from, from_pitch, width, height, kind);
}

/* Streams, events, graphs. A thread can capture one stream at a time. */

typedef struct operation {
    const fake_kernel *kernel; /* NULL: a memset */
    fake_launch launch;
    void *arguments[FAKE_PARAMETERS];
    void *to;
    int value;
    size_t bytes;
} operation;
typedef struct graph {
    operation *operation;
    int count, number;
} graph;
static _Thread_local graph *capture;
static intptr_t streams, events, graphs;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    MAY_FAIL(cudaErrorUnknown);
    *stream = (cudaStream_t)++streams;
    TRACE("stream %d made, flags %u\n", (int)streams, flags);
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)priority;
    return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *most)
{
    MAY_FAIL(cudaErrorUnknown);
    *least = 0;
    *most = -5;
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    TRACE("stream %d destroyed\n", (int)(intptr_t)stream);
    return cudaSuccess;
}
/* What others have put on streams and is not done (fake_cuda.h). */
enum { MOST_STREAMS = 4096 };
static _Atomic int at_work[MOST_STREAMS];

void fake_cuda_work(cudaStream_t stream, int change)
{
    if ((intptr_t)stream < MOST_STREAMS) at_work[(intptr_t)stream] += change;
}

static bool works(intptr_t stream) { return stream < MOST_STREAMS && at_work[stream] > 0; }

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    while (works((intptr_t)stream)) usleep(100);
    MAY_FAIL(cudaErrorUnknown);
    TRACE("wait for stream %d\n", (int)(intptr_t)stream);
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    MAY_FAIL(cudaErrorUnknown);
    TRACE("stream %d waits for event %d\n", (int)(intptr_t)stream, ((int *)event)[0]);
    return cudaSuccess;
}

typedef struct fake_event {
    int number;
    double ms;
    intptr_t stream; /* that it was recorded in last */
} fake_event;
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = NULL;
    MAY_FAIL(cudaErrorUnknown);
    fake_event *e = calloc(1, sizeof *e);
    if (!e) return give(cudaErrorMemoryAllocation);
    e->number = (int)++events;
    *event = (cudaEvent_t)e;
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    MAY_FAIL(cudaErrorUnknown);
    ((fake_event *)event)->ms = clock_ms;
    ((fake_event *)event)->stream = (intptr_t)stream;
    TRACE("event %d in stream %d\n", ((fake_event *)event)->number, (int)(intptr_t)stream);
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    MAY_FAIL(cudaErrorUnknown);
    return works(((fake_event *)event)->stream) ? cudaErrorNotReady : cudaSuccess;
}
/* Copies are done when they are asked for: an event of another process has passed. */
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    (void)event;
    MAY_FAIL(cudaErrorUnknown);
    memset(handle, 0, sizeof *handle);
    return cudaSuccess;
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    (void)handle;
    return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    while (works(((fake_event *)event)->stream)) usleep(100);
    MAY_FAIL(cudaErrorUnknown);
    TRACE("wait for event %d\n", ((fake_event *)event)->number);
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    MAY_FAIL(cudaErrorUnknown);
    *ms = (float)(((fake_event *)to)->ms - ((fake_event *)from)->ms);
    return cudaSuccess;
}

/* What is done of an operation. */
static void act(const operation *o)
{
    if (o->kernel && o->kernel->execute)
        o->kernel->execute(o->kernel, &o->launch, o->arguments);
    else if (o->kernel)
        fake_kernel_effects(o->kernel->name, o->arguments);
    else if (o->value == 0 && o->bytes > 1 << 20 &&
             !holder(o->to)->file) /* back to pages that are not there */
        mmap(o->to, o->bytes / 4096 * 4096, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    else
        memset(o->to, o->value, o->bytes);
    if (o->kernel) clock_ms += 0.05;
}

static cudaError_t do_or_keep(const operation *o)
{
    if (!capture) {
        act(o);
        return cudaSuccess;
    }
    operation *more =
        realloc(capture->operation, (size_t)(capture->count + 1) * sizeof *capture->operation);
    if (!more) return give(cudaErrorMemoryAllocation);
    capture->operation = more;
    operation *kept = &more[capture->count++];
    *kept = *o;
    for (int i = 0; o->kernel && i < o->kernel->parameters; i++) {
        kept->arguments[i] = malloc((size_t)o->kernel->parameter_size[i]);
        memcpy(kept->arguments[i], o->arguments[i], (size_t)o->kernel->parameter_size[i]);
    }
    return cudaSuccess;
}

static cudaError_t set(const char *call, void *to, int value, size_t bytes)
{
    ONE_AT_A_TIME();
    if (fails(call)) return give(cudaErrorUnknown);
    if (!on_device(to, bytes)) {
        TRACE("%s out of bounds: %s\n", call, place(to));
        return give(cudaErrorInvalidValue);
    }
    TRACE("%s %s to %d, %zu\n", call, place(to), value, bytes);
    operation o = {.to = to, .value = value, .bytes = bytes};
    if ((uintptr_t)to % 4096 && bytes > 1 << 20) { /* whole pages go another way */
        memset(to, value, bytes);
        return cudaSuccess;
    }
    cudaError_t e = do_or_keep(&o);
    if (!e && value == 0 && bytes > 1 << 20 && !capture)
        memset((char *)to + bytes / 4096 * 4096, 0, bytes % 4096);
    return e;
}
cudaError_t cudaMemset(void *to, int value, size_t bytes) { return set("set", to, value, bytes); }
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; i < height && !e; i++) e = set("set", (char *)to + i * pitch, value, width);
    return e;
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    char call[32];
    snprintf(call, sizeof call, "set in stream %d", (int)(intptr_t)stream);
    return set(call, to, value, bytes);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    MAY_FAIL(cudaErrorUnknown);
    if (capture) return give(cudaErrorIllegalState);
    TRACE("capture of stream %d\n", (int)(intptr_t)stream);
    capture = calloc(1, sizeof *capture);
    if (!capture) return give(cudaErrorMemoryAllocation);
    capture->number = (int)++graphs;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *to)
{
    (void)stream;
    *to = (cudaGraph_t)capture;
    TRACE("end of capture: graph %d\n", capture ? capture->number : -1);
    capture = NULL;
    MAY_FAIL(cudaErrorUnknown);
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t from, unsigned long long flags)
{
    (void)flags;
    MAY_FAIL(cudaErrorUnknown);
    graph *g = calloc(1, sizeof *g);
    if (!g) return give(cudaErrorMemoryAllocation);
    *g = *(graph *)from;
    ((graph *)from)->count = 0; /* it has what is in it now */
    ((graph *)from)->operation = NULL;
    *exec = (cudaGraphExec_t)g;
    return cudaSuccess;
}
static void free_graph(graph *g)
{
    for (int i = 0; g && i < g->count; i++)
        for (int a = 0; a < FAKE_PARAMETERS; a++) free(g->operation[i].arguments[a]);
    if (g) free(g->operation);
    free(g);
}
cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    free_graph((graph *)g);
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g)
{
    free_graph((graph *)g);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    MAY_FAIL(cudaErrorUnknown);
    const graph *g = (const graph *)exec;
    TRACE("graph %d in stream %d\n", g->number, (int)(intptr_t)stream);
    for (int i = 0; i < g->count; i++) act(&g->operation[i]);
    return cudaSuccess;
}

/* Kernels. */

void **__cudaRegisterFatBinary(void *wrapper);
void **__cudaRegisterFatBinary(void *wrapper)
{
    void **handle = malloc(sizeof *handle);
    if (handle) *handle = wrapper;
    return handle;
}
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) { free(handle); }
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext,
                       size_t size, int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)address, (void)name, (void)ext, (void)size;
    (void)constant, (void)global;
}
void __cudaRegisterFunction(void **handle, const char *host, char *function, const char *name,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *function, const char *name,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                            int *warp)
{
    (void)function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    if (kernel_count == MOST_KERNELS) abort();
    fake_kernel *k = &kernels[kernel_count++];
    *k = (fake_kernel){.host = host, .name = name, .dynamic_bytes = STATIC_SHARED};
    if (!handle || !fake_image_read(*handle, name, k)) {
        fprintf(stderr, "fake CUDA: the machine code of %s cannot be read\n", name);
        abort();
    }
}

static fake_kernel *kernel_of(const void *host)
{
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].host == host) return &kernels[i];
    return NULL;
}

void fake_kernel_add(const fake_kernel *kernel)
{
    ONE_AT_A_TIME();
    if (kernel_of(kernel->host)) return;
    if (kernel_count == MOST_KERNELS) abort();
    kernels[kernel_count] = *kernel;
    kernels[kernel_count++].dynamic_bytes = STATIC_SHARED;
}

/* A name as mangled, without the numbers that nvcc gives to anonymous namespaces. */
static const char *steady_name(const char *name)
{
    static char text[1024];
    snprintf(text, sizeof text, "%s", name);
    for (char *at = strstr(text, "_GLOBAL__N__"); at; at = strstr(at, "_GLOBAL__N__")) {
        at += strlen("_GLOBAL__N__");
        memset(at, '.', strspn(at, "0123456789abcdef"));
        char *file = strstr(at, "_cu_");
        if (file) memset(file + 4, '.', 8);
    }
    return text;
}

static cudaError_t launch(const fake_kernel *k, dim3 grid, dim3 block, unsigned cluster,
                          void **arguments, size_t shared, cudaStream_t stream)
{
    ONE_AT_A_TIME();
    if (!k) return give(cudaErrorInvalidDeviceFunction);
    if (fails("launch")) return give(cudaErrorLaunchOutOfResources);
    const unsigned threads = block.x * block.y * block.z;
    if (!threads || (int)threads > k->most_threads || !grid.x || !grid.y || !grid.z ||
        grid.x % cluster || (int)threads * k->registers > REGISTERS ||
        (int)shared >
            k->dynamic_bytes - (k->dynamic_bytes == STATIC_SHARED ? k->shared_bytes : 0)) {
        TRACE("launch out of bounds: %s\n", steady_name(k->name));
        return give(cudaErrorInvalidConfiguration);
    }
    uint64_t h = HASH;
    operation o = {.kernel = k, .launch = {grid, block, cluster, shared}};
    for (int i = 0; i < k->parameters; i++) {
        h = argument_hash(h, arguments[i], k->parameter_size[i]);
        o.arguments[i] = arguments[i];
    }
    TRACE("launch %s (%u %u %u) of (%u %u %u), clusters of %u, %zu shared, stream %d [%016lx]\n",
          steady_name(k->name), grid.x, grid.y, grid.z, block.x, block.y, block.z, cluster, shared,
          (int)(intptr_t)stream, h);
    return do_or_keep(&o);
}

static _Thread_local struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} pushed;
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    pushed.grid = grid;
    pushed.block = block;
    pushed.shared = shared;
    pushed.stream = stream;
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *(cudaStream_t *)stream = pushed.stream;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    *kernel = (cudaKernel_t)kernel_of(host);
    return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    return launch((const fake_kernel *)kernel, grid, block, 1, arguments, shared, stream);
}
cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    return launch(kernel_of(host), grid, block, 1, arguments, shared, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *host, void **arguments)
{
    unsigned cluster = 1;
    for (unsigned i = 0; i < c->numAttrs; i++)
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension)
            cluster = c->attrs[i].val.clusterDim.x;
    return launch(kernel_of(host), c->gridDim, c->blockDim, cluster, arguments, c->dynamicSmemBytes,
                  c->stream);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *f, const void *host)
{
    MAY_FAIL(cudaErrorUnknown);
    const fake_kernel *k = kernel_of(host);
    if (!k) return give(cudaErrorInvalidDeviceFunction);
    memset(f, 0, sizeof *f);
    f->numRegs = k->registers;
    f->localSizeBytes = (size_t)k->local_bytes;
    f->sharedSizeBytes = (size_t)k->shared_bytes;
    f->maxThreadsPerBlock = k->most_threads;
    f->maxDynamicSharedSizeBytes = k->dynamic_bytes;
    f->ptxVersion = f->binaryVersion = k->architecture; /* which other GPUs run here, too */
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute what, int value)
{
    MAY_FAIL(cudaErrorUnknown);
    fake_kernel *k = kernel_of(host);
    if (!k) return give(cudaErrorInvalidDeviceFunction);
    if (what != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value + k->shared_bytes > device->shared_per_block) return give(cudaErrorInvalidValue);
    k->dynamic_bytes = value;
    return cudaSuccess;
}

static int up(int value, int unit) { return (value + unit - 1) / unit * unit; }

/* By the rules of the occupancy calculator: registers go to warps in units of 256 and to a quarter
 * of the warps each, shared memory in units of 128 bytes and, from 8.0 on, 1 KB of the system. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                   int threads, size_t dynamic,
                                                                   unsigned flags)
{
    (void)flags;
    MAY_FAIL(cudaErrorUnknown);
    const fake_kernel *k = kernel_of(host);
    if (!k) return give(cudaErrorInvalidDeviceFunction);
    *blocks = 0;
    if (threads > k->most_threads) return cudaSuccess;
    const int warps = up(threads, 32) / 32, system = device->major >= 8 ? 1024 : 0;
    const int shared = up((int)dynamic + k->shared_bytes, 128) + system;
    int most = device->blocks;
    if (device->threads / 32 / warps < most) most = device->threads / 32 / warps;
    if (k->registers) {
        const int each = up(k->registers * 32, 256), room = REGISTERS / each / 4 * 4 / warps;
        if (room < most) most = room;
    }
    if (shared > 0 && device->shared / shared < most) most = device->shared / shared;
    *blocks = most;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                          int threads, size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, dynamic,
                                                                  0);
}
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
                                           const cudaLaunchConfig_t *c)
{
    int blocks;
    const unsigned size = c->attrs[0].val.clusterDim.x;
    cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, host, (int)c->blockDim.x, c->dynamicSmemBytes, 0);
    if (e) return e;
    if (size < 2 || size > 8) return give(cudaErrorInvalidValue);
    *clusters = device->clusters[size - 2] * blocks;
    return cudaSuccess;
}

/* Drivers. */

static CUresult encode_tiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                             void *address, const cuuint64_t *size, const cuuint64_t *stride,
                             const cuuint32_t *box, const cuuint32_t *step,
                             CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                             CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const int kinds[] = {(int)type,    (int)rank,      (int)interleave,
                         (int)swizzle, (int)promotion, (int)fill};
    uint64_t h = argument_hash(hash(HASH, kinds, sizeof kinds), &address, sizeof address);
    for (cuuint32_t i = 0; i < rank; i++) {
        if (box[i] == 0 || box[i] > 256 || size[i] == 0 || (i && stride[i - 1] % 16))
            return CUDA_ERROR_INVALID_VALUE;
        h = hash(hash(h, &size[i], sizeof *size), &box[i], sizeof *box);
        h = hash(h, &step[i], sizeof *step);
        if (i) h = hash(h, &stride[i - 1], sizeof *stride);
    }
    if (!holder(address) || (uintptr_t)address % 16) return CUDA_ERROR_INVALID_VALUE;
    fake_tensor_map made = {.hash = h,
                            .data = address,
                            .axes = (int)rank,
                            .bytes = type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 ? 4 : 8};
    for (cuuint32_t i = 0; i < rank; i++) {
        made.size[i] = (int)size[i];
        made.box[i] = (int)box[i];
        if (i) made.stride[i - 1] = (int64_t)stride[i - 1];
    }
    memset(map, 0, sizeof *map);
    memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
}
static CUresult address_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    ONE_AT_A_TIME();
    const allocation *a = holder((const void *)(uintptr_t)address);
    if (!a || a->host) return CUDA_ERROR_NOT_FOUND;
    *base = (CUdeviceptr)(uintptr_t)a->base;
    *bytes = a->bytes;
    return CUDA_SUCCESS;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found)
{
    (void)version, (void)flags;
    MAY_FAIL(cudaErrorUnknown);
    const bool known = strcmp(symbol, "cuTensorMapEncodeTiled") == 0,
               range = strcmp(symbol, "cuMemGetAddressRange") == 0;
    *function = known ? (void *)encode_tiled : range ? (void *)address_range : NULL;
    if (found)
        *found = known || range ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
