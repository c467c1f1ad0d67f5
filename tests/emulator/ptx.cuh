/* For cuda/core/ptx.cuh: the functions of it that kernels of single steps use, in C++. Towers need
 * the others (gates, mail, copies of boxes), which are not there yet. */
#ifndef TORRE_PTX_CUH
#define TORRE_PTX_CUH

#include <stdint.h>
#include <string.h>

inline uint64_t nanoseconds()
{
    static uint64_t now;
    return now += 64;
}
inline uint32_t shared_address(const void *p) { return emulator::shared_number(p); }
inline void load_unchanging(uint64_t (&half)[2], const void *from) { memcpy(half, from, 16); }
inline float approximate_reciprocal(float b) { return 1 / b; }

#endif
