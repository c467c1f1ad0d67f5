/*
 * Kernels of the CUDA backend on the CPU: what runs them. The words of CUDA C++ that kernels use
 * are in cuda_on_host.h; the stand-in for the CUDA runtime (tests/fake_cuda) has memory, streams,
 * graphs and the checks of launches.
 *
 * A thread of a launch is a fiber with a stack of its own. All fibers run in one thread of the
 * system, one at a time, and are left at barriers, at functions of a warp and where a loop waits
 * (spin). Blocks run one after another; where all threads of the blocks that were started wait or
 * spin, one more is started, so that blocks that wait for each other are there together.
 *
 * Environment: EMULATOR_SEED=N (0: none) starts blocks, warps and lanes in an order made of N.
 *
 * A kernel that breaks the rules ends the program with a message: lanes that are at different
 * functions of a warp, or a mask without the caller; threads that wait for ever.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stddef.h>
#include <stdint.h>
#include <vector_types.h>

namespace emulator
{

/* A thread of the launch, as much of it as kernels see. */
struct place {
    uint3 thread, block;
    int lane; /* in its warp */
};
extern place *now; /* the one that runs */
extern dim3 grid_size, block_size;
extern unsigned cluster_size;

/* What lanes of a warp do together. Shuffles come first. */
enum meeting { SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, SYNC, BALLOT, ANY, ALL, MIN, OR };

/* Wait for the lanes of mask; what the function gives to this one. `argument`: of shuffles, lane or
 * distance; width: of the groups that they shuffle in. */
uint64_t meet(meeting what, uint32_t mask, uint64_t value, int argument, int width);

/* Wait at barrier number `which` for so many threads; 0: for all of the block. */
void barrier(int which, int threads);

/* The caller looks at something once more that others will change: they go on now. */
void spin();

/* Dynamic shared memory of the block; its address for instructions of PTX, and back. Addresses have
 * the block of the cluster in their high bits. */
char *shared_memory();
uint32_t shared_number(const void *address);
char *shared_place(uint32_t number);
/* What an address of this block is in block `rank` of its cluster. */
uint32_t shared_number_of(uint32_t number, int rank);

/* Wait for all threads of the cluster. */
void cluster_barrier();

/* The kernel breaks a rule: end the program, and say which. */
[[noreturn]] void fault(const char *what);

/* Run a kernel: call(kernel, arguments) once for each thread. */
void run(const char *name, void (*call)(const void *, void *const *), const void *kernel,
         void *const *arguments, dim3 grid, dim3 block, unsigned cluster, size_t shared);

} // namespace emulator

#endif
