/* For cuda/core/ptx.cuh: the same functions in C++, on the emulator. */
#ifndef TORRE_PTX_CUH
#define TORRE_PTX_CUH

#include <stdint.h>

inline uint64_t nanoseconds()
{
    static uint64_t now;
    return now += 64;
}

#endif
